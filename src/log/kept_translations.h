/* The folder in which engines keep translations for one another (engine/translate/kept.h):
 * CACHE/translations, CACHE as in base/user_cache.h. Hosted.
 *
 * $EBB_TRANSLATIONS is the most it may hold, in bytes, with K, M or G; or `off`: nothing is kept or
 * used.
 */
#ifndef LOG_KEPT_TRANSLATIONS_H
#define LOG_KEPT_TRANSLATIONS_H

#include "base/types.h"

/* Makes the folder, and returns the settings that an engine needs for it, which the caller frees;
 * NULL: nothing is kept. */
char *kept_translations_settings(void);

struct kept_translations {
    char *path; /* the caller frees it; NULL: nothing is kept */
    u64 files, bytes, most;
};

/* What is there; with `remove` everything is removed, and this is what was there. */
struct kept_translations kept_translations_look(bool remove);

#endif
