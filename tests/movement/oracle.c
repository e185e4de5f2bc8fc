/* The oracle: see oracle.h for its rules.
 *
 * Each movement is one function that scans the instants of its thread, forward or backward, until
 * the rule of docs/movement.md is met. There are no shortcuts, so that the code can be compared
 * with the document.
 */
#include "oracle.h"

/* --- the base --------------------------------------------------------------------------------- */

/* A frame as one steps in it: an activation, and inlined functions in it. */
struct base {
    u32 frame; /* FRAME_NONE: there is none any more */
    struct inlined inlined;
};

static const struct activation *frame(const struct oracle *o, u32 n)
{
    return frame_number(&o->frames, n);
}

static const struct inlined *inlined_at(const struct oracle *o, size_t instant)
{
    return (const struct inlined *)o->inlined.items + o->inlined_of[walk_instant(&o->walk, instant)->code];
}

static struct base base_at(const struct oracle *o, size_t instant)
{
    return (struct base){o->frames.of[instant], *inlined_at(o, instant)};
}

/* The frame that made this one, where it made it. */
static struct base caller_of(const struct oracle *o, u32 n)
{
    struct base b = {frame(o, n)->parent, {0}};
    if (b.frame != FRAME_NONE)
        scopes_inlined(frame(o, n)->call.pc, &b.inlined);
    return b;
}

/* The base has ended: the next base is its caller or, if its stack no longer exists, the frame that
 * runs then. */
static struct base base_after(const struct oracle *o, u32 n)
{
    const struct activation *a = frame(o, n);
    size_t to = frames_next_instant(&o->frames, a->thread, a->end);
    if (to == NEVER)
        return (struct base){FRAME_NONE, {0}};
    bool kept = a->parent != FRAME_NONE && frame(o, a->parent)->stack == a->stack;
    return kept ? caller_of(o, n) : base_at(o, to);
}

/* Where execution goes on when the frame has ended; NEVER. */
static size_t end_of(const struct oracle *o, u32 n)
{
    return frames_next_instant(&o->frames, frame(o, n)->thread, frame(o, n)->end);
}

/* A handler's is over when the frame is that was made for its signal. */
static u32 whole_frame(const struct oracle *o, u32 n)
{
    u32 parent = frame(o, n)->parent;
    bool handler = parent != FRAME_NONE && frame(o, n)->by_signal && frame(o, parent)->hidden;
    return handler ? parent : n;
}

/* The instant at which the interrupted instruction is about to be executed again, or NEVER. Another
 * signal may have come before that. */
static size_t resumed(const struct oracle *o, u32 n)
{
    const struct activation *a = frame(o, n);
    for (size_t to = end_of(o, n); to != NEVER;) {
        const struct instant *i = walk_instant(&o->walk, to);
        if (i->at.pc == a->call.pc && i->rsp == a->interrupted)
            return to;
        u32 next = whole_frame(o, o->frames.of[to]);
        const struct activation *b = frame(o, next);
        bool there = b->by_signal && b->begin == to && b->call.pc == a->call.pc && b->interrupted == a->interrupted;
        to = there ? end_of(o, next) : NEVER;
    }
    return NEVER;
}

/* Did it end by a return to where it was called, or interrupted? */
static bool has_returned(const struct oracle *o, u32 n)
{
    const struct activation *a = frame(o, n);
    size_t to = end_of(o, n);
    if (to == NEVER)
        return false;
    if (a->by_signal)
        return resumed(o, n) != NEVER;
    const struct instant *i = walk_instant(&o->walk, to);
    if (a->made)
        return walk_code(&o->walk, frames_last_instant(&o->frames, a->thread, to))->kind == INSN_RETURN && i->rsp == a->cfa;
    const struct code *call = walk_code(&o->walk, a->caller);
    return i->at.pc == call->pc + call->length && i->rsp >= a->cfa;
}

static bool is_outermost(const struct oracle *o, u32 n)
{
    return !frame(o, n)->hidden && frame(o, n)->caller == NEVER;
}

/* The end of a stack that makecontext made. */
static bool is_made_root(const struct oracle *o, u32 n)
{
    return frame(o, n)->hidden && !frame(o, n)->by_signal;
}

