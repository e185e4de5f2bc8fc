/* Compares the guest with a snapshot: see snapshot.h.
 *
 * The engine writes its own state besides memory, as for a snapshot, and compares that with the
 * records of the other one: threads, signal actions, heap, areas. Memory is compared page by page.
 * A page that is missing in the snapshot has zeros, or the content of the mapped file.
 *
 * Facts that the guest cannot see are not compared: which pages are resident, how the kernel has
 * split mappings, which output is shown. Flags that no instruction will read may differ (block.h),
 * and so may the unused stack below the running thread's stack pointer.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapped_copy.h"
#include "engine/memory/pending.h"
#include "engine/snapshot/snapshot.h"
#include "engine/snapshot/snapshot_internal.h"
#include "engine/track/replay.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"
#include "log/channel.h"
#include "log/snapshot_state.h"

enum {
    COMPARED_AT_ONCE = 64, /* pages */
    COMPARED_FLAGS = AREA_SHARED | AREA_FILE | AREA_STACK | AREA_BRK | AREA_GROWSDOWN | AREA_SHM |
                     AREA_VDSO | AREA_NOT_FORKED | AREA_WIPED_BY_FORK | AREA_SEALED,
    K_DATA_NEXT = 3, /* lseek */
    K_HOLE_NEXT = 4,
    RED_ZONE = 128,
};

struct state_records {
    const u8 *bytes;
    u64 size;
};

struct comparison {
    struct snapshot_difference *found;
    i32 fd, memory;
    struct snapshot_pagemap pagemap;
    struct state_records then, now;
    const struct snapshot_pages *run; /* the next run of pages to look at */
    u64 first_read, read_count; /* pages of the snapshot in the buffer */
    u8 buffer[COMPARED_AT_ONCE][PAGE_SIZE];
    u8 page[PAGE_SIZE], other[PAGE_SIZE];
    u8 vector[2][VECTOR_STATE_MAX] __attribute__((aligned(64)));
    char path[CHANNEL_FETCH_PATH];
};

static void differs(struct comparison *c, const char *what, u64 number)
{
    struct text t = TEXT(c->found->text);
    if (c->found->told)
        return;
    c->found->told = true;
    text_add(&t, what);
    text_add(&t, " 0x");
    text_add_hex(&t, number);
}

static void same_number(struct comparison *c, const char *what, u64 then, u64 now)
{
    if (then != now)
        differs(c, what, now);
}

/* --- records ------------------------------------------------------------------------------ */

/* Returns the next record of a kind after `r`, or the first for NULL. */
static const void *record_next(const struct state_records *s, u32 kind, const void *r)
{
    u64 at = r ? (u64)((const u8 *)r - s->bytes) + ((const struct snapshot_record *)r)->size : 0;
    while (at < s->size) {
        const struct snapshot_record *record = (const struct snapshot_record *)(s->bytes + at);
        if (record->kind == kind)
            return record;
        at += record->size;
    }
    return NULL;
}

static const void *record_at(const struct state_records *s, u32 kind, u32 index)
{
    const void *r = record_next(s, kind, NULL);
    for (u32 n = 0; r && n < index; n++)
        r = record_next(s, kind, r);
    return r;
}

static bool records_map(struct state_records *ret, i32 fd, const struct snapshot_extent *extent)
{
    u64 size = page_up(extent->state_size);
    void *place = size ? pool_try_map(size, PAGE_SIZE) : NULL;
    if (!place)
        return false;
    *ret = (struct state_records){place, extent->state_size};
    return !kernel_failed(kernel_call(__NR_mmap, place, size, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                                      fd, extent->state_at));
}

static void records_unmap(struct state_records *s)
{
    if (s->bytes)
        pool_unmap((void *)s->bytes, page_up(s->size));
}

/* --- threads ------------------------------------------------------------------------------ */

