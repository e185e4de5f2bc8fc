/* Which file of /proc a path names. */
#ifndef ENGINE_PROC_FILES_INTERNAL_H
#define ENGINE_PROC_FILES_INTERNAL_H

#include "engine/base/text.h"

enum { PROC_NAME = 32 };

/* "/proc/self/NAME" in any of its forms: then NAME, one part, in `name`. */
bool proc_files_own(const char *path, char name[PROC_NAME]);
/* "/proc/NUMBER/NAME" of any process. */
bool proc_files_any(const char *path, char number[PROC_NAME], char name[PROC_NAME]);

/* The path of a descriptor of ours. */
void proc_files_add_link(struct text *to, i64 fd);

#endif
