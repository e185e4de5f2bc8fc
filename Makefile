# ebb: how it is built, checked and installed.
#
#   make            build/ebb, build/ebb-commands and build/ebb-engine
#   make demo       install what is missing, build, show the main job
#   make check      install what the tests need, build, run every test
#   make install    PREFIX=/usr/local, DESTDIR=
#   make deb dist   a Debian package, a tarball of the sources
#   make vsix       the extension for VS Code, build/ebb.vsix
#   make golden     compare the sessions of the debuggers and the tutorial with what is said; make
#                   golden-update writes them anew, to be reviewed like code
#   make layers calls registers names invariants headers freestanding state format-check
#                   the checks of the house rules
#   make tables     are the decoder's tables what their generators make?  make tables-update
#                   writes them anew
#   make analyze    clang's static analyser over all of src
#   make asan       ebb under ASan and UBSan, and the suites with it (SUITES=...)
#   make coverage   which lines of ebb the suites reach (SUITES=...)
#   make compile_commands.json          for clangd and other tools
#   make bench, make torture            long measurements, long tests
#
# Three programs, two ways of compiling.  ebb and ebb-commands are hosted programs: ebb is small and
# static, for the commands that start programs; ebb-commands has all commands (make STATIC= links
# ebb dynamically).  ebb-engine lives inside other programs: no libc, no vector registers, and linked far above everything the
# kernel places, so its code is compiled pc-relative although it is never relocated.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
SUITES  ?=

ifeq ($(origin CC),default)
CC = gcc
endif

# make V=1 shows the commands, make -s not even their names.
ifeq ($(V),)
say = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo '  $(1) $(2)';)
endif

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
COMMON   := -std=gnu11 -O2 -g -Isrc -MMD -MP $(WARNINGS)

HOSTED   := $(COMMON) -D_GNU_SOURCE -pthread
STATIC   := -static
EBB_LIBRARIES := -lzstd -ldw -lelf -lstdc++ -lm -ledit -lZydis -lZycore

FREESTANDING := $(COMMON) -ffreestanding -fPIC -include base/hidden.h -mgeneral-regs-only \
                -mno-red-zone -fno-stack-protector -fcf-protection=none \
                -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns
ifneq (,$(findstring clang,$(CC)))
# clang has no such switch, and needs none: -ffreestanding keeps it from making calls of loops.
FREESTANDING := $(filter-out -fno-tree-loop-distribute-patterns,$(FREESTANDING))
endif

ENGINE_AT   := 0x6f0000000000
ENGINE_LINK := -nostdlib -static -Wl,-Ttext-segment=$(ENGINE_AT) -Wl,--build-id=none \
               -Wl,-z,noexecstack -Wl,-z,max-page-size=4096 -Wl,--fatal-warnings

# The vDSO that recorded programs get: a shared object that the engine holds inside.
VDSO      := $(BUILD)/vdso.so
VDSO_LINK := -nostdlib -shared -Wl,-T,src/engine/vdso/vdso.lds -Wl,-soname=linux-vdso.so.1 \
             -Wl,--hash-style=both -Wl,--build-id=sha1 -Wl,--eh-frame-hdr -Wl,-Bsymbolic \
             -Wl,-z,noexecstack -Wl,-z,max-page-size=4096 -Wl,--fatal-warnings -Wl,-s

# What the engine needs of the log, compiled a second time for it.
LOG_FOR_ENGINE := $(wildcard src/log/syscall_table.c src/log/syscall_rows.c)

EBB_SOURCES    := $(wildcard src/*.c src/base/*.c src/log/*.c src/symbols/*.c src/session/*.c \
                             src/query/*.c src/recorder/*.c src/verifier/*.c src/packer/*.c \
                             src/debug/*.c src/command/*.c src/front/*/*.c)
