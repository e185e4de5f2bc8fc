/* Shared by the files of values: languages, types, names, variables, expressions, and their text.
 *
 * An evaluation (struct evaluation) is made for one frame at one moment. It owns everything that is
 * made while an expression is evaluated: types, trees, values. All of it is freed with the
 * evaluation; only conveniences ($1, $name) outlive it.
 */
#ifndef SYMBOLS_VALUES_INTERNAL_H
#define SYMBOLS_VALUES_INTERNAL_H

#include <stdio.h>

#include "base/list.h"
#include "symbols/expression.h"
#include "symbols/symbols_internal.h"
#include "symbols/values.h"

/* --- languages (language.c) ------------------------------------------------------------------- */

enum language { LANGUAGE_C, LANGUAGE_CPLUSPLUS, LANGUAGE_RUST, LANGUAGE_FORTRAN };

enum language language_of_unit(Dwarf_Die *unit);
enum language language_of_die(Dwarf_Die *die);

/* --- types (types.c, type_text.c) ------------------------------------------------------------- */

enum type_kind {
    TYPE_VOID, TYPE_INTEGER, TYPE_CHARACTER, TYPE_BOOL, TYPE_FLOAT, TYPE_DECIMAL, TYPE_COMPLEX,
    TYPE_ENUM,
    TYPE_POINTER, TYPE_REFERENCE, TYPE_MEMBER_POINTER, TYPE_ARRAY, TYPE_STRUCT, TYPE_FUNCTION,
    TYPE_TYPEDEF, TYPE_CONST, TYPE_VOLATILE, TYPE_OTHER,
};

struct type {
    enum type_kind kind;
    const char *name;     /* NULL: without */
    const char *keyword;  /* "struct", "union", "class", "enum" */
    enum language language;
    u64 size;
    bool is_unsigned;
    bool is_rvalue;       /* a reference && */
    bool is_incomplete;   /* declared, and defined nowhere */
    bool is_counted;      /* an array with a length */
    bool is_flags;        /* an enum whose values are bits */
    bool is_flag_register;
    bool is_vector;       /* an array that one register holds */
    bool is_integral;     /* a complex number of integers */
    u64 count;            /* of an array */
    /* Of Fortran. The first dimension is the innermost array, as it is the one whose elements lie
     * side by side. */
    i64 lower;            /* the first index */
    i64 stride;           /* bytes from an element to the next; 0: its size */
    bool is_string;       /* an array of characters that are one text */
    bool is_dynamic;      /* bounds, or the place of the data, depend on the object:
                           * type_resolved() */
    bool is_resolved;     /* made of a dynamic one */
    bool is_of_descriptor; /* by the descriptor alone; the debug information says nothing */
    bool is_allocatable;
    const char *absent;   /* "not allocated", "not associated": it has no data; NULL: it has */
    struct type *target;  /* pointed to, of the elements, returned, or named by a typedef; use
                           * type_target() */
    bool has_die, target_made, members_made;
    struct module *module;
    Dwarf_Die die;
    struct list members;  /* struct member; of an enum: its names */
    struct type *next;    /* in the table of the evaluation */
};

struct member {
    const char *name; /* NULL: an anonymous struct or union, or padding */
    struct type *type;
    u64 offset;       /* in bytes */
    u32 bit_offset, bit_size; /* bit_size 0: no bit-field */
    bool is_base, is_virtual, is_static, is_artificial;
    i64 value;        /* of an enum's name */
    Dwarf_Die die;    /* of a static one, or a virtual base */
};

struct type *type_of(struct evaluation *v, struct module *m, Dwarf_Die *die);
/* What DW_AT_type of the DIE says; void if nothing. */
struct type *type_attribute(struct evaluation *v, struct module *m, Dwarf_Die *die);
struct type *type_target(struct evaluation *v, struct type *t);
/* Without typedefs, const and volatile. */
struct type *type_plain(struct evaluation *v, struct type *t);
const struct member *type_members(struct evaluation *v, struct type *t, size_t *ret_count);
/* A struct that is one of several, as Rust's enums: the member that tells which (without a type:
 * there is only one), and the first of them; then the one of a tag. */
bool type_variants(struct evaluation *v, struct type *plain, struct member *ret_tag,
                   Dwarf_Die *ret_first);
bool type_variant(struct evaluation *v, struct type *plain, Dwarf_Die *variants, u64 tag,
                  struct member *ret);
