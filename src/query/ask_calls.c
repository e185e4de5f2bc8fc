/* Matches returns with calls: see ask_calls.h. */
#include "query/ask_calls.h"

/* Where a thread has thrown an exception that was not caught yet. */
struct ask_throw {
    u32 thread;
    u64 rsp;
};

void ask_calls_init(struct ask_calls *c)
{
    c->list = LIST(struct ask_activation);
    c->throws = LIST(struct ask_throw);
}

void ask_calls_deinit(struct ask_calls *c)
{
    list_deinit(&c->list);
    list_deinit(&c->throws);
}

static struct ask_activation *activations(struct ask_calls *c)
{
    return c->list.items;
}

void ask_calls_drop(struct ask_calls *c, const struct ask_activation *a)
{
    size_t at = (size_t)(a - activations(c));
    memmove(activations(c) + at, activations(c) + at + 1,
            (c->list.count - at - 1) * sizeof *a);
    c->list.count--;
}

static void ask_calls_lose(struct ask_calls *c, size_t index)
{
    struct ask_activation gone = activations(c)[index];
    ask_calls_drop(c, activations(c) + index);
    if (c->lost)
        c->lost(c->context, &gone);
}

/* A call that begins at the same place on the stack ends the older one there, unless the older
 * function made a tail call: then both have the same return address. */
struct ask_activation *ask_calls_enter(struct ask_calls *c, u32 function,
                                       const struct plan_hit *hit)
{
    for (size_t i = c->list.count; i-- > 0;) {
        const struct ask_activation *a = activations(c) + i;
        if (a->thread == hit->thread && a->slot == hit->address &&
            a->return_pc != hit->after_tick)
            ask_calls_lose(c, i);
    }
    struct ask_activation *a = list_add(&c->list);
    *a = (struct ask_activation){.thread = hit->thread, .function = function,
                                 .slot = hit->address, .return_pc = hit->after_tick,
                                 .entered = {hit->tick, hit->pc}};
    memcpy(a->args, hit->old, sizeof hit->old);
    memcpy(a->args + 2, hit->new, sizeof hit->new);
    return a;
}

struct ask_activation *ask_calls_begin(struct ask_calls *c, u32 function,
                                       const struct plan_hit *hit)
{
    for (size_t i = c->list.count; i-- > 0;) {
        struct ask_activation *a = activations(c) + i;
        if (a->thread != hit->thread || a->function != function)
            continue;
        if (a->is_begun)
            return NULL;
        a->is_begun = true;
        a->begun = (struct moment){hit->tick, hit->pc};
        return a;
    }
    return NULL;
}

bool ask_calls_return(struct ask_calls *c, const struct plan_hit *hit, struct ask_activation *ret)
{
    for (size_t i = c->list.count; i-- > 0;) {
        struct ask_activation *a = activations(c) + i;
        if (a->thread != hit->thread || a->return_pc != hit->pc ||
            a->slot + sizeof(u64) != hit->address)
            continue;
        *ret = *a;
        ask_calls_drop(c, a);
        return true;
    }
    return false;
}

void ask_calls_jump(struct ask_calls *c, u32 thread, u64 from, u64 to)
{
    for (size_t i = c->list.count; i-- > 0;) {
        const struct ask_activation *a = activations(c) + i;
        if (a->thread == thread && a->slot >= from && a->slot < to)
            ask_calls_lose(c, i);
    }
}

static struct ask_throw *throw_of(struct ask_calls *c, u32 thread)
{
    struct ask_throw *all = c->throws.items;
    for (size_t i = 0; i < c->throws.count; i++)
        if (all[i].thread == thread)
            return &all[i];
    return NULL;
}

void ask_calls_throw(struct ask_calls *c, u32 thread, u64 rsp)
{
    struct ask_throw *t = throw_of(c, thread);
    if (!t)
        t = list_add(&c->throws);
    *t = (struct ask_throw){thread, rsp};
}

void ask_calls_catch(struct ask_calls *c, u32 thread, u64 rsp)
{
    struct ask_throw *t = throw_of(c, thread);
    if (!t)
        return;
    ask_calls_jump(c, thread, t->rsp, rsp);
    t->rsp = rsp;
}
