/* Drives a session from the inside: random movements, checked.
 *
 *   drive routes RECORDING SEED MOVES     the state at a moment is the same by every route
 *   drive oracle RECORDING SEED MOVES     steps and stops are where a list of all instructions says
 *   drive sites RECORDING SEED MOVES      hits going forward are met going back, in reverse order
 *   drive leaks RECORDING SEED MOVES      no process, descriptor or memory is left behind
 *   drive interrupt RECORDING SEED MOVES  interrupted movements leave everything consistent
 *   drive scratch RECORDING SEED MOVES    writing to a copy does not show
 *
 * Says what is wrong on stderr, with the seed, and ends with 1; else prints figures and ends with
 * 0.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "log/track_choice.h"
#include "session/movement.h"
#include "session/session.h"

static struct recording *rec;
static struct session *s;
static u64 seed, moves;
static u64 state;
static u64 step_no;

static u64 random_below(u64 n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (state >> 11) % n : 0;
}

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "seed %llu, move %llu: ", (unsigned long long)seed,
            (unsigned long long)step_no);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

static void must(struct error *err, const char *what)
{
    if (err)
        fail("%s: %s", what, error_text(err));
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static struct moment here(void)
{
    struct session_place p;
    session_place(s, &p);
    return p.at;
}

static u32 here_thread(void)
{
    struct session_place p;
    session_place(s, &p);
    return p.thread;
}

static bool same(struct moment a, struct moment b)
{
    return moment_compare(a, b) == 0;
}

#define M "%llu:0x%llx"
#define V(m) (unsigned long long)(m).tick, (unsigned long long)(m).pc

/* --- the state, as a number --------------------------------------------------------------- */

