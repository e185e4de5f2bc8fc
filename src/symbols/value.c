/* Values: bytes with a type, which may be in memory and not read yet, or known in part.
 *
 * Invariants
 *   (1) `bytes`, unless it is NULL, has `size` bytes, and so has `missing`.
 *   (2) A value in memory that has not been read has no `missing` bytes.
 */
#include "symbols/fortran_internal.h"

#include "base/assert.h"

enum {
    VALUE_MOST = 1 << 20, /* maximum number of bytes read at once */
    /* sizes in gfortran's array descriptors, since version 8 */
    DESCRIPTOR_HEAD = 40, DESCRIPTOR_ROW = 24,
};

static void size_value(struct value *value)
{
    value->size =
        value->bit_size ? (value->bit_offset + value->bit_size + 7) / 8 : value->type->size;
}

struct value *value_new(struct evaluation *v, struct type *t)
{
    struct value *value = values_alloc(v, sizeof *value);
    *value = (struct value){.evaluation = v, .type = t};
    size_value(value);
    return value;
}

struct value *value_at(struct evaluation *v, struct type *t, u64 address,
                       const struct sources *from)
{
    u64 object = address;
    t = fortran_resolved(v, t, &address);
    struct value *value = value_new(v, t);
    value->in_memory = true;
    value->address = address;
    value->from = from;
    if (address != object || t->absent) { /* the descriptor says where the data are, and how much */
        struct sources *descriptor = values_alloc(v, sizeof *descriptor);
        *descriptor = (struct sources){
            .address = object, .size = DESCRIPTOR_HEAD + DESCRIPTOR_ROW * fortran_rank(v, t)};
        value->from = sources_join(v, from, descriptor);
    }
    return value;
}

struct value *value_of_bytes(struct evaluation *v, struct type *t, const void *bytes, size_t size)
{
    struct value *value = value_new(v, t);
    value->bytes = values_alloc(v, value->size + 1);
    value->room = value->size;
    memcpy(value->bytes, bytes, size < value->size ? size : value->size);
    return value;
}

struct value *value_optimised_out(struct evaluation *v, struct type *t)
{
    struct value *value = value_new(v, t);
    if (value->size > VALUE_MOST)
        value->size = VALUE_MOST;
    value->bytes = values_alloc(v, value->size + 1);
    value->room = value->size;
    value->missing = values_alloc(v, value->size + 1);
    memset(value->missing, 1, value->size + 1);
    return value;
}

/* Copies the elements of an array with gaps between them, one after the other. If one is
 * unreadable, *address is its address. */
static bool value_gather(struct evaluation *v, struct type *plain, u64 *address, u8 *bytes)
{
    struct type *of = type_plain(v, type_target(v, plain));
    u64 from = *address;
    for (u64 n = 0; n < plain->count; n++) {
        *address = from + n * (u64)type_stride(v, plain);
        bool good = type_is_contiguous(v, of)
                        ? v->symbols->host.read(v->symbols->host.context, *address,
                                                bytes + n * of->size, of->size)
                        : value_gather(v, of, address, bytes + n * of->size);
        if (!good)
            return false;
    }
    return true;
}

const char *type_called(struct evaluation *v, struct type *t)
{
    char *text = type_text(v, t);
    const char *kept = values_copy(v, text, strlen(text));
    free(text);
    return kept;
}

const char *value_called(const struct value *value)
{
    struct evaluation *v = value->evaluation;
    if (value->spelled)
        return value->spelled;
    char *text = xformat("a value of type %s", type_called(v, value->type));
    const char *kept = values_copy(v, text, strlen(text));
    free(text);
    return kept;
}

