/* Data sites against an oracle: looking at the memory after each single instruction.
 *
 *   data_check RECORDING ROUNDS SEED
 *       compares; prints nothing if all is well
 *   data_check --states RECORDING ROUNDS SEED
 *       the same for states that are kept: registers and memory at each moment
 *   data_check --whole RECORDING ADDRESS COUNT
 *       makes a pass to the end with a watch on the byte at ADDRESS: it must find COUNT stores, and
 *       the program must end as it did
 *   data_check --time RECORDING COUNT...
 *       prints how much longer a pass takes with COUNT watched places, none of which is hit
 *
 * A part of the recording is walked with a SITE_STEP, and the registers are noted at each moment.
 * They tell which memory the instructions touch; sites are chosen at random around it. The part is
 * walked again, and the sites are read at each moment: a store is where they differ. Loads are what
 * touches_of() says of each instruction. Then passes with translated code must find exactly these
 * stores and loads.
 *
 * The delivery of a signal is a step of its own, since its frame is written where the program was
 * interrupted.  What a system call writes is written at the moment of the call, even if other
 * threads have run before it returned.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/touches.h"
#include "log/recording.h"
#include "session/replayer_internal.h"
#include "tests/plan/plan_request.h"

enum { SITES_MOST = 8, STRETCH = 1500, SITE_SIZE_MOST = 256, HITS_MOST = STRETCH * SITES_MOST };

struct step {
    struct moment at;
    u32 thread;
    bool signal; /* about to be delivered: no instruction is executed */
    struct control_registers registers;
    u8 code[16];
    u8 *vector;
};

static struct step steps[STRETCH];
static size_t step_count;
static struct replayer *first;
static u64 random_state;

static u64 draw(u64 below)
{
    random_state = random_state * 6364136223846793005 + 1442695040888963407;
    return (random_state >> 33) % below;
}

/* --- walking --------------------------------------------------------------------------------- */

/* To the next instruction, or to a signal before it; false: there is none. */
static bool walk_on(struct replayer *r, bool past)
{
    begin(PLAN_STOP, 1, past ? PLAN_PAST_HERE : 0);
    add_site(SITE_STEP, 0, 0, 0);
    add_site(SITE_SIGNAL, ~0ul, 0, 0);
    run(r);
    return r->stopped.reason == STOPPED_HIT;
}

static void look(struct replayer *r, struct step *s)
{
    void *bytes;
    size_t size;
    *s = (struct step){.at = replayer_at(r), .thread = r->stopped.thread};
    check(replayer_ask(r, CONTROL_REGISTERS, CONTROL_THREAD_ANY, &bytes, &size));
    memcpy(&s->registers, bytes, sizeof(s->registers));
    s->vector = xalloc(size);
    memcpy(s->vector, (u8 *)bytes + sizeof(s->registers), size - sizeof(s->registers));
    free(bytes);
    check(replayer_read(r, s->at.pc, s->code, sizeof(s->code), &size));
}

static void walk(struct replayer *from, bool (*next)(struct replayer *r, bool past))
{
    struct replayer *r = copy_of(from);
    while (step_count)
        free(steps[--step_count].vector);
    for (; step_count < STRETCH && next(r, step_count); step_count++) {
        look(r, &steps[step_count]);
        steps[step_count].signal = r->stopped.hits[0].site == 1;
    }
    replayer_destroy(r);
}

/* --- what instructions touch ---------------------------------------------------------------------
 */

/* Component `which` of an xsave image in the standard format; NULL: it is in its initial state, all
 * zeros. */
static const u8 *component(const struct step *s, unsigned which)
{
    u64 present;
    unsigned size, offset, unused;
    memcpy(&present, s->vector + XSAVE_HEADER, sizeof(present));
    if (!((s->registers.vector_features & present) >> which & 1))
        return NULL;
    __cpuid_count(0xd, which, size, offset, unused, unused);
    return s->vector + offset;
}

static void spread(u8 *to, const u8 *from, unsigned number, unsigned size)
{
    if (from)
        memcpy(to, from + number * size, size);
}

/* The vector registers: without them, an instruction with a vector of addresses may touch anything.
 */
