/* Questions against an oracle: a look at each single instruction.
 *
 *   ask_check RECORDING SEED ROUNDS        a recording of asked.c, linked statically
 *
 * The recording is walked once from main on; registers and the counter are kept for each
 * instruction.  What random questions find must be what the walk says.  Calls are matched with
 * returns in the obvious way: a call is over at the first instruction of its thread, on its stack,
 * that has a higher stack pointer; it has returned if that is where its return address led.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "query/ask.h"
#include "session/session_internal.h"
#include "session/source.h"
#include "session/tally.h"

enum { STEPS_MOST = 400000, FUNCTIONS = 5, ROWS_MOST = 4096 };

static const char *const names[FUNCTIONS] = {"leaf", "walk", "twice", "deep", "on_signal"};
static struct function_info functions[FUNCTIONS];
static u64 counter, alternate;

struct step {
    struct moment at;
    u32 thread;
    u64 rsp, top, rax, rdi;
    int counter;
};
static struct step *steps;
static size_t step_count;

/* A call that the walk has seen. */
struct seen_call {
    unsigned function;
    size_t entered, begun, over; /* steps; begun 0: never; over: step_count if it never ended */
    bool returned;
};
static struct seen_call *calls;
static size_t call_count;

static struct session *s;
static struct source *source;
static struct symbols *symbols;
static u64 seed, state;
static char doing[512];

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("seed %llu, %s: ", (unsigned long long)seed, doing);
    vprintf(format, args);
    printf("\n");
    exit(1);
}

static void check(struct error *err)
{
    if (err)
        fail("%s", error_text(err));
}

static u64 draw(u64 below)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
}

/* --- the walk --------------------------------------------------------------------------------- */

static void look(struct replayer *r, struct step *to)
{
    struct control_registers regs;
    const u8 *vector;
    size_t got;
    to->at = replayer_at(r);
    to->thread = r->stopped.thread;
    s->shown = r;
    check(session_registers(s, to->thread, &regs, &vector));
    s->shown = NULL;
    to->rsp = regs.reg[RSP];
    to->rax = regs.reg[RAX];
    to->rdi = regs.reg[RDI];
    check(replayer_read(r, to->rsp, &to->top, sizeof to->top, &got));
    check(replayer_read(r, counter, &to->counter, sizeof to->counter, &got));
}

static void walk(struct replayer *r, u64 main_pc)
{
    struct {
        struct plan plan;
        struct plan_site site;
    } p = {{.version = CONTROL_VERSION, .mode = PLAN_STOP, .nth = 1, .sites = 1,
            .limit_tick = ~0ull},
           {.kind = SITE_CODE, .address = main_pc, .thread = CONTROL_THREAD_ANY}};
    steps = xalloc(STEPS_MOST * sizeof *steps);
    for (;;) {
        check(replayer_run(r, &p.plan, sizeof p));
        if (r->stopped.reason != STOPPED_HIT)
            break;
        if (step_count == STEPS_MOST)
            fail("the run is too long");
        look(r, &steps[step_count++]);
        p.plan.flags = PLAN_PAST_HERE;
        p.site = (struct plan_site){.kind = SITE_STEP, .thread = CONTROL_THREAD_ANY};
    }
}

static bool is_alternate(u64 rsp)
{
    return rsp - alternate <= 65536;
}

static void follow_call(struct seen_call *c)
{
    const struct step *e = &steps[c->entered];
    c->over = step_count;
    for (size_t i = c->entered + 1; i < step_count; i++) {
        const struct step *now = &steps[i];
        if (now->thread != e->thread || is_alternate(now->rsp) != is_alternate(e->rsp))
            continue;
        if (now->rsp > e->rsp) {
            c->over = i;
            c->returned = now->rsp == e->rsp + 8 && now->at.pc == e->top;
            return;
        }
        if (!c->begun && now->at.pc == functions[c->function].body)
            c->begun = i;
    }
}

static void find_calls(void)
{
    calls = xalloc(step_count * sizeof *calls);
    for (size_t i = 0; i < step_count; i++)
        for (unsigned f = 0; f < FUNCTIONS; f++)
            if (steps[i].at.pc == functions[f].entry) {
                bool same = functions[f].entry == functions[f].body;
                calls[call_count] = (struct seen_call){.function = f, .entered = i,
                                                       .begun = same ? i : 0};
                follow_call(&calls[call_count++]);
            }
}

/* --- conditions ------------------------------------------------------------------------------- */

