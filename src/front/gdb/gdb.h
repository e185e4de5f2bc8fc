/* gdb and LLDB as front ends: a server of the GDB remote serial protocol, and a command that starts
 * the user's own gdb on it.
 *
 *   serve_command.c   ebb serve: lets clients connect, one at a time
 *   gdb_command.c     ebb gdb: a server on a private socket, and gdb connected to it
 *   wire.c            packets: frames, check sums, escapes
 *   link.c            a client: a thread that reads, so that Ctrl-C is seen during a movement
 *   rsp*.c            translates packets to calls of session/session.h
 *   ebb.py            ebb's own commands in gdb
 *
 * The list of commands is in all_commands.c.
 */
#ifndef FRONT_GDB_H
#define FRONT_GDB_H

#include "command/command.h"

extern const struct command gdb_serve; /* ebb serve: returns 0 when the client has gone */
extern const struct command gdb_run;   /* ebb gdb: returns the status of gdb */

#endif
