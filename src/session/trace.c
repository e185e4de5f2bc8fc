/* Tracing: see trace.h.
 *
 * A pass keeps up to BATCH hits in the engine and stops when it has that many, so no hit is lost.
 * Each part leaves checkpoints, and its process stays where the part ends. Another question about
 * the same stretch then finds code that is already translated.
 *
 * Invariant
 *   (1) s->shown is set only while trace_lay() runs.
 */
#include "session/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "session/session_internal.h"

enum { BATCH = 1 << 16 };

struct tracing {
    struct session *s;
    const struct session_trace *asked;
    struct replayer *r;
    struct plan *plan;
    size_t plan_size;
    bool enough;
};

/* --- plans ----------------------------------------------------------------------------------- */

static void trace_make_plan(struct tracing *t, const struct session_sites *sites)
{
    size_t site_bytes = sites->count * sizeof *sites->sites;
    free(t->plan);
    t->plan_size = sizeof *t->plan + site_bytes + sites->bytecode_size;
    t->plan = xalloc(t->plan_size);
    *t->plan = (struct plan){.version = CONTROL_VERSION, .mode = PLAN_TRACE, .flags = PLAN_FIRST,
                             .nth = BATCH, .sites = (u32)sites->count,
                             .bytecode_size = (u32)sites->bytecode_size};
    if (site_bytes)
        memcpy(t->plan + 1, sites->sites, site_bytes);
    if (sites->bytecode_size)
        memcpy((u8 *)(t->plan + 1) + site_bytes, sites->bytecode, sites->bytecode_size);
}

static struct error *trace_lay(struct tracing *t)
{
    struct session_sites sites = {0};
    invariant(1, !t->s->shown);
    t->s->shown = t->r;
    struct error *err = t->asked->lay(t->asked->context, replayer_at(t->r), &sites);
    t->s->shown = NULL;
    if (!err)
        trace_make_plan(t, &sites);
    t->enough = t->enough || sites.enough;
    return err;
}

static bool is_laid_anew(const struct tracing *t)
{
    const struct plan_site *sites = (const struct plan_site *)(t->plan + 1);
    for (size_t i = 0; i < t->r->trace_count; i++)
        if (sites[t->r->trace[i].site].flags & PLAN_ENDS)
            return true;
    return false;
}

/* --- passes ---------------------------------------------------------------------------------- */

/* Called for each piece; the context is a struct tracing. */
static void take_piece(void *context, struct moment from, const struct control_stopped *stopped)
{
    struct tracing *t = context;
    (void)from;
    (void)stopped;
    if (t->r->trace_count && !t->enough)
        t->enough = !t->asked->take(t->asked->context, t->r->trace, t->r->trace_count);
}

static bool trace_is_over(const struct tracing *t)
{
    return t->enough || t->r->stopped.reason != STOPPED_HIT;
}

/* Runs from where the process stands to the limit. */
static struct error *run_part(struct tracing *t, struct moment limit)
{
    struct error *err = trace_lay(t);
    while (!err && !t->enough) {
        err = timeline_run(&t->s->timeline, t->r,
                           &(struct timeline_pass){.plan = t->plan,
                                                   .size = t->plan_size,
                                                   .limit = limit,
                                                   .seen = take_piece,
                                                   .context = t});
        if (err || trace_is_over(t))
            break;
        if (is_laid_anew(t))
            err = trace_lay(t);
        /* the process stands at a code site that was already met */
        t->plan->flags |= PLAN_PAST_HERE;
    }
    return err;
}

/* Keeps the process, so that another question finds its translations. */
static void trace_retire(struct tracing *t)
{
    if (t->r->lost)
        replayer_destroy(t->r);
    else
        timeline_keep_or_drop(&t->s->timeline, t->r);
    t->r = NULL;
}

