/* Log points, and breakpoints with hit conditions.
 *
 * The run is recorded, so all hits of a breakpoint can be found at once. A log point prints a line
 * for each of them when it is set. A hit condition refers to the number of the hit in the whole
 * run, so it means the same in both directions.
 */
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"

enum { LOGGED_MOST = 10000 };

/* --- hit conditions --------------------------------------------------------------------------- */

/* N, ==N, >N, >=N, <N, <=N, %N */
static bool read_hit_condition(const char *text, char op[3], u64 *ret)
{
    char *end;
    text += strspn(text, " \t");
    size_t length = strspn(text, "<>=%");
    if (length > 2)
        return false;
    memcpy(op, text, length);
    op[length] = '\0';
    text += length;
    text += strspn(text, " \t");
    if (*text < '0' || *text > '9')
        return false;
    *ret = strtoull(text, &end, 10);
    static const char *const all[] = {"", "=", "==", ">", ">=", "<", "<=", "%"};
    for (size_t i = 0; i < countof(all); i++)
        if (strcmp(all[i], op) == 0)
            return !end[strspn(end, " \t")] && (*ret || *op != '%');
    return false;
}

struct error *dap_check_hit_condition(const char *text)
{
    char op[3];
    u64 number;
    return read_hit_condition(text, op, &number)
               ? NULL
               : error_coded(ERROR_MISUSED,
                             "a hit condition is N, >N, >=N, <N, <=N or %%N, "
                             "about the N-th hit of the run; not '%s'",
                             text);
}

static bool hit_condition_holds(const char *text, u64 hit)
{
    char op[3];
    u64 n;
    if (!text || !read_hit_condition(text, op, &n))
        return true;
    bool equal = strchr(op, '=') || !*op;
    return *op == '%'   ? hit % n == 0
           : *op == '>' ? hit > n || (equal && hit == n)
           : *op == '<' ? hit < n || (equal && hit == n)
                        : hit == n;
}

struct collecting {
    struct dap *s;
    struct list *hits;
};

static bool collect_hit(void *context, u64 number)
{
    struct collecting *c = context;
    struct session_place place;
    (void)number;
    session_place(c->s->debug->session, &place);
    *(struct moment *)list_add(c->hits) = place.at;
    return !dap_wire_wants_end(c->s->wire);
}

struct error *dap_hit_counts(struct dap *s, struct dap_breakpoint *b, bool *ret)
{
    struct debug_breakpoint *p = debug_breakpoints_find(s->debug, b->number);
    struct session_place place;
    struct error *err = NULL;
    *ret = true;
    if (!b->hit_condition || !p)
        return NULL;
    if (!b->hits_known) {
        struct collecting c = {s, &b->hits};
        b->hits.count = 0;
        err = debug_each_hit(s->debug, p, collect_hit, &c);
        b->hits_known = !err && !dap_wire_wants_end(s->wire);
    }
    if (err)
        return err;
    session_place(s->debug->session, &place);
    const struct moment *hits = b->hits.items;
    u64 n = 0;
    while (n < b->hits.count && moment_compare(hits[n], place.at) < 0)
        n++;
    *ret = hit_condition_holds(b->hit_condition, n + 1);
    return NULL;
}

/* --- log points ------------------------------------------------------------------------------- */

struct logging {
    struct dap *s;
    const char *message, *hit_condition;
    u64 printed;
    bool is_cut;
};

/* Evaluates the expressions between braces. */
static char *message_here(struct dap *s, const char *message)
{
    char *text = NULL;
    size_t size;
    struct evaluation *v = NULL;
    FILE *out = open_memstream(&text, &size);
    error_destroy(debug_evaluation(s->debug, &v));
    while (*message) {
        const char *close = *message == '{' ? strchr(message, '}') : NULL;
        if (!close) {
            fputc(*message++, out);
            continue;
        }
        char *expression = xformat("%.*s", (int)(close - message - 1), message + 1);
        struct value *value;
        struct error *err =
            v ? values_evaluate(v, expression, &value) : error_coded(ERROR_NOT_FOUND, "no frame");
        char *shown = err ? xformat("<%s>", error_text(err)) : value_show_variable(value);
        fputs(shown, out);
        free(shown);
        free(expression);
        error_destroy(err);
        message = close + 1;
    }
    fclose(out);
    values_close(v);
    return text;
}

static bool log_hit(void *context, u64 number)
{
    struct logging *l = context;
    struct dap *s = l->s;
    struct session_place place;
    if (dap_wire_wants_end(s->wire))
        return false;
    if (!hit_condition_holds(l->hit_condition, number))
        return true;
    if (l->printed == LOGGED_MOST) {
        l->is_cut = true;
        return false;
    }
    const struct frame *f = debug_frame(s->debug);
    char *text = message_here(s, l->message), *line = xformat("%s\n", text);
    session_place(s->debug->session, &place);
    struct json *j = dap_event(s, "output");
    json_string(j, "category", "console");
    json_string(j, "output", line);
    if (f && f->place.file) {
        dap_source_json(s, "source", j, f->place.file);
        json_signed(j, "line", (i64)f->place.line - 1 + s->first_line);
    }
    dap_moment(j, "moment", place.at);
    dap_event_end(s);
    free(text);
    free(line);
    l->printed++;
    return true;
}

struct error *dap_log_hits(struct dap *s, struct debug_breakpoint *p, const char *message,
                           const char *hit_condition)
{
    struct logging l = {.s = s, .message = message, .hit_condition = hit_condition};
    dap_forget_views(s);
    struct error *err = debug_each_hit(s->debug, p, log_hit, &l);
    if (!err && l.is_cut)
        dap_output(s, "console", "(the first %u hits of this log point; there are more)\n",
                   LOGGED_MOST);
    return err;
}
