/* When a condition became true: see became.h.
 *
 * The stretch is traced. Sites on the memory that the condition reads end the pass, so that the
 * condition is evaluated again there. If the engine can evaluate the condition itself, sites with
 * PLAN_BECOMES are used, whose hits are the answer.
 */
#include "query/became.h"

#include <stdlib.h>

#include "base/list.h"
#include "session/trace.h"

/* --- bytecode ---------------------------------------------------------------------------------
 *
 * See gdb's manual, "Bytecode Descriptions". Code is plain if every memory reference is to the
 * constant just before it. Then all places that it may read are known, whichever branches it
 * takes. */

enum {
    OP_REF8 = 0x17,
    OP_REF64 = 0x1a,
    OP_IF_GOTO = 0x20,
    OP_GOTO = 0x21,
    OP_CONST8 = 0x22,
    OP_CONST64 = 0x25,
    OP_END = 0x27,
    ARITHMETIC_FIRST = 0x02,
    ARITHMETIC_LAST = 0x15,
    OP_EXT = 0x16,
    OP_DUP = 0x28,
    OP_POP = 0x29,
    OP_ZERO_EXT = 0x2a,
    OP_SWAP = 0x2b,
    OP_TRACE = 0x0c, /* in the middle of arithmetic */
    OP_TRACE_QUICK = 0x0d,
};

static bool is_reference(u8 op)
{
    return op >= OP_REF8 && op <= OP_REF64;
}

static bool is_constant(u8 op)
{
    return op >= OP_CONST8 && op <= OP_CONST64;
}

static bool is_alone(u8 op)
{
    return (op >= ARITHMETIC_FIRST && op <= ARITHMETIC_LAST) || is_reference(op) || op == OP_END ||
           op == OP_DUP || op == OP_POP || op == OP_SWAP;
}

/* Length of an operation with its operand; 0 if the operation is not a plain one. */
static size_t plain_length(u8 op)
{
    if (op == OP_TRACE || op == OP_TRACE_QUICK)
        return 0;
    if (is_constant(op))
        return 1 + ((size_t)1 << (op - OP_CONST8));
    if (op == OP_EXT || op == OP_ZERO_EXT)
        return 2;
    if (op == OP_IF_GOTO || op == OP_GOTO)
        return 3;
    return is_alone(op) ? 1 : 0;
}

static u64 operand_of(const u8 *at, size_t length)
{
    u64 value = 0;
    for (size_t n = 1; n < length; n++)
        value = value << 8 | at[n];
    return value;
}

/* Walks over the bytecode and calls `place` (may be NULL) for each reference. False: it is not
 * plain. */
static bool became_walk(const u8 *bytecode, size_t size, void (*place)(void *, u64, u64),
                        void *context)
{
    bool constant = false;
    u64 address = 0;
    for (size_t at = 0, length; at < size; at += length) {
        u8 op = bytecode[at];
        length = plain_length(op);
        if (!length || length > size - at || (is_reference(op) && !constant))
            return false;
        if (is_reference(op) && place)
            place(context, address, (u64)1 << (op - OP_REF8));
        if (op == OP_END)
            return at + 1 == size;
        constant = is_constant(op);
        address = operand_of(bytecode + at, length);
    }
    return false;
}

bool became_is_plain(const u8 *bytecode, size_t size)
{
    return became_walk(bytecode, size, NULL, NULL);
}

void became_places(const u8 *bytecode, size_t size,
                   void (*place)(void *context, u64 address, u64 size), void *context)
{
    became_walk(bytecode, size, place, context);
}

/* --- a trace ---------------------------------------------------------------------------------- */

struct became_asking {
    struct session *s;
    const struct became_question *q;
    struct became_answer *answer;
    bool plain;
    bool begun, held;
    struct plan_hit change; /* the last change of something that the condition depends on */
    struct list sites;      /* struct plan_site */
    struct list missing;    /* struct session_patch: places that are not mapped */
};

static void note(struct became_asking *a, const struct plan_hit *hit)
{
    if (a->q->direction == FORWARD && a->answer->found)
        return;
    a->answer->found = true;
    a->answer->at = (struct moment){hit->tick, hit->pc};
    a->answer->after = (struct moment){hit->after_tick, hit->after_pc};
    if (!hit->after_tick) /* seen at a step point */
        a->answer->after = a->answer->at;
    a->answer->thread = hit->thread;
}

