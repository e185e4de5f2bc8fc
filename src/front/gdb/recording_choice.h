/* Which recording, track and end of it the commands of this folder are about. */
#ifndef FRONT_RECORDING_CHOICE_H
#define FRONT_RECORDING_CHOICE_H

#include "log/track_choice.h"
#include "front/gdb/rsp.h"

struct recording_choice {
    struct track_choice track;
    bool at_start;
};

/* Reads argv[*at], and its value if that is the next word: then *at moves.  0, or a status after
 * a complaint. */
int recording_choice_read(struct recording_choice *c, const char *command, int argc, char **argv,
                          int *at);

/* The value of an option `--name VALUE` or `--name=VALUE` at argv[*at], or NULL.  Without one:
 * *missing. */
const char *recording_choice_value(const char *name, int argc, char **argv, int *at, bool *missing);

/* Opens both; to be given back with rsp_destroy and recording_destroy. */
struct error *recording_choice_open(const struct recording_choice *c, struct recording **ret_rec,
                                    struct rsp **ret);

#endif
