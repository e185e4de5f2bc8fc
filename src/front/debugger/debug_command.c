/* ebb debug: the prompt on a program that is recorded while it runs.
 *
 * The recorder (recorder/recorder_live.h) holds the program wherever a movement stops at the end of
 * history, and lets it go where a movement goes on from there. Everything else is as in `ebb
 * replay`: what the user looks at is a replay of what was recorded.
 *
 * The program has ebb's terminal. While it runs it has the terminal's modes and foreground; while
 * it stands the prompt has them.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/complain.h"
#include "command/program_lookup.h"
#include "command/replay_options.h"
#include "front/debugger/dbg_internal.h"
#include "front/debugger/debugger.h"
#include "log/channel.h"
#include "log/engine_locate.h"
#include "log/engine_start.h"
#include "recorder/recorder_live.h"

enum { BRIEF_MS = 2 };
static const u64 SNAPSHOTS_APART = 250000000; /* as `ebb record` does it */

/* Who has the terminal. */
struct live_terminal {
    bool used;
    struct termios prompt, program; /* their modes */
    pid_t group;                    /* the program's, in the foreground */
};

struct dbg_live {
    struct engine_start start;
    const char *output;
    struct recorder_live *recorder; /* NULL: the program is gone, or runs on by itself */
    struct recording *rec;
    struct session_live session;
    struct live_terminal terminal;
    bool has_run; /* since it was started */
};

/* --- the terminal ----------------------------------------------------------------------------- */

static void foreground(pid_t group)
{
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGTTOU);
    sigprocmask(SIG_BLOCK, &block, &before);
    tcsetpgrp(STDIN_FILENO, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void terminal_init(struct live_terminal *t)
{
    t->used = tcgetattr(STDIN_FILENO, &t->prompt) == 0;
    t->program = t->prompt;
    t->group = getpgrp();
}

static void terminal_to_program(struct live_terminal *t)
{
    if (!t->used)
        return;
    tcgetattr(STDIN_FILENO, &t->prompt);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &t->program);
    if (t->group != getpgrp())
        foreground(t->group);
}

static void terminal_to_prompt(struct live_terminal *t)
{
    if (!t->used)
        return;
    pid_t group = tcgetpgrp(STDIN_FILENO);
    t->group = group > 0 ? group : getpgrp();
    if (t->group != getpgrp())
        foreground(getpgrp());
    tcgetattr(STDIN_FILENO, &t->program);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &t->prompt);
}

/* --- letting it run --------------------------------------------------------------------------- */

static struct error *live_wait(struct dbg_live *live, int wake, bool brief,
                               struct session_went *went)
{
    struct recorder_live_stop stop;
    bool stands = false, asked = false;
    struct error *err = NULL;
    while (!err && !stands) {
        err = recorder_live_wait(live->recorder, brief && !asked ? BRIEF_MS : -1,
                                 asked ? -1 : wake, &stop, &stands);
        if (err || stands || asked)
            continue;
        recorder_live_hold(live->recorder);
        asked = true;
        went->interrupted = !brief;
    }
    if (err)
        return err;
    went->over = stop.over;
    went->at = (struct moment){stop.stopped.tick, stop.stopped.pc};
    went->stopped = !stop.over && stop.stopped.reason == STOPPED_HIT;
    if (!stop.over && stop.stopped.reason == STOPPED_INTERRUPTED)
        went->interrupted |= !brief;
    if (!stop.over && stop.stopped.reason == STOPPED_UNABLE)
        return error_coded(ERROR_UNAVAILABLE, "the program cannot run under this plan: %.*s",
                           (int)sizeof stop.stopped.happened, stop.stopped.happened);
    return NULL;
}

static struct error *live_go(void *context, u32 track, const struct plan *plan, size_t size,
                             int points, u64 points_size, int wake, bool brief,
                             struct session_went *ret)
{
    struct dbg_live *live = context;
    *ret = (struct session_went){.over = !live->recorder};
    if (!live->recorder)
        return NULL;
    live->has_run = true;
    terminal_to_program(&live->terminal);
    struct error *err =
        points >= 0 ? recorder_live_points(live->recorder, track, points, points_size) : NULL;
    if (!err)
        err = recorder_live_go(live->recorder, track, plan, size);
    if (!err)
        err = live_wait(live, wake, brief, ret);
    terminal_to_prompt(&live->terminal);
    return err;
}

/* --- starting and ending ---------------------------------------------------------------------- */

static void live_say_failed(void *context, const struct recording *rec, const struct error *err)
{
    (void)context;
    complain(0, "%s: %s; the program goes on unrecorded", rec->path, error_text(err));
}

