/* ebb's own debugger: a prompt on a recording, at the end of the run or at the crash.
 *
 *   replay_prompt.c   ebb replay: scripts, the loop that reads and obeys
 *   dbg.c             one command, from its line to its answer
 *   dbg_table.c       the commands: names, what they take, help
 *   dbg_help.c        help: by subject, of a command
 *   dbg_moves.c       movements, and what is said when one has ended; undo
 *   dbg_break.c       the commands that make and change breakpoints
 *   dbg_watch*.c      watchpoints, and what is said where one is hit
 *   dbg_catch.c       catchpoints
 *   ask_command.c     ebb ask
 *   dbg_ask.c         ask, calls: questions over the whole run, as tables
 *   dbg_changes.c     changes: what a stretch of time changed
 *   dbg_place.c       threads, frames, where one stands
 *   dbg_print.c       values: print, display, types, variables
 *   dbg_memory.c      x and disassemble
 *   dbg_info.c        info
 *   dbg_source.c      list, skip, settings and other small commands
 *   dbg_progress.c    how far a long movement has got
 *   dbg_answer.c      an answer, as text or as JSON
 *   dbg_edit.c        the line that is typed: libedit, history
 *   dbg_wait.c        waiting for a key
 *   dbg_tui*.c        the full screen; on screen*.c, keys.c, typed_line.c and utf8.c
 *   dbg_complete.c    what may follow what has been typed
 *
 * What commands do is in src/debug.
 * The list of ebb's commands is in main.c.
 */
#ifndef FRONT_DEBUGGER_H
#define FRONT_DEBUGGER_H

#include "command/replay_options.h"

/* ebb replay at a prompt: 0 if all commands worked. */
int debugger_replay(const struct replay_options *o);

extern const struct command debugger_ask;

#endif
