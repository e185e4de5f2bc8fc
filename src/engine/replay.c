/* Replaying: see replay.h.
 *
 * Invariants
 *   (1) `next` is the event that has not been met yet, and everything before it was met.
 *   (2) An event is met at its moment, with the registers that it was recorded with.
 */
#include "engine/replay.h"

#include "engine/address_internal.h"
#include "engine/digest.h"
#include "engine/goal.h"
#include "engine/guest_memory.h"
#include "engine/kernel.h"
#include "engine/mapped_file.h"
#include "engine/pool.h"
#include "engine/process.h"
#include "engine/replay_output.h"
#include "engine/replay_threads.h"
#include "engine/settings.h"
#include "engine/signals.h"
#include "engine/stop.h"
#include "engine/syscalls_internal.h"
#include "engine/text.h"
#include "engine/thread.h"
#include "engine/ticks.h"
#include "engine/track.h"
#include "engine/x86_64/cpu.h"

enum { STRINGS_MOST = 65536 };

static struct ring_consumer consumer;
static u64 events_met;

/* --- verdicts -------------------------------------------------------------------------- */

static char limit[256]; /* what the recorder said it could not catch */

/* A difference behind such a limit is no wonder, and not a fault of the replay. */
static _Noreturn void conclude(u32 verdict, const char *recorded, const char *happened)
{
    static struct channel_verdict v;
    if (verdict == CHANNEL_DIVERGED && limit[0]) {
        verdict = CHANNEL_UNABLE;
        happened = limit;
    }
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
    for (;;)
        kernel_call(__NR_exit_group, verdict == CHANNEL_REPRODUCED ? 0 : CHANNEL_EXIT_DIVERGED);
}

_Noreturn void replay_unable(const char *why)
{
    conclude(CHANNEL_UNABLE, "", why);
}

static const char *kind_name(u16 kind)
{
    static const char *const names[] = {
        [EVENT_START] = "the start", [EVENT_SYSCALL] = "a system call", [EVENT_DATA] = "data",
        [EVENT_SIGNAL] = "a signal", [EVENT_CLOCK] = "a clock", [EVENT_MAP] = "a mapped file",
        [EVENT_SWITCH] = "a thread switch", [EVENT_CHECK] = "a check", [EVENT_NOTE] = "a note",
        [EVENT_FORK] = "a fork", [EVENT_EXEC] = "an exec", [EVENT_END] = "the end",
    };
    return kind < countof(names) && names[kind] ? names[kind] : "an unknown event";
}

static void describe(struct text *t, const struct event *e)
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
    describe(&t, e);
    conclude(CHANNEL_DIVERGED, recorded, happened);
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

static void take_note(const struct event_note *note)
{
    if (note->level == NOTE_QUIET || note->level == NOTE_SHOWN)
        output_quiet(note->level == NOTE_QUIET);
    if (note->level == NOTE_LIMIT && note->size < sizeof(limit)) {
        memcpy(limit, note + 1, note->size);
        limit[note->size] = 0;
    }
}

/* The next event that replay must meet: NULL at the end of the log.  An EXEC is the last event, or that
 * of a child of vfork, or came to nothing. */
static const struct event *next(void)
{
    const struct event *e;
    while ((e = ring_peek(&consumer, &track_host)) &&
           (e->kind == EVENT_NOTE || e->kind == EVENT_EXEC)) {
        if (e->kind == EVENT_NOTE)
            take_note((const struct event_note *)e->payload);
        ring_advance(&consumer, &track_host, e->size);
    }
    return e;
}

static void met(const struct event *e)
{
    events_met++;
    ring_advance(&consumer, &track_host, e->size);
}

