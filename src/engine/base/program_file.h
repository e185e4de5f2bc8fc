/* Checks that a program file can run here, and reads its headers.
 *
 * Used by the loader at the start, and by execve before the old image is given up: a file that the
 * kernel would refuse must be refused with the same errno while the old image still exists.
 */
#ifndef ENGINE_PROGRAM_FILE_H
#define ENGINE_PROGRAM_FILE_H

#include <linux/elf.h>

#include "base/types.h"

enum { PROGRAM_SEGMENTS = 256, PROGRAM_PATH = 4096, SCRIPT_LINE = 256 };

struct program_file {
    i32 fd;
    Elf64_Ehdr header;
    /* the headers that a loader needs: PT_LOAD, PT_INTERP, PT_GNU_STACK */
    Elf64_Phdr segment[PROGRAM_SEGMENTS];
    u32 count;
    char interpreter[PROGRAM_PATH]; /* empty: none */
    u64 first, end;                 /* range of the PT_LOAD segments, page-aligned, as linked */
};

/* Reads and checks the headers from an open descriptor. Returns 0, or -errno with a clause for
 * users in *why ("the file is truncated", "made for another machine") */
i64 program_file_read(i32 fd, struct program_file *ret, const char **why);

/* Returns the type of an ELF file (ET_*), or -1 for another file. Watchers of the file (inotify)
 * see no access. */
i32 program_file_type(i32 fd);

/* True for a 32-bit program for this machine. */
bool program_file_narrow(i32 fd);

/* True for a "#!" script; returns its interpreter and optional argument (each "" if none). */
bool program_file_script(i32 fd, char interpreter[SCRIPT_LINE], char argument[SCRIPT_LINE]);

#endif