static void same_vector(struct comparison *c, const void *then, const void *now)
{
    const void *images[] = {then, now};
    for (u32 n = 0; n < 2; n++) {
        u8 *image = c->vector[n];
        memcpy(image, images[n], VECTOR_STATE_MAX);
        vector_settle(image);
        memset(image + XSAVE_XMM_END, 0, XSAVE_HEADER - XSAVE_XMM_END);
        ((struct vector_header *)(image + XSAVE_HEADER))->present |= VECTOR_X87 | VECTOR_SSE;
    }
    if (memcmp(c->vector[0], c->vector[1], vector_shape.size))
        differs(c, "vector registers differ, of a thread at", cpu->rip);
}

static void same_signals(struct comparison *c, const struct snapshot_thread *a,
                         const struct snapshot_thread *b)
{
    same_number(c, "a signal mask is", a->mask, b->mask);
    same_number(c, "a signal mask comes back:", a->mask_restore_waits, b->mask_restore_waits);
    if (a->mask_restore_waits)
        same_number(c, "a signal mask that comes back is", a->mask_restore, b->mask_restore);
    same_number(c, "an alternate stack is at", a->altstack_base, b->altstack_base);
    same_number(c, "an alternate stack has size", a->altstack_size, b->altstack_size);
    same_number(c, "an alternate stack has flags", a->altstack_flags, b->altstack_flags);
    same_number(c, "a signal waits:", a->signal_waits, b->signal_waits);
    if (a->signal_waits && memcmp(a->waiting_info, b->waiting_info, sizeof(a->waiting_info)))
        differs(c, "a signal that waits is another one, of thread", a->ordinal);
}

static void same_call(struct comparison *c, const struct snapshot_thread *a,
                      const struct snapshot_thread *b)
{
    same_number(c, "a thread is in a system call:", a->in_call, b->in_call);
    if (!a->in_call)
        return;
    same_number(c, "a thread is in system call", a->call_number, b->call_number);
    same_number(c, "a thread made its system call at tick", a->call_tick, b->call_tick);
    same_number(c, "a thread made its system call at", a->call_pc, b->call_pc);
    if (memcmp(a->call_args, b->call_args, sizeof(a->call_args)))
        differs(c, "a system call has other arguments: number", b->call_number);
}

static void same_thread(struct comparison *c, const struct snapshot_thread *a,
                        const struct snapshot_thread *b)
{
    u64 dead = block_flags_dead_at(b->rip);
    same_number(c, "the pc of a thread is", a->rip, b->rip);
    for (u32 n = 0; n < GENERAL_REGISTERS; n++)
        same_number(c, "a register is", a->reg[n], b->reg[n]);
    same_number(c, "flags are", a->flags & ~dead, b->flags & ~dead);
    same_number(c, "the base of fs is", a->fs_base, b->fs_base);
    same_number(c, "the base of gs is", a->gs_base, b->gs_base);
    same_number(c, "the number of a thread is", a->first ? 0 : a->tid, b->first ? 0 : b->tid);
    same_number(c, "what is forbidden:", a->forbidden, b->forbidden);
    same_number(c, "the number that a thread's end clears is at", a->clear_tid, b->clear_tid);
    same_number(c, "a robust list is at", a->robust_list, b->robust_list);
    same_signals(c, a, b);
    same_call(c, a, b);
    same_vector(c, a + 1, b + 1);
}

static void same_threads(struct comparison *c)
{
    u32 then = 0, now = 0;
    for (const struct snapshot_thread *b = NULL; (b = record_next(&c->now, SNAPSHOT_THREAD, b));)
        now++;
    for (const struct snapshot_thread *a = NULL; (a = record_next(&c->then, SNAPSHOT_THREAD, a));) {
        const struct snapshot_thread *b = record_next(&c->now, SNAPSHOT_THREAD, NULL);
        while (b && b->ordinal != a->ordinal)
            b = record_next(&c->now, SNAPSHOT_THREAD, b);
        if (b)
            same_thread(c, a, b);
        else
            differs(c, "there is no thread", a->ordinal);
        then++;
    }
    same_number(c, "the number of threads is", then, now);
}

