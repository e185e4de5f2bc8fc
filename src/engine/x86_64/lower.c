/* Lowering: see lower.h, and fragment.h for the shape of a fragment.
 *
 * Nearly every instruction is copied. Only control flow, operands relative to rip (shifted, or
 * through a borrowed register if the cache is too far), and emulated instructions are rewritten.
 *
 * Borrowing: an indirect jump has its target in rcx and the slot of the look-up table in r11; the
 * guest's values are in cpu->slot until the fragment that is reached restores them. Nothing emitted
 * here changes flags that are live, writes below the guest's rsp, or leaves a cache address where
 * the guest could see it.
 *
 * Invariant
 *   (1) At each address in the body the marks give the guest's pc and the borrowed registers
 *       (recover.c).
 */
#include "engine/x86_64/lower.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/translate/code_sites.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/lookup_table.h"
#include "engine/x86_64/doors.h"
#include "engine/x86_64/emit.h"
#include "engine/x86_64/emulated.h"
#include "engine/x86_64/lower_internal.h"
#include "engine/x86_64/sums.h"
#include "log/control.h"

enum { LOOP_ALIGNMENT = 32, ENTRY_ALIGNMENT = 16 };

/* static because it is large; only the holder of the baton translates */
static struct lowering lowering;

void lower_start(bool loop_is_quick)
{
    lowering.use_loop = loop_is_quick;
}

bool lower_uses_loop(void)
{
    return lowering.use_loop;
}

/* --- marks and exits -------------------------------------------------------- */

/* From here on the guest is at `pc`, with `borrowed` registers elsewhere. */
static void lower_mark(struct lowering *l, u64 pc, u8 borrowed, u8 scratch)
{
    i32 delta = (i32)(pc - l->fragment->pc);
    u16 offset = (u16)(l->e.at - l->start);
    invariant(1, l->start + offset == l->e.at && l->fragment->pc + (u64)(i64)delta == pc);
    invariant(1, !l->mark_count || l->mark[l->mark_count - 1].offset <= offset);
    if (l->mark_count && !borrowed) {
        const struct mark *last = &l->mark[l->mark_count - 1];
        if (!last->borrowed && delta - last->pc_delta == offset - last->offset)
            return;
    }
    assert(l->mark_count < LOWER_MARKS);
    l->mark[l->mark_count++] = (struct mark){offset, borrowed, scratch, delta};
}

static void borrow(struct lowering *l, u8 borrowed)
{
    lower_mark(l, l->pc, borrowed | MARK_STILL, 0);
}

/* The next block will probably be read at `pc`. */
static void expect(u64 pc)
{
    __builtin_prefetch(gaddr_pointer(gaddr(pc)));
    fragment_find_soon(pc);
}

struct exit *lower_note_exit(struct lowering *l, u32 jump_at, enum exit_kind kind, u64 pc)
{
    assert(l->exit_count < countof(l->exit));
    struct exit *x = &l->exit[l->exit_count++];
    *x = (struct exit){.jump_at = jump_at, .kind = (u8)kind, .pc = pc};
    return x;
}

static void note_exit(struct lowering *l, u32 jump_at, enum exit_kind kind, u64 pc, bool ticked)
{
    if (kind == TO_LINK)
        expect(pc);
    lower_note_exit(l, jump_at, kind, pc)->ticked = ticked;
}

/* A direct edge of the guest to `target`: counted unless it goes to a higher address. */
static void jump_to(struct lowering *l, u64 target, bool transfer)
{
    note_exit(l, emit_jump(&l->e, 0), TO_LINK, target, transfer && target <= l->pc);
}

static void lower_leave(struct lowering *l, enum exit_kind kind, u64 rip)
{
    note_exit(l, emit_jump(&l->e, 0), kind, rip, false);
}

/* --- entries ---------------------------------------------------------------- */

/* lea rcx, [rcx + value]: needs r11 if value is wide. */
static void add_to_rcx(struct emitter *e, u64 value)
{
    if (fits_i32((i64)value)) {
        emit_word(e, 0x898d48u | (u64)(u32)value << 24, 7);
        return;
    }
    emit_constant(e, R11, value);
    emit_word(e, 0x190c8d4a, 4); /* lea rcx, [rcx + r11] */
}

