/* Replays all tracks, as many at a time as there are cores.
 *
 * A track that began with a program is started; one that was forked is reached in the replay of its
 * parent, by a copy of that engine (verifier_team.c), so that every event is replayed once. A track
 * whose engine could not be copied is replayed separately, through its parent's events up to the
 * fork; unless the parent's replay has shown that these differ.
 *
 *     waiting --start_some, forks--> begun --ended--> done --tell_finished--> told
 *        ^                             |               ^
 *        +------------ lost -----------+               |
 *        +------ the parent differs before that -------+
 *
 * A track without children may be replayed in parts (verifier_parts.c). If all of them are
 * reproduced it is done. If one is not, the track waits again, to be replayed as a whole.
 *
 * Outcomes are reported in the order of the tracks: each waits until those before it were reported.
 *
 * Invariants
 *   (1) A parent is before its children: tracks are numbered as they begin.
 *   (2) A track that waits is in the line, or its parent is not done.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "verifier/verifier.h"
#include "verifier/verifier_parts_internal.h"
#include "verifier/verifier_shown_internal.h"
#include "verifier/verifier_team_internal.h"

/* A track that is replayed in parts. */
struct job_parts {
    struct verifier_parts *parts;
    bool all_begun;
    size_t begun, ended;
    size_t failed; /* the first part that was not reproduced; ~0: none */
    struct verifier_cut *from, *to; /* bounds of that part; owned elsewhere */
    bool unable; /* it could not be replayed here, whatever the snapshots are like */
    char wrong[CHANNEL_VERDICT_TEXT]; /* with that */
    struct list lines; /* struct verifier_line *: ended parts whose output is to be shown */
    size_t shown;      /* parts */
};

struct job {
    u32 track;
    struct job *parent;       /* the parent that forked it; NULL: it has to be started */
    struct job *child;        /* the first child that may still be reached */
    struct job *sibling;      /* the next child of the same parent */
    u64 tick, pc;             /* moment of the fork */
    enum { WAITING, BEGUN, DONE } state;
    struct verifier_line *line; /* the outcome; NULL: reproduced, or not reached */
    struct job *differs;      /* not reached, because the replay of this track differs before */
    char *said;               /* output of the engine; may be NULL */
    struct job_parts *parts;  /* NULL: it is replayed as a whole */
};

struct jobs {
    const struct recording *rec;
    struct job *list;
    size_t count, told;
    struct job **line; /* jobs to be started, in that order */
    size_t queued, started;
    bool shows; /* show the program's output; then there is only one job */
    struct verifier_shown shown;
    verifier_told *tell;
    void *context;
};

static size_t cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0 || CPU_COUNT(&set) < 1)
        return 1;
    return (size_t)CPU_COUNT(&set);
}

/* --- who comes from whom ------------------------------------------------------------ */

static int compare_tracks(const void *track, const void *job)
{
    u32 a = *(const u32 *)track, b = ((const struct job *)job)->track;
    return a < b ? -1 : a > b;
}

static struct job *verifier_find_job(const struct jobs *jobs, u32 track)
{
    return bsearch(&track, jobs->list, jobs->count, sizeof *jobs->list, compare_tracks);
}

static void queue(struct jobs *jobs, struct job *job)
{
    job->state = WAITING;
    invariant(2, jobs->queued < 2 * jobs->count);
    jobs->line[jobs->queued++] = job;
}

/* Errors in a track's file are reported when its replay starts. */
static void find_parent(struct jobs *jobs, struct job *job)
{
    struct reader *reader;
    struct error *err = recording_open_track(jobs->rec, job->track, &reader);
    if (err) {
        error_destroy(err);
        return;
    }
    const struct format_file *header = reader_header(reader);
    if (header->origin == TRACK_FORKED && header->parent < job->track)
        job->parent = verifier_find_job(jobs, header->parent);
    job->tick = header->parent_tick;
    job->pc = header->parent_pc;
    reader_close(reader);
}

/* From the last to the first, so that children are in the order of their tracks. */
static void find_children(struct jobs *jobs)
{
    for (size_t i = jobs->count; i > 0; i--) {
        struct job *job = &jobs->list[i - 1], *parent = job->parent;
        invariant(1, !parent || parent < job);
        if (parent) {
            job->sibling = parent->child;
            parent->child = job;
        }
    }
}

/* --- what the team tells ------------------------------------------------------------ */

static bool forks(void *context, u32 track, u64 tick, u64 pc, u32 *ret)
{
    struct job *parent = verifier_find_job(context, track);
    for (struct job **at = &parent->child, *job; (job = *at); at = &job->sibling) {
        if (job->tick != tick || job->pc != pc)
            continue;
        *at = job->sibling;
        job->state = BEGUN;
        *ret = job->track;
        return true;
    }
    return false;
}

static void lost(void *context, u32 track)
{
    queue(context, verifier_find_job(context, track));
}

/* Its children are not reached, either. */
static void give_up(struct job *job, struct job *differs)
{
    job->state = DONE;
    job->differs = differs;
    for (struct job *child; (child = job->child);) {
        job->child = child->sibling;
        give_up(child, differs);
    }
}

