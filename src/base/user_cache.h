/* Folders in the user's cache, whose content may be removed at any time: $XDG_CACHE_HOME/ebb, or
 * ~/.cache/ebb. Hosted. */
#ifndef BASE_USER_CACHE_H
#define BASE_USER_CACHE_H

#include "base/types.h"

/* Returns the path of the folder of this name there, which need not exist; the caller frees it.
 * NULL: there is no home directory. */
char *user_cache_path(const char *name);
/* Makes the folder, for this user alone, with those that contain it; false if that fails. */
bool user_cache_make(const char *path);

/* Returns the number of bytes that an environment variable gives, with K, M or G; 0 if it is no
 * number ("off"); `usual` if it is not set. */
u64 user_cache_bound(const char *variable, u64 usual);

struct user_cache_content {
    u64 files, bytes;
};

/* Counts what is in the folder, at any depth; with `remove` it is removed, too. */
struct user_cache_content user_cache_look(const char *path, bool remove);

#endif