struct error *value_load(struct value *value)
{
    struct symbols *s = value->evaluation->symbols;
    invariant(1, !value->bytes || value->size <= value->room);
    invariant(2, value->bytes || !value->missing);
    if (value->bytes)
        return NULL;
    if (value->size > VALUE_MOST)
        return error_new("%s has %llu bytes, which is too much at once", value_called(value),
                         (unsigned long long)value->size);
    u8 *bytes = values_alloc(value->evaluation, value->size + 1);
    u64 missing = value->address;
    struct type *plain = type_plain(value->evaluation, value->type);
    bool good = !value->size || (type_is_contiguous(value->evaluation, plain)
                                     ? s->host.read(s->host.context, missing, bytes, value->size)
                                     : value_gather(value->evaluation, plain, &missing, bytes));
    if (!good && !value->evaluation->only_types) {
        value->evaluation->uses |= VALUES_NO_MEMORY;
        return error_coded(ERROR_UNAVAILABLE, "there is no memory at 0x%llx",
                           (unsigned long long)missing);
    }
    value->bytes = bytes;
    value->room = value->size;
    return NULL;
}

bool value_is_missing(const struct value *value, u64 offset, u64 size)
{
    invariant(1, !value->missing || value->size <= value->room);
    for (u64 n = offset; value->missing && n < offset + size && n < value->size; n++)
        if (value->missing[n])
            return true;
    return false;
}

bool value_is_gone(const struct value *value)
{
    if (!value->missing)
        return false;
    for (u64 n = 0; n < value->size; n++)
        if (!value->missing[n])
            return false;
    return true;
}

