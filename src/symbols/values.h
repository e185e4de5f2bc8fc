/* Values: evaluates expressions in a frame, and shows the results.
 *
 *   types.c, type_text.c    types of DWARF, and how C writes them
 *   type_spelled.c, type_names.c    what ptype shows; names of templates
 *   lookup.c                what a name means in a frame
 *   name_index.c            names outside of functions
 *   link_order.c            modules in the dynamic linker's order
 *   variables.c             where a variable is: location lists, entry values, pieces,
 *                           thread-locals
 *   stretches.c             how it is kept in each part of its function's code
 *   linked_data.c           where the linker has put a variable that is only declared
 *   value.c                 bytes with a type
 *   parse.c, evaluate.c     expressions to trees, trees to values
 *   casts.c                 a value as another type; classes and their bases
 *   returned.c              the result of a function, by the calling convention
 *   assign.c                assignments, ++ and --, in a copy of the process
 *   callable.c, call.c      functions that an expression names; calling them in a copy
 *   arguments.c             which registers and which memory arguments are in
 *   library_calls.c         parameters of C library functions without debug information
 *   conveniences.c          $1, $name: values that outlive their evaluation
 *   internal_functions.c    $_strlen(text) and others
 *   compile.c               trees to agent bytecode, for conditions that run in the process
 *   show.c, show_text.c, show_json.c    values to text, and to JSON
 *   show_std.c, std_containers.c, std_holders.c    classes of the C++ library
 *   check.c                 checks that the names of an expression are known at a place
 *   complete.c              completion of names
 *   listed.c                lists of names, by file
 *   siginfo.c               $_siginfo
 *   parts.c                 members and elements in memory that has changed
 *   children.c              members and elements of a value, one level deep
 *
 * A value that the compiler has optimized away, wholly or in part, is marked as such.
 */
#ifndef SYMBOLS_VALUES_H
#define SYMBOLS_VALUES_H

#include "base/list.h"
#include "symbols/symbols.h"

struct value; /* belongs to its evaluation */

/* A frame of a thread, in which names are looked up. Values live until the evaluation is closed. */
struct evaluation;
struct conveniences;

/* A call of a function: registers and stack at its entry, and after its return. */
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

/* How values are shown: gdb's `set print`. */
enum { SHOW_UNLIMITED = 0x7fffffff };
struct show_settings {
    u32 elements;       /* maximum number of array elements and string characters */
    u32 repeats;        /* more equal elements than this are shown once, with a count */
    u32 max_depth;      /* of nested structs */
    bool pretty;        /* one member per line */
    bool array;         /* one element per line */
    bool array_indexes;
    bool address, symbol; /* of pointers */
    bool unions;        /* unions inside of other structs */
    bool null_stop;     /* arrays of characters end at the first null */
    bool static_members;
    bool raw;           /* show classes as they are declared */
    bool object;        /* show the object as its dynamic type: values_whole_object() */
};
extern const struct show_settings show_usual;

/* How expressions change the program: in a copy of the process, which is shown from then on. */
struct values_actions {
    struct error *(*write)(void *context, u64 address, const void *from, size_t size);
    /* By gdb's name without `$`, in the innermost frame. */
    struct error *(*set_register)(void *context, const char *name, const u8 *bytes, size_t size);
    struct error *(*allocate)(void *context, u64 size, u64 *ret_address);
    /* Returns an error if the function did not return. */
    struct error *(*call)(void *context, const struct values_call *call, struct values_called *ret);
};

enum { SIGINFO_BYTES = 128 };

struct values_request {
    const struct frame *frames; /* owned by the caller; [0] is innermost */
    size_t frame_count;
    size_t selected;
    /* Finds all frames, if `frames` may have only the inner ones; NULL: it has all that are wanted.
     * *ret is a copy, to be freed. */
    bool (*all_frames)(void *context, struct frame **ret, size_t *ret_count);
    /* The frame whose registers `$rax` and others are: the selected one, or one inside of it. */
    size_t registers;
    /* Number of inlined functions that count as not yet entered, though the pc of the innermost
     * frame is in them. */
    u32 not_entered;
    u64 fs_base;                /* for thread-locals */
    /* If not 0, names are looked up in the code at names_pc, in the function outside of this many
     * inlined ones there; a variable that has no value where the frame is now counts as optimized
     * out. 0: names are looked up where the frame is. */
    u64 names_pc;
    size_t names_inlined;
    /* Reads registers that are not part of frames: vector, x87, segments; by gdb's name without
     * `$`; may be NULL. */
    bool (*named_register)(void *context, const char *name, u8 *bytes, size_t *size);
    const struct values_actions *actions; /* NULL: assignments and calls are refused */
    struct conveniences *conveniences;    /* NULL: there are none */
    const struct show_settings *show;     /* owned by the caller; NULL: show_usual */
    const u8 *siginfo; /* SIGINFO_BYTES bytes, owned by the caller; NULL: there is no signal now */
    void *context;
};
struct error *values_open(struct symbols *s, const struct values_request *request,
                          struct evaluation **ret);
