/* The line to an engine that replays a track: what it is fed, what it asks for, its verdict, and
 * what is said of all that at the end. */
#ifndef VERIFIER_LINE_H
#define VERIFIER_LINE_H

#include "base/error.h"
#include "base/types.h"
#include "log/engine_start.h"
#include "log/lineage.h"
#include "log/packets.h"
#include "log/replay_start.h"

struct replay_feed;

struct replay_line {
    const struct recording *rec;
    u32 track;
    struct lineage *events;
    struct replay_feed *feed; /* NULL: the engine has not said hello, or the line is closed */
    bool judged;
    struct channel_verdict verdict;
    struct error *err; /* nothing good can come of it: an engine that runs is to be killed */
    bool ours;         /* err is no fault of the recording */
    int wait_status;   /* how the engine ended, for the report: the caller fills it in */
};

struct replay_line *replay_line_create(const struct recording *rec, u32 track); /* `rec` is lent */
void replay_line_destroy(struct replay_line *l); /* accepts NULL */

/* Gives up, for this reason. */
void replay_line_fail(struct replay_line *l, struct error *err, bool ours);

/* What an engine is started as. */
struct replay_engine {
    struct engine_start start;
    struct replay_start from;
    char *settings;
};

/* For the track from the start of its program.  `settings` come behind those it was recorded with.
 * False: the outcome is there already, and there is no engine to be started.  Either way *ret is to
 * be given back. */
bool replay_line_prepare(struct replay_line *l, bool quiet, const char *settings,
                         struct replay_engine *ret);
void replay_engine_deinit(struct replay_engine *e);
/* For the track behind the fork it begins with, where the engine stands. */
void replay_line_prepare_branch(struct replay_line *l);

/* The engine has said hello, and its end of the line is `fd`, taken. `flags` are the welcome's. */
void replay_line_welcome(struct replay_line *l, const struct channel_hello *hello, int fd,
                         u32 flags);
/* To be polled for input; -1: none. */
int replay_line_socket(const struct replay_line *l);
/* Takes the next message, without waiting, and answers if that is all there is to it; else, of a
 * PACKET_GOT, *ret is for the caller. */
enum packet_result replay_line_hear(struct replay_line *l, union packet *ret);

/* The engine is no more: what it said before it went, and what was wrong with what it was fed. */
void replay_line_close(struct replay_line *l);
bool replay_line_reproduced(const struct replay_line *l);
bool replay_line_diverged(const struct replay_line *l);
/* What came of it, said and as a status.  Once. */
int replay_line_report(struct replay_line *l);

#endif
