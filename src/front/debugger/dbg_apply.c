/* Commands that run another command: in each frame or thread, with another setting, or with its
 * output piped to a program. Also runs programs of the system. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/debugger/dbg_internal.h"

/* --- frames and threads ----------------------------------------------------------------------- */

/* -q: without a heading; -c: errors are printed and ignored; -s: errors are ignored silently, and
 * empty answers are left out. */
struct apply_options {
    bool quiet, goes_on, silent;
};

static void take_options(const char **args, struct apply_options *ret)
{
    for (;;) {
        if (debug_take_word(args, "-q"))
            ret->quiet = true;
        else if (debug_take_word(args, "-c"))
            ret->goes_on = true;
        else if (debug_take_word(args, "-s"))
            ret->silent = true;
        else if (!debug_take_word(args, "--"))
            return;
    }
}

static struct error *apply_one(struct dbg *d, const struct apply_options *o, const char *line,
                               void (*say_which)(struct dbg *d, u64 which), u64 which)
{
    struct error *failed;
    char *text = dbg_capture_line(d, line, &failed);
    bool left_out = o->silent && (failed || !*text);
    if (!left_out && !o->quiet)
        say_which(d, which);
    if (!left_out)
        dbg_say(d, "%s", text);
    free(text);
    if (failed && !o->silent && !o->goes_on)
        return failed;
    if (failed && !left_out)
        dbg_say(d, "%s\n", error_text(failed));
    error_destroy(failed);
    return NULL;
}

static void say_frame_line(struct dbg *d, u64 which)
{
    dbg_say_frame(d, which, true);
}

/* Selects frames: all, the N innermost, the N outermost with a minus, or those with the given
 * levels. */
static struct error *frame_apply(struct dbg *d, const char *args, struct apply_options *o)
{
    size_t before = d->debug->selected, first = 0, last;
    bool was_auto = d->debug->auto_selected;
    u64 n = 0;
    struct error *err = debug_frames(d->debug);
    if (err)
        return err;
    size_t count = debug_shown_frames(d->debug, ~(size_t)0, NULL);
    if (debug_take_word(&args, "all")) {
        last = count;
    } else {
        bool level = debug_take_word(&args, "level"), minus = !level && *args == '-';
        args += minus;
        char *word = debug_next_word(&args);
        err = word ? debug_number(word, "number of frames", &n)
                   : error_coded(ERROR_MISUSED, "frame apply needs 'all', a number of frames or "
                                                "'level N', and a command");
        free(word);
        if (!err && level && n >= count)
            err = error_coded(ERROR_NOT_FOUND, "there is no frame %llu", (unsigned long long)n);
        first = level ? n : minus && n < count ? count - n : 0;
        last = level ? n + 1 : minus || n > count ? count : n;
    }
    take_options(&args, o);
    if (!err && !*args)
        err = error_coded(ERROR_MISUSED, "say which command each frame is to have");
    for (size_t i = first; !err && i < last; i++) {
        d->debug->selected = i;
        d->debug->auto_selected = false;
        err = apply_one(d, o, args, say_frame_line, i);
        count = debug_shown_frames(d->debug, ~(size_t)0, NULL);
        last = last < count ? last : count; /* after a command that moves there may be fewer */
    }
    if (before < count) {
        d->debug->selected = before;
        d->debug->auto_selected = was_auto;
    }
    return err;
}

struct error *dbg_frame_apply(struct dbg *d, const char *args)
{
    struct apply_options o = {0};
    return frame_apply(d, args, &o);
}

static void say_thread_line(struct dbg *d, u64 which)
{
    dbg_say_thread(d, (u32)which);
    dbg_say(d, ":\n");
}

/* thread apply all|N... [-q] [-c] [-s] COMMAND */
struct error *dbg_thread_apply(struct dbg *d, const char *args)
{
    struct control_thread *threads;
    struct apply_options o = {0};
    struct list wanted = LIST(u32);
    size_t count;
    u32 before = d->debug->thread;
    u64 n;
    struct error *err = session_threads(d->debug->session, &threads, &count);
    if (err)
        return err;
    if (debug_take_word(&args, "all")) {
        debug_take_word(&args, "-ascending");
        for (size_t i = 0; i < count; i++)
            *(u32 *)list_add(&wanted) = threads[i].thread;
    }
    while (!err && *args >= '0' && *args <= '9') {
        char *word = debug_next_word(&args);
        bool known = false;
        err = debug_number(word, "thread", &n);
        for (size_t i = 0; i < count && !err; i++)
            known |= threads[i].thread == n;
        if (!err && !known)
            err = error_coded(ERROR_NOT_FOUND, "there is no thread %s now", word);
        if (!err)
            *(u32 *)list_add(&wanted) = (u32)n;
        free(word);
    }
    free(threads);
    take_options(&args, &o);
    if (!err && (!wanted.count || !*args))
        err = error_coded(ERROR_MISUSED,
                          "thread apply needs 'all' or numbers of threads, and a command");
    for (size_t i = 0; i < wanted.count && !err; i++) {
        u32 thread = ((u32 *)wanted.items)[i];
        debug_choose_thread(d->debug, thread);
        err = apply_one(d, &o, args, say_thread_line, thread);
    }
    debug_choose_thread(d->debug, before);
    list_deinit(&wanted);
    return err;
}

