/* Frames, computed from the walk alone: see frames.h.
 *
 * One pass over the instants of a thread keeps a stack of activations: a call pushes one, a return
 * or a higher stack pointer ends some.
 */
#include "frames.h"

#include <string.h>

enum { THREADS_MOST = 64 };

struct stack {
    u32 number;
    u64 start, end; /* of its area */
    u32 top;        /* its innermost frame, while another stack is run on */
    u64 begun_at;   /* stack pointer of the first instruction on it */
    bool made;      /* by makecontext, not for a handler */
    size_t left;    /* when */
};

struct builder {
    struct frames *f;
    struct running {
        u32 frame;
        struct list stacks; /* struct stack */
        size_t stack;       /* which of them */
        size_t last;        /* its last instant; NEVER */
        bool jumping;       /* the stack pointer has been set, the jump is still to come */
    } thread[THREADS_MOST];
    u32 stacks;
};

static struct activation *frame_of(struct builder *b, u32 n)
{
    return (struct activation *)b->f->all.items + n;
}

static struct stack *stack_of(struct running *r)
{
    return (struct stack *)r->stacks.items + r->stack;
}

static void begin_frame(struct builder *b, struct running *r, struct activation new)
{
    new.parent = r->frame;
    new.stack = stack_of(r)->number;
    new.end = NEVER;
    r->frame = (u32)b->f->all.count;
    *(struct activation *)list_add(&b->f->all) = new;
}

/* Frames whose return address is no longer on the stack.  The root of a stack stays. */
static void end_frames(struct builder *b, struct running *r, u64 rsp, size_t at)
{
    u32 number = stack_of(r)->number;
    for (struct activation *a = frame_of(b, r->frame); a->cfa <= rsp && a->stack == number; a = frame_of(b, r->frame)) {
        a->end = at;
        r->frame = a->parent;
    }
}

/* --- stacks ----------------------------------------------------------------------------------- */

static bool holds(const struct stack *s, u64 rsp)
{
    return rsp - s->start < s->end - s->start;
}

static size_t find_stack(struct running *r, u64 rsp)
{
    struct stack *s = r->stacks.items;
    for (size_t n = 0; n < r->stacks.count; n++)
        if (holds(&s[n], rsp))
            return n;
    return r->stacks.count;
}

static void add_stack(struct builder *b, struct running *r, u64 rsp, size_t at)
{
    const struct control_area *a = walk_area(b->f->walk, at, rsp);
    r->stack = r->stacks.count;
    *(struct stack *)list_add(&r->stacks) =
        (struct stack){.number = b->stacks++, .start = a ? a->start : rsp, .end = a ? a->end : rsp + 1};
}

/* The root of a stack, or of what begins anew on an old one. */
static void begin_stack(struct builder *b, struct running *r, u64 rsp, struct activation root)
{
    stack_of(r)->begun_at = rsp;
    stack_of(r)->made = !root.by_signal;
    stack_of(r)->number = b->stacks++;
    root.cfa = ~0ull;
    root.hidden = true;
    begin_frame(b, r, root);
}

/* The area of the stack that is run on may have grown. */
static bool same_stack(struct builder *b, struct running *r, u64 rsp, size_t at)
{
    struct stack *s = stack_of(r);
    if (holds(s, rsp))
        return true;
    const struct control_area *a = walk_area(b->f->walk, at, rsp);
    if (!a || a->end != s->end)
        return false;
    s->start = a->start;
    return true;
}

/* Leaves a stack for another.  True: something begins there. */
static bool change_stack(struct builder *b, struct running *r, u64 rsp, size_t at)
{
    u32 from = r->frame;
    stack_of(r)->top = from;
    stack_of(r)->left = at;
    size_t n = find_stack(r, rsp);
    if (n == r->stacks.count) {
        add_stack(b, r, rsp, at);
        return true;
    }
    r->stack = n;
    struct stack *s = stack_of(r);
    r->frame = s->top;
    if (rsp < s->begun_at) {
        end_frames(b, r, rsp, at);
        return false;
    }
    while (r->frame != FRAME_NONE && frame_of(b, r->frame)->stack == s->number) {
        frame_of(b, r->frame)->end = s->left;
        r->frame = frame_of(b, r->frame)->parent;
    }
    r->frame = from;
    return true;
}

/* --- what happens from one instruction to the next -------------------------------------------- */

/* A jump has led to `at`. */
static void arrive(struct builder *b, struct running *r, u64 rsp, size_t at)
{
    const struct instant *here = walk_instant(b->f->walk, at);
    r->jumping = false;
    if (same_stack(b, r, rsp, at)) {
        end_frames(b, r, rsp, at);
    } else if (change_stack(b, r, rsp, at)) {
        struct activation first = {.thread = here->thread, .begin = at, .caller = r->last,
                                   .call = walk_instant(b->f->walk, r->last)->at};
        begin_stack(b, r, rsp, first);
        first.cfa = rsp + 8;
        first.made = true;
        begin_frame(b, r, first);
    }
}

/* The last instruction of the thread has led to an instruction with this stack pointer. */
static void follow(struct builder *b, struct running *r, u64 rsp, size_t at)
{
    const struct instant *before = walk_instant(b->f->walk, r->last);
    u8 kind = walk_code(b->f->walk, r->last)->kind;
    bool jumps = kind == INSN_RETURN || kind == INSN_JUMP || kind == INSN_SYSCALL;
    if (r->jumping) {
        if (jumps)
            arrive(b, r, rsp, at);
    } else if (kind == INSN_CALL && rsp == before->rsp - 8) {
        begin_frame(b, r, (struct activation){.thread = before->thread, .cfa = before->rsp, .begin = at,
                                              .caller = r->last, .call = before->at});
    } else if (rsp >= frame_of(b, r->frame)->cfa || !same_stack(b, r, rsp, at)) {
        if (jumps)
            arrive(b, r, rsp, at);
        else
            r->jumping = true;
    }
}