struct condition {
    char text[96];
    enum { ON_THREAD, ON_ARGUMENT, ON_COUNTER, ON_CALLER, ON_OUTER, ON_RESULT, ON_NEW } kind;
    long number;
    unsigned function;
    int order; /* 0: <, 1: ==, 2: > */
    bool negated;
};

static bool ordered(const struct condition *c, long value)
{
    return c->order == 0 ? value < c->number : c->order == 1 ? value == c->number
                                                              : value > c->number;
}

static bool lies_in(u64 pc, unsigned function)
{
    return pc >= functions[function].entry && pc < functions[function].end;
}

/* True if a call of the function is active there, in the same thread. */
static bool is_under_way(unsigned function, size_t step)
{
    for (size_t i = 0; i < call_count; i++)
        if (calls[i].function == function && calls[i].entered <= step && calls[i].over > step &&
            steps[calls[i].entered].thread == steps[step].thread)
            return true;
    return false;
}

struct happened {
    size_t step;  /* its moment */
    size_t look;  /* where expressions are evaluated */
    const struct seen_call *call;
    int new;
};

static bool holds(const struct condition *c, const struct happened *h)
{
    bool is = false;
    const struct step *e = h->call ? &steps[h->call->entered] : NULL;
    switch (c->kind) {
    case ON_THREAD:
        is = ordered(c, steps[h->step].thread);
        break;
    case ON_ARGUMENT:
        is = ordered(c, (long)e->rdi);
        break;
    case ON_COUNTER:
        is = ordered(c, steps[h->look].counter);
        break;
    case ON_CALLER:
        is = lies_in(e->top - 1, c->function);
        break;
    case ON_OUTER:
        is = is_under_way(c->function, h->step);
        break;
    case ON_RESULT:
        is = ordered(c, (long)steps[h->step].rax);
        break;
    case ON_NEW:
        is = ordered(c, h->new);
        break;
    }
    return is != c->negated;
}

static void draw_condition(struct condition *c, enum ask_type type)
{
    static const char *const orders[] = {"<", "=", ">"};
    bool of_call = type == ASK_CALL || type == ASK_RETURN;
    *c = (struct condition){.order = (int)draw(3), .negated = !draw(4),
                            .function = (unsigned)draw(FUNCTIONS)};
    const char *not = c->negated ? "not " : "";
    switch (draw(of_call ? 5 : 3)) {
    case 0:
        c->kind = ON_THREAD;
        c->number = (long)draw(3);
        sprintf(c->text, "%sthread %s %ld", not, orders[c->order], c->number);
        break;
    case 1:
        c->kind = ON_COUNTER;
        c->number = (long)draw(60);
        sprintf(c->text, "%scounter %s %ld", not, orders[c->order], c->number);
        break;
    case 2:
        if (type == ASK_STORE) {
            c->kind = ON_NEW;
            c->number = (long)draw(60);
            sprintf(c->text, "%snewval %s %ld", not, orders[c->order], c->number);
        } else {
            c->kind = ON_OUTER;
            sprintf(c->text, "%sstack = <**,%s,**>", not, names[c->function]);
        }
        break;
    case 3:
        c->kind = type == ASK_RETURN && draw(2) ? ON_RESULT : ON_ARGUMENT;
        c->number = (long)draw(12);
        sprintf(c->text, "%s%s %s %ld", not, c->kind == ON_RESULT ? "ret" : "arg[0]",
                orders[c->order], c->number);
        break;
    default:
        c->kind = ON_CALLER;
        sprintf(c->text, "%scaller = %s", not, names[c->function]);
    }
}

/* --- questions -------------------------------------------------------------------------------- */

struct drawn {
    enum ask_type type;
    unsigned function; /* FUNCTIONS: any of them */
    struct condition conditions[2];
    unsigned count;
    bool either;       /* or */
    char text[400];
};

static void draw_question(struct drawn *q, const char *verb)
{
    static const enum ask_type types[] = {ASK_CALL, ASK_RETURN, ASK_LINE, ASK_STORE};
    *q = (struct drawn){.type = types[draw(4)], .function = (unsigned)draw(FUNCTIONS + 1),
                        .count = (unsigned)draw(3), .either = draw(2)};
    int at = sprintf(q->text, "%s %s %s where ", verb, ask_type_name(q->type),
                     q->type == ASK_STORE ? "counter" : "");
    if (q->function == FUNCTIONS && (q->type == ASK_LINE || q->type == ASK_STORE))
        q->function = 0;
    at += q->function == FUNCTIONS
              ? sprintf(q->text + at, "func ~ /^(leaf|walk|twice|deep|on_signal)$/")
              : sprintf(q->text + at, "func = %s", names[q->function]);
    if (q->type == ASK_STORE)
        at += sprintf(q->text + at, " and changed");
    if (q->count)
        at += sprintf(q->text + at, " and (");
    for (unsigned i = 0; i < q->count; i++) {
        draw_condition(&q->conditions[i], q->type);
        at += sprintf(q->text + at, "%s%s", i ? (q->either ? " or " : " and ") : "",
                      q->conditions[i].text);
    }
    if (q->count)
        sprintf(q->text + at, ")");
}