static const struct touch_vectors *vectors_at(const struct step *s)
{
    static struct touch_vectors ret;
    const u8 *upper = component(s, 2), *masks = component(s, 5), *halves = component(s, 6),
             *more = component(s, 7);
    memset(&ret, 0, sizeof(ret));
    for (unsigned n = 0; n < 16; n++) {
        memcpy(ret.reg[n], s->vector + xsave_xmm(n), 16);
        spread(ret.reg[n] + 16, upper, n, 16);
        spread(ret.reg[n] + 32, halves, n, 32);
        spread(ret.reg[n + 16], more, n, 64);
    }
    for (unsigned n = 0; n < 8; n++)
        spread((u8 *)&ret.mask[n], masks, n, 8);
    return &ret;
}

static void touches_at(size_t n, struct touches *ret)
{
    const struct step *s = &steps[n];
    struct insn i;
    u64 reg[GENERAL_REGISTERS];
    memcpy(reg, s->registers.reg, sizeof(reg));
    ret->count = 0;
    if (s->signal || !decode(s->code, sizeof(s->code), &i))
        return;
    if (i.rep && n + 1 < step_count && steps[n + 1].thread == s->thread) /* searches end early */
        reg[RCX] -= steps[n + 1].registers.reg[RCX];
    struct touch_state state = {.reg = reg,
                                .rip = s->at.pc,
                                .flags = s->registers.flags,
                                .fs_base = s->registers.fs_base,
                                .gs_base = s->registers.gs_base,
                                .save_size = s->registers.vector_size,
                                .vectors = touches_need_vectors(&i) ? vectors_at(s) : NULL};
    touches_of(&i, s->code, &state, ret);
}

static bool is_call(const struct step *s)
{
    struct insn i;
    return !s->signal && decode(s->code, sizeof(s->code), &i) && i.kind == INSN_SYSCALL;
}

/* Memory may be written that no instruction names: by a system call, or under a signal. */
static bool has_events(void)
{
    for (size_t n = 0; n + 1 < step_count; n++) {
        struct insn i;
        u64 pc = steps[n].at.pc, next = steps[n + 1].at.pc;
        if (steps[n].signal || is_call(&steps[n]) ||
            !decode(steps[n].code, sizeof(steps[n].code), &i))
            return true;
        if (i.kind == INSN_PLAIN && next != pc + i.length && next != pc)
            return true;
    }
    return false;
}

/* A range that is touched, or what is beside it. */
static void draw_site(u32 kind)
{
    struct touches t;
    size_t tries = 0;
    do
        touches_at(draw(step_count), &t);
    while (!t.count && tries++ < 1000);
    const struct touch *touch = &t.touch[draw(t.count ? t.count : 1)];
    u64 start = t.count ? touch->start + draw(touch->size) : 4096,
        size = 1 + draw(draw(3) ? 8 : SITE_SIZE_MOST - 1);
    u64 back = draw(3) ? 0 : draw(16);
    add_site(kind, start - back, size, kind == SITE_STORE && draw(4) == 0 ? PLAN_ANY_STORE : 0);
}

/* --- what must be found --------------------------------------------------------------------- */

static u8 before[SITES_MOST][SITE_SIZE_MOST], now[SITES_MOST][SITE_SIZE_MOST];

struct expected {
    size_t step; /* after which it is seen */
    size_t by;   /* a call of another thread that may have done it, and returns there; NOBODY, or
                    UNKNOWN: one from before */
    u32 site;
    u32 written;
};
#define NOBODY (~0ul)
#define UNKNOWN (~1ul)
static struct expected expected[HITS_MOST];
static size_t expected_count;
static struct plan_site sites[SITES_MOST];
static u32 site_count;

/* By the kernel, which reads also what the program has protected: that is no store.  What is not
 * there counts as zeros. */
static void read_sites(struct replayer *r, u8 to[SITES_MOST][SITE_SIZE_MOST])
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)r->pid);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    if (memory < 0)
        check(error_errno(errno, "opening %s", path));
    for (u32 n = 0; n < site_count; n++) {
        memset(to[n], 0, SITE_SIZE_MOST);
        for (size_t got = 0; got < sites[n].size;) {
            ssize_t part =
                pread(memory, to[n] + got, sites[n].size - got, (off_t)(sites[n].address + got));
            got += part > 0 ? (size_t)part : 1;
        }
    }
    close(memory);
}

