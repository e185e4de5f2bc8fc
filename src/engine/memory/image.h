/* The guest's image: which program it is, and where its parts lie.  The loader fills it in. */
#ifndef ENGINE_IMAGE_H
#define ENGINE_IMAGE_H

#include "base/types.h"

/* What an image is started with. */
struct loader_request {
    const char *path;  /* what execve was given */
    char **argv;       /* the program's own, NULL-terminated */
    char **envp;
    const u64 *auxv;   /* the kernel's, of the engine */
    u64 stack_limit;   /* as loader_stack_limit() has it */
};

/* What the guest is: for /proc/self/exe, maps, auxv, cmdline. */
struct guest_image {
    char path[4096]; /* absolute path of the program's file, as readlink of /proc/self/exe would
                      * give */
    i32 fd;          /* the program's file, kept open; -1 if that was not possible */
    bool told_kernel; /* the kernel knows the addresses below, and answers for cmdline, environ,
                       * auxv, stat */
    u64 stack_start, stack_end; /* the whole area of the first stack */
    u64 auxv_at, auxv_size;     /* in the guest's stack */
    u64 argv_at, argv_end, envp_at, envp_end; /* the strings */
    u64 start_code, end_code, start_data, end_data, start_heap, start_stack;
};

extern struct guest_image guest_image;

#endif
