/* Files that a recorded program maps: they are named in the log, and copied if they are likely to
 * change. */
#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/process_file.h"
#include "engine/base/program_file.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/file_names.h"
#include "engine/memory/mapping.h"
#include "engine/share/share.h"
#include "engine/share/share_outside.h"
#include "engine/track/record.h"
#include "engine/track/record_internal.h"
#include "engine/track/track.h"

#define SECRET_MAGIC 0x5345434du /* the type of the file system of secret memory */

/* In a user namespace that does not have the real root, root's files seem to belong to user
 * 65534. */
static bool is_root(u32 uid)
{
    enum { UNMAPPED = 65534 };
    static const char all[] = "         0          0 4294967295";
    char map[256];
    return uid == 0 || (uid == UNMAPPED && process_file_read(0, "uid_map", map, sizeof(map)) &&
                        !text_starts(map, all));
}

/* Files from a package do not change, at least for a while; ebb keeps a copy of others. */
static bool likely_to_stay(const struct k_stat *st)
{
    enum { WRITABLE_BY_OTHERS = 022, S_IFMT = 0170000, S_IFREG = 0100000 };
    return is_root(st->uid) && (st->mode & S_IFMT) == S_IFREG && !(st->mode & WRITABLE_BY_OTHERS);
}

u64 record_modified(const struct k_stat *st)
{
    return st->modified.seconds < 0 ? 0 : (u64)st->modified.seconds * NANOSECONDS +
                                              (u64)st->modified.nanoseconds;
}

static bool path_of(i64 fd, char *ret, u64 size, const char *directory)
{
    char name[64];
    struct text t = TEXT(name);
    text_add(&t, "/proc/self/fd/");
    text_add_signed(&t, fd);
    i64 length = kernel_call(__NR_readlink, name, ret, size - 1);
    ret[length > 0 ? length : 0] = 0;
    return length > 0 && text_starts(ret, directory);
}

/* Files written within one tick of the kernel's clock can change without a new time: a copy of such
 * a file is not reused. */
static u64 time_for_copy(const struct event_map *map)
{
    enum { RECENT_NS = 50000000 };
    if (record_clock_ns(0) - map->mtime >= RECENT_NS && !share_knows(map->device, map->inode))
        return map->mtime;
    return map->mtime ^ (++record.recent_files << 32 | (track.number + 1ul)) * 0x9e3779b97f4a7c15ul;
}

static u32 record_keep_file(const struct event_map *map, i64 fd)
{
    struct channel_keep keep = {
        {CHANNEL_KEEP, sizeof(keep)}, map->device, map->inode, map->file_size, time_for_copy(map)};
    struct channel_kept kept = {0};
    i32 none;
    if (!track_send(&keep.message, (i32)fd) ||
        !track_receive(CHANNEL_KEPT, &kept.message, sizeof(kept), &none))
        return 0;
    return kept.error ? 0 : kept.copy;
}

/* Secret memory can only be read where it is mapped: the engine makes a copy to be kept. */
static i64 copy_secret(i64 fd, u64 size)
{
    enum { K_MFD_CLOEXEC = 1 };
    i64 copy = kernel_call(__NR_memfd_create, "ebb", K_MFD_CLOEXEC);
    if (kernel_failed(copy))
        return copy;
    u8 *shown = pool_try_map(page_up(size), PAGE_SIZE);
    i64 done = -ENOMEM;
    if (shown && !kernel_failed(
                     kernel_call(__NR_mmap, shown, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0)))
        for (u64 at = 0; at < size; at += (u64)done) {
            done = kernel_call(__NR_pwrite64, copy, shown + at, size - at, at);
            if (done <= 0)
                break;
        }
    if (shown)
        pool_unmap(shown, page_up(size));
    kernel_call(__NR_ftruncate, copy, size);
    return copy;
}

static i64 open_again(i64 fd)
{
    char name[64];
    struct text t = TEXT(name);
    text_add(&t, "/proc/self/fd/");
    text_add_signed(&t, fd);
    return kernel_call(__NR_open, name, O_RDONLY | O_CLOEXEC);
}

/* ebb reads the file through the given descriptor; one with O_DIRECT would need aligned buffers. */
static u32 keep_readable(const struct event_map *map, i64 fd)
{
    enum { K_F_GETFL = 3, K_O_DIRECT = 040000 };
    u64 status[15] = {0}; /* struct statfs: the type is the first word */
    i64 other = -1;
    if (!kernel_call(__NR_fstatfs, fd, status) && (u32)status[0] == SECRET_MAGIC)
        other = copy_secret(fd, map->file_size);
    else if (kernel_call(__NR_fcntl, fd, K_F_GETFL) & K_O_DIRECT)
        other = open_again(fd);
    u32 copy = record_keep_file(map, kernel_failed(other) ? fd : other);
    if (!kernel_failed(other))
        kernel_call(__NR_close, other);
    return copy;
}

void record_map(const struct mapping *m, u64 at)
{
    static char path[4096];
    struct record_event b;
    struct k_stat st;
    struct record_moment now = record_now();
    if (record.gone || kernel_failed(kernel_call(__NR_fstat, m->fd, &st)))
        return;
    struct event_map map = {
        .address = at, .size = m->size,
        .protection = (u32)m->protection, .flags = (u32)m->flags,
        .offset = m->offset,
        .device = st.device, .inode = st.inode, .file_size = st.size, .mtime = record_modified(&st),
    };
    record.shares_files |= mapping_is_shared(m->flags);
    bool packaged = path_of(m->fd, path, sizeof(path), "/usr/") && likely_to_stay(&st);
    map.path_size = (u32)strlen(path);
    if (packaged && m->size)
        areas_mark(at, at + m->size, AREA_STAYS, 0);
    /* programs and libraries that run cannot be written */
    record.private_files |= m->size && !packaged && !mapping_is_shared(m->flags) &&
                            program_file_type((i32)m->fd) < 0;
    share_update(); /* a file that others write is copied while they do not run */
    if (mapping_is_shared(m->flags))
        share_outside_file(m->fd, st.device, st.inode, path);
    map.copy = packaged ? 0 : keep_readable(&map, m->fd);
    if (!record_build(&b, EVENT_MAP, &now))
        return;
    record_add(&b, &map, sizeof(map));
    record_add(&b, path, map.path_size);
    record_publish(&b);
    share_outside_mapped(at, m->size);
    if (m->size)
        file_origin_renew(&map, path, mapping_is_shared(m->flags));
}
