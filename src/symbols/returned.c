/* Finds the result of a function that has just returned, by the calling convention of the System V
 * ABI for AMD64 (3.2.3), with the rules of the Itanium C++ ABI for classes (3.1.4).
 *
 * A type is divided into words of eight bytes. Each scalar gives its words a class; if several
 * scalars share a word, their classes are merged. The classes of all words tell where the value is:
 * in rax and rdx, in xmm0 and xmm1 (or all of ymm0), on the x87 stack, or in memory at the address
 * in rax. Classes of C++ that cannot be copied byte by byte are in memory, however small they are.
 *
 * This is the convention of C and C++. Other languages follow it for scalars only.
 */
#include <dwarf.h>

#include "symbols/values_internal.h"

enum {
    RETURNED_DEEP = 32,     /* nesting of structs */
    X87_BYTES = 10,
};

/* --- classes of C++ that are returned in memory ----------------------------------------------- */

static bool needs_memory(struct evaluation *v, struct type *t, unsigned depth);

static bool returned_flag(Dwarf_Die *die, unsigned name, Dwarf_Word *ret)
{
    Dwarf_Attribute a;
    bool set;
    if (!dwarf_attr_integrate(die, name, &a))
        return false;
    if (dwarf_formudata(&a, ret) == 0)
        return true;
    *ret = dwarf_formflag(&a, &set) == 0 && set;
    return true;
}

/* True if the parameter after `this` is a reference to the class itself and is the only parameter.
 * Debug information has no default arguments, so a constructor with a second parameter is not
 * recognized as a copy constructor. */
static bool takes_itself(struct evaluation *v, struct type *plain, Dwarf_Die *function)
{
    Dwarf_Die child;
    Dwarf_Word artificial;
    unsigned count = 0;
    bool itself = false;
    if (dwarf_child(function, &child) != 0)
        return false;
    do {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
            (returned_flag(&child, DW_AT_artificial, &artificial) && artificial))
            continue;
        struct type *t = type_plain(v, type_attribute(v, plain->module, &child));
        itself = t->kind == TYPE_REFERENCE && type_plain(v, type_target(v, t)) == plain;
        count++;
    } while (dwarf_siblingof(&child, &child) == 0);
    return itself && count == 1;
}

/* True for a destructor, or a copy or move constructor, that the author wrote. A defaulted one is
 * trivial if those of the members are. */
static bool is_written_special(struct evaluation *v, struct type *plain, Dwarf_Die *function)
{
    Dwarf_Word value;
    const char *name = dwarf_diename(function);
    if (dwarf_tag(function) != DW_TAG_subprogram || !name ||
        (returned_flag(function, DW_AT_artificial, &value) && value) ||
        (returned_flag(function, DW_AT_deleted, &value) && value) ||
        (returned_flag(function, DW_AT_defaulted, &value) && value == DW_DEFAULTED_in_class))
        return false;
    if (name[0] == '~')
        return true;
    size_t length = plain->name ? strcspn(plain->name, "<") : 0;
    return length && strncmp(name, plain->name, length) == 0 &&
           (!name[length] || name[length] == '<') &&
           takes_itself(v, plain, function);
}

static bool has_virtual(Dwarf_Die *die)
{
    Dwarf_Word value;
    return returned_flag(die, DW_AT_virtuality, &value) && value;
}

/* True if the class cannot be copied byte by byte. Older debug information does not say so; then it
 * is derived from the class. */
