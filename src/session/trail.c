/* The trail: see the header.
 *
 * The registers of each state are stored. Its memory is that of the process at the end, with the
 * overwritten bytes put back, latest first. `refs` lists the overwritten bytes of each page in the
 * order of execution.
 *
 * A page that was read is cached as it was at that state. A client that steps reads the same few
 * pages at one state after the other, so each read changes only the bytes that differ between the
 * two states. The bytes of the page and those of the ref are swapped: one of them holds the old
 * bytes, the other the new ones.
 *
 * What is mapped does not change within a trail: the engine keeps only such states
 * (engine/plan/states.c).
 *
 * Invariants
 *   (1) t->process stands at the end as long as the trail exists, and is never run.
 *   (2) All refs of a page that is not cached hold the old bytes. Of a cached page, only the refs
 *       before its `next` do.
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

enum { PAGE = 4096, PAGES_CACHED = 256, STATES_PER_TICK = 8 };

/* The bytes of one page that one state overwrote. */
struct ref {
    u64 page;
    u32 state;
    u32 order; /* position in the order of execution */
    u16 offset, size; /* within the page */
    u8 *bytes;
};

struct cached_page {
    u64 address;
    size_t size; /* number of readable bytes */
    size_t next; /* the first ref of the page that has not happened yet */
    u8 bytes[PAGE];
};

struct trail {
    struct replayer *process;
    struct moment end;
    u8 *file;
    size_t file_size;
    const struct states *head;
    const struct state *states;
    u64 count;
    struct ref *refs;
    size_t ref_count;
    struct cached_page *pages[PAGES_CACHED];
    struct control_thread *threads, *early; /* at the end of the trail; at its beginning */
    size_t thread_count, early_count;
    /* a signal or another thread comes before the instruction at the end is executed */
    bool ends_interrupted;
};

/* --- making one ---------------------------------------------------------------------------- */

static u64 undo_size(const struct state_undo *u)
{
    return sizeof *u + (((u64)u->size + 7) & ~7ull);
}

static bool trail_in_file(const struct trail *t, u64 offset, u64 size)
{
    return offset <= t->file_size && size <= t->file_size - offset;
}

