/* Replaying: see replay.h.
 *
 * Invariants
 *   (1) `next` is the event that has not been met yet, and everything before it was met.
 *   (2) An event is met at its moment, with the registers that it was recorded with.
 */
#include "engine/track/replay.h"

#include "engine/base/kernel.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/stats.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/memory/file_names.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapped_file.h"
#include "engine/memory/mapping.h"
#include "engine/plan/controlled.h"
#include "engine/plan/plan.h"
#include "engine/run/code_watch.h"
#include "engine/run/goal.h"
#include "engine/run/ticks.h"
#include "engine/signals/signals.h"
#include "engine/threads/process.h"
#include "engine/threads/thread.h"
#include "engine/track/digest.h"
#include "engine/track/event_source.h"
#include "engine/track/replay_branch.h"
#include "engine/track/replay_output.h"
#include "engine/track/replay_threads.h"
#include "engine/track/track.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"
#include "log/syscall_table.h"

enum { STRINGS_MOST = 1 << 21 }; /* more than fit in what execve takes, by far */

static u64 events_met;

/* --- verdicts -------------------------------------------------------------------------- */

static char limit[256]; /* what the recorder said it could not catch */

static const u32 stop_reasons[] = {
    [CHANNEL_REPRODUCED] = STOPPED_END,
    [CHANNEL_DIVERGED] = STOPPED_DIVERGED,
    [CHANNEL_UNABLE] = STOPPED_UNABLE,
};

/* A difference is one whatever was said before; but behind such a limit it may come from there. */
static const char *with_limit(u32 verdict, const char *happened)
{
    static char line[CHANNEL_VERDICT_TEXT];
    struct text t = TEXT(line);
    if (verdict != CHANNEL_DIVERGED || !limit[0])
        return happened;
    text_add(&t, happened);
    text_add(&t, " (the recording says: ");
    text_add(&t, limit);
    text_add(&t, ")");
    return line;
}

