/* The session itself: opening, closing, its current moment, and looking. See session.h.
 *
 * A session stands at a moment. Usually a replaying process stands there too (session_stand), and
 * registers and memory are read from it. After steps that were answered from the trail
 * (trail_internal.h) no process stands at the new moment. One is brought there when something is
 * needed that only a process knows (session_present). Movements are in movement.c and search.c, the
 * choice of checkpoints in timeline.c.
 */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "log/lineage.h"
#include "session/session_internal.h"

/* --- where we are -------------------------------------------------------------------------- */

static void note_here(struct session *s)
{
    s->timeline.here = s->here.at;
    assertion_moment = (struct assertion_moment){s->here.at.tick, s->here.at.pc};
}

static void note_place(struct session *s, const struct control_stopped *at)
{
    s->here = (struct session_here){{at->tick, at->pc}, at->thread, at->tid, at->event,
                                    s->here.end_status, s->here.end_signal};
    if (at->reason == STOPPED_END) {
        s->here.end_status = at->end_status;
        s->here.end_signal = at->end_signal;
        s->timeline.last = s->here.at;
        s->end_event = at->event;
        s->end_known = true;
    }
    note_here(s);
}

static void leave_trail(struct session *s)
{
    u64 index;
    if (s->trail && !trail_find(s->trail, s->here.at, &index)) {
        trail_destroy(s->trail);
        s->trail = NULL;
    }
}

/* A process that was lost stands nowhere; the next movement drops it. */
void session_check(const struct session *s)
{
    const struct replayer *r = s->present;
    u64 index;
    invariant(1, !r || r->lost || moment_compare(replayer_at(r), s->here.at) == 0);
    invariant(2, !s->trail || trail_find(s->trail, s->here.at, &index));
}

void session_stand_without_process(struct session *s, struct moment at)
{
    timeline_keep_or_drop(&s->timeline, s->present);
    s->present = NULL;
    s->here.at = at;
    note_here(s);
    leave_trail(s);
}

void session_stand(struct session *s, struct replayer *r)
{
    struct replayer *before = s->present;
    s->present = r;
    note_place(s, &r->stopped);
    if (before != r)
        timeline_keep_or_drop(&s->timeline, before);
    leave_trail(s);
}

struct error *session_present(struct session *s, struct replayer **ret)
{
    struct replayer *r = s->present;
    struct error *err = NULL;
    if (!r && s->trail && moment_compare(replayer_at(trail_end(s->trail)), s->here.at) == 0)
        err = replayer_fork(trail_end(s->trail), &r);
    else if (!r)
        err = timeline_reach(&s->timeline, s->here.at, &r);
    if (err)
        return err;
    if (!r)
        return error_errno(EINTR, "interrupted");
    s->present = r;
    *ret = r;
    return NULL;
}

/* If the thread began and ended within the trail, only a process knows its id. */
static void ask_tid(struct session *s)
{
    struct replayer *r;
    struct error *err = session_present(s, &r);
    if (!err)
        s->here.tid = r->stopped.tid;
    error_destroy(err);
}

void session_stand_on_trail(struct session *s, u64 index)
{
    struct session_here *here = &s->here;
    here->at = trail_moment(s->trail, index);
    here->thread = trail_thread(s->trail, index);
    here->tid = trail_tid(s->trail, index);
    here->event = trail_event(s->trail, index);
    note_here(s);
    timeline_keep_or_drop(&s->timeline, s->present);
    s->present = NULL;
    if (!here->tid)
        ask_tid(s);
}

void session_place(const struct session *s, struct session_place *ret)
{
    const struct session_here *here = &s->here;
    *ret = (struct session_place){
        .at = here->at, .thread = here->thread, .tid = here->tid,
        .start = moment_compare(here->at, session_first(s)) <= 0,
        .end = s->end_known && moment_compare(here->at, s->timeline.last) >= 0,
    };
    if (ret->end) {
        ret->end_status = here->end_status;
        ret->end_signal = here->end_signal;
        ret->end_otherwise = track_events_end(s->family.events);
    }
    struct moment never = {~0ull, ~0ull};
    track_events_place(s->family.events, ret->end ? s->end_event : here->event,
                       ret->end ? never : here->at, &ret->event, &ret->time);
}

