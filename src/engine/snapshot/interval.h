/* An interval of a track: a replay that begins at one snapshot and ends at another (log/channel.h).
 */
#ifndef ENGINE_INTERVAL_H
#define ENGINE_INTERVAL_H

/* The track has been opened: takes the bounds that follow its welcome. */
void interval_start(void);

#endif
