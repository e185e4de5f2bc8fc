/* Included by the compiler ahead of every file of the engine (see the Makefile).
 *
 * The engine is linked far above 2 GiB and never relocated, so every symbol must be reached
 * relative to the pc.  -fvisibility=hidden says that of definitions only; this says it of
 * declarations too, which otherwise go through a table that a static link does not want.
 */
#ifndef BASE_HIDDEN_H
#define BASE_HIDDEN_H

#ifndef __ASSEMBLER__
#pragma GCC visibility push(hidden)
#endif

#endif
