/* The registers header against sources that know the numbers by themselves: the assembler, the
 * kernel's headers, libdw, gdb, and the processor.
 *
 * unit: src/front/gdb/register_table.c src/front/gdb/reply.c src/base/xalloc.c src/base/complain.c -ldw -lelf
 */
#include <cpuid.h>
#include <elfutils/libdwfl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/registers.h"
#include "front/gdb/register_table.h"

static int failures;

static void expect(const char *what, const char *name, long long got, long long wanted)
{
    if (got == wanted)
        return;
    printf("FAIL registers: %s of %s is %lld, not %lld\n", what, name, got, wanted);
    failures++;
}

static void done(const char *name, int before)
{
    if (failures == before)
        printf("ok registers: %s\n", name);
}

/* --- the instruction set: how the assembler encodes `push` ---------------------------------- */

#define X(NAME, name, ...)                                                    \
    extern const u8 push_##name[] __asm__("test_push_" #name);                \
    __asm__(".pushsection .rodata\ntest_push_" #name ": push %" #name "\n.popsection");
REGISTERS_GENERAL(X)
#undef X

static int pushed(const u8 *code)
{
    enum { REX_B = 0x41, PUSH = 0x50 };
    return code[0] == REX_B ? code[1] - PUSH + 8 : code[0] - PUSH;
}

static void check_instruction_set(void)
{
    int before = failures;
#define X(NAME, name, ...)                                                    \
    expect("the number", #name, NAME, pushed(push_##name));                   \
    expect("the name", #name, strcmp(register_name(NAME), #name), 0);
    REGISTERS_GENERAL(X)
#undef X
    done("instruction set", before);
}

/* --- Linux ---------------------------------------------------------------------------------- */

static void check_user(void)
{
    int before = failures;
#define IN_USER(NAME, field)                                                  \
    expect("the place in user_regs_struct", #field, USER_##NAME,              \
           offsetof(struct user_regs_struct, field) / 8)
#define X(NAME, name, ...) IN_USER(NAME, name);
    REGISTERS_GENERAL(X)
#undef X
    IN_USER(ORIG_RAX, orig_rax);
    IN_USER(RIP, rip);
    IN_USER(CS, cs);
    IN_USER(EFLAGS, eflags);
    IN_USER(SS, ss);
    IN_USER(FS_BASE, fs_base);
    IN_USER(GS_BASE, gs_base);
    IN_USER(DS, ds);
    IN_USER(ES, es);
    IN_USER(FS, fs);
    IN_USER(GS, gs);
    expect("the size", "user_regs_struct", USER_REGISTERS, sizeof(struct user_regs_struct) / 8);
    done("user_regs_struct", before);
}

enum { NO_SUCH_CALL = 999 };

/* The C library makes a call with six arguments; ptrace shows which registers they are in. */
static bool registers_in_call(u64 user[USER_REGISTERS])
{
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
            raise(SIGSTOP);
        syscall(NO_SUCH_CALL, 11l, 12l, 13l, 14l, 15l, 16l);
        _exit(0);
    }
    bool found = false;
    while (pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
        if (ptrace(PTRACE_GETREGS, pid, 0, user) == 0 && user[USER_ORIG_RAX] == NO_SUCH_CALL) {
            found = true;
            break;
        }
        ptrace(PTRACE_SYSCALL, pid, 0, 0);
    }
    if (found) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    return found;
}

static void check_calls(void)
{
    u64 user[USER_REGISTERS] = {0}, reg[GENERAL_REGISTERS], args[SYSCALL_ARGUMENTS];
    int before = failures;
    if (!registers_in_call(user)) {
        puts("skip registers: system calls: no process can be traced here");
        return;
    }
#define X(NAME, name, ...) reg[NAME] = user[USER_##NAME];
    REGISTERS_GENERAL(X)
#undef X
    register_syscall_arguments(reg, args);
    for (int n = 0; n < SYSCALL_ARGUMENTS; n++)
        expect("an argument", "a system call", (long long)args[n], 11 + n);
    expect("cs", "a program", (long long)user[USER_CS], SELECTOR_CS);
    expect("ss", "a program", (long long)user[USER_SS], SELECTOR_SS);
    expect("the fixed bits", "eflags", (long long)user[USER_EFLAGS] & FLAGS_PLAIN, FLAGS_PLAIN);

    u64 again[GENERAL_REGISTERS];
    memcpy(again, reg, sizeof again);
    again[RAX] = again[RDI] = again[RSI] = again[RDX] = again[R10] = again[R8] = again[R9] = 0;
    reg[RAX] = NO_SUCH_CALL;
    register_set_syscall(again, NO_SUCH_CALL, args);
    expect("the registers", "a call that is set", memcmp(again, reg, sizeof reg), 0);
    done("system calls", before);
}

/* --- DWARF: libdw's names ------------------------------------------------------------------- */

static int note_register(void *context, int number, const char *set, const char *prefix,
                         const char *name, int bits, int type)
{
    const char **names = context;
    (void)set, (void)prefix, (void)bits, (void)type;
    if (number < DWARF_ST_END)
        names[number] = strdup(name);
    return 0;
}

static int note_names(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr start,
                      void *context)
{
    (void)data, (void)name, (void)start;
    return dwfl_module_register_names(m, note_register, context) < 0 ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static void expect_name(const char *const *names, int number, const char *wanted)
{
    if (!names[number] || strcmp(names[number], wanted) != 0) {
        printf("FAIL registers: DWARF's %d is %s, not %s\n", number,
               names[number] ? names[number] : "nothing", wanted);
        failures++;
    }
}

static void check_dwarf(void)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    const char *names[DWARF_ST_END] = {0};
    int before = failures;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    dwfl_linux_proc_report(dwfl, getpid());
    dwfl_report_end(dwfl, NULL, NULL);
    dwfl_getmodules(dwfl, note_names, names, 0);
    dwfl_end(dwfl);
#define X(NAME, name, ...)                                                    \
    expect_name(names, DWARF_##NAME, #name);                                  \
    expect("DWARF's number", #name, register_to_dwarf(NAME), DWARF_##NAME);   \
    expect("from DWARF's number", #name, register_of_dwarf(DWARF_##NAME), NAME);
    REGISTERS_GENERAL(X)
#undef X
    expect_name(names, DWARF_RIP, "rip");
    expect_name(names, DWARF_XMM0, "xmm0");
    expect_name(names, DWARF_ST0 - 1, "xmm15");
    expect_name(names, DWARF_ST0, "st0");
    expect_name(names, DWARF_ST_END - 1, "st7");
    done("DWARF", before);
}

/* --- gdb ------------------------------------------------------------------------------------ */

static int gdb_number(const char *text, const char *name)
{
    char line[32];
    snprintf(line, sizeof line, "\n %s ", name);
    const char *at = strstr(text, line);
    return at ? atoi(at + strlen(line)) : -1;
}

static void check_gdb(void)
{
    static char text[64 * 1024];
    int before = failures;
    FILE *f = popen("gdb -nx -batch -ex 'set architecture i386:x86-64' "
                    "-ex 'maint print remote-registers' 2>/dev/null", "r");
    size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        pclose(f);
    if (!size) {
        puts("skip registers: gdb: not installed");
        return;
    }
#define NUMBERED(NAME, name) expect("gdb's number", name, GDB_##NAME, gdb_number(text, name))
#define X(NAME, name, ...)                                                    \
    NUMBERED(NAME, #name);                                                    \
    expect("to gdb's number", #name, register_to_gdb(NAME), GDB_##NAME);      \
    expect("from gdb's number", #name, register_of_gdb(GDB_##NAME), NAME);
    REGISTERS_GENERAL(X)
#undef X
    NUMBERED(RIP, "rip");
    NUMBERED(EFLAGS, "eflags");
    NUMBERED(CS, "cs");
    NUMBERED(SS, "ss");
    NUMBERED(DS, "ds");
    NUMBERED(ES, "es");
    NUMBERED(FS, "fs");
    NUMBERED(GS, "gs");
    NUMBERED(ST0, "st0");
    NUMBERED(FCTRL, "fctrl");
    NUMBERED(FSTAT, "fstat");
    NUMBERED(FTAG, "ftag");
    NUMBERED(FISEG, "fiseg");
    NUMBERED(FIOFF, "fioff");
    NUMBERED(FOSEG, "foseg");
    NUMBERED(FOOFF, "fooff");
    NUMBERED(FOP, "fop");
    NUMBERED(XMM0, "xmm0");
    NUMBERED(MXCSR, "mxcsr");
    done("gdb", before);
}

/* --- flags, as the processor takes them ----------------------------------------------------- */

/* Loads the flags, below what a function may keep under rsp. */
#define LOAD_FLAGS "lea -128(%%rsp), %%rsp\n\tpush %1\n\tpopfq\n\tlea 128(%%rsp), %%rsp\n\t"

/* setcc for the condition that its name gives, after the flags were loaded. */
#define SET(condition, flags)                                                 \
    ({                                                                        \
        u8 set_;                                                              \
        __asm__ volatile(LOAD_FLAGS "set" condition " %0\n\tcld"              \
                         : "=r"(set_) : "r"((u64)(flags)) : "cc", "memory");  \
        set_;                                                                 \
    })

static const u8 *next_byte(u64 flags, const u8 *at)
{
    __asm__ volatile(LOAD_FLAGS "lodsb\n\tcld"
                     : "+S"(at) : "r"(flags) : "rax", "cc", "memory");
    return at;
}

static void check_flags(void)
{
    static const u8 bytes[3];
    int before = failures;
    expect("the bit", "CF", SET("c", FLAG_CF) && !SET("c", ~FLAG_CF & FLAGS_ARITHMETIC), 1);
    expect("the bit", "PF", SET("p", FLAG_PF) && !SET("p", ~FLAG_PF & FLAGS_ARITHMETIC), 1);
    expect("the bit", "ZF", SET("z", FLAG_ZF) && !SET("z", ~FLAG_ZF & FLAGS_ARITHMETIC), 1);
    expect("the bit", "SF", SET("s", FLAG_SF) && !SET("s", ~FLAG_SF & FLAGS_ARITHMETIC), 1);
    expect("the bit", "OF", SET("o", FLAG_OF) && !SET("o", ~FLAG_OF & FLAGS_ARITHMETIC), 1);
    expect("the bit", "DF", next_byte(FLAG_DF, bytes + 1) - bytes, 0);
    expect("the bit", "DF when clear", next_byte(FLAGS_ARITHMETIC, bytes + 1) - bytes, 2);
    u64 flags;
    __asm__ volatile("mov $15, %%al\n\tlea -128(%%rsp), %%rsp\n\tadd $1, %%al\n\t"
                     "pushfq\n\tpop %0\n\tlea 128(%%rsp), %%rsp" : "=r"(flags) : : "rax", "cc");
    expect("the bit", "AF", (long long)flags & FLAGS_ARITHMETIC, FLAG_AF);
    done("flags", before);
}

/* --- gdb: the description that a client gets ------------------------------------------------ */

static int described(const char *text, const char *name)
{
    char start[64];
    snprintf(start, sizeof start, "<reg name=\"%s\" ", name);
    const char *at = strstr(text, start), *number = at ? strstr(at, " regnum=\"") : NULL;
    return number ? atoi(number + strlen(" regnum=\"")) : -1;
}

static void check_description(void)
{
    static const struct { const char *name; int number; } rows[] = {
        {"rip", GDB_RIP}, {"eflags", GDB_EFLAGS}, {"cs", GDB_CS}, {"ss", GDB_SS}, {"ds", GDB_DS},
        {"es", GDB_ES}, {"fs", GDB_FS}, {"gs", GDB_GS}, {"st0", GDB_ST0}, {"st7", GDB_FCTRL - 1},
        {"xmm0", GDB_XMM0}, {"xmm15", GDB_MXCSR - 1}, {"mxcsr", GDB_MXCSR},
        {"orig_rax", GDB_ORIG_RAX}, {"fs_base", GDB_FS_BASE}, {"gs_base", GDB_GS_BASE},
        {"ymm0h", GDB_YMM0H}, {"k0", GDB_K0}, {"zmm0h", GDB_ZMM0H}, {"xmm16", GDB_XMM16},
        {"ymm16h", GDB_YMM16H}, {"zmm16h", GDB_ZMM16H}, {"zmm31h", GDB_REGISTERS - 1},
#define X(NAME, name, ...) {#name, GDB_##NAME},
        REGISTERS_GENERAL(X)
        REGISTERS_X87_CONTROL(X)
#undef X
    };
    const u64 features = XSAVE_BIT(XSAVE_X87) | XSAVE_BIT(XSAVE_SSE) | XSAVE_BIT(XSAVE_AVX) |
                         XSAVE_BIT(XSAVE_OPMASK) | XSAVE_BIT(XSAVE_ZMM_HIGH) |
                         XSAVE_BIT(XSAVE_ZMM_UPPER);
    struct reply text = {0};
    int before = failures;
    register_table_describe(features, &text);
    for (size_t n = 0; n < countof(rows); n++)
        expect("the described number", rows[n].name, described(text.bytes, rows[n].name),
               rows[n].number);
    expect("the number", "all registers", register_table_count(features), GDB_REGISTERS);
    reply_deinit(&text);
    done("target description", before);
}

/* --- the processor's images ----------------------------------------------------------------- */

static long long number_at(const u8 *image, u32 offset, size_t size)
{
    long long value = 0;
    memcpy(&value, image + offset, size);
    return value;
}

/* pi is in st0; st1 is 1, what is below them empty; xmm N is all N + 1; mxcsr rounds down. */
static void load_vectors(void)
{
    static const u32 mxcsr = MXCSR_INITIAL | 1 << 13;
    static const u16 fcw = FCW_INITIAL & ~0x300;
    static u8 value[VECTOR_REGISTERS][XMM_SIZE];
    for (int n = 0; n < VECTOR_REGISTERS; n++)
        memset(value[n], n + 1, XMM_SIZE);
#define LOAD(n) "movups " #n "*16(%0), %%xmm" #n "\n\t"
    __asm__ volatile(LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7)
                     LOAD(8) LOAD(9) LOAD(10) LOAD(11) LOAD(12) LOAD(13) LOAD(14) LOAD(15)
                     "fninit\n\tfldcw %1\n\tfld1\n\tfldpi\n\tldmxcsr %2"
                     : : "r"(value), "m"(fcw), "m"(mxcsr)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory");
}

static void unload_vectors(void)
{
    static const u32 mxcsr = MXCSR_INITIAL;
    __asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr));
}

static void check_image(const char *name, const u8 *image)
{
    static const u8 pi[ST_SIZE] = {0x35, 0xc2, 0x68, 0x21, 0xa2, 0xda, 0x0f, 0xc9, 0x00, 0x40};
    static const u8 one[ST_SIZE] = {0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f};
    int before = failures;
    expect("fcw", name, number_at(image, XSAVE_FCW, 2), 0x7f);
    expect("the top of the stack", name, number_at(image, XSAVE_FSW, 2) >> 11 & 7, 6);
    expect("ftw", name, number_at(image, XSAVE_FTW, 1), 0xc0);
    expect("mxcsr", name, number_at(image, XSAVE_MXCSR, 4), 0x3f80);
    expect("the mask of mxcsr", name, number_at(image, XSAVE_MXCSR_MASK, 4) & 0xffbf, 0xffbf);
    expect("st0", name, memcmp(image + xsave_st(0), pi, ST_SIZE), 0);
    expect("st1", name, memcmp(image + xsave_st(1), one, ST_SIZE), 0);
    for (u32 n = 0; n < VECTOR_REGISTERS; n++)
        for (u32 byte = 0; byte < XMM_SIZE; byte++)
            expect("a byte of an xmm register", name, image[xsave_xmm(n) + byte], n + 1);
    expect("the end of st7", name, XSAVE_ST_END, xsave_st(ST_REGISTERS));
    expect("the end of xmm15", name, XSAVE_XMM_END, xsave_xmm(VECTOR_REGISTERS));
    done(name, before);
}

static void check_fxsave(void)
{
    static u8 image[XSAVE_LEGACY_SIZE + 64] __attribute__((aligned(64)));
    memset(image, 0xa5, sizeof image);
    load_vectors();
    __asm__ volatile("fxsave64 %0" : "+m"(image));
    unload_vectors();
    check_image("fxsave", image);
    int before = failures;
    for (u32 n = XSAVE_NOTE; n < sizeof image; n++)
        expect("what it leaves alone", "fxsave", image[n], 0xa5);
    done("fxsave ends", before);
}

/* Checks the address of the last x87 instruction, and of its operand. Processors may write them
 * only while an exception is pending: here a division by zero, which is never raised, since no x87
 * instruction that would wait for it follows. */
static void check_pointers(void)
{
    static u8 image[XSAVE_LEGACY_SIZE] __attribute__((aligned(64)));
    static const u16 fcw = FCW_INITIAL & ~4;
    static float zero;
    u64 at;
    int before = failures;
    __asm__ volatile("fninit\n\tfldcw %3\n\tfld1\n1:\tfdivs %2\n\tfxsave64 %0\n\tfninit\n\t"
                     "lea 1b(%%rip), %1"
                     : "+m"(image), "=r"(at) : "m"(zero), "m"(fcw));
    expect("fip", "fxsave", number_at(image, XSAVE_FIP, 8), (long long)at);
    expect("fdp", "fxsave", number_at(image, XSAVE_FDP, 8), (long long)&zero);
    expect("the upper half", "fip", number_at(image, XSAVE_FCS, 4), (long long)(at >> 32));
    expect("the upper half", "fdp", number_at(image, XSAVE_FDS, 4), (long long)((u64)&zero >> 32));
    expect("fop", "fdivs", number_at(image, XSAVE_FOP, 2) & 0x738, 0x030); /* d8 /6 */
    done("x87 pointers", before);
}

static bool has_avx(void)
{
    u32 a, b, c = 0, d, low = 0, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low >> XSAVE_AVX & 1;
}

static void check_xsave(void)
{
    static u8 image[4096] __attribute__((aligned(64)));
    static const u8 high[32] = {[16] = 0x11, [31] = 0x22};
    static u8 first[XMM_SIZE], last[XMM_SIZE]; /* as load_vectors() has them */
    const u32 components = XSAVE_BIT(XSAVE_X87) | XSAVE_BIT(XSAVE_SSE) | XSAVE_BIT(XSAVE_AVX);
    u32 a, b, c, d;
    if (!has_avx()) {
        puts("skip registers: xsave: the processor has no AVX");
        return;
    }
    memset(first, 1, sizeof first);
    memset(last, VECTOR_REGISTERS, sizeof last);
    load_vectors();
    __asm__ volatile("vmovups %1, %%ymm0\n\tvmovups %1, %%ymm15\n\t"
                     "movups %2, %%xmm0\n\tmovups %3, %%xmm15\n\t" /* leaves the upper halves */
                     "xsave64 %0\n\tvzeroupper"
                     : "+m"(image)
                     : "m"(high), "m"(first), "m"(last), "a"(components), "d"(0)
                     : "xmm0", "xmm15");
    unload_vectors();
    check_image("xsave", image);
    int before = failures;
    expect("the header", "xsave", number_at(image, XSAVE_HEADER, 8), components);
    expect("a byte of ymm0", "xsave", image[xsave_ymm(0)], 0x11);
    expect("a byte of ymm0", "xsave", image[xsave_ymm(0) + 15], 0x22);
    expect("a byte of ymm15", "xsave", image[xsave_ymm(15)], 0x11);
    __get_cpuid_count(0xd, XSAVE_AVX, &a, &b, &c, &d);
    expect("the place of AVX", "cpuid", b, XSAVE_YMM);
    expect("the end of AVX", "cpuid", a + b, XSAVE_YMM_END);
    expect("the header's end", "xsave", XSAVE_EXTENDED - XSAVE_HEADER, 64);
    done("xsave's components", before);
}

int main(void)
{
    check_instruction_set();
    check_user();
    check_calls();
    check_dwarf();
    check_gdb();
    check_flags();
    check_description();
    check_fxsave();
    check_pointers();
    check_xsave();
    return failures != 0;
}
