/* States: see states.h.
 *
 * States and what they overwrote are appended to three heaps. When there are twice as many as
 * wanted, the older half is dropped. So nothing is moved more than once, and the newest are always
 * kept.
 *
 * Invariants
 *   (1) The undo of the last state is at the end of its heap: entries can be added until the next
 *       state begins.
 *   (2) Mappings do not change from the first kept state to the last.
 */
#include "engine/plan/states.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/areas.h"
#include "engine/memory/call_shapes.h"
#include "engine/memory/guest_memory.h"
#include "engine/plan/controlled_internal.h"
#include "engine/plan/touched.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"
#include "log/format.h"

enum {
    MOST_AT_LEAST = 16,
    MOST_AT_MOST = 1 << 20,
    UNDO_MOST = 256 << 20, /* if there is more, everything before is dropped */
};

bool states_on;

struct heap {
    u8 *bytes;
    u64 used, room;
};

static struct {
    struct heap list, undo, vectors;
    u64 most;
    u64 areas_before;  /* version of the areas before the current call */
    u64 areas_of_all;  /* version of the areas at all kept states */
    bool general_only; /* instructions since the last state did not change vector registers */
    bool executed;     /* an instruction was executed since then */
    bool tried;        /* the instruction of the last state was attempted, even if it faulted */
} states;

/* --- heaps -------------------------------------------------------------------------------- */

static void *states_take(struct heap *h, u64 size)
{
    if (h->used + size > h->room) {
        u64 room = page_up(2 * (h->used + size));
        u8 *bytes = pool_map(room, PAGE_SIZE);
        memcpy(bytes, h->bytes, h->used);
        if (h->room)
            pool_unmap(h->bytes, h->room);
        h->bytes = bytes;
        h->room = room;
    }
    h->used += size;
    return h->bytes + h->used - size;
}

static void cut_front(struct heap *h, u64 size)
{
    memmove(h->bytes, h->bytes + size, h->used - size);
    h->used -= size;
}

static void states_give_back(struct heap *h)
{
    if (h->room)
        pool_unmap(h->bytes, h->room);
    *h = (struct heap){0};
}

static u64 count(void)
{
    return states.list.used / sizeof(struct state);
}

static struct state *state_number(u64 n)
{
    return (struct state *)states.list.bytes + n;
}

static struct state *last(void)
{
    return count() ? state_number(count() - 1) : NULL;
}

static void forget_all(void)
{
    states.list.used = states.undo.used = states.vectors.used = 0;
}

/* Keeps only the newest `keep`. */
static void states_forget_older(u64 keep)
{
    if (count() <= keep)
        return;
    const struct state *first = state_number(count() - keep);
    u64 undo_gone = first->undo;
    u32 vectors_gone = first->vector;
    cut_front(&states.list, (count() - keep) * sizeof(struct state));
    cut_front(&states.undo, undo_gone);
    cut_front(&states.vectors, (u64)vectors_gone * vector_shape.size);
    for (u64 n = 0; n < keep; n++) {
        state_number(n)->undo -= undo_gone;
        state_number(n)->vector -= vectors_gone;
    }
}

/* --- what is overwritten --------------------------------------------------------------------- */

static void keep_part(u64 at, u64 size)
{
    struct state *s = last();
    u64 before = states.undo.used;
    invariant(1, s->undo <= before);
    struct state_undo *u = states_take(&states.undo, sizeof(*u) + format_padded(size));
    *u = (struct state_undo){.address = at, .size = (u32)size};
    u64 *end = (u64 *)((u8 *)(u + 1) + format_padded(size));
    if (size)
        end[-1] = 0;
    if (guest_read(u + 1, gaddr(at), size))
        s->undo_count++;
    else
        states.undo.used = before;
}

/* Page by page: nothing is overwritten where nothing is mapped. */
static void states_keep_bytes(u64 at, u64 size)
{
    if (!count())
        return;
    if (size > UNDO_MOST || states.undo.used > UNDO_MOST) {
        forget_all();
        return;
    }
    while (size) {
        u64 part = page_down(at) + PAGE_SIZE - at;
        part = part < size ? part : size;
        keep_part(at, part);
        at += part;
        size -= part;
    }
}

/* --- moments ---------------------------------------------------------------------------------- */

static bool is_here(const struct state *s)
{
    return s && s->tick == ticks_now() && s->pc == cpu->rip && s->thread == thread_self()->ordinal;
}

/* Returns the index of the image of the current vector registers. */
static u32 vector_image(void)
{
    static u8 now[VECTOR_STATE_MAX] __attribute__((aligned(64)));
    u64 size = vector_shape.size, images = states.vectors.used / size;
    const struct state *s = last();
    if (s && states.general_only && states.executed)
        return s->vector;
    control_fill_vector(now);
    if (s && !memcmp(now, states.vectors.bytes + s->vector * size, size))
        return s->vector;
    memcpy(states_take(&states.vectors, size), now, size);
    return (u32)images;
}