/* One of C's own: "unsigned int"; NULL: there is none of the name. */
struct type *type_builtin(struct evaluation *v, const char *name);
struct type *type_pointer(struct evaluation *v, struct type *to);
struct type *type_array(struct evaluation *v, struct type *of, u64 count);
struct type *type_const(struct evaluation *v, struct type *of);
/* Of a vector register of 16 or 32 bytes, and of flags ("i386_eflags", "i386_mxcsr"). */
struct type *type_vector(struct evaluation *v, u64 size);
struct type *type_flags(struct evaluation *v, const char *name);
/* Made of nothing. */
struct type *type_new(struct evaluation *v, enum type_kind kind, const char *name, u64 size);
bool type_is_integral(const struct type *plain);
bool type_is_scalar(const struct type *plain);
/* Of 128 bits, as IEEE 754 has them; `long double` has the 80 bits of the x87 unit. */
bool type_is_quad(const struct type *plain);
u64 type_alignment(struct evaluation *v, struct type *t);
/* Bytes from an element to the next. */
i64 type_stride(struct evaluation *v, struct type *plain);
/* Do all bytes lie side by side, in the order of the elements? */
bool type_is_contiguous(struct evaluation *v, struct type *plain);
/* The prefix of its character constants: ' ', 'L', 'u' or 'U'; 0: not a character type. */
char type_character(struct evaluation *v, struct type *t);
/* To be freed. */
char *type_text(struct evaluation *v, struct type *t);
char *type_declaration(struct evaluation *v, struct type *t, const char *name);
/* The parameters that the author of a function wrote, separated by commas; to be freed. */
char *type_parameters(struct evaluation *v, struct module *m, Dwarf_Die *function);
/* What a pointer to members means: a virtual function, or the member at an offset, or NULL.  To
 * be freed. */
char *type_virtual_method(struct evaluation *v, struct type *plain, u64 index);
char *type_member_at(struct evaluation *v, struct type *plain, u64 offset);
/* What stands before the names of an enum's values: "N::"; to be freed. */
char *type_enum_prefix(struct evaluation *v, struct type *t);
char *type_expanded(struct evaluation *v, struct type *t, bool offsets);
/* "std::vector<int, std::allocator<int> >" is "std::vector<int>" to people (type_names.c).  To
 * be freed. */
char *type_short_name(const char *name);
/* Are both names the same, but for blanks and what a template has by default? */
bool type_same_name(const char *a, const char *b);

/* --- names (name_index.c) --------------------------------------------------------------------- */

enum name_kind { NAME_VARIABLE, NAME_FUNCTION, NAME_TYPE, NAME_ENUMERATOR, NAME_SPACE };

struct name_entry {
    const char *name; /* libdw's */
    Dwarf_Die die;
    const void *unit; /* tells units apart */
    u32 parent;       /* of the entries; ~0: none */
    u32 next;         /* of the same hash */
    u8 kind;
    bool is_declaration;
    bool is_external; /* other files may refer to it */
    u8 tag;           /* of a type: enum name_tag */
};

/* A tag is what stands after `struct`, `union`, `class` and `enum`.  In C tags are names apart. */
enum name_tag { TAG_NONE, TAG_APART, TAG_TYPE };
/* Beside kinds: tags that are apart do not count, or only tags do. */
enum { NAME_NO_TAGS = 1u << 30, NAME_ONLY_TAGS = 1u << 29 };

/* `using namespace N`, `using N::x`, `namespace M = N`, outside of functions. */
struct name_import {
    Dwarf_Die die;
    u32 parent;       /* of the entries: the name space that it stands in; ~0: none */
    const void *unit;
};

/* A datum of the symbol table. */
struct data_symbol {
    u64 start, end;
    const char *raw;
};

struct name_index {
    struct list entries; /* struct name_entry */
    struct list imports; /* struct name_import */
    u32 *heads;
    size_t head_count;
    struct list data;    /* struct data_symbol, by start */
    bool data_made;
    struct list go_types; /* struct go_type_entry (go_values.c), by the runtime's description */
    bool go_types_made;
};

struct name_index *module_names(struct module *m);

struct name_found {
    struct module *module;
    struct name_entry entry;
    unsigned points; /* how well it fits */
};

/* A name as C++ writes it, of one of the kinds.  `space` (may be NULL) is the name space or class
 * in which the question is asked.  If nothing has the name, what ends so is found. */
bool names_find(struct evaluation *v, const char *name, const char *space, unsigned kinds,
                struct name_found *ret);
