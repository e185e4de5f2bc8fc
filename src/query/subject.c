/* Subjects: expressions that are followed over time; see the header.
 *
 * A subject is made once, at the moment at which the user wrote the expression (subject_create).
 * The expression is parsed and evaluated there, and the result is kept. A global has a fixed
 * address. A local belongs to one frame, which is identified by its thread, its CFA and its return
 * address.
 *
 * Later the same expression is evaluated at other moments (subject_look), in the same frame. The
 * session notes each read of memory on the way, so that the caller can watch exactly those bytes.
 * The last part turns bytes from the past into text and numbers (subject_text, subject_number)
 * without going to that moment.
 *
 * subject_life.c finds when a frame begins and ends.
 */
#include "query/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "session/trace.h"

enum {
    /* bytes of a value that is sometimes in memory and sometimes in a register */
    AS_TEXT_MOST = 64,
    /* frames outside of the selected one, which help to find the values at a function's entry */
    FRAMES_KEPT = 64,
};

bool subject_is_looked_at(const struct subject *s)
{
    return s->uses & (VALUES_REGISTERS | VALUES_MOVES);
}

/* --- making ----------------------------------------------------------------------------------- */

static void take_bits(struct subject *s, u32 offset, u32 size)
{
    struct value_place p = value_place_of_bits(s->address, offset, size);
    s->address = p.address;
    s->size = p.size;
    s->not_first = p.not_first;
    s->not_last = p.not_last;
}

static void take_place(struct subject *s, struct value *value)
{
    struct value_source *sources;
    size_t count;
    u32 offset, size;
    value_sources(value, &sources, &count);
    s->is_constant = !count && !subject_is_looked_at(s);
    s->in_memory = value_memory(value, &s->address, &s->size) && s->size;
    s->is_fixed = s->in_memory && count == 1 && !subject_is_looked_at(s);
    s->is_bits = s->in_memory && value_bits(value, &offset, &size);
    if (s->is_bits)
        take_bits(s, offset, size);
    free(sources);
}

/* Returns the low end of a frame's stack, where that of its callee begins. Memory below the
 * innermost frame belongs to no frame. */
static u64 low_end(const struct values_request *q, size_t at)
{
    enum { RED_ZONE_AND_MORE = 1 << 20 };
    const struct frame *f = &q->frames[at];
    size_t inner = at;
    while (inner > 0 && q->frames[inner - 1].inlined)
        inner--;
    if (inner > 0)
        return q->frames[inner - 1].cfa;
    return f->known >> DWARF_RSP & 1 ? f->reg[DWARF_RSP] - RED_ZONE_AND_MORE : 0;
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
    s->frame_low = low_end(q, at);
    s->function_name = f->function ? xformat("%s", f->function) : NULL;
    if (at + 1 < q->frame_count)
        s->return_pc = q->frames[at + 1].pc;
    if (symbols_function(s->symbols, f->pc - f->called, &function))
        s->function = function.entry;
}

/* Takes the step points of the frame's function. */
static void subject_take_points(struct subject *s)
{
    size_t count;
    const struct step_point *all = symbols_step_points(s->symbols, &count);
    s->points = xalloc((count + 1) * sizeof *s->points);
    for (size_t n = 0; n < count; n++)
        if (all[n].function == s->function)
            s->points[s->point_count++] = all[n].pc;
}

static void take_slots_read(struct subject *s)
{
    struct session_noted *noted;
    size_t count;
    session_reads_noted(s->session, &noted, &count);
    for (size_t n = 0; n < count; n++)
        subject_add_slot(s, &s->slots, noted[n].address, noted[n].size);
    free(noted);
    if (s->in_memory)
        subject_add_slot(s, &s->slots, s->address, s->size);
}

