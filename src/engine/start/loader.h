/* The loader: maps a program and its interpreter as the kernel would, and builds the first stack. */
#ifndef ENGINE_LOADER_H
#define ENGINE_LOADER_H

#include "base/types.h"

struct loader_request {
    const char *path;  /* what execve was given */
    char **argv;       /* the program's own, NULL-terminated */
    char **envp;
    const u64 *auxv;   /* the kernel's, of the engine */
    u64 stack_limit;   /* as loader_stack_limit() has it */
};

/* Maps everything; on return cpu->rip, cpu->reg[RSP] and flags are those of the first instruction (all other registers 0).
 * `#!` scripts are followed.  Refuses with a sentence (engine_refuse: 126, 127). */
void loader_load(const struct loader_request *request);

/* What the guest is: for /proc/self/exe, maps, auxv, cmdline. */
struct loader_image {
    char path[4096]; /* absolute path of the program's file, as readlink of /proc/self/exe would give */
    i32 fd;          /* the program's file, kept open; -1 if that was not possible */
    bool told_kernel; /* the kernel knows the addresses below, and answers for cmdline, environ, auxv, stat */
    u64 stack_start, stack_end; /* the whole area of the first stack */
    u64 auxv_at, auxv_size;     /* in the guest's stack */
    u64 argv_at, argv_end, envp_at, envp_end; /* the strings */
    u64 start_code, end_code, start_data, end_data, start_heap, start_stack;
};

extern struct loader_image loader_image;

/* How large the first stack may become. */
u64 loader_stack_limit(void);

#endif