/* The base as it is when the instant is about to be executed. */
static void settle(const struct oracle *o, struct base *b, size_t at, enum session_direction d)
{
    while (b->frame != FRAME_NONE)
        if (d == FORWARD && frame(o, b->frame)->end <= at)
            *b = base_after(o, b->frame);
        else if (d == BACKWARD && frame(o, b->frame)->begin > at)
            *b = caller_of(o, b->frame);
        else
            return;
}

/* --- movements by statements and instructions ------------------------------------------------- */

static struct landing at_instant(const struct oracle *o, size_t n)
{
    return (struct landing){LANDS_AT, walk_instant(&o->walk, n)->at, false};
}

static struct landing at_edge(enum session_direction d)
{
    return (struct landing){d == FORWARD ? LANDS_AT_END : LANDS_AT_START, {0, 0}, false};
}

/* Of a sorted list the items after `from` (before it), one after the other: NULL at the end. */
static const size_t *behind(const struct list *l, size_t from, enum session_direction d)
{
    const size_t *all = l->items;
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all[middle] < from || (d == FORWARD && all[middle] == from))
            low = middle + 1;
        else
            high = middle;
    }
    if (d == FORWARD)
        return low < l->count ? &all[low] : NULL;
    return low ? &all[low - 1] : NULL;
}

static const size_t *beside(const struct list *l, const size_t *at, enum session_direction d)
{
    const size_t *all = l->items;
    if (d == FORWARD)
        return at + 1 < all + l->count ? at + 1 : NULL;
    return at > all ? at - 1 : NULL;
}

static struct landing land_any(const struct oracle *o, const struct list *of, const struct order *order, size_t from)
{
    u64 left = order->count;
    for (const size_t *at = behind(of, from, order->direction); at; at = beside(of, at, order->direction))
        if (!--left)
            return at_instant(o, *at);
    return at_edge(order->direction);
}

/* Is a step point of the base's frame in the base or outside of it? If it is in neither, nor in a
 * function that the base has called, it is in a function that was inlined next to the base. Then
 * the base has ended, and the function that contains both is the base. */
static bool unsure; /* a movement has met a point of which nothing is said */

static bool meets(struct base *base, const struct inlined *at)
{
    if (base->inlined.function != at->function) {
        unsure |= at->count > 0;
        return true;
    }
    u32 common = 0;
    while (common < base->inlined.count && common < at->count && base->inlined.entry[common] == at->entry[common])
        common++;
    base->inlined.count = common;
    return at->count == common;
}

/* Is the instant in the base, as it is then, or outside of it? */
static bool is_outside(const struct oracle *o, struct base *base, size_t at, enum session_direction d)
{
    settle(o, base, at, d);
    if (base->frame == FRAME_NONE || is_outermost(o, base->frame) || is_made_root(o, base->frame))
        *base = base_at(o, at);
    return base->frame == o->frames.of[at] && meets(base, inlined_at(o, at));
}

static struct landing land_outside(const struct oracle *o, const struct list *of, struct base base,
                                   const struct order *order, size_t from)
{
    u64 left = order->count;
    for (const size_t *at = behind(of, from, order->direction); at; at = beside(of, at, order->direction)) {
        if (!is_outside(o, &base, *at, order->direction))
            continue;
        base.inlined = *inlined_at(o, *at);
        if (!--left)
            return at_instant(o, *at);
    }
    return at_edge(order->direction);
}

/* Is the instant where the call that made the frame would have returned to? */
static bool is_behind_call(const struct oracle *o, u32 n, size_t at)
{
    const struct activation *a = frame(o, n);
    const struct code *call = walk_code(&o->walk, a->caller);
    const struct instant *i = walk_instant(&o->walk, at);
    return !a->by_signal && !a->made && i->at.pc == call->pc + call->length && i->rsp >= a->cfa;
}

/* The first statement after the end of a frame that was left by a jump: in the frame in which
 * execution continues, or outside of it; or the statement after the call, if that is reached
 * earlier. */
static struct landing land_after_jump(const struct oracle *o, u32 n)
{
    const struct activation *a = frame(o, n);
    struct base base = base_after(o, n);
    const struct list *all = &o->frames.instants_of[a->thread];
    for (const size_t *at = behind(all, a->end - 1, FORWARD); at; at = beside(all, at, FORWARD))
        if (is_behind_call(o, n, *at) || (oracle_point(o, *at) && is_outside(o, &base, *at, FORWARD)))
            return at_instant(o, *at);
    return at_edge(FORWARD);
}

