/* gdb commands that ebb does not have: what to type instead, or why it makes no sense in a
 * recording. */
#include <string.h>

#include "front/debugger/dbg_internal.h"

static const char run_already[] =
    "the program has run already: 'goto start' goes to its start, and 'continue' runs from there";
static const char unchanged[] =
    "a recording does not change: 'call' and 'print NAME = VALUE' work in a copy of the process";
static const char no_process[] = "there is no process to attach to or to end: 'quit' leaves";
static const char other_files[] =
    "the recording knows its files: 'ebb replay RECORDING' opens another one";
static const char no_tracing[] =
    "a recording needs no tracepoints: 'trace LOCATION \"text {expr}\"' looks at all of it";
static const char no_language[] =
    "ebb has no scripting language besides its commands: 'ebb gdb' has Python, and "
    "'ebb replay --json' is for other programs";
static const char no_macros[] = "macros are not known here: type what the macro stands for";
static const char no_windows[] = "the full screen has one layout: 'layout src' opens it";
static const char no_targets[] = "ebb replays by itself: 'ebb serve' is for other debuggers";

static const struct { const char *names, *sentence; } elsewhere[] = {
    {"run r start starti", run_already},
    {"attach detach kill disconnect", no_process},
    {"jump return signal queue-signal restore compile expression", unchanged},
    {"file exec-file symbol-file add-symbol-file core-file core load sharedlibrary "
     "nosharedlibrary add-symbol-file-from-memory remove-symbol-file", other_files},
    {"tstart tstop tstatus tsave tfind tdump actions collect teval ftrace strace tp "
     "tvariable passcount", no_tracing},
    {"python py python-interactive pi guile gu guile-repl gr", no_language},
    {"macro", no_macros},
    {"focus fs refresh winheight wh winwidth tuireg", no_windows},
    {"target monitor maintenance mt flash-erase flushregs remote", no_targets},
    {"inferior add-inferior clone-inferior remove-inferiors",
     "each process of the run is a track: 'info tracks' lists them, and 'track N' opens one"},
    {"checkpoint restart", "'bookmark NAME' keeps a moment, and 'goto NAME' returns to it"},
    {"record rec", "this is a recording already: 'goto' and the backward movements are for it"},
    {"gcore generate-core-file",
     "a recording has every state of the program: 'ebb pack' makes one file of it"},
    {"dump append", "'x' shows memory, and 'pipe x/100xb ADDRESS | PROGRAM' hands it on"},
    {"dprintf agent-printf",
     "give a breakpoint 'commands': silent, a printf, and continue"},
    {"explore", "'print' shows a value, 'print *POINTER' what it points to, 'ptype' its type"},
    {"directory dir path",
     "sources are looked for where they were when the program was compiled: 'info source'"},
    {"edit ed e", "'info source' has the path of the file: 'shell EDITOR PATH' opens it"},
    {"make", "'shell make' runs make; the recording stays as it is"},
    {"complete", "Tab completes words"},
    {"demangle", "'info symbol' and 'info functions' show names as they were written"},
    {"tty unset environment", "the program had its terminal and environment when it was recorded"},
    {"task", "this is for Ada; 'thread' and 'goroutine' are what there is here"},
    {"stepping", "'step' goes to the next statement"},
    {"stop", "'commands' and 'define hookpost-NAME' are run after other commands"},
    {"eval", "'define NAME' makes a command of others, with $arg0 and what else is typed after it"},
    {"init-if-undefined",
     "'set $NAME = VALUE' sets a variable; $_isvoid($NAME) is 1 as long as it has no value"},
    {"dont-repeat", "an empty line repeats no command that was made by 'define'"},
    {"interrupt", "Ctrl-C ends a movement"},
    {"compare-sections", "the files of the recording are those of the run: 'ebb info' says so"},
    {"break-range",
     "'break LOCATION if CONDITION' stops at a line, 'ask list line where ...' lists many"},
    {"print-object po", "this is for Objective-C; 'print' shows objects"},
    {"section", other_files},
    {"mem", "'info proc mappings' shows the program's memory"},
    {"memory-tag", "x86-64 has no memory tags"},
    {"overlay ov ovly", "programs of Linux have no overlays"},
    {"jit-reader-load jit-reader-unload",
     "generated code has no names here; 'x/i' and 'info registers' work in it"},
    {"interpreter-exec new-ui", "'ebb replay --json' and 'ebb dap' are for other programs"},
    {"add-auto-load-safe-path add-auto-load-scripts-directory", no_language},
    {"function", "functions such as $_strlen are part of expressions: 'help print'"},
    {"update", "the full screen shows each new place by itself"},
    {"while-stepping ws", no_tracing},
    {"end else", "it belongs to the lines after if, while, define, document or commands"},
    {"info macro", no_macros},
    {"info macros", no_macros},
    {"info os", "what the kernel knows of other processes is not recorded"},
    {"info win", no_windows},
    {"info float", "'info all-registers' has them"},
    {"info vector", "'info all-registers' has them"},
    {"info vtbl", "'x/8a *(void **)OBJECT' shows the table of virtual functions"},
    {"info sources", "'info functions' lists functions by their files"},
    {"info exceptions", "'catch throw' stops where one is thrown"},
    {"info record", "'info moment' says where one is, and 'ebb info' describes the recording"},
    {"info tasks", "this is for Ada; 'info threads' and 'info goroutines' are what there is here"},
    {"info tp", no_tracing},
    {"info tracepoints", no_tracing},
    {"info terminal", "the program had its terminal when it was recorded"},
    {"info selectors", "this is for Objective-C"},
    {"info classic", "this is for Objective-C"},
    {"info copying", "ebb has the MIT licence: see the file LICENSE"},
    {"info warranty", "ebb has the MIT licence: see the file LICENSE"},
    {"info dcache", "there is no cache: memory is read from a copy of the process"},
    {"info extensions", no_language},
    {"info pretty-printer", "'set print raw-values on' shows classes as they are declared"},
    {"info type-printers", "'ptype' shows a type as it was declared"},
    {"info module", "'info functions' and 'info variables' have them by files"},
    {"info modules", "'info functions' and 'info variables' have them by files"},
};

/* An entry has one name for `info`, and several names otherwise. */
const char *dbg_elsewhere(const char *name, size_t length)
{
    bool of_info = length > 5 && strncmp(name, "info ", 5) == 0;
    for (size_t i = 0; i < countof(elsewhere); i++) {
        const char *at = elsewhere[i].names;
        if (of_info && strlen(at) == length && strncmp(at, name, length) == 0)
            return elsewhere[i].sentence;
        for (; !of_info && *at; at += strcspn(at, " "), at += *at == ' ')
            if (strncmp(elsewhere[i].names, "info ", 5) != 0 && strcspn(at, " ") == length &&
                strncmp(at, name, length) == 0)
                return elsewhere[i].sentence;
    }
    return NULL;
}
