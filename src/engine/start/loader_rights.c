/* The loader: privileges that a program does not get under the engine.
 *
 * The kernel grants the privileges of a set-user-ID program, or of one with file capabilities, to
 * the file that it executes, which is the engine's. So the program runs with the privileges of its
 * caller. The user is told, since such a program usually fails then.
 */
#include <asm/stat.h>
#include <linux/prctl.h>
#include <linux/stat.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/start/loader_internal.h"
#include "log/format.h"

enum { K_ST_NOSUID = 2, OVERFLOW_ID = 65534 };

/* True if the kernel would grant no privileges to any program here. */
static bool loader_gives_no_rights(i32 fd)
{
    u64 about[15] = {0}; /* struct statfs: 120 bytes, the mount's flags at 80 */
    return kernel_call(__NR_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
           kernel_call(__NR_fstatfs, fd, about) != 0 || (about[10] & K_ST_NOSUID);
}

/* Returns what would grant the program privileges that its caller lacks; NULL if nothing does. */
static const char *loader_lost_rights(i32 fd)
{
    struct stat file;
    u8 capabilities[64];
    if (kernel_call(__NR_fstat, fd, &file) || loader_gives_no_rights(fd))
        return NULL;
    u64 user = (u64)kernel_call(__NR_geteuid), group = (u64)kernel_call(__NR_getegid);
    if ((file.st_mode & S_ISUID) && file.st_uid != user && file.st_uid != OVERFLOW_ID)
        return "is a set-user-ID program";
    if ((file.st_mode & S_ISGID) && (file.st_mode & S_IXGRP) && file.st_gid != group &&
        file.st_gid != OVERFLOW_ID)
        return "is a set-group-ID program";
    if (user != 0 && kernel_call(__NR_fgetxattr, fd, "security.capability", capabilities,
                                 sizeof(capabilities)) > 0)
        return "has file capabilities";
    return NULL;
}

void loader_note_rights(i32 fd, const char *path)
{
    char line[PROGRAM_PATH + 128];
    struct text text = TEXT(line);
    const char *lost = loader_lost_rights(fd);
    if (!lost)
        return;
    text_add(&text, path);
    text_add_char(&text, ' ');
    text_add(&text, lost);
    text_add(&text, "; under ebb it runs with the rights of its caller");
    log_note(NOTE_INFO, line);
}
