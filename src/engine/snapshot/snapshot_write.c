/* Writes a snapshot: see snapshot.h.
 *
 * The kernel (/proc/self/maps) says what is mapped in the guest's areas: a growing area may not
 * have reached its limit, and the end of a file's mapping may have been replaced. The kernel also
 * says which pages were written (/proc/self/pagemap). Unwritten pages of files are not stored,
 * because the files have them; pages of zeros are not stored either.
 *
 * A slice of a snapshot has some of the pages that have changed. The program then runs, and what it
 * writes to these pages is noted as after a snapshot, so that the next slice has other pages, and
 * the last one those that have changed again.  A slice has no use but to be referred to.
 *
 * No snapshot is possible while a thread is in a call that cannot be resumed in a new engine
 * (syscalls_resumable()), while a child of vfork runs, or if the kernel keeps state of the process
 * that the engine does not know. Then another moment is tried, or none.
 */
#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/calls/syscalls.h"
#include "engine/memory/address.h"
#include "engine/memory/areas.h"
#include "engine/memory/file_names.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/kernel_maps.h"
#include "engine/memory/mapped_copy.h"
#include "engine/memory/pending.h"
#include "engine/signals/signals.h"
#include "engine/snapshot/snapshot.h"
#include "engine/snapshot/snapshot_internal.h"
#include "engine/threads/thread.h"
#include "engine/track/record.h"
#include "engine/track/replay.h"
#include "engine/track/replay_output.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"
#include "log/snapshot_state.h"

_Static_assert(PAGE_SIZE == SNAPSHOT_PAGE, "pages are the kernel's");
_Static_assert(sizeof(struct output_state) == SNAPSHOT_DESCRIPTORS, "on disk");

enum {
    K_SEEK_DATA = 3,
    K_SEEK_HOLE = 4,
    STRAIGHT_MOST = 1 << 20, /* bytes that are written at a time */
};

#define RESUME_FLAG (1ul << 16) /* set in a fault's context; no program sees it */
#define STATE_MOST (256ul << 20)
#define LARGEST_AREA (256ul << 30) /* looking up the shadow memory of sanitizers takes minutes */

void snapshot_fail(struct snapshot_out *o, const char *why)
{
    if (!o->wrong)
        o->wrong = why;
}

u64 snapshot_vector_places(void)
{
    enum { LEAF = 0xd, FIRST_WITH_PLACE = 2, FEATURES = 63 };
    u64 hash = 0x9e3779b97f4a7c15ul;
    for (u32 n = FIRST_WITH_PLACE; n < FEATURES; n++) {
        u32 eax = LEAF, ebx, ecx = n, edx;
        if (!(vector_shape.kept & XSAVE_BIT(n)))
            continue;
        __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
        hash = (hash ^ ((u64)eax << 32 | ebx)) * 0x9e3779b97f4a7c15ul;
        hash ^= hash >> 29;
    }
    return hash;
}

void *snapshot_add_record(struct snapshot_out *o, u32 kind, u64 size)
{
    size = (size + 7) & ~7ul;
    if (o->used + size > STATE_MOST) {
        snapshot_fail(o, "its state is too long");
        o->used = sizeof(struct snapshot_state); /* later records are discarded */
    }
    struct snapshot_record *r = (struct snapshot_record *)(o->state + o->used);
    memset(r, 0, size);
    *r = (struct snapshot_record){kind, (u32)size};
    o->used += size;
    return r;
}

/* --- pages ---------------------------------------------------------------------------------- */

static void write_all(struct snapshot_out *o, const void *bytes, u64 size)
{
    for (u64 at = 0; at < size && !o->wrong;) {
        i64 wrote = kernel_call(__NR_write, o->fd, (const u8 *)bytes + at, size - at);
        if (wrote <= 0 && wrote != -EINTR)
            snapshot_fail(o, "there is no room for it");
        at += wrote > 0 ? (u64)wrote : 0;
    }
}

static void flush_pages(struct snapshot_out *o)
{
    write_all(o, o->buffer, o->waiting * PAGE_SIZE);
    o->waiting = 0;
    write_all(o, (const void *)o->straight, o->straight_size);
    o->straight_size = 0;
}

