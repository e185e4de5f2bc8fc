/* info: facts about the program other than values.
 *
 * A table has a row for each subject, `info frame` for example, with the function that answers it.
 * Several of these functions are in other files of this folder, next to the commands they belong
 * to.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "front/debugger/dbg_internal.h"

const char dbg_info_words[] = "address all-registers args auxv bookmarks breakpoints checkpoints "
                              "display frame functions goroutines line "
                              "locals moment proc registers scope sharedlibrary signals skip "
                              "source symbol threads tracks types "
                              "variables watchpoints";

static struct error *read_expression(const char *text, regex_t *ret)
{
    if (regcomp(ret, text, REG_NOSUB) == 0)
        return NULL;
    return error_coded(ERROR_MISUSED, "'%s' is not a regular expression", text);
}

/* [-q] [-t TYPE] [NAME]: both are regular expressions. */
static struct error *some_variables(struct dbg *d, const char *args, bool parameters)
{
    struct dbg_which_variables which = {.parameters = parameters};
    regex_t name, type;
    struct error *err = NULL;
    for (bool more = true; more && !err;) {
        char *word = NULL;
        more = true;
        if (debug_take_word(&args, "-q"))
            which.quiet = true;
        else if (!which.type && debug_take_word(&args, "-t") && (word = debug_next_word(&args)))
            err = read_expression(word, &type);
        else
            more = debug_take_word(&args, "--") && false;
        if (word && !err)
            which.type = &type;
        free(word);
    }
    if (!err && *args && !(err = read_expression(args, &name)))
        which.name = &name;
    if (!err)
        err = dbg_variables(d, &which, "");
    if (which.name)
        regfree(&name);
    if (which.type)
        regfree(&type);
    return err;
}

static struct error *locals(struct dbg *d, const char *args)
{
    return some_variables(d, args, false);
}

static struct error *arguments(struct dbg *d, const char *args)
{
    return some_variables(d, args, true);
}

/* --- registers -------------------------------------------------------------------------------- */

static void say_columns(struct dbg *d, const char *name, const char *value, const char *natural)
{
    if (natural)
        dbg_say(d, "%-14s %-19s %s\n", name, value, natural);
    else
        dbg_say(d, "%-14s %s\n", name, value);
}

/* Prints gdb's columns: hexadecimal, and by type. */
static struct error *say_register(struct dbg *d, struct evaluation *v, const char *name)
{
    struct value *value;
    u8 *bytes;
    u64 size;
    char *expression = xformat("$%s", name);
    struct error *err = values_evaluate(v, expression, &value);
    free(expression);
    if (!err && value_is_void(value))
        err = error_coded(ERROR_NOT_FOUND, "there is no register %s", name);
    if (err)
        return err;
    if (value_is_gone(value)) {
        say_columns(d, name, "<not saved>", NULL);
        return NULL;
    }
    char *hex = value_show(value, 'x'), *natural = value_show_variable(value);
    if (strncmp(name, "st", 2) == 0 && !(err = value_contents(value, &bytes, &size))) {
        char *raw = xformat("(raw 0x%02x%02x%016llx)", bytes[9], bytes[8],
                            (unsigned long long)*(const u64 *)bytes);
        say_columns(d, name, natural, raw);
        free(raw);
        free(bytes);
    } else {
        say_columns(d, name, hex, *hex == '{' ? NULL : natural);
    }
    json_string(dbg_fields(d), name, hex);
    free(hex);
    free(natural);
    return err;
}

/* Prints registers of the executing frame, or of the frame that the user selected as they will be
 * when it continues. */
static struct error *some_registers(struct dbg *d, const char *const *names, size_t count)
{
    struct evaluation *v;
    struct error *err = debug_evaluation(d->debug, &v);
    if (err)
        return err;
    for (size_t i = 0; i < count && !err; i++)
        err = say_register(d, v, names[i]);
    values_close(v);
    return err;
}

static struct error *general_registers(struct dbg *d)
{
    static const char *const others[] = {"rip", "eflags", "cs", "ss",      "ds",
                                         "es",  "fs",     "gs", "fs_base", "gs_base"};
    const char *names[GENERAL_REGISTERS];
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) /* in gdb's order */
        names[i] = register_name(register_of_gdb(i));
    struct error *err = some_registers(d, names, GENERAL_REGISTERS);
    return err ? err : some_registers(d, others, countof(others));
}

