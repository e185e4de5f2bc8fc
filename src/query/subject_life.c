/* The life of a subject: when the frame of a local begins and ends, and where the local is first
 * written in it.
 *
 * A frame begins where its return address is written. The bytes on the stack were left there by
 * other functions: a local has no value before the frame has written it. *Slots* are the parts of
 * its own frame that an expression reads.
 */
#include <stdlib.h>
#include <string.h>

#include "query/subject.h"
#include "session/trace.h"

/* --- the frame -------------------------------------------------------------------------------- */

bool subject_is_local(const struct subject *s)
{
    return s->uses & VALUES_FRAME && s->cfa && s->return_pc;
}

bool subject_in_frame(const struct subject *s, u64 address)
{
    return s->frame_low && address >= s->frame_low && address < s->cfa - 8;
}

void subject_add_slot(const struct subject *s, struct subject_slots *slots, u64 address, u64 size)
{
    struct value_source *slot = slots->slot;
    if (!subject_in_frame(s, address) || slots->count == SUBJECT_SLOTS)
        return;
    for (size_t n = 0; n < slots->count; n++)
        if (address >= slot[n].address && address + size <= slot[n].address + slot[n].size)
            return;
    slot[slots->count++] = (struct value_source){address, size};
}

/* A frame ends where its return address is executed with the frame removed, or where another return
 * address is written in its place, for instance after a longjmp. */
bool subject_bound(const struct subject *s, int which, struct breakpoint *ret)
{
    if (!subject_is_local(s))
        return false;
    *ret = (struct breakpoint){.site = {.kind = SITE_CODE, .address = s->return_pc,
                                        .thread = s->thread, .stack_least = s->cfa}};
    if (which == SUBJECT_BEGINS)
        *ret = (struct breakpoint){.site = {.kind = SITE_STORE, .flags = PLAN_ANY_STORE,
                                            .address = s->cfa - 8, .size = 8,
                                            .thread = s->thread}};
    return true;
}

struct bound_search {
    struct plan_site sites[SUBJECT_BOUNDS];
    size_t count;
    bool backward, found;
    struct moment at, call; /* the moment after it, and the instruction that did it */
};

static void add_bound(struct bound_search *b, const struct subject *s, int which)
{
    struct breakpoint p;
    if (!subject_bound(s, which, &p))
        return;
    if (!b->backward)
        p.site.flags |= PLAN_ENDS;
    b->sites[b->count++] = p.site;
}

static struct error *lay_bounds(void *context, struct moment at, struct session_sites *ret)
{
    struct bound_search *b = context;
    (void)at;
    *ret = (struct session_sites){.sites = b->sites, .count = b->count,
                                  .enough = !b->backward && b->found};
    return NULL;
}

static bool take_bounds(void *context, const struct plan_hit *hits, size_t count)
{
    struct bound_search *b = context;
    const struct plan_hit *hit = &hits[b->backward ? count - 1 : 0];
    b->found = true;
    b->call = (struct moment){hit->tick, hit->pc};
    b->at = hit->after_tick ? (struct moment){hit->after_tick, hit->after_pc}
                            : (struct moment){hit->tick, hit->pc};
    return b->backward;
}

static bool subject_end_part(void *context, struct moment from, struct moment to)
{
    const struct bound_search *b = context;
    (void)from;
    (void)to;
    return !b->found;
}

static struct error *subject_search(const struct subject *s, struct bound_search *b,
                                    struct moment from, struct moment to, bool *ret_interrupted)
{
    struct session_trace t = {.from = from, .to = to, .direction = b->backward ? BACKWARD : FORWARD,
                              .lay = lay_bounds, .take = take_bounds, .part = subject_end_part,
                              .context = b};
    *ret_interrupted = false;
    return b->count ? session_trace(s->session, &t, ret_interrupted) : NULL;
}

