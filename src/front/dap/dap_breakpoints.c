/* Breakpoints of all kinds.
 *
 * A request lists all wanted breakpoints of a kind (or of a file). A breakpoint that was requested
 * before is kept, with its number; one that is no longer requested is removed.
 */
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"

/* --- the client's list ------------------------------------------------------------------------ */

static void breakpoint_destroy(struct dap *s, struct dap_breakpoint *b)
{
    struct debug_breakpoint *p = b->number ? debug_breakpoints_find(s->debug, b->number) : NULL;
    if (p)
        debug_breakpoints_remove(s->debug, p);
    list_deinit(&b->hits);
    free(b->group);
    free(b->key);
    free(b->hit_condition);
    free(b->trouble);
    free(b);
}

void dap_breakpoints_deinit(struct dap *s)
{
    struct dap_breakpoint **all = s->breakpoints.items;
    for (size_t i = 0; i < s->breakpoints.count; i++) {
        all[i]->number = s->debug ? all[i]->number : 0;
        breakpoint_destroy(s, all[i]);
    }
    list_deinit(&s->breakpoints);
    s->breakpoints = LIST(struct dap_breakpoint *);
}

struct dap_breakpoint *dap_breakpoint_of(struct dap *s, u32 number)
{
    struct dap_breakpoint **all = s->breakpoints.items;
    for (size_t i = 0; i < s->breakpoints.count; i++)
        if (number && all[i]->number == number)
            return all[i];
    return NULL;
}

static void keep_none(struct dap *s, enum dap_breakpoint_kind kind, const char *group)
{
    struct dap_breakpoint **all = s->breakpoints.items;
    for (size_t i = 0; i < s->breakpoints.count; i++)
        if (all[i]->kind == kind && strcmp(all[i]->group, group) == 0)
            all[i]->is_kept = false;
}

static void drop_unkept(struct dap *s)
{
    struct dap_breakpoint **all = s->breakpoints.items;
    size_t kept = 0;
    for (size_t i = 0; i < s->breakpoints.count; i++) {
        if (all[i]->is_kept)
            all[kept++] = all[i];
        else
            breakpoint_destroy(s, all[i]);
    }
    s->breakpoints.count = kept;
}

/* Returns the breakpoint that was requested before, or a new one. Takes ownership of the key. */
static struct dap_breakpoint *breakpoint_claim(struct dap *s, enum dap_breakpoint_kind kind,
                                               const char *group, char *key, bool *ret_new)
{
    struct dap_breakpoint **all = s->breakpoints.items;
    *ret_new = false;
    for (size_t i = 0; i < s->breakpoints.count; i++)
        if (!all[i]->is_kept && all[i]->kind == kind && strcmp(all[i]->group, group) == 0 &&
            strcmp(all[i]->key, key) == 0) {
            all[i]->is_kept = true;
            free(key);
            return all[i];
        }
    struct dap_breakpoint *b = xalloc(sizeof *b);
    *b = (struct dap_breakpoint){.id = ++s->last_breakpoint,
                                 .kind = kind,
                                 .key = key,
                                 .is_kept = true,
                                 .hits = LIST(struct moment)};
    b->group = xformat("%s", group);
    *(struct dap_breakpoint **)list_add(&s->breakpoints) = b;
    *ret_new = true;
    return b;
}

/* --- making one ------------------------------------------------------------------------------- */

static const char *text_or_null(const struct json_value *v, const char *key)
{
    const char *text = json_member_text(v, key, NULL);
    return text && text[strspn(text, " \t")] ? text : NULL;
}

/* Takes ownership of the error. */
static void set_trouble(struct dap_breakpoint *b, struct error *err)
{
    free(b->trouble);
    b->trouble = xformat("%s", error_text(err));
    error_destroy(err);
}

static void set_hit_condition(struct dap_breakpoint *b, const struct json_value *item)
{
    const char *text = text_or_null(item, "hitCondition");
    struct error *err = text ? dap_check_hit_condition(text) : NULL;
    if (err)
        set_trouble(b, err);
    else if (text)
        b->hit_condition = xformat("%s", text);
}

