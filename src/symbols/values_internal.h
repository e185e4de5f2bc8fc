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
    bool is_incomplete;   /* declared, but defined nowhere */
    bool is_counted;      /* an array with a length */
    bool is_flags;        /* an enum whose values are bits */
    bool is_flag_register;
    bool is_vector;       /* an array that one register holds */
    bool is_integral;     /* a complex number made of integers */
    u64 count;            /* number of elements of an array */
    /* For Fortran. The first dimension is the innermost array, since its elements are adjacent in
     * memory. */
    i64 lower;            /* the first index */
    i64 stride;           /* bytes between elements; 0: the element's size */
    bool is_string;       /* an array of characters that form one text */
    bool is_dynamic; /* bounds, or the address of the data, depend on the object: type_resolved() */
    bool is_resolved;     /* made from a dynamic type */
    bool is_of_descriptor; /* known only by its descriptor, not by debug information */
    bool is_allocatable;
    const char *absent;   /* "not allocated", "not associated": it has no data; NULL: it has data */
    struct type *target;  /* the target, element, result, or aliased type; use type_target() */
    bool has_die, target_made, members_made;
    struct module *module;
    Dwarf_Die die;
    struct list members;  /* struct member; of an enum: its names */
    struct type *next;    /* next in the hash table of the evaluation */
};

struct member {
    const char *name; /* NULL: an anonymous struct or union, or padding */
    struct type *type;
    u64 offset;       /* in bytes */
    u32 bit_offset, bit_size; /* bit_size 0: not a bit-field */
    bool is_base, is_virtual, is_static, is_artificial;
    i64 value;        /* of an enum's constant */
    Dwarf_Die die;    /* for a static member or a virtual base */
};

struct type *type_of(struct evaluation *v, struct module *m, Dwarf_Die *die);
/* Returns the type in DW_AT_type of the DIE; void if there is none. */
struct type *type_attribute(struct evaluation *v, struct module *m, Dwarf_Die *die);
struct type *type_target(struct evaluation *v, struct type *t);
/* Removes typedefs, const and volatile. */
struct type *type_plain(struct evaluation *v, struct type *t);
const struct member *type_members(struct evaluation *v, struct type *t, size_t *ret_count);
/* For a struct with variants, such as a Rust enum: type_variants finds the member with the tag
 * (without a type: there is only one variant) and the first variant; type_variant finds the
 * variant of a tag. */
bool type_variants(struct evaluation *v, struct type *plain, struct member *ret_tag,
                   Dwarf_Die *ret_first);
bool type_variant(struct evaluation *v, struct type *plain, Dwarf_Die *variants, u64 tag,
                  struct member *ret);
/* Returns a basic type of C: "unsigned int"; NULL: there is none of the name. */
struct type *type_builtin(struct evaluation *v, const char *name);
struct type *type_pointer(struct evaluation *v, struct type *to);
struct type *type_array(struct evaluation *v, struct type *of, u64 count);
struct type *type_const(struct evaluation *v, struct type *of);
/* The types of a vector register of 16 or 32 bytes, and of flags ("i386_eflags", "i386_mxcsr"). */
struct type *type_vector(struct evaluation *v, u64 size);
struct type *type_flags(struct evaluation *v, const char *name);
/* Makes a type that is not from debug information. */
struct type *type_new(struct evaluation *v, enum type_kind kind, const char *name, u64 size);
bool type_is_integral(const struct type *plain);
bool type_is_scalar(const struct type *plain);
/* True for 128-bit IEEE 754 numbers; `long double` has the 80 bits of the x87 unit. */
bool type_is_quad(const struct type *plain);
u64 type_alignment(struct evaluation *v, struct type *t);
/* Bytes between elements. */
i64 type_stride(struct evaluation *v, struct type *plain);
/* True if all elements are adjacent, in order. */
bool type_is_contiguous(struct evaluation *v, struct type *plain);
/* The prefix of its character constants: ' ', 'L', 'u' or 'U'; 0: not a character type. */
char type_character(struct evaluation *v, struct type *t);
/* The caller frees it. */
char *type_text(struct evaluation *v, struct type *t);
char *type_declaration(struct evaluation *v, struct type *t, const char *name);
/* Returns the parameters that a function's author wrote, separated by commas; the caller frees
 * them. */
