/* Starting an engine, in place of ebb or beside it. */
#ifndef FRONT_ENGINE_START_H
#define FRONT_ENGINE_START_H

#include <sys/types.h>

/* What to run: the engine's file, its settings, the program's file and arguments. */
struct engine_start {
    char *engine;
    const char *settings;
    char *program;
    int argc;
    char **argv;
};

/* Becomes the engine; returns only if that fails, with a status after a complaint. */
int engine_become(const struct engine_start *start);

/* Starts it as a child that holds a socket, told by the setting `name` ("record" or "replay").
 *
 * From then on ebb ignores SIGINT and SIGQUIT, which the terminal sends the program too, and
 * SIGPIPE and SIGXFSZ; SIGCHLD, SIGTERM and SIGHUP are blocked, for a signalfd.  The child has
 * everything as ebb had it.  0, or a status after a complaint. */
int engine_spawn(const struct engine_start *start, const char *name, pid_t *ret, int *ret_socket);

/* What a shell would make of a status of waitpid: 128 + N for a death by signal N. */
int engine_exit_status(int wait_status);

#endif