static bool is_not_trivial(struct evaluation *v, struct type *plain, unsigned depth)
{
    Dwarf_Die child;
    Dwarf_Word value;
    if (dwarf_child(&plain->die, &child) != 0)
        return false;
    do {
        bool part = dwarf_tag(&child) == DW_TAG_inheritance ||
                    (dwarf_tag(&child) == DW_TAG_member &&
                     !(returned_flag(&child, DW_AT_external, &value) && value));
        if (has_virtual(&child) || is_written_special(v, plain, &child) ||
            (part && needs_memory(v, type_attribute(v, plain->module, &child), depth + 1)))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool needs_memory(struct evaluation *v, struct type *t, unsigned depth)
{
    Dwarf_Word convention;
    struct type *plain = type_plain(v, t);
    while (plain->kind == TYPE_ARRAY)
        plain = type_plain(v, type_target(v, plain));
    if (plain->kind != TYPE_STRUCT || !plain->has_die || depth > RETURNED_DEEP)
        return false;
    if (returned_flag(&plain->die, DW_AT_calling_convention, &convention))
        return convention == DW_CC_pass_by_reference;
    return is_not_trivial(v, plain, depth);
}

/* --- words ------------------------------------------------------------------------------------ */

static enum word_class merged(enum word_class a, enum word_class b)
{
    if (a == b || b == WORD_NONE)
        return a;
    if (a == WORD_NONE)
        return b;
    if (a == WORD_MEMORY || b == WORD_MEMORY)
        return WORD_MEMORY;
    if (a == WORD_INTEGER || b == WORD_INTEGER)
        return WORD_INTEGER;
    if (a == WORD_X87 || b == WORD_X87 || a == WORD_X87_UP || b == WORD_X87_UP)
        return WORD_MEMORY;
    return WORD_SSE;
}

static void put_words(struct returned *r, u64 at, u64 size, enum word_class first,
                      enum word_class others)
{
    for (u64 n = at / 8; size && n <= (at + size - 1) / 8 && n < RETURNED_WORDS; n++)
        r->words[n] = merged(r->words[n], n == at / 8 ? first : others);
}

/* Unaligned scalars of a packed struct put the whole struct in memory. */
static void put_scalar(struct returned *r, u64 at, u64 size, u64 align, enum word_class first,
                       enum word_class others)
{
    r->scalars++;
    if (align && at % align)
        first = others = WORD_MEMORY;
    put_words(r, at, size, first, others);
}

static void put_float(struct returned *r, struct type *plain, u64 at)
{
    bool x87 = plain->kind == TYPE_FLOAT && plain->size == 16 && !type_is_quad(plain);
    put_scalar(r, at, plain->size, plain->size, x87 ? WORD_X87 : WORD_SSE, x87 ? WORD_X87_UP
               : WORD_SSE_UP);
}

static void put_complex(struct returned *r, struct type *plain, u64 at)
{
    struct type half = {.kind = TYPE_FLOAT, .name = plain->name, .size = plain->size / 2};
    if (plain->is_integral) {
        put_scalar(r, at, half.size, half.size, WORD_INTEGER, WORD_INTEGER);
        put_scalar(r, at + half.size, half.size, half.size, WORD_INTEGER, WORD_INTEGER);
        return;
    }
    put_float(r, &half, at);
    put_float(r, &half, at + half.size);
}

static void put_type(struct returned *r, struct type *t, u64 at, unsigned depth);

static void put_array(struct returned *r, struct type *plain, u64 at, unsigned depth)
{
    struct type *of = type_target(r->v, plain);
    if (plain->is_vector) {
        bool narrow = plain->size < 8; /* gcc passes it as an integer of its size */
        r->has_wide_vector |= plain->size > 16;
        put_scalar(r, at, plain->size, plain->size, narrow ? WORD_INTEGER : WORD_SSE, WORD_SSE_UP);
        return;
    }
    for (u64 n = 0; n < plain->count && n * of->size < 8 * RETURNED_WORDS && of->size; n++)
        put_type(r, of, at + n * of->size, depth + 1);
}

static void put_struct(struct returned *r, struct type *plain, u64 at, unsigned depth)
{
    size_t count;
    const struct member *m = type_members(r->v, plain, &count);
    for (size_t n = 0; n < count; n++) {
        if (m[n].is_static)
            continue;
        if (m[n].is_virtual)
            put_words(r, at, plain->size, WORD_MEMORY, WORD_MEMORY);
        else if (m[n].bit_size) {
            u64 bits = 8 * (at + m[n].offset) + m[n].bit_offset;
            r->scalars++;
            put_words(r, bits / 8, (bits + m[n].bit_size + 7) / 8 - bits / 8, WORD_INTEGER,
                      WORD_INTEGER);
        } else {
            put_type(r, m[n].type, at + m[n].offset, depth + 1);
        }
    }
}

static void put_type(struct returned *r, struct type *t, u64 at, unsigned depth)
{
    struct type *plain = type_plain(r->v, t);
    if (depth > RETURNED_DEEP)
        return;
    switch (plain->kind) {
    case TYPE_VOID: break;
    case TYPE_FLOAT:
    case TYPE_DECIMAL: put_float(r, plain, at); break;
    case TYPE_COMPLEX: put_complex(r, plain, at); break;
    case TYPE_ARRAY: put_array(r, plain, at, depth); break;
    case TYPE_STRUCT: put_struct(r, plain, at, depth); break;
    case TYPE_MEMBER_POINTER: put_scalar(r, at, plain->size, 8, WORD_INTEGER, WORD_INTEGER); break;
    default: put_scalar(r, at, plain->size, plain->size, WORD_INTEGER, WORD_INTEGER); break;
    }
}

/* Applies the rules for the whole value, after all words are merged. */
static bool words_need_memory(struct returned *r)
{
    u64 count = (r->size + 7) / 8;
    for (u64 n = 0; n < count; n++) {
        if (r->words[n] == WORD_MEMORY || (n && count > 2 && r->words[n] != WORD_SSE_UP) ||
            (r->words[n] == WORD_X87_UP && (!n || r->words[n - 1] != WORD_X87)))
            return true;
        if (r->words[n] == WORD_SSE_UP &&
            (!n || (r->words[n - 1] != WORD_SSE && r->words[n - 1] != WORD_SSE_UP)))
            r->words[n] = WORD_SSE;
    }
    return count > 2 && r->words[0] != WORD_SSE;
}

bool returned_by_address(struct evaluation *v, struct type *t)
{
    return needs_memory(v, t, 0);
}

bool returned_in_memory(struct returned *r, struct type *t, bool *ret_uses_avx)
{
    struct type *plain = type_plain(r->v, t);
    *ret_uses_avx = false;
    if (plain->size > 8 * RETURNED_WORDS || needs_memory(r->v, t, 0))
        return true;
    put_type(r, t, 0, 0);
    if (words_need_memory(r))
        return true;
    *ret_uses_avx = r->has_wide_vector;
    return false;
}

/* --- registers -------------------------------------------------------------------------------- */

static bool take_register(const struct returned *r, const char *name, u8 bytes[64],
                          size_t *ret_size)
{
    const struct values_request *q = &r->v->request;
    *ret_size = 64;
    if (r->called)
        return call_register(r->called, name, bytes, ret_size);
    return q->named_register && q->named_register(q->context, name, bytes, ret_size);
}

/* Words of one vector register follow each other: the first has the class SSE, the others
 * SSE_UP. */
static bool take_vector(struct returned *r, u64 *word, unsigned number, u8 *bytes)
{
    u8 whole[64];
    size_t size;
    char name[8];
    u64 end = *word + 1;
    while (end < (r->size + 7) / 8 && r->words[end] == WORD_SSE_UP)
        end++;
    u64 wanted = 8 * (end - *word);
    snprintf(name, sizeof name, wanted > 32 ? "zmm%u" : wanted > 16 ? "ymm%u" : "xmm%u", number);
    if (!take_register(r, name, whole, &size) || size < wanted)
        return false;
    memcpy(bytes + 8 * *word, whole, wanted);
    *word = end;
    return true;
}

static bool take_words(struct returned *r, const u64 rax_rdx[2], u8 *bytes)
{
    unsigned integers = 0, vectors = 0, stack = 0;
    for (u64 n = 0; n < (r->size + 7) / 8;) {
        u8 st[64];
        size_t size;
        switch (r->words[n]) {
        case WORD_SSE:
            if (!take_vector(r, &n, vectors++, bytes))
                return false;
            continue;
        case WORD_X87:
            if (!take_register(r, stack++ ? "st1" : "st0", st, &size) || size < X87_BYTES)
                return false;
            memcpy(bytes + 8 * n++, st, X87_BYTES);
            break;
        case WORD_INTEGER:
            memcpy(bytes + 8 * n, &rax_rdx[integers++ & 1], 8);
            break;
        default: /* padding */
            break;
        }
        n++;
    }
    return true;
}

struct error *returned_from_registers(struct returned *r, struct type *t, const u64 rax_rdx[2],
                                    struct value **ret)
{
    u8 bytes[8 * RETURNED_WORDS] = {0};
    if (!take_words(r, rax_rdx, bytes))
        return error_new("the result is in registers whose values are not known");
    *ret = value_of_bytes(r->v, t, bytes, sizeof bytes);
    return NULL;
}

/* --- other languages -------------------------------------------------------------------------- */

/* Rust returns a struct of two scalars in two registers, and larger ones mostly in memory. The
 * result is known only where that agrees with C. */
static struct error *check_language(const struct returned *r, struct module *m, u64 function,
                                    struct type *t)
{
    Dwarf_Die unit;
    struct type *plain = type_plain(r->v, t);
    int language = module_unit(m, function, &unit) ? dwarf_srclang(&unit) : -1;
    if (language == DW_LANG_Rust && plain->kind == TYPE_STRUCT && plain->size <= 16 &&
        r->scalars != (plain->size + 7) / 8)
        return error_new("Rust does not say where this result is");
    return NULL;
}

/* Without AVX a long vector is in memory, but clang returns one that is not in a struct in several
 * xmm registers. */
static bool is_made_by_clang(struct module *m, u64 function)
{
    Dwarf_Die unit;
    Dwarf_Attribute a;
    const char *producer = module_unit(m, function, &unit)
                               ? dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &a)) : NULL;
    return producer && strstr(producer, "clang");
}