char *type_parameters(struct evaluation *v, struct module *m, Dwarf_Die *function);
/* Describes a pointer to a member: a virtual function, or the member at an offset; NULL: none. The
 * caller frees it. */
char *type_virtual_method(struct evaluation *v, struct type *plain, u64 index);
char *type_member_at(struct evaluation *v, struct type *plain, u64 offset);
/* Returns the prefix of an enum's constants: "N::"; the caller frees it. */
char *type_enum_prefix(struct evaluation *v, struct type *t);
char *type_expanded(struct evaluation *v, struct type *t, bool offsets);
/* Shortens "std::vector<int, std::allocator<int> >" to "std::vector<int>" (type_names.c). The
 * caller frees it. */
char *type_short_name(const char *name);
/* True if both names are the same, apart from blanks and default template arguments. */
bool type_same_name(const char *a, const char *b);

/* --- names (name_index.c) --------------------------------------------------------------------- */

enum name_kind { NAME_VARIABLE, NAME_FUNCTION, NAME_TYPE, NAME_ENUMERATOR, NAME_SPACE };

struct name_entry {
    const char *name; /* libdw's */
    Dwarf_Die die;
    const void *unit; /* identifies the unit */
    u32 parent;       /* index of the enclosing entry; ~0: none */
    u32 next;         /* next entry with the same hash */
    u8 kind;
    bool is_declaration;
    bool is_external; /* visible to other files */
    u8 tag;           /* for a type: enum name_tag */
};

/* A tag is the name after `struct`, `union`, `class` and `enum`. In C, tags are a separate name
 * space. */
enum name_tag { TAG_NONE, TAG_APART, TAG_TYPE };
/* Flags beside the kinds: ignore separate tags, or find only tags. */
enum { NAME_NO_TAGS = 1u << 30, NAME_ONLY_TAGS = 1u << 29 };

/* `using namespace N`, `using N::x`, `namespace M = N`, outside of functions. */
struct name_import {
    Dwarf_Die die;
    u32 parent;       /* index of the enclosing name space; ~0: none */
    const void *unit;
};

/* A data object in the symbol table. */
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
    unsigned points; /* how well it matches */
};

/* Finds a C++ name of one of the kinds. `space` (may be NULL) is the name space or class from which
 * it is looked up. If nothing has the name, finds one that ends with it. */
bool names_find(struct evaluation *v, const char *name, const char *space, unsigned kinds,
                struct name_found *ret);
/* The same, but the whole name must match; anonymous and inline name spaces may be left out. */
bool names_find_whole(struct evaluation *v, const char *name, unsigned kinds,
                      struct name_found *ret);
/* True if the frame's file could refer to it by the name. If not, it is one of possibly several
 * with that name. */
bool names_is_by_scope(const struct name_found *f);
/* True if the whole name matches, not only the end of it. */
bool names_is_whole(const struct name_found *f);
/* True if it is in the frame's file. */
bool names_is_own(const struct name_found *f);
/* Adds everything that has the name, or whose name ends with it (struct name_found). */
void names_all(struct evaluation *v, const char *name, unsigned kinds, struct list *ret);
enum name_tag names_tag(Dwarf_Die *die, bool cplusplus);
bool names_tag_fits(enum name_tag tag, unsigned kinds);
/* Returns the part after the last `::`, ignoring those in template arguments. */
const char *names_last_part(const char *name);
/* Returns the modules in the order in which the linker searches for a name (link_order.c). */
struct module **modules_linked(struct symbols *s, size_t *ret_count);
/* Finds an instance of a template that is named without its default arguments, by a walk over all
 * names. */
