/* Stores and loads in a pass.
 *
 * The question concerns a range of memory. A hit contains up to PLAN_VALUE_KEPT bytes, so a longer
 * range has several sites, whose hits at one instruction are one event.
 *
 * Expressions are evaluated after the instruction.
 */
#include <string.h>

#include "query/ask_asking_internal.h"

struct error *asking_prepare_data(struct asking *a)
{
    u64 address, size;
    const struct subject *s = a->how->memory;
    if (!s || (!s->is_range && !subject_memory(s, &address, &size)))
        return ask_error(a->q, strlen(a->q->text),
                         "what memory? A variable, *POINTER or [FIRST,END) is missing after '%s'",
                         ask_type_name(a->q->type));
    return NULL;
}

/* True if the context only holds for stores that change the value. Then other stores are not
 * reported. */
static bool only_changes(const struct ask_context *c)
{
    if (!c || c->operation == ASK_OR || c->operation == ASK_NOT)
        return false;
    if (c->operation == ASK_AND)
        return only_changes(c->left) || only_changes(c->right);
    return c->kind == LEAF_CHANGED;
}

void asking_lay_data(struct asking *a)
{
    const struct subject *s = a->how->memory;
    bool store = a->q->type == ASK_STORE;
    u32 flags = store && !only_changes(a->q->context) ? PLAN_ANY_STORE : 0;
    u64 end = s->address + s->size;
    for (u64 at = s->address; at < end; at += PLAN_VALUE_KEPT) {
        u64 size = end - at < PLAN_VALUE_KEPT ? end - at : PLAN_VALUE_KEPT;
        bool first = at == s->address, last = at + size == end;
        asking_add_site(a, (struct plan_site){.kind = store ? SITE_STORE : SITE_LOAD,
                                              .address = at, .size = size,
                                              .not_first = first ? s->not_first : 0,
                                              .not_last = last ? s->not_last : 0,
                                              .flags = flags | (a->looks ? PLAN_ENDS : 0)},
                        ROLE_DATA, 0);
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static i64 number_from(const u8 *bytes, u64 size, char kind)
{
    u64 number = 0;
    memcpy(&number, bytes, size < sizeof number ? size : sizeof number);
    unsigned unused = size < sizeof number ? 64 - 8 * (unsigned)size : 0;
    return kind == 'd' ? (i64)(number << unused) >> unused : (i64)number;
}

static double floating_from(const u8 *bytes, u64 size)
{
    float single;
    double number;
    if (size == sizeof single) {
        memcpy(&single, bytes, sizeof single);
        return (double)single;
    }
    memcpy(&number, bytes, sizeof number);
    return number;
}

static void take_numbers(const struct subject *s, const struct plan_hit *hit, struct ask_event *e)
{
    bool floating = s->number_kind == 'f' && (s->size == 4 || s->size == 8);
    if (s->size > sizeof(u64) || s->is_bits)
        return;
    e->has_numbers = true;
    e->old_number = number_from(hit->old, s->size, s->number_kind);
    e->new_number = number_from(hit->new, s->size, s->number_kind);
    e->is_floating = floating;
    if (!floating)
        return;
    e->old_floating = floating_from(hit->old, s->size);
    e->new_floating = floating_from(hit->new, s->size);
}

static char *data_text(struct asking *a, const struct plan_site *site, const u8 *bytes)
{
    struct subject *s = a->how->memory;
    struct history_state state = {.address = site->address, .size = site->size,
                                  .bytes = (u8 *)bytes, .not_first = site->not_first,
                                  .not_last = site->not_last};
    bool whole = !s->is_range && s->size <= PLAN_VALUE_KEPT;
    return whole ? subject_text(s, &state) : subject_bytes_text(&state);
}

static void hand_out_data(struct asking *a, struct ask_event *e)
{
    const struct plan_hit *hits = a->held.items;
    const struct plan_site *site = (const struct plan_site *)a->sites.items + hits[0].site;
    struct ask_row row = asking_row(e);
    if (a->how->counts_only) {
        ask_rows_add(&a->rows, &row);
        return;
    }
    char *where = xformat("0x%llx", (unsigned long long)e->addr);
    char *old = data_text(a, site, hits[0].old), *new = data_text(a, site, hits[0].new);
    ask_row_cell(&row, "addr", where);
    if (a->q->type == ASK_STORE) {
        ask_row_cell(&row, "old", old);
        ask_row_cell(&row, "new", new);
    } else {
        ask_row_cell(&row, "value", old);
    }
    ask_rows_add(&a->rows, &row);
    free(where);
    free(old);
    free(new);
}

/* --- events ----------------------------------------------------------------------------------- */

static bool ask_has_changed(const struct plan_hit *hits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(hits[i].old, hits[i].new, hits[i].value_size) != 0)
            return true;
    return false;
}

void asking_end_data(struct asking *a, bool looks)
{
    const struct plan_hit *hits = a->held.items;
    const struct subject *s = a->how->memory;
    if (!a->held.count)
        return;
    struct ask_event e = {.type = a->q->type, .at = {hits[0].tick, hits[0].pc},
                          .thread = hits[0].thread, .pc = hits[0].pc, .addr = hits[0].address,
                          .size = s->size, .changed = ask_has_changed(hits, a->held.count),
                          .known = 1u << HAS_ADDR | 1u << HAS_SIZE | 1u << HAS_OLDVAL |
                                   1u << HAS_NEWVAL | 1u << HAS_CHANGED};
    asking_place(a, &e);
    take_numbers(s, &hits[0], &e);
    struct ask_look look = asking_look(a, e.thread);
    if (asking_is_wanted(a, &e, looks ? &look : NULL))
        hand_out_data(a, &e);
    ask_look_end(&look);
    a->held.count = 0;
}

static bool is_same_event(const struct plan_hit *x, const struct plan_hit *y)
{
    return x->tick == y->tick && x->pc == y->pc && x->thread == y->thread &&
           x->after_tick == y->after_tick && x->after_pc == y->after_pc;
}

void asking_take_data(struct asking *a, const struct plan_hit *hit)
{
    const struct plan_hit *held = a->held.items;
    if (a->held.count && !is_same_event(&held[0], hit))
        asking_end_data(a, a->looks);
    *(struct plan_hit *)list_add(&a->held) = *hit;
    if (a->how->memory->size <= PLAN_VALUE_KEPT && !a->looks)
        asking_end_data(a, false);
}
