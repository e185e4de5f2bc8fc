/* Passes against an oracle: a recording is walked once by single instructions, with the state at
 * each. Then passes with random plans run over it. Their hits and points must be those of the walk.
 *
 *   pass_check RECORDING ROUNDS SEED     compares; prints nothing if all is well
 *   pass_check --list RECORDING KIND     prints the hits of `call`, `return`, `signal`, `fork`,
 *                                        `exec`, `switch` or `thread`
 *   pass_check --time RECORDING ADDRESS  prints the cost of passing a code site
 *   pass_check --steps RECORDING COUNT   prints the cost of stepping over an instruction
 *
 * The walk stops at each instruction by a SITE_STEP; plans run to their goal by translated code
 * that knows their sites.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "log/recording.h"
#include "session/replayer_internal.h"

enum { SITES_MOST = 8, CODE_MOST = 64, POINTS_MOST = 40, STEPS_MOST = 400000 };

struct step {
    struct moment at;
    u32 thread;
    struct control_registers registers;
    u64 word; /* at rsp */
};

static struct step *steps;
static size_t step_count;
static struct replayer *first;
static u64 state;
static const char *doing = "";

static void check(struct error *err)
{
    if (err)
        exit(error_complain(err, 1));
}

static u64 draw(u64 below)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
}

/* --- plans ----------------------------------------------------------------------------- */

static struct request {
    struct plan plan;
    struct plan_site site[SITES_MOST];
    u8 code[CODE_MOST * SITES_MOST];
} request;

static void begin(u32 mode, u64 nth, u32 flags)
{
    memset(&request, 0, sizeof(request));
    request.plan = (struct plan){
        .version = CONTROL_VERSION, .mode = mode, .flags = flags, .nth = nth, .limit_tick = ~0ul};
}

static struct plan_site *add_site(u32 kind, u64 address)
{
    struct plan_site *s = &request.site[request.plan.sites++];
    *s = (struct plan_site){.kind = kind, .address = address, .thread = CONTROL_THREAD_ANY};
    return s;
}

static void add_condition(struct plan_site *s, const u8 *code, u32 size)
{
    s->condition = request.plan.bytecode_size;
    s->condition_size = size;
    memcpy(request.code + s->condition, code, size);
    request.plan.bytecode_size += size;
}

static void run(struct replayer *r)
{
    static struct request packed;
    size_t sites = request.plan.sites * sizeof(struct plan_site);
    packed.plan = request.plan;
    memcpy(packed.site, request.site, sites);
    memcpy((u8 *)packed.site + sites, request.code, request.plan.bytecode_size);
    check(replayer_run(r, &packed.plan, sizeof(packed.plan) + sites + request.plan.bytecode_size));
}

static struct replayer *copy_of(struct replayer *r)
{
    struct replayer *copy;
    check(replayer_fork(r, &copy));
    return copy;
}

/* --- the walk -------------------------------------------------------------------------- */

static void look(struct replayer *r, struct step *s)
{
    void *bytes;
    size_t size;
    s->at = replayer_at(r);
    s->thread = r->stopped.thread;
    check(replayer_ask(r, CONTROL_REGISTERS, CONTROL_THREAD_ANY, &bytes, &size));
    memcpy(&s->registers, bytes, sizeof(s->registers));
    free(bytes);
    size_t got;
    check(replayer_read(r, s->registers.reg[RSP], &s->word, sizeof(s->word), &got));
}

static void walk(void)
{
    struct replayer *r = copy_of(first);
    steps = xalloc(STEPS_MOST * sizeof(*steps));
    for (u32 flags = 0; step_count < STEPS_MOST; flags = PLAN_PAST_HERE) {
        begin(PLAN_STOP, 1, flags);
        add_site(SITE_STEP, 0);
        run(r);
        if (r->stopped.reason != STOPPED_HIT)
            break;
        look(r, &steps[step_count++]);
    }
    replayer_destroy(r);
}

/* --- what the walk foretells -------------------------------------------------------------- */

enum {
    OP_EQUAL = 0x13,
    OP_AND = 0x0f,
    OP_REF64 = 0x1a,
    OP_REF8 = 0x17,
    OP_CONST8 = 0x22,
    OP_REG = 0x26,
    OP_END = 0x27,
    OP_RSH = 0x0b,
    RSP_NUMBER = 7,
    FLAGS_NUMBER = 17
};

/* gdb's number of a register, and ours. */
static const u8 numbers[][2] = {{0, 0}, {1, 3}, {2, 1},   {3, 2},   {4, 6},  {5, 7},
                                {6, 5}, {8, 8}, {12, 12}, {13, 13}, {15, 15}};

