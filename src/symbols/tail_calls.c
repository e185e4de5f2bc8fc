/* Tail calls: finds functions that are no longer on the stack.
 *
 * A function that ends with a call may jump to the called function instead. Its frame is gone then,
 * and the other function returns to the caller of both. If debug information says that the caller
 * called A, but C returns to it, the tail calls that lead from A to C tell what happened in
 * between. If there are several ways from A to C, only the functions at their beginning and end
 * that all ways share are known.
 */
#include "symbols/symbols_internal.h"

enum { CHAIN_LONGEST = 64, VISITS_MOST = 2000 };

struct tail_search {
    struct symbols *s;
    u64 goal;                /* the entry of the function that was reached */
    u64 chain[CHAIN_LONGEST];/* return addresses of the tail calls, outermost first */
    size_t length;
    struct list visited;     /* u64: tail calls already followed */
    unsigned found;          /* number of ways to the goal */
    u64 common[CHAIN_LONGEST]; /* the first way, with the parts that all ways share: */
    size_t common_length, from_outside, from_inside;
    bool fails;              /* some way may be unknown */
};

static bool was_visited(const struct tail_search *t, u64 pc)
{
    const u64 *all = t->visited.items;
    for (size_t n = 0; n < t->visited.count; n++)
        if (all[n] == pc)
            return true;
    return false;
}

static void note_chain(struct tail_search *t)
{
    size_t same = 0, outside, inside;
    if (!t->found++) {
        memcpy(t->common, t->chain, t->length * sizeof *t->chain);
        t->common_length = t->from_outside = t->from_inside = t->length;
        return;
    }
    while (same < t->length && same < t->from_outside && t->chain[same] == t->common[same])
        same++;
    outside = same;
    for (same = 0; same < t->length && same < t->from_inside &&
                   t->chain[t->length - 1 - same] == t->common[t->common_length - 1 - same];)
        same++;
    inside = same;
    t->from_outside = outside;
    t->from_inside = inside;
}

/* Follows all tail calls of a function. */
static void search_from(struct tail_search *t, u64 entry)
{
    struct list jumps = LIST(struct call_site);
    if (entry == t->goal) {
        note_chain(t);
        return;
    }
    call_sites_by_jump(t->s, entry, &jumps);
    t->fails |= t->visited.count > VISITS_MOST;
    struct call_site *c = jumps.items;
    for (size_t n = 0; n < jumps.count && !t->fails; n++) {
        u64 target;
        if (was_visited(t, c[n].return_pc))
            continue;
        *(u64 *)list_add(&t->visited) = c[n].return_pc;
        t->fails = t->length == CHAIN_LONGEST || !call_site_target(t->s, &c[n], NULL, &target);
        if (t->fails)
            break;
        t->chain[t->length++] = c[n].return_pc;
        search_from(t, target);
        t->length--;
    }
    list_deinit(&jumps);
}

void tail_calls_between(struct symbols *s, const struct frame *caller, u64 callee, struct list *ret)
{
    struct tail_search t = {.s = s, .visited = LIST(u64)};
    struct call_site call;
    u64 first;
    if (!call_site_at(s, caller->pc, &call) || !function_entry(s, callee, &t.goal) ||
        !call_site_target(s, &call, caller, &first) || first == t.goal)
        return;
    search_from(&t, first);
    list_deinit(&t.visited);
    if (!t.found || t.fails)
        return;
    bool one = t.found == 1;
    for (size_t n = 0; n < t.from_inside; n++)
        *(u64 *)list_add(ret) = t.common[t.common_length - 1 - n];
    for (size_t n = t.from_outside; n-- > 0 && !one;)
        *(u64 *)list_add(ret) = t.common[n];
}

static bool has_circle(struct symbols *s, u64 entry)
{
    struct tail_search t = {.s = s, .goal = entry, .visited = LIST(u64)};
    struct list jumps = LIST(struct call_site);
    u64 target;
    call_sites_by_jump(s, entry, &jumps);
    struct call_site *c = jumps.items;
    for (size_t n = 0; n < jumps.count && !t.fails && !t.found; n++) {
        t.fails = !call_site_target(s, &c[n], NULL, &target);
        if (!t.fails)
            search_from(&t, target);
    }
    list_deinit(&jumps);
    list_deinit(&t.visited);
    return t.found || t.fails;
}

bool tail_calls_itself(struct symbols *s, u64 entry)
{
    const struct tail_circle *known = s->circles.items;
    for (size_t n = 0; n < s->circles.count; n++)
        if (known[n].entry == entry)
            return known[n].closed;
    bool closed = has_circle(s, entry);
    *(struct tail_circle *)list_add(&s->circles) = (struct tail_circle){entry, closed};
    return closed;
}