static void same_state(struct comparison *c)
{
    const struct snapshot_state *a = record_next(&c->then, SNAPSHOT_STATE, NULL);
    const struct snapshot_state *b = record_next(&c->now, SNAPSHOT_STATE, NULL);
    same_number(c, "the tick is", a->tick, b->tick);
    same_number(c, "the pc is", a->pc, b->pc);
    same_number(c, "the thread that runs is", a->running, b->running);
    same_number(c, "the next thread is", a->next_ordinal, b->next_ordinal);
    same_number(c, "the heap begins at", a->heap_start, b->heap_start);
    same_number(c, "the heap ends at", a->heap_now, b->heap_now);
    same_number(c, "the limit of the stack is", a->stack_limit, b->stack_limit);
    for (u32 n = 0; n < SNAPSHOT_SIGNALS; n++)
        if (memcmp(&a->actions[n], &b->actions[n], sizeof(a->actions[n])))
            differs(c, "another action is set for signal", n + 1);
}

/* --- areas -------------------------------------------------------------------------------- */

/* Returns the recording's name for the file that an area shows. */
static struct mapped_copy_name source_name(const struct state_records *s,
                                           const struct snapshot_area *a)
{
    if (a->source == SNAPSHOT_OF_FILE) {
        const struct snapshot_file_record *f = record_at(s, SNAPSHOT_FILE, a->index);
        return f ? (struct mapped_copy_name){f->device, f->inode} : (struct mapped_copy_name){0};
    }
    const struct snapshot_copy *copy = record_at(s, SNAPSHOT_COPY, a->index);
    return copy ? (struct mapped_copy_name){copy->device, copy->inode}
                : (struct mapped_copy_name){0};
}

/* A file for which a replay has a copy in memory is the file itself while recording. */
static bool same_source(const struct comparison *c, const struct snapshot_area *a,
                        const struct snapshot_area *b)
{
    bool then = a->source != SNAPSHOT_ANONYMOUS, now = b->source != SNAPSHOT_ANONYMOUS;
    if (!then || !now)
        return then == now;
    struct mapped_copy_name x = source_name(&c->then, a), y = source_name(&c->now, b);
    return x.device == y.device && x.inode == y.inode && a->offset == b->offset;
}

static void same_areas(struct comparison *c)
{
    const struct snapshot_area *a = NULL, *b = NULL;
    for (;;) {
        a = record_next(&c->then, SNAPSHOT_AREA, a);
        b = record_next(&c->now, SNAPSHOT_AREA, b);
        if (!a || !b || c->found->told)
            break;
        same_number(c, "an area begins at", a->start, b->start);
        same_number(c, "an area ends at", a->end, b->end);
        same_number(c, "the protection of an area is", a->protection, b->protection);
        same_number(c, "the flags of an area are", a->flags & COMPARED_FLAGS,
                    b->flags & COMPARED_FLAGS);
        if (!same_source(c, a, b))
            differs(c, "another file is mapped at", b->start);
    }
    if (a || b)
        differs(c, "there is another area at", a ? a->start : b->start);
}

/* --- memory ------------------------------------------------------------------------------- */

static bool compared_equal(const u8 *a, const u8 *b, u64 size)
{
    const u64 *x = (const u64 *)a, *y = (const u64 *)b;
    u64 any = 0;
    for (u64 n = 0; n < size / sizeof(u64); n++)
        any |= x[n] ^ y[n];
    return any == 0;
}

static bool compared_zero(const u8 *a)
{
    const u64 *x = (const u64 *)a;
    u64 any = 0;
    for (u64 n = 0; n < PAGE_SIZE / sizeof(u64); n++)
        any |= x[n];
    return any == 0;
}

/* Returns a page of the snapshot. */
static const u8 *page_then(struct comparison *c, u64 number)
{
    if (number - c->first_read >= c->read_count) {
        i64 got = kernel_call(__NR_pread64, c->fd, c->buffer, sizeof(c->buffer),
                              number * PAGE_SIZE);
        c->first_read = number;
        c->read_count = got > 0 ? (u64)got / PAGE_SIZE : 0;
        if (!c->read_count) {
            memset(c->buffer[0], 0, PAGE_SIZE);
            differs(c, "a page of the snapshot cannot be read: number", number);
            return c->buffer[0];
        }
    }
    return c->buffer[number - c->first_read];
}

