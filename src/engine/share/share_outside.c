/* Memory that is shared with processes that are not recorded: see share_outside.h.
 *
 * A file or segment that is older than the recording may have writers outside of it. The engine
 * keeps copies of a few pages of such memory. After each wait it compares the pages with the
 * copies, and logs a difference as a change that happened during the wait.
 */
#include "engine/share/share_outside.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/mapped_copy.h"
#include "engine/share/share_group.h"
#include "engine/share/share_internal.h"
#include "log/format.h"

enum {
    WATCHED_MOST = 16, /* pages */
    OF_EACH = 4,       /* pages of one mapping */
    KNOWN_MOST = 8,
    NAME_MOST = 160,
    K_STATX_CTIME = 0x80,
    K_STATX_BTIME = 0x800,
};
#define NANOSECONDS 1000000000ul

struct outside_page {
    u64 page;
    u32 known; /* one more than the number of its name; 0: none */
};

struct known_file {
    u64 device, inode;
    char name[NAME_MOST];
};

static struct {
    struct outside_page watched[WATCHED_MOST];
    u32 watched_count;
    struct known_file known[KNOWN_MOST];
    u32 known_count;
    bool told;
    u32 to_tell; /* as in struct outside_page; ~0: without a name */
} outside;

/* --- what was there before ------------------------------------------------------------------- */

/* Files are born on most file systems; else the last change must do. */
static bool was_there_before(i64 fd)
{
    struct k_statx st = {0};
    if (kernel_failed(
            kernel_call(__NR_statx, fd, "", AT_EMPTY_PATH, K_STATX_BTIME | K_STATX_CTIME, &st)))
        return false;
    const struct k_statx_time *t = st.mask & K_STATX_BTIME ? &st.born : &st.changed;
    return (u64)t->seconds * NANOSECONDS + t->nanoseconds < share_group_started();
}

static bool is_memory(const char *path)
{
    return text_starts(path, "/dev/shm/") || text_starts(path, "/memfd:");
}

/* --- names ------------------------------------------------------------------------------------ */

static u32 share_outside_find_name(u64 device, u64 inode)
{
    for (u32 n = 0; n < outside.known_count; n++)
        if (outside.known[n].device == device && outside.known[n].inode == inode)
            return n + 1;
    return 0;
}

static u32 share_outside_note_name(u64 device, u64 inode, const char *name)
{
    u32 found = share_outside_find_name(device, inode);
    if (found || outside.known_count == KNOWN_MOST)
        return found;
    struct known_file *k = &outside.known[outside.known_count++];
    struct text t = TEXT(k->name);
    k->device = device;
    k->inode = inode;
    text_add(&t, name);
    return outside.known_count;
}

static void share_outside_say(u32 number, const char *what)
{
    char line[NAME_MOST + 128];
    struct text t = TEXT(line);
    if (outside.told)
        return;
    text_add(&t, number && number <= outside.known_count ? outside.known[number - 1].name
                                                         : "memory that it shares");
    text_add(&t, what);
    log_note(NOTE_LIMIT, line);
    outside.told = true;
}

/* --- meeting it ------------------------------------------------------------------------------- */

static void share_outside_meet(u64 device, u64 inode, const char *name, bool at_once)
{
    struct share_object *o = share_group_find(device, inode);
    if (!o)
        return;
    u32 number = share_outside_note_name(device, inode, name);
    if (!o->outside)
        share_watch_outside(o);
    o->outside = true;
    if (at_once)
        share_outside_say(number,
                          " is shared memory that was there before: what others write to it "
                          "while this process runs is not recorded");
}

void share_outside_file(i64 fd, u64 device, u64 inode, const char *path)
{
    if (share_group && was_there_before(fd))
        share_outside_meet(device, inode, path, is_memory(path));
}

void share_outside_segment(u64 id, u64 changed_seconds)
{
    char name[64];
    struct text t = TEXT(name);
    if (!share_group || changed_seconds >= share_group_started() / NANOSECONDS)
        return;
    text_add(&t, "the System V segment ");
    text_add_unsigned(&t, id);
    share_outside_meet(MAPPED_COPY_SEGMENT, id, name, true);
}

/* --- looking ---------------------------------------------------------------------------------- */

void share_outside_forget(void)
{
    outside.watched_count = 0;
}

void share_outside_watch(u64 device, u64 inode, u64 start, u64 end)
{
    u32 number = share_outside_find_name(device, inode);
    for (u32 n = 0; n < OF_EACH && start < end && outside.watched_count < WATCHED_MOST;
         n++, start += PAGE_SIZE)
        outside.watched[outside.watched_count++] = (struct outside_page){start, number};
}

bool share_outside_watches(void)
{
    return outside.watched_count;
}

void share_outside_mapped(u64 start, u64 size)
{
    for (u32 n = 0; n < outside.watched_count; n++)
        if (outside.watched[n].page - start < size)
            share_log_whole_page(outside.watched[n].page);
    log_shared_end();
}

void share_outside_keep(void)
{
    for (u32 n = 0; n < outside.watched_count; n++)
        share_keep_page(outside.watched[n].page);
}

void share_outside_look(bool in_call)
{
    for (u32 n = 0; n < outside.watched_count; n++)
        if (share_log_page(outside.watched[n].page, in_call))
            outside.to_tell = outside.watched[n].known ? outside.watched[n].known : ~0u;
}

void share_outside_tell(void)
{
    if (outside.to_tell)
        share_outside_say(outside.to_tell,
                          " is written by processes that are not recorded: what they write "
                          "while this one runs is lost");
    outside.to_tell = 0;
}
