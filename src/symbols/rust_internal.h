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
 * Values are written as `{:?}` writes them, so that the program's own output can be compared with
 * them.
 */
#ifndef SYMBOLS_RUST_INTERNAL_H
#define SYMBOLS_RUST_INTERNAL_H

#include "symbols/values_internal.h"

/* --- names ------------------------------------------------------------------------------------ */

/* NULL: it is no name of Rust.  To be freed. */
char *rust_demangle(const char *mangled);
/* Does a user's name mean the function of the demangled name?  Generic arguments and the crate may
 * be left out. */
bool rust_name_fits(const char *name, const char *wanted);
/* "crate::x", "self::x", "super::x" with the names that they stand for; else the same.  The
 * evaluation's. */
const char *rust_resolved(struct evaluation *v, const char *name);
/* "values::shapes" for a function of that module; NULL: none.  The evaluation's. */
const char *rust_space(struct evaluation *v);

/* --- text ------------------------------------------------------------------------------------- */

size_t rust_utf8(u32 c, char to[4]); /* how many bytes */
/* The character at the front and its length; 0: the bytes are no UTF-8. */
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

char *rust_type_text(struct evaluation *v, struct type *t);     /* to be freed */
char *rust_type_expanded(struct evaluation *v, struct type *t); /* as `ptype` has it; to be freed */
/* Reads a type; NULL: there is none, and *at is unchanged. */
struct type *rust_type_read(struct evaluation *v, const char **at);
/* u8, i32, bool and so on; NULL: not a basic type. */
struct type *rust_basic_type(struct evaluation *v, const char *name);
/* The last part of a path, without generic arguments: "Vec" of "alloc::vec::Vec<i32>"; to be
 * freed. */
char *rust_last_name(const char *path);

/* --- values ----------------------------------------------------------------------------------- */

bool rust_is(const struct type *plain);
/* A reference or a Box, which people look through. */
bool rust_is_reference(const struct type *plain);
bool rust_is_unit(const struct type *plain);
/* What it shows; false: it is no struct of Rust. */
bool rust_shown(struct value *value, struct shown *ret);
/* The variant that an enum is now, as a struct of its own; NULL: it is not an enum, or its tag
 * names no variant. */
struct value *rust_variant(struct value *value, const char **ret_name);
/* References and boxes become what they refer to. */
struct error *rust_looked_through(struct value *value, struct value **ret);
/* A field by its name or its number, through references and shared pointers; NULL: there is
 * none. */
struct error *rust_member(struct value *value, const char *name, struct value **ret);

/* A pointer with a length or a table of functions beside it. */
struct rust_fat {
    u64 address, length;
    u64 vtable;          /* 0: it has a length */
    struct type *of;     /* of what it points to, or of its elements */
    bool is_text;
};
bool rust_fat_pointer(struct value *value, struct rust_fat *ret);
/* The type that a table of a trait's functions belongs to; NULL: it is not known. */
struct type *rust_vtable_type(struct evaluation *v, u64 vtable);
/* What a trait object points to, `header` bytes from the pointer if the alignment allows; NULL: it
 * is not known. */
struct value *rust_object(struct evaluation *v, const struct rust_fat *fat, u64 header);
/* Elements that lie in a row, shown as [a, b]. */
void rust_row(struct evaluation *v, struct shown *ret, struct type *of, u64 first, u64 count);
/* Bytes of UTF-8, shown as text. */
void rust_text(struct shown *ret, struct type *of, u64 address, u64 length);
/* Transparent: shown as what it holds. */
bool rust_one(struct value *held, struct shown *ret);

/* Has it nothing but its fields?  No enum, nothing of the library. */
bool rust_has_fields(struct type *plain);
/* Is it a type of Rust's own library?  *ret_number: one that wraps a number. */
bool rust_is_of_library(struct type *plain, bool *ret_number);
/* The only field that takes room, of wrappers around wrappers. */
struct value *rust_unwrapped(struct value *value);
bool rust_std_shown(struct value *value, struct type *plain, struct shown *ret);

#endif
