/* The registers by their numbers in gdb's protocol for amd64 Linux, and where the session stores
 * them.
 *
 * General registers are fields of struct control_registers; all others are in an xsave image in its
 * standard form. Which exist depends on the recording's processor.
 */
#ifndef FRONT_REGISTER_TABLE_H
#define FRONT_REGISTER_TABLE_H

#include "base/types.h"
#include "front/gdb/reply.h"
#include "log/control.h"

enum {
    REGISTER_SIZE_MOST = 32,
    /* this many are sent with each stop, because stepping needs them */
    REGISTERS_EXPEDITED = GDB_EFLAGS + 1,
    VECTOR_SIZE_MOST = 16 * 1024,
};

struct register_state {
    struct control_registers general;
    u8 vector[VECTOR_SIZE_MOST];
};

/* The number of registers of a recording whose processor had `features`. */
u32 register_table_count(u64 features);

/* The size of a register; 0 if there is none with this number. */
u32 register_table_size(u32 number);

/* Both take register_table_size(number) bytes. */
void register_table_read(const struct register_state *s, u32 number, u8 *to);
void register_table_write(struct register_state *s, u32 number, const u8 *from);

/* The target description. */
void register_table_describe(u64 features, struct reply *to);

#endif