/* Makes a breakpoint on code; `location` is in the form that debug_break_add() takes. */
static void make_on_code(struct dap *s, struct dap_breakpoint *b, const struct json_value *item,
                         const char *location)
{
    struct debug_breakpoint *p;
    struct error *pending;
    const char *message = text_or_null(item, "logMessage");
    struct debug_break_order order = {.location = location,
                                      .thread = CONTROL_THREAD_ANY,
                                      .condition = text_or_null(item, "condition")};
    set_hit_condition(b, item);
    struct error *err = b->trouble ? NULL : debug_break_add(s->debug, &order, &p, &pending);
    if (b->trouble || err) {
        if (err)
            set_trouble(b, err);
        return;
    }
    b->number = p->number;
    if (pending)
        set_trouble(b, pending);
    if (!message)
        return;
    b->is_logger = true;
    err = dap_log_hits(s, p, message, b->hit_condition);
    debug_breakpoint_enable(s->debug, p, false);
    if (err)
        set_trouble(b, err);
}

static void write_place(struct dap *s, struct json *j, const struct debug_breakpoint *p)
{
    struct symbols *symbols;
    struct line_place line;
    const struct debug_location *locations = p->locations.items;
    if (p->type != BREAK_CODE || !p->locations.count)
        return;
    struct code_place place = debug_location_place(&locations[0]);
    struct error *err = debug_symbols(s->debug, &symbols);
    if (!err && symbols_place_line(symbols, &place, &line) && line.file) {
        dap_source_json(s, "source", j, line.file);
        json_signed(j, "line", (i64)line.line - 1 + s->first_line);
    }
    error_destroy(err);
    json_hex(j, "instructionReference", locations[0].address);
}

static void write_breakpoint(struct dap *s, struct json *j, const struct dap_breakpoint *b)
{
    const struct debug_breakpoint *p =
        b->number ? debug_breakpoints_find(s->debug, b->number) : NULL;
    bool verified = p && !(p->type == BREAK_CODE && !p->locations.count);
    json_open(j, NULL, '{');
    json_unsigned(j, "id", b->id);
    json_bool(j, "verified", verified || (b->kind == DAP_EXCEPTION && !b->trouble));
    if (b->trouble)
        json_string(j, "message", b->trouble);
    if (p)
        write_place(s, j, p);
    json_close(j, '}');
}

/* Returns a key made of the place and of all other attributes. */
static char *breakpoint_key(const char *place, const struct json_value *item)
{
    return xformat("%s\n%s\n%s\n%s\n%s", place, json_member_text(item, "condition", ""),
                   json_member_text(item, "hitCondition", ""),
                   json_member_text(item, "logMessage", ""),
                   json_member_text(item, "accessType", ""));
}

static struct error *list_of(const struct json_value *args, const char *key,
                             const struct json_value **ret)
{
    const struct json_value *v = json_member(args, key);
    *ret = NULL;
    if (!v || v->kind == JSON_NULL)
        return NULL;
    if (v->kind != JSON_ARRAY)
        return error_coded(ERROR_MISUSED, "'%s' is not a list", key);
    for (const struct json_value *item = v->first; item; item = item->next)
        if (item->kind != JSON_OBJECT)
            return error_coded(ERROR_MISUSED, "'%s' is not a list of objects", key);
    *ret = v->first;
    return NULL;
}

/* --- lines, functions, instructions ----------------------------------------------------------- */

