/* The walk: every instruction of a recording, once, in order.
 *
 * A pass that traces every step gives the moments and threads. States (CONTROL_STATES) of the
 * stretches between system calls and signals give the stack pointers. Zydis says what each
 * instruction is. The oracle derives everything that it knows of frames from these facts alone.
 */
#ifndef MOVEMENT_WALK_H
#define MOVEMENT_WALK_H

#include "base/list.h"
#include "log/recording.h"
#include "session/session.h"

enum insn_kind {
    INSN_OTHER,
    INSN_CALL,
    INSN_RETURN,
    INSN_JUMP, /* indirect */
    INSN_BRANCH, /* direct */
    INSN_SYSCALL,
};

/* An instruction that was executed at least once. */
struct code {
    u64 pc, target; /* of a direct branch */
    u8 kind, length;
};

/* An instruction that is executed, or tried. */
struct instant {
    struct moment at;
    u32 thread;
    u32 code;
    u64 rsp;
};

/* A signal: what it interrupted, and how many instants lie before it. */
struct delivery {
    struct moment at;
    u32 thread, number;
    u64 rsp;
    size_t before;
};

/* What was mapped from an instant on. */
struct mapped {
    size_t from;
    struct control_area *areas;
    size_t count;
};

struct walk {
    struct list instants;   /* struct instant */
    struct list codes;      /* struct code */
    struct list deliveries; /* struct delivery */
    struct list maps;       /* struct mapped */
};

void walk_all(const struct recording *rec, u32 track, struct walk *ret);
void walk_deinit(struct walk *w);

static inline const struct instant *walk_instant(const struct walk *w, size_t n)
{
    return (const struct instant *)w->instants.items + n;
}

static inline const struct code *walk_code(const struct walk *w, size_t n)
{
    return (const struct code *)w->codes.items + walk_instant(w, n)->code;
}

/* The first instant at the moment or after it. */
size_t walk_find(const struct walk *w, struct moment at);

/* The area that held the address at an instant; NULL: none. */
const struct control_area *walk_area(const struct walk *w, size_t instant, u64 address);

/* Of `size` bytes at `pc`. */
struct code walk_decode(u64 pc, const u8 *bytes, size_t size);

/* Ends the program if there is an error. */
void must(struct error *err);

#endif