/* Adds pages to the current run of this kind, or begins another run. */
static void add_to_run(struct snapshot_out *o, u32 kind, u64 address, u64 count, u32 copy)
{
    struct snapshot_pages *run =
        o->last_run ? (struct snapshot_pages *)(o->state + o->last_run) : NULL;
    if (!run || run->record.kind != kind || run->copy != copy ||
        run->address + run->count * PAGE_SIZE != address) {
        run = snapshot_add_record(o, kind, sizeof(*run));
        run->address = address;
        run->first = kind == SNAPSHOT_PAGES ? o->pages : 0;
        run->copy = copy;
        o->last_run = (u64)((u8 *)run - o->state);
    }
    run->count += count;
}

/* Adds the next page of the file to the snapshot. */
static void note_page(struct snapshot_out *o, u64 address, u32 copy)
{
    add_to_run(o, SNAPSHOT_PAGES, address, 1, copy);
    if (++o->pages > o->most_pages)
        snapshot_fail(o, "it is too large");
}

/* Adds the page that was just read into the buffer. */
static void keep_page(struct snapshot_out *o, u64 address, u32 copy)
{
    assert(!o->straight_size);
    note_page(o, address, copy);
    if (++o->waiting == SNAPSHOT_PAGES_AT_A_TIME)
        flush_pages(o);
}

/* Writes a page directly from where it is. */
static void keep_straight(struct snapshot_out *o, u64 page)
{
    bool goes_on = o->straight_size && o->straight + o->straight_size == page &&
                   o->straight_size < STRAIGHT_MOST;
    if (!goes_on) {
        flush_pages(o);
        o->straight = page;
    }
    o->straight_size += PAGE_SIZE;
    note_page(o, page, 0);
}

/* Looks at the start first: most pages that are not zero have content there. */
static bool snapshot_is_zero(const u8 *page)
{
    const u64 *words = (const u64 *)page;
    u64 any = 0;
    for (u64 n = 0; n < PAGE_SIZE / sizeof(u64) && !any; n += 8)
        any = words[n] | words[n + 1] | words[n + 2] | words[n + 3] | words[n + 4] | words[n + 5] |
              words[n + 6] | words[n + 7];
    return any == 0;
}

static u64 entry_of(struct snapshot_out *o, u64 page)
{
    u64 entry = 0;
    if (!snapshot_pagemap_entry(&o->pagemap, page, &entry))
        snapshot_fail(o, "the kernel does not say which pages there are");
    return entry;
}

/* The kernel can read what the guest cannot. */
bool snapshot_add_page(struct snapshot_out *o, u64 page, u64 address, u32 copy)
{
    if (o->straight_size)
        flush_pages(o);
    u8 *to = o->buffer[o->waiting];
    if (kernel_call(__NR_pread64, o->memory, to, PAGE_SIZE, page) != PAGE_SIZE)
        return false;
    if (!snapshot_is_zero(to))
        keep_page(o, address, copy);
    return true;
}

/* Writes a page of the program's own, without a file. */
static void write_own_page(struct snapshot_out *o, u64 page, const struct snapshot_mapping *m)
{
    if (m->source != SNAPSHOT_ANONYMOUS) { /* its zeros differ from the file */
        if (o->straight_size)
            flush_pages(o);
        u8 *to = o->buffer[o->waiting];
        if (kernel_call(__NR_pread64, o->memory, to, PAGE_SIZE, page) != PAGE_SIZE)
            snapshot_fail(o, "a page cannot be read");
        else
            keep_page(o, page, 0);
    } else if (!(m->protection & PROT_READ)) {
        if (!snapshot_add_page(o, page, page, 0))
            snapshot_fail(o, "a page cannot be read");
    } else if (!snapshot_is_zero((const u8 *)page)) {
        keep_straight(o, page);
    }
}

/* True if the page, which has changed, is not part of this slice. Nothing may say of it later that
 * it has not changed: it has no mark, and no hash (snapshot_changes.c). */
static bool is_left_out(struct snapshot_out *o, u64 page)
{
    if (!snapshot_slice_full(o))
        return false;
    if (!o->left++)
        o->cut = page;
    return true;
}

