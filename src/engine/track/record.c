/* Recording: see record.h.
 *
 * An event is built in the ring itself: room for the largest is reserved, filled from the front,
 * and published with its actual size. Bytes that do not fit follow in DATA events.
 *
 * Invariants
 *   (1) Events are written in the order in which replay meets them; one thread at a time writes.
 *   (2) Bytes that a call wrote are taken from guest memory before the guest runs on.
 */
#include "engine/track/record.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/calls/clocks.h"
#include "engine/log/observer.h"
#include "engine/memory/guest_memory.h"
#include "engine/share/share.h"
#include "engine/share/share_group.h"
#include "engine/share/share_outside.h"
#include "engine/share/visits.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/track/digest.h"
#include "engine/track/record_internal.h"
#include "engine/track/track.h"
#include "engine/track/unrecorded.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/cpu.h"
#include "log/ring.h"

/* --- putting events together -------------------------------------------------------- */

struct record_state record;

/* Separate and static, so that the compiler knows that no other file writes it. */
static struct {
    struct ring_producer producer;
    u64 last_tick; /* of the events of this track, except those that may be of an earlier moment */
    u64 met;       /* number of events that a replay counts, including those of ancestors */
    u64 event_tick, event_pc; /* of the last event */
} ring;

u64 record_tsc(void)
{
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (u64)high << 32 | low;
}

void record_open_ring(void)
{
    ring_producer_init(&ring.producer, track.ring);
    ring.last_tick = 0;
}

struct record_moment record_now(void)
{
    if (!cpu) /* the loader is still running */
        return (struct record_moment){.time = record_tsc()};
    return (struct record_moment){ticks_now(), cpu->rip, digest_registers(), record_tsc()};
}

/* The moment of a call is that of its beginning; others may have run since. DATA may continue such
 * an event. */
static void check_order(u16 kind, u64 tick)
{
    if (kind == EVENT_SYSCALL || kind == EVENT_DATA)
        return;
    invariant(1, tick >= ring.last_tick);
    ring.last_tick = tick;
}

bool record_build(struct record_event *b, u16 kind, const struct record_moment *at)
{
    invariant(1, !threads.count || thread_is_holder());
    check_order(kind, at->tick);
    b->event = record.gone ? NULL : ring_reserve(&ring.producer, &track_host, EVENT_SIZE_MOST);
    if (!b->event) {
        record.gone = true;
        return false;
    }
    *b->event = (struct event){.kind = kind,
                               .thread = (u16)thread_self()->ordinal,
                               .tick = at->tick,
                               .pc = at->pc,
                               .hash = at->hash,
                               .time = at->time};
    b->at = b->event->payload;
    b->end = (u8 *)b->event + EVENT_SIZE_MOST;
    b->flags = NULL;
    return true;
}

static bool is_fault_event(const struct event *e)
{
    return e->kind == EVENT_SIGNAL &&
           (((const struct event_signal *)e->payload)->flags & SIGNAL_SYNCHRONOUS);
}

/* Counts events like a replay (replay_met). */
static void count_event(const struct event *e)
{
    if (e->kind == EVENT_NOTE)
        return;
    ring.met += e->kind != EVENT_EXEC && !is_fault_event(e);
    ring.event_tick = e->tick;
    ring.event_pc = e->pc;
}

void record_publish(struct record_event *b)
{
    if (!b->event)
        return;
    count_event(b->event);
    b->event->size = (u32)(b->at - (u8 *)b->event);
    assert(b->at <= b->end && b->event->size % EVENT_ALIGN == 0);
    ring_publish(&ring.producer, &track_host);
}

/* The event is full: marks that more follows, and begins the next. */
static bool record_build_on(struct record_event *b)
{
    struct record_moment at = {b->event->tick, b->event->pc, 0, 0};
    *b->flags |= EVENT_MORE;
    record_publish(b);
    if (!record_build(b, EVENT_DATA, &at))
        return false;
    struct event_data data = {0};
    b->flags = (u16 *)&((struct event_data *)record_add(b, &data, sizeof(data)))->flags;
    return true;
}