static bool touched(const struct touches *t, const struct plan_site *s, u32 how)
{
    for (u32 n = 0; n < t->count; n++)
        if (t->touch[n].how & how && t->touch[n].start < s->address + s->size &&
            s->address < t->touch[n].start + t->touch[n].size)
            return true;
    return false;
}

/* The call in which the thread was that goes on after step `n`. */
static size_t returns_behind(size_t n)
{
    u32 thread = steps[n + 1].thread;
    if (thread == steps[n].thread)
        return NOBODY;
    for (size_t m = n; m-- > 0;)
        if (steps[m].thread == thread)
            return is_call(&steps[m]) ? m : NOBODY;
    return UNKNOWN;
}

static void expect_at(size_t n)
{
    struct touches t;
    touches_at(n, &t);
    for (int pass = 0; pass < 2; pass++)
        for (u32 k = 0; k < site_count; k++) {
            const struct plan_site *s = &sites[k];
            bool changed = memcmp(before[k], now[k], s->size);
            bool stored = touched(&t, s, TOUCH_WRITE), written = stored || changed,
                 read = touched(&t, s, TOUCH_READ);
            bool store = s->kind == SITE_STORE ? changed || (s->flags & PLAN_ANY_STORE && written)
                                               : s->kind == SITE_ACCESS && written;
            bool load = !store && s->kind != SITE_STORE && read;
            if (pass == 0 ? store : load)
                expected[expected_count++] =
                    (struct expected){n, store && !stored ? returns_behind(n) : NOBODY, k, store};
        }
}

/* The walk again, with a look at the sites at each moment. */
static void foretell(struct replayer *from)
{
    struct replayer *r = copy_of(from);
    expected_count = 0;
    for (size_t n = 0; n < step_count; n++) {
        walk_on(r, n > 0);
        read_sites(r, now);
        if (n)
            expect_at(n - 1);
        memcpy(before, now, sizeof(now));
    }
    replayer_destroy(r);
}

/* --- comparing ------------------------------------------------------------------------------ */

static bool wrong(const struct replayer *r, const char *what, u64 got, u64 wanted)
{
    if (got == wanted)
        return false;
    printf("%s is %#lx, not %#lx; stopped at %lu:%#lx, reason %u, count %lu\n", what,
           (unsigned long)got, (unsigned long)wanted, (unsigned long)r->stopped.tick,
           (unsigned long)r->stopped.pc, r->stopped.reason, (unsigned long)r->stopped.count);
    return true;
}

static void show_expected(void)
{
    for (u32 n = 0; n < site_count; n++)
        printf("  site %u kind %u flags %u at %#lx+%lu\n", n, sites[n].kind, sites[n].flags,
               (unsigned long)sites[n].address, (unsigned long)sites[n].size);
    for (size_t n = 0; n < expected_count && n < 40; n++) {
        const struct step *s = &steps[expected[n].step];
        printf("  %zu: at %lu:%#lx site %u written %u, code", n + 1, (unsigned long)s->at.tick,
               (unsigned long)s->at.pc, expected[n].site, expected[n].written);
        for (int k = 0; k < 12; k++)
            printf(" %02x", s->code[k]);
        printf("\n");
    }
}

/* Several hits of one instruction come in no particular order. */
static bool same_hit(const struct plan_hit *hit, size_t number)
{
    size_t at = expected[number].step, from = number, to = number;
    while (from > 0 && expected[from - 1].step == at)
        from--;
    while (to + 1 < expected_count && expected[to + 1].step == at)
        to++;
    for (size_t n = from; n <= to; n++)
        if (expected[n].site == hit->site && expected[n].written == hit->written)
            return true;
    return false;
}

/* The state after a step: that in which its thread goes on, if others run in between.  NULL: it
 * does not in this stretch. */
static const struct step *behind(size_t n)
{
    size_t next = n + 1;
    while (next < step_count && steps[next].thread != steps[n].thread)
        next++;
    return next < step_count ? &steps[next] : NULL;
}

/* A slice may end after the hit.  Then the thread stands there, and no step tells at which tick,
 * since switches count as well: one if another thread goes on, and more if others come and go
 * without executing anything. */
