/* Fortran values as text, in gdb's form: (1, 2, 3), ((1, 2) (3, 4)), ( x = 1, y = 2 ), (1,-2),
 * .TRUE., 'text'. */
#include "symbols/fortran_internal.h"
#include "symbols/show_internal.h"

/* --- arrays ----------------------------------------------------------------------------------- */

/* Walks over the elements of all dimensions, with gdb's rules for repeats: an element is written
 * when the next one differs, and at most SHOW_MOST elements of all dimensions together. */
struct fortran_rows {
    struct show *s;
    struct evaluation *v;
    u64 elements; /* written so far, or skipped as repeats */
};

static void show_rows(struct fortran_rows *r, struct value *value, bool last, bool outermost);

static bool same_values(struct value *a, struct value *b)
{
    struct error *err = value_load(a);
    if (!err)
        err = value_load(b);
    error_destroy(err);
    if (err || a->size != b->size)
        return false;
    for (u64 n = 0; n < a->size && (a->missing || b->missing); n++)
        if ((a->missing && a->missing[n]) != (b->missing && b->missing[n]))
            return false;
    return memcmp(a->bytes, b->bytes, a->size) == 0;
}

static u64 elements_in(struct evaluation *v, struct type *plain)
{
    u64 count = 1;
    while (plain->kind == TYPE_ARRAY && !plain->is_string) {
        count *= plain->count;
        plain = type_plain(v, type_target(v, plain));
    }
    return count;
}

static bool has_room(struct fortran_rows *r, bool more)
{
    bool room = more && r->elements < SHOW_MOST;
    if (more && !room)
        fputs("...", r->s->out);
    return room;
}

static void show_row_of_rows(struct fortran_rows *r, struct value *value, struct type *plain)
{
    FILE *out = r->s->out;
    struct value *before = NULL;
    u64 repeats = 0;
    for (u64 n = 0; has_room(r, n < plain->count); n++) {
        struct value *row = value_element(value, n);
        bool last = n + 1 == plain->count, repeated = before && same_values(before, row);
        repeats += repeated;
        if (!repeated || last) {
            if (repeats >= SHOW_REPEATS) {
                fprintf(out, "<repeats %llu times>%s", (unsigned long long)repeats + 1,
                        repeated ? "" : " ");
                r->elements += repeats * elements_in(r->v, type_plain(r->v, row->type));
            } else {
                for (u64 k = repeats; k > 0; k--)
                    show_rows(r, before, repeated && k == 1, false);
            }
            repeats = 0;
            if (!repeated && r->elements < SHOW_MOST)
                show_rows(r, row, last, false);
            else if (!repeated && last)
                fputs("...", out);
        }
        before = row;
    }
}

static void show_repeats(struct fortran_rows *r, struct value *value, u64 repeats)
{
    if (repeats >= SHOW_REPEATS) {
        fprintf(r->s->out, "<repeats %llu times>", (unsigned long long)repeats + 1);
        return;
    }
    for (u64 n = repeats; n > 0; n--) {
        show_value(r->s, value, false);
        fputs(n > 1 ? ", " : "", r->s->out);
    }
}

static void show_row(struct fortran_rows *r, struct value *value, struct type *plain)
{
    FILE *out = r->s->out;
    struct value *before = NULL;
    u64 repeats = 0;
    for (u64 n = 0; has_room(r, n < plain->count); n++) {
        struct value *element = value_element(value, n);
        bool last = n + 1 == plain->count, repeated = before && same_values(before, element);
        repeats += repeated;
        if (!repeated || last || r->elements + 1 == SHOW_MOST) {
            if (repeats)
                show_repeats(r, before, repeats);
            if (!repeated) {
                fputs(repeats ? ", " : "", out);
                show_value(r->s, element, false);
            }
            fputs(last ? "" : ", ", out);
            repeats = 0;
        }
        before = element;
        r->elements++;
    }
}

static void show_rows(struct fortran_rows *r, struct value *value, bool last, bool outermost)
{
    struct type *plain = type_plain(r->v, value->type);
    fputc('(', r->s->out);
    if (fortran_rank(r->v, plain) > 1)
        show_row_of_rows(r, value, plain);
    else
        show_row(r, value, plain);
    fputs(last || outermost ? ")" : ") ", r->s->out);
}