/* What a check adds to rcx. */
static u64 check_difference(const struct fragment *f)
{
    return lowering.use_loop ? 1 - f->pc : -f->pc;
}

/* Undoes it: rcx is less the fragment's pc now, and r11 has a wide difference. */
static void restore_target(struct emitter *e, const struct fragment *f)
{
    u64 difference = check_difference(f);
    if (fits_i32((i64)difference)) {
        add_to_rcx(e, f->pc);
        return;
    }
    emit_word(e, 0xd3f749, 3); /* not r11 */
    emit_word(e, 0x00194c8d4a | (f->pc + difference + 1) << 32, 5); /* lea rcx, [rcx + r11 + ...] */
}

/* rcx - pc decides; a fragment that is not the target restores rcx and passes on, in a stub. */
static void check_by_jrcxz(struct lowering *l)
{
    struct emitter *e = &l->e;
    add_to_rcx(e, check_difference(l->fragment));
    emit_word(e, 0x05e3, 2); /* jrcxz over the jump */
    lower_leave(l, TO_CHAIN, l->fragment->pc);
}

static void check_by_loop(struct lowering *l)
{
    struct emitter *e = &l->e;
    u8 *missed = e->at;
    lower_leave(l, TO_CHAIN, l->fragment->pc);
    l->fragment->from_table = emit_here(e);
    add_to_rcx(e, check_difference(l->fragment));
    emit8(e, 0xe2); /* loop missed */
    emit8(e, (u8)(missed - (e->at + 1)));
}

/* Flags must survive even if they are dead in this fragment: the next fragment in the slot may be
 * the target, and node's switch statements carry flags over an indirect jump. */
static void lower_check(struct lowering *l)
{
    l->fragment->from_table = emit_here(&l->e);
    if (lowering.use_loop)
        check_by_loop(l);
    else
        check_by_jrcxz(l);
    emit_load(&l->e, RCX, emit_slot(SLOT_RCX));
    emit_load(&l->e, R11, emit_slot(SLOT_R11));
}

static u32 counter_address(const struct lowering *l)
{
    return EMIT_CPU(counter[l->counter]);
}

/* dec does not change CF. */
static void count_in_memory(struct lowering *l)
{
    struct emitter *e = &l->e;
    emit_rex_rip(e, 0x48, 0xff, 1, counter_address(l));
    note_exit(l, emit_branch(e, CONDITION_Z, 0), TO_TICKS, l->fragment->pc, false);
}

static void count_by_loop(struct lowering *l)
{
    struct emitter *e = &l->e;
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    emit_load(e, RCX, counter_address(l));
    emit8(e, 0xe2); /* loop over the jump */
    emit8(e, 5);
    note_exit(l, emit_jump(e, 0), TO_TICKS_STORE, l->fragment->pc, false);
    l->fragment->count_end = emit_here(e);
    emit_store(e, RCX, counter_address(l));
    emit_load(e, RCX, emit_slot(SLOT_RCX));
}

static void count_by_jrcxz(struct lowering *l, u8 *expired)
{
    struct emitter *e = &l->e;
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    emit_load(e, RCX, counter_address(l));
    emit_word(e, 0xff498d48, 4); /* lea rcx, [rcx - 1] */
    l->fragment->count_end = emit_here(e);
    emit_store(e, RCX, counter_address(l));
    emit8(e, 0xe3);
    emit8(e, (u8)(expired - (e->at + 1)));
    emit_load(e, RCX, emit_slot(SLOT_RCX));
}

static void align(struct lowering *l, u32 alignment)
{
    u32 padding = -emit_here(&l->e) % alignment;
    for (u32 n = 0; n < padding; n += 8)
        __builtin_memset(l->e.at + n, 0x90, 8);
    l->e.at += padding;
}

