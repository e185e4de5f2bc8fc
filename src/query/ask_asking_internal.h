/* A question that is being answered by passes, as ask.c, ask_code.c and ask_data.c share it. */
#ifndef QUERY_ASK_ASKING_INTERNAL_H
#define QUERY_ASK_ASKING_INTERNAL_H

#include "query/ask_calls.h"
#include "query/ask_internal.h"
#include "query/ask_rows.h"

/* The purpose of a site. */
enum ask_role {
    ROLE_ENTRY,  /* the first instruction of a function */
    ROLE_NEW,    /* the same, for calls that return to an address that has no site yet */
    ROLE_BODY,   /* where a breakpoint on a function stops */
    ROLE_BACK,   /* an address that functions return to */
    ROLE_JUMP,   /* longjmp */
    ROLE_RAISE,  /* an exception is thrown */
    ROLE_CATCH,  /* and caught */
    ROLE_POINT,  /* a statement or a block */
    ROLE_DATA,
};

struct ask_site {
    enum ask_role role;
    u32 index; /* of the function */
};

/* What is known about the code at an address. */
struct ask_place {
    u64 pc; /* 0: nothing */
    char *function;
    const char *file;
    unsigned line;
};
enum { PLACES_KNOWN = 1024 };

struct asking {
    const struct ask_question *q;
    const struct ask_answering *how;
    struct ask_rows rows;
    struct symbols *symbols;
    struct ask_functions functions, jumps, raises, catches;
    bool *loops;           /* for each function: its code jumps back to where a breakpoint stops */
    struct ask_calls calls;
    bool follows_returns;
    bool looks;            /* the pass stops at events to evaluate the context */
    bool looks_at_returns;
    bool relay;            /* the sites must be laid again */
    bool laid;
    struct list sites, roles; /* struct plan_site, struct ask_site */
    struct list returns;   /* u64: return addresses */
    struct list points;    /* u64: statements or blocks */
    struct list pending;   /* struct plan_hit: hits at which the pass has to stop and look */
    struct list held;      /* struct plan_hit: stores of the current instruction */
    struct list whole;     /* struct ask_whole: calls that are reported when they have ended */
    u64 whole_first;       /* number of the first of them */
    struct ask_place *places; /* a cache of PLACES_KNOWN entries, by address */
    bool wants_places;     /* the context or the rows need places */
    struct error *err;
};

/* A call whose row waits until the call, and all calls before it, have ended. */
struct ask_whole {
    struct ask_row row;
    bool is_over;
};

void asking_add_site(struct asking *a, struct plan_site site, enum ask_role role, u32 index);
/* True if the context holds and the event is in the stretch that was asked for. Then the row is
 * reported. With a look, texts of values are made. */
bool asking_is_wanted(struct asking *a, struct ask_event *e, struct ask_look *look);
/* Fills in function, file and line of e->pc, if the question needs them. */
void asking_place(struct asking *a, struct ask_event *e);
struct ask_look asking_look(struct asking *a, u32 thread);
struct ask_row asking_row(const struct ask_event *e);

/* ask_code.c */
struct error *asking_prepare_calls(struct asking *a);
struct error *asking_prepare_points(struct asking *a);
void asking_lay_calls(struct asking *a);
void asking_lay_points(struct asking *a);
void asking_take_code(struct asking *a, const struct plan_hit *hit, const struct ask_site *site,
                      bool looks);
void asking_end_calls(struct asking *a);
/* The function `lost` of struct ask_calls. */
void asking_lose_call(void *context, struct ask_activation *act);

/* ask_data.c */
struct error *asking_prepare_data(struct asking *a);
void asking_lay_data(struct asking *a);
/* The hits of one instruction are one event, which ends when a hit of another instruction comes. */
void asking_take_data(struct asking *a, const struct plan_hit *hit);
void asking_end_data(struct asking *a, bool looks);

/* ask_log.c */
struct error *asking_answer_log(struct asking *a, bool *ret_interrupted);

#endif