static struct expected {
    enum { ALWAYS, REGISTER, FLAGS, WORD, FAULT } condition;
    u32 reg, shift, wanted;
} expected[SITES_MOST];

static void add_random_condition(struct plan_site *s, struct expected *e)
{
    e->condition = (int)draw(5);
    u32 number = (u32)draw(sizeof(numbers) / sizeof(numbers[0]));
    e->reg = numbers[number][1];
    e->shift = (u32)draw(6);
    e->wanted = (u32)draw(2);
    u8 gdb = e->condition == REGISTER ? numbers[number][0]
             : e->condition == FLAGS  ? FLAGS_NUMBER
                                      : RSP_NUMBER;
    u8 value[] = {OP_REG, 0,      gdb,       OP_CONST8,     (u8)e->shift, OP_RSH, OP_CONST8,
                  1,      OP_AND, OP_CONST8, (u8)e->wanted, OP_EQUAL,     OP_END};
    u8 word[] = {OP_REG,    0, gdb,    OP_REF64,  OP_CONST8,     (u8)e->shift, OP_RSH,
                 OP_CONST8, 1, OP_AND, OP_CONST8, (u8)e->wanted, OP_EQUAL,     OP_END};
    u8 fault[] = {OP_CONST8, 5, OP_REF8, OP_END};
    if (e->condition == REGISTER || e->condition == FLAGS)
        add_condition(s, value, sizeof(value));
    if (e->condition == WORD)
        add_condition(s, word, sizeof(word));
    if (e->condition == FAULT)
        add_condition(s, fault, sizeof(fault));
}

static bool condition_holds(const struct step *at, const struct expected *e)
{
    u64 value = e->condition == REGISTER ? at->registers.reg[e->reg]
                : e->condition == FLAGS  ? at->registers.flags : at->word;
    if (e->condition == ALWAYS || e->condition == FAULT)
        return e->condition == ALWAYS;
    return (value >> e->shift & 1) == e->wanted;
}

static bool is_hit(const struct step *at, u32 n)
{
    const struct plan_site *s = &request.site[n];
    u64 rsp = at->registers.reg[RSP];
    if (s->kind == SITE_CODE ? at->at.pc != s->address : at->at.pc - s->address < s->size)
        return false;
    return (s->thread == CONTROL_THREAD_ANY || s->thread == at->thread) && rsp >= s->stack_least &&
           (!s->stack_most || rsp <= s->stack_most) && condition_holds(at, &expected[n]);
}

static void random_site(u32 n)
{
    bool steps_on = draw(12) == 0;
    const struct step *like = &steps[draw(step_count)];
    struct plan_site *s = add_site(steps_on ? SITE_STEP : SITE_CODE, like->at.pc);
    if (steps_on)
        s->size = draw(3) * 40;
    if (draw(6) == 0)
        s->flags = PLAN_ASIDE;
    if (draw(4) == 0)
        s->thread = steps[draw(step_count)].thread;
    if (draw(4) == 0)
        s->stack_least = like->registers.reg[RSP] - 8 * draw(20);
    if (draw(4) == 0)
        s->stack_most = like->registers.reg[RSP] + 8 * draw(20);
    add_random_condition(s, &expected[n]);
}

/* --- points -----------------------------------------------------------------------------------
 *
 * Without frames: any thread, or one. */

static struct plan_point points[POINTS_MOST];
static u32 point_count;

/* Some, or those of the pass before, or none. */
static void random_points(struct replayer *r)
{
    if (draw(3) == 0) {
        point_count = 1 + (u32)draw(POINTS_MOST);
        for (u32 n = 0; n < point_count; n++)
            points[n] = (struct plan_point){.pc = steps[draw(step_count)].at.pc};
    }
    if (point_count && draw(2))
        request.plan.points = point_tables_id(&r->family->tables, points, point_count, NULL, 0);
    request.plan.points_thread = draw(2) ? CONTROL_THREAD_ANY : steps[draw(step_count)].thread;
}

static bool is_point(const struct step *at)
{
    u32 thread = request.plan.points_thread;
    for (u32 n = 0; n < point_count; n++)
        if (points[n].pc == at->at.pc)
            return thread == CONTROL_THREAD_ANY || thread == at->thread;
    return false;
}

static u64 foretell_points(size_t from, size_t to)
{
    u64 count = 0;
    for (size_t at = from; request.plan.points && at < to; at++)
        count += is_point(&steps[at]);
    return count;
}

/* --- comparing ------------------------------------------------------------------------------ */