static bool judge_behind(const struct replayer *r, const struct plan_hit *hit, size_t n)
{
    const struct step *after = behind(n), *next = &steps[n + 1];
    u64 switches = next->at.tick - hit->after_tick;
    if (switches == 0 && hit->after_pc == next->at.pc)
        return false;
    if (hit->after_tick < steps[n].at.tick || hit->after_tick > next->at.tick ||
        (after == next && switches == 1))
        return wrong(r, "the tick behind a hit", hit->after_tick, next->at.tick);
    return after && wrong(r, "the pc behind a hit", hit->after_pc, after->at.pc);
}

static bool is_at(const struct plan_hit *hit, const struct step *s)
{
    return hit->tick == s->at.tick && hit->pc == s->at.pc;
}

static bool judge_moment(const struct replayer *r, const struct plan_hit *hit,
                         const struct expected *e)
{
    const struct step *at = &steps[e->step];
    if (is_at(hit, at) || (e->by == UNKNOWN && hit->tick < at->at.tick) ||
        (e->by < step_count && is_at(hit, &steps[e->by])))
        return false;
    return wrong(r, "the tick of a hit", hit->tick, at->at.tick) ||
           wrong(r, "the pc of a hit", hit->pc, at->at.pc);
}

static bool judge_hit(const struct replayer *r, const struct plan_hit *hit, size_t number)
{
    const struct expected *e = &expected[number];
    return judge_moment(r, hit, e) || judge_behind(r, hit, e->step) ||
           wrong(r, "site and access of a hit as expected", same_hit(hit, number), 1);
}

static void use_sites(u32 mode, u64 nth)
{
    begin(mode, nth, 0);
    memcpy(request.site, sites, site_count * sizeof(sites[0]));
    request.plan.sites = site_count;
    request.plan.limit_tick = steps[step_count - 1].at.tick;
    request.plan.limit_pc = steps[step_count - 1].at.pc;
}

static bool count_all(struct replayer *from)
{
    struct replayer *r = copy_of(from);
    use_sites(PLAN_COUNT, 1);
    run(r);
    bool bad = wrong(r, "the number of hits", r->stopped.count, expected_count) ||
               wrong(r, "the reason", r->stopped.reason, STOPPED_LIMIT);
    for (size_t n = 0; !bad && n < PLAN_HITS_KEPT && n < expected_count; n++)
        bad = judge_hit(r, &r->stopped.hits[n], expected_count - 1 - n);
    replayer_destroy(r);
    return bad;
}

/* Where it stands after step `n`: the pc and all other registers. */
static bool stands_otherwise(struct replayer *r, size_t n)
{
    const struct step *wanted =
        r->stopped.thread == steps[n + 1].thread ? &steps[n + 1] : behind(n);
    struct step got;
    if (!wanted)
        return false;
    look(r, &got);
    bool same = !memcmp(&got.registers, &wanted->registers, sizeof(got.registers)) &&
                !memcmp(got.vector, wanted->vector, got.registers.vector_size);
    for (int n = 0; n < 16; n++)
        wrong(r, "a register behind a hit", got.registers.reg[n], wanted->registers.reg[n]);
    wrong(r, "flags behind a hit", got.registers.flags, wanted->registers.flags);
    same = !wrong(r, "the pc", got.at.pc, wanted->at.pc) && same;
    free(got.vector);
    return wrong(r, "the state behind a hit as expected", same, 1);
}

/* Stops on the way to the nth, and goes on from there. */
static bool stop_at_some(struct replayer *from)
{
    struct replayer *r = copy_of(from);
    bool bad = false;
    for (size_t done = 0; !bad && done < expected_count;) {
        size_t nth = 1 + draw(3);
        if (done + nth > expected_count)
            break;
        use_sites(PLAN_STOP, nth);
        run(r);
        done += r->stopped.count; /* of one instruction all are counted */
        bad = wrong(r, "the reason", r->stopped.reason, STOPPED_HIT) || done > expected_count ||
              judge_hit(r, &r->stopped.hits[0], done - 1) ||
              stands_otherwise(r, expected[done - 1].step);
    }
    replayer_destroy(r);
    return bad;
}