struct error *subject_frame_begin(const struct subject *s, struct moment alive, struct moment least,
                                  bool *ret_found, struct moment *ret, struct moment *ret_call,
                                  bool *ret_interrupted)
{
    struct bound_search b = {.backward = true};
    add_bound(&b, s, SUBJECT_BEGINS);
    struct error *err = subject_search(s, &b, least, alive, ret_interrupted);
    *ret_found = !err && b.found;
    if (*ret_found) {
        *ret = b.at;
        *ret_call = b.call;
    }
    return err;
}

struct error *subject_frame_end(const struct subject *s, struct moment alive, struct moment most,
                                bool *ret_found, struct moment *ret, bool *ret_interrupted)
{
    struct bound_search b = {0};
    add_bound(&b, s, SUBJECT_ENDS);
    add_bound(&b, s, SUBJECT_BEGINS);
    struct error *err = subject_search(s, &b, alive, most, ret_interrupted);
    *ret_found = !err && b.found;
    if (*ret_found)
        *ret = b.at;
    return err;
}

/* --- the first write -------------------------------------------------------------------------- */

struct first_writes {
    struct subject_slots slots;
    struct plan_site sites[SUBJECT_SLOTS];
    u32 slot_of[SUBJECT_SLOTS]; /* whose the sites are */
    size_t count;
    bool written[SUBJECT_SLOTS];
    struct plan_hit first[SUBJECT_SLOTS]; /* those of the slots */
};

static struct error *lay_slots(void *context, struct moment at, struct session_sites *ret)
{
    struct first_writes *w = context;
    (void)at;
    w->count = 0;
    for (u32 n = 0; n < w->slots.count; n++) {
        if (w->written[n])
            continue;
        w->slot_of[w->count] = n;
        w->sites[w->count++] = (struct plan_site){
            .kind = SITE_STORE, .flags = PLAN_ANY_STORE | PLAN_ENDS,
            .address = w->slots.slot[n].address,
            .size = w->slots.slot[n].size, .thread = CONTROL_THREAD_ANY};
    }
    *ret = (struct session_sites){.sites = w->sites, .count = w->count, .enough = !w->count};
    return NULL;
}

static bool take_slots(void *context, const struct plan_hit *hits, size_t count)
{
    struct first_writes *w = context;
    for (size_t i = 0; i < count; i++) {
        u32 slot = w->slot_of[hits[i].site];
        if (!w->written[slot])
            w->first[slot] = hits[i];
        w->written[slot] = true;
    }
    return true;
}

/* The last of the first writes of the first so many slots; NULL: one of them is never written. */
static const struct plan_hit *last_first(const struct first_writes *w, u32 count)
{
    const struct plan_hit *last = NULL;
    for (u32 n = 0; n < count; n++) {
        const struct plan_hit *hit = &w->first[n];
        if (!w->written[n])
            return NULL;
        if (!last || hit->after_tick > last->after_tick ||
            (hit->after_tick == last->after_tick && hit->after_pc > last->after_pc))
            last = hit;
    }
    return last;
}

struct slots_then {
    const struct subject *s;
    struct subject_slots slots;
};

static struct error *look_for_slots(void *context, struct moment at, struct session_sites *ret)
{
    struct slots_then *l = context;
    struct evaluation *evaluation;
    struct value *value;
    struct session_noted *noted;
    size_t count;
    u64 address, size;
    (void)at;
    *ret = (struct session_sites){.enough = true};
    struct error *err = values_open(l->s->symbols, &l->s->request, &evaluation);
    if (err)
        return err;
    session_note_reads(l->s->session);
    err = values_evaluate(evaluation, l->s->expression, &value);
    session_reads_noted(l->s->session, &noted, &count);
    for (size_t n = 0; n < count; n++)
        subject_add_slot(l->s, &l->slots, noted[n].address, noted[n].size);
    if (!err && value_memory(value, &address, &size))
        subject_add_slot(l->s, &l->slots, address, size);
    error_destroy(err); /* where a pointer leads nowhere there are no more slots */
    free(noted);
    values_close(evaluation);
    return NULL;
}

