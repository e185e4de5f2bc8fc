/* What the files of questions share: contexts and events.
 *
 * A context is a tree of and, or, not and leaves, each a comparison. An event has the attributes
 * known so far. A leaf about an attribute that is not known yet is unknown, not false. A look is a
 * moment of the replay at which frames and expressions of the program can be evaluated.
 */
#ifndef QUERY_ASK_INTERNAL_H
#define QUERY_ASK_INTERNAL_H

#include <regex.h>

#include "base/list.h"
#include "query/ask.h"
#include "symbols/values.h"

/* The attributes of events. */
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
    LEAF_NAME,       /* a text attribute is compared with a pattern */
    LEAF_NUMBER,     /* a numeric attribute is compared with a literal */
    LEAF_SRC,        /* <file,line> */
    LEAF_STACK,      /* <**,a,*,b> */
    LEAF_CHANGED,
    /* an expression of the program; attributes in it are replaced by their numbers */
    LEAF_EXPRESSION,
    LEAF_TEXT,       /* an expression of the program that is text is compared with a pattern */
};

struct ask_context {
    enum ask_operation operation;
    struct ask_context *left, *right; /* for NOT, right is NULL */
    enum ask_leaf_kind kind;
    enum ask_attribute attribute;
    unsigned index;            /* of arg[] */
    enum ask_compare compare;
    char *text;                /* a pattern, a file, an expression */
    i64 number;                /* LEAF_NUMBER; or a line */
    bool is_regex;
    regex_t regex;             /* if is_regex */
    struct list names;         /* char *: the names of a stack pattern, outermost first */
    u32 uses;                  /* bits: attributes used in the expression */
    size_t place;              /* offset in the question's text */
    /* what `addr` is compared with: an expression or a range; NULL: not such a leaf */
    char *memory;
    bool is_compiled;          /* the sites of the pass already ensure it */
};

struct ask_cursor {
    const struct ask_question *q;
    const char *at, *end;
};

/* ask_leaf.c: parses the leaf between `at` and `end`. */
struct error *ask_leaf_parse(const struct ask_question *q, const char *at, const char *end,
                             struct ask_context **ret);
void ask_context_destroy(struct ask_context *c); /* accepts NULL */
bool ask_find_attribute(const char *word, size_t length, enum ask_attribute *ret);
const char *ask_attribute_name(enum ask_attribute a);
/* True if events of the type have the attribute. */
bool ask_type_has(enum ask_type type, enum ask_attribute a);
/* length of a C identifier; 0: none begins here */
size_t ask_word_length(const char *at, const char *end);
/* Returns the place after the matching bracket or quote; NULL: there is none. */
const char *ask_pass_bracket(const char *at, const char *end);

enum ask_truth { ASK_FALSE, ASK_TRUE, ASK_UNKNOWN };

/* An event, as far as it is known. `known` has a bit for each known attribute. */
struct ask_event {
    enum ask_type type;
    struct moment at;
    u32 thread;
    u64 pc;                 /* the address whose function and line are meant */
    u32 known;
    const char *function, *file; /* NULL: there is none */
    char *caller;
    unsigned line;
    u64 addr, size, ret, nr, fd;
    i64 bytes;
    u64 args[6];
    unsigned arg_count;
    i64 old_number, new_number;
    bool has_numbers;       /* old and new are valid as numbers */
    double old_floating, new_floating;
    bool is_floating;
    bool changed;
    const char *name;
    const char *text;
    size_t text_size;
};

/* A moment of the replay at which frames and expressions can be evaluated. */
struct ask_look {
    struct session *session;
    struct source *source;
    struct symbols *symbols;
    const struct show_settings *show;
    u32 thread; /* the thread whose frames are used; CONTROL_THREAD_ANY: the one that runs */
    bool outermost_inlined; /* evaluate in the function itself, not in one inlined there */
    /* a function that has just returned and counts as part of the stack; or NULL */
    const char *returned;
    /* made when needed: */
    struct frame *frames;
    size_t frame_count;
    bool has_all;           /* frames */
    struct evaluation *evaluation;
};
void ask_look_end(struct ask_look *look);
struct error *ask_look_frames(struct ask_look *look, bool all);
struct error *ask_look_evaluation(struct ask_look *look, struct evaluation **ret);

/* Evaluates the context. Without a look, parts that need one are unknown. If c is NULL, it
 * holds. */
struct error *ask_holds(const struct ask_context *c, const struct ask_event *e,
                        struct ask_look *look, enum ask_truth *ret);
/* True if the context can need a look at the program. */
bool ask_needs_look(const struct ask_context *c);
/* Bits: the attributes that the context uses. */
u32 ask_attributes_used(const struct ask_context *c);
bool ask_name_fits(const char *pattern, const char *name);

/* --- places: ask_sites.c ---------------------------------------------------------------------- */

struct ask_function {
    u64 entry, body;
    const char *name; /* without parameters or qualifiers; owned by the set */
    const char *file;
    unsigned line;
    /* which parameters can be read without a stop; ask_calls.c */
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
    u64 inlined; /* number of places where one of them is inlined, which are not calls */
};
/* Finds all functions that the question may concern. */
struct error *ask_functions_find(const struct ask_question *q, struct symbols *symbols,
                                 struct ask_functions *ret);
/* Finds the functions with these names. */
void ask_functions_named(struct symbols *symbols, const char *const *names, size_t count,
                         struct ask_functions *ret);
void ask_functions_deinit(struct ask_functions *f);
struct ask_function *ask_function_at(const struct ask_functions *f, u64 entry); /* NULL: none */
/* Fills in function, file and line of the event's code. */
void ask_event_place(struct symbols *symbols, struct ask_event *e);

#endif
