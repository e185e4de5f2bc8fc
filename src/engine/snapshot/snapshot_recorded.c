/* Snapshots of a program that is being recorded: the state that a replay of the same moment would
 * have.
 *
 * A replay does not have the program's files, only what the recording has of them. Shared memory is
 * a private copy in a replay (memory/mapped_copy.h); so the snapshot names copies in place of
 * files, segments and unnamed shared memory, with the content that the program sees at this moment.
 *
 * A file that is mapped privately is fetched from the recording when the snapshot is restored.  If
 * it may have changed since it was mapped, all of the mapping's pages are stored as if the program
 * had written them.
 *
 * Everything is read while this thread has the baton. No snapshot is taken while a call of another
 * thread may write to the program's memory (a lent baton), or if a process apart shares it.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/text.h"
#include "engine/share/share.h"
#include "engine/snapshot/snapshot_internal.h"
#include "engine/threads/thread.h"
#include "engine/track/record.h"

#define SHARED_MOST (64ul << 20) /* larger files take too long to read */

/* --- whether a snapshot is possible ---------------------------------------------------------- */

static const char *recorded_thread_hindrance(const struct thread *t)
{
    if (t->apart)
        return "a process shares the program's memory";
    if (t->lent)
        return "the kernel may still write to the program's memory";
    if (!t->tid)
        return "a thread begins";
    if (!t->call.open && (t->mask_restore_waits || (t != thread_self() && t->signal_waiting)))
        return "a signal is about to be delivered";
    return NULL;
}

/* True if the kernel would send a signal for a file that becomes too large. */
static bool files_are_limited(void)
{
    enum { K_RLIMIT_FSIZE = 1 };
    u64 limit[2];
    return kernel_call(__NR_prlimit64, 0, K_RLIMIT_FSIZE, NULL, limit) || limit[0] != ~0ul;
}

const char *snapshot_recorded_hindrance(void)
{
    struct replay_position position;
    for (const struct thread *t = NULL; (t = thread_next(t));)
        if (recorded_thread_hindrance(t))
            return recorded_thread_hindrance(t);
    if (!record_save_position(&position))
        return "an event has just been recorded";
    return files_are_limited() ? "the size of the program's files is limited" : NULL;
}

/* --- the sources of areas --------------------------------------------------------------------- */

static bool is_shared_memory(const struct area *a)
{
    return (a->flags & AREA_SHARED) && (a->flags & (AREA_FILE | AREA_SHM));
}

static bool shows_same(const struct area *a, struct mapped_copy_name name)
{
    return (a->flags & (AREA_FILE | AREA_SHM)) && a->device == name.device &&
           a->inode == name.inode;
}

/* Returns where the mappings of a file end in it; 0: it is not mapped shared. */
static u64 shared_end(struct mapped_copy_name name)
{
    u64 end = 0;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        if (is_shared_memory(a) && shows_same(a, name) && a->offset + (a->end - a->start) > end)
            end = a->offset + (a->end - a->start);
    return end;
}

static bool is_file(struct mapped_copy_name name)
{
    return name.device != MAPPED_COPY_NAMELESS && name.device != MAPPED_COPY_SEGMENT;
}

static bool look_at_file(const struct file_origin *origin, struct k_stat *ret)
{
    return !kernel_call(__NR_stat, origin->path, ret) && ret->device == origin->own_device &&
           ret->inode == origin->own_inode;
}

/* A copy may be longer than the file was: every SIGBUS is in the log. */
static u64 recorded_copy_size(struct mapped_copy_name name, const struct file_origin *origin)
{
    struct k_stat st;
    u64 end = shared_end(name);
    if (!origin)
        return end;
    if (look_at_file(origin, &st))
        return st.size;
    return origin->map.file_size > end ? origin->map.file_size : end;
}

static u32 recorded_copy_index(struct snapshot_out *o, struct mapped_copy_name name)
{
    for (u32 n = 0; n < o->copy_count; n++)
        if (o->names[n].device == name.device && o->names[n].inode == name.inode)
            return n;
    if (o->copy_count == SNAPSHOT_COPIES_MOST) {
        snapshot_fail(o, "too much memory is shared");
        return 0;
    }
    const struct file_origin *origin =
        is_file(name) ? file_origin_find(name.device, name.inode) : NULL;
    u64 length = origin ? strlen(origin->path) : 0;
    struct snapshot_copy *copy = snapshot_add_record(o, SNAPSHOT_COPY, sizeof(*copy) + length);
    copy->device = name.device;
    copy->inode = name.inode;
    copy->size = recorded_copy_size(name, origin);
    copy->path_size = (u32)length;
    if (origin)
        memcpy(copy + 1, origin->path, length);
    if (name.device == MAPPED_COPY_NAMELESS && name.inode > o->last_nameless)
        o->last_nameless = name.inode;
    o->names[o->copy_count] = name;
    return o->copy_count++;
}

