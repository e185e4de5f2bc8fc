/* Answers a session's questions to an engine that stands: memory, registers, threads, the address
 * space. Also handles the two commands that turn a copy of the process into one that may be
 * changed. */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/file_names.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapped_copy.h"
#include "engine/plan/controlled_internal.h"
#include "engine/plan/plan_points.h"
#include "engine/snapshot/snapshot.h"
#include "engine/threads/thread.h"
#include "engine/track/scratch_log.h"
#include "engine/track/track.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"

enum { K_ARCH_SET_GS = 0x1001, K_ARCH_SET_FS = 0x1002 };


/* --- answers ----------------------------------------------------------------------------- */

i32 control_file(const void *bytes, u64 size)
{
    i64 fd = kernel_call(__NR_memfd_create, "ebb answer", 1 /* close-on-exec */);
    if (kernel_failed(fd))
        return -1;
    for (u64 at = 0; at < size;) {
        i64 wrote = kernel_call(__NR_write, fd, (const u8 *)bytes + at, size - at);
        if (kernel_failed(wrote))
            break;
        at += (u64)wrote;
    }
    return (i32)fd;
}

static void controlled_answer(u32 error, const void *bytes, u64 size)
{
    struct control_data data = {
        .message = {CONTROL_DATA, sizeof(data)},
        .error = error,
        .attached = size > CONTROL_DATA_MOST,
        .size = size,
    };
    control_note_answer();
    if (!data.attached) {
        track_send_with(&data.message, bytes, size, -1);
        return;
    }
    i32 fd = control_file(bytes, size);
    track_send(&data.message, fd);
    kernel_call(__NR_close, fd);
}

/* --- memory ------------------------------------------------------------------------------- */

/* The number of bytes that belong to the guest, never to the engine. */
static u64 bytes_mapped(u64 at, u64 most)
{
    const struct area *a = areas_find(at);
    u64 end = at;
    while (a && a->start <= end && end - at < most) {
        end = a->end;
        a = areas_find(end);
    }
    return end - at < most ? end - at : most;
}

static void answer_read(const struct control_read *read)
{
    static u8 bytes[CONTROL_DATA_MOST];
    u64 wanted = read->size < sizeof(bytes) ? read->size : sizeof(bytes);
    u64 there = bytes_mapped(read->address, wanted), got = 0;
    while (got < there) {
        u64 at = read->address + got, part = page_down(at) + PAGE_SIZE - at;
        part = part < there - got ? part : there - got;
        if (!guest_read(bytes + got, gaddr(at), part))
            break;
        got += part;
    }
    controlled_answer(0, bytes, got);
}

/* Writes within one page. A debugger may write memory that the program itself may not: code,
 * constants. */
static bool write_anyway(u64 at, const void *from, u64 size)
{
    u64 page = page_down(at);
    const struct area *a = areas_find(at);
    if (!a || (a->flags & AREA_SHARED) || !(a->protection & PROT_READ))
        return false;
    code_watch_changed(page, page + PAGE_SIZE);
    if (kernel_failed(kernel_call(__NR_mprotect, page, PAGE_SIZE, PROT_READ | PROT_WRITE)))
        return false;
    bool good = guest_write(gaddr(at), from, size);
    kernel_call(__NR_mprotect, page, PAGE_SIZE, code_watch_kernel_protection(a->protection));
    code_watch_apply(page, page + PAGE_SIZE, a->protection);
    return good;
}

static bool write_pages(u64 at, const u8 *from, u64 size)
{
    for (u64 done = 0, part; done < size; done += part) {
        part = page_down(at + done) + PAGE_SIZE - (at + done);
        part = part < size - done ? part : size - done;
        if (!guest_write(gaddr(at + done), from + done, part) &&
            !write_anyway(at + done, from + done, part))
            return false;
    }
    return true;
}

static void answer_write(const struct control_command *c)
{
    const struct control_read *w = &c->read;
    if (w->size > c->size - sizeof(*w)) {
        controlled_answer(EINVAL, NULL, 0);
        return;
    }
    scratch_begin();
    bool good = bytes_mapped(w->address, w->size) == w->size &&
                write_pages(w->address, (const u8 *)(w + 1), w->size);
    controlled_answer(good ? 0 : EFAULT, NULL, 0);
}

