/* Stretches: see stretch.h.
 *
 * The code is read, not run: forward along the untaken side of branches, until an instruction that
 * may lead to where the next tick began. Forward branches that are taken count no tick, so the code
 * that is read may differ from what was executed; the result is only used for a guess (slice.c).
 */
#include "engine/x86_64/stretch.h"

#include "engine/memory/areas.h"
#include "engine/x86_64/decode.h"

enum { MOST = 64 }; /* instructions */

static bool is_exchange(const struct insn *i)
{
    return i->map == MAP_ONE && (i->opcode == 0x86 || i->opcode == 0x87); /* locked implicitly */
}

static enum stretch effect(const struct insn *i)
{
    if (!(i->memory & MEMORY_WRITE) || (i->memory & MEMORY_STACK))
        return STRETCH_READS;
    return (i->prefixes & PREFIX_LOCK) || is_exchange(i) ? STRETCH_TRIES : STRETCH_WRITES;
}

enum stretch_step { GOES_ON, ENDS, UNKNOWN };

static enum stretch_step stretch_follow(const struct insn *i, u64 *pc, u64 to)
{
    u64 next = *pc + i->length, target = next + (u64)i->immediate;
    switch (i->kind) {
    case INSN_PLAIN:
        *pc = next;
        return GOES_ON;
    case INSN_JUMP:
    case INSN_CALL:
        *pc = target;
        return target == to ? ENDS : i->kind == INSN_CALL || target < next ? UNKNOWN : GOES_ON;
    case INSN_BRANCH:
    case INSN_COUNTED:
        *pc = next;
        return target == to ? ENDS : GOES_ON;
    case INSN_RETURN:
    case INSN_JUMP_INDIRECT:
    case INSN_CALL_INDIRECT:
        return ENDS;
    default:
        return UNKNOWN;
    }
}

enum stretch stretch_between(u64 from, u64 to)
{
    enum stretch worst = STRETCH_READS;
    for (u64 pc = from, n = 0; n < MOST; n++) {
        struct insn i;
        u64 available = areas_fetchable(pc, INSN_MAX);
        if (!available || !decode(gaddr_pointer(gaddr(pc)), (unsigned)available, &i))
            break;
        enum stretch here = effect(&i);
        worst = here > worst ? here : worst;
        enum stretch_step step = stretch_follow(&i, &pc, to);
        if (step == ENDS)
            return worst;
        if (step == UNKNOWN)
            break;
    }
    return STRETCH_WRITES;
}
