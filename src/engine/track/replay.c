/* Replaying: see replay.h.
 *
 * Invariants
 *   (1) `next` is the first event that was not met yet.
 *   (2) An event is met at its moment, with the registers that it was recorded with.
 */
#include "engine/track/replay.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapped_file.h"
#include "engine/memory/mapping.h"
#include "engine/memory/pending.h"
#include "engine/threads/thread.h"
#include "engine/track/digest.h"
#include "engine/track/event_source.h"
#include "engine/track/replay_internal.h"
#include "engine/track/replay_output.h"
#include "engine/track/replay_spawn.h"
#include "engine/track/track.h"
#include "engine/x86_64/cpu.h"
#include "log/control.h"

struct replay_state replay;

/* --- verdicts -------------------------------------------------------------------------- */

static const u32 stop_reasons[] = {
    [CHANNEL_REPRODUCED] = STOPPED_END,
    [CHANNEL_DIVERGED] = STOPPED_DIVERGED,
    [CHANNEL_UNABLE] = STOPPED_UNABLE,
    [CHANNEL_STATE_DIFFERS] = STOPPED_DIVERGED,
};

/* A difference is always a divergence; but after such a limit was noted, the limit may be its
 * cause. */
static const char *with_limit(u32 verdict, const char *happened)
{
    static char line[CHANNEL_VERDICT_TEXT];
    struct text t = TEXT(line);
    if (verdict != CHANNEL_DIVERGED || !replay.limit[0])
        return happened;
    text_add(&t, happened);
    text_add(&t, " (the recording says: ");
    text_add(&t, replay.limit);
    text_add(&t, ")");
    return line;
}

/* The program overwrote the engine's memory, so the comparison cannot be trusted. */
static bool is_damaged(struct text *ret)
{
    const char *where = observer.damage ? observer.damage(true) : NULL;
    if (!where)
        return false;
    text_add(ret, "the program wrote into the memory of ebb's engine, ");
    text_add(ret, where);
    return true;
}

_Noreturn void replay_conclude(u32 verdict, const char *recorded, const char *happened)
{
    char line[128];
    struct text damage = TEXT(line);
    if (verdict == CHANNEL_REPRODUCED && is_damaged(&damage)) {
        verdict = CHANNEL_DIVERGED;
        happened = line;
    }
    happened = with_limit(verdict, happened);
    if (observer.concluded)
        observer.concluded(stop_reasons[verdict], replay.events_met, recorded, happened);
    static struct channel_verdict v;
    v = (struct channel_verdict){
        .message = {CHANNEL_VERDICT, sizeof(v)},
        .verdict = verdict,
        .event = replay.events_met,
        .tick = cpu ? ticks_now() : 0,
        .pc = cpu ? cpu->rip : 0,
    };
    struct text r = TEXT(v.recorded), h = TEXT(v.happened);
    text_add(&r, recorded);
    text_add(&h, happened);
    track_send(&v.message, -1);
    if (cpu)
        stats_print();
    for (;;)
        kernel_call(__NR_exit_group, verdict == CHANNEL_REPRODUCED ? 0 : CHANNEL_EXIT_DIVERGED);
}

_Noreturn void replay_unable(const char *why)
{
    replay_conclude(CHANNEL_UNABLE, "", why);
}

_Noreturn void replay_end_interval(const char *difference)
{
    if (difference)
        replay_conclude(CHANNEL_STATE_DIFFERS, "a snapshot", difference);
    replay_conclude(CHANNEL_REPRODUCED, "", "");
}

u64 replay_events_met(void)
{
    return replay.events_met;
}

static const char *kind_name(u16 kind)
{
    static const char *const names[] = {
        [EVENT_START] = "the start", [EVENT_SYSCALL] = "a system call", [EVENT_DATA] = "data",
        [EVENT_SIGNAL] = "a signal", [EVENT_CLOCK] = "a clock", [EVENT_MAP] = "a mapped file",
        [EVENT_SWITCH] = "a thread switch", [EVENT_CHECK] = "a check", [EVENT_NOTE] = "a note",
        [EVENT_FORK] = "a fork", [EVENT_EXEC] = "an exec", [EVENT_END] = "the end",
        [EVENT_SHARED] = "changed shared memory",
        [EVENT_ENTRY] = "the first instruction",
        [EVENT_TRIMMED] = "the beginning of what was kept",
    };
    return kind < countof(names) && names[kind] ? names[kind] : "an unknown event";
}

