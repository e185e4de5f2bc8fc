/* The commands: their names, what they take, and what there is to say of each (dbg_help.c says it). */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

#define BACK MOVE_BACKWARD

static const char catch_words[] = "syscall signal fork exec exit throw rethrow catch panic";
static const char handle_words[] = "stop nostop";

/* name, others, run, which, flags, argument, words, usage, summary, more */
static const struct dbg_command commands[] = {
    {"step", "s", dbg_move, MOVE_STEP, MOVES | REPEATS, TAKES_COUNT, NULL, "step [N]",
     "to the next statement, into functions too",
     "Stops at the N-th start of a statement that this thread comes to. Functions without line\n"
     "information, and those that 'skip' names, are crossed as one operation.\n"
     "Example: step 3"},
    {"bstep", "reverse-step rs", dbg_move, MOVE_STEP | BACK, MOVES | REPEATS, TAKES_COUNT, NULL,
     "bstep [N]", "back to the statement before, into functions too",
     "The twin of step: inside a statement that has called nothing yet, its own start.\n"
     "Example: bstep"},
    {"next", "n", dbg_move, MOVE_NEXT, MOVES | REPEATS, TAKES_COUNT, NULL, "next [N]",
     "to the next statement of this function, or of one that called it",
     "Calls are stepped over; when the function returns, it goes on in its caller.\n"
     "Example: next 2"},
    {"previous", "prev reverse-next rn", dbg_move, MOVE_NEXT | BACK, MOVES | REPEATS, TAKES_COUNT,
     NULL, "previous [N]", "back to the statement before in this function, or in its caller",
     "The twin of next: calls that began and ended in between are passed as a whole.\n"
     "Example: previous"},
    {"continue", "c fg", dbg_move, MOVE_CONTINUE, MOVES | REPEATS, TAKES_COUNT, NULL,
     "continue [N]", "on to the next breakpoint",
     "Stops at the N-th breakpoint, watchpoint or catchpoint, at a signal, or at the end.\n"
     "Example: continue"},
    {"bcontinue", "reverse-continue rc", dbg_move, MOVE_CONTINUE | BACK, MOVES | REPEATS,
     TAKES_COUNT, NULL, "bcontinue [N]", "back to the last breakpoint",
     "With a watchpoint: back to where the value was last changed.\n"
     "Example: watch total, and then bcontinue"},
    {"finish", "fin", dbg_move, MOVE_FINISH, MOVES | REPEATS, TAKES_COUNT, NULL, "finish [N]",
     "until this function has returned",
     "Stops just behind the call, in the middle of a statement of the caller, and shows the value\n"
     "that was returned. With N: that many frames out. Example: finish"},
    {"before", "reverse-finish bfinish", dbg_move, MOVE_FINISH | BACK, MOVES | REPEATS, TAKES_COUNT,
     NULL, "before [N]", "back to the statement that called this function",
     "With N: the statement that made the call of the N-th frame out. Example: before"},
    {"stepi", "si", dbg_move, MOVE_STEPI, MOVES | REPEATS, TAKES_COUNT, NULL, "stepi [N]",
     "one instruction, or N", "Of the thread that is looked at. Example: stepi 10"},
    {"bstepi", "reverse-stepi rsi", dbg_move, MOVE_STEPI | BACK, MOVES | REPEATS, TAKES_COUNT, NULL,
     "bstepi [N]", "back by one instruction, or N", "Example: bstepi"},
    {"nexti", "ni", dbg_move, MOVE_NEXTI, MOVES | REPEATS, TAKES_COUNT, NULL, "nexti [N]",
     "one instruction, calls stepped over", "Example: nexti"},
    {"bnexti", "reverse-nexti rni", dbg_move, MOVE_NEXTI | BACK, MOVES | REPEATS, TAKES_COUNT, NULL,
     "bnexti [N]", "back by one instruction, calls passed as a whole", "Example: bnexti"},
    {"until", "u advance", dbg_move, MOVE_UNTIL, MOVES, TAKES_EXPRESSION, NULL,
     "until LOCATION | CONDITION | [-l] VALUE",
     "on to where a place is executed, a condition becomes true, or a value changes",
     "A number, FILE:LINE, *ADDRESS and the name of a function are locations, in whatever frame. A\n"
     "comparison or a logical expression is a condition: it goes to where that becomes true, having\n"
     "been false; if it is true now, it has to become false first. Anything else is a value; -l is\n"
     "the memory that it means now. Locals are those of this call: where it returns, until stops.\n"
     "Breakpoints stop it on the way. Example: until total > 100"},
    {"buntil", "reverse-until ru", dbg_move, MOVE_UNTIL | BACK, MOVES, TAKES_EXPRESSION, NULL,
     "buntil LOCATION | CONDITION | [-l] VALUE",
     "back to where a place was last executed, a condition last became true, or a value last changed",
     "The twin of until: it stops on the instruction that did it, before it is executed. A condition\n"
     "that is true now takes it to where it became true most recently; one that is false now, to\n"
     "where it last became true before that; one that has been true all along, to the start. A local\n"
     "has no value before its function has written it, so that is as far as it goes.\n"
     "Example: buntil head->next"},
    {"first", "", dbg_move, MOVE_FIRST | BACK, MOVES, TAKES_EXPRESSION, NULL, "first CONDITION",
     "to the first moment of the run at which the condition held",
     "Wherever one stands; breakpoints do not stop it. That is where it first became true, or the\n"
     "start, if it held there. Of a local, the first moment in this call of its function.\n"
     "Example: first count > 1000"},
    {"out", "", dbg_move, MOVE_OUT, MOVES | REPEATS, TAKES_NOTHING, NULL, "out",
     "to the first statement behind the innermost block or loop", "Example: out"},
    {"bout", "reverse-out", dbg_move, MOVE_OUT | BACK, MOVES | REPEATS, TAKES_NOTHING, NULL, "bout",
     "back to the last statement before the innermost block or loop", "Example: bout"},
    {"play", "", dbg_play, 0, MOVES | REPEATS, TAKES_NOTHING, NULL, "play [next] [RATE] [for N]",
     "step on and on, so many statements in a second, and show each",
     "RATE is statements in a second: 5/s, 0.5/s; without it, 2/s. With 'next', calls are stepped over.\n"
     "It ends at a breakpoint, watchpoint, catchpoint or signal, at the end, after N statements, by\n"
     "Ctrl-C, and on the full screen by any key. What 'display' names is shown with each statement.\n"
     "undo goes back to where it began. Example: play 5/s"},
    {"bplay", "reverse-play", dbg_play, 1, MOVES | REPEATS, TAKES_NOTHING, NULL, "bplay [next] [RATE] [for N]",
     "step back and back, so many statements in a second, and show each",
     "The twin of play: it ends at the start. Example: bplay next 10/s for 100"},
    {"goto", "", dbg_goto, 0, MOVES, TAKES_WORD, "start end event", "goto MOMENT",
     "to a moment of the recording",
     "TICK, TICK:PC, start, end, 40% (of the ticks), event N, 12.5s (of the clock of the run),\n"
     "-1s and +0.2s (from here), or a bookmark. Breakpoints do not stop it.\n"
     "Example: goto 50%"},
    {"undo", "", dbg_undo, UNDO, MOVES | REPEATS, TAKES_COUNT, NULL, "undo [N]",
     "back to where the last movement began", "Whatever the movement was. Example: undo"},
    {"redo", "", dbg_undo, REDO, MOVES | REPEATS, TAKES_COUNT, NULL, "redo [N]",
     "the movement that was undone, again", "Example: redo"},
    {"break", "b br bre brea", dbg_break, 0, 0, TAKES_LOCATION, NULL,
     "break [LOCATION] [thread N] [if CONDITION]", "stop where a location is about to be executed",
     "LOCATION is FUNCTION, LINE, FILE:LINE, FILE:FUNCTION, *ADDRESS, +N, -N; without it, here.\n"
     "What is nowhere yet waits for a library that has it. Example: break insert if n == 5"},
    {"tbreak", "tb", dbg_break, 1, 0, TAKES_LOCATION, NULL,
     "tbreak [LOCATION] [thread N] [if CONDITION]", "the same, for one stop", "Example: tbreak main"},
    {"watch", "wa", dbg_watch, BREAKPOINT_STORE, 0, TAKES_EXPRESSION, NULL,
     "watch [-w] EXPRESSION | -l EXPRESSION | -l ADDRESS LENGTH [thread N] [if CONDITION]",
     "stop where the value is changed",
     "Pointers are followed: what the expression means is found anew when one of them changes; -l is\n"
     "the memory that it means now. -w: stores of the same value, too. A local is watched while its\n"
     "function runs. Forward it stops behind the store, backward on it. Example: watch head->next"},
    {"rwatch", "rw", dbg_watch, BREAKPOINT_LOAD, 0, TAKES_EXPRESSION, NULL, "rwatch EXPRESSION [thread N] [if CONDITION]",
     "stop where the value is read", "All that watch takes. Example: rwatch total"},
    {"awatch", "aw", dbg_watch, BREAKPOINT_ACCESS, 0, TAKES_EXPRESSION, NULL, "awatch EXPRESSION [thread N] [if CONDITION]",
     "stop where the value is read or written", "All that watch takes. Example: awatch total"},
    {"catch", "", dbg_catch, 0, 0, TAKES_WORD, catch_words, "catch syscall|signal|fork|exec|exit|throw|rethrow|catch|panic [NAME...]",
     "stop at an event",
     "syscall and signal take several names or numbers; without one, any stops. A system call stops "
     "twice: before it is made, with its arguments, and after it, with its result. "
     "throw, rethrow and catch are where exceptions of C++ pass; panic is where Rust panics, with the message. "
     "Example: catch syscall read write"},
    {"tcatch", "", dbg_catch, 1, 0, TAKES_WORD, catch_words, "tcatch ...", "the same, for one stop",
     "Example: tcatch signal SIGUSR1"},
    {"delete", "d del", dbg_breakpoints_change, DO_DELETE, 0, TAKES_COUNT, NULL, "delete [NUMBER...]",
     "remove breakpoints, or all", "Example: delete 2"},
    {"disable", "dis", dbg_breakpoints_change, DO_DISABLE, 0, TAKES_COUNT, NULL, "disable [NUMBER...]",
     "let breakpoints be without effect", "Example: disable 1 3"},
    {"enable", "en", dbg_breakpoints_change, DO_ENABLE, 0, TAKES_COUNT, NULL, "enable [NUMBER...]",
     "let them have effect again", "Example: enable 1"},
    {"condition", "cond", dbg_condition, 0, 0, TAKES_EXPRESSION, NULL,
     "condition NUMBER [EXPRESSION]", "give a breakpoint a condition, or take it away",
     "Conditions are compiled and run in the process, where that is possible.\n"
     "Example: condition 1 n > 5"},
    {"ignore", "", dbg_ignore, 0, 0, TAKES_COUNT, NULL, "ignore NUMBER COUNT",
     "let a breakpoint pass some hits before it stops", "Example: ignore 1 99"},
    {"commands", "", dbg_breakpoint_commands, 0, 0, TAKES_COUNT, NULL, "commands [NUMBER]",
     "commands for each stop at a breakpoint",
     "They are on the lines that follow, up to 'end'. One that moves is the last that is done. If the\n"
     "first is 'silent', the stop itself is not shown.\n"
     "Example: commands 1, then 'silent', 'printf \"n is %d\\n\", n', 'continue', 'end'"},
    {"handle", "", dbg_handle, 0, 0, TAKES_WORD, handle_words, "handle SIGNAL... stop|nostop",
     "whether signals stop movements",
     "Faults that a virtual machine uses in normal operation do not stop unless this says so\n"
     "('info signals'). Example: handle SIGUSR1 nostop"},
    {"history", "hist", dbg_history, 0, 0, TAKES_EXPRESSION, NULL,
     "history [-l] EXPRESSION [-n N] [from MOMENT] [to MOMENT] [--csv | --json | --plot]",
     "every change of a value, newest first",
     "It says first what it covers. Of a local that is this call of its function, from the first\n"
     "write on; -l is the memory that the expression means now, over the whole run, whatever was\n"
     "there before. -n: only the newest N. Moments are those of goto, and 'here'. --csv and --json\n"
     "are for other programs, --plot draws it. Ctrl-C shows what was found until then.\n"
     "Example: history -l head->next -n 5"},
    {"changes", "", dbg_changes, 0, 0, TAKES_WORD, "from to next step finish previous bstep before",
     "changes [MOVEMENT | [from MOMENT] [to MOMENT]]", "which variables a statement or a stretch of time changes",
     "Without more: what the statement that comes next will change, up to where 'next' would stop. With a\n"
     "movement: up to where that would stop, forward or back. Moments are those of goto; one that is left\n"
     "out is this one. Old values are those of the earlier moment. It lists what is outside of functions,\n"
     "locals of calls that are under way at both moments, what pointers lead to at the later one, and\n"
     "other memory by its addresses. You stay where you are. Example: changes finish"},
    {"print", "p inspect", dbg_print, 0, REPEATS, TAKES_EXPRESSION, NULL,
     "print[/FORMAT] [EXPRESSION]",
     "the value of an expression",
     "Formats are /x /d /u /o /t /a /c /f /s /z. *p@10 is ten of what p points to; $rax is a\n"
     "register; {int}ADDRESS is memory as a type; $ is the last value, $$ the one before, $3 the\n"
     "third. Functions are called, and values assigned, in a copy of the process that lasts until\n"
     "you move. Example: print *head, print strlen(name), print total = 5"},
    {"output", "", dbg_output, 0, 0, TAKES_EXPRESSION, NULL, "output[/FORMAT] EXPRESSION",
     "the value alone, without a new line and without a number in the history",
     "For commands of breakpoints. Example: output total"},
    {"printf", "", dbg_printf, 0, 0, TAKES_EXPRESSION, NULL, "printf \"FORMAT\", EXPRESSION...",
     "values in a text, as C's printf writes them",
     "Conversions are %d %i %u %o %x %X %c %s %p %e %f %g, with flags, width and precision, and the\n"
     "lengths h l ll z L. %s is a string of the program. Example: printf \"%5.2f %s\\n\", d, name"},
    {"call", "", dbg_print, 1, 0, TAKES_EXPRESSION, NULL, "call[/FORMAT] FUNCTION(ARGUMENTS)",
     "call a function in a copy of the process",
     "What it prints is shown, and what it returns unless that is void. Its effects last until you\n"
     "move; the recording stays as it is. Breakpoints do not stop it; one that dies, exits or does\n"
     "not return ('set call-limit SECONDS') leaves nothing behind. Example: call list_print(head)"},
    {"display", "disp", dbg_display, 0, 0, TAKES_EXPRESSION, NULL, "display[/FORMAT] [EXPRESSION]",
     "print an expression at each stop", "Example: display total"},
    {"undisplay", "", dbg_undisplay, 0, 0, TAKES_COUNT, NULL, "undisplay [NUMBER]",
     "no longer", "Example: undisplay 1"},
    {"x", "", dbg_examine, 0, REPEATS, TAKES_EXPRESSION, NULL, "x[/COUNT FORMAT SIZE] [ADDRESS]",
     "memory as it is",
     "Formats are x d u o t a c f s i, sizes b h w g. Example: x/8xw &total"},
    {"find", "", dbg_find, 0, 0, TAKES_EXPRESSION, NULL,
     "find[/SIZE COUNT] START, +LENGTH|END, VALUE...", "where values are in memory",
     "Sizes are b h w g; without one each value has the size of its type. A string is looked for with\n"
     "the null at its end; {char[4]}\"text\" is four characters. $numfound is how many were found, $_\n"
     "the last. Example: find/w table, +sizeof(table), 0x1234"},
    {"ptype", "", dbg_ptype, 1, 0, TAKES_EXPRESSION, NULL, "ptype[/o] TYPE|EXPRESSION",
     "what a type consists of", "/o: with offsets, sizes and holes. Example: ptype/o struct node"},
    {"whatis", "", dbg_ptype, 0, 0, TAKES_EXPRESSION, NULL, "whatis TYPE|EXPRESSION",
     "the name of a type", "Example: whatis head->next"},
    {"list", "l", dbg_list, 0, REPEATS, TAKES_LOCATION, NULL, "list [LOCATION | FIRST,LAST | -]",
     "source text", "Without a location it goes on; '-' is backward. Example: list 10,20"},
    {"backtrace", "bt where", dbg_backtrace, 0, 0, TAKES_COUNT, NULL, "backtrace [full] [N | -N]",
     "the calls that lead here", "N: the innermost, -N: the outermost. Example: backtrace full 3"},
    {"frame", "f", dbg_choose_frame, 0, 0, TAKES_WORD, "level function address",
     "frame [N | level N | function NAME | address ADDRESS]",
     "look at a frame of the backtrace", "Example: frame 2, frame function main"},
    {"up", "", dbg_choose_frame, 1, REPEATS, TAKES_COUNT, NULL, "up [N]", "look at the caller",
     "Example: up"},
    {"down", "dow", dbg_choose_frame, -1, REPEATS, TAKES_COUNT, NULL, "down [N]",
     "look at the frame that was called", "Example: down"},
    {"thread", "t", dbg_choose_thread, 0, 0, TAKES_WORD, "apply", "thread [N | apply all|N... COMMAND]",
     "look at another thread, or do something in several", "Example: thread apply all bt"},
    {"goroutine", "", dbg_goroutine, 0, 0, TAKES_COUNT, NULL, "goroutine [N [COMMAND]]",
     "list the goroutines of a Go program, look at one, or run a command in it",
     "The frames of a goroutine that waits are shown until something moves or 'thread N' is chosen.\n"
     "Example: goroutine 7 bt"},
    {"info", "i inf", dbg_info, 0, 0, TAKES_WORD, dbg_info_words, "info SUBJECT",
     "what there is to know",
     "address NAME; all-registers; args; bookmarks; breakpoints; checkpoints; display; frame;\n"
     "functions, variables, types [-n] [REGEXP]: names, by file (-n: without symbols that have no\n"
     "debug information); goroutines; line LOCATION; locals; moment; proc mappings: the memory of\n"
     "the program; registers [NAME...]; scope LOCATION: variables that are known there;\n"
     "sharedlibrary; signals; skip; source; symbol ADDRESS; threads; tracks; watchpoints.\n"
     "Example: info functions ^list_"},
    {"disassemble", "disas", dbg_disassemble, 0, 0, TAKES_LOCATION, NULL,
     "disassemble[/rs] [FUNCTION | ADDRESS | START,END | START,+LENGTH]", "the instructions of a function",
     "/s: with the source, /r: with their bytes. Example: disassemble/s main"},
    {"bookmark", "", dbg_bookmark, 0, 0, TAKES_NOTHING, NULL, "bookmark [-d] NAME", "name this moment",
     "'goto NAME' comes back. Bookmarks are saved with the recording; -d removes one. Example: bookmark bad"},
    {"track", "", dbg_track, 0, 0, TAKES_COUNT, NULL, "track [N]",
     "another process image of the recording", "'info tracks' lists them. Example: track 1"},
    {"skip", "", dbg_skip, 0, 0, TAKES_LOCATION, NULL, "skip [delete] FILE|FUNCTION",
     "cross a function or a file as one operation", "Example: skip list_check"},
    {"layout", "tui", dbg_layout, 0, 0, TAKES_WORD, "src off", "layout src|off",
     "the full screen: source, calls, variables and time",
     "'help tui' lists its keys; 'layout off', or the key q, comes back to the prompt.\n"
     "Example: layout src"},
    {"set", "", dbg_set, 0, 0, TAKES_WORD, dbg_setting_words, "set SETTING VALUE", "change a setting",
     "context: lines around the place; listsize; colour on|off; echo on|off: repeat each command;\n"
     "past-main on|off: whether backtraces show what called main; disassembly-flavor intel|att;\n"
     "print pretty|elements|array|array-indexes|address|symbol|union|repeats|null-stop|max-depth|\n"
     "static-members|raw-values|frame-arguments|entry-values: how values are shown, as in gdb;\n"
     "var NAME = VALUE: a variable of the program. Example: set print pretty on"},
    {"show", "", dbg_show, 0, 0, TAKES_WORD, dbg_setting_words, "show [SETTING]", "the settings",
     "Example: show context"},
    {"source", "", dbg_source, 0, 0, TAKES_FILE, NULL, "source FILE", "read commands from a file",
     "Example: source crash.cmds"},
    {"echo", "", dbg_echo, 0, 0, TAKES_NOTHING, NULL, "echo TEXT", "print a text",
     "It ends with a new line only if the text ends with \\n. Example: echo here it comes\\n"},
    {"help", "h", dbg_help, 0, 0, TAKES_COMMAND, NULL, "help [COMMAND | SUBJECT | all]",
     "what can be done, and how",
     "Example: help watch"},
    {"quit", "q exit", dbg_quit, 0, 0, TAKES_NOTHING, NULL, "quit", "end; Ctrl-D does it too",
     "The recording stays as it is. Example: quit"},
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
    struct error *err = error_new("'%.*s' could be %s", (int)length, word, names);
    free(names);
    return err;
}

