/* Machine: see machine.h.
 *
 * Emulates instructions whose results the program cannot compute itself, that could change what the
 * engine relies on, or that show addresses of the cache. If they fault, the guest gets the signal
 * that the kernel would send.
 */
#include "engine/x86_64/machine.h"

#include <asm/prctl.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/settings.h"
#include "engine/base/stop.h"
#include "engine/calls/clock_log.h"
#include "engine/calls/narrow_calls.h"
#include "engine/calls/own_vdso.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/decode.h"
#include "engine/x86_64/emulated.h"
#include "engine/x86_64/recover.h"
#include "engine/x86_64/touches.h"
#include "engine/x86_64/vector.h"

enum {
    ILL_ILLOPN = 2,
    TRAP_BRKPT = 1,
    TRAP_OVERFLOW = 4,
    TRAP_PROTECTION = 13,
    VECTOR_SYSTEM_CALL = 0x80,
    OPCODE_INT1 = 0xf1,
    SEGV_MAPERR = 1,
    SEGV_ACCERR = 2,
    SI_KERNEL = 0x80,
    /* What popf changes in user mode, and RF, which the door to the cache clears. */
    FLAGS_USER = FLAGS_ARITHMETIC | FLAG_TF | FLAG_DF | FLAG_NT | FLAG_RF | FLAG_AC | FLAG_ID,
};

static void set_low(unsigned reg, u64 value)
{
    cpu->reg[reg] = (u32)value;
}

static void do_cpuid(void)
{
    u64 args[CLOCK_ARGS] = {cpu->reg[RAX], cpu->reg[RCX]};
    struct clock_answer a;
    logged_clock(CLOCK_CPUID, args, &a);
    set_low(RAX, a.value[1]);
    set_low(RBX, a.value[1] >> 32);
    set_low(RCX, a.value[2]);
    set_low(RDX, a.value[2] >> 32);
}

static struct clock_answer machine_ask_clock(enum event_clock_source source)
{
    static const u64 none[CLOCK_ARGS];
    struct clock_answer answer;
    logged_clock(source, none, &answer);
    return answer;
}

static void do_rdtsc(const struct insn *i)
{
    bool with_core = i->opcode != 0x31;
    struct clock_answer a = machine_ask_clock(with_core ? CLOCK_RDTSCP : CLOCK_RDTSC);
    set_low(RAX, a.value[0]);
    set_low(RDX, a.value[0] >> 32);
    if (with_core)
        set_low(RCX, a.value[1]);
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
    bool seed = (i->modrm >> 3 & 7) == 7;
    struct clock_answer a = machine_ask_clock(seed ? CLOCK_RDSEED : CLOCK_RDRAND);
    bool good = a.value[1];
    set_sized(rm_register(i), good ? a.value[0] : 0, i);
    cpu->flags = (cpu->flags & ~(u64)FLAGS_ARITHMETIC) | (good ? FLAG_CF : 0);
}

static void do_rdpid(const struct insn *i)
{
    cpu->reg[rm_register(i)] = machine_ask_clock(CLOCK_RDPID).value[0];
}

static void do_xgetbv(void)
{
    u64 value = machine_ask_clock(CLOCK_XGETBV).value[0];
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
    cpu->flags = (cpu->flags & ~changed) | (popped & changed) | FLAGS_PLAIN;
    cpu->reg[RSP] += size;
    return true;
}

/* --- what the x87 unit saves -------------------------------------------------- */

static u64 effective_address(const struct insn *i)
{
    struct touch_state s = {.reg = cpu->reg, .rip = cpu->rip};
    if (i->prefixes & PREFIX_FS)
        kernel_call(__NR_arch_prctl, ARCH_GET_FS, &s.fs_base);
    if (i->prefixes & PREFIX_GS)
        kernel_call(__NR_arch_prctl, ARCH_GET_GS, &s.gs_base);
    return touches_address(i, &s);
}

/* The form in which fnstenv, fnsave, fxsave, xsave and similar instructions store the state. */
static enum x87_form form_of(const struct insn *i)
{
    if (i->map == MAP_ONE)
        return i->prefixes & PREFIX_66 ? X87_SHORT_ENVIRONMENT : X87_ENVIRONMENT;
    return i->rex & 8 ? X87_WIDE_IMAGE : X87_IMAGE;
}

/* True if an xsave that was just executed stored the x87 state. Some leave it out if it has its
 * initial values. */
static bool has_saved_x87(u64 at)
{
    struct vector_header header;
    return (cpu->reg[RAX] & VECTOR_X87) &&
           guest_read(&header, gaddr(at + XSAVE_HEADER), sizeof(header)) &&
           (header.present & VECTOR_X87);
}

static void settle_saved_x87(enum x87_form form, u64 at)
{
    u8 bytes[X87_SETTLED_MOST];
    u64 size = vector_x87_size(form);
    if (guest_read(bytes, gaddr(at), size) && vector_settle_x87(bytes, form))
        guest_write(gaddr(at), bytes, size);
}

