/* Movements that follow a goroutine.
 *
 * A frame is known by its address and its thread. Neither lasts in Go: when a stack is too small or
 * too large, the runtime copies it elsewhere, and a goroutine that waited may continue on another
 * thread. The runtime's record of the goroutine contains both. A forward movement watches these
 * words. When the stack lies elsewhere or another thread has the goroutine, the movement continues
 * with the new frames and the new thread.
 *
 *   old stack   low .... frames ...... high          the distance of a frame from the high end
 *   new stack   low ........... frames ...... high   does not change
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "session/stepping_internal.h"
#include "symbols/values.h"

enum { GOROUTINE_SITES = 2, STACK_BYTES = 16, M_BYTES = 8 };

static struct error *open_values(struct walk *w, const struct frame *frames, size_t count,
                                 struct evaluation **ret)
{
    struct control_registers regs;
    const u8 *vector;
    struct error *err = session_registers(w->s, w->thread, &regs, &vector);
    if (err)
        return err;
    return values_open(w->symbols, &(struct values_request){
        .frames = frames, .frame_count = count, .fs_base = regs.fs_base}, ret);
}

/* Stacks of goroutines lie side by side. Ends the frame's stack where the runtime says that it
 * ends. */
static void bound_stack(const struct goroutine_hold *g, struct plan_frame *f)
{
    if (f->cfa > g->stack_low && f->cfa <= g->stack_high)
        f->stack_end = g->stack_high;
}

void walk_hold_goroutine(struct walk *w, const struct frame *frames, size_t count)
{
    struct evaluation *v;
    struct error *err = open_values(w, frames, count, &v);
    w->goroutine.address = 0;
    if (!err) {
        goroutine_hold(v, &w->goroutine);
        values_close(v);
    }
    error_destroy(err);
    for (size_t n = 0; w->goroutine.address && n < w->frames.count; n++)
        bound_stack(&w->goroutine, &w->frames.list[n].plan);
    for (u32 n = 0; w->goroutine.address && n < w->frames.plan_count; n++)
        bound_stack(&w->goroutine, &w->frames.plan[n]);
}

/* --- on the way ------------------------------------------------------------------------------- */

/* A part of a movement with its own copies of frames and sites, which move with the stack. */
struct followed_part {
    struct plan_frame *frames;
    struct plan_site *sites;
    u32 own; /* number of the movement's sites; the goroutine's follow them */
    u8 *code;
};

static void begin_part(const struct walk *w, struct ahead *a, struct followed_part *ret)
{
    size_t count = a->points.frame_count;
    ret->own = a->site ? 1 + a->more_sites : 0;
    ret->frames = xalloc((count + 1) * sizeof *ret->frames);
    ret->sites = xalloc((ret->own + GOROUTINE_SITES) * sizeof *ret->sites);
    if (count)
        memcpy(ret->frames, a->points.frames, count * sizeof *ret->frames);
    if (ret->own)
        memcpy(ret->sites, a->site, ret->own * sizeof *ret->sites);
    ret->sites[ret->own] = (struct plan_site){
        .kind = SITE_STORE, .address = w->goroutine.stack_at, .size = STACK_BYTES,
        .thread = CONTROL_THREAD_ANY};
    ret->sites[ret->own + 1] = (struct plan_site){
        .kind = SITE_STORE, .address = w->goroutine.m_at, .size = M_BYTES,
        .thread = CONTROL_THREAD_ANY};
    ret->code = NULL;
    a->points.frames = ret->frames;
    a->site = ret->sites;
    a->more_sites = ret->own + GOROUTINE_SITES - 1;
}

static bool is_on(const struct goroutine_hold *g, u64 address)
{
    return address >= g->stack_low && address <= g->stack_high;
}

/* Moves frames to the new stack. Frames below the goroutine's sp have returned since the movement
 * began. */
static void move_frames(const struct goroutine_hold *old, const struct goroutine_hold *new,
                        struct ahead *a, struct followed_part *part)
{
    u64 by = new->stack_high - old->stack_high;
    u32 kept = 0;
    bool sp_is_old = is_on(old, new->sp);
    for (u32 n = 0; n < a->points.frame_count; n++) {
        struct plan_frame f = part->frames[n];
        bool moves = is_on(old, f.cfa);
        if (moves && sp_is_old && f.cfa <= new->sp)
            continue;
        if (moves) {
            f.cfa += by;
            f.stack_end = new->stack_high;
        }
        part->frames[kept++] = f;
    }
    a->points.frame_count = kept;
    for (u32 n = 0; n < part->own; n++) {
        struct plan_site *s = &part->sites[n];
        if (!s->stack_least || !is_on(old, s->stack_least))
            continue;
        s->stack_least += by;
        if (s->stack_most)
            s->stack_most += by;
    }
}

static struct error *change_thread(struct walk *w, u64 tid, struct ahead *a,
                                   struct followed_part *part)
{
    struct control_thread *threads;
    size_t count;
    struct error *err = session_threads(w->s, &threads, &count);
    if (err)
        return err;
    for (size_t n = 0; n < count; n++)
        if (threads[n].tid == tid)
            w->thread = threads[n].thread;
    a->points.thread = w->thread;
    for (u32 n = 0; n < part->own; n++)
        part->sites[n].thread = w->thread;
    free(threads);
    return NULL;
}

/* Sets *ret if the movement ended only because the goroutine's words changed. */
static struct error *follow(struct walk *w, struct ahead *a, struct followed_part *part, bool *ret)
{
    struct evaluation *v;
    struct goroutine_hold now = w->goroutine;
    *ret = false;
    if (w->stop->why != WHY_STEPPED || !a->nth)
        return NULL;
    struct error *err = open_values(w, NULL, 0, &v);
    if (err)
        return err;
    bool known = goroutine_look(v, &now);
    values_close(v);
    if (!known || (now.stack_low == w->goroutine.stack_low && now.m == w->goroutine.m &&
                   now.stack_high == w->goroutine.stack_high))
        return NULL;
    *ret = true;
    if (now.stack_high != w->goroutine.stack_high)
        move_frames(&w->goroutine, &now, a, part);
    if (now.m != w->goroutine.m)
        err = change_thread(w, now.thread_id, a, part);
    /* The runtime may write the bounds one after the other. Frames move when the high bound has
     * changed. */
    if (now.stack_high == w->goroutine.stack_high)
        now.stack_low = w->goroutine.stack_low;
    w->goroutine = now;
    return err;
}

struct error *walk_ahead_following(struct walk *w, struct ahead *a, walk_run *run)
{
    struct followed_part part;
    bool again = false;
    struct error *err;
    if (!w->goroutine.address)
        return run(w, a);
    begin_part(w, a, &part);
    do {
        free(part.code);
        goroutine_thread_code(&w->goroutine, &part.code, &a->condition_size);
        a->condition = part.code;
        err = run(w, a);
        if (!err && !session_interrupted(w->s))
            err = follow(w, a, &part, &again);
        a->goes_on = true;
    } while (!err && again && !session_interrupted(w->s));
    free(part.frames);
    free(part.sites);
    free(part.code);
    return err;
}
