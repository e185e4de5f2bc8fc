/* The window: see the header.
 *
 * The registers of a state are written down.  Its memory is that of the process at the end, with
 * what the instructions in between overwrote put back, latest first: `refs` has for each page
 * what touches it, in the order of execution.
 *
 * What is mapped does not change within a window: the engine keeps only such states
 * (engine/plan/states.c).
 *
 * Invariants
 *   (1) w->process stands at the end as long as the window is there, and is only asked.
 */
#include "session/trail_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "log/syscall_table.h"

enum { PAGE = 4096, PAGES_CACHED = 64, STATES_PER_TICK = 8 };

/* What one state overwrote of one page. */
struct ref {
    u64 page;
    u32 state;
    u32 order; /* among all of them */
    const struct state_undo *undo;
};

struct cached_page {
    u64 address;
    bool valid;
    size_t size; /* as far as it can be read */
    u8 bytes[PAGE];
};

struct window {
    struct replayer *process;
    struct moment end;
    const u8 *file;
    size_t file_size;
    const struct states *head;
    const struct state *states;
    u64 count;
    struct ref *refs;
    size_t ref_count;
    struct cached_page *pages;
    struct control_thread *threads, *early; /* at the end; where it begins */
    size_t thread_count, early_count;
    bool ends_interrupted; /* what lies at the end is not executed there */
};

/* --- making one ---------------------------------------------------------------------------- */

static const u8 *undo_bytes(const struct state_undo *u)
{
    return (const u8 *)(u + 1);
}

static u64 undo_size(const struct state_undo *u)
{
    return sizeof *u + (((u64)u->size + 7) & ~7ull);
}

static bool window_in_file(const struct window *w, u64 offset, u64 size)
{
    return offset <= w->file_size && size <= w->file_size - offset;
}

/* Does everything in the file lie within it?  An engine that went wrong must not take ebb along. */
static bool window_is_sound(const struct window *w)
{
    const struct states *h = w->head;
    if (w->file_size < sizeof *h || h->count > w->file_size / sizeof(struct state) ||
        !window_in_file(w, h->first_state, h->count * sizeof(struct state)) || h->first_state % 8)
        return false;
    const struct state *states = (const struct state *)(w->file + h->first_state);
    for (u64 i = 0; i < h->count; i++) {
        u64 at = h->first_undo + states[i].undo;
        if (!window_in_file(w, h->first_vector + states[i].vector * h->vector_size, h->vector_size))
            return false;
        for (u32 n = 0; n < states[i].undo_count; n++) {
            if (at % 8 || !window_in_file(w, at, sizeof(struct state_undo)))
                return false;
            const struct state_undo *u = (const struct state_undo *)(w->file + at);
            if (!window_in_file(w, at, undo_size(u)))
                return false;
            at += undo_size(u);
        }
    }
    return true;
}

static u64 pages_of(const struct state_undo *u)
{
    return u->size ? (u->address + u->size - 1) / PAGE - u->address / PAGE + 1 : 0;
}

/* Calls `visit` for every page of everything that was overwritten; returns how many. */
static size_t visit_undos(const struct window *w, struct ref *to)
{
    size_t n = 0;
    for (u64 i = 0; i < w->count; i++) {
        u64 at = w->head->first_undo + w->states[i].undo;
        for (u32 k = 0; k < w->states[i].undo_count; k++) {
            const struct state_undo *u = (const struct state_undo *)(w->file + at);
            for (u64 p = 0; p < pages_of(u); p++, n++)
                if (to)
                    to[n] = (struct ref){u->address / PAGE + p, (u32)i, (u32)n, u};
            at += undo_size(u);
        }
    }
    return n;
}

static int compare_refs(const void *a, const void *b)
{
    const struct ref *x = a, *y = b;
    if (x->page != y->page)
        return x->page < y->page ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static struct error *open_states(struct window *w, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof *w->head)
        return error_new("an engine gave no states");
    w->file_size = (size_t)st.st_size;
    void *file = mmap(NULL, w->file_size, PROT_READ, MAP_PRIVATE, fd, 0);
    w->file = file == MAP_FAILED ? NULL : file;
    w->head = (const struct states *)w->file;
    if (!w->file || !window_is_sound(w))
        return error_new("an engine gave states that make no sense");
    w->states = (const struct state *)(w->file + w->head->first_state);
    w->count = w->head->count;
    w->ref_count = visit_undos(w, NULL);
    w->refs = xalloc((w->ref_count + 1) * sizeof *w->refs);
    visit_undos(w, w->refs);
    qsort(w->refs, w->ref_count, sizeof *w->refs, compare_refs);
    w->pages = xalloc(PAGES_CACHED * sizeof *w->pages);
    memset(w->pages, 0, PAGES_CACHED * sizeof *w->pages);
    return NULL;
}

/* Where to begin, so that about so many states lie between. */
static struct moment window_begin_of(const struct timeline *t, struct moment end, u64 states)
{
    u64 ticks = states / STATES_PER_TICK;
    struct moment first = t->list[0].at;
    return end.tick > first.tick + ticks ? (struct moment){end.tick - ticks, 0} : first;
}

