/* Sites: the breakpoints of a client that keeps its own list.
 *
 * Such a client (gdb) sends addresses and bytecode conditions. It removes its breakpoints at every
 * stop and inserts them again before it continues. Here that only marks them. When something is
 * about to run, only real differences are passed to the session, since the session's counts are
 * valid only as long as the set of breakpoints is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "debug/debug_internal.h"

u32 debug_site_kind(u32 type, bool is_return)
{
    static const u32 kinds[] = {
        [BREAK_CODE] = SITE_CODE,     [BREAK_STORE] = SITE_STORE,  [BREAK_LOAD] = SITE_LOAD,
        [BREAK_ACCESS] = SITE_ACCESS, [BREAK_SYSCALL] = SITE_CALL, [BREAK_SIGNAL] = SITE_SIGNAL,
        [BREAK_FORK] = SITE_FORK,     [BREAK_EXEC] = SITE_EXEC,    [BREAK_EXIT] = SITE_CALL,
    };
    return is_return ? SITE_RETURN : kinds[type];
}

static bool site_is_like(const struct debug_site *p, const struct debug_site *q)
{
    return p->tag == q->tag && p->address == q->address && p->size == q->size;
}

static bool site_is_same(const struct debug_site *p, const struct debug_site *q)
{
    return site_is_like(p, q) && p->condition_size == q->condition_size &&
           (!p->condition_size || memcmp(p->condition, q->condition, p->condition_size) == 0);
}

void debug_sites_want(struct list *sites, const struct debug_site *wanted)
{
    struct debug_site *all = sites->items;
    for (size_t i = 0; i < sites->count; i++) {
        if (site_is_same(&all[i], wanted)) {
            all[i].wanted = true;
            free(wanted->condition);
            return;
        }
    }
    struct debug_site *added = list_add(sites);
    *added = *wanted;
    added->wanted = true;
    added->number = 0;
}

void debug_sites_unwant(struct list *sites, const struct debug_site *like)
{
    struct debug_site *all = sites->items;
    for (size_t i = 0; i < sites->count; i++)
        if (site_is_like(&all[i], like))
            all[i].wanted = false;
}

void debug_sites_unwant_tag(struct list *sites, u32 tag)
{
    struct debug_site *all = sites->items;
    for (size_t i = 0; i < sites->count; i++)
        if (all[i].tag == tag)
            all[i].wanted = false;
}

static struct error *settle_site(struct session *s, struct debug_site *p)
{
    struct error *err = NULL;
    if (p->wanted && !p->number) {
        struct breakpoint b = {
            .site = {.kind = debug_site_kind(p->type, p->is_return),
                     .address = p->address,
                     .size = p->size,
                     .thread = CONTROL_THREAD_ANY,
                     .condition_size = p->condition_size},
            .condition = p->condition,
        };
        err = session_add_breakpoint(s, &b, &p->number);
    } else if (!p->wanted && p->number) {
        err = session_remove_breakpoint(s, p->number);
        p->number = 0;
    }
    return err;
}

static void drop_unwanted(struct list *sites)
{
    struct debug_site *all = sites->items;
    size_t kept = 0;
    for (size_t i = 0; i < sites->count; i++) {
        if (all[i].wanted || all[i].number)
            all[kept++] = all[i];
        else
            free(all[i].condition);
    }
    sites->count = kept;
}

struct error *debug_sites_settle(struct list *sites, struct session *s)
{
    struct debug_site *all = sites->items;
    struct error *err = NULL;
    for (size_t i = 0; i < sites->count && !err; i++)
        err = settle_site(s, &all[i]);
    drop_unwanted(sites);
    for (size_t i = 0; i < sites->count && !err; i++)
        assert(all[i].wanted && all[i].number);
    return err;
}

const struct debug_site *debug_sites_find(const struct list *sites, u32 number)
{
    const struct debug_site *all = sites->items;
    for (size_t i = 0; i < sites->count; i++)
        if (all[i].number == number)
            return &all[i];
    return NULL;
}

void debug_sites_forget(struct list *sites)
{
    struct debug_site *all = sites->items;
    for (size_t i = 0; i < sites->count; i++)
        all[i].number = 0;
}

void debug_sites_clear(struct list *sites, struct session *s)
{
    struct debug_site *all = sites->items;
    for (size_t i = 0; i < sites->count; i++) {
        all[i].wanted = false;
        error_destroy(settle_site(s, &all[i]));
    }
    drop_unwanted(sites);
}

void debug_sites_deinit(struct list *sites)
{
    struct debug_site *all = sites->items;
    for (size_t i = 0; i < sites->count; i++)
        free(all[i].condition);
    list_deinit(sites);
    *sites = LIST(struct debug_site);
}
