/* ebb info: describes one recording: how it was made, its tracks, their events and sizes.
 *
 * It opens the recording as a reader only: nothing is replayed.  Events are counted by kind and the
 * bytes of each file are summed up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/xalloc.h"
#include "command/recording_choice.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "base/json_text.h"
#include "front/cli/recording_text.h"
#include "log/channel.h"
#include "log/event.h"
#include "log/reader.h"
#include "log/recording.h"
#include "log/recording_file.h"
#include "log/snapshot_store.h"
#include "log/track_choice.h"

enum { NOTES_MOST = 100, COMMAND_SHOWN = 200, TREE_DEEPEST = 40 };

/* The result of a walk over a track. */
struct summary {
    struct format_file header;
    struct reader_figures figures;
    u64 count[EVENT_KINDS], bytes[EVENT_KINDS];
    u64 other;
    u64 last_tick;
    u64 waited, compared, refused; /* system calls */
    u32 threads;
    struct event_end end;
    bool ended, execed, left;
    char *command; /* NULL for a forked track */
    char *notes[NOTES_MOST];
    size_t note_count;
    char *trouble; /* why the track is damaged or cut off */
};

static void add_note(struct summary *s, const struct event *e)
{
    const struct event_note *n = (const struct event_note *)e->payload;
    char *text = xformat("%.*s", (int)n->size, (const char *)(n + 1));
    for (char *at = text; *at; at++)
        if ((u8)*at < 32 || *at == 127)
            *at = '?';
    s->left = n->level == NOTE_LEFT || n->level == NOTE_TRIMMED;
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

/* The arguments, as one line. */
static void add_command(struct summary *s, const struct event *e)
{
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));) {
        if (p->kind != PIECE_ARGUMENTS || !p->size)
            continue;
        const char *before = s->command ? s->command : "";
        char *longer = xformat("%s%s%.*s", before, *before ? " " : "", (int)p->size - 1,
                               (const char *)(p + 1));
        free(s->command);
        s->command = longer;
    }
    for (char *at = s->command; at && *at; at++)
        if ((u8)*at < 32 || *at == 127)
            *at = '?';
}

static struct mapped_list mapped; /* mapped by any track */

static void add_mapped(const struct event_map *map)
{
    struct mapped_file_about about = {
        .copy = map->copy, .size = map->file_size, .device = map->device, .inode = map->inode,
        .mtime = map->mtime,
        .path = xformat("%.*s", (int)map->path_size, (const char *)(map + 1)),
    };
    if (!mapped_list_find(&mapped, &about))
        mapped_list_add(&mapped, &about);
    free(about.path);
}

static bool seen[65536]; /* threads of the current track */

static void info_add_event(struct summary *s, const struct event *e)
{
    s->last_tick = e->tick;
    /* An exec that is not the last event failed, or was made by a child of vfork. */
    s->execed = e->kind == EVENT_EXEC;
    if (!seen[e->thread]) {
        seen[e->thread] = true;
        s->threads++;
    }
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
    } else if (e->kind == EVENT_START) {
        add_command(s, e);
    } else if (e->kind == EVENT_MAP) {
        add_mapped((const struct event_map *)e->payload);
    } else if (e->kind == EVENT_NOTE) {
        add_note(s, e);
    } else if (e->kind == EVENT_END) {
        s->end = *(const struct event_end *)e->payload;
        s->ended = true;
    }
}

