/* Engines that replay many tracks at a time, out of sight: some are started, others are copies that
 * those make of themselves where the program forked (log/channel.h). */
#ifndef VERIFIER_TEAM_H
#define VERIFIER_TEAM_H

#include <stddef.h>

#include "base/types.h"
#include "log/recording.h"
#include "verifier/verifier_line.h"

/* Who wants to know; all of them get `context`. */
struct replay_team_host {
    /* `track` forks at this moment: the track that begins there, if it is to be replayed now. */
    bool (*forks)(void *context, u32 track, u64 tick, u64 pc, u32 *ret);
    /* A track that began by that could not be begun: no copy was made. */
    void (*lost)(void *context, u32 track);
    /* The replay of a track is over.  `line`, which is closed, and `said`, what the engine wrote to
     * stderr (NULL: nothing), are the host's now. */
    void (*ended)(void *context, struct replay_line *line, char *said);
    void *context;
};

struct replay_team;

/* At most `most` of them run at a time.  `rec`, `settings` and `host` are lent. */
struct replay_team *replay_team_create(const struct recording *rec, const char *settings,
                                       size_t most, const struct replay_team_host *host);
void replay_team_destroy(struct replay_team *team); /* no engine is left */

/* Replays a track from the start of its program; may have ended on return. */
void replay_team_start(struct replay_team *team, u32 track);

/* Would one more have a core to itself? */
bool replay_team_has_room(const struct replay_team *team);
bool replay_team_is_empty(const struct replay_team *team);

/* Waits until something happens, and sees to it. */
void replay_team_turn(struct replay_team *team);

#endif
