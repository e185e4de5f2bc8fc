/* Functions of share.c for share_outside.c. Pages are addresses in this process, in a view. */
#ifndef ENGINE_SHARE_INTERNAL_H
#define ENGINE_SHARE_INTERNAL_H

#include "base/types.h"

struct share_object;

/* Keeps a copy of a page when the baton is given away. */
void share_keep_page(u64 page);
/* Logs what has changed in it since. False: nothing has, or no copy was kept. */
bool share_log_page(u64 page, bool in_call);
/* Logs all of it, in a call. */
void share_log_whole_page(u64 page);
/* Makes every view of the object watched (share_outside_watch). */
void share_watch_outside(const struct share_object *object);

#endif
