/* The oracle: where each movement of docs/movement.md must land, looked up in a list of everything
 * that happened.
 *
 * It is slow and obvious on purpose. It knows the instants of the walk, their frames, the step
 * points, and the inlined functions around each address. A movement is a scan over the instants of
 * its thread.
 *
 * Where docs/movement.md leaves a choice, the oracle decides as follows:
 *
 *   - A moment at which a signal arrived from outside before the instruction was executed is no
 *     event: the step point is executed when the handler has returned. An instruction that raised a
 *     signal is an event, and is another one when it is executed again.
 *   - After a tail call, the function that was jumped to has the frame of the one that jumped: its
 *     return address is the same, written at the same moment. So `next` goes from the first
 *     function into the second, and `previous` back. The oracle does not judge functions that were
 *     inlined into the second one: whether they are told apart depends on what the session has
 *     looked at before.
 *   - Inlined functions are told apart only at step points. A step point is in the base frame or
 *     outside of it if every inlined function around it is around the base, too; then it becomes
 *     the base. A step point in a function that was inlined next to the base ends the base, and the
 *     function that contains both is the base from then on. If optimised code comes back to the old
 *     base, that is a new activation.
 *   - `finish` of an inlined function stops at the first instruction outside of it in its caller,
 *     or where execution has continued without the caller; `before` stops at the last step point of
 *     its caller.
 *   - If a jump leaves a frame, `finish` and nexti stop at the first statement of the frame in
 *     which execution continues, or outside of it: only there the jump can be noticed. The frame of
 *     a handler ends when the interrupted instruction is about to be executed again: the trampoline
 *     after the handler belongs to no frame.
 *   - If the calling code has no statement that began in its frame (a callback of the C library),
 *     `before` stops at the call. A handler that ran during the statement is a call of it.
 *   - The first function of a thread has no statements. With that function as the base, any step
 *     point counts, and the frame of the step point becomes the base. The same holds after the
 *     first function of a stack of makecontext has returned. The oracle does not judge `before` in
 *     the code that called that function, nor `finish` further out.
 *   - nexti and bnexti know calls, not inlined functions. The oracle does not judge them in code
 *     that is about to jump out of frames: see oracle_amid_jump().
 *   - `out` leaves the innermost block that has declarations or the innermost loop (the code from
 *     the target of a backward branch to that branch), whichever is smaller. A statement that is in
 *     neither leaves the function or inlined function; the outermost function cannot be left.
 *   - Detours (the dynamic linker, resolvers of IFUNCs, thunks) are left out of the list. The
 *     oracle does not judge movements that begin in one.
 *   - until LOC stays with its thread, like all movements; continue does not. If nothing is found,
 *     these two end with the recording, the others with the life of their thread.
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

/* Is the instant in a library that is about to jump out of frames? Its frames cannot be told from
 * the contents of the stack, which is being rewritten. */
bool oracle_amid_jump(const struct oracle *o, size_t at);

/* For people, innermost first: "f:6 <- main:2"; to be freed. */
char *oracle_describe(struct oracle *o, struct moment at);

#endif
