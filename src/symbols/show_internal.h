/* What the files that turn values into text share. */
#ifndef SYMBOLS_SHOW_INTERNAL_H
#define SYMBOLS_SHOW_INTERNAL_H

#include "symbols/values_internal.h"

enum { VIRTUAL_MOST = 32, SHOWN_VALUES_MOST = 100000 };

struct show {
    FILE *out;
    const struct show_settings *set;
    char format;
    bool padded;    /* numbers are shown with all their digits */
    bool alone;     /* the value is shown by itself, not in a list */
    unsigned depth;
    unsigned shown; /* values shown so far, which limits deeply or widely nested ones */
    /* addresses of virtual bases already shown: each is shown once */
    u64 virtual_bases[VIRTUAL_MOST];
    size_t virtual_count;
};

void show_value(struct show *s, struct value *value, bool top);
void show_hex(FILE *out, unsigned __int128 i);
void show_symbol(FILE *out, struct evaluation *v, u64 address, bool code);
/* Begins a new line, `more` levels deeper than the current value. */
void show_new_line(struct show *s, unsigned more);

/* show_rust.c: shows a Rust value. False: it has no special form. */
bool show_rust_scalar(struct show *s, struct value *value, struct type *plain, bool top);
bool show_rust_struct(struct show *s, struct value *value);

/* show_fortran.c: shows a Fortran value; false: it is shown as in C. */
bool show_fortran(struct show *s, struct value *value, struct type *plain);

#endif
