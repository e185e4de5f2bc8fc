/* The files that describe a program or library: its debug information and its sources.
 *
 * elfutils' libdw finds them: separate debug files by .gnu_debuglink or build id, common files made
 * by dwz, split DWARF (.dwo, .dwp), and the names in line tables. Only this machine is searched,
 * never a server.
 */
#ifndef SYMBOLS_DEBUG_FILES_H
#define SYMBOLS_DEBUG_FILES_H

enum debug_file_kind { DEBUG_FILE_INFO, DEBUG_FILE_SOURCE };

/* The path is absolute and names a regular file; a file may be reported several times. */
typedef void debug_file_found(void *context, enum debug_file_kind kind, const char *path);

/* Finds the files of the ELF file that is open as `fd`, which is or was at `path`. The caller keeps
 * `fd` open. Nothing is found for a file that is not ELF or has no debug information. */
void debug_files_find(int fd, const char *path, debug_file_found *found, void *context);

#endif
