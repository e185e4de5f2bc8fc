/* The settings that the engine got at its start (log/channel.h has the names and the form). */
#ifndef ENGINE_SETTINGS_H
#define ENGINE_SETTINGS_H

#include "base/types.h"

struct settings {
    bool stats;
    u64 cache;        /* bytes of code cache */
    u32 block;        /* most instructions in a block */
    bool link;        /* jump directly from block to block */
    u32 counters;     /* 1, 2, 4 or 8 tick counters */
    bool random;      /* make results of random sources reproducible */
    bool stop;        /* stop at a moment: */
    u64 stop_tick;
    struct gaddr stop_pc; /* 0: the tick's first instruction */
    const char *dump;     /* a file for the state at the stop, or NULL */
    const char *entries;  /* a file for a log of block entries, or NULL */
    const char *blocks;   /* a file for a listing of translations, or NULL */
    u64 check;            /* ticks between hashes of memory, 0: none */
    bool own_vdso;        /* use the engine's vDSO although nothing is recorded, for tests */
    u32 cpu;              /* enum cpu_level */
    u64 chaos;            /* seed for random time slices, 0: regular ones */
    const char *kept;     /* the folder of kept translations, or NULL */
    u64 kept_most;        /* bytes in it */
    u64 watch_at;         /* memory whose changes are counted, if the size is not 0 */
    u64 watch_size;
    i32 record;           /* the recorder's socket, 0: none */
    i32 replay;           /* the replayer's socket, 0: none */
    u64 parent;           /* internal: the track that this image continues, plus one; 0: none */
    u64 parent_tick;      /* internal: the moment of the execve there */
    u64 parent_pc;
    i32 share; /* internal: the file of the group of processes that share memory, 0: none yet */
    i32 engine;           /* internal: the engine's own file, 0: not given */
    i32 filters;          /* internal: a file of filters of system calls, 0: none */
    u64 limit_space[2];   /* internal: the limits plus one, current and maximum, 0: not given */
    u64 limit_data[2];
    u64 limit_code;       /* the same for what may not become code (memory_limits.h) */
    i32 fd;               /* internal: the open program file, or -1 */
    const char *text;     /* as given, to be passed on at execve */
};

extern struct settings settings;

/* Parses "name=value,name=value"; returns NULL, or the part that is wrong. */
const char *settings_read(const char *text);

#endif
