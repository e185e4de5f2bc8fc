/* A track from the beginning of its program on: what an engine is fed to replay it.  Hosted.
 *
 * A track that begins with a program is its own events.  A forked one begins in the middle of
 * its parent's run: before its own events come those of the parent up to the fork, and so on up
 * to the nearest ancestor that began with a program.
 */
#ifndef LOG_LINEAGE_H
#define LOG_LINEAGE_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"
#include "log/recording.h"

struct lineage;

/* `rec` is lent, until lineage_close.  With `quiet` the engine is told to show no output at all;
 * else it shows what the track itself printed. */
struct error *lineage_open(const struct recording *rec, u32 track, bool quiet,
                           struct lineage **ret);
/* A forked track's own events alone: for an engine that stands at the fork. */
struct error *lineage_open_own(const struct recording *rec, u32 track, struct lineage **ret);
void lineage_close(struct lineage *l); /* accepts NULL */

/* The ancestor that began with a program; often the track itself. */
u32 lineage_program(const struct lineage *l);

/* The next event, valid until the next call; NULL at the end. */
struct error *lineage_next(struct lineage *l, const struct event **ret);

/* Is the event that lineage_next gave last one of the track itself? */
bool lineage_own(const struct lineage *l);

/* At the end: NULL, or that and where the track was cut. */
const char *lineage_cut(const struct lineage *l);

#endif
