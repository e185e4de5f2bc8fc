/* The registers as gdb's protocol numbers them on amd64 Linux, and where the session has them.
 *
 * General registers are fields of struct control_registers, all others lie in an image of xsave in
 * its standard form. Their set depends on the recording's processor.
 */
#ifndef FRONT_REGISTER_TABLE_H
#define FRONT_REGISTER_TABLE_H

#include "base/types.h"
#include "front/gdb/reply.h"
#include "log/control.h"

enum {
    REGISTER_SIZE_MOST = 32,
    /* the first so many go with each stop: what stepping asks for */
    REGISTERS_EXPEDITED = GDB_EFLAGS + 1,
    VECTOR_SIZE_MOST = 16 * 1024,
};

struct register_state {
    struct control_registers general;
    u8 vector[VECTOR_SIZE_MOST];
};

/* How many registers a recording has whose processor had `features`. */
u32 register_table_count(u64 features);

/* Bytes of a register, 0 if there is no such. */
u32 register_table_size(u32 number);

/* Both take register_table_size(number) bytes. */
void register_table_read(const struct register_state *s, u32 number, u8 *to);
void register_table_write(struct register_state *s, u32 number, const u8 *from);

/* The target description. */
void register_table_describe(u64 features, struct reply *to);

#endif
