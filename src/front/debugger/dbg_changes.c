/* changes: which variables a statement, a call or a stretch of time changed.
 *
 * The memory of the earlier moment is kept and compared with that of the later one. Differences are
 * named there, by variables, and then by the targets of pointers. Old values are read in a second
 * visit to the earlier moment. One trace back from the later moment finds the last change of each
 * value. Afterwards the session is always back where it was.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum {
    WRITERS_MOST = 1000, /* values whose last change is looked for */
    CHANGES_FRAMES_MOST = 1000,
    SPANS_SHOWN = 8,
    SPAN_GAP = 64,
    SYMBOLS_SHOWN = 4,
};

/* An active call. */
struct call_mark {
    u64 cfa, return_pc, function;
    size_t level;
    char *name;
};

/* Where names are looked up: outside of functions, in a call, or through pointers. */
struct change_scope {
    enum { SCOPE_GLOBAL, SCOPE_CALL, SCOPE_POINTERS } kind;
    struct call_mark call;  /* at the later moment */
    struct parts old, new;
};

struct change_end {
    struct moment at;
    char *function, *file; /* NULL: not known */
    unsigned line;
};

struct change_span {
    struct memory_range range;
    u64 bytes;
    char *what;
};

/* A system library: how many of its variables changed. */
struct change_library {
    const char *path;
    char *names;
    size_t count;
};

struct changes {
    struct dbg *d;
    u32 thread;
    struct change_end from, to;
    struct memory_image image;
    struct memory_difference difference;
    struct list calls;    /* struct call_mark: at the earlier moment */
    struct list scopes;   /* struct change_scope */
    struct list wanted;   /* struct memory_range: what no variable covers */
    struct list spans;    /* struct change_span: changes without a name */
    struct list libraries; /* struct change_library */
    struct list writers;   /* struct place_change: of parts in memory, in the order of the list */
    size_t writers_said;
    u64 count, unknown;
    u64 unnamed;
    bool is_cut;
};

/* --- being elsewhere -------------------------------------------------------------------------- */

static struct error *changes_go(struct changes *c, struct moment to)
{
    struct session_stop stop = {.why = WHY_ARRIVED};
    debug_begin_moving(c->d->debug, COURSE_TO);
    struct error *err = movement_goto(c->d->debug->session, to, &stop);
    debug_end_moving(c->d->debug);
    if (!err && stop.why == WHY_INTERRUPTED)
        err = error_coded(ERROR_INTERRUPTED, "interrupted");
    debug_arrive(c->d->debug);
    c->d->debug->thread = c->thread;
    return err;
}

/* Locals and thread-local variables belong to one thread, which must exist at both moments. */
static struct error *check_thread_lives(struct changes *c, const char *when)
{
    struct control_thread *threads;
    size_t count;
    bool found = false;
    struct error *err = session_threads(c->d->debug->session, &threads, &count);
    if (err)
        return err;
    for (size_t n = 0; n < count; n++)
        found |= threads[n].thread == c->thread;
    free(threads);
    return found ? NULL
                 : error_coded(ERROR_UNAVAILABLE,
                               "thread %u, which is looked at, is not there at the %s moment; look "
                               "at another with 'thread N'",
                               c->thread, when);
}

