#include "engine/x86_64/machine.h"

#include "engine/areas.h"
#include "engine/clocks.h"
#include "engine/guest_memory.h"
#include "engine/kernel_abi.h"
#include "engine/signals.h"
#include "engine/stop.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/decode.h"

enum {
    ILL_ILLOPN = 2,
    SEGV_MAPERR = 1,
    SI_KERNEL = 0x80,
    FLAGS_USER = 0x254dd5, /* what popf changes in user mode: arithmetic, TF, DF, NT, AC, ID */
    FLAG_FIXED = 0x202,
};

static void set_low(unsigned reg, u64 value)
{
    cpu->reg[reg] = (u32)value;
}

static void do_cpuid(void)
{
    u32 out[4];
    clocks_cpuid((u32)cpu->reg[RAX], (u32)cpu->reg[RCX], out);
    set_low(RAX, out[0]);
    set_low(RBX, out[1]);
    set_low(RCX, out[2]);
    set_low(RDX, out[3]);
}

static void do_rdtsc(const struct insn *i)
{
    u32 core;
    u64 now = clocks_tsc(&core);
    set_low(RAX, now);
    set_low(RDX, now >> 32);
    if (i->opcode != 0x31) /* rdtscp */
        set_low(RCX, core);
}

static void set_sized(unsigned reg, u64 value, const struct insn *i)
{
    if (i->rex & 8)
        cpu->reg[reg] = value;
    else if (i->prefixes & PREFIX_66)
        cpu->reg[reg] = (cpu->reg[reg] & ~0xfffful) | (value & 0xffff);
    else
        cpu->reg[reg] = (u32)value;
}

static unsigned rm_register(const struct insn *i)
{
    return (i->modrm & 7) | (i->rex & 1) << 3;
}

static void do_rdrand(const struct insn *i)
{
    u64 value = 0;
    bool good = clocks_random(&value);
    set_sized(rm_register(i), good ? value : 0, i);
    cpu->flags = (cpu->flags & ~(u64)FLAGS_ARITHMETIC) | (good ? FLAG_CF : 0);
}

static void do_rdpid(const struct insn *i)
{
    u32 core;
    clocks_tsc(&core);
    cpu->reg[rm_register(i)] = core;
}

/* Tile state is hidden from cpuid as well: clocks.c. */
static void do_xgetbv(void)
{
    u32 low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    u64 value = ((u64)high << 32 | low) & ~0x60000ul;
    set_low(RAX, value);
    set_low(RDX, value >> 32);
}

/* False: the stack could not be read. */
static bool do_popf(const struct insn *i)
{
    u64 size = i->prefixes & PREFIX_66 ? 2 : 8;
    u64 popped = 0;
    if (!guest_read(&popped, gaddr(cpu->reg[RSP]), size))
        return false;
    u64 changed = FLAGS_USER & (size == 2 ? 0xffff : ~0ul);
    cpu->flags = (cpu->flags & ~changed) | (popped & changed) | FLAG_FIXED;
    cpu->reg[RSP] += size;
    return true;
}

static void raise_here(int signal, int code, u64 address)
{
    signals_raise(signal, code, address);
}

static void do_or_fault(const struct insn *i)
{
    u64 next = cpu->rip + i->length;
    switch (i->kind) {
    case INSN_CPUID:
        do_cpuid();
        break;
    case INSN_RDTSC:
        do_rdtsc(i);
        break;
    case INSN_RDRAND:
        do_rdrand(i);
        break;
    case INSN_RDPID:
        do_rdpid(i);
        break;
    case INSN_XGETBV:
        if ((u32)cpu->reg[RCX] != 0) {
            raise_here(SIG_SEGV, SI_KERNEL, 0);
            return;
        }
        do_xgetbv();
        break;
    case INSN_POPF:
        if (!do_popf(i)) {
            raise_here(SIG_SEGV, SEGV_MAPERR, cpu->reg[RSP]);
            return;
        }
        break;
    case INSN_XBEGIN: /* aborts at once, for no reason that would make a retry useful */
        cpu->reg[RAX] = 0;
        next += (u64)i->immediate;
        break;
    case INSN_INT3:
        cpu->rip = next;
        raise_here(SIG_TRAP, SI_KERNEL, 0);
        return;
    case INSN_INVALID:
        raise_here(SIG_ILL, ILL_ILLOPN, cpu->rip);
        return;
    default: /* interrupts, far transfers: what a kernel without 32-bit calls answers */
        raise_here(SIG_SEGV, SI_KERNEL, 0);
        return;
    }
    cpu->rip = next;
}

void machine_emulate(void)
{
    struct insn i;
    u64 available = areas_fetchable(cpu->rip, INSN_MAX);
    if (!available || !decode(gaddr_pointer(gaddr(cpu->rip)), (unsigned)available, &i)) {
        raise_here(SIG_SEGV, SEGV_MAPERR, cpu->rip + available);
        return;
    }
    do_or_fault(&i);
}
