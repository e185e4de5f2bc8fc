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

/* Returns the folder's path, which the caller frees, and the most it may hold; NULL: nothing is
 * kept. */
char *kept_translations_path(u64 *ret_most);

#endif