bool names_find_instance(struct evaluation *v, const char *name, struct name_found *ret);
void names_each(struct module *m, bool (*visit)(void *context, const struct name_entry *e),
                void *context);
/* Finds what contains it: the enum of a constant, the class of a member. */
bool names_parent(struct module *m, const struct name_entry *e, Dwarf_Die *ret);
/* The caller frees it. */
char *names_qualified(struct module *m, const struct name_entry *e);
/* Without transparent name spaces: anonymous and inline ones. */
char *names_seen(struct module *m, const struct name_entry *e);
/* The same for a DIE in the index; NULL: it is not there. */
char *names_of_die(struct module *m, const char *name, const Dwarf_Die *die);
/* Returns "name" or "name+4" for code or data; NULL: none. The caller frees it. */
char *names_of_address(struct symbols *s, u64 address, bool code_too);
/* Returns the data objects of the symbol table, by address. */
const struct data_symbol *names_data(struct module *m, size_t *ret_count);
/* Finds a name in the symbol table. */
bool names_find_symbol(struct symbols *s, const char *name, bool *ret_code, u64 *ret_address);

/* --- the evaluation (variables.c) ------------------------------------------------------------- */

/* A frame as expressions see it. */
struct frame_view {
    struct evaluation *v;
    const struct frame *frame; /* NULL: none; then only globals are available */
    size_t index;              /* index of the real frame in the request */
    struct module *module;
    Dwarf_Die function;        /* the out-of-line function */
    bool has_function;
    u64 pc;                    /* for lookups */
    unsigned depth;
};

enum { TYPE_BUCKETS = 512 };

struct evaluation {
    struct symbols *symbols;
    struct values_request request;
    struct frame_view view;
    const struct frame *registers; /* the frame of `$rax` and other registers; NULL: no frame */
    bool innermost;            /* vector registers belong to this frame */
    Dwarf_Die *blocks;         /* innermost first, the function of the frame last */
    size_t block_count;
    Dwarf_Die unit;
    bool has_unit;
    bool cplusplus;            /* C++, or a language with similar name spaces */
    enum language language;
    u32 uses;                  /* VALUES_* */
    /* only the type of the result is wanted: nothing may have an effect */
    bool only_types;
    /* which of several symbols with the same name was taken; NULL: there was only one */
    const char *note;
    unsigned implied_depth; /* nesting of optimized-out pointers */
    struct list moving; /* struct found_variable: those of VALUES_MOVES and VALUES_CONSTANT */
    bool no_place;             /* the place of the last thread-local variable could not be found */
    bool no_storage; /* the last thread-local variable has no storage in this thread yet */
    struct list memory;        /* void *: everything that lives until it is closed */
    struct type *types[TYPE_BUCKETS];
};

void *values_alloc(struct evaluation *v, size_t size); /* zeroed */
char *values_copy(struct evaluation *v, const char *text, size_t length);

/* A variable as it was found. */
struct found_variable {
    Dwarf_Die die;
    struct module *module;
    bool has_block;
    /* the block that declares a local; it may have no code where the frame is now */
    Dwarf_Die block;
    bool has_frame;  /* it belongs to a function that encloses the frame's own: */
    size_t frame;    /* index of its frame; too large if there is none */
};

bool variables_find(struct evaluation *v, const char *name, struct found_variable *ret);
bool variables_find_in_block(struct evaluation *v, size_t block, const char *name,
                             struct found_variable *ret);
/* Finds the frames that the request did not have yet; false: there are no more. */
bool variables_more_frames(struct evaluation *v);
/* Finds the nearest frame of the function, from the selected one outward. */
bool variables_frame_of(struct evaluation *v, const Dwarf_Die *function, const struct module *m,
                        size_t *ret);
/* Returns the value of a variable of another frame. */
struct error *variables_value_in_frame(struct evaluation *v, size_t frame,
                                       const struct found_variable *f, struct value **ret);
/* True if the location is the same everywhere: an address, or a thread-local one. */
bool variables_is_fixed(Dwarf_Attribute *location);

