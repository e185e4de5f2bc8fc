/* The columns of the system-call table that say what the engine does with a call: that they agree
 * with one another and with the arguments, and with lists that were made from the manual pages.
 *
 * unit: src/log/syscall_table.c src/log/syscall_rows.c
 */
#include <asm/unistd.h>
#include <stdio.h>
#include <string.h>

#include "log/syscall_numbers.h"
#include "log/syscall_table.h"

static int failures;

static void report(const char *name, const char *why)
{
    if (!*why)
        printf("ok syscall_traits: %s\n", name);
    else
        printf("FAIL syscall_traits: %s: %s\n", name, why);
    failures += *why != 0;
}

static const char *const handlers[SYSCALL_NUMBERS] = {
#define SYS(number, name, handler, ...) [number] = #handler,
#define SUB SYS
#define UNK SYS
#include "log/syscalls.def"
};

static bool is(u64 number, const char *handler)
{
    return handlers[number] && !strcmp(handlers[number], handler);
}

/* --- rules -------------------------------------------------------------------------------- */

static const struct call_arg *arg_of(u64 number, unsigned index)
{
    return &syscall_row_of(number)->args[index];
}

static bool has_descriptor(u64 number)
{
    return arg_of(number, 0)->show == SHOW_FD || arg_of(number, 0)->show == SHOW_ATFD;
}

static int find_show(u64 number, unsigned show)
{
    for (unsigned i = 0; i < SYSCALL_ARGS; i++)
        if (arg_of(number, i)->name && arg_of(number, i)->show == show)
            return (int)i;
    return -1;
}

static bool has_string(u64 number)
{
    for (unsigned i = 0; i < SYSCALL_ARGS; i++)
        if (arg_of(number, i)->shape == SHAPE_STRING)
            return true;
    return false;
}

static bool writes_something(u64 number)
{
    for (unsigned i = 0; i < SYSCALL_ARGS; i++)
        if (arg_of(number, i)->way & ARG_OUT)
            return true;
    return false;
}

static u32 effects_of_variants(const struct syscall_row *row)
{
    u32 all = 0;
    for (u32 i = 0; row->variants && i < row->variants->count; i++)
        all |= row->variants->rows[i].effects;
    return all;
}

#define EFFECTS_ON_FD                                                                             \
    (EFFECT_HIDES | EFFECT_DUPS | EFFECT_DUPS_TO | EFFECT_CLOSES | EFFECT_READS | EFFECT_WRITES)

/* Returns what is wrong with a row, or NULL. */
static const char *fault_of(u64 number)
{
    const struct syscall_traits *t = syscall_traits_of(number);
    bool refused = is(number, "refuse");
    if (t->effects != syscall_row_of(number)->effects)
        return "its two parts disagree on effects";
    if (effects_of_variants(syscall_row_of(number)) & ~t->effects)
        return "a variant has an effect that the row lacks";
    if (refused != (t->replay == WAY_REFUSE))
        return "it is refused in one column only";
    if (t->replay == WAY_REFUSE && (t->wait != WAIT_NOW || t->effects || t->scratch))
        return "it is refused, but something is said of what it does";
    if (is(number, "PASS") && t->replay == WAY_REDO && t->wait != WAIT_NOW)
        return "it is made again, but may wait";
    if (is(number, "PASS") && t->replay == WAY_CUSTOM)
        return "a replay treats it in a way of its own, but it has no handler";
    if ((t->effects & EFFECT_WHOLE) && t->replay != WAY_REDO && t->replay != WAY_CUSTOM)
        return "it is not made again, so how it fails does not matter";
    if ((t->effects & EFFECTS_ON_FD) && !has_descriptor(number))
        return "it has no descriptor";
    if ((t->effects & EFFECT_PLACED) && (!(t->effects & EFFECT_WRITES) || arg_of(number, 3)->show != SHOW_OFF))
        return "it has no offset";
    if ((t->effects & EFFECT_OPENS) && !has_string(number))
        return "it has no path";
    if ((t->effects & EFFECT_FILLS) && !writes_something(number))
        return "it writes nothing";
    if ((t->effects & EFFECT_LIMITS) && find_show(number, SHOW_RESOURCE) < 0)
        return "it has no resource";
    if ((t->wait == WAIT_RECV || t->wait == WAIT_SEND) && !has_descriptor(number))
        return "it has no socket";
    return NULL;
}