static struct error *find_first_writes(const struct subject *s, struct moment begin,
                                       struct moment most, struct first_writes *w,
                                       bool *ret_interrupted)
{
    struct session_trace t = {.from = begin, .to = most, .direction = FORWARD, .lay = lay_slots,
                              .take = take_slots, .context = w};
    memset(w->written, 0, sizeof w->written);
    return session_trace(s->session, &t, ret_interrupted);
}

/* Are the slots those that the expression has where the first ones have been written?  If not, they
 * become that. */
static struct error *check_slots(const struct subject *s, struct first_writes *w, bool *ret_same,
                                 bool *ret_interrupted)
{
    *ret_same = true;
    for (u32 n = 1; n <= w->slots.count && *ret_same; n++) {
        const struct plan_hit *last = last_first(w, n);
        if (!last)
            return NULL;
        struct moment at = {last->after_tick, last->after_pc};
        struct slots_then then = {.s = s};
        struct session_trace t = {.from = at, .to = at, .direction = FORWARD,
                                  .lay = look_for_slots, .context = &then};
        struct error *err = session_trace(s->session, &t, ret_interrupted);
        if (err || *ret_interrupted)
            return err;
        u32 known = n + 1 < then.slots.count ? n + 1 : then.slots.count;
        *ret_same = (known > n) == (w->slots.count > n) &&
                    !memcmp(then.slots.slot, w->slots.slot, known * sizeof *then.slots.slot);
        if (!*ret_same)
            w->slots = then.slots;
    }
    return NULL;
}

struct error *subject_written(const struct subject *s, struct moment begin, struct moment most,
                              bool *ret_found, struct plan_hit *ret, bool *ret_interrupted)
{
    enum { TURNS_MOST = SUBJECT_SLOTS };
    struct first_writes w = {.slots = s->slots};
    bool same = false;
    struct error *err = NULL;
    *ret_found = *ret_interrupted = false;
    for (u32 turn = 0; w.slots.count && !same && turn < TURNS_MOST; turn++) {
        err = find_first_writes(s, begin, most, &w, ret_interrupted);
        same = s->is_fixed || subject_is_looked_at(s);
        if (!err && !*ret_interrupted && !same)
            err = check_slots(s, &w, &same, ret_interrupted);
        if (err || *ret_interrupted)
            return err;
    }
    const struct plan_hit *last = last_first(&w, w.slots.count);
    *ret_found = last != NULL;
    if (last)
        *ret = *last;
    return NULL;
}

/* The last store to the value, or the beginning of the frame, whichever is later. */
struct last_store {
    struct plan_site sites[2];
    bool found, of_frame;
};

static struct error *lay_last(void *context, struct moment at, struct session_sites *ret)
{
    struct last_store *l = context;
    (void)at;
    *ret = (struct session_sites){.sites = l->sites, .count = 2};
    return NULL;
}

static bool take_last(void *context, const struct plan_hit *hits, size_t count)
{
    struct last_store *l = context;
    l->found = true;
    l->of_frame = hits[count - 1].site == 1;
    return true;
}

static bool end_last(void *context, struct moment from, struct moment to)
{
    const struct last_store *l = context;
    (void)from;
    (void)to;
    return !l->found;
}

struct error *subject_is_first_write(const struct subject *s, struct moment at, bool *ret)
{
    struct last_store l = {{{.kind = SITE_STORE,
                             .flags = PLAN_ANY_STORE,
                             .address = s->address,
                             .size = s->size,
                             .thread = CONTROL_THREAD_ANY},
                            {.kind = SITE_STORE,
                             .flags = PLAN_ANY_STORE,
                             .address = s->cfa - 8,
                             .size = 8,
                             .thread = s->thread}},
                           false,
                           false};
    struct session_trace t = {.from = session_first(s->session), .to = at, .direction = BACKWARD,
                              .lay = lay_last, .take = take_last, .part = end_last, .context = &l};
    bool interrupted;
    *ret = false;
    if (!subject_is_local(s) || !subject_in_frame(s, s->address))
        return NULL;
    struct error *err = session_trace(s->session, &t, &interrupted);
    *ret = !err && !interrupted && l.found && l.of_frame;
    return err;
}
