/* Finds the programs that belong to ebb: next to it in a build directory, or in libexec when
 * installed. */
#include "log/engine_locate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/types.h"
#include "base/xalloc.h"
#include "log/channel.h"

static const char *const places[] = {"", "/../libexec/ebb"};

/* Returns the directory of the running ebb. Without /proc, uses the name with which it was
 * started. */
static char *own_directory(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) {
        const char *started = (const char *)getauxval(AT_EXECFN);
        length = started ? (ssize_t)strnlen(started, sizeof path - 1) : 0;
        memcpy(path, started ? started : "", (size_t)length);
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return xformat(".");
    *slash = '\0';
    return xformat("%s", path);
}

struct error *companion_locate(const char *name, char **ret)
{
    char *directory = own_directory();
    for (size_t i = 0; i < countof(places); i++) {
        char *path = xformat("%s%s/%s", directory, places[i], name);
        if (access(path, X_OK) == 0) {
            free(directory);
            *ret = path;
            return NULL;
        }
        free(path);
    }
    struct error *err = error_new("there is no %s in %s or in %s/../libexec/ebb", name, directory,
                                  directory);
    free(directory);
    return err;
}

struct error *engine_locate(char **ret)
{
    return companion_locate(CHANNEL_ENGINE_NAME, ret);
}
