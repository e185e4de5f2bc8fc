/* The oracle: where each movement of docs/movement.md must land, looked up in a list of all that happened.
 *
 * Slow and obvious on purpose.  It knows the instants of the walk, their frames, the step points, and the inlined functions
 * around each address; a movement is a scan over the instants of its thread.
 *
 * Where docs/movement.md leaves a choice, this is what is taken:
 *
 *   - A moment at which a signal came from outside before the instruction was executed is no event: the step point is
 *     executed when the handler has returned.  An instruction that was tried and raised a signal is one, and again when it
 *     is tried again.
 *   - A function that another jumps to (a tail call) has the frame of that one: its return address is the same, written at
 *     the same moment.  So `next` goes from the one into the other, and `previous` back.  Of functions that were inlined into the
 *     other one nothing is said: whether they are told apart depends on what the session has looked at before.
 *   - Inlined functions are told apart at step points alone.  A step point is in the base frame or outside it if every
 *     inlined function around it is around the base, too; then it is the base.  One in a function that was inlined beside the
 *     base ends the base, which is what both are in from then on: optimised code may come back, and that is another time.
 *   - `finish` of an inlined function stands at the first instruction outside of it in its caller, or where the caller has
 *     gone on without it; `before` at the last step point of its caller.
 *   - Where a frame is left by a jump, `finish` and nexti stand at the first statement of the frame that execution goes on in, or
 *     outside of it: there it is seen.  The frame of a handler ends when the interrupted instruction is about to be executed
 *     again: the trampoline after it is nobody's.
 *   - `before`, where the calling code has no statement that was begun in its frame (a callback of the C library), stands on
 *     the call. A handler that ran in the statement is a call of it.
 *   - The first function of a thread has no statements: with that as the base, any step point counts, and its frame is the
 *     base then. So it is when the first function of a stack that makecontext made has returned.  What called that function
 *     is nobody's business: `before` is not asked, nor `finish` further out.
 *   - nexti and its twin know calls, not inlined functions.  Nothing is said of a way through code that is about to jump out of
 *     frames: see oracle_amid_jump().
 *   - What `out` gets out of is the smaller of the innermost block that has declarations and the innermost loop, from where
 *     a branch goes back to up to that branch.  Where neither is around a statement it is the function, or what was inlined;
 *     the outermost cannot be left.
 *   - Detours (the dynamic linker, resolvers of IFUNCs, thunks) are left out of the list. Movements that begin in one are not
 *     asked about.
 *   - until LOC stays with its thread, like all movements; continue does not. Where there is nothing to be found, both end with
 *     the recording, the others with the life of their thread.
 */
#ifndef MOVEMENT_ORACLE_H
#define MOVEMENT_ORACLE_H

#include "frames.h"
#include "scopes.h"
#include "session/movement.h"

enum movement { MOVE_STEP, MOVE_NEXT, MOVE_FINISH, MOVE_STEPI, MOVE_NEXTI, MOVE_UNTIL, MOVE_OUT, MOVE_CONTINUE, MOVES };

struct order {
    enum movement movement;
    enum session_direction direction;
    u64 count;
    const u64 *places; /* MOVE_UNTIL */
    size_t place_count;
    const u64 *breakpoints; /* addresses at which any thread stops */
    size_t breakpoint_count;
    bool signals;           /* stop it, too */
};

struct landing {
    enum { LANDS_NOWHERE, LANDS_AT, LANDS_AT_START, LANDS_AT_END, LANDS_UNKNOWN } where; /* NOWHERE: it is to be refused */
    struct moment at;
    bool early; /* a breakpoint or signal came first */
    bool edge;  /* it is the first or last instruction of the thread, and it was to go beyond it */
};

struct oracle {
    struct walk walk;
    struct frames frames;
    struct step_point *points;
    size_t point_count;
    const struct step_point **point_of; /* per code; NULL: none */
    u32 *inlined_of;                    /* per code: index in `inlined` */
    struct list inlined;                /* struct inlined; the first is empty */
    struct list *events_of;             /* per thread: size_t, instants that are step points */
    bool *ends;                         /* per thread: before the recording does */
    struct session *session;
    struct source *source;
};

void oracle_create(const struct recording *rec, u32 track, struct session *s, struct source *src, struct oracle *ret);
void oracle_deinit(struct oracle *o);

struct landing oracle_land(struct oracle *o, const struct order *order, size_t from);

static inline const struct step_point *oracle_point(const struct oracle *o, size_t instant)
{
    return o->point_of[walk_instant(&o->walk, instant)->code];
}

/* Is it in a library that is about to jump out of frames?  Nobody can tell the frames there by what is on the stack: it is being
 * rewritten. */
bool oracle_amid_jump(const struct oracle *o, size_t at);

/* For people, innermost first: "f:6 <- main:2"; to be freed. */
char *oracle_describe(struct oracle *o, struct moment at);

#endif