bool value_same(struct value *a, struct value *b)
{
    struct error *err = value_load(a);
    if (!err)
        err = value_load(b);
    error_destroy(err);
    return !err && a->size == b->size && !a->missing && !b->missing &&
           memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* --- of locations ----------------------------------------------------------------------------- */

bool value_register(struct frame_view *f, u64 number, u8 *bytes, size_t *size)
{
    const struct values_request *q = &f->v->request;
    f->v->uses |= VALUES_FRAME | VALUES_REGISTERS;
    if (number < FRAME_REGISTERS) {
        if (!f->frame || !(f->frame->known >> number & 1))
            return false;
        memcpy(bytes, &f->frame->reg[number], 8);
        *size = 8;
        return true;
    }
    char name[16];
    bool vector = number >= DWARF_XMM0 && number < DWARF_ST0,
         stack = number >= DWARF_ST0 && number < DWARF_ST_END;
    if (f->index >= q->frame_count || !q->named_register || !(vector || stack))
        return false;
    for (size_t n = 0; n < f->index; n++)
        if (!q->frames[n].inlined)
            return false; /* the caller's value is lost */
    snprintf(name, sizeof name, vector ? "xmm%u" : "st%u",
             (unsigned)(number - (vector ? DWARF_XMM0 : DWARF_ST0)));
    *size = 64;
    return q->named_register(q->context, name, bytes, size);
}

/* Returns the bytes of a piece, as far as they are known. */
static bool piece_bytes(struct frame_view *f, const struct piece *p, u8 *bytes, size_t room,
                        size_t *size)
{
    struct symbols *s = f->v->symbols;
    switch (p->kind) {
    case PIECE_IN_REGISTER:
        return value_register(f, p->value, bytes, size);
    case PIECE_VALUE:
        memcpy(bytes, &p->value, 8);
        *size = 8;
        return true;
    case PIECE_COMPUTED:
        memcpy(bytes, p->computed, sizeof p->computed);
        *size = p->value;
        return true;
    case PIECE_BYTES:
        *size = p->value < room ? p->value : room;
        memcpy(bytes, p->bytes, *size);
        return true;
    case PIECE_IN_MEMORY:
        *size = room;
        return s->host.read(s->host.context, p->value, bytes, room);
    default:
        return false;
    }
}

static void put_bits(struct value *value, u64 to, const u8 *bytes, u64 from, u64 count)
{
    for (u64 n = 0; n < count && (to + n) / 8 < value->size; n++) {
        u8 bit = bytes[(from + n) / 8] >> (from + n) % 8 & 1;
        value->bytes[(to + n) / 8] |= (u8)(bit << (to + n) % 8);
        value->missing[(to + n) / 8] = 0;
    }
}

static void put_piece(struct frame_view *f, struct value *value, const struct piece *p, u64 at,
                      u64 bits)
{
    enum { PIECE_ROOM = 4096 };
    u8 bytes[PIECE_ROOM] = {0};
    u64 needed = (p->bit_offset + bits + 7) / 8;
    size_t size;
    if (needed <= PIECE_ROOM && piece_bytes(f, p, bytes, needed, &size) && needed <= size)
        put_bits(value, at, bytes, p->bit_offset, bits);
}

static struct value *in_pieces(struct frame_view *f, struct type *t, const struct location *l)
{
    struct value *value = value_optimised_out(f->v, t);
    u64 at = 0, all = value->size * 8;
    for (size_t n = 0; n < l->count && at < all; n++) {
        u64 bits = l->pieces[n].bit_size ? l->pieces[n].bit_size : all - at;
        if (bits > all - at)
            bits = all - at;
        put_piece(f, value, &l->pieces[n], at, bits);
        at += bits;
    }
    if (!value_is_missing(value, 0, value->size))
        value->missing = NULL;
    return value;
}

enum { IMPLIED_DEEP = 8 };

struct value *value_of_location(struct frame_view *f, struct type *t, const struct location *l)
{
    const struct piece *p = &l->pieces[0];
    bool whole = l->count == 1 && !p->bit_size;
    if (whole && p->kind == PIECE_IN_MEMORY)
        return value_at(f->v, t, p->value, NULL);
    if (type_plain(f->v, t)->is_dynamic)
        return value_optimised_out(f->v, t); /* a descriptor that is in several pieces */
    struct value *value = in_pieces(f, t, l);
    if (whole && p->kind == PIECE_POINTER) {
        const struct found_variable target = {.die = p->target, .module = f->module};
        f->v->implied_depth++;
        if (f->v->implied_depth < IMPLIED_DEEP)
            error_destroy(variables_value(f->v, &target, &value->implied));
        f->v->implied_depth--;
        value->implied_offset = (i64)p->value;
    }
    if (whole && p->kind == PIECE_IN_REGISTER)
        value->home_register = frame_register_name(f->v, p->value);
    return value;
}

struct value *value_implied(struct value *pointer, struct type *to, i64 index)
{
    i64 at = pointer->implied_offset + index * (i64)to->size;
    return at < 0 ? value_optimised_out(pointer->evaluation, to)
                  : value_part(pointer->implied, to, (u64)at);
}

/* --- parts ------------------------------------------------------------------------------------ */

static struct value *part_of_bits(struct value *value, struct type *t, u64 offset, u32 bit_offset,
                                  u32 bit_size)
{
    if (type_plain(value->evaluation, t)->is_dynamic)
        return value->in_memory
                   ? value_at(value->evaluation, t, value->address + offset, value->from)
                   : value_optimised_out(value->evaluation, t);
    struct value *part = value_new(value->evaluation, t);
    part->bit_offset = bit_offset;
    part->bit_size = bit_size;
    size_value(part);
    part->in_memory = value->in_memory;
    part->address = value->address + offset;
    part->from = value->from;
    part->home_register = value->home_register;
    part->home_variable = value->home_variable;
    part->home_offset = value->home_offset + offset;
    part->home_is_part = true;
    if (!value->bytes)
        return part;
    if (offset > value->size || part->size > value->size - offset) {
        if (value->in_memory)
            return part; /* a flexible array */
        struct value *none = value_optimised_out(value->evaluation, t);
        return none;
    }
    part->bytes = value->bytes + offset;
    part->room = value->room - offset;
    part->missing = value->missing ? value->missing + offset : NULL;
    invariant(1, offset <= value->room && part->size <= part->room);
    return part;
}

struct value *value_part(struct value *value, struct type *t, u64 offset)
{
    return part_of_bits(value, t, offset, 0, 0);
}

struct value *value_element(struct value *array, u64 index)
{
    struct type *plain = type_plain(array->evaluation, array->type);
    struct type *of = type_target(array->evaluation, plain);
    struct value *element = value_part(array, of, index * of->size);
    if (element->in_memory && plain->stride)
        element->address = array->address + index * (u64)plain->stride;
    return element;
}

/* The offset of a virtual base is an expression over the object's address. */
static bool object_read(void *context, u64 address, void *to, size_t size)
{
    struct symbols *s = ((struct evaluation *)context)->symbols;
    return s->host.read(s->host.context, address, to, size);
}

struct error *value_virtual_base(struct value *object, const struct member *m, u64 *ret)
{
    struct evaluation *v = object->evaluation;
    struct expression_host host = {.read = object_read, .context = v};
    struct location location;
    Dwarf_Die die = m->die;
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    if (!object->in_memory ||
        !dwarf_attr_integrate(&die, 0x38 /* DW_AT_data_member_location */, &a) ||
        expression_of(&a, &ops, &count) ||
        !expression_run(ops, count, &a, &host, &object->address, &location) || location.count != 1)
        return error_new("the base class cannot be found");
    *ret = location.pieces[0].value;
    return NULL;
}

/* A static member is where its definition says. */
static struct value *value_static_member(struct value *value, const struct member *m)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    struct found_variable found = {.die = m->die, .module = plain->module};
    struct value *result = NULL;
    struct name_found name;
    char *qualified = xformat("%s::%s", plain->name ? plain->name : "", m->name ? m->name : "");
    if (names_find(v, qualified, variables_space(v), 1u << NAME_VARIABLE, &name) &&
        !name.entry.is_declaration)
        found = (struct found_variable){.die = name.entry.die, .module = name.module};
    free(qualified);
    struct error *err = variables_value(v, &found, &result);
    error_destroy(err);
    return err ? value_optimised_out(v, m->type) : result;
}