static void complain(const struct replayer *r, const char *what, u64 got, u64 wanted)
{
    printf("%s: %s %#lx, not %#lx; stopped at %lu:%#lx, reason %u, count %lu\n", doing, what,
           (unsigned long)got, (unsigned long)wanted, (unsigned long)r->stopped.tick,
           (unsigned long)r->stopped.pc, r->stopped.reason, (unsigned long)r->stopped.count);
    for (u32 n = 0; n < request.plan.sites; n++)
        printf("  site %u kind %u at %#lx size %lu thread %d stack %#lx to %#lx condition %d\n", n,
               request.site[n].kind, (unsigned long)request.site[n].address,
               (unsigned long)request.site[n].size, (int)request.site[n].thread,
               (unsigned long)request.site[n].stack_least,
               (unsigned long)request.site[n].stack_most, expected[n].condition);
    exit(1);
}

static void same(const struct replayer *r, const char *what, u64 got, u64 wanted)
{
    if (got != wanted)
        complain(r, what, got, wanted);
}

static void same_state(struct replayer *r, const struct step *wanted)
{
    struct step now;
    look(r, &now);
    same(r, "tick", now.at.tick, wanted->at.tick);
    same(r, "pc", now.at.pc, wanted->at.pc);
    same(r, "thread", now.thread, wanted->thread);
    for (u32 n = 0; n < 16; n++)
        same(r, "register", now.registers.reg[n], wanted->registers.reg[n]);
    same(r, "flags", now.registers.flags, wanted->registers.flags);
    same(r, "word", now.word, wanted->word);
}

/* The hits from a step to another; the last ones in `last`, newest first. */
static u64 foretell(size_t from, size_t to, u64 most, size_t *ret_stop, struct plan_hit *last,
                    u64 *ret_aside)
{
    u64 count = 0;
    *ret_aside = 0;
    *ret_stop = step_count;
    for (size_t at = from; at < to && count < most; at++)
        for (u32 pass = 0; pass < 2; pass++) /* code sites are judged before steps */
            for (u32 n = 0; n < request.plan.sites; n++) {
                if (request.site[n].kind != (pass ? SITE_STEP : SITE_CODE) ||
                    !is_hit(&steps[at], n))
                    continue;
                if (request.site[n].flags & PLAN_ASIDE) {
                    ++*ret_aside;
                    continue;
                }
                memmove(last + 1, last, (PLAN_HITS_KEPT - 1) * sizeof(*last));
                last[0] = (struct plan_hit){.tick = steps[at].at.tick,
                                            .pc = steps[at].at.pc,
                                            .site = n,
                                            .thread = steps[at].thread};
                if (++count >= most)
                    *ret_stop = at;
            }
    return count;
}

static void compare_hits(struct replayer *r, u64 count, const struct plan_hit *last)
{
    same(r, "count", r->stopped.count, count);
    for (u64 n = 0; n < count && n < PLAN_HITS_KEPT; n++) {
        same(r, "tick of a hit", r->stopped.hits[n].tick, last[n].tick);
        same(r, "pc of a hit", r->stopped.hits[n].pc, last[n].pc);
        same(r, "site of a hit", r->stopped.hits[n].site, last[n].site);
        same(r, "thread of a hit", r->stopped.hits[n].thread, last[n].thread);
    }
}

/* The process stands at step `from`, and is left at another, whose number is returned. */
static size_t one_pass(struct replayer *r, size_t from)
{
    struct plan_hit last[PLAN_HITS_KEPT] = {{0}};
    bool past = draw(2), counts = draw(3) == 0, limited = counts ? draw(4) != 0 : draw(2);
    size_t limit = from + draw(step_count - from), stop;
    u64 nth = 1 + draw(draw(2) ? 3 : 40);
    begin(counts ? PLAN_COUNT : PLAN_STOP, nth, past ? PLAN_PAST_HERE : 0);
    if (limited) {
        request.plan.limit_tick = steps[limit].at.tick;
        request.plan.limit_pc = steps[limit].at.pc;
    }
    for (u32 n = (u32)draw(SITES_MOST) + 1; n-- > 0;)
        random_site(request.plan.sites);
    random_points(r);
    u64 aside, count = foretell(from + past, limited ? limit : step_count, counts ? ~0ul : nth,
                                &stop, last, &aside);
    run(r);
    compare_hits(r, count, last);
    same(r, "hits aside", r->stopped.aside, aside);
    if (stop == step_count)
        same(r, "points", r->stopped.points,
             foretell_points(from + past, limited ? limit : step_count));
    if (stop < step_count)
        same(r, "reason", r->stopped.reason, STOPPED_HIT);
    else
        same(r, "reason", r->stopped.reason, limited ? STOPPED_LIMIT : STOPPED_END);
    if (r->stopped.reason == STOPPED_LIMIT)
        stop = limit;
    if (stop < step_count)
        same_state(r, &steps[stop]);
    return stop;
}

/* From a random place on, plan after plan in one process, so that each finds the translations of
 * those before it. */