/* True if the mapping may differ from what the recording has of the file. The times of files that
 * other processes have mapped shared are not reliable. */
static bool has_changed(const struct area *a, const struct file_origin *origin)
{
    struct k_stat st;
    if (a->flags & AREA_STAYS)
        return false;
    return share_knows(a->device, a->inode) || !look_at_file(origin, &st) ||
           st.size != origin->map.file_size || record_modified(&st) != origin->map.mtime;
}

u32 snapshot_recorded_source(struct snapshot_out *o, const struct area *a, u32 *ret_index)
{
    struct mapped_copy_name name = {a->device, a->inode};
    bool known = a->flags & (AREA_FILE | AREA_SHM);
    if (known && ((a->flags & AREA_SHARED) || shared_end(name))) {
        *ret_index = recorded_copy_index(o, name);
        return SNAPSHOT_OF_COPY;
    }
    const struct file_origin *origin;
    u32 source = snapshot_private_source(o, a, ret_index, &origin);
    if (!origin)
        return source;
    if (origin->was_shared && !(a->flags & AREA_STAYS)) /* a replay still has a copy of it */
        snapshot_fail(o, "a mapped file may have been written");
    o->changed[*ret_index] |= has_changed(a, origin);
    return source;
}

u32 snapshot_recorded_flags(const struct area *a)
{
    u32 flags = a->flags & ~(u32)AREA_STAYS;
    if (flags & AREA_SHM)
        flags |= AREA_FILE;
    return a->device == MAPPED_COPY_NAMELESS ? flags & ~(u32)AREA_SHM : flags;
}

/* --- what is in shared memory -------------------------------------------------------------- */

/* For unnamed memory, and files that are only memory: reading a page of a hole allocates it, which
 * is harmless. */
static void write_nameless_area(struct snapshot_out *o, const struct area *a, u32 copy)
{
    for (u64 page = a->start; page < a->end && !o->wrong; page += PAGE_SIZE)
        snapshot_add_page(o, page, a->offset + (page - a->start), copy); /* or after its end */
}

/* A file is read as a file, since its file system may have no room for what a mapping would make of
 * a hole. */
static void write_file_area(struct snapshot_out *o, const struct area *a, u32 copy, i32 fd)
{
    u64 offset = a->offset, end = offset + (a->end - a->start);
    for (i64 got = 1; offset < end && got > 0 && !o->wrong; offset += PAGE_SIZE)
        got = snapshot_add_bytes(o, fd, offset, copy);
}

static i64 open_same(const struct file_origin *origin)
{
    enum { K_O_NONBLOCK = 04000 };
    struct k_stat st;
    if (!look_at_file(origin, &st))
        return -ENOENT;
    i64 fd = kernel_call(__NR_open, origin->path, O_RDONLY | O_CLOEXEC | K_O_NONBLOCK);
    if (!kernel_failed(fd) && (kernel_call(__NR_fstat, fd, &st) ||
                               st.device != origin->own_device || st.inode != origin->own_inode)) {
        kernel_call(__NR_close, fd);
        return -ENOENT;
    }
    return fd;
}

static void write_shared_area(struct snapshot_out *o, const struct area *a)
{
    struct mapped_copy_name name = {a->device, a->inode};
    u32 copy = recorded_copy_index(o, name) + 1;
    const struct file_origin *origin =
        is_file(name) ? file_origin_find(name.device, name.inode) : NULL;
    if (!is_file(name) || (origin && text_starts(origin->path, "/memfd:"))) {
        write_nameless_area(o, a, copy);
        return;
    }
    i64 fd = origin ? open_same(origin) : -ENOENT;
    if (kernel_failed(fd)) {
        snapshot_fail(o, "a file that is mapped shared cannot be read");
        return;
    }
    write_file_area(o, a, copy, (i32)fd);
    kernel_call(__NR_close, fd);
}

/* True for shared memory, and private mappings of the same. */
static bool shows_copy(const struct area *a)
{
    struct mapped_copy_name name = {a->device, a->inode};
    return !(a->flags & AREA_VDSO) && (a->flags & (AREA_FILE | AREA_SHM)) &&
           ((a->flags & AREA_SHARED) || shared_end(name));
}

void snapshot_recorded_shared(struct snapshot_out *o)
{
    u64 total = 0;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        total += shows_copy(a) ? a->end - a->start : 0;
    if (total > SHARED_MOST)
        snapshot_fail(o, "too much memory is shared");
    for (const struct area *a = areas_from(0); a && !o->wrong; a = areas_from(a->end))
        if (shows_copy(a))
            write_shared_area(o, a);
}
