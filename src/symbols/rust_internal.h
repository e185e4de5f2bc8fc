/* What the files of Rust share: names, text, types, and how values are shown.
 *
 *   rust_demangle.c   names of symbols
 *   rust_names.c      which functions and variables a name means
 *   rust_text.c       characters, strings and numbers as Rust writes them
 *   rust_parse.c      literals
 *   rust_types.c      types as Rust spells them, read and written
 *   rust_shapes.c     structs, tuples, enums, references: what a value is made of
 *   rust_std.c        what Rust's library has: vectors, maps, shared pointers, cells
 *   rust_panic.c      the message of a panic
 *
 * Values are written in the form of `{:?}`, so that they can be compared with the program's own
 * output.
 */
#ifndef SYMBOLS_RUST_INTERNAL_H
#define SYMBOLS_RUST_INTERNAL_H

#include "symbols/values_internal.h"

/* --- names ------------------------------------------------------------------------------------ */

/* NULL: not a Rust name. The caller frees it. */
char *rust_demangle(const char *mangled);
/* True if a user's name means the function with this demangled name. Generic arguments and the
 * crate may be left out. */
bool rust_name_fits(const char *name, const char *wanted);
/* Replaces "crate::", "self::", "super::" by the names that they stand for; other names are
 * returned unchanged. Owned by the evaluation. */
const char *rust_resolved(struct evaluation *v, const char *name);
/* "values::shapes" for a function of that module; NULL: none. Owned by the evaluation. */
const char *rust_space(struct evaluation *v);

/* --- text ------------------------------------------------------------------------------------- */

size_t rust_utf8(u32 c, char to[4]); /* returns the number of bytes */
/* Decodes the first character and returns its length; 0: not UTF-8. */
unsigned rust_decode(const u8 *s, u64 left, u32 *ret);
void rust_show_character(FILE *out, u32 c); /* with its quotes */
void rust_show_text(FILE *out, const u8 *bytes, u64 count, bool ellipsis);
void rust_show_float(FILE *out, const struct type *plain, const u8 *bytes);

/* Reads a literal at *at. */
struct error *rust_read_number(struct evaluation *v, const char **at, struct number *ret,
                               struct type **ret_type);
struct error *rust_read_character(struct evaluation *v, const char **at, struct number *ret,
                                  struct type **ret_type);

/* --- types ------------------------------------------------------------------------------------ */

char *rust_type_text(struct evaluation *v, struct type *t);     /* the caller frees it */
/* in the form of `ptype`; the caller frees it */
char *rust_type_expanded(struct evaluation *v, struct type *t);
/* Reads a type; NULL: there is none, and *at is unchanged. */
struct type *rust_type_read(struct evaluation *v, const char **at);
/* u8, i32, bool and so on; NULL: not a basic type. */
struct type *rust_basic_type(struct evaluation *v, const char *name);
/* Returns the last part of a path without generic arguments: "Vec" of "alloc::vec::Vec<i32>"; the
 * caller frees it. */
char *rust_last_name(const char *path);

/* --- values ----------------------------------------------------------------------------------- */

bool rust_is(const struct type *plain);
/* True for a reference or a Box, which is shown as its target. */
bool rust_is_reference(const struct type *plain);
bool rust_is_unit(const struct type *plain);
/* Finds how to show the value; false: it is not a Rust struct. */
bool rust_shown(struct value *value, struct shown *ret);
/* Returns the current variant of an enum as a struct; NULL: it is not an enum, or its tag names no
 * variant. */
struct value *rust_variant(struct value *value, const char **ret_name);
/* Follows references and boxes. */
struct error *rust_looked_through(struct value *value, struct value **ret);
/* Finds a field by name or number, through references and shared pointers; NULL: there is none. */
struct error *rust_member(struct value *value, const char *name, struct value **ret);

/* A pointer with a length or a table of functions beside it. */
struct rust_fat {
    u64 address, length;
    u64 vtable;          /* 0: it has a length */
    struct type *of;     /* the type of the target, or of its elements */
    bool is_text;
};
bool rust_fat_pointer(struct value *value, struct rust_fat *ret);
/* Returns the type that a trait's function table belongs to; NULL: it is not known. */
struct type *rust_vtable_type(struct evaluation *v, u64 vtable);
/* Returns the target of a trait object, `header` bytes after the pointer (rounded up to the
 * alignment); NULL: it is not known. */
struct value *rust_object(struct evaluation *v, const struct rust_fat *fat, u64 header);
/* Shows contiguous elements as [a, b]. */
void rust_row(struct evaluation *v, struct shown *ret, struct type *of, u64 first, u64 count);
/* Shows UTF-8 bytes as text. */
void rust_text(struct shown *ret, struct type *of, u64 address, u64 length);
/* Shows a transparent wrapper as what it holds. */
bool rust_one(struct value *held, struct shown *ret);

/* True for a plain struct: not an enum, nothing of the library. */
bool rust_has_fields(struct type *plain);
/* True for a type of Rust's own library. *ret_number: it wraps a number. */
bool rust_is_of_library(struct type *plain, bool *ret_number);
/* Returns the only field of nonzero size, through nested wrappers. */
struct value *rust_unwrapped(struct value *value);
bool rust_std_shown(struct value *value, struct type *plain, struct shown *ret);

#endif