static void lower_entries(struct lowering *l, enum lower_entry entry)
{
    const u16 dec_changes = FLAGS_ARITHMETIC & ~FLAG_CF;
    bool in_memory = (l->block->flags_dead & dec_changes) == dec_changes;
    u8 *expired = NULL;
    l->fragment->count_end = 0;
    if (!in_memory && !lowering.use_loop) {
        expired = l->e.at;
        lower_leave(l, TO_TICKS_RCX, l->fragment->pc);
    }
    align(l, entry == ENTRY_COUNTED ? LOOP_ALIGNMENT : ENTRY_ALIGNMENT);
    if (entry == ENTRY_INDIRECT)
        lower_check(l);
    l->fragment->ticked = emit_here(&l->e);
    if (in_memory)
        count_in_memory(l);
    else if (lowering.use_loop)
        count_by_loop(l);
    else
        count_by_jrcxz(l, expired);
    l->fragment->body = emit_here(&l->e);
}

/* The first code in the body: enters the engine, which continues after it. */
static void lower_site(struct lowering *l)
{
    struct fragment *f = l->fragment;
    emit_store_constant32(&l->e, EMIT_CPU(exit_data), (u32)(f - fragments.all));
    emit_jump(&l->e, doors.site);
    f->after_site = emit_here(&l->e);
}

/* A point whose frame matters is counted here if the flags are dead; otherwise the engine counts
 * it. */
static bool counts_point(const struct block *b)
{
    if (code_sites.all_points)
        return true;
    return b->point->rule == CFA_REGISTER && b->point->reg < GENERAL_REGISTERS &&
           b->flags_dead == FLAGS_ARITHMETIC;
}

static void emit_frame_address(struct emitter *e, const struct plan_point *p)
{
    unsigned base = register_of_dwarf(p->reg);
    emit_rex_w(e, RCX, base);
    emit8(e, 0x8d); /* lea rcx, [base + offset] */
    emit8(e, (u8)(0x80 | RCX << 3 | (base & 7)));
    if ((base & 7) == RSP)
        emit8(e, 0x24);
    emit32(e, (u32)p->offset);
}

static u8 *emit_short_branch(struct emitter *e, u8 opcode)
{
    emit8(e, opcode);
    emit8(e, 0);
    return e->at;
}

static void lower_aim_short(const struct emitter *e, u8 *behind)
{
    behind[-1] = (u8)(e->at - behind);
}

/* Enters the engine, which continues after it. */
static void leave_at_point(struct lowering *l)
{
    emit_store_constant32(&l->e, EMIT_CPU(exit_data), (u32)(l->fragment - fragments.all));
    emit_jump(&l->e, doors.site);
}

static void count_point_by_jrcxz(struct lowering *l)
{
    enum { JRCXZ = 0xe3, JMP = 0xeb };
    struct emitter *e = &l->e;
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    emit_load(e, RCX, EMIT_CPU(point_left));
    emit_word(e, 0xff498d48, 4); /* lea rcx, [rcx - 1] */
    emit_store(e, RCX, EMIT_CPU(point_left));
    u8 *due = emit_short_branch(e, JRCXZ);
    u8 *more = emit_short_branch(e, JMP);
    lower_aim_short(e, due);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
    leave_at_point(l);
    lower_aim_short(e, more);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
}

/* Counts in any frame. The branch is normally not taken, since taken branches take part in the
 * processor's prediction of returns. */
static void count_any_point(struct lowering *l)
{
    enum { UNARY = 0xff, DEC = 1 };
    const u16 dec_changes = FLAGS_ARITHMETIC & ~FLAG_CF;
    struct emitter *e = &l->e;
    if ((l->block->flags_dead & dec_changes) != dec_changes) {
        count_point_by_jrcxz(l);
        return;
    }
    emit_rex_rip(e, 0x48, UNARY, DEC, EMIT_CPU(point_left));
    note_exit(l, emit_branch(e, CONDITION_Z, 0), TO_POINT, l->fragment->pc, false);
}

