/* Checks whether this processor can replay a recording made on another. Hosted.
 *
 * A recorded program saw features through cpuid (its START has them), and may use any of them: the
 * C library chooses its functions by them. This processor must have all of these features, except
 * those that the engine emulates. It must also have the same xsave states at the same offsets,
 * since signal frames contain them.
 *
 * Both sides are tables, so that tests can invent a machine.
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

/* Fills the table with the relevant leaves of this machine. */
void cpu_table_here(struct cpu_table *ret);

void cpu_table_deinit(struct cpu_table *table);

/* Returns NULL, or an error that names what is missing in `here`. A recording without leaves (of an
 * older ebb) is accepted. */
struct error *cpu_check(const struct cpu_table *recorded, const struct cpu_table *here);

#endif