/* For a range that is not completely mapped, because the kernel wrote less than it might have:
 * reads up to the end of its first page. `part` becomes the number of bytes examined. */
static bool record_read_some(u8 *to, const void *bytes, u64 *part)
{
    u64 first = page_up((u64)bytes + 1) - (u64)bytes;
    if (*part > first)
        *part = first;
    memset(to + (*part & ~7ul), 0, *part & 7 ? 8 : 0);
    return guest_read(to, gaddr((u64)bytes), *part);
}

/* Adds bytes of the engine or the guest, in as many pieces as needed. */
void record_piece(struct record_event *b, u32 kind, u64 address, const void *bytes, u64 size)
{
    do {
        if (!b->event ||
            ((u64)(b->end - b->at) < sizeof(struct event_piece) + 64 && !record_build_on(b)))
            return;
        u64 room = (u64)(b->end - b->at) - sizeof(struct event_piece);
        u64 part = size < room ? size : room & ~7ul;
        u8 *before = b->at;
        struct event_piece piece = {address, (u32)part, kind};
        assert(part <= room && (part == size || part % EVENT_ALIGN == 0));
        record_add(b, &piece, sizeof(piece));
        memset(b->at + (part & ~7ul), 0, part & 7 ? 8 : 0);
        if (guest_read(b->at, gaddr((u64)bytes), part) || record_read_some(b->at, bytes, &part)) {
            ((struct event_piece *)before)->size = (u32)part;
            b->at += format_padded(part);
        } else {
            b->at = before; /* for a call that failed, the memory may be unmapped */
        }
        bytes = (const u8 *)bytes + part;
        address += address ? part : 0;
        size -= part;
    } while (size);
}

/* --- what happens -------------------------------------------------------------------------- */

/* True if the thread has just left a system call, or is about to make it again. */
static bool leaves_call(const struct thread_call *c)
{
    return c->returned == ticks_now() && (cpu->rip == c->pc + SYSCALL_LENGTH || cpu->rip == c->pc);
}

static void record_signal(const struct log_signal *s)
{
    struct record_event b;
    if (s->fate == SIGNAL_DIED && observer.snapshot)
        observer.snapshot(SNAPSHOT_BEFORE_DEATH);
    struct record_moment at = record_now();
    if (!record_build(&b, EVENT_SIGNAL, &at))
        return;
    bool in_call = !s->synchronous && leaves_call(&thread_self()->call);
    struct event_signal payload = {
        .signal = (u32)s->info->signal,
        .fate = (u16)s->fate,
        .flags = (s->synchronous ? SIGNAL_SYNCHRONOUS : 0) | (in_call ? SIGNAL_IN_CALL : 0),
        .handler = s->handler,
        .frame = s->frame,
    };
    memcpy(payload.info, s->info, sizeof(*s->info));
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
}

static void record_entry(void)
{
    struct record_event b;
    struct record_moment at = record_now();
    if (!record_build(&b, EVENT_ENTRY, &at))
        return;
    struct event_entry payload = {cpu->rip, cpu->reg[RSP]};
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
}

static void record_note(u32 level, const char *text)
{
    struct record_event b;
    struct record_moment at = record_now();
    if (!record_build(&b, EVENT_NOTE, &at))
        return;
    struct event_note payload = {level, (u32)strlen(text)};
    record_add(&b, &payload, sizeof(payload));
    record_add(&b, text, payload.size);
    record_publish(&b);
    if (level == NOTE_LIMIT && payload.size < sizeof(record.limit))
        memcpy(record.limit, text, payload.size + 1);
}

