/* The registers by their numbers in gdb's protocol: see the header.
 *
 * Register numbers run through the target description from top to bottom, so the blocks here are
 * those of the description, in its order.
 */
#include "front/gdb/register_table.h"

#include <cpuid.h>
#include <string.h>

enum where {
    IN_GENERAL, IN_SEGMENTS, IN_X87, IN_X87_CONTROL, IN_XMM, IN_MXCSR, IN_ORIG_RAX, IN_BASES,
    IN_YMM_HIGH, IN_OPMASK, IN_ZMM_HIGH, IN_XMM_UPPER, IN_YMM_UPPER, IN_ZMM_UPPER,
};

enum {
    AVX_BIT = XSAVE_BIT(XSAVE_AVX),
    AVX512_BITS = XSAVE_BIT(XSAVE_OPMASK) | XSAVE_BIT(XSAVE_ZMM_HIGH) | XSAVE_BIT(XSAVE_ZMM_UPPER),
};

#define X(NAME, name, ...) [GDB_##NAME] = #name,
static const char *const general_names[] = {
    REGISTERS_GENERAL(X) [GDB_RIP] = "rip", [GDB_EFLAGS] = "eflags",
};
#undef X
static const char *const segment_names[] = {"cs", "ss", "ds", "es", "fs", "gs"};
#define X(NAME, name, ...) [GDB_##NAME - GDB_FCTRL] = #name,
static const char *const control_names[] = {REGISTERS_X87_CONTROL(X)};
#undef X
static const char *const base_names[] = {"fs_base", "gs_base"};
static const char *const mxcsr_name[] = {"mxcsr"}, *const orig_name[] = {"orig_rax"};

/* A block: registers of one kind. */
static const struct register_block {
    u32 count;
    u32 size;
    enum where where;
    const char *const *names;
    const char *prefix, *suffix; /* for a name with a number */
    u32 first;
    const char *type, *group;
    const char *feature; /* begins a new feature of the description */
    u64 needs;           /* required bits of XCR0 */
} blocks[] = {
    {18, 8, IN_GENERAL, general_names, NULL, NULL, 0, "int64", NULL, "core", 0},
    {6, 4, IN_SEGMENTS, segment_names, NULL, NULL, 0, "int32", NULL, NULL, 0},
    {8, 10, IN_X87, NULL, "st", "", 0, "i387_ext", NULL, NULL, 0},
    {8, 4, IN_X87_CONTROL, control_names, NULL, NULL, 0, "int", "float", NULL, 0},
    {16, 16, IN_XMM, NULL, "xmm", "", 0, "vec128", NULL, "sse", 0},
    {1, 4, IN_MXCSR, mxcsr_name, NULL, NULL, 0, "i386_mxcsr", "vector", NULL, 0},
    {1, 8, IN_ORIG_RAX, orig_name, NULL, NULL, 0, "int", "system", "linux", 0},
    {2, 8, IN_BASES, base_names, NULL, NULL, 0, "int", NULL, "segments", 0},
    {16, 16, IN_YMM_HIGH, NULL, "ymm", "h", 0, "uint128", NULL, "avx", AVX_BIT},
    {8, 8, IN_OPMASK, NULL, "k", "", 0, "uint64", NULL, "avx512", AVX512_BITS},
    {16, 32, IN_ZMM_HIGH, NULL, "zmm", "h", 0, "v2ui128", NULL, NULL, AVX512_BITS},
    {16, 16, IN_XMM_UPPER, NULL, "xmm", "", 16, "vec128", NULL, NULL, AVX512_BITS},
    {16, 16, IN_YMM_UPPER, NULL, "ymm", "h", 16, "uint128", NULL, NULL, AVX512_BITS},
    {16, 32, IN_ZMM_UPPER, NULL, "zmm", "h", 16, "v2ui128", NULL, NULL, AVX512_BITS},
};

/* The flags have 32 bits, other registers of the block 64. */
static u32 size_in(const struct register_block *b, u32 index)
{
    return b->where == IN_GENERAL && index == GDB_EFLAGS ? 4 : b->size;
}

static const struct register_block *register_table_find_block(u32 number, u32 *ret_index)
{
    for (size_t i = 0; i < countof(blocks); i++) {
        if (number < blocks[i].count) {
            *ret_index = number;
            return &blocks[i];
        }
        number -= blocks[i].count;
    }
    return NULL;
}

/* The mask registers' block is the first that can be missing and is followed by others. AVX-512
 * without AVX does not exist, so counting up to the first missing one is correct. */