static _Noreturn void replay_conclude(u32 verdict, const char *recorded, const char *happened)
{
    happened = with_limit(verdict, happened);
    if (control_on)
        control_conclude(stop_reasons[verdict], events_met, recorded, happened);
    static struct channel_verdict v;
    v = (struct channel_verdict){
        .message = {CHANNEL_VERDICT, sizeof(v)},
        .verdict = verdict,
        .event = events_met,
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

u64 replay_events_met(void)
{
    return events_met;
}

static const char *kind_name(u16 kind)
{
    static const char *const names[] = {
        [EVENT_START] = "the start", [EVENT_SYSCALL] = "a system call", [EVENT_DATA] = "data",
        [EVENT_SIGNAL] = "a signal", [EVENT_CLOCK] = "a clock", [EVENT_MAP] = "a mapped file",
        [EVENT_SWITCH] = "a thread switch", [EVENT_CHECK] = "a check", [EVENT_NOTE] = "a note",
        [EVENT_FORK] = "a fork", [EVENT_EXEC] = "an exec", [EVENT_END] = "the end",
        [EVENT_SHARED] = "changed shared memory",
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

static _Noreturn void diverge(const struct event *e, const char *happened)
{
    char recorded[256];
    struct text t = TEXT(recorded);
    replay_describe(&t, e);
    replay_conclude(CHANNEL_DIVERGED, recorded, happened);
}

static _Noreturn void diverge_number(const struct event *e, const char *happened, u64 number)
{
    char line[256];
    struct text t = TEXT(line);
    text_add(&t, happened);
    text_add(&t, " 0x");
    text_add_hex(&t, number);
    diverge(e, line);
}

/* --- events ------------------------------------------------------------------------------ */

static void replay_take_note(const struct event_note *note)
{
    if (note->level == NOTE_QUIET || note->level == NOTE_SHOWN)
        output_quiet(note->level == NOTE_QUIET);
    if (note->level == NOTE_LIMIT && note->size < sizeof(limit)) {
        memcpy(limit, note + 1, note->size);
        limit[note->size] = 0;
    }
}

/* An EXEC is the last event, or that of a child of vfork, or came to nothing. */
static bool is_by_the_way(const struct event *e)
{
    return e->kind == EVENT_NOTE || (e->kind == EVENT_EXEC && !event_source_is_last(e));
}

/* The next event that replay must meet: NULL at the end of the log. */
static const struct event *next(void)
{
    const struct event *e;
    while ((e = event_source_peek()) && is_by_the_way(e)) {
        if (e->kind == EVENT_NOTE)
            replay_take_note((const struct event_note *)e->payload);
        event_source_advance(e);
    }
    return e;
}

static void met(const struct event *e)
{
    events_met++;
    event_source_advance(e);
}

static const struct event *next_or_end(void)
{
    const struct event *e = next();
    if (!e)
        replay_conclude(event_source_damaged() ? CHANNEL_UNABLE : CHANNEL_REPRODUCED,
                        "the end of the log", "");
    return e;
}

static void expect_state(const struct event *e, u64 pc)
{
    if (e->tick != ticks_now())
        diverge_number(e, "the tick is", ticks_now());
    if (e->pc != pc)
        diverge_number(e, "the pc is", pc);
    if (e->hash && e->hash != digest_registers())
        diverge(e, "registers differ");
}

/* --- pieces -------------------------------------------------------------------------------- */

/* A piece may be a little more than what was written: what could not be written has not changed. */
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

/* Through /proc/self/mem, as the program did: that way pages can be written that it may only read. */
static bool write_forced(u64 address, const u8 *bytes, u64 size)
{
    i64 fd = kernel_call(__NR_open, "/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (kernel_failed(fd))
        return false;
    code_watch_changed(address, address + size);
    i64 written = kernel_call(__NR_pwrite64, fd, bytes, size, address);
    kernel_call(__NR_close, fd);
    return written == (i64)size;
}

static void apply_pieces(const u8 *at, const u8 *end)
{
    while ((u64)(end - at) >= sizeof(struct event_piece)) {
        const struct event_piece *piece = (const struct event_piece *)at;
        at += sizeof(*piece);
        if (piece->kind == PIECE_FILE_SIZE && piece->size == sizeof(u64))
            mapped_file_resize(piece->address, *(const u64 *)at);
        if (piece->kind == PIECE_MEMORY && piece->size &&
            !guest_write(gaddr(piece->address), at, piece->size) &&
            !replay_is_there(piece->address, at, piece->size) &&
            !mapped_file_write(piece->address, at, piece->size) &&
            !write_forced(piece->address, at, piece->size))
            replay_conclude(CHANNEL_DIVERGED, "memory that a system call wrote",
                            "it cannot be written");
        at += format_padded(piece->size);
    }
}

static const u8 *event_end_of(const struct event *e)
{
    return (const u8 *)e + e->size;
}

/* DATA events carry on what did not fit. */
static void apply_data(bool more)
{
    while (more) {
        const struct event *e = next_or_end();
        if (e->kind != EVENT_DATA)
            diverge(e, "more data was to come");
        const struct event_data *data = (const struct event_data *)e->payload;
        more = data->flags & EVENT_MORE;
        apply_pieces(e->payload + sizeof(*data), event_end_of(e));
        met(e);
    }
}

/* --- the start -------------------------------------------------------------------------------- */

static struct start {
    char path[4096];
    u64 path_size;
    char *strings[2][STRINGS_MOST]; /* arguments, environment */
    u64 count[2];
    u64 begun[2]; /* bytes of the last string so far, if its end is in another piece */
    u64 auxv[128];
    u64 auxv_size;
    u64 random[2];
    u64 random_size;
    u64 cpu[2];    /* the features that were shown, the mask of mxcsr */
    u64 cpu_size;
    u64 layout[3]; /* limit of the stack, signals ignored, signals blocked */
    u64 layout_size;
} *start;

static void replay_add_strings(unsigned list, const char *bytes, u64 size)
{
    u64 begun = start->begun[list], all = begun + size;
    char *copy = pool_take(all + 1);
    if (begun)
        memcpy(copy, start->strings[list][--start->count[list]], begun);
    memcpy(copy + begun, bytes, size);
    copy[all] = 0;
    for (u64 at = 0, length; at < all; at += length + 1) {
        if (start->count[list] == STRINGS_MOST - 1)
            replay_unable("there are too many arguments");
        length = strlen(copy + at);
        start->strings[list][start->count[list]++] = copy + at;
        start->begun[list] = at + length == all ? length : 0;
    }
}

/* What was too long for the rest of an event comes in several pieces. */
static void replay_add_bytes(void *to, u64 room, u64 *size, const u8 *bytes, u64 more)
{
    if (more > room - *size)
        more = room - *size;
    memcpy((u8 *)to + *size, bytes, more);
    *size += more;
}

static void take_start_piece(const struct event_piece *piece, const u8 *bytes)
{
    switch (piece->kind) {
    case PIECE_PATH:
        replay_add_bytes(start->path, sizeof(start->path) - 1, &start->path_size, bytes,
                         piece->size);
        break;
    case PIECE_ARGUMENTS:
        replay_add_strings(0, (const char *)bytes, piece->size);
        break;
    case PIECE_ENVIRONMENT:
        replay_add_strings(1, (const char *)bytes, piece->size);
        break;
    case PIECE_AUXV:
        replay_add_bytes(start->auxv, sizeof(start->auxv), &start->auxv_size, bytes, piece->size);
        break;
    case PIECE_RANDOM:
        replay_add_bytes(start->random, sizeof(start->random), &start->random_size, bytes,
                         piece->size);
        break;
    case PIECE_CPU:
        replay_add_bytes(start->cpu, sizeof(start->cpu), &start->cpu_size, bytes, piece->size);
        break;
    case PIECE_LAYOUT:
        replay_add_bytes(start->layout, sizeof(start->layout), &start->layout_size, bytes,
                         piece->size);
        break;
    default:
        break;
    }
}

static void take_start_pieces(const u8 *at, const u8 *end)
{
    while ((u64)(end - at) >= sizeof(struct event_piece)) {
        const struct event_piece *piece = (const struct event_piece *)at;
        take_start_piece(piece, at + sizeof(*piece));
        at += sizeof(*piece) + format_padded(piece->size);
    }
}

static void replay_take_start(void)
{
    const struct event *e = next();
    if (!e || e->kind != EVENT_START)
        replay_unable("the log does not begin with a start");
    const struct event_start *s = (const struct event_start *)e->payload;
    bool more = s->flags & EVENT_MORE;
    take_start_pieces(e->payload + sizeof(*s), event_end_of(e));
    met(e);
    while (more) {
        e = next();
        if (!e || e->kind != EVENT_DATA)
            replay_unable("the start is not whole");
        const struct event_data *data = (const struct event_data *)e->payload;
        more = data->flags & EVENT_MORE;
        take_start_pieces(e->payload + sizeof(*data), event_end_of(e));
        met(e);
    }
}

/* Pointers of the recorded vector that the loader follows are to what is here. */
static void mend_auxv(const u64 *ours)
{
    u64 vdso = 0;
    for (; *ours != AT_NULL; ours += 2)
        if (*ours == AT_SYSINFO_EHDR)
            vdso = ours[1];
    for (u64 *auxv = start->auxv; *auxv != AT_NULL; auxv += 2) {
        if (*auxv == AT_RANDOM)
            auxv[1] = (u64)start->random;
        if (*auxv == AT_SYSINFO_EHDR)
            auxv[1] = vdso;
    }
}

/* As the kernel does at execve: the end of the path. */
static void replay_name_thread(const char *path)
{
    const char *name = path;
    for (const char *at; (at = text_find(name, '/'));)
        name = at + 1;
    struct text t = TEXT(thread_self()->name);
    text_add(&t, name);
}

void replay_start(struct loader_request *request, struct signals_inherited *inherited)
{
    struct track_origin_info origin = {.origin = TRACK_FIRST, .parent = TRACK_NONE};
    if (!track_open(&origin))
        engine_refuse(CHANNEL_EXIT_OURS, "replay", "there is nobody to replay for");
    event_source_start();
    start = pool_map(sizeof(*start), 4096);
    replay_take_start();
    mend_auxv(request->auxv);
    if (start->cpu_size)
        vector_limit(start->cpu[0], (u32)start->cpu[1]);
    request->path = start->path;
    request->argv = start->strings[0];
    request->envp = start->strings[1];
    request->auxv = start->auxv;
    request->stack_limit = start->layout[0];
    *inherited = (struct signals_inherited){start->layout[1], start->layout[2]};
    goal.check = replay_boundary;
    if (track_events)
        control_start();
    if (track_in_tree)
        branch_start();
    replay_name_thread(start->path);
    output_start();
}

/* --- threads ----------------------------------------------------------------------------------- */

/* The log goes on with another thread: so do we, until it comes back to this one. */
static void switch_thread(const struct event *e)
{
    const struct event_switch *s = (const struct event_switch *)e->payload;
    if (e->thread != thread_self()->ordinal || e->tick != ticks_now() || e->pc != cpu->rip)
        diverge_number(e, "another thread, or at another moment: the pc is", cpu->rip);
    u32 to = s->to;
    met(e);
    replay_switch_to(to);
}

/* What the engine wrote into guest memory on its own account. */
static void write_data(const struct event *e)
{
    apply_pieces(e->payload + sizeof(struct event_data), event_end_of(e));
    met(e);
}

/* Events that come from outside; a switch in a call is met by that call. */
static bool from_outside(const struct event *e)
{
    if (e->kind == EVENT_SWITCH)
        return ((const struct event_switch *)e->payload)->reason == SWITCH_SLICE;
    if (e->kind == EVENT_SHARED)
        return ((const struct event_shared *)e->payload)->where == SHARED_AT_BOUNDARY;
    return e->kind == EVENT_SIGNAL || e->kind == EVENT_CHECK;
}

/* In a call, the guest stands behind its instruction. */
static bool is_switch_in_call(const struct event *e)
{
    return e->kind == EVENT_SWITCH && e->pc == cpu->rip;
}

/* What other processes wrote into memory that was theirs too. */
static void write_shared(const struct event *e)
{
    const struct event_shared *s = (const struct event_shared *)e->payload;
    bool more = s->flags & EVENT_MORE;
    if (e->thread != thread_self()->ordinal || e->tick != ticks_now())
        diverge_number(e, "another thread, or at another tick:", ticks_now());
    apply_pieces(e->payload + sizeof(*s), event_end_of(e));
    met(e);
    apply_data(more);
}

/* The next event, after all that other threads and processes did in between. */
static const struct event *next_of_this_thread(void)
{
    for (;;) {
        const struct event *e = next_or_end();
        if (is_switch_in_call(e))
            switch_thread(e);
        else if (e->kind == EVENT_DATA)
            write_data(e);
        else if (e->kind == EVENT_SHARED && !from_outside(e))
            write_shared(e);
        else
            return e;
    }
}

_Noreturn void replay_leave(void)
{
    const struct event *e;
    while ((e = next_or_end())->kind == EVENT_DATA)
        write_data(e);
    if (e->kind != EVENT_SWITCH)
        diverge(e, "a thread ended");
    switch_thread(e);
    replay_unable("the log switches to a thread that has ended");
}

/* --- system calls ------------------------------------------------------------------------------- */

static struct {
    struct call call;
    bool fed;
} current;

static _Noreturn void diverge_call(const struct event *e, const struct call *call)
{
    diverge_number(e, "the program made system call", call->number);
}

/* The program goes on in another track. */
static _Noreturn void become_another(const struct event *e)
{
    expect_state(e, cpu->rip - SYSCALL_LENGTH);
    met(e);
    replay_conclude(CHANNEL_REPRODUCED, "", "");
}

bool replay_call_begin(const struct call *call)
{
    const struct event *e = next_or_end();
    current.call = *call;
    current.fed = false;
    /* Parts of the call that is being made; it is held against its event when that comes. */
    if (e->kind == EVENT_MAP || e->kind == EVENT_FORK || e->kind == EVENT_SWITCH ||
        e->kind == EVENT_DATA || e->kind == EVENT_SHARED)
        return true;
    if (e->kind == EVENT_END && syscall_has(call->number, EFFECT_EXITS)) /* replay_end() looks at it */
        return true;
    if (e->kind == EVENT_EXEC && syscall_has(call->number, EFFECT_EXECS))
        become_another(e);
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    if (e->kind != EVENT_SYSCALL || s->number != call->number)
        diverge_call(e, call);
    expect_state(e, cpu->rip - SYSCALL_LENGTH);
    return s->result >= 0 || !syscall_has(call->number, EFFECT_WHOLE);
}

/* The event of the call that is being made. */
static const struct event *call_event(void)
{
    struct call call = current.call; /* others make calls meanwhile */
    const struct event *e = next_of_this_thread();
    current.call = call;
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    if (e->kind != EVENT_SYSCALL || s->number != current.call.number)
        diverge_call(e, &current.call);
    return e;
}

/* How far the stack may grow is between the kernel and the program, also in a replay. */
static void repeat_limit(const struct call *call)
{
    enum { K_RLIMIT_STACK = 3 };
    const struct call_arg *arg = syscall_row_of(call->number)->args;
    u32 n = 0;
    while (arg[n].show != SHOW_RESOURCE)
        n++;
    if (call->args[n] == K_RLIMIT_STACK && call->args[n + 1])
        kernel_call(__NR_prlimit64, 0, call->args[n], call->args[n + 1], 0);
}

/* People know threads by their names. */
static void replay_note_name(const struct call *call)
{
    if (syscall_variant_has(call->number, call->args, EFFECT_NAMES))
        guest_read_string(thread_self()->name, gaddr(call->args[1]), sizeof(thread_self()->name));
}

/* What a call that is not made does to what the replay itself keeps. */
static void follow_call(const struct call *call, i64 result)
{
    u32 effects = syscall_traits_of(call->number)->effects;
    output_after_call(call, result);
    if (effects & EFFECT_NAMES)
        replay_note_name(call);
    if ((effects & EFFECT_LIMITS) && result >= 0)
        repeat_limit(call);
}

/* A signal ended the call before it had done anything: it is made again, after what came before that. */
static bool comes_again(void)
{
    struct call call = current.call;
    const struct event *e = next_of_this_thread();
    current.call = call;
    return from_outside(e) && e->tick == ticks_now() && e->pc == cpu->rip - SYSCALL_LENGTH;
}

i64 replay_feed(void)
{
    if (comes_again()) {
        current.fed = true;
        return CALL_AGAIN;
    }
    const struct event *e = call_event();
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    i64 result = s->result;
    bool more = s->flags & EVENT_MORE;
    apply_pieces(e->payload + sizeof(*s) + s->args * sizeof(u64), event_end_of(e));
    met(e);
    apply_data(more);
    current.fed = true;
    follow_call(&current.call, result);
    if (result == -EINTR)
        replay_expect_signal();
    return result;
}

bool replay_process_is_made(const struct event **ret)
{
    if (comes_again())
        return false;
    *ret = call_event();
    return ((const struct event_syscall *)(*ret)->payload)->result > 0;
}

void replay_call_again(const struct call *call)
{
    current.call = *call;
    current.fed = false;
}

void replay_call_end(i64 result)
{
    if (current.fed)
        return;
    const struct event *e = call_event();
    if (((const struct event_syscall *)e->payload)->result != result)
        diverge_number(e, "the result of the call is", (u64)result);
    bool more = ((const struct event_syscall *)e->payload)->flags & EVENT_MORE;
    met(e);
    apply_data(more);
}

bool replay_redoes(const struct call *call)
{
    u8 way = syscall_traits_of(call->number)->replay;
    return way == WAY_REDO || way == WAY_CUSTOM;
}

/* --- signals and other goals ------------------------------------------------------------------- */

static void arrive(const struct event *e)
{
    struct thread *t = thread_self();
    const struct event_signal *s = (const struct event_signal *)e->payload;
    memcpy(&t->waiting_info, s->info, sizeof(t->waiting_info));
    t->signal_waiting = true;
}

/* The event stays: replay_boundary() meets it when it delivers. */
void replay_expect_signal(void)
{
    const struct event *e = next();
    if (e && e->kind == EVENT_SIGNAL && e->tick == ticks_now() && e->pc == cpu->rip)
        arrive(e);
}

/* Without a pc it is known only in which tick it came (record_killed). */
static void deliver(const struct event *e)
{
    expect_state(e, e->pc ? cpu->rip : 0);
    arrive(e);
    bool died = ((const struct event_signal *)e->payload)->fate == SIGNAL_DIED;
    met(e);
    if (died)
        replay_end(0, thread_self()->waiting_info.signal);
    signals_deliver();
}

static void replay_check(const struct event *e)
{
    const struct event_check *c = (const struct event_check *)e->payload;
    struct digest_extent extent;
    expect_state(e, cpu->rip);
    if (digest_memory(&extent) != c->memory)
        diverge(e, extent.bytes == c->bytes ? "memory differs" : "memory has another size");
    if (c->vector && c->vector != digest_vectors())
        diverge(e, "vector registers differ");
    met(e);
}

bool replay_execs_now(void)
{
    const struct event *e = next();
    return !e || e->kind == EVENT_EXEC;
}

bool replay_outside_due(void)
{
    const struct event *e = next();
    return e && from_outside(e) && goal_reached(e->tick, e->pc);
}

u32 replay_signal_due(void)
{
    const struct event *e = replay_outside_due() ? next() : NULL;
    return e && e->kind == EVENT_SIGNAL ? ((const struct event_signal *)e->payload)->signal : 0;
}

/* True if the plan is about it, and the engine is to stand first. */
static bool plan_stands_before(const struct event *e)
{
    return plan_pass.runs && plan_at_signal(((const struct event_signal *)e->payload)->signal);
}

static void meet_shared(const struct event *e)
{
    expect_state(e, cpu->rip);
    write_shared(e);
}

bool replay_meet(void)
{
    const struct event *e = next_or_end();
    goal.set = from_outside(e);
    if (!goal.set)
        return false;
    goal.tick = e->tick;
    goal.pc = e->pc;
    if (!goal_reached(e->tick, e->pc))
        return false;
    if (e->kind == EVENT_SWITCH)
        switch_thread(e);
    else if (e->kind == EVENT_SHARED)
        meet_shared(e);
    else if (e->kind == EVENT_CHECK)
        replay_check(e);
    else if (!plan_stands_before(e))
        deliver(e);
    return true;
}

void replay_boundary(void)
{
    while (replay_meet()) {
    }
}

void replay_clock(u32 source, u64 *values, u32 count, bool asked)
{
    const struct event *e = next_or_end();
    const struct event_clock *c = (const struct event_clock *)e->payload;
    if (e->kind != EVENT_CLOCK || c->source != source || c->count != count)
        diverge_number(e, "the program asked clock", source);
    expect_state(e, cpu->rip);
    if (asked && values[0] != *(const u64 *)(c + 1))
        diverge_number(e, "the program asked it about", values[0]);
    memcpy(values, c + 1, count * sizeof(u64));
    met(e);
}

/* --- mapped files --------------------------------------------------------------------------------- */

/* From ebb, who has a copy of it, or finds the file and knows whether it still is what it was. */
static i64 fetch(const struct event_map *map, const char *path)
{
    static struct channel_fetch ask;
    struct channel_kept kept = {0};
    i32 fd = -1;
    ask = (struct channel_fetch){
        .message = {CHANNEL_FETCH, sizeof(ask)}, .copy = map->copy, .device = map->device,
        .inode = map->inode, .size = map->file_size, .mtime = map->mtime,
    };
    struct text t = TEXT(ask.path);
    text_add(&t, path);
    ask.path_size = (u32)strlen(ask.path);
    if (!track_send(&ask.message, -1) ||
        !track_receive(CHANNEL_KEPT, &kept.message, sizeof(kept), &fd))
        return -EIO;
    return kept.error ? -(i64)kept.error : fd;
}

void replay_map(const struct mapping *m, struct replayed_file *ret)
{
    static char path[8192];
    struct text t = TEXT(path);
    const struct event *e = next_or_end();
    const struct event_map *map = (const struct event_map *)e->payload;
    if (e->kind != EVENT_MAP || map->size != m->size || map->offset != m->offset)
        diverge_number(e, "the program mapped a file, bytes", m->size);
    for (u32 n = 0; n < map->path_size; n++)
        text_add_char(&t, ((const char *)(map + 1))[n]);
    struct k_stat own = {0};
    i64 fd = fetch(map, path);
    if (kernel_failed(fd) || kernel_failed(kernel_call(__NR_fstat, fd, &own)) ||
        own.size != map->file_size) {
        static char why[8300];
        struct text w = TEXT(why);
        text_add(&w, path);
        text_add(&w, kernel_failed(fd) ? ": the mapped file is gone" : ": the mapped file has changed");
        replay_unable(why);
    }
    file_names_note(map->device, map->inode, path);
    file_names_note(own.device, own.inode, path); /* a kept copy is another file */
    *ret = (struct replayed_file){(i32)fd, map->device, map->inode, map->file_size, map->copy};
    met(e);
}

void replay_segment(struct replayed_segment *ret)
{
    const struct event *e = next_or_end();
    const struct event_piece *piece =
        (const struct event_piece *)(e->payload + sizeof(struct event_shared));
    const u64 *segment = (const u64 *)(piece + 1);
    if (e->kind != EVENT_SHARED || (u8 *)(segment + 2) > event_end_of(e) ||
        piece->kind != PIECE_SEGMENT)
        diverge(e, "the program attached a segment");
    *ret = (struct replayed_segment){piece->address, segment[0], segment[1]};
}

/* --- children of vfork, and the end ------------------------------------------------------------------ */

bool replay_vfork_begins(void)
{
    const struct event *e = next_or_end();
    if (e->kind != EVENT_FORK)
        return false;
    met(e);
    return true;
}

bool replay_vfork_ends(u64 tick, u64 pc)
{
    const struct event *e = next_or_end();
    return e->kind == EVENT_SYSCALL && e->tick == tick && e->pc == pc;
}

_Noreturn void replay_end(int status, int signal)
{
    process_replay_child_dies();
    const struct event *e = next_or_end();
    const struct event_end *end = (const struct event_end *)e->payload;
    if (e->kind != EVENT_END)
        diverge_number(e, "the program ended with status", (u64)status);
    expect_state(e, cpu->rip);
    if (end->status != ((u32)status & 0xff) || end->signal != (u32)signal)
        diverge_number(e, "the program ended with status", (u64)status << 8 | (u64)signal);
    control_ended(end);
    met(e);
    replay_conclude(CHANNEL_REPRODUCED, "", "");
}
