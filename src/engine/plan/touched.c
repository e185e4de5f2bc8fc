/* Finds the memory that the guest's next instruction accesses: see touched.h. */
#include "engine/plan/touched.h"

#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/emulated.h"
#include "engine/x86_64/vector.h"

/* xsavec writes less than xsave: what is left out takes no room. On processors with AVX-512 the
 * rest of the area would reach into the callers' frames where the dynamic linker saves
 * registers. */
static u64 most_saved(const struct touched *t)
{
    u64 features = t->reg[RDX] << 32 | (u32)t->reg[RAX];
    return emulated_is_xsavec(&t->insn) ? vector_compacted_size(features) : vector_shape.size;
}

static struct touch_state state_of(const struct touched *t)
{
    return (struct touch_state){
        .reg = t->reg,
        .rip = t->rip,
        .flags = t->flags,
        .fs_base = t->fs_base,
        .gs_base = t->gs_base,
        .save_size = most_saved(t),
    };
}

static const struct touch_vectors *read_vectors(void)
{
    static u8 image[VECTOR_STATE_MAX] __attribute__((aligned(64)));
    static struct touch_vectors vectors;
    vector_save(image);
    vector_spread(image, &vectors);
    return &vectors;
}

static void read_bases(struct touched *t)
{
    struct thread_state bases;
    thread_save_bases(&bases);
    t->fs_base = bases.fs_base;
    t->gs_base = bases.gs_base;
}

/* A cache of decoded instructions, with the bytes that they were decoded from, since code is
 * usually executed again. */
enum { DECODED = 256 };
static struct decoded_insn {
    u64 rip;
    u8 bytes[INSN_MAX];
    struct insn insn;
} decoded[DECODED];

static bool decode_at(u64 rip, struct touched *t)
{
    u64 available = areas_fetchable(rip, INSN_MAX);
    const u8 *code = gaddr_pointer(gaddr(rip));
    struct decoded_insn *d = &decoded[rip % DECODED];
    bool known = d->rip == rip && d->insn.length && d->insn.length <= available &&
                 !memcmp(d->bytes, code, d->insn.length);
    if (!known) {
        d->insn.length = 0;
        if (!available || !decode(code, (unsigned)available, &d->insn)) {
            d->insn.length = 0;
            return false;
        }
        d->rip = rip;
        memcpy(d->bytes, code, d->insn.length);
    }
    t->insn = d->insn;
    memcpy(t->bytes, d->bytes, t->insn.length);
    return true;
}

bool touched_find(struct touched *t)
{
    t->ranges.count = 0;
    if (!decode_at(cpu->rip, t))
        return false;
    memcpy(t->reg, cpu->reg, sizeof(t->reg));
    t->flags = cpu->flags;
    t->rip = cpu->rip;
    if (t->insn.prefixes & (PREFIX_FS | PREFIX_GS))
        read_bases(t);
    struct touch_state s = state_of(t);
    s.vectors = touches_need_vectors(&t->insn) ? read_vectors() : NULL;
    touches_of(&t->insn, t->bytes, &s, &t->ranges);
    return true;
}

void touched_settle(struct touched *t)
{
    u64 before = t->reg[RCX], left = cpu->reg[RCX];
    t->reg[RCX] = t->insn.prefixes & PREFIX_67 ? (u32)((u32)before - (u32)left) : before - left;
    struct touch_state s = state_of(t);
    touches_of(&t->insn, t->bytes, &s, &t->ranges);
}