u32 register_table_count(u64 features)
{
    u32 count = 0;
    for (size_t i = 0; i < countof(blocks) && (blocks[i].needs & ~features) == 0; i++)
        count += blocks[i].count;
    return count;
}

u32 register_table_size(u32 number)
{
    u32 index;
    const struct register_block *b = register_table_find_block(number, &index);
    return b ? size_in(b, index) : 0;
}

/* The xsave image. */

static u64 *present_bits(struct register_state *s)
{
    return (u64 *)(s->vector + XSAVE_HEADER);
}

static bool is_present(const struct register_state *s, u32 component)
{
    u64 bits;
    if (s->general.vector_size < XSAVE_EXTENDED)
        return component <= XSAVE_SSE && s->general.vector_size >= XSAVE_LEGACY_SIZE;
    memcpy(&bits, s->vector + XSAVE_HEADER, sizeof bits);
    return bits >> component & 1;
}

/* The processor decides the offset of a component in the standard form; AMD's is smaller. */
static u32 component_offset(u32 component)
{
    u32 a, b, c, d;
    if (!__get_cpuid_count(0xd, component, &a, &b, &c, &d))
        return 0;
    return b;
}

struct register_place {
    u32 component, offset, size;
};

static struct register_place place_in(u32 component, u32 offset, u32 size)
{
    return (struct register_place){component, component_offset(component) + offset, size};
}

static struct register_place place_of(const struct register_block *b, u32 index)
{
    switch (b->where) {
    case IN_X87:
        return (struct register_place){XSAVE_X87, xsave_st(index), ST_SIZE};
    case IN_XMM:
        return (struct register_place){XSAVE_SSE, xsave_xmm(index), XMM_SIZE};
    case IN_YMM_HIGH:
        return place_in(XSAVE_AVX, 16 * index, 16);
    case IN_OPMASK:
        return place_in(XSAVE_OPMASK, 8 * index, 8);
    case IN_ZMM_HIGH:
        return place_in(XSAVE_ZMM_HIGH, 32 * index, 32);
    case IN_XMM_UPPER:
        return place_in(XSAVE_ZMM_UPPER, 64 * index, 16);
    case IN_YMM_UPPER:
        return place_in(XSAVE_ZMM_UPPER, 64 * index + 16, 16);
    default:
        return place_in(XSAVE_ZMM_UPPER, 64 * index + 32, 32);
    }
}

static bool register_table_is_inside(const struct register_state *s, struct register_place p)
{
    return p.offset && p.offset + p.size <= s->general.vector_size &&
           s->general.vector_size <= VECTOR_SIZE_MOST;
}

/* The x87 control registers: fields of the legacy image. */

enum { FTAG_EMPTY = 0xffff, FOP_BITS = 0x7ff };

static u16 read_u16(const u8 *at)
{
    u16 value;
    memcpy(&value, at, sizeof value);
    return value;
}

