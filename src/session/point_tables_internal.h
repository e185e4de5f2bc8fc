/* Points as engines get them: tables in files (log/point_table.h), made once for all processes
 * of a session. */
#ifndef SESSION_POINT_TABLES_INTERNAL_H
#define SESSION_POINT_TABLES_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/control.h"

/* The points of the program are most of what is asked for; others are those of one movement. */
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

/* The number of the table that has these: the same as ever if they are the same.  For a plan that
 * is run before POINT_TABLES_MOST others are made. */
u64 point_tables_id(struct point_tables *t, const struct plan_point *points, u32 count,
                    const u32 *scopes, u32 scope_count);

/* Its file, lent until other tables are asked for. */
struct error *point_tables_file(struct point_tables *t, u64 id, int *ret_fd, u64 *ret_size);

#endif