/* The same, but the name must be whole; anonymous and inline name spaces can be left out. */
bool names_find_whole(struct evaluation *v, const char *name, unsigned kinds,
                      struct name_found *ret);
/* Could the frame's file refer to it by the name?  If not, it is one of those that have the
 * name. */
bool names_is_by_scope(const struct name_found *f);
/* Is its name what was asked for, not only the end of it? */
bool names_is_whole(const struct name_found *f);
/* Is it of the frame's file? */
bool names_is_own(const struct name_found *f);
/* Adds everything that has the name, or whose name ends so (struct name_found). */
void names_all(struct evaluation *v, const char *name, unsigned kinds, struct list *ret);
enum name_tag names_tag(Dwarf_Die *die, bool cplusplus);
bool names_tag_fits(enum name_tag tag, unsigned kinds);
/* The part after the last `::`; template arguments may hold some of their own. */
const char *names_last_part(const char *name);
/* The modules in the order in which the linker looks for a name (link_order.c). */
struct module **modules_linked(struct symbols *s, size_t *ret_count);
/* An instance of a template, named without the arguments that it has by default: a walk over all
 * names. */
bool names_find_instance(struct evaluation *v, const char *name, struct name_found *ret);
void names_each(struct module *m, bool (*visit)(void *context, const struct name_entry *e),
                void *context);
/* What it is in: the enum of a constant, the class of a member. */
bool names_parent(struct module *m, const struct name_entry *e, Dwarf_Die *ret);
/* To be freed. */
char *names_qualified(struct module *m, const struct name_entry *e);
/* Without the name spaces that are seen through: anonymous and inline ones. */
char *names_seen(struct module *m, const struct name_entry *e);
/* The same of a DIE that is in the index; NULL: it is not. */
char *names_of_die(struct module *m, const char *name, const Dwarf_Die *die);
/* "name", "name+4" of code or data; NULL: none; to be freed. */
char *names_of_address(struct symbols *s, u64 address, bool code_too);
/* Data of the symbol table, by their addresses. */
const struct data_symbol *names_data(struct module *m, size_t *ret_count);
/* Of the symbol table. */
bool names_find_symbol(struct symbols *s, const char *name, bool *ret_code, u64 *ret_address);

/* --- the evaluation (variables.c) ------------------------------------------------------------- */

/* A frame, as expressions see it. */
struct frame_view {
    struct evaluation *v;
    const struct frame *frame; /* NULL: none; then only globals are to be had */
    size_t index;              /* of the real frame among those of the request */
    struct module *module;
    Dwarf_Die function;        /* out of line */
    bool has_function;
    u64 pc;                    /* to look things up */
    unsigned depth;
};

enum { TYPE_BUCKETS = 512 };

struct evaluation {
    struct symbols *symbols;
    struct values_request request;
    struct frame_view view;
    const struct frame *registers; /* the frame of `$rax` and other registers; NULL: no frame */
    bool innermost;            /* vector registers are this frame's */
    Dwarf_Die *blocks;         /* innermost first, the function of the frame last */
    size_t block_count;
    Dwarf_Die unit;
    bool has_unit;
    bool cplusplus;            /* or a language with name spaces like it */
    enum language language;
    u32 uses;                  /* VALUES_* */
    /* nothing is to have an effect: only the type of the result is asked for */
    bool only_types;
    const char *note;          /* which of several symbols a name was taken for; NULL: none was
                                * in doubt */
    unsigned implied_depth; /* of pointers to pointers that are optimised away */
    struct list moving;        /* struct found_variable: of VALUES_MOVES and VALUES_CONSTANT */
    bool no_place;             /* where the last thread-local variable is was not to be found */
    bool no_storage;           /* the last thread-local variable has no place in this thread yet */
    struct list memory;        /* void *: all that lives until it is closed */
    struct type *types[TYPE_BUCKETS];
};

void *values_alloc(struct evaluation *v, size_t size); /* zeroed */
char *values_copy(struct evaluation *v, const char *text, size_t length);

/* A variable as it was found. */
struct found_variable {
    Dwarf_Die die;
    struct module *module;
    bool has_block;
    Dwarf_Die block; /* that a local is declared in; it may have no code where the frame is now */
    bool has_frame;  /* of the function around the frame's own: */
    size_t frame;    /* its frame; none if there are not so many */
};

bool variables_find(struct evaluation *v, const char *name, struct found_variable *ret);
bool variables_find_in_block(struct evaluation *v, size_t block, const char *name,
                             struct found_variable *ret);
