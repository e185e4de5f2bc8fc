/* The life of a debugged recording: opening it, choosing the track to look at, informing the
 * client, closing it.
 *
 * One track is open at a time, in d->session. Opening another track replaces the session and
 * everything derived from it (symbols, frames, `undo`), but keeps breakpoints, watchpoints and
 * settings. If the track cannot be opened, nothing changes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "debug/debug_internal.h"

/* --- to the client ---------------------------------------------------------------------------- */

void debug_say_bytes(struct debug *d, const char *bytes, size_t size)
{
    if (d->client.say && size)
        d->client.say(d->client.context, bytes, size);
}

void debug_say(struct debug *d, const char *format, ...)
{
    va_list args;
    char *text;
    va_start(args, format);
    int size = vasprintf(&text, format, args);
    va_end(args);
    assert(size >= 0);
    debug_say_bytes(d, text, (size_t)size);
    free(text);
}

void debug_note(struct debug *d, const char *note)
{
    if (note && d->client.note)
        d->client.note(d->client.context, note);
}

struct debug_client debug_listen(struct debug *d, const struct debug_client *client)
{
    struct debug_client before = d->client;
    d->client = *client;
    return before;
}

/* --- tracks ----------------------------------------------------------------------------------- */

/* Applies the user's list of skipped files and functions to the new track. */
static void skip_again(struct debug *d)
{
    struct symbols *symbols;
    struct error *err = debug_symbols(d, &symbols);
    for (size_t i = 0; i < d->skips.count && !err; i++)
        error_destroy(symbols_skip(symbols, ((char **)d->skips.items)[i], true));
    error_destroy(err);
}

static bool drop_skip(struct debug *d, const char *what)
{
    char **all = d->skips.items;
    size_t kept = 0, before = d->skips.count;
    for (size_t i = 0; i < before; i++) {
        if (strcmp(all[i], what) == 0)
            free(all[i]);
        else
            all[kept++] = all[i];
    }
    d->skips.count = kept;
    return kept < before;
}

struct error *debug_skip(struct debug *d, const char *what, bool skip)
{
    struct symbols *symbols;
    struct error *err = debug_symbols(d, &symbols);
    if (!err)
        err = error_default(symbols_skip(symbols, what, skip), ERROR_NOT_FOUND);
    if (err)
        return err;
    bool was = drop_skip(d, what);
    if (skip)
        debug_strings_add(&d->skips, what);
    return skip || was ? NULL : error_coded(ERROR_NOT_FOUND, "%s was not skipped", what);
}

static void debug_take_session(struct debug *d, struct session *session)
{
    debug_breakpoints_forget(d);
    debug_forget_frames(d);
    source_destroy(d->source);
    history_destroy(d->history);
    if (!d->is_lent)
        session_close(d->session);
    d->session = session;
    if (d->settings.is_keeping_set)
        session_keep(session, &d->settings.keeping);
    debug_default_signals(d);
    source_create(session, &d->source);
    history_create(session, &d->history);
    debug_coverage_forget(d);
    debug_watches_rebind(d);
    d->undo.count = d->redo.count = 0;
    skip_again(d);
    debug_arrive(d);
}

/* Nothing changes if the track cannot be opened. */
struct error *debug_open_track(struct debug *d, u32 track, bool at_start)
{
    struct session *session;
    struct session_options options = {
        .track = track, .at_start = at_start, .progress = debug_progress,
        .begun = debug_moving_begun, .context = d,
    };
    debug_begin_moving(d, COURSE_TO);
    struct error *err = session_open(d->rec, &options, &session);
    debug_end_moving(d);
    if (err)
        return err;
    d->opens_early = !at_start && debug_interrupted();
    debug_take_session(d, session);
    return NULL;
}

void debug_use(struct debug *d, struct session *s)
{
    if (d->session != s)
        debug_take_session(d, s);
    else
        debug_arrive(d);
}

void debug_keep(struct debug *d, const struct session_keeping *k)
{
    d->settings.keeping = *k;
    d->settings.is_keeping_set = true;
    session_keep(d->session, k);
}

struct error *debug_check_track(struct debug *d, u64 track)
{
    u32 *list;
    size_t count;
    bool found = false;
    struct error *err = recording_tracks(d->rec, &list, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        found |= list[i] == track;
    free(list);
    return found ? NULL
                 : error_coded(ERROR_NOT_FOUND, "there is no track %llu; 'info tracks' lists them",
                               (unsigned long long)track);
}

/* --- opening ---------------------------------------------------------------------------------- */

enum { CALL_LIMIT = 30 }; /* seconds */

static struct debug *debug_create(struct recording *rec, const struct debug_client *client)
{
    struct debug *d = xalloc(sizeof *d);
    *d = (struct debug){
        .rec = rec,
        .client = *client,
        .settings.call_limit = CALL_LIMIT,
        .settings.show = show_usual,
        .due = LIST(char *),
        .frame_limit = ~(size_t)0,
        .auto_selected = true,
        .breakpoints = LIST(struct debug_breakpoint *),
        .lives = LIST(struct debug_life),
        .displays = LIST(struct debug_display),
        .bookmarks = LIST(struct debug_bookmark),
        .skips = LIST(char *),
        .undo = LIST(struct moment),
        .redo = LIST(struct moment),
    };
    conveniences_create(&d->conveniences);
    return d;
}

struct error *debug_open(struct recording *rec, u32 track, bool at_start,
                         const struct debug_client *client, struct debug **ret)
{
    struct debug *d = debug_create(rec, client);
    *ret = d; /* set early, because the client is called while the track opens */
    struct error *err = debug_open_track(d, track, at_start);
    if (err) {
        debug_close(d);
        *ret = NULL;
        return err;
    }
    debug_marks_load(d);
    return NULL;
}

struct debug *debug_over(struct recording *rec, struct session *s,
                         const struct debug_client *client)
{
    struct debug *d = debug_create(rec, client);
    d->is_lent = true;
    debug_take_session(d, s);
    debug_marks_load(d);
    return d;
}

void debug_close(struct debug *d)
{
    if (!d)
        return;
    debug_marks_save(d);
    debug_breakpoints_deinit(d);
    debug_followed_forget(d);
    debug_forget_frames(d);
    source_destroy(d->source);
    history_destroy(d->history);
    if (!d->is_lent)
        session_close(d->session);
    debug_marks_deinit(d);
    debug_strings_deinit(&d->skips);
    debug_strings_deinit(&d->due);
    list_deinit(&d->undo);
    list_deinit(&d->redo);
    list_deinit(&d->rows);
    debug_coverage_forget(d);
    conveniences_destroy(d->conveniences);
    free(d->copy.output);
    list_deinit(&d->lives);
    free(d->list_file);
    free(d);
}
