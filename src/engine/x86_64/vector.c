/* Saves and restores the vector state: see vector.h.
 *
 * The state is saved when a replay switches to another thread, when a snapshot or a digest is made,
 * and when a session reads registers. `xsave` and `xrstor` do it with the features that the guest
 * sees; on a processor without them `fxsave` is used.
 */
#include "engine/x86_64/vector.h"

#include "base/assert.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/memory/guest_memory.h"
#include "engine/x86_64/cpu_level.h"
#include "engine/x86_64/recover.h"
#include "engine/x86_64/touches.h"

enum {
    MXCSR_MASK_OLD = 0xffbf, /* for processors that write 0 for the mask */
    MXCSR_MASK_COMMON = 0xffff, /* without bits that only one vendor has */
    CPUID_XSAVE = 0xd,
    CPUID_OSXSAVE = 1 << 27, /* leaf 1, ecx */
    /* Hidden from the guest, which could enable them only by arch_prctl. */
    TILES = XSAVE_BIT(XSAVE_TILE_CONFIG) | XSAVE_BIT(XSAVE_TILE_DATA),
};

#define PKRU_FIRST 0x55555554u /* only key 0 is open: the kernel's init_pkru */

struct vector_shape vector_shape;

static struct {
    u64 features; /* XCR0 */
    u32 mask;     /* of mxcsr, as the processor writes it */
    struct {
        u32 at, size;
        bool aligned; /* to 64 bytes, if features follow one another */
    } places[XSAVE_COMPONENTS]; /* where a feature is in an image */
    /* Complete, since xrstor may access what it does not load. */
    u8 first_state[VECTOR_STATE_MAX] __attribute__((aligned(64)));
} native;

static void cpuid(u32 leaf, u32 subleaf, u32 ret[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(ret[0]), "=b"(ret[1]), "=c"(ret[2]), "=d"(ret[3])
                     : "a"(leaf), "c"(subleaf));
}

static u64 read_xcr0(void)
{
    u32 low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (u64)high << 32 | low;
}

static void xsave(void *image, u64 features)
{
    __asm__ volatile("xsave64 (%0)"
                     :
                     : "r"(image), "a"((u32)features), "d"((u32)(features >> 32))
                     : "memory");
}

static void xrstor(const void *image, u64 features)
{
    __asm__ volatile("xrstor64 (%0)"
                     :
                     : "r"(image), "a"((u32)features), "d"((u32)(features >> 32))
                     : "memory");
}

static void fxsave(void *image)
{
    __asm__ volatile("fxsave64 (%0)" : : "r"(image) : "memory");
}

static void fxrstor(const void *image)
{
    __asm__ volatile("fxrstor64 (%0)" : : "r"(image) : "memory");
}

static u32 vector_word_at(const void *image, int offset)
{
    u32 word;
    memcpy(&word, (const u8 *)image + offset, sizeof(word));
    return word;
}

/* An image ends with its topmost feature, like the kernel's frames. */
static u32 image_size(u64 features)
{
    if (features == 0)
        return XSAVE_LEGACY_SIZE;
    unsigned top = 63 - (unsigned)__builtin_clzll(features);
    if (top < XSAVE_AVX)
        return XSAVE_EXTENDED;
    u32 leaf[4];
    cpuid(CPUID_XSAVE, top, leaf);
    return leaf[1] + leaf[0]; /* where it is, and its size */
}

static void learn_places(void)
{
    u32 leaf[4];
    for (unsigned n = XSAVE_AVX; n < XSAVE_COMPONENTS; n++) {
        if (!(vector_shape.kept >> n & 1))
            continue;
        cpuid(CPUID_XSAVE, n, leaf);
        native.places[n].at = leaf[1];
        native.places[n].size = leaf[0];
        native.places[n].aligned = leaf[2] & 2;
    }
}

/* Sets which of the stored features the guest sees. */
static void vector_show(u64 features, u32 mxcsr_mask)
{
    vector_shape.features = vector_shape.kept & features;
    if (vector_shape.features != vector_shape.kept)
        vector_shape.known = vector_shape.features;
    vector_shape.size = image_size(vector_shape.features);
    vector_shape.mxcsr_mask = mxcsr_mask;
}

