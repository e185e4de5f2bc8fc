/* ebb info: one recording: how it came about, its tracks, what they hold and how much. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/xalloc.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "front/cli/json_text.h"
#include "front/cli/recording_text.h"
#include "front/cli/track_choice.h"
#include "log/channel.h"
#include "log/event.h"
#include "log/reader.h"
#include "log/recording.h"

enum { NOTES_MOST = 100 };

/* What a walk over a track finds. */
struct summary {
    struct format_file header;
    struct reader_figures figures;
    u64 count[EVENT_KINDS], bytes[EVENT_KINDS];
    u64 other;
    u64 last_tick;
    u64 waited, compared, refused; /* system calls */
    struct event_end end;
    bool ended, execed;
    char *notes[NOTES_MOST];
    size_t note_count;
    char *trouble; /* damaged or cut: why */
};

static void add_note(struct summary *s, const struct event *e)
{
    const struct event_note *n = (const struct event_note *)e->payload;
    char *text = xformat("%.*s", (int)n->size, (const char *)(n + 1));
    for (char *at = text; *at; at++)
        if ((u8)*at < 32 || *at == 127)
            *at = '?';
    for (size_t i = 0; i < s->note_count; i++) {
        if (strcmp(s->notes[i], text) == 0) {
            free(text);
            return;
        }
    }
    if (s->note_count < NOTES_MOST)
        s->notes[s->note_count++] = text;
    else
        free(text);
}

static void add_event(struct summary *s, const struct event *e)
{
    s->last_tick = e->tick;
    if (e->kind >= EVENT_KINDS) {
        s->other++;
        return;
    }
    s->count[e->kind]++;
    s->bytes[e->kind] += e->size;
    if (e->kind == EVENT_SYSCALL) {
        u16 flags = ((const struct event_syscall *)e->payload)->flags;
        s->waited += !!(flags & SYSCALL_WAITED);
        s->compared += !!(flags & SYSCALL_COMPARED);
        s->refused += !!(flags & SYSCALL_REFUSED);
    } else if (e->kind == EVENT_NOTE) {
        add_note(s, e);
    } else if (e->kind == EVENT_END) {
        s->end = *(const struct event_end *)e->payload;
        s->ended = true;
    } else if (e->kind == EVENT_EXEC) {
        s->execed = true;
    }
}

/* Walks over a track; what is wrong with it is part of the summary. */
static void summarise(struct recording *rec, u32 track, struct summary *s)
{
    struct reader *r;
    *s = (struct summary){.header = {.track = track, .parent = TRACK_NONE}};
    struct error *err = recording_open_track(rec, track, &r);
    if (!err) {
        const struct event *e;
        s->header = *reader_header(r);
        while (!(err = reader_next(r, &e)) && e)
            add_event(s, e);
        s->figures = reader_figures(r);
        if (!err && reader_cut(r))
            s->trouble = xformat("%s", reader_cut(r));
        reader_close(r);
    }
    if (err) {
        s->trouble = xformat("%s", error_text(err));
        error_destroy(err);
    }
}

static void summary_deinit(struct summary *s)
{
    for (size_t i = 0; i < s->note_count; i++)
        free(s->notes[i]);
    free(s->trouble);
}

/* Text */

static void print_head(const struct recording *rec)
{
    const struct recording_meta *meta = &rec->meta;
    char room[FIGURES_ROOM];
    char *command = recording_text_command(meta), *ending = recording_text_ending(meta);
    printf("recording  %s\n", rec->path);
    printf("command    %s\n", command);
    printf("program    %s\n", meta->program ? meta->program : "?");
    printf("directory  %s\n", meta->directory ? meta->directory : "?");
    printf("started    %s\n", figures_date(room, meta->started));
    if (meta->ended)
        printf("took       %s\n", figures_time(room, meta->ended - meta->started));
    printf("ended      %s\n", ending);
    if (meta->why)
        printf("cut        %s\n", meta->why);
    printf("size       %s\n", figures_bytes(room, recording_size(rec)));
    printf("machine    %s; %s\n", meta->kernel ? meta->kernel : "?", meta->cpu ? meta->cpu : "?");
    printf("recorder   %s\n", meta->recorder ? meta->recorder : "?");
    free(command);
    free(ending);
}

static void print_origin(const struct format_file *header)
{
    static const char *const how[] = {
        [TRACK_FIRST] = "started", [TRACK_FORKED] = "forked", [TRACK_EXECED] = "executed",
    };
    printf("\ntrack %u    pid %u", header->track, header->pid);
    if (header->parent != TRACK_NONE)
        printf(", %s by track %u at %llu:0x%llx",
               header->origin < countof(how) ? how[header->origin] : "made", header->parent,
               (unsigned long long)header->parent_tick, (unsigned long long)header->parent_pc);
    printf("\n");
}

static void print_track_end(const struct summary *s)
{
    if (s->end.signal)
        printf("  ended    by signal %u%s\n", s->end.signal, s->end.core ? ", core dumped" : "");
    else if (s->ended)
        printf("  ended    with status %u\n", s->end.status);
    else
        printf("  ended    %s\n", s->execed ? "by executing another program"
                                            : "without a word: killed, or cut");
}

