/* What the files that turn values to text share. */
#ifndef SYMBOLS_SHOW_INTERNAL_H
#define SYMBOLS_SHOW_INTERNAL_H

#include "symbols/values_internal.h"

enum { VIRTUAL_MOST = 32, SHOWN_VALUES_MOST = 100000 };

struct show {
    FILE *out;
    const struct show_settings *set;
    char format;
    bool padded;    /* numbers have all their digits */
    bool alone;     /* the value stands for itself, not in a list */
    unsigned depth;
    unsigned shown; /* values so far: what is nested deeply and widely ends somewhere */
    u64 virtual_bases[VIRTUAL_MOST]; /* addresses of those that were shown: each is shown once */
    size_t virtual_count;
};

void show_value(struct show *s, struct value *value, bool top);
void show_hex(FILE *out, unsigned __int128 i);
void show_symbol(FILE *out, struct evaluation *v, u64 address, bool code);
/* Begins the next line, `more` levels deeper than the value that is shown. */
void show_new_line(struct show *s, unsigned more);

/* show_rust.c: values of Rust. False: it has no special form. */
bool show_rust_scalar(struct show *s, struct value *value, struct type *plain, bool top);
bool show_rust_struct(struct show *s, struct value *value);

/* show_fortran.c: values of Fortran; false: one that is shown as C's are. */
bool show_fortran(struct show *s, struct value *value, struct type *plain);

#endif
