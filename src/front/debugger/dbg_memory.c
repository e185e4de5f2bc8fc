/* x: dumps memory.
 *
 * As in gdb, format and size default to those of the last time; `print/d` also sets the format of
 * x.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { EXAMINE_MOST = 65536, BACK_MOST = 4096 };

bool dbg_memory_read(struct dbg *d, u64 address, void *to, size_t size)
{
    size_t got = 0;
    struct error *err = session_read(d->debug->session, address, to, size, &got);
    error_destroy(err);
    return !err && got == size;
}

/* --- x ---------------------------------------------------------------------------------------- */

struct format {
    i64 count; /* negative: backward */
    char letter, size;
};

/* Returns the size if only the letter was given. */
static char usual_size(const struct dbg *d, char letter)
{
    char last = d->last_size ? d->last_size : 'w';
    switch (letter) {
    case 'a': return 'g';
    case 'c': return 'b';
    case 's': return 0;
    case 'f': return last == 'w' || last == 'g' ? last : 'g';
    default: return last;
    }
}

static struct error *parse_format(const struct dbg *d, const char *text, struct format *f)
{
    const char *at = text + (*text == '-');
    bool backward = *text == '-';
    char letter = 0, size = 0;
    u64 count = 1;
    if (isdigit((u8)*at)) {
        char *end;
        count = strtoull(at, &end, 10);
        at = end;
    }
    for (; *at; at++) {
        if (strchr("bhwg", *at))
            size = *at;
        else if (strchr("xduotzacfsi", *at))
            letter = *at;
        else
            return error_coded(ERROR_MISUSED,
                               "'/%s' is not a format: use a count, one of x d u o t z a c f s i, "
                               "and b, h, w or g",
                               text);
    }
    if (count == 0 || count > EXAMINE_MOST)
        return error_coded(ERROR_MISUSED, "a count must be between 1 and %u, or between -%u and -1",
                           EXAMINE_MOST, EXAMINE_MOST);
    f->count = backward ? -(i64)count : (i64)count;
    char last = d->last_format ? d->last_format : 'x';
    if (!letter && !size)
        return NULL; /* the same as last time */
    f->letter = letter ? letter : last == 'i' ? 'x' : last;
    f->size = size ? size : usual_size(d, letter);
    return NULL;
}

/* Returns a gdb type for the size. */
static const char *unit_type(const struct format *f)
{
    bool text = f->letter == 's';
    switch (f->letter == 'i' ? 'b' : f->size) {
    case 'h': return text ? "char16_t" : "int16_t";
    case 'w': return text ? "char32_t" : "int32_t";
    case 'g': return text ? "int8_t" : "int64_t";
    default: return "int8_t";
    }
}

static u64 unit_size(const struct format *f)
{
    bool text = f->letter == 's';
    return f->size == 'h' ? 2 : f->size == 'w' ? 4 : f->size == 'g' && !text ? 8 : 1;
}

static void say_address(struct dbg *d, u64 address)
{
    dbg_say(d, "0x%llx", (unsigned long long)address);
    dbg_say_symbol(d, address);
    dbg_say(d, ":");
}

static struct error *no_memory(u64 address)
{
    return error_coded(ERROR_UNAVAILABLE, "there is no memory at 0x%llx",
                       (unsigned long long)address);
}

void dbg_note_examined(struct value *value)
{
    struct value *pointer = value_address_of(value);
    if (pointer)
        error_destroy(conveniences_define(pointer, "_"));
}