/* --- threads ------------------------------------------------------------------------------- */

static struct thread *thread_meant(u32 ordinal)
{
    return ordinal == CONTROL_THREAD_ANY ? thread_self() : thread_with_ordinal(ordinal);
}

static u64 flags_shown(u64 flags, u64 pc)
{
    return (flags & ~(u64)block_flags_dead_at(pc)) | FLAGS_PLAIN;
}

void control_fill_running(struct control_registers *r)
{
    struct thread_state bases;
    thread_save_bases(&bases);
    *r = (struct control_registers){.orig_rax = ~0ul, .vector_size = vector_shape.size,
                                    .vector_features = vector_shape.features};
    memcpy(r->reg, cpu->reg, sizeof(r->reg));
    r->rip = cpu->rip;
    r->flags = flags_shown(cpu->flags, cpu->rip);
    r->fs_base = bases.fs_base;
    r->gs_base = bases.gs_base;
}

/* Makes the image always that of a signal frame, whatever form the processor stored. Unused bytes
 * may have any value. */
static void settle_vector(u8 *image)
{
    vector_settle(image);
    memset(image + XSAVE_XMM_END, 0, XSAVE_HEADER - XSAVE_XMM_END);
    if (vector_shape.features)
        ((struct vector_header *)(image + XSAVE_HEADER))->present |= VECTOR_X87 | VECTOR_SSE;
}

void control_fill_vector(u8 *image)
{
    vector_save(image);
    settle_vector(image);
}

static void fill_waiting(struct control_registers *r, const struct thread_state *s)
{
    *r = (struct control_registers){.orig_rax = ~0ul, .vector_size = vector_shape.size,
                                    .vector_features = vector_shape.features};
    memcpy(r->reg, s->reg, sizeof(r->reg));
    r->rip = s->rip;
    r->flags = flags_shown(s->flags, s->rip);
    r->fs_base = s->fs_base;
    r->gs_base = s->gs_base;
}

struct registers_image {
    struct control_registers r;
    u8 vector[VECTOR_STATE_MAX];
};

static void answer_registers(u32 ordinal)
{
    static struct registers_image image;
    static u8 saved[VECTOR_STATE_MAX] __attribute__((aligned(64)));
    struct thread *t = thread_meant(ordinal);
    if (!t) {
        controlled_answer(ESRCH, NULL, 0);
        return;
    }
    if (t == thread_self()) {
        control_fill_running(&image.r);
        control_fill_vector(saved);
    } else {
        fill_waiting(&image.r, &t->state);
        memcpy(saved, t->vector, vector_shape.size);
        settle_vector(saved);
    }
    memcpy(image.vector, saved, vector_shape.size);
    controlled_answer(0, &image, sizeof(image.r) + vector_shape.size);
}

static void set_running(const struct control_registers *r)
{
    memcpy(cpu->reg, r->reg, sizeof(r->reg));
    cpu->rip = r->rip;
    cpu->flags = r->flags;
    kernel_call(__NR_arch_prctl, K_ARCH_SET_FS, r->fs_base);
    kernel_call(__NR_arch_prctl, K_ARCH_SET_GS, r->gs_base);
}

/* Only for the thread that runs: other threads of a copy never run. */
static void answer_set_registers(const struct control_command *c)
{
    static u8 image[VECTOR_STATE_MAX] __attribute__((aligned(64)));
    const struct control_registers *r = (const struct control_registers *)(&c->ask + 1);
    if (c->size < sizeof(c->ask) + sizeof(*r) || thread_meant(c->ask.thread) != thread_self()) {
        controlled_answer(c->size < sizeof(c->ask) + sizeof(*r) ? EINVAL : ESRCH, NULL, 0);
        return;
    }
    scratch_begin();
    set_running(r);
    bool good = true;
    if (r->vector_size && r->vector_size == vector_shape.size &&
        c->size >= sizeof(c->ask) + sizeof(*r) + r->vector_size) {
        memcpy(image, r + 1, r->vector_size);
        good = vector_restore(image, vector_shape.features);
    }
    controlled_answer(good ? 0 : EINVAL, NULL, 0);
}

