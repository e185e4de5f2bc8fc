/* ebb dap: serves a recording to editors that speak the Debug Adapter Protocol.
 *
 *   dap_command.c      the command line; how the client is connected
 *   dap_wire.c         messages: reading them in a thread of their own, writing them
 *   dap_server.c       requests, from the message to the response; the table of them
 *   dap_launch.c       initialize, launch, disconnect
 *   dap_record.c       running a program under `ebb record`, with its output
 *   dap_place.c        threads, stack frames, modules
 *   dap_sources.c      source files, from disk or from the recording
 *   dap_variables.c    scopes, variables, expressions
 *   dap_breakpoints.c  breakpoints of all kinds; dap_logpoints.c: log points and hit counts
 *   dap_moves.c        movements and stops
 *   dap_memory.c       memory and instructions
 *   dap_time.c         ebb's own requests: history, time line, bookmarks
 *
 * docs/dap.md describes what clients see. src/debug does the work of requests.
 */
#ifndef FRONT_DAP_H
#define FRONT_DAP_H

#include "command/command.h"

extern const struct command dap_serve;

#endif
