/* What `ebb help` and `ebb --version` print. */
#include <stdio.h>

#include "base/complain.h"
#include "base/version.h"
#include "front/cli/cli.h"

int cli_help_all(const struct cli_command *commands)
{
    printf("ebb: a time-travel debugger for x86-64 Linux programs\n"
           "\n"
           "usage: ebb COMMAND [ARGUMENT]...\n"
           "\n");
    for (const struct cli_command *c = commands; c->name; c++)
        printf("  %-8s %s\n", c->name, c->summary);
    printf("\n"
           "'ebb help COMMAND' tells more about one; 'ebb --version' prints the version.\n");
    return complain_if_unwritten();
}

int cli_help_one(const struct cli_command *command)
{
    printf("usage: ebb %s\n\n%s\n", command->usage, command->summary);
    if (command->explain)
        command->explain();
    return complain_if_unwritten();
}

int cli_version(void)
{
    printf("ebb %s\n", EBB_VERSION);
    return complain_if_unwritten();
}