static bool fits(const struct drawn *q, const struct happened *h)
{
    bool first = q->count < 1 || holds(&q->conditions[0], h);
    bool second = q->count < 2 || holds(&q->conditions[1], h);
    return q->count == 2 && q->either ? first || second : first && second;
}

static size_t expected[ROWS_MOST], expected_count;

static void expect(const struct drawn *q, const struct happened *h)
{
    if (!fits(q, h))
        return;
    if (expected_count == ROWS_MOST)
        fail("too many rows");
    expected[expected_count++] = h->step;
}

static int by_moment(const void *a, const void *b)
{
    return moment_compare(steps[*(const size_t *)a].at, steps[*(const size_t *)b].at);
}

static void expect_calls(const struct drawn *q)
{
    for (size_t i = 0; i < call_count; i++) {
        const struct seen_call *c = &calls[i];
        if (q->function < FUNCTIONS && c->function != q->function)
            continue;
        if (q->type == ASK_CALL && c->begun)
            expect(q, &(struct happened){c->begun, c->begun, c, 0});
        if (q->type == ASK_RETURN && c->returned)
            expect(q, &(struct happened){c->over, c->over, c, 0});
    }
    qsort(expected, expected_count, sizeof *expected, by_moment);
}

static bool is_point(u64 pc)
{
    return symbols_step_point_at(symbols, pc) != NULL;
}

static void expect_others(const struct drawn *q)
{
    for (size_t i = 0; i + 1 < step_count; i++) {
        bool stores = steps[i].counter != steps[i + 1].counter;
        if (!lies_in(steps[i].at.pc, q->function))
            continue;
        if (q->type == ASK_LINE && is_point(steps[i].at.pc))
            expect(q, &(struct happened){i, i, NULL, 0});
        if (q->type == ASK_STORE && stores)
            expect(q, &(struct happened){i, i + 1, NULL, steps[i + 1].counter});
    }
}

static struct moment found[ROWS_MOST];
static size_t found_count;

static bool take(void *context, const struct ask_row *row)
{
    (void)context;
    if (found_count == ROWS_MOST)
        fail("too many rows were found");
    found[found_count++] = row->at;
    return true;
}

/* The return of a function is on the stack of the question: there it has just been left. */
static bool is_told_alike(const struct drawn *q)
{
    for (unsigned i = 0; i < q->count; i++)
        if (q->type == ASK_RETURN && q->conditions[i].kind == ON_OUTER)
            return false;
    return true;
}

static void compare(size_t from, size_t count, const char *what)
{
    if (found_count != count)
        fail("%s: %zu rows, and %zu happened", what, found_count, count);
    for (size_t i = 0; i < count; i++)
        if (moment_compare(found[i], steps[expected[from + i]].at))
            fail("%s: row %zu is %llu:%#llx, and %llu:%#llx happened", what, i + 1,
                 (unsigned long long)found[i].tick, (unsigned long long)found[i].pc,
                 (unsigned long long)steps[expected[from + i]].at.tick,
                 (unsigned long long)steps[expected[from + i]].at.pc);
}

static void ask(const struct drawn *d, struct ask_answering how, const char *what, size_t from,
                size_t count)
{
    struct ask_question *q;
    struct ask_answer answer;
    found_count = 0;
    check(ask_parse(d->text, &q));
    how.session = s;
    how.source = source;
    how.row = take;
    how.show = &show_usual;
    how.memory = d->type == ASK_STORE ? subject_of_range(s, source, "counter", counter, 4) : NULL;
    check(ask_answer(q, &how, &answer));
    if (how.counts_only && answer.count != count)
        fail("%s: %llu, and %zu happened", what, (unsigned long long)answer.count, count);
    if (!how.counts_only)
        compare(from, count, what);
    free(answer.note);
    subject_destroy(how.memory);
    ask_question_destroy(q);
}

static size_t first_from(struct moment at)
{
    size_t n = 0;
    while (n < expected_count && moment_compare(steps[expected[n]].at, at) < 0)
        n++;
    return n;
}