void values_close(struct evaluation *v); /* accepts NULL */

/* Evaluates an expression. An error is one sentence: the expression does not parse, names nothing,
 * is optimized out, points to unmapped memory, or assigns or calls where that is refused. */
struct error *values_evaluate(struct evaluation *v, const char *expression, struct value **ret);

/* Returns a sentence about which symbol was taken, if scope did not decide between several of the
 * same name; otherwise NULL. */
const char *values_note(const struct evaluation *v);

/* Finds a function in the symbol tables, by its linkage name. */
bool values_symbol(struct evaluation *v, const char *name, u64 *ret_address);

bool value_is_void(struct value *value);

/* Returns the text that gdb would print. `format` is 0 or one of x d u o t a c f s z. The caller
 * frees it. */
char *value_show(struct value *value, char format);
/* Returns an error if the format is not possible for the value. */
struct error *value_format_check(struct value *value, char format);
/* The same for a unit of memory, with all its digits. */
char *value_show_unit(struct value *value, char format);
/* Returns the string that begins there, and its number of characters including the null terminator.
 * The caller frees it. */
u64 value_show_string(struct value *value, char **ret);
/* Returns memory as a basic C type ("int32_t"); NULL: there is no such type. */
struct value *values_at(struct evaluation *v, const char *type, u64 address);
/* Returns its bytes, all of which must be known; the caller frees them. */
struct error *value_contents(struct value *value, u8 **ret, u64 *ret_size);
struct value *values_pointer(struct evaluation *v, u64 address); /* void * */
/* Returns a pointer to the value; NULL: it is not in memory. */
struct value *value_address_of(struct value *value);
/* value_show_variable: as in a list of variables, where pointers are shown without their type.
 * value_show_argument: as in a backtrace, where a value with parts is shown as "...", unless it is
 * text. The caller frees the text. */
char *value_show_variable(struct value *value);
char *value_show_argument(struct value *value);
char *value_type(struct value *value);       /* the caller frees it */
/* Returns one JSON value; the caller frees it. */
char *value_json(struct value *value);
/* Converts an object, or a pointer to one, to the class that its table of virtual functions tells.
 * Returns the value itself if that is not known, or is already the pointer's class. */
struct value *values_whole_object(struct value *value);
struct error *value_truth(struct value *value, bool *ret);
struct error *value_integer(struct value *value, i64 *ret);
/* An integer with the size of a floating-point type gives the number with its bits. */
struct error *value_floating(struct value *value, long double *ret);
/* Returns the characters of an array, or those that a pointer points to, up to the null, as UTF-8.
 * With `wide`, characters have 4 bytes. NULL for a null pointer; the caller frees it. */
struct error *value_text(struct value *value, bool wide, char **ret);
/* True for a pointer to plain characters, and for an array of them. */
bool value_is_text(const struct value *value);
/* How the bytes form a number: 'd' signed, 'u' unsigned, 'f' floating point, of 1, 2, 4 or 8 bytes;
 * 0: not a simple number. */
char value_number_kind(struct value *value);

bool value_function(struct value *value, u64 *ret_address); /* false: it is not a function */
/* True if the compiler has optimized all of it away. */
bool value_is_gone(const struct value *value);
/* Returns its address and size in memory; false: it is in a register, computed, or in pieces. */
bool value_memory(struct value *value, u64 *ret_address, u64 *ret_size);
/* Returns the position of a bit-field within the bytes of value_memory(), from the lowest bit of
 * the first; false: not a bit-field. */
bool value_bits(struct value *value, u32 *ret_offset, u32 *ret_size);
/* Returns all memory that the value was read from, including pointers that were followed; the
 * caller frees *ret. Used for watching. */
struct value_source { u64 address, size; };
void value_sources(struct value *value, struct value_source **ret, size_t *ret_count);