static struct error *evaluate_first(struct subject *s)
{
    struct evaluation *evaluation;
    struct value *value;
    struct error *err = values_open(s->symbols, &s->request, &evaluation);
    if (err)
        return err;
    err = values_is_condition(evaluation, s->expression, &s->is_condition);
    session_note_reads(s->session);
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
            s->number_kind = value_number_kind(value);
            take_place(s, value);
        }
    }
    take_slots_read(s);
    s->note = values_note(evaluation) ? xformat("%s", values_note(evaluation)) : NULL;
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
    *s = (struct subject){.session = session,
                          .source = source,
                          .symbols = symbols,
                          .thread = thread,
                          .expression = xformat("%s", expression),
                          .request = *request};
    bool is_of_any_frame = strstr(expression, "::"); /* FUNCTION::VARIABLE */
    size_t most = is_of_any_frame ? ~(size_t)0 : request->selected + FRAMES_KEPT;
    size_t kept = request->frame_count < most ? request->frame_count : most;
    struct frame *frames = xalloc((kept + 1) * sizeof *frames);
    if (kept)
        memcpy(frames, request->frames, kept * sizeof *frames);
    s->request.frames = frames;
    s->request.frame_count = kept;
    take_frame(s);
    err = evaluate_first(s);
    if (err) {
        subject_destroy(s);
        return err;
    }
    if (subject_is_looked_at(s))
        subject_take_points(s);
    *ret = s;
    return NULL;
}

struct subject *subject_of_range(struct session *session, struct source *source,
                                 const char *expression, u64 address, u64 size)
{
    struct subject *s = xalloc(sizeof *s);
    *s = (struct subject){.session = session,
                          .source = source,
                          .expression = xformat("%s", expression),
                          .is_range = true,
                          .is_fixed = true,
                          .address = address,
                          .size = size};
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
    free(s->note);
    free(s->points);
    free(s->function_name);
    free(s);
}

/* --- looking ---------------------------------------------------------------------------------- */

static char *text_of_error(struct error *err)
{
    char *text = xformat("<%s>", error_text(err));
    error_destroy(err);
    return text;
}

/* Finds the current frames of the subject's thread; `selected` becomes the subject's own frame. An
 * error if that frame is not among them. */
static struct error *find_frame(const struct subject *s, struct values_request *q,
                                struct frame **ret)
{
    session_note_resume(s->session, false); /* reads for unwinding are not part of the value */
    struct error *err = source_frames(s->source, s->thread, ~(size_t)0, ret, &q->frame_count, NULL);
    session_note_resume(s->session, true);
    if (err)
        return err;
    q->frames = *ret;
    for (q->selected = 0; q->selected < q->frame_count; q->selected++)
        if ((*ret)[q->selected].cfa == s->cfa && !(*ret)[q->selected].inlined &&
            !(*ret)[q->selected].tail) {
            q->registers = s->request.registers == s->request.selected ? q->selected : 0;
            return NULL;
        }
    free(*ret);
    return error_coded(ERROR_UNAVAILABLE, "its frame does not exist there");
}

/* Opens an evaluation for one look; the caller frees *ret_frames after closing it. */
static struct error *open_scope(const struct subject *s, struct evaluation **ret,
                                struct frame **ret_frames)
{
    struct values_request q = s->request;
    *ret_frames = NULL;
    if (!subject_is_looked_at(s))
        return values_open(s->symbols, &q, ret);
    const struct frame *said = &s->request.frames[s->request.selected];
    q.names_pc = said->pc - said->called;
    q.names_inlined = values_inlined_before(&s->request);
    struct error *err = find_frame(s, &q, ret_frames);
    return err ? err : values_open(s->symbols, &q, ret);
}

