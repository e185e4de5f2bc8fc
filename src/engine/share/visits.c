/* Visits: see visits.h.
 *
 * The place of a process is a word in the group's memory: here, away, or visited.  It changes by
 * compare-and-swap alone, so that a visitor and the visited process never both use the memory.
 * Waiting is by futex, a millisecond at a time; every few waits the visitor looks whether the other
 * process still lives.
 */
#include "engine/share/visits.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/process_file.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/share/share.h"
#include "engine/share/share_group.h"
#include "engine/threads/thread.h"
#include "log/format.h"

enum {
    VISIT_WAIT_NS = 1000000,
    VISIT_CHECK_EVERY = 8, /* number of waits before the other process is checked */
    VISIT_WAITS_MOST = 10000,
    VISIT_FUTEX_WAIT = 0,
    VISIT_FUTEX_WAKE = 1,
};

static bool visits_move(struct share_place *p, u32 from, u32 to)
{
    return __atomic_compare_exchange_n(&p->word, &from, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static u32 visits_load(const u32 *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void visits_sleep(u32 *word, u32 value)
{
    struct k_timespec limit = {0, VISIT_WAIT_NS};
    kernel_call(__NR_futex, word, VISIT_FUTEX_WAIT, value, &limit);
}

static void visits_wake(u32 *word)
{
    kernel_call(__NR_futex, word, VISIT_FUTEX_WAKE, ~0u >> 1);
}

/* --- the process that is visited -------------------------------------------------------------- */

/* Also reads where the guest has no access: a visitor may write there. */
static bool visits_read(u8 *to, u64 at, u64 size)
{
    if (guest_read(to, gaddr(at), size))
        return true;
    i64 fd = kernel_call(__NR_open, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (kernel_failed(fd))
        return false;
    bool good = kernel_call(__NR_pread64, fd, to, size, at) == (i64)size;
    kernel_call(__NR_close, fd);
    return good;
}

static void visits_log_range(bool in_call, u64 at, u64 end)
{
    u8 bytes[PAGE_SIZE];
    code_watch_changed(at, end);
    if (share_member)
        share_written(at, end - at);
    while (at < end) {
        u64 stop = page_down(at) + PAGE_SIZE < end ? page_down(at) + PAGE_SIZE : end;
        if (visits_read(bytes, at, stop - at))
            log_shared(in_call, PIECE_MEMORY, at, bytes, stop - at);
        at = stop;
    }
}

static void visits_log(struct share_place *p, bool in_call)
{
    for (u32 n = 0; n < p->count; n++) {
        u64 from = p->range[n].at, to = from + p->range[n].size;
        for (const struct area *a = areas_from(from); a && a->start < to; a = areas_from(a->end))
            visits_log_range(in_call, a->start > from ? a->start : from, a->end < to ? a->end : to);
    }
    p->count = 0;
    log_shared_end();
}

void visits_rests(void)
{
    struct share_place *p = share_group_own_place();
    if (p && visits_move(p, PLACE_HERE, PLACE_AWAY) && visits_load(&p->visitor))
        visits_wake(&p->word);
}

void visits_returns(void)
{
    struct share_place *p = share_group_own_place();
    for (u32 tries = 1; p && !visits_move(p, PLACE_AWAY, PLACE_HERE); tries++) {
        if (visits_load(&p->word) == PLACE_HERE)
            break;
        if (tries % VISIT_CHECK_EVERY == 0 && share_group_has_ended(visits_load(&p->visitor)))
            visits_move(p, PLACE_VISITED, PLACE_AWAY);
        else
            visits_sleep(&p->word, PLACE_VISITED);
    }
}

void visits_runs(bool in_call)
{
    struct share_place *p = share_group_own_place();
    visits_returns();
    if (p && p->count)
        visits_log(p, in_call);
}

static __attribute__((noinline)) void visits_let_in(struct share_place *p)
{
    u32 visitor = visits_load(&p->visitor);
    visits_rests();
    for (u32 tries = 1; visitor && visits_load(&p->visitor) == visitor; tries++) {
        if (tries % VISIT_CHECK_EVERY == 0 && share_group_has_ended(visitor))
            break;
        visits_sleep(&p->visitor, visitor);
    }
    visits_runs(false);
}

void visits_boundary(void)
{
    struct share_place *p = share_group_own_place();
    if (p && __builtin_expect(p->visitor | p->count, 0))
        visits_let_in(p);
}

void visits_leave(void)
{
    struct share_place *p = share_group_own_place();
    if (!p)
        return;
    visits_rests();
    __atomic_store_n(&p->pid, 0, __ATOMIC_SEQ_CST);
}

/* --- the visitor ------------------------------------------------------------------------------ */

/* Returns the process of a thread; 0: none. */
static u32 visits_process_of(u32 tid)
{
    char status[512];
    process_file_read(tid, "status", status, sizeof(status));
    return (u32)process_file_number(status, "Tgid:\t");
}

static bool visits_lock(struct share_place *p, u32 own)
{
    for (u32 tries = 1; tries < VISIT_WAITS_MOST; tries++) {
        u32 other = 0;
        if (__atomic_compare_exchange_n(&p->visitor, &other, own, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return true;
        if (tries % VISIT_CHECK_EVERY == 0 && share_group_has_ended(other))
            __atomic_compare_exchange_n(&p->visitor, &other, 0, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST);
        else
            visits_sleep(&p->visitor, other);
    }
    return false;
}

/* False: it has ended, or does not answer. */
static bool visits_enter(struct share_place *p, u32 pid)
{
    for (u32 tries = 1; !visits_move(p, PLACE_AWAY, PLACE_VISITED); tries++) {
        if (tries % VISIT_CHECK_EVERY == 0 && share_group_is_stopped(pid))
            return true;
        if (tries == VISIT_WAITS_MOST ||
            (tries % VISIT_CHECK_EVERY == 0 && share_group_has_ended(pid)))
            return false;
        visits_sleep(&p->word, PLACE_HERE);
    }
    return true;
}

static void visits_unlock(struct share_place *p)
{
    visits_move(p, PLACE_VISITED, PLACE_AWAY);
    __atomic_store_n(&p->visitor, 0, __ATOMIC_SEQ_CST);
    visits_wake(&p->visitor);
    visits_wake(&p->word);
    visits_runs(true);
}

/* The write is made nevertheless. */
static void visits_note_silence(u32 pid)
{
    char line[128];
    struct text note = TEXT(line);
    if (share_group_has_ended(pid))
        return;
    text_add(&note, "process ");
    text_add_unsigned(&note, pid);
    text_add(&note, " did not answer for 10 s: what was written into its memory is not in its log");
    log_note(NOTE_LIMIT, line);
}

struct share_place *visits_begin(u32 tid)
{
    struct share_place *own = share_group_own_place(), *p = share_group_place_of(tid);
    u32 pid = p ? tid : visits_process_of(tid);
    p = p ? p : share_group_place_of(pid);
    if (!p || p == own || !own)
        return NULL;
    visits_rests(); /* two processes may visit one another */
    bool locked = visits_lock(p, own->pid);
    if (locked && visits_enter(p, pid))
        return p;
    if (locked)
        visits_unlock(p);
    else
        visits_runs(true);
    visits_note_silence(pid);
    return NULL;
}

void visits_wrote(struct share_place *to, u64 at, u64 size)
{
    if (!size)
        return;
    if (to->count < countof(to->range)) {
        to->range[to->count].at = at;
        to->range[to->count++].size = size;
        return;
    }
    /* no room for another range: the last one is extended, and more is logged than was written */
    struct share_range *last = &to->range[to->count - 1];
    u64 end = last->at + last->size > at + size ? last->at + last->size : at + size;
    last->at = last->at < at ? last->at : at;
    last->size = end - last->at;
}

void visits_end(struct share_place *to)
{
    visits_unlock(to);
}