/* Returns the frame's parameters (true) or locals, of all blocks around the pc, innermost first.
 * Each has a name and a value, or the reason why it has none. *ret is owned by the evaluation. */
struct variable {
    const char *name;
    struct value *value;  /* NULL: */
    const char *missing;  /* "optimised out", ... */
    /* For a parameter: its value at the entry of the function; NULL: not known. */
    struct value *entry;
    unsigned line;
    bool hidden;          /* hidden by an inner variable of the same name */
};
/* Returns the variables of the blocks around the place where names are looked up, innermost first,
 * without values. */
struct scope_variable {
    const char *name, *declaration;
    u64 size;
    bool is_parameter;
};
struct error *values_scope(struct evaluation *v, struct scope_variable **ret, size_t *ret_count);
struct error *values_variables(struct evaluation *v, bool parameters, struct variable **ret,
                               size_t *ret_count);

/* Returns the message of a Rust panic, from the two words of rust_panic's argument; NULL: it is not
 * known. The caller frees it. */
char *values_panic_message(struct evaluation *v, const u64 payload[2]);
/* true if both have the same bytes, all of them known */
bool value_same(struct value *a, struct value *b);

/* Describes types, by name or of an expression: "struct node", "head->next"; the caller frees
 * *ret. */
enum ptype_manner { PTYPE_NAME, PTYPE_BODY, PTYPE_OFFSETS };
struct error *values_ptype(struct evaluation *v, const char *what, enum ptype_manner manner,
                           char **ret);

/* Names of the program outside of functions (listed.c), in the order in which they are shown. */
enum listed_kind { LISTED_FUNCTIONS, LISTED_VARIABLES, LISTED_TYPES };
struct listed_name {
    const char *file; /* NULL: none */
    unsigned line;    /* 0: not known */
    const char *name;
    const char *text; /* its declaration; NULL for a symbol */
    bool is_symbol;   /* it is only in a symbol table, not in debug information: */
    u64 address;
};
/* Lists names that match a regular expression (POSIX basic); "": all. *ret is owned by the
 * evaluation. */
struct error *values_listed(struct evaluation *v, enum listed_kind kind, const char *wanted,
                            struct listed_name **ret, size_t *ret_count);

/* Returns the result of a function that has just returned; *ret is NULL if it returns nothing. */
struct error *values_returned(struct evaluation *v, u64 function, const u64 rax_rdx[2],
                              struct value **ret);

/* Returns an error if the expression does not parse, or contains a name that is not known in the
 * code at the place. */
struct error *values_check(struct evaluation *v, const char *expression, struct code_place place);

/* Compiles an expression to agent bytecode (log/control.h), which is true if not 0. It is evaluated
 * when the code at the place is executed, in the innermost frame. An error says what cannot be
 * compiled. */
struct error *values_compile(struct evaluation *v, const char *expression, struct code_place place,
                             u8 **ret, size_t *ret_size);

/* The same for the evaluation's own frame. What is relative to the frame becomes a fixed address,
 * so the code may run anywhere as long as the frame exists. Values in registers cannot be compiled
 * this way. */
struct error *values_compile_fixed(struct evaluation *v, const char *expression, u8 **ret,
                                   size_t *ret_size);

/* Sets *ret if the text is a comparison or a logical expression. Returns an error if it does not
 * parse. */
struct error *values_is_condition(struct evaluation *v, const char *expression, bool *ret);

/* What the values of the evaluation depended on since it was opened. */
enum {
    VALUES_FRAME = 1,     /* the address of the frame */
    VALUES_REGISTERS = 2, /* registers of the frame */
    VALUES_NO_MEMORY = 4, /* unmapped memory, which may be mapped at another moment */
    /* the pc: the compiler keeps the value elsewhere in other parts of the function */
    VALUES_MOVES = 8,
    VALUES_GONE = 16,     /* a value that is optimized out at this pc */
    VALUES_CONSTANT = 32, /* a variable that the compiler has turned into a constant */
};
u32 values_uses(const struct evaluation *v);
/* The number of inlined functions inside of the selected frame: names_inlined for its pc. */
size_t values_inlined_before(const struct values_request *q);

/* How a variable noted by VALUES_MOVES or VALUES_CONSTANT is kept at an address of its function. */
enum variable_keeping {
    KEPT_NOWHERE,
    KEPT_IN_MEMORY,
    KEPT_IN_REGISTERS,
    KEPT_BY_CALLER,
    KEPT_AS_CONSTANT
};
/* Returns their names, in the order in which they were met; NULL: there are no more. */
const char *values_moving(const struct evaluation *v, size_t index);
enum variable_keeping values_kept(struct evaluation *v, size_t index, u64 pc);

