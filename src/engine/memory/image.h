/* The guest's image: which program it is, and the addresses of its parts. The loader fills it
 * in. */
#ifndef ENGINE_IMAGE_H
#define ENGINE_IMAGE_H

#include "base/types.h"

/* What an image is started with. */
struct loader_request {
    const char *path;  /* the path given to execve */
    char **argv;       /* the program's own, NULL-terminated */
    char **envp;
    const u64 *auxv;   /* the engine's auxiliary vector, from the kernel */
    u64 stack_limit;   /* from loader_stack_limit() */
};

/* Facts about the guest, for /proc/self/exe, maps, auxv, cmdline. */
struct guest_image {
    char path[4096]; /* absolute path of the program's file, as in readlink of /proc/self/exe */
    i32 fd;          /* the program's file, kept open; -1 if that was not possible */
    /* the kernel knows the addresses below, so its cmdline, environ, auxv, stat are right */
    bool told_kernel;
    u64 stack_start, stack_end; /* the whole area of the first stack */
    u64 auxv_at, auxv_size;     /* in the guest's stack */
    u64 argv_at, argv_end, envp_at, envp_end; /* the strings */
    u64 start_code, end_code, start_data, end_data, start_heap, start_stack;
};

extern struct guest_image guest_image;

#endif