static struct error *registers(struct dbg *d, const char *args)
{
    struct error *err = NULL;
    if (!*args)
        return general_registers(d);
    while (*args && !err) {
        char *word = debug_next_word(&args);
        const char *name = word + (*word == '$');
        err = some_registers(d, &name, 1);
        free(word);
    }
    return err;
}

static struct error *numbered_registers(struct dbg *d, const char *prefix, unsigned count)
{
    struct error *err = NULL;
    for (unsigned i = 0; i < count && !err; i++) {
        char room[16];
        const char *name = room;
        snprintf(room, sizeof room, "%s%u", prefix, i);
        err = some_registers(d, &name, 1);
    }
    return err;
}

/* Not every machine has vector registers of 32 bytes. */
static struct error *all_registers(struct dbg *d, const char *args)
{
    static const char *const control[] = {
#define X(NAME, name, offset, size) #name,
        REGISTERS_X87_CONTROL(X)
#undef X
        "mxcsr",
    };
    if (*args)
        return registers(d, args);
    struct error *err = general_registers(d);
    if (!err)
        err = numbered_registers(d, "st", ST_REGISTERS);
    if (!err)
        err = some_registers(d, control, countof(control));
    if (!err)
        err = numbered_registers(d, "xmm", VECTOR_REGISTERS);
    if (!err)
        error_destroy(numbered_registers(d, "ymm", VECTOR_REGISTERS));
    return err;
}

/* --- threads and tracks ----------------------------------------------------------------------- */

static void say_name(struct dbg *d, const struct frame *f)
{
    char *name = symbols_bare_name(f->function ? f->function : "??");
    dbg_say(d, "%s", name);
    free(name);
}

/* A thread that waits in a library is shown at the place in the program that called it. */
static void say_thread_row(struct dbg *d, const struct control_thread *t)
{
    struct frame shown, innermost;
    dbg_say(d, "%c %-3u %-8u %-16.16s ", t->thread == d->debug->thread ? '*' : ' ', t->thread,
            t->tid, t->name);
    bool known = debug_thread_frames(d->debug, t->thread, &shown, &innermost);
    if (!known)
        dbg_say(d, "??");
    else
        say_name(d, &shown);
    if (known && shown.place.file) {
        char *file = dbg_short_path(d, shown.place.file);
        dbg_say(d, " at %s:%u", file, shown.place.line);
        free(file);
    }
    if (known && (shown.pc != innermost.pc || shown.cfa != innermost.cfa)) {
        dbg_say(d, ", in ");
        say_name(d, &innermost);
    }
    dbg_say(d, "%s\n", t->runs ? " (runs)" : "");
    json_string(dbg_fields(d), "function", known ? shown.function : NULL);
    json_string(dbg_fields(d), "file", known ? shown.place.file : NULL);
    if (known && shown.place.file)
        json_unsigned(dbg_fields(d), "line", shown.place.line);
}

static struct error *threads(struct dbg *d, const char *args)
{
    struct control_thread *list;
    struct list wanted = LIST(u64);
    size_t count, shown = 0;
    struct error *err = dbg_read_numbers(args, "thread number", &wanted);
    if (!err)
        err = session_threads(d->debug->session, &list, &count);
    if (err) {
        list_deinit(&wanted);
        return err;
    }
    json_open(dbg_fields(d), "threads", '[');
    for (size_t i = 0; i < count; i++) {
        if (*args && !dbg_has_number(&wanted, list[i].thread))
            continue;
        shown++;
        dbg_thread_named(d, &list[i]);
        char name[sizeof list[i].name + 1] = {0};
        memcpy(name, list[i].name, sizeof list[i].name);
        json_open(dbg_fields(d), NULL, '{');
        json_unsigned(dbg_fields(d), "thread", list[i].thread);
        json_unsigned(dbg_fields(d), "tid", list[i].tid);
        json_string(dbg_fields(d), "name", name);
        json_bool(dbg_fields(d), "runs", list[i].runs);
        say_thread_row(d, &list[i]);
        json_close(dbg_fields(d), '}');
    }
    json_close(dbg_fields(d), ']');
    free(list);
    list_deinit(&wanted);
    if (!shown)
        dbg_say(d, "There is no thread %s now.\n", args);
    return NULL;
}