/* For a file that has changed since it was mapped; there are no bytes after its end. */
static void write_all_pages(struct snapshot_out *o, const struct snapshot_mapping *m)
{
    u64 end = o->files[m->index]->map.file_size;
    for (u64 page = m->start; page < m->end && !o->wrong; page += PAGE_SIZE) {
        if (is_left_out(o, page))
            continue;
        if (o->straight_size)
            flush_pages(o);
        u8 *to = o->buffer[o->waiting];
        if (kernel_call(__NR_pread64, o->memory, to, PAGE_SIZE, page) != PAGE_SIZE)
            continue;
        if (m->offset + (page - m->start) >= end)
            snapshot_fail(o, "a mapped file has grown");
        else
            keep_page(o, page, 0);
    }
}

/* The next stretch of pages that are there, from `page` on. The kernel passes over large stretches
 * where there are none, if it can. */
static bool next_stretch(struct snapshot_out *o, const struct snapshot_mapping *m, u64 page,
                         struct snapshot_stretch *ret)
{
    if (o->changes && o->changes->way == SNAPSHOT_WAY_KERNEL)
        return snapshot_changes_next(o, m, ret);
    for (; page < m->end && !o->wrong; page += PAGE_SIZE) {
        u64 entry = entry_of(o, page);
        if (!(entry & PAGE_PRESENT))
            continue;
        *ret = (struct snapshot_stretch){page, page + PAGE_SIZE, entry, false};
        return true;
    }
    return false;
}

static void write_stretch(struct snapshot_out *o, const struct snapshot_mapping *m,
                          const struct snapshot_stretch *s)
{
    for (u64 page = s->start; page < s->end && !o->wrong; page += PAGE_SIZE) {
        if (o->changes && snapshot_changes_same(o, m, page, s->entry))
            add_to_run(o, SNAPSHOT_SAME, page, 1, 0);
        else if (!(s->entry & PAGE_IN_MEMORY) || !is_left_out(o, page)) /* swapped: has a mark */
            write_own_page(o, page, m);
    }
}

static void write_memory(struct snapshot_out *o, const struct snapshot_mapping *m)
{
    bool anonymous = m->source == SNAPSHOT_ANONYMOUS;
    struct snapshot_stretch s;
    if (m->source == SNAPSHOT_OF_FILE && o->changed[m->index]) {
        write_all_pages(o, m);
        return;
    }
    if (o->changes)
        snapshot_changes_look(o, m);
    for (u64 page = m->start; !o->wrong && next_stretch(o, m, page, &s); page = s.end) {
        if (!anonymous && (s.entry & PAGE_OF_FILE))
            continue;
        if (s.same)
            add_to_run(o, SNAPSHOT_UNWRITTEN, s.start, (s.end - s.start) / PAGE_SIZE, 0);
        else
            write_stretch(o, m, &s);
    }
}

i64 snapshot_add_bytes(struct snapshot_out *o, i32 fd, u64 offset, u32 copy)
{
    if (o->straight_size)
        flush_pages(o);
    u8 *to = o->buffer[o->waiting];
    memset(to, 0, PAGE_SIZE);
    i64 got = kernel_call(__NR_pread64, fd, to, PAGE_SIZE, offset);
    if (got < 0)
        snapshot_fail(o, "shared memory cannot be read");
    else if (!snapshot_is_zero(to))
        keep_page(o, offset, copy);
    return got;
}

static void write_copy_part(struct snapshot_out *o, u32 index, u64 at, u64 end)
{
    for (; at < end && !o->wrong; at += PAGE_SIZE)
        snapshot_add_bytes(o, o->copies[index], at, index + 1);
}

static void write_copy(struct snapshot_out *o, u32 index)
{
    i32 fd = o->copies[index];
    for (i64 at = 0; !o->wrong;) {
        at = kernel_call(__NR_lseek, fd, at, K_SEEK_DATA);
        i64 end = at < 0 ? at : kernel_call(__NR_lseek, fd, at, K_SEEK_HOLE);
        if (at == -ENXIO)
            return;
        if (end < 0)
            snapshot_fail(o, "shared memory cannot be read");
        else
            write_copy_part(o, index, page_down((u64)at), (u64)end);
        at = end;
    }
}

/* --- the address space ---------------------------------------------------------------------- */

