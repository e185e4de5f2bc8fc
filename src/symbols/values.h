/* Values: what a C or C++ expression means in a frame, and how it is shown.
 *
 *   types.c, type_text.c    types of DWARF, and how C writes them
 *   type_spelled.c, type_names.c    what ptype shows; names of templates
 *   lookup.c                what a name means in a frame
 *   name_index.c            names outside of functions
 *   link_order.c            modules as the dynamic linker has them
 *   variables.c             where a variable is: location lists, entry values, pieces,
 *                           thread-locals
 *   stretches.c             how it is kept in each part of its function's code
 *   linked_data.c           where the linker has put a variable that is only declared
 *   value.c                 bytes with a type
 *   parse.c, evaluate.c     expressions to trees, trees to values
 *   casts.c                 a value as another type; classes and their bases
 *   returned.c              what a function returned, by the calling convention
 *   assign.c                assignments, ++ and --, in a copy of the process
 *   callable.c, call.c      functions that an expression names; calling them in a copy
 *   arguments.c             which registers and which memory arguments are in
 *   library_calls.c         what functions of the C library take, if nothing else says it
 *   conveniences.c          $1, $name: values that outlive their evaluation
 *   compile.c               trees to agent bytecode, for conditions that run in the process
 *   show.c, show_text.c, show_json.c    values to text, and to JSON
 *   show_std.c, std_containers.c, std_holders.c    classes of the C++ library
 *   check.c                 whether an expression means something at a place
 *   complete.c              what a beginning can become
 *   listed.c                lists of names, by file
 *   siginfo.c               $_siginfo
 *   parts.c                 members and elements that lie in memory that has changed
 *   children.c              members and elements one level further in, to unfold a value
 *
 * A value that the compiler has optimised away, wholly or in part, is known as such.
 */
#ifndef SYMBOLS_VALUES_H
#define SYMBOLS_VALUES_H

#include "base/list.h"
#include "symbols/symbols.h"

struct value; /* belongs to its evaluation */

/* Where names are looked up: a frame of a thread.  Values live until the evaluation is closed. */
struct evaluation;
struct conveniences;

/* A function that is to be called: what is in registers and on the stack when it begins, and
 * when it has returned. */
struct values_call {
    u64 function;
    const char *name;
    u64 integers[6];
    u8 vectors[8][XMM_SIZE];
    unsigned integer_count, vector_count;
    const u8 *stack;
    size_t stack_size;
};
struct values_called {
    u64 rax_rdx[2];
    u8 vectors[2][XMM_SIZE]; /* xmm0, xmm1 */
    u8 stack[2][ST_SIZE];    /* st0, st1 */
};

/* How values become text: gdb's `set print`. */
enum { SHOW_UNLIMITED = 0x7fffffff };
struct show_settings {
    u32 elements;       /* of an array, characters of a string */
    u32 repeats;        /* more equal elements than this are one with a count */
    u32 max_depth;      /* structs in structs */
    bool pretty;        /* a member per line */
    bool array;         /* an element per line */
    bool array_indexes;
    bool address, symbol; /* of pointers */
    bool unions;        /* those in other structs */
    bool null_stop;     /* arrays of characters end at the first null */
    bool static_members;
    bool raw;           /* classes as they are declared */
    bool object;        /* values_whole_object() of what is printed */
};
extern const struct show_settings show_usual;

/* What expressions may do to the program: in a copy of it, which is what is looked at from then
 * on. */
struct values_actions {
    struct error *(*write)(void *context, u64 address, const void *from, size_t size);
    /* By gdb's name without `$`; of the innermost frame. */
    struct error *(*set_register)(void *context, const char *name, const u8 *bytes, size_t size);
    struct error *(*allocate)(void *context, u64 size, u64 *ret_address);
    /* An error if the function did not return. */
    struct error *(*call)(void *context, const struct values_call *call, struct values_called *ret);
};

enum { SIGINFO_BYTES = 128 };

