/* Restores a snapshot: see snapshot.h.
 *
 * The engine has been started as for a replay from the beginning: settings, the processor's
 * features, the vDSO and its own memory are as they must be. The guest that it loaded is removed
 * and the guest of the snapshot takes its place.
 *
 * Memory is read into new mappings, instead of being mapped from the snapshot: pages that the
 * program discards later (MADV_DONTNEED) must become zeros, or the content of the mapped file. If
 * ebb has the pages, large mappings without a file are read when they are touched
 * (memory/pending.h).
 *
 * A thread that waits in a call gets a stack on which the rest of that call is next
 * (syscalls_resume()); all others continue in the dispatcher, as new threads do.
 *
 * Up to snapshot_check() nothing changes, and the session can do without the snapshot. A later
 * failure ends the process with log_unable(), and the session starts another one without it.
 */
#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/calls/syscalls.h"
#include "engine/memory/address.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/file_names.h"
#include "engine/memory/mapped_copy.h"
#include "engine/memory/mapped_file.h"
#include "engine/memory/mapping.h"
#include "engine/memory/pending.h"
#include "engine/signals/signals.h"
#include "engine/snapshot/snapshot.h"
#include "engine/snapshot/snapshot_internal.h"
#include "engine/threads/thread.h"
#include "engine/track/replay.h"
#include "engine/track/replay_output.h"
#include "engine/track/replay_threads.h"
#include "engine/translate/translate.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/vector.h"
#include "log/channel.h"
#include "log/snapshot_state.h"

enum {
    SOURCES_MOST = 8192,
    PENDING_LEAST = 32, /* minimum number of pages of a mapping that is read later, at faults */
    PAGES_AHEAD = 64,
};

struct snapshot_source_file {
    i32 fd;
    bool stays_open; /* it is a copy of memory/mapped_copy.h */
    u64 device, inode; /* its own */
};

struct snapshot_in {
    struct snapshot_page_source pages;
    const u8 *state;
    u64 size;
    bool waits; /* some of its pages are read later */
    u32 file_count, copy_count;
    struct snapshot_source_file files[SOURCES_MOST], copies[SOURCES_MOST];
    char path[CHANNEL_FETCH_PATH];
    u8 page[PAGE_SIZE];
};

/* Returns the next record of a kind after `r`, or the first for NULL. */
static const void *next_record(const struct snapshot_in *in, u32 kind, const void *r)
{
    u64 at = r ? (u64)((const u8 *)r - in->state) + ((const struct snapshot_record *)r)->size : 0;
    while (at < in->size) {
        const struct snapshot_record *record = (const struct snapshot_record *)(in->state + at);
        if (record->kind == kind)
            return record;
        at += record->size;
    }
    return NULL;
}

static const struct snapshot_state *state_of(const struct snapshot_in *in)
{
    return (const struct snapshot_state *)in->state;
}

/* --- whether it can be restored here --------------------------------------------------------- */

static u64 least_size(u32 kind)
{
    static const u16 sizes[] = {
        [SNAPSHOT_STATE] = sizeof(struct snapshot_state),
        [SNAPSHOT_FILE] = sizeof(struct snapshot_file_record),
        [SNAPSHOT_COPY] = sizeof(struct snapshot_copy),
        [SNAPSHOT_AREA] = sizeof(struct snapshot_area),
        [SNAPSHOT_MAPPING] = sizeof(struct snapshot_mapping),
        [SNAPSHOT_THREAD] = sizeof(struct snapshot_thread) + VECTOR_STATE_MAX,
        [SNAPSHOT_PAGES] = sizeof(struct snapshot_pages),
    };
    return kind < countof(sizes) ? sizes[kind] : 0;
}