static u32 copy_index(struct snapshot_out *o, i32 fd, const struct mapped_copy_name *name)
{
    struct k_stat st = {0};
    for (u32 n = 0; n < o->copy_count; n++)
        if (o->copies[n] == fd)
            return n;
    if (o->copy_count == SNAPSHOT_COPIES_MOST || kernel_failed(kernel_call(__NR_fstat, fd, &st))) {
        snapshot_fail(o, "too much memory is shared");
        return 0;
    }
    const char *path = file_names_find(name->device, name->inode);
    u64 length = path ? strlen(path) : 0;
    struct snapshot_copy *copy = snapshot_add_record(o, SNAPSHOT_COPY, sizeof(*copy) + length);
    copy->device = name->device;
    copy->inode = name->inode;
    copy->size = st.size;
    copy->path_size = (u32)length;
    memcpy(copy + 1, path, length);
    o->copies[o->copy_count] = fd;
    return o->copy_count++;
}

u32 snapshot_file_index(struct snapshot_out *o, const struct file_origin *origin)
{
    for (u32 n = 0; n < o->file_count; n++)
        if (o->files[n] == origin)
            return n;
    if (o->file_count == SNAPSHOT_SOURCES_MOST) {
        snapshot_fail(o, "too many files are mapped");
        return 0;
    }
    u64 length = strlen(origin->path);
    struct snapshot_file_record *file =
        snapshot_add_record(o, SNAPSHOT_FILE, sizeof(*file) + length);
    file->copy = origin->map.copy;
    file->path_size = (u32)length;
    file->device = origin->map.device;
    file->inode = origin->map.inode;
    file->size = origin->map.file_size;
    file->mtime = origin->map.mtime;
    memcpy(file + 1, origin->path, length);
    o->files[o->file_count] = origin;
    return o->file_count++;
}

u32 snapshot_private_source(struct snapshot_out *o, const struct area *a, u32 *ret_index,
                            const struct file_origin **ret_origin)
{
    *ret_origin = NULL;
    if (a->flags & AREA_SHARED)
        snapshot_fail(o, "memory is shared with others");
    if (!(a->flags & AREA_FILE))
        return SNAPSHOT_ANONYMOUS;
    *ret_origin = file_origin_find(a->device, a->inode);
    if (*ret_origin)
        *ret_index = snapshot_file_index(o, *ret_origin);
    else
        snapshot_fail(o, "a mapped file is not known");
    return SNAPSHOT_OF_FILE;
}

/* Returns what an area shows, and makes the records of files and copies. */
static u32 source_of(struct snapshot_out *o, const struct area *a, u32 *ret_index)
{
    struct mapped_copy_name name;
    *ret_index = 0;
    if (o->recorded)
        return snapshot_recorded_source(o, a, ret_index);
    if (mapped_copy_shown(a, &name)) {
        *ret_index = copy_index(o, mapped_copy_file(a), &name);
        return SNAPSHOT_OF_COPY;
    }
    const struct file_origin *origin;
    return snapshot_private_source(o, a, ret_index, &origin);
}

static void write_area(struct snapshot_out *o, const struct area *a)
{
    u32 index = 0, source = a->flags & AREA_VDSO ? SNAPSHOT_ANONYMOUS : source_of(o, a, &index);
    struct snapshot_area *area = snapshot_add_record(o, SNAPSHOT_AREA, sizeof(*area));
    if (a->end - a->start > LARGEST_AREA)
        snapshot_fail(o, "an area is too large to be looked through");
    area->start = a->start;
    area->end = a->end;
    area->protection = a->protection;
    area->flags = o->recorded ? snapshot_recorded_flags(a) : a->flags;
    area->offset = a->offset;
    area->source = source;
    area->index = index;
}

/* Writes the overlap of the guest's area and the kernel's mapping. */
static void write_mapping(struct snapshot_out *o, const struct area *a,
                          const struct kernel_mapping *k, bool lowest)
{
    u32 index, source = source_of(o, a, &index);
    /* It may have grown beyond what was requested. */
    bool below = lowest && (a->flags & AREA_GROWSDOWN);
    struct snapshot_mapping *m = snapshot_add_record(o, SNAPSHOT_MAPPING, sizeof(*m));
    m->start = a->start > k->start && !below ? a->start : k->start;
    m->end = a->end < k->end ? a->end : k->end;
    m->offset = m->start >= a->start ? a->offset + (m->start - a->start) : a->offset;
    if (source == SNAPSHOT_OF_FILE && !k->inode) /* after the end of the file */
        source = SNAPSHOT_ANONYMOUS;
    m->source = source;
    m->index = index;
    m->protection = a->protection;
    m->shared = (a->flags & AREA_SHARED) != 0;
    m->grows_down = (a->flags & AREA_GROWSDOWN) != 0;
}