static u64 mix(u64 h, const void *bytes, size_t size)
{
    const u8 *at = bytes;
    u64 word;
    for (; size >= 8; at += 8, size -= 8) {
        memcpy(&word, at, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    for (; size; at++, size--)
        h = (h ^ *at) * 0x100000001b3ull;
    return h;
}

static u64 hash_registers(u64 h, u32 thread)
{
    struct control_registers r;
    const u8 *vector;
    must(session_registers(s, thread, &r, &vector), "registers");
    h = mix(h, &r, sizeof r);
    return mix(h, vector, r.vector_size);
}

static u64 hash_threads(u64 h)
{
    struct control_thread *threads;
    size_t count;
    must(session_threads(s, &threads, &count), "threads");
    for (size_t i = 0; i < count; i++) {
        if (i && threads[i].thread <= threads[i - 1].thread)
            fail("thread %u comes before %u", threads[i - 1].thread, threads[i].thread);
        h = mix(h, &threads[i], sizeof threads[i]);
        h = hash_registers(h, threads[i].thread);
    }
    free(threads);
    return h;
}

static u64 hash_area(u64 h, const struct control_area *a)
{
    static u8 bytes[1 << 20];
    for (u64 at = a->start; at < a->end;) {
        size_t part = a->end - at < sizeof bytes ? a->end - at : sizeof bytes, got = 0;
        must(session_read(s, at, bytes, part, &got), "reading");
        h = mix(h, &got, sizeof got);
        h = mix(h, bytes, got);
        if (got < part)
            break;
        at += got;
    }
    return h;
}

/* Hashes everything that can change; now and then also what cannot. */
static u64 hash_state(bool all)
{
    struct control_area *areas;
    size_t count;
    u64 h = hash_threads(1);
    must(session_areas(s, &areas, &count), "areas");
    for (size_t i = 0; i < count; i++) {
        h = mix(h, &areas[i], offsetof(struct control_area, device));
        if (all || (areas[i].protection & PROT_WRITE))
            h = hash_area(h, &areas[i]);
    }
    free(areas);
    return h;
}

/* --- what was seen at which moment --------------------------------------------------------- */

static struct seen {
    struct moment at;
    u64 hash;
    u32 thread;
} *seen;
static size_t seen_count, seen_room;

static struct seen *find_seen(struct moment at)
{
    for (size_t i = 0; i < seen_count; i++)
        if (same(seen[i].at, at))
            return &seen[i];
    return NULL;
}

static void check_state(const char *way)
{
    struct seen now_seen = {here(), hash_state(false), here_thread()};
    struct seen *before = find_seen(now_seen.at);
    if (before && (before->hash != now_seen.hash || before->thread != now_seen.thread))
        fail("%s: another state at " M " (thread %u, was %u)", way, V(now_seen.at), now_seen.thread,
             before->thread);
    if (before)
        return;
    if (seen_count == seen_room) {
        seen_room = seen_room ? seen_room * 2 : 256;
        seen = realloc(seen, seen_room * sizeof *seen);
    }
    seen[seen_count++] = now_seen;
}

/* --- moving at random ---------------------------------------------------------------------- */

static struct session_stop stop;
static const struct session_range NOWHERE = {0, 0};

static struct moment random_moment(void)
{
    struct moment first = session_first(s), last = session_last(s);
    if (random_below(4) == 0) /* near here */
        return (struct moment){here().tick > 50 ? here().tick - 50 + random_below(100) : 0, 0};
    return (struct moment){first.tick + random_below(last.tick - first.tick + 1), 0};
}

static void go(struct moment to)
{
    must(movement_goto(s, to, &stop), "goto");
    if (stop.why != WHY_ARRIVED)
        fail("goto " M " ended for reason %d", V(to), stop.why);
}

static void step(enum session_direction direction, u32 thread, u64 count)
{
    must(movement_stepi(s, direction, thread, count, NOWHERE, &stop), "step");
}

static void move_undo(void)
{
    struct moment from = here();
    struct error *err = movement_undo(s);
    if (err) {
        error_destroy(err);
        return;
    }
    check_state("undo");
    must(movement_redo(s), "redo");
    if (!same(here(), from))
        fail("undo and redo lead from " M " to " M, V(from), V(here()));
}

/* There and back. */
static void move_there_and_back(void)
{
    struct moment from = here();
    u64 count = 1 + random_below(40);
    enum session_direction way = random_below(2) ? FORWARD : BACKWARD;
    step(way, CONTROL_THREAD_ANY, count);
    if (stop.why != WHY_STEPPED)
        return;
    check_state(way == FORWARD ? "step" : "reverse step");
    step(way == FORWARD ? BACKWARD : FORWARD, CONTROL_THREAD_ANY, count);
    if (!same(here(), from))
        fail("%llu steps %s and back lead from " M " to " M, (unsigned long long)count,
             way == FORWARD ? "forward" : "backward", V(from), V(here()));
}

/* Moves to the previous or the next execution of some place. */
static void move_continue(void)
{
    u32 number;
    struct breakpoint b = {.site.kind = SITE_CODE, .site.thread = CONTROL_THREAD_ANY,
                           .site.address = seen[random_below(seen_count)].at.pc};
    enum session_direction way = random_below(2) ? FORWARD : BACKWARD;
    struct moment from = here();
    must(session_add_breakpoint(s, &b, &number), "breakpoint");
    must(movement_continue(s, way, 1, &stop), "continue");
    if (stop.why == WHY_BREAKPOINT && here().pc != b.site.address)
        fail("a breakpoint at 0x%llx stops at " M, (unsigned long long)b.site.address, V(here()));
    if (stop.why == WHY_BREAKPOINT && (moment_compare(from, here()) < 0) != (way == FORWARD))
        fail("continue leads from " M " to " M, V(from), V(here()));
    must(session_remove_breakpoint(s, number), "removing");
}

static void move_idle(void)
{
    for (int i = 0; i < 3 && session_idle(s); i++) {
    }
}

static const char *move(void)
{
    switch (random_below(10)) {
    case 0: case 1: case 2:
        go(seen_count ? seen[random_below(seen_count)].at : random_moment());
        return "goto";
    case 3:
        go(random_moment());
        return "goto";
    case 4: case 5:
        move_there_and_back();
        return "steps";
    case 6: case 7:
        if (seen_count)
            move_continue();
        return "continue";
    case 8:
        move_undo();
        return "undo";
    default:
        move_idle();
        return "idle";
    }
}

static void open_session(bool at_start)
{
    struct track_choice choice = {0};
    u32 *tracks;
    size_t count;
    must(track_choose(&choice, rec, &tracks, &count), "choosing");
    struct session_options options = {.track = tracks[0], .at_start = at_start,
                                      .most_processes = 24};
    free(tracks);
    must(session_open(rec, &options, &s), "opening");
}

/* Only ever forward. */
static void make_reference(void)
{
    enum { PLACES = 20 };
    u64 ticks[PLACES];
    open_session(true);
    u64 first = session_first(s).tick, length = session_last(s).tick - first;
    for (int i = 0; i < PLACES; i++)
        ticks[i] = first + length * (u64)i / PLACES + random_below(length / PLACES + 1);
    for (int i = 0; i < PLACES; i++) {
        if ((struct moment){ticks[i], 0}.tick < here().tick)
            continue;
        go((struct moment){ticks[i], 0});
        step(FORWARD, CONTROL_THREAD_ANY, 1 + random_below(30));
        check_state("forward");
    }
    session_close(s);
}

static void test_routes(void)
{
    make_reference();
    open_session(false);
    for (step_no = 1; step_no <= moves; step_no++)
        check_state(move());
    for (size_t i = 0; i < seen_count && i < 40; i++) {
        go(seen[i].at);
        check_state("at last");
    }
    printf("%llu moves, %zu moments\n", (unsigned long long)moves, seen_count);
    session_close(s);
}

/* --- the oracle ---------------------------------------------------------------------------- */

enum { LISTED = 1500 };

static struct listed {
    struct moment at;
    u32 thread;
    u64 rsp, rax, value;
} list[LISTED];
static size_t listed;
static u64 watched;

static u64 value_at(u64 address)
{
    u64 value = 0;
    size_t got;
    must(session_read(s, address, &value, sizeof value, &got), "reading");
    return value;
}

static void list_instructions(struct moment from)
{
    struct control_registers r;
    const u8 *vector;
    go(from);
    step(FORWARD, CONTROL_THREAD_ANY, 1 + random_below(LISTED / 2)); /* to where a call may store */
    must(session_registers(s, CONTROL_THREAD_ANY, &r, &vector), "registers");
    watched = (r.reg[RSP] - 8 * random_below(2)) & ~7ull;
    go(from);
    for (listed = 0; listed < LISTED; listed++) {
        must(session_registers(s, CONTROL_THREAD_ANY, &r, &vector), "registers");
        list[listed] = (struct listed){here(), here_thread(), r.reg[RSP], r.reg[RAX],
                                       value_at(watched)};
        step(FORWARD, CONTROL_THREAD_ANY, 1);
        if (stop.why != WHY_STEPPED) {
            listed++;
            break;
        }
        if (moment_compare(here(), list[listed].at) <= 0)
            fail("a step leads from " M " to " M, V(list[listed].at), V(here()));
    }
}

/* What a question may ask: which listed instructions it hits, before they are executed or by being
 * executed. */
typedef bool hit_test(size_t i);

static u64 code[2], wanted_rax;
static u32 only_thread;

static bool hits_code(size_t i)
{
    return list[i].at.pc == code[0] || list[i].at.pc == code[1];
}

static bool hits_condition(size_t i)
{
    return list[i].at.pc == code[0] && list[i].rax == wanted_rax;
}

static bool hits_thread_step(size_t i)
{
    return list[i].thread == only_thread;
}

static bool hits_store(size_t i)
{
    return i + 1 < listed && list[i].value != list[i + 1].value;
}

/* Returns the index of the nth hit before or after `from`; -1: not in the list. */
static long expected(hit_test *test, size_t from, enum session_direction way, u64 nth, bool at_too)
{
    long i = (long)from;
    if (way == FORWARD && at_too)
        i--;
    for (;;) {
        i += way == FORWARD ? 1 : -1;
        if (i < 0 || i >= (long)listed)
            return -1;
        if (test((size_t)i) && --nth == 0)
            return i;
    }
}

static void expect(long index, const char *what, size_t from, enum session_direction way, u64 nth)
{
    if (!same(here(), list[index].at))
        fail("%s %llu %s from " M ": stands at " M ", not at " M " (reason %d)", what,
             (unsigned long long)nth, way == FORWARD ? "forward" : "backward", V(list[from].at),
             V(here()), V(list[index].at), stop.why);
}

static size_t conditions_made;

/* rax == wanted_rax */
static void make_condition(u8 *code_bytes, u32 *size)
{
    u8 *p = code_bytes;
    *p++ = 0x26; /* reg */
    *p++ = 0;
    *p++ = 0;    /* rax */
    *p++ = 0x25; /* const64 */
    for (int i = 7; i >= 0; i--)
        *p++ = (u8)(wanted_rax >> (8 * i));
    *p++ = 0x13; /* equal */
    *p++ = 0x27; /* end */
    *size = (u32)(p - code_bytes);
    conditions_made++;
}

static void ask_breakpoints(size_t from, enum session_direction way)
{
    u8 bytes[32];
    u32 numbers[2], count = 1;
    bool conditional = random_below(3) == 0;
    u64 ignore = random_below(3) == 0 ? random_below(4) : 0, nth = 1 + random_below(3);
    size_t chosen = random_below(listed);
    struct breakpoint b = {.site.kind = SITE_CODE, .site.thread = CONTROL_THREAD_ANY};
    code[0] = code[1] = list[chosen].at.pc;
    if (conditional) {
        wanted_rax = list[chosen].rax;
        b.condition = bytes;
        make_condition(bytes, &b.site.condition_size);
    } else if (ignore == 0 && random_below(2)) {
        code[1] = list[random_below(listed)].at.pc;
        count = code[1] != code[0] ? 2 : 1;
    }
    long want = expected(conditional ? hits_condition : hits_code, from, way, ignore + nth, false);
    if (want < 0)
        return;
    for (u32 i = 0; i < count; i++) {
        b.site.address = code[i];
        b.ignore = ignore;
        must(session_add_breakpoint(s, &b, &numbers[i]), "breakpoint");
    }
    must(movement_continue(s, way, nth, &stop), "continue");
    expect(want, conditional ? "continue with a condition" : "continue", from, way, nth);
    for (u32 i = 0; i < count; i++)
        must(session_remove_breakpoint(s, numbers[i]), "removing");
}

static bool is_before(struct moment a, struct moment b)
{
    return a.tick < b.tick || (a.tick == b.tick && a.pc < b.pc);
}

/* A signal frame is written at the moment that the signal interrupted: after an instruction, and
 * before the first one of the handler. */
static bool stands_interrupted(long want)
{
    return is_before(list[want].at, here()) && is_before(here(), list[want + 1].at);
}

static void ask_watch(size_t from, enum session_direction way)
{
    u32 number;
    struct breakpoint b = {.site.kind = SITE_STORE, .site.thread = CONTROL_THREAD_ANY, .site.address = watched, .site.size = 8};
    long want = expected(hits_store, from, way, 1, true);
    if (want < 0)
        return;
    must(session_add_breakpoint(s, &b, &number), "watch");
    must(movement_continue(s, way, 1, &stop), "continue");
    u64 done_by = stop.hit.tick;
    if (way == FORWARD)
        expect(want + 1, "continue to a store", from, way, 1);
    else if (!stands_interrupted(want))
        expect(want, "continue to a store", from, way, 1);
    if (done_by < list[want].at.tick || done_by > list[want + 1].at.tick || stop.why != WHY_BREAKPOINT)
        fail("a store is said to be at tick %llu", (unsigned long long)stop.hit.tick);
    must(session_remove_breakpoint(s, number), "removing");
}

static void ask_step(size_t from, enum session_direction way)
{
    u64 count = 1 + random_below(60);
    long want = way == FORWARD ? (long)(from + count) : (long)from - (long)count;
    if (want < 0 || want >= (long)listed)
        return;
    step(way, CONTROL_THREAD_ANY, count);
    expect(want, "step", from, way, count);
}

static bool hits_either(size_t i)
{
    return hits_condition(i) || list[i].at.pc == code[1];
}

/* With breakpoints, for a movement whose whole way is already known. */
static void ask_step_among(size_t from, enum session_direction way)
{
    u8 bytes[32];
    u32 numbers[2];
    u64 count = 1 + random_below(60);
    size_t near = from + random_below(count) - count / 2, chosen = near < listed ? near : from;
    struct breakpoint b = {.site.kind = SITE_CODE, .site.thread = CONTROL_THREAD_ANY, .site.address = list[chosen].at.pc};
    long want = way == FORWARD ? (long)(from + count) : (long)from - (long)count;
    code[0] = b.site.address;
    code[1] = list[random_below(listed)].at.pc;
    wanted_rax = list[random_below(listed)].rax;
    long hit = expected(hits_either, from, way, 1, false);
    if (hit >= 0 && (way == FORWARD ? hit < want : hit > want))
        want = hit;
    if (want < 0 || want >= (long)listed)
        return;
    b.condition = bytes;
    make_condition(bytes, &b.site.condition_size);
    must(session_add_breakpoint(s, &b, &numbers[0]), "breakpoint");
    b = (struct breakpoint){.site.kind = SITE_CODE, .site.thread = CONTROL_THREAD_ANY, .site.address = code[1]};
    must(session_add_breakpoint(s, &b, &numbers[1]), "breakpoint");
    must(movement_continue(s, BACKWARD, 1 + random_below(2), &stop), "continue");
    go(list[from].at);
    step(way, CONTROL_THREAD_ANY, count);
    expect(want, "step among breakpoints", from, way, count);
    for (u32 i = 0; i < countof(numbers); i++)
        must(session_remove_breakpoint(s, numbers[i]), "removing");
}

static void ask_thread_step(size_t from, enum session_direction way)
{
    u64 count = 1 + random_below(3);
    only_thread = list[from].thread;
    long want = expected(hits_thread_step, from, way, count, false);
    if (want < 0)
        return;
    step(way, only_thread, count);
    expect(want, "step of a thread", from, way, count);
}

static void ask_range(size_t from, enum session_direction way)
{
    struct session_range range = {list[from].at.pc & ~31ull, (list[from].at.pc | 31) + 1};
    long i = (long)from;
    do
        i += way == FORWARD ? 1 : -1;
    while (i >= 0 && i < (long)listed && list[i].at.pc >= range.start && list[i].at.pc < range.end);
    if (i < 0 || i >= (long)listed)
        return;
    must(movement_stepi(s, way, CONTROL_THREAD_ANY, 1, range, &stop), "range");
    expect(i, "step out of a range", from, way, 1);
}

static void ask_goto(size_t from, enum session_direction way)
{
    (void)way;
    size_t to = random_below(listed);
    go(list[to].at);
    expect((long)to, "goto", from, FORWARD, 1);
    if (value_at(watched) != list[to].value)
        fail("other memory at " M, V(list[to].at));
}

static void test_oracle(void)
{
    static void (*const asks[])(size_t, enum session_direction) = {
        ask_breakpoints, ask_watch, ask_step, ask_step_among, ask_thread_step, ask_range, ask_goto,
    };
    open_session(false);
    for (step_no = 1; step_no <= moves; step_no++) {
        if (step_no % 200 == 1)
            list_instructions(random_moment());
        if (listed < 10)
            continue;
        size_t from = random_below(listed);
        if (!same(here(), list[from].at))
            go(list[from].at);
        asks[random_below(countof(asks))](from, random_below(2) ? FORWARD : BACKWARD);
    }
    printf("%llu questions, %zu with conditions\n", (unsigned long long)moves, conditions_made);
    session_close(s);
}

/* --- events of every kind, there and back -------------------------------------------------- */

enum { MET_MOST = 60 };

struct met {
    struct plan_hit hit[MET_MOST];
    size_t count;
};

static void meet(enum session_direction way, struct met *ret)
{
    ret->count = 0;
    while (ret->count < MET_MOST) {
        must(movement_continue(s, way, 1, &stop), "continue");
        if (stop.why != WHY_BREAKPOINT)
            return;
        ret->hit[ret->count++] = stop.hit;
    }
}

static bool same_hit(const struct plan_hit *a, const struct plan_hit *b)
{
    return a->tick == b->tick && a->pc == b->pc && a->thread == b->thread && a->address == b->address;
}

/* From the start on, and from where that led back. */
static size_t there_and_back(const char *what, struct breakpoint b)
{
    static struct met there, back;
    u32 number;
    b.site.thread = CONTROL_THREAD_ANY;
    go(session_first(s));
    must(session_add_breakpoint(s, &b, &number), what);
    meet(FORWARD, &there);
    struct moment far = here();
    meet(BACKWARD, &back);
    must(session_remove_breakpoint(s, number), what);
    /* Going back from the moment of a hit does not meet it again; a store was passed when it
     * stopped. */
    size_t count = there.count;
    if (count && there.hit[count - 1].tick == far.tick && there.hit[count - 1].pc == far.pc)
        count--;
    if (back.count != count)
        fail("%s: %zu met from the start to " M ", %zu on the way back", what, there.count, V(far), back.count);
    for (size_t i = 0; i < count; i++)
        if (!same_hit(&there.hit[i], &back.hit[count - 1 - i]))
            fail("%s: hit %zu of %zu is at %llu:0x%llx (address 0x%llx) forward, at %llu:0x%llx (0x%llx) backward", what, i,
                 count, (unsigned long long)there.hit[i].tick, (unsigned long long)there.hit[i].pc,
                 (unsigned long long)there.hit[i].address, (unsigned long long)back.hit[count - 1 - i].tick,
                 (unsigned long long)back.hit[count - 1 - i].pc,
                 (unsigned long long)back.hit[count - 1 - i].address);
    return count;
}

/* A place on the stack of some moment. */
static u64 place_on_stack(void)
{
    struct control_registers r;
    const u8 *vector;
    go(random_moment());
    must(session_registers(s, CONTROL_THREAD_ANY, &r, &vector), "registers");
    return (r.reg[RSP] + 8 * random_below(6)) & ~7ull;
}

static void test_sites(void)
{
    static const struct {
        const char *name;
        u32 kind;
        bool data;
    } kinds[] = {{"call", SITE_CALL, false}, {"return", SITE_RETURN, false}, {"signal", SITE_SIGNAL, false},
                 {"thread", SITE_THREAD, false}, {"fork", SITE_FORK, false}, {"exec", SITE_EXEC, false},
                 {"store", SITE_STORE, true}, {"load", SITE_LOAD, true}, {"access", SITE_ACCESS, true}};
    size_t met = 0;
    open_session(false);
    for (step_no = 1; step_no <= moves; step_no++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            struct breakpoint b = {.site.kind = kinds[k].kind, .site.address = kinds[k].data ? place_on_stack() : ~0ull,
                                   .site.size = 1 + random_below(64)};
            met += there_and_back(kinds[k].name, b);
        }
    printf("%llu rounds, %zu met\n", (unsigned long long)moves, met);
    session_close(s);
}

/* --- leaks --------------------------------------------------------------------------------- */

static unsigned count_entries(const char *path)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* Counts child processes, alive or not. */
static unsigned count_children(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[300], line[512];
        int parent = 0;
        snprintf(path, sizeof path, "/proc/%.20s/stat", e->d_name);
        FILE *f = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        char *end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
        if (end && sscanf(end, ") %*c %d", &parent) == 1 && parent == getpid())
            n++;
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return n;
}

static u64 own_pages(void)
{
    unsigned long long size, resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident;
}

static void list_descriptors(void)
{
    for (int fd = 3; fd < 64; fd++) {
        char link[64], target[512] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, target, sizeof target - 1) > 0)
            printf("descriptor %d: %s\n", fd, target);
    }
}

