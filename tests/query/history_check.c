/* Questions over data against an oracle: looking at the memory after each single instruction.
 *
 *   history_check RECORDING SEED ROUNDS NAME=ADDRESS+SIZE...
 *       compares; if head and nodes are among the names, head->next->v is followed, too
 *   history_check --time RECORDING ADDRESS SIZE
 *       prints the time of a history and of a plain replay
 *
 * The recording is walked once by single instructions, and all ranges are read at each moment. The
 * walk then says what the answers must be: histories in both orders, whole and in part, and the
 * moments at which conditions became true.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "query/became.h"
#include "query/subject.h"
#include "query/history.h"
#include "session/movement.h"
#include "session/session_internal.h"
#include "session/trace.h"

enum { RANGES_MOST = 12, SIZE_MOST = 64, STEPS_MOST = 600000, NOTHING = 0x7ead };

static struct range {
    const char *name;
    u64 address, size;
} ranges[RANGES_MOST];
static size_t range_count;

struct step {
    struct moment at;
    u32 thread;
    u8 bytes[RANGES_MOST][SIZE_MOST];
    i64 chain; /* head->next->v, or NOTHING */
};
static struct step *steps;
static size_t step_count;
static struct session *s;
static struct history *h;
static u64 seed, state;
static const char *doing = "";

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

static const struct range *range_named(const char *name)
{
    for (size_t i = 0; i < range_count; i++)
        if (!strcmp(ranges[i].name, name))
            return &ranges[i];
    fail("there is no %s", name);
}

/* --- the walk -------------------------------------------------------------------------------- */

static u64 word_of(struct replayer *r, u64 address)
{
    u64 word = 0;
    size_t got = 0;
    if (r)
        check(replayer_read(r, address, &word, 8, &got));
    else
        check(session_read(s, address, &word, 8, &got));
    return word;
}

/* In a process or, for NULL, in the memory that the session shows. */
static i64 chain(struct replayer *r)
{
    u64 head = word_of(r, range_named("head")->address);
    u64 next = head ? word_of(r, head) : 0;
    return next ? (i64)word_of(r, next + 8) : NOTHING;
}

static void look(struct replayer *r, struct step *to)
{
    size_t got;
    to->at = replayer_at(r);
    to->thread = r->stopped.thread;
    for (size_t i = 0; i < range_count; i++)
        check(replayer_read(r, ranges[i].address, to->bytes[i], ranges[i].size, &got));
    to->chain = chain(r);
}