/* Checks that all bytes of a record are there. */
static bool is_whole(const struct snapshot_in *in, u64 at)
{
    const struct snapshot_record *r = (const struct snapshot_record *)(in->state + at);
    if (in->size - at < sizeof(*r) || r->size % 8 || r->size > in->size - at)
        return false;
    u64 least = least_size(r->kind);
    if (!least || r->size < least)
        return false;
    u64 path = r->kind == SNAPSHOT_FILE ? ((const struct snapshot_file_record *)r)->path_size
               : r->kind == SNAPSHOT_COPY ? ((const struct snapshot_copy *)r)->path_size : 0;
    return path <= r->size - least && path < CHANNEL_FETCH_PATH;
}

static bool records_are_whole(const struct snapshot_in *in)
{
    if (in->size < sizeof(struct snapshot_state) || state_of(in)->record.kind != SNAPSHOT_STATE)
        return false;
    for (u64 at = 0; at < in->size; at += ((const struct snapshot_record *)(in->state + at))->size)
        if (!is_whole(in, at))
            return false;
    return true;
}

/* True if the loader has mapped the vDSO where the snapshot has it. */
static bool vdso_is_there(const struct snapshot_in *in)
{
    u64 here = 0, there = 0;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        here += a->flags & AREA_VDSO ? 1 : 0;
    for (const struct snapshot_area *s = NULL; (s = next_record(in, SNAPSHOT_AREA, s));) {
        if (!(s->flags & AREA_VDSO))
            continue;
        const struct area *a = areas_find(s->start);
        if (!a || a->start != s->start || a->end != s->end || a->flags != s->flags ||
            a->protection != s->protection)
            return false;
        there++;
    }
    return here == there;
}

static bool addresses_are_free(const struct snapshot_in *in)
{
    for (const struct snapshot_mapping *m = NULL; (m = next_record(in, SNAPSHOT_MAPPING, m));)
        if (m->start >= m->end || address_refused(m->start, m->end - m->start))
            return false;
    return true;
}

static const char *snapshot_in_check(const struct snapshot_in *in)
{
    const struct snapshot_state *s = state_of(in);
    if (!records_are_whole(in) || s->version != SNAPSHOT_VERSION)
        return "the snapshot is of another version";
    if (s->vector_size != VECTOR_STATE_MAX || s->vector_kept != vector_shape.kept ||
        s->vector_places != snapshot_vector_places())
        return "the snapshot is of another processor";
    if (!vdso_is_there(in) || !addresses_are_free(in))
        return "the snapshot has memory where the engine has";
    return NULL;
}

static struct snapshot_in *snapshot_open(i32 fd, const struct snapshot_extent *extent)
{
    u64 size = page_up(extent->state_size);
    struct snapshot_in *in = pool_try_map(page_up(sizeof(*in)), PAGE_SIZE);
    u8 *place = in && size ? pool_try_map(size, PAGE_SIZE) : NULL;
    i64 got = place ? kernel_call(__NR_mmap, place, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
                                  extent->state_at)
                    : -ENOMEM;
    if (kernel_failed(got)) {
        if (place)
            pool_unmap(place, size);
        if (in)
            pool_unmap(in, page_up(sizeof(*in)));
        return NULL;
    }
    in->pages.fd = fd;
    in->state = place;
    in->size = extent->state_size;
    return in;
}

static void snapshot_close(struct snapshot_in *in)
{
    pool_unmap((void *)in->state, page_up(in->size));
    pool_unmap(in, page_up(sizeof(*in)));
}

const char *snapshot_check(i32 fd, const struct snapshot_extent *extent)
{
    struct snapshot_in *in = snapshot_open(fd, extent);
    if (!in)
        return "the snapshot cannot be read";
    const char *wrong = snapshot_in_check(in);
    snapshot_close(in);
    return wrong;
}

/* --- memory --------------------------------------------------------------------------------- */