static void check_rules(void)
{
    char why[200] = "";
    unsigned count = 0;
    for (u64 number = 0; number < SYSCALL_NUMBERS; number++) {
        if (!handlers[number])
            continue;
        count++;
        if (fault_of(number))
            snprintf(why, sizeof why, "%s: %s", syscall_row_of(number)->name, fault_of(number));
    }
    if (count < 370)
        snprintf(why, sizeof why, "only %u rows", count);
    report("rows agree with themselves", why);
}

static void check_unknown(void)
{
    static const u64 none[] = {337, 423, SYSCALL_NUMBERS, 5000, 1ul << 40, ~0ul};
    static const struct syscall_traits plain = {0, WAIT_AGAIN, WAY_FEED, SCRATCH_DENY};
    const char *why = "";
    for (size_t i = 0; i < countof(none); i++)
        if (memcmp(syscall_traits_of(none[i]), &plain, sizeof plain))
            why = "one is treated in a way of its own";
    report("numbers without a row", why);
}

static void check_numbers(void)
{
    bool right = CALL_read == __NR_read && CALL_rt_sigreturn == __NR_rt_sigreturn &&
                 CALL_prctl == __NR_prctl && CALL_bpf == __NR_bpf && CALL_clone3 == 435 && CALL_mseal == 462;
    report("numbers by name", right ? "" : "one is another");
}

/* --- lists -------------------------------------------------------------------------------- */

#define END (-1)

static bool in_list(const int *list, int number)
{
    while (*list != END && *list != number)
        list++;
    return *list == number && number != END;
}

struct list {
    const char *name;
    bool (*has)(u64 number);
    int numbers[32];
};

static bool makes(u64 n) { return syscall_has(n, EFFECT_MAKES); }
static bool execs(u64 n) { return syscall_has(n, EFFECT_EXECS); }
static bool exits(u64 n) { return syscall_has(n, EFFECT_EXITS); }
static bool returns(u64 n) { return syscall_has(n, EFFECT_SIGRETURN); }
static bool once(u64 n) { return syscall_traits_of(n)->wait == WAIT_ONCE; }
static bool receives(u64 n) { return syscall_traits_of(n)->wait == WAIT_RECV; }
static bool sends(u64 n) { return syscall_traits_of(n)->wait == WAIT_SEND; }

static bool shapes(u64 n)
{
    return syscall_has(n, EFFECT_MAPS | EFFECT_MOVES | EFFECT_DROPS | EFFECT_ATTACHES |
                              EFFECT_DETACHES | EFFECT_BREAK);
}

/* From clone(2), execve(2), signal(7), socket(7) and the pages about memory. */
static const struct list lists[] = {
    {"calls that make processes or threads", makes,
     {__NR_fork, __NR_vfork, __NR_clone, 435, END}},
    {"calls that replace the program", execs, {__NR_execve, __NR_execveat, END}},
    {"calls that end", exits, {__NR_exit, __NR_exit_group, END}},
    {"calls that end a handler", returns, {__NR_rt_sigreturn, END}},
    {"calls that are never made again", once,
     {__NR_poll, __NR_ppoll, __NR_select, __NR_pselect6, __NR_epoll_wait, __NR_epoll_pwait, 441,
      __NR_nanosleep, __NR_clock_nanosleep, __NR_restart_syscall, __NR_rt_sigtimedwait,
      __NR_rt_sigsuspend, __NR_pause, __NR_semop, __NR_semtimedop, __NR_msgrcv, __NR_msgsnd,
      __NR_close, 208 /* io_getevents */, 333 /* io_pgetevents */, END}},
    {"calls that SO_RCVTIMEO is for", receives,
     {__NR_read, __NR_readv, __NR_preadv2, __NR_recvfrom, __NR_recvmsg, __NR_recvmmsg, __NR_accept,
      __NR_accept4, END}},
    {"calls that SO_SNDTIMEO is for", sends,
     {__NR_write, __NR_writev, __NR_pwritev2, __NR_sendto, __NR_sendmsg, __NR_sendmmsg, __NR_sendfile,
      __NR_connect, END}},
    {"calls that change the contents of memory", shapes,
     {__NR_mmap, __NR_munmap, __NR_mremap, __NR_madvise, __NR_remap_file_pages, __NR_brk, __NR_shmat,
      __NR_shmdt, END}},
};