/* True if all offsets are within the file. A broken engine must not crash ebb. */
static bool trail_is_sound(const struct trail *t)
{
    const struct states *h = t->head;
    if (t->file_size < sizeof *h || h->count > t->file_size / sizeof(struct state) ||
        !trail_in_file(t, h->first_state, h->count * sizeof(struct state)) || h->first_state % 8)
        return false;
    const struct state *states = (const struct state *)(t->file + h->first_state);
    for (u64 i = 0; i < h->count; i++) {
        u64 at = h->first_undo + states[i].undo;
        if (!trail_in_file(t, h->first_vector + states[i].vector * h->vector_size, h->vector_size))
            return false;
        for (u32 n = 0; n < states[i].undo_count; n++) {
            if (at % 8 || !trail_in_file(t, at, sizeof(struct state_undo)))
                return false;
            const struct state_undo *u = (const struct state_undo *)(t->file + at);
            if (!trail_in_file(t, at, undo_size(u)))
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

static struct ref make_ref(struct state_undo *u, u64 page, u64 state, size_t order)
{
    u64 from = u->address > page * PAGE ? u->address : page * PAGE;
    u64 end = u->address + u->size < (page + 1) * PAGE ? u->address + u->size : (page + 1) * PAGE;
    return (struct ref){page, (u32)state, (u32)order, (u16)(from - page * PAGE), (u16)(end - from),
                        (u8 *)(u + 1) + (from - u->address)};
}

/* Makes a ref for every page of all overwritten bytes, unless `to` is NULL. Returns their
 * number. */
static size_t visit_undos(const struct trail *t, struct ref *to)
{
    size_t n = 0;
    for (u64 i = 0; i < t->count; i++) {
        u64 at = t->head->first_undo + t->states[i].undo;
        for (u32 k = 0; k < t->states[i].undo_count; k++) {
            struct state_undo *u = (struct state_undo *)(t->file + at);
            for (u64 p = 0; p < pages_of(u); p++, n++)
                if (to)
                    to[n] = make_ref(u, u->address / PAGE + p, i, n);
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

static struct error *open_states(struct trail *t, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof *t->head)
        return error_coded(ERROR_LOST, "an engine gave no states");
    t->file_size = (size_t)st.st_size;
    void *file = mmap(NULL, t->file_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    t->file = file == MAP_FAILED ? NULL : file;
    t->head = (const struct states *)t->file;
    if (!t->file || !trail_is_sound(t))
        return error_coded(ERROR_LOST, "an engine sent invalid states");
    t->states = (const struct state *)(t->file + t->head->first_state);
    t->count = t->head->count;
    t->ref_count = visit_undos(t, NULL);
    t->refs = xalloc((t->ref_count + 1) * sizeof *t->refs);
    visit_undos(t, t->refs);
    qsort(t->refs, t->ref_count, sizeof *t->refs, compare_refs);
    return NULL;
}

/* Returns where to begin, so that about `states` states lie before the end. */
static struct moment trail_begin_of(const struct timeline *timeline, struct moment end, u64 states)
{
    u64 ticks = states / STATES_PER_TICK;
    struct moment first = timeline->list[0].at;
    return end.tick > first.tick + ticks ? (struct moment){end.tick - ticks, 0} : first;
}

static bool ask_threads(struct trail *t, struct control_thread **ret, size_t *ret_count)
{
    size_t size;
    struct error *err = replayer_ask(t->process, CONTROL_THREADS, CONTROL_THREAD_ANY, (void **)ret,
                                     &size);
    *ret_count = err ? 0 : size / sizeof **ret;
    error_destroy(err);
    return *ret_count > 0;
}

/* Runs t->process to the end and collects its states. If it stops before the end, the states are
 * not used: they are not of the requested stretch. */
static struct error *trail_run(struct trail *t, struct moment end, u64 states)
{
    int fd = -1;
    ask_threads(t, &t->early, &t->early_count);
    struct error *err = replayer_states(t->process, end, states, &fd);
    if (err && !t->process->lost) { /* no states can be had here: no trail */
        error_destroy(err);
        return NULL;
    }
    t->end = replayer_at(t->process);
    bool there = end.pc ? moment_compare(t->end, end) == 0 : t->end.tick == end.tick;
    if (!err && there)
        err = open_states(t, fd);
    t->ends_interrupted = track_events_interrupt(t->process->family->events,
                                                 t->process->stopped.event, t->end);
    if (fd >= 0)
        close(fd);
    return err;
}

static struct error *trail_make(struct timeline *timeline, struct trail *t, struct moment end,
                                u64 states)
{
    struct error *err = timeline_reach(timeline, trail_begin_of(timeline, end, states),
                                       &t->process);
    if (err || !t->process)
        return err;
    const struct checkpoint *before = timeline_before(timeline, replayer_at(t->process));
    u64 way = t->process->stopped.tick - before->at.tick;
    if (timeline_seconds(timeline, way) > 0.002)
        err = timeline_leave(timeline, t->process);
    return err ? err : trail_run(t, end, states);
}

/* Returns the trail, or NULL if it is of no use. */
static struct error *trail_hand_over(struct trail *t, struct error *err, struct trail **ret)
{
    if (err || t->count == 0) {
        trail_destroy(t);
        t = NULL;
    }
    *ret = t;
    return err;
}

struct error *trail_create(struct timeline *timeline, struct moment end, u64 states,
                           struct trail **ret)
{
    struct trail *t = xalloc(sizeof *t);
    *t = (struct trail){0};
    return trail_hand_over(t, trail_make(timeline, t, end, states), ret);
}

/* The engine drops the oldest states if there are too many, but these are the ones that are wanted
 * here. So it may keep more than are expected. */
struct error *trail_create_ahead(const struct timeline *timeline, struct replayer *from, u64 states,
                                 struct trail **ret)
{
    struct trail *t;
    u64 index, end = from->stopped.tick + states / STATES_PER_TICK;
    struct moment begin = replayer_at(from);
    *ret = NULL;
    if (end >= timeline->last.tick)
        end = timeline->last.tick - 1; /* a step cannot end at the end of the recording */
    if (end <= begin.tick)
        return NULL;
    t = xalloc(sizeof *t);
    *t = (struct trail){0};
    struct error *err = replayer_fork(from, &t->process);
    if (!err)
        err = trail_run(t, (struct moment){end, 0}, 8 * states);
    if (!err && t->count && !trail_find(t, begin, &index))
        t->count = 0;
    return trail_hand_over(t, err, ret);
}

void trail_destroy(struct trail *t)
{
    if (!t)
        return;
    replayer_destroy(t->process);
    if (t->file)
        munmap((void *)t->file, t->file_size);
    free(t->refs);
    for (size_t i = 0; i < PAGES_CACHED; i++)
        free(t->pages[i]);
    free(t->threads);
    free(t->early);
    free(t);
}

/* --- states -------------------------------------------------------------------------------- */

static bool stands_at_end(const struct trail *t)
{
    return moment_compare(replayer_at(t->process), t->end) == 0;
}

u64 trail_count(const struct trail *t)
{
    return t->count;
}

struct replayer *trail_end(const struct trail *t)
{
    invariant(1, stands_at_end(t));
    return t->process;
}

struct moment trail_moment(const struct trail *t, u64 index)
{
    if (index == t->count)
        return replayer_at(t->process);
    return (struct moment){t->states[index].tick, t->states[index].pc};
}

u32 trail_thread(const struct trail *t, u64 index)
{
    return index == t->count ? t->process->stopped.thread : t->states[index].thread;
}

u64 trail_event(const struct trail *t, u64 index)
{
    return index == t->count ? t->process->stopped.event : t->states[index].event_number;
}

u64 trail_rsp(const struct trail *t, u64 index)
{
    return t->states[index].registers.reg[RSP];
}

bool trail_executes(const struct trail *t, u64 index)
{
    if (index == t->count)
        return !t->ends_interrupted;
    if (trail_event(t, index) == trail_event(t, index + 1))
        return true;
    return t->states[index].event != SITE_SIGNAL && t->states[index].event != SITE_SWITCH;
}

bool trail_eventful(const struct trail *t, u64 index)
{
    return t->states[index].event || trail_thread(t, index) != trail_thread(t, index + 1) ||
           trail_event(t, index) != trail_event(t, index + 1);
}

bool trail_stores(const struct trail *t, u64 index, u64 address, u64 size)
{
    u64 at = t->head->first_undo + t->states[index].undo;
    for (u32 n = 0; n < t->states[index].undo_count; n++) {
        const struct state_undo *u = (const struct state_undo *)(t->file + at);
        if (u->address < address + size && address < u->address + u->size)
            return true;
        at += undo_size(u);
    }
    return false;
}

bool trail_find(const struct trail *t, struct moment at, u64 *ret)
{
    u64 low = 0, high = t->count;
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (moment_compare(trail_moment(t, middle), at) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret = low;
    return moment_compare(trail_moment(t, low), at) == 0;
}

/* --- memory -------------------------------------------------------------------------------- */

/* Returns the first ref of the page, or of the next page that has any. */
static size_t refs_from(const struct trail *t, u64 page)
{
    size_t low = 0, high = t->ref_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->refs[middle].page < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void exchange(struct cached_page *c, struct ref *ref)
{
    u8 kept[PAGE];
    u8 *in_page = c->bytes + ref->offset;
    memcpy(kept, in_page, ref->size);
    memcpy(in_page, ref->bytes, ref->size);
    memcpy(ref->bytes, kept, ref->size);
}

/* Changes a cached page to what it was at a state. */
static void bring_page_to(struct trail *t, struct cached_page *c, u64 index)
{
    const struct ref *refs = t->refs;
    invariant(2, c->next <= t->ref_count);
    while (c->next > 0 && refs[c->next - 1].page == c->address && refs[c->next - 1].state >= index)
        exchange(c, &t->refs[--c->next]);
    while (c->next < t->ref_count && refs[c->next].page == c->address &&
           refs[c->next].state < index)
        exchange(c, &t->refs[c->next++]);
}

static struct error *fetch_page(struct trail *t, u64 page, struct cached_page **ret)
{
    struct cached_page **place = &t->pages[page % PAGES_CACHED], *c = *place;
    invariant(1, stands_at_end(t));
    if (c && c->address == page) {
        *ret = c;
        return NULL;
    }
    if (c)
        bring_page_to(t, c, t->count); /* invariant 2 */
    *place = NULL;
    c = c ? c : xalloc(sizeof *c);
    struct error *err = replayer_read(t->process, page * PAGE, c->bytes, PAGE, &c->size);
    if (err) {
        free(c);
        return err;
    }
    memset(c->bytes + c->size, 0, PAGE - c->size);
    c->address = page;
    c->next = refs_from(t, page + 1);
    *ret = *place = c;
    return NULL;
}

static struct error *read_in_page(struct trail *t, u64 index, u64 address, u8 *to, size_t size,
                                  size_t *ret)
{
    struct cached_page *c;
    struct error *err = fetch_page(t, address / PAGE, &c);
    if (err)
        return err;
    bring_page_to(t, c, index);
    size_t offset = address % PAGE;
    size_t got = c->size > offset ? c->size - offset : 0;
    *ret = got < size ? got : size;
    memcpy(to, c->bytes + offset, *ret);
    return NULL;
}

struct error *trail_read(struct trail *t, u64 index, u64 address, void *to, size_t size,
                         size_t *ret)
{
    size_t done = 0;
    while (done < size) {
        size_t part = PAGE - (address + done) % PAGE, got;
        part = part < size - done ? part : size - done;
        struct error *err = read_in_page(t, index, address + done, (u8 *)to + done, part, &got);
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

bool trail_registers(const struct trail *t, u64 index, u32 thread, struct control_registers *ret,
                     const u8 **vector)
{
    if (index == t->count ||
        (thread != CONTROL_THREAD_ANY && thread != t->states[index].thread))
        return false;
    const struct state *state = &t->states[index];
    *ret = state->registers;
    ret->vector_size = (u32)t->head->vector_size;
    ret->vector_features = t->head->vector_features;
    *vector = t->file + t->head->first_vector + state->vector * t->head->vector_size;
    return true;
}

/* True for calls after which there may be other threads, or threads with other ids. */
static bool changes_threads(const struct state *state)
{
    const u32 effects = EFFECT_MAKES | EFFECT_EXECS | EFFECT_EXITS | EFFECT_NAMES;
    if (state->event == SITE_THREAD || state->event == SITE_FORK)
        return true;
    return state->event == SITE_CALL && syscall_has(state->registers.reg[RAX], effects);
}

static bool know_threads(struct trail *t)
{
    return t->threads || ask_threads(t, &t->threads, &t->thread_count);
}

static u32 tid_in(const struct control_thread *list, size_t count, u32 thread)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].thread == thread)
            return list[i].tid;
    return 0;
}

struct state_memory {
    struct trail *trail;
    u64 index;
};

static bool read_state(void *context, void *to, struct gaddr from, size_t size)
{
    const struct state_memory *m = context;
    size_t got = 0;
    struct error *err = trail_read(m->trail, m->index, from.at, to, size, &got);
    if (err)
        error_destroy(err);
    return got == size;
}

/* True if the call at this state makes a process with its own memory. A child of vfork uses its
 * parent's memory, and is replayed under its parent's id. */
static bool trail_is_fork(struct trail *t, u64 index)
{
    const struct state *state = &t->states[index];
    struct state_memory of = {t, index};
    struct call_memory memory = {read_state, &of};
    u64 number = state->registers.reg[RAX], args[SYSCALL_ARGS] = {state->registers.reg[RDI]};
    if (!state->event || !syscall_has(number, EFFECT_MAKES))
        return false;
    return !(call_clone_flags(number, args, &memory) & (CALL_FLAG_VM | CALL_FLAG_VFORK));
}

/* True if the process is a child of fork that was created at this state or later. */
static bool is_born_behind(struct trail *t, u64 index, u32 thread)
{
    for (u64 i = index; i < t->count; i++)
        if (t->states[i].thread == thread && trail_is_fork(t, i) &&
            (i + 1 == t->count || t->states[i + 1].registers.reg[RAX] == 0))
            return true;
    return false;
}

/* A thread that ends within the trail is known only at its beginning, one that starts in it only at
 * the end. The first thread of a child of fork has another id from then on. */
u32 trail_tid(struct trail *t, u64 index)
{
    u32 thread = trail_thread(t, index), early = tid_in(t->early, t->early_count, thread);
    u32 late = know_threads(t) ? tid_in(t->threads, t->thread_count, thread) : 0;
    if (!early || !late)
        return early ? early : late;
    return early == late || is_born_behind(t, index, thread) ? early : late;
}

bool trail_threads(struct trail *t, u64 index, struct control_thread **ret, size_t *ret_count)
{
    for (u64 i = index; i < t->count; i++)
        if (changes_threads(&t->states[i]))
            return false;
    if (!know_threads(t))
        return false;
    struct control_thread *copy = xalloc((t->thread_count + 1) * sizeof *copy);
    memcpy(copy, t->threads, t->thread_count * sizeof *copy);
    for (size_t i = 0; i < t->thread_count; i++)
        copy[i].runs = copy[i].thread == trail_thread(t, index);
    *ret = copy;
    *ret_count = t->thread_count;
    return true;
}