/* plan_points.h describes it. */
static void count_point_of_base(struct lowering *l)
{
    enum { JB = 0x72, JBE = 0x76, JA = 0x77, JNZ = 0x75, JMP = 0xeb, COMPARE = 0x3b, UNARY = 0xff,
           DEC = 1 };
    struct emitter *e = &l->e;
    bool scoped = l->block->point->scope;
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    emit_frame_address(e, l->block->point);
    emit_rex_rip(e, 0x48, COMPARE, RCX, scoped ? EMIT_CPU(scoped_base) : EMIT_CPU(point_base));
    u8 *below = emit_short_branch(e, JB);
    emit_rex_rip(e, 0x48, COMPARE, RCX, scoped ? EMIT_CPU(scoped_above) : EMIT_CPU(point_above));
    u8 *counts = emit_short_branch(e, JBE);
    emit_rex_rip(e, 0x48, COMPARE, RCX, EMIT_CPU(point_outer));
    u8 *outer = emit_short_branch(e, JA);
    u8 *engine = emit_short_branch(e, JMP);
    lower_aim_short(e, counts);
    emit_rex_rip(e, 0x48, UNARY, DEC, EMIT_CPU(point_left));
    u8 *more = emit_short_branch(e, JNZ);
    lower_aim_short(e, engine);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
    leave_at_point(l);
    lower_aim_short(e, below);
    lower_aim_short(e, outer);
    lower_aim_short(e, more);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
}

static void lower_point(struct lowering *l)
{
    if (code_sites.all_points)
        count_any_point(l);
    else
        count_point_of_base(l);
    l->fragment->counts = true;
    l->fragment->after_site = emit_here(&l->e);
}

/* --- plain instructions ------------------------------------------------------ */

/* Copies guest code, eight bytes at once, but reads no bytes beyond `count`: the next page may be
 * unmapped. */
static void copy_code(u8 *to, const u8 *from, u64 count)
{
    u64 n = 0;
    for (; n + 8 <= count; n += 8)
        __builtin_memcpy(to + n, from + n, 8);
    if (count >= 8)
        __builtin_memcpy(to + count - 8, from + count - 8, 8);
    else
        for (; n < count; n++)
            to[n] = from[n];
}

static void lower_copy(struct lowering *l, u64 count)
{
    copy_code(l->e.at, gaddr_pointer(gaddr(l->pc)), count);
    l->e.at += count;
}

static u64 rip_target(const struct lowering *l, const struct insn *i)
{
    return l->pc + i->length + (u64)i->displacement;
}

/* Returns a low register that the instruction does not use: it can be a base without a REX bit or a
 * displacement. */
static unsigned free_register(const struct insn *i)
{
    static const u8 candidates[] = {RAX, RDX, RBX, RSI, RDI, RCX};
    u16 used = i->registers_read | i->registers_written;
    for (unsigned n = 0; n < countof(candidates); n++)
        if (!(used >> candidates[n] & 1))
            return candidates[n];
    return RCX; /* no instruction uses all six */
}

/* Copies the instruction with [base] in place of [rip + displacement]. */
static void copy_with_base(struct lowering *l, const struct insn *i, unsigned base)
{
    const u8 *bytes = gaddr_pointer(gaddr(l->pc));
    u8 *to = l->e.at;
    __builtin_memcpy(to, bytes, i->modrm_at);
    to[i->modrm_at] = (u8)((i->modrm & 0x38) | base);
    unsigned rest = i->displacement_at + 4u;
    for (unsigned n = rest; n < i->length; n++)
        to[i->modrm_at + 1 + n - rest] = bytes[n];
    l->e.at += i->length - 4;
    /* The B bit of the prefix is meaningless with rip, and must be clear with a low base. */
    if (i->encoding == ENCODING_LEGACY && i->rex)
        to[i->prefix_at] &= ~1;
    else if (i->encoding != ENCODING_LEGACY && i->encoding != ENCODING_VEX2)
        to[i->prefix_at + 1] |= 0x20;
}

static void lower_far_operand(struct lowering *l, const struct insn *i)
{
    unsigned scratch = free_register(i);
    emit_store(&l->e, scratch, emit_slot(SLOT_SCRATCH));
    emit_constant(&l->e, scratch, rip_target(l, i));
    lower_mark(l, l->pc, MARK_SCRATCH | MARK_STILL, (u8)scratch);
    copy_with_base(l, i, scratch);
    lower_mark(l, l->pc + i->length, MARK_SCRATCH | MARK_STILL, (u8)scratch);
    emit_load(&l->e, scratch, emit_slot(SLOT_SCRATCH));
}

