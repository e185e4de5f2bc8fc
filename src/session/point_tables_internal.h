/* Tables of points in the form that engines read: files (log/point_table.h), made once and shared
 * by all processes of a session. */
#ifndef SESSION_POINT_TABLES_INTERNAL_H
#define SESSION_POINT_TABLES_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/control.h"

/* Most requests are for all points of the program. The other tables belong to a single movement. */
enum { POINT_TABLES_MOST = 4 };

struct point_tables {
    struct point_table_kept {
        u64 id; /* 0: none */
        u64 used;
        struct plan_point *points;
        u32 *scopes;
        u32 count, scope_count;
        int fd; /* -1: not made yet */
        u64 size;
    } kept[POINT_TABLES_MOST];
    u64 last_id, last_use;
};

void point_tables_deinit(struct point_tables *t);

/* Returns the id of the table with this content; the same content has the same id. The id is valid
 * until POINT_TABLES_MOST other tables have been made. */
u64 point_tables_id(struct point_tables *t, const struct plan_point *points, u32 count,
                    const u32 *scopes, u32 scope_count);

/* Returns the table's file. The file stays open until other tables are requested. */
struct error *point_tables_file(struct point_tables *t, u64 id, int *ret_fd, u64 *ret_size);

#endif