/* --- unfolding a value (children.c) ----------------------------------------------------------- */

/* A member, an element, a base class, or the target of a pointer. Owned by the evaluation. */
struct value_child {
    const char *name;   /* "next", "[3]", "[\"key\"]", "*" */
    struct value *value;
    /* What to append to the parent's expression: ".x", "->x", "[3]". "*": put it before; "": the
     * same expression; NULL: there is no expression for it. */
    const char *path;
};
/* Returns the number of children; *ret_indexed: they are numbered elements. */
u64 value_child_count(struct value *value, bool *ret_indexed);
/* Adds up to `count` children, beginning with `first`, to a list of struct value_child. */
void value_children(struct value *value, u64 first, u64 count, struct list *ret);

/* --- what memory that has changed means (parts.c) --------------------------------------------- */

struct memory_range { u64 start, end; };
/* Returns the first range that ends after the address. */
size_t memory_ranges_find(const struct memory_range *ranges, size_t count, u64 address);

/* A variable, or a member or element of one, that is shown as a whole. */
struct changed_part {
    u64 key; /* identifies the variable, or is the address of the object; the same at all moments */
    char *path;      /* "table[2].show" */
    /* length of the variable's name in the path; 0: the part is the target of a pointer */
    size_t root;
    char *name;      /* the expression to use in place of that name; NULL: the name itself works */
    char *text;      /* NULL: optimised out */
    u8 *bytes;       /* NULL: not known as such */
    u64 size, address;
    u32 bit_offset, bit_size; /* is_bits: as value_bits() has them */
    bool is_bits, in_memory, is_wanted;
    bool is_holder;  /* its elements are elsewhere: its text tells whether it has changed */
    /* the system library that owns it: it is reported as a whole, without text; NULL: it is the
     * program's */
    const char *library;
};
/* True if the file is a library of the system and not part of the program being debugged. */
bool symbols_is_system_library(const char *path);

/* The target of a pointer. */
struct value_object {
    u64 address;
    const void *type_die;
    void *die, *module; /* used by parts.c */
    char *path;      /* the pointer's path */
    unsigned depth;
    u64 told;        /* bytes that are among the parts; 0: none */
};

struct parts {
    const struct memory_range *wanted; /* sorted, lent */
    size_t wanted_count;
    struct list list;    /* struct changed_part */
    struct list covered; /* struct memory_range: memory of the variables that were looked at */
    struct list objects; /* struct value_object */
    bool is_cut;         /* parts were left out, because there are too many */
};
#define PARTS                                                                                      \
    ((struct parts){.list = LIST(struct changed_part),                                             \
                    .covered = LIST(struct memory_range),                                          \
                    .objects = LIST(struct value_object)})
void parts_clear(struct parts *p); /* keeps the objects */
void parts_deinit(struct parts *p);

/* These add parts. With `roots`, pointers become objects, too. */
void values_parts_of_globals(struct evaluation *v, struct parts *p, bool roots);
/* all parts, also outside of the ranges */
void values_parts_of_frame(struct evaluation *v, struct parts *p, bool roots);
/* With `find_more`, pointers in the objects become objects, too. */
void values_parts_of_objects(struct evaluation *v, struct parts *p, bool find_more);

/* --- values that outlive their evaluation: $1, $$2, $name ----------------------------------- */

void conveniences_create(struct conveniences **ret);
void conveniences_destroy(struct conveniences *c); /* accepts NULL */
/* Adds the next value of the history; *ret is its number. A value that cannot be kept is an error
 * and gets no number. */
struct error *conveniences_record(struct value *value, u64 *ret);
/* number of the history's last; 0: there is none */
u64 conveniences_last(const struct conveniences *c);
/* `name` without `$`. */
struct error *conveniences_define(struct value *value, const char *name);
void conveniences_forget(struct conveniences *c, const char *name); /* the name is void again */
void conveniences_define_integer(struct conveniences *c, const char *name, i64 i);
/* Returns names by index from 0, newest first; NULL: there are no more. */
const char *conveniences_name(const struct conveniences *c, size_t index);

/* Completes the last word of the text with members and variables. Each answer is the whole text;
 * the caller frees *ret and its strings. */
void values_complete(struct evaluation *v, const char *beginning, size_t most, char ***ret,
                     size_t *ret_count);

#endif
