/* How a replaying engine is started: the pieces of the track's START, and of the DATA events that
 * continue it, have path, arguments and settings. */
#include "log/replay_start.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "log/cpu_check.h"
#include "log/event.h"

/* Bytes collected from pieces, null-terminated. */
struct gathered {
    char *bytes;
    size_t size, room;
};

static void gather(struct gathered *g, const void *bytes, size_t size)
{
    if (g->room < g->size + size + 1) {
        /* grows by doubling, as there may be a hundred thousand pieces */
        g->room = 2 * (g->size + size + 1);
        char *longer = xalloc(g->room);
        if (g->size)
            memcpy(longer, g->bytes, g->size);
        free(g->bytes);
        g->bytes = longer;
    }
    memcpy(g->bytes + g->size, bytes, size);
    g->size += size;
    g->bytes[g->size] = '\0';
}

static void gather_pieces(struct gathered *path, struct gathered *arguments,
                          struct gathered *settings, struct cpu_table *cpu, const struct event *e)
{
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));) {
        if (p->kind == PIECE_PATH)
            gather(path, p + 1, p->size);
        else if (p->kind == PIECE_ARGUMENTS)
            gather(arguments, p + 1, p->size);
        else if (p->kind == PIECE_SETTINGS)
            gather(settings, p + 1, p->size);
        else
            cpu_table_add(cpu, p->kind, p + 1, p->size);
    }
}

/* START and DATA both begin with their flags. */
static bool has_more(const struct event *e)
{
    return *(const u32 *)e->payload & EVENT_MORE;
}

/* Settings that belong to the recording process, not to the run. */
static bool is_local(const char *setting)
{
    static const char *const names[] = {"record=", "replay=", "fd=",    "stats=",
                                        "check=",  "origin=", "share=", "engine=",
                                        "filters="};
    for (size_t i = 0; i < countof(names); i++)
        if (strncmp(setting, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static char *filter_settings(const char *text)
{
    char *ret = xformat("%s", "");
    while (text && *text) {
        size_t length = strcspn(text, ",");
        if (length && !is_local(text)) {
            char *longer = xformat("%s%s%.*s", ret, *ret ? "," : "", (int)length, text);
            free(ret);
            ret = longer;
        }
        text += length + (text[length] == ',');
    }
    return ret;
}

static void split_arguments(struct replay_start *start, const struct gathered *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->size; i++)
        count += g->bytes[i] == '\0';
    start->strings = g->bytes ? g->bytes : xformat("%s", "");
    start->argv = xalloc((count + 2) * sizeof *start->argv);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        start->argv[i] = start->strings + at;
        at += strlen(start->argv[i]) + 1;
    }
    if (count == 0)
        start->argv[count++] = start->path;
    start->argv[count] = NULL;
    start->argc = (int)count;
}

/* Checks that this machine can replay it. A setting overrides the check. */
static struct error *check_cpu(const struct cpu_table *recorded)
{
    const char *any = getenv("EBB_ANY_CPU");
    struct cpu_table here;
    if (any && *any && strcmp(any, "0") != 0)
        return NULL;
    cpu_table_here(&here);
    struct error *err = cpu_check(recorded, &here);
    cpu_table_deinit(&here);
    return err;
}

struct error *replay_start_init(struct replay_start *start, struct reader *reader)
{
    struct gathered path = {0}, arguments = {0}, settings = {0};
    struct cpu_table cpu = {0};
    const struct event *e;
    bool more = true;
    struct error *err = NULL;
    while (more && !(err = reader_next(reader, &e)) && e) {
        if (e->kind != EVENT_START && e->kind != EVENT_DATA)
            break;
        gather_pieces(&path, &arguments, &settings, &cpu, e);
        more = has_more(e);
    }
    bool empty = !err && more && !e && !reader_cut(reader);
    if (!err && !e && reader_cut(reader))
        err = error_new("%s: the disk was full, or ebb was killed, before the start was written",
                        reader_cut(reader));
    if (!err && !empty && !path.size)
        err = error_new("the track does not say what program it is of");
    if (!err && !empty)
        err = check_cpu(&cpu);
    cpu_table_deinit(&cpu);
    if (!err && !empty) {
        start->path = path.bytes;
        start->settings = filter_settings(settings.bytes);
        split_arguments(start, &arguments);
    } else {
        free(path.bytes);
        free(arguments.bytes);
    }
    free(settings.bytes);
    return err;
}

void replay_start_deinit(struct replay_start *start)
{
    free(start->path);
    free(start->argv);
    free(start->settings);
    free(start->strings);
}
