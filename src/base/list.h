/* Growing arrays.
 *
 *     struct list points = LIST(struct step_point);
 *     struct step_point *p = list_add(&points);
 *     struct step_point *all = points.items;
 *
 * Items move when the list grows. Hosted.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdlib.h>
#include <string.h>

#include "base/types.h"
#include "base/xalloc.h"

struct list {
    void *items;
    size_t count, room, item;
};

#define LIST(type) ((struct list){NULL, 0, 0, sizeof(type)})

/* Adds one zeroed item; the pointer is valid until the next addition. */
static inline void *list_add(struct list *l)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 16;
        void *more = xalloc(room * l->item);
        if (l->count)
            memcpy(more, l->items, l->count * l->item);
        free(l->items);
        l->items = more;
        l->room = room;
    }
    return memset((u8 *)l->items + l->count++ * l->item, 0, l->item);
}

static inline void list_deinit(struct list *l)
{
    free(l->items);
    l->items = NULL;
    l->count = l->room = 0;
}

#endif
