/* The rows of syscall_rows.c, for syscall_table.c. */
#ifndef LOG_SYSCALL_TABLE_INTERNAL_H
#define LOG_SYSCALL_TABLE_INTERNAL_H

#include "log/syscall_table.h"

extern const struct syscall_row syscall_rows[SYSCALL_NUMBERS]; /* no name: no such call */
extern const struct syscall_row syscall_unknown;    /* for numbers that have no row */
extern const struct syscall_row syscall_ioctl_flat; /* for requests that encode their own size */

#endif
