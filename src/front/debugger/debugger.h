/* ebb's own debugger: a prompt that starts at the end of the run or at the crash.
 *
 *   replay_prompt.c   ebb replay: scripts, the loop that reads and obeys
 *   dbg.c             one command, from its line to its answer
 *   dbg_table.c       the commands: names, arguments, help
 *   dbg_help.c        help: by subject, of a command
 *   dbg_moves.c       movements and their messages; undo
 *   dbg_break.c       the commands that make and change breakpoints
 *   dbg_watch*.c      watchpoints and their messages
 *   dbg_catch.c       catchpoints
 *   ask_command.c     ebb ask
 *   dbg_ask.c         ask, calls: questions over the whole run, as tables
 *   dbg_profile.c     profile, coverage: how often everything ran
 *   dbg_trace.c       trace, output, events: what the run would have printed, and did
 *   dbg_changes.c     changes: what a stretch of time changed
 *   dbg_place.c       threads, frames, the current place
 *   dbg_print.c       values: print, display, types, variables
 *   dbg_memory.c      x and disassemble
 *   dbg_info.c        info
 *   dbg_source.c      list, skip, settings and other small commands
 *   dbg_progress.c    the progress of a long movement
 *   dbg_answer.c      an answer, as text or as JSON
 *   dbg_edit.c        editing the prompt's line: libedit, history
 *   dbg_wait.c        waiting for a key
 *   dbg_tui*.c        the full screen; on screen*.c, keys.c, typed_line.c and utf8.c
 *   dbg_complete.c    completion
 *
 * src/debug does the work of commands.
 * The list of ebb's commands is in all_commands.c.
 */
#ifndef FRONT_DEBUGGER_H
#define FRONT_DEBUGGER_H

#include "command/replay_options.h"

/* ebb replay at a prompt: returns 0 if all commands succeeded. */
int debugger_replay(const struct replay_options *o);

extern const struct command debugger_ask;

#endif
