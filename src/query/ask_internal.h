/* What the files of questions share: contexts and events.
 *
 * A context is a tree of and, or, not and leaves, each a comparison.  An event has what is known of
 * it so far; what is not known yet makes a leaf unknown, not false.  A look is a moment of the
 * replay at which frames and expressions of the program can be evaluated.
 */
#ifndef QUERY_ASK_INTERNAL_H
#define QUERY_ASK_INTERNAL_H

#include <regex.h>

#include "base/list.h"
#include "query/ask.h"
#include "symbols/values.h"

/* What an event has. */
enum ask_attribute {
    HAS_FUNC, HAS_CALLER, HAS_FILE, HAS_LINE, HAS_SRC, HAS_STACK, HAS_THREAD, HAS_TICK, HAS_PC,
    HAS_ADDR, HAS_SIZE, HAS_OLDVAL, HAS_NEWVAL, HAS_CHANGED, HAS_ARG, HAS_RET, HAS_NR, HAS_NAME,
    HAS_FD, HAS_BYTES, HAS_TEXT, HAS_ATTRIBUTES,
};

enum ask_compare {
    IS_SAME, IS_OTHER, IS_LESS, IS_AT_MOST, IS_MORE, IS_AT_LEAST, IS_LIKE, IS_UNLIKE,
};

enum ask_operation { ASK_AND, ASK_OR, ASK_NOT, ASK_LEAF };

enum ask_leaf_kind {
    LEAF_NAME,       /* an attribute that is text, and a pattern */
    LEAF_NUMBER,     /* an attribute that is a number, and a literal */
    LEAF_SRC,        /* <file,line> */
    LEAF_STACK,      /* <**,a,*,b> */
    LEAF_CHANGED,
    LEAF_EXPRESSION, /* of the program; attributes in it are replaced by their numbers */
    LEAF_TEXT,       /* an expression of the program that is text, and a pattern */
};

struct ask_context {
    enum ask_operation operation;
    struct ask_context *left, *right; /* right NULL: NOT */
    enum ask_leaf_kind kind;
    enum ask_attribute attribute;
    unsigned index;            /* of arg[] */
    enum ask_compare compare;
    char *text;                /* a pattern, a file, an expression */
    i64 number;                /* of LEAF_NUMBER; a line */
    bool is_regex;
    regex_t regex;             /* if is_regex */
    struct list names;         /* char *: of a stack, outermost first */
    u32 uses;                  /* bits: attributes in an expression */
    size_t place;              /* in the question */
    char *memory;              /* what `addr` is said to be: an expression or a range; NULL */
    bool is_compiled;          /* the sites of a pass see to it */
};

struct ask_cursor {
    const struct ask_question *q;
    const char *at, *end;
};

/* ask_leaf.c: the leaf that the text between the two is. */
struct error *ask_leaf_parse(const struct ask_question *q, const char *at, const char *end,
                             struct ask_context **ret);
void ask_context_destroy(struct ask_context *c); /* accepts NULL */
bool ask_find_attribute(const char *word, size_t length, enum ask_attribute *ret);
const char *ask_attribute_name(enum ask_attribute a);
/* Does an event of the type have it? */
bool ask_type_has(enum ask_type type, enum ask_attribute a);
size_t ask_word_length(const char *at, const char *end); /* of a name of C; 0: none begins here */
/* From an opening bracket or a quote to behind its end; NULL: it has none. */
const char *ask_pass_bracket(const char *at, const char *end);

enum ask_truth { ASK_FALSE, ASK_TRUE, ASK_UNKNOWN };

/* An event, as far as it is known.  `known` has a bit for each attribute. */
struct ask_event {
    enum ask_type type;
    struct moment at;
    u32 thread;
    u64 pc;                 /* whose function and line are meant */
    u32 known;
    const char *function, *file; /* NULL: there is none */
    char *caller;
    unsigned line;
    u64 addr, size, ret, nr, fd;
    i64 bytes;
    u64 args[6];
    unsigned arg_count;
    i64 old_number, new_number;
    bool has_numbers;       /* old and new are numbers */
    double old_floating, new_floating;
    bool is_floating;
    bool changed;
    const char *name;
    const char *text;
    size_t text_size;
};

/* A moment of the replay that can be looked at: frames and expressions. */
struct ask_look {
    struct session *session;
    struct source *source;
    struct symbols *symbols;
    const struct show_settings *show;
    u32 thread;             /* whose frames; CONTROL_THREAD_ANY: of the one that runs */
    bool outermost_inlined; /* expressions are those of the function, not of one inlined there */
    const char *returned;   /* a function that has just returned belongs to the stack; or NULL */
    /* made when they are needed: */
    struct frame *frames;
    size_t frame_count;
    bool has_all;           /* frames */
    struct evaluation *evaluation;
};
void ask_look_end(struct ask_look *look);
struct error *ask_look_frames(struct ask_look *look, bool all);
struct error *ask_look_evaluation(struct ask_look *look, struct evaluation **ret);

/* Does the context hold?  Without a look, what has to be looked at is unknown.  c NULL: it does. */
struct error *ask_holds(const struct ask_context *c, const struct ask_event *e,
                        struct ask_look *look, enum ask_truth *ret);
/* Must something be looked at to know it? */
bool ask_needs_look(const struct ask_context *c);
/* Bits: attributes that it speaks of. */
u32 ask_attributes_used(const struct ask_context *c);
bool ask_name_fits(const char *pattern, const char *name);

/* --- places: ask_sites.c ---------------------------------------------------------------------- */

struct ask_function {
    u64 entry, body;
    const char *name; /* bare; of the set */
    const char *file;
    unsigned line;
    /* how parameters are found out without a stop; ask_calls.c */
    unsigned trusted, parameters;
    bool is_untrusted;
    bool returns_seen, returns_number, returns_nothing;
    char *names[6];
    char kinds[6]; /* value_number_kind(), or 'p' */
    u8 sizes[6];
};

struct ask_functions {
    struct ask_function *list; /* by entry */
    size_t count;
    struct list strings;       /* char * */
    u64 inlined;               /* places where one of them is inlined, which are no calls */
};
/* All that the question may be about. */
struct error *ask_functions_find(const struct ask_question *q, struct symbols *symbols,
                                 struct ask_functions *ret);
/* Those of the names. */
void ask_functions_named(struct symbols *symbols, const char *const *names, size_t count,
                         struct ask_functions *ret);
void ask_functions_deinit(struct ask_functions *f);
struct ask_function *ask_function_at(const struct ask_functions *f, u64 entry); /* NULL: none */
/* Where code is: fills in function, file and line. */
void ask_event_place(struct symbols *symbols, struct ask_event *e);

#endif