static struct error *subject_look_in(struct subject *s, struct evaluation *evaluation,
                                     struct history_value *ret)
{
    struct value *value;
    u32 offset, size;
    struct error *err = values_evaluate(evaluation, s->expression, &value);
    ret->gone = values_uses(evaluation) & VALUES_GONE && (err || value_is_gone(value));
    if (err || ret->gone)
        return err ? err : error_coded(ERROR_UNAVAILABLE, "optimised out");
    if (!s->type)
        s->type = value_type(value);
    /* A value that may be in a register at the next statement is compared as text. A store to its
     * current place must then be looked at, because the compiler may have used that place for
     * something else. */
    bool in_memory = value_memory(value, &ret->address, &ret->size) &&
                     (!subject_is_looked_at(s) || ret->size > AS_TEXT_MOST);
    if (in_memory && value_bits(value, &offset, &size)) {
        s->is_bits = true;
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
    if (s->is_range) {
        *ret = (struct history_value){.address = s->address,
                                      .size = s->size,
                                      .not_first = s->not_first,
                                      .not_last = s->not_last};
        return NULL;
    }
    struct error *err = open_scope(s, &evaluation, &frames);
    bool gone = err != NULL; /* if the frame cannot be found, nothing is known */
    if (!err) {
        err = subject_look_in(s, evaluation, ret);
        gone = ret->gone;
        values_close(evaluation);
        free(frames);
    }
    if (err)
        *ret = (struct history_value){.text = text_of_error(err), .missing = true, .gone = gone};
    return NULL;
}

struct error *subject_holds(void *context, enum became_truth *ret)
{
    struct subject *s = context;
    struct evaluation *evaluation;
    struct value *value;
    struct frame *frames;
    bool truth = false;
    *ret = BECAME_UNKNOWN;
    struct error *err = open_scope(s, &evaluation, &frames);
    if (!err) {
        err = values_evaluate(evaluation, s->expression, &value);
        if (!err)
            err = value_truth(value, &truth);
        if (!err || !(values_uses(evaluation) & VALUES_GONE))
            *ret = !err && truth ? BECAME_TRUE : BECAME_FALSE;
        values_close(evaluation);
        free(frames);
    }
    error_destroy(err); /* a bad pointer counts as false */
    return NULL;
}

static bool subject_measure(void *context, const struct history_state *state, double *ret)
{
    return subject_number(context, state, ret);
}

struct look_points subject_points(const struct subject *s)
{
    return (struct look_points){s->points, s->point_count, s->thread};
}

struct state_then {
    struct subject *s;
    struct history_state *ret;
    bool looked;
};

static struct error *look_state_then(void *context, struct moment at, struct session_sites *ret)
{
    struct state_then *l = context;
    struct session_noted *noted;
    size_t count;
    (void)at;
    *ret = (struct session_sites){.enough = true};
    struct error *err =
        history_state_look(l->s->session, subject_look, l->s, l->ret, &noted, &count);
    if (!err)
        free(noted);
    l->looked = !err;
    return err;
}

struct error *subject_state_at(struct subject *s, struct moment at, struct history_state *ret)
{
    struct state_then l = {s, ret, false};
    struct session_trace t = {.from = at, .to = at, .direction = FORWARD, .lay = look_state_then,
                              .context = &l};
    bool interrupted;
    struct error *err = session_trace(s->session, &t, &interrupted);
    return err || l.looked ? err : error_coded(ERROR_INTERRUPTED, "interrupted");
}

char *subject_key(const struct subject *s)
{
    if (s->is_fixed)
        return xformat("%s at %llx+%llx", s->expression, (unsigned long long)s->address,
                       (unsigned long long)s->size);
    char *key = xformat("%s in %u:%llx:%llx", s->expression, s->thread,
                        (unsigned long long)s->function,
                        subject_is_local(s) ? (unsigned long long)s->cfa : 0);
    for (u32 n = 0; n < s->slots.count; n++) { /* blocks may have variables of the same name */
        char *longer = xformat("%s,%llx", key, (unsigned long long)s->slots.slot[n].address);
        free(key);
        key = longer;
    }
    return key;
}

char *subject_place_text(const char *type, u64 address)
{
    const char *form = strchr(type, '[') ? "{%s}0x%llx" : "*(%s *)0x%llx";
    return xformat(form, type, (unsigned long long)address);
}

/* An answer that was known from before may have values though there is none here: their type is
 * learned where one of them was. */
static struct error *learn_type(struct subject *s, const struct history_answer *a)
{
    struct error *err = NULL;
    for (size_t n = 0; n < a->count && !s->type && !s->is_range && !err; n++) {
        const struct history_change *c = &a->changes[n];
        struct history_state state;
        if (!c->new.size && !c->old.size)
            continue;
        err = subject_state_at(s, c->new.size ? c->after : c->at, &state);
        if (!err)
            history_state_deinit(&state);
    }
    return err;
}

struct error *subject_history(struct subject *s, struct history *h,
                              const struct subject_stretch *stretch, struct history_answer *ret)
{
    char *key = subject_key(s);
    struct history_question q = {.look = subject_look,
                                 .context = s,
                                 .points = subject_points(s),
                                 .measure = subject_measure,
                                 .key = key,
                                 .from = stretch->from,
                                 .to = stretch->to,
                                 .order = stretch->order,
                                 .most = stretch->most};
    struct error *err = history_ask(h, &q, ret);
    free(key);
    return err ? err : learn_type(s, ret);
}

/* --- values as they were ---------------------------------------------------------------------- */

/* True if the expression names the same place now; for a bit-field, the same bytes. */
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

/* Evaluates bits as a number of the type. A bit-field has no address that could be cast. */
static struct error *evaluate_bits(struct subject *s, struct evaluation *evaluation,
                                   const struct history_state *state, struct value **ret)
{
    u64 raw = 0;
    i64 negative = 0;
    u32 first = 0, last = 0;
    while (first < 8 && state->not_first >> first & 1)
        first++;
    while (last < 8 && state->not_last >> (7 - last) & 1)
        last++;
    u32 bits = (u32)state->size * 8 - first - last;
    memcpy(&raw, state->bytes, state->size < 8 ? state->size : 8);
    raw = raw >> first & (bits < 64 ? (1ull << bits) - 1 : ~0ull);
    char *test = xformat("(%s)-1 < (%s)0", s->type, s->type);
    struct error *err = values_evaluate(evaluation, test, ret);
    if (!err)
        err = value_integer(*ret, &negative);
    free(test);
    if (err)
        return err;
    if (negative && bits < 64 && raw >> (bits - 1) & 1)
        raw |= ~0ull << bits;
    char *cast = xformat("(%s)%lld", s->type, (long long)raw);
    err = values_evaluate(evaluation, cast, ret);
    free(cast);
    return err;
}

/* Evaluates the expression itself if it names the same place now. Otherwise evaluates the memory as
 * its type, since pointers on the way may lead elsewhere now. */
static struct error *evaluate_at(struct subject *s, struct evaluation *evaluation,
                                 const struct history_state *state, struct value **ret)
{
    struct error *err = values_evaluate(evaluation, s->expression, ret);
    if (!s->type || (!err && is_there(*ret, state)))
        return err;
    error_destroy(err);
    if (s->is_bits)
        return evaluate_bits(s, evaluation, state, ret);
    char *cast = subject_place_text(s->type, state->address);
    err = values_evaluate(evaluation, cast, ret);
    free(cast);
    return err;
}

typedef void use_value(void *context, struct value *value);

static struct error *with_value(struct subject *s, const struct history_state *state,
                                use_value *use, void *context)
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

char *subject_bytes_text(const struct history_state *state)
{
    char *text = xalloc(3 * state->size + 16);
    char *at = text + sprintf(text, "bytes");
    for (size_t i = 0; i < state->size; i++)
        at += sprintf(at, "%s%02x", i % 4 ? "" : " ", state->bytes[i]);
    return text;
}

char *subject_text(struct subject *s, const struct history_state *state)
{
    char *text = NULL;
    if (state->text)
        return xformat("%s", state->text);
    if (s->is_range)
        return subject_bytes_text(state);
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

/* Takes floating-point numbers as they are shown, everything else as an integer. */
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

/* Converts bytes without an evaluation, since there may be millions of values. */
static double number_of_bytes(char kind, const u8 *bytes, size_t size)
{
    float single;
    double number;
    u64 raw = 0;
    memcpy(&raw, bytes, size);
    if (kind == 'f' && size == 4) {
        memcpy(&single, bytes, 4);
        return single;
    }
    if (kind == 'f') {
        memcpy(&number, bytes, 8);
        return number;
    }
    if (kind == 'd' && size < 8 && raw >> (size * 8 - 1))
        raw |= ~0ull << size * 8;
    return kind == 'd' ? (double)(i64)raw : (double)raw;
}

bool subject_number(struct subject *s, const struct history_state *state, double *ret)
{
    struct as_number n = {0};
    if (s->is_range)
        return false;
    if (s->number_kind && !state->text && state->size && state->size <= 8) {
        *ret = number_of_bytes(s->number_kind, state->bytes, state->size);
        return *ret - *ret == 0;
    }
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
    if (s->uses & VALUES_MOVES)
        return error_coded(
            ERROR_UNAVAILABLE,
            "the compiler keeps a variable of it elsewhere in other parts of the function");
    struct error *err = values_open(s->symbols, &s->request, &evaluation);
    if (err)
        return err;
    err = values_compile_fixed(evaluation, s->expression, ret, ret_size);
    values_close(evaluation);
    return err;
}