/* The nearest frame of the function from the selected one on. */
bool variables_frame_of(struct evaluation *v, const Dwarf_Die *function, const struct module *m,
                        size_t *ret);
/* The value of a variable of another frame. */
struct error *variables_value_in_frame(struct evaluation *v, size_t frame,
                                       const struct found_variable *f, struct value **ret);
/* Is the location the same everywhere: an address, or one of the thread? */
bool variables_is_fixed(Dwarf_Attribute *location);

/* --- what a name means (lookup.c) ------------------------------------------------------------- */

struct name_meaning {
    enum name_kind kind;
    struct found_variable variable; /* or function, type, constant */
    struct name_found global;       /* module NULL: it is no entry of the index */
    Dwarf_Die of_enum;              /* of a constant */
    bool is_member;                 /* of the object: `member`, in `class` if that is not NULL */
    const char *member;
    struct type *class;
    bool is_of_frame, has_frame;    /* a variable of the frame with the number, if there is one */
    size_t frame;
};
enum { NAME_VALUES = 1u << NAME_VARIABLE | 1u << NAME_FUNCTION | 1u << NAME_ENUMERATOR };
/* Notes which one was taken if it could be several (values_note()). */
bool lookup_name(struct evaluation *v, const char *text, unsigned kinds, struct name_meaning *ret);
/* A value, or a type if that is what the name means here. */
bool lookup_value(struct evaluation *v, const char *text, struct name_meaning *ret);
/* 'file.c'::name */
bool lookup_in_file(struct evaluation *v, const char *file, const char *text, unsigned kinds,
                    struct name_meaning *ret);
/* Is it the class itself, or one of its bases? */
bool class_has_base(struct evaluation *v, struct type *class, struct type *base);
/* The class or base class that the name means; NULL: none. */
struct type *class_named_in(struct evaluation *v, struct type *class, const char *name,
                            unsigned depth);
struct error *evaluate_meaning(struct evaluation *v, const char *text, const struct name_meaning *m,
                               struct value **ret);
/* A member in the class of the object, or in the base class of it that is named. */
struct error *value_find_member_in(struct value *object, struct type *class, const char *name,
                                   struct value **ret);

/* The name that the linker knows it by; NULL: none. */
const char *variables_link_name(Dwarf_Die *die);
/* The frame of a function that contains the frame's own, so many levels out, and its variable
 * there (the given one is of the abstract form if the function has an instance); SIZE_MAX: none. */
size_t variables_outer_frame(struct evaluation *v, unsigned levels, Dwarf_Die *function,
                             Dwarf_Die *variable);
/* Of a function's frame; NULL in *ret: optimised out (then *ret_why). */
struct error *variables_value(struct evaluation *v, const struct found_variable *f,
                              struct value **ret);
/* What a parameter was at the entry of its function (`name@entry`), as the caller knows it;
 * NULL: it does not. */
struct value *variables_at_entry(struct evaluation *v, const struct found_variable *f);
/* The DIE's bound or count, in any form. */
bool variables_number(struct evaluation *v, struct module *m, Dwarf_Attribute *a, i64 *ret);
/* The same of a type's attribute, of an object at the address, and of the dimension if its rank is
 * known by the object alone; both may be NULL. */
bool variables_bound(struct evaluation *v, struct module *m, Dwarf_Attribute *a, const u64 *object,
                     const u64 *dimension, i64 *ret);
/* DWARF's number of a register that frames hold, by its name, or pc, sp or fp. */
bool frame_register_named(const char *name, unsigned *ret);
/* gdb's name of a register by DWARF's number; NULL: none that a variable is in. */
const char *frame_register_name(struct evaluation *v, u64 number);
bool variables_register(struct evaluation *v, const char *name, struct value **ret);
/* The namespace or class around the function, "" if none; NULL: no function. */
const char *variables_space(struct evaluation *v);
/* The object that a member function is called for; NULL: none. */
struct value *variables_this(struct evaluation *v);
/* Thread-local storage of a module: its block is at a fixed distance from fs_base, or has a
 * number in the vector of blocks. */
struct tls_place {
    bool is_fixed;
    i64 offset;
    u64 number;
};
bool variables_tls_place(struct symbols *s, struct module *m, struct tls_place *ret);
bool variables_tls(struct evaluation *v, struct module *m, u64 offset, u64 *ret);
int variables_location(struct frame_view *f, Dwarf_Attribute *a, Dwarf_Op **ret, size_t *ret_count);