/* Only the tick is known: what the process wrote after that is lost. */
static void record_killed(void)
{
    struct record_event b;
    record_note(NOTE_LIMIT, "a child of vfork was killed, and what it wrote last is not known");
    struct record_moment at = {.tick = ticks_now(), .time = record_tsc()};
    if (!record_build(&b, EVENT_SIGNAL, &at))
        return;
    struct event_signal payload = {.signal = SIG_KILL, .fate = SIGNAL_DIED};
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
}

/* Free-standing DATA: the thread is in a call whose event comes later. */
static void record_write(struct gaddr at, u64 size)
{
    struct record_event b;
    struct record_moment now = record_now();
    if (!record_build(&b, EVENT_DATA, &now))
        return;
    struct event_data data = {0};
    b.flags = (u16 *)&((struct event_data *)record_add(&b, &data, sizeof(data)))->flags;
    record_written(&b, at, size);
    record_publish(&b);
}

/* Programs read clocks millions of times a second, and this function is most of the cost. So the
 * event has neither hash nor time, and the values are stored in place. */
static void record_clock(u32 source, const struct clock_answer *answer)
{
    const u64 *values = answer->value;
    u32 count = answer->count;
    struct record_event b;
    struct record_moment at = {.tick = ticks_now(), .pc = cpu->rip};
    if (!record_build(&b, EVENT_CLOCK, &at))
        return;
    *(struct event_clock *)b.at = (struct event_clock){.source = (u16)source, .count = count};
    u64 *to = (u64 *)(b.at + sizeof(struct event_clock));
    for (u32 n = 0; n < count; n++)
        to[n] = values[n];
    b.at = (u8 *)(to + count);
    record_publish(&b);
}

/* The first piece begins an event of shared memory. */
static bool begin_shared(bool in_call)
{
    struct record_moment at = record_now();
    if (in_call) {
        at.pc -= SYSCALL_LENGTH;
        at.hash = 0; /* the call's own event has it */
    }
    if (!record_build(&record.shared, EVENT_SHARED, &at))
        return false;
    struct event_shared payload = {.where = in_call ? SHARED_IN_CALL : SHARED_AT_BOUNDARY};
    struct event_shared *placed = record_add(&record.shared, &payload, sizeof(payload));
    record.shared.flags = (u16 *)&placed->flags;
    record.shared_open = true;
    return true;
}

static void record_shared(bool in_call, u32 kind, u64 at, const void *bytes, u64 size)
{
    if (record.shared_open || begin_shared(in_call))
        record_piece(&record.shared, kind, at, bytes, size);
}

static void record_shared_end(void)
{
    if (record.shared_open)
        record_publish(&record.shared);
    record.shared_open = false;
}

static void record_segment(const struct log_segment *segment)
{
    static const u8 zeros[4096];
    static u8 page[4096];
    u64 at = segment->address, size = segment->size, facts[] = {size, segment->id};
    share_update(); /* no other process writes it while it is logged */
    share_outside_segment(segment->id, segment->changed);
    record_shared(true, PIECE_SEGMENT, at, facts, sizeof(facts));
    for (u64 done = 0; done < size; done += sizeof(page))
        if (guest_read(page, gaddr(at + done), sizeof(page)) && memcmp(page, zeros, sizeof(page)))
            record_shared(true, PIECE_MEMORY, at + done, page, sizeof(page));
    record_shared_end();
}

/* The moment is that of the thread that stopped: no tick has passed since. Its registers are no
 * longer available. */
static void record_switch(const struct log_switch *out, const struct thread *to)
{
    struct record_event b;
    if (!out->pc)
        record_note(NOTE_LIMIT, "a process that shares memory was killed, and what it wrote last is"
                                " not known");
    struct record_moment at = {.tick = ticks_now(), .pc = out->pc, .time = record_tsc()};
    if (!record_build(&b, EVENT_SWITCH, &at))
        return;
    b.event->thread = (u16)out->ordinal;
    struct event_switch payload = {(u16)to->ordinal, (u16)out->reason, to->tid};
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
}