struct value *value_member(struct value *value, const struct member *m)
{
    u64 address;
    if (m->is_static)
        return value_static_member(value, m);
    if (m->is_virtual) {
        struct error *err = value_virtual_base(value, m, &address);
        error_destroy(err);
        return err ? value_optimised_out(value->evaluation, m->type)
                   : value_at(value->evaluation, m->type, address, value->from);
    }
    return part_of_bits(value, m->type, m->offset, m->bit_offset, m->bit_size);
}

static struct error *find_member(struct value *value, const char *name, unsigned depth,
                                 struct value **ret)
{
    size_t count;
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    const struct member *m = type_members(v, plain, &count);
    *ret = NULL;
    if (plain->kind != TYPE_STRUCT || depth == SHOW_DEPTH)
        return NULL;
    for (size_t n = 0; n < count; n++)
        if (m[n].name && (fortran_is(plain) ? strcasecmp : strcmp)(m[n].name, name) == 0) {
            *ret = value_member(value, &m[n]);
            return NULL;
        }
    for (size_t n = 0; n < count && !*ret; n++)
        if (m[n].is_base || !m[n].name) {
            struct type *inner = type_plain(v, m[n].type);
            if (m[n].is_base && inner->name && strcmp(inner->name, name) == 0)
                *ret = value_member(value, &m[n]);
            else
                find_member(value_member(value, &m[n]), name, depth + 1, ret);
        }
    return NULL;
}

struct error *value_find_member(struct value *value, const char *name, struct value **ret)
{
    return find_member(value, name, 0, ret);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static __int128 value_extended(unsigned __int128 raw, unsigned bits, bool is_unsigned)
{
    if (bits >= 128)
        return (__int128)raw;
    raw &= ((unsigned __int128)1 << bits) - 1;
    if (!is_unsigned && bits && raw >> (bits - 1))
        raw |= ~(unsigned __int128)0 << bits;
    return (__int128)raw;
}

char value_number_kind(struct value *value)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    u64 size = value->size;
    if (value->bit_size || (size != 1 && size != 2 && size != 4 && size != 8))
        return 0;
    if (plain->kind == TYPE_FLOAT)
        return size >= 4 ? 'f' : 0;
    if (!type_is_integral(plain) || plain->kind == TYPE_ENUM)
        return 0;
    return plain->is_unsigned ? 'u' : 'd';
}

