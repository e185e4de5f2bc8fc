/* Feeds a track to a replaying engine: the ring, and the thread that fills it. */
#ifndef VERIFIER_FEED_INTERNAL_H
#define VERIFIER_FEED_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/lineage.h"

struct verifier_feed;
struct verifier_cut;

/* Answers an engine's hello on `socket`, its own, and starts to feed `events`; `track` and `flags`
 * are for the welcome. Takes ownership of the socket; the caller keeps `events`. With
 * CHANNEL_INTERVAL, feeds the part of the track between two cuts, which the caller keeps; NULL: the
 * beginning or end of the track. */
struct error *verifier_feed_create(struct lineage *events, u32 track, u32 flags, int socket,
                                   const struct verifier_cut *from, const struct verifier_cut *to,
                                   struct verifier_feed **ret);

int verifier_feed_socket(const struct verifier_feed *f);

/* Called once the engine is gone, or has sent its verdict: waits for the thread. Returns what was
 * wrong with the recording, or NULL. Accepts NULL. */
struct error *verifier_feed_destroy(struct verifier_feed *f);

#endif