struct error *dap_set_breakpoints(struct dap *s, const struct json_value *args)
{
    const struct json_value *item;
    const char *path = dap_source_path(s, json_member(args, "source"));
    struct error *err = path ? list_of(args, "breakpoints", &item)
                             : error_coded(ERROR_MISUSED, "'source' has no path");
    for (const struct json_value *b = err ? NULL : item; b && !err; b = b->next) {
        i64 unused;
        err = dap_integer(b, "line", &unused);
    }
    if (err)
        return err;
    keep_none(s, DAP_LINE, path);
    struct json *j = dap_body(s);
    struct list made = LIST(struct dap_breakpoint *);
    for (; item; item = item->next) {
        bool is_new;
        i64 line = json_member_integer(item, "line", 1) + 1 - s->first_line;
        char *number = xformat("%lld", (long long)line);
        struct dap_breakpoint *b =
            breakpoint_claim(s, DAP_LINE, path, breakpoint_key(number, item), &is_new);
        free(number);
        if (is_new) {
            char *location = dap_line_location(s, path, line);
            make_on_code(s, b, item, location);
            free(location);
        }
        *(struct dap_breakpoint **)list_add(&made) = b;
    }
    json_open(j, "breakpoints", '[');
    for (size_t i = 0; i < made.count; i++)
        write_breakpoint(s, j, ((struct dap_breakpoint **)made.items)[i]);
    json_close(j, ']');
    list_deinit(&made);
    drop_unkept(s);
    return NULL;
}

/* Sets breakpoints that are named by a text; `place` converts it to a location, which is freed. */
static struct error *set_named(struct dap *s, const struct json_value *args,
                               enum dap_breakpoint_kind kind, const char *key,
                               char *(*place)(struct dap *s, const struct json_value *item))
{
    const struct json_value *item;
    struct error *err = list_of(args, "breakpoints", &item);
    for (const struct json_value *b = err ? NULL : item; b && !err; b = b->next) {
        const char *unused;
        err = dap_text(b, key, &unused);
    }
    if (err)
        return err;
    keep_none(s, kind, "");
    struct json *j = dap_body(s);
    json_open(j, "breakpoints", '[');
    for (; item; item = item->next) {
        bool is_new;
        char *location = place(s, item);
        struct dap_breakpoint *b =
            breakpoint_claim(s, kind, "", breakpoint_key(location, item), &is_new);
        if (is_new)
            make_on_code(s, b, item, location);
        free(location);
        write_breakpoint(s, j, b);
    }
    json_close(j, ']');
    drop_unkept(s);
    return NULL;
}

static char *function_place(struct dap *s, const struct json_value *item)
{
    (void)s;
    return xformat("%s", json_member_text(item, "name", ""));
}

static char *instruction_place(struct dap *s, const struct json_value *item)
{
    const char *reference = json_member_text(item, "instructionReference", "");
    u64 address;
    struct error *err = dap_address(s, reference, &address);
    if (err) {
        error_destroy(err);
        return xformat("*%s", reference);
    }
    return xformat("*0x%llx",
                   (unsigned long long)(address + (u64)json_member_integer(item, "offset", 0)));
}

struct error *dap_set_function_breakpoints(struct dap *s, const struct json_value *args)
{
    return set_named(s, args, DAP_FUNCTION, "name", function_place);
}

struct error *dap_set_instruction_breakpoints(struct dap *s, const struct json_value *args)
{
    return set_named(s, args, DAP_INSTRUCTION, "instructionReference", instruction_place);
}

/* --- data ------------------------------------------------------------------------------------- */

/* The client's id for data: "x:EXPRESSION" if it has one meaning everywhere,
 * "f:THREAD:CFA:EXPRESSION" if it belongs to a frame, "a:ADDRESS:SIZE" for memory. */
static char *data_id(struct dap *s, const char *expression, bool *ret_persists)
{
    struct subject *subject;
    *ret_persists = false;
    struct error *err = debug_subject(s->debug, expression, &subject);
    if (err) {
        error_destroy(err);
        return NULL;
    }
    bool is_local = subject_is_local(subject);
    char *id = is_local ? xformat("f:%u:%llx:%s", s->debug->thread,
                                  (unsigned long long)subject->cfa, expression)
                        : xformat("x:%s", expression);
    *ret_persists = !is_local;
    subject_destroy(subject);
    return id;
}