/* How many letters must be put in, left out, replaced or swapped with the next to make one of the other; words that are too long
 * to be commands are far from everything. */
static unsigned dbg_table_distance(const char *a, size_t length, const char *b)
{
    enum { LONGEST = 24 };
    unsigned rows[LONGEST + 1][LONGEST + 1];
    size_t width = strlen(b);
    if (length > LONGEST || width > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= length; i++)
        for (size_t n = 0; n <= width; n++) {
            if (!i || !n) {
                rows[i][n] = (unsigned)(i + n);
                continue;
            }
            unsigned least = rows[i - 1][n - 1] + (a[i - 1] != b[n - 1]);
            least = rows[i - 1][n] + 1 < least ? rows[i - 1][n] + 1 : least;
            least = rows[i][n - 1] + 1 < least ? rows[i][n - 1] + 1 : least;
            if (i > 1 && n > 1 && a[i - 1] == b[n - 2] && a[i - 2] == b[n - 1] && rows[i - 2][n - 2] + 1 < least)
                least = rows[i - 2][n - 2] + 1;
            rows[i][n] = least;
        }
    return rows[length][width];
}

/* With a command that may have been meant, if one is like it. */
static struct error *unknown(const char *word, size_t length)
{
    const char *like = NULL;
    unsigned least = length > 5 ? 3 : length > 2 ? 2 : 1; /* fewer letters than this may be wrong */
    for (size_t i = 0; i < countof(commands); i++) {
        unsigned far = dbg_table_distance(word, length, commands[i].name);
        if (far < least) {
            least = far;
            like = commands[i].name;
        }
    }
    if (like)
        return error_coded(ERROR_NOT_FOUND,
                           "there is no command '%.*s'; is it '%s'? 'help' lists them", (int)length,
                           word, like);
    return error_coded(ERROR_NOT_FOUND, "there is no command '%.*s'; 'help' lists them",
                       (int)length, word);
}

/* A whole name, or the beginning of one command's names alone. */
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
    if (fits > 1)
        return ambiguous(word, length);
    if (!found)
        return unknown(word, length);
    *ret = found;
    return NULL;
}