static void record_vfork(u64 flags)
{
    struct record_event b;
    struct record_moment at = record_now();
    if (!record_build(&b, EVENT_FORK, &at))
        return;
    struct event_fork payload = {.pid = 0, .flags = (u32)flags};
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
}

static void open_forked(u64 parent_tick, u64 parent_pc)
{
    struct track_origin_info origin = {TRACK_FORKED, track.number, parent_tick, parent_pc};
    u64 met = ring.met;
    track_close();
    if (record.gone || !track_open(&origin)) {
        record.gone = true;
        return;
    }
    record_open_ring();
    struct record_moment at = {parent_tick, parent_pc, 0, record_tsc()};
    struct record_event b;
    if (record_build_start(&b, &at)) /* the rest is in its parent's */
        record_publish(&b);
    ring.met = met; /* a replay does not meet that one */
    if (observer.snapshot)
        observer.snapshot(SNAPSHOT_FORKED);
}

static void record_forks(void)
{
    share_fork_begins();
    if (observer.snapshot)
        observer.snapshot(SNAPSHOT_FORKS);
}

static void record_forked(u64 parent_tick, u64 parent_pc)
{
    open_forked(parent_tick, parent_pc);
    share_forked();
}

static void record_exec(void)
{
    struct record_event b;
    struct record_moment at = record_now();
    at.pc -= SYSCALL_LENGTH;
    if (!record_build(&b, EVENT_EXEC, &at))
        return;
    struct event_exec payload = {0};
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
}

/* The next image is recorded as well, and is told where it comes from. */
static void record_describe_exec(struct text *next)
{
    if (record.gone)
        return;
    text_add(next, next->length ? ",record=" : "record=");
    text_add_signed(next, track_shared_socket());
    text_add(next, ",parent=");
    text_add_unsigned(next, track.number + 1ul);
    text_add(next, ",parenttick=");
    text_add_unsigned(next, ticks_now());
    text_add(next, ",parentpc=");
    text_add_unsigned(next, cpu->rip - SYSCALL_LENGTH);
    if (share_group_descriptor() >= 0) {
        text_add(next, ",share=");
        text_add_signed(next, share_group_descriptor());
    }
}

/* As often as requested, unless memory is so large that hashing it would take most of the time. */
static u64 ticks_to_next_check(const struct digest_extent *extent)
{
    enum { BYTES_PER_TICK = 64, LOOKS_PER_READ = 256 };
    u64 least = (extent->read + extent->bytes / LOOKS_PER_READ) / BYTES_PER_TICK;
    return settings.check > least ? settings.check : least;
}

bool record_save_position(struct replay_position *ret)
{
    enum { K_RLIMIT_STACK = 3 };
    u64 limit[2] = {0, 0};
    kernel_call(__NR_prlimit64, 0, K_RLIMIT_STACK, NULL, limit);
    *ret = (struct replay_position){.events_met = ring.met, .stack_limit = limit[0]};
    memcpy(ret->limit, record.limit, sizeof(ret->limit));
    return !record.gone && !record.shared_open &&
           (ring.event_tick != ticks_now() || ring.event_pc != cpu->rip);
}

void record_ask_snapshot_in(u64 ns)
{
    enum { EAGER_NS = 2000000 }; /* shorter than a grant: every boundary is checked */
    u64 most = 3600ul * NANOSECONDS, wait = ns < most ? ns : most;
    record.snapshot_time = record_tsc() + wait / 1000 * (record.frequency / 1000) / 1000;
    record.snapshot_due = false;
    record.snapshot_eager = ns < EAGER_NS;
}

static void record_boundary(void)
{
    struct digest_extent extent;
    struct record_event b;
    visits_boundary();
    if (record.snapshot_due || (record.snapshot_eager && record_tsc() >= record.snapshot_time))
        observer.snapshot(SNAPSHOT_AT_BOUNDARY);
    if (!settings.check || ticks_now() < record.next_check)
        return;
    struct record_moment at = record_now();
    struct event_check payload = {.vector = digest_vectors(), .memory = digest_memory(&extent)};
    payload.bytes = extent.bytes;
    record.next_check = ticks_now() + ticks_to_next_check(&extent);
    if (!record_build(&b, EVENT_CHECK, &at))
        return;
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
}

