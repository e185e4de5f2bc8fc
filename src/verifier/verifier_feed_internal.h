/* A track on its way into a replaying engine: the ring, and the thread that fills it. */
#ifndef VERIFIER_FEED_INTERNAL_H
#define VERIFIER_FEED_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/lineage.h"

struct verifier_feed;
struct verifier_cut;

/* Answers an engine's hello on `socket`, its own, taken, and starts to feed what `events` (lent)
 * gives; `track` and `flags` are for the welcome.  With CHANNEL_INTERVAL it is the part of the
 * track between two cuts, lent; NULL: the beginning, the end. */
struct error *verifier_feed_create(struct lineage *events, u32 track, u32 flags, int socket,
                                   const struct verifier_cut *from, const struct verifier_cut *to,
                                   struct verifier_feed **ret);

int verifier_feed_socket(const struct verifier_feed *f);

/* Once the engine is gone, or has said its last: waits for the thread.  What was wrong with the
 * recording, or NULL.  Accepts NULL. */
struct error *verifier_feed_destroy(struct verifier_feed *f);

#endif
