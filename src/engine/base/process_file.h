/* Small files of /proc that describe a process or thread: its state, its ids, its tracer. */
#ifndef ENGINE_PROCESS_FILE_H
#define ENGINE_PROCESS_FILE_H

#include "base/types.h"

/* Reads the start of /proc/ID/NAME (id 0: of the process itself) and adds a null byte. Returns the
 * number of bytes before it; 0 if the file cannot be read. */
u64 process_file_read(u32 id, const char *name, char *ret, u64 room);

/* Returns the number in the line that begins with `word`; 0: there is none. */
u64 process_file_number(const char *text, const char *word);

#endif
