/* Hidden engines that replay many tracks in parallel: some are started, others are copies that
 * these make of themselves where the program forked (log/channel.h). */
#ifndef VERIFIER_TEAM_INTERNAL_H
#define VERIFIER_TEAM_INTERNAL_H

#include <stddef.h>

#include "base/types.h"
#include "log/recording.h"
#include "verifier/verifier_line_internal.h"

/* Functions of the host; all of them get `context`. */
struct verifier_team_host {
    /* `track` forks at this moment. Returns true and the track that begins there, if it is to be
     * replayed now. */
    bool (*forks)(void *context, u32 track, u64 tick, u64 pc, u32 *ret);
    /* A track of `forks` could not be started: no copy was made. */
    void (*lost)(void *context, u32 track);
    /* The replay of a track has ended. The host now owns `line`, which is closed, and `said`, what
     * the engine wrote to stderr (NULL: nothing). */
    void (*ended)(void *context, struct verifier_line *line, char *said);
    void *context;
};

struct verifier_team;

/* At most `most` of them run at a time. The caller keeps `rec`, `settings` and `host`. */
struct verifier_team *verifier_team_create(const struct recording *rec, const char *settings,
                                           size_t most, const struct verifier_team_host *host);
void verifier_team_destroy(struct verifier_team *team); /* returns when no engine is left */

/* Replays a track from the start of its program; may have ended on return. */
void verifier_team_start(struct verifier_team *team, u32 track);
/* The same for a line, of which it takes ownership; it may be a part of a track, and may show
 * output. */
void verifier_team_start_line(struct verifier_team *team, struct verifier_line *line);

/* True if one more would have its own core. */
bool verifier_team_has_room(const struct verifier_team *team);
bool verifier_team_is_empty(const struct verifier_team *team);

/* verifier_all.c: replays one track in parts, with its output; false: it has no parts. */
bool verifier_replay_parts(const struct recording *rec, u32 track, const char *settings,
                           verifier_told *told, void *context);

/* Waits until something happens, and handles it. */
void verifier_team_turn(struct verifier_team *team);

#endif
