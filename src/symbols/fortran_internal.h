/* What the files of Fortran share.
 *
 *   fortran_types.c      arrays and their descriptors, strings; types as gdb writes them
 *   fortran_names.c      names of procedures; which variables a procedure sees
 *   fortran_parse.c      expressions
 *   fortran_evaluate.c   subscripts, sections, components, operators
 *   fortran_functions.c  intrinsic functions
 *   show_fortran.c       values to text
 *
 * Values and types are written as gdb writes them. An array of several dimensions is an array of
 * arrays, the last dimension outermost: that is how the elements lie in memory.
 */
#ifndef SYMBOLS_FORTRAN_INTERNAL_H
#define SYMBOLS_FORTRAN_INTERNAL_H

#include "symbols/values_internal.h"

enum { FORTRAN_RANK_MOST = 15 };

/* --- types ------------------------------------------------------------------------------------ */

bool fortran_is(const struct type *plain);
void fortran_make_array(struct evaluation *v, struct type *t);
void fortran_make_string(struct evaluation *v, struct type *t);
/* The type of the object at the address, with the bounds that it has now, and where its data are. A
 * type that is not dynamic is returned unchanged. */
struct type *fortran_resolved(struct evaluation *v, struct type *t, u64 *address);
/* A dummy argument of assumed shape, that only its descriptor describes: its first index is 1, even
 * if the caller's array begins elsewhere. */
void fortran_count_from_one(struct value *value);
/* Without an object: only the lengths of strings are known. */
struct type *fortran_string_of(struct evaluation *v, u64 length);
char *fortran_type_text(struct evaluation *v, struct type *t);     /* to be freed */
/* As `ptype` has it; to be freed. */
char *fortran_type_expanded(struct evaluation *v, struct type *t);
/* integer(4), real*8, type(point), point; NULL: there is none, and *at is unchanged. */
struct type *fortran_type_read(struct evaluation *v, const char **at);
/* "integer", 4: one of the language's own, with a name as gfortran writes it. */
struct type *fortran_basic_type(struct evaluation *v, const char *name, unsigned kind);
unsigned fortran_rank(struct evaluation *v, struct type *plain);
/* Of a dimension, the first is 1; NULL: there is none. */
struct type *fortran_dimension(struct evaluation *v, struct type *plain, unsigned dimension);

/* --- names ------------------------------------------------------------------------------------ */

/* Gives procedures of Fortran the names that they have in the source: module::procedure. */
void fortran_name_functions(struct module *m);
/* The name of a procedure's DIE: module::procedure; NULL: not a procedure of Fortran. To be
 * freed. */
char *fortran_qualified(Dwarf_Die *die);
bool fortran_name_fits(const char *name, const char *wanted);
/* In lower case; the evaluation's. */
const char *fortran_lower(struct evaluation *v, const char *name);
/* A variable of a module or a COMMON block that the procedure uses, or of the procedure around
 * it. */
bool fortran_find(struct evaluation *v, const char *name, struct found_variable *ret);

/* --- expressions ------------------------------------------------------------------------------ */

struct error *fortran_parse(struct evaluation *v, const char *text, struct tree **ret);
struct error *fortran_subscript(struct evaluation *v, const struct tree *t, struct value **ret);
struct error *fortran_complex(struct evaluation *v, const struct tree *t, struct value **ret);
/* Text that is kept by a pointer becomes text; else the same. */
struct value *fortran_looked_through(struct value *value);
/* The same of a value in another frame, where the length of the text is: later it would not be
 * found. */
struct value *fortran_of_frame(struct value *value);
/* A pointer or an allocatable scalar becomes what it points to. */
struct error *fortran_target(struct value *value, struct value **ret);
/* A component by its name; of the type that a type extends, and of what a CLASS variable is. */
struct error *fortran_member(struct value *value, const char *name, struct value **ret);
/* *ret NULL: not an operation that Fortran has a way of its own for. */
struct error *fortran_operation(struct evaluation *v, enum tree_op op, struct value *a,
                                struct value *b, struct value **ret);
struct error *fortran_power(struct evaluation *v, struct value *a, struct value *b,
                            struct value **ret);
bool fortran_is_intrinsic(const char *name);
struct error *fortran_call(struct evaluation *v, const char *name, struct value **arguments,
                           size_t count, struct value **ret);
/* The halves of a complex number; of a real one with 0. */
struct error *fortran_halves(struct value *value, struct number ret[2]);
struct value *fortran_complex_of(struct evaluation *v, unsigned kind,
                                 const struct number halves[2]);

#endif