/* Starts the program, which stands at its first instruction, and opens its recording. */
static struct error *live_start(struct dbg_live *live, struct recording **ret, u32 *ret_track)
{
    const char *wish = getenv("EBB_SNAPSHOTS");
    bool off = wish && strcmp(wish, "off") == 0;
    const struct recorder_job job = {.start = &live->start, .output = live->output, .kill = true,
                                     .snapshots_apart = off ? 0 : SNAPSHOTS_APART};
    const struct recorder_host host = {.failed = live_say_failed};
    struct recorder_live_stop stop;
    bool stands = false;
    struct error *err = recorder_live_start(&job, &host, &live->recorder);
    if (err)
        return err;
    while (!err && !stands)
        err = recorder_live_wait(live->recorder, -1, -1, &stop, &stands);
    if (!err)
        err = recording_open(stop.path, ret);
    if (!err && stop.over)
        err = error_coded(ERROR_LOST, "the program ended before its first instruction");
    if (err) {
        recorder_live_end(live->recorder, LIVE_KILL);
        live->recorder = NULL;
        return err;
    }
    live->has_run = false;
    live->session = (struct session_live){live_go, live};
    *ret_track = stop.track;
    return NULL;
}

static struct error *live_end(struct dbg *d, enum recorder_live_end how)
{
    recorder_live_end(d->live->recorder, how);
    d->live->recorder = NULL;
    return session_is_live(d->debug->session) ? session_end_live(d->debug->session) : NULL;
}

static struct error *live_restart(struct dbg *d)
{
    struct dbg_live *live = d->live;
    struct recording *rec, *before = live->rec;
    u32 track;
    struct error *err = live_end(d, LIVE_KILL);
    if (!err && live->output)
        err = error_coded(ERROR_MISUSED, "with --output there is room for one recording only");
    if (!err)
        err = live_start(live, &rec, &track);
    if (err)
        return err;
    live->rec = rec;
    err = debug_open_again(d->debug, rec, track, &live->session);
    recording_destroy(err ? rec : before);
    live->rec = err ? before : rec;
    return err;
}

/* --- commands --------------------------------------------------------------------------------- */

static struct error *live_not_running(void)
{
    return error_coded(ERROR_UNAVAILABLE, "the program does not run any more; 'run' starts it "
                                          "again, and its past is still here");
}

static struct error *live_command_restart(struct dbg *d)
{
    struct error *err = live_restart(d);
    if (!err)
        dbg_say_here(d);
    return err;
}

/* Goes to the end of what is recorded, and on. */
static struct error *live_command_run(struct dbg *d)
{
    struct error *err = d->live->recorder && !d->live->has_run ? NULL : live_restart(d);
    return err ? err : dbg_run_line(d, "continue");
}

static struct error *live_command_start(struct dbg *d)
{
    struct error *err = d->live->recorder && !d->live->has_run ? NULL : live_restart(d);
    if (!err)
        err = dbg_run_line(d, "tbreak main");
    return err ? err : dbg_run_line(d, "continue");
}

static struct error *live_command_kill(struct dbg *d)
{
    if (!d->live->recorder)
        return live_not_running();
    struct error *err = live_end(d, LIVE_KILL);
    if (!err)
        dbg_say(d, "The program was killed. Its recording: %s\n", d->live->rec->path);
    return err;
}

static struct error *live_command_detach(struct dbg *d)
{
    if (!d->live->recorder)
        return live_not_running();
    struct error *err = live_end(d, LIVE_DETACH);
    if (!err)
        dbg_say(d, "The program runs on, recorded in %s.\n", d->live->rec->path);
    return err;
}

bool dbg_live_run(struct dbg *d, const char *line, size_t length, struct error **ret)
{
    static const struct {
        const char *name, *other;
        struct error *(*run)(struct dbg *d);
    } all[] = {
        {"run", "r", live_command_run},         {"start", "", live_command_start},
        {"restart", "", live_command_restart},  {"kill", "k", live_command_kill},
        {"detach", "", live_command_detach},
    };
    for (size_t i = 0; d->live && i < countof(all); i++) {
        bool named = strlen(all[i].name) == length && strncmp(line, all[i].name, length) == 0;
        bool other = strlen(all[i].other) == length && strncmp(line, all[i].other, length) == 0;
        if (!named && !other)
            continue;
        *ret = debug_no_arguments(line + length + strspn(line + length, " \t"));
        if (!*ret)
            *ret = all[i].run(d);
        return true;
    }
    return false;
}

/* --- the command line ------------------------------------------------------------------------- */

struct debug_options {
    struct replay_options prompt;
    const char *output;
    struct setting_list settings;
};

enum { DEBUG_OUTPUT = 1, DEBUG_COMMAND, DEBUG_FILE, DEBUG_JSON, DEBUG_TUI, DEBUG_SETTING };