struct values_request {
    const struct frame *frames; /* lent; [0] is innermost */
    size_t frame_count;
    size_t selected;
    /* The frame whose registers `$rax` and others are: that, or an inner one. */
    size_t registers;
    /* Inlined functions that are no frames, though the pc of the innermost ones is in them. */
    u32 not_entered;
    u64 fs_base;                /* for thread-locals */
    /* Names mean what they mean in the code at names_pc, in the function that is further out than
     * so many inlined ones there; what has no value where the frame is now counts as optimised out.
     * 0: where the frame is. */
    u64 names_pc;
    size_t names_inlined;
    /* Registers that frames do not hold: vector, x87, segments; by gdb's name without `$`; may
     * be NULL. */
    bool (*named_register)(void *context, const char *name, u8 *bytes, size_t *size);
    const struct values_actions *actions; /* NULL: assignments and calls are refused */
    struct conveniences *conveniences;    /* NULL: there are none */
    const struct show_settings *show;     /* lent; NULL: show_usual */
    const u8 *siginfo;                    /* SIGINFO_BYTES, lent; NULL: no signal is taken now */
    void *context;
};
struct error *values_open(struct symbols *s, const struct values_request *request,
                          struct evaluation **ret);
void values_close(struct evaluation *v); /* accepts NULL */

/* Errors are one sentence: does not parse, names nothing, is optimised out, points to memory that
 * is not there, assigns or
 * calls where that is refused. */
struct error *values_evaluate(struct evaluation *v, const char *expression, struct value **ret);

/* A sentence about the symbol that a name was taken for, if scope did not decide between
 * several; NULL: it did. */
const char *values_note(const struct evaluation *v);

/* A function of the symbol tables, by the linker's name. */
bool values_symbol(struct evaluation *v, const char *name, u64 *ret_address);

bool value_is_void(struct value *value);

/* Text as gdb would print it.  `format` is 0, or a letter of x d u o t a c f s z.  To be freed. */
char *value_show(struct value *value, char format);
/* Whether such a format has a meaning for the value: an error says why not. */
struct error *value_format_check(struct value *value, char format);
/* The same for a unit of memory: with all its digits. */
char *value_show_unit(struct value *value, char format);
/* The characters from there on; how many there are, with the null at the end.  To be freed. */
u64 value_show_string(struct value *value, char **ret);
/* Memory as one of C's own types ("int32_t"); NULL: there is no such type. */
struct value *values_at(struct evaluation *v, const char *type, u64 address);
/* Its bytes, all of which must be known; to be freed. */
struct error *value_contents(struct value *value, u8 **ret, u64 *ret_size);
struct value *values_pointer(struct evaluation *v, u64 address); /* void * */
/* A pointer to the value; NULL: it is not in memory. */
struct value *value_address_of(struct value *value);
/* The same in a list of variables, where pointers have no type before them; and in a line of a
 * backtrace, where what has parts is "...", unless it is a text.  To be freed. */
char *value_show_variable(struct value *value);
char *value_show_argument(struct value *value);
char *value_type(struct value *value);       /* to be freed */
/* One JSON value; to be freed. */
char *value_json(struct value *value);
/* A pointer to an object, or the object, as the class that its table of virtual functions says it
 * is; the value itself if that is not known, or a pointer has that class already. */
struct value *values_whole_object(struct value *value);
struct error *value_truth(struct value *value, bool *ret);
struct error *value_integer(struct value *value, i64 *ret);
/* An integer of the size of a floating-point type is the number that its bits make. */
struct error *value_floating(struct value *value, long double *ret);
/* The characters of an array, or of what it points to, up to the null: UTF-8.  With `wide` they are
 * of 4 bytes.  NULL for a null pointer; to be freed. */
struct error *value_text(struct value *value, bool wide, char **ret);
/* How its bytes are a number: 'd' signed, 'u' unsigned, 'f' floating point, of 1, 2, 4 or 8
 * bytes; 0: not simply. */
char value_number_kind(struct value *value);

bool value_function(struct value *value, u64 *ret_address); /* false: it is no function */
/* None of it is known: the compiler has optimised it away. */
bool value_is_gone(const struct value *value);
/* Where it lies: memory, and how much; false: in a register, computed, or in parts. */
bool value_memory(struct value *value, u64 *ret_address, u64 *ret_size);
/* A bit-field's bits in the bytes of value_memory(), from the lowest of the first; false: not a
 * bit-field. */
bool value_bits(struct value *value, u32 *ret_offset, u32 *ret_size);
/* All bytes of memory that the value was read from: pointers followed on the way, too; *ret to
 * be freed.  For a watch. */
struct value_source { u64 address, size; };
void value_sources(struct value *value, struct value_source **ret, size_t *ret_count);