static void became_add_site(void *context, u64 address, u64 size)
{
    struct became_asking *a = context;
    struct plan_site *site = list_add(&a->sites);
    *site = (struct plan_site){.kind = SITE_STORE, .address = address, .size = size,
                               .thread = CONTROL_THREAD_ANY,
                               .flags = a->plain ? PLAN_BECOMES : PLAN_ENDS,
                               .condition_size = a->plain ? (u32)a->q->bytecode_size : 0};
}

/* A fixed place that is not mapped yet counts as zeros, in the engine too. Mapping it later, filled
 * with zeros, is not a store. */
static void became_add_missing(void *context, u64 address, u64 size)
{
    static const u8 zeros[8];
    struct became_asking *a = context;
    u8 bytes[sizeof zeros];
    size_t got = 0;
    struct error *err = session_read(a->s, address, bytes, size, &got);
    if (!err && got < size)
        *(struct session_patch *)list_add(&a->missing) =
            (struct session_patch){address, zeros, size};
    error_destroy(err);
}

static struct error *became_ask_holds(struct became_asking *a, enum became_truth *ret)
{
    if (a->plain)
        became_places(a->q->bytecode, a->q->bytecode_size, became_add_missing, a);
    session_pretend(a->s, a->missing.items, a->missing.count);
    struct error *err = a->q->holds(a->q->context, ret);
    session_pretend(a->s, NULL, 0);
    a->missing.count = 0;
    return err;
}

/* Evaluates the condition, and lays sites on the memory that was read. If the engine evaluates it,
 * sites are on all places that it may read. */
static struct error *became_ask_here(struct became_asking *a, enum became_truth *ret)
{
    struct session_noted *noted;
    size_t count;
    session_note_reads(a->s);
    struct error *err = became_ask_holds(a, ret);
    session_reads_noted(a->s, &noted, &count);
    a->sites.count = 0;
    for (size_t i = 0; !err && !a->plain && i < count; i++)
        became_add_site(a, noted[i].address, noted[i].size);
    if (!err && a->plain)
        became_places(a->q->bytecode, a->q->bytecode_size, became_add_site, a);
    free(noted);
    if (!err && !a->plain)
        look_points_lay(&a->q->points, &a->sites);
    return err;
}

static struct error *became_lay(void *context, struct moment at, struct session_sites *ret)
{
    struct became_asking *a = context;
    enum became_truth truth = BECAME_FALSE;
    (void)at;
    struct error *err = became_ask_here(a, &truth);
    if (err)
        return err;
    bool holds = truth == BECAME_TRUE || (truth == BECAME_UNKNOWN && a->begun && a->held);
    if (a->begun && holds && !a->held)
        note(a, &a->change);
    if (!a->begun)
        a->answer->at_start = holds; /* the part that begins last is the oldest */
    a->begun = true;
    a->held = holds;
    *ret = (struct session_sites){.sites = a->sites.items, .count = a->sites.count};
    if (a->plain) {
        ret->bytecode = a->q->bytecode;
        ret->bytecode_size = a->q->bytecode_size;
    }
    ret->enough = a->q->direction == FORWARD && a->answer->found;
    return NULL;
}

static bool became_take(void *context, const struct plan_hit *hits, size_t count)
{
    struct became_asking *a = context;
    a->change = hits[count - 1];
    if (a->plain)
        note(a, &hits[a->q->direction == FORWARD ? 0 : count - 1]);
    return a->q->direction == BACKWARD || !a->answer->found;
}

static bool became_end_part(void *context, struct moment from, struct moment to)
{
    struct became_asking *a = context;
    (void)from;
    (void)to;
    a->begun = false;
    return !a->answer->found;
}

struct error *became_ask(struct session *s, const struct became_question *q,
                         struct became_answer *ret)
{
    *ret = (struct became_answer){0};
    struct became_asking a = {.s = s, .q = q, .answer = ret, .sites = LIST(struct plan_site),
                       .missing = LIST(struct session_patch),
                       .plain = q->bytecode && became_is_plain(q->bytecode, q->bytecode_size)};
    bool whole = q->points.count && !a.plain;
    struct session_trace t = {.from = q->from, .to = q->to,
                              .direction = whole ? FORWARD : q->direction, .lay = became_lay,
                              .take = became_take, .part = became_end_part, .context = &a,
                              .reached = &ret->reached};
    struct error *err = session_trace(s, &t, &ret->interrupted);
    list_deinit(&a.sites);
    list_deinit(&a.missing);
    if (ret->found || ret->interrupted)
        ret->at_start = false;
    return err;
}
