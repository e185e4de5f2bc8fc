/* Subjects: see the header. */
#include "query/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "session/trace.h"

enum {
    IN_MEMORY_MOST = SUBJECT_SHOWN_MOST, /* larger values are compared as text, which has an end */
    FRAMES_KEPT = 64,      /* behind the one that is meant: entry values are known to callers */
    FRAMES_MOST = 10000,
};

/* --- making ------------------------------------------------------------------------------------- */

static void take_bits(struct subject *s, u32 offset, u32 size)
{
    u32 end = (offset + size + 7) / 8;
    s->address += offset / 8;
    s->size = end - offset / 8;
    s->not_first = (u8)((1u << offset % 8) - 1);
    s->not_last = (offset + size) % 8 ? (u8)~((1u << (offset + size) % 8) - 1) : 0;
    if (s->size == 1)
        s->not_first = s->not_last |= s->not_first;
}

static void take_place(struct subject *s, struct value *value)
{
    struct value_source *sources;
    size_t count;
    u32 offset, size;
    value_sources(value, &sources, &count);
    s->is_constant = !count && !(s->uses & VALUES_REGISTERS);
    s->in_memory = value_memory(value, &s->address, &s->size) && s->size;
    s->is_fixed = s->in_memory && count == 1 && !(s->uses & VALUES_REGISTERS);
    if (s->in_memory && value_bits(value, &offset, &size))
        take_bits(s, offset, size);
    free(sources);
}

static void take_frame(struct subject *s)
{
    const struct values_request *q = &s->request;
    struct function_info function;
    size_t at = q->selected;
    while (at < q->frame_count && q->frames[at].inlined)
        at++;
    if (at >= q->frame_count)
        return;
    const struct frame *f = &q->frames[at];
    s->cfa = f->cfa;
    if (at + 1 < q->frame_count)
        s->return_pc = q->frames[at + 1].pc;
    if (symbols_function(s->symbols, f->pc - f->called, &function))
        s->function = function.entry;
}

/* The step points of the frame's function. */
static void subject_take_points(struct subject *s)
{
    size_t count;
    const struct step_point *all = symbols_step_points(s->symbols, &count);
    s->points = xalloc((count + 1) * sizeof *s->points);
    for (size_t n = 0; n < count; n++)
        if (all[n].function == s->function)
            s->points[s->point_count++] = all[n].pc;
}

static struct error *evaluate_first(struct subject *s)
{
    struct evaluation *evaluation;
    struct value *value;
    struct error *err = values_open(s->symbols, &s->request, &evaluation);
    if (err)
        return err;
    err = values_is_condition(evaluation, s->expression, &s->is_condition);
    if (!err) {
        err = values_evaluate(evaluation, s->expression, &value);
        s->uses = values_uses(evaluation);
        if (err && s->uses & VALUES_NO_MEMORY) {
            s->missing = xformat("%s", error_text(err));
            error_destroy(err);
            err = NULL;
        } else if (!err) {
            s->type = value_type(value);
            s->is_gone = value_is_gone(value);
            take_place(s, value);
        }
    }
    values_close(evaluation);
    return err;
}

struct error *subject_create(struct session *session, struct source *source, u32 thread,
                             const struct values_request *request, const char *expression,
                             struct subject **ret)
{
    struct symbols *symbols;
    struct error *err = source_symbols(source, &symbols);
    if (err)
        return err;
    struct subject *s = xalloc(sizeof *s);
    *s = (struct subject){.session = session, .source = source, .symbols = symbols, .thread = thread,
                          .expression = xformat("%s", expression), .request = *request};
    size_t most = request->selected + FRAMES_KEPT;
    size_t kept = request->frame_count < most ? request->frame_count : most;
    struct frame *frames = xalloc((kept + 1) * sizeof *frames);
    if (kept)
        memcpy(frames, request->frames, kept * sizeof *frames);
    s->request.frames = frames;
    s->request.frame_count = kept;
    err = evaluate_first(s);
    if (err) {
        subject_destroy(s);
        return err;
    }
    take_frame(s);
    if (s->uses & VALUES_REGISTERS)
        subject_take_points(s);
    *ret = s;
    return NULL;
}

