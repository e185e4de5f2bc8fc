/* Looking at one event: is it well formed, what is in it.  Hosted. */
#ifndef LOG_EVENT_H
#define LOG_EVENT_H

#include "base/types.h"
#include "log/format.h"

/* NULL if the record at `e`, of which `available` bytes are there, is whole and its parts lie
 * within it; else what is wrong.  Kinds that are not known need only a valid size. */
const char *event_malformed(const struct event *e, u64 available);

/* Is it of a kind that is not known, and that must not be passed over? */
bool event_unknown(const struct event *e);

/* "syscall", ...; "kind-32845" for one that is not known (a buffer that the next call reuses). */
const char *event_name(u16 kind);

/* "memory", ...; likewise. */
const char *event_piece_name(u32 kind);

/* The pieces of a well-formed START, SYSCALL or DATA event, one after the other:
 *
 *     for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));)
 *
 * The bytes are at p + 1. */
const struct event_piece *event_next_piece(const struct event *e, const struct event_piece *before);

/* A signal that its instruction raises again by itself? */
bool event_is_fault(const struct event *e);
/* Does an engine count it among the events that it meets?  Notes, execs, what may be passed over,
 * and faults it does not. */
bool event_is_met(const struct event *e);

/* How many have been met after it, if `met` have before it.  So it is also after the context of a
 * track that was trimmed. */
u64 event_count_met(u64 met, const struct event *e);

/* The arguments of a well-formed SYSCALL. */
const u64 *event_arguments(const struct event *e);

#endif