static void replay_describe(struct text *t, const struct event *e)
{
    text_add(t, kind_name(e->kind));
    if (e->kind == EVENT_SYSCALL) {
        text_add(t, " number ");
        text_add_unsigned(t, ((const struct event_syscall *)e->payload)->number);
    }
    if (e->kind == EVENT_SIGNAL) {
        text_add(t, " ");
        text_add_unsigned(t, ((const struct event_signal *)e->payload)->signal);
    }
    text_add(t, " at tick ");
    text_add_unsigned(t, e->tick);
    text_add(t, ", pc 0x");
    text_add_hex(t, e->pc);
}

_Noreturn void replay_diverge(const struct event *e, const char *happened)
{
    char recorded[256];
    struct text t = TEXT(recorded);
    replay_describe(&t, e);
    replay_conclude(CHANNEL_DIVERGED, recorded, happened);
}

_Noreturn void replay_diverge_number(const struct event *e, const char *happened, u64 number)
{
    char line[256];
    struct text t = TEXT(line);
    text_add(&t, happened);
    text_add(&t, " 0x");
    text_add_hex(&t, number);
    replay_diverge(e, line);
}

/* --- events ------------------------------------------------------------------------------ */

static void replay_take_note(const struct event_note *note)
{
    if (note->level == NOTE_QUIET || note->level == NOTE_SHOWN)
        output_quiet(note->level == NOTE_QUIET);
    if (note->level == NOTE_LIMIT && note->size < sizeof(replay.limit)) {
        memcpy(replay.limit, note + 1, note->size);
        replay.limit[note->size] = 0;
    }
}

/* An EXEC is the last event, or that of a child of vfork, or of an exec that failed. */
static bool is_by_the_way(const struct event *e)
{
    return e->kind == EVENT_NOTE || (e->kind & EVENT_OPTIONAL) || e->kind == EVENT_TRIMMED ||
           (e->kind == EVENT_EXEC && !event_source_is_last(e));
}

/* Returns the next event that the replay must meet: NULL at the end of the log. */
const struct event *replay_next(void)
{
    const struct event *e;
    while ((e = event_source_peek()) && is_by_the_way(e)) {
        if (e->kind == EVENT_NOTE)
            replay_take_note((const struct event_note *)e->payload);
        event_source_advance(e);
    }
    return e;
}

/* Events whose moment is compared with the guest's before they are met. */
static bool has_moment(u16 kind)
{
    return kind == EVENT_SIGNAL || kind == EVENT_CLOCK || kind == EVENT_CHECK ||
           kind == EVENT_SWITCH || kind == EVENT_END;
}

void replay_met(const struct event *e)
{
    invariant(1, e == event_source_peek());
    invariant(2, !has_moment(e->kind) || e->tick == ticks_now());
    assert(e->size % EVENT_ALIGN == 0 && e->size <= EVENT_SIZE_MOST);
    replay.events_met++;
    event_source_advance(e);
}

/* The fault was expected: the program raised it itself. */
void replay_met_fault(const struct event *e)
{
    event_source_advance(e);
}

const struct event *replay_next_or_end(void)
{
    const struct event *e = replay_next();
    if (!e)
        replay_conclude(event_source_damaged() ? CHANNEL_UNABLE : CHANNEL_REPRODUCED,
                        "the end of the log", "");
    return e;
}

void replay_expect_state(const struct event *e, u64 pc)
{
    if (e->tick != ticks_now())
        replay_diverge_number(e, "the tick is", ticks_now());
    if (e->pc != pc)
        replay_diverge_number(e, "the pc is", pc);
    if (e->hash && e->hash != digest_registers())
        replay_diverge(e, "registers differ");
}

/* --- pieces -------------------------------------------------------------------------------- */

/* A piece may be a little larger than what was written: bytes that could not be written have not
 * changed. */
static bool replay_is_there(u64 address, const u8 *bytes, u64 size)
{
    u8 now[64];
    while (size) {
        u64 part = size < sizeof(now) ? size : sizeof(now);
        if (!guest_read(now, gaddr(address), part) || memcmp(now, bytes, part))
            return false;
        address += part;
        bytes += part;
        size -= part;
    }
    return true;
}

