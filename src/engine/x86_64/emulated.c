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

bool emulated_clock(const struct insn *i)
{
    bool clock = i->kind == INSN_RDTSC || i->kind == INSN_RDRAND || i->kind == INSN_RDPID;
    return clock && (settings.random || log_owner->owns_clocks);
}

bool emulated_is_xsave(const struct insn *i)
{
    return i->map != MAP_ONE && (emulated_is_xsavec(i) || (i->modrm >> 3 & 7) != 0);
}

bool emulated_xsave(const struct insn *i)
{
    return emulated_is_xsave(i) && vector_stores();
}