static struct error *dbg_info_tracks(struct dbg *d, const char *args)
{
    u32 *list;
    size_t count;
    struct error *err = debug_no_arguments(args);
    if (!err)
        err = recording_tracks(d->debug->rec, &list, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++) {
        char *about = track_about(d->debug->rec, list[i]);
        dbg_say(d, "%c %u: %s\n", list[i] == session_track(d->debug->session) ? '*' : ' ', list[i],
                about);
        free(about);
    }
    free(list);
    return NULL;
}

/* --- time ------------------------------------------------------------------------------------- */

static double share_of(struct dbg *d, const struct session_place *place)
{
    u64 first = session_first(d->debug->session).tick, last = session_last(d->debug->session).tick;
    return last > first ? 100.0 * (double)(place->at.tick - first) / (double)(last - first) : 100.0;
}

static void say_time(struct dbg *d, u64 time)
{
    u64 started = d->debug->rec->meta.started;
    time_t seconds = (time_t)(time / 1000000000);
    struct tm parts;
    char text[64];
    if (!time || !localtime_r(&seconds, &parts))
        return;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    dbg_say(d, "time    %s.%06llu, %.6f s after the start\n", text,
            (unsigned long long)(time % 1000000000 / 1000),
            time > started ? (double)(time - started) / 1e9 : 0.0);
}

static struct error *moment(struct dbg *d, const char *args)
{
    struct session_place place;
    struct error *err = debug_no_arguments(args);
    if (err)
        return err;
    session_place(d->debug->session, &place);
    dbg_say(d, "tick    %llu of %llu (%.1f%%)\n", (unsigned long long)place.at.tick,
            (unsigned long long)session_last(d->debug->session).tick, share_of(d, &place));
    dbg_say(d, "pc      0x%llx\n", (unsigned long long)place.at.pc);
    dbg_say(d, "event   %llu\n", (unsigned long long)place.event);
    dbg_say(d, "track   %u, process %u, thread %u (%u)\n", session_track(d->debug->session),
            session_pid(d->debug->session), place.thread, place.tid);
    say_time(d, place.time);
    dbg_say_end(d);
    fprintf(dbg_fields(d)->out, "%s\"percent\":%.3f", dbg_fields(d)->some ? "," : "",
            share_of(d, &place));
    dbg_fields(d)->some = true;
    json_unsigned(dbg_fields(d), "event", place.event);
    json_unsigned(dbg_fields(d), "time", place.time);
    return NULL;
}

static struct error *dbg_info_checkpoints(struct dbg *d, const char *args)
{
    struct session_checkpoint *list;
    size_t count;
    struct error *err = debug_no_arguments(args);
    if (err)
        return err;
    session_checkpoints(d->debug->session, &list, &count);
    for (size_t i = 0; i < count; i++)
        dbg_say(d, "tick %llu:0x%llx, process %u, %.1f MB of its own\n",
                (unsigned long long)list[i].at.tick, (unsigned long long)list[i].at.pc, list[i].pid,
                (double)list[i].memory / 1e6);
    if (!count)
        dbg_say(d, "There are no checkpoints.\n");
    free(list);
    return NULL;
}

static struct error *dbg_info_bookmarks(struct dbg *d, const char *args)
{
    const struct debug_bookmark *all = d->debug->bookmarks.items;
    struct error *err = debug_no_arguments(args);
    if (err)
        return err;
    for (size_t i = 0; i < d->debug->bookmarks.count; i++)
        dbg_say(d, "%s: track %u, tick %llu:0x%llx\n", all[i].name, all[i].track,
                (unsigned long long)all[i].at.tick, (unsigned long long)all[i].at.pc);
    if (!d->debug->bookmarks.count)
        dbg_say(d, "There are no bookmarks.\n");
    return NULL;
}

/* --- the rest --------------------------------------------------------------------------------- */

static struct error *libraries(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    size_t count;
    struct error *err = debug_no_arguments(args);
    if (!err)
        err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    const struct symbols_module *list = symbols_modules(symbols, &count);
    for (size_t i = 0; i < count; i++)
        dbg_say(d, "0x%llx-0x%llx %s%s\n", (unsigned long long)list[i].start,
                (unsigned long long)list[i].end, list[i].path,
                list[i].has_debug ? "" : " (no debug information)");
    return NULL;
}

