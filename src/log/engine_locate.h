/* Finds the programs that belong to this ebb. */
#ifndef LOG_ENGINE_LOCATE_H
#define LOG_ENGINE_LOCATE_H

#include "base/error.h"

#define COMPANION_COMMANDS "ebb-commands" /* all commands of ebb, see all_commands.c */

/* Both return a path, which the caller frees. */
struct error *engine_locate(char **ret);
struct error *companion_locate(const char *name, char **ret);

#endif