static void write_data_info(struct json *j, const char *id, const char *description, bool persists)
{
    if (id)
        json_string(j, "dataId", id);
    else
        json_string(j, "dataId", NULL);
    json_string(j, "description", description);
    if (!id)
        return;
    json_open(j, "accessTypes", '[');
    json_string(j, NULL, "write");
    json_string(j, NULL, "read");
    json_string(j, NULL, "readWrite");
    json_close(j, ']');
    json_bool(j, "canPersist", persists);
}

static struct error *memory_info(struct dap *s, const struct json_value *args, const char *name)
{
    u64 address;
    i64 bytes = json_member_integer(args, "bytes", 8);
    struct error *err = dap_address(s, name, &address);
    if (!err && bytes < 1)
        err = error_coded(ERROR_MISUSED, "'bytes' is at least 1");
    if (err)
        return err;
    char *id = xformat("a:0x%llx:%lld", (unsigned long long)address, (long long)bytes);
    char *text = xformat("%lld bytes at 0x%llx", (long long)bytes, (unsigned long long)address);
    write_data_info(dap_body(s), id, text, true);
    free(id);
    free(text);
    return NULL;
}

struct error *dap_data_breakpoint_info(struct dap *s, const struct json_value *args)
{
    const char *name;
    struct value *value;
    char *expression = NULL;
    i64 reference = json_member_integer(args, "variablesReference", 0);
    struct error *err = dap_text(args, "name", &name);
    if (err)
        return err;
    if (json_member_truth(args, "asAddress", false))
        return memory_info(s, args, name);
    const struct dap_reference *r = reference ? dap_reference_find(s, reference) : NULL;
    if (reference && !r)
        return error_coded(ERROR_NOT_FOUND, "there is nothing to unfold by the number %lld here",
                           (long long)reference);
    if (r) {
        u64 address, size;
        err = dap_find_child(s, r, name, &value, &expression);
        if (!err && !expression && value_memory(value, &address, &size)) {
            char *id =
                xformat("a:0x%llx:%llu", (unsigned long long)address, (unsigned long long)size);
            write_data_info(dap_body(s), id, name, false);
            free(id);
            return NULL;
        }
    } else {
        i64 frame = json_member_integer(args, "frameId", 0);
        err = frame ? dap_choose_frame(s, frame) : debug_frames(s->debug);
        expression = xformat("%s", name);
    }
    if (!err) {
        bool persists = false;
        char *id = expression ? data_id(s, expression, &persists) : NULL;
        char *text = id ? xformat("%s", expression)
                        : xformat("%s cannot be watched here", expression ? expression : name);
        write_data_info(dap_body(s), id, text, persists);
        free(text);
        free(id);
    }
    free(expression);
    return err;
}

/* Selects the frame in which a local was named, if it still exists. */
static struct error *choose_frame_of(struct dap *s, const char *id, const char **ret_expression)
{
    char *end;
    u32 thread = (u32)strtoul(id, &end, 10);
    u64 cfa = *end == ':' ? strtoull(end + 1, &end, 16) : 0;
    bool all = false;
    if (*end != ':')
        return error_coded(ERROR_MISUSED, "'%s' names no data", id);
    *ret_expression = end + 1;
    debug_choose_thread(s->debug, thread);
    struct error *err = debug_frames(s->debug);
    for (size_t i = 0; !err && !all; i++) {
        size_t count = debug_shown_frames(s->debug, i + 1, &all);
        for (; i < count; i++)
            if (s->debug->frames[i].cfa == cfa) {
                debug_choose_frame(s->debug, i);
                return NULL;
            }
    }
    return err ? err
               : error_coded(ERROR_NOT_FOUND, "the frame of %s does not exist now",
                             *ret_expression);
}

