/* Finds a program in PATH, like a shell.
 *
 * A name with a slash is a path. Any other is tried in each directory of PATH; directories and
 * missing files are skipped. If only a file without execute permission is found, the error is "not
 * executable" rather than "not found".
 *
 * The engine, which opens the file, finds out whether it can really be run.
 */
#include "front/cli/program_lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/xalloc.h"
#include "log/channel.h"

static const char path_unless_set[] = "/bin:/usr/bin"; /* the default of execvp */

/* Returns 0 if the permissions allow execution, or an errno. */
static int check_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        return ENOEXEC;
    if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
        return EACCES;
    return 0;
}

static int complain_of_file(const char *path, int error)
{
    switch (error) {
    case ENOENT:
        return complain(CHANNEL_EXIT_NOT_FOUND, "%s: no such file", path);
    case EISDIR:
        return complain(CHANNEL_EXIT_NOT_RUNNABLE, "%s: is a directory", path);
    case EACCES:
        return complain(CHANNEL_EXIT_NOT_RUNNABLE, "%s: not executable (permission denied); "
                        "'chmod +x' makes a file executable", path);
    case ENOEXEC:
        return complain(CHANNEL_EXIT_NOT_RUNNABLE, "%s: not a program: not a regular file", path);
    }
    return complain(CHANNEL_EXIT_NOT_RUNNABLE, "%s: %s", path, strerror(error));
}

/* Returns the path of `name` in the first directory of *rest, and moves *rest to the next one, or
 * to NULL. An empty directory means the current one. */
static char *next_candidate(const char **rest, const char *name)
{
    const char *directory = *rest;
    size_t length = strcspn(directory, ":");
    *rest = directory[length] ? directory + length + 1 : NULL;
    if (length == 0)
        return xformat("./%s", name);
    return xformat("%.*s/%s", (int)length, directory, name);
}

static int search_path(const char *name, char **ret)
{
    const char *rest = getenv("PATH");
    if (!rest)
        rest = path_unless_set;
    char *refused = NULL;
    while (rest) {
        char *candidate = next_candidate(&rest, name);
        int error = check_file(candidate);
        if (error == 0) {
            free(refused);
            *ret = candidate;
            return 0;
        }
        if (error == EACCES && !refused)
            refused = candidate;
        else
            free(candidate);
    }
    if (!refused)
        return complain(CHANNEL_EXIT_NOT_FOUND, "%s: no such program in PATH", name);
    int status = complain_of_file(refused, EACCES);
    free(refused);
    return status;
}

int program_lookup(const char *name, char **ret)
{
    if (!*name)
        return complain(CHANNEL_EXIT_NOT_FOUND, "the name of the program is empty");
    if (!strchr(name, '/'))
        return search_path(name, ret);
    int error = check_file(name);
    if (error)
        return complain_of_file(name, error);
    *ret = xformat("%s", name);
    return 0;
}