static bool ask_threads(struct window *w, struct control_thread **ret, size_t *ret_count)
{
    size_t size;
    struct error *err = replayer_ask(w->process, CONTROL_THREADS, CONTROL_THREAD_ANY, (void **)ret,
                                     &size);
    *ret_count = err ? 0 : size / sizeof **ret;
    error_destroy(err);
    return *ret_count > 0;
}

static struct error *window_make(struct timeline *t, struct window *w, struct moment end,
                                 u64 states)
{
    int fd = -1;
    struct error *err = timeline_reach(t, window_begin_of(t, end, states), &w->process);
    if (err || !w->process)
        return err;
    u64 way = w->process->stopped.tick - timeline_before(t, replayer_at(w->process))->at.tick;
    if (timeline_seconds(t, way) > 0.002)
        err = timeline_leave(t, w->process);
    if (err)
        return err;
    ask_threads(w, &w->early, &w->early_count);
    err = replayer_states(w->process, end, states, &fd);
    if (err && !w->process->lost) { /* it cannot: then there is no window */
        error_destroy(err);
        return NULL;
    }
    w->end = end;
    if (!err && moment_compare(replayer_at(w->process), end) == 0)
        err = open_states(w, fd);
    w->ends_interrupted = track_events_interrupt(w->process->family->events, w->process->stopped.event, end);
    if (fd >= 0)
        close(fd);
    return err;
}

struct error *window_create(struct timeline *t, struct moment end, u64 states, struct window **ret)
{
    struct window *w = xalloc(sizeof *w);
    *w = (struct window){0};
    struct error *err = window_make(t, w, end, states);
    if (err || w->count == 0) {
        window_destroy(w);
        w = NULL;
    }
    *ret = w;
    return err;
}

void window_destroy(struct window *w)
{
    if (!w)
        return;
    replayer_destroy(w->process);
    if (w->file)
        munmap((void *)w->file, w->file_size);
    free(w->refs);
    free(w->pages);
    free(w->threads);
    free(w->early);
    free(w);
}

/* --- states -------------------------------------------------------------------------------- */

static bool stands_at_end(const struct window *w)
{
    return moment_compare(replayer_at(w->process), w->end) == 0;
}

u64 window_count(const struct window *w)
{
    return w->count;
}

struct replayer *window_end(const struct window *w)
{
    invariant(1, stands_at_end(w));
    return w->process;
}

struct moment window_moment(const struct window *w, u64 index)
{
    if (index == w->count)
        return replayer_at(w->process);
    return (struct moment){w->states[index].tick, w->states[index].pc};
}

u32 window_thread(const struct window *w, u64 index)
{
    return index == w->count ? w->process->stopped.thread : w->states[index].thread;
}

u64 window_event(const struct window *w, u64 index)
{
    return index == w->count ? w->process->stopped.event : w->states[index].event_number;
}

u64 window_rsp(const struct window *w, u64 index)
{
    return w->states[index].registers.reg[RSP];
}

bool window_executes(const struct window *w, u64 index)
{
    if (index == w->count)
        return !w->ends_interrupted;
    if (window_event(w, index) == window_event(w, index + 1))
        return true;
    return w->states[index].event != SITE_SIGNAL && w->states[index].event != SITE_SWITCH;
}

bool window_eventful(const struct window *w, u64 index)
{
    return w->states[index].event || window_thread(w, index) != window_thread(w, index + 1) ||
           window_event(w, index) != window_event(w, index + 1);
}

bool window_stores(const struct window *w, u64 index, u64 address, u64 size)
{
    u64 at = w->head->first_undo + w->states[index].undo;
    for (u32 n = 0; n < w->states[index].undo_count; n++) {
        const struct state_undo *u = (const struct state_undo *)(w->file + at);
        if (u->address < address + size && address < u->address + u->size)
            return true;
        at += undo_size(u);
    }
    return false;
}

