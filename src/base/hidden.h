/* Included by the compiler ahead of every file of the engine (see the Makefile).
 *
 * The engine is linked far above 2 GiB and never relocated, so every symbol must be addressed
 * relative to the pc. -fvisibility=hidden applies to definitions only; this applies it to
 * declarations too, which would otherwise go through a table that a static link does not have.
 */
#ifndef BASE_HIDDEN_H
#define BASE_HIDDEN_H

#ifndef __ASSEMBLER__
#pragma GCC visibility push(hidden)
#endif

#endif