/* Is it kept in different ways in different parts of the code?  (stretches.c) */
bool stretches_differ(Dwarf_Attribute *location);
void stretches_note(struct evaluation *v, const struct found_variable *f);

/* --- variables of other files (linked_data.c) ------------------------------------------------- */

struct linked {
    struct module *module;
    u64 address;          /* or the offset in the module's thread-local storage */
    bool is_thread_local;
};
/* The address at which the linker has put a variable that is only declared, or that the program has
 * a copy of; false: where it is said to be. */
bool linked_datum(struct evaluation *v, struct found_variable *f, struct linked *ret);

/* --- values (value.c) ------------------------------------------------------------------------- */

/* Memory that a value was made of: its own, and that of others. */
struct sources {
    u64 address, size;
    const struct sources *left, *right;
};

struct value {
    struct evaluation *evaluation;
    struct type *type;
    u64 size;
    u8 *bytes;              /* NULL: not read yet */
    u8 *missing;            /* not 0: the byte is not known; NULL: all are */
    u64 room;               /* for so many there is memory at both */
    bool in_memory;
    u64 address;
    u32 bit_offset, bit_size; /* bit_size 0: no bit-field */
    const struct sources *from; /* besides its own memory */
    /* Where it is if it is not in memory: a register, or a convenience variable; and from which
     * byte on. */
    const char *home_register;
    const char *home_variable;
    u64 home_offset;
    bool home_is_part;
    /* A pointer that the compiler has optimised away, though what it points to is known. */
    struct value *implied;
    i64 implied_offset;
};

struct number {
    bool is_float;
    __int128 i;
    long double f;
};

struct value *value_new(struct evaluation *v, struct type *t);
struct value *value_at(struct evaluation *v, struct type *t, u64 address,
                       const struct sources *from);
struct value *value_of_bytes(struct evaluation *v, struct type *t, const void *bytes, size_t size);
struct value *value_of_number(struct evaluation *v, struct type *t, struct number n);
struct value *value_of_integer(struct evaluation *v, const char *type, i64 i);
struct value *value_of_location(struct frame_view *f, struct type *t, const struct location *l);
/* What a pointer that is optimised away points to, so many elements further on. */
struct value *value_implied(struct value *pointer, struct type *to, i64 index);
/* The bytes of a register of the frame; there must be room for 64. */
bool value_register(struct frame_view *f, u64 number, u8 *bytes, size_t *size);
struct value *value_optimised_out(struct evaluation *v, struct type *t);
/* A part: an element or a member. */
struct value *value_part(struct value *value, struct type *t, u64 offset);
struct value *value_member(struct value *value, const struct member *m);
struct value *value_element(struct value *array, u64 index);
/* Reads it; an error if memory is not there. */
struct error *value_load(struct value *value);
bool value_is_missing(const struct value *value, u64 offset, u64 size);
struct error *value_number(struct value *value, struct number *ret);
struct error *value_pointer(struct value *value, u64 *ret);
const struct sources *value_all_sources(struct value *value);
const struct sources *sources_join(struct evaluation *v, const struct sources *a,
                                   const struct sources *b);
/* References become what they refer to. */
struct error *value_referred(struct value *value, struct value **ret);
/* A member by its name, of bases and anonymous members too; NULL: none. */
struct error *value_find_member(struct value *value, const char *name, struct value **ret);
/* The offset of a base class or member where that is fixed; for compiling. */
struct error *value_virtual_base(struct value *object, const struct member *m, u64 *ret);
/* Arrays and functions become pointers. */
struct error *value_decay(struct value *value, struct value **ret);
/* The result, made of both; `b` may be NULL. */
struct value *value_joined(struct value *result, struct value *a, struct value *b);
struct error *value_cast(struct value *value, struct type *to, struct value **ret);
/* May an object, or a pointer to one, have another address when it is cast? */
bool cast_moves(struct evaluation *v, struct type *from, struct type *to);

/* --- expressions (parse.c, evaluate.c) -------------------------------------------------------- */

