/* insn-judge: says where two runs of a corpus differ, and how.
 *
 *   insn-judge compare CORPUS NATIVE AGAIN ENGINE
 *       Hashes of three runs.  Cases in which the two native runs differ are not the
 *       engine's fault, and are only counted.  Prints a summary, then for some of the cases
 *       that differ, one of a kind, a line: the case, the first of its batch, what it is.
 *       Status 0 if none differs, 1 if some do, 3 if the native runs are of no use.
 *   insn-judge explain CORPUS NUMBER NATIVE ENGINE
 *       Outcomes of one case: prints its code, what it was given, and the fields that differ.
 */
#include <Zydis/Zydis.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corpus.h"

#define SHOWN_MAX 12

static const char *const gpr_name[16] = {
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

struct file {
    const void *at;
    size_t size;
};

static struct file file_load(const char *path)
{
    struct file file = {NULL, 0};
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) < 0) {
        perror(path);
        exit(2);
    }
    file.size = st.st_size;
    if (file.size)
        file.at = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file.at == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    close(fd);
    return file;
}

static const struct corpus_header *corpus;

static void corpus_load(const char *path)
{
    struct file file = file_load(path);
    corpus = file.at;
    if (file.size < sizeof *corpus || corpus->magic != CORPUS_MAGIC) {
        fprintf(stderr, "%s: this is no corpus\n", path);
        exit(2);
    }
}

static const struct corpus_case *case_at(u32 number)
{
    return (const struct corpus_case *)((const u8 *)corpus + corpus->case_at) + number;
}

static const struct corpus_batch *batch_of(u32 number)
{
    const struct corpus_batch *b = (const void *)((const u8 *)corpus + corpus->batch_at);
    while (number >= b->first + b->cases)
        b++;
    return b;
}

static const u8 *case_code(u32 number)
{
    return (const u8 *)corpus + batch_of(number)->code + case_at(number)->entry;
}

static bool disassemble(u32 number, u32 skip, ZydisDisassembledInstruction *insn)
{
    const struct corpus_case *c = case_at(number);
    u64 address = corpus->place[batch_of(number)->place] + c->entry + skip;
    return ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, address,
                                              case_code(number) + skip,
                                              c->end - c->entry - skip, insn));
}

/* --- compare --- */

