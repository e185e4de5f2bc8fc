/* Prints a siginfo_t: see the header. The layout is the kernel's (asm-generic/siginfo.h), which is
 * also the C library's on x86-64. */
#include "log/siginfo_text.h"

#include <signal.h>
#include <string.h>

#include "log/syscall_words_internal.h"

#define CODE(name) {#name, (u64)(i64)(name)}

static const struct word any_codes[] = {
    CODE(SI_USER), CODE(SI_KERNEL), CODE(SI_QUEUE), CODE(SI_TIMER), CODE(SI_MESGQ),
    CODE(SI_ASYNCIO), CODE(SI_SIGIO), CODE(SI_TKILL), CODE(SI_ASYNCNL), {NULL, 0}};
static const struct word segv_codes[] = {
    CODE(SEGV_MAPERR), CODE(SEGV_ACCERR), CODE(SEGV_BNDERR), CODE(SEGV_PKUERR), {NULL, 0}};
static const struct word bus_codes[] = {
    CODE(BUS_ADRALN), CODE(BUS_ADRERR), CODE(BUS_OBJERR), CODE(BUS_MCEERR_AR),
    CODE(BUS_MCEERR_AO), {NULL, 0}};
static const struct word fpe_codes[] = {
    CODE(FPE_INTDIV), CODE(FPE_INTOVF), CODE(FPE_FLTDIV), CODE(FPE_FLTOVF), CODE(FPE_FLTUND),
    CODE(FPE_FLTRES), CODE(FPE_FLTINV), CODE(FPE_FLTSUB), {NULL, 0}};
static const struct word ill_codes[] = {
    CODE(ILL_ILLOPC), CODE(ILL_ILLOPN), CODE(ILL_ILLADR), CODE(ILL_ILLTRP), CODE(ILL_PRVOPC),
    CODE(ILL_PRVREG), CODE(ILL_COPROC), CODE(ILL_BADSTK), {NULL, 0}};
static const struct word trap_codes[] = {
    CODE(TRAP_BRKPT), CODE(TRAP_TRACE), {"TRAP_BRANCH", 3}, {"TRAP_HWBKPT", 4},
    {"TRAP_UNK", 5}, {"TRAP_PERF", 6}, {NULL, 0}};
static const struct word child_codes[] = {
    CODE(CLD_EXITED), CODE(CLD_KILLED), CODE(CLD_DUMPED), CODE(CLD_TRAPPED), CODE(CLD_STOPPED),
    CODE(CLD_CONTINUED), {NULL, 0}};
static const struct word poll_codes[] = {
    CODE(POLL_IN), CODE(POLL_OUT), CODE(POLL_MSG), CODE(POLL_ERR), CODE(POLL_PRI), CODE(POLL_HUP),
    {NULL, 0}};
static const struct word call_codes[] = {{"SYS_SECCOMP", 1}, {"SYS_USER_DISPATCH", 2}, {NULL, 0}};

static const struct {
    u32 signal;
    const struct word *codes;
    enum siginfo_shape shape; /* if the code is one of the kernel's */
} own[] = {
    {SIGSEGV, segv_codes, SIGINFO_FAULT}, {SIGBUS, bus_codes, SIGINFO_FAULT},
    {SIGFPE, fpe_codes, SIGINFO_FAULT},   {SIGILL, ill_codes, SIGINFO_FAULT},
    {SIGTRAP, trap_codes, SIGINFO_FAULT}, {SIGCHLD, child_codes, SIGINFO_CHILD},
    {SIGIO, poll_codes, SIGINFO_POLL},    {SIGSYS, call_codes, SIGINFO_CALL},
};

const char *siginfo_code_name(u32 signal, i32 code)
{
    for (size_t i = 0; i < countof(own); i++) {
        const char *name =
            own[i].signal == signal ? words_find(own[i].codes, (u64)(i64)code) : NULL;
        if (name)
            return name;
    }
    return words_find(any_codes, (u64)(i64)code);
}

static siginfo_t siginfo_of(const void *bytes)
{
    siginfo_t info;
    memcpy(&info, bytes, sizeof info);
    return info;
}

/* SI_KERNEL means that the kernel sent it and knows nothing more; for faults there is an address,
 * which is 0. */
enum siginfo_shape siginfo_shape(const void *bytes)
{
    siginfo_t info = siginfo_of(bytes);
    if (info.si_code == SI_USER || info.si_code == SI_TKILL)
        return SIGINFO_SENDER;
    if (info.si_code == SI_TIMER)
        return SIGINFO_TIMER;
    if (info.si_code < 0)
        return SIGINFO_VALUE;
    for (size_t i = 0; i < countof(own); i++)
        if (own[i].signal == (u32)info.si_signo)
            return own[i].shape == SIGINFO_FAULT || info.si_code != SI_KERNEL ? own[i].shape
                                                                               : SIGINFO_BARE;
    return SIGINFO_BARE;
}

static void siginfo_print_rest(FILE *to, const void *bytes)
{
    siginfo_t info = siginfo_of(bytes);
    const char *name = siginfo_code_name((u32)info.si_signo, info.si_code);
    if (name)
        fputs(name, to);
    else
        fprintf(to, "%d", info.si_code);
    switch (siginfo_shape(bytes)) {
    case SIGINFO_SENDER:
        fprintf(to, ", si_pid=%d, si_uid=%u", info.si_pid, info.si_uid);
        return;
    case SIGINFO_VALUE:
        fprintf(to, ", si_pid=%d, si_uid=%u, si_value=%p", info.si_pid, info.si_uid, info.si_ptr);
        return;
    case SIGINFO_TIMER:
        fprintf(to, ", si_timerid=%#x, si_overrun=%d, si_value=%p", (unsigned)info.si_timerid,
                info.si_overrun, info.si_ptr);
        return;
    case SIGINFO_CHILD:
        fprintf(to, ", si_pid=%d, si_uid=%u, si_status=%d", info.si_pid, info.si_uid,
                info.si_status);
        return;
    case SIGINFO_FAULT:
        fprintf(to, ", si_addr=%#lx", (unsigned long)info.si_addr);
        return;
    case SIGINFO_POLL:
        fprintf(to, ", si_band=%ld, si_fd=%d", info.si_band, info.si_fd);
        return;
    case SIGINFO_CALL:
        fprintf(to, ", si_call_addr=%#lx, si_syscall=%d", (unsigned long)info.si_call_addr,
                info.si_syscall);
        return;
    default:
        return;
    }
}

void siginfo_print(FILE *to, const void *bytes)
{
    siginfo_t info = siginfo_of(bytes);
    fputs("{si_signo=", to);
    words_print_signal(to, (u64)info.si_signo);
    fputs(", si_code=", to);
    siginfo_print_rest(to, bytes);
    fputc('}', to);
}

void siginfo_print_short(FILE *to, u32 signal, const void *bytes)
{
    words_print_signal(to, signal);
    fputs(" (", to);
    siginfo_print_rest(to, bytes);
    fputc(')', to);
}