static void compare(u64 rounds)
{
    for (u64 round = 0; round < rounds; round++) {
        struct replayer *r = copy_of(first);
        size_t at = draw(3) ? draw(step_count) : 0;
        static char text[64];
        sprintf(text, "round %lu from step %lu", (unsigned long)round, (unsigned long)at);
        doing = text;
        request.plan.sites = 0;
        check(replayer_run_to(r, steps[at].at));
        same_state(r, &steps[at]);
        while (at < step_count)
            at = one_pass(r, at);
        replayer_destroy(r);
    }
}

/* --- other kinds ---------------------------------------------------------------------------- */

static void list_hits(u32 kind)
{
    struct replayer *r = copy_of(first);
    for (u32 flags = 0;; flags = PLAN_PAST_HERE) {
        begin(PLAN_STOP, 1, flags);
        add_site(kind, ~0ul);
        run(r);
        if (r->stopped.reason != STOPPED_HIT)
            break;
        printf("%lu:%#lx thread %u number %lu\n", (unsigned long)r->stopped.tick,
               (unsigned long)r->stopped.pc, r->stopped.thread,
               (unsigned long)r->stopped.hits[0].address);
        same(r, "hit", r->stopped.hits[0].pc, r->stopped.pc);
    }
    begin(PLAN_COUNT, 1, 0);
    add_site(kind, ~0ul);
    struct replayer *again = copy_of(first);
    run(again);
    printf("%lu in all\n", (unsigned long)again->stopped.count);
    replayer_destroy(again);
    replayer_destroy(r);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double timed_run(const char *what)
{
    double best = 1e9;
    struct replayer *r = NULL;
    for (int turn = 0; turn < 9; turn++) {
        replayer_destroy(r);
        r = copy_of(first);
        double before = now();
        run(r);
        double took = now() - before;
        best = took < best ? took : best;
    }
    printf("%-24s %.4f s, count %lu, failed %u\n", what, best, (unsigned long)r->stopped.count,
           r->stopped.condition_failed);
    replayer_destroy(r);
    return best;
}

static void time_site(u64 address)
{
    static const u8 never[] = {OP_REG, 0,         RSP_NUMBER, OP_REF64, OP_CONST8, 1,
                               OP_RSH, OP_CONST8, 200,        OP_EQUAL, OP_END};
    begin(PLAN_COUNT, 1, 0);
    double plain = timed_run("no sites");
    add_site(SITE_CODE, 0x10);
    timed_run("a site never met");
    request.plan.sites = 0;
    add_site(SITE_CODE, address);
    double always = timed_run("no condition");
    add_condition(&request.site[0], never, sizeof(never));
    double with = timed_run("false condition");
    request.site[0].condition_size = 0;
    struct replayer *r = copy_of(first);
    run(r);
    double hits = (double)r->stopped.count;
    printf("%.1f ns a hit, %.1f ns with a false condition\n", (always - plain) / hits * 1e9,
           (with - plain) / hits * 1e9);
    replayer_destroy(r);
}

static void time_steps(u64 count)
{
    begin(PLAN_STOP, count, 0);
    add_site(SITE_STEP, 0);
    double took = timed_run("steps");
    printf("%.1f ns a step\n", took / (double)count * 1e9);
}

static u32 kind_named(const char *name)
{
    static const char *const names[] = {
        [SITE_CALL] = "call",    [SITE_RETURN] = "return", [SITE_SIGNAL] = "signal",
        [SITE_FORK] = "fork",    [SITE_EXEC] = "exec",     [SITE_SWITCH] = "switch",
        [SITE_THREAD] = "thread"};
    for (u32 n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        if (names[n] && !strcmp(names[n], name))
            return n;
    exit(2);
}

int main(int argc, char **argv)
{
    static struct replayer_family family;
    struct recording *rec;
    bool option = argc > 1 && argv[1][0] == '-';
    if (argc != 4)
        return 2;
    check(recording_open(argv[option ? 2 : 1], &rec));
    check(replayer_family_init(&family, rec, 0, 0));
    check(replayer_start(&family, &first));
    if (!strcmp(argv[1], "--list")) {
        list_hits(kind_named(argv[3]));
    } else if (!strcmp(argv[1], "--time")) {
        time_site(strtoul(argv[3], NULL, 0));
    } else if (!strcmp(argv[1], "--steps")) {
        time_steps(strtoul(argv[3], NULL, 0));
    } else {
        state = strtoul(argv[3], NULL, 0);
        walk();
        compare(strtoul(argv[2], NULL, 0));
        printf("%lu steps\n", (unsigned long)step_count);
    }
    replayer_destroy(first);
    replayer_family_deinit(&family);
    return 0;
}
