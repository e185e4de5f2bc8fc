/* Tables of points: see the header.
 *
 * Tables are compared by content, so callers need not report changes. The least recently used
 * table is dropped first.
 */
#include "session/point_tables_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/point_table.h"

enum { SLOTS_LEAST = 16 };

static void forget(struct point_table_kept *k)
{
    if (!k->id)
        return;
    free(k->points);
    free(k->scopes);
    if (k->fd >= 0)
        close(k->fd);
    *k = (struct point_table_kept){0};
}

void point_tables_deinit(struct point_tables *t)
{
    for (size_t n = 0; n < POINT_TABLES_MOST; n++)
        forget(&t->kept[n]);
}

static void *point_tables_copy_of(const void *from, size_t size)
{
    void *copy = xalloc(size + 1);
    if (size)
        memcpy(copy, from, size);
    return copy;
}

static bool point_tables_is_same(const void *a, const void *b, size_t size)
{
    return !size || !memcmp(a, b, size);
}

static struct point_table_kept *find_id(struct point_tables *t, u64 id)
{
    for (size_t n = 0; n < POINT_TABLES_MOST; n++)
        if (t->kept[n].id == id)
            return &t->kept[n];
    return NULL;
}

static struct point_table_kept *point_tables_find(struct point_tables *t,
                                                  const struct plan_point *points, u32 count,
                                                  const u32 *scopes, u32 scope_count)
{
    for (struct point_table_kept *k = t->kept; k < t->kept + POINT_TABLES_MOST; k++)
        if (k->id && k->count == count && k->scope_count == scope_count &&
            point_tables_is_same(k->scopes, scopes, scope_count * sizeof *scopes) &&
            point_tables_is_same(k->points, points, count * sizeof *points))
            return k;
    return NULL;
}

static struct point_table_kept *longest_unused(struct point_tables *t)
{
    struct point_table_kept *longest = t->kept;
    for (struct point_table_kept *k = t->kept; k < t->kept + POINT_TABLES_MOST; k++)
        if (k->used < longest->used)
            longest = k;
    return longest;
}

u64 point_tables_id(struct point_tables *t, const struct plan_point *points, u32 count,
                    const u32 *scopes, u32 scope_count)
{
    struct point_table_kept *k = point_tables_find(t, points, count, scopes, scope_count);
    if (!k) {
        k = longest_unused(t);
        forget(k);
        *k = (struct point_table_kept){
            .id = ++t->last_id, .points = point_tables_copy_of(points, count * sizeof *points),
            .count = count,
            .scopes = point_tables_copy_of(scopes, scope_count * sizeof *scopes),
            .scope_count = scope_count,
            .fd = -1,
        };
    }
    k->used = ++t->last_use;
    return k->id;
}

static void point_tables_fill(struct point_table *table, const struct point_table_kept *k)
{
    for (u32 n = 0; n < k->count; n++)
        if (k->points[n].pc)
            *point_table_slot(table, k->points[n].pc) = k->points[n];
    if (k->scope_count)
        memcpy(point_table_scopes(table), k->scopes, k->scope_count * sizeof *k->scopes);
}

static bool point_tables_write_file(struct point_table_kept *k)
{
    u32 slots = SLOTS_LEAST;
    while (slots < 2 * k->count)
        slots *= 2;
    k->size = point_table_size(slots, k->scope_count);
    if (ftruncate(k->fd, (off_t)k->size) < 0)
        return false;
    struct point_table *table = mmap(NULL, k->size, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
    if (table == MAP_FAILED)
        return false;
    *table = (struct point_table){k->id, slots, k->scope_count};
    point_tables_fill(table, k);
    munmap(table, k->size);
    return true;
}

struct error *point_tables_file(struct point_tables *t, u64 id, int *ret_fd, u64 *ret_size)
{
    struct point_table_kept *k = find_id(t, id);
    if (!k)
        return error_coded(ERROR_LOST, "the file with the points of a plan is gone");
    if (k->fd < 0) {
        k->fd = memfd_create("ebb-points", MFD_CLOEXEC);
        if (k->fd < 0 || !point_tables_write_file(k)) {
            struct error *err = error_errno(errno, "cannot make a file in memory");
            if (k->fd >= 0)
                close(k->fd);
            k->fd = -1;
            return err;
        }
    }
    *ret_fd = k->fd;
    *ret_size = k->size;
    return NULL;
}