struct subject *subject_of_range(struct session *session, struct source *source, const char *expression,
                                 u64 address, u64 size)
{
    struct subject *s = xalloc(sizeof *s);
    *s = (struct subject){.session = session, .source = source, .expression = xformat("%s", expression),
                          .is_fixed = true, .address = address, .size = size};
    return s;
}

bool subject_memory(const struct subject *s, u64 *ret_address, u64 *ret_size)
{
    *ret_address = s->address;
    *ret_size = s->size;
    return s->in_memory;
}

struct error *subject_rebind(struct subject *s, struct session *session, struct source *source)
{
    s->session = session;
    s->source = source;
    return source_symbols(source, &s->symbols);
}

void subject_destroy(struct subject *s)
{
    if (!s)
        return;
    free((void *)s->request.frames);
    free(s->expression);
    free(s->type);
    free(s->missing);
    free(s->points);
    free(s);
}

/* --- the frame ---------------------------------------------------------------------------------- */

bool subject_is_local(const struct subject *s)
{
    return s->uses & VALUES_FRAME && s->cfa && s->return_pc;
}

/* It ends where its return address is executed with its frame gone, or another return address is written in the place
 * of its own: after a longjmp, say. */
bool subject_bound(const struct subject *s, int which, struct breakpoint *ret)
{
    if (!subject_is_local(s))
        return false;
    *ret = (struct breakpoint){.kind = SITE_CODE, .address = s->return_pc, .thread = s->thread,
                               .stack_least = s->cfa};
    if (which == SUBJECT_BEGINS)
        *ret = (struct breakpoint){.kind = SITE_STORE, .flags = PLAN_ANY_STORE, .address = s->cfa - 8,
                                   .size = 8, .thread = s->thread};
    return true;
}

struct bound_search {
    struct plan_site sites[SUBJECT_BOUNDS];
    size_t count;
    bool backward, found;
    struct moment at;
};

static void add_bound(struct bound_search *b, const struct subject *s, int which)
{
    struct breakpoint p;
    if (subject_bound(s, which, &p))
        b->sites[b->count++] = (struct plan_site){
            .kind = p.kind, .flags = p.flags | (b->backward ? 0 : PLAN_ENDS), .address = p.address,
            .size = p.size, .thread = p.thread, .stack_least = p.stack_least};
}

static struct error *lay_bounds(void *context, struct moment at, struct session_sites *ret)
{
    struct bound_search *b = context;
    (void)at;
    *ret = (struct session_sites){.sites = b->sites, .count = b->count,
                                  .enough = !b->backward && b->found};
    return NULL;
}

static bool take_bounds(void *context, const struct plan_hit *hits, size_t count)
{
    struct bound_search *b = context;
    const struct plan_hit *hit = &hits[b->backward ? count - 1 : 0];
    b->found = true;
    b->at = hit->after_tick ? (struct moment){hit->after_tick, hit->after_pc}
                            : (struct moment){hit->tick, hit->pc};
    return b->backward;
}

static bool subject_end_part(void *context, struct moment from, struct moment to)
{
    const struct bound_search *b = context;
    (void)from;
    (void)to;
    return !b->found;
}

static struct error *subject_search(const struct subject *s, struct bound_search *b,
                                    struct moment from, struct moment to, bool *ret_interrupted)
{
    struct session_trace t = {.from = from, .to = to, .direction = b->backward ? BACKWARD : FORWARD,
                              .lay = lay_bounds, .take = take_bounds, .part = subject_end_part,
                              .context = b};
    *ret_interrupted = false;
    return b->count ? session_trace(s->session, &t, ret_interrupted) : NULL;
}

