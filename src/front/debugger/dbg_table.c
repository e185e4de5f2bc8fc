/* The commands of the debugger: their names, arguments and help.
 *
 * One row describes one command completely; dbg.c runs it, dbg_complete.c completes its arguments
 * and dbg_help.c prints its help.  The summary is one sentence in the imperative.  tests/suites/
 * 88-help checks the form of every row and runs its examples.
 *
 * A command may be given by any beginning of its names that no other command shares. For an unknown
 * word, the command that differs in the fewest letters is suggested.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest_word.h"
#include "front/debugger/dbg_internal.h"

#define BACK MOVE_BACKWARD

static const char catch_words[] = "syscall signal fork exec exit throw rethrow catch panic";
static const char handle_words[] = "stop nostop";

/* name, others, run, which, flags, argument, words, usage, summary, more, examples */
static const struct dbg_command commands[] = {
    {"step", "s", dbg_move, MOVE_STEP, MOVES | REPEATS, TAKES_COUNT, NULL, "step [N]",
     "go to the next statement, entering functions that are called",
     "With N: to the N-th statement from here that this thread executes. Functions without\n"
     "line information, and functions that 'skip' names, are crossed as one operation.",
     "step\n" "step 3"},
    {"bstep", "reverse-step rs", dbg_move, MOVE_STEP | BACK, MOVES | REPEATS, TAKES_COUNT, NULL,
     "bstep [N]", "go back to the previous statement, entering functions that were called",
     "The reverse of step. In the middle of a statement that has called nothing yet, it goes\n"
     "to the start of that statement.",
     "bstep\n" "bstep 3"},
    {"next", "n", dbg_move, MOVE_NEXT, MOVES | REPEATS, TAKES_COUNT, NULL, "next [N]",
     "go to the next statement of this function, crossing calls",
     "When the function returns, next stops in its caller.",
     "next\n" "next 2"},
    {"previous", "prev reverse-next rn", dbg_move, MOVE_NEXT | BACK, MOVES | REPEATS, TAKES_COUNT,
     NULL, "previous [N]", "go back to the previous statement of this function, crossing calls",
     "The reverse of next. At the first statement of a function, it goes to the caller.",
     "previous\n" "previous 2"},
    {"continue", "c fg", dbg_move, MOVE_CONTINUE, MOVES | REPEATS, TAKES_COUNT, NULL,
     "continue [N]", "run forward to the next breakpoint, watchpoint or catchpoint",
     "It also stops at a signal and at the end of the recording. With N: at the N-th\n"
     "breakpoint.",
     "continue\n" "continue 3"},
    {"bcontinue", "reverse-continue rc", dbg_move, MOVE_CONTINUE | BACK, MOVES | REPEATS,
     TAKES_COUNT, NULL, "bcontinue [N]",
     "run backward to the last breakpoint, watchpoint or catchpoint",
     "It also stops at a signal and at the start of the recording. With a watchpoint set, it\n"
     "goes to the store that last changed the value.",
     "bcontinue\n" "bcontinue 2"},
    {"finish", "fin", dbg_move, MOVE_FINISH, MOVES | REPEATS, TAKES_COUNT, NULL, "finish [N]",
     "run forward until this function has returned",
     "It stops in the caller, in the middle of the statement that made the call, and shows the\n"
     "value that was returned. With N: until N frames have returned.",
     "finish\n" "finish 2"},
    {"before", "reverse-finish bfinish", dbg_move, MOVE_FINISH | BACK, MOVES | REPEATS, TAKES_COUNT,
     NULL, "before [N]", "go back to the statement that called this function",
     "The reverse of finish. With N: to the statement that made the call of the N-th frame\n"
     "out.",
     "before\n" "before 2"},
    {"stepi", "si", dbg_move, MOVE_STEPI, MOVES | REPEATS, TAKES_COUNT, NULL, "stepi [N]",
     "execute one instruction, or N",
     "Only instructions of the current thread count.",
     "stepi\n" "stepi 10"},
    {"bstepi", "reverse-stepi rsi", dbg_move, MOVE_STEPI | BACK, MOVES | REPEATS, TAKES_COUNT, NULL,
     "bstepi [N]", "go back by one instruction, or N",
     "The reverse of stepi.",
     "bstepi\n" "bstepi 10"},
    {"nexti", "ni", dbg_move, MOVE_NEXTI, MOVES | REPEATS, TAKES_COUNT, NULL, "nexti [N]",
     "execute one instruction, or N, crossing calls",
     "A call counts as one instruction.",
     "nexti\n" "nexti 10"},
    {"bnexti", "reverse-nexti rni", dbg_move, MOVE_NEXTI | BACK, MOVES | REPEATS, TAKES_COUNT, NULL,
     "bnexti [N]", "go back by one instruction, or N, crossing calls",
     "The reverse of nexti.",
     "bnexti\n" "bnexti 10"},
    {"until", "u", dbg_move, MOVE_UNTIL, MOVES, TAKES_EXPRESSION, NULL,
     "until [LOCATION | CONDITION | [-l] VALUE]",
     "run forward until a location is reached, a condition becomes true or a value changes",
     "Without an argument: like next, but never back to the beginning of a loop.\n"
     "A number, FILE:LINE, *ADDRESS and the name of a function are locations; any frame\n"
     "counts. A comparison or a logical expression is a condition: until stops where it\n"
     "becomes true. A condition that is true now must become false first. Any other expression\n"
     "is a value; with -l, the memory that the expression means now. Local variables are those\n"
     "of the current call, and until stops where that call returns. Breakpoints stop it on the\n"
     "way.",
     "until 40\n" "until total > 100"},
    {"advance", "", dbg_advance, 0, MOVES, TAKES_LOCATION, NULL, "advance LOCATION",
     "run forward until a location is reached or the current function has returned",
     "See 'help break' for locations. 'until LOCATION' does not stop where the function returns.",
     "advance 40\n" "advance insert"},
    {"buntil", "reverse-until ru", dbg_move, MOVE_UNTIL | BACK, MOVES, TAKES_EXPRESSION, NULL,
     "buntil LOCATION | CONDITION | [-l] VALUE",
     "run backward until a location was reached, a condition became true or a value changed",
     "The reverse of until. It stops at the instruction responsible, before that is executed.\n"
     "A condition that is true now leads to where it became true most recently. A condition\n"
     "that is false now leads to where it last became true. A condition that has always been\n"
     "true leads to the start. A local variable has no value before its function has written\n"
     "it, so the search ends there.",
     "buntil total > 100\n" "buntil head->next"},
    {"first", "", dbg_move, MOVE_FIRST | BACK, MOVES, TAKES_EXPRESSION, NULL, "first CONDITION",
     "go to the first moment of the run at which a condition was true",
     "The current moment does not matter, and breakpoints do not stop it. If the condition was\n"
     "true at the start, first goes to the start. For a local variable, only the current call\n"
     "counts.",
     "first total > 100\n" "first head != 0"},
    {"out", "", dbg_move, MOVE_OUT, MOVES | REPEATS, TAKES_NOTHING, NULL, "out",
     "go to the first statement after the innermost block or loop",
     "The block is the one that contains the current statement. bout is the reverse.",
     "out"},
    {"bout", "reverse-out", dbg_move, MOVE_OUT | BACK, MOVES | REPEATS, TAKES_NOTHING, NULL, "bout",
     "go back to the last statement before the innermost block or loop",
     "The reverse of out.",
     "bout"},
    {"play", "", dbg_play, 0, MOVES | REPEATS, TAKES_NOTHING, NULL, "play [next] [RATE] [for N]",
     "step forward at a fixed rate and show each statement",
     "RATE is in statements per second: 5/s, 0.5/s; the default is 2/s. With 'next', calls are\n"
     "crossed. It stops at a breakpoint, watchpoint, catchpoint or signal, at the end, after N\n"
     "statements, and on Ctrl-C (on the full screen: on any key). Each statement comes with\n"
     "the values that 'display' names. undo returns to where it began.",
     "play 5/s for 3\n" "play next 10/s for 3"},
    {"bplay", "reverse-play", dbg_play, 1, MOVES | REPEATS, TAKES_NOTHING, NULL,
     "bplay [next] [RATE] [for N]", "step backward at a fixed rate and show each statement",
     "The reverse of play. It stops at the start of the recording.",
     "bplay 5/s for 3\n" "bplay next 10/s for 3"},
    {"goto", "", dbg_goto, 0, MOVES, TAKES_WORD, "start end event row current first last",
     "goto MOMENT | row N | [START] [forward|backward] TYPE [N] [where CONTEXT]",
     "go to a moment, to a row of the last table, or to an event",
     "MOMENT is TICK, TICK:PC, start, end, 40%, event N (as 'ebb dump' numbers them), a time\n"
     "in seconds such as 12.5s, a time from here such as -1s and +0.2s, or a bookmark. TYPE and\n"
     "CONTEXT are those of 'ask'; START is current, first, last or a moment. With N: to the N-th\n"
     "such event. 'info moment' shows the current moment.",
     "goto 40%\n" "goto current backward line 2 where func = main"},
    {"undo", "", dbg_undo, UNDO, MOVES | REPEATS, TAKES_COUNT, NULL, "undo [N]",
     "return to where the last movement began",
     "With N: undo N movements. Every kind of movement can be undone.",
     "undo\n" "undo 3"},
    {"redo", "", dbg_undo, REDO, MOVES | REPEATS, TAKES_COUNT, NULL, "redo [N]",
     "repeat the movement that was undone",
     "With N: repeat N movements.",
     "redo\n" "redo 3"},
    {"break", "b br bre brea hbreak", dbg_break, 0, 0, TAKES_LOCATION, NULL,
     "break [LOCATION] [thread N] [if CONDITION]", "stop where a location is about to be executed",
     "LOCATION is FUNCTION, LINE, FILE:LINE, FILE:FUNCTION, *ADDRESS, +N or -N; the default is\n"
     "here. A location that is not known yet waits for a library that has it.",
     "break insert\n" "break insert if n == 5"},
    {"tbreak", "tb thbreak", dbg_break, 1, 0, TAKES_LOCATION, NULL,
     "tbreak [LOCATION] [thread N] [if CONDITION]",
     "stop once where a location is about to be executed",
     "The breakpoint is deleted when it stops. See 'help break' for locations.",
     "tbreak main\n" "tbreak insert if n == 5"},
    {"watch", "wa", dbg_watch, BREAK_STORE, 0, TAKES_EXPRESSION, NULL,
     "watch [-w] EXPRESSION | -l EXPRESSION | -l ADDRESS LENGTH [thread N] [if CONDITION]",
     "stop where the value of an expression changes",
     "Pointers are followed: when one of them changes, the new target is watched. With -l, the\n"
     "memory that the expression means now is watched. With -w, stores of the same value stop\n"
     "too. A local variable is watched until its function returns. Forward, it stops after the\n"
     "store; backward, at the store.",
     "watch head->next\n" "watch -w total if total > 100"},
    {"rwatch", "rw", dbg_watch, BREAK_LOAD, 0, TAKES_EXPRESSION, NULL,
     "rwatch EXPRESSION [thread N] [if CONDITION]", "stop where the value of an expression is read",
     "It takes everything that watch takes.",
     "rwatch total\n" "rwatch head->next"},
    {"awatch", "aw", dbg_watch, BREAK_ACCESS, 0, TAKES_EXPRESSION, NULL,
     "awatch EXPRESSION [thread N] [if CONDITION]",
     "stop where the value of an expression is read or written",
     "It takes everything that watch takes.",
     "awatch total\n" "awatch head->next"},
    {"catch", "", dbg_catch, 0, 0, TAKES_WORD, catch_words,
     "catch syscall|signal|fork|exec|exit|throw|rethrow|catch|panic [NAME...]",
     "stop at system calls, signals, new processes or exceptions",
     "syscall and signal take names or numbers; without any, each one stops. A system call\n"
     "stops twice: before the call, with its arguments, and after it, with its result. throw,\n"
     "rethrow and catch are for C++ exceptions; panic is for Rust and shows the message.",
     "catch syscall read write\n" "catch signal SIGUSR1"},
    {"tcatch", "", dbg_catch, 1, 0, TAKES_WORD, catch_words, "tcatch ...",
     "stop once at a system call, signal, new process or exception",
     "The catchpoint is deleted when it stops. See 'help catch'.",
     "tcatch signal SIGUSR1\n" "tcatch syscall write"},
    {"delete", "d del", dbg_breakpoints_change, DO_DELETE, 0, TAKES_COUNT, NULL,
     "delete [NUMBER...]",
     "delete breakpoints, watchpoints and catchpoints by number, or all of them",
     "'info breakpoints' lists the numbers.",
     "delete 2\n" "delete"},
    {"disable", "dis", dbg_breakpoints_change, DO_DISABLE, 0, TAKES_COUNT, NULL,
     "disable [NUMBER...]", "ignore breakpoints until they are enabled again",
     "Without a number: all of them.",
     "disable 1\n" "disable"},
    {"enable", "en", dbg_breakpoints_change, DO_ENABLE, 0, TAKES_COUNT, NULL,
     "enable [once | delete | count N] [NUMBER...]", "make disabled breakpoints stop again",
     "Without a number: all of them. once: they are disabled again at the next stop. delete: they\n"
     "are deleted at the next stop. count N: they are disabled after N stops.",
     "enable 1\n" "enable once 1"},
    {"condition", "cond", dbg_condition, 0, 0, TAKES_EXPRESSION, NULL,
     "condition NUMBER [EXPRESSION]", "give a breakpoint a condition, or remove its condition",
     "Where possible, the condition is compiled and checked inside the replayed process.",
     "condition 1 n > 5\n" "condition 1"},
    {"ignore", "", dbg_ignore, 0, 0, TAKES_COUNT, NULL, "ignore NUMBER COUNT",
     "let a breakpoint pass COUNT hits before it stops",
     "A count of 0 makes it stop at the next hit.",
     "ignore 1 99\n" "ignore 1 0"},
    {"commands", "", dbg_breakpoint_commands, 0, 0, TAKES_COUNT, NULL, "commands [NUMBER]",
     "run commands at each stop at a breakpoint",
     "Type the commands on the next lines, then 'end'. Commands after one that moves are not\n"
     "run. If the first command is 'silent', the stop itself is not shown. Without NUMBER: the\n"
     "newest breakpoint.",
     "commands 1\n" "commands"},
    {"rbreak", "", dbg_rbreak, 0, 0, TAKES_NOTHING, NULL, "rbreak REGEXP",
     "set a breakpoint on each function whose name matches a regular expression",
     "Only functions with debug information count.",
     "rbreak ^list_\n" "rbreak sum"},
    {"clear", "cl", dbg_clear, 0, 0, TAKES_LOCATION, NULL, "clear [LOCATION]",
     "delete the breakpoints at a location",
     "Without a location: those at the current line. See 'help break' for locations.",
     "clear insert\n" "clear main"},
    {"save", "", dbg_save, 0, 0, TAKES_WORD, "breakpoints", "save breakpoints FILE",
     "write the breakpoints into a file, as commands",
     "'source FILE' sets them again.",
     "save breakpoints stops.cmds"},
    {"handle", "", dbg_handle, 0, 0, TAKES_WORD, handle_words, "handle SIGNAL... stop|nostop",
     "choose whether signals stop movements",
     "A fault that a virtual machine uses in normal operation stops only if this command says\n"
     "so; see 'info signals'.",
     "handle SIGUSR1 nostop\n" "handle SIGSEGV SIGBUS stop"},
    {"history", "hist", dbg_history, 0, 0, TAKES_EXPRESSION, NULL,
     "history [-l] EXPRESSION [-n N] [from MOMENT] [to MOMENT] [--csv | --json | --plot]",
     "list every change of a value, newest first",
     "The first line says which part of the run is covered: for a local variable, the current\n"
     "call of its function. With -l: the memory that the expression means now, over the whole\n"
     "run. -n N: only the newest N changes. Moments are those of goto, and 'here'. --csv and\n"
     "--json print rows for other programs, --plot draws a graph. Ctrl-C stops the search and\n"
     "shows the changes found so far.",
     "history total\n" "history -l head->next -n 5"},
    {"ask", "", dbg_ask, 0, 0, TAKES_WORD,
     "find count list first last call return line block store load syscall signal switch thread "
     "fork exec map output event exception alloc free",
     "ask find|count|list|first|last TYPE [where CONTEXT] [from A] [to B] [--json | --csv]",
     "ask which events of the run fit a description",
     "Types: call, return, line, block, store MEMORY, load MEMORY, syscall, signal, switch,\n"
     "thread, fork, exec, map, output, event, exception, alloc, free. CONTEXT joins conditions\n"
     "by and, or, not: expressions of the program in the frame of the event, and its own words:\n"
     "func, caller, file, line, src, stack, thread, addr, size, oldval, newval, changed, arg[i],\n"
     "ret, nr, name, fd, bytes, text. 'func = list_*' takes wildcards, 'text ~ /x+/' a regular\n"
     "expression, 'stack = <**,a,*,b>' calls. find shows the first 50 rows, list all of them.\n"
     "'goto row N' goes to a row. docs/questions.md explains all of it.",
     "ask list call where func = insert\n" "ask count store total where changed"},
    {"calls", "", dbg_calls, 0, 0, TAKES_LOCATION, NULL,
     "calls FUNCTION [where CONTEXT] [--json | --csv]",
     "list every call of a function with arguments, result and duration",
     "The duration is in ticks. The name may have wildcards. 'goto row N' goes to a call.\n"
     "A call that did not return, since the run ended or longjmp or an exception left it,\n"
     "returned 'never'.",
     "calls insert\n" "calls list_*"},
    {"trace", "", dbg_trace, 0, 0, TAKES_LOCATION, NULL,
     "trace LOCATION \"TEXT {EXPRESSION} ...\" [where CONTEXT] [from A] [to B]",
     "print a text for each time that the program came to a place",
     "The answer is what the program would have printed if it had contained that line from\n"
     "the beginning. Expressions are evaluated there; {{ is a brace. CONTEXT is that of ask.\n"
     "'goto row N' goes to a row.",
     "trace insert \"insert {n}\"\n" "trace 47 \"total {total}, n {n}\" where n > 3"},
    {"events", "", dbg_events, 0, 0, TAKES_WORD, "where from to",
     "events [where CONTEXT] [from A] [to B] [--json | --csv]",
     "list system calls, signals and switches of threads",
     "The same as 'ask list event'. 'goto row N' goes to one.",
     "events\n" "events where name = openat"},
    {"profile", "", dbg_profile, 0, 0, TAKES_WORD, "functions lines from to",
     "profile [functions | lines] [from A] [to B] [--json | --csv]",
     "count the instructions that each function or line executed",
     "The counts are exact: nothing is sampled. An instruction belongs to the function and line\n"
     "that contain it, inlined code to the function that was inlined; what a function calls is\n"
     "not counted as its own. 'entered' says how often the function was entered. The text has\n"
     "the first 30 rows, --json and --csv have all.",
     "profile\n" "profile lines from 25% to 50%"},
    {"coverage", "", dbg_coverage, 0, 0, TAKES_WORD, "from to off",
     "coverage [FILE] [from A] [to B] [--lcov PATH | --json | --csv] | coverage off",
     "count how often each line ran",
     "Without FILE: how many of the lines of each source file ran. With FILE, which may have\n"
     "wildcards: each of its lines. --lcov writes a file for genhtml and other programs that\n"
     "show coverage. From then on 'list' shows the counts; 'coverage off' ends that. A line\n"
     "ran as often as the most frequent of its instructions.",
     "coverage\n" "coverage list.c"},
    {"changes", "", dbg_changes, 0, 0, TAKES_WORD, "from to next step finish previous bstep before",
     "changes [MOVEMENT | [from MOMENT] [to MOMENT]]",
     "list the variables that a statement or a stretch of time changes",
     "Without arguments: what the next statement will change, up to where 'next' would stop.\n"
     "With a movement: what changes between here and where that movement would stop. A moment\n"
     "that is not given is the current one. The list has global variables, local variables of\n"
     "calls that are active at both moments, and objects that pointers lead to, each with the\n"
     "statement that last changed it. Other memory is listed by address. You stay where you are.",
     "changes\n" "changes finish"},
    {"print", "p inspect", dbg_print, 0, REPEATS, TAKES_EXPRESSION, NULL,
     "print[/FORMAT] [EXPRESSION]", "print the value of an expression",
     "Formats are /x /d /u /o /t /a /c /f /s /z. *p@10 is an array of ten that begins at *p;\n"
     "$rax is a register; {int}ADDRESS is memory as a type; $ is the last value, $$ the one\n"
     "before, $3 the third. Functions are called, and variables assigned, in a copy of the\n"
     "process that lasts until you move.",
     "print *head\n" "print/x total + 5"},
    {"output", "", dbg_output, 0, 0, TAKES_EXPRESSION, NULL,
     "output [/REGEX/] [fd N | all] | output[/FORMAT] EXPRESSION",
     "list what the program wrote, line by line; or print a value without a line end",
     "Without an expression: the lines that were written to descriptors 1 and 2, with the\n"
     "moments of the calls that wrote them; 'fd N' is another descriptor, 'all' all of them.\n"
     "'goto row N' goes to a line of the list, 'goto output -1' to the last line of the whole\n"
     "output, and 'goto output /REGEX/' to the newest before here that fits. With an\n"
     "expression: its value, for commands of breakpoints.",
     "output /error/\n" "output/x total"},
    {"printf", "", dbg_printf, 0, 0, TAKES_EXPRESSION, NULL, "printf \"FORMAT\", EXPRESSION...",
     "print values in a format, as printf of C does",
     "Conversions are %d %i %u %o %x %X %c %s %p %e %f %g, with flags, width and precision,\n"
     "and the lengths h l ll z L. %s is a string of the program.",
     "printf \"total is %d\\n\", total\n" "printf \"%5.2f %s\\n\", 1.5, name"},
    {"call", "", dbg_print, 1, 0, TAKES_EXPRESSION, NULL, "call[/FORMAT] FUNCTION(ARGUMENTS)",
     "call a function of the program in a copy of the process",
     "The output of the function and its result are shown. Its effects last until you move;\n"
     "the recording does not change. Breakpoints do not stop it. A call that crashes, exits or\n"
     "takes longer than 'set call-limit SECONDS' has no effect.",
     "call list_print(head)\n" "call/x list_sum(head)"},
    {"display", "disp", dbg_display, 0, 0, TAKES_EXPRESSION, NULL, "display[/FORMAT] [EXPRESSION]",
     "print an expression at each stop",
     "Without an expression: print all displayed expressions now.",
     "display total\n" "display/x total"},
    {"undisplay", "", dbg_undisplay, 0, 0, TAKES_COUNT, NULL, "undisplay [NUMBER]",
     "stop printing an expression at each stop",
     "Without a number: all of them. 'info display' lists the numbers.",
     "undisplay 1\n" "undisplay"},
    {"x", "", dbg_examine, 0, REPEATS, TAKES_EXPRESSION, NULL, "x[/COUNT FORMAT SIZE] [ADDRESS]",
     "dump memory",
     "Formats are x d u o t a c f s i, sizes b h w g. Without an address, x continues after the\n"
     "memory that was shown last.",
     "x/8xw &total\n" "x/s name"},
    {"find", "", dbg_find, 0, 0, TAKES_EXPRESSION, NULL,
     "find[/SIZE COUNT] START, +LENGTH|END, VALUE...", "search memory for values",
     "Sizes are b h w g; the default is the size of each value's type. A string is searched\n"
     "with the null byte at its end; {char[4]}\"text\" is four characters. $numfound is the\n"
     "number of matches, $_ the last one.",
     "find/w table, +sizeof(table), 0x1234\n" "find name, +20, {char[2]}\"st\""},
    {"ptype", "", dbg_ptype, 1, 0, TAKES_EXPRESSION, NULL, "ptype[/o] TYPE|EXPRESSION",
     "print the definition of a type",
     "With /o: offsets, sizes and holes.",
     "ptype/o struct node\n" "ptype *head"},
    {"whatis", "", dbg_ptype, 0, 0, TAKES_EXPRESSION, NULL, "whatis TYPE|EXPRESSION",
     "print the name of a type",
     "For an expression: the name of its type.",
     "whatis head->next\n" "whatis struct node"},
    {"list", "l", dbg_list, 0, REPEATS, TAKES_LOCATION, NULL, "list [LOCATION | FIRST,LAST | -]",
     "show source lines",
     "Without a location, list continues after the lines that were shown last; '-' shows the\n"
     "lines before them.",
     "list 10,20\n" "list insert"},
    {"search", "forward-search fo", dbg_search, 1, REPEATS, TAKES_NOTHING, NULL, "search REGEXP",
     "find the next source line that matches, after the last line listed",
     "'list' then shows the lines around it. $_ is the number of the line.",
     "search total\n" "search ^}"},
    {"reverse-search", "rev", dbg_search, -1, REPEATS, TAKES_NOTHING, NULL,
     "reverse-search REGEXP", "find the last source line that matches, before the last line listed",
     "The reverse of search.",
     "reverse-search int\n" "reverse-search include"},
    {"backtrace", "bt where", dbg_backtrace, 0, 0, TAKES_COUNT, NULL, "backtrace [full] [N | -N]",
     "show the calls that lead to this place",
     "N: the innermost N; -N: the outermost N. full: with local variables.",
     "backtrace\n" "backtrace full 3"},
    {"frame", "f", dbg_choose_frame, 0, 0, TAKES_WORD, "level function address",
     "frame [N | level N | function NAME | address ADDRESS | apply all|N COMMAND]",
     "select a frame of the backtrace",
     "Without an argument: show the selected frame.",
     "frame 1\n" "frame function main"},
    {"select-frame", "", dbg_select_frame, 0, 0, TAKES_WORD, "level function address",
     "select-frame N | level N | function NAME | address ADDRESS",
     "select a frame of the backtrace without showing it",
     "See 'help frame'.",
     "select-frame 0\n" "select-frame function main"},
    {"faas", "", dbg_apply_all, APPLY_FRAMES, 0, TAKES_COMMAND, NULL, "faas COMMAND",
     "run a command in all frames",
     "Frames in which the command fails or says nothing are left out. 'frame apply' has more ways.",
     "faas print n\n" "faas info locals"},
    {"up", "", dbg_choose_frame, 1, REPEATS, TAKES_COUNT, NULL, "up [N]",
     "select the caller of the selected frame",
     "With N: N frames out.",
     "up\n" "up 2"},
    {"down", "dow", dbg_choose_frame, -1, REPEATS, TAKES_COUNT, NULL, "down [N]",
     "select the frame that the selected frame called",
     "With N: N frames in.",
     "down\n" "down 2"},
    {"up-silently", "", dbg_choose_frame, 2, REPEATS, TAKES_COUNT, NULL, "up-silently [N]",
     "select the caller of the selected frame without showing it",
     "With N: N frames out. See 'help up'.",
     "up-silently\n" "up-silently 2"},
    {"down-silently", "", dbg_choose_frame, -2, REPEATS, TAKES_COUNT, NULL, "down-silently [N]",
     "select the frame that the selected frame called without showing it",
     "With N: N frames in. See 'help down'.",
     "down-silently\n" "down-silently 2"},
    {"thread", "t", dbg_choose_thread, 0, 0, TAKES_WORD, "apply find name",
     "thread [N | apply all|N... COMMAND | name [NAME] | find REGEXP]",
     "select a thread, or run a command in several threads",
     "Without an argument: show the current thread. name: give the current thread a name, or\n"
     "remove the name. find: list the threads whose name or kernel thread id matches.",
     "thread 0\n" "thread apply all backtrace"},
    {"taas", "", dbg_apply_all, APPLY_THREADS, 0, TAKES_COMMAND, NULL, "taas COMMAND",
     "run a command in all threads",
     "Threads in which the command fails or says nothing are left out.",
     "taas backtrace\n" "taas print total"},
    {"tfaas", "", dbg_apply_all, APPLY_BOTH, 0, TAKES_COMMAND, NULL, "tfaas COMMAND",
     "run a command in all frames of all threads",
     "Frames in which the command fails or says nothing are left out.",
     "tfaas print n\n" "tfaas info locals"},
    {"goroutine", "", dbg_goroutine, 0, 0, TAKES_COUNT, NULL, "goroutine [N [COMMAND]]",
     "list the goroutines of a Go program, select one, or run a command in it",
     "The frames of a blocked goroutine stay selected until you move or choose 'thread N'.",
     "goroutine 7\n" "goroutine 7 backtrace"},
    {"info", "i inf", dbg_info, 0, 0, TAKES_WORD, dbg_info_words, "info SUBJECT",
     "show facts about the program or the debugger",
     "Subjects: address NAME; all-registers; args; bookmarks; breakpoints; checkpoints;\n"
     "display; frame; functions, variables, types [-n] [REGEXP]: names, by file (-n: without\n"
     "symbols that have no debug information); goroutines; line LOCATION; locals, args [-q] [-t\n"
     "TYPE] [NAME]: those whose type and name fit; moment; proc [mappings|cmdline|cwd|exe]: the\n"
     "memory of the program, and what it was started with; registers [NAME...]; scope LOCATION:\n"
     "variables that are known there; sharedlibrary; signals; skip; source; symbol ADDRESS;\n"
     "threads [N...]; tracks; watchpoints.",
     "info locals\n" "info functions ^list_"},
    {"disassemble", "disas", dbg_disassemble, 0, 0, TAKES_LOCATION, NULL,
     "disassemble[/rs] [FUNCTION | ADDRESS | START,END | START,+LENGTH]",
     "show the instructions of a function",
     "/s: with source lines, /r: with bytes. The default is the current function.",
     "disassemble/s main\n" "disassemble main,+16"},
    {"bookmark", "", dbg_bookmark, 0, 0, TAKES_NOTHING, NULL, "bookmark [-d] NAME",
     "give this moment a name",
     "'goto NAME' returns to it. Bookmarks are saved with the recording; -d removes one.",
     "bookmark bad\n" "bookmark -d bad"},
    {"track", "", dbg_track, 0, 0, TAKES_COUNT, NULL, "track [N]",
     "open another process image of the recording",
     "'info tracks' lists them; a track is one program in one process.",
     "track\n" "track 0"},
    {"skip", "", dbg_skip, 0, 0, TAKES_LOCATION, NULL, "skip [delete] FILE|FUNCTION",
     "cross a function, or all functions of a file, as one operation",
     "'info skip' lists them; with 'delete', the function is entered again.",
     "skip list_check\n" "skip delete list_check"},
    {"layout", "tui", dbg_layout, 0, 0, TAKES_WORD, "src off", "layout src|off",
     "turn the full screen on or off: source, calls, variables and time",
     "'help tui' lists the keys. The key q returns to the prompt.",
     "layout src\n" "layout off"},
    {"set", "", dbg_set, 0, 0, TAKES_WORD, dbg_setting_words, "set SETTING VALUE",
     "change a setting of the debugger or a variable of the program",
     "context: lines around the current one; listsize; colour on|off; echo on|off: repeat each\n"
     "command; past-main on|off: whether backtraces show the callers of main;\n"
     "disassembly-flavor intel|att; print\n"
     "pretty|elements|array|array-indexes|address|symbol|union|repeats|null-stop|max-depth|\n"
     "static-members|raw-values|frame-arguments|entry-values: how values are shown, as in gdb;\n"
     "checkpoints N, checkpoint-memory SIZE|auto: how many copies of the process are kept, and\n"
     "how much memory they may use; checkpoint-spacing SECONDS|auto: how much replay time lies\n"
     "between two; checkpoint-reach SECONDS|all: how far from the current moment they are kept;\n"
     "var NAME = VALUE: a variable of the program.",
     "set print pretty on\n" "set var total = 5"},
    {"show", "", dbg_show, 0, 0, TAKES_WORD, dbg_setting_words, "show [SETTING]",
     "show one setting, or all settings",
     "'help set' explains them.",
     "show context\n" "show"},
    {"source", "", dbg_source, 0, 0, TAKES_FILE, NULL, "source FILE", "run the commands in a file",
     "It stops at the first command that fails.",
     "source crash.cmds\n" "source ./crash.cmds"},
    {"define", "", dbg_define, 0, 0, TAKES_NOTHING, NULL, "define NAME",
     "define a new command as a list of commands",
     "Type the commands on the next lines, then 'end'. $arg0, $arg1 and so on are the arguments\n"
     "of the new command, $argc is their number, $arg* all of them. A command called 'hook-NAME'\n"
     "is run before the command NAME, and 'hookpost-NAME' after it. 'show user' lists the\n"
     "commands that were defined.",
     "define twice\n" "define hookpost-next"},
    {"document", "", dbg_document, 0, 0, TAKES_NOTHING, NULL, "document NAME",
     "set the help text of a user command",
     "Type the text on the next lines, then 'end'.",
     "document twice\n" "document hookpost-next"},
    {"alias", "", dbg_alias, 0, 0, TAKES_NOTHING, NULL, "alias NAME = COMMAND [ARGUMENTS]",
     "give a command another name",
     "Arguments typed after NAME are added to ARGUMENTS.",
     "alias pt = print total\n" "alias all = faas"},
    {"if", "", dbg_if, 0, 0, TAKES_EXPRESSION, NULL, "if EXPRESSION",
     "run commands if an expression is not 0",
     "Type the commands on the next lines, then 'end'. Commands after a line 'else' are run if\n"
     "the expression is 0.",
     "if total > 3\n" "if head == 0"},
    {"while", "", dbg_while, 0, 0, TAKES_EXPRESSION, NULL, "while EXPRESSION",
     "run commands as long as an expression is not 0",
     "Type the commands on the next lines, then 'end'. Ctrl-C ends the loop.",
     "while total < 0\n" "while head == 0"},
    {"loop_break", "", dbg_leave, LEAVES_LOOP, 0, TAKES_NOTHING, NULL, "loop_break",
     "leave the innermost while loop",
     "It is only valid among the commands of 'while'.",
     "loop_break"},
    {"loop_continue", "", dbg_leave, LEAVES_ROUND, 0, TAKES_NOTHING, NULL, "loop_continue",
     "begin the next round of the innermost while loop",
     "It is only valid among the commands of 'while'.",
     "loop_continue"},
    {"with", "w", dbg_with, 0, 0, TAKES_WORD, dbg_setting_words, "with SETTING VALUE -- COMMAND",
     "change a setting for one command",
     "The old setting is restored after the command. 'help set' lists the settings.",
     "with print pretty on -- print *head\n" "with listsize 3 -- list main"},
    {"shell", "", dbg_shell, 0, 0, TAKES_FILE, NULL, "shell [COMMAND]",
     "run a shell command",
     "'!COMMAND' does the same. Without a command, a shell is started. $_shell_exitcode is the\n"
     "exit status.",
     "shell true\n" "!echo here"},
    {"pipe", "", dbg_pipe, 0, 0, TAKES_COMMAND, NULL, "pipe [-d WORD] COMMAND | PROGRAM",
     "send the output of a command to a shell command",
     "With -d, WORD separates the two instead of '|'. '| COMMAND | PROGRAM' does the same.",
     "pipe info functions | wc -l\n" "pipe backtrace | cat"},
    {"cd", "", dbg_directory, 1, 0, TAKES_FILE, NULL, "cd [DIRECTORY]",
     "change the working directory of the debugger",
     "Without a directory: the home directory.",
     "cd /tmp\n" "cd"},
    {"pwd", "", dbg_directory, 0, 0, TAKES_NOTHING, NULL, "pwd",
     "show the working directory of the debugger",
     "'source' and 'save' look for files there.",
     "pwd"},
    {"echo", "", dbg_echo, 0, 0, TAKES_NOTHING, NULL, "echo TEXT", "print a text",
     "Write \\n where a line is to end; echo adds no line end.",
     "echo here it comes\\n\n" "echo total:"},
    {"apropos", "", dbg_apropos, 0, 0, TAKES_NOTHING, NULL, "apropos WORD",
     "list the commands whose help contains a word",
     "Upper and lower case are treated as equal.",
     "apropos breakpoint\n" "apropos memory"},
    {"help", "h", dbg_help, 0, 0, TAKES_COMMAND, NULL, "help [COMMAND | SUBJECT | all]",
     "explain a command, or list commands by subject",
     "Without an argument: the subjects and the names of all commands.",
     "help watch\n" "help moving"},
    {"quit", "q exit", dbg_quit, 0, 0, TAKES_NOTHING, NULL, "quit", "leave the debugger",
     "Ctrl-D does the same. The recording is not changed.",
     "quit\n" "q"},
};

