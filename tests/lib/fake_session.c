/* A session over a program that does not exist: a loop of sixteen instructions of four bytes, a
 * thousand of them executed. The state at each moment can be computed, so that every answer of a
 * front end is known in advance.
 *
 *     0x400000 + 4 * (at % 16)   the pc at the at-th moment; at / 16 is the tick
 *     0x601000                   counts how often instruction 2 of the loop was executed: 8 bytes
 *     0x602000                   a page of letters
 *     at 500                     system call 1; at 600 signal 10 (SIGUSR1) comes
 *     at 700                     a process is forked: pid 4243
 *     at 750                     thread 1 is there from now on; 801 to 840 are its instructions,
 *                                all others are those of thread 0
 *
 * A movement with a breakpoint at 0xdead on its way takes forever, unless it is interrupted.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "session/movement.h"
#include "session/session.h"

enum { LAST = 1000, LOOP = 16, POINTS = 4096, PAGE = 4096 };
enum { BIRTH = 750, SECOND_FROM = 801, SECOND_TO = 840 };
enum { CODE_AT = 0x400000, COUNTER_AT = 0x601000, LETTERS_AT = 0x602000, SCRATCH_AT = 0x603000 };

struct session {
    struct session_options options;
    int at, before;
    bool has_before;
    struct breakpoint points[POINTS];
    bool used[POINTS];
    u32 numbers;
    bool scratch;
    u8 scratch_page[PAGE];
    struct control_registers registers;
    u8 vector[576];
    atomic_bool interrupted;
    struct session_heed heed;
};

int fake_session_open_count, fake_session_changes; /* sessions that are open; breakpoints added
                                                    * and removed */

static struct moment moment_of(int at)
{
    return (struct moment){(u64)at / LOOP, CODE_AT + 4 * (u64)(at % LOOP)};
}

static u32 thread_at(int at)
{
    return at >= SECOND_FROM && at <= SECOND_TO;
}

struct error *session_open(const struct recording *rec, const struct session_options *options,
                           struct session **ret)
{
    struct session *s = xalloc(sizeof *s);
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->at = options->at_start ? 0 : LAST;
    s->heed.thread = CONTROL_THREAD_ANY;
    fake_session_open_count++;
    *ret = s;
    return NULL;
}

void session_close(struct session *s)
{
    fake_session_open_count -= s != NULL;
    free(s);
}

void session_place(const struct session *s, struct session_place *ret)
{
    *ret = (struct session_place){
        .at = moment_of(s->at), .thread = thread_at(s->at),
        .tid = thread_at(s->at) ? 4250 : 4242, .start = s->at == 0, .end = s->at == LAST,
        .end_signal = s->at == LAST ? 11 : 0, .time = 1000000000ull * (u64)s->at + 1, .event = 7 + (s->at >= SECOND_FROM) + (s->at > SECOND_TO),
    };
}

struct moment session_first(const struct session *s) { return moment_of(0); }
struct moment session_last(const struct session *s) { return moment_of(LAST); }
u32 session_track(const struct session *s) { return s->options.track; }
u32 session_pid(const struct session *s) { return 4242; }
const char *session_program(const struct session *s) { return "/bin/fake"; }

struct error *session_add_breakpoint(struct session *s, const struct breakpoint *b, u32 *ret_number)
{
    if (s->numbers + 1 >= POINTS)
        return error_new("there are too many breakpoints");
    u32 n = ++s->numbers;
    s->points[n] = *b;
    s->used[n] = true;
    fake_session_changes++;
    *ret_number = n;
    return NULL;
}

struct error *session_remove_breakpoint(struct session *s, u32 number)
{
    if (number >= POINTS || !s->used[number])
        return error_new("there is no breakpoint %u", number);
    s->used[number] = false;
    fake_session_changes++;
    return NULL;
}

void session_heed(struct session *s, struct session_heed heed) { s->heed = heed; }

struct error *session_enable_breakpoint(struct session *s, u32 number, bool enabled)
{
    return NULL;
}

/* If a condition's first byte is 0x22 (const8), its value is the result. */
static bool holds(const struct breakpoint *b)
{
    return !b->site.condition_size || (b->site.condition_size > 1 && b->condition[1]);
}

