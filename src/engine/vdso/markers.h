/* The interrupts by which the functions of the engine's vDSO call the engine: `int $VDSO_...`.
 * Natively, and anywhere else, they fault, so no program uses them. */
#ifndef ENGINE_VDSO_MARKERS_H
#define ENGINE_VDSO_MARKERS_H

#define VDSO_CLOCK_GETTIME 0x81
#define VDSO_GETTIMEOFDAY 0x82
#define VDSO_TIME 0x83
#define VDSO_GETCPU 0x84
#define VDSO_CLOCK_GETRES 0x85

#endif