static bool is_same(const struct step *a, const struct step *b)
{
    return a->chain == b->chain && !memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

/* Only the moments around a change are kept, and some others. */
static void walk(struct replayer *r)
{
    struct {
        struct plan plan;
        struct plan_site site;
    } p = {
        {.version = CONTROL_VERSION, .mode = PLAN_STOP, .nth = 1, .sites = 1, .limit_tick = ~0ull},
        {.kind = SITE_STEP, .thread = CONTROL_THREAD_ANY}};
    steps = xalloc(STEPS_MOST * sizeof *steps);
    memset(steps, 0, STEPS_MOST * sizeof *steps);
    for (u64 n = 0; step_count < STEPS_MOST; p.plan.flags = PLAN_PAST_HERE, n++) {
        check(replayer_run(r, &p.plan, sizeof p));
        if (r->stopped.reason != STOPPED_HIT)
            return;
        look(r, &steps[step_count]);
        bool dull = step_count > 1 && n % 64 &&
                    is_same(&steps[step_count - 1], &steps[step_count]) &&
                    is_same(&steps[step_count - 2], &steps[step_count - 1]);
        if (dull)
            steps[step_count - 1] = steps[step_count];
        else
            step_count++;
    }
}

/* --- what the walk says ---------------------------------------------------------------------- */

/* The value of a subject at a step: a range, or the chain (range_count), or the sum of the first
 * bytes of two ranges. */
static size_t subject, other;

static bool differs(size_t a, size_t b)
{
    if (subject < range_count)
        return memcmp(steps[a].bytes[subject], steps[b].bytes[subject], ranges[subject].size) != 0;
    if (subject == range_count)
        return steps[a].chain != steps[b].chain;
    return (u8)(steps[a].bytes[0][0] + steps[a].bytes[other][0]) !=
           (u8)(steps[b].bytes[0][0] + steps[b].bytes[other][0]);
}

/* The steps in (from, to] at which it has just changed. */
static size_t changed[STEPS_MOST], changed_count;

static void find_changes(size_t from, size_t to)
{
    changed_count = 0;
    for (size_t n = from + 1; n <= to; n++)
        if (differs(n - 1, n))
            changed[changed_count++] = n;
}

/* --- questions ---------------------------------------------------------------------------------
 */

static struct error *look_at_subject(void *context, struct history_value *ret)
{
    (void)context;
    if (subject < range_count) {
        *ret = (struct history_value){ranges[subject].address, ranges[subject].size};
    } else if (subject == range_count) {
        *ret = (struct history_value){.text = xformat("%lld", (long long)chain(NULL))};
    } else {
        u8 a = 0, b = 0;
        size_t got;
        check(session_read(s, ranges[0].address, &a, 1, &got));
        check(session_read(s, ranges[other].address, &b, 1, &got));
        *ret = (struct history_value){.text = xformat("%u", (u8)(a + b))};
    }
    return NULL;
}

/* The chain, with its value where it lies. */
static struct error *look_along(void *context, struct history_value *ret)
{
    (void)context;
    u64 head = word_of(NULL, range_named("head")->address), next = head ? word_of(NULL, head) : 0;
    *ret = next ? (struct history_value){next + 8, 8}
                : (struct history_value){.text = xformat("none")};
    return NULL;
}

static bool is_state(const struct history_state *v, size_t n)
{
    char text[32];
    if (subject < range_count)
        return v->size == ranges[subject].size &&
               !memcmp(v->bytes, steps[n].bytes[subject], v->size);
    if (v->size) /* of look_along */
        return v->size == 8 && !memcmp(v->bytes, &steps[n].chain, 8);
    i64 value = subject == range_count ? steps[n].chain
                                       : (u8)(steps[n].bytes[0][0] + steps[n].bytes[other][0]);
    snprintf(text, sizeof text, "%lld", (long long)value);
    return v->text && (!strcmp(v->text, text) || (value == NOTHING && !strcmp(v->text, "none")));
}

static void compare_change(const struct history_change *c, size_t n)
{
    const struct step *after = &steps[n], *before = &steps[n - 1];
    if (moment_compare(c->after, after->at))
        fail("a change is behind %llu:%#llx, not %llu:%#llx", (unsigned long long)c->after.tick,
             (unsigned long long)c->after.pc, (unsigned long long)after->at.tick,
             (unsigned long long)after->at.pc);
    if (before->thread == c->thread ? moment_compare(c->at, before->at) != 0
                                    : moment_compare(c->at, before->at) >= 0)
        fail("a change is at %llu:%#llx, not %llu:%#llx", (unsigned long long)c->at.tick,
             (unsigned long long)c->at.pc, (unsigned long long)before->at.tick,
             (unsigned long long)before->at.pc);
    if (!is_state(&c->old, n - 1) || !is_state(&c->new, n))
        fail("a change behind %llu:%#llx has other values", (unsigned long long)c->after.tick,
             (unsigned long long)c->after.pc);
}

static void compare_history(const struct history_question *q)
{
    struct history_answer a;
    check(history_ask(h, q, &a));
    size_t wanted = q->most && q->most < changed_count ? q->most : changed_count;
    if (a.interrupted || a.count != wanted || a.more != (wanted < changed_count))
        fail("%zu changes%s, not %zu of %zu", a.count, a.more ? " and more" : "", wanted,
             changed_count);
    for (size_t i = 0; i < wanted; i++)
        compare_change(&a.changes[i], changed[q->order == FORWARD ? i : changed_count - 1 - i]);
}

static void ask_about(const char *name)
{
    char text[128], key[64];
    for (int turn = 0; turn < 4; turn++) {
        size_t from = turn ? draw(step_count) : 0,
               to = turn ? from + draw(step_count - from) : step_count - 1;
        struct history_question q = {
            .look = subject == range_count && draw(2) ? look_along : look_at_subject,
            .from = steps[from].at, .to = steps[to].at, .order = draw(2) ? FORWARD : BACKWARD,
            .most = draw(2) ? 0 : 1 + draw(6)};
        snprintf(key, sizeof key, "%s %d", name, q.look == look_along);
        q.key = draw(4) ? key : NULL;
        snprintf(text, sizeof text,
                 "history of %s from step %zu to %zu of %zu, order %d, most %llu", name, from, to,
                 step_count, (int)q.order, (unsigned long long)q.most);
        doing = text;
        find_changes(from, to);
        compare_history(&q);
        if (draw(2))
            compare_history(&q);
    }
}

/* --- conditions ----------------------------------------------------------------------------------
 */

static u8 wanted_byte;
static u64 holds_asked;

static bool holds_at(size_t n)
{
    return subject == range_count ? steps[n].chain > 11 && steps[n].chain != NOTHING
                                  : steps[n].bytes[subject][0] > wanted_byte;
}

static struct error *holds(void *context, enum became_truth *ret)
{
    u8 byte = 0;
    size_t got;
    (void)context;
    holds_asked++;
    if (subject == range_count) {
        i64 v = chain(NULL);
        *ret = v > 11 && v != NOTHING ? BECAME_TRUE : BECAME_FALSE;
        return NULL;
    }
    check(session_read(s, ranges[subject].address, &byte, 1, &got));
    *ret = byte > wanted_byte ? BECAME_TRUE : BECAME_FALSE;
    return NULL;
}

/* wanted_byte < *address */
static size_t compile(u8 *code)
{
    size_t n = 0;
    code[n++] = 0x22;
    code[n++] = wanted_byte;
    code[n++] = 0x25;
    for (int k = 7; k >= 0; k--)
        code[n++] = (u8)(ranges[subject].address >> 8 * k);
    code[n++] = 0x17;
    code[n++] = 0x15;
    code[n++] = 0x27;
    return n;
}

/* Returns the step at which it became true; 0: none. */
static size_t foretell(size_t from, size_t to, enum session_direction direction)
{
    size_t found = 0;
    for (size_t n = from + 1; n <= to; n++)
        if (holds_at(n) && !holds_at(n - 1) && (direction == BACKWARD || !found))
            found = n;
    return found;
}

static void ask_became(const char *name)
{
    char text[128];
    u8 code[32];
    for (int turn = 0; turn < 4; turn++) {
        size_t from = turn ? draw(step_count) : 0,
               to = turn ? from + draw(step_count - from) : step_count - 1;
        if (changed_count && subject < range_count)
            wanted_byte = steps[changed[draw(changed_count)]].bytes[subject][0] - (u8)draw(2);
        struct became_question q = {.holds = holds, .from = steps[from].at, .to = steps[to].at,
                                    .direction = draw(2) ? FORWARD : BACKWARD};
        if (subject < range_count && draw(2)) {
            q.bytecode = code;
            q.bytecode_size = compile(code);
            if (!became_is_plain(code, q.bytecode_size))
                fail("bytecode is not plain");
        }
        snprintf(text, sizeof text,
                 "%s became > %u, steps %zu to %zu of %zu, direction %d, bytecode %zu", name,
                 wanted_byte, from, to, step_count, (int)q.direction, q.bytecode_size);
        doing = text;
        struct became_answer a;
        check(became_ask(s, &q, &a));
        size_t n = foretell(from, to, q.direction);
        if (a.interrupted || a.found != (n != 0) || a.at_start != (!n && holds_at(from)))
            fail("found %d, at the start %d; by the walk: step %zu", a.found, a.at_start, n);
        if (n && moment_compare(a.after, steps[n].at))
            fail("behind %llu:%#llx, not %llu:%#llx", (unsigned long long)a.after.tick,
                 (unsigned long long)a.after.pc, (unsigned long long)steps[n].at.tick,
                 (unsigned long long)steps[n].at.pc);
    }
}

/* --- where pieces end ----------------------------------------------------------------------- */

/* Leaves a checkpoint, so that a part or a piece ends there. */
static void leave_checkpoint(struct moment at)
{
    struct replayer *r;
    check(timeline_reach(&s->timeline, at, &r));
    timeline_keep(&s->timeline, r);
}

/* Every time that the condition becomes true must be met, also where a piece begins or ends just
 * before or after the store. */
static void compare_pieces(const char *name)
{
    enum { EVENTS_MOST = 12 };
    u8 code[32];
    u32 number;
    struct session_stop stop;
    size_t events[EVENTS_MOST], count = 0;
    subject = (size_t)(range_named(name) - ranges);
    wanted_byte = 4;
    doing = "a condition where pieces end";
    for (size_t n = step_count - 1; n > 0 && count < EVENTS_MOST; n--)
        if (holds_at(n) && !holds_at(n - 1))
            events[count++] = n;
    for (size_t i = 0; i < count; i++)
        leave_checkpoint(steps[events[i] - i % 2].at);
    struct breakpoint b = {.site.kind = SITE_STORE,
                           .site.flags = PLAN_BECOMES,
                           .site.address = ranges[subject].address,
                           .site.size = 1,
                           .site.thread = CONTROL_THREAD_ANY,
                           .condition = code,
                           .site.condition_size = (u32)compile(code)};
    check(movement_goto(s, steps[step_count - 1].at, &stop));
    check(session_add_breakpoint(s, &b, &number));
    for (size_t i = 0; i < count; i++) {
        check(movement_continue(s, BACKWARD, 1, &stop));
        if (stop.why != WHY_BREAKPOINT ||
            moment_compare((struct moment){stop.hit.after_tick, stop.hit.after_pc},
                           steps[events[i]].at))
            fail("event %zu of %zu is missed", i, count);
    }
    check(session_remove_breakpoint(s, number));
    for (size_t i = 0; i < count; i++) {
        struct became_answer a;
        struct became_question q = {.holds = holds,
                                    .from = steps[events[i] - 1].at,
                                    .to = steps[events[i]].at,
                                    .direction = i % 2 ? FORWARD : BACKWARD,
                                    .bytecode = code,
                                    .bytecode_size = compile(code)};
        check(became_ask(s, &q, &a));
        if (!a.found || moment_compare(a.after, steps[events[i]].at))
            fail("event %zu is missed where the stretch ends with it", i);
        q.from = steps[events[i]].at;
        check(became_ask(s, &q, &a));
        if (a.found || !a.at_start)
            fail("event %zu is met again where the stretch begins behind it", i);
    }
}

/* --- cost ----------------------------------------------------------------------------------- */

static size_t parts;

static bool count_part(void *context, struct moment from, struct moment to)
{
    (void)context;
    (void)from;
    (void)to;
    parts++;
    return true;
}

static struct error *lay_range(void *context, struct moment at, struct session_sites *ret)
{
    static struct plan_site site = {.kind = SITE_STORE, .size = 1, .thread = CONTROL_THREAD_ANY};
    (void)at;
    site.address = *(u64 *)context;
    *ret = (struct session_sites){.sites = &site, .count = 1};
    return NULL;
}

static bool take_all(void *context, const struct plan_hit *hits, size_t count)
{
    (void)context;
    (void)hits;
    (void)count;
    return true;
}

/* A search without a result takes one pass over the run, in a few parts, however many checkpoints
 * there are. */
static void check_cost(void)
{
    enum { CHECKPOINTS = 40, PARTS_MOST = 12 };
    struct moment first = session_first(s), last = session_last(s);
    u64 all = last.tick - first.tick, address = range_named("alternate65000")->address - 40000;
    struct history_range r = {address, 1};
    struct history_question q = {.look = history_look_at_range,
                                 .context = &r,
                                 .from = first,
                                 .to = last,
                                 .order = BACKWARD,
                                 .most = 3};
    struct history_answer a;
    bool interrupted;
    doing = "cost";
    for (u64 n = 1; n < CHECKPOINTS; n++)
        leave_checkpoint((struct moment){first.tick + all * n / CHECKPOINTS, 0});
    u64 before = s->family.ticks_run;
    check(history_ask(h, &q, &a));
    u64 run = s->family.ticks_run - before;
    if (a.count || run > all + all / 10)
        fail("%zu changes; %llu ticks were run for a run of %llu", a.count, (unsigned long long)run,
             (unsigned long long)all);
    struct session_trace t = {.from = first,
                              .to = last,
                              .direction = BACKWARD,
                              .lay = lay_range,
                              .take = take_all,
                              .part = count_part,
                              .context = &address};
    check(session_trace(s, &t, &interrupted));
    if (parts > PARTS_MOST)
        fail("%zu parts with %d checkpoints", parts, CHECKPOINTS);
}

/* --- expressions ---------------------------------------------------------------------------- */

/* Makes a subject as if the expression were written in main. */
static struct subject *subject_of(const char *expression)
{
    static struct source *source;
    struct symbols *symbols;
    struct code_place *places;
    struct subject *made;
    size_t count;
    if (!source)
        source_create(s, &source);
    check(source_symbols(source, &symbols));
    check(symbols_locate(symbols, "main", NULL, &places, &count));
    struct frame frame = {.pc = places[0].pc, .function = "main"};
    free(places);
    check(subject_create(s, source, 0, &(struct values_request){.frames = &frame, .frame_count = 1},
                         expression, &made));
    return made;
}

static void compare_expression(const char *expression, size_t about, const char *last)
{
    struct subject *e = subject_of(expression);
    struct history_question q = {.look = subject_look, .context = e, .from = steps[0].at,
                                 .to = steps[step_count - 1].at, .order = BACKWARD};
    struct history_answer a;
    doing = expression;
    subject = about;
    find_changes(0, step_count - 1);
    check(history_ask(h, &q, &a));
    if (!changed_count || a.count != changed_count)
        fail("%zu changes, not %zu", a.count, changed_count);
    for (size_t i = 0; i < a.count; i++)
        if (moment_compare(a.changes[i].after, steps[changed[changed_count - 1 - i]].at))
            fail("change %zu is at another moment", i);
    char *text = subject_text(e, &a.changes[0].old);
    if (strcmp(text, last))
        fail("the last value before the last change is %s, not %s", text, last);
    free(text);
    subject_destroy(e);
}

static void compare_expressions(void)
{
    struct became_answer a;
    compare_expression("head->next->v", range_count, "14");
    compare_expression("flag", (size_t)(range_named("flag") - ranges), "12");
    doing = "head && head->next && head->next->v > 11";
    struct subject *e = subject_of(doing);
    struct became_question q = {.holds = subject_holds, .context = e, .from = steps[0].at,
                                .to = steps[step_count - 1].at, .direction = BACKWARD};
    check(became_ask(s, &q, &a));
    subject = range_count;
    size_t n = foretell(0, step_count - 1, BACKWARD);
    if (!n || !a.found || moment_compare(a.after, steps[n].at))
        fail("found %d, at another moment", a.found);
    subject_destroy(e);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void compare(u64 rounds)
{
    u64 changes = 0;
    for (u64 round = 0; round < rounds; round++) {
        for (subject = 0; subject <= range_count + 1; subject++) {
            const char *name = subject < range_count    ? ranges[subject].name
                               : subject == range_count ? "chain"
                                                        : "sum";
            other = 1;
            ask_about(name);
            find_changes(0, step_count - 1);
            changes += changed_count;
            if (subject <= range_count)
                ask_became(name);
        }
        struct session_stop stop;
        check(movement_goto(s, steps[draw(step_count)].at, &stop));
    }
    printf("%zu moments, %llu changes, conditions asked %llu times\n", step_count,
           (unsigned long long)changes, (unsigned long long)holds_asked);
    if (!changes)
        fail("nothing changes");
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void time_history(char **argv, double replay)
{
    struct history_range r = {strtoull(argv[0], NULL, 0), strtoull(argv[1], NULL, 0)};
    struct history_question q = {.look = history_look_at_range,
                                 .context = &r,
                                 .key = "x",
                                 .to = session_last(s),
                                 .order = BACKWARD};
    struct history_answer a;
    double began = now();
    check(history_ask(h, &q, &a));
    double first = now() - began;
    began = now();
    check(history_ask(h, &q, &a));
    double again = now() - began;
    q.key = NULL;
    q.most = 1;
    began = now();
    check(history_ask(h, &q, &a));
    printf("replay %.2f s, history %.2f s (%.2f times), again %.4f s, the last change %.3f s; %zu "
           "changes\n",
           replay, first, first / replay, again, now() - began, a.count);
}

static void take_ranges(char **argv)
{
    for (; *argv && range_count < RANGES_MOST; argv++) {
        struct range *r = &ranges[range_count++];
        char *is = strchr(*argv, '='), *plus = is ? strchr(is, '+') : NULL;
        if (!plus)
            exit(2);
        *is = '\0';
        *r = (struct range){*argv, strtoull(is + 1, NULL, 0), strtoull(plus + 1, NULL, 0)};
    }
}

int main(int argc, char **argv)
{
    struct recording *rec;
    static struct replayer_family family;
    struct replayer *first;
    bool times = argc == 5 && !strcmp(argv[1], "--time");
    if (argc < 5)
        return 2;
    check(recording_open(argv[times ? 2 : 1], &rec));
    double began = now();
    check(session_open(rec, &(struct session_options){.track = 0}, &s));
    double replay = now() - began;
    history_create(s, &h);
    if (times) {
        time_history(argv + 3, replay);
    } else {
        seed = state = strtoull(argv[2], NULL, 0);
        take_ranges(argv + 4);
        check(replayer_family_init(&family, rec, 0, 0));
        check(replayer_start(&family, &first));
        walk(first);
        compare(strtoull(argv[3], NULL, 0));
        compare_expressions();
        compare_pieces("counter");
        compare_pieces("flag");
        check_cost();
        replayer_destroy(first);
        replayer_family_deinit(&family);
    }
    history_destroy(h);
    session_close(s);
    return 0;
}
