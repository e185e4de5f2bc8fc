/* The guest's processor state, shared by translated code and the engine.
 *
 * There is one struct cpu, below 2 GiB in the code cache's mapping, and it belongs to the thread
 * that holds the baton. Translated code names its fields by 32-bit addresses, so that neither gs
 * nor a register is taken from the guest.
 *
 * In translated code the guest's registers are in the processor, except those that the code at that
 * place has borrowed: recover.h knows which, and `slot` has their values.
 *
 * In the engine (C code), with the baton held and the cache left, the guest's general registers,
 * rip and flags are in `reg`, `rip`, `flags`. Vector and x87 state, fs and gs base stay in the
 * processor: the engine does not use them.
 */
#ifndef ENGINE_CPU_H
#define ENGINE_CPU_H

#include "base/registers.h"
#include "base/types.h"

enum { TICK_COUNTERS = 8, DIRECT_CALLS = 256 };

/* Why translated code returned to the engine. */
enum exit_reason {
    EXIT_LINK,    /* a direct edge that is not linked yet; exit_data: its stub */
    EXIT_LOOKUP, /* an indirect target that is not in the table: rip; the tick is not yet counted */
    EXIT_TICKS,   /* a counter ran out; exit_data: the fragment, whose tick is counted */
    EXIT_SYSCALL, /* rip after the instruction */
    EXIT_CALL_MADE, /* a call was made in the cache, and a signal came meanwhile */
    EXIT_CALL_FAILED, /* a call made in the cache returned EINTR or EFAULT; call_number */
    EXIT_EMULATE, /* rip is at an instruction that the engine emulates */
    EXIT_FAULT,   /* a signal handler recovered the state: the thread's fault has the siginfo */
    EXIT_ALARM,   /* nothing has run: a signal came just before the door */
    EXIT_RETRY,   /* the running fragment was dropped: continue at rip, which made the write */
    /* rip is about to access memory that may be watched; `after`: where in the cache to continue,
     * or 0: the stack is near watched memory */
    EXIT_DATA,
    /* the same, and the memory is watched: the instruction at rip must be executed alone */
    EXIT_DATA_TOUCHED,
    EXIT_BARE,    /* a bare instruction has been executed */
    /* the plan has a site here; exit_data: the fragment, which continues at its after_site */
    EXIT_SITE,
};

enum { VECTOR_STATE_MAX = 16 * 1024 }; /* bytes of an xsave area; AMX needs 11 KiB */

struct cpu {
    u64 counter[TICK_COUNTERS]; /* ticks left, see ticks.h; one cache line */
    u64 slot[3];                /* borrowed registers: rcx, r11, and a scratch */
    u64 engine_rsp;             /* engine stack pointer of the baton's holder */
    u64 exit_reason;
    /* written with 32 bits, and read in the same way: a wider read would stall */
    u32 exit_data;
    u32 lookup_mask; /* the bits of a target that are its index in a wide table (lookup_table.h) */
    u64 reg[GENERAL_REGISTERS];
    u64 rip;
    u64 flags;
    u64 entry; /* where to continue in the cache */
    u64 alarm; /* a signal came: do not enter, do not make a call in the cache */
    u64 after; /* a system call: where to continue in the cache after it */
    u64 call_number;
    u64 point_sum[TICK_COUNTERS];  /* of plan_sums.h */
    u64 point_left;                /* for plan_points.h: */
    u64 point_base, point_above;   /* which points count, */
    u64 scoped_base, scoped_above; /* for those in inlined functions, */
    u64 point_outer;               /* above this, a frame does not count */
    u64 data_map, data_fine; /* data_map.h */
    u64 data_bits; /* for doors.data_fine: one bit for each byte of the access */
    u64 data_sum; /* an address, while its segment's base is added */
    /* EXIT_DATA: where to continue in the cache if the engine executes the instruction; 0:
     * nowhere */
    u32 data_behind;
    /* EXIT_BARE of an instruction that writes flags: OF in bit 0, the other arithmetic flags from
     * bit 8 on */
    u32 bare_flags;
    u64 calls;               /* calls made in the cache, for the stats */
    u8 direct[DIRECT_CALLS]; /* 1: this call may be made in the cache (syscalls.c) */
};

enum { SLOT_RCX, SLOT_R11, SLOT_SCRATCH };

extern struct cpu *cpu;

#endif