static bool hits(const struct breakpoint *b, int at)
{
    switch (b->site.kind) {
    case SITE_CODE:
        return moment_of(at).pc == b->site.address && holds(b);
    case SITE_STORE:
    case SITE_ACCESS:
        return at % LOOP == 2 && b->site.address < COUNTER_AT + 8 && b->site.address + b->site.size > COUNTER_AT;
    case SITE_CALL:
        return at == 500 && (b->site.address == 1 || b->site.address == ~0ull);
    case SITE_SIGNAL:
        return at == 600 && b->site.address == 10;
    case SITE_FORK:
        return at == 700;
    default:
        return false;
    }
}

static bool is_data(u32 kind)
{
    return kind == SITE_STORE || kind == SITE_LOAD || kind == SITE_ACCESS;
}

/* The lowest breakpoint that is hit at the moment; 0: none. */
static u32 hit_at(const struct session *s, int at)
{
    if (s->heed.thread != CONTROL_THREAD_ANY && s->heed.thread != thread_at(at))
        return 0;
    for (u32 n = 1; n <= s->numbers; n++)
        if (s->used[n] && hits(&s->points[n], at) &&
            (!s->heed.data_only || is_data(s->points[n].site.kind)))
            return n;
    return 0;
}

static bool is_endless(const struct session *s)
{
    for (u32 n = 1; n <= s->numbers; n++)
        if (s->used[n] && s->points[n].site.kind == SITE_CODE && s->points[n].site.address == 0xdead)
            return true;
    return false;
}

static void begin(struct session *s)
{
    s->before = s->at;
    s->has_before = true;
    s->scratch = false;
}

static bool wait_for_interrupt(struct session *s, enum session_direction d, struct session_stop *ret)
{
    if (!is_endless(s))
        return false;
    while (!atomic_exchange(&s->interrupted, false)) {
        usleep(1000);
        if (s->options.progress)
            s->options.progress(s->options.context, &(struct session_progress){
                moment_of(s->at), moment_of(s->at), moment_of(LAST)});
    }
    *ret = (struct session_stop){.why = WHY_INTERRUPTED};
    return true;
}

static void stop_at(struct session *s, u32 n, int at, enum session_direction d,
                    struct session_stop *ret)
{
    const struct breakpoint *b = &s->points[n];
    s->at = is_data(b->site.kind) && d == FORWARD ? at + 1 : at;
    *ret = (struct session_stop){.why = WHY_BREAKPOINT, .breakpoint = n, .breakpoint_count = 1};
    ret->breakpoints[0] = n;
    ret->hit.address = b->site.kind == SITE_CALL ? 1 : b->site.kind == SITE_SIGNAL ? 10
                     : b->site.kind == SITE_FORK ? 4243 : COUNTER_AT;
}

struct error *movement_continue(struct session *s, enum session_direction d, u64 nth,
                                struct session_stop *ret)
{
    begin(s);
    if (wait_for_interrupt(s, d, ret))
        return NULL;
    int step = d == FORWARD ? 1 : -1;
    /* Forward stops at data are after the store; events exactly here were already met. */
    for (int at = s->at + step; at >= 0 && at <= LAST; at += step) {
        u32 n = hit_at(s, at);
        if (n && --nth == 0) {
            stop_at(s, n, at, d, ret);
            return NULL;
        }
    }
    s->at = d == FORWARD ? LAST : 0;
    *ret = (struct session_stop){.why = d == FORWARD ? WHY_END : WHY_START};
    return NULL;
}

/* Thread 1 has a first instruction; it exists until the end. */
static bool stays_in_life(struct session *s, enum session_direction d, u32 thread,
                          struct session_stop *ret)
{
    if (thread != 1 || d == FORWARD || s->at > SECOND_FROM)
        return false;
    s->at = SECOND_FROM;
    *ret = (struct session_stop){.why = WHY_THREAD_START};
    return true;
}

struct error *movement_stay_in_life(struct session *s, enum session_direction direction, u32 thread,
                                    struct moment from, struct session_stop *stop)
{
    stays_in_life(s, direction, thread, stop);
    return NULL;
}

