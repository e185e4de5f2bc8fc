/* Offsets in struct cpu for assembly; doors.c asserts that they are right. */
#ifndef ENGINE_CPU_OFFSETS_H
#define ENGINE_CPU_OFFSETS_H

#define CPU_ENGINE_RSP 88
#define CPU_EXIT_REASON 96

#endif
