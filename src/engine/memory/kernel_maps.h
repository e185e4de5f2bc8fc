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
    const char *name; /* "" if it has none; as the kernel writes it, escapes and all */
};

/* Visits every line, lowest address first, until `visit` returns false.  A name is lent for the
 * time of the visit, which may not change mappings.  0, or -errno without /proc. */
typedef bool kernel_maps_visit(void *context, const struct kernel_mapping *mapping);
i64 kernel_maps_each(kernel_maps_visit *visit, void *context);

/* One such line, without its newline; false if the line has another form. */
bool kernel_maps_parse(const char *line, struct kernel_mapping *ret);

/* Visits the lines of any such file, each lent and terminated. */
typedef bool kernel_maps_line(void *context, const char *line);
i64 kernel_maps_lines(const char *path, kernel_maps_line *visit, void *context);

#endif
