/* Breakpoints: see the header.
 *
 * A breakpoint becomes a site in the plan of each later pass. Every change of the set raises its
 * version, so that hits counted for one set are never used for another.
 */
#include "session/breakpoints_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { CONDITION_MOST = 1 << 20 };

void breakpoints_deinit(struct breakpoints *set)
{
    for (size_t i = 0; i < set->count; i++)
        free((void *)set->list[i].b.condition);
    free(set->list);
}

static bool is_data(u32 kind)
{
    return kind == SITE_STORE || kind == SITE_LOAD || kind == SITE_ACCESS;
}

static struct error *breakpoints_check(const struct breakpoint *b)
{
    if (b->site.kind > SITE_THREAD || b->site.kind == SITE_STEP)
        return error_coded(ERROR_NOT_FOUND, "there is no breakpoint of kind %u", b->site.kind);
    const struct plan_site *s = &b->site;
    if (is_data(s->kind) && (s->size == 0 || s->address + s->size < s->address))
        return error_coded(ERROR_MISUSED, "a data breakpoint needs a range of memory");
    if (b->site.condition_size > CONDITION_MOST)
        return error_coded(ERROR_MISUSED, "a condition is too long");
    return NULL;
}

static void breakpoints_make_room(struct breakpoints *set)
{
    if (set->count < set->room)
        return;
    set->room = set->room ? set->room * 2 : 16;
    struct breakpoint_entry *longer = xalloc(set->room * sizeof *longer);
    if (set->count)
        memcpy(longer, set->list, set->count * sizeof *longer);
    free(set->list);
    set->list = longer;
}

struct error *breakpoints_add(struct breakpoints *set, const struct breakpoint *b, u32 *ret_number)
{
    struct error *err = breakpoints_check(b);
    if (err)
        return err;
    breakpoints_make_room(set);
    struct breakpoint_entry *e = &set->list[set->count++];
    *e = (struct breakpoint_entry){++set->last_number, *b};
    e->b.condition = NULL;
    if (b->site.condition_size) {
        u8 *copy = xalloc(b->site.condition_size);
        memcpy(copy, b->condition, b->site.condition_size);
        e->b.condition = copy;
    }
    set->version++;
    *ret_number = e->number;
    return NULL;
}

static struct error *breakpoints_find(struct breakpoints *set, u32 number, size_t *ret)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->list[i].number == number) {
            *ret = i;
            return NULL;
        }
    }
    return error_coded(ERROR_NOT_FOUND, "there is no breakpoint %u", number);
}

struct error *breakpoints_remove(struct breakpoints *set, u32 number)
{
    size_t i = 0;
    struct error *err = breakpoints_find(set, number, &i);
    if (err)
        return err;
    free((void *)set->list[i].b.condition);
    set->count--;
    memmove(set->list + i, set->list + i + 1, (set->count - i) * sizeof *set->list);
    set->version++;
    return NULL;
}

struct error *breakpoints_enable(struct breakpoints *set, u32 number, bool enabled)
{
    size_t i = 0;
    struct error *err = breakpoints_find(set, number, &i);
    if (!err && set->list[i].b.disabled == enabled) {
        set->list[i].b.disabled = !enabled;
        set->version++;
    }
    return err;
}

/* --- heed ------------------------------------------------------------------------------------ */

bool breakpoints_heeds_all(const struct breakpoints *set)
{
    return set->heed.thread == CONTROL_THREAD_ANY && !set->heed.data_only && !set->heed.nothing;
}

static bool is_same_thread(u32 a, u32 b)
{
    return a == CONTROL_THREAD_ANY || b == CONTROL_THREAD_ANY || a == b;
}

bool breakpoints_heeds(const struct breakpoints *set, const struct breakpoint *b, u32 thread)
{
    return !set->heed.nothing && is_same_thread(set->heed.thread, thread) &&
           is_same_thread(set->heed.thread, b->site.thread) &&
           (!set->heed.data_only || is_data(b->site.kind));
}

/* --- plans ----------------------------------------------------------------------------------- */

static bool is_chosen(const struct breakpoints *set, const struct breakpoint_entry *e, u32 choice)
{
    if (e->b.disabled || !breakpoints_heeds(set, &e->b, set->heed.thread))
        return false;
    return choice == CHOOSE_ALL || choice == e->number || (choice == CHOOSE_PROMPT && !e->b.ignore);
}

bool breakpoints_any(const struct breakpoints *set, u32 choice)
{
    for (size_t i = 0; i < set->count; i++)
        if (is_chosen(set, &set->list[i], choice))
            return true;
    return false;
}

