/* Every track, as many at a time as there are cores.
 *
 * A track that began with a program is started; one that was forked is reached in the replay of
 * its parent, by a copy of that engine (verifier_team.c), so that every event is replayed once.
 * What could not be copied is replayed by itself, through its parent's events up to the fork;
 * unless the parent's replay has shown that these differ.
 *
 *     waiting --start_some, forks--> begun --ended--> done --tell_finished--> told
 *        ^                             |               ^
 *        +------------ lost -----------+               |
 *        +------ the parent differs before that -------+
 *
 * Outcomes are told in the order of the tracks: each waits until those before it have been told.
 *
 * Invariants
 *   (1) A parent is before its children: tracks are numbered as they begin.
 *   (2) A track that waits is in the line, or its parent is not done.
 */
#include <sched.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "verifier/verifier.h"
#include "verifier/verifier_team_internal.h"

struct job {
    u32 track;
    struct job *parent;       /* that it was forked by; NULL: it has to be started */
    struct job *child;        /* of those forked by it that may still be reached, the first */
    struct job *sibling;      /* and the next */
    u64 tick, pc;             /* of the fork */
    enum { WAITING, BEGUN, DONE } state;
    struct verifier_line *line; /* what came of it; NULL: it was reproduced, or not reached */
    struct job *differs;      /* not reached, because this one's replay differs before */
    char *said;               /* by the engine; may be NULL */
};

struct jobs {
    const struct recording *rec;
    struct job *list;
    size_t count, told;
    struct job **line; /* to be started, in that order */
    size_t queued, started;
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
    invariant(2, jobs->queued < jobs->count);
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

/* Its own children are not reached, either. */
static void give_up(struct job *job, struct job *differs)
{
    job->state = DONE;
    job->differs = differs;
    for (struct job *child; (child = job->child);) {
        job->child = child->sibling;
        give_up(child, differs);
    }
}

/* The same events would come to the same difference again. */
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

static void ended(void *context, struct verifier_line *line, char *said)
{
    struct job *job = verifier_find_job(context, line->track);
    job->state = DONE;
    job->said = said;
    see_to_children(context, job, line);
    if (verifier_line_reproduced(line))
        verifier_line_destroy(line); /* there may be thousands that wait for the first to be told */
    else
        job->line = line;
}

/* --- telling ------------------------------------------------------------------------ */

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
    jobs->tell(jobs->context, &outcome);
    jobs->told++;
    verifier_line_destroy(job->line);
    free(job->said);
}

static void tell_finished(struct jobs *jobs)
{
    while (jobs->told < jobs->count && jobs->list[jobs->told].state == DONE)
        verifier_tell_job(jobs, &jobs->list[jobs->told]);
}

/* --- running ------------------------------------------------------------------------ */

static void start_some(struct jobs *jobs, struct verifier_team *team)
{
    while (jobs->started < jobs->queued && verifier_team_has_room(team)) {
        struct job *job = jobs->line[jobs->started++];
        job->state = BEGUN;
        verifier_team_start(team, job->track);
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

static void jobs_init(struct jobs *jobs, const u32 *tracks)
{
    jobs->list = xalloc(jobs->count * sizeof *jobs->list);
    jobs->line = xalloc(jobs->count * sizeof *jobs->line);
    for (size_t i = 0; i < jobs->count; i++)
        jobs->list[i] = (struct job){.track = tracks[i]};
    for (size_t i = 0; i < jobs->count; i++) {
        find_parent(jobs, &jobs->list[i]);
        if (!jobs->list[i].parent)
            queue(jobs, &jobs->list[i]);
    }
    find_children(jobs);
}

void verifier_replay_all(const struct recording *rec, const u32 *tracks, size_t count,
                         const char *settings, verifier_told *told, void *context)
{
    struct jobs jobs = {.rec = rec, .count = count, .tell = told, .context = context};
    struct verifier_team_host host = {forks, lost, ended, &jobs};
    jobs_init(&jobs, tracks);
    struct verifier_team *team = verifier_team_create(rec, settings, cores(), &host);
    verifier_run_jobs(&jobs, team);
    verifier_team_destroy(team);
    free(jobs.line);
    free(jobs.list);
}
