/* A track from the beginning of its program: the events that an engine needs to replay it. Hosted.
 *
 * For a track that begins with a program, these are its own events. A forked track begins in the
 * middle of its parent's run: the parent's events up to the fork come first, and so on up to the
 * nearest ancestor that began with a program.
 */
#ifndef LOG_LINEAGE_H
#define LOG_LINEAGE_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"
#include "log/recording.h"

struct lineage;

/* The caller keeps `rec` open until lineage_close. With `quiet` the engine shows no output at all;
 * otherwise it shows what the track itself printed. */
struct error *lineage_open(const struct recording *rec, u32 track, bool quiet,
                           struct lineage **ret);
/* Only the own events of a forked track: for an engine that stands at the fork. */
struct error *lineage_open_own(const struct recording *rec, u32 track, struct lineage **ret);
void lineage_close(struct lineage *l); /* accepts NULL */

/* Returns the ancestor that began with a program; often the track itself. */
u32 lineage_program(const struct lineage *l);

/* The next event, valid until the next call; NULL at the end. */
struct error *lineage_next(struct lineage *l, const struct event **ret);

/* True if the last event of lineage_next belongs to the track itself. */
bool lineage_own(const struct lineage *l);

/* At the end: NULL, or a text that says where the track was cut off. */
const char *lineage_cut(const struct lineage *l);

#endif