/* --- what a name means (lookup.c) ------------------------------------------------------------- */

struct name_meaning {
    enum name_kind kind;
    struct found_variable variable; /* or function, type, constant */
    struct name_found global;       /* module NULL: not an entry of the index */
    Dwarf_Die of_enum;              /* the enum of a constant */
    bool is_member;                 /* `member` of the object, in `class` if that is not NULL */
    const char *member;
    struct type *class;
    bool is_of_frame, has_frame;    /* a variable of the frame with this index, if there is one */
    size_t frame;
};
enum { NAME_VALUES = 1u << NAME_VARIABLE | 1u << NAME_FUNCTION | 1u << NAME_ENUMERATOR };
/* Looks up a name. Notes which one was taken if there are several (values_note()). */
bool lookup_name(struct evaluation *v, const char *text, unsigned kinds, struct name_meaning *ret);
/* Looks up a value, or a type if the name means a type here. */
bool lookup_value(struct evaluation *v, const char *text, struct name_meaning *ret);
/* 'file.c'::name */
bool lookup_in_file(struct evaluation *v, const char *file, const char *text, unsigned kinds,
                    struct name_meaning *ret);
/* True if `base` is the class itself or one of its bases. */
bool class_has_base(struct evaluation *v, struct type *class, struct type *base);
/* Returns the class or base class that the name means; NULL: none. */
struct type *class_named_in(struct evaluation *v, struct type *class, const char *name,
                            unsigned depth);
struct error *evaluate_meaning(struct evaluation *v, const char *text, const struct name_meaning *m,
                               struct value **ret);
/* Finds a member in the object's class, or in the named base class of it. */
struct error *value_find_member_in(struct value *object, struct type *class, const char *name,
                                   struct value **ret);

/* Returns its linkage name; NULL: none. */
const char *variables_link_name(Dwarf_Die *die);
/* Finds the frame of a function that contains the frame's own, this many levels out, and its
 * variable there. (The given variable is that of the abstract form if the function has an
 * instance.) SIZE_MAX: none. */
size_t variables_outer_frame(struct evaluation *v, unsigned levels, Dwarf_Die *function,
                             Dwarf_Die *variable);
/* Returns the value of a variable. *ret is NULL if it is optimized out; then *ret_why says why. */
struct error *variables_value(struct evaluation *v, const struct found_variable *f,
                              struct value **ret);
/* Returns a parameter's value at the entry of its function (`name@entry`), as found in the caller;
 * NULL: not known. */
struct value *variables_at_entry(struct evaluation *v, const struct found_variable *f);
/* Reads a bound or count of a DIE, in any form. */
bool variables_number(struct evaluation *v, struct module *m, Dwarf_Attribute *a, i64 *ret);
/* The same for an attribute of a type, for an object at the address and a dimension (if only the
 * object tells the rank); both may be NULL. */
bool variables_bound(struct evaluation *v, struct module *m, Dwarf_Attribute *a, const u64 *object,
                     const u64 *dimension, i64 *ret);
/* Returns the DWARF number of a register that frames hold, by its name, or pc, sp or fp. */
bool frame_register_named(const char *name, unsigned *ret);
/* Returns gdb's name of a register by its DWARF number; NULL: not a register that holds
 * variables. */
const char *frame_register_name(struct evaluation *v, u64 number);
bool variables_register(struct evaluation *v, const char *name, struct value **ret);
/* Returns the name space or class around the function, "" if none; NULL: no function. */
const char *variables_space(struct evaluation *v);
/* Returns the object that a member function is called for; NULL: none. */
struct value *variables_this(struct evaluation *v);
/* Thread-local storage of a module: its block is at a fixed distance from fs_base, or has an index
 * in the vector of blocks. */
struct tls_place {
    bool is_fixed;
    i64 offset;
    u64 number;
};
bool variables_tls_place(struct symbols *s, struct module *m, struct tls_place *ret);
bool variables_tls(struct evaluation *v, struct module *m, u64 offset, u64 *ret);
int variables_location(struct frame_view *f, Dwarf_Attribute *a, Dwarf_Op **ret, size_t *ret_count);

