/* Profiles: exact counts of executed instructions, by function and line; and how often each line
 * ran.
 *
 * What lies in inlined code belongs to the function that was inlined, as in a backtrace. A line ran
 * as often as the most frequent of its instructions; if it was compiled into several functions,
 * their counts are added.
 */
#ifndef QUERY_PROFILE_H
#define QUERY_PROFILE_H

#include "base/list.h"
#include "session/tally.h"
#include "symbols/symbols.h"

struct profile_function {
    char *name;        /* without parameters; "??": not known */
    const char *file;  /* of its first counted instruction; NULL: not known */
    unsigned line;     /* the first one; 0: not known */
    u64 instructions;  /* executed in it, not in what it called */
    u64 entered;       /* how often its first instruction was executed; 0: inlined code */
};
struct profile_line {
    u32 function;      /* index */
    const char *file;
    unsigned line;
    u64 instructions;
};
struct profile {
    struct list functions, lines; /* struct profile_function, profile_line; most frequent first */
    u64 instructions;
};
/* The texts of the result belong to the symbols, except names. */
void profile_make(struct symbols *symbols, const struct session_tally *t, struct profile *ret);
void profile_deinit(struct profile *p);

struct coverage_line {
    const char *file;
    unsigned line;
    u64 count;
};
struct coverage_function {
    char *name;
    const char *file;
    unsigned line;
    u64 count; /* how often it was entered */
};
struct coverage {
    struct list lines, functions; /* struct coverage_line, coverage_function; by file and line */
};
/* All lines with statements, also those that never ran. */
void coverage_make(struct symbols *symbols, const struct session_tally *t, struct coverage *ret);
void coverage_deinit(struct coverage *c);
/* NULL: the line has no statement. */
const struct coverage_line *coverage_at(const struct coverage *c, const char *file, unsigned line);

#endif