void vector_start(void)
{
    u32 leaf[4];
    cpuid(1, 0, leaf);
    if (leaf[2] & CPUID_OSXSAVE) {
        native.features = vector_shape.known = read_xcr0();
        vector_shape.kept = native.features & ~(u64)TILES;
    }
    learn_places();
    assert(image_size(vector_shape.kept) + sizeof(u32) <= VECTOR_STATE_MAX);

    fxsave(native.first_state);
    u32 mask = vector_word_at(native.first_state, XSAVE_MXCSR_MASK);
    native.mask = mask ? mask : MXCSR_MASK_OLD;
    vector_show(cpu_level_states(settings.cpu),
                settings.cpu ? native.mask & MXCSR_MASK_COMMON : native.mask);

    memset(native.first_state, 0, sizeof(native.first_state));
    u32 fcw = FCW_INITIAL, mxcsr = MXCSR_INITIAL;
    memcpy(native.first_state + XSAVE_FCW, &fcw, sizeof(fcw));
    memcpy(native.first_state + XSAVE_MXCSR, &mxcsr, sizeof(mxcsr));
}

void vector_limit(u64 features, u32 mxcsr_mask)
{
    vector_show(features, mxcsr_mask ? mxcsr_mask : native.mask);
}

/* Where each form stores the last x87 instruction. */
static const struct x87_layout {
    u8 status;          /* a word, whose low byte has X87_PENDING */
    u8 first, end;      /* opcode, addresses of code and operand, their selectors */
    u8 code, code_size; /* address of the code; size 0: too short to be converted to the guest's */
    u8 selector[2];     /* 0: none */
} x87_layouts[] = {
    [X87_SHORT_ENVIRONMENT] = {2, 6, 14, 0, 0, {0, 0}},
    [X87_ENVIRONMENT] = {4, 12, 26, 12, 4, {16, 24}},
    [X87_IMAGE] = {XSAVE_FSW, XSAVE_FOP, XSAVE_MXCSR, XSAVE_FIP, 4, {XSAVE_FCS, XSAVE_FDS}},
    [X87_WIDE_IMAGE] = {XSAVE_FSW, XSAVE_FOP, XSAVE_MXCSR, XSAVE_FIP, 8, {0, 0}},
};

u64 vector_x87_size(enum x87_form form)
{
    return x87_layouts[form].end;
}

bool vector_settle_x87(u8 *bytes, enum x87_form form)
{
    enum { X87_PENDING = 0x80, SELECTOR_SIZE = 2 };
    const struct x87_layout *l = &x87_layouts[form];
    u8 old[X87_SETTLED_MOST];
    memcpy(old, bytes, l->end);
    if (!(bytes[l->status] & X87_PENDING) || !l->code_size) {
        memset(bytes + l->first, 0, (u64)l->end - l->first);
    } else {
        u64 address = 0;
        memcpy(&address, bytes + l->code, l->code_size);
        address = recover_code_address(address);
        memcpy(bytes + l->code, &address, l->code_size);
        for (unsigned n = 0; n < countof(l->selector); n++)
            if (l->selector[n])
                memset(bytes + l->selector[n], 0, SELECTOR_SIZE);
    }
    return memcmp(old, bytes, l->end);
}

void vector_save(void *image)
{
    if (vector_shape.kept == 0) {
        fxsave(image);
    } else {
        /* xsave writes only the first field of the header. */
        memset((u8 *)image + XSAVE_HEADER, 0, sizeof(struct vector_header));
        xsave(image, vector_shape.kept);
    }
    memcpy((u8 *)image + XSAVE_MXCSR_MASK, &vector_shape.mxcsr_mask, sizeof(u32));
    vector_settle_x87(image, X87_WIDE_IMAGE);
}

static bool vector_all_zero(const u8 *bytes, u32 size)
{
    u64 any = 0, word;
    for (u32 n = 0; n + sizeof(word) <= size; n += sizeof(word)) {
        memcpy(&word, bytes + n, sizeof(word));
        any |= word;
    }
    return any == 0;
}

void vector_settle(void *image)
{
    struct vector_header *header = (struct vector_header *)((u8 *)image + XSAVE_HEADER);
    header->present &= vector_shape.features;
    for (unsigned n = XSAVE_AVX; n < XSAVE_COMPONENTS; n++)
        if ((header->present >> n & 1) &&
            vector_all_zero((u8 *)image + native.places[n].at, native.places[n].size))
            header->present &= ~(1ul << n);
}