ENGINE_SOURCES := $(wildcard src/engine/*/*.c src/engine/x86_64/*.S \
                             src/engine/vdso/vdso_image.S) $(LOG_FOR_ENGINE)

EBB_OBJECTS    := $(patsubst src/%,$(BUILD)/hosted/%.o,$(EBB_SOURCES))
EBB_PARTS      := $(filter-out $(BUILD)/hosted/main.c.o $(BUILD)/hosted/all_commands.c.o,$(EBB_OBJECTS))
ENGINE_OBJECTS := $(patsubst src/%,$(BUILD)/freestanding/%.o,$(ENGINE_SOURCES))

.PHONY: all ebb engine demo check golden golden-update bench torture install uninstall clean
.PHONY: deb dist vsix asan analyze coverage tables tables-update compile_commands.json
.PHONY: layers calls registers names invariants headers freestanding state format-check force

all: ebb engine
ebb: $(BUILD)/ebb $(BUILD)/ebb-commands
engine: $(BUILD)/ebb-engine

# The linker takes from the archive only what the commands in main.c need.  Something that needs a
# library besides zstd does not link.
$(BUILD)/ebb: $(BUILD)/hosted/main.c.o $(BUILD)/ebb.a
	$(call say,LINK,$@)$(CC) $(STATIC) -pthread -o $@ $^ $(LDFLAGS) -lzstd

$(BUILD)/ebb-commands: $(BUILD)/hosted/all_commands.c.o $(EBB_PARTS) $(BUILD)/ebb.how
	$(call say,LINK,$@)$(CC) -pthread -o $@ $(filter %.o,$^) $(LDFLAGS) $(EBB_LIBRARIES)

$(BUILD)/ebb.a: $(EBB_PARTS) $(BUILD)/ebb.how
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(EBB_PARTS)

$(BUILD)/ebb-engine: $(ENGINE_OBJECTS) $(BUILD)/ebb-engine.how
	$(call say,LINK,$@)$(CC) -o $@ $(ENGINE_LINK) $(ENGINE_OBJECTS)

$(BUILD)/hosted/%.c.o: src/%.c $(BUILD)/hosted.how
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(HOSTED) $(CFLAGS) -c -o $@ $<

$(BUILD)/freestanding/%.c.o: src/%.c $(BUILD)/freestanding.how
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(FREESTANDING) -c -o $@ $<

$(BUILD)/freestanding/%.S.o: src/%.S $(BUILD)/freestanding.how
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(FREESTANDING) -c -o $@ $<

$(VDSO): $(BUILD)/freestanding/engine/vdso/vdso.S.o src/engine/vdso/vdso.lds $(BUILD)/ebb-engine.how
	$(call say,LINK,$@)$(CC) -o $@ $(VDSO_LINK) $<

$(BUILD)/freestanding/engine/vdso/vdso_image.S.o: $(VDSO)
$(BUILD)/freestanding/engine/vdso/vdso_image.S.o: private FREESTANDING += -DVDSO_FILE='"$(VDSO)"'

$(BUILD)/hosted/front/gdb/python_file.c.o: src/front/gdb/ebb.py

# Which commit `ebb --version` names: that of the checkout, or the one a tarball was made from.
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || cat COMMIT 2>/dev/null)
$(BUILD)/commit.how: HOW = $(COMMIT)
$(BUILD)/hosted/command/command_help.c.o: $(BUILD)/commit.how
$(BUILD)/hosted/command/command_help.c.o: private HOSTED += -DEBB_COMMIT='"$(COMMIT)"'

# How files are compiled, and what a program is made of, written down.  A file changes only when that
# does: another compiler or other flags compile everything again, and a source file that was added or
# has gone links again.
$(BUILD)/hosted.how: HOW = $(CC) $(HOSTED) $(CFLAGS)
$(BUILD)/freestanding.how: HOW = $(CC) $(FREESTANDING)
$(BUILD)/ebb.how: HOW = $(CC) $(CFLAGS) $(STATIC) $(LDFLAGS) $(EBB_LIBRARIES) $(EBB_SOURCES)
$(BUILD)/ebb-engine.how: HOW = $(CC) $(ENGINE_LINK) $(VDSO_LINK) $(ENGINE_SOURCES)
$(BUILD)/%.how: force
	@mkdir -p $(@D)
	@printf '%s\n' '$(HOW)' | cmp -s - $@ || printf '%s\n' '$(HOW)' > $@

vsix:
	@tools/make-vsix $(BUILD)/ebb.vsix

layers:
	@tools/check-layers

calls:
	@tools/check-calls

registers:
	@tools/check-registers

names:
	@tools/check-names

invariants:
	@tools/check-invariants

headers:
	@CC='$(CC)' HOSTED='$(filter-out -M%,$(HOSTED))' FREESTANDING='$(filter-out -M%,$(FREESTANDING))' \
	    tools/check-headers

freestanding: engine
	@tools/check-freestanding $(BUILD)/ebb-engine

state: engine
	@tools/check-state $(BUILD)/ebb-engine

format-check:
	@tools/check-format

# The decoder's tables are made by programs in tools/, which ask Zydis.
tables:
	@CC='$(CC)' BUILD='$(BUILD)' tools/make-tables

tables-update:
	@CC='$(CC)' BUILD='$(BUILD)' tools/make-tables --update

analyze:
	@HOSTED='$(filter-out -M%,$(HOSTED))' FREESTANDING='$(filter-out -M%,$(FREESTANDING))' \
	    ENGINE_SOURCES='$(filter %.c,$(ENGINE_SOURCES))' EBB_SOURCES='$(EBB_SOURCES)' tools/analyze

# ebb with instrumentation, in a directory of its own, next to the ordinary engine: the engine lives
# inside the recorded program, where no sanitizer can be.  The compiler's warnings are known to be
# wrong at times with sanitizers, so that none is an error here.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
asan: engine
	@$(MAKE) --no-print-directory BUILD='$(BUILD)/asan' CFLAGS='-O1 -Wno-error $(SANITIZE)' \
	    LDFLAGS='$(SANITIZE)' STATIC= ebb
	@cp $(BUILD)/ebb-engine $(BUILD)/asan/ebb-engine
	@CC='$(CC)' BUILD='$(BUILD)/asan' tools/run-sanitized $(SUITES)

coverage: engine
	@$(MAKE) --no-print-directory BUILD='$(BUILD)/coverage' CFLAGS='-O1 -Wno-error --coverage' \
	    LDFLAGS='--coverage' ebb
	@cp $(BUILD)/ebb-engine $(BUILD)/coverage/ebb-engine
	@CC='$(CC)' BUILD='$(BUILD)/coverage' tools/run-coverage $(SUITES)

# command,SOURCE,FLAGS
command = {"directory": "$(CURDIR)", "file": "$(1)", "command": "$(CC) $(2) -c $(1)"},
compile_commands.json:
	@{ echo '['; \
	   printf '%s\n' $(foreach s,$(EBB_SOURCES),'$(call command,$(s),$(filter-out -M%,$(HOSTED)))') \
	       $(foreach s,$(ENGINE_SOURCES),'$(call command,$(s),$(filter-out -M%,$(FREESTANDING)))') \
	       | sed '$$s/,$$//'; \
	   echo ']'; } > $@

# What a user starts with one word builds on all processors.
PARALLEL = -j$(shell nproc)

demo:
	@tools/deps build
	@[ -x $(BUILD)/ebb ] || echo 'Building ebb. This takes a minute or two.'
	@$(MAKE) --no-print-directory -s $(PARALLEL) all
	@tools/demo $(BUILD)/ebb

check:
	@tools/deps build
	@tools/deps test corpus || echo 'some tests will be skipped'
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@CC='$(CC)' BUILD='$(BUILD)' tests/run $(SUITES)

# A suite takes the names of its sessions.
sessions = $(sort $(basename $(notdir $(wildcard tests/$(1)/*.session))))

golden: all
	@CC='$(CC)' BUILD='$(abspath $(BUILD))' tests/suites/88-debugger $(call sessions,debugger)
	@CC='$(CC)' BUILD='$(abspath $(BUILD))' tests/suites/85-gdb $(call sessions,gdb)
	@CC='$(CC)' BUILD='$(abspath $(BUILD))' tests/suites/91-tutorial

golden-update:
	@GOLDEN_UPDATE=1 $(MAKE) --no-print-directory golden

bench:
	@tools/deps build
	@tools/deps bench || echo 'some programs will be left out'
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD='$(BUILD)' bench/run
	@BUILD='$(BUILD)' bench/record
	@BUILD='$(BUILD)' bench/session
	@BUILD='$(BUILD)' bench/data
	@BUILD='$(BUILD)' bench/debugger
	@BUILD='$(BUILD)' bench/snapshots
	@BUILD='$(BUILD)' bench/taken
	@BUILD='$(BUILD)' bench/verify
	@BUILD='$(BUILD)' bench/short
	@BUILD='$(BUILD)' bench/large

torture:
	@tools/deps build
	@tools/deps test corpus torture || echo 'some tests will be skipped'
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@CC='$(CC)' BUILD='$(BUILD)' tests/run --torture

# The manual pages and completion scripts are made by ebb itself, from its table of commands.
SHARE    := $(DESTDIR)$(PREFIX)/share
MANUAL   := $(SHARE)/man/man1

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/ebb $(SHARE)/ebb $(MANUAL) \
	    $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 $(BUILD)/ebb $(DESTDIR)$(PREFIX)/bin/ebb
	install -m 755 $(BUILD)/ebb-commands $(BUILD)/ebb-engine $(DESTDIR)$(PREFIX)/libexec/ebb
	install -m 644 src/front/gdb/ebb.py $(SHARE)/ebb/ebb.py
	$(BUILD)/ebb help --manual > $(MANUAL)/ebb.1
	for name in $$($(BUILD)/ebb help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do \
	    $(BUILD)/ebb help --manual $$name > $(MANUAL)/ebb-$$name.1 || exit; done
	$(BUILD)/ebb help --completion bash > $(SHARE)/bash-completion/completions/ebb
	$(BUILD)/ebb help --completion zsh > $(SHARE)/zsh/site-functions/_ebb
	$(BUILD)/ebb help --completion fish > $(SHARE)/fish/vendor_completions.d/ebb.fish

# A Debian package and a tarball of the sources, in build/.
deb: all
	@BUILD='$(BUILD)' packaging/make-deb

dist:
	@BUILD='$(BUILD)' packaging/make-dist

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ebb $(DESTDIR)$(PREFIX)/libexec/ebb/ebb-commands \
	    $(DESTDIR)$(PREFIX)/libexec/ebb/ebb-engine
	rm -f $(SHARE)/ebb/ebb.py $(MANUAL)/ebb.1 $(MANUAL)/ebb-*.1 \
	    $(SHARE)/bash-completion/completions/ebb $(SHARE)/zsh/site-functions/_ebb \
	    $(SHARE)/fish/vendor_completions.d/ebb.fish
	-rmdir $(DESTDIR)$(PREFIX)/libexec/ebb $(SHARE)/ebb

clean:
	rm -rf $(BUILD)

-include $(EBB_OBJECTS:.o=.d) $(ENGINE_OBJECTS:.o=.d)