/* Walks over a track. Problems are noted in the summary. */
static void summarise(struct recording *rec, u32 track, struct summary *s)
{
    struct reader *r;
    *s = (struct summary){.header = {.track = track, .parent = TRACK_NONE}};
    memset(seen, 0, sizeof seen);
    struct error *err = recording_open_track(rec, track, &r);
    if (!err) {
        const struct event *e;
        s->header = *reader_header(r);
        while (!(err = reader_next(r, &e)) && e)
            info_add_event(s, e);
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
    free(s->command);
    free(s->trouble);
}

/* Text */

/* The bytes and number of snapshots that earlier sessions have left in the cache. */
static u64 snapshots_of(const struct recording *rec, size_t *ret_count)
{
    struct snapshot_stored *list = snapshot_store_list(rec->meta.id, ~0u, ret_count);
    u64 bytes = 0;
    for (size_t n = 0; n < *ret_count; n++)
        bytes += list[n].size;
    snapshot_store_list_free(list, *ret_count);
    return bytes;
}

/* Prints the snapshots in the recording. */
static void print_own_snapshots(const struct recording *rec)
{
    char bytes_room[FIGURES_ROOM], apart[FIGURES_ROOM], cost[FIGURES_ROOM];
    const struct recording_meta *meta = &rec->meta;
    size_t count, tracks = 0;
    struct snapshot_stored *list = snapshot_store_list_own(rec, ~0u, &count);
    u64 bytes = snapshot_store_page_bytes(rec);
    for (size_t n = 0; n < count; n++) {
        size_t earlier = 0;
        while (earlier < n && list[earlier].about.track != list[n].about.track)
            earlier++;
        tracks += earlier == n;
        bytes += list[n].size;
    }
    if (count)
        printf("snapshots  %zu in the recording, %s", count, figures_bytes(bytes_room, bytes));
    if (tracks > 1)
        printf(", of %zu tracks", tracks);
    else if (count > 1 && meta->ended > meta->started)
        printf(", %s apart", figures_time(apart, (meta->ended - meta->started) / count));
    if (count && meta->snapshot_ns)
        printf("; they took %s", figures_time(cost, meta->snapshot_ns));
    if (count)
        printf("\n");
    if (meta->snapshot_why)
        printf("%s%s\n", count ? "           the last one could not be taken: "
                               : "snapshots  could not be taken: ", meta->snapshot_why);
    snapshot_store_list_free(list, count);
}

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
    u64 own = recording_size_own(rec), shared = recording_size(rec) - own;
    printf("size       %s", figures_bytes(room, own));
    if (shared)
        printf(", and %s shared with other recordings", figures_bytes(room, shared));
    printf("\n");
    size_t snapshots;
    print_own_snapshots(rec);
    u64 kept = snapshots_of(rec, &snapshots);
    if (snapshots)
        printf("snapshots  %zu in the cache, %s\n", snapshots, figures_bytes(room, kept));
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

static char *ending(const struct summary *s)
{
    if (s->end.signal)
        return xformat("by signal %u%s", s->end.signal, s->end.core ? ", core dumped" : "");
    if (s->ended)
        return xformat("with status %u", s->end.status);
    if (s->execed)
        return xformat("by executing another program");
    if (s->left)
        return xformat("with the recording; the process went on");
    /* SIGKILL is the only signal that a process cannot report */
    return xformat("%s", s->trouble ? "without a word" : "by signal 9");
}

static void print_track(const struct summary *s)
{
    char raw[FIGURES_ROOM], stored[FIGURES_ROOM];
    char *how = ending(s);
    print_origin(&s->header);
    if (s->command)
        printf("  command  %.*s\n", COMMAND_SHOWN, s->command);
    printf("  ended    %s\n", how);
    free(how);
    if (s->threads > 1)
        printf("  threads  %u\n", s->threads);
    printf("  ticks    %llu\n", (unsigned long long)s->last_tick);
    printf("  events   %llu, %s, stored as %s in %llu chunks\n",
           (unsigned long long)s->figures.events, figures_bytes(raw, s->figures.raw),
           figures_bytes(stored, s->figures.stored), (unsigned long long)s->figures.chunks);
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

/* The tree: each process below the one that made it; each program that it executed on its own
 * line. */

struct summaries {
    struct summary *list;
    size_t count;
};

static bool info_is_child(const struct summary *s, const struct summary *of)
{
    return s->header.parent == of->header.track && s->header.track != of->header.track;
}

/* A child of vfork that executes a program has no earlier track: its pid shows that. */
static const char *tree_word(const struct summary *s, const struct summary *parent)
{
    if (s->header.origin == TRACK_FORKED)
        return "forked";
    if (!parent)
        return "started";
    return s->header.pid == parent->header.pid ? "executed" : "spawned";
}

static void print_tree_line(const struct summary *s, const struct summary *parent, int depth)
{
    char *how = ending(s);
    printf("  %*strack %u, pid %u, %s", 2 * depth, "", s->header.track, s->header.pid,
           tree_word(s, parent));
    if (s->command)
        printf(" %.*s", COMMAND_SHOWN, s->command);
    if (s->threads > 1)
        printf(", %u threads", s->threads);
    printf(": ended %s\n", how);
    free(how);
}

/* Prints what `s` forked and executed. Parents have lower numbers, so the recursion ends. Very deep
 * levels are not indented further. */
static void print_family(const struct summaries *all, size_t at, const struct summary *parent,
                         int depth)
{
    const struct summary *s = &all->list[at];
    print_tree_line(s, parent, depth < TREE_DEEPEST ? depth : TREE_DEEPEST);
    for (size_t i = at + 1; i < all->count; i++) {
        const struct summary *child = &all->list[i];
        if (info_is_child(child, s))
            print_family(all, i, s, depth + (child->header.pid != s->header.pid));
    }
}

static bool has_parent(const struct summaries *all, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (info_is_child(&all->list[at], &all->list[i]))
            return true;
    return false;
}

static void print_tree(const struct summaries *all)
{
    if (all->count < 2)
        return;
    printf("\ntree\n");
    for (size_t i = 0; i < all->count; i++)
        if (!has_parent(all, i))
            print_family(all, i, NULL, 0);
}

/* JSON */

static void info_json_end(struct json *j, const struct summary *s)
{
    const char *how = s->end.signal ? "signal" : s->ended ? "exit" : s->execed ? "exec"
                      : s->left ? "left" : s->trouble ? "unknown" : "killed";
    json_string(j, "ended", how);
    if (s->ended) {
        json_unsigned(j, "status", s->end.status);
        json_unsigned(j, "signal", s->end.signal);
        json_unsigned(j, "core", s->end.core);
    }
}

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
    json_string(j, "command", s->command);
    json_unsigned(j, "threads", s->threads);
    info_json_end(j, s);
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

static void info_print_text(const struct recording *rec, const struct summaries *all)
{
    print_head(rec);
    print_tree(all);
    for (size_t i = 0; i < all->count; i++)
        print_track(&all->list[i]);
}

static void json_own_snapshots(struct json *j, const struct recording *rec)
{
    size_t count;
    struct snapshot_stored *list = snapshot_store_list_own(rec, ~0u, &count);
    u64 bytes = snapshot_store_page_bytes(rec);
    for (size_t n = 0; n < count; n++)
        bytes += list[n].size;
    json_unsigned(j, "own_snapshots", count);
    json_unsigned(j, "own_snapshot_bytes", bytes);
    json_unsigned(j, "snapshot_ns", rec->meta.snapshot_ns);
    json_unsigned(j, "snapshot_pause_ns", rec->meta.snapshot_pause);
    json_unsigned(j, "snapshot_pages", rec->meta.snapshot_pages);
    json_unsigned(j, "program_ns", rec->meta.program_ns);
    json_unsigned(j, "recorder_ns", rec->meta.recorder_ns);
    snapshot_store_list_free(list, count);
}

static void info_print_json(const struct recording *rec, const struct summaries *all)
{
    struct json j = {.out = stdout};
    json_open(&j, NULL, '{');
    recording_text_json(&j, rec);
    json_string(&j, "features", rec->meta.features);
    size_t snapshots;
    u64 kept = snapshots_of(rec, &snapshots);
    json_unsigned(&j, "snapshots", snapshots);
    json_unsigned(&j, "snapshot_bytes", kept);
    json_own_snapshots(&j, rec);
    json_open(&j, "tracks", '[');
    for (size_t i = 0; i < all->count; i++)
        json_track(&j, &all->list[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    json_line(&j);
}

/* True if there is a problem with the files kept in the recording. */
static bool check_files(const struct recording *rec)
{
    struct error *err = recording_files_check(rec, &mapped);
    mapped_list_deinit(&mapped);
    return err && error_complain(error_within(err, "%s", rec->path), 1);
}

/* True if there is a problem with a track. */
static bool print_all(struct recording *rec, const u32 *tracks, size_t count, bool json)
{
    struct summaries all = {xalloc((count + 1) * sizeof(struct summary)), count};
    bool trouble = false;
    for (size_t i = 0; i < count; i++) {
        summarise(rec, tracks[i], &all.list[i]);
        trouble |= all.list[i].trouble != NULL;
    }
    (json ? info_print_json : info_print_text)(rec, &all);
    for (size_t i = 0; i < count; i++)
        summary_deinit(&all.list[i]);
    free(all.list);
    return trouble;
}

static int info(const struct track_choice *choice, bool json)
{
    struct recording *rec;
    struct error *err = recording_open(choice->recording, &rec);
    if (err)
        return error_complain(err, 1);
    u32 *tracks = NULL;
    size_t count = 0;
    bool trouble = false;
    err = choice->one ? track_choose(choice, rec, &tracks, &count)
                     : recording_tracks(rec, &tracks, &count);
    if (!err) {
        trouble = print_all(rec, tracks, count, json);
        trouble |= check_files(rec);
        free(tracks);
    }
    recording_destroy(rec);
    int status = err ? error_complain(err, 1) : complain_if_unwritten();
    return status ? status : trouble;
}

enum { INFO_TRACK = 1, INFO_JSON };

static const struct command_option info_options[] = {
    ONE_TRACK_OPTION(INFO_TRACK),
    {.id = INFO_JSON, .name = "json", .help = "print one JSON object"},
    {0},
};

struct info_asked {
    struct track_choice choice;
    bool json;
};

static int info_take(void *context, int id, const char *value)
{
    struct info_asked *asked = context;
    if (id == INFO_TRACK)
        return recording_choice_track(&asked->choice, value);
    asked->json = true;
    return 0;
}

static int info_run(const struct command *c, int argc, char **argv)
{
    struct info_asked asked = {.choice.all = true};
    int at;
    int status = command_read(c, argc, argv, info_take, &asked, &at);
    if (!status)
        status = recording_choice_operands(&asked.choice, c, argc, argv, at);
    return status ? status : info(&asked.choice, asked.json);
}

const struct command cli_info = {
    .examples = {"ebb info", "ebb info myprogram-1"},
    .name = "info", .run = info_run, .operands = {"[RECORDING]"}, .operand_kind = NAMES_RECORDING,
    .options = info_options, .summary = "describe what is in a recording",
    .about = RECORDING_HELP,
    .after = "Every event and every copy of a file is read and checked. The status is 1 if one is "
             "damaged or a track was cut.\n",
};