static void lower_plain(struct lowering *l, const struct insn *i)
{
    if (!i->rip_relative) {
        lower_copy(l, i->length);
        return;
    }
    i64 displacement = (i64)(rip_target(l, i) - (u64)(l->e.at + i->length));
    if (fits_i32(displacement) && !(i->prefixes & PREFIX_67)) {
        u8 *to = l->e.at;
        lower_copy(l, i->length);
        u32 shifted = (u32)displacement;
        __builtin_memcpy(to + i->displacement_at, &shifted, 4);
        return;
    }
    lower_far_operand(l, i);
}

/* --- control flow ------------------------------------------------------------ */

static void push_return(struct lowering *l, u64 to, u8 borrowed)
{
    struct emitter *e = &l->e;
    expect(to);
    emit_word(e, 0x68u | (u64)(u32)to << 8, 5); /* push imm32, sign-extended */
    if (fits_i32((i64)to))
        return;
    borrow(l, borrowed | MARK_PUSHED);
    emit8(e, 0xc7); /* mov dword [rsp + 4], high half */
    emit8(e, 0x44);
    emit8(e, 0x24);
    emit8(e, 0x04);
    emit32(e, (u32)(to >> 32));
}

/* The target is in rcx, the guest's rcx in its slot. */
static void jump_by_table(struct lowering *l)
{
    struct emitter *e = &l->e;
    if (l->block->single || !settings.link) {
        emit_jump(e, doors.missed_plain);
        return;
    }
    u8 variant = l->fragment->variant;
    emit_store(e, R11, emit_slot(SLOT_R11));
    if (lookup_is_wide(variant)) {
        emit_word(e, 0x1df57262c4, 5); /* pext r11d, ecx, [lookup_mask] */
        emit32(e, EMIT_CPU(lookup_mask) - (emit_here(e) + 4));
    } else {
        emit_word(e, 0xd9b70f44, 4); /* movzx r11d, cx */
        _Static_assert(LOOKUP_BITS == 16, "movzx takes 16 bits");
    }
    emit_word(e, 0xdd24ff42 | lookup_table(variant) << 32, 8); /* jmp [table + r11 * 8] */
}

static void lower_return(struct lowering *l, const struct insn *i)
{
    struct emitter *e = &l->e;
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    borrow(l, MARK_RCX);
    emit8(e, 0x59); /* pop rcx */
    if (i->immediate_size) {
        emit8(e, 0x48); /* lea rsp, [rsp + imm16] */
        emit8(e, 0x8d);
        emit8(e, 0xa4);
        emit8(e, 0x24);
        emit32(e, (u16)i->immediate);
    }
    jump_by_table(l);
}

/* mov rcx, [operand of the jump] */
static void load_target_from_memory(struct lowering *l, const struct insn *i)
{
    struct emitter *e = &l->e;
    if (i->prefixes & PREFIX_FS)
        emit8(e, 0x64);
    if (i->prefixes & PREFIX_GS)
        emit8(e, 0x65);
    if (i->rip_relative) {
        i64 displacement = (i64)(rip_target(l, i) - (u64)(e->at + 7));
        if (fits_i32(displacement)) {
            emit8(e, 0x48);
            emit8(e, 0x8b);
            emit8(e, 0x0d);
            emit32(e, (u32)displacement);
            return;
        }
        bool segment = i->prefixes & (PREFIX_FS | PREFIX_GS);
        u8 prefix = e->at[-1];
        e->at -= segment;
        emit_constant(e, RCX, rip_target(l, i));
        if (segment)
            emit8(e, prefix);
        emit8(e, 0x48); /* mov rcx, [rcx] */
        emit8(e, 0x8b);
        emit8(e, 0x09);
        return;
    }
    if (i->prefixes & PREFIX_67)
        emit8(e, 0x67);
    emit8(e, 0x48 | (i->rex & 3));
    emit8(e, 0x8b);
    emit8(e, (i->modrm & 0xc7) | RCX << 3);
    const u8 *bytes = gaddr_pointer(gaddr(l->pc));
    for (unsigned n = i->modrm_at + 1u; n < i->length; n++)
        emit8(e, bytes[n]);
}