/* --- strings ---------------------------------------------------------------------------------- */

/* Reads a long string only as far as it is shown, with room for repeats. */
static void show_fortran_string(struct show *s, struct value *value, struct type *plain)
{
    enum { TEXT_MOST = 1 << 16 };
    struct evaluation *v = value->evaluation;
    struct type *of = type_plain(v, type_target(v, plain));
    if (!plain->is_counted) {
        fputs("<its length is not known>", s->out);
        return;
    }
    if (!value->bytes && value->in_memory && value->size > TEXT_MOST)
        value = value_at(v, type_array(v, of, TEXT_MOST / of->size), value->address, NULL);
    struct error *err = value_load(value);
    if (err)
        fprintf(s->out, "<%s>", error_text(err));
    else if (value_is_missing(value, 0, value->size))
        fputs("<optimised out>", s->out);
    else
        show_characters(s->out, value->bytes, value->size / of->size,
                        &(struct show_text){.width = (unsigned)of->size,
                                            .prefix = of->size == 1 ? ' ' : '4',
                                            .quote = '\'',
                                            .most = s->set->elements,
                                            .repeats = s->set->repeats});
    error_destroy(err);
}

/* --- others ----------------------------------------------------------------------------------- */

static void show_components(struct show *s, struct value *value, struct type *plain)
{
    size_t count;
    const struct member *m = type_members(value->evaluation, plain, &count);
    fputs("( ", s->out);
    for (size_t n = 0; n < count; n++) {
        fprintf(s->out, "%s%s = ", n ? ", " : "", m[n].name ? m[n].name : "");
        struct value *member = NULL;
        struct error *err = m[n].name ? fortran_member(value, m[n].name, &member) : NULL;
        error_destroy(err);
        show_value(s, member ? member : value_member(value, &m[n]), false);
    }
    fputs(" )", s->out);
}

static void show_fortran_complex(struct show *s, struct value *value, struct type *plain)
{
    struct type *half = type_new(value->evaluation, TYPE_FLOAT, plain->name, plain->size / 2);
    fputc('(', s->out);
    show_value(s, value_part(value, half, 0), false);
    fputc(',', s->out);
    show_value(s, value_part(value, half, half->size), false);
    fputc(')', s->out);
}

static bool show_logical(struct show *s, struct value *value)
{
    struct number n;
    struct error *err = value_number(value, &n);
    error_destroy(err);
    if (err)
        return false;
    fputs(n.i ? ".TRUE." : ".FALSE.", s->out);
    return true;
}

static bool show_fortran_array(struct show *s, struct value *value, struct type *plain)
{
    struct fortran_rows r = {.s = s, .v = value->evaluation};
    bool by_letter = s->format && s->format != 's';
    if (plain->absent)
        fprintf(s->out, "<%s>", plain->absent);
    else if (plain->is_string && !by_letter)
        show_fortran_string(s, value, plain);
    else if (!plain->is_counted)
        fputs("<its last bound is not known>", s->out);
    else
        show_rows(&r, value, true, true);
    return true;
}

bool show_fortran(struct show *s, struct value *value, struct type *plain)
{
    bool plainly = !s->format || s->format == 's';
    if (!fortran_is(plain) && value->evaluation->language != LANGUAGE_FORTRAN)
        return false;
    if (value_is_gone(value))
        return false;
    if (plain->kind == TYPE_ARRAY && fortran_is(plain))
        return show_fortran_array(s, value, plain);
    struct value *text = fortran_looked_through(value);
    if (text != value && plainly) {
        show_value(s, text, false);
        return true;
    }
    struct error *err = value_load(value);
    error_destroy(err);
    if (err || (value_is_missing(value, 0, value->size) && plain->kind != TYPE_STRUCT))
        return false;
    switch (plain->kind) {
    case TYPE_STRUCT:
        if (!fortran_is(plain))
            return false;
        show_components(s, value, plain);
        return true;
    case TYPE_COMPLEX: show_fortran_complex(s, value, plain); return true;
    case TYPE_BOOL: return plainly && show_logical(s, value);
    default: return false;
    }
}
