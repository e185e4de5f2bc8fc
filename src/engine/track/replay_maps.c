/* Files and segments that are mapped in a replay: from ebb, or from the log. */
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/memory/file_names.h"
#include "engine/memory/mapping.h"
#include "engine/threads/thread.h"
#include "engine/track/replay.h"
#include "engine/track/replay_internal.h"
#include "engine/track/track.h"

/* Gets the file from ebb, which has a copy, or finds the file and checks that it has not
 * changed. */
i64 replay_fetch(const struct event_map *map, const char *path)
{
    static struct channel_fetch ask;
    struct channel_kept kept = {0};
    i32 fd = -1;
    ask = (struct channel_fetch){
        .message = {CHANNEL_FETCH, sizeof(ask)}, .copy = map->copy, .device = map->device,
        .inode = map->inode, .size = map->file_size, .mtime = map->mtime,
    };
    struct text t = TEXT(ask.path);
    text_add(&t, path);
    ask.path_size = (u32)strlen(ask.path);
    if (!track_send(&ask.message, -1) ||
        !track_receive(CHANNEL_KEPT, &kept.message, sizeof(kept), &fd))
        return -EIO;
    return kept.error ? -(i64)kept.error : fd;
}

bool replay_map(const struct mapping *m, struct log_file *ret)
{
    static struct {
        char path[8192], why[8300];
    } said;
    char *path = said.path;
    struct text t = TEXT(said.path);
    const struct event *e = replay_next_or_end();
    const struct event_map *map = (const struct event_map *)e->payload;
    if (m->size && e->kind == EVENT_SYSCALL && thread_self()->call.open) {
        *ret = (struct log_file){.fd = -1};
        return true;
    }
    if (e->kind != EVENT_MAP || map->size < m->size || map->offset != m->offset)
        replay_diverge_number(e, "the program mapped a file, bytes", m->size);
    for (u32 n = 0; n < map->path_size; n++)
        text_add_char(&t, ((const char *)(map + 1))[n]);
    struct k_stat own = {0};
    i64 fd = replay_fetch(map, path);
    if (kernel_failed(fd) || kernel_failed(kernel_call(__NR_fstat, fd, &own)) ||
        own.size != map->file_size) {
        struct text w = TEXT(said.why);
        text_add(&w, path);
        text_add(&w,
                 kernel_failed(fd) ? ": the mapped file is gone" : ": the mapped file has changed");
        replay_unable(said.why);
    }
    file_names_note(map->device, map->inode, path);
    file_names_note(own.device, own.inode, path); /* a kept copy is another file */
    file_origin_note(own.device, own.inode, map, path);
    *ret = (struct log_file){(i32)fd, map->device, map->inode, map->file_size, map->size,
                             map->copy};
    replay.mapped_at = map->address;
    replay_met(e);
    return true;
}

bool replay_segment(struct log_segment *ret)
{
    const struct event *e = replay_next_or_end();
    const struct event_piece *piece =
        (const struct event_piece *)(e->payload + sizeof(struct event_shared));
    const u64 *segment = (const u64 *)(piece + 1);
    if (e->kind != EVENT_SHARED || (u8 *)(segment + 2) > replay_event_end(e) ||
        piece->kind != PIECE_SEGMENT)
        replay_diverge(e, "the program attached a segment");
    *ret = (struct log_segment){piece->address, segment[0], segment[1], 0};
    return true;
}
