/* The folder of kept translations: see the header. Engines write the files, and remove the least
 * recently used. */
#include "log/kept_translations.h"

#include <stdlib.h>
#include <string.h>

#include "base/user_cache.h"
#include "base/xalloc.h"

static const u64 MOST = 256ull << 20;

/* A comma would end the setting. */
char *kept_translations_path(u64 *ret_most)
{
    *ret_most = user_cache_bound("EBB_TRANSLATIONS", MOST);
    char *path = *ret_most ? user_cache_path("translations") : NULL;
    if (path && *path == '/' && !strchr(path, ','))
        return path;
    free(path);
    return NULL;
}

char *kept_translations_settings(void)
{
    u64 most;
    char *path = kept_translations_path(&most);
    char *ret = path && user_cache_make(path)
                    ? xformat("kept=%s,keptmost=%llu", path, (unsigned long long)most)
                    : NULL;
    free(path);
    return ret;
}
