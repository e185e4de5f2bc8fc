/* Writes the state at a stop, for tests and users (settings stop=, dump=). */
#ifndef ENGINE_INSPECT_H
#define ENGINE_INSPECT_H

/* Writes tick, pc, registers, flags and a hash per area of the guest's memory to settings.dump
 * (or stderr), and ends the process. */
_Noreturn void inspect_stop(void);

#endif