static struct error *make_watch(struct dap *s, const char *id, const char *access,
                                const char *condition, struct debug_breakpoint **ret)
{
    struct debug_watch_order order = {
        .type = strcmp(access, "read") == 0        ? BREAK_LOAD
                : strcmp(access, "readWrite") == 0 ? BREAK_ACCESS
                                                   : BREAK_STORE,
        .condition = condition,
        .thread = CONTROL_THREAD_ANY,
    };
    struct error *err = NULL;
    char *memory = NULL;
    if (strncmp(id, "a:", 2) == 0) {
        const char *colon = strchr(id + 2, ':');
        if (!colon)
            return error_coded(ERROR_MISUSED, "'%s' names no data", id);
        memory = xformat("%.*s %s", (int)(colon - id - 2), id + 2, colon + 1);
        order.expression = memory;
        order.is_location = true;
    } else if (strncmp(id, "f:", 2) == 0) {
        err = choose_frame_of(s, id + 2, &order.expression);
    } else if (strncmp(id, "x:", 2) == 0) {
        order.expression = id + 2;
    } else {
        err = error_coded(ERROR_MISUSED, "'%s' names no data", id);
    }
    if (!err)
        err = debug_watch_add(s->debug, &order, ret);
    free(memory);
    return err;
}

struct error *dap_set_data_breakpoints(struct dap *s, const struct json_value *args)
{
    const struct json_value *item;
    struct error *err = list_of(args, "breakpoints", &item);
    for (const struct json_value *b = err ? NULL : item; b && !err; b = b->next) {
        const char *unused;
        err = dap_text(b, "dataId", &unused);
    }
    if (err)
        return err;
    keep_none(s, DAP_DATA, "");
    struct json *j = dap_body(s);
    json_open(j, "breakpoints", '[');
    for (; item; item = item->next) {
        bool is_new;
        struct debug_breakpoint *p;
        const char *id = json_member_text(item, "dataId", "");
        struct dap_breakpoint *b =
            breakpoint_claim(s, DAP_DATA, "", breakpoint_key(id, item), &is_new);
        if (is_new) {
            set_hit_condition(b, item);
            err = b->trouble ? NULL
                             : make_watch(s, id, json_member_text(item, "accessType", "write"),
                                          text_or_null(item, "condition"), &p);
            if (err)
                set_trouble(b, err);
            else if (!b->trouble)
                b->number = p->number;
        }
        write_breakpoint(s, j, b);
    }
    json_close(j, ']');
    drop_unkept(s);
    return NULL;
}

/* --- exceptions ------------------------------------------------------------------------------- */

static const struct dap_filter {
    const char *id, *label, *description;
    bool is_default;
    const char *function; /* NULL: */
    const char *kind;     /* for debug_catch_function(); NULL: made in another way */
} filters[] = {
    {"signals", "Signals", "Faults and other signals that are not part of normal operation", true,
     NULL, NULL},
    {"throw", "C++ throw", "Where an exception of C++ is thrown", false, NULL, "throw"},
    {"catch", "C++ catch", "Where an exception of C++ is caught", false, NULL, "catch"},
    {"rust-panic", "Rust panic", "Where a program of Rust panics", false, NULL, NULL},
    {"go-panic", "Go panic", "Where a program of Go panics", false, "runtime.gopanic", NULL},
    {"abort", "abort()", "Where the program calls abort()", false, "abort", NULL},
};