/* Cases that differ are of one kind if they begin with the same instruction, by name. */
static bool kind_is_new(u32 number)
{
    static bool seen[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    ZydisDisassembledInstruction insn;
    u32 kind = disassemble(number, 0, &insn) ? insn.info.mnemonic : 0;
    bool is_new = !seen[kind];
    seen[kind] = true;
    return is_new;
}

static void print_case(u32 number)
{
    ZydisDisassembledInstruction insn;
    bool known = disassemble(number, 0, &insn);
    printf("%u %u ", number, batch_of(number)->first);
    for (int i = 0; i < (known ? insn.info.length : 8); i++)
        printf("%02x", case_code(number)[i]);
    printf(" %s\n", known ? insn.text : "?");
}

static int compare(const char *native, const char *again, const char *engine)
{
    struct file a = file_load(native), b = file_load(again), c = file_load(engine);
    const u64 *x = a.at, *y = b.at, *z = c.at;
    size_t n = corpus->cases, unsteady = 0, differ = 0, shown = 0;
    u32 list[SHOWN_MAX];
    if (a.size != n * 8 || b.size != n * 8) {
        printf("the native runs did not finish\n");
        return 3;
    }
    size_t end = c.size / 8 < n ? c.size / 8 : n;
    for (size_t i = 0; i < end; i++) {
        if (x[i] != y[i])
            unsteady++;
        else if (x[i] != z[i]) {
            differ++;
            if (shown < SHOWN_MAX && kind_is_new(i))
                list[shown++] = i;
        }
    }
    printf("%zu cases, %zu not repeatable, %zu differ%s\n", end, unsteady, differ,
           end < n ? ", and the run ended early" : "");
    for (size_t i = 0; i < shown; i++)
        print_case(list[i]);
    return differ || end < n;
}

/* --- explain --- */

static void print_code(u32 number)
{
    const struct corpus_case *c = case_at(number);
    const u8 *code = case_code(number);
    u64 address = corpus->place[batch_of(number)->place] + c->entry;
    for (u32 at = 0; at < c->end - c->entry;) {
        ZydisDisassembledInstruction insn;
        bool known = disassemble(number, at, &insn);
        u32 length = known ? insn.info.length : 1;
        printf("    %#14lx  ", address + at);
        for (u32 i = 0; i < 15; i++)
            printf(i < length ? "%02x" : "  ", i < length ? code[at + i] : 0);
        printf("  %s\n", known ? insn.text : "?");
        at += length;
    }
}

static void print_fixes(u32 number)
{
    const struct corpus_case *c = case_at(number);
    const struct corpus_fix *fix = (const void *)((const u8 *)corpus + corpus->fix_at);
    u64 data = corpus->place[batch_of(number)->place] + PLACE_DATA;
    for (u32 i = c->fix; i < c->fix + c->fixes; i++) {
        if (fix[i].op == FIX_GPR)
            printf("    given %s = %#lx\n", gpr_name[fix[i].reg], fix[i].value);
        else if (fix[i].op == FIX_MEMORY)
            printf("    given [%#lx] = %#lx (%u bytes)\n", data + fix[i].off, fix[i].value,
                   fix[i].size);
    }
}

static void print_difference(const char *name, u64 native, u64 engine)
{
    if (native != engine)
        printf("    differs %-8s native %#lx engine %#lx\n", name, native, engine);
}

static void print_scalars(const struct outcome *a, const struct outcome *b)
{
    static const char *const name[] = {"rip", "rflags", "exit", "signal", "code", "address",
                                       "trap", "error", "cr2", "fs", "gs"};
    for (int i = 0; i < 16; i++)
        print_difference(gpr_name[i], a->gpr[i], b->gpr[i]);
    for (size_t i = 0; i < countof(name); i++)
        print_difference(name[i], (&a->rip)[i], (&b->rip)[i]);
}

/* Where in the xsave image a byte belongs. */
static const char *xstate_name(u32 off)
{
    static const struct {
        u32 component, width;
        const char *format;
    } part[] = {{2, 16, "ymm%u.high"}, {5, 8, "k%u"}, {6, 32, "zmm%u.high"}, {7, 64, "zmm%u+16"}};
    static char name[32];
    if (off < 32)
        return off < 2 ? "fcw" : off < 4 ? "fsw" : off < 6 ? "ftw" : off < 24 ? "x87" : "mxcsr";
    snprintf(name, sizeof name, off < 160 ? "st%u" : "xmm%u",
             off < 160 ? (off - 32) / 16 : (off - 160) / 16);
    for (size_t i = 0; i < countof(part); i++) {
        u32 from = corpus->xoffset[part[i].component];
        u32 count = part[i].component == 5 ? 8 : 16;
        if (from && off >= from && off < from + count * part[i].width)
            snprintf(name, sizeof name, part[i].format, (off - from) / part[i].width);
    }
    return name;
}

static void print_bytes(const u8 *a, const u8 *b, u32 size, bool is_data, u64 address)
{
    int shown = 0;
    for (u32 at = 0; at < size; at += 8) {
        u64 x, y;
        memcpy(&x, a + at, 8);
        memcpy(&y, b + at, 8);
        if (x == y || shown++ > 8)
            continue;
        char where[32];
        snprintf(where, sizeof where, "[%#lx]", address + at);
        u32 first = at;
        while (a[first] == b[first])
            first++;
        print_difference(is_data ? where : xstate_name(first), x, y);
    }
}

static int explain(u32 number, const char *native, const char *engine)
{
    struct file a = file_load(native), b = file_load(engine);
    printf("  case %u, seed %lu\n", number, corpus->seed);
    print_code(number);
    print_fixes(number);
    if (a.size < sizeof(struct outcome) || b.size < sizeof(struct outcome)) {
        printf("    no outcome %s\n",
               a.size < sizeof(struct outcome) ? "natively" : "on the engine");
        return 1;
    }
    const struct outcome *x = a.at, *y = b.at;
    u64 data = corpus->place[batch_of(number)->place] + PLACE_DATA;
    print_scalars(x, y);
    print_bytes(x->xstate, y->xstate, XSAVE_MAX, false, 0);
    print_bytes(x->data, y->data, DATA_SIZE, true, data);
    if (!memcmp(x, y, sizeof *x))
        printf("    the same when it runs alone\n");
    return memcmp(x, y, sizeof *x) != 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && !strcmp(argv[1], "compare")) {
        corpus_load(argv[2]);
        return compare(argv[3], argv[4], argv[5]);
    }
    if (argc == 6 && !strcmp(argv[1], "explain")) {
        corpus_load(argv[2]);
        return explain(strtoul(argv[3], NULL, 0), argv[4], argv[5]);
    }
    fprintf(stderr, "usage: insn-judge compare CORPUS NATIVE AGAIN ENGINE\n"
                    "       insn-judge explain CORPUS NUMBER NATIVE ENGINE\n");
    return 2;
}