static struct error *trace_part(struct tracing *t, struct moment from, struct moment to)
{
    struct moment far = {~0ull, 0};
    bool to_end = moment_compare(from, to) < 0 && moment_compare(to, session_last(t->s)) >= 0;
    struct error *err = timeline_reach(&t->s->timeline, from, &t->r);
    if (err || !t->r)
        return err;
    err = run_part(t, to_end ? far : to);
    bool whole = !err && t->r->stopped.reason != STOPPED_INTERRUPTED;
    if (t->asked->reached && !t->r->lost)
        *t->asked->reached = replayer_at(t->r);
    trace_retire(t);
    if (whole && t->asked->part && !t->asked->part(t->asked->context, from, to))
        t->enough = true;
    return err;
}

/* --- parts ----------------------------------------------------------------------------------- */

static struct moment later(struct moment a, struct moment b)
{
    return moment_compare(a, b) < 0 ? b : a;
}

/* `lay` is called again even if nothing lies between the moments. */
static struct error *trace_backward(struct tracing *t, struct moment from, struct moment to)
{
    struct search_parts p = search_parts_before(t->s, to, from, 0);
    if (!search_parts_next(&p))
        return trace_part(t, from, to);
    struct error *err;
    do {
        err = trace_part(t, p.from, p.to);
        search_parts_pass(&p, p.from, 0, 0);
    } while (!err && !t->enough && !session_interrupted(t->s) && search_parts_next(&p));
    return err;
}

/* Replaces a moment without a pc by the exact one. */
static struct error *exact(struct session *s, struct moment *at)
{
    struct replayer *r;
    *at = later(*at, session_first(s));
    if (moment_compare(*at, session_last(s)) > 0)
        *at = session_last(s);
    if (at->pc)
        return NULL;
    struct error *err = timeline_reach(&s->timeline, *at, &r);
    if (err || !r)
        return err;
    *at = replayer_at(r);
    timeline_keep_or_drop(&s->timeline, r);
    return NULL;
}

struct error *session_trace(struct session *s, const struct session_trace *asked,
                            bool *ret_interrupted)
{
    struct tracing t = {.s = s, .asked = asked};
    struct moment from = asked->from, to = asked->to;
    invariant(1, !s->shown);
    session_begin(s);
    struct error *err = exact(s, &from);
    if (!err)
        err = exact(s, &to);
    /* `lay` is called even if nothing lies between the moments */
    bool any = moment_compare(from, to) <= 0;
    if (!err && any && asked->direction == BACKWARD)
        err = trace_backward(&t, from, to);
    else if (!err && any)
        err = trace_part(&t, from, to);
    free(t.plan);
    *ret_interrupted = session_interrupted(s) && !t.enough;
    invariant(1, !s->shown);
    return err;
}

/* --- memory as it was not --------------------------------------------------------------------- */

void session_pretend(struct session *s, const struct session_patch *patches, size_t count)
{
    s->patches = count ? patches : NULL;
    s->patch_count = count;
}

/* Finds the part of a patch that lies in the range; false: none. */
static bool overlap(const struct session_patch *p, u64 address, size_t size, u64 *start, u64 *end)
{
    *start = p->address > address ? p->address : address;
    *end = p->address + p->size < address + size ? p->address + p->size : address + size;
    return *start < *end;
}

bool session_patched(const struct session *s, u64 address, void *to, size_t size)
{
    u64 start, end, covered = 0;
    for (size_t i = 0; i < s->patch_count; i++) {
        const struct session_patch *p = &s->patches[i];
        if (!overlap(p, address, size, &start, &end))
            continue;
        memcpy((u8 *)to + (start - address), p->bytes + (start - p->address), end - start);
        covered += end - start;
    }
    return size && covered >= size;
}

void session_note_reads(struct session *s)
{
    list_deinit(&s->noted);
    s->noted = LIST(struct session_noted);
    s->notes_reads = true;
}

void session_note_resume(struct session *s, bool notes)
{
    s->notes_paused = !notes;
}

void session_reads_noted(struct session *s, struct session_noted **ret, size_t *ret_count)
{
    *ret = s->noted.items;
    *ret_count = s->noted.count;
    s->noted = LIST(struct session_noted);
    s->notes_reads = false;
}