/* --- instructions ----------------------------------------------------------------------------- */

/* The frame that the instant made, if that frame was left by a jump. FRAME_NONE: the instant made
 * no frame, or its frame returned. */
static u32 jumped_from(const struct oracle *o, size_t at)
{
    const struct activation *all = o->frames.all.items;
    for (u32 n = 0; n < o->frames.all.count; n++)
        if (all[n].caller == at && all[n].thread == walk_instant(&o->walk, at)->thread)
            return all[n].end == NEVER || has_returned(o, n) ? FRAME_NONE : n;
    return FRAME_NONE;
}

/* One instruction, calls crossed. */
static struct landing next_instruction(const struct oracle *o, enum session_direction d, size_t from)
{
    const struct list *of = &o->frames.instants_of[walk_instant(&o->walk, from)->thread];
    struct base base = base_at(o, from);
    u32 jumped = d == FORWARD ? jumped_from(o, from) : FRAME_NONE;
    if (jumped != FRAME_NONE)
        return land_after_jump(o, jumped);
    for (const size_t *at = behind(of, from, d); at; at = beside(of, at, d)) {
        settle(o, &base, *at, d);
        if (base.frame == o->frames.of[*at])
            return at_instant(o, *at);
    }
    return at_edge(d);
}

static struct landing land_instruction(const struct oracle *o, const struct order *order, size_t from)
{
    struct landing l = at_instant(o, from);
    for (u64 left = order->count; left && l.where == LANDS_AT; left--) {
        if (oracle_amid_jump(o, from))
            return (struct landing){.where = LANDS_UNKNOWN};
        l = next_instruction(o, order->direction, from);
        from = walk_find(&o->walk, l.at);
    }
    return l;
}

/* --- finish and before ------------------------------------------------------------------------ */

/* Finds the nth frame outward from the innermost, as a backtrace shows them; false if there are
 * fewer. */
static bool nth_frame(const struct oracle *o, size_t from, u64 n, struct base *b, bool *ret_inlined)
{
    for (*b = base_at(o, from);; *b = caller_of(o, b->frame)) {
        while (frame(o, b->frame)->hidden && frame(o, b->frame)->by_signal)
            *b = caller_of(o, b->frame);
        if (frame(o, b->frame)->hidden || is_outermost(o, b->frame))
            return false;
        *ret_inlined = n <= b->inlined.count;
        if (n > b->inlined.count + 1) {
            n -= b->inlined.count + 1;
            continue;
        }
        if (*ret_inlined)
            b->inlined.count -= (u32)n - 1;
        return true;
    }
}

/* There are not so many frames; or they are further out than a stack that was made. */
static struct landing refused(const struct oracle *o, const struct base *b)
{
    return (struct landing){.where = frame(o, b->frame)->hidden ? LANDS_UNKNOWN : LANDS_NOWHERE};
}

/* Leaves the frame; for a handler, the frame that the kernel made for its signal. */
static struct landing leave_frame(const struct oracle *o, u32 n)
{
    u32 whole = whole_frame(o, n);
    const struct activation *a = frame(o, whole);
    if (a->end == NEVER)
        return at_edge(FORWARD);
    if (!has_returned(o, whole))
        return land_after_jump(o, whole);
    return at_instant(o, a->by_signal ? resumed(o, whole) : end_of(o, whole));
}

/* Leaves the last inlined function of the base: into its caller, or where the frame has ended. A
 * function that was reached by a tail call takes the caller's place. */
static struct landing leave_inlined(const struct oracle *o, const struct base *b, size_t from)
{
    const struct activation *a = frame(o, b->frame);
    const struct list *of = &o->frames.instants_of[a->thread];
    for (const size_t *at = behind(of, from, FORWARD); at && *at < a->end; at = beside(of, at, FORWARD))
        if (o->frames.of[*at] == b->frame && !inlined_begins(inlined_at(o, *at), &b->inlined))
            return at_instant(o, *at);
    return leave_frame(o, b->frame);
}

static struct landing land_finish(const struct oracle *o, const struct order *order, size_t from)
{
    struct base b;
    bool inlined;
    if (!nth_frame(o, from, order->count, &b, &inlined))
        return refused(o, &b);
    return inlined ? leave_inlined(o, &b, from) : leave_frame(o, b.frame);
}

