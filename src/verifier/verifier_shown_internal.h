/* The output of a program whose parts are replayed in parallel: shown in the order of the parts. */
#ifndef VERIFIER_SHOWN_INTERNAL_H
#define VERIFIER_SHOWN_INTERNAL_H

#include "base/types.h"
#include "verifier/verifier_line_internal.h"

/* Gives the line files to print to. False: there is no room, and nothing will be shown. */
bool verifier_shown_prepare(struct verifier_line *line);

/* How much has been shown so far. */
struct verifier_shown {
    u64 output, errors;
};

/* Shows the output of the line's program, from the given byte on (of each file), and adds its size
 * to `s`. */
void verifier_shown_show(struct verifier_shown *s, const struct verifier_line *line,
                         struct verifier_shown from);

#endif