static void lower_indirect(struct lowering *l, const struct insn *i)
{
    emit_store(&l->e, RCX, emit_slot(SLOT_RCX));
    borrow(l, MARK_RCX);
    if (i->has_memory)
        load_target_from_memory(l, i);
    else
        emit_move(&l->e, RCX, (i->modrm & 7) | (i->rex & 1) << 3);
    if (i->kind == INSN_CALL_INDIRECT)
        push_return(l, l->pc + i->length, MARK_RCX);
    jump_by_table(l);
}

/* The backward jump in an unrolled loop: continues in the next copy, which counts it. */
static void lower_loop_back(struct lowering *l, const struct insn *i)
{
    if (i->kind == INSN_BRANCH)
        note_exit(l, emit_branch(&l->e, i->condition ^ 1, 0), TO_LINK, l->pc + i->length, false);
    l->counter = (l->counter + 1) % settings.counters;
    count_in_memory(l);
}

static void lower_branch(struct lowering *l, const struct insn *i)
{
    u64 target = l->pc + i->length + (u64)i->immediate;
    note_exit(l, emit_branch(&l->e, i->condition, 0), TO_LINK, target, target <= l->pc);
}

/* loop, jrcxz: they only reach over the jump that stands for them. */
static void lower_counted(struct lowering *l, const struct insn *i)
{
    struct emitter *e = &l->e;
    if (i->prefixes & PREFIX_67)
        emit8(e, 0x67);
    emit8(e, i->opcode);
    emit8(e, 2);
    emit8(e, 0xeb); /* not taken: over the jump */
    emit8(e, 5);
    jump_to(l, l->pc + i->length + (u64)i->immediate, true);
}

/* The door makes the call, or leaves for the engine; after a call that it made, it returns to the
 * edge here. */
static void lower_syscall(struct lowering *l, u64 next)
{
    struct emitter *e = &l->e;
    emit_store_constant(e, EMIT_CPU(rip), next);
    emit_store_constant32(e, EMIT_CPU(after), 0);
    u8 *after = e->at - sizeof(u32);
    emit_jump(e, doors.syscall);
    u32 here = emit_here(e);
    __builtin_memcpy(after, &here, sizeof(here));
    jump_to(l, next, false);
}

static void lower_insn(struct lowering *l, const struct insn *i, u64 next_in_block)
{
    u64 next = l->pc + i->length;
    lower_mark(l, l->pc, 0, 0);
    switch (i->kind) {
    case INSN_PLAIN:
    case INSN_PRIVILEGED:
        lower_plain(l, i);
        break;
    case INSN_XSTATE: /* then the engine corrects what it wrote, or does all of it */
        if (!emulated_xsave(i))
            lower_plain(l, i);
        lower_leave(l, TO_EMULATE, l->pc);
        break;
    case INSN_JUMP:
        if (next_in_block != next + (u64)i->immediate)
            jump_to(l, next + (u64)i->immediate, true);
        break;
    case INSN_BRANCH:
        lower_branch(l, i);
        break;
    case INSN_COUNTED:
        lower_counted(l, i);
        break;
    case INSN_CALL:
        borrow(l, 0);
        push_return(l, next, 0);
        jump_to(l, next + (u64)i->immediate, true);
        break;
    case INSN_RETURN:
        lower_return(l, i);
        break;
    case INSN_JUMP_INDIRECT:
    case INSN_CALL_INDIRECT:
        lower_indirect(l, i);
        break;
    case INSN_SYSCALL:
        lower_syscall(l, next);
        break;
    default:
        if (block_ends_at(i))
            lower_leave(l, TO_EMULATE, l->pc);
        else
            lower_plain(l, i);
    }
}

/* True if execution never continues after it. */
static bool jumps_away(const struct insn *i)
{
    return i->kind == INSN_JUMP || block_ends_at(i);
}

static bool has_points(const struct block *b, u32 n)
{
    bool has_sums = b->variant == VARIANT_SUMS || b->variant == VARIANT_TALLY;
    return has_sums && (b->sum[n] || b->in_sum[n]);
}

/* Copies consecutive instructions from number n on that need no change, except the last one, at
 * once; returns the number of the last. */