static bool visit_mapping(void *context, const struct kernel_mapping *k)
{
    struct snapshot_out *o = context;
    bool lowest = true;
    const struct area *a = areas_from(k->start);
    for (; a && a->start < k->end; a = areas_from(a->end)) {
        if (!(a->flags & AREA_VDSO))
            write_mapping(o, a, k, lowest);
        lowest = false;
    }
    return !o->wrong;
}

static void write_contents(struct snapshot_out *o)
{
    u64 end = o->used;
    for (u64 at = 0; at < end && !o->wrong;) {
        const struct snapshot_record *r = (const struct snapshot_record *)(o->state + at);
        const struct snapshot_mapping *m = (const struct snapshot_mapping *)r;
        if (r->kind == SNAPSHOT_MAPPING && !m->shared)
            write_memory(o, m);
        at += r->size;
    }
    for (u32 n = 0; n < o->copy_count && !o->recorded; n++)
        write_copy(o, n);
    if (o->recorded && !o->left)
        snapshot_recorded_shared(o);
    flush_pages(o);
    if (o->changes && !o->wrong)
        snapshot_changes_begin(o);
}

static void write_address_space(struct snapshot_out *o)
{
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        write_area(o, a);
    if (kernel_maps_each(visit_mapping, o))
        snapshot_fail(o, "the kernel does not say what is mapped");
    bool pages_known = snapshot_pagemap_open(&o->pagemap);
    o->memory = (i32)kernel_call(__NR_open, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (!pages_known || o->memory < 0)
        snapshot_fail(o, "the kernel does not say which pages there are");
    if (o->most_pages != SNAPSHOT_STATE_ALONE)
        write_contents(o);
    snapshot_pagemap_close(&o->pagemap);
    if (o->memory >= 0)
        kernel_call(__NR_close, o->memory);
}

/* --- threads -------------------------------------------------------------------------------- */

/* Returns why this thread cannot be part of a snapshot; NULL: it can. */
static const char *thread_hindrance(const struct thread *t)
{
    bool runs = t == thread_self();
    if (t->in_vfork)
        return "a child of vfork runs";
    if (t->fault_waits || t->held)
        return "a signal is about to be delivered";
    if (t->call.open && (runs || t->call.met || !syscalls_resumable(t->call.asked.number)))
        return "a thread is in a system call that must end first";
    return NULL;
}

static void fill_thread(struct snapshot_thread *s, const struct thread *t)
{
    s->ordinal = t->ordinal;
    s->tid = t->tid;
    s->first = log_owner->live ? t->tid == (u32)kernel_call(__NR_getpid) : t->leads;
    s->in_call = t->call.open;
    memcpy(s->name, t->name, sizeof(s->name));
    s->mask = t->mask;
    s->mask_restore = t->mask_restore;
    s->mask_restore_waits = t->mask_restore_waits;
    s->forbidden = t->forbidden;
    s->altstack_base = t->altstack.base;
    s->altstack_size = t->altstack.size;
    s->altstack_flags = (u32)t->altstack.flags;
    s->signal_waits = t->signal_waiting && !log_owner->live; /* otherwise it is a later event */
    if (s->signal_waits)
        memcpy(s->waiting_info, &t->waiting_info, sizeof(s->waiting_info));
    s->fault_error = t->fault_error;
    s->fault_trap = t->fault_trap;
    s->fault_cr2 = t->fault_cr2;
    s->clear_tid = t->clear_tid.at;
    s->robust_list = t->robust_list.at;
    s->robust_size = t->robust_size;
    s->call_number = t->call.asked.number;
    memcpy(s->call_args, t->call.asked.args, sizeof(s->call_args));
    s->call_tick = t->call.tick;
    s->call_pc = t->call.pc;
    s->call_flags = t->call.flags;
}

static void write_thread(struct snapshot_out *o, const struct thread *t)
{
    struct snapshot_thread *s =
        snapshot_add_record(o, SNAPSHOT_THREAD, sizeof(*s) + VECTOR_STATE_MAX);
    struct thread_state state = t->state;
    if (t == thread_self()) {
        thread_save_registers(&state);
        thread_save_bases(&state);
    }
    fill_thread(s, t);
    memcpy(s->reg, state.reg, sizeof(s->reg));
    s->rip = state.rip;
    s->flags = state.flags & ~RESUME_FLAG;
    s->fs_base = state.fs_base;
    s->gs_base = state.gs_base;
    memcpy(s + 1, t == thread_self() ? o->vector : t->vector, VECTOR_STATE_MAX);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void snapshot_write_state(struct snapshot_out *o)
{
    struct snapshot_state *s = snapshot_add_record(o, SNAPSHOT_STATE, sizeof(*s));
    struct replay_position position;
    struct output_state output;
    struct k_sigaction actions[SIG_LAST];
    if (!(o->recorded ? record_save_position(&position) : replay_save_position(&position)))
        snapshot_fail(o, "a signal is about to be delivered");
    output_save(&output);
    signals_list_actions(actions);
    _Static_assert(sizeof(actions) == sizeof(s->actions), "on disk");
    memcpy(s->actions, actions, sizeof(actions));
    memcpy(s->shown_as, output.shown_as, sizeof(s->shown_as));
    memcpy(s->limit, position.limit, sizeof(s->limit));
    s->version = SNAPSHOT_VERSION;
    s->running = thread_self()->ordinal;
    s->tick = ticks_now();
    s->pc = cpu->rip;
    s->events_met = position.events_met;
    s->next_ordinal = thread_next_ordinal();
    s->vector_size = VECTOR_STATE_MAX;
    s->vector_kept = vector_shape.kept;
    s->vector_places = snapshot_vector_places();
    address_heap(&s->heap_start, &s->heap_now);
    s->stack_limit = position.stack_limit;
    s->last_nameless = mapped_copy_last_nameless();
    s->quiet = o->recorded || output_is_quiet(); /* a session shows nothing */
}

const char *snapshot_hindrance(void)
{
    if (log_owner != &log_replay && log_owner != &log_record)
        return "the process has left the recording";
    if (settings.random || syscalls_kernel_changed())
        return "the kernel keeps something of the program that a snapshot does not have";
    for (const struct thread *t = NULL; (t = thread_next(t));)
        if (thread_hindrance(t))
            return thread_hindrance(t);
    return log_owner == &log_record ? snapshot_recorded_hindrance() : NULL;
}

const char *snapshot_write(i32 fd, u64 most_pages, struct snapshot_extent *ret)
{
    return snapshot_write_changes(fd, &(struct snapshot_wish){.most_pages = most_pages}, NULL, ret);
}

const char *snapshot_write_changes(i32 fd, const struct snapshot_wish *wish,
                                   struct snapshot_changes *changes, struct snapshot_extent *ret)
{
    const char *wrong = snapshot_hindrance();
    if (changes)
        changes->number = changes->new_hash_count = 0; /* until this one is taken */
    if (wrong)
        return wrong;
    if (wish->most_pages != SNAPSHOT_STATE_ALONE)
        pending_fill(0, ~0ul); /* memory that was not read yet is not zero */
    struct snapshot_out *o = pool_try_map(page_up(sizeof(*o)), PAGE_SIZE);
    u8 *state = pool_try_map(STATE_MOST, PAGE_SIZE);
    if (o && state) {
        vector_save(o->vector);
        o->fd = fd;
        o->state = state;
        o->most_pages = wish->most_pages;
        o->changes = changes;
        o->since = wish->since;
        o->slice = changes && changes->way != SNAPSHOT_WAY_FULL ? wish->slice : 0;
        o->recorded = log_owner == &log_record;
        snapshot_write_state(o);
        for (const struct thread *t = NULL; (t = thread_next(t));)
            write_thread(o, t);
        write_address_space(o);
        if (o->recorded)
            ((struct snapshot_state *)o->state)->last_nameless = o->last_nameless;
        *ret = (struct snapshot_extent){o->pages * PAGE_SIZE, o->used};
        write_all(o, o->state, o->used);
        if (changes)
            changes->left = o->left;
        wrong = o->wrong;
    } else {
        wrong = "there is no memory for it";
    }
    if (state)
        pool_unmap(state, STATE_MOST);
    if (o)
        pool_unmap(o, page_up(sizeof(*o)));
    return wrong;
}