/* True if it is kept in different places in different parts of the code (stretches.c). */
bool stretches_differ(Dwarf_Attribute *location);
void stretches_note(struct evaluation *v, const struct found_variable *f);

/* --- variables of other files (linked_data.c) ------------------------------------------------- */

struct linked {
    struct module *module;
    u64 address;          /* or the offset in the module's thread-local storage */
    bool is_thread_local;
};
/* Finds the address at which the linker has put a variable that is only declared, or that the
 * program has a copy of; false: it is where debug information says. */
bool linked_datum(struct evaluation *v, struct found_variable *f, struct linked *ret);

/* --- values (value.c) ------------------------------------------------------------------------- */

/* The memory that a value was made from: its own, and that of others. */
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
    u64 room;               /* allocated size of both */
    bool in_memory;
    u64 address;
    u32 bit_offset, bit_size; /* bit_size 0: not a bit-field */
    const struct sources *from; /* in addition to its own memory */
    /* Where it is if not in memory: a register or a convenience variable, and the offset there. */
    const char *home_register;
    const char *home_variable;
    u64 home_offset;
    bool home_is_part;
    /* The target of a pointer that the compiler has optimized away. */
    struct value *implied;
    i64 implied_offset;
    const char *spelled; /* the expression that it is the value of; may be NULL */
};

/* What to call a value in a message: the expression, or "a value of type T". */
const char *value_called(const struct value *value);
/* The type's name in a message; lives as long as the evaluation. */
const char *type_called(struct evaluation *v, struct type *t);

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
/* Returns the target of an optimized-out pointer, this many elements further. */
struct value *value_implied(struct value *pointer, struct type *to, i64 index);
/* Reads a register of the frame; `bytes` must have room for 64. */
bool value_register(struct frame_view *f, u64 number, u8 *bytes, size_t *size);
struct value *value_optimised_out(struct evaluation *v, struct type *t);
/* Returns a part: an element or a member. */
struct value *value_part(struct value *value, struct type *t, u64 offset);
struct value *value_member(struct value *value, const struct member *m);
struct value *value_element(struct value *array, u64 index);
/* Reads its bytes; an error if memory is not mapped. */
struct error *value_load(struct value *value);
bool value_is_missing(const struct value *value, u64 offset, u64 size);
struct error *value_number(struct value *value, struct number *ret);
struct error *value_pointer(struct value *value, u64 *ret);
const struct sources *value_all_sources(struct value *value);
const struct sources *sources_join(struct evaluation *v, const struct sources *a,
                                   const struct sources *b);
/* Follows references. */
struct error *value_referred(struct value *value, struct value **ret);
/* Finds a member by name, also in bases and anonymous members; NULL: none. */
struct error *value_find_member(struct value *value, const char *name, struct value **ret);
/* Returns the offset of a virtual base in the object. */
struct error *value_virtual_base(struct value *object, const struct member *m, u64 *ret);
/* Converts arrays and functions to pointers. */
struct error *value_decay(struct value *value, struct value **ret);
/* Notes that the result was made from both values; `b` may be NULL. */
struct value *value_joined(struct value *result, struct value *a, struct value *b);
struct error *value_cast(struct value *value, struct type *to, struct value **ret);
/* True if a cast may change the address of an object, or of what a pointer points to. */
bool cast_moves(struct evaluation *v, struct type *from, struct type *to);

/* --- expressions (parse.c, evaluate.c) -------------------------------------------------------- */