static void leak_moves(u64 count)
{
    for (u64 i = 0; i < count; i++) {
        step_no++;
        if (seen_count < 64)
            check_state("leaks");
        move();
    }
}

/* The recording keeps the copies of files that sessions have decompressed. Only the first sessions
 * add them: one that begins at a snapshot needs some, one that begins at the start needs all. */
static void test_leaks(void)
{
    open_session(false);
    leak_moves(moves / 4);
    session_close(s);
    open_session(true);
    session_close(s);
    unsigned children = count_children(), descriptors = count_entries("/proc/self/fd");
    open_session(false);
    leak_moves(moves / 4);
    u64 pages = own_pages();
    leak_moves(moves - moves / 4);
    u64 more = own_pages();
    unsigned busy = count_children();
    session_close(s);
    if (busy > 24 + 8 + children)
        fail("%u processes are bounded by 24", busy - children);
    if (count_children() != children)
        fail("%u processes are left", count_children() - children);
    if (count_entries("/proc/self/fd") != descriptors) {
        list_descriptors();
        fail("%d descriptors are left", (int)(count_entries("/proc/self/fd") - descriptors));
    }
    if (more > pages + 8192)
        fail("memory has grown from %llu to %llu pages", (unsigned long long)pages,
             (unsigned long long)more);
    printf("%llu moves, %u processes, %lld pages more\n", (unsigned long long)moves,
           busy - children,
           (long long)(more - pages));
}

