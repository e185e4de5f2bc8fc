/* Machine: emulates instructions on the guest's state in cpu. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

/* Emulates the instruction at cpu->rip, which the block reader left for EXIT_EMULATE. */
void machine_emulate(void);

#endif