enum tree_kind {
    TREE_NUMBER, TREE_STRING, TREE_NAME, TREE_ENTRY, TREE_FILE_NAME, TREE_REGISTER, TREE_UNARY,
    TREE_BINARY, TREE_AND, TREE_OR, TREE_CONDITION, TREE_COMMA, TREE_MEMBER, TREE_ARROW, TREE_INDEX,
    TREE_SLICE,
    TREE_CAST, TREE_SIZEOF, TREE_SIZEOF_TYPE, TREE_TYPE, TREE_TO_MEMBER,
    TREE_CALL,    /* a: the function; arguments */
    TREE_ASSIGN,  /* a = b, or with an operation: a += b */
    TREE_COUNT,   /* ++ and --, before or after a; op is OP_ADD or OP_SUB */
    TREE_AT_TYPE, /* {type} a */
    /* Of Fortran. */
    TREE_TEXT,      /* 'abc': exactly as long as written, without a terminator */
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
    const char *spelled; /* as the user wrote it, for messages; may be NULL */
};

/* True for text == "string", which compares characters, not addresses. */
bool tree_compares_text(const struct tree *t);
struct error *parse_expression(struct evaluation *v, const char *text, struct tree **ret);
/* Returns the common type of both before an operation on numbers. */
struct type *arithmetic_type(struct evaluation *v, struct type *a, struct type *b);
struct type *promoted_type(struct evaluation *v, struct type *t);
struct number number_as(struct evaluation *v, struct number n, struct type *t);
/* Decodes a floating-point number; false: unknown size. */
bool float_number(const struct type *plain, const u8 *bytes, long double *ret);
struct type *type_named(struct evaluation *v, const char *keyword, const char *name);
struct error *evaluate(struct evaluation *v, const struct tree *t, struct value **ret);
struct type *comparison_type(struct evaluation *v);
/* Evaluates an operand and follows references. */
struct error *evaluate_operand(struct evaluation *v, const struct tree *t, struct value **ret);
/* Applies an operator to two values, as in C. */
struct error *evaluate_operation(struct evaluation *v, enum tree_op op, struct value *a,
                                 struct value *b,
                                 struct value **ret);
struct error *evaluate_dereference(struct value *value, struct value **ret);

/* --- effects (assign.c, call.c, callable.c, call_abi.c) ------------------------------------- */

/* Returns an error if the program cannot be changed; `what` names the attempt. */
struct error *effects_allowed(struct evaluation *v, const char *what);
struct error *evaluate_assign(struct evaluation *v, const struct tree *t, struct value **ret);
struct error *evaluate_count(struct evaluation *v, const struct tree *t, struct value **ret);
/* `as` (may be NULL): the result type if nothing else tells it. */
struct error *evaluate_call(struct evaluation *v, const struct tree *t, struct type *as,
                            struct value **ret);
/* Writes the value to memory of the copy, unless it is in memory already. */
struct error *value_in_copy(struct value *value, struct value **ret);

/* A function that can be called. */
struct callable {
    const char *name;      /* the name that was looked up */
    /* 0: it has no code, or its address is in a table of virtual functions */
    u64 address;
    struct module *module;
    Dwarf_Die die;         /* valid if has_die: the declaration or the definition */
    bool has_die;
    struct type *class;    /* for a method that is not static; otherwise NULL */
    bool is_virtual;
    u64 slot;              /* index in the table of virtual functions */
    bool is_variadic, is_unprototyped;
    struct type *result;   /* NULL: not known */
    struct type **parameters; /* without the object */
    size_t parameter_count;
    unsigned points;       /* how well its name matches */
};

/* Finds all functions that a name may mean, only the best kind of match. *ret is owned by the
 * evaluation. */
void callables_named(struct evaluation *v, const char *name, struct callable **ret,
                     size_t *ret_count);
/* Finds methods of a class or, if there are none, of its bases. */
void callables_of_class(struct evaluation *v, struct type *class, const char *name,
                        struct callable **ret,
                        size_t *ret_count);