struct moment session_first(const struct session *s)
{
    return s->timeline.list[0].at;
}

struct moment session_last(const struct session *s)
{
    return s->timeline.last;
}

bool session_is_trimmed(const struct session *s)
{
    struct moment begins;
    return track_events_trimmed(s->family.events, &begins);
}

u32 session_track(const struct session *s)
{
    return s->family.track;
}

u32 session_pid(const struct session *s)
{
    return s->pid;
}

const char *session_program(const struct session *s)
{
    return s->program;
}

struct error *session_moment_of_time(struct session *s, u64 time, struct moment *ret)
{
    struct moment at = track_events_at_time(s->family.events, time);
    *ret = moment_compare(at, session_first(s)) < 0 ? session_first(s) : at;
    return NULL;
}

struct moment session_moment_of_share(const struct session *s, double share)
{
    u64 first = session_first(s).tick, last = session_last(s).tick;
    if (share <= 0)
        return session_first(s);
    if (share >= 1)
        return session_last(s);
    return (struct moment){first + (u64)((double)(last - first) * share), 0};
}

/* --- breakpoints --------------------------------------------------------------------------- */

struct error *session_add_breakpoint(struct session *s, const struct breakpoint *b, u32 *ret_number)
{
    return breakpoints_add(&s->breakpoints, b, ret_number);
}

struct error *session_remove_breakpoint(struct session *s, u32 number)
{
    return breakpoints_remove(&s->breakpoints, number);
}

struct error *session_enable_breakpoint(struct session *s, u32 number, bool enabled)
{
    return breakpoints_enable(&s->breakpoints, number, enabled);
}

void session_heed(struct session *s, struct session_heed heed)
{
    s->breakpoints.heed = heed;
}

/* --- looking ------------------------------------------------------------------------------- */

/* If the current moment is shown by the trail, returns its state. False: a process shows it. */
static bool on_trail(const struct session *s, u64 *ret)
{
    return !s->shown && !s->scratch && !s->present && s->trail &&
           trail_find(s->trail, s->here.at, ret);
}

static struct error *looked_at(struct session *s, struct replayer **ret)
{
    if (!s->shown && !s->scratch)
        return session_present(s, ret);
    *ret = s->shown ? s->shown : s->scratch;
    return NULL;
}

static struct error *read_shown(struct session *s, u64 address, void *to, size_t size, size_t *ret)
{
    u64 index;
    struct replayer *r;
    if (on_trail(s, &index))
        return trail_read(s->trail, index, address, to, size, ret);
    struct error *err = looked_at(s, &r);
    return err ? err : replayer_read(r, address, to, size, ret);
}

struct error *session_read(struct session *s, u64 address, void *to, size_t size, size_t *ret)
{
    if (s->notes_reads && !s->notes_paused && size)
        *(struct session_noted *)list_add(&s->noted) = (struct session_noted){address, size};
    if (s->patch_count && session_patched(s, address, to, size)) {
        *ret = size;
        return NULL;
    }
    struct error *err = read_shown(s, address, to, size, ret);
    if (!err && s->patch_count)
        session_patched(s, address, to, *ret);
    return err;
}

static struct error *ask_registers(struct session *s, u32 thread, struct control_registers *ret,
                                   const u8 **vector)
{
    struct replayer *r;
    void *bytes;
    size_t size;
    struct error *err = looked_at(s, &r);
    if (!err)
        err = replayer_ask(r, CONTROL_REGISTERS, thread, &bytes, &size);
    if (err)
        return err;
    free(s->registers);
    s->registers = bytes;
    if (size < sizeof *ret)
        return error_coded(ERROR_LOST, "an engine gave no registers");
    memcpy(ret, bytes, sizeof *ret);
    if (ret->vector_size > size - sizeof *ret)
        ret->vector_size = (u32)(size - sizeof *ret);
    *vector = (const u8 *)bytes + sizeof *ret;
    return NULL;
}