static void check_list(const struct list *list)
{
    char why[100] = "";
    for (u64 number = 0; number < SYSCALL_NUMBERS; number++)
        if (list->has(number) != in_list(list->numbers, (int)number))
            snprintf(why, sizeof why, "%s", syscall_row_of(number)->name);
    report(list->name, why);
}

/* What the processor and the kernel keep for a process must be the same in a replay. */
static void check_kept(void)
{
    static const int kept[] = {__NR_modify_ldt, __NR_pkey_alloc, __NR_pkey_free, __NR_arch_prctl,
                               __NR_mprotect, __NR_pkey_mprotect, __NR_brk, __NR_munmap, __NR_mmap,
                               __NR_sigaltstack, __NR_rt_sigaction, __NR_rt_sigprocmask, END};
    char why[100] = "";
    for (const int *n = kept; *n != END; n++) {
        u8 way = syscall_traits_of((u64)*n)->replay;
        if (way != WAY_REDO && way != WAY_CUSTOM)
            snprintf(why, sizeof why, "%s is not made again", syscall_row_of((u64)*n)->name);
    }
    report("calls whose effects a replay depends on", why);
}

/* --- variants ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    u64 number;
    u64 args[6];
    u32 effect;
    bool has;
} variants[] = {
    {"F_DUPFD duplicates", __NR_fcntl, {1, 0}, EFFECT_DUPS, true},
    {"F_DUPFD_CLOEXEC duplicates", __NR_fcntl, {1, 1030}, EFFECT_DUPS, true},
    {"F_GETFL does not", __NR_fcntl, {1, 3}, EFFECT_DUPS, false},
    {"an unknown command does not", __NR_fcntl, {1, 99}, EFFECT_DUPS, false},
    {"dup duplicates", __NR_dup, {1}, EFFECT_DUPS, true},
    {"PR_SET_NAME names", __NR_prctl, {15, 1}, EFFECT_NAMES, true},
    {"PR_GET_NAME does not", __NR_prctl, {16, 1}, EFFECT_NAMES, false},
    {"FUTEX_WAIT waits", __NR_futex, {1, 128, 0}, EFFECT_WAITS, true},
    {"FUTEX_WAKE does not", __NR_futex, {1, 129, 0}, EFFECT_WAITS, false},
    {"FUTEX_LOCK_PI waits", __NR_futex, {1, 6, 0}, EFFECT_WAITS, true},
    {"FUTEX_LOCK_PI locks", __NR_futex, {1, 6, 0}, EFFECT_LOCKS, true},
    {"FUTEX_WAIT does not", __NR_futex, {1, 0, 0}, EFFECT_LOCKS, false},
    {"FUTEX_WAKE_OP changes words", __NR_futex, {1, 5, 0}, EFFECT_LOCKS, true},
    {"no such call has none", 5000, {1, 5, 0}, ~0u, false},
};

static void check_variants(void)
{
    for (size_t i = 0; i < countof(variants); i++) {
        bool has = syscall_variant_has(variants[i].number, variants[i].args, variants[i].effect);
        report(variants[i].name, has == variants[i].has ? "" : "it is otherwise");
    }
}

/* --- processes ---------------------------------------------------------------------------- */

static const u64 clone3_flags = 0x3d0f00;

static bool read_flags(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    if (from.at != 0x1000 || size != sizeof clone3_flags)
        return false;
    memcpy(to, &clone3_flags, size);
    return true;
}

static void check_clone_flags(void)
{
    static const struct call_memory memory = {read_flags, NULL};
    static const struct {
        u64 number, first, wanted;
    } calls[] = {
        {__NR_fork, 0x4000, 0}, {__NR_vfork, 0, CALL_FLAG_VFORK}, {__NR_clone, 0x4111, 0x4111},
        {435, 0x1000, 0x3d0f00}, {435, 0, 0}, {435, 0x2000, 0},
    };
    const char *why = "";
    for (size_t i = 0; i < countof(calls); i++)
        if (call_clone_flags(calls[i].number, &calls[i].first, &memory) != calls[i].wanted)
            why = syscall_row_of(calls[i].number)->name;
    report("flags of clone and its kin", why);
}

int main(void)
{
    check_clone_flags();
    check_rules();
    check_unknown();
    check_numbers();
    for (size_t i = 0; i < countof(lists); i++)
        check_list(&lists[i]);
    check_kept();
    check_variants();
    return failures != 0;
}