/* Finds the function for a value that is a function or points to one. */
struct error *callable_of_value(struct value *value, struct callable *ret);
/* True if the code at the address is a resolver (IFUNC). */
bool callable_is_indirect(struct evaluation *v, u64 address);
/* The type of the function that begins there, whatever its name; NULL: not known. */
struct type *callable_type_at(struct evaluation *v, u64 address);
/* Returns parameters and result of a C library function; false: it is not known. */
bool library_call(struct evaluation *v, const char *name, struct callable *ret);
/* Calls the one that fits best; `object` may be NULL. */
struct error *call_best(struct evaluation *v, const struct callable *all, size_t count,
                        struct value *object,
                        bool qualified, struct value **arguments, size_t argument_count,
                            struct type *as,
                        struct value **ret);
/* Calls an operator of a class, `a op b`; b may be NULL. *ret is NULL if the class does not have
 * it. */
struct error *call_operator(struct evaluation *v, const char *name, struct value *a,
                            struct value *b,
                            struct value **ret);

/* --- where functions find and leave values (returned.c, arguments.c) -------------------------- */

/* The class of each eight bytes of a value in the calling convention. */
enum word_class {
    WORD_NONE,
    WORD_INTEGER,
    WORD_SSE,
    WORD_SSE_UP,
    WORD_X87,
    WORD_X87_UP,
    WORD_MEMORY
};

enum { RETURNED_WORDS = 8 }; /* for the largest value in registers: a zmm */

struct returned {
    struct evaluation *v;
    enum word_class words[RETURNED_WORDS];
    u64 size;
    /* a vector of more than 16 bytes: in memory if the code was not compiled for AVX */
    bool has_wide_vector;
    unsigned scalars;
    const struct values_called *called; /* the call whose registers they are; NULL: the frame's */
};

/* Classifies the words of a type; true: such a value is not in registers. */
bool returned_in_memory(struct returned *r, struct type *t, bool *ret_uses_avx);
/* True for a class that is passed by address, because copying it is not trivial. */
bool returned_by_address(struct evaluation *v, struct type *t);
/* True for a complex long double, the only value in two x87 registers. */
bool returned_on_x87_stack(const struct type *plain);
struct error *returned_from_registers(struct returned *r, struct type *t, const u64 rax_rdx[2],
                                      struct value **ret);
/* Returns the result of a Go function, from the registers of the evaluation (go_returned.c); NULL:
 * nothing. */
struct error *go_returned(struct evaluation *v, struct module *m, Dwarf_Die *function,
                          struct value **ret);
/* Returns a register after the call. */
bool call_register(const struct values_called *called, const char *name, u8 *bytes,
                   size_t *ret_size);
/* True if the result is at the address given by the first argument. */
bool call_returns_in_memory(struct evaluation *v, struct type *t);
struct error *call_result(struct evaluation *v, struct type *t, const struct values_called *called,
                          struct value **ret);
struct error *call_add_argument(struct evaluation *v, struct values_call *call, struct list *stack,
                                struct value *value);

/* --- $_strlen and others (internal_functions.c) ----------------------------------------------- */

bool internal_function_is(const char *name); /* without $ */
struct error *internal_function_call(struct evaluation *v, const char *name,
                                     struct value *const *arguments, size_t count,
                                     struct value **ret);

/* --- what outlives an evaluation (conveniences.c) ------------------------------------------- */

/* Finds `$`, `$$`, `$3`, `$$3`, `$name`; void if not set. An error if there are no conveniences. */
struct error *conveniences_find(struct evaluation *v, const char *name, struct value **ret);
struct error *siginfo_value(struct evaluation *v, struct value **ret);
/* Sets the whole variable, or the part at the offset (if not NULL). */
struct error *conveniences_set(struct evaluation *v, const char *name, const u64 *offset,
                               struct value *value);

/* --- text (show.c, show_text.c, show_std.c) --------------------------------------------------- */

enum { SHOW_MOST = 200, SHOW_REPEATS = 10, SHOW_DEPTH = 20, SHOW_FETCHED_MOST = 1 << 14 };

const struct show_settings *show_settings_of(const struct evaluation *v);
/* The maximum number of elements that are looked at. */
u64 show_most(const struct evaluation *v);

