/* Checks and reads single events. Hosted. */
#ifndef LOG_EVENT_H
#define LOG_EVENT_H

#include "base/types.h"
#include "log/format.h"

/* Checks the record at `e`, of which `available` bytes are there. Returns NULL if it is complete
 * and its parts lie within it, otherwise what is wrong. Unknown kinds need only a valid size. */
const char *event_malformed(const struct event *e, u64 available);

/* True for an unknown kind that must not be skipped. */
bool event_unknown(const struct event *e);

/* "syscall", ...; "kind-32845" for an unknown one (in a buffer that the next call reuses). */
const char *event_name(u16 kind);

/* "memory", ...; likewise. */
const char *event_piece_name(u32 kind);

/* Iterates over the pieces of a well-formed START, SYSCALL or DATA event:
 *
 *     for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));)
 *
 * The bytes are at p + 1. */
const struct event_piece *event_next_piece(const struct event *e, const struct event_piece *before);

/* True for a signal that its instruction raises again by itself in a replay. */
bool event_is_fault(const struct event *e);
/* True if an engine counts the event among those that it meets. Notes, execs, optional events and
 * faults do not count. */
bool event_is_met(const struct event *e);

/* Returns the number of events met after `e`, if `met` were met before it. A TRIMMED event sets the
 * number, which is then that after its context. */
u64 event_count_met(u64 met, const struct event *e);

/* The arguments of a well-formed SYSCALL. */
const u64 *event_arguments(const struct event *e);

#endif