/* Returns the end of the undo of a state in the heap. */
static u64 undo_end(const struct state *s)
{
    u64 at = s->undo;
    for (u32 n = 0; n < s->undo_count; n++) {
        const struct state_undo *u = (const struct state_undo *)(states.undo.bytes + at);
        at += sizeof(*u) + format_padded(u->size);
    }
    return at;
}

/* Makes the last state part of the one before. */
static void join_last(void)
{
    struct state *s = last();
    if (count() < 2) {
        forget_all();
        return;
    }
    invariant(1, undo_end(&s[-1]) == s->undo && undo_end(s) == states.undo.used);
    s[-1].undo_count += s->undo_count;
    states.list.used -= sizeof(*s);
}

/* The guest has moved without an instruction, by an external event. States belong to instructions.
 * If none was even attempted, what happened belongs to the state before: the number of events tells
 * that there was one. */
static void leave_last(void)
{
    if (!count() || states.executed)
        return;
    if (!states.tried)
        join_last();
    else if (!last()->event)
        last()->event = last()->thread == thread_self()->ordinal ? SITE_SIGNAL : SITE_SWITCH;
}

void states_note(void)
{
    /* nothing has happened, or a fault, or a part of a repeated instruction */
    if (is_here(last())) {
        states.executed = states.general_only = false;
        return;
    }
    leave_last();
    if (count() >= 2 * states.most)
        states_forget_older(states.most);
    invariant(2, !count() || states.areas_of_all == areas_versions.any);
    states.areas_of_all = areas_versions.any;
    struct state new = {
        .tick = ticks_now(),
        .pc = cpu->rip,
        .thread = thread_self()->ordinal,
        .vector = vector_image(),
        .undo = states.undo.used,
        .event_number = log_events_met(),
    };
    control_fill_running(&new.registers);
    memcpy(states_take(&states.list, sizeof(new)), &new, sizeof(new));
    states.executed = states.general_only = states.tried = false;
}

void states_before(void)
{
    static struct touched touched;
    states.executed = states.tried = true;
    states.general_only = false;
    if (!touched_find(&touched))
        return;
    states.general_only = decode_general_only(&touched.insn);
    for (u32 n = 0; n < touched.ranges.count; n++)
        if (touched.ranges.touch[n].how & TOUCH_WRITE)
            states_keep_bytes(touched.ranges.touch[n].start, touched.ranges.touch[n].size);
}

/* --- what the engine does --------------------------------------------------------------------- */

static void states_call_begins(const struct call *call)
{
    (void)call;
    states.areas_before = areas_versions.any;
    if (last())
        last()->event = SITE_CALL;
}

/* Mapping and unmapping cannot be undone. */
static void states_call_ended(const struct call *call, i64 result)
{
    u64 start, end;
    bool wiped = !kernel_failed(result) && call_replaces(call, &start, &end);
    if (wiped || areas_versions.any != states.areas_before)
        forget_all();
}

/* --- a stretch -------------------------------------------------------------------------------- */

void states_begin(u64 wanted)
{
    states.most = wanted < MOST_AT_LEAST  ? MOST_AT_LEAST
                  : wanted > MOST_AT_MOST ? MOST_AT_MOST
                                          : wanted;
    forget_all();
    states.executed = states.general_only = states.tried = false;
    states_on = true;
    observer.will_write = states_keep_bytes;
    observer.call_begins = states_call_begins;
    observer.call_ended = states_call_ended;
}

static void states_write_all(i32 fd, const void *bytes, u64 size)
{
    for (u64 at = 0; at < size;) {
        i64 wrote = kernel_call(__NR_write, fd, (const u8 *)bytes + at, size - at);
        if (kernel_failed(wrote) || !wrote)
            return;
        at += (u64)wrote;
    }
}

static i32 write_states(void)
{
    i64 fd = kernel_call(__NR_memfd_create, "ebb states", 1 /* close-on-exec */);
    if (kernel_failed(fd))
        return -1;
    struct states head = {
        .count = count(),
        .first_state = sizeof(head),
        .vector_size = vector_shape.size,
        .vector_features = vector_shape.features,
    };
    head.first_undo = head.first_state + states.list.used;
    head.first_vector = head.first_undo + states.undo.used;
    head.size = head.first_vector + states.vectors.used;
    states_write_all((i32)fd, &head, sizeof(head));
    states_write_all((i32)fd, states.list.bytes, states.list.used);
    states_write_all((i32)fd, states.undo.bytes, states.undo.used);
    states_write_all((i32)fd, states.vectors.bytes, states.vectors.used);
    return (i32)fd;
}

i32 states_end(void)
{
    if (!is_here(last()))
        leave_last();
    states_forget_older(states.most);
    i32 fd = write_states();
    states_on = false;
    observer.will_write = NULL;
    observer.call_begins = NULL;
    observer.call_ended = NULL;
    states_give_back(&states.list);
    states_give_back(&states.undo);
    states_give_back(&states.vectors);
    return fd;
}