static bool sse_in_use(const u8 *image)
{
    return !vector_all_zero(image + XSAVE_XMM, XSAVE_XMM_END - XSAVE_XMM) ||
           vector_word_at(image, XSAVE_MXCSR) != MXCSR_INITIAL;
}

/* Of the component of protection keys the last four bytes are never written. */
static u32 written_size(unsigned component)
{
    return component == XSAVE_PKRU ? (u32)sizeof(u32) : native.places[component].size;
}

/* Bounds registers are never in use: Linux has not supported them since 5.6. xsavec leaves their
 * place as it is. */
static bool vector_leaves_out(unsigned component, bool compacted)
{
    return compacted && (component == XSAVE_BNDREGS || component == XSAVE_BNDCSR);
}

/* Writes the features after the header. Returns those that differ from their initial values. */
static u64 write_features(u64 at, const u8 *image, u64 features, bool compacted)
{
    u64 present = 0, next = XSAVE_EXTENDED;
    for (unsigned n = XSAVE_AVX; n < XSAVE_COMPONENTS; n++) {
        if (!(features >> n & 1))
            continue;
        const u8 *from = image + native.places[n].at;
        if (native.places[n].aligned)
            next = (next + 63) & ~63ul;
        u64 to = at + (compacted ? next : native.places[n].at);
        if (!vector_leaves_out(n, compacted))
            guest_write(gaddr(to), from, written_size(n));
        present |= (u64)!vector_all_zero(from, native.places[n].size) << n;
        next += native.places[n].size;
    }
    return present;
}

/* Writes `settled` of the image, and in the header which of them are in use, in addition to
 * `others`. */
static bool write_settled(u64 at, u8 *image, u64 settled, u64 others, bool compacted)
{
    u64 present = others | write_features(at, image, settled, compacted);
    if (settled & VECTOR_SSE) {
        guest_write(gaddr(at + XSAVE_XMM), image + XSAVE_XMM, XSAVE_XMM_END - XSAVE_XMM);
        present |= sse_in_use(image) ? VECTOR_SSE : 0;
    }
    if (settled & (VECTOR_SSE | (compacted ? 0 : VECTOR_AVX)))
        guest_write(gaddr(at + XSAVE_MXCSR), image + XSAVE_MXCSR,
                    2 * sizeof(u32)); /* and its mask */
    return guest_write(gaddr(at + XSAVE_HEADER), &present, sizeof(present));
}

void vector_settle_saved(u64 at, u64 features, bool compacted)
{
    static u8 image[VECTOR_STATE_MAX] __attribute__((aligned(64)));
    u64 old, settled = features & vector_shape.features & ~(u64)VECTOR_X87;
    if (!guest_read(&old, gaddr(at + XSAVE_HEADER), sizeof(old)))
        return;
    vector_save(image);
    write_settled(at, image, settled, old & ~settled, compacted);
}

bool vector_stores(void)
{
    return vector_shape.features != vector_shape.kept;
}

/* The x87 part: control words and addresses before mxcsr, registers after it. */
static void write_x87(u64 at, u8 *image, bool wide)
{
    if (!wide) { /* the upper halves are then selectors, which processors show as 0 */
        memset(image + XSAVE_FCS, 0, sizeof(u32));
        memset(image + XSAVE_FDS, 0, sizeof(u32));
    }
    guest_write(gaddr(at), image, XSAVE_MXCSR);
    guest_write(gaddr(at + XSAVE_ST), image + XSAVE_ST, XSAVE_ST_END - XSAVE_ST);
}

/* The end of an area for these features. */
static u64 area_end(u64 features, bool compacted)
{
    u64 next = XSAVE_EXTENDED;
    for (unsigned n = XSAVE_AVX; n < XSAVE_COMPONENTS; n++) {
        if (!(features >> n & 1))
            continue;
        if (!compacted)
            next = native.places[n].at;
        else if (native.places[n].aligned)
            next = (next + 63) & ~63ul;
        next += native.places[n].size;
    }
    return next;
}

u64 vector_compacted_size(u64 features)
{
    return area_end(features & vector_shape.features, true);
}

static bool is_writable(u64 at)
{
    u8 byte;
    return guest_read(&byte, gaddr(at), 1) && guest_write(gaddr(at), &byte, 1);
}