/* Did the frame make a call after the one instant and before the other, that has ended? */
static bool has_called(const struct oracle *o, u32 caller, size_t after, size_t before)
{
    const struct activation *all = o->frames.all.items;
    for (size_t n = 0; n < o->frames.all.count; n++)
        if (all[n].parent == caller && all[n].begin > after && all[n].begin <= before)
            return true;
    return false;
}

static struct landing land_before(const struct oracle *o, const struct order *order, size_t from)
{
    struct base b;
    bool inlined;
    if (!nth_frame(o, from, order->count, &b, &inlined))
        return refused(o, &b);
    const struct list *events = &o->events_of[frame(o, b.frame)->thread];
    if (inlined) {
        b.inlined.count--;
        return land_outside(o, events, b, &(struct order){.direction = BACKWARD, .count = 1}, from);
    }
    const struct activation *a = frame(o, whole_frame(o, b.frame));
    if (a->made)
        return (struct landing){.where = LANDS_UNKNOWN};
    struct landing on_call = {LANDS_AT, a->call, false};
    b = caller_of(o, whole_frame(o, b.frame));
    for (const size_t *at = behind(events, a->caller + 1, BACKWARD); at; at = beside(events, at, BACKWARD)) {
        if (*at < frame(o, b.frame)->begin)
            break;
        if (o->frames.of[*at] == b.frame && meets(&b, inlined_at(o, *at)))
            return has_called(o, b.frame, *at, a->caller) ? on_call : at_instant(o, *at);
    }
    return on_call;
}

/* --- the others ------------------------------------------------------------------------------- */

static bool read_memory(void *context, u64 address, void *to, size_t size)
{
    struct oracle *o = context;
    size_t got;
    must(session_read(o->session, address, to, size, &got));
    return got == size;
}

/* The whole function, if there is no block or loop; false if nothing is outside of it. */
static bool leave_function(const struct oracle *o, struct base *base, enum session_direction d)
{
    if (base->inlined.count) {
        base->inlined.count--;
        return true;
    }
    const struct activation *a = frame(o, base->frame);
    if (a->hidden || a->made || is_outermost(o, base->frame) || is_outermost(o, a->parent))
        return false;
    *base = d == FORWARD && a->end != NEVER ? base_after(o, base->frame) : caller_of(o, base->frame);
    return true;
}

static struct landing land_out(struct oracle *o, const struct order *order, size_t from)
{
    struct region region;
    struct base base = base_at(o, from);
    const struct base first = base;
    enum session_direction d = order->direction;
    const struct list *events = &o->events_of[walk_instant(&o->walk, from)->thread];
    if (!scopes_region(walk_code(&o->walk, from)->pc, read_memory, o, &region))
        return (struct landing){.where = LANDS_UNKNOWN};
    if (!region.size && !leave_function(o, &base, d))
        return (struct landing){.where = LANDS_NOWHERE};
    for (const size_t *at = behind(events, from, d); at; at = beside(events, at, d)) {
        bool within = o->frames.of[*at] == first.frame && inlined_at(o, *at)->count == first.inlined.count &&
                      scopes_holds(&region, walk_code(&o->walk, *at)->pc);
        if (is_outside(o, &base, *at, d) && !within)
            return at_instant(o, *at);
    }
    return at_edge(d);
}

static bool is_among(u64 pc, const u64 *all, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (all[n] == pc)
            return true;
    return false;
}

/* The nth time that one of the places is about to be executed, by one thread or any. */
static struct landing land_at_place(const struct oracle *o, const u64 *places, size_t count, u64 nth, u32 thread,
                                    enum session_direction d, size_t from)
{
    for (size_t n = from; d == FORWARD ? ++n < o->walk.instants.count : n-- > 0;) {
        const struct instant *i = walk_instant(&o->walk, n);
        bool is_ours = thread == CONTROL_THREAD_ANY || i->thread == thread;
        if (is_ours && is_among(i->at.pc, places, count) && !--nth)
            return at_instant(o, n);
    }
    return at_edge(d);
}