/* All in one pass, or so many at a time: the same hits. */
static bool trace_all(struct replayer *from)
{
    struct replayer *r = copy_of(from);
    bool first_ones = draw(2), bad = false;
    u64 most = 1 + draw(draw(2) ? 5 : HITS_MOST);
    size_t done = 0;
    do {
        use_sites(PLAN_TRACE, most);
        request.plan.flags = first_ones ? PLAN_FIRST : 0;
        run(r);
        size_t wanted = first_ones || r->stopped.count < most ? r->stopped.count : most;
        bad = wrong(r, "the number of hits that were kept", r->trace_count, wanted);
        done += r->stopped.count;
        for (size_t n = 0; !bad && n < r->trace_count; n++)
            bad = done > expected_count || judge_hit(r, &r->trace[n], done - r->trace_count + n);
    } while (!bad && r->stopped.reason == STOPPED_HIT);
    bad = bad || wrong(r, "the number of hits", done, expected_count) ||
          wrong(r, "the reason", r->stopped.reason, STOPPED_LIMIT);
    replayer_destroy(r);
    return bad;
}

/* A site that ends the trace: what comes before its first hit, and what its instruction does. */
static bool trace_to_end(struct replayer *from)
{
    struct replayer *r = copy_of(from);
    u32 ends = (u32)draw(site_count);
    size_t at = 0, wanted = 0;
    while (at < expected_count && expected[at].site != ends)
        at++;
    while (wanted < expected_count &&
           (at == expected_count || expected[wanted].step <= expected[at].step))
        wanted++;
    use_sites(PLAN_TRACE, HITS_MOST);
    request.site[ends].flags |= PLAN_ENDS;
    run(r);
    bool bad = wrong(r, "the reason", r->stopped.reason,
                     at < expected_count ? STOPPED_HIT : STOPPED_LIMIT) ||
               wrong(r, "the number of hits up to one that ends", r->trace_count, wanted);
    for (size_t n = 0; !bad && n < wanted; n++)
        bad = judge_hit(r, &r->trace[n], n);
    replayer_destroy(r);
    return bad;
}

static bool round_at(struct replayer *from)
{
    static const u32 kinds[] = {SITE_STORE, SITE_STORE, SITE_LOAD, SITE_ACCESS};
    begin(PLAN_COUNT, 1, 0);
    bool loads = draw(2), events = has_events();
    site_count = 1 + (u32)draw(SITES_MOST);
    for (u32 n = 0; n < site_count; n++)
        draw_site(loads ? kinds[draw(4)] : SITE_STORE);
    memcpy(sites, request.site, sizeof(sites));
    for (u32 n = 0; events && n < site_count; n++) { /* stores of what was there cannot be seen */
        sites[n].flags = 0;
        sites[n].kind = sites[n].kind == SITE_ACCESS ? SITE_LOAD : sites[n].kind;
    }
    foretell(from);
    bool bad = count_all(from) || stop_at_some(from) || trace_all(from) || trace_to_end(from);
    if (bad)
        show_expected();
    return bad;
}

/* A replayer somewhere in the recording. */
static struct replayer *somewhere(struct moment end)
{
    struct replayer *r = copy_of(first);
    struct moment to = {draw(end.tick + 1), 0};
    if (draw(4))
        check(replayer_run_to(r, to));
    return r;
}

/* So many rounds, and more if nothing was compared in them: where nothing is touched there is
 * nothing to find. */
static bool another_round(int done, const char *rounds, u64 compared)
{
    return done < atoi(rounds) || (!compared && done < 20 * atoi(rounds));
}

static int compare(const char *rounds)
{
    struct replayer *last = copy_of(first);
    check(replayer_run_to(last, (struct moment){~0ul, 0}));
    struct moment end = replayer_at(last);
    replayer_destroy(last);
    u64 hits = 0;
    for (int n = 0; another_round(n, rounds, hits); n++) {
        struct replayer *from = somewhere(end);
        walk(from, walk_on);
        for (int again = 0; step_count > 2 && again < 3; again++) {
            if (round_at(from))
                return 1;
            hits += expected_count;
        }
        replayer_destroy(from);
    }
    fprintf(stderr, "%lu hits\n", (unsigned long)hits);
    return hits ? 0 : 2;
}

