/* Sums of points: see sums.h.
 *
 * A block is a sequence of stretches that each end with a branch, or with the block. Execution that
 * enters a stretch meets all of its points, so one addition anywhere in the stretch counts them:
 * before the first instruction where the flags are dead. If there is no such instruction, the
 * addition preserves the flags, which needs a register.
 *
 * A tally counts all instructions of a stretch by one increment of the stretch's own word.
 *
 * Invariants
 *   (1) Where a stretch ends, as many points are counted as were met.
 *   (2) Within a stretch the fragment's aheads have the difference: only a fault can leave it there
 *       (recover.c).
 */
#include "engine/x86_64/sums.h"

#include "base/assert.h"
#include "engine/base/settings.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/code_sites.h"
#include "engine/x86_64/lower_internal.h"

enum { LOOK_AT = 12 }; /* number of instructions examined, to limit translation time */

/* --- places ----------------------------------------------------------------------------------- */

static bool ends_stretch(const struct block *b, u32 n)
{
    enum insn_kind kind = b->insn[n].kind;
    bool turns = b->loop && (n + 1) % b->loop == 0;
    return n + 1 == b->count || turns || kind == INSN_BRANCH || kind == INSN_COUNTED;
}

/* inc, for example, does not change CF. */
static u16 flags_changed(u32 points)
{
    return points == 1 ? FLAGS_ARITHMETIC & ~FLAG_CF : FLAGS_ARITHMETIC;
}

static bool leaves_flags(const struct block *b, u32 n)
{
    u16 changed = flags_changed(b->sum[n]);
    return (b->dead[n] & changed) != changed;
}

static void sums_place_one(struct block *b, u32 first, u32 last, u32 points)
{
    u32 end = last - first < LOOK_AT ? last + 1 : first + LOOK_AT;
    u16 changed = flags_changed(points);
    for (u32 n = first; n < end; n++) {
        b->dead[n] = block_flags_dead(b, n);
        if ((b->dead[n] & changed) == changed) {
            b->sum[n] = (u8)points;
            return;
        }
    }
    b->sum[first] = (u8)points;
}

static bool is_tally(const struct block *b)
{
    return b->variant == VARIANT_TALLY;
}

/* If a site is at the first instruction, the engine counts the point there. */
static bool is_counted(const struct block *b, u32 n)
{
    return !(n == 0 && b->site) && code_point_at(b->pc[n]);
}

void sums_place(struct block *b)
{
    u32 first = 0, points = 0;
    for (u32 n = 0; n < b->count; n++) {
        b->sum[n] = 0;
        b->in_sum[n] = !is_tally(b) && is_counted(b, n);
        points += b->in_sum[n];
        if (!ends_stretch(b, n))
            continue;
        if (points || is_tally(b))
            sums_place_one(b, first, n, is_tally(b) ? 1 : points);
        points = 0;
        first = n + 1;
    }
}

/* --- code ------------------------------------------------------------------------------------- */

/* From here on the count is ahead by `change` more points. */
static void note_ahead(struct lowering *l, int change)
{
    l->ahead_points += change;
    if (!change)
        return;
    u16 offset = (u16)(l->e.at - l->start);
    invariant(2, !l->ahead_count || l->ahead[l->ahead_count - 1].offset <= offset);
    if (!l->ahead_count || l->ahead[l->ahead_count - 1].offset != offset)
        l->ahead_count++;
    invariant(2, l->ahead_count <= countof(l->ahead));
    l->ahead[l->ahead_count - 1] = (struct points_ahead){offset, (i16)l->ahead_points};
}

static void add_with_flags(struct emitter *e, u32 sum, u8 points)
{
    if (points == 1) {
        emit_rex_rip(e, 0x48, 0xff, 0, sum); /* inc */
        return;
    }
    emit_word(e, 0x8348, 2); /* add, of a byte */
    emit_rip_operand(e, 0, sum, 1);
    emit8(e, points);
}

static void add_without_flags(struct emitter *e, u32 sum, u8 points)
{
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    emit_load(e, RCX, sum);
    emit_word(e, 0x498d48u | (u32)points << 24, 4); /* lea rcx, [rcx + points] */
    emit_store(e, RCX, sum);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
}

/* Neighbours add to different words: one word could be updated only every five cycles or so. */
static u32 next_sum(struct lowering *l)
{
    return EMIT_CPU(point_sum[(l->counter + l->sums++) % settings.counters]);
}

void sums_begin_tally(struct lowering *l, unsigned n)
{
    const struct block *b = l->block;
    u32 last = n;
    if (n && !ends_stretch(b, n - 1))
        return;
    while (!ends_stretch(b, last))
        last++;
    l->tally = code_sites.tally_add(&b->pc[n], last + 1 - n, emit_here(&l->e),
                                    code_cache_take_word());
}

void sums_lower(struct lowering *l, unsigned n)
{
    const struct block *b = l->block;
    u8 points = b->sum[n];
    u32 word = !points ? 0 : is_tally(b) ? l->tally->word : next_sum(l);
    _Static_assert(BLOCK_INSNS <= 127, "as many points as a byte holds");
    if (points && leaves_flags(b, n))
        add_without_flags(&l->e, word, points);
    else if (points)
        add_with_flags(&l->e, word, points);
    if (is_tally(b)) {
        l->tally->added = emit_here(&l->e);
        return;
    }
    if (b->in_sum[n])
        code_sites.point_translated();
    note_ahead(l, points - b->in_sum[n]);
    invariant(1, l->ahead_points == 0 || !ends_stretch(b, n));
}