/* --- interruptions ------------------------------------------------------------------------- */

static u64 delay;

static void *interrupt_later(void *unused)
{
    struct timespec ts = {0, (long)delay};
    nanosleep(&ts, NULL);
    session_interrupt(s);
    return unused;
}

static void test_interrupt(void)
{
    u64 interrupted = 0;
    u32 number;
    open_session(false);
    struct moment last = here();
    struct breakpoint never = {.site.kind = SITE_CODE, .site.thread = CONTROL_THREAD_ANY, .site.address = 16};
    must(session_add_breakpoint(s, &never, &number), "breakpoint");
    for (step_no = 1; step_no <= moves; step_no++) {
        enum session_direction way = random_below(2) ? FORWARD : BACKWARD;
        pthread_t thread;
        if (random_below(2))
            go(random_moment());
        check_state("before an interrupt");
        struct moment from = here();
        delay = random_below(30000000);
        if (pthread_create(&thread, NULL, interrupt_later, NULL))
            fail("no thread");
        must(movement_continue(s, way, 1, &stop), "continue");
        pthread_join(thread, NULL);
        if (stop.why == WHY_INTERRUPTED)
            interrupted++;
        else if (stop.why != (way == FORWARD ? WHY_END : WHY_START))
            fail("a movement that was interrupted ended for reason %d", stop.why);
        if (stop.why == WHY_INTERRUPTED && way == BACKWARD && !same(here(), from))
            fail("a backward movement that was interrupted led from " M " to " M, V(from),
                 V(here()));
        if (stop.why == WHY_INTERRUPTED && way == FORWARD && moment_compare(here(), from) < 0)
            fail("a forward movement went back");
        if (stop.why == WHY_END && !same(here(), last))
            fail("the end is at " M " and at " M, V(last), V(here()));
        check_state("after an interrupt");
    }
    printf("%llu moves, %llu interrupted\n", (unsigned long long)moves,
           (unsigned long long)interrupted);
    session_close(s);
}

