/* Which files explain a program or library: its debug information, and the sources it was made of.
 *
 * Found by elfutils' libdw: separate debug files by .gnu_debuglink or build id, what dwz has moved
 * to a common file, split DWARF (.dwo, .dwp), and the names in the line tables.  Only this machine
 * is asked, never a server.
 */
#ifndef SYMBOLS_DEBUG_FILES_H
#define SYMBOLS_DEBUG_FILES_H

enum debug_file_kind { DEBUG_FILE_INFO, DEBUG_FILE_SOURCE };

/* The path is absolute, and that of a regular file; a file may be told several times. */
typedef void debug_file_found(void *context, enum debug_file_kind kind, const char *path);

/* Of the ELF file open as `fd` (lent), which is or was at `path`. Nothing is found for a file that
 * is not ELF, or that has no debug information. */
void debug_files_find(int fd, const char *path, debug_file_found *found, void *context);

#endif
