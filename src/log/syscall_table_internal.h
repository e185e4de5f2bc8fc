/* Where syscall_table.c finds the rows that syscall_rows.c is made of. */
#ifndef LOG_SYSCALL_TABLE_INTERNAL_H
#define LOG_SYSCALL_TABLE_INTERNAL_H

#include "log/syscall_table.h"

extern const struct syscall_row syscall_rows[SYSCALL_NUMBERS]; /* no name: no such call */
extern const struct syscall_row syscall_unknown;    /* for numbers that have no row */
extern const struct syscall_row syscall_ioctl_flat; /* for requests that say all themselves */

#endif
