/* Recovery: see recover.h. The marks of a fragment (fragment.h) have all that is needed. */
#include "engine/x86_64/recover.h"

#include "engine/translate/code_cache.h"
#include "engine/translate/code_sites.h"
#include "engine/translate/fragment.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/doors.h"

bool recover_in_cache(u64 pc)
{
    return pc >= code_cache.first && pc < code_cache.end;
}

/* The last mark at or before the offset. */
static const struct mark *find_mark(const struct fragment *f, u32 offset)
{
    const struct mark *marks = (const struct mark *)(u64)f->marks;
    u32 low = 0, high = f->mark_count;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (marks[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &marks[low - 1] : NULL;
}

static void take_registers(const struct k_sigcontext *r)
{
#define X(NAME, name, ...) cpu->reg[NAME] = r->name;
    REGISTERS_GENERAL(X)
#undef X
    cpu->flags = r->flags;
}

static void recover_give_back(const struct mark *m)
{
    if (m->borrowed & MARK_RCX)
        cpu->reg[RCX] = cpu->slot[SLOT_RCX];
    if (m->borrowed & MARK_R11)
        cpu->reg[R11] = cpu->slot[SLOT_R11];
    if (m->borrowed & MARK_SCRATCH)
        cpu->reg[m->scratch] = cpu->slot[SLOT_SCRATCH];
    if (m->borrowed & MARK_PUSHED)
        cpu->reg[RSP] += 8;
}

static u64 guest_pc(const struct fragment *f, const struct mark *m, u32 offset)
{
    u64 pc = f->pc + (u64)(i64)m->pc_delta;
    return m->borrowed & MARK_STILL ? pc : pc + offset - m->offset;
}

/* Handles a fault in the middle of a stretch whose points were, or will be, counted at once. */
static void correct_sums(const struct fragment *f, u32 offset)
{
    if (f->variant == VARIANT_TALLY) {
        code_sites.tally_fault(f->start + offset, cpu->rip);
        return;
    }
    const struct points_ahead *aheads = (const struct points_ahead *)(u64)f->aheads;
    u32 n = f->ahead_count;
    while (n && aheads[n - 1].offset > offset)
        n--;
    if (n)
        cpu->point_sum[0] -= (u64)(i64)aheads[n - 1].points;
}

bool recover_state(const struct k_sigcontext *registers)
{
    struct fragment *f = fragment_at((u32)registers->rip);
    if (!f || registers->rip < f->body || registers->rip >= f->end)
        return false;
    u32 offset = (u32)registers->rip - f->start;
    const struct mark *m = find_mark(f, offset);
    if (!m)
        return false;
    if (f->bare) { /* its state is in cpu, and only the instruction itself can fault */
        cpu->rip = f->pc;
        return true;
    }
    take_registers(registers);
    recover_give_back(m);
    cpu->rip = guest_pc(f, m, offset);
    correct_sums(f, offset);
    return true;
}

u64 recover_code_address(u64 address)
{
    if (!recover_in_cache(address))
        return address;
    struct fragment *f = fragment_at((u32)address);
    if (!f || address < f->body || address >= f->end)
        return 0;
    u32 offset = (u32)address - f->start;
    const struct mark *m = find_mark(f, offset);
    return m ? guest_pc(f, m, offset) : 0;
}

bool recover_in_dropped(u64 pc)
{
    struct fragment *f = recover_in_cache(pc) ? fragment_at((u32)pc) : NULL;
    return f && !f->live && !f->single;
}

bool recover_unaligned(struct k_sigcontext *registers)
{
    if (registers->rip != doors.data_read)
        return false;
    registers->rip = doors.data_unread;
    return true;
}

void recover_before_expiry(struct k_sigcontext *registers)
{
    struct fragment *f = fragment_at((u32)registers->rip);
    if (!f || !f->count_end)
        return;
    if (registers->rip <= f->ticked || registers->rip > f->count_end)
        return;
    registers->rip = f->ticked;
    registers->rcx = cpu->slot[SLOT_RCX];
}

void recover_before_call(struct k_sigcontext *registers)
{
    if (registers->rip >= doors.call_check && registers->rip < doors.call_made)
        registers->rip = doors.call_slow;
}