static struct error *examine_units(struct dbg *d, struct evaluation *v, u64 *at,
                                   const struct format *f, struct value **ret_last)
{
    unsigned per_line = f->size == 'w' ? 4 : f->size == 'g' ? 2 : 8;
    u64 size = unit_size(f);
    json_open(dbg_fields(d), "units", '[');
    struct error *err = NULL;
    for (i64 i = 0; i < f->count && !err; i++) {
        u64 raw;
        if (!dbg_memory_read(d, *at, &raw, size)) {
            dbg_say(d, i % per_line ? "\n" : "");
            err = no_memory(*at);
            break;
        }
        if (i % per_line == 0)
            say_address(d, *at);
        struct value *value = values_at(v, unit_type(f), *at);
        char *text = value_show_unit(value, f->letter);
        dbg_say(d, "\t%s%s", text, (i + 1) % per_line == 0 || i + 1 == f->count ? "\n" : "");
        json_string(dbg_fields(d), NULL, text);
        free(text);
        *ret_last = value;
        *at += size;
    }
    json_close(dbg_fields(d), ']');
    return err;
}

static struct error *examine_strings(struct dbg *d, struct evaluation *v, u64 *at,
                                     const struct format *f, struct value **ret_last)
{
    json_open(dbg_fields(d), "units", '[');
    for (i64 i = 0; i < f->count; i++) {
        char *text;
        struct value *value = values_at(v, unit_type(f), *at);
        say_address(d, *at);
        *at += unit_size(f) * value_show_string(value, &text);
        dbg_say(d, "\t%s\n", text);
        json_string(dbg_fields(d), NULL, text);
        free(text);
        *ret_last = value;
    }
    json_close(dbg_fields(d), ']');
    return NULL;
}

static struct error *examine_code(struct dbg *d, struct evaluation *v, u64 *at,
                                  const struct format *f, struct value **ret_last)
{
    for (i64 i = 0; i < f->count; i++) {
        dbg_say(d, "%s", *at == dbg_pc(d) ? "=> " : "   ");
        say_address(d, *at);
        dbg_say(d, "\t");
        *ret_last = values_at(v, "int8_t", *at);
        size_t length = dbg_say_instruction(d, *at, false);
        if (!length)
            return no_memory(*at);
        *at += length;
    }
    return NULL;
}

/* --- backward --------------------------------------------------------------------------------- */

/* A string begins after a null, or at most the maximum number of characters before its end. The
 * string that contains the address is the last of them. */
static struct error *strings_before(struct dbg *d, u64 *at, struct format *f)
{
    u64 size = unit_size(f), counted = 0, begin = *at, next = *at;
    i64 found = 0;
    while (found < f->count) {
        u64 unit = 0;
        if (!dbg_memory_read(d, next - size, &unit, size)) {
            begin -= counted * size;
            break;
        }
        next -= size;
        if (!unit || counted == d->debug->settings.show.elements) {
            begin = next + size;
            counted = 0;
            found++;
        } else {
            counted++;
        }
    }
    if (!found)
        return no_memory(*at - size);
    f->count = found;
    *at = begin;
    return NULL;
}

/* Adds the starts of the instructions in [from, until), before the known ones. */
static void instructions_before(struct symbols *symbols, u64 from, u64 until, struct list *starts)
{
    struct instruction one;
    struct list longer = LIST(u64);
    for (u64 pc = from; pc < until && symbols_instruction(symbols, pc, &one); pc += one.length)
        *(u64 *)list_add(&longer) = pc;
    for (size_t i = 0; i < starts->count; i++)
        *(u64 *)list_add(&longer) = ((u64 *)starts->items)[i];
    list_deinit(starts);
    *starts = longer;
}

/* Instructions cannot be decoded backward: they are decoded from the start of a line or
 * function. */