static bool page_now(struct comparison *c, u64 page, bool readable)
{
    if (readable && guest_read(c->page, gaddr(page), PAGE_SIZE))
        return true;
    return kernel_call(__NR_pread64, c->memory, c->page, PAGE_SIZE, page) == PAGE_SIZE;
}

/* Reads the content of a file or copy into c->other, with zeros after its end. */
static void page_of_source(struct comparison *c, const struct snapshot_mapping *m, u64 page)
{
    u64 offset = m->offset + (page - m->start);
    i64 fd = -1;
    memset(c->other, 0, PAGE_SIZE);
    if (m->source == SNAPSHOT_OF_COPY) {
        const struct snapshot_copy *copy = record_at(&c->now, SNAPSHOT_COPY, m->index);
        struct mapped_copy_name name = {copy->device, copy->inode};
        kernel_call(__NR_pread64, mapped_copy_open(name, copy->size), c->other, PAGE_SIZE, offset);
        return;
    }
    const struct snapshot_file_record *f = record_at(&c->now, SNAPSHOT_FILE, m->index);
    struct event_map map = {.device = f->device, .inode = f->inode, .file_size = f->size,
                            .mtime = f->mtime, .copy = f->copy};
    memcpy(c->path, f + 1, f->path_size);
    c->path[f->path_size] = 0;
    fd = replay_fetch(&map, c->path);
    kernel_call(__NR_pread64, fd, c->other, PAGE_SIZE, offset);
    kernel_call(__NR_close, fd);
}

/* Memory below the used part of a thread's stack is never read. */
static u64 unused_stack_end(const struct snapshot_mapping *m)
{
    const struct area *a = areas_find(m->start);
    u64 rsp = cpu->reg[RSP];
    bool on = a && (a->flags & AREA_STACK) && rsp >= m->start && rsp < m->end;
    return on ? page_down(rsp - RED_ZONE) : 0;
}

/* Returns the run of the snapshot's pages that contains this address or comes next. */
static const struct snapshot_pages *run_from(const struct comparison *c,
                                             const struct snapshot_pages *run, u32 copy,
                                             u64 address)
{
    while (run && (run->copy != copy || run->address + run->count * PAGE_SIZE <= address))
        run = record_next(&c->then, SNAPSHOT_PAGES, run);
    return run;
}

/* Compares a page that is missing in the snapshot. */
static void same_absent(struct comparison *c, const struct snapshot_mapping *m, u64 page)
{
    bool anonymous = m->source == SNAPSHOT_ANONYMOUS;
    u64 entry;
    if (!snapshot_pagemap_entry(&c->pagemap, page, &entry))
        entry = PAGE_PRESENT; /* it is compared */
    if (!(entry & PAGE_PRESENT) || (!anonymous && (entry & PAGE_OF_FILE)))
        return;
    if (!page_now(c, page, m->protection & PROT_READ))
        differs(c, "a page cannot be read at", page);
    if (compared_zero(c->page) && anonymous)
        return;
    if (!anonymous)
        page_of_source(c, m, page);
    if (anonymous || !compared_equal(c->page, c->other, PAGE_SIZE))
        differs(c, "memory differs in the page at", page);
}

static void same_memory(struct comparison *c, const struct snapshot_mapping *m)
{
    u64 unused = unused_stack_end(m);
    for (u64 page = unused > m->start ? unused : m->start; page < m->end && !c->found->told;
         page += PAGE_SIZE) {
        const struct snapshot_pages *run = c->run = run_from(c, c->run, 0, page);
        if (!run || run->address > page) {
            same_absent(c, m, page);
            continue;
        }
        const u8 *then = page_then(c, run->first + (page - run->address) / PAGE_SIZE);
        if (!page_now(c, page, m->protection & PROT_READ) ||
            !compared_equal(c->page, then, PAGE_SIZE))
            differs(c, "memory differs in the page at", page);
    }
}

/* --- memory that mappings share ------------------------------------------------------------ */

static u32 copy_index_then(const struct comparison *c, const struct snapshot_copy *now)
{
    const struct snapshot_copy *a = NULL;
    for (u32 n = 1; (a = record_next(&c->then, SNAPSHOT_COPY, a)); n++)
        if (a->device == now->device && a->inode == now->inode)
            return n;
    return 0;
}

