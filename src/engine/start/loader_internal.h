/* What the loader's files share. */
#ifndef ENGINE_LOADER_INTERNAL_H
#define ENGINE_LOADER_INTERNAL_H

#include "engine/base/program_file.h"
#include "engine/start/loader.h"

/* An image in the guest's memory. */
struct loaded {
    u64 bias; /* added to its addresses */
    u64 end;  /* page-aligned */
    u64 entry;
    u64 headers; /* its program headers in memory; 0 if they are not mapped */
    u32 header_count;
};

/* Maps the segments; errors name `what`. */
void loader_map_image(const struct program_file *file, const char *what, struct loaded *ret);

/* Tells the user that the program, open as `fd`, lacks privileges that it has natively. */
void loader_note_rights(i32 fd, const char *path);

/* The content of the first stack. */
struct stack_content {
    const char *path; /* AT_EXECFN */
    char **argv;
    char **envp;
    const u64 *auxv; /* the kernel's */
    bool executable;
    const struct loaded *program;
    const struct loaded *interpreter; /* NULL: none */
    u64 vdso;
    u64 stack_limit;
};

/* Maps the stack and fills it; returns the stack pointer. */
u64 loader_make_stack(const struct stack_content *content);

#endif
