/* The events of a track and of its ancestors: see the header.
 *
 *     program's START, note: quiet, events ...      of the ancestor, up to
 *     (its SYSCALL of the fork, skipped)            the moment in the child's header
 *     (the child's START, skipped), events ...      beginning with the same SYSCALL, result 0
 *     note: shown                                   before the events of the track itself
 *
 * If a parent was killed while it forked, its track ends without that SYSCALL.
 *
 * Invariants
 *   (1) A parent's number is below its child's: tracks are numbered as they begin.
 *   (2) l->reader reads the track of l->generations[l->at].
 */
#include "log/lineage.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "log/reader.h"
#include "log/syscall_table.h"

struct generation {
    u32 track;
    u64 tick, pc; /* moment of the fork with which the next generation begins */
};

struct lineage {
    const struct recording *rec;
    bool quiet;
    bool own_alone; /* only the track's own events are wanted */
    struct generation *generations; /* oldest first */
    size_t count, at;
    struct reader *reader;
    u32 note_next; /* level of a note to be inserted before the next event, or 0 */
    u64 note[(sizeof(struct event) + sizeof(struct event_note)) / sizeof(u64)];
};

static struct error *lineage_read_header(const struct recording *rec, u32 track,
                                         struct format_file *ret)
{
    struct reader *reader;
    struct error *err = recording_open_track(rec, track, &reader);
    if (err)
        return err;
    *ret = *reader_header(reader);
    reader_close(reader);
    return NULL;
}

static void add_before(struct lineage *l, const struct generation *oldest)
{
    struct generation *longer = xalloc((l->count + 1) * sizeof *longer);
    longer[0] = *oldest;
    for (size_t i = 0; i < l->count; i++)
        longer[i + 1] = l->generations[i];
    free(l->generations);
    l->generations = longer;
    l->count++;
}

static struct error *find_generations(struct lineage *l, u32 track)
{
    struct generation g = {.track = track};
    for (;;) {
        struct format_file header;
        struct error *err = lineage_read_header(l->rec, g.track, &header);
        if (err)
            return err;
        add_before(l, &g);
        invariant(1, l->count == 1 || l->generations[0].track < l->generations[1].track);
        if (header.origin != TRACK_FORKED)
            return NULL;
        if (header.parent >= g.track)
            return error_new("track %u names track %u as its parent", g.track, header.parent);
        g = (struct generation){header.parent, header.parent_tick, header.parent_pc};
    }
}

struct error *lineage_open(const struct recording *rec, u32 track, bool quiet,
                           struct lineage **ret)
{
    struct lineage *l = xalloc(sizeof *l);
    *l = (struct lineage){.rec = rec, .quiet = quiet};
    struct error *err = find_generations(l, track);
    if (!err)
        err = recording_open_track(rec, l->generations[0].track, &l->reader);
    if (err) {
        lineage_close(l);
        return err;
    }
    *ret = l;
    return NULL;
}

struct error *lineage_open_own(const struct recording *rec, u32 track, struct lineage **ret)
{
    struct lineage *l = xalloc(sizeof *l);
    struct generation own = {.track = track};
    *l = (struct lineage){.rec = rec, .quiet = true, .own_alone = true};
    add_before(l, &own);
    struct error *err = recording_open_track(rec, track, &l->reader);
    if (err) {
        lineage_close(l);
        return err;
    }
    *ret = l;
    return NULL;
}

void lineage_close(struct lineage *l)
{
    if (!l)
        return;
    reader_close(l->reader);
    free(l->generations);
    free(l);
}

u32 lineage_program(const struct lineage *l)
{
    return l->generations[0].track;
}

static bool is_last(const struct lineage *l)
{
    return l->at + 1 == l->count;
}

/* True for the parent's side of the fork with which the next generation begins. */
static bool lineage_is_fork(const struct lineage *l, const struct event *e)
{
    const struct generation *g = &l->generations[l->at];
    return e->kind == EVENT_SYSCALL && e->tick == g->tick && e->pc == g->pc &&
           syscall_has(((const struct event_syscall *)e->payload)->number, EFFECT_MAKES);
}

/* Goes to the next generation: the parent's track has reached the fork, or its end. */
static struct error *descend(struct lineage *l, bool at_end)
{
    const struct generation *g = &l->generations[l->at];
    if (at_end && reader_cut(l->reader))
        return error_new("track %u was forked by track %u, which was cut before that: %s",
                         g[1].track, g->track, reader_cut(l->reader));
    reader_close(l->reader);
    l->reader = NULL;
    l->at++;
    if (is_last(l) && !l->quiet)
        l->note_next = NOTE_SHOWN;
    return recording_open_track(l->rec, g[1].track, &l->reader);
}

static const struct event *take_note(struct lineage *l)
{
    struct event *e = (struct event *)l->note;
    struct event_note payload = {.level = l->note_next};
    *e = (struct event){.size = sizeof l->note, .kind = EVENT_NOTE};
    memcpy(e->payload, &payload, sizeof payload);
    l->note_next = 0;
    return e;
}

/* The START of the first generation is returned; it tells what is to be shown. */
static bool is_given(struct lineage *l, const struct event *e)
{
    if (!e || e->kind != EVENT_START)
        return true;
    if (l->own_alone)
        return false;
    if (l->at == 0)
        l->note_next = l->quiet || l->count > 1 ? NOTE_QUIET : 0;
    return l->at == 0;
}

/* Reads on in this generation; *ret_passed: its part has ended. */
static struct error *read_event(struct lineage *l, const struct event **ret, bool *ret_passed)
{
    const struct generation *g = &l->generations[l->at];
    invariant(2, l->at < l->count && reader_header(l->reader)->track == g->track);
    struct error *err = reader_next(l->reader, ret);
    if (err)
        return l->count > 1 || l->own_alone ? error_within(err, "track %u", g->track) : err;
    *ret_passed = !is_last(l) && (!*ret || lineage_is_fork(l, *ret));
    if (!is_last(l) && *ret && (*ret)->tick > g->tick)
        return error_new("track %u has no fork where track %u begins", g->track, g[1].track);
    return NULL;
}

struct error *lineage_next(struct lineage *l, const struct event **ret)
{
    for (;;) {
        const struct event *e;
        bool passed = false;
        if (l->note_next) {
            *ret = take_note(l);
            return NULL;
        }
        struct error *err = read_event(l, &e, &passed);
        if (!err && passed)
            err = descend(l, !e);
        if (err)
            return err;
        if (!passed && is_given(l, e)) {
            *ret = e;
            return NULL;
        }
    }
}

bool lineage_own(const struct lineage *l)
{
    return is_last(l);
}

const char *lineage_cut(const struct lineage *l)
{
    return l->reader ? reader_cut(l->reader) : NULL;
}