/* Styles for languages other than C++ (0: C++'s). */
enum shown_style {
    SHOWN_CLASS,
    SHOWN_TEXT,
    SHOWN_ROW,    /* [a, b] */
    SHOWN_SET,    /* {a, b} */
    SHOWN_MAP,    /* {a: b} */
    SHOWN_TUPLE,  /* name(a, b) */
    SHOWN_FIELDS, /* name { field: a } */
    SHOWN_ONE,    /* as the value that it holds */
    SHOWN_WORDS,  /* only the title */
};

/* A value that is shown in a special form. */
struct shown {
    enum shown_style style;
    bool is_plain;         /* just a struct */
    bool is_variant;       /* an enum: JSON also has its name */
    const char *note;      /* shown before it at top level; NULL: nothing */
    const char *tail;      /* shown after the last field; NULL: nothing */
    struct value *holder;  /* what surrounds the target: its counts */
    bool is_text;
    struct type *of;       /* the type of contiguous elements; NULL: not contiguous */
    u64 address, length;   /* of the elements or the text */
    unsigned width;        /* of a character */
    char prefix;           /* ' ', 'L', 'u' or 'U' */
    const char *title;     /* "std::vector of length 3, capacity 4", or NULL */
    struct value **items;  /* elements */
    struct value **keys;   /* NULL: not a map */
    const char **labels;   /* in place of keys: "first", "get()"; NULL: none */
    bool numbered;         /* each is preceded by "[0] = " */
    unsigned first;        /* number */
    size_t count;
    bool more;             /* there are more than were fetched */
    bool is_one;           /* it holds one thing or nothing: JSON has just that */
    bool is_words;         /* there is only the title */
    bool is_bare;          /* text also shows only that: an iterator is shown as its element */
    struct value *target;  /* the target of * and ->; NULL: none */
};

bool show_standard(struct value *value, struct shown *ret);
/* Go (go_values.c). DWARF describes a map, a channel or a function as a pointer or function to a
 * handle. */
bool go_shown(struct value *value, struct shown *ret);
/* "*main.Node": Go has names for types that have none in C; NULL: not a Go type. */
const char *go_type_name(struct type *t);
/* Replaces an interface by what it holds or points to; other values are returned unchanged. */
struct value *go_looked_through(struct value *value);
bool go_shown_handle(struct value *value, struct shown *ret);
/* For std_containers.c and std_holders.c: finds a member by its path, "_M_impl._M_start", also
 * through pointers; NULL: there is none. */
struct value *std_member(struct value *value, const char *path);
bool std_word(struct value *value, const char *path, u64 *ret);
/* true for an instance of the template NAME<...> */
bool std_is(const struct type *plain, const char *name);
/* Returns a template argument: std_argument a type, std_number_argument a number. */
struct type *std_argument(struct evaluation *v, const struct type *t, unsigned wanted);
bool std_number_argument(struct evaluation *v, const struct type *t, i64 *ret);
void std_title(struct evaluation *v, struct shown *ret, char *text); /* takes it */
/* Allocates room for `count` items, but at most for as many as are shown. */
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
/* Text with its quotes, as in C; `width` bytes per character. */
struct show_text {
    unsigned width; /* of a character */
    char prefix;
    char quote;     /* 0: " */
    bool ellipsis;  /* there is more that was not read */
    u32 most, repeats;
};
void show_characters(FILE *out, const u8 *bytes, u64 count, const struct show_text *how);
void show_character(FILE *out, u32 c, char prefix, char quote);
void show_json_text(FILE *out, const u8 *bytes, size_t count);
/* Reads the string that a pointer points to, up to `most` characters; the caller frees *ret. False:
 * not in memory. */
bool show_read_string(struct evaluation *v, u64 address, unsigned width, size_t most, u8 **ret,
                      size_t *ret_count, bool *ret_ended);
void show_float(FILE *out, const struct type *plain, const u8 *bytes);
void show_decimal_float(FILE *out, const struct type *plain, const u8 *bytes);

#endif
