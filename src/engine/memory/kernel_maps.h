/* The kernel's list of mappings: /proc/self/maps, line by line. */
#ifndef ENGINE_KERNEL_MAPS_H
#define ENGINE_KERNEL_MAPS_H

#include "base/types.h"

struct kernel_mapping {
    u64 start;
    u64 end;
    u32 protection; /* PROT_*, as the kernel has it */
    bool shared;
    u64 offset;
    u32 major, minor;
    u64 inode;
    const char *name; /* "" if it has none; with the kernel's escapes */
};

/* Visits every line, lowest address first, until `visit` returns false. The name is valid during
 * the visit, which must not change mappings. Returns 0, or -errno without /proc. */
typedef bool kernel_maps_visit(void *context, const struct kernel_mapping *mapping);
i64 kernel_maps_each(kernel_maps_visit *visit, void *context);

/* Parses one such line, without its newline; false if it has another form. */
bool kernel_maps_parse(const char *line, struct kernel_mapping *ret);

/* Visits the lines of any such file; each is null-terminated and valid during the visit. */
typedef bool kernel_maps_line(void *context, const char *line);
i64 kernel_maps_lines(const char *path, kernel_maps_line *visit, void *context);

#endif
