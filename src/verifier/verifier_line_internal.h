/* The connection to an engine that replays a track: its events, its requests, its verdict, and the
 * outcome. */
#ifndef VERIFIER_LINE_INTERNAL_H
#define VERIFIER_LINE_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/engine_start.h"
#include "log/lineage.h"
#include "log/packets.h"
#include "log/replay_start.h"
#include "verifier/verifier.h"

struct verifier_feed;
struct verifier_cut;

struct verifier_line {
    const struct recording *rec;
    u32 track;
    bool is_part; /* a part of the track, between these: */
    struct verifier_cut *from, *to; /* owned elsewhere; NULL: beginning or end of the track */
    size_t part;       /* its number */
    int output, errors; /* files for the program's output, owned by the line; -1: it is not shown */
    struct lineage *events;
    struct verifier_feed *feed; /* NULL: the engine has not sent a hello, or the line is closed */
    bool judged;
    struct channel_verdict verdict;
    struct error *err; /* the replay has failed: a running engine is to be killed */
    bool ours;         /* err is not due to the recording */
    int wait_status;   /* how the engine ended: set by the caller */
};

/* The caller keeps `rec` open. */
struct verifier_line *verifier_line_create(const struct recording *rec, u32 track);
void verifier_line_destroy(struct verifier_line *l); /* accepts NULL */

/* Gives up for this reason. */
void verifier_line_fail(struct verifier_line *l, struct error *err, bool ours);

/* How an engine is started. */
struct verifier_engine {
    struct engine_start start;
    struct replay_start from;
    char *settings;
};

/* For a track from the start of its program. `settings` are added to those of the recording. False:
 * the outcome is already known, and no engine must be started. In both cases the caller frees
 * *ret. */
bool verifier_line_prepare(struct verifier_line *l, bool quiet, const char *settings,
                           struct verifier_engine *ret);
void verifier_engine_deinit(struct verifier_engine *e);
/* For a track that begins with a fork, where the engine has stopped. */
void verifier_line_prepare_forked(struct verifier_line *l);

/* The engine has sent a hello; takes ownership of `fd`, its end of the line. `flags` are for the
 * welcome. */
void verifier_line_welcome(struct verifier_line *l, const struct channel_hello *hello, int fd,
                           u32 flags);
/* The descriptor to poll for input; -1: none. */
int verifier_line_socket(const struct verifier_line *l);
/* Takes the next message, without waiting, and answers it if it can. Otherwise, for a PACKET_GOT,
 * *ret is for the caller. */
enum packet_result verifier_line_hear(struct verifier_line *l, union packet *ret);

/* The engine has ended: reads its last messages, and any error of the feed. */
void verifier_line_close(struct verifier_line *l);
bool verifier_line_reproduced(const struct verifier_line *l);
bool verifier_line_diverged(const struct verifier_line *l);
/* Returns the outcome; *ret points into the line. */
void verifier_line_outcome(const struct verifier_line *l, struct verifier_outcome *ret);

#endif