struct error *value_number(struct value *value, struct number *ret)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    struct error *err = value_load(value);
    if (err)
        return err;
    *ret = (struct number){0};
    if (value_is_missing(value, 0, value->size)) {
        if (value->evaluation->only_types) { /* any number is good enough */
            *ret = (struct number){.is_float = plain->kind == TYPE_FLOAT, .i = 1, .f = 1};
            return NULL;
        }
        value->evaluation->uses |= VALUES_GONE;
        return error_coded(ERROR_UNAVAILABLE, "%s is optimised out", value_called(value));
    }
    if (plain->kind == TYPE_FLOAT && float_number(plain, value->bytes, &ret->f)) {
        ret->is_float = true;
        return NULL;
    }
    bool integral = type_is_integral(plain) || plain->kind == TYPE_POINTER ||
                    plain->kind == TYPE_REFERENCE || plain->kind == TYPE_MEMBER_POINTER;
    if (!integral || value->size > 17)
        return error_new("%s is not a number", value_called(value));
    unsigned __int128 raw = 0;
    memcpy(&raw, value->bytes, value->size < 16 ? value->size : 16);
    raw >>= value->bit_offset;
    ret->i = value_extended(raw, value->bit_size ? value->bit_size : (unsigned)value->size * 8,
                            plain->is_unsigned);
    return NULL;
}

struct error *value_pointer(struct value *value, u64 *ret)
{
    struct number n;
    struct type *plain = type_plain(value->evaluation, value->type);
    if (plain->kind == TYPE_ARRAY || plain->kind == TYPE_FUNCTION) {
        if (!value->in_memory)
            return error_coded(ERROR_UNAVAILABLE, "%s is not in memory", value_called(value));
        *ret = value->address;
        return NULL;
    }
    struct error *err = value_number(value, &n);
    if (err)
        return err;
    if (n.is_float)
        return error_new("a floating-point number cannot be used as a pointer");
    *ret = (u64)n.i;
    return NULL;
}

struct number number_as(struct evaluation *v, struct number n, struct type *t)
{
    struct type *plain = type_plain(v, t);
    if (plain->kind == TYPE_FLOAT) {
        long double f = n.is_float           ? n.f
                        : plain->is_unsigned ? (long double)(unsigned __int128)n.i
                                             : (long double)n.i;
        if (plain->size == 4)
            f = (float)f;
        else if (plain->size == 8)
            f = (double)f;
        return (struct number){.is_float = true, .f = f};
    }
    __int128 i = n.i;
    if (n.is_float)
        i = n.f > -1e37L && n.f < 1e37L ? (__int128)n.f : 0;
    if (plain->kind == TYPE_BOOL)
        return (struct number){.i = n.is_float ? n.f != 0 : n.i != 0};
    return (struct number){.i = value_extended((unsigned __int128)i, (unsigned)plain->size * 8,
                                               plain->is_unsigned)};
}

static void put_float_bytes(const struct type *plain, long double f, u8 bytes[16])
{
    float single = (float)f;
    double twice = (double)f;
    __float128 quad = (__float128)f;
    if (plain->size == 4)
        memcpy(bytes, &single, 4);
    else if (plain->size == 8)
        memcpy(bytes, &twice, 8);
    else if (type_is_quad(plain))
        memcpy(bytes, &quad, 16);
    else
        memcpy(bytes, &f, 10);
}

struct value *value_of_number(struct evaluation *v, struct type *t, struct number n)
{
    struct number as = number_as(v, n, t);
    u8 bytes[16] = {0};
    if (as.is_float)
        put_float_bytes(type_plain(v, t), as.f, bytes);
    else
        memcpy(bytes, &as.i, 16);
    return value_of_bytes(v, t, bytes, sizeof bytes);
}

struct value *value_of_integer(struct evaluation *v, const char *type, i64 i)
{
    return value_of_number(v, type_builtin(v, type), (struct number){.i = i});
}

/* --- references, sources ---------------------------------------------------------------------- */