struct error *movement_stepi(struct session *s, enum session_direction d, u32 thread, u64 count,
                             struct session_range range, struct session_stop *ret)
{
    begin(s);
    int step = d == FORWARD ? 1 : -1;
    if (s->at == SECOND_FROM && d == BACKWARD && stays_in_life(s, d, thread, ret))
        return NULL;
    do {
        if (s->at + step < 0 || s->at + step > LAST) {
            if (stays_in_life(s, d, thread, ret))
                return NULL;
            *ret = (struct session_stop){.why = d == FORWARD ? WHY_END : WHY_START};
            return NULL;
        }
        s->at += step;
        bool inside = moment_of(s->at).pc >= range.start && moment_of(s->at).pc < range.end;
        bool counts = !inside && (thread == CONTROL_THREAD_ANY || thread == thread_at(s->at));
        u32 n = counts ? 0 : hit_at(s, s->at);
        if (n) {
            stop_at(s, n, s->at, d, ret);
            return NULL;
        }
        count -= counts;
    } while (count);
    *ret = (struct session_stop){.why = WHY_STEPPED};
    return NULL;
}

struct error *movement_goto(struct session *s, struct moment to, struct session_stop *ret)
{
    u64 at = to.tick * LOOP + (to.pc ? (to.pc - CODE_AT) / 4 : 0);
    if (to.tick > LAST || at > LAST)
        return error_new("there is no such moment");
    begin(s);
    s->at = (int)at;
    *ret = (struct session_stop){.why = WHY_ARRIVED};
    return NULL;
}

struct error *session_moment_of_event(struct session *s, u64 number, struct moment *ret)
{
    *ret = (struct moment){number, 0};
    return NULL;
}

struct error *session_moment_of_time(struct session *s, u64 time, struct moment *ret)
{
    u64 at = time / 1000000000ull;
    *ret = moment_of(at > LAST ? LAST : (int)at);
    return NULL;
}

struct moment session_moment_of_share(const struct session *s, double share)
{
    return moment_of((int)(share * LAST));
}

struct error *movement_undo(struct session *s)
{
    if (!s->has_before)
        return error_new("nothing has been done that could be undone");
    int at = s->at;
    s->at = s->before;
    s->before = at;
    return NULL;
}

struct error *movement_redo(struct session *s) { return movement_undo(s); }

void session_interrupt(struct session *s) { atomic_store(&s->interrupted, true); }
bool session_idle(struct session *s) { return false; }

static u8 byte_at(const struct session *s, u64 address, bool *there)
{
    u64 counter = (u64)s->at / LOOP + (s->at % LOOP > 2);
    *there = true;
    if (address >= COUNTER_AT && address < COUNTER_AT + 8)
        return (u8)(counter >> 8 * (address - COUNTER_AT));
    if (address >= CODE_AT && address < CODE_AT + 4 * LOOP)
        return 0x90;
    if (address >= LETTERS_AT && address < LETTERS_AT + PAGE)
        return (u8)('a' + address % 26);
    if (address >= SCRATCH_AT && address < SCRATCH_AT + PAGE)
        return s->scratch ? s->scratch_page[address - SCRATCH_AT] : 0;
    *there = false;
    return 0;
}

struct error *session_read(struct session *s, u64 address, void *to, size_t size, size_t *ret)
{
    size_t got = 0;
    bool there = true;
    while (got < size) {
        u8 byte = byte_at(s, address + got, &there);
        if (!there)
            break;
        ((u8 *)to)[got++] = byte;
    }
    *ret = got;
    return NULL;
}

/* The moment at which a thread is: its own, or its next one. */
static int moment_of_thread(const struct session *s, u32 thread)
{
    if (thread == CONTROL_THREAD_ANY || thread == thread_at(s->at))
        return s->at;
    return thread == 0 ? SECOND_TO + 1 : s->at < SECOND_FROM ? SECOND_FROM : SECOND_TO + 1;
}

static void fill_registers(struct session *s, u32 thread)
{
    int at = moment_of_thread(s, thread);
    s->registers = (struct control_registers){
        .rip = moment_of(at).pc, .flags = 0x246, .fs_base = 0x7000, .orig_rax = ~0ull,
        .vector_size = sizeof s->vector, .vector_features = 3,
    };
    for (u32 i = 0; i < 16; i++)
        s->registers.reg[i] = i;
    s->registers.reg[RAX] = (u64)at;
    s->registers.reg[RSP] = 0x7ffff000;
    memset(s->vector, 0, sizeof s->vector);
    s->vector[0] = 0x7f, s->vector[1] = 3, s->vector[24] = 0x80, s->vector[25] = 0x1f;
    s->vector[512] = 3; /* x87 and SSE are there */
    for (u32 i = 0; i < 16; i++)
        s->vector[160 + i] = (u8)(i + 1);
}

