/* Finds which file of /proc a path names. */
#ifndef ENGINE_PROC_FILES_INTERNAL_H
#define ENGINE_PROC_FILES_INTERNAL_H

#include "engine/base/text.h"

enum { PROC_NAME = 32 };

/* For "/proc/self/NAME" in any of its forms, stores NAME, one component, in `name`. */
bool proc_files_own(const char *path, char name[PROC_NAME]);
/* "/proc/NUMBER/NAME" of any process. */
bool proc_files_any(const char *path, char number[PROC_NAME], char name[PROC_NAME]);

struct area;
struct kernel_mapping;
/* The name of an area, of which the kernel's mapping is known. */
const char *proc_files_area_name(const struct area *a, const struct kernel_mapping *m);

/* Adds the /proc path of an engine's descriptor. */
void proc_files_add_link(struct text *to, i64 fd);

#endif