static void round_of_questions(void)
{
    struct drawn q;
    struct moment from = steps[0].at, end = session_last(s);
    draw_question(&q, "list");
    if (!is_told_alike(&q))
        return;
    snprintf(doing, sizeof doing, "'%s'", q.text);
    expected_count = 0;
    if (q.type == ASK_CALL || q.type == ASK_RETURN)
        expect_calls(&q);
    else
        expect_others(&q);
    ask(&q, (struct ask_answering){.from = from, .to = end, .to_end = true}, "list", 0,
        expected_count);
    ask(&q, (struct ask_answering){.from = from, .to = end, .to_end = true, .counts_only = true},
        "count", 0, expected_count);
    size_t half = draw(step_count);
    size_t before = first_from(steps[half].at), rest = expected_count - before;
    u64 most = 1 + draw(4);
    size_t newest = before < most ? before : most, oldest = rest < most ? rest : most;
    ask(&q, (struct ask_answering){.from = from, .to = steps[half].at, .backward = true,
                                   .most = most}, "backward", before - newest, newest);
    ask(&q, (struct ask_answering){.from = steps[half].at, .to = end, .to_end = true,
                                   .most = most}, "forward", before, oldest);
}

/* --- counts of all instructions -------------------------------------------------------------- */

static int compare_pcs(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return x < y ? -1 : x > y;
}

/* A stretch between two instructions of the walk, or up to the end of the run. */
static void round_of_counts(void)
{
    struct session_tally t;
    size_t a = draw(step_count), b = draw(3) ? draw(step_count) : step_count, n = 0, i = 0;
    size_t first = a < b ? a : b, last = a < b ? b : a;
    struct moment to = last == step_count ? session_last(s) : steps[last].at;
    u64 *pcs = xalloc((last - first + 1) * sizeof *pcs);
    snprintf(doing, sizeof doing, "counts of steps %zu to %zu", first, last);
    for (size_t k = first; k < last; k++)
        pcs[n++] = steps[k].at.pc;
    qsort(pcs, n, sizeof *pcs, compare_pcs);
    check(session_tally(s, steps[first].at, to, &t));
    for (size_t k = 0; k < t.count; k++) {
        u64 count = 0, pc = t.counts[k].pc;
        for (; i < n && pcs[i] == pc; i++)
            count++;
        if (count != t.counts[k].count)
            fail("0x%llx is counted %llu times, and ran %llu times", (unsigned long long)pc,
                 (unsigned long long)t.counts[k].count, (unsigned long long)count);
    }
    if (i != n)
        fail("0x%llx is missing", (unsigned long long)pcs[i]);
    free(t.counts);
    free(pcs);
}

/* --- the program ------------------------------------------------------------------------------ */

static u64 address_of(const char *name)
{
    struct evaluation *v;
    struct values_request none = {0};
    struct value *value;
    u64 address, size;
    check(values_open(symbols, &none, &v));
    check(values_evaluate(v, name, &value));
    if (!value_memory(value, &address, &size))
        fail("%s is not in memory", name);
    values_close(v);
    return address;
}

static void find_places(u64 *ret_main)
{
    struct function_info info;
    struct code_place *places;
    size_t count;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        check(symbols_locate(symbols, names[i], NULL, &places, &count));
        if (!symbols_function(symbols, places[0].pc, &functions[i]))
            fail("there is no %s", names[i]);
        free(places);
    }
    check(symbols_locate(symbols, "main", NULL, &places, &count));
    symbols_function(symbols, places[0].pc, &info);
    *ret_main = info.entry;
    free(places);
    counter = address_of("counter");
    alternate = address_of("alternate");
}

int main(int argc, char **argv)
{
    struct recording *rec;
    struct session_options options = {0};
    struct replayer *r;
    u64 main_pc;
    if (argc != 4)
        return 2;
    seed = strtoull(argv[2], NULL, 10);
    state = seed * 7919 + 1;
    strcpy(doing, "opening");
    check(recording_open(argv[1], &rec));
    check(session_open(rec, &options, &s));
    source_create(s, &source);
    check(source_symbols(source, &symbols));
    find_places(&main_pc);
    strcpy(doing, "walking");
    check(timeline_reach(&s->timeline, session_first(s), &r));
    walk(r, main_pc);
    timeline_keep_or_drop(&s->timeline, r);
    find_calls();
    for (u64 n = strtoull(argv[3], NULL, 10); n; n--)
        round_of_questions();
    for (u64 n = strtoull(argv[3], NULL, 10); n; n--)
        round_of_counts();
    printf("%zu steps, %zu calls\n", step_count, call_count);
    source_destroy(source);
    session_close(s);
    recording_destroy(rec);
    return 0;
}