static void note_end(struct dbg *d, struct change_end *e)
{
    const struct frame *f = debug_frame(d->debug);
    e->function = f && f->function ? symbols_bare_name(f->function) : NULL;
    e->file = f && f->place.file ? xformat("%s", f->place.file) : NULL;
    e->line = f && f->place.file ? f->place.line : 0;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Lists the out-of-line calls, innermost first. */
static void mark_calls(struct dbg *d, struct list *ret)
{
    struct symbols *symbols;
    struct function_info info;
    struct frame *frames;
    const char *why;
    size_t count = 0;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (!err)
        err = source_frames(d->debug->source, d->debug->thread, CHANGES_FRAMES_MOST, &frames,
                            &count, &why);
    for (size_t n = 0; n < count && !err; n++) {
        const struct frame *f = &frames[n];
        size_t out = n + 1;
        bool system = f->module && strcmp(f->module, session_program(d->debug->session)) != 0 &&
                      symbols_is_system_library(f->module);
        if (f->inlined || f->signal || f->tail || system)
            continue;
        while (out < count && frames[out].tail)
            out++;
        *(struct call_mark *)list_add(ret) = (struct call_mark){
            .cfa = f->cfa, .return_pc = out < count ? frames[out].pc : 0, .level = n,
            .function = symbols_function(symbols, f->pc - f->called, &info) ? info.entry : 0,
            .name = symbols_bare_name(f->function ? f->function : "??")};
    }
    if (!err)
        free(frames);
    error_destroy(err);
}

static void calls_deinit(struct list *calls)
{
    struct call_mark *all = calls->items;
    for (size_t n = 0; n < calls->count; n++)
        free(all[n].name);
    list_deinit(calls);
}

static bool was_there(const struct changes *c, const struct call_mark *call)
{
    const struct call_mark *old = c->calls.items;
    for (size_t n = 0; n < c->calls.count; n++)
        if (old[n].cfa == call->cfa && old[n].return_pc == call->return_pc &&
            old[n].function == call->function)
            return call->function;
    return false;
}

/* If a call is still active, so are its callers. */
static struct error *first_alive(struct changes *c, const struct call_mark *calls, size_t count,
                                 size_t *ret)
{
    size_t low = 0, high = count;
    struct error *err = NULL;
    debug_begin_moving(c->d->debug, COURSE_TO);
    for (size_t try = 0; low < high && !err; ) {
        bool alive = false, interrupted = false;
        err = frame_lives_on(c->d->debug->session, c->thread, calls[try].cfa, calls[try].return_pc,
                             c->from.at, c->to.at, &alive, &interrupted);
        if (!err && interrupted)
            err = error_coded(ERROR_INTERRUPTED, "interrupted");
        if (alive)
            high = try;
        else
            low = try + 1;
        try = (low + high) / 2;
    }
    debug_end_moving(c->d->debug);
    *ret = low;
    return err;
}

static struct change_scope *add_scope(struct changes *c, int kind)
{
    struct change_scope *s = list_add(&c->scopes);
    *s = (struct change_scope){.kind = kind, .old = PARTS, .new = PARTS};
    s->old.wanted = s->new.wanted = c->difference.ranges.items;
    s->old.wanted_count = s->new.wanted_count = c->difference.ranges.count;
    return s;
}

/* Finds the calls that are active at both moments. */
static struct error *match_calls(struct changes *c)
{
    struct list now = LIST(struct call_mark), both = LIST(struct call_mark);
    size_t first = 0;
    mark_calls(c->d, &now);
    const struct call_mark *all = now.items;
    for (size_t n = 0; n < now.count; n++)
        if (was_there(c, &all[n]))
            *(struct call_mark *)list_add(&both) = all[n];
    struct call_mark *b = both.items;
    struct error *err = first_alive(c, b, both.count, &first);
    for (size_t n = first; n < both.count && !err; n++) {
        struct change_scope *s = add_scope(c, SCOPE_CALL);
        s->call = b[n];
        s->call.name = xformat("%s", b[n].name);
    }
    list_deinit(&both);
    calls_deinit(&now);
    return err;
}

/* --- both looks ------------------------------------------------------------------------------- */

/* Selects the frame of the call at this moment; false: it has none. */
static bool select_call(struct changes *c, const struct call_mark *call)
{
    bool all = false;
    if (debug_frame(c->d->debug))
        for (size_t n = 0; n < CHANGES_FRAMES_MOST && !all; n++) {
            if (n >= c->d->debug->frame_count) {
                bool before = c->d->debug->settings.past_main;
                c->d->debug->settings.past_main = true;
                debug_shown_frames(c->d->debug, n + 1, &all);
                c->d->debug->settings.past_main = before;
            }
            const struct frame *f = n < c->d->debug->frame_count ? &c->d->debug->frames[n] : NULL;
            if (f && f->cfa == call->cfa && !f->inlined && !f->tail && !f->signal) {
                c->d->debug->selected = n;
                return true;
            }
        }
    return false;
}

static struct error *look_in_scope(struct changes *c, struct change_scope *s, bool later)
{
    struct evaluation *v;
    struct parts *p = later ? &s->new : &s->old;
    debug_forget_frames(c->d->debug);
    error_destroy(debug_frames(c->d->debug));
    if (s->kind == SCOPE_CALL && !select_call(c, &s->call))
        return NULL;
    struct error *err = debug_evaluation(c->d->debug, &v);
    if (err)
        return err;
    if (s->kind == SCOPE_CALL)
        values_parts_of_frame(v, p, later);
    else if (s->kind == SCOPE_GLOBAL)
        values_parts_of_globals(v, p, later);
    else
        values_parts_of_objects(v, p, later);
    c->is_cut |= p->is_cut;
    values_close(v);
    return debug_interrupted() ? error_coded(ERROR_INTERRUPTED, "interrupted") : NULL;
}

static void append(struct list *to, const struct list *from)
{
    for (size_t n = 0; n < from->count; n++)
        memcpy(list_add(to), (const u8 *)from->items + n * from->item, from->item);
}

/* Memory that no variable covers may be the target of pointers. */
static struct error *look_behind_pointers(struct changes *c)
{
    struct list covered = LIST(struct memory_range);
    struct change_scope *s = c->scopes.items;
    struct parts behind = PARTS;
    for (size_t n = 0; n < c->scopes.count; n++) {
        append(&covered, &s[n].new.covered);
        append(&behind.objects, &s[n].new.objects);
        s[n].new.objects.count = 0;
    }
    c->wanted = memory_ranges_without(&c->difference.ranges, &covered);
    list_deinit(&covered);
    s = add_scope(c, SCOPE_POINTERS);
    s->new = behind;
    s->old.wanted = s->new.wanted = c->wanted.items;
    s->old.wanted_count = s->new.wanted_count = c->wanted.count;
    return look_in_scope(c, s, true);
}

static struct change_scope *pointers_scope(struct changes *c)
{
    return (struct change_scope *)c->scopes.items + c->scopes.count - 1;
}

/* --- memory without a name -------------------------------------------------------------------- */

static const struct control_area *changes_area_of(const struct control_area *areas, size_t count,
                                                  u64 address)
{
    for (size_t n = 0; n < count; n++)
        if (address >= areas[n].start && address < areas[n].end)
            return &areas[n];
    return NULL;
}

/* "stack", "heap", "libc.so.6", "memory"; owned by the area. */
static const char *area_name(const struct control_area *a)
{
    if (!a || !*a->path)
        return "memory";
    if (strcmp(a->path, "[stack]") == 0)
        return "stack";
    if (strcmp(a->path, "[heap]") == 0)
        return "heap";
    const char *slash = strrchr(a->path, '/');
    return slash ? slash + 1 : a->path;
}

static const struct symbols_module *module_of(struct symbols *s, u64 address)
{
    size_t count;
    const struct symbols_module *m = symbols_modules(s, &count);
    for (size_t n = 0; n < count; n++)
        if (address >= m[n].start && address < m[n].end)
            return &m[n];
    return NULL;
}

/* Returns the name of a span: its data symbol in a module, otherwise its area; the caller frees
 * it. */
static char *span_name(struct dbg *d, struct symbols *s, const struct control_area *area,
                       u64 address)
{
    const struct symbols_module *m = module_of(s, address);
    if (!m)
        return xformat("%s", area_name(area));
    const char *slash = strrchr(m->path, '/');
    const char *name = slash ? slash + 1 : m->path;
    char *symbol = strcmp(m->path, session_program(d->debug->session)) == 0
                       ? symbols_describe(s, address)
                       : NULL;
    char *plus = symbol ? strchr(symbol, '+') : NULL;
    if (plus)
        *plus = '\0';
    const char *section = symbols_section(s, address);
    char *text = symbol && strncmp(symbol, "0x", 2) != 0 ? xformat("%s", symbol)
                 : section ? xformat("%s of %s", section, name) : xformat("data of %s", name);
    free(symbol);
    return text;
}

static void add_span(struct changes *c, char *what, bool is_data, struct memory_range r)
{
    struct change_span *last =
        c->spans.count ? (struct change_span *)c->spans.items + c->spans.count - 1 : NULL;
    if (last && strcmp(last->what, what) == 0 &&
        (is_data || r.start - last->range.end <= SPAN_GAP)) {
        last->range.end = r.end;
        last->bytes += r.end - r.start;
        free(what);
    } else {
        *(struct change_span *)list_add(&c->spans) = (struct change_span){r, r.end - r.start, what};
    }
}

static struct error *name_rest(struct changes *c)
{
    struct control_area *areas;
    struct symbols *symbols;
    size_t count;
    struct error *err = debug_symbols(c->d->debug, &symbols);
    if (!err)
        err = session_areas(c->d->debug->session, &areas, &count);
    if (err)
        return err;
    struct list rest = memory_ranges_without(&c->wanted, &pointers_scope(c)->new.covered);
    const struct memory_range *r = rest.items;
    for (size_t n = 0; n < rest.count; n++) {
        add_span(c, span_name(c->d, symbols, changes_area_of(areas, count, r[n].start), r[n].start),
                 module_of(symbols, r[n].start), r[n]);
        c->unnamed += r[n].end - r[n].start;
    }
    list_deinit(&rest);
    free(areas);
    return NULL;
}

/* --- looking ---------------------------------------------------------------------------------- */

static struct error *look_first(struct changes *c)
{
    struct error *err = changes_go(c, c->from.at);
    if (!err)
        err = check_thread_lives(c, "earlier");
    if (err)
        return err;
    note_end(c->d, &c->from);
    mark_calls(c->d, &c->calls);
    debug_begin_moving(c->d->debug, COURSE_TO);
    err = memory_image_take(c->d->debug->session, IMAGE_MOST, debug_interrupted, &c->image);
    debug_end_moving(c->d->debug);
    return err;
}

static struct error *look_later(struct changes *c)
{
    struct error *err = changes_go(c, c->to.at);
    if (!err)
        err = check_thread_lives(c, "later");
    if (err)
        return err;
    note_end(c->d, &c->to);
    debug_begin_moving(c->d->debug, COURSE_TO);
    err = memory_image_compare(&c->image, c->d->debug->session, debug_interrupted, &c->difference);
    debug_end_moving(c->d->debug);
    if (err)
        return err;
    add_scope(c, SCOPE_GLOBAL);
    err = match_calls(c);
    for (size_t n = 0; n < c->scopes.count && !err; n++)
        err = look_in_scope(c, (struct change_scope *)c->scopes.items + n, true);
    if (!err)
        err = look_behind_pointers(c);
    return err ? err : name_rest(c);
}

static struct error *look_back(struct changes *c)
{
    struct error *err = changes_go(c, c->from.at);
    for (size_t n = 0; n < c->scopes.count && !err; n++) {
        struct change_scope *s = (struct change_scope *)c->scopes.items + n;
        if (s->kind == SCOPE_POINTERS)
            s->old.objects = s->new.objects;
        err = look_in_scope(c, s, false);
        if (s->kind == SCOPE_POINTERS)
            s->old.objects = LIST(struct value_object);
    }
    return err;
}

static void changes_deinit(struct changes *c)
{
    struct change_scope *s = c->scopes.items;
    struct change_span *span = c->spans.items;
    for (size_t n = 0; n < c->scopes.count; n++) {
        parts_deinit(&s[n].old);
        parts_deinit(&s[n].new);
        free(s[n].call.name);
    }
    for (size_t n = 0; n < c->spans.count; n++)
        free(span[n].what);
    struct change_library *library = c->libraries.items;
    for (size_t n = 0; n < c->libraries.count; n++)
        free(library[n].names);
    list_deinit(&c->libraries);
    list_deinit(&c->writers);
    calls_deinit(&c->calls);
    list_deinit(&c->scopes);
    list_deinit(&c->spans);
    list_deinit(&c->wanted);
    memory_image_deinit(&c->image);
    memory_difference_deinit(&c->difference);
    free(c->from.function);
    free(c->from.file);
    free(c->to.function);
    free(c->to.file);
}

/* --- saying it -------------------------------------------------------------------------------- */

/* Both visits list parts in the same order, except for parts that only one of them has. */
static const struct changed_part *old_part(const struct change_scope *s,
                                           const struct changed_part *new, size_t *next)
{
    const struct changed_part *old = s->old.list.items;
    for (size_t n = 0; n < s->old.list.count; n++) {
        size_t at = (*next + n) % s->old.list.count;
        if (old[at].key == new->key && strcmp(old[at].path, new->path) == 0) {
            *next = at + 1;
            return &old[at];
        }
    }
    return NULL;
}

static bool part_changed(const struct changed_part *old, const struct changed_part *new)
{
    if (old->is_holder && new->is_holder && strcmp(old->text, new->text) != 0)
        return true;
    if (old->bytes && new->bytes)
        return old->size != new->size || memcmp(old->bytes, new->bytes, new->size) != 0;
    return strcmp(old->text, new->text) != 0 || (new->is_wanted && old->is_wanted && !new->is_bits);
}

/* The old value of a part that is to be told; NULL: it is not. */
static const struct changed_part *told_part(const struct change_scope *s,
                                            const struct changed_part *new, size_t *next)
{
    const struct changed_part *old = old_part(s, new, next);
    bool known = old && old->text && new->text;
    return known && part_changed(old, new) && !new->library ? old : NULL;
}

static void gather_writers(struct changes *c, const struct change_scope *s)
{
    const struct changed_part *new = s->new.list.items;
    for (size_t n = 0, next = 0; n < s->new.list.count; n++) {
        if (!told_part(s, &new[n], &next) || !new[n].in_memory || c->writers.count == WRITERS_MOST)
            continue;
        struct value_place place = {.address = new[n].address, .size = new[n].size};
        if (new[n].is_bits)
            place = value_place_of_bits(place.address, new[n].bit_offset, new[n].bit_size);
        *(struct place_change *)list_add(&c->writers) = (struct place_change){.place = place};
    }
}

/* The last change of each part that is told. */
static struct error *find_writers(struct changes *c)
{
    bool interrupted = false;
    for (size_t n = 0; n < c->scopes.count; n++)
        gather_writers(c, (struct change_scope *)c->scopes.items + n);
    debug_begin_moving(c->d->debug, COURSE_TO);
    struct error *err = places_changed_last(c->d->debug->session, c->from.at, c->to.at,
                                            c->writers.items, c->writers.count, &interrupted);
    debug_end_moving(c->d->debug);
    return !err && interrupted ? error_coded(ERROR_INTERRUPTED, "interrupted") : err;
}

static void say_part(struct changes *c, const struct change_scope *s,
                     const struct changed_part *old, const struct changed_part *new)
{
    struct json *j = dbg_fields(c->d);
    const char *shown = new->name ? new->path + new->root : new->path;
    char *path = xformat("%s%s", new->name ? new->name : "", shown);
    bool same = strcmp(old->text, new->text) == 0;
    const struct place_change *writer = NULL;
    if (new->in_memory && c->writers_said < c->writers.count)
        writer = (struct place_change *)c->writers.items + c->writers_said++;
    dbg_say(c->d, "%s%s: %s -> %s%s", s->kind == SCOPE_GLOBAL ? "" : "  ", path, old->text,
            new->text, same ? " (in bytes that are not shown)" : "");
    json_open(j, NULL, '{');
    json_string(j, "name", path);
    json_string(j, "old", old->text);
    json_string(j, "new", new->text);
    json_string(j, "function", s->kind == SCOPE_CALL ? s->call.name : NULL);
    if (s->kind == SCOPE_CALL)
        json_unsigned(j, "level", s->call.level);
    if (new->in_memory)
        json_hex(j, "address", new->address);
    json_bool(j, "pointer", s->kind == SCOPE_POINTERS);
    if (writer && writer->found) {
        dbg_say(c->d, "  ");
        dbg_say_by(c->d, writer->at, writer->thread, writer->thread != c->thread);
    }
    dbg_say(c->d, "\n");
    json_close(j, '}');
    free(path);
    c->count++;
}

/* A system library gets a single line. */
static void add_library(struct changes *c, const struct changed_part *part)
{
    struct change_library *all = c->libraries.items;
    size_t n = 0;
    while (n < c->libraries.count && strcmp(all[n].path, part->library) != 0)
        n++;
    if (n == c->libraries.count) {
        all = list_add(&c->libraries);
        *all = (struct change_library){
            .path = part->library, .names = xformat("%s", part->path), .count = 1};
        return;
    }
    if (all[n].count++ < SYMBOLS_SHOWN) {
        char *longer = xformat("%s, %s", all[n].names, part->path);
        free(all[n].names);
        all[n].names = longer;
    }
}

static void say_libraries(struct changes *c)
{
    const struct change_library *all = c->libraries.items;
    struct json *j = dbg_fields(c->d);
    json_open(j, "libraries", '[');
    for (size_t n = 0; n < c->libraries.count; n++) {
        const char *slash = strrchr(all[n].path, '/');
        dbg_say(c->d, "variables of %s: %s", slash ? slash + 1 : all[n].path, all[n].names);
        if (all[n].count > SYMBOLS_SHOWN)
            dbg_say(c->d, " and %zu more", all[n].count - SYMBOLS_SHOWN);
        dbg_say(c->d, "\n");
        json_open(j, NULL, '{');
        json_string(j, "path", all[n].path);
        json_unsigned(j, "variables", all[n].count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void say_scope(struct changes *c, const struct change_scope *s)
{
    const struct changed_part *new = s->new.list.items;
    bool titled = false;
    for (size_t n = 0, next = 0; n < s->new.list.count; n++) {
        const struct changed_part *old = old_part(s, &new[n], &next);
        if (!old)
            continue;
        if (!old->text || !new[n].text) {
            c->unknown += old->text || new[n].text;
            continue;
        }
        if (!part_changed(old, &new[n]))
            continue;
        if (new[n].library) {
            add_library(c, &new[n]);
            continue;
        }
        if (!titled && s->kind == SCOPE_CALL)
            dbg_say(c->d, "in %s (frame %zu):\n", s->call.name, s->call.level);
        if (!titled && s->kind == SCOPE_POINTERS)
            dbg_say(c->d, "through pointers:\n");
        titled = true;
        say_part(c, s, old, &new[n]);
    }
}

static void say_end_words(struct changes *c, const char *before, const struct change_end *e)
{
    dbg_say(c->d, "%s%llu:%#llx", before, (unsigned long long)e->at.tick,
            (unsigned long long)e->at.pc);
    if (e->function)
        dbg_say(c->d, ", %s", e->function);
    if (e->file) {
        char *file = dbg_short_path(c->d, e->file);
        dbg_say(c->d, " at %s:%u", file, e->line);
        free(file);
    }
}

static void json_end(struct json *j, const char *key, const struct change_end *e)
{
    json_open(j, key, '{');
    json_unsigned(j, "tick", e->at.tick);
    json_hex(j, "pc", e->at.pc);
    json_string(j, "function", e->function);
    json_string(j, "file", e->file);
    if (e->file)
        json_unsigned(j, "line", e->line);
    json_close(j, '}');
}

static void say_spans(struct changes *c)
{
    const struct change_span *all = c->spans.items;
    struct json *j = dbg_fields(c->d);
    u64 more = 0;
    if (c->spans.count)
        dbg_say(c->d, "other memory:\n");
    json_open(j, "memory", '[');
    for (size_t n = 0, alike = 0; n < c->spans.count; n++) {
        alike = n && strcmp(all[n].what, all[n - 1].what) == 0 ? alike + 1 : 0;
        more += alike >= SPANS_SHOWN ? all[n].bytes : 0;
        if (alike < SPANS_SHOWN)
            dbg_say(c->d, "  %s: %llu byte%s in 0x%llx-0x%llx\n", all[n].what,
                    (unsigned long long)all[n].bytes, all[n].bytes == 1 ? "" : "s",
                    (unsigned long long)all[n].range.start, (unsigned long long)all[n].range.end);
        json_open(j, NULL, '{');
        json_string(j, "what", all[n].what);
        json_hex(j, "start", all[n].range.start);
        json_hex(j, "end", all[n].range.end);
        json_unsigned(j, "bytes", all[n].bytes);
        json_close(j, '}');
    }
    json_close(j, ']');
    if (more)
        dbg_say(c->d, "  and %llu more bytes in other places\n", (unsigned long long)more);
}

static void say_mapped(struct changes *c, u64 bytes, const char *what)
{
    if (bytes)
        dbg_say(c->d, "%llu bytes of memory are there only at the %s moment.\n",
                (unsigned long long)bytes, what);
}

static void say_summary(struct changes *c)
{
    const char *plural = c->count == 1 ? "" : "s";
    if (!c->count && !c->difference.bytes)
        dbg_say(c->d, "Nothing changed.\n");
    else
        dbg_say(
            c->d,
            "%llu value%s changed; %llu byte%s of memory differ%s, %llu of them without a name.\n",
            (unsigned long long)c->count, plural, (unsigned long long)c->difference.bytes,
            c->difference.bytes == 1 ? "" : "s", c->difference.bytes == 1 ? "s" : "",
            (unsigned long long)c->unnamed);
    if (c->unknown)
        dbg_say(c->d, "%llu more %s not known at one of the moments (optimised out).\n",
                (unsigned long long)c->unknown, c->unknown == 1 ? "is" : "are");
    say_mapped(c, c->difference.gone, "earlier");
    say_mapped(c, c->difference.new, "later");
    if (c->image.left_out)
        dbg_say(c->d, "%llu bytes of large areas were not compared.\n",
                (unsigned long long)c->image.left_out);
    if (c->is_cut)
        dbg_say(c->d, "There are more values than are listed; ask about a shorter stretch.\n");
}

static void say_changes(struct changes *c)
{
    struct json *j = dbg_fields(c->d);
    say_end_words(c, "From ", &c->from);
    say_end_words(c, " to ", &c->to);
    dbg_say(c->d, "\n");
    json_open(j, "covers", '{');
    json_end(j, "from", &c->from);
    json_end(j, "to", &c->to);
    json_close(j, '}');
    json_open(j, "changes", '[');
    for (size_t n = 0; n < c->scopes.count; n++)
        say_scope(c, (struct change_scope *)c->scopes.items + n);
    json_close(j, ']');
    say_libraries(c);
    say_spans(c);
    say_summary(c);
    json_unsigned(j, "bytes", c->difference.bytes);
    json_unsigned(j, "unnamed", c->unnamed);
    json_unsigned(j, "not_known", c->unknown);
    json_unsigned(j, "not_compared", c->image.left_out);
    json_bool(j, "more", c->is_cut);
}

/* --- what is asked ---------------------------------------------------------------------------- */

/* Finds the moment that the words mean, as an existing moment. */
static struct error *exact_moment(struct changes *c, const char *words, struct moment *ret)
{
    struct session_place place;
    struct error *err = debug_find_moment(c->d->debug, words, ret);
    if (!err)
        err = changes_go(c, *ret);
    session_place(c->d->debug->session, &place);
    *ret = place.at;
    return err;
}

/* Reads `from A`, `to B` or both from `text`, which is changed. */
static struct error *read_moments(struct changes *c, char *text, struct moment here)
{
    const char *rest = text;
    char *to = debug_cut_behind(text, "to"), *from = debug_cut_behind(text, "from");
    struct error *err = NULL;
    if (!to && strncmp(text, "to ", 3) == 0) {
        to = text + 3;
        rest = "";
    } else if (!from && strncmp(text, "from ", 5) == 0) {
        from = text + 5;
        rest = "";
    }
    if (*rest || (from && !*from) || (to && !*to))
        return error_coded(
            ERROR_MISUSED,
            "say 'changes', 'changes MOVEMENT [N]' or 'changes from MOMENT to MOMENT'");
    c->from.at = c->to.at = here;
    if (from)
        err = exact_moment(c, from, &c->from.at);
    if (!err && from && to) {
        err = changes_go(c, here); /* moments may be relative to here */
        if (!err)
            err = exact_moment(c, to, &c->to.at);
    } else if (!err && to) {
        err = exact_moment(c, to, &c->to.at);
    }
    return err;
}

static bool is_moments(const char *args)
{
    const char *rest = args;
    return debug_take_word(&rest, "from") || debug_take_word(&rest, "to");
}

/* Finds where a movement would stop. */
static struct error *read_movement(struct changes *c, const char *args, struct moment here)
{
    const struct dbg_command *command;
    struct session_place place;
    const char *word = *args ? args : "next";
    size_t length = strcspn(word, " \t");
    const char *rest = word + length + strspn(word + length, " \t");
    struct error *err = dbg_find_command(word, length, &command);
    if (!err && command->run != dbg_move)
        err = error_coded(ERROR_MISUSED,
                          "'%.*s' is not a movement; 'changes' takes those of 'help moving', and "
                          "'from MOMENT to MOMENT'",
                          (int)length, word);
    if (!err)
        err = dbg_move_unseen(c->d, command, rest);
    if (err)
        return err;
    session_place(c->d->debug->session, &place);
    c->from.at = here;
    c->to.at = place.at;
    return NULL;
}

static struct error *look_at_both(struct changes *c, const char *args, struct moment here)
{
    char *text = xformat("%s", args);
    struct error *err =
        is_moments(args) ? read_moments(c, text, here) : read_movement(c, args, here);
    free(text);
    if (!err && moment_compare(c->to.at, c->from.at) < 0) { /* the old moment is the earlier one */
        struct moment later = c->from.at;
        c->from.at = c->to.at;
        c->to.at = later;
    }
    if (!err)
        err = look_first(c);
    if (!err)
        err = look_later(c);
    if (!err)
        err = look_back(c);
    return err ? err : find_writers(c);
}

struct error *dbg_changes(struct dbg *d, const struct dbg_command *command, const char *args)
{
    struct changes c = {.d = d,
                        .thread = d->debug->thread,
                        .calls = LIST(struct call_mark),
                        .scopes = LIST(struct change_scope),
                        .wanted = LIST(struct memory_range),
                        .spans = LIST(struct change_span),
                        .libraries = LIST(struct change_library),
                        .writers = LIST(struct place_change)};
    struct debug_standing standing;
    (void)command;
    debug_standing_keep(d->debug, &standing);
    struct error *err = look_at_both(&c, args, standing.at);
    struct error *lost = debug_standing_return(d->debug, &standing);
    if (!err && !lost)
        say_changes(&c);
    changes_deinit(&c);
    if (err && lost)
        error_destroy(lost);
    return err ? err : lost;
}
