/* Decides which instructions the engine emulates: see emulated.h. */
#include "engine/x86_64/emulated.h"

#include "engine/base/settings.h"
#include "engine/log/log.h"
#include "engine/x86_64/vector.h"

bool emulated_is_xsavec(const struct insn *i)
{
    enum { OPCODE_XSAVEC = 0xc7 };
    return i->opcode == OPCODE_XSAVEC;
}

static bool owns_clocks(void)
{
    return settings.random || log_owner->owns_clocks;
}

u32 emulated_kind(void)
{
    return (u32)owns_clocks() | (u32)vector_stores() << 1;
}

bool emulated_clock(const struct insn *i)
{
    bool clock = i->kind == INSN_RDTSC || i->kind == INSN_RDRAND || i->kind == INSN_RDPID;
    return clock && owns_clocks();
}

bool emulated_is_xsave(const struct insn *i)
{
    return i->map != MAP_ONE && (emulated_is_xsavec(i) || (i->modrm >> 3 & 7) != 0);
}

bool emulated_xsave(const struct insn *i)
{
    return emulated_is_xsave(i) && vector_stores();
}
