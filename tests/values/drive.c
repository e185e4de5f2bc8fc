/* Values of a core file: a driver for the tests of symbols/values.h.
 *
 *     drive CORE FILE [DAMAGED]       lines of the form  FRAME COMMAND[/FORMAT] EXPRESSION
 *
 * Commands: print, variable, type, ptype, whatis, json, locals, args, complete, sources, condition.
 * DAMAGED is opened in place of the executable. Each answer is one line; errors are `error:
 * SENTENCE`. The frame is that of the innermost thread. A condition is compiled and run as the
 * engine would run it, and its value is printed.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/list.h"
#include "base/registers.h"
#include "engine/plan/bytecode.h"
#include "symbols/values.h"

static const u8 *core;
static size_t core_size;
static struct list areas = LIST(struct symbols_area);
static struct user_regs_struct regs;
static struct user_fpregs_struct fpregs;
static bool have_regs;
static const char *damaged;

/* --- the core file ---------------------------------------------------------------------------- */

static const Elf64_Phdr *segment(unsigned n)
{
    const Elf64_Ehdr *h = (const void *)core;
    return n < h->e_phnum ? (const Elf64_Phdr *)(core + h->e_phoff) + n : NULL;
}

static bool read_file_part(u64 address, void *to, size_t size)
{
    const struct symbols_area *a = areas.items;
    for (size_t n = 0; n < areas.count; n++)
        if (address >= a[n].start && address + size <= a[n].end) {
            int fd = open(a[n].path, O_RDONLY | O_CLOEXEC);
            ssize_t got = fd >= 0 ? pread(fd, to, size, (off_t)(a[n].offset + address - a[n].start)) : -1;
            if (fd >= 0)
                close(fd);
            return got == (ssize_t)size;
        }
    return false;
}

static bool read_some(u64 address, u8 *to, size_t size)
{
    const Elf64_Phdr *p;
    for (unsigned n = 0; (p = segment(n)); n++)
        if (p->p_type == PT_LOAD && address >= p->p_vaddr && address + size <= p->p_vaddr + p->p_filesz &&
            p->p_offset + p->p_filesz <= core_size) {
            memcpy(to, core + p->p_offset + (address - p->p_vaddr), size);
            return true;
        }
    return read_file_part(address, to, size);
}

/* By pages, as a range may cross segments. */
static bool read_memory(void *context, u64 address, void *to, size_t size)
{
    (void)context;
    if (address + size < address)
        return false;
    while (size) {
        size_t part = 4096 - address % 4096 < size ? 4096 - address % 4096 : size;
        if (!read_some(address, to, part))
            return false;
        address += part;
        to = (u8 *)to + part;
        size -= part;
    }
    return true;
}

static int open_file(void *context, const char *path)
{
    (void)context;
    const struct symbols_area *a = areas.items;
    bool is_executable = damaged && areas.count && strcmp(path, a[0].path) == 0;
    return open(is_executable ? damaged : path, O_RDONLY | O_CLOEXEC);
}

static int by_start(const void *a, const void *b)
{
    u64 x = ((const struct symbols_area *)a)->start, y = ((const struct symbols_area *)b)->start;
    return x < y ? -1 : x > y;
}

static void read_files(const u8 *d)
{
    const u64 *words = (const void *)d;
    const char *name = (const char *)(words + 2 + 3 * words[0]);
    for (u64 n = 0; n < words[0]; n++, name += strlen(name) + 1)
        *(struct symbols_area *)list_add(&areas) = (struct symbols_area){
            words[2 + 3 * n], words[3 + 3 * n], words[4 + 3 * n] * words[1], name};
    qsort(areas.items, areas.count, sizeof(struct symbols_area), by_start);
}

static void read_note(const Elf64_Nhdr *h, const u8 *d)
{
    if (h->n_type == NT_PRSTATUS && !have_regs) {
        memcpy(&regs, ((const struct elf_prstatus *)d)->pr_reg, sizeof regs);
        have_regs = true;
    } else if (h->n_type == NT_FPREGSET && !fpregs.mxcsr) {
        memcpy(&fpregs, d, sizeof fpregs);
    } else if (h->n_type == NT_FILE) {
        read_files(d);
    }
}

