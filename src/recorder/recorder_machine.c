/* Describes the machine on which a recording is made: the kernel by uname, the processor by
 * /proc/cpuinfo. */
#include "recorder/recorder_machine_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/version.h"
#include "base/xalloc.h"

/* If the key of `line` is `key`, stores its value in *ret, unless *ret is already set. */
static void take_machine_value(char *line, const char *key, char **ret)
{
    char *colon = strchr(line, ':');
    size_t length = strlen(key);
    if (*ret || !colon || strncmp(line, key, length) != 0 || !strchr("\t :", line[length]))
        return;
    colon += strspn(colon, ": ");
    colon[strcspn(colon, "\n")] = '\0';
    *ret = xformat("%s", colon);
}

void recorder_describe_machine(struct recording_meta *meta)
{
    struct utsname name;
    if (uname(&name) == 0)
        meta->kernel = xformat("%s %s %s", name.sysname, name.release, name.machine);
    meta->recorder = xformat("ebb %s", EBB_VERSION);
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0 && !(meta->cpu && meta->features)) {
        take_machine_value(line, "model name", &meta->cpu);
        take_machine_value(line, "flags", &meta->features);
    }
    free(line);
    fclose(file);
}