/* faas, taas, tfaas: in all frames, all threads, all frames of all threads. */
struct error *dbg_apply_all(struct dbg *d, const struct dbg_command *c, const char *args)
{
    static const char *const forms[] = {
        [APPLY_FRAMES] = "frame apply all -s %s", [APPLY_THREADS] = "thread apply all -s %s",
        [APPLY_BOTH] = "thread apply all -s frame apply all -s %s",
    };
    if (!*args)
        return error_coded(ERROR_MISUSED, "say which command is to be run");
    const char *mark = strstr(forms[c->which], "%s");
    char *line = xformat("%.*s%s", (int)(mark - forms[c->which]), forms[c->which], args);
    struct error *err = dbg_run_line(d, line);
    free(line);
    return err;
}

/* --- settings --------------------------------------------------------------------------------- */

/* with SETTING [VALUE] -- COMMAND */
struct error *dbg_with(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    const char *dashes = strstr(args, " -- ");
    if (!dashes)
        return error_coded(ERROR_MISUSED, "say with SETTING VALUE -- COMMAND");
    struct dbg_settings before = d->settings;
    struct debug_settings model = d->debug->settings;
    char *line = xformat("set %.*s", (int)(dashes - args), args);
    struct error *err = dbg_run_line(d, line);
    free(line);
    if (!err)
        err = dbg_run_line(d, dashes + 4);
    d->settings = before;
    d->debug->settings = model;
    return err;
}

/* --- programs of the system ------------------------------------------------------------------- */

/* If commands are typed at a terminal, the program uses it; otherwise its output is part of the
 * answer. */
static struct error *shell_run(struct dbg *d, const char *command, const char *input)
{
    char buffer[4096];
    size_t got;
    int status;
    fflush(stdout);
    if (d->at_prompt && !d->tui && !input) {
        dbg_answer_flush(d);
        status = system(command);
    } else {
        char *line = xformat("exec <%s\n%s", input ? input : "/dev/null", command);
        FILE *from = popen(line, "re");
        free(line);
        if (!from)
            return error_errno(errno, "cannot run '%s'", command);
        while ((got = fread(buffer, 1, sizeof buffer, from)) > 0)
            dbg_say(d, "%.*s", (int)got, buffer);
        status = pclose(from);
    }
    if (status >= 0)
        conveniences_define_integer(d->debug->conveniences, "_shell_exitcode",
                                    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return status >= 0 ? NULL : error_errno(errno, "cannot run '%s'", command);
}

struct error *dbg_shell(struct dbg *d, const struct dbg_command *c, const char *args)
{
    const char *shell = getenv("SHELL");
    (void)c;
    return shell_run(d, *args ? args : shell ? shell : "/bin/sh", NULL);
}

/* pipe [-d DELIMITER] COMMAND | PROGRAM */
struct error *dbg_pipe(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    char *delimiter = debug_take_word(&args, "-d") ? debug_next_word(&args) : xformat("|");
    const char *bar = delimiter ? strstr(args, delimiter) : NULL;
    if (!bar || bar == args || !bar[strlen(delimiter)]) {
        free(delimiter);
        return error_coded(ERROR_MISUSED, "say pipe COMMAND | PROGRAM");
    }
    char *line = xformat("%.*s", (int)(bar - args), args);
    struct error *err;
    char *text = dbg_capture_line(d, line, &err);
    FILE *file = err ? NULL : tmpfile();
    if (!err && !file) {
        err = error_errno(errno, "cannot make a temporary file");
    } else if (!err) {
        fputs(text, file);
        fflush(file);
        char *path = xformat("/dev/fd/%d", fileno(file));
        err = shell_run(d, bar + strlen(delimiter), path);
        free(path);
    }
    if (file)
        fclose(file);
    free(text);
    free(line);
    free(delimiter);
    return err;
}

struct error *dbg_directory(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char *here;
    const char *home = getenv("HOME"), *to = *args ? args : home ? home : "/";
    if (c->which && chdir(to) != 0)
        return error_errno(errno, "cannot go to the directory %s", to);
    if (!(here = getcwd(NULL, 0)))
        return error_errno(errno, "the working directory is not known");
    dbg_say(d, "Working directory %s.\n", here);
    free(here);
    return NULL;
}