static bool open_core(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        return false;
    core_size = (size_t)st.st_size;
    core = mmap(NULL, core_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const Elf64_Phdr *p;
    for (unsigned n = 0; (p = segment(n)); n++)
        for (u64 at = 0; p->p_type == PT_NOTE && at + sizeof(Elf64_Nhdr) <= p->p_filesz;) {
            const Elf64_Nhdr *h = (const void *)(core + p->p_offset + at);
            u64 data = at + sizeof *h + (h->n_namesz + 3u) / 4 * 4;
            read_note(h, core + p->p_offset + data);
            at = data + (h->n_descsz + 3u) / 4 * 4;
        }
    return have_regs;
}

static bool named_register(void *context, const char *name, u8 *bytes, size_t *size)
{
    unsigned n;
    (void)context;
    if (sscanf(name, "xmm%u", &n) == 1 && n < 16) {
        memcpy(bytes, (u8 *)fpregs.xmm_space + 16 * n, *size = 16);
        return true;
    }
    if (strcmp(name, "eflags") == 0) {
        memcpy(bytes, &regs.eflags, *size = 4);
        return true;
    }
    return false;
}

/* --- conditions, as the engine runs them ------------------------------------------------------ */

static bool code_memory(u64 address, u32 size, u64 *ret)
{
    *ret = 0;
    return read_memory(NULL, address, ret, size);
}

static bool code_register(u32 number, u64 *ret)
{
#define X(NAME, name, ...) [GDB_##NAME] = regs.name,
    const u64 all[] = {REGISTERS_GENERAL(X) [GDB_RIP] = regs.rip};
#undef X
    if (number < countof(all))
        *ret = all[number];
    else if (number == GDB_FS_BASE)
        *ret = regs.fs_base;
    else if (number >= GDB_XMM0 && number < GDB_XMM0 + 16)
        memcpy(ret, (u8 *)fpregs.xmm_space + 16 * (number - GDB_XMM0), sizeof *ret);
    else
        return false;
    return true;
}

/* --- commands --------------------------------------------------------------------------------- */

static void say(char *text)
{
    for (char *at = text; *at; at++)
        if (*at == '\n')
            *at = '|';
    puts(text);
    free(text);
}

static bool failed(struct error *err)
{
    if (err)
        printf("error: %s\n", error_text(err));
    error_destroy(err);
    return err;
}

static void list_variables(struct evaluation *v, bool parameters)
{
    struct variable *all;
    size_t count;
    if (failed(values_variables(v, parameters, &all, &count)))
        return;
    for (size_t n = 0; n < count; n++) {
        char *text = all[n].value ? value_show(all[n].value, 0) : NULL;
        printf("%s%s=%s", n ? ";" : "", all[n].name, text ? text : all[n].missing);
        free(text);
    }
    putchar('\n');
}

static void list_sources(struct value *value)
{
    struct value_source *all;
    size_t count;
    value_sources(value, &all, &count);
    for (size_t n = 0; n < count; n++)
        printf("%s0x%llx+%llu", n ? " " : "", (unsigned long long)all[n].address, (unsigned long long)all[n].size);
    putchar('\n');
    free(all);
}

static void complete(struct evaluation *v, const char *text)
{
    char **all;
    size_t count;
    values_complete(v, text, 20, &all, &count);
    for (size_t n = 0; n < count; n++) {
        printf("%s%s", n ? " " : "", all[n]);
        free(all[n]);
    }
    putchar('\n');
    free(all);
}

static void run_condition(struct evaluation *v, const char *text)
{
    static const struct bytecode_host host = {code_memory, code_register};
    u8 *code;
    size_t size;
    u64 value;
    if (failed(values_compile(v, text, (struct code_place){.pc = regs.rip}, &code, &size)))
        return;
    if (bytecode_run(code, (u32)size, &host, &value))
        printf("%lld\n", (long long)value);
    else
        puts("error: it came to no value");
    free(code);
}

static void with_value(struct evaluation *v, const char *command, char format, const char *text)
{
    struct value *value;
    if (failed(values_evaluate(v, text, &value)))
        return;
    if (strcmp(command, "sources") == 0)
        list_sources(value);
    else if (strcmp(command, "json") == 0)
        say(value_json(value));
    else if (strcmp(command, "type") == 0)
        say(value_type(value));
    else if (strcmp(command, "variable") == 0)
        say(value_show_variable(value)); /* as in a list of variables */
    else
        say(value_show(value, format));
}

static void execute(struct evaluation *v, char *command, const char *text)
{
    char *slash = strchr(command, '/'), *answer;
    char format = slash ? slash[1] : 0;
    if (slash)
        *slash = 0;
    bool expand = strcmp(command, "ptype") == 0;
    if (expand || strcmp(command, "whatis") == 0) {
        if (!failed(values_ptype(v, text, expand, &answer)))
            say(answer);
    } else if (strcmp(command, "locals") == 0 || strcmp(command, "args") == 0) {
        list_variables(v, command[0] == 'a');
    } else if (strcmp(command, "complete") == 0) {
        complete(v, text);
    } else if (strcmp(command, "condition") == 0) {
        run_condition(v, text);
    } else {
        with_value(v, command, format, text);
    }
}

static void line(struct symbols *s, struct frame *frames, size_t count, char *text)
{
    struct evaluation *v;
    char *command = strchr(text, ' '), *rest;
    if (!command)
        return;
    *command++ = 0;
    rest = command + strcspn(command, " ");
    if (*rest)
        *rest++ = 0;
    struct values_request q = {.frames = frames, .frame_count = count, .selected = (size_t)atoi(text),
                               .registers = (size_t)atoi(text),
                               .fs_base = regs.fs_base, .named_register = named_register};
    failed(values_open(s, &q, &v));
    execute(v, command, rest);
    values_close(v);
}

int main(int argc, char **argv)
{
    static const struct symbols_host host = {.read = read_memory, .open = open_file};
    struct symbols *s;
    struct frame *frames;
    size_t count, room = 0;
    const char *why;
    char *text = NULL;
    FILE *in = argc >= 3 ? fopen(argv[2], "r") : NULL;
    damaged = argc > 3 ? argv[3] : NULL;
    if (!in || !open_core(argv[1]))
        return 2;
    symbols_create(&host, &s);
    symbols_update(s, areas.items, areas.count);
#define X(NAME, name, ...) [DWARF_##NAME] = regs.name,
    u64 reg[FRAME_REGISTERS] = {REGISTERS_GENERAL(X) [DWARF_RIP] = regs.rip};
#undef X
    failed(symbols_unwind(s, reg, 64, &frames, &count, &why));
    while (getline(&text, &room, in) > 0) {
        text[strcspn(text, "\n")] = 0;
        line(s, frames, count, text);
    }
    free(text);
    fclose(in);
    free(frames);
    symbols_destroy(s);
    list_deinit(&areas);
    return 0;
}
