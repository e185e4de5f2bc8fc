/* Narrow calls: see narrow_calls.h.
 *
 * The registers are set as for `syscall`, the call is made, and all registers but rax are restored.
 * The log and an observer see an ordinary call. The saved registers are on the engine's stack of
 * the thread, which a forked child and a replay have, too. Calls whose child begins elsewhere
 * (vfork, clone) are not in the list for that reason.
 */
#include "engine/calls/narrow_calls.h"

#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/calls/syscalls.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/cpu.h"
#include "log/syscall_numbers.h"

enum { NARROW_NUMBERS = 470 };

/* The number of the call plus one; 0: there is none. */
#define NARROW(number, name) [number] = CALL_##name + 1,
static const u16 wide_numbers[NARROW_NUMBERS] = {
#include "log/syscalls_narrow.def"
};
#undef NARROW

static const u8 narrow_registers[] = {RBX, RCX, RDX, RSI, RDI, RBP};
static const u8 wide_registers[] = {RDI, RSI, RDX, R10, R8, R9};

/* A file offset may be negative (relative to the end), so it is sign-extended. */
static u64 narrow_argument(u32 call, unsigned n, u64 value)
{
    return call == CALL_lseek && n == 1 ? (u64)(i64)(i32)value : (u32)value;
}

void narrow_call_run(void)
{
    u64 before[GENERAL_REGISTERS];
    u32 number = (u32)cpu->reg[RAX];
    if (number >= NARROW_NUMBERS || !wide_numbers[number]) {
        cpu->reg[RAX] = (u64)-ENOSYS;
        return;
    }
    memcpy(before, cpu->reg, sizeof(before));
    u64 behind = cpu->rip;
    u32 call = wide_numbers[number] - 1u;
    for (unsigned n = 0; n < sizeof(wide_registers); n++)
        cpu->reg[wide_registers[n]] = narrow_argument(call, n, before[narrow_registers[n]]);
    cpu->reg[RAX] = call;
    bool child = thread_self()->in_vfork;
    syscalls_run();
    if (thread_self()->in_vfork != child)
        return; /* in a replay a child of vfork has ended here: the registers are its parent's */
    if (cpu->rip == behind) /* otherwise the instruction will be executed again */
        before[RAX] = cpu->reg[RAX];
    memcpy(cpu->reg, before, sizeof(before));
}