enum tree_kind {
    TREE_NUMBER, TREE_STRING, TREE_NAME, TREE_ENTRY, TREE_FILE_NAME, TREE_REGISTER, TREE_UNARY,
    TREE_BINARY, TREE_AND, TREE_OR, TREE_CONDITION, TREE_COMMA, TREE_MEMBER, TREE_ARROW, TREE_INDEX,
    TREE_SLICE,
    TREE_CAST, TREE_SIZEOF, TREE_SIZEOF_TYPE, TREE_TYPE, TREE_TO_MEMBER,
    TREE_CALL,    /* a: the function; arguments */
    TREE_ASSIGN,  /* a = b, or with an operation: a += b */
    TREE_COUNT,   /* ++ and --, before or after a: op is OP_ADD or OP_SUB */
    TREE_AT_TYPE, /* {type} a */
    /* Of Fortran. */
    TREE_TEXT,      /* 'abc': as long as it is written, without an end */
    TREE_SUBSCRIPT, /* a(arguments): an element, a section or a substring */
    TREE_RANGE,     /* an argument: from a to b, by c; each may be NULL */
    TREE_COMPLEX,   /* (a, b) */
    TREE_INTRINSIC, /* text(arguments) */
};

enum tree_op {
    OP_NONE, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_SHL, OP_SHR, OP_BAND, OP_BOR, OP_XOR,
    OP_EQ, OP_NE, OP_LT, OP_GT, OP_LE, OP_GE,
    OP_POWER,
    OP_NEG, OP_PLUS, OP_NOT, OP_INVERT, OP_DEREF, OP_ADDRESS,
};

struct tree {
    enum tree_kind kind;
    enum tree_op op;
    struct tree *a, *b, *c;
    struct list arguments; /* struct tree *, of a call */
    bool is_before;        /* TREE_COUNT */
    const char *text, *file;
    size_t length;    /* of a string */
    struct type *type;
    struct number number;
};

/* Text == "string", which compares characters, not where they are. */
bool tree_compares_text(const struct tree *t);
struct error *parse_expression(struct evaluation *v, const char *text, struct tree **ret);
/* What both types become before an operation on numbers. */
struct type *arithmetic_type(struct evaluation *v, struct type *a, struct type *b);
struct type *promoted_type(struct evaluation *v, struct type *t);
struct number number_as(struct evaluation *v, struct number n, struct type *t);
/* What the bytes of a floating-point type mean; false: it has a size that is not known. */
bool float_number(const struct type *plain, const u8 *bytes, long double *ret);
struct type *type_named(struct evaluation *v, const char *keyword, const char *name);
struct error *evaluate(struct evaluation *v, const struct tree *t, struct value **ret);
struct type *comparison_type(struct evaluation *v);
/* An expression's value; references become what they refer to. */
struct error *evaluate_operand(struct evaluation *v, const struct tree *t, struct value **ret);
/* Two values with an operator between them, as C has it. */
struct error *evaluate_operation(struct evaluation *v, enum tree_op op, struct value *a,
                                 struct value *b,
                                 struct value **ret);
struct error *evaluate_dereference(struct value *value, struct value **ret);

/* --- effects (assign.c, call.c, callable.c, call_abi.c)
 * ------------------------------------------------------- */

/* An error where the program cannot be changed; `what` is what was to be done. */
struct error *effects_allowed(struct evaluation *v, const char *what);
struct error *evaluate_assign(struct evaluation *v, const struct tree *t, struct value **ret);
struct error *evaluate_count(struct evaluation *v, const struct tree *t, struct value **ret);
/* `as` (may be NULL): what it returns if nothing else says so. */
struct error *evaluate_call(struct evaluation *v, const struct tree *t, struct type *as,
                            struct value **ret);
/* The value in memory of the copy, if it is in no memory yet. */
struct error *value_in_copy(struct value *value, struct value **ret);

/* A function that can be called. */
struct callable {
    const char *name;      /* as it was asked for */
    /* 0: it has no code; or its address is in a table of virtual functions */
    u64 address;
    struct module *module;
    Dwarf_Die die;         /* has_die: of the declaration or the definition */
    bool has_die;
    struct type *class;    /* of a method that is not static; otherwise NULL */
    bool is_virtual;
    u64 slot;              /* in the table of virtual functions */
    bool is_variadic, is_unprototyped;
    struct type *result;   /* NULL: not known */
    struct type **parameters; /* without the object */
    size_t parameter_count;
    unsigned points;       /* how well its name fits */
};

/* All functions that a name may mean; of the best kind only.  *ret is the evaluation's. */
void callables_named(struct evaluation *v, const char *name, struct callable **ret,
                     size_t *ret_count);
/* Methods of a class, or else of its bases. */
void callables_of_class(struct evaluation *v, struct type *class, const char *name,
                        struct callable **ret,
                        size_t *ret_count);
