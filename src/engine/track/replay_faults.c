/* Faults in a replay that depend on more than the program's memory: on limits, and on what a file
 * system had room for.
 *
 * The recorded limit determines how far a stack grows. It becomes the limit of this process, if the
 * user is allowed as much; if not, the engine grows the stack itself, at each fault below it.
 *
 * A SIGBUS raised by an instruction means that a file was shorter then, or its file system full.
 * Its page is made inaccessible when the program is before that instruction, which then faults at
 * the same byte, after doing the same amount of work.
 */
#include "engine/base/goal.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/threads/thread.h"
#include "engine/track/replay_internal.h"

enum {
    K_RLIMIT_CPU = 0,
    K_RLIMIT_FSIZE = 1,
    K_RLIMIT_DATA = 2,
    K_RLIMIT_STACK = 3,
    K_RLIMIT_NPROC = 6,
    K_RLIMIT_NOFILE = 7,
    K_RLIMIT_MEMLOCK = 8,
    K_RLIMIT_AS = 9,
    CODE_BUS_ADRERR = 2,
    ERROR_PRESENT = 1,
};

#define GUARD_GAP (256 * PAGE_SIZE) /* the kernel's guard gap below a stack */

static struct {
    u64 stack_limit;
    bool grows; /* the process's own limit is lower */
    bool closed;
    u64 page; /* the inaccessible page, */
    struct k_siginfo info; /* and what the guest is told then */
} faults;

/* --- limits ------------------------------------------------------------------------------ */

void replay_limit_stack(u64 bytes)
{
    u64 limit[2];
    faults.stack_limit = bytes;
    if (kernel_call(__NR_prlimit64, 0, K_RLIMIT_STACK, NULL, limit))
        return;
    faults.grows = bytes > limit[1];
    limit[0] = faults.grows ? limit[1] : bytes;
    kernel_call(__NR_prlimit64, 0, K_RLIMIT_STACK, limit, NULL);
}

bool replay_fault_state(u64 *ret_stack_limit)
{
    *ret_stack_limit = faults.stack_limit;
    return !faults.closed;
}

void replay_raise_limits(void)
{
    static const u8 raised[] = {K_RLIMIT_CPU,    K_RLIMIT_FSIZE,   K_RLIMIT_DATA, K_RLIMIT_NPROC,
                                K_RLIMIT_NOFILE, K_RLIMIT_MEMLOCK, K_RLIMIT_AS};
    for (u32 n = 0; n < countof(raised); n++) {
        u64 limit[2];
        if (kernel_call(__NR_prlimit64, 0, raised[n], NULL, limit))
            continue;
        limit[0] = limit[1];
        kernel_call(__NR_prlimit64, 0, raised[n], limit, NULL);
    }
}

static bool replay_is_mapped(u64 page)
{
    u8 resident;
    return kernel_call(__NR_mincore, page, PAGE_SIZE, &resident) != -ENOMEM;
}

/* The kernel keeps a gap between a stack and the mapping below it. */
static bool has_room_below(const struct area *a, u64 page)
{
    return page >= a->start || areas_free(page - GUARD_GAP, a->start);
}

bool replay_stack_fault(u64 address)
{
    u64 page = page_down(address), end = page;
    const struct area *found = faults.grows ? areas_from(address) : NULL;
    if (!found || !(found->flags & AREA_GROWSDOWN) || found->end - page > faults.stack_limit ||
        !has_room_below(found, page))
        return false;
    struct area a = *found;
    while (end < a.end && !replay_is_mapped(end))
        end += PAGE_SIZE;
    u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (end == page ||
        kernel_failed(kernel_call(__NR_mmap, page, end - page,
                                  code_watch_kernel_protection(a.protection), flags, -1, 0)))
        return false;
    if (page < a.start) {
        a.start = page;
        areas_set(&a);
    }
    return true;
}

/* --- SIGBUS --------------------------------------------------------------------------------- */

bool replay_faults_at(const struct event *e)
{
    const struct event_signal *s = (const struct event_signal *)e->payload;
    const struct k_siginfo *info = (const struct k_siginfo *)s->info;
    return e->kind == EVENT_SIGNAL && (s->flags & SIGNAL_SYNCHRONOUS) && replay.logs_faults &&
           s->signal == SIG_BUS && info->code == CODE_BUS_ADRERR && !faults.closed &&
           !thread_self()->fault_waits; /* otherwise it was raised */
}

void replay_close_page(const struct event *e)
{
    memcpy(&faults.info, ((const struct event_signal *)e->payload)->info, sizeof(faults.info));
    faults.page = page_down(faults.info.address);
    faults.closed = true;
    kernel_call(__NR_mprotect, faults.page, PAGE_SIZE, PROT_NONE);
}

static void open_page(void)
{
    const struct area *a = areas_find(faults.page);
    faults.closed = false;
    if (a)
        kernel_call(__NR_mprotect, faults.page, PAGE_SIZE,
                    code_watch_protection(faults.page, a->protection));
}

void replay_fault(struct thread *t)
{
    if (!faults.closed)
        return;
    if (t->fault_info.signal == SIG_SEGV && page_down(t->fault_info.address) == faults.page) {
        t->fault_info = faults.info;
        t->fault_error &= ~(u64)ERROR_PRESENT;
    }
    open_page();
}