struct error *value_referred(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    u64 address;
    *ret = value;
    if (plain->kind != TYPE_REFERENCE)
        return NULL;
    if (value->implied) {
        *ret = value_implied(value, type_target(v, plain), 0);
        return NULL;
    }
    struct error *err = value_pointer(value, &address);
    if (err)
        return err;
    *ret = value_at(v, type_target(v, plain), address, value_all_sources(value));
    return NULL;
}

const struct sources *sources_join(struct evaluation *v, const struct sources *a,
                                   const struct sources *b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    struct sources *s = values_alloc(v, sizeof *s);
    *s = (struct sources){.left = a, .right = b};
    return s;
}

/* Returns the range from the first byte to the last, with the gaps between elements. The first
 * element may be the last in memory. */
static void value_span(struct value *value, u64 *ret_address, u64 *ret_size)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    u64 low = value->address, high = value->address;
    *ret_address = value->address;
    *ret_size = value->size;
    if (plain->kind != TYPE_ARRAY || type_is_contiguous(v, plain))
        return;
    for (; plain->kind == TYPE_ARRAY && plain->count;
         plain = type_plain(v, type_target(v, plain))) {
        i64 distance = type_stride(v, plain) * (i64)(plain->count - 1);
        low += distance < 0 ? (u64)distance : 0;
        high += distance > 0 ? (u64)distance : 0;
    }
    *ret_address = low;
    *ret_size = high + plain->size - low;
}

const struct sources *value_all_sources(struct value *value)
{
    if (!value->in_memory)
        return value->from;
    struct sources *own = values_alloc(value->evaluation, sizeof *own);
    value_span(value, &own->address, &own->size);
    return sources_join(value->evaluation, own, value->from);
}

static void value_add_source(struct list *l, u64 address, u64 size)
{
    struct value_source *all = l->items;
    for (size_t n = 0; n < l->count; n++)
        if (all[n].address == address && all[n].size == size)
            return;
    *(struct value_source *)list_add(l) = (struct value_source){address, size};
}

static void value_add_sources(struct list *l, const struct sources *s)
{
    enum { SOURCES_MOST = 4096 };
    for (; s && l->count < SOURCES_MOST; s = s->right) {
        if (s->size)
            value_add_source(l, s->address, s->size);
        value_add_sources(l, s->left);
    }
}

void value_sources(struct value *value, struct value_source **ret, size_t *ret_count)
{
    struct list l = LIST(struct value_source);
    value_add_sources(&l, value_all_sources(value));
    *ret = l.items;
    *ret_count = l.count;
}

bool value_memory(struct value *value, u64 *ret_address, u64 *ret_size)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    *ret_address = value->address;
    *ret_size = value->size;
    return value->in_memory && !plain->absent && type_is_contiguous(value->evaluation, plain);
}

bool value_bits(struct value *value, u32 *ret_offset, u32 *ret_size)
{
    *ret_offset = value->bit_offset;
    *ret_size = value->bit_size;
    return value->bit_size != 0;
}

u32 values_uses(const struct evaluation *v)
{
    return v->uses;
}

struct error *value_truth(struct value *value, bool *ret)
{
    struct number n;
    u64 address;
    struct type *plain = type_plain(value->evaluation, value->type);
    if (plain->kind == TYPE_ARRAY || plain->kind == TYPE_FUNCTION) {
        struct error *err = value_pointer(value, &address);
        if (!err)
            *ret = address != 0;
        return err;
    }
    struct error *err = value_referred(value, &value);
    if (!err)
        err = value_number(value, &n);
    if (!err)
        *ret = n.is_float ? n.f != 0 : n.i != 0;
    return err;
}

struct error *value_integer(struct value *value, i64 *ret)
{
    struct number n;
    struct error *err = value_referred(value, &value);
    if (!err)
        err = value_number(value, &n);
    if (err)
        return err;
    *ret = n.is_float
               ? (i64)number_as(value->evaluation, n, type_builtin(value->evaluation, "long")).i
               : (i64)n.i;
    return NULL;
}