static const struct command_option debug_option_table[] = {
    {.id = DEBUG_COMMAND, .letter = 'c', .name = "command", .value = "COMMAND", .repeats = true,
     .help = "run this command instead of opening a prompt; -ex does the same"},
    {.id = DEBUG_FILE, .letter = 'x', .name = "execute", .value = "FILE", .repeats = true,
     .kind = NAMES_FILE, .help = "run the commands in a file instead of opening a prompt"},
    {.id = DEBUG_JSON, .name = "json",
     .help = "print each answer as one JSON object on a line; see docs/json.md"},
    {.id = DEBUG_TUI, .name = "tui",
     .help = "open the full screen (source, calls, variables and time) after the commands of -c "
             "and -x"},
    {.id = DEBUG_OUTPUT, .letter = 'o', .name = "output", .value = "DIRECTORY",
     .kind = NAMES_FOLDER,
     .help = "where to put the recording; the directory must be new or empty. The default is as "
             "for record"},
    SETTING_OPTION(DEBUG_SETTING, "change how the engine works; 'ebb help exec' lists settings"),
    {0},
};

static int debug_take(void *context, int id, const char *value)
{
    struct debug_options *o = context;
    switch (id) {
    case DEBUG_COMMAND:
    case DEBUG_FILE:
        *(struct replay_order *)list_add(&o->prompt.orders) =
            (struct replay_order){id == DEBUG_FILE, value};
        return 0;
    case DEBUG_JSON:
        o->prompt.json = true;
        return 0;
    case DEBUG_TUI:
        o->prompt.tui = true;
        return 0;
    case DEBUG_OUTPUT:
        o->output = value;
        return 0;
    default:
        return setting_list_add(&o->settings, value);
    }
}

static struct error *debug_prompt(struct dbg_live *live, const struct replay_options *o,
                                  bool *failed)
{
    struct dbg d;
    u32 track;
    dbg_init(&d, o);
    d.live = live;
    struct debug_client client = dbg_client(&d);
    struct error *err = live_start(live, &live->rec, &track);
    if (err)
        return err;
    dbg_wait_begin(); /* Ctrl-C makes the program stand */
    err = debug_open_live(live->rec, track, &live->session, &client, &d.debug);
    if (!err)
        dbg_obey_all(&d, o);
    *failed = d.failed;
    bool ran = live->recorder && d.debug && session_is_live(d.debug->session);
    fflush(stdout);
    recorder_live_end(live->recorder, LIVE_KILL);
    dbg_user_commands_deinit(&d);
    debug_close(d.debug);
    if (!err && !o->json)
        complain(0, "%sthe recording is %s", ran ? "the program was killed; " : "",
                 live->rec->path);
    recording_destroy(live->rec);
    return err;
}

static int debug_run(const struct command *c, int argc, char **argv)
{
    struct debug_options o = {.prompt.orders = LIST(struct replay_order)};
    struct dbg_live live = {0};
    bool failed = false;
    int at;
    for (int i = 1; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-ex") == 0) /* gdb's spelling */
            argv[i] = "-c";
    int status = command_read(c, argc, argv, debug_take, &o, &at);
    if (status)
        return status;
    if (at >= argc)
        return complain(CHANNEL_EXIT_USAGE, "debug needs a program to run; see 'ebb help debug'");
    if (o.prompt.tui && (o.prompt.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
        return complain(CHANNEL_EXIT_USAGE, "--tui needs a terminal%s",
                        o.prompt.json ? " and no --json" : "");
    live.start = (struct engine_start){.argc = argc - at, .argv = argv + at};
    live.output = o.output;
    status = program_lookup(argv[at], &live.start.program);
    if (status)
        return status;
    struct error *err = engine_locate(&live.start.engine);
    if (!err)
        err = engine_check_limits();
    if (err)
        return error_complain(err, CHANNEL_EXIT_OURS);
    live.start.settings = setting_list_text(&o.settings);
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN);
    terminal_init(&live.terminal);
    err = debug_prompt(&live, &o.prompt, &failed);
    list_deinit(&o.prompt.orders);
    status = err ? error_complain(err, 1) : failed;
    int unwritten = complain_if_unwritten();
    return status ? status : unwritten;
}

const struct command debugger_debug = {
    .examples = {"ebb debug ./myprogram input.txt", "ebb debug --tui ./myprogram"},
    .name = "debug", .run = debug_run, .operands = {"PROGRAM [ARGUMENT]..."},
    .operand_kind = NAMES_PROGRAM, .runs_program = true, .options = debug_option_table,
    .summary = "run a program at the prompt, and go back in it at any time",
    .about = "PROGRAM is looked up in PATH, recorded, and held at its first instruction. The "
             "prompt is that of 'ebb replay'. A movement forward from the end of what is recorded "
             "lets the program run on; every other one moves in its past.\n",
    .after = "Further commands at the prompt: 'run' lets the program run, or starts it again; "
             "'start' does so up to main; 'restart' starts it again and holds it; 'kill' ends it; "
             "'detach' lets it run on, recorded, until it ends. Ctrl-C makes it stand. Leaving "
             "the prompt kills it. The recording stays.\n"
             "The status is 0 if all commands worked, otherwise 1.\n",
};