/* The program has written where natively nothing is mapped. What that changed is unknown. */
static void record_damage(bool all)
{
    const char *where = record.damage_noted ? NULL : observer.damage(all);
    char line[128];
    struct text t = TEXT(line);
    if (!where)
        return;
    record.damage_noted = true;
    text_add(&t, "the program wrote into the memory of ebb's engine, ");
    text_add(&t, where);
    record_note(NOTE_LIMIT, line);
}

/* Tells the recorder the position, in case the process is killed. So a grant takes a few
 * milliseconds: it has fewer ticks where a tick takes long. */
static u64 record_runs_on(void)
{
    enum { LEAST = 1 << 17, MOST = 1 << 24 };
    u64 now = record_tsc(), passed = now - record.here_time, millisecond = record.frequency / 1000;
    if (passed > 5 * millisecond)
        record.grant /= 2;
    else if (passed < 2 * millisecond)
        record.grant *= 2;
    record.grant = record.grant < LEAST ? LEAST : record.grant > MOST ? MOST : record.grant;
    record.here_time = now;
    record.snapshot_due = observer.snapshot && now >= record.snapshot_time;
    record_damage(false);
    struct ring_here here = {.tick = ticks_now(), .pc = cpu->rip, .hash = digest_registers(),
                             .thread = thread_self()->ordinal};
    if (!record.gone)
        ring_say_here(track.ring, record.here_turn++, here);
    return record.grant;
}

static void log_end(int status, int signal)
{
    struct record_event b;
    if (observer.damage)
        record_damage(true);
    struct record_moment at = record_now();
    if (!record_build(&b, EVENT_END, &at))
        return;
    struct event_end payload = {.status = (u32)status & 0xff, .signal = (u32)signal,
                                .core = signals_dump_core(signal)};
    record_add(&b, &payload, sizeof(payload));
    record_publish(&b);
    ring_finish(&ring.producer, &track_host);
    record.gone = true;
}

/* The log of a child of vfork belongs to its parent. */
static void record_end(int status, int signal)
{
    if (thread_self()->in_vfork)
        return;
    if (!signal && observer.snapshot)
        observer.snapshot(SNAPSHOT_BEFORE_EXIT);
    log_end(status, signal);
    share_leave();
    visits_leave();
}

static bool record_name_shared(u64 *id)
{
    *id = share_group_nameless();
    return true;
}

static void record_rests(void)
{
    share_give();
    visits_rests();
}

static void record_runs(bool in_call)
{
    share_take(in_call);
    visits_runs(in_call);
}

const struct log_owner log_record = {
    .live = true,
    .owns_clocks = true,
    .sees_end = true,
    .sees_stores = true,
    .sees_bytes = true,
    .lends = true,
    .start = record_start,
    .call_begins = record_call_begins,
    .call_ends = record_call_ends,
    .pass = record_pass,
    .pass_now = unrecorded_pass_now,
    .wrote = record_write,
    .reached = record_reached,
    .entered = record_entry,
    .signal = record_signal,
    .switched = record_switch,
    .rests = record_rests,
    .runs = record_runs,
    .forks = record_forks,
    .made = share_group_made,
    .forked = record_forked,
    .vforked = record_vfork,
    .vfork_killed = record_killed,
    .execs = record_exec,
    .describe_exec = record_describe_exec,
    .ends = record_end,
    .file_mapped = record_map,
    .segment_attached = record_segment,
    .name_shared = record_name_shared,
    .write_fault = share_fault,
    .release = share_release,
    .opened = share_opened,
    .shared = record_shared,
    .shared_end = record_shared_end,
    .clock_asked = record_clock,
    .boundary = record_boundary,
    .runs_on = record_runs_on,
    .note = record_note,
};
