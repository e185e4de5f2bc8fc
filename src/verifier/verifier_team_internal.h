/* Engines that replay many tracks at a time, out of sight: some are started, others are copies that
 * those make of themselves where the program forked (log/channel.h). */
#ifndef VERIFIER_TEAM_INTERNAL_H
#define VERIFIER_TEAM_INTERNAL_H

#include <stddef.h>

#include "base/types.h"
#include "log/recording.h"
#include "verifier/verifier_line_internal.h"

/* Who wants to know; all of them get `context`. */
struct verifier_team_host {
    /* `track` forks at this moment: the track that begins there, if it is to be replayed now. */
    bool (*forks)(void *context, u32 track, u64 tick, u64 pc, u32 *ret);
    /* A track that began by that could not be begun: no copy was made. */
    void (*lost)(void *context, u32 track);
    /* The replay of a track is over.  `line`, which is closed, and `said`, what the engine wrote to
     * stderr (NULL: nothing), are the host's now. */
    void (*ended)(void *context, struct verifier_line *line, char *said);
    void *context;
};

struct verifier_team;

/* At most `most` of them run at a time.  `rec`, `settings` and `host` are lent. */
struct verifier_team *verifier_team_create(const struct recording *rec, const char *settings,
                                           size_t most, const struct verifier_team_host *host);
void verifier_team_destroy(struct verifier_team *team); /* no engine is left */

/* Replays a track from the start of its program; may have ended on return. */
void verifier_team_start(struct verifier_team *team, u32 track);
/* The same for a line, taken, that may be of a part of a track, and may be shown. */
void verifier_team_start_line(struct verifier_team *team, struct verifier_line *line);

/* Would one more have a core to itself? */
bool verifier_team_has_room(const struct verifier_team *team);
bool verifier_team_is_empty(const struct verifier_team *team);

/* verifier_all.c: one track in parts, with what it prints; false: it has none. */
bool verifier_replay_parts(const struct recording *rec, u32 track, const char *settings,
                           verifier_told *told, void *context);

/* Waits until something happens, and sees to it. */
void verifier_team_turn(struct verifier_team *team);

#endif