static void same_copy_page(struct comparison *c, i32 fd, u32 copy, u64 at)
{
    const struct snapshot_pages *run =
        run_from(c, record_next(&c->then, SNAPSHOT_PAGES, NULL), copy, at);
    memset(c->page, 0, PAGE_SIZE);
    kernel_call(__NR_pread64, fd, c->page, PAGE_SIZE, at);
    bool there = run && run->address <= at;
    bool same = there ? compared_equal(c->page, page_then(c, run->first + (at - run->address) /
                                                                           PAGE_SIZE), PAGE_SIZE)
                      : compared_zero(c->page);
    if (!same)
        differs(c, "shared memory differs at offset", at);
}

/* Compares all pages of a copy: those that exist now, and those in the snapshot. */
static void same_copy(struct comparison *c, const struct snapshot_copy *now)
{
    struct mapped_copy_name name = {now->device, now->inode};
    i32 fd = mapped_copy_open(name, now->size);
    u32 copy = copy_index_then(c, now);
    if (!copy)
        return; /* no area shows it, or areas differ */
    for (i64 at = 0; at >= 0 && !c->found->told;) {
        at = kernel_call(__NR_lseek, fd, at, K_DATA_NEXT);
        i64 end = at < 0 ? at : kernel_call(__NR_lseek, fd, at, K_HOLE_NEXT);
        for (u64 page = page_down((u64)at); end > 0 && page < (u64)end; page += PAGE_SIZE)
            same_copy_page(c, fd, copy, page);
        at = end;
    }
    for (const struct snapshot_pages *run = NULL;
         (run = record_next(&c->then, SNAPSHOT_PAGES, run)) && !c->found->told;)
        for (u64 n = 0; run->copy == copy && n < run->count; n++)
            same_copy_page(c, fd, copy, run->address + n * PAGE_SIZE);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void same_contents(struct comparison *c)
{
    /* addresses increase, like those of mappings */
    c->run = record_next(&c->then, SNAPSHOT_PAGES, NULL);
    for (const struct snapshot_mapping *m = NULL; (m = record_next(&c->now, SNAPSHOT_MAPPING, m));)
        if (!m->shared && !c->found->told)
            same_memory(c, m);
    for (const struct snapshot_copy *copy = NULL;
         (copy = record_next(&c->now, SNAPSHOT_COPY, copy));)
        same_copy(c, copy);
}

static const char *compare_all(struct comparison *c, const struct snapshot_extent *extent)
{
    struct snapshot_extent own = {0, 0};
    i32 state = (i32)kernel_call(__NR_memfd_create, "state", 1);
    const char *wrong = state < 0 ? "there is no memory for it"
                                  : snapshot_write(state, SNAPSHOT_STATE_ALONE, &own);
    if (!wrong && (!records_map(&c->then, c->fd, extent) || !records_map(&c->now, state, &own)))
        wrong = "the snapshot cannot be read";
    if (!wrong) {
        same_state(c);
        same_threads(c);
        same_areas(c);
        same_contents(c);
    }
    records_unmap(&c->then);
    records_unmap(&c->now);
    if (state >= 0)
        kernel_call(__NR_close, state);
    return wrong;
}

const char *snapshot_compare(i32 fd, const struct snapshot_extent *extent,
                             struct snapshot_difference *ret)
{
    *ret = (struct snapshot_difference){0};
    const char *wrong = snapshot_check(fd, extent);
    struct comparison *c = wrong ? NULL : pool_try_map(page_up(sizeof(*c)), PAGE_SIZE);
    if (!c)
        return wrong ? wrong : "there is no memory for it";
    c->found = ret;
    c->fd = fd;
    pending_fill(0, ~0ul); /* pages that were not read yet are not zeros */
    snapshot_pagemap_open(&c->pagemap);
    c->memory = (i32)kernel_call(__NR_open, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
    wrong = compare_all(c, extent);
    snapshot_pagemap_close(&c->pagemap);
    kernel_call(__NR_close, c->memory);
    pool_unmap(c, page_up(sizeof(*c)));
    return wrong ? wrong : ret->told ? ret->text : NULL;
}