/* Replaying the same events separately would lead to the same difference. */
static void see_to_children(struct jobs *jobs, struct job *job, const struct verifier_line *line)
{
    for (struct job *child; (child = job->child);) {
        job->child = child->sibling;
        if (verifier_line_diverged(line) && child->tick >= line->verdict.tick)
            give_up(child, job);
        else
            queue(jobs, child);
    }
}

/* --- parts -------------------------------------------------------------------------- */

static const struct verifier_line *part_line(const struct job_parts *p, size_t part)
{
    struct verifier_line **lines = p->lines.items;
    for (size_t n = 0; n < p->lines.count; n++)
        if (lines[n]->part == part)
            return lines[n];
    return NULL;
}

/* Shows the output of parts in order, as far as they have ended; none after a failed one. */
static void jobs_show_parts(struct jobs *jobs, struct job_parts *p)
{
    const struct verifier_line *line;
    while (jobs->shows && p->shown < p->failed && (line = part_line(p, p->shown))) {
        verifier_shown_show(&jobs->shown, line, (struct verifier_shown){0});
        p->shown++;
    }
}

static void note_failed(struct job_parts *p, const struct verifier_line *line)
{
    if (line->part >= p->failed)
        return;
    p->failed = line->part;
    snprintf(p->wrong, sizeof p->wrong, "%s",
             line->err ? error_text(line->err)
             : line->judged ? line->verdict.happened : "the replay ended without a verdict");
    p->unable = !line->err && line->judged && line->verdict.verdict == CHANNEL_UNABLE;
    p->from = line->from;
    p->to = line->to;
}

static void job_parts_destroy(struct job_parts *p)
{
    if (!p)
        return;
    for (size_t n = 0; n < p->lines.count; n++)
        verifier_line_destroy(((struct verifier_line **)p->lines.items)[n]);
    list_deinit(&p->lines);
    verifier_parts_destroy(p->parts);
    free(p);
}

/* All started parts have ended: the track is done, or has to be replayed as a whole. */
static void parts_ended(struct jobs *jobs, struct job *job)
{
    if (job->parts->failed == ~(size_t)0 && job->parts->begun)
        job->state = DONE;
    else
        queue(jobs, job);
}

static void part_ended(struct jobs *jobs, struct job *job, struct verifier_line *line)
{
    struct job_parts *p = job->parts;
    if (!verifier_line_reproduced(line))
        note_failed(p, line);
    verifier_cut_release(line->from);
    verifier_cut_release(line->to);
    line->from = line->to = NULL;
    *(struct verifier_line **)list_add(&p->lines) = line;
    p->ended++;
    jobs_show_parts(jobs, p);
    if (p->ended == p->begun && p->all_begun)
        parts_ended(jobs, job);
}

/* False: there is no part left to start. */
static bool begin_part(struct jobs *jobs, struct job *job, struct verifier_team *team)
{
    struct job_parts *p = job->parts;
    struct verifier_cut *from, *to;
    if (p->failed != ~(size_t)0 || !verifier_parts_next(p->parts, &from, &to))
        return false;
    struct verifier_line *line = verifier_line_create(jobs->rec, job->track);
    line->is_part = true;
    line->part = p->begun++;
    line->from = from;
    line->to = to;
    if (jobs->shows)
        verifier_shown_prepare(line);
    verifier_team_start_line(team, line);
    return true;
}

/* Starts a whole track that may show output; some of it may already have been shown by parts. */
static void begin_whole(struct jobs *jobs, struct job *job, struct verifier_team *team)
{
    struct verifier_line *line = verifier_line_create(jobs->rec, job->track);
    struct error *err =
        job->parts ? verifier_parts_beginning(job->parts->parts, &line->from) : NULL;
    if (err)
        verifier_line_fail(line, err, false);
    if (jobs->shows)
        verifier_shown_prepare(line);
    verifier_team_start_line(team, line);
}

static void ended(void *context, struct verifier_line *line, char *said)
{
    struct job *job = verifier_find_job(context, line->track);
    struct jobs *jobs = context;
    if (line->is_part) {
        free(said);
        part_ended(jobs, job, line);
        return;
    }
    verifier_cut_release(line->from);
    line->from = NULL;
    job->state = DONE;
    job->said = said;
    if (jobs->shows)
        verifier_shown_show(&jobs->shown, line, jobs->shown);
    see_to_children(context, job, line);
    if (verifier_line_reproduced(line))
        verifier_line_destroy(line); /* thousands may wait for the first outcome to be reported */
    else
        job->line = line;
}

/* --- telling ------------------------------------------------------------------------ */

/* If everything except the part was reproduced, one of its snapshots was wrong. */
static void tell_interval(const struct job_parts *p, struct verifier_outcome *ret)
{
    const struct snapshot_stored *from = p->from ? p->from->stored : NULL;
    const struct snapshot_stored *to = p->to ? p->to->stored : NULL;
    ret->has_interval = true;
    ret->in_interval = p->wrong;
    ret->from_tick = from ? from->about.tick : 0;
    ret->from_pc = from ? from->about.pc : 0;
    ret->to_tick = to ? to->about.tick : ~0ull;
    ret->to_pc = to ? to->about.pc : ~0ull;
    ret->in_recording = !p->unable && ((from && from->own) || (to && to->own));
    if (ret->result == VERIFIER_REPRODUCED) {
        verifier_cut_remove(p->from);
        verifier_cut_remove(p->to);
    }
}

