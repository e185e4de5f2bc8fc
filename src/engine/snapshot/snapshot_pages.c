/* The pages of a snapshot that is being restored, by their numbers.
 *
 * They are in the snapshot's file; or ebb has them, and sends some at a time.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/snapshot/snapshot_internal.h"
#include "engine/track/track.h"
#include "log/channel.h"

enum { PAGES_ASKED_MOST = 1024 };

static bool read_from(i32 fd, u64 at, u64 size, u8 *to)
{
    for (u64 done = 0; done < size;) {
        i64 got = kernel_call(__NR_pread64, fd, to + done, size - done, at + done);
        if (got <= 0)
            return false;
        done += (u64)got;
    }
    return true;
}

/* Gets a file with `count` pages from `first` on from ebb. */
static bool ask_for_pages(struct snapshot_page_source *s, u64 first, u64 count)
{
    struct channel_pages ask = {
        .message = {CHANNEL_PAGES, sizeof(ask)}, .snapshot = s->given.number, .first = first,
        .count = count,
    };
    struct channel_kept kept = {0};
    i32 fd = -1;
    snapshot_pages_close(s);
    if (!track_send(&ask.message, -1) ||
        !track_receive(CHANNEL_KEPT, &kept.message, sizeof(kept), &fd) || kept.error || fd < 0)
        return false;
    s->asked = fd;
    s->first = first;
    s->count = count;
    return true;
}

bool snapshot_pages_get(struct snapshot_page_source *s, u64 number, u64 count, u64 ahead, void *to)
{
    if (!s->given.asks)
        return read_from(s->fd, number * PAGE_SIZE, count * PAGE_SIZE, to);
    u8 *at = to;
    while (count) {
        u64 wanted = ahead > count ? ahead : count, left = s->given.pages - number;
        wanted = wanted < PAGES_ASKED_MOST ? wanted : PAGES_ASKED_MOST;
        if (number >= s->given.pages)
            return false;
        if (number - s->first >= s->count &&
            !ask_for_pages(s, number, wanted < left ? wanted : left))
            return false;
        u64 there = s->first + s->count - number, part = count < there ? count : there;
        if (!read_from(s->asked, (number - s->first) * PAGE_SIZE, part * PAGE_SIZE, at))
            return false;
        at += part * PAGE_SIZE;
        number += part;
        count -= part;
        ahead = ahead > part ? ahead - part : 0;
    }
    return true;
}

void snapshot_pages_close(struct snapshot_page_source *s)
{
    if (s->count)
        kernel_call(__NR_close, s->asked);
    s->count = 0;
}