struct error *session_registers(struct session *s, u32 thread, struct control_registers *ret,
                                const u8 **vector)
{
    if (!s->scratch)
        fill_registers(s, thread);
    *ret = s->registers;
    *vector = s->vector;
    return NULL;
}

struct error *session_threads(struct session *s, struct control_thread **ret, size_t *ret_count)
{
    *ret = xalloc(2 * sizeof **ret);
    (*ret)[0] = (struct control_thread){.thread = 0, .tid = 4242, .runs = 1, .name = "first<&>"};
    (*ret)[1] = (struct control_thread){.thread = 1, .tid = 4250, .name = "sixteen-letters"};
    *ret_count = s->at < BIRTH ? 1 : 2;
    return NULL;
}

struct error *session_areas(struct session *s, struct control_area **ret, size_t *ret_count)
{
    static const struct control_area areas[] = {
        {.start = 0x400000, .end = 0x401000, .protection = PROT_READ | PROT_EXEC, .flags = CONTROL_AREA_FILE,
         .device = 0x801, .inode = 5, .path = "/bin/fake"},
        {.start = LETTERS_AT, .end = LETTERS_AT + PAGE, .protection = PROT_READ},
    };
    *ret = xalloc(sizeof areas);
    memcpy(*ret, areas, sizeof areas);
    *ret_count = countof(areas);
    return NULL;
}

struct error *session_auxv(struct session *s, u8 **ret, size_t *ret_size)
{
    *ret = xalloc(16);
    memset(*ret, 0, 16);
    (*ret)[0] = 6;
    *ret_size = 16;
    return NULL;
}

struct error *session_entry(struct session *s, u64 *ret)
{
    return error_new("the program's first instruction is not known");
}

struct error *session_scratch_map(struct session *s, u64 address, u64 size) { return NULL; }

char *session_scratch_output(struct session *s, size_t *ret_size)
{
    *ret_size = 0;
    return strdup("");
}

void session_checkpoints(const struct session *s, struct session_checkpoint **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
}

struct error *session_write(struct session *s, u64 address, const void *from, size_t size)
{
    if (address < SCRATCH_AT || size > PAGE || address - SCRATCH_AT > PAGE - size)
        return error_new("nothing can be written there");
    if (!s->scratch) {
        memset(s->scratch_page, 0, PAGE);
        fill_registers(s, CONTROL_THREAD_ANY);
    }
    s->scratch = true;
    memcpy(s->scratch_page + (address - SCRATCH_AT), from, size);
    return NULL;
}

struct error *session_set_registers(struct session *s, u32 thread, const struct control_registers *to,
                                    const u8 *vector)
{
    s->scratch = true;
    s->registers = *to;
    memcpy(s->vector, vector, sizeof s->vector);
    return NULL;
}

/* A signal that is there at 600. */
bool session_signal_here(const struct session *s, struct session_signal *ret)
{
    *ret = (struct session_signal){.signal = 10};
    memset(ret->info, 7, sizeof ret->info);
    return s->at / 16 == 600 / 16;
}

void session_handled_faults(const struct session *s, struct session_faults *ret)
{
    *ret = (struct session_faults){0};
}

char *session_faults_text(const struct session_faults *f, const char *go) { return strdup(""); }
const char *session_fault_runtime(const struct session *s) { return NULL; }
bool session_signal_stops(const struct session *s, u32 signal) { return signal != 14; }

bool session_scratch(const struct session *s) { return s->scratch; }

/* A call of any function returns 99 at once. */
struct error *session_scratch_run(struct session *s, u64 steps, struct session_stop *ret,
                                  u32 *ret_signal)
{
    s->registers.reg[RAX] = 99;
    s->registers.rip = CODE_AT;
    *ret = (struct session_stop){.why = WHY_BREAKPOINT};
    *ret_signal = 0;
    return NULL;
}

void session_scratch_drop(struct session *s) { s->scratch = false; }
