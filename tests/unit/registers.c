/* The registers header against sources that know the numbers by themselves: the assembler, the
 * kernel's headers, libdw, gdb, and the processor.
 *
 * unit: src/base/xalloc.c src/base/complain.c -ldw -lelf
 */
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

/* --- the instruction set: how the assembler encodes `push` ---------------------------------------- */

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

/* --- Linux -------------------------------------------------------------------------------------- */

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

/* The C library makes a call with six arguments; ptrace shows the registers that it has put them in. */
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

/* --- DWARF: libdw's names --------------------------------------------------------------------------- */

static int note_register(void *context, int number, const char *set, const char *prefix,
                         const char *name, int bits, int type)
{
    const char **names = context;
    (void)set, (void)prefix, (void)bits, (void)type;
    if (number < DWARF_ST_END)
        names[number] = strdup(name);
    return 0;
}

static int note_names(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr start, void *context)
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

/* --- gdb ------------------------------------------------------------------------------------------------ */

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

/* --- flags, as the processor takes them ------------------------------------------------------------------- */

/* Loads the flags, below what a function may keep under rsp. */
#define LOAD_FLAGS "lea -128(%%rsp), %%rsp\n\tpush %1\n\tpopfq\n\tlea 128(%%rsp), %%rsp\n\t"

/* setcc of what its name says, after the flags were loaded. */
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
    __asm__ volatile("mov $15, %%al\n\tlea -128(%%rsp), %%rsp\n\tadd $1, %%al\n\tpushfq\n\tpop %0\n\t"
                     "lea 128(%%rsp), %%rsp" : "=r"(flags) : : "rax", "cc");
    expect("the bit", "AF", (long long)flags & FLAGS_ARITHMETIC, FLAG_AF);
    done("flags", before);
}

int main(void)
{
    check_instruction_set();
    check_user();
    check_calls();
    check_dwarf();
    check_gdb();
    check_flags();
    return failures != 0;
}
