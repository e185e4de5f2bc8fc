/* Starts an engine, in place of ebb or beside it. */
#ifndef LOG_ENGINE_START_H
#define LOG_ENGINE_START_H

#include <sys/types.h>

#include "base/error.h"

/* What to run: the engine's file, its settings, the program's file and arguments. */
struct engine_start {
    char *engine;
    const char *settings;
    char *program;
    int argc;
    char **argv;
    int output; /* engine_spawn_apart: the engine's standard output; 0: it is discarded */
};

/* Makes limits that were set for the program (ulimit) affect ebb as little as possible: those on
 * files, memory, the stack and time are raised. A program that an engine records or runs gets the
 * original ones. */
void engine_take_limits(void);

/* Restores all limits, for another program that this process is about to execute. */
void engine_return_limits(void);

/* Returns NULL if the highest permitted limits are enough for an engine and its program; otherwise
 * an error that names one that is not. */
struct error *engine_check_limits(void);

/* Becomes the engine of a program that is not recorded; returns only if that fails. */
struct error *engine_become(const struct engine_start *start);

/* From now on ebb ignores SIGINT and SIGQUIT, which the terminal also sends to the program,
 * SIGPIPE, SIGXFSZ, and other signals that a program may send to its whole group. SIGCHLD, SIGTERM,
 * SIGHUP and SIGCONT are blocked, for a signalfd. */
void engine_take_signals(void);

/* Starts the engine as a child that holds a socket, given by the setting `name` ("record" or
 * "replay"). Takes over the signals first; the child gets the original signal state. */
struct error *engine_spawn(const struct engine_start *start, const char *name, pid_t *ret,
                           int *ret_socket);

/* The same for an engine that replays in the background: detached from the terminal and its
 * signals, with an empty input and `errors` for its messages. ebb's own signals do not change. */
struct error *engine_spawn_apart(const struct engine_start *start, int errors, pid_t *ret,
                                 int *ret_socket);

/* If an interrupt ended the program, ends this process in the same way, since a shell leaves its
 * loop or script only then. Otherwise returns. */
void engine_end_likewise(int wait_status);

/* Converts a status of waitpid to a shell's: 128 + N for a death by signal N. */
int engine_exit_status(int wait_status);

#endif
