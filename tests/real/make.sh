# needs: make
cat > Makefile <<'M'
x := $(shell echo 5)$(foreach i,1 2 3,<$(i)>)
$(info $(x) $(sort c b a) $(patsubst %.c,%.o,a.c))
all: a b c
	@cat a b c
a b c: %: in
	@echo $@ > $@
in:
	@touch in
fail:
	@exit 3
.PHONY: all fail
M
make -s -j2
make -s
make -s fail 2>/dev/null
echo $?
make -n -B all | wc -l