/* Variables of the frame: parameters (true) or locals, of all blocks around the pc, innermost
 * first.  For each: name and value, or why there is none.  *ret is the evaluation's. */
struct variable {
    const char *name;
    struct value *value;  /* NULL: */
    const char *missing;  /* "optimised out", ... */
    /* Of a parameter: what it was at the entry of the function; NULL: not known. */
    struct value *entry;
    unsigned line;
    bool hidden;          /* by one of the same name further in */
};
/* Variables of the blocks around the place where names are looked up, innermost first, without
 * their values. */
struct scope_variable {
    const char *name, *declaration;
    u64 size;
    bool is_parameter;
};
struct error *values_scope(struct evaluation *v, struct scope_variable **ret, size_t *ret_count);
struct error *values_variables(struct evaluation *v, bool parameters, struct variable **ret,
                               size_t *ret_count);

/* The message of a panic of Rust, from the two words that its function rust_panic is called with;
 * NULL: it is not known. To be freed. */
char *values_panic_message(struct evaluation *v, const u64 payload[2]);
bool value_same(struct value *a, struct value *b); /* the same bytes, all of them known */

/* Types by name or of an expression: "struct node", "head->next"; *ret to be freed. */
enum ptype_manner { PTYPE_NAME, PTYPE_BODY, PTYPE_OFFSETS };
struct error *values_ptype(struct evaluation *v, const char *what, enum ptype_manner manner,
                           char **ret);

/* Names of the program outside of functions (listed.c), in the order in which they are shown. */
enum listed_kind { LISTED_FUNCTIONS, LISTED_VARIABLES, LISTED_TYPES };
struct listed_name {
    const char *file; /* NULL: none */
    unsigned line;    /* 0: not known */
    const char *name;
    const char *text; /* its declaration; NULL of a symbol */
    bool is_symbol;   /* it is in a symbol table, and not in debug information: */
    u64 address;
};
/* Those that fit a regular expression (basic, of POSIX); "": all.  *ret is the evaluation's. */
struct error *values_listed(struct evaluation *v, enum listed_kind kind, const char *wanted,
                            struct listed_name **ret, size_t *ret_count);

/* What a function that has just returned left: its value; NULL in *ret if it returns nothing. */
struct error *values_returned(struct evaluation *v, u64 function, const u64 rax_rdx[2],
                              struct value **ret);

/* An error if it means nothing in the code at the place: it does not parse, or there is
 * something in it that has no such name there. */
struct error *values_check(struct evaluation *v, const char *expression, struct code_place place);

/* As agent bytecode (log/control.h), true if not 0; evaluated in the frame whose code is at the
 * place, with that frame on top of the stack.  An error says what cannot be compiled. */
struct error *values_compile(struct evaluation *v, const char *expression, struct code_place place,
                             u8 **ret, size_t *ret_size);

/* The same for the evaluation's own frame as it lies now: what is relative to the frame has a fixed
 * address, and the code may run anywhere as long as the frame is there. Values in registers cannot
 * be compiled this way. */
struct error *values_compile_fixed(struct evaluation *v, const char *expression, u8 **ret,
                                   size_t *ret_size);

/* Is it a comparison or a logical expression?  An error if it does not parse. */
struct error *values_is_condition(struct evaluation *v, const char *expression, bool *ret);

/* What the values found in the evaluation depended on since it was opened. */
enum {
    VALUES_FRAME = 1,     /* where the frame lies */
    VALUES_REGISTERS = 2, /* what is in its registers */
    VALUES_NO_MEMORY = 4, /* memory that is not there: at another moment it may be */
    VALUES_MOVES = 8,     /* the pc: the compiler keeps it elsewhere in other parts of the
                           * function */
    VALUES_GONE = 16,     /* what is optimised out at this pc */
    VALUES_CONSTANT = 32, /* a variable that the compiler has made a constant */
};
u32 values_uses(const struct evaluation *v);
/* How many inlined functions are further in than the selected frame: names_inlined for the place
 * of its pc. */
size_t values_inlined_before(const struct values_request *q);

/* How the variables that VALUES_MOVES or VALUES_CONSTANT speaks of are kept at an address of
 * their function. */
enum variable_keeping {
    KEPT_NOWHERE,
    KEPT_IN_MEMORY,
    KEPT_IN_REGISTERS,
    KEPT_BY_CALLER,
    KEPT_AS_CONSTANT
};
/* Their names, in the order in which they were met; NULL: there are no more. */
const char *values_moving(const struct evaluation *v, size_t index);
enum variable_keeping values_kept(struct evaluation *v, size_t index, u64 pc);

