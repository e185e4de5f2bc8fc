/* The line to an engine that replays a track: what it is fed, what it asks for, its verdict, and
 * what came of all that. */
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
    bool is_part; /* of the track, between these: */
    struct verifier_cut *from, *to; /* lent; NULL: its beginning, its end */
    size_t part;       /* its number */
    int output, errors; /* files for what the program prints, the line's; -1: it is not shown */
    struct lineage *events;
    struct verifier_feed *feed; /* NULL: the engine has not said hello, or the line is closed */
    bool judged;
    struct channel_verdict verdict;
    struct error *err; /* nothing good can come of it: an engine that runs is to be killed */
    bool ours;         /* err is no fault of the recording */
    int wait_status;   /* how the engine ended: the caller fills it in */
};

/* `rec` is lent. */
struct verifier_line *verifier_line_create(const struct recording *rec, u32 track);
void verifier_line_destroy(struct verifier_line *l); /* accepts NULL */

/* Gives up, for this reason. */
void verifier_line_fail(struct verifier_line *l, struct error *err, bool ours);

/* What an engine is started as. */
struct verifier_engine {
    struct engine_start start;
    struct replay_start from;
    char *settings;
};

/* For the track from the start of its program. `settings` come after those it was recorded with.
 * False: the outcome is known already, and no engine must be started. In both cases the caller
 * gives *ret back. */
bool verifier_line_prepare(struct verifier_line *l, bool quiet, const char *settings,
                           struct verifier_engine *ret);
void verifier_engine_deinit(struct verifier_engine *e);
/* For the track that begins with a fork, at which the engine has stopped. */
void verifier_line_prepare_forked(struct verifier_line *l);

/* The engine has said hello, and its end of the line is `fd`, taken. `flags` are the welcome's. */
void verifier_line_welcome(struct verifier_line *l, const struct channel_hello *hello, int fd,
                           u32 flags);
/* To be polled for input; -1: none. */
int verifier_line_socket(const struct verifier_line *l);
/* Takes the next message, without waiting, and answers if that is all there is to it; else, of a
 * PACKET_GOT, *ret is for the caller. */
enum packet_result verifier_line_hear(struct verifier_line *l, union packet *ret);

/* The engine is no more: what it said before it went, and what was wrong with what it was fed. */
void verifier_line_close(struct verifier_line *l);
bool verifier_line_reproduced(const struct verifier_line *l);
bool verifier_line_diverged(const struct verifier_line *l);
/* What came of it; *ret points into the line. */
void verifier_line_outcome(const struct verifier_line *l, struct verifier_outcome *ret);

#endif
