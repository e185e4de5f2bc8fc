/* The folder of kept translations: see kept_folder.h.
 *
 * Several processes may do this at once, and files may vanish at any time: one that is gone is not
 * missed, and one that is in use stays mapped.
 */
#include "engine/translate/kept_folder.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/fs.h>

#include "engine/base/kernel.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"

/* struct linux_dirent64 */
struct entry {
    u64 inode;
    i64 offset;
    u16 length;
    u8 type;
    char name[];
};

struct kept_found {
    u64 bytes;
    u64 oldest;
    char oldest_name[256];
};

static void consider(i32 folder, const char *name, struct kept_found *f)
{
    struct stat s;
    if (name[0] == '.' || kernel_call(__NR_newfstatat, folder, name, &s, AT_SYMLINK_NOFOLLOW))
        return;
    f->bytes += (u64)s.st_blocks * 512;
    if ((u64)s.st_atime >= f->oldest)
        return;
    f->oldest = (u64)s.st_atime;
    struct text t = TEXT(f->oldest_name);
    text_add(&t, name);
}

static bool kept_look_through(i32 folder, struct kept_found *ret)
{
    _Alignas(8) char room[8192];
    i64 got;
    *ret = (struct kept_found){.oldest = ~0ul};
    kernel_call(__NR_lseek, folder, 0, SEEK_SET);
    while ((got = kernel_call(__NR_getdents64, folder, room, sizeof(room))) > 0)
        for (i64 at = 0; at < got;) {
            const struct entry *e = (const struct entry *)(room + at);
            consider(folder, e->name, ret);
            at += e->length;
        }
    return !kernel_failed(got);
}

void kept_folder_make_room(const char *path)
{
    struct kept_found found;
    i64 folder = kernel_call(__NR_open, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (kernel_failed(folder))
        return;
    while (kept_look_through((i32)folder, &found) && found.bytes > settings.kept_most)
        if (kernel_call(__NR_unlinkat, folder, found.oldest_name, 0))
            break;
    kernel_call(__NR_close, folder);
}
