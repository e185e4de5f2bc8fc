/* Bookmarks and displays. Bookmarks and the list of `undo` are saved with the recording.
 *
 * They are lines of the text file DIR/marks in the recording's directory:
 *
 *     bookmark TRACK TICK PC NAME
 *     undo TRACK TICK PC
 *
 * The file is replaced as a whole. Before that, the bookmarks in the file are read again, so that
 * two sessions on one recording do not lose each other's. Nothing is saved for a recording that is
 * packed or not writable. No message says so, since everything works until the session ends.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "debug/debug_internal.h"

enum { UNDO_SAVED = 100, NAME_MOST = 200 };

/* --- displays --------------------------------------------------------------------------------- */

struct debug_display *debug_display_add(struct debug *d, char format, const char *expression)
{
    struct debug_display *display = list_add(&d->displays);
    *display = (struct debug_display){
        .number = ++d->last_display, .format = format, .expression = xformat("%s", expression)};
    return display;
}

bool debug_display_remove(struct debug *d, u64 number)
{
    struct debug_display *all = d->displays.items;
    size_t kept = 0, before = d->displays.count;
    for (size_t i = 0; i < before; i++) {
        if (number == all[i].number || !number) {
            free(all[i].expression);
            free(all[i].memory);
        } else {
            all[kept++] = all[i];
        }
    }
    d->displays.count = kept;
    return kept < before || !number;
}

/* --- bookmarks -------------------------------------------------------------------------------- */

struct debug_bookmark *debug_bookmark_find(struct debug *d, const char *name)
{
    struct debug_bookmark *all = d->bookmarks.items;
    for (size_t i = 0; i < d->bookmarks.count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static void marks_set(struct debug *d, const char *name, u32 track, struct moment at)
{
    struct debug_bookmark *b = debug_bookmark_find(d, name);
    if (!b) {
        b = list_add(&d->bookmarks);
        b->name = xformat("%s", name);
    }
    b->track = track;
    b->at = at;
}

static void marks_drop(struct debug *d, struct debug_bookmark *b)
{
    struct debug_bookmark *all = d->bookmarks.items;
    size_t at = (size_t)(b - all);
    free(b->name);
    memmove(b, b + 1, (d->bookmarks.count - at - 1) * sizeof *b);
    d->bookmarks.count--;
}

static struct error *marks_check_name(const char *name)
{
    if (!*name || strpbrk(name, " \t\n") || !(isalpha((u8)*name) || *name == '_') ||
        strlen(name) > NAME_MOST)
        return error_coded(ERROR_MISUSED,
                           "a bookmark needs a name, one word that begins with a letter");
    if (strcmp(name, "here") == 0 || strcmp(name, "start") == 0 || strcmp(name, "end") == 0)
        return error_coded(ERROR_MISUSED, "'%s' is a moment already; a bookmark needs another name",
                           name);
    return NULL;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Lines that are not understood are skipped: they are from a later version. */
static void marks_read_line(struct debug *d, const char *line, bool undo)
{
    char name[NAME_MOST + 1];
    unsigned track;
    unsigned long long tick, pc;
    if (sscanf(line, "bookmark %u %llu %llx %200s", &track, &tick, &pc, name) == 4) {
        struct error *err = marks_check_name(name);
        if (!err && !debug_bookmark_find(d, name))
            marks_set(d, name, track, (struct moment){tick, pc});
        error_destroy(err);
    } else if (undo && sscanf(line, "undo %u %llu %llx", &track, &tick, &pc) == 3 &&
               track == session_track(d->session)) {
        *(struct moment *)list_add(&d->undo) = (struct moment){tick, pc};
    }
}

static void marks_read(struct debug *d, bool undo)
{
    char *text;
    struct error *err = recording_text(d->rec, RECORDING_MARKS, &text);
    if (err)
        return error_destroy(err);
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
        marks_read_line(d, line, undo);
    free(text);
}

void debug_marks_load(struct debug *d)
{
    marks_read(d, true);
}

static void marks_write(const struct debug *d, FILE *to)
{
    const struct debug_bookmark *all = d->bookmarks.items;
    const struct moment *undo = d->undo.items;
    size_t first = d->undo.count > UNDO_SAVED ? d->undo.count - UNDO_SAVED : 0;
    for (size_t i = 0; i < d->bookmarks.count; i++)
        fprintf(to, "bookmark %u %llu 0x%llx %s\n", all[i].track,
                (unsigned long long)all[i].at.tick, (unsigned long long)all[i].at.pc, all[i].name);
    for (size_t i = first; i < d->undo.count; i++)
        fprintf(to, "undo %u %llu 0x%llx\n", session_track(d->session),
                (unsigned long long)undo[i].tick, (unsigned long long)undo[i].pc);
}

/* With `keep`, bookmarks in the file that are not known here are kept: another session added
 * them. */
static void marks_replace(struct debug *d, bool keep)
{
    char *text = NULL;
    size_t size;
    if (keep)
        marks_read(d, false);
    FILE *to = open_memstream(&text, &size);
    assert(to);
    marks_write(d, to);
    fclose(to);
    error_destroy(recording_replace_text(d->rec, RECORDING_MARKS, text));
    free(text);
}

void debug_marks_save(struct debug *d)
{
    if (d->session && (d->undo.count || d->bookmarks.count))
        marks_replace(d, true);
}

/* --- for the client --------------------------------------------------------------------------- */

struct error *debug_bookmark_add(struct debug *d, const char *name)
{
    struct session_place place;
    struct error *err = marks_check_name(name);
    if (err)
        return err;
    session_place(d->session, &place);
    marks_set(d, name, session_track(d->session), place.at);
    marks_replace(d, true);
    return NULL;
}

struct error *debug_bookmark_remove(struct debug *d, const char *name)
{
    marks_read(d, false);
    struct debug_bookmark *b = debug_bookmark_find(d, name);
    if (!b)
        return error_coded(ERROR_NOT_FOUND,
                           "there is no bookmark '%s'; 'info bookmarks' lists them", name);
    marks_drop(d, b);
    marks_replace(d, false);
    return NULL;
}

void debug_marks_deinit(struct debug *d)
{
    struct debug_bookmark *bookmarks = d->bookmarks.items;
    struct debug_display *displays = d->displays.items;
    for (size_t i = 0; i < d->bookmarks.count; i++)
        free(bookmarks[i].name);
    list_deinit(&d->bookmarks);
    for (size_t i = 0; i < d->displays.count; i++) {
        free(displays[i].expression);
        free(displays[i].memory);
    }
    list_deinit(&d->displays);
}
