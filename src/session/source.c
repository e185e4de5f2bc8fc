/* Symbols that follow a session: see source.h.
 *
 * Mappings change only by events, so symbols are looked up again when the number of past events has
 * changed.
 */
#include "session/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/complain.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "log/recording_file.h"
#include "session/session_internal.h"
#include "session/stepping_internal.h"

struct source {
    struct session *session;
    struct symbols *symbols;
    u64 event; /* the number of events for which the symbols are valid */
    bool known;
    struct points points;
    struct moment stands_at;
    /* inlined functions not yet entered at that moment, see source_stand_before */
    u32 stands_before;
    struct list said; /* char *: files that were reported as damaged */
};

static bool source_read_memory(void *context, u64 address, void *to, size_t size)
{
    struct source *src = context;
    size_t got = 0;
    struct error *err = session_read(src->session, address, to, size, &got);
    error_destroy(err);
    return !err && got == size;
}

/* Reads memory without noting it as part of a value. */
static bool source_peek_memory(void *context, u64 address, void *to, size_t size)
{
    struct session *s = ((struct source *)context)->session;
    bool paused = s->notes_paused;
    s->notes_paused = true;
    bool read = source_read_memory(context, address, to, size);
    s->notes_paused = paused;
    return read;
}

/* Reports a damaged file once, although it is looked for in many places. */
static void say_damaged(struct source *src, const char *path, const struct error *err)
{
    char **said = src->said.items;
    for (size_t n = 0; n < src->said.count; n++)
        if (strcmp(said[n], path) == 0)
            return;
    *(char **)list_add(&src->said) = xformat("%s", path);
    complain(0, "%s", error_text(err));
}

/* Most files that are tried do not exist, which is not an error. */
static int source_open_file(void *context, const char *path)
{
    struct source *src = context;
    int fd;
    if (path[0] != '/')
        return -1;
    struct error *err = recording_file(src->session->rec, path, &fd);
    if (err && recording_file_packed(src->session->rec, path))
        say_damaged(src, path, err);
    error_destroy(err);
    return err ? -1 : fd;
}

void source_create(struct session *s, struct source **ret)
{
    struct source *src = xalloc(sizeof *src);
    *src = (struct source){.session = s, .said = LIST(char *)};
    points_init(&src->points);
    symbols_create(&(struct symbols_host){.read = source_read_memory, .peek = source_peek_memory,
                                          .open = source_open_file, .context = src},
                   &src->symbols);
    *ret = src;
}

void source_destroy(struct source *src)
{
    if (!src)
        return;
    points_deinit(&src->points);
    symbols_destroy(src->symbols);
    for (size_t n = 0; n < src->said.count; n++)
        free(((char **)src->said.items)[n]);
    list_deinit(&src->said);
    free(src);
}

struct session *source_session(struct source *src)
{
    return src->session;
}

struct points *source_points(struct source *src)
{
    return &src->points;
}

static void update(struct source *src, const struct control_area *areas, size_t count)
{
    struct symbols_area *shown = xalloc((count + 1) * sizeof *shown);
    for (size_t n = 0; n < count; n++)
        shown[n] = (struct symbols_area){areas[n].start, areas[n].end, areas[n].offset,
                                         areas[n].path, !(areas[n].protection & PROT_EXEC)};
    symbols_update(src->symbols, shown, count);
    free(shown);
}

struct error *source_symbols(struct source *src, struct symbols **ret)
{
    struct control_area *areas;
    size_t count;
    if (!src->known || src->event != src->session->here.event) {
        struct error *err = session_areas(src->session, &areas, &count);
        if (err)
            return err;
        update(src, areas, count);
        free(areas);
        src->known = true;
        src->event = src->session->here.event;
    }
    *ret = src->symbols;
    return NULL;
}

static void registers_of(const struct control_registers *r, u64 ret[FRAME_REGISTERS])
{
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        ret[register_to_dwarf(n)] = r->reg[n];
    ret[DWARF_RIP] = r->rip;
}

static struct error *frame_registers(struct source *src, u32 thread, struct symbols **ret_symbols,
                                     u64 ret[FRAME_REGISTERS])
{
    struct control_registers r;
    const u8 *vector;
    struct error *err = source_symbols(src, ret_symbols);
    if (!err)
        err = session_registers(src->session, thread, &r, &vector);
    if (!err)
        registers_of(&r, ret);
    return err;
}

void source_stand_before(struct source *src, u32 inlined)
{
    src->stands_at = src->session->here.at;
    src->stands_before = inlined;
}

u32 source_stands_before(struct source *src, u32 thread)
{
    const struct session *s = src->session;
    bool here = moment_compare(src->stands_at, s->here.at) == 0;
    bool its_own = thread == CONTROL_THREAD_ANY || thread == s->here.thread;
    return here && its_own ? src->stands_before : 0;
}

struct error *source_frames(struct source *src, u32 thread, size_t most, struct frame **ret,
                            size_t *ret_count, const char **ret_why)
{
    struct symbols *symbols;
    u64 reg[FRAME_REGISTERS];
    struct error *err = frame_registers(src, thread, &symbols, reg);
    return err ? err : symbols_unwind(symbols, reg, most, ret, ret_count, ret_why);
}

struct error *source_unwinding(struct source *src, u32 thread, struct unwinding **ret)
{
    struct symbols *symbols;
    u64 reg[FRAME_REGISTERS];
    struct error *err = frame_registers(src, thread, &symbols, reg);
    if (err)
        return err;
    *ret = unwinding_create(symbols, reg);
    unwinding_stand_before(*ret, source_stands_before(src, thread));
    return NULL;
}
