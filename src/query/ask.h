/* Questions: what happened in a run, asked in one line.
 *
 *     list call where func = insert and n > 100
 *     count store total where changed from 25% to here
 *     current backward line 2 where stack = <**,main,*,walk> and src = <list.c,7>
 *
 * A question names a type of event, a context in which the event counts, and a part of the run.
 * The idea and the form of `goto` are Ji's (Brown University, 1994); his names of types work, too.
 *
 *   ask_parse.c    text to struct ask_question; errors have a caret under the place
 *   ask_leaf.c     one comparison of a context
 *   ask_context.c  does a context hold for an event?
 *   ask_sites.c    which functions a question is about
 *   ask.c          passes over the replay
 *   ask_code.c     calls, returns, statements and blocks in a pass
 *   ask_calls.c    which return belongs to which call
 *   ask_data.c     stores and loads in a pass
 *   ask_log.c      events that the recording has
 *   ask_rows.c     rows, as they are found or the last ones
 *
 * The present stays where it is while a question is answered.
 */
#ifndef QUERY_ASK_H
#define QUERY_ASK_H

#include "base/error.h"
#include "base/types.h"
#include "query/subject.h"
#include "session/session.h"
#include "session/source.h"

enum ask_verb { ASK_FIND, ASK_COUNT, ASK_LIST, ASK_FIRST, ASK_LAST, ASK_GOTO };

enum ask_type {
    ASK_CALL, ASK_RETURN, ASK_LINE, ASK_BLOCK, ASK_STORE, ASK_LOAD, ASK_SYSCALL, ASK_SIGNAL,
    ASK_SWITCH, ASK_THREAD, ASK_FORK, ASK_EXEC, ASK_MAP, ASK_OUTPUT, ASK_EXCEPTION, ASK_ALLOC,
    ASK_FREE, ASK_TYPES,
};
const char *ask_type_name(enum ask_type type);

struct ask_context; /* a condition; see ask_internal.h */

struct ask_question {
    char *text; /* as it was asked, for errors */
    enum ask_verb verb;
    enum ask_type type;
    char *operand;               /* store, load: what is written or read; NULL: see `where` */
    struct ask_context *context; /* NULL: every event counts */
    char *from, *to;             /* words for moments; NULL: not said */
    /* goto: */
    char *start; /* "current", "first", "last" or words for a moment */
    enum session_direction direction;
    u64 count;
};

/* "count store x where changed".  An error has the question and a caret under the place. */
struct error *ask_parse(const char *text, struct ask_question **ret);
/* What follows `goto`.  *ret stays NULL if the text is no question, but words for a moment. */
struct error *ask_parse_goto(const char *text, struct ask_question **ret);
void ask_question_destroy(struct ask_question *q); /* accepts NULL */
/* Of store and load: the operand, or what `addr` is said to be; NULL: neither. */
const char *ask_question_memory(struct ask_question *q);
/* An error of this question, with a caret under the place. */
__attribute__((format(printf, 3, 4)))
struct error *ask_error(const struct ask_question *q, size_t place, const char *format, ...);

/* --- answers ---------------------------------------------------------------------------------- */

/* A value of a row.  Texts are valid while the row is handed out. */
struct ask_cell {
    const char *name;
    const char *text;
};

enum { ASK_CELLS_MOST = 24 };

struct ask_row {
    struct moment at; /* where `goto row N` goes */
    u32 thread;
    u64 pc;                /* the code that it happened in: */
    const char *function;  /* NULL: not known */
    const char *file;      /* NULL: not known */
    unsigned line;
    struct ask_cell cells[ASK_CELLS_MOST];
    size_t cell_count;
};

struct ask_answering {
    struct session *session;
    struct source *source;
    struct subject *memory;   /* store, load: what is written or read; lent */
    const struct show_settings *show;
    struct moment from, to;   /* events at `from` and later, before `to` */
    bool not_from;            /* those at `from` itself do not count */
    bool to_end;              /* and at `to`: it is the end of the track */
    bool backward;            /* the last events are wanted: `most` of them */
    u64 most;                 /* rows; 0: all */
    bool counts_only;         /* rows are counted, and not made */
    bool whole_calls;         /* call: rows have the result, too, and come when calls are over */
    const struct recording *rec;
    /* False: no more rows are wanted. */
    bool (*row)(void *context, const struct ask_row *row);
    void *context;
};

struct ask_answer {
    u64 count;         /* rows */
    bool more;         /* there are more than `most` */
    bool interrupted;
    struct moment reached; /* how far an interrupted pass came */
    char *note;        /* for the user, to be freed; NULL: none */
};

struct error *ask_answer(const struct ask_question *q, const struct ask_answering *how,
                         struct ask_answer *ret);

#endif