void dap_exception_filters(struct json *j)
{
    json_open(j, "exceptionBreakpointFilters", '[');
    for (size_t i = 0; i < countof(filters); i++) {
        json_open(j, NULL, '{');
        json_string(j, "filter", filters[i].id);
        json_string(j, "label", filters[i].label);
        json_string(j, "description", filters[i].description);
        json_bool(j, "default", filters[i].is_default);
        json_bool(j, "supportsCondition", true);
        json_string(j, "conditionDescription",
                    i == 0 ? "names of signals, SIGSEGV SIGCHLD for example"
                           : "an expression of the program");
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* `names` are signals separated by blanks; NULL: those that stop by default; "": none. */
static struct error *choose_signals(struct dap *s, const char *names)
{
    bool stops[DEBUG_SIGNALS] = {false};
    struct error *err = NULL;
    char *word;
    const char *rest = names ? names : "";
    if (!names)
        memcpy(stops, s->signal_stops, sizeof stops);
    while (!err && (word = debug_next_word(&rest))) {
        u64 number;
        err = debug_signal_number(word, &number);
        if (!err && number < DEBUG_SIGNALS)
            stops[number] = true;
        free(word);
    }
    for (u32 i = 1; i < DEBUG_SIGNALS && !err; i++)
        if (s->debug->signal_stops[i] != stops[i])
            debug_handle(s->debug, i, stops[i]);
    return err;
}

static struct error *catch_filter(struct dap *s, const struct dap_filter *f, const char *condition,
                                  struct dap_breakpoint *b)
{
    struct debug_breakpoint *p;
    struct error *pending = NULL, *err;
    if (!f->function && !f->kind) {
        err = debug_catch_panic(s->debug, false, &p);
        if (!err && condition)
            err = debug_breakpoint_condition(s->debug, p, condition);
    } else {
        struct debug_break_order order = {.location = f->function ? f->function
                                                                  : debug_catch_function(f->kind),
                                          .condition = condition,
                                          .thread = CONTROL_THREAD_ANY};
        err = debug_break_add(s->debug, &order, &p, &pending);
    }
    if (err)
        return err;
    b->number = p->number;
    return pending;
}

struct wish {
    const struct dap_filter *filter;
    const char *condition; /* NULL: none */
};

static struct error *find_wish(const char *id, const char *condition, struct list *wishes)
{
    for (size_t i = 0; i < countof(filters); i++)
        if (strcmp(filters[i].id, id) == 0) {
            *(struct wish *)list_add(wishes) = (struct wish){&filters[i], condition};
            return NULL;
        }
    return error_coded(ERROR_NOT_FOUND, "there is no filter '%s'", id);
}

static struct error *read_wishes(const struct json_value *args, struct list *wishes)
{
    const struct json_value *plain = json_member(args, "filters"), *options;
    struct error *err = plain && plain->kind == JSON_ARRAY
                            ? NULL
                            : error_coded(ERROR_MISUSED, "'filters' is not a list");
    for (const struct json_value *f = err ? NULL : plain->first; f && !err; f = f->next)
        err = f->kind == JSON_STRING ? find_wish(f->text, NULL, wishes)
                                     : error_coded(ERROR_MISUSED, "a filter is not a string");
    if (!err)
        err = list_of(args, "filterOptions", &options);
    for (; !err && options; options = options->next) {
        const char *id;
        err = dap_text(options, "filterId", &id);
        if (!err)
            err = find_wish(id, text_or_null(options, "condition"), wishes);
    }
    return err;
}

static void set_wish(struct dap *s, const struct wish *w, struct json *j, bool *has_signals)
{
    bool is_new;
    struct error *err = NULL;
    char *key = xformat("%s\n%s", w->filter->id, w->condition ? w->condition : "");
    struct dap_breakpoint *b = breakpoint_claim(s, DAP_EXCEPTION, "", key, &is_new);
    if (w->filter == &filters[0]) {
        *has_signals = true;
        err = choose_signals(s, w->condition);
    } else if (is_new) {
        err = catch_filter(s, w->filter, w->condition, b);
    }
    if (err)
        set_trouble(b, err);
    write_breakpoint(s, j, b);
}

struct error *dap_set_exception_breakpoints(struct dap *s, const struct json_value *args)
{
    struct list wishes = LIST(struct wish);
    bool has_signals = false;
    struct error *err = read_wishes(args, &wishes);
    if (!err) {
        struct json *j = dap_body(s);
        keep_none(s, DAP_EXCEPTION, "");
        json_open(j, "breakpoints", '[');
        for (size_t i = 0; i < wishes.count; i++)
            set_wish(s, (struct wish *)wishes.items + i, j, &has_signals);
        json_close(j, ']');
        if (!has_signals)
            err = choose_signals(s, "");
        drop_unkept(s);
    }
    list_deinit(&wishes);
    return err;
}