/* Finds the first or the last byte that cannot be written; processors check the last one first. */
static bool finds_fault(u64 at, u64 size, u64 *ret)
{
    u64 last = at + size - 1;
    *ret = is_writable(last) ? at : last;
    return *ret == last || !is_writable(at);
}

bool vector_store(u64 at, u64 features, bool compacted, bool wide, u64 *fault)
{
    static u8 image[VECTOR_STATE_MAX] __attribute__((aligned(64)));
    struct vector_header *header = (struct vector_header *)(image + XSAVE_HEADER);
    u64 asked = features & vector_shape.features;
    struct vector_header old;
    if (finds_fault(at, area_end(asked, compacted), fault) ||
        !guest_read(&old, gaddr(at + XSAVE_HEADER), sizeof(old)))
        return false;
    vector_save(image);
    u64 x87 = header->present & asked & VECTOR_X87;
    if (asked & VECTOR_X87)
        write_x87(at, image, wide);
    if (compacted) {
        header->compacted = asked | 1ul << 63;
        guest_write(gaddr(at + XSAVE_HEADER + sizeof(u64)), &header->compacted, sizeof(u64));
    }
    return write_settled(at, image, asked & ~(u64)VECTOR_X87,
                         x87 | (compacted ? 0 : old.present & ~asked), compacted);
}

void vector_mend_mask(u64 at)
{
    if (vector_shape.mxcsr_mask != native.mask)
        guest_write(gaddr(at + XSAVE_MXCSR_MASK), &vector_shape.mxcsr_mask, sizeof(u32));
}

static bool acceptable(const void *image)
{
    if (vector_word_at(image, XSAVE_MXCSR) & ~(vector_shape.mxcsr_mask & native.mask))
        return false;
    if (vector_shape.kept == 0)
        return true;
    struct vector_header header;
    memcpy(&header, (const u8 *)image + XSAVE_HEADER, sizeof(header));
    return !(header.present & ~native.features) && header.compacted == 0 &&
           header.reserved[0] == 0;
}

bool vector_restore(const void *image, u64 features)
{
    if (!acceptable(image))
        return false;
    if (vector_shape.kept == 0)
        fxrstor(image);
    else
        xrstor(image, features & vector_shape.kept);
    return true;
}

static void write_pkru(u32 value)
{
    /* wrpkru, which the compilers know only by an option */
    __asm__ volatile(".byte 0x0f, 0x01, 0xef" : : "a"(value), "c"(0), "d"(0) : "memory");
}

void vector_reset(void)
{
    vector_restore(native.first_state, ~(u64)VECTOR_PKRU);
    if (vector_shape.kept & VECTOR_PKRU)
        write_pkru(PKRU_FIRST);
}

/* --- registers ------------------------------------------------------------------------ */

/* Returns a piece of a part that has `count` pieces of `size` bytes; NULL if it has its initial
 * value. */
static const u8 *piece_of(const u8 *image, unsigned feature, unsigned number, unsigned size)
{
    struct vector_header header;
    memcpy(&header, image + XSAVE_HEADER, sizeof(header));
    bool present = header.present & vector_shape.features & 1ul << feature;
    return present ? image + native.places[feature].at + number * size : NULL;
}

static void vector_put_piece(u8 *to, const u8 *piece, unsigned size)
{
    if (piece)
        memcpy(to, piece, size);
    else
        memset(to, 0, size);
}

void vector_spread(const void *image, struct touch_vectors *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (unsigned n = 0; n < VECTOR_REGISTERS; n++)
        memcpy(ret->reg[n], (const u8 *)image + xsave_xmm(n), XMM_SIZE);
    if (!vector_shape.features)
        return;
    for (unsigned n = 0; n < VECTOR_REGISTERS; n++) {
        vector_put_piece(ret->reg[n] + 16, piece_of(image, XSAVE_AVX, n, 16), 16);
        vector_put_piece(ret->reg[n] + 32, piece_of(image, XSAVE_ZMM_HIGH, n, 32), 32);
        vector_put_piece(ret->reg[n + 16], piece_of(image, XSAVE_ZMM_UPPER, n, 64), 64);
    }
    for (unsigned n = 0; n < 8; n++)
        vector_put_piece((u8 *)&ret->mask[n], piece_of(image, XSAVE_OPMASK, n, 8), 8);
}