static u32 lower_run(struct lowering *l, u32 n)
{
    const struct block *b = l->block;
    u32 first = n;
    while (b->insn[n].kind == INSN_PLAIN && !b->insn[n].rip_relative && n + 1 < b->count &&
           b->pc[n + 1] == b->pc[n] + b->insn[n].length && !has_points(b, n + 1))
        n++;
    if (n > first) {
        l->pc = b->pc[first];
        lower_mark(l, l->pc, 0, 0);
        lower_copy(l, b->pc[n] - l->pc);
    }
    return n;
}

static void lower_one(struct lowering *l, u32 n)
{
    const struct block *b = l->block;
    if (b->loop && (n + 1) % b->loop == 0 && n + 1 < b->count)
        lower_loop_back(l, &b->insn[n]);
    else
        lower_insn(l, &b->insn[n], n + 1 < b->count ? b->pc[n + 1] : 0);
}

/* In a variant that checks data: adds the checks before and after it. */
static void lower_checked(struct lowering *l, u32 n)
{
    l->pc = l->block->pc[n];
    lower_data_check(l, n);
    lower_one(l, n);
    lower_data_behind(l, n);
    lower_data_guard(l, n);
}

static void lower_body(struct lowering *l)
{
    const struct block *b = l->block;
    for (u32 n = 0; n < b->count; n++) {
        if (b->variant & VARIANT_DATA) {
            lower_checked(l, n);
            continue;
        }
        if (b->variant == VARIANT_TALLY)
            sums_begin_tally(l, n);
        if (has_points(b, n))
            sums_lower(l, n);
        n = lower_run(l, n);
        l->pc = b->pc[n];
        lower_one(l, n);
    }
    if (!jumps_away(&b->insn[b->count - 1]))
        jump_to(l, b->end, false);
}

/* --- stubs -------------------------------------------------------------------- */

static void stub_for_link(struct lowering *l, const struct exit *x)
{
    struct fragment *f = l->fragment;
    u32 index = f->links + f->link_count++;
    fragments.links[index] = (struct link){
        .target = x->pc,
        .jump_at = x->jump_at,
        .stub = emit_here(&l->e),
        .fragment = (u32)(f - fragments.all),
        .ticked = x->ticked,
    };
    emit_store_constant32(&l->e, EMIT_CPU(exit_data), index);
    emit_jump(&l->e, doors.link);
}

static void stub_with_rip(struct lowering *l, u64 rip, u32 door)
{
    emit_store_constant(&l->e, EMIT_CPU(rip), rip);
    emit_jump(&l->e, door);
}

/* The engine knows the pc from the fragment. */
static void stub_for_ticks(struct lowering *l)
{
    emit_store_constant32(&l->e, EMIT_CPU(exit_data), (u32)(l->fragment - fragments.all));
    emit_jump(&l->e, doors.ticks);
}

static void lower_stub(struct lowering *l, const struct exit *x)
{
    struct emitter *e = &l->e;
    emit_aim(x->jump_at, emit_here(e));
    switch (x->kind) {
    case TO_LINK:
        stub_for_link(l, x);
        return;
    case TO_TICKS_STORE:
        emit_store(e, RCX, counter_address(l));
        emit_load(e, RCX, emit_slot(SLOT_RCX));
        stub_for_ticks(l);
        return;
    case TO_TICKS_RCX:
        emit_load(e, RCX, emit_slot(SLOT_RCX));
        stub_for_ticks(l);
        return;
    case TO_TICKS:
        stub_for_ticks(l);
        return;
    case TO_POINT:
        leave_at_point(l);
        return;
    case TO_CHAIN: /* to the next fragment of the slot, at first to the engine */
        restore_target(e, l->fragment);
        l->fragment->chain_at = emit_jump(e, doors.missed);
        return;
    case TO_DATA:
    case TO_DATA_RCX:
    case TO_DATA_STACK:
        lower_data_stub(l, x);
        return;
    default:
        stub_with_rip(l, x->pc, doors.emulate);
    }
}