/* Writes through /proc/self/mem, as the program did: this way read-only pages can be written. */
static bool write_forced(u64 address, const u8 *bytes, u64 size)
{
    i64 fd = kernel_call(__NR_open, "/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (kernel_failed(fd))
        return false;
    code_watch_changed(address, address + size);
    pending_fill(address, address + size);
    i64 written = kernel_call(__NR_pwrite64, fd, bytes, size, address);
    kernel_call(__NR_close, fd);
    return written == (i64)size;
}

void replay_apply_pieces(const u8 *at, const u8 *end)
{
    while ((u64)(end - at) >= sizeof(struct event_piece)) {
        const struct event_piece *piece = (const struct event_piece *)at;
        at += sizeof(*piece);
        if (piece->kind == PIECE_FILE_SIZE && piece->size >= sizeof(u64))
            mapped_file_resize(piece->address, *(const u64 *)at,
                               ((const u64 *)at)[piece->size > sizeof(u64) ? 1 : 0]);
        if (piece->kind == PIECE_MEMORY && piece->size &&
            !address_refused(piece->address, piece->size) &&
            !guest_write(gaddr(piece->address), at, piece->size) &&
            !replay_is_there(piece->address, at, piece->size) &&
            !mapped_file_write(piece->address, at, piece->size) &&
            !write_forced(piece->address, at, piece->size))
            replay_conclude(CHANNEL_DIVERGED, "memory that a system call wrote",
                            "it cannot be written");
        at += format_padded(piece->size);
    }
    assert(at == end);
}

const u8 *replay_event_end(const struct event *e)
{
    return (const u8 *)e + e->size;
}

/* DATA events continue what did not fit. */
void replay_apply_data(bool more)
{
    while (more) {
        const struct event *e = replay_next_or_end();
        if (e->kind != EVENT_DATA)
            replay_diverge(e, "more data was to come");
        const struct event_data *data = (const struct event_data *)e->payload;
        more = data->flags & EVENT_MORE;
        replay_apply_pieces(e->payload + sizeof(*data), replay_event_end(e));
        replay_met(e);
    }
}

/* --- children of vfork, and the end --------------------------------------------------- */

bool replay_vfork_begins(void)
{
    const struct event *e = replay_next_or_end();
    if (e->kind != EVENT_FORK)
        return false;
    replay_met(e);
    return true;
}

bool replay_vfork_ends(u64 tick, u64 pc)
{
    const struct event *e = replay_next_or_end();
    return e->kind == EVENT_SYSCALL && e->tick == tick && e->pc == pc;
}

void replay_end(int status, int signal)
{
    replay_child_dies();
    const struct event *e = replay_next_or_end();
    const struct event_end *end = (const struct event_end *)e->payload;
    if (e->kind != EVENT_END)
        replay_diverge_number(e, "the program ended with status", (u64)status);
    replay_expect_state(e, cpu->rip);
    if (end->status != ((u32)status & 0xff) || end->signal != (u32)signal)
        replay_diverge_number(e, "the program ended with status", (u64)status << 8 | (u64)signal);
    if (observer.ended)
        observer.ended(end);
    replay_met(e);
    replay_conclude(CHANNEL_REPRODUCED, "", "");
}

const struct log_owner log_replay = {
    .owns_clocks = true,
    .start = replay_start,
    .entered = replay_entered,
    .signal = replay_signal,
    .call_begins = replay_call_begins,
    .call_ends = replay_call_ends,
    .call_returns = replay_call_returns,
    .pass = replay_pass,
    .pass_now = replay_pass,
    .answered = replay_answered,
    .stack_fault = replay_stack_fault,
    .fault = replay_fault,
    .wait_ended = replay_wait_ended,
    .thread_ended = replay_leave,
    .spawned = replay_spawned,
    .ends = replay_end,
    .file_to_map = replay_map,
    .segment_to_attach = replay_segment,
    .clock_known = replay_clock,
    .outside_due = replay_outside_due,
    .signal_due = replay_signal_due,
    .meet = replay_meet,
    .execs_now = replay_execs_now,
    .events_met = replay_events_met,
    .unable = replay_unable,
};