/* --- the copy ------------------------------------------------------------------------------ */

static void test_scratch(void)
{
    open_session(false);
    for (step_no = 1; step_no <= moves; step_no++) {
        struct control_registers r, changed;
        const u8 *vector;
        u64 signature = 0x1122334455667788ull + step_no;
        go(random_moment());
        check_state("before a write");
        must(session_registers(s, CONTROL_THREAD_ANY, &r, &vector), "registers");
        u64 address = r.reg[RSP] & ~7ull;
        must(session_write(s, address, &signature, sizeof signature), "write");
        if (!session_scratch(s) || value_at(address) != signature)
            fail("what was written is not there");
        changed = r;
        changed.reg[RCX] = signature;
        must(session_set_registers(s, CONTROL_THREAD_ANY, &changed, NULL), "setting registers");
        must(session_registers(s, CONTROL_THREAD_ANY, &changed, &vector), "registers");
        if (changed.reg[RCX] != signature)
            fail("a register that was set is not");
        session_scratch_drop(s);
        check_state("after a write");
    }
    printf("%llu copies\n", (unsigned long long)moves);
    session_close(s);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*test)(void);
    } tests[] = {
        {"routes", test_routes}, {"oracle", test_oracle}, {"sites", test_sites}, {"leaks", test_leaks},
        {"interrupt", test_interrupt}, {"scratch", test_scratch},
    };
    if (argc != 5)
        return 2;
    seed = strtoull(argv[3], NULL, 10);
    state = seed * 0x9e3779b97f4a7c15ull + 1;
    moves = strtoull(argv[4], NULL, 10);
    must(recording_open(argv[2], &rec), "opening");
    double began = now();
    for (size_t i = 0; i < countof(tests); i++) {
        if (strcmp(tests[i].name, argv[1]) == 0) {
            tests[i].test();
            recording_destroy(rec);
            fprintf(stderr, "%.1f s\n", now() - began);
            return 0;
        }
    }
    return 2;
}