/* What a value that is a function, or points to one, calls. */
struct error *callable_of_value(struct value *value, struct callable *ret);
/* Is the code at the address one that finds out which function is meant? */
bool callable_is_indirect(struct evaluation *v, u64 address);
/* What the C library's function takes and returns; false: it is not known. */
bool library_call(struct evaluation *v, const char *name, struct callable *ret);
/* Calls the best fitting one; `object` may be NULL. */
struct error *call_best(struct evaluation *v, const struct callable *all, size_t count,
                        struct value *object,
                        bool qualified, struct value **arguments, size_t argument_count,
                            struct type *as,
                        struct value **ret);
/* An operator of a class, `a op b`; b may be NULL.  *ret is NULL: it has none such. */
struct error *call_operator(struct evaluation *v, const char *name, struct value *a,
                            struct value *b,
                            struct value **ret);

/* --- where functions find and leave values (returned.c, arguments.c) -------------------------- */

/* What each eight bytes of a value are to the calling convention. */
enum word_class {
    WORD_NONE,
    WORD_INTEGER,
    WORD_SSE,
    WORD_SSE_UP,
    WORD_X87,
    WORD_X87_UP,
    WORD_MEMORY
};

enum { RETURNED_WORDS = 8 }; /* of the largest that can be in registers: a zmm */

struct returned {
    struct evaluation *v;
    enum word_class words[RETURNED_WORDS];
    u64 size;
    bool has_wide_vector; /* of more than 16 bytes: in memory if the code was not made for AVX */
    unsigned scalars;
    const struct values_called *called; /* whose registers they are; NULL: the frame's */
};

/* Finds the words of a type; true: such a value is not in registers. */
bool returned_in_memory(struct returned *r, struct type *t, bool *ret_uses_avx);
/* A class that only its address is passed of: how it is copied is its own affair. */
bool returned_by_address(struct evaluation *v, struct type *t);
/* A complex number of long doubles is, as the only value in two of its registers. */
bool returned_on_x87_stack(const struct type *plain);
struct error *returned_from_registers(struct returned *r, struct type *t, const u64 rax_rdx[2],
                                      struct value **ret);
/* What a function of Go has returned, of the registers of the evaluation (go_returned.c); NULL:
 * nothing. */
struct error *go_returned(struct evaluation *v, struct module *m, Dwarf_Die *function,
                          struct value **ret);
/* A register as a call left it. */
bool call_register(const struct values_called *called, const char *name, u8 *bytes,
                   size_t *ret_size);
/* Is the result where the first argument says? */
bool call_returns_in_memory(struct evaluation *v, struct type *t);
struct error *call_result(struct evaluation *v, struct type *t, const struct values_called *called,
                          struct value **ret);
struct error *call_add_argument(struct evaluation *v, struct values_call *call, struct list *stack,
                                struct value *value);

/* --- what outlives an evaluation (conveniences.c)
 * ---------------------------------------------------------------- */

/* `$`, `$$`, `$3`, `$$3`, `$name`; void if there is none.  False: there are no conveniences. */
struct error *conveniences_find(struct evaluation *v, const char *name, struct value **ret);
struct error *siginfo_value(struct evaluation *v, struct value **ret);
/* All of it, or the part at the offset (not NULL). */
struct error *conveniences_set(struct evaluation *v, const char *name, const u64 *offset,
                               struct value *value);

/* --- text (show.c, show_text.c, show_std.c) --------------------------------------------------- */

enum { SHOW_MOST = 200, SHOW_REPEATS = 10, SHOW_DEPTH = 20, SHOW_FETCHED_MOST = 1 << 14 };

const struct show_settings *show_settings_of(const struct evaluation *v);
/* How many elements of something are looked at at most. */
u64 show_most(const struct evaluation *v);

/* How values of other languages than C++ are written (0: C++'s way). */
enum shown_style {
    SHOWN_CLASS,
    SHOWN_TEXT,
    SHOWN_ROW,    /* [a, b] */
    SHOWN_SET,    /* {a, b} */
    SHOWN_MAP,    /* {a: b} */
    SHOWN_TUPLE,  /* name(a, b) */
    SHOWN_FIELDS, /* name { field: a } */
    SHOWN_ONE,    /* as what it holds */
    SHOWN_WORDS,  /* the title alone */
};