const struct dbg_command *dbg_commands(size_t *ret_count)
{
    *ret_count = countof(commands);
    return commands;
}

static bool has_word(const char *words, const char *word, size_t length)
{
    while (*words) {
        size_t here = strcspn(words, " ");
        if (here == length && strncmp(words, word, length) == 0)
            return true;
        words += here + (words[here] == ' ');
    }
    return false;
}

static bool is_called(const struct dbg_command *c, const char *word, size_t length)
{
    return (strlen(c->name) == length && strncmp(c->name, word, length) == 0) ||
           has_word(c->others, word, length);
}

static bool could_be(const struct dbg_command *c, const char *word, size_t length)
{
    if (strncmp(c->name, word, length) == 0)
        return true;
    for (const char *at = c->others; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strncmp(at, word, length) == 0)
            return true;
    return false;
}

static struct error *ambiguous(const char *word, size_t length)
{
    char *names = xformat("%s", "");
    for (size_t i = 0; i < countof(commands); i++) {
        if (!could_be(&commands[i], word, length))
            continue;
        char *more = xformat("%s%s%s", names, *names ? ", " : "", commands[i].name);
        free(names);
        names = more;
    }
    struct error *err =
        error_coded(ERROR_AMBIGUOUS, "'%.*s' could be %s", (int)length, word, names);
    free(names);
    return err;
}

