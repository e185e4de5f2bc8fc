/* Finds which file of /proc a path names.
 *
 * A process has many names there: self, thread-self, its number, that of any of its threads, and
 * all of these again through task/. Symbolic links and ".." are not followed: a path with those
 * gets the kernel's own file.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/proc/proc_files_internal.h"

enum { K_F_OK = 0 };

/* Returns the next component of a path, skipping "." and empty ones; false at the end, or if it is
 * too long to matter. */
static bool next_part(const char **path, char part[PROC_NAME])
{
    do {
        while (**path == '/')
            (*path)++;
        struct text t = {part, PROC_NAME, 0};
        part[0] = '\0';
        while (**path && **path != '/')
            text_add_char(&t, *(*path)++);
        if (t.length == 0 || t.length == PROC_NAME - 1)
            return false;
    } while (text_equal(part, "."));
    return true;
}

static bool proc_paths_is_number(const char *part)
{
    for (; *part; part++)
        if (*part < '0' || *part > '9')
            return false;
    return true;
}

/* True if it is one of the guest's threads, by the numbers of this /proc. */
static bool is_own_number(const char *part)
{
    char path[64];
    struct text t = TEXT(path);
    if (!proc_paths_is_number(part))
        return false;
    text_add(&t, "/proc/self/task/");
    text_add(&t, part);
    return kernel_call(__NR_faccessat, AT_FDCWD, path, K_F_OK) == 0;
}

bool proc_files_own(const char *path, char name[PROC_NAME])
{
    char part[PROC_NAME];
    if (!text_starts(path, "/proc/"))
        return false;
    path += 6;
    if (!next_part(&path, part))
        return false;
    if (!text_equal(part, "self") && !text_equal(part, "thread-self") && !is_own_number(part))
        return false;
    if (!next_part(&path, name))
        return false;
    if (text_equal(name, "task") && *path)
        if (!next_part(&path, part) || !is_own_number(part) || !next_part(&path, name))
            return false;
    return *path == '\0';
}

bool proc_files_any(const char *path, char number[PROC_NAME], char name[PROC_NAME])
{
    if (!text_starts(path, "/proc/"))
        return false;
    path += 6;
    return next_part(&path, number) && proc_paths_is_number(number) && next_part(&path, name) &&
           !*path;
}

void proc_files_add_link(struct text *to, i64 fd)
{
    text_add(to, "/proc/self/fd/");
    text_add_unsigned(to, (u64)fd);
}
