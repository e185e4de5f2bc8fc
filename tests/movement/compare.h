/* Both sides of a movement: the session makes it, the oracle says where it must land. */
#ifndef MOVEMENT_COMPARE_H
#define MOVEMENT_COMPARE_H

#include "oracle.h"

enum { PLACES_MOST = 4 };

extern struct session *session;
extern struct source *source;
extern struct oracle oracle;
extern const char *recording; /* its name, for people */
extern const char *const movement_names[MOVES][2];

struct moment here(void);
void stand_at(struct moment at);
struct moment wanted_moment(const struct landing *l);

/* "from     main worked.c:2", for people. */
void print_place(const char *what, struct moment at);

/* Compares a movement from the place where the session stands, which is this instant. Returns false
 * if session and oracle disagree, and prints how. */
bool agree(const struct order *o, size_t from, const struct landing *l);

/* random_moves.c: movement after movement, now and then from elsewhere.  0: all agree. */
int move_at_random(u64 seed, u64 moves);

/* The same for backtraces. */
int look_at_random(u64 seed, u64 looks);
/* frames_check.c: is the backtrace there as it should be?  0: it is. */
int check_frames(size_t at);

/* worked_trace.c: every sentence of docs/movement.md's worked trace. */
int move_as_worked(void);

#endif