bool breakpoints_ignoring(const struct breakpoints *set)
{
    for (size_t i = 0; i < set->count && !set->heed.nothing; i++)
        if (set->list[i].b.ignore && !set->list[i].b.disabled)
            return true;
    return false;
}

static struct plan_site site_of(const struct breakpoints *set, const struct breakpoint *b,
                                u32 condition)
{
    struct plan_site site = b->site;
    site.condition = condition;
    if (site.thread == CONTROL_THREAD_ANY)
        site.thread = set->heed.thread;
    return site;
}

/* True if both breakpoints are PLAN_BECOMES with the same condition. Breakpoints that were added
 * one after the other then share one copy of the bytecode in the plan. */
static bool shares_condition(const struct breakpoint_entry *e,
                             const struct breakpoint_entry *before)
{
    return before && e->b.site.condition_size == before->b.site.condition_size &&
           e->b.site.flags & before->b.site.flags & PLAN_BECOMES &&
           !memcmp(e->b.condition, before->b.condition, e->b.site.condition_size);
}

void breakpoints_plan(const struct breakpoints *set, u32 choice, const struct plan_site *own,
                      u32 own_count, struct pass_plan *ret)
{
    u32 sites = own_count, bytes = 0;
    for (size_t i = 0; i < set->count; i++) {
        sites += is_chosen(set, &set->list[i], choice);
        bytes += is_chosen(set, &set->list[i], choice) ? set->list[i].b.site.condition_size : 0;
    }
    ret->size = sizeof(struct plan) + sites * sizeof(struct plan_site) + bytes;
    ret->plan = xalloc(ret->size);
    ret->numbers = xalloc((sites + 1) * sizeof *ret->numbers);
    *ret->plan = (struct plan){.version = CONTROL_VERSION, .nth = 1, .sites = sites,
                               .bytecode_size = bytes, .limit_tick = ~0ull};
    struct plan_site *site = (struct plan_site *)(ret->plan + 1);
    u8 *bytecode = (u8 *)(site + sites);
    u32 n = 0, used = 0, last = 0;
    const struct breakpoint_entry *before = NULL;
    for (; n < own_count; n++) {
        site[n] = own[n];
        ret->numbers[n] = 0;
    }
    for (u32 at = 0; at < set->count; at++) {
        const struct breakpoint_entry *e = &set->list[at];
        if (!is_chosen(set, e, choice))
            continue;
        bool shares = shares_condition(e, before);
        if (!shares)
            last = used;
        site[n] = site_of(set, &e->b, last);
        ret->numbers[n++] = e->number;
        if (e->b.site.condition_size && !shares) {
            memcpy(bytecode + used, e->b.condition, e->b.site.condition_size);
            used += e->b.site.condition_size;
        }
        before = e;
    }
}

static u8 *breakpoints_append(u8 *to, const void *from, size_t size)
{
    if (size)
        memcpy(to, from, size);
    return to + size;
}

void pass_plan_add_points(struct pass_plan *p, struct point_tables *tables,
                          const struct pass_points *add)
{
    size_t frames = add->frame_count * sizeof *add->frames;
    size_t before = sizeof *p->plan + p->plan->sites * sizeof(struct plan_site);
    struct plan *whole = xalloc(p->size + frames);
    u8 *at = breakpoints_append((u8 *)whole, p->plan, before);
    at = breakpoints_append(at, add->frames, frames);
    breakpoints_append(at, (u8 *)p->plan + before, p->size - before);
    whole->points = add->point_count ? point_tables_id(tables, add->points, add->point_count,
                                                       add->scopes, add->scope_count)
                                     : 0;
    whole->frames = add->frame_count;
    whole->points_thread = add->thread;
    free(p->plan);
    p->plan = whole;
    p->size += frames;
}

void pass_plan_add_condition(struct pass_plan *p, u32 site, const u8 *code, size_t size)
{
    struct plan *whole = xalloc(p->size + size);
    u8 *end = breakpoints_append((u8 *)whole, p->plan, p->size);
    breakpoints_append(end, code, size);
    struct plan_site *sites = (struct plan_site *)(whole + 1);
    sites[site].condition = whole->bytecode_size;
    sites[site].condition_size = (u32)size;
    whole->bytecode_size += (u32)size;
    free(p->plan);
    p->plan = whole;
    p->size += size;
}

void pass_plan_deinit(struct pass_plan *p)
{
    free(p->plan);
    free(p->numbers);
}