struct error *session_registers(struct session *s, u32 thread, struct control_registers *ret,
                                const u8 **vector)
{
    u64 index;
    if (on_trail(s, &index) && trail_registers(s->trail, index, thread, ret, vector))
        return NULL;
    return ask_registers(s, thread, ret, vector);
}

static struct error *ask_list(struct session *s, u32 kind, size_t each, void **ret,
                              size_t *ret_count)
{
    struct replayer *r;
    size_t size;
    struct error *err = looked_at(s, &r);
    if (!err)
        err = replayer_ask(r, kind, CONTROL_THREAD_ANY, ret, &size);
    if (!err)
        *ret_count = size / each;
    return err;
}

static int compare_threads(const void *a, const void *b)
{
    const struct control_thread *x = a, *y = b;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

struct error *session_threads(struct session *s, struct control_thread **ret, size_t *ret_count)
{
    u64 index;
    struct error *err = NULL;
    if (!on_trail(s, &index) || !trail_threads(s->trail, index, ret, ret_count))
        err = ask_list(s, CONTROL_THREADS, sizeof **ret, (void **)ret, ret_count);
    if (!err)
        qsort(*ret, *ret_count, sizeof **ret, compare_threads);
    return err;
}

struct error *session_areas(struct session *s, struct control_area **ret, size_t *ret_count)
{
    u64 index;
    size_t size;
    if (!on_trail(s, &index))
        return ask_list(s, CONTROL_AREAS, sizeof **ret, (void **)ret, ret_count);
    struct error *err = replayer_ask(trail_end(s->trail), CONTROL_AREAS, CONTROL_THREAD_ANY,
                                     (void **)ret, &size);
    if (!err)
        *ret_count = size / sizeof **ret;
    return err;
}

/* Moves *address past the next word that is 0. */
static struct error *skip_pointers(struct session *s, u64 *address)
{
    u64 word = 1;
    for (size_t got = sizeof word; word; *address += sizeof word) {
        struct error *err = session_read(s, *address, &word, sizeof word, &got);
        if (err || got < sizeof word)
            return err ? err
                       : error_coded(ERROR_UNAVAILABLE, "the program's first stack cannot be read");
    }
    return NULL;
}

/* Returns the program's auxiliary vector. The log only has the one that the kernel gave to the
 * engine. The program's own lies where its stack began, after the argument count and the pointers
 * to arguments and environment. Programs do not write there. */
struct error *session_auxv(struct session *s, u8 **ret, size_t *ret_size)
{
    enum { PAIRS_MOST = 64 };
    u64 at = s->first_stack + sizeof(u64), pairs[2 * PAIRS_MOST];
    size_t got = 0, count = 0;
    struct error *err = skip_pointers(s, &at);
    if (!err)
        err = skip_pointers(s, &at);
    if (!err)
        err = session_read(s, at, pairs, sizeof pairs, &got);
    if (err)
        return err;
    while (16 * (count + 1) <= got && pairs[2 * count])
        count++;
    *ret_size = 16 * (count + 1) <= got ? 16 * (count + 1) : got; /* includes the end mark */
    *ret = xalloc(*ret_size + 1);
    memcpy(*ret, pairs, *ret_size);
    return NULL;
}

void session_checkpoints(const struct session *s, struct session_checkpoint **ret,
                         size_t *ret_count)
{
    const struct timeline *t = &s->timeline;
    *ret = xalloc((t->count + 1) * sizeof **ret);
    for (size_t i = 0; i < t->count; i++)
        (*ret)[i] = (struct session_checkpoint){t->list[i].at, (u32)t->list[i].process->pid,
                                                t->list[i].pages * 4096};
    *ret_count = t->count;
}

void session_keeping(const struct session *s, struct session_keeping *ret)
{
    timeline_keeping(&s->timeline, ret);
}

void session_keep(struct session *s, const struct session_keeping *k)
{
    timeline_keep_by(&s->timeline, k);
}

/* --- opening and closing ------------------------------------------------------------------- */

static struct error *read_pid(struct session *s)
{
    struct reader *reader;
    struct error *err = recording_open_track(s->rec, s->family.track, &reader);
    if (err)
        return err;
    s->pid = reader_header(reader)->pid;
    reader_close(reader);
    return NULL;
}

/* Finds the initial stack of the program, also if the track begins later. */
static struct error *find_first_stack(struct session *s)
{
    void *bytes;
    size_t size;
    struct error *err = replayer_ask(s->timeline.origin, CONTROL_REGISTERS, CONTROL_THREAD_ANY,
                                     &bytes, &size);
    if (err)
        return err;
    if (size >= sizeof(struct control_registers))
        s->first_stack = ((const struct control_registers *)bytes)->reg[RSP];
    free(bytes);
    return NULL;
}

static struct error *session_start(struct session *s, const struct session_options *options)
{
    struct replayer *r;
    struct error *err = read_pid(s);
    if (!err)
        err = replayer_family_init(&s->family, s->rec, options->track, s->pid);
    if (!err)
        err = timeline_init(&s->timeline, &s->family, options);
    if (!err)
        err = timeline_reach(&s->timeline, session_first(s), &r);
    if (err)
        return err;
    session_stand(s, r);
    s->program = track_events_program(s->family.events);
    s->fault_runtime = session_find_fault_runtime(s);
    return find_first_stack(s);
}

/* Goes to the last snapshot that an earlier session has left, if there is one. */
static struct error *jump_ahead(struct session *s)
{
    struct timeline *t = &s->timeline;
    struct replayer *r;
    timeline_approach(t, t->last);
    struct moment to = timeline_before(t, t->last)->at;
    if (moment_compare(to, s->here.at) <= 0)
        return NULL;
    struct error *err = timeline_reach(t, to, &r);
    if (!err && r)
        session_stand(s, r);
    return err;
}

/* Runs once to the end, from the start or from a snapshot, and leaves checkpoints on the way. */
static struct error *run_to_end(struct session *s)
{
    struct plan plan = {.version = CONTROL_VERSION, .nth = 1};
    struct error *err = jump_ahead(s);
    struct moment from = s->here.at;
    if (err)
        return err;
    err = timeline_run(&s->timeline, s->present, &(struct timeline_pass){
        .plan = &plan, .size = sizeof plan, .limit = {~0ull, 0}, .moves = true});
    if (!err)
        session_stand(s, s->present);
    if (!err && s->end_known)
        timeline_keep_snapshots(&s->timeline, from);
    return err;
}

struct error *session_open(const struct recording *rec, const struct session_options *options,
                           struct session **ret)
{
    struct session *s = xalloc(sizeof *s);
    *s = (struct session){.rec = rec, .trail_states = TRAIL_STATES_LEAST,
                          .breakpoints = {.heed = {.thread = CONTROL_THREAD_ANY}},
                          .family = {.track = options->track, .errors = -1, .wake = -1}};
    struct error *err = session_start(s, options);
    if (!err && options->begun)
        options->begun(options->context, s);
    if (!err && !options->at_start)
        err = run_to_end(s);
    if (err) {
        if (options->begun)
            options->begun(options->context, NULL);
        session_close(s);
        return error_within(err, "%s", rec->path);
    }
    *ret = s;
    return NULL;
}

void session_close(struct session *s)
{
    if (!s)
        return;
    session_scratch_drop(s);
    trail_destroy(s->trail);
    replayer_destroy(s->present);
    timeline_deinit(&s->timeline);
    replayer_family_deinit(&s->family);
    breakpoints_deinit(&s->breakpoints);
    counts_deinit(&s->counts);
    free(s->history);
    list_deinit(&s->noted);
    free(s->registers);
    free(s->program);
    free(s);
}