static struct landing land_by_itself(struct oracle *o, const struct order *order, size_t from)
{
    u32 thread = walk_instant(&o->walk, from)->thread;
    const struct list *events = &o->events_of[thread], *all = &o->frames.instants_of[thread];
    if (frame(o, o->frames.of[from])->hidden) /* in code of nobody: what makecontext or a signal returns to */
        return (struct landing){.where = LANDS_UNKNOWN};
    switch (order->movement) {
    case MOVE_STEP:
        return land_any(o, events, order, from);
    case MOVE_NEXT:
        return land_outside(o, events, base_at(o, from), order, from);
    case MOVE_FINISH:
        return order->direction == FORWARD ? land_finish(o, order, from) : land_before(o, order, from);
    case MOVE_STEPI:
        return land_any(o, all, order, from);
    case MOVE_NEXTI:
        return land_instruction(o, order, from);
    case MOVE_UNTIL:
        return land_at_place(o, order->places, order->place_count, 1, thread, order->direction, from);
    case MOVE_OUT:
        return land_out(o, order, from);
    default:
        return land_at_place(o, order->breakpoints, order->breakpoint_count, order->count, CONTROL_THREAD_ANY,
                             order->direction, from);
    }
}

/* --- early stops ------------------------------------------------------------------------------ */

/* Is it passed before `than`, going this way from `from`? */
static bool comes_first(struct moment at, struct moment from, const struct landing *than, enum session_direction d)
{
    int sign = d == FORWARD ? 1 : -1;
    if (moment_compare(at, from) * sign <= 0)
        return false;
    return than->where != LANDS_AT || moment_compare(at, than->at) * sign < 0;
}

static void stop_at_signal(const struct oracle *o, struct moment from, enum session_direction d, struct landing *l)
{
    const struct delivery *all = o->walk.deliveries.items;
    for (size_t n = 0; n < o->walk.deliveries.count; n++)
        if (comes_first(all[n].at, from, l, d))
            *l = (struct landing){LANDS_AT, all[n].at, true};
}

/* Movements that begin in a detour count the statements of the detour, which are not in the list.
 * */
static bool begins_in_detour(struct oracle *o, const struct order *order, size_t from)
{
    struct symbols *symbols;
    if (order->movement == MOVE_STEPI || order->movement == MOVE_UNTIL || order->movement == MOVE_CONTINUE)
        return false;
    must(source_symbols(o->source, &symbols));
    return symbols_is_detour(symbols, walk_instant(&o->walk, from)->at.pc);
}

/* A thread has a first instruction and a last one. */
static void stay_in_life(const struct oracle *o, const struct order *order, size_t from, struct landing *l)
{
    u32 thread = walk_instant(&o->walk, from)->thread;
    const struct list *own = &o->frames.instants_of[thread];
    const size_t *all = own->items;
    size_t first = all[0], last = all[own->count - 1];
    if (order->movement == MOVE_UNTIL || order->movement == MOVE_CONTINUE)
        return;
    if (l->where == LANDS_AT_START && first > 0)
        *l = (struct landing){LANDS_AT, walk_instant(&o->walk, first)->at, false, true};
    if (l->where == LANDS_AT_END && o->ends[thread])
        *l = (struct landing){LANDS_AT, walk_instant(&o->walk, last)->at, false, true};
}

struct landing oracle_land(struct oracle *o, const struct order *order, size_t from)
{
    unsure = false;
    if (begins_in_detour(o, order, from))
        return (struct landing){.where = LANDS_UNKNOWN};
    struct landing l = land_by_itself(o, order, from);
    stay_in_life(o, order, from, &l);
    if (unsure)
        return (struct landing){.where = LANDS_UNKNOWN};
    struct moment here = walk_instant(&o->walk, from)->at;
    if (order->movement == MOVE_CONTINUE || l.where == LANDS_NOWHERE || l.where == LANDS_UNKNOWN)
        return l;
    struct landing stop = land_at_place(o, order->breakpoints, order->breakpoint_count, 1, CONTROL_THREAD_ANY,
                                        order->direction, from);
    if (stop.where == LANDS_AT && comes_first(stop.at, here, &l, order->direction))
        l = (struct landing){LANDS_AT, stop.at, true};
    if (order->signals)
        stop_at_signal(o, here, order->direction, &l);
    return l;
}

bool oracle_amid_jump(const struct oracle *o, size_t at)
{
    struct inlined unused;
    if (o->frames.jumping[at])
        return true;
    if (scopes_inlined(walk_code(&o->walk, at)->pc, &unused))
        return false;
    for (u32 n = o->frames.of[at]; !frame(o, n)->hidden && !is_outermost(o, n); n = frame(o, n)->parent)
        if (frame(o, n)->end != NEVER && !has_returned(o, n))
            return true;
    return false;
}