static struct error *displays(struct dbg *d, const char *args)
{
    const struct debug_display *all = d->debug->displays.items;
    struct error *err = debug_no_arguments(args);
    if (err)
        return err;
    for (size_t i = 0; i < d->debug->displays.count; i++) {
        char *label = dbg_display_label(&all[i]);
        dbg_say(d, "%s\n", label);
        free(label);
    }
    if (!d->debug->displays.count)
        dbg_say(d, "Nothing is displayed.\n");
    return NULL;
}

static struct error *skips(struct dbg *d, const char *args)
{
    struct error *err = debug_no_arguments(args);
    if (err)
        return err;
    for (size_t i = 0; i < d->debug->skips.count; i++)
        dbg_say(d, "%s\n", ((char **)d->debug->skips.items)[i]);
    if (!d->debug->skips.count)
        dbg_say(d, "Nothing is skipped.\n");
    return NULL;
}

static struct error *frame(struct dbg *d, const char *args)
{
    struct error *err = debug_no_arguments(args);
    const struct frame *f = err ? NULL : debug_frame(d->debug);
    if (err || !f)
        return err ? err : error_coded(ERROR_NOT_FOUND, "there are no frames here");
    dbg_say_frame(d, d->debug->selected, true);
    dbg_say(d, "pc 0x%llx, canonical frame address 0x%llx%s\n", (unsigned long long)f->pc,
            (unsigned long long)f->cfa, f->inlined ? ", inlined into the next" : "");
    return NULL;
}

static struct error *stack(struct dbg *d, const char *args)
{
    return dbg_backtrace(d, NULL, args);
}

static struct error *memory(struct dbg *d, const char *args)
{
    struct error *err = debug_no_arguments(args);
    return err ? err : dbg_info_proc(d, "mappings");
}

static const struct { const char *name; struct error *(*say)(struct dbg *d, const char *args); }
subjects[] = {
    {"args", arguments}, {"auxv", dbg_info_auxv}, {"address", dbg_info_address},
    {"all-registers", all_registers},
    {"scope", dbg_info_scope},
    {"breakpoints", dbg_info_breakpoints}, {"bookmarks", dbg_info_bookmarks},
    {"checkpoints", dbg_info_checkpoints}, {"display", displays}, {"frame", frame},
    {"functions", dbg_info_functions}, {"proc", dbg_info_proc}, {"types", dbg_info_types},
    {"variables", dbg_info_variables},
    {"goroutines", dbg_info_goroutines},
    {"locals", locals}, {"line", dbg_info_line}, {"moment", moment}, {"registers", registers},
    {"sharedlibrary", libraries},
    {"signals", dbg_info_signals}, {"skip", skips}, {"source", dbg_info_source},
    {"stack", stack}, {"symbol", dbg_info_symbol}, {"inferiors", dbg_info_tracks},
    {"program", moment}, {"files", memory}, {"target", memory}, {"dll", libraries},
    {"threads", threads}, {"tracks", dbg_info_tracks}, {"watchpoints", dbg_info_watches},
};

static bool subject_fits(const char *name, const char *word)
{
    return strncmp(name, word, strlen(word)) == 0;
}

/* A beginning of a name matches the first entry with it. */
struct error *dbg_info(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    char *word = debug_next_word(&args);
    if (!word)
        return error_coded(ERROR_MISUSED, "info about what? One of: %s", dbg_info_words);
    char *whole = xformat("info %s", word);
    const char *instead = dbg_elsewhere(whole, strlen(whole));
    free(whole);
    for (size_t i = 0; !instead && i < countof(subjects); i++) {
        if (!subject_fits(subjects[i].name, word))
            continue;
        free(word);
        return subjects[i].say(d, args);
    }
    struct error *err =
        instead ? error_coded(ERROR_NOT_FOUND, "there is no info about '%s' here: %s", word,
                              instead)
                : error_coded(ERROR_NOT_FOUND, "there is no info about '%s'; one of: %s", word,
                              dbg_info_words);
    free(word);
    return err;
}