static struct error *code_before(struct dbg *d, u64 *at, struct format *f)
{
    struct symbols *symbols;
    struct error *err = debug_symbols(d->debug, &symbols);
    struct list starts = LIST(u64);
    u64 first = *at, wanted = (u64)f->count;
    while (!err && starts.count < wanted && *at - first < BACK_MOST) {
        struct line_place line;
        struct function_info function;
        size_t before = starts.count;
        bool known = symbols_line(symbols, first - 1, &line);
        u64 from = known ? line.start : 0;
        if (!known && (known = symbols_function(symbols, first - 1, &function)))
            from = function.start;
        if (!known)
            break;
        instructions_before(symbols, from, first, &starts);
        if (starts.count == before)
            break;
        first = from;
    }
    if (!err && !starts.count)
        err = error_coded(ERROR_NOT_FOUND, "no line and no function is known before 0x%llx",
                          (unsigned long long)*at);
    if (!err) {
        f->count = starts.count < wanted ? (i64)starts.count : f->count;
        *at = ((u64 *)starts.items)[starts.count - (size_t)f->count];
    }
    list_deinit(&starts);
    return err;
}

/* Moves *at to the first of them. */
static struct error *go_back(struct dbg *d, u64 *at, struct format *f)
{
    f->count = -f->count;
    if (f->letter == 'i')
        return code_before(d, at, f);
    if (f->letter == 's')
        return strings_before(d, at, f);
    *at -= (u64)f->count * unit_size(f);
    return NULL;
}

static struct error *examine(struct dbg *d, struct evaluation *v, struct format f, u64 *at)
{
    struct value *last = NULL;
    bool backward = f.count < 0;
    struct error *err = backward ? go_back(d, at, &f) : NULL;
    u64 begin = *at;
    if (!err)
        err = f.letter == 'i'   ? examine_code(d, v, at, &f, &last)
              : f.letter == 's' ? examine_strings(d, v, at, &f, &last)
                                : examine_units(d, v, at, &f, &last);
    if (backward)
        *at = begin - (f.letter == 's' ? unit_size(&f) : 0);
    if (last)
        dbg_note_examined(last);
    if (last && f.letter != 'i' && f.letter != 's')
        error_destroy(conveniences_define(last, "__"));
    else if (last)
        conveniences_forget(d->debug->conveniences, "__");
    return err;
}

/* Returns the size of the floating-point number at the address; 0: another type. (gdb uses the size
 * of the last x, and may show half of a double.) */
static char float_size(struct dbg *d, const char *expression)
{
    struct evaluation *v;
    struct value *value;
    u64 address, size = 0;
    struct error *err = debug_evaluation(d->debug, &v);
    if (!err) {
        char *pointed = xformat("*(%s)", expression);
        err = values_evaluate(v, pointed, &value);
        free(pointed);
        if (err || value_number_kind(value) != 'f' || !value_memory(value, &address, &size))
            size = 0;
        values_close(v);
    }
    error_destroy(err);
    return size == 4 ? 'w' : size == 8 ? 'g' : 0;
}

/* Without an expression it continues where the last one ended. */
struct error *dbg_examine(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char room[24];
    struct evaluation *v;
    struct format f = {.count = 1, .letter = d->last_format ? d->last_format : 'x',
                       .size = d->last_size ? d->last_size : 'w'};
    (void)c;
    bool formatted = *args == '/';
    struct error *err = dbg_split_format(&args, room, sizeof room);
    if (!err && formatted)
        err = parse_format(d, room, &f);
    else if (!*args && d->examine_count)
        f.count = d->examine_count;
    u64 at = d->examine_next;
    if (!err && *args)
        err = debug_address_of(d->debug, args, &at);
    char size =
        !err && *args && f.letter == 'f' && !strpbrk(room, "bhwg") ? float_size(d, args) : 0;
    f.size = size ? size : f.size;
    if (!err && !*args && !d->examine_count && !at)
        err = error_coded(ERROR_MISUSED, "say where to begin: an address");
    if (!err)
        err = debug_evaluation(d->debug, &v);
    if (err)
        return err;
    d->examine_count = f.count;
    err = examine(d, v, f, &at);
    d->examine_next = at;
    if (!err) {
        d->last_format = f.letter;
        d->last_size = f.letter == 's' ? 'b' : f.size;
    }
    values_close(v);
    return err;
}
