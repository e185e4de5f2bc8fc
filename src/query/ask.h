/* Questions: what happened in a run, asked in one line.
 *
 *     list call where func = insert and n > 100
 *     count store total where changed from 25% to here
 *     current backward line 2 where stack = <**,main,*,walk> and src = <list.c,7>
 *
 * A question names a type of event, a context (a condition on the event), and a part of the run.
 * The idea and the form of `goto` are from Ji (Brown University, 1994); his names of types work,
 * too.
 *
 *   ask_parse.c    text to struct ask_question; errors have a caret under the place
 *   ask_leaf.c     one comparison of a context
 *   ask_context.c  evaluates a context for an event
 *   ask_sites.c    finds the functions that a question concerns
 *   ask.c          passes over the replay
 *   ask_code.c     calls, returns, statements and blocks in a pass
 *   ask_calls.c    matches returns with calls
 *   ask_data.c     stores and loads in a pass
 *   ask_log.c      events that are in the log
 *   ask_rows.c     rows of the answer: at once, or only the last ones
 *
 * The session does not move while a question is answered.
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
    ASK_SWITCH, ASK_THREAD, ASK_FORK, ASK_EXEC, ASK_MAP, ASK_OUTPUT, ASK_EVENT, ASK_EXCEPTION,
    ASK_ALLOC, ASK_FREE, ASK_TYPES,
};
const char *ask_type_name(enum ask_type type);

struct ask_context; /* a condition; see ask_internal.h */

struct ask_question {
    char *text; /* the question's text, for errors */
    enum ask_verb verb;
    enum ask_type type;
    char *operand; /* store, load: the memory that is written or read; NULL: see `where` */
    struct ask_context *context; /* NULL: every event counts */
    char *from, *to;             /* moments as the user wrote them; NULL: not given */
    /* goto: */
    char *start; /* "current", "first", "last" or a moment as the user wrote it */
    enum session_direction direction;
    u64 count;
};

/* Parses a question such as "count store x where changed". An error contains the question, with a
 * caret under the place. */
struct error *ask_parse(const char *text, struct ask_question **ret);
/* Parses the argument of `goto`. *ret stays NULL if the text is not a question but a moment. */
struct error *ask_parse_goto(const char *text, struct ask_question **ret);
void ask_question_destroy(struct ask_question *q); /* accepts NULL */
/* For store and load, the operand or the memory that `addr` is compared with; NULL: neither. */
const char *ask_question_memory(struct ask_question *q);
/* Makes an error for this question, with a caret under the place. */
__attribute__((format(printf, 3, 4)))
struct error *ask_error(const struct ask_question *q, size_t place, const char *format, ...);

/* --- answers ---------------------------------------------------------------------------------- */

/* A value of a row. Its texts are valid until the row function returns. */
struct ask_cell {
    const char *name;
    const char *text;
};

enum { ASK_CELLS_MOST = 24 };

struct ask_row {
    struct moment at; /* where `goto row N` goes */
    u32 thread;
    u64 pc;                /* the code where the event happened: */
    const char *function;  /* NULL: not known */
    const char *file;      /* NULL: not known */
    unsigned line;
    const char *text;      /* output: what was written; otherwise NULL */
    size_t text_size;
    u64 fd;                /* output: where it was written to */
    struct ask_cell cells[ASK_CELLS_MOST];
    size_t cell_count;
};

struct ask_answering {
    struct session *session;
    struct source *source;
    /* store, load: the memory that is written or read; the caller keeps it */
    struct subject *memory;
    const struct show_settings *show;
    struct moment from, to;   /* events at or after `from`, and before `to` */
    bool not_from;            /* without those at `from` itself */
    bool to_end;              /* including those at `to`, which is the end of the track */
    bool backward;            /* only the last `most` events are wanted */
    u64 most;                 /* maximum number of rows; 0: all */
    bool counts_only;         /* only count the rows */
    const u64 *points;        /* line: these instructions, instead of statements; or NULL */
    size_t point_count;
    char *const *shown;       /* line: expressions whose values rows have */
    size_t shown_count;
    bool whole_calls; /* call: rows also have the result, and come when the call has ended */
    const struct recording *rec;
    /* Gets a row. Returns false if no more rows are wanted. */
    bool (*row)(void *context, const struct ask_row *row);
    void *context;
};

struct ask_answer {
    u64 count;         /* rows */
    bool more;         /* there are more rows than `most` */
    bool interrupted;
    struct moment reached; /* how far the pass came, if interrupted */
    char *note;        /* a note for the user, which the caller frees; NULL: none */
};

struct error *ask_answer(const struct ask_question *q, const struct ask_answering *how,
                         struct ask_answer *ret);

#endif