static u32 read_u32(const u8 *at)
{
    u32 value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Returns the tag of a register as fsave stores it: 0 valid, 1 zero, 2 special. */
static u32 tag_of(const u8 *value)
{
    u16 exponent = read_u16(value + 8) & 0x7fff;
    u64 fraction;
    memcpy(&fraction, value, sizeof fraction);
    if (exponent == 0x7fff)
        return 2;
    if (exponent == 0)
        return fraction == 0 ? 1 : 2;
    return fraction >> 63 ? 0 : 2;
}

/* The image has a bit for each register that is not empty, and registers in stack order. */
static u32 full_tags(const u8 *image)
{
    u32 top = read_u16(image + XSAVE_FSW) >> 11 & 7, tags = 0;
    for (u32 i = 0; i < ST_REGISTERS; i++) {
        bool used = image[XSAVE_FTW] >> i & 1;
        u32 tag = used ? tag_of(image + xsave_st((i - top) % ST_REGISTERS)) : 3;
        tags |= tag << (2 * i);
    }
    return tags;
}

/* Offsets of the control registers, by gdb's number from GDB_FCTRL on. */
static const struct { u8 offset, size; } controls[] = {
#define X(NAME, name, offset, size) [GDB_##NAME - GDB_FCTRL] = {offset, size},
    REGISTERS_X87_CONTROL(X)
#undef X
};

static u32 read_control(const struct register_state *s, u32 index)
{
    u32 number = GDB_FCTRL + index, value = 0;
    if (!is_present(s, XSAVE_X87))
        return number == GDB_FCTRL ? FCW_INITIAL : number == GDB_FTAG ? FTAG_EMPTY : 0;
    if (number == GDB_FTAG)
        return full_tags(s->vector);
    memcpy(&value, s->vector + controls[index].offset, controls[index].size);
    return number == GDB_FOP ? value & FOP_BITS : value;
}

static u8 short_tags(u32 tags)
{
    u8 ret = 0;
    for (u32 i = 0; i < ST_REGISTERS; i++)
        if ((tags >> (2 * i) & 3) != 3)
            ret |= (u8)(1 << i);
    return ret;
}

static void write_control(struct register_state *s, u32 index, u32 value)
{
    if (GDB_FCTRL + index == GDB_FTAG)
        value = short_tags(value);
    memcpy(s->vector + controls[index].offset, &value, controls[index].size);
}

/* A component that is absent has its initial value: stores that before a part of it is changed. */
static void make_present(struct register_state *s, u32 component)
{
    if (s->general.vector_size < XSAVE_EXTENDED || is_present(s, component))
        return;
    *present_bits(s) |= 1ull << component;
    if (component == XSAVE_X87) {
        memset(s->vector, 0, XSAVE_MXCSR);
        memset(s->vector + XSAVE_ST, 0, XSAVE_ST_END - XSAVE_ST);
        write_control(s, 0, FCW_INITIAL);
    } else if (component == XSAVE_SSE) {
        memset(s->vector + XSAVE_XMM, 0, XSAVE_XMM_END - XSAVE_XMM);
    }
}

/* The general registers. */

static u64 *general_at(struct control_registers *g, u32 index)
{
    if (index < GENERAL_REGISTERS)
        return &g->reg[register_of_gdb(index)];
    return index == GDB_RIP ? &g->rip : &g->flags;
}

/* A 64-bit program has these values, and cannot change them usefully. */
static u32 segment_value(u32 index)
{
    u32 number = GDB_CS + index;
    return number == GDB_CS ? SELECTOR_CS : number == GDB_SS ? SELECTOR_SS : 0;
}

static void read_vector(const struct register_state *s, const struct register_block *b, u32 index,
                        u8 *to)
{
    struct register_place p = place_of(b, index);
    if (is_present(s, p.component) && register_table_is_inside(s, p))
        memcpy(to, s->vector + p.offset, p.size);
    else
        memset(to, 0, p.size);
}

void register_table_read(const struct register_state *s, u32 number, u8 *to)
{
    u32 index = 0, value;
    const struct register_block *b = register_table_find_block(number, &index);
    struct control_registers *g = (struct control_registers *)&s->general;
    switch (b->where) {
    case IN_GENERAL:
        memcpy(to, general_at(g, index), size_in(b, index));
        break;
    case IN_SEGMENTS:
        value = segment_value(index);
        memcpy(to, &value, sizeof value);
        break;
    case IN_X87_CONTROL:
        value = read_control(s, index);
        memcpy(to, &value, sizeof value);
        break;
    case IN_MXCSR:
        value = is_present(s, XSAVE_SSE) || is_present(s, XSAVE_AVX)
                    ? read_u32(s->vector + XSAVE_MXCSR) : MXCSR_INITIAL;
        memcpy(to, &value, sizeof value);
        break;
    case IN_ORIG_RAX:
        memcpy(to, &g->orig_rax, 8);
        break;
    case IN_BASES:
        memcpy(to, index ? &g->gs_base : &g->fs_base, 8);
        break;
    default:
        read_vector(s, b, index, to);
    }
}

static void write_vector(struct register_state *s, const struct register_block *b, u32 index,
                         const u8 *from)
{
    struct register_place p = place_of(b, index);
    if (!register_table_is_inside(s, p))
        return;
    make_present(s, p.component);
    memcpy(s->vector + p.offset, from, p.size);
}

static void write_small(struct register_state *s, enum where where, u32 index, const u8 *from)
{
    if (where == IN_X87_CONTROL) {
        make_present(s, XSAVE_X87);
        write_control(s, index, read_u32(from));
    } else if (where == IN_MXCSR) {
        make_present(s, XSAVE_SSE);
        memcpy(s->vector + XSAVE_MXCSR, from, 4);
    }
}

void register_table_write(struct register_state *s, u32 number, const u8 *from)
{
    u32 index = 0;
    const struct register_block *b = register_table_find_block(number, &index);
    struct control_registers *g = &s->general;
    switch (b->where) {
    case IN_GENERAL:
        memcpy(general_at(g, index), from, size_in(b, index));
        break;
    case IN_SEGMENTS:
        break;
    case IN_X87_CONTROL:
    case IN_MXCSR:
        write_small(s, b->where, index, from);
        break;
    case IN_ORIG_RAX:
        memcpy(&g->orig_rax, from, 8);
        break;
    case IN_BASES:
        memcpy(index ? &g->gs_base : &g->fs_base, from, 8);
        break;
    default:
        write_vector(s, b, index, from);
    }
}

/* The description. */

static const struct { const char *name; u8 bit; } flag_names[] = {
    {"", 1}, /* FLAG_FIXED: gdb does not show flags without a name */
#define X(NAME, bit) {#NAME, bit},
    REGISTERS_FLAGS(X)
#undef X
}, mxcsr_names[] = {
    {"IE", 0}, {"DE", 1}, {"ZE", 2}, {"OE", 3}, {"UE", 4}, {"PE", 5}, {"DAZ", 6}, {"IM", 7},
    {"DM", 8},
    {"ZM", 9}, {"OM", 10}, {"UM", 11}, {"PM", 12}, {"FZ", 15},
};

#define describe_flags(to, id, names)                                               \
    do {                                                                            \
        reply_text(to, "<flags id=\"%s\" size=\"4\">", id);                         \
        for (size_t i_ = 0; i_ < countof(names); i_++)                              \
            reply_text(to, "<field name=\"%s\" start=\"%u\" end=\"%u\"/>",          \
                       (names)[i_].name, (names)[i_].bit, (names)[i_].bit);         \
        reply_text(to, "</flags>\n");                                               \
    } while (0)

static const struct { const char *id, *type; u32 count; } vector_types[] = {
    {"v4_float", "ieee_single", 4}, {"v2_double", "ieee_double", 2}, {"v16_int8", "int8", 16},
    {"v8_int16", "int16", 8}, {"v4_int32", "int32", 4}, {"v2_int64", "int64", 2},
};

static void describe_vectors(struct reply *to)
{
    for (size_t i = 0; i < countof(vector_types); i++)
        reply_text(to, "<vector id=\"%s\" type=\"%s\" count=\"%u\"/>\n", vector_types[i].id,
                   vector_types[i].type, vector_types[i].count);
    reply_text(to, "<union id=\"vec128\">");
    for (size_t i = 0; i < countof(vector_types); i++)
        reply_text(to, "<field name=\"%s\" type=\"%s\"/>", vector_types[i].id, vector_types[i].id);
    reply_text(to, "<field name=\"uint128\" type=\"uint128\"/></union>\n");
}

/* Writes the types that a feature uses before its registers. */
static void describe_types(const char *feature, struct reply *to)
{
    if (strcmp(feature, "core") == 0)
        describe_flags(to, "i386_eflags", flag_names);
    if (strcmp(feature, "sse") == 0 || strcmp(feature, "avx512") == 0)
        describe_vectors(to);
    if (strcmp(feature, "sse") == 0)
        describe_flags(to, "i386_mxcsr", mxcsr_names);
    if (strcmp(feature, "avx512") == 0)
        reply_text(to, "<vector id=\"v2ui128\" type=\"uint128\" count=\"2\"/>\n");
}

static const char *register_table_type_of(const struct register_block *b, u32 index)
{
    if (b->where != IN_GENERAL)
        return b->type;
    return index == GDB_EFLAGS ? "i386_eflags"
         : index == GDB_RIP ? "code_ptr"
         : index == GDB_RBP || index == GDB_RSP ? "data_ptr" : b->type;
}

static void describe_block(const struct register_block *b, u32 number, struct reply *to)
{
    for (u32 i = 0; i < b->count; i++) {
        reply_text(to, "<reg name=\"");
        if (b->names)
            reply_text(to, "%s", b->names[i]);
        else
            reply_text(to, "%s%u%s", b->prefix, b->first + i, b->suffix);
        reply_text(to, "\" bitsize=\"%u\" type=\"%s\" regnum=\"%u\"", 8 * size_in(b, i),
                   register_table_type_of(b, i), number + i);
        if (b->group)
            reply_text(to, " group=\"%s\"", b->group);
        reply_text(to, "/>\n");
    }
}

void register_table_describe(u64 features, struct reply *to)
{
    u32 number = 0, count = register_table_count(features);
    reply_text(to, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                   "<target>\n<architecture>i386:x86-64</architecture>\n"
                   "<osabi>GNU/Linux</osabi>\n");
    for (const struct register_block *b = blocks; number < count; number += b->count, b++) {
        if (b->feature) {
            reply_text(to, "%s<feature name=\"org.gnu.gdb.i386.%s\">\n",
                       number ? "</feature>\n" : "", b->feature);
            describe_types(b->feature, to);
        }
        describe_block(b, number, to);
    }
    reply_text(to, "</feature>\n</target>\n");
}