static const struct event *next_or_end(void)
{
    const struct event *e = next();
    if (!e)
        conclude(consumer.damaged ? CHANNEL_UNABLE : CHANNEL_REPRODUCED, "the end of the log", "");
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
static bool is_there(u64 address, const u8 *bytes, u64 size)
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

static void apply_pieces(const u8 *at, const u8 *end)
{
    while ((u64)(end - at) >= sizeof(struct event_piece)) {
        const struct event_piece *piece = (const struct event_piece *)at;
        at += sizeof(*piece);
        if (piece->kind == PIECE_FILE_SIZE && piece->size == sizeof(u64))
            mapped_file_resize(piece->address, *(const u64 *)at);
        if (piece->kind == PIECE_MEMORY && piece->size &&
            !guest_write(gaddr(piece->address), at, piece->size) &&
            !is_there(piece->address, at, piece->size) &&
            !mapped_file_write(piece->address, at, piece->size))
            conclude(CHANNEL_DIVERGED, "memory that a system call wrote", "it cannot be written");
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
    u64 auxv[128];
    u64 random[2];
    u64 layout[3]; /* limit of the stack, signals ignored, signals blocked */
} *start;

static void add_strings(unsigned list, const char *bytes, u64 size)
{
    char *copy = pool_take(size + 1);
    memcpy(copy, bytes, size);
    for (u64 at = 0; at < size; at += strlen(copy + at) + 1)
        if (start->count[list] < STRINGS_MOST - 1)
            start->strings[list][start->count[list]++] = copy + at;
}

static void take_start_piece(const struct event_piece *piece, const u8 *bytes)
{
    switch (piece->kind) {
    case PIECE_PATH:
        if (piece->size < sizeof(start->path))
            memcpy(start->path, bytes, piece->size);
        break;
    case PIECE_ARGUMENTS:
        add_strings(0, (const char *)bytes, piece->size);
        break;
    case PIECE_ENVIRONMENT:
        add_strings(1, (const char *)bytes, piece->size);
        break;
    case PIECE_AUXV:
        memcpy(start->auxv, bytes,
               piece->size < sizeof(start->auxv) ? piece->size : sizeof(start->auxv));
        break;
    case PIECE_RANDOM:
        memcpy(start->random, bytes, sizeof(start->random));
        break;
    case PIECE_LAYOUT:
        memcpy(start->layout, bytes,
               piece->size < sizeof(start->layout) ? piece->size : sizeof(start->layout));
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

static void take_start(void)
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

void replay_start(struct loader_request *request, struct signals_inherited *inherited)
{
    struct track_origin_info origin = {.origin = TRACK_FIRST, .parent = TRACK_NONE};
    if (!track_open(&origin))
        engine_refuse(CHANNEL_EXIT_OURS, "replay", "there is nobody to replay for");
    ring_consumer_init(&consumer, track_ring);
    start = pool_map(sizeof(*start), 4096);
    take_start();
    mend_auxv(request->auxv);
    request->path = start->path;
    request->argv = start->strings[0];
    request->envp = start->strings[1];
    request->auxv = start->auxv;
    request->stack_limit = start->layout[0];
    *inherited = (struct signals_inherited){start->layout[1], start->layout[2]};
    goal.check = replay_boundary;
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

/* The next event, after all that other threads did in between. */
static const struct event *next_of_this_thread(void)
{
    const struct event *e;
    while ((e = next_or_end())->kind == EVENT_SWITCH || e->kind == EVENT_DATA) {
        if (e->kind == EVENT_SWITCH)
            switch_thread(e);
        else
            write_data(e);
    }
    return e;
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

static bool shapes_memory(const struct call *call)
{
    switch (call->number) {
    case __NR_mmap:
    case __NR_munmap:
    case __NR_mprotect:
    case __NR_pkey_mprotect:
    case __NR_mremap:
    case __NR_madvise:
    case __NR_remap_file_pages:
        return true;
    default:
        return false;
    }
}

static _Noreturn void diverge_call(const struct event *e, const struct call *call)
{
    diverge_number(e, "the program made system call", call->number);
}

static bool ends_program(const struct call *call)
{
    return call->number == __NR_exit || call->number == __NR_exit_group;
}

bool replay_call_begin(const struct call *call)
{
    const struct event *e = next_or_end();
    current.call = *call;
    current.fed = false;
    /* Parts of the call that is being made; it is held against its event when that comes. */
    if (e->kind == EVENT_MAP || e->kind == EVENT_FORK || e->kind == EVENT_SWITCH ||
        e->kind == EVENT_DATA)
        return true;
    if (e->kind == EVENT_END && ends_program(call)) /* replay_end() looks at it */
        return true;
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    if (e->kind != EVENT_SYSCALL || s->number != call->number)
        diverge_call(e, call);
    expect_state(e, cpu->rip - SYSCALL_LENGTH);
    /* Others of this kind do a part of their work and then fail. */
    return s->result >= 0 || (call->number != __NR_mmap && call->number != __NR_mremap);
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
static void repeat_limit(const struct call *call, i64 result)
{
    enum { K_RLIMIT_STACK = 3 };
    const u64 *a = call->args;
    if (result < 0)
        return;
    if (call->number == __NR_setrlimit && a[0] == K_RLIMIT_STACK)
        kernel_call(__NR_setrlimit, a[0], a[1]);
    if (call->number == __NR_prlimit64 && a[1] == K_RLIMIT_STACK && a[2])
        kernel_call(__NR_prlimit64, 0, a[1], a[2], 0);
}

/* A signal ended the call before it had done anything, and comes before it is made again. */
static bool comes_again(void)
{
    struct call call = current.call;
    const struct event *e = next_of_this_thread();
    current.call = call;
    return e->kind == EVENT_SIGNAL && e->tick == ticks_now() && e->pc == cpu->rip - SYSCALL_LENGTH;
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
    output_after_call(&current.call, result);
    repeat_limit(&current.call, result);
    if (result == -EINTR)
        replay_expect_signal();
    return result;
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
    switch (call->number) {
    case __NR_brk:
    case __NR_set_robust_list:
    case __NR_set_tid_address:
    case __NR_rt_sigaction:
    case __NR_rt_sigprocmask:
    case __NR_rt_sigsuspend:
    case __NR_rt_sigreturn:
    case __NR_sigaltstack:
    case __NR_arch_prctl:
    case __NR_ppoll:
    case __NR_pselect6:
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2:
    case __NR_exit:
    case __NR_exit_group:
    case __NR_vfork:
    case __NR_clone:
    case __NR_clone3:
    case __NR_fork:
        return true;
    default:
        return shapes_memory(call);
    }
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

static void deliver(const struct event *e)
{
    expect_state(e, cpu->rip);
    arrive(e);
    bool died = ((const struct event_signal *)e->payload)->fate == SIGNAL_DIED;
    met(e);
    if (died)
        replay_end(0, thread_self()->waiting_info.signal);
    signals_deliver();
}

static void check(const struct event *e)
{
    const struct event_check *c = (const struct event_check *)e->payload;
    u64 bytes;
    expect_state(e, cpu->rip);
    if (digest_memory(&bytes) != c->memory)
        diverge(e, bytes == c->bytes ? "memory differs" : "memory has another size");
    if (c->vector && c->vector != digest_vectors())
        diverge(e, "vector registers differ");
    met(e);
}

/* A switch in a call is met by that call. */
static bool from_outside(const struct event *e)
{
    if (e->kind == EVENT_SWITCH)
        return ((const struct event_switch *)e->payload)->reason == SWITCH_SLICE;
    return e->kind == EVENT_SIGNAL || e->kind == EVENT_CHECK;
}

void replay_boundary(void)
{
    const struct event *e;
    while (from_outside(e = next_or_end())) {
        goal.set = true;
        goal.tick = e->tick;
        goal.pc = e->pc;
        if (!goal_reached(e->tick, e->pc))
            return;
        if (e->kind == EVENT_SIGNAL)
            deliver(e);
        else if (e->kind == EVENT_SWITCH)
            switch_thread(e);
        else
            check(e);
    }
    goal.set = false;
}

void replay_clock(u32 source, u64 *values, u32 count)
{
    const struct event *e = next_or_end();
    const struct event_clock *c = (const struct event_clock *)e->payload;
    if (e->kind != EVENT_CLOCK || c->source != source || c->count != count)
        diverge_number(e, "the program asked clock", source);
    expect_state(e, cpu->rip);
    memcpy(values, c + 1, count * sizeof(u64));
    met(e);
}

/* --- mapped files --------------------------------------------------------------------------------- */

static bool same_file(i32 fd, const struct event_map *map)
{
    struct k_stat st;
    if (kernel_failed(kernel_call(__NR_fstat, fd, &st)) || st.size != map->file_size)
        return false;
    return map->copy || (u64)st.modified.seconds * 1000000000 + (u64)st.modified.nanoseconds == map->mtime;
}

/* The copy that ebb keeps in the recording. */
static i64 fetch(u32 copy)
{
    struct channel_fetch fetch = {.message = {CHANNEL_FETCH, sizeof(fetch)}, .copy = copy};
    struct channel_kept kept = {0};
    i32 fd = -1;
    if (!track_send(&fetch.message, -1) ||
        !track_receive(CHANNEL_KEPT, &kept.message, sizeof(kept), &fd))
        return -EIO;
    return kept.error ? -(i64)kept.error : fd;
}

static i64 open_mapped(const struct event_map *map, const char *path)
{
    return map->copy ? fetch(map->copy) : kernel_call(__NR_open, path, O_RDONLY | O_CLOEXEC);
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
    i64 fd = open_mapped(map, path);
    if (kernel_failed(fd) || !same_file((i32)fd, map)) {
        static char why[8300];
        struct text w = TEXT(why);
        text_add(&w, path);
        text_add(&w, kernel_failed(fd) ? ": the mapped file is gone" : ": the mapped file has changed");
        replay_unable(why);
    }
    *ret = (struct replayed_file){(i32)fd, map->device, map->inode, map->file_size, map->copy};
    met(e);
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
    met(e);
    conclude(CHANNEL_REPRODUCED, "", "");
}
