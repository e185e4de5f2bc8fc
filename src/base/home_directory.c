/* The user's home directory: see the header.
 *
 * /etc/passwd is read directly. getpwuid would load libraries, which a statically linked program
 * should not do (getpwuid(3), "nsswitch.conf").
 */
#include "base/home_directory.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *home_directory(void)
{
    const char *home = getenv("HOME");
    if (home && *home)
        return home;
    home = NULL;
    FILE *users = fopen("/etc/passwd", "re");
    for (const struct passwd *entry; users && !home && (entry = fgetpwent(users));)
        if (entry->pw_uid == getuid())
            home = entry->pw_dir;
    if (users)
        fclose(users);
    return home;
}
