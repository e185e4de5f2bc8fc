/* Numbers of processes and threads as the guest sees them.
 *
 * They are the kernel's, unless runs must be reproducible (setting random): then the first process
 * has a fixed number that no other process can have.
 */
#ifndef ENGINE_SHOWN_NUMBER_H
#define ENGINE_SHOWN_NUMBER_H

#include "base/types.h"

/* Notes which process is the first. */
void shown_number_start(void);

/* Converts to the number that the guest sees; and back, for an argument of the guest. */
u32 shown_number(u32 number);
u64 real_number(u64 shown);

#endif