static void print_track(const struct summary *s)
{
    char raw[FIGURES_ROOM], stored[FIGURES_ROOM];
    print_origin(&s->header);
    print_track_end(s);
    printf("  ticks    %llu\n", (unsigned long long)s->last_tick);
    printf("  events   %llu, %s, stored as %s in %llu chunks\n", (unsigned long long)s->figures.events,
           figures_bytes(raw, s->figures.raw), figures_bytes(stored, s->figures.stored),
           (unsigned long long)s->figures.chunks);
    for (u16 kind = EVENT_START; kind < EVENT_KINDS; kind++)
        if (s->count[kind])
            printf("    %-8s %10llu  %s\n", event_name(kind), (unsigned long long)s->count[kind],
                   figures_bytes(raw, s->bytes[kind]));
    if (s->other)
        printf("    %-8s %10llu\n", "unknown", (unsigned long long)s->other);
    if (s->compared)
        printf("  calls    %llu that no row describes, recorded by comparing memory\n",
               (unsigned long long)s->compared);
    if (s->refused)
        printf("  calls    %llu answered by ebb\n", (unsigned long long)s->refused);
    for (size_t i = 0; i < s->note_count; i++)
        printf("  note     %s\n", s->notes[i]);
    if (s->trouble)
        printf("  trouble  %s\n", s->trouble);
}

/* JSON */

static void json_track(struct json *j, const struct summary *s)
{
    json_open(j, NULL, '{');
    json_unsigned(j, "track", s->header.track);
    json_unsigned(j, "pid", s->header.pid);
    if (s->header.parent != TRACK_NONE) {
        json_unsigned(j, "parent", s->header.parent);
        json_unsigned(j, "parent_tick", s->header.parent_tick);
        json_hex(j, "parent_pc", s->header.parent_pc);
    }
    json_unsigned(j, "origin", s->header.origin);
    json_unsigned(j, "ticks", s->last_tick);
    json_unsigned(j, "events", s->figures.events);
    json_unsigned(j, "raw", s->figures.raw);
    json_unsigned(j, "stored", s->figures.stored);
    json_unsigned(j, "chunks", s->figures.chunks);
    json_open(j, "kinds", '{');
    for (u16 kind = EVENT_START; kind < EVENT_KINDS; kind++)
        if (s->count[kind])
            json_unsigned(j, event_name(kind), s->count[kind]);
    json_close(j, '}');
    json_unsigned(j, "unknown", s->other);
    json_unsigned(j, "waited", s->waited);
    json_unsigned(j, "compared", s->compared);
    json_unsigned(j, "refused", s->refused);
    json_open(j, "notes", '[');
    for (size_t i = 0; i < s->note_count; i++)
        json_string(j, NULL, s->notes[i]);
    json_close(j, ']');
    json_string(j, "trouble", s->trouble);
    json_close(j, '}');
}

/* True if something is wrong with a track. */
static bool print_tracks(struct recording *rec, const u32 *tracks, size_t count, struct json *j)
{
    bool trouble = false;
    for (size_t i = 0; i < count; i++) {
        struct summary s;
        summarise(rec, tracks[i], &s);
        if (j)
            json_track(j, &s);
        else
            print_track(&s);
        trouble |= s.trouble != NULL;
        summary_deinit(&s);
    }
    return trouble;
}

static bool print_all(struct recording *rec, const u32 *tracks, size_t count, bool json)
{
    if (!json) {
        print_head(rec);
        return print_tracks(rec, tracks, count, NULL);
    }
    struct json j = {.out = stdout};
    json_open(&j, NULL, '{');
    recording_text_json(&j, rec);
    json_string(&j, "features", rec->meta.features);
    json_open(&j, "tracks", '[');
    bool trouble = print_tracks(rec, tracks, count, &j);
    json_close(&j, ']');
    json_close(&j, '}');
    json_line(&j);
    return trouble;
}

int cli_info(int argc, char **argv)
{
    struct track_choice choice = {.all = true};
    bool json = false;
    for (int i = 1; i < argc; i++) {
        bool is_json = strcmp(argv[i], "--json") == 0;
        int status = is_json ? 0 : track_choice_read(&choice, "info", argv[i]);
        if (status)
            return status;
        json |= is_json;
    }
    struct recording *rec;
    struct error *err = recording_open(choice.recording, &rec);
    if (err)
        return error_complain(err, 1);
    u32 *tracks = NULL;
    size_t count = 0;
    bool trouble = false;
    err = choice.one ? track_choose(&choice, rec, &tracks, &count)
                     : recording_tracks(rec, &tracks, &count);
    if (!err)
        trouble = print_all(rec, tracks, count, json);
    if (!err)
        free(tracks);
    recording_destroy(rec);
    int status = err ? error_complain(err, 1) : complain_if_unwritten();
    return status ? status : trouble;
}

void cli_info_explain(void)
{
    printf("\n"
           "RECORDING is a name that 'ebb ls' shows, or a directory; without it, the latest.\n"
           "\n"
           "  --track=N   only that track\n"
           "  --json      one object\n"
           "\n"
           "Every event is read and checked; the status is 1 if a track is damaged or was cut.\n");
}