/* Returns an error that suggests a similar command, if there is one. */
static struct error *unknown(const char *word, size_t length)
{
    const char *instead = dbg_elsewhere(word, length);
    if (instead)
        return error_coded(ERROR_NOT_FOUND, "there is no command '%.*s' here: %s", (int)length,
                           word, instead);
    char *typed = xformat("%.*s", (int)length, word);
    struct nearest_word n;
    nearest_word_begin(&n, typed);
    for (size_t i = 0; i < countof(commands); i++)
        nearest_word_consider(&n, commands[i].name);
    struct error *err =
        n.best
            ? error_coded(ERROR_NOT_FOUND,
                          "there is no command '%s'; is it '%s'? 'help' lists them", typed, n.best)
            : error_coded(ERROR_NOT_FOUND, "there is no command '%s'; 'help' lists them", typed);
    free(typed);
    return err;
}

/* Finds a command by its name or an unambiguous beginning. */
struct error *dbg_find_command(const char *word, size_t length, const struct dbg_command **ret)
{
    const struct dbg_command *found = NULL;
    size_t fits = 0;
    for (size_t i = 0; i < countof(commands); i++) {
        if (is_called(&commands[i], word, length)) {
            *ret = &commands[i];
            return NULL;
        }
        if (could_be(&commands[i], word, length)) {
            found = &commands[i];
            fits++;
        }
    }
    if (dbg_elsewhere(word, length) || !found)
        return unknown(word, length);
    if (fits > 1)
        return ambiguous(word, length);
    *ret = found;
    return NULL;
}
