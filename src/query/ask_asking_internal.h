/* A question that is being answered by passes: what ask.c, ask_code.c and ask_data.c share. */
#ifndef QUERY_ASK_ASKING_INTERNAL_H
#define QUERY_ASK_ASKING_INTERNAL_H

#include "query/ask_calls.h"
#include "query/ask_internal.h"
#include "query/ask_rows.h"

/* What a site is for. */
enum ask_role {
    ROLE_ENTRY,  /* the first instruction of a function */
    ROLE_NEW,    /* the same, of a call that returns to an address without a site */
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
    u32 index; /* of a function */
};

/* What is known of code at an address. */
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
    bool *loops;           /* of each function: code jumps to where a breakpoint stops */
    struct ask_calls calls;
    bool follows_returns;
    bool looks;            /* the pass stands at events */
    bool looks_at_returns;
    bool relay;            /* sites are to be laid anew */
    bool laid;
    struct list sites, roles; /* struct plan_site, struct ask_site */
    struct list returns;   /* u64: addresses that are returned to */
    struct list points;    /* u64: statements or blocks */
    struct list pending;   /* struct plan_hit: to be looked at */
    struct list held;      /* struct plan_hit: stores of one instruction */
    struct list whole;     /* struct ask_whole: calls that are to be shown when they are over */
    u64 whole_first;       /* number of its first */
    struct ask_place *places; /* PLACES_KNOWN, by address */
    bool wants_places;     /* the context or the rows do */
    struct error *err;
};

/* A call whose row waits for its return, or for those before it. */
struct ask_whole {
    struct ask_row row;
    bool is_over;
};

void asking_add_site(struct asking *a, struct plan_site site, enum ask_role role, u32 index);
/* Does the context hold, and is it in the stretch that is asked about?  Then the row goes out.
 * With a look, texts of values are made. */
bool asking_is_wanted(struct asking *a, struct ask_event *e, struct ask_look *look);
/* Fills in function, file and line of e->pc, if they are of interest. */
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
/* Of struct ask_calls. */
void asking_lose_call(void *context, struct ask_activation *act);

/* ask_data.c */
struct error *asking_prepare_data(struct asking *a);
void asking_lay_data(struct asking *a);
/* Hits of one instruction are one event: it is over when another comes. */
void asking_take_data(struct asking *a, const struct plan_hit *hit);
void asking_end_data(struct asking *a, bool looks);

/* ask_log.c */
struct error *asking_answer_log(struct asking *a, bool *ret_interrupted);

#endif
