/* The folder of kept translations: see the header. Engines write the files, and remove the least
 * recently used; here they are only named, counted and cleared away. */
#include "log/kept_translations.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/user_cache.h"
#include "base/xalloc.h"

static const u64 MOST = 256ull << 20;

/* NULL: nothing is kept. A comma would end the setting. */
static char *kept_translations_path(u64 *ret_most)
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

struct kept_translations kept_translations_look(bool remove)
{
    struct kept_translations ret = {0};
    ret.path = kept_translations_path(&ret.most);
    DIR *folder = ret.path ? opendir(ret.path) : NULL;
    struct stat s;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        if (*e->d_name == '.' || fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        ret.files++;
        ret.bytes += (u64)s.st_blocks * 512;
        if (remove)
            unlinkat(dirfd(folder), e->d_name, 0);
    }
    if (folder)
        closedir(folder);
    return ret;
}
