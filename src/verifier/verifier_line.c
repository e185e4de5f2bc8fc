/* The connection to an engine that replays a track: see the header.
 *
 * Events go through a ring that a thread fills (verifier_feed.c); this file handles the other
 * messages and the outcome. Only a verdict on the whole track, with all events read without an
 * error, counts as success.
 */
#include "verifier/verifier_line_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/engine_locate.h"
#include "log/recording_file.h"
#include "verifier/verifier_feed_internal.h"
#include "verifier/verifier_parts_internal.h"

struct verifier_line *verifier_line_create(const struct recording *rec, u32 track)
{
    struct verifier_line *l = xalloc(sizeof *l);
    *l = (struct verifier_line){.rec = rec, .track = track, .output = -1, .errors = -1};
    return l;
}

void verifier_line_destroy(struct verifier_line *l)
{
    if (!l)
        return;
    verifier_line_close(l);
    error_destroy(l->err);
    if (l->errors >= 0 && l->errors != l->output)
        close(l->errors);
    if (l->output >= 0)
        close(l->output);
    free(l);
}

void verifier_line_fail(struct verifier_line *l, struct error *err, bool ours)
{
    if (l->err) {
        error_destroy(err); /* the first error counts */
        return;
    }
    l->err = err;
    l->ours = ours;
}

/* Starting */

static struct error *open_events(struct verifier_line *l, bool quiet, struct replay_start *start)
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

static struct error *verifier_engine_complete(struct verifier_engine *e, const char *more)
{
    const char *recorded = e->from.settings;
    e->settings = xformat("%s%s%s", recorded, *recorded && *more ? "," : "", more);
    e->start = (struct engine_start){.program = e->from.path, .argc = e->from.argc,
                                     .argv = e->from.argv, .settings = e->settings};
    return engine_locate(&e->start.engine);
}

bool verifier_line_prepare(struct verifier_line *l, bool quiet, const char *settings,
                           struct verifier_engine *ret)
{
    *ret = (struct verifier_engine){0};
    struct error *err = open_events(l, quiet, &ret->from);
    if (err) {
        verifier_line_fail(l, err, false);
    } else if (!ret->from.path) { /* a track without events: there is nothing to reproduce */
        l->judged = true;
        l->verdict.verdict = CHANNEL_REPRODUCED;
    } else if ((err = verifier_engine_complete(ret, settings))) {
        verifier_line_fail(l, err, true);
    }
    return !l->err && !l->judged;
}

void verifier_engine_deinit(struct verifier_engine *e)
{
    replay_start_deinit(&e->from);
    free(e->start.engine);
    free(e->settings);
}

void verifier_line_prepare_forked(struct verifier_line *l)
{
    struct error *err = lineage_open_own(l->rec, l->track, &l->events);
    if (err)
        verifier_line_fail(l, err, false);
}

/* Talking */

void verifier_line_welcome(struct verifier_line *l, const struct channel_hello *hello, int fd,
                           u32 flags)
{
    if (l->feed || l->err || hello->version != CHANNEL_VERSION) {
        close(fd);
        return;
    }
    flags |= l->is_part || l->from ? CHANNEL_INTERVAL : 0;
    struct error *err =
        verifier_feed_create(l->events, l->track, flags, fd, l->from, l->to, &l->feed);
    if (err)
        verifier_line_fail(l, err, false);
}

int verifier_line_socket(const struct verifier_line *l)
{
    return l->feed ? verifier_feed_socket(l->feed) : -1;
}

/* Sends a file to an engine that maps it. If it is damaged, gone or changed, the replay ends. */
static void verifier_answer_fetch(struct verifier_line *l, const struct channel_fetch *fetch)
{
    struct channel_kept kept = {.copy = fetch->copy};
    int fd = -1;
    if (!l->err)
        l->err = recording_file_fetch(l->rec, fetch, &fd);
    kept.error = l->err ? EBADMSG : 0;
    packet_send(verifier_feed_socket(l->feed), &kept.message, CHANNEL_KEPT, sizeof kept, fd);
    if (fd >= 0)
        close(fd);
}

static void take_verdict(struct verifier_line *l, const struct channel_verdict *verdict)
{
    l->verdict = *verdict;
    l->verdict.recorded[CHANNEL_VERDICT_TEXT - 1] = '\0';
    l->verdict.happened[CHANNEL_VERDICT_TEXT - 1] = '\0';
    l->judged = true;
}

enum packet_result verifier_line_hear(struct verifier_line *l, union packet *ret)
{
    int fd;
    enum packet_result result = packet_receive(verifier_feed_socket(l->feed), ret, &fd);
    if (fd >= 0)
        close(fd);
    if (result == PACKET_GOT && ret->message.kind == CHANNEL_FETCH)
        verifier_answer_fetch(l, &ret->fetch);
    if (result == PACKET_GOT && ret->message.kind == CHANNEL_VERDICT)
        take_verdict(l, &ret->verdict);
    return result;
}

/* The end */

static bool hear_more(struct verifier_line *l)
{
    union packet packet;
    enum packet_result result = verifier_line_hear(l, &packet);
    return result == PACKET_GOT || result == PACKET_MALFORMED;
}

void verifier_line_close(struct verifier_line *l)
{
    while (l->feed && hear_more(l)) {
        /* messages sent before it ended */
    }
    struct error *err = verifier_feed_destroy(l->feed);
    l->feed = NULL;
    if (err)
        verifier_line_fail(l, err, false);
    lineage_close(l->events);
    l->events = NULL;
}

bool verifier_line_diverged(const struct verifier_line *l)
{
    return l->judged && l->verdict.verdict == CHANNEL_DIVERGED;
}

/* An engine that reached the end of its events need not have reached the end of its part. */
static bool verifier_line_came_to_end(const struct verifier_line *l)
{
    const struct channel_verdict *v = &l->verdict;
    const struct snapshot_about *to = l->to ? &l->to->stored->about : NULL;
    return !to || (v->tick == to->tick && v->pc == to->pc && v->event == to->events_met);
}

bool verifier_line_reproduced(const struct verifier_line *l)
{
    return l->judged && l->verdict.verdict == CHANNEL_REPRODUCED && !l->err &&
           verifier_line_came_to_end(l);
}

static enum verifier_result verifier_result_of(const struct verifier_line *l)
{
    if (verifier_line_diverged(l))
        return VERIFIER_DIVERGED;
    if (l->err)
        return l->ours ? VERIFIER_FAILED : VERIFIER_UNREADABLE;
    if (!l->judged)
        return VERIFIER_SILENT;
    return l->verdict.verdict == CHANNEL_REPRODUCED ? VERIFIER_REPRODUCED : VERIFIER_UNABLE;
}

void verifier_line_outcome(const struct verifier_line *l, struct verifier_outcome *ret)
{
    const struct channel_verdict *v = &l->verdict;
    *ret = (struct verifier_outcome){
        .rec = l->rec, .track = l->track, .result = verifier_result_of(l),
        .tick = v->tick, .pc = v->pc, .thread = v->thread, .events = v->event,
        .recorded = v->recorded, .happened = v->happened,
        .err = l->err, .wait_status = l->wait_status,
    };
}