bool window_find(const struct window *w, struct moment at, u64 *ret)
{
    u64 low = 0, high = w->count;
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (moment_compare(window_moment(w, middle), at) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret = low;
    return moment_compare(window_moment(w, low), at) == 0;
}

/* --- memory -------------------------------------------------------------------------------- */

static struct error *fetch_page(struct window *w, u64 page, struct cached_page **ret)
{
    struct cached_page *c = &w->pages[page % PAGES_CACHED];
    invariant(1, stands_at_end(w));
    if (!c->valid || c->address != page) {
        c->valid = false;
        struct error *err = replayer_read(w->process, page * PAGE, c->bytes, PAGE, &c->size);
        if (err)
            return err;
        c->address = page;
        c->valid = true;
    }
    *ret = c;
    return NULL;
}

/* The first of those that come behind all that touch the page. */
static size_t refs_behind(const struct window *w, u64 page)
{
    size_t low = 0, high = w->ref_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->refs[middle].page <= page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Puts back what of [address, address + size) was overwritten. */
static void put_back(const struct state_undo *u, u64 address, u8 *to, size_t size)
{
    u64 from = u->address > address ? u->address : address;
    u64 end = u->address + u->size < address + size ? u->address + u->size : address + size;
    if (from < end)
        memcpy(to + (from - address), undo_bytes(u) + (from - u->address), end - from);
}

static struct error *read_in_page(struct window *w, u64 index, u64 address, u8 *to, size_t size,
                                  size_t *ret)
{
    struct cached_page *c;
    struct error *err = fetch_page(w, address / PAGE, &c);
    if (err)
        return err;
    size_t offset = address % PAGE;
    size_t got = c->size > offset ? c->size - offset : 0;
    got = got < size ? got : size;
    memcpy(to, c->bytes + offset, got);
    for (size_t i = refs_behind(w, address / PAGE); i-- > 0;) {
        const struct ref *ref = &w->refs[i];
        if (ref->page != address / PAGE || ref->state < index)
            break;
        put_back(ref->undo, address, to, got);
    }
    *ret = got;
    return NULL;
}

struct error *window_read(struct window *w, u64 index, u64 address, void *to, size_t size,
                          size_t *ret)
{
    size_t done = 0;
    while (done < size) {
        size_t part = PAGE - (address + done) % PAGE, got;
        part = part < size - done ? part : size - done;
        struct error *err = read_in_page(w, index, address + done, (u8 *)to + done, part, &got);
        if (err)
            return err;
        done += got;
        if (got < part)
            break;
    }
    *ret = done;
    return NULL;
}

/* --- threads ------------------------------------------------------------------------------- */

bool window_registers(const struct window *w, u64 index, u32 thread, struct control_registers *ret,
                      const u8 **vector)
{
    if (index == w->count ||
        (thread != CONTROL_THREAD_ANY && thread != w->states[index].thread))
        return false;
    const struct state *state = &w->states[index];
    *ret = state->registers;
    ret->vector_size = (u32)w->head->vector_size;
    ret->vector_features = w->head->vector_features;
    *vector = w->file + w->head->first_vector + state->vector * w->head->vector_size;
    return true;
}

/* Calls after which there may be other threads, or others with this name. */
static bool changes_threads(const struct state *state)
{
    const u32 effects = EFFECT_MAKES | EFFECT_EXECS | EFFECT_EXITS | EFFECT_NAMES;
    if (state->event == SITE_THREAD || state->event == SITE_FORK)
        return true;
    return state->event == SITE_CALL && syscall_has(state->registers.reg[RAX], effects);
}

static bool know_threads(struct window *w)
{
    return w->threads || ask_threads(w, &w->threads, &w->thread_count);
}

static u32 tid_in(const struct control_thread *list, size_t count, u32 thread)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].thread == thread)
            return list[i].tid;
    return 0;
}

struct state_memory {
    struct window *window;
    u64 index;
};

static bool read_state(void *context, void *to, struct gaddr from, size_t size)
{
    const struct state_memory *m = context;
    size_t got = 0;
    struct error *err = window_read(m->window, m->index, from.at, to, size, &got);
    if (err)
        error_destroy(err);
    return got == size;
}

/* Is a process made there that has its own memory?  A child of vfork has its parent's, and is replayed
 * under its parent's id. */
static bool window_is_fork(struct window *w, u64 index)
{
    const struct state *state = &w->states[index];
    struct state_memory of = {w, index};
    struct call_memory memory = {read_state, &of};
    u64 number = state->registers.reg[RAX], args[SYSCALL_ARGS] = {state->registers.reg[RDI]};
    if (!state->event || !syscall_has(number, EFFECT_MAKES))
        return false;
    return !(call_clone_flags(number, args, &memory) & CALL_FLAG_VFORK);
}

/* Is the process, a child of fork, born at this state or behind it? */
static bool is_born_behind(struct window *w, u64 index, u32 thread)
{
    for (u64 i = index; i < w->count; i++)
        if (w->states[i].thread == thread && window_is_fork(w, i) &&
            (i + 1 == w->count || w->states[i + 1].registers.reg[RAX] == 0))
            return true;
    return false;
}

/* A thread that ends in the window is known only where that begins, one that begins in it only at the end; and the one that a
 * child of fork is born with has another number from then on. */
u32 window_tid(struct window *w, u64 index)
{
    u32 thread = window_thread(w, index), early = tid_in(w->early, w->early_count, thread);
    u32 late = know_threads(w) ? tid_in(w->threads, w->thread_count, thread) : 0;
    if (!early || !late)
        return early ? early : late;
    return early == late || is_born_behind(w, index, thread) ? early : late;
}

bool window_threads(struct window *w, u64 index, struct control_thread **ret, size_t *ret_count)
{
    for (u64 i = index; i < w->count; i++)
        if (changes_threads(&w->states[i]))
            return false;
    if (!know_threads(w))
        return false;
    struct control_thread *copy = xalloc((w->thread_count + 1) * sizeof *copy);
    memcpy(copy, w->threads, w->thread_count * sizeof *copy);
    for (size_t i = 0; i < w->thread_count; i++)
        copy[i].runs = copy[i].thread == window_thread(w, index);
    *ret = copy;
    *ret_count = w->thread_count;
    return true;
}