static void split_vector(struct returned *r)
{
    for (u64 n = 2; n < RETURNED_WORDS; n += 2)
        if (r->words[n] == WORD_SSE_UP)
            r->words[n] = WORD_SSE;
}

/* `_Complex long double` is the only value in two registers of the x87 stack. */
bool returned_on_x87_stack(const struct type *plain)
{
    return plain->kind == TYPE_COMPLEX && plain->size == 32 && !type_is_quad(plain);
}

/* Go's compiler records whether it passes values in registers. */
static bool returned_is_go(struct module *m, u64 function, bool *ret_by_registers)
{
    Dwarf_Die unit;
    Dwarf_Attribute a;
    if (!module_unit(m, function, &unit) || dwarf_srclang(&unit) != DW_LANG_Go)
        return false;
    const char *producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &a));
    *ret_by_registers = producer && strstr(producer, "regabi");
    return true;
}

struct error *values_returned(struct evaluation *v, u64 function, const u64 rax_rdx[2],
                              struct value **ret)
{
    struct module *m = module_at(v->symbols, function);
    struct function_info info;
    Dwarf_Die die;
    bool uses_avx, by_registers;
    *ret = NULL;
    if (!m || !module_function_die(m, function, &die))
        return error_new(
            "there is no debug information for the function, so its result has no type");
    if (returned_is_go(m, function, &by_registers))
        return by_registers ? go_returned(v, m, &die, ret)
                            : error_new("results of Go before 1.17 are not shown");
    /* The caller may be in code without a file, so the result is shown in the language of the
     * function. */
    v->language = language_of_die(&die);
    v->cplusplus = v->language == LANGUAGE_CPLUSPLUS || v->language == LANGUAGE_RUST;
    struct type *t = type_attribute(v, m, &die), *plain = type_plain(v, t);
    struct returned r = {.v = v, .size = plain->size};
    if (plain->kind == TYPE_VOID)
        return NULL;
    bool memory = returned_in_memory(&r, t, &uses_avx) && !returned_on_x87_stack(plain);
    struct error *err = check_language(&r, m, function, t);
    if (err)
        return err;
    if (uses_avx && symbols_function(v->symbols, function, &info) &&
        !code_uses_wide_vectors(v->symbols, info.start, info.end)) {
        memory = plain->kind == TYPE_STRUCT || !is_made_by_clang(m, function);
        split_vector(&r);
    }
    if (!memory)
        return returned_from_registers(&r, t, rax_rdx, ret);
    *ret = value_at(v, t, rax_rdx[0], NULL);
    return NULL;
}