static void write_marks(struct lowering *l)
{
    struct fragment *f = l->fragment;
    invariant(1, l->mark_count && f->start + l->mark[0].offset <= f->end);
    while (emit_here(&l->e) % 4)
        emit8(&l->e, 0xcc);
    f->marks = emit_here(&l->e);
    f->mark_count = (u16)l->mark_count;
    __builtin_memcpy(l->e.at, l->mark, l->mark_count * sizeof(struct mark));
    l->e.at += l->mark_count * sizeof(struct mark);
    f->aheads = emit_here(&l->e);
    f->ahead_count = (u16)l->ahead_count;
    __builtin_memcpy(l->e.at, l->ahead, l->ahead_count * sizeof(struct points_ahead));
    l->e.at += l->ahead_count * sizeof(struct points_ahead);
}

static struct lowering *lower_begin(struct fragment *f, const struct code_room *room)
{
    struct lowering *l = &lowering;
    l->e.at = room->hot;
    l->fragment = f;
    l->exit_count = 0;
    l->mark_count = 0;
    l->sums = l->ahead_count = 0;
    l->ahead_points = 0;
    return l;
}

/* All exits are known: their stubs are written one after the other. */
static void lower_stubs(struct lowering *l, struct code_room *room)
{
    room->hot = l->e.at;
    l->e.at = room->cold;
    for (u32 n = 0; n < l->exit_count; n++)
        lower_stub(l, &l->exit[n]);
}

void lower(const struct block *b, struct fragment *f, struct code_room *room, u32 counter,
           enum lower_entry entry)
{
    struct lowering *l = lower_begin(f, room);
    l->block = b;
    l->start = room->hot;
    l->counter = counter;
    f->start = emit_here(&l->e);
    f->link_count = 0;
    lower_entries(l, entry);
    f->counts = false;
    f->sums_first = b->variant == VARIANT_TALLY || (b->variant == VARIANT_SUMS && b->in_sum[0]);
    if (b->point && !b->site && counts_point(b))
        lower_point(l);
    else if (b->site || b->point)
        lower_site(l);
    lower_body(l);
    f->end = emit_here(&l->e);
    f->stubs = (u32)(u64)room->cold;
    lower_stubs(l, room);
    f->stubs_end = emit_here(&l->e);
    write_marks(l);
    room->cold = l->e.at;
}

/* --- bare instructions --------------------------------------------------------- */

/* The guest's flags are not in the processor then: the instruction must not read flags, or keep old
 * ones. */
bool lower_can_be_bare(const struct insn *i)
{
    return i->kind == INSN_PLAIN && i->partial == INSN_COMPLETE && !i->rep && !i->flags_read &&
           !(i->flags_may_write & ~decode_flags_killed(i));
}

/* rax is free. */
static void keep_bare_flags(struct emitter *e)
{
    emit_word(e, 0xc0900f9f, 4); /* lahf; seto al */
    emit_rex_rip(e, 0x40, 0x89, RAX, EMIT_CPU(bare_flags));
}

void lower_bare(const struct insn *i, struct fragment *f, struct code_room *room)
{
    struct lowering *l = lower_begin(f, room);
    struct emitter *e = &l->e;
    l->start = room->hot;
    l->pc = f->pc;
    f->start = f->body = emit_here(e);
    for (unsigned reg = 0; reg < GENERAL_REGISTERS; reg++)
        if ((i->registers_read | i->registers_written) >> reg & 1)
            emit_load(e, reg, EMIT_CPU(reg[reg]));
    lower_mark(l, l->pc, 0, 0);
    lower_plain(l, i);
    for (unsigned reg = 0; reg < GENERAL_REGISTERS; reg++)
        if (i->registers_written >> reg & 1)
            emit_store(e, reg, EMIT_CPU(reg[reg]));
    if (i->flags_may_write)
        keep_bare_flags(e);
    emit_jump(e, doors.bare);
    f->end = emit_here(e);
    lower_stubs(l, room);
    write_marks(l);
    room->cold = l->e.at;
}

void lower_late_check(struct fragment *f, struct code_room *room)
{
    struct lowering *l = lower_begin(f, room);
    lower_check(l);
    emit_jump(&l->e, f->ticked);
    lower_stubs(l, room);
    room->cold = l->e.at;
}
