/* Folders in the user's cache: see user_cache.h. */
#include "base/user_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/home_directory.h"
#include "base/xalloc.h"

char *user_cache_path(const char *name)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/')
        return xformat("%s/ebb/%s", cache, name);
    const char *home = home_directory();
    return home ? xformat("%s/.cache/ebb/%s", home, name) : NULL;
}

bool user_cache_make(const char *path)
{
    char *copy = xformat("%s/", path);
    bool good = true;
    for (char *slash = strchr(copy + 1, '/'); slash && good; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        good = mkdir(copy, 0700) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return good;
}

u64 user_cache_bound(const char *variable, u64 usual)
{
    const char *given = getenv(variable);
    char *end;
    if (!given || !*given)
        return usual;
    u64 bytes = strtoull(given, &end, 10);
    const char *unit = *end ? strchr("KMG", *end) : NULL;
    if (end == given)
        return 0; /* off */
    return unit ? bytes << 10 * (unit - "KMG" + 1) : bytes;
}

struct user_cache_content user_cache_look(const char *path, bool remove)
{
    struct user_cache_content ret = {0};
    struct stat s;
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISDIR(s.st_mode)) {
            char *inner = xformat("%s/%s", path, e->d_name);
            struct user_cache_content more = user_cache_look(inner, remove);
            ret.files += more.files;
            ret.bytes += more.bytes;
            free(inner);
        } else {
            ret.files++;
            ret.bytes += (u64)s.st_blocks * 512;
        }
        if (remove)
            unlinkat(dirfd(folder), e->d_name, S_ISDIR(s.st_mode) ? AT_REMOVEDIR : 0);
    }
    if (folder)
        closedir(folder);
    return ret;
}
