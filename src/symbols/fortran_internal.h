/* What the files of Fortran share.
 *
 *   fortran_types.c      arrays and their descriptors, strings; types as gdb writes them
 *   fortran_names.c      names of procedures; which variables a procedure sees
 *   fortran_parse.c      expressions
 *   fortran_evaluate.c   subscripts, sections, components, operators
 *   fortran_functions.c  intrinsic functions
 *   show_fortran.c       values to text
 *
 * Values and types are written as in gdb. An array of several dimensions is an array of arrays,
 * with the last dimension outermost, as in memory.
 */
#ifndef SYMBOLS_FORTRAN_INTERNAL_H
#define SYMBOLS_FORTRAN_INTERNAL_H

#include "symbols/values_internal.h"

enum { FORTRAN_RANK_MOST = 15 };

/* --- types ------------------------------------------------------------------------------------ */

bool fortran_is(const struct type *plain);
void fortran_make_array(struct evaluation *v, struct type *t);
void fortran_make_string(struct evaluation *v, struct type *t);
/* Returns the type of the object at the address with its current bounds, and sets *address to its
 * data. A type that is not dynamic is returned unchanged. */
struct type *fortran_resolved(struct evaluation *v, struct type *t, u64 *address);
/* For a dummy argument of assumed shape, which only its descriptor describes: makes the first index
 * 1, even if the caller's array begins elsewhere. */
void fortran_count_from_one(struct value *value);
/* Makes a string type without an object: only its length is known. */
struct type *fortran_string_of(struct evaluation *v, u64 length);
char *fortran_type_text(struct evaluation *v, struct type *t);     /* the caller frees it */
/* In the form of `ptype`; the caller frees it. */
char *fortran_type_expanded(struct evaluation *v, struct type *t);
/* Reads integer(4), real*8, type(point), point; NULL: there is none, and *at is unchanged. */
struct type *fortran_type_read(struct evaluation *v, const char **at);
/* Returns an intrinsic type, such as "integer" of kind 4, named as gfortran writes it. */
struct type *fortran_basic_type(struct evaluation *v, const char *name, unsigned kind);
unsigned fortran_rank(struct evaluation *v, struct type *plain);
/* Returns the type of a dimension, counted from 1; NULL: there is none. */
struct type *fortran_dimension(struct evaluation *v, struct type *plain, unsigned dimension);

/* --- names ------------------------------------------------------------------------------------ */

/* Gives Fortran procedures the names that they have in the source: module::procedure. */
void fortran_name_functions(struct module *m);
/* Returns the name of a procedure's DIE: module::procedure; NULL: not a Fortran procedure. The
 * caller frees it. */
char *fortran_qualified(Dwarf_Die *die);
bool fortran_name_fits(const char *name, const char *wanted);
/* Returns the name in lower case; owned by the evaluation. */
const char *fortran_lower(struct evaluation *v, const char *name);
/* Finds a variable of a module or COMMON block that the procedure uses, or of the enclosing
 * procedure. */
bool fortran_find(struct evaluation *v, const char *name, struct found_variable *ret);

/* --- expressions ------------------------------------------------------------------------------ */

struct error *fortran_parse(struct evaluation *v, const char *text, struct tree **ret);
struct error *fortran_subscript(struct evaluation *v, const struct tree *t, struct value **ret);
struct error *fortran_complex(struct evaluation *v, const struct tree *t, struct value **ret);
/* Replaces a pointer to text by the text; other values are returned unchanged. */
struct value *fortran_looked_through(struct value *value);
/* The same for a value in another frame, where the length of the text is found; later it could not
 * be. */
struct value *fortran_of_frame(struct value *value);
/* Replaces a pointer or allocatable scalar by its target. */
struct error *fortran_target(struct value *value, struct value **ret);
/* Finds a component by name, also in the extended type and in the dynamic type of a CLASS
 * variable. */
struct error *fortran_member(struct value *value, const char *name, struct value **ret);
/* *ret is NULL if Fortran has no special rule for the operation. */
struct error *fortran_operation(struct evaluation *v, enum tree_op op, struct value *a,
                                struct value *b, struct value **ret);
struct error *fortran_power(struct evaluation *v, struct value *a, struct value *b,
                            struct value **ret);
bool fortran_is_intrinsic(const char *name);
struct error *fortran_call(struct evaluation *v, const char *name, struct value **arguments,
                           size_t count, struct value **ret);
/* Returns the two halves of a complex number; for a real number the second is 0. */
struct error *fortran_halves(struct value *value, struct number ret[2]);
struct value *fortran_complex_of(struct evaluation *v, unsigned kind,
                                 const struct number halves[2]);

#endif