/* --- states --------------------------------------------------------------------------------- */

static const u8 *states_file;
static const struct states *head;
static const struct state *kept;

static bool open_states(int fd)
{
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    void *file = size ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (file == MAP_FAILED)
        return false;
    states_file = file;
    head = file;
    kept = (const struct state *)(states_file + head->first_state);
    return head->size == (u64)size;
}

/* Makes of the sites' bytes after a state those before it. */
static void undo_state(const struct state *s, u8 bytes[SITES_MOST][SITE_SIZE_MOST])
{
    const struct state_undo *entry[4096];
    const u8 *at = states_file + head->first_undo + s->undo;
    u32 count = s->undo_count < 4096 ? s->undo_count : 4096;
    for (u32 n = 0; n < count; n++) {
        entry[n] = (const struct state_undo *)at;
        at += sizeof(struct state_undo) + (entry[n]->size + 7) / 8 * 8;
    }
    while (count-- > 0)
        for (u32 k = 0; k < site_count; k++)
            for (u64 n = 0; n < sites[k].size; n++) {
                u64 place = sites[k].address + n - entry[count]->address;
                if (place < entry[count]->size)
                    bytes[k][n] = ((const u8 *)(entry[count] + 1))[place];
            }
}

static u8 seen[STRETCH][SITES_MOST][SITE_SIZE_MOST];

static void look_at_sites(struct replayer *from)
{
    struct replayer *r = copy_of(from);
    for (size_t n = 0; n < step_count; n++) {
        step(r, n > 0);
        read_sites(r, seen[n]);
    }
    replayer_destroy(r);
}

static bool differs(const struct replayer *r, const struct state *s, const struct step *at,
                    u8 bytes[SITES_MOST][SITE_SIZE_MOST])
{
    bool bad = wrong(r, "the tick of a state", s->tick, at->at.tick) ||
               wrong(r, "the pc of a state", s->pc, at->at.pc) ||
               wrong(r, "the thread of a state", s->thread, at->thread) ||
               wrong(r, "a difference of registers",
                     memcmp(&s->registers, &at->registers, sizeof(at->registers)) != 0, 0) ||
               wrong(r, "a difference of vector registers",
                     memcmp(states_file + head->first_vector + s->vector * head->vector_size,
                            at->vector, head->vector_size) != 0,
                     0);
    for (u32 k = 0; !bad && k < site_count; k++)
        bad = wrong(r, "a difference of memory",
                    memcmp(bytes[k], seen[at - steps][k], sites[k].size) != 0, 0);
    if (bad)
        printf("at %lu:%#lx\n", (unsigned long)at->at.tick, (unsigned long)at->at.pc);
    return bad;
}

/* From the last state back to the first that was kept. */
static bool compare_states(struct replayer *r)
{
    static u8 bytes[SITES_MOST][SITE_SIZE_MOST];
    size_t walked = step_count - 1;
    memcpy(bytes, seen[walked], sizeof(bytes));
    for (u64 n = head->count; n-- > 0;) {
        undo_state(&kept[n], bytes);
        if (wrong(r, "having too many states", !walked, 0) ||
            differs(r, &kept[n], &steps[--walked], bytes))
            return true;
    }
    return false;
}

static u64 states_compared;

static bool states_round(struct replayer *from)
{
    begin(PLAN_COUNT, 1, 0);
    site_count = SITES_MOST;
    for (u32 n = 0; n < site_count; n++)
        draw_site(SITE_STORE);
    memcpy(sites, request.site, sizeof(sites));
    look_at_sites(from);
    struct replayer *r = copy_of(from);
    int fd;
    check(replayer_states(r, steps[step_count - 1].at, draw(2) ? 100 : STRETCH, &fd));
    bool bad = !open_states(fd) || wrong(r, "the reason", r->stopped.reason, STOPPED_LIMIT) ||
               compare_states(r);
    states_compared += bad ? 0 : head->count;
    if (states_file)
        munmap((void *)states_file, head->size);
    replayer_destroy(r);
    return bad;
}

