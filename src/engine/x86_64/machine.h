/* Machine: the instructions that the engine does itself, on the guest's state in cpu. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

/* Does the instruction at cpu->rip; it is one that the block reader left for EXIT_EMULATE. */
void machine_emulate(void);

#endif