/* Corrects the saved state. The instruction was already executed. */
static void mend_saved_state(const struct insn *i)
{
    u64 at = effective_address(i);
    if (emulated_is_xsave(i))
        vector_settle_saved(at, cpu->reg[RDX] << 32 | (u32)cpu->reg[RAX], emulated_is_xsavec(i));
    else if (i->map != MAP_ONE)
        vector_mend_mask(at);
    if (!emulated_is_xsave(i) || has_saved_x87(at))
        settle_saved_x87(form_of(i), at);
}

/* --- faults --------------------------------------------------------------------- */

static void raise_here(int signal, int code, u64 address)
{
    signals_raise(signal, code, address);
}

/* int n: user code may not use these gates, except 3, 4 and that of system calls. */
static void do_int(const struct insn *i)
{
    u64 next = cpu->rip + i->length;
    u8 vector = (u8)i->immediate;
    if (i->opcode == OPCODE_INT1) {
        cpu->rip = next;
        raise_here(SIG_TRAP, TRAP_BRKPT, next);
    } else if (vector == 3) {
        cpu->rip = next;
        raise_here(SIG_TRAP, SI_KERNEL, 0);
    } else if (vector == VECTOR_SYSTEM_CALL) {
        cpu->rip = next;
        narrow_call_run();
    } else if (vector == TRAP_OVERFLOW) {
        cpu->rip = next;
        signals_raise_exception(SIG_SEGV, SI_KERNEL, 0, TRAP_OVERFLOW, 0);
    } else {
        signals_raise_exception(SIG_SEGV, SI_KERNEL, 0, TRAP_PROTECTION, vector * 8u + 2);
    }
}

static void raise_unreadable(u64 at)
{
    raise_here(SIG_SEGV, areas_find(at) ? SEGV_ACCERR : SEGV_MAPERR, at);
}

/* More than fifteen bytes are not an invalid opcode, but another fault. */
static void raise_invalid(const struct insn *i)
{
    if (i->length >= INSN_MAX)
        raise_here(SIG_SEGV, SI_KERNEL, 0);
    else
        raise_here(SIG_ILL, ILL_ILLOPN, cpu->rip);
}

static void raise_unwritable(u64 at)
{
    enum { TRAP_PAGE_FAULT = 14, ERROR_WRITE = 2 };
    signals_raise_exception(SIG_SEGV, areas_find(at) ? SEGV_ACCERR : SEGV_MAPERR, at,
                            TRAP_PAGE_FAULT, ERROR_WRITE);
}

/* False after a fault. */
static bool store_state(const struct insn *i)
{
    enum { ALIGNMENT = 64 };
    u64 at = effective_address(i), features = cpu->reg[RDX] << 32 | (u32)cpu->reg[RAX], fault;
    if (at % ALIGNMENT)
        raise_here(SIG_SEGV, SI_KERNEL, 0);
    else if (vector_store(at, features, emulated_is_xsavec(i), i->rex & 8, &fault))
        return true;
    else
        raise_unwritable(fault);
    return false;
}

static void do_or_fault(const struct insn *i)
{
    u64 next = cpu->rip + i->length;
    switch (i->kind) {
    case INSN_CPUID:
        if (thread_self()->forbidden & FORBIDS_CPUID) {
            raise_here(SIG_SEGV, SI_KERNEL, 0);
            return;
        }
        do_cpuid();
        break;
    case INSN_RDTSC:
        if (thread_self()->forbidden & FORBIDS_COUNTER) {
            raise_here(SIG_SEGV, SI_KERNEL, 0);
            return;
        }
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
            raise_unreadable(cpu->reg[RSP]);
            return;
        }
        break;
    case INSN_XBEGIN: /* aborts at once, with a status that does not suggest a retry */
        cpu->reg[RAX] = 0;
        next += (u64)i->immediate;
        break;
    case INSN_INT3:
        cpu->rip = next;
        raise_here(SIG_TRAP, SI_KERNEL, 0);
        return;
    case INSN_INT:
        do_int(i);
        return;
    case INSN_INVALID:
        raise_invalid(i);
        return;
    case INSN_XSTATE:
        if (!emulated_xsave(i))
            mend_saved_state(i);
        else if (!store_state(i))
            return;
        break;
    default: /* far transfers */
        raise_here(SIG_SEGV, SI_KERNEL, 0);
        return;
    }
    cpu->rip = next;
}

void machine_emulate(void)
{
    struct insn i;
    if (own_vdso_call() != OWN_VDSO_NOT_AT)
        return;
    u64 available = areas_fetchable(cpu->rip, INSN_MAX);
    if (!available || !decode(gaddr_pointer(gaddr(cpu->rip)), (unsigned)available, &i)) {
        raise_here(SIG_SEGV, SEGV_MAPERR, cpu->rip + available);
        return;
    }
    do_or_fault(&i);
}