/* What is shown as more than its bytes. */
struct shown {
    enum shown_style style;
    bool is_plain;         /* a struct, nothing more */
    bool is_variant;       /* of an enum: JSON has its name, too */
    const char *note;      /* said before it where it is shown alone; NULL: nothing */
    const char *tail;      /* what stands after the last field; NULL: nothing */
    struct value *holder;  /* what lies around the target: its counts */
    bool is_text;
    struct type *of;       /* elements lie in a row; NULL: they do not */
    u64 address, length;   /* of the row, or of the text */
    unsigned width;        /* of a character */
    char prefix;           /* ' ', 'L', 'u' or 'U' */
    const char *title;     /* "std::vector of length 3, capacity 4", or NULL */
    struct value **items;  /* elements */
    struct value **keys;   /* NULL: not a map */
    const char **labels;   /* in place of keys: "first", "get()"; NULL: none */
    bool numbered;         /* "[0] = " stands before each */
    unsigned first;        /* number */
    size_t count;
    bool more;             /* than were fetched */
    bool is_one;           /* it holds one thing or none: JSON has that alone */
    bool is_words;         /* the title is all there is */
    bool is_bare;          /* and so has text: an iterator is its element */
    struct value *target;  /* what * and -> lead to; NULL: nothing */
};

bool show_standard(struct value *value, struct shown *ret);
/* Of Go (go_values.c). A handle is a pointer or a function to DWARF, and to its user a map, a
 * channel or a function. */
bool go_shown(struct value *value, struct shown *ret);
/* "*main.Node": types have names where C has none; NULL: it is no type of Go. */
const char *go_type_name(struct type *t);
/* An interface becomes what it holds, or what that points to; other values are returned
 * unchanged. */
struct value *go_looked_through(struct value *value);
bool go_shown_handle(struct value *value, struct shown *ret);
/* For the descriptions of the classes (std_containers.c, std_holders.c): a member by its path,
 * "_M_impl._M_start", through pointers too; NULL: there is none. */
struct value *std_member(struct value *value, const char *path);
bool std_word(struct value *value, const char *path, u64 *ret);
bool std_is(const struct type *plain, const char *name); /* the template NAME<...> */
/* The type, or the number, that is the wanted argument of a template. */
struct type *std_argument(struct evaluation *v, const struct type *t, unsigned wanted);
bool std_number_argument(struct evaluation *v, const struct type *t, i64 *ret);
void std_title(struct evaluation *v, struct shown *ret, char *text); /* takes it */
/* Room for so many items, at most as many as are shown. */
void std_room(struct evaluation *v, struct shown *ret, u64 count);
bool std_show_tree(struct value *value, struct type *plain, struct shown *ret);
bool std_show_hash(struct value *value, struct type *plain, struct shown *ret);
bool std_show_list(struct value *value, struct type *plain, struct shown *ret);
bool std_show_forward_list(struct value *value, struct type *plain, struct shown *ret);
bool std_show_deque(struct value *value, struct type *plain, struct shown *ret);
bool std_show_iterator(struct value *value, struct type *plain, struct shown *ret);
bool std_show_pair(struct value *value, struct type *plain, struct shown *ret);
bool std_show_tuple(struct value *value, struct type *plain, struct shown *ret);
bool std_show_unique(struct value *value, struct type *plain, struct shown *ret);
bool std_show_shared(struct value *value, struct type *plain, struct shown *ret);
bool std_show_optional(struct value *value, struct type *plain, struct shown *ret);
bool std_show_variant(struct value *value, struct type *plain, struct shown *ret);
bool std_show_atomic(struct value *value, struct type *plain, struct shown *ret);
bool std_show_adapter(struct value *value, struct type *plain, struct shown *ret);
/* Characters with their quotes, as C writes them; `width` of each. */
struct show_text {
    unsigned width; /* of a character */
    char prefix;
    char quote;     /* 0: " */
    bool ellipsis;  /* there is more, which was not read */
    u32 most, repeats;
};
void show_characters(FILE *out, const u8 *bytes, u64 count, const struct show_text *how);
void show_character(FILE *out, u32 c, char prefix, char quote);
void show_json_text(FILE *out, const u8 *bytes, size_t count);
/* A string that a pointer points to: its characters up to `most`; *ret to be freed; false: not in
 * memory. */
bool show_read_string(struct evaluation *v, u64 address, unsigned width, size_t most, u8 **ret,
                      size_t *ret_count, bool *ret_ended);
void show_float(FILE *out, const struct type *plain, const u8 *bytes);
void show_decimal_float(FILE *out, const struct type *plain, const u8 *bytes);

#endif
