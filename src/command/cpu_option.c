/* --cpu=LEVEL: see the header. */
#include "command/cpu_option.h"

#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/types.h"
#include "log/channel.h"

int cpu_option_add(struct setting_list *settings, const char *level)
{
    static const struct {
        const char *name, *setting;
    } levels[] = {
        {"host", "cpu=0"}, {"baseline", "cpu=3"}, {"v3", "cpu=3"}, {"v2", "cpu=2"},
    };
    for (size_t i = 0; i < countof(levels); i++)
        if (strcmp(level, levels[i].name) == 0)
            return setting_list_add(settings, levels[i].setting);
    return complain(CHANNEL_EXIT_USAGE, "--cpu is baseline, v3, v2 or host, not '%s'", level);
}