struct error *subject_frame_begin(const struct subject *s, struct moment alive, struct moment least,
                                  bool *ret_found, struct moment *ret, bool *ret_interrupted)
{
    struct bound_search b = {.backward = true};
    add_bound(&b, s, SUBJECT_BEGINS);
    struct error *err = subject_search(s, &b, least, alive, ret_interrupted);
    *ret_found = !err && b.found;
    if (*ret_found)
        *ret = b.at;
    return err;
}

struct error *subject_frame_end(const struct subject *s, struct moment alive, struct moment most,
                                bool *ret_found, struct moment *ret, bool *ret_interrupted)
{
    struct bound_search b = {0};
    add_bound(&b, s, SUBJECT_ENDS);
    add_bound(&b, s, SUBJECT_BEGINS);
    struct error *err = subject_search(s, &b, alive, most, ret_interrupted);
    *ret_found = !err && b.found;
    if (*ret_found)
        *ret = b.at;
    return err;
}

/* --- looking ------------------------------------------------------------------------------------ */

static char *text_of_error(struct error *err)
{
    char *text = xformat("<%s>", error_text(err));
    error_destroy(err);
    return text;
}

/* The frames of its thread as they are now; `selected` becomes its own.  An error if that is not among them. */
static struct error *find_frame(const struct subject *s, struct values_request *q, struct frame **ret)
{
    session_note_resume(s->session, false); /* what frames are found by is no part of the value */
    struct error *err = source_frames(s->source, s->thread, FRAMES_MOST, ret, &q->frame_count, NULL);
    session_note_resume(s->session, true);
    if (err)
        return err;
    q->frames = *ret;
    for (q->selected = 0; q->selected < q->frame_count; q->selected++)
        if ((*ret)[q->selected].cfa == s->cfa && !(*ret)[q->selected].inlined)
            return NULL;
    free(*ret);
    return error_new("its frame is not there");
}

/* An evaluation for one look; *ret_frames to be freed when it is closed. */
static struct error *open_scope(const struct subject *s, struct evaluation **ret,
                                struct frame **ret_frames)
{
    struct values_request q = s->request;
    *ret_frames = NULL;
    struct error *err = s->uses & VALUES_REGISTERS ? find_frame(s, &q, ret_frames) : NULL;
    return err ? err : values_open(s->symbols, &q, ret);
}

static struct error *subject_look_in(struct subject *s, struct evaluation *evaluation,
                                     struct history_value *ret)
{
    struct value *value;
    u32 offset, size;
    struct error *err = values_evaluate(evaluation, s->expression, &value);
    if (err)
        return err;
    if (!s->type)
        s->type = value_type(value);
    bool in_memory = value_memory(value, &ret->address, &ret->size) && ret->size <= IN_MEMORY_MOST;
    if (in_memory && value_bits(value, &offset, &size)) {
        struct subject bits = {.address = ret->address};
        take_bits(&bits, offset, size);
        *ret = (struct history_value){.address = bits.address, .size = bits.size,
                                      .not_first = bits.not_first, .not_last = bits.not_last};
    }
    if (!in_memory)
        *ret = (struct history_value){.text = value_show(value, 0)};
    return NULL;
}

struct error *subject_look(void *context, struct history_value *ret)
{
    struct subject *s = context;
    struct evaluation *evaluation;
    struct frame *frames;
    *ret = (struct history_value){0};
    struct error *err = open_scope(s, &evaluation, &frames);
    if (!err) {
        err = subject_look_in(s, evaluation, ret);
        values_close(evaluation);
        free(frames);
    }
    if (err)
        *ret = (struct history_value){.text = text_of_error(err), .missing = true};
    return NULL;
}

struct error *subject_holds(void *context, bool *ret)
{
    struct subject *s = context;
    struct evaluation *evaluation;
    struct value *value;
    struct frame *frames;
    *ret = false;
    struct error *err = open_scope(s, &evaluation, &frames);
    if (!err) {
        err = values_evaluate(evaluation, s->expression, &value);
        if (!err)
            err = value_truth(value, ret);
        values_close(evaluation);
        free(frames);
    }
    error_destroy(err); /* as good as false */
    return NULL;
}

