/* Hashes of files that were computed before: see the header.
 *
 * Rows are read and written one group at a time, without a lock: each has a sum over its fields,
 * so one that two processes wrote at once, or that is damaged, is as good as none.
 */
#include "log/known_hashes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/user_cache.h"
#include "base/xalloc.h"
#include "log/content_hash.h"

enum { GROUPS = 1024, GROUP = 4, SETTLED_SECONDS = 2 };

struct row {
    u64 device, inode, size, modified, changed; /* times in nanoseconds */
    u64 hash;
    u64 sum; /* content_hash of the fields above */
};

struct group {
    struct row row[GROUP];
};

char *known_hashes_path(u64 *ret_most)
{
    *ret_most = GROUPS * sizeof(struct group);
    return user_cache_path("hashes");
}

static int open_table(void)
{
    u64 most;
    char *folder = known_hashes_path(&most);
    char *path = folder ? xformat("%s/table", folder) : NULL;
    int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0 && path && user_cache_make(folder))
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    free(path);
    free(folder);
    return fd;
}

static u64 nanoseconds(struct timespec t)
{
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static u64 sum_of(const struct row *r)
{
    return content_hash(r, offsetof(struct row, sum));
}

static struct row hashed_describe(const struct stat *s)
{
    return (struct row){
        .device = s->st_dev,
        .inode = s->st_ino,
        .size = (u64)s->st_size,
        .modified = nanoseconds(s->st_mtim),
        .changed = nanoseconds(s->st_ctim),
    };
}

static bool hashed_same_file(const struct row *a, const struct row *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified == b->modified && a->changed == b->changed;
}

static off_t hashed_place_of(const struct row *r)
{
    u64 file[2] = {r->device, r->inode};
    return (off_t)(content_hash(file, sizeof file) % GROUPS * sizeof(struct group));
}

static bool find(int table, struct row *wanted)
{
    struct group g = {0};
    if (table < 0 || pread(table, &g, sizeof g, hashed_place_of(wanted)) != sizeof g)
        return false;
    for (unsigned n = 0; n < GROUP; n++)
        if (hashed_same_file(&g.row[n], wanted) && g.row[n].sum == sum_of(&g.row[n])) {
            wanted->hash = g.row[n].hash;
            return true;
        }
    return false;
}

/* Replaces the row of the same file, or any other. */
static void put(int table, struct row *new)
{
    struct group g = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (table < 0 || new->changed + SETTLED_SECONDS * 1000000000ull > nanoseconds(now))
        return;
    off_t place = hashed_place_of(new);
    if (pread(table, &g, sizeof g, place) < 0)
        return;
    unsigned n = 0;
    while (n < GROUP - 1 && g.row[n].sum && g.row[n].inode != new->inode)
        n++;
    if (g.row[n].sum && g.row[n].inode != new->inode)
        n = new->hash % GROUP;
    new->sum = sum_of(new);
    g.row[n] = *new;
    if (pwrite(table, &g, sizeof g, place) < 0)
        return; /* it is computed again the next time */
}

int known_hashes_file(int fd, u64 *ret, u64 *ret_size)
{
    struct stat before, after;
    int table = fstat(fd, &before) == 0 && S_ISREG(before.st_mode) ? open_table() : -1;
    struct row row = table >= 0 ? hashed_describe(&before) : (struct row){0};
    int error = 0;
    if (find(table, &row)) {
        *ret = row.hash;
        *ret_size = row.size;
    } else {
        error = content_hash_file(fd, ret, ret_size);
        row.hash = *ret;
        if (!error && table >= 0 && fstat(fd, &after) == 0 && *ret_size == row.size) {
            struct row now = hashed_describe(&after);
            if (hashed_same_file(&row, &now))
                put(table, &row);
        }
    }
    if (table >= 0)
        close(table);
    return error;
}
