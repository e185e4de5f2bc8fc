/* Can this processor repeat what was recorded on another?  Hosted.
 *
 * A recorded program saw features through cpuid (its START has them), and may use any of them: the
 * C library chooses its functions by them. This processor must have every such feature that the
 * processor executes; features that the engine emulates do not matter. So must the states that
 * xsave knows, in the same places, since signal frames are made of them.
 *
 * Both sides are tables, so that a machine can be made up.
 */
#ifndef LOG_CPU_CHECK_H
#define LOG_CPU_CHECK_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"

struct cpu_table {
    struct event_cpuid *leaves;
    size_t count;
    bool has_states;
    u64 states; /* XCR0 */
};

/* Adds bytes of a PIECE_CPUID or PIECE_CPU. */
void cpu_table_add(struct cpu_table *table, u32 piece, const void *bytes, size_t size);

/* The leaves that matter, of this machine. */
void cpu_table_here(struct cpu_table *ret);

void cpu_table_deinit(struct cpu_table *table);

/* NULL, or a sentence that names what is missing in `here`.  A recording without leaves (made by an
 * older ebb) is believed to be fine. */
struct error *cpu_check(const struct cpu_table *recorded, const struct cpu_table *here);

#endif