static void remove_guest(void)
{
    u64 from = 0;
    translate_drop_all();
    for (const struct area *found; (found = areas_from(from));) {
        struct area a = *found;
        from = a.end;
        if (a.flags & AREA_VDSO)
            continue;
        code_watch_changed(a.start, a.end);
        if (kernel_failed(kernel_call(__NR_munmap, a.start, a.end - a.start)))
            log_unable("the program cannot be removed for a snapshot");
        areas_clear(a.start, a.end);
    }
}

static void know_source(struct snapshot_source_file *s, i64 fd)
{
    struct k_stat st = {0};
    if (kernel_failed(fd) || kernel_failed(kernel_call(__NR_fstat, fd, &st)))
        log_unable("a file that a snapshot has mapped is gone");
    *s = (struct snapshot_source_file){(i32)fd, false, st.device, st.inode};
}

static const char *path_of(struct snapshot_in *in, const void *bytes, u32 size)
{
    memcpy(in->path, bytes, size);
    in->path[size] = 0;
    return in->path;
}

/* For a file that the recording keeps: as when it is mapped (memory/mapped_file.c), one copy serves
 * all mappings. */
static void share_copy(struct snapshot_source_file *s, const struct event_map *map)
{
    struct mapped_copy_name name = {map->device, map->inode};
    if (!mapped_file_shares_copy(map->copy, map->file_size) || mapped_copy_exists(name))
        return;
    i32 fetched = s->fd;
    know_source(s, mapped_copy_of_file(name, fetched));
    s->stays_open = true;
    kernel_call(__NR_close, fetched);
}

static void open_files(struct snapshot_in *in)
{
    for (const struct snapshot_file_record *f = NULL; (f = next_record(in, SNAPSHOT_FILE, f));) {
        struct event_map map = {.device = f->device, .inode = f->inode, .file_size = f->size,
                                .mtime = f->mtime, .copy = f->copy};
        if (in->file_count == SOURCES_MOST)
            log_unable("a snapshot has too many files");
        const char *path = path_of(in, f + 1, f->path_size);
        struct snapshot_source_file *s = &in->files[in->file_count++];
        know_source(s, replay_fetch(&map, path));
        share_copy(s, &map);
        file_names_note(map.device, map.inode, path);
        file_names_note(s->device, s->inode, path);
        file_origin_note(s->device, s->inode, &map, path);
    }
}

static void make_copies(struct snapshot_in *in)
{
    mapped_copy_begin_again(state_of(in)->last_nameless);
    for (const struct snapshot_copy *c = NULL; (c = next_record(in, SNAPSHOT_COPY, c));) {
        struct mapped_copy_name name = {c->device, c->inode};
        if (in->copy_count == SOURCES_MOST)
            log_unable("a snapshot has too much shared memory");
        know_source(&in->copies[in->copy_count++], mapped_copy_open(name, c->size));
        if (c->path_size)
            file_names_note(c->device, c->inode, path_of(in, c + 1, c->path_size));
    }
}

static const struct snapshot_source_file *source_at(const struct snapshot_in *in, u32 source,
                                                    u32 index)
{
    bool copy = source == SNAPSHOT_OF_COPY;
    if (index >= (copy ? in->copy_count : in->file_count))
        log_unable("a snapshot is not whole");
    return copy ? &in->copies[index] : &in->files[index];
}

/* Maps it writable for now. */
static void map_again(const struct snapshot_in *in, const struct snapshot_mapping *m)
{
    bool anonymous = m->source == SNAPSHOT_ANONYMOUS;
    u64 flags = MAP_FIXED | MAP_NORESERVE | (m->shared ? MAP_SHARED : MAP_PRIVATE);
    if (anonymous)
        flags |= MAP_ANONYMOUS;
    if (m->grows_down)
        flags |= MAP_GROWSDOWN;
    i64 fd = anonymous ? -1 : source_at(in, m->source, m->index)->fd;
    if (kernel_failed(kernel_call(__NR_mmap, m->start, m->end - m->start, PROT_READ | PROT_WRITE,
                                  flags, fd, anonymous ? 0 : m->offset)))
        log_unable("there is not enough memory for a snapshot");
}

