/* The line to an engine that replays a track: see the header.
 *
 * Events go through a ring that a thread fills (verifier_feed.c); this is about the messages beside
 * it and about what becomes of the replay.  Only a verdict on the whole track, fed to its end
 * without fault, counts as success.
 */
#include "verifier/verifier_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/xalloc.h"
#include "log/engine_locate.h"
#include "log/recording_file.h"
#include "verifier/verifier_feed.h"

struct replay_line *replay_line_create(const struct recording *rec, u32 track)
{
    struct replay_line *l = xalloc(sizeof *l);
    *l = (struct replay_line){.rec = rec, .track = track};
    return l;
}

void replay_line_destroy(struct replay_line *l)
{
    if (!l)
        return;
    replay_line_close(l);
    error_destroy(l->err);
    free(l);
}

void replay_line_fail(struct replay_line *l, struct error *err, bool ours)
{
    if (l->err) {
        error_destroy(err); /* what came of the first */
        return;
    }
    l->err = err;
    l->ours = ours;
}

/* Starting */

static struct error *open_events(struct replay_line *l, bool quiet, struct replay_start *start)
{
    struct reader *first;
    struct error *err = lineage_open(l->rec, l->track, quiet, &l->events);
    if (!err)
        err = recording_open_track(l->rec, lineage_program(l->events), &first);
    if (err)
        return err;
    err = replay_start_init(start, first);
    reader_close(first);
    return err;
}

static struct error *complete(struct replay_engine *e, const char *more)
{
    const char *recorded = e->from.settings;
    e->settings = xformat("%s%s%s", recorded, *recorded && *more ? "," : "", more);
    e->start = (struct engine_start){.program = e->from.path, .argc = e->from.argc,
                                     .argv = e->from.argv, .settings = e->settings};
    return engine_locate(&e->start.engine);
}

bool replay_line_prepare(struct replay_line *l, bool quiet, const char *settings,
                         struct replay_engine *ret)
{
    *ret = (struct replay_engine){0};
    struct error *err = open_events(l, quiet, &ret->from);
    if (err) {
        replay_line_fail(l, err, false);
    } else if (!ret->from.path) { /* a track without events: there is nothing to reproduce */
        l->judged = true;
        l->verdict.verdict = CHANNEL_REPRODUCED;
    } else if ((err = complete(ret, settings))) {
        replay_line_fail(l, err, true);
    }
    return !l->err && !l->judged;
}

void replay_engine_deinit(struct replay_engine *e)
{
    replay_start_deinit(&e->from);
    free(e->start.engine);
    free(e->settings);
}

void replay_line_prepare_branch(struct replay_line *l)
{
    struct error *err = lineage_open_branch(l->rec, l->track, &l->events);
    if (err)
        replay_line_fail(l, err, false);
}

/* Talking */

void replay_line_welcome(struct replay_line *l, const struct channel_hello *hello, int fd,
                         u32 flags)
{
    if (l->feed || l->err || hello->version != CHANNEL_VERSION) {
        close(fd);
        return;
    }
    struct error *err = replay_feed_create(l->events, l->track, flags, fd, &l->feed);
    if (err)
        replay_line_fail(l, err, false);
}

int replay_line_socket(const struct replay_line *l)
{
    return l->feed ? replay_feed_socket(l->feed) : -1;
}

/* A file for an engine that maps it.  One that is damaged, gone or changed ends the replay. */
static void answer_fetch(struct replay_line *l, const struct channel_fetch *fetch)
{
    struct channel_kept kept = {.copy = fetch->copy};
    int fd = -1;
    if (!l->err)
        l->err = recording_file_fetch(l->rec, fetch, &fd);
    kept.error = l->err ? EBADMSG : 0;
    packet_send(replay_feed_socket(l->feed), &kept.message, CHANNEL_KEPT, sizeof kept, fd);
    if (fd >= 0)
        close(fd);
}

static void take_verdict(struct replay_line *l, const struct channel_verdict *verdict)
{
    l->verdict = *verdict;
    l->verdict.recorded[CHANNEL_VERDICT_TEXT - 1] = '\0';
    l->verdict.happened[CHANNEL_VERDICT_TEXT - 1] = '\0';
    l->judged = true;
}

enum packet_result replay_line_hear(struct replay_line *l, union packet *ret)
{
    int fd;
    enum packet_result result = packet_receive(replay_feed_socket(l->feed), ret, &fd);
    if (fd >= 0)
        close(fd);
    if (result == PACKET_GOT && ret->message.kind == CHANNEL_FETCH)
        answer_fetch(l, &ret->fetch);
    if (result == PACKET_GOT && ret->message.kind == CHANNEL_VERDICT)
        take_verdict(l, &ret->verdict);
    return result;
}

/* The end */

static bool hear_more(struct replay_line *l)
{
    union packet packet;
    enum packet_result result = replay_line_hear(l, &packet);
    return result == PACKET_GOT || result == PACKET_MALFORMED;
}

void replay_line_close(struct replay_line *l)
{
    while (l->feed && hear_more(l)) {
        /* what it said before it went */
    }
    struct error *err = replay_feed_destroy(l->feed);
    l->feed = NULL;
    if (err)
        replay_line_fail(l, err, false);
    lineage_close(l->events);
    l->events = NULL;
}

bool replay_line_diverged(const struct replay_line *l)
{
    return l->judged && l->verdict.verdict == CHANNEL_DIVERGED;
}

bool replay_line_reproduced(const struct replay_line *l)
{
    return l->judged && l->verdict.verdict == CHANNEL_REPRODUCED && !l->err;
}

static int report_divergence(const struct replay_line *l)
{
    const struct channel_verdict *v = &l->verdict;
    complain(0, "track %u: the replay differs at %llu:0x%llx, thread %u, after %llu events",
             l->track, (unsigned long long)v->tick, (unsigned long long)v->pc, v->thread,
             (unsigned long long)v->event);
    complain(0, "  recorded: %s", v->recorded);
    return complain(CHANNEL_EXIT_DIVERGED, "  happened: %s", v->happened);
}

static int report_error(struct replay_line *l)
{
    struct error *err = l->err;
    l->err = NULL;
    if (l->ours)
        return error_complain(err, CHANNEL_EXIT_OURS);
    return error_complain(error_within(err, "%s", l->rec->path), 1);
}

static int report_silence(const struct replay_line *l)
{
    if (WIFSIGNALED(l->wait_status))
        return complain(CHANNEL_EXIT_OURS, "track %u: the replay died by signal %d (%s)", l->track,
                        WTERMSIG(l->wait_status), strsignal(WTERMSIG(l->wait_status)));
    return complain(CHANNEL_EXIT_OURS, "track %u: the replay ended with status %d and no verdict",
                    l->track, WEXITSTATUS(l->wait_status));
}

int replay_line_report(struct replay_line *l)
{
    if (replay_line_diverged(l))
        return report_divergence(l);
    if (l->err)
        return report_error(l);
    if (!l->judged)
        return report_silence(l);
    if (l->verdict.verdict == CHANNEL_REPRODUCED)
        return 0;
    return complain(1, "track %u cannot be replayed: %s", l->track, l->verdict.happened);
}
