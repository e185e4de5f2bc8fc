/* Numbers of processes and threads as the guest sees them.
 *
 * They are the kernel's, unless runs are to be reproducible (setting random): then the first
 * process has a number that no other can have.
 */
#ifndef ENGINE_SHOWN_NUMBER_H
#define ENGINE_SHOWN_NUMBER_H

#include "base/types.h"

/* Notes which process is the first. */
void shown_number_start(void);

/* The number that the guest sees; and the kernel's, in an argument that the guest gave. */
u32 shown_number(u32 number);
u64 real_number(u64 shown);

#endif