static void get_pages(struct snapshot_page_source *s, u64 number, u64 count, u64 ahead, void *to)
{
    if (!snapshot_pages_get(s, number, count, ahead, to))
        log_unable("a snapshot cannot be read");
}

/* Bytes after the end of the copy were not written. */
static void fill_copy(struct snapshot_in *in, const struct snapshot_pages *p)
{
    u8 *page = in->page;
    i32 fd = source_at(in, SNAPSHOT_OF_COPY, p->copy - 1)->fd;
    struct k_stat st = {0};
    kernel_call(__NR_fstat, fd, &st);
    for (u64 n = 0; n < p->count; n++) {
        u64 offset = p->address + n * PAGE_SIZE, size = st.size - offset;
        if (offset >= st.size)
            return;
        size = size < PAGE_SIZE ? size : PAGE_SIZE;
        get_pages(&in->pages, p->first + n, 1, p->count - n, page);
        if (kernel_call(__NR_pwrite64, fd, page, size, offset) != (i64)size)
            log_unable("a snapshot cannot be read");
    }
}

/* --- pages that are read later ---------------------------------------------------------------- */

static bool may_wait(const struct snapshot_in *in, const struct snapshot_mapping *m)
{
    return in->waits && m->source == SNAPSHOT_ANONYMOUS && !m->shared && !m->grows_down &&
           m->end - m->start >= PENDING_LEAST * PAGE_SIZE;
}

/* True if pages and mappings are sorted by address, so that pages can be looked up. */
static bool can_be_looked_up(const struct snapshot_in *in)
{
    u64 last = 0;
    for (const struct snapshot_mapping *m = NULL; (m = next_record(in, SNAPSHOT_MAPPING, m));) {
        if (m->start < last)
            return false;
        last = m->end;
    }
    const struct snapshot_pages *before = NULL;
    last = 0;
    for (const struct snapshot_pages *p = NULL; (p = next_record(in, SNAPSHOT_PAGES, p));) {
        if (p->copy)
            continue;
        if (p->address < last || (before && p != before + 1) || p->record.size != sizeof(*p))
            return false;
        last = p->address + p->count * PAGE_SIZE;
        before = p;
    }
    return before;
}

/* The consecutive records of pages, kept as long as pages are pending. */
struct snapshot_waiting {
    struct snapshot_page_source pages;
    const struct snapshot_pages *runs;
    u64 count;
};

