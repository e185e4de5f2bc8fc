/* The loader: maps a program and its interpreter as the kernel would, and builds the first
 * stack. */
#ifndef ENGINE_LOADER_H
#define ENGINE_LOADER_H

#include "engine/memory/image.h"

/* Maps everything; on return cpu->rip, cpu->reg[RSP] and flags are those of the first instruction
 * (all other registers 0).
 * `#!` scripts are followed.  Refuses with a sentence (engine_refuse: 126, 127). */
void loader_load(const struct loader_request *request);

/* The maximum size of the first stack. */
u64 loader_stack_limit(void);

#endif