/* --- unfolding a value (children.c) ----------------------------------------------------------- */

/* A member, an element, a base class, or what a pointer points to.  All is the evaluation's. */
struct value_child {
    const char *name;   /* "next", "[3]", "[\"key\"]", "*" */
    struct value *value;
    /* What follows the parent's expression to name it: ".x", "->x", "[3]"; "*": it stands before;
     * "": the same expression; NULL: there is no expression for it. */
    const char *path;
};
/* How many there are; *ret_indexed: they are elements, by number. */
u64 value_child_count(struct value *value, bool *ret_indexed);
/* Adds those from `first` on, at most `count`, to a list of struct value_child. */
void value_children(struct value *value, u64 first, u64 count, struct list *ret);

/* --- what memory that has changed means (parts.c) --------------------------------------------- */

struct memory_range { u64 start, end; };
/* The first range that ends after the address. */
size_t memory_ranges_find(const struct memory_range *ranges, size_t count, u64 address);

/* A variable, or the member or element of one, that is shown whole. */
struct changed_part {
    u64 key;         /* of the variable, or the address of the object: the same at all moments */
    char *path;      /* "table[2].show" */
    size_t root;     /* characters of it that are the variable's name; 0: it is what a pointer
                      * leads to */
    char *name;      /* that an expression finds it by, in place of those; NULL: they will do */
    char *text;      /* NULL: optimised out */
    u8 *bytes;       /* NULL: not known as such */
    u64 size, address;
    bool is_bits, in_memory, is_wanted;
    bool is_holder;  /* of elements that lie elsewhere: its text tells whether it has changed */
    const char *library; /* of the system, which keeps it: it is told whole, without text; NULL:
                          * it is the program's */
};
/* Is the file a library of the system: one that is not part of the program being debugged? */
bool symbols_is_system_library(const char *path);

/* What a pointer leads to. */
struct value_object {
    u64 address;
    const void *type_die;
    void *die, *module; /* parts.c knows them */
    char *path;      /* of the pointer */
    unsigned depth;
    u64 told;        /* bytes that are among the parts; 0: it is not */
};

struct parts {
    const struct memory_range *wanted; /* sorted, lent */
    size_t wanted_count;
    struct list list;    /* struct changed_part */
    struct list covered; /* struct memory_range: where variables lie that were looked at */
    struct list objects; /* struct value_object */
    bool is_cut;         /* there are more parts */
};
#define PARTS                                                                                      \
    ((struct parts){.list = LIST(struct changed_part),                                             \
                    .covered = LIST(struct memory_range),                                          \
                    .objects = LIST(struct value_object)})
void parts_clear(struct parts *p); /* but for the objects */
void parts_deinit(struct parts *p);

/* Add parts.  `roots`: pointers become objects, too. */
void values_parts_of_globals(struct evaluation *v, struct parts *p, bool roots);
void values_parts_of_frame(struct evaluation *v, struct parts *p, bool roots); /* wanted or not */
/* `find_more`: what pointers in them lead to, too. */
void values_parts_of_objects(struct evaluation *v, struct parts *p, bool find_more);

/* --- values that outlive their evaluation: $1, $$2, $name
 * -------------------------------------------------------- */

void conveniences_create(struct conveniences **ret);
void conveniences_destroy(struct conveniences *c); /* accepts NULL */
/* The next value of the history: *ret is its number.  One that cannot be kept is an error, and
 * has none. */
struct error *conveniences_record(struct value *value, u64 *ret);
/* number of the history's last; 0: there is none */
u64 conveniences_last(const struct conveniences *c);
/* `name` without `$`. */
struct error *conveniences_define(struct value *value, const char *name);
void conveniences_forget(struct conveniences *c, const char *name); /* it is void again */
void conveniences_define_integer(struct conveniences *c, const char *name, i64 i);
/* By their number from 0, newest first; NULL: there are no more. */
const char *conveniences_name(const struct conveniences *c, size_t index);

/* Members and variables that begin so, for completion: the whole text with its last word
 * completed; *ret and its strings to be freed. */
void values_complete(struct evaluation *v, const char *beginning, size_t most, char ***ret,
                     size_t *ret_count);

#endif