static const struct snapshot_pages *first_run_above(const struct snapshot_waiting *w, u64 at)
{
    u64 low = 0, high = w->count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (w->runs[middle].address + w->runs[middle].count * PAGE_SIZE <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return w->runs + low;
}

/* Returns the number of the page at the address, or of the next existing one. */
static u64 number_at(const struct snapshot_waiting *w, const struct snapshot_pages *run, u64 at)
{
    if (run == w->runs + w->count)
        return run[-1].first + run[-1].count;
    return run->first + (at > run->address ? (at - run->address) / PAGE_SIZE : 0);
}

static u64 read_waiting(void *context, u64 start, u64 end)
{
    struct snapshot_waiting *w = context;
    u64 count = 0;
    u64 last = number_at(w, first_run_above(w, end), end);
    for (const struct snapshot_pages *p = first_run_above(w, start);
         p < w->runs + w->count && p->address < end; p++) {
        u64 above = p->address + p->count * PAGE_SIZE;
        u64 from = p->address > start ? p->address : start, to = above < end ? above : end;
        u64 number = p->first + (from - p->address) / PAGE_SIZE;
        get_pages(&w->pages, number, (to - from) / PAGE_SIZE, last - number, (void *)from);
        count += (to - from) / PAGE_SIZE;
    }
    snapshot_pages_close(&w->pages);
    return count;
}

static void prepare_waiting(struct snapshot_in *in)
{
    struct snapshot_waiting *w = pool_take(sizeof(*w));
    *w = (struct snapshot_waiting){.pages.given = in->pages.given};
    for (const struct snapshot_pages *p = NULL; (p = next_record(in, SNAPSHOT_PAGES, p));) {
        w->runs = p->copy || w->runs ? w->runs : p;
        w->count += !p->copy;
    }
    pending_start(read_waiting, w, in->pages.given.pages);
}

static const struct snapshot_mapping *mapping_from(const struct snapshot_in *in,
                                                   const struct snapshot_mapping *m, u64 at)
{
    while (m && m->end <= at)
        m = next_record(in, SNAPSHOT_MAPPING, m);
    return m;
}

static void close_waiting(struct snapshot_in *in)
{
    for (const struct snapshot_mapping *m = NULL; (m = next_record(in, SNAPSHOT_MAPPING, m));)
        if (may_wait(in, m) && !pending_add(m->start, m->end))
            log_unable("there is not enough memory for a snapshot");
}

static void fill_memory(struct snapshot_in *in)
{
    const struct snapshot_mapping *m = next_record(in, SNAPSHOT_MAPPING, NULL);
    for (const struct snapshot_pages *p = NULL; (p = next_record(in, SNAPSHOT_PAGES, p));) {
        if (p->copy) {
            fill_copy(in, p);
            continue;
        }
        u64 end = p->address + p->count * PAGE_SIZE;
        for (u64 at = p->address, to; at < end; at = to) {
            m = mapping_from(in, m, at);
            bool inside = m && m->start <= at;
            u64 border = !m ? end : inside ? m->end : m->start;
            to = border < end ? border : end;
            if (!inside || !may_wait(in, m))
                get_pages(&in->pages, p->first + (at - p->address) / PAGE_SIZE,
                          (to - at) / PAGE_SIZE, PAGES_AHEAD, (void *)at);
        }
    }
    snapshot_pages_close(&in->pages);
}

static void protect_again(const struct snapshot_mapping *m)
{
    u32 protection = code_watch_kernel_protection(m->protection);
    if (kernel_failed(kernel_call(__NR_mprotect, m->start, m->end - m->start, protection)))
        log_unable("a snapshot's memory cannot be protected");
}

static void set_area(const struct snapshot_in *in, const struct snapshot_area *s)
{
    struct area a = {.start = s->start, .end = s->end, .protection = s->protection,
                     .flags = s->flags, .offset = s->offset};
    if (s->source != SNAPSHOT_ANONYMOUS) {
        const struct snapshot_source_file *from = source_at(in, s->source, s->index);
        a.device = from->device;
        a.inode = from->inode;
    }
    address_mapped(&a);
}

static void restore_memory(struct snapshot_in *in)
{
    in->waits = in->pages.given.asks && can_be_looked_up(in);
    if (in->waits)
        prepare_waiting(in);
    remove_guest();
    make_copies(in);
    open_files(in);
    for (const struct snapshot_mapping *m = NULL; (m = next_record(in, SNAPSHOT_MAPPING, m));)
        map_again(in, m);
    fill_memory(in);
    for (const struct snapshot_mapping *m = NULL; (m = next_record(in, SNAPSHOT_MAPPING, m));)
        protect_again(m);
    for (const struct snapshot_area *s = NULL; (s = next_record(in, SNAPSHOT_AREA, s));)
        if (!(s->flags & AREA_VDSO))
            set_area(in, s);
    if (in->waits)
        close_waiting(in);
    for (u32 n = 0; n < in->file_count; n++)
        if (!in->files[n].stays_open)
            kernel_call(__NR_close, in->files[n].fd);
}

/* --- threads -------------------------------------------------------------------------------- */

static void go_on(void)
{
    engine_run();
}

static void go_on_in_call(void)
{
    syscalls_resume();
    engine_run();
}

static void restore_signals_of(struct thread *t, const struct snapshot_thread *s)
{
    t->mask = s->mask;
    t->mask_restore = s->mask_restore;
    t->mask_restore_waits = s->mask_restore_waits;
    t->altstack = (struct k_stack){.base = s->altstack_base, .flags = (i32)s->altstack_flags,
                                   .size = s->altstack_size};
    t->signal_waiting = s->signal_waits;
    memcpy(&t->waiting_info, s->waiting_info, sizeof(t->waiting_info));
    t->fault_error = s->fault_error;
    t->fault_trap = s->fault_trap;
    t->fault_cr2 = s->fault_cr2;
}

static void restore_call_of(struct thread *t, const struct snapshot_thread *s)
{
    struct thread_call *c = &t->call;
    c->open = s->in_call;
    c->flags = (u16)s->call_flags;
    c->asked.number = s->call_number;
    memcpy(c->asked.args, s->call_args, sizeof(c->asked.args));
    c->tick = s->call_tick;
    c->pc = s->call_pc;
}

static void restore_thread(const struct snapshot_thread *s)
{
    struct thread *t = thread_create();
    if (!t)
        log_unable("no memory for another thread");
    t->leads = s->first;
    t->tid = s->first ? thread_first_tid() : s->tid;
    memcpy(t->name, s->name, sizeof(t->name));
    memcpy(t->state.reg, s->reg, sizeof(t->state.reg));
    t->state.rip = s->rip;
    t->state.flags = s->flags;
    t->state.fs_base = s->fs_base;
    t->state.gs_base = s->gs_base;
    t->forbidden = s->forbidden;
    t->clear_tid = gaddr(s->clear_tid);
    t->robust_list = gaddr(s->robust_list);
    t->robust_size = s->robust_size;
    restore_signals_of(t, s);
    restore_call_of(t, s);
    memcpy(t->vector, s + 1, VECTOR_STATE_MAX);
    t->place = THREAD_AWAY;
    replay_thread_prepare(t, s->in_call ? go_on_in_call : go_on);
    thread_set_next_ordinal(s->ordinal);
    thread_list_add(t);
}

/* The block on which this code runs stays unused, since a kernel thread is on it. */
static void restore_threads(const struct snapshot_in *in)
{
    const struct snapshot_thread *s = NULL;
    struct thread *first = thread_self();
    assert(threads.count == 1);
    thread_list_drop(first);
    while ((s = next_record(in, SNAPSHOT_THREAD, s)))
        restore_thread(s);
    thread_set_next_ordinal(state_of(in)->next_ordinal);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void restore_state(const struct snapshot_state *s, u64 event)
{
    struct replay_position position = {.events_met = s->events_met, .stack_limit = s->stack_limit};
    struct output_state output;
    memcpy(position.limit, s->limit, sizeof(position.limit));
    memcpy(output.shown_as, s->shown_as, sizeof(output.shown_as));
    replay_restore_position(&position, event);
    output_restore(&output);
    output_quiet(s->quiet);
    signals_restore_actions((const struct k_sigaction *)s->actions);
    address_restore_heap(s->heap_start, s->heap_now);
    ticks_start_at(s->tick);
}

_Noreturn void snapshot_restore(i32 fd, const struct snapshot_extent *extent,
                                const struct snapshot_given *given, u64 event)
{
    struct snapshot_in *in = snapshot_open(fd, extent);
    if (!in || snapshot_in_check(in))
        log_unable("a snapshot cannot be read");
    in->pages.given = *given;
    restore_memory(in);
    restore_threads(in);
    restore_state(state_of(in), event);
    struct thread *runs = thread_with_ordinal(state_of(in)->running);
    if (!runs)
        log_unable("a snapshot is not whole");
    if (in->waits) /* the records are needed as long as the process lives */
        pool_unmap(in, page_up(sizeof(*in)));
    else
        snapshot_close(in);
    kernel_call(__NR_close, fd);
    replay_thread_become(runs);
}