struct look_points subject_points(const struct subject *s)
{
    return (struct look_points){s->points, s->point_count, s->thread};
}

char *subject_key(const struct subject *s)
{
    return subject_is_local(s) ? xformat("%s in %u:%llx", s->expression, s->thread,
                                         (unsigned long long)s->cfa)
                               : xformat("%s", s->expression);
}

/* --- values as they were ---------------------------------------------------------------------------- */

/* Does the expression mean the same place now?  Of a bit-field, its bytes. */
static bool is_there(struct value *value, const struct history_state *state)
{
    u64 address, size;
    u32 offset, bits;
    if (!value_memory(value, &address, &size))
        return false;
    if (value_bits(value, &offset, &bits))
        return address + offset / 8 == state->address;
    return address == state->address && size == state->size;
}

/* The expression itself, if it means the same place now; else what is there, as of its type: pointers on the way may lead elsewhere. */
static struct error *evaluate_at(struct subject *s, struct evaluation *evaluation,
                                 const struct history_state *state, struct value **ret)
{
    struct error *err = values_evaluate(evaluation, s->expression, ret);
    if (!s->type || (!err && is_there(*ret, state)))
        return err;
    error_destroy(err);
    char *cast = xformat("*(%s *)0x%llx", s->type, (unsigned long long)state->address);
    err = values_evaluate(evaluation, cast, ret);
    free(cast);
    return err;
}

typedef void use_value(void *context, struct value *value);

static struct error *with_value(struct subject *s, const struct history_state *state, use_value *use,
                                void *context)
{
    struct evaluation *evaluation;
    struct value *value;
    struct session_patch patch = {state->address, state->bytes, state->size};
    session_pretend(s->session, &patch, 1);
    struct error *err = values_open(s->symbols, &s->request, &evaluation);
    if (!err) {
        err = evaluate_at(s, evaluation, state, &value);
        if (!err)
            use(context, value);
        values_close(evaluation);
    }
    session_pretend(s->session, NULL, 0);
    return err;
}

static void use_text(void *context, struct value *value)
{
    *(char **)context = value_show(value, 0);
}

char *subject_text(struct subject *s, const struct history_state *state)
{
    char *text = NULL;
    if (state->text)
        return xformat("%s", state->text);
    struct error *err = with_value(s, state, use_text, &text);
    return err ? text_of_error(err) : text;
}

struct as_number {
    bool known;
    double number;
};

static bool subject_read_number(const char *text, double *ret)
{
    char *end;
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        *ret = text[0] == 't';
        return true;
    }
    *ret = strtod(text, &end);
    return end != text && *ret - *ret == 0;
}

/* Floating-point numbers as they are shown, all else as integers. */
static void use_number(void *context, struct value *value)
{
    struct as_number *n = context;
    i64 integer;
    char *text = value_show(value, 0);
    n->known = subject_read_number(text, &n->number);
    if (!n->known) {
        struct error *err = value_integer(value, &integer);
        n->known = !err;
        n->number = err ? 0 : (double)integer;
        error_destroy(err);
    }
    free(text);
}

bool subject_number(struct subject *s, const struct history_state *state, double *ret)
{
    struct as_number n = {0};
    if (state->text) {
        n.known = !state->missing && subject_read_number(state->text, &n.number);
    } else {
        struct error *err = with_value(s, state, use_number, &n);
        error_destroy(err);
    }
    *ret = n.number;
    return n.known;
}

struct error *subject_compile(const struct subject *s, u8 **ret, size_t *ret_size)
{
    struct evaluation *evaluation;
    struct error *err = values_open(s->symbols, &s->request, &evaluation);
    if (err)
        return err;
    err = values_compile_fixed(evaluation, s->expression, ret, ret_size);
    values_close(evaluation);
    return err;
}