static int check_states(const char *rounds)
{
    struct replayer *last = copy_of(first);
    check(replayer_run_to(last, (struct moment){~0ul, 0}));
    struct moment end = replayer_at(last);
    replayer_destroy(last);
    for (int n = 0; another_round(n, rounds, states_compared); n++) {
        struct replayer *from = somewhere(end);
        walk(from, step);
        if (step_count > 2 && states_round(from))
            return 1;
        replayer_destroy(from);
    }
    fprintf(stderr, "%lu states\n", (unsigned long)states_compared);
    return states_compared ? 0 : 2;
}

/* --- timing --------------------------------------------------------------------------------- */

/* The processor time of the engine, which does not depend on other work of the machine. */
static double seconds(const struct replayer *r)
{
    char path[64];
    unsigned long spent = 0;
    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)r->pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lu", &spent) != 1)
        spent = 0;
    if (file)
        fclose(file);
    return (double)spent / 1e9;
}

/* To the end; the best of some. */
static double time_pass(u32 kind, u64 address, u64 apart, u32 count)
{
    double best = 1e9;
    for (int n = 0; n < 3; n++) {
        struct replayer *r = copy_of(first);
        begin(PLAN_COUNT, 1, 0);
        for (u32 k = 0; k < count; k++)
            add_site(kind, address + k * apart, 8, 0);
        double start = seconds(r);
        run(r);
        double took = seconds(r) - start;
        best = took < best ? took : best;
        if (r->stopped.count)
            printf("  %lu hits\n", (unsigned long)r->stopped.count);
        replayer_destroy(r);
    }
    return best;
}

/* What a state costs, far from the start. */
static void time_states(void)
{
    struct replayer *r = copy_of(first);
    int fd;
    check(replayer_run_to(r, (struct moment){1000000, 0}));
    struct moment to = {r->stopped.tick + 40000, 0};
    struct replayer *again = copy_of(r);
    check(replayer_states(r, to, 1 << 20, &fd)); /* to count them */
    double start = seconds(again);
    int newest;
    check(replayer_states(again, to, 10000, &newest));
    double took = seconds(again) - start;
    if (open_states(fd) && head->count)
        printf("%lu states, %.0f ns each\n", (unsigned long)head->count,
               took * 1e9 / (double)head->count);
    replayer_destroy(again);
    replayer_destroy(r);
}

static int time_passes(char **counts)
{
    double plain = time_pass(SITE_STORE, 0, 0, 0);
    printf("plain %.3f s\n", plain);
    time_states();
    for (; *counts; counts++) {
        u32 count = (u32)atoi(*counts);
        double stores = time_pass(SITE_STORE, 0x555700000000, 4096 + 64, count);
        double loads = time_pass(SITE_ACCESS, 0x555700000000, 4096 + 64, count);
        printf("%u: stores %.2f, stores and loads %.2f\n", count, stores / plain, loads / plain);
    }
    return 0;
}

/* --- to the end ----------------------------------------------------------------------------- */

static int pass_whole(const char *address, const char *count)
{
    struct replayer *r = copy_of(first);
    begin(PLAN_COUNT, 1, 0);
    add_site(SITE_STORE, strtoull(address, NULL, 16), 1, PLAN_ANY_STORE);
    run(r);
    bool bad = wrong(r, "the reason", r->stopped.reason, STOPPED_END) ||
               wrong(r, "the number of stores", r->stopped.count, strtoull(count, NULL, 0));
    replayer_destroy(r);
    return bad;
}

int main(int argc, char **argv)
{
    bool whole = argc > 4 && !strcmp(argv[1], "--whole");
    bool times = argc > 3 && !strcmp(argv[1], "--time"),
         states = argc > 4 && !strcmp(argv[1], "--states");
    argv += states || whole;
    struct recording *rec;
    static struct replayer_family family;
    if (argc < 4)
        return 2;
    check(recording_open(argv[times ? 2 : 1], &rec));
    check(replayer_family_init(&family, rec, 0, 0));
    check(replayer_start(&family, &first));
    random_state = times ? 1 : strtoull(argv[3], NULL, 0);
    int status = times    ? time_passes(argv + 3)
                 : whole  ? pass_whole(argv[2], argv[3])
                 : states ? check_states(argv[2])
                          : compare(argv[2]);
    replayer_destroy(first);
    replayer_family_deinit(&family);
    return status;
}
