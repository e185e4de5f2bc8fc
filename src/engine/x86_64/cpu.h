/* The guest's processor state, as translated code and engine share it.
 *
 * There is one struct cpu, below 2 GiB in the code cache's mapping, and it belongs to the thread
 * that holds the baton: translated code names its fields by absolute 32-bit addresses, so that
 * neither gs nor a register is taken from the guest.
 *
 * In translated code the guest's registers are in the processor's, but for those that the
 * code at that place has borrowed: recover.h knows which, and `slot` holds them.
 *
 * In the engine (C code), with the baton held and the cache left, the guest's general
 * registers, rip and flags are in `reg`, `rip`, `flags`.  Vector and x87 state, fs and gs
 * base stay in the processor: the engine does not touch them.
 */
#ifndef ENGINE_CPU_H
#define ENGINE_CPU_H

#include "base/registers.h"
#include "base/types.h"

enum { TICK_COUNTERS = 8, DIRECT_CALLS = 256 };

/* Why translated code came back. */
enum exit_reason {
    EXIT_LINK,    /* a direct edge not linked yet; exit_data: its stub */
    EXIT_LOOKUP,  /* an indirect target not in the table: rip; the tick is not yet counted */
    EXIT_TICKS,   /* a counter ran out; rip is at the block, its tick counted */
    EXIT_SYSCALL, /* rip after the instruction */
    EXIT_CALL_MADE, /* a call was made in the cache, and a signal came meanwhile */
    EXIT_CALL_FAILED, /* a call made in the cache answered EINTR or EFAULT; call_number */
    EXIT_EMULATE, /* rip at an instruction that the engine does itself */
    EXIT_FAULT,   /* a signal handler recovered the state: thread's fault has the siginfo */
    EXIT_ALARM,   /* nothing has run: a signal came just before the door */
    EXIT_RETRY,   /* the running fragment was dropped: go on at rip, which made the write */
    EXIT_DATA,    /* rip is about to touch memory that may be watched; `after`: where in the
                   * cache to go on, or 0: the stack is */
    EXIT_DATA_TOUCHED, /* the same, and it is: rip is to be executed alone */
    EXIT_BARE,    /* a bare instruction has been executed */
    EXIT_SITE,    /* the plan has a site here; exit_data: the fragment, which goes on at its
                   * after_site */
};

enum { VECTOR_STATE_MAX = 16 * 1024 }; /* bytes of an xsave area; AMX needs 11 KiB */

struct cpu {
    u64 counter[TICK_COUNTERS]; /* ticks left, see ticks.h; one cache line */
    u64 slot[3];                /* borrowed registers: rcx, r11, and a scratch */
    u64 engine_rsp;             /* of the baton's holder: where its engine stack stands */
    u64 exit_reason;
    /* written as 32 bits, and so read: a wider read would wait for it */
    u32 exit_data;
    u32 unused;
    u64 reg[GENERAL_REGISTERS];
    u64 rip;
    u64 flags;
    u64 entry; /* where in the cache to go on */
    u64 alarm; /* a signal came: do not enter, do not make a call in the cache */
    u64 after; /* a system call: where in the cache to continue after it */
    u64 call_number;
    u64 point_sum[TICK_COUNTERS];  /* of plan_sums.h */
    u64 point_left;                /* of plan_points.h, and: */
    u64 point_base, point_above;   /* which points count, */
    u64 scoped_base, scoped_above; /* of those in inlined functions, */
    u64 point_outer;               /* and who does not matter */
    u64 data_map, data_fine; /* data_map.h */
    u64 data_bits; /* for doors.data_fine: as many as the access has bytes */
    u64 data_sum; /* of an address, while its segment's base is asked for */
    u32 data_behind; /* EXIT_DATA: where in the cache to go on if the engine executes the
                      * instruction; 0: nowhere */
    u32 bare_flags;  /* EXIT_BARE, of one that writes them: OF in bit 0, the other arithmetic
                      * flags from bit 8 on */
    u64 calls;               /* made in the cache, for the stats */
    u8 direct[DIRECT_CALLS]; /* 1: the call of that number may be made in the cache (syscalls.c) */
};

enum { SLOT_RCX, SLOT_R11, SLOT_SCRATCH };

extern struct cpu *cpu;

#endif