static void answer_threads(void)
{
    static struct control_thread list[1024];
    u64 count = 0;
    for (const struct thread *t = NULL; (t = thread_next(t)) && count < countof(list);) {
        struct control_thread *ret = &list[count++];
        *ret = (struct control_thread){t->ordinal, thread_number(t), t == thread_self(), 0, {0}};
        memcpy(ret->name, t->name, sizeof(ret->name));
    }
    controlled_answer(0, list, count * sizeof(list[0]));
}

/* --- the address space ---------------------------------------------------------------------- */

static const char *controlled_area_name(const struct area *a)
{
    static const struct {
        u32 flag;
        const char *name;
    } special[] = {{AREA_STACK, "[stack]"}, {AREA_BRK, "[heap]"}, {AREA_VDSO, "[vdso]"}};
    for (unsigned n = 0; n < countof(special); n++)
        if (a->flags & special[n].flag)
            return special[n].name;
    struct mapped_copy_name name = {a->device, a->inode};
    mapped_copy_shown(a, &name);
    const char *path = file_names_find(name.device, name.inode);
    return path ? path : "";
}

static void describe_area(struct control_area *ret, const struct area *a)
{
    *ret = (struct control_area){
        .start = a->start, .end = a->end, .protection = a->protection,
        .flags = (a->flags & AREA_SHARED ? CONTROL_AREA_SHARED : 0) |
                 (a->flags & AREA_FILE ? CONTROL_AREA_FILE : 0),
        .offset = a->offset, .device = a->device, .inode = a->inode,
    };
    struct text path = TEXT(ret->path);
    text_add(&path, controlled_area_name(a));
}

static void answer_areas(void)
{
    u64 count = 0, n = 0;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        count++;
    struct control_area *list = pool_map(count * sizeof(*list) + 1, PAGE_SIZE);
    for (const struct area *a = areas_from(0); a && n < count; a = areas_from(a->end))
        describe_area(&list[n++], a);
    controlled_answer(0, list, n * sizeof(*list));
    pool_unmap(list, count * sizeof(*list) + 1);
}

/* --- snapshots -------------------------------------------------------------------------------- */

static void answer_snapshot(i32 fd, u64 most_pages)
{
    struct snapshot_extent extent = {0, 0};
    const char *wrong = fd < 0 ? "there is no file for it"
                               : snapshot_write(fd, most_pages, &extent);
    struct control_snapshot ret = {extent.state_at, extent.state_size};
    if (wrong)
        controlled_answer(EAGAIN, wrong, strlen(wrong) + 1);
    else
        controlled_answer(0, &ret, sizeof(ret));
}

static void answer_compare(const struct control_command *c)
{
    struct snapshot_extent extent = {c->restore.snapshot.state_at, c->restore.snapshot.state_size};
    struct snapshot_difference found = {0};
    const char *wrong = c->fd < 0 || c->size < sizeof(c->restore)
                            ? "the snapshot did not come"
                            : snapshot_compare(c->fd, &extent, &found);
    bool told = !wrong || found.told;
    controlled_answer(told ? 0 : EAGAIN, wrong, wrong ? strlen(wrong) + 1 : 0);
}

bool control_answer(const struct control_command *c)
{
    switch (cpu ? c->message.kind : 0) { /* there may be no guest, if it could not be started */
    case CONTROL_READ:
        answer_read(&c->read);
        return true;
    case CONTROL_WRITE:
        answer_write(c);
        return true;
    case CONTROL_REGISTERS:
        answer_registers(c->ask.thread);
        return true;
    case CONTROL_SET_REGISTERS:
        answer_set_registers(c);
        return true;
    case CONTROL_THREADS:
        answer_threads();
        return true;
    case CONTROL_AREAS:
        answer_areas();
        return true;
    case CONTROL_SNAPSHOT:
        answer_snapshot(c->fd, c->keep.most_pages);
        return true;
    case CONTROL_COMPARE:
        answer_compare(c);
        return true;
    case CONTROL_POINTS:
        controlled_answer(c->fd < 0 ? EBADF : plan_points_take(c->fd, c->points.size), NULL, 0);
        return true;
    default:
        controlled_answer(ENOSYS, NULL, 0);
        return false;
    }
}