/* A signal interrupts the thread; its handler begins with this stack pointer. */
static void interrupt(struct builder *b, struct running *r, const struct delivery *d, u64 rsp, size_t at)
{
    struct activation new = {.thread = d->thread, .begin = at, .caller = r->last, .call = d->at, .hidden = true,
                             .by_signal = true, .cfa = d->rsp, .interrupted = d->rsp};
    r->jumping = false;
    if (!same_stack(b, r, rsp, at) && change_stack(b, r, rsp, at))
        begin_stack(b, r, rsp, new);
    else
        begin_frame(b, r, new);
    new.hidden = false;
    new.cfa = rsp + 8;
    begin_frame(b, r, new);
}

/* The next that was delivered to this thread since its last instant; NULL: none before `at`. */
static const struct delivery *next_delivery(const struct walk *w, const struct delivery *after, u32 thread, size_t last,
                                            size_t at)
{
    const struct delivery *all = w->deliveries.items, *end = all + w->deliveries.count;
    for (const struct delivery *d = after ? after + 1 : all; d < end && d->before <= at; d++)
        if (d->thread == thread && d->before > last)
            return d;
    return NULL;
}

/* Signals between two instants of a thread. Returns true if `at` is the first instruction of a
 * handler. A signal that was ignored, or that ended the program, has no handler. */
static bool follow_signals(struct builder *b, struct running *r, size_t at)
{
    const struct walk *w = b->f->walk;
    const struct instant *here = walk_instant(w, at);
    bool handled = false;
    for (const struct delivery *d = next_delivery(w, NULL, here->thread, r->last, at), *next; d; d = next) {
        next = next_delivery(w, d, here->thread, r->last, at);
        struct moment to = next ? next->at : here->at;
        u64 rsp = next ? next->rsp : here->rsp;
        if (to.pc == d->at.pc && rsp == d->rsp)
            continue;
        if (!handled && moment_compare(walk_instant(w, r->last)->at, d->at))
            follow(b, r, d->rsp, at);
        interrupt(b, r, d, rsp, at);
        handled = true;
    }
    return handled;
}

static void begin_thread(struct builder *b, struct running *r, size_t at)
{
    const struct instant *i = walk_instant(b->f->walk, at);
    r->frame = FRAME_NONE;
    r->stacks = LIST(struct stack);
    add_stack(b, r, i->rsp, at);
    begin_stack(b, r, i->rsp, (struct activation){.thread = i->thread, .begin = at, .caller = NEVER});
    frame_of(b, r->frame)->hidden = false;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void take_instant(struct builder *b, size_t at)
{
    u32 thread = walk_instant(b->f->walk, at)->thread;
    if (thread >= THREADS_MOST)
        must(error_new("there are too many threads"));
    struct running *r = &b->thread[thread];
    if (r->last == NEVER)
        begin_thread(b, r, at);
    else if (!follow_signals(b, r, at))
        follow(b, r, walk_instant(b->f->walk, at)->rsp, at);
    r->last = at;
    b->f->of[at] = r->frame;
    b->f->jumping[at] = r->jumping;
    *(size_t *)list_add(&b->f->instants_of[thread]) = at;
    if (thread >= b->f->threads)
        b->f->threads = thread + 1;
}

/* A handler's stack that was left for ever. Another stack may only wait for its turn. */
static void end_left(struct builder *b)
{
    for (u32 n = 0; n < b->f->all.count; n++) {
        struct activation *a = frame_of(b, n);
        struct running *r = &b->thread[a->thread];
        const struct stack *s = r->stacks.items;
        for (size_t k = 0; k < r->stacks.count; k++)
            if (a->end == NEVER && s[k].number == a->stack && k != r->stack && !s[k].made)
                a->end = s[k].left;
    }
}

void frames_find(const struct walk *w, struct frames *ret)
{
    static struct builder b;
    *ret = (struct frames){.walk = w, .all = LIST(struct activation)};
    ret->of = xalloc((w->instants.count + 1) * sizeof *ret->of);
    ret->jumping = xalloc(w->instants.count + 1);
    ret->instants_of = xalloc(THREADS_MOST * sizeof(struct list));
    b = (struct builder){.f = ret};
    for (u32 n = 0; n < THREADS_MOST; n++) {
        b.thread[n].last = NEVER;
        ret->instants_of[n] = LIST(size_t);
    }
    for (size_t at = 0; at < w->instants.count; at++)
        take_instant(&b, at);
    end_left(&b);
    for (u32 n = 0; n < THREADS_MOST; n++)
        list_deinit(&b.thread[n].stacks);
}

void frames_deinit(struct frames *f)
{
    for (u32 n = 0; n < THREADS_MOST; n++)
        list_deinit(&f->instants_of[n]);
    free(f->instants_of);
    free(f->of);
    free(f->jumping);
    list_deinit(&f->all);
}

/* How many instants of the thread lie before this one. */
static size_t instants_before(const struct frames *f, u32 thread, size_t at)
{
    const size_t *all = f->instants_of[thread].items;
    size_t low = 0, high = f->instants_of[thread].count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t frames_next_instant(const struct frames *f, u32 thread, size_t from)
{
    size_t n = from == NEVER ? NEVER : instants_before(f, thread, from);
    return n < f->instants_of[thread].count ? ((const size_t *)f->instants_of[thread].items)[n] : NEVER;
}

size_t frames_last_instant(const struct frames *f, u32 thread, size_t before)
{
    size_t n = instants_before(f, thread, before);
    return n ? ((const size_t *)f->instants_of[thread].items)[n - 1] : NEVER;
}