static void verifier_tell_job(struct jobs *jobs, struct job *job)
{
    struct verifier_outcome outcome = {.rec = jobs->rec, .track = job->track};
    if (job->line) {
        verifier_line_outcome(job->line, &outcome);
    } else if (job->differs) {
        outcome.result = VERIFIER_NOT_REACHED;
        outcome.ancestor = job->differs->track;
    }
    outcome.said = job->said;
    if (job->parts && job->parts->failed != ~(size_t)0)
        tell_interval(job->parts, &outcome);
    jobs->tell(jobs->context, &outcome);
    jobs->told++;
    verifier_line_destroy(job->line);
    free(job->said);
    job_parts_destroy(job->parts);
}

static void tell_finished(struct jobs *jobs)
{
    while (jobs->told < jobs->count && jobs->list[jobs->told].state == DONE)
        verifier_tell_job(jobs, &jobs->list[jobs->told]);
}

/* --- running ------------------------------------------------------------------------ */

/* Starts all parts, as places become free. */
static void start_parts(struct jobs *jobs, struct job *job, struct verifier_team *team)
{
    struct job_parts *p = job->parts;
    job->state = BEGUN;
    while (verifier_team_has_room(team))
        if (!begin_part(jobs, job, team)) {
            p->all_begun = true;
            jobs->started++;
            if (p->ended == p->begun)
                parts_ended(jobs, job);
            return;
        }
}

static void start_some(struct jobs *jobs, struct verifier_team *team)
{
    while (jobs->started < jobs->queued && verifier_team_has_room(team)) {
        struct job *job = jobs->line[jobs->started];
        if (job->parts && !job->parts->all_begun) {
            start_parts(jobs, job, team);
            continue;
        }
        jobs->started++;
        job->state = BEGUN;
        begin_whole(jobs, job, team);
    }
}

static void verifier_run_jobs(struct jobs *jobs, struct verifier_team *team)
{
    while (jobs->told < jobs->count) {
        start_some(jobs, team);
        if (!verifier_team_is_empty(team))
            verifier_team_turn(team);
        tell_finished(jobs);
        invariant(2, jobs->told == jobs->count || jobs->started < jobs->queued ||
                     !verifier_team_is_empty(team));
    }
}

/* A track with children is replayed as a whole, since the children are verified with it. */
static void find_parts(struct jobs *jobs, struct job *job)
{
    struct verifier_parts *parts =
        job->parent || job->child ? NULL : verifier_parts_create(jobs->rec, job->track, cores());
    if (!parts)
        return;
    job->parts = xalloc(sizeof *job->parts);
    *job->parts = (struct job_parts){.parts = parts, .failed = ~(size_t)0,
                                     .lines = LIST(struct verifier_line *)};
}

static void jobs_init(struct jobs *jobs, const u32 *tracks)
{
    jobs->list = xalloc(jobs->count * sizeof *jobs->list);
    /* each can be in the line in parts, and as a whole */
    jobs->line = xalloc(2 * jobs->count * sizeof *jobs->line);
    for (size_t i = 0; i < jobs->count; i++)
        jobs->list[i] = (struct job){.track = tracks[i]};
    for (size_t i = 0; i < jobs->count; i++) {
        find_parent(jobs, &jobs->list[i]);
        if (!jobs->list[i].parent)
            queue(jobs, &jobs->list[i]);
    }
    find_children(jobs);
    for (size_t i = 0; i < jobs->count; i++)
        find_parts(jobs, &jobs->list[i]);
}

static void verifier_replay_jobs(const struct recording *rec, const u32 *tracks, size_t count,
                                 const char *settings, bool shows, verifier_told *told,
                                 void *context)
{
    struct jobs jobs = {.rec = rec, .count = count, .tell = told, .context = context,
                        .shows = shows};
    struct verifier_team_host host = {forks, lost, ended, &jobs};
    jobs_init(&jobs, tracks);
    struct verifier_team *team = verifier_team_create(rec, settings, cores(), &host);
    verifier_run_jobs(&jobs, team);
    verifier_team_destroy(team);
    free(jobs.line);
    free(jobs.list);
}

void verifier_replay_all(const struct recording *rec, const u32 *tracks, size_t count,
                         const char *settings, verifier_told *told, void *context)
{
    verifier_replay_jobs(rec, tracks, count, settings, false, told, context);
}

bool verifier_replay_parts(const struct recording *rec, u32 track, const char *settings,
                           verifier_told *told, void *context)
{
    struct verifier_parts *parts = verifier_parts_create(rec, track, cores());
    bool wanted = parts && (!*settings || verifier_parts_trimmed(parts));
    verifier_parts_destroy(parts);
    if (!wanted)
        return false;
    verifier_replay_jobs(rec, &track, 1, settings, true, told, context);
    return true;
}
