/* The doors between the engine and translated code, in assembly (enter.S). */
#ifndef ENGINE_ENTER_H
#define ENGINE_ENTER_H

#include "base/types.h"
#include "engine/x86_64/cpu.h"

/* Loads the guest's registers from *cpu, jumps to cpu->entry, and returns when translated code
 * leaves the cache, with all registers in *cpu; returns cpu->exit_reason. Callee-saved registers of
 * C are kept on the engine's stack, whose pointer is cpu->engine_rsp in the meantime. */
u64 engine_enter(struct cpu *cpu);

/* The same for a bare fragment at `address`, which itself loads and saves what it needs. */
u64 engine_enter_bare(struct cpu *cpu, u64 address);

/* Where a signal handler sends the kernel's context (rip), with rsp = cpu->engine_rsp, to leave the
 * cache: engine_enter() then returns cpu->exit_reason, without saving any register. */
void engine_resume(void);

/* Makes a system call for the guest that a signal can interrupt before it has begun: if *waiting is
 * set, the result is ENGINE_CALL_NOT_MADE. The handler compares the context's rip with
 * [engine_call_begin, engine_call_end): inside, it is set to engine_call_interrupted. (The kernel
 * never returns 512 to a program. A call that was not made must not look like one that a signal
 * interrupted: calls that do not wait never fail with EINTR.) */
enum { ENGINE_CALL_NOT_MADE = -512 };
i64 engine_make_call(u64 number, const u64 args[6], const bool *waiting);
extern const u8 engine_call_begin[], engine_call_end[], engine_call_interrupted[];

/* Copies `size` bytes; returns 0, or the number of bytes not copied if a fault stopped it.
 * The handler of SIGSEGV and SIGBUS compares rip with [guest_copy_begin, guest_copy_end):
 * inside, it is set to guest_copy_faulted. */
u64 guest_copy(void *to, const void *from, u64 size);
/* A number of 1, 2, 4 or 8 bytes, in registers. (With the width of the store: otherwise the
 * processor would stall.) */
struct guest_number {
    u64 number;
    u64 missing; /* not 0 if a fault stopped it, as above */
};
struct guest_number guest_load(const void *from, u64 size);
/* If *word is *expected, sets it to `new`; *expected becomes the old value. Atomic for other
 * threads and processes. Returns 0, or 1 if a fault stopped it, as above. */
u64 guest_compare_swap(u32 *word, u32 *expected, u32 new);
extern const u8 guest_copy_begin[], guest_copy_end[], guest_copy_faulted[];

/* The kernel's restorer for the engine's own handlers. */
void engine_restorer(void);

/* The entry point of the process: calls engine_main(initial stack). */
void _start(void);
_Noreturn void engine_main(const u64 *initial_stack);

/* Makes a kernel thread or, with CLONE_VFORK, a process in the same memory (spawn.S): it begins at
 * `begin`, on a stack that ends at `stack_top`. Returns its id, or -errno. */
i64 engine_clone(u64 flags, u64 stack_top, u64 parent_tid, u64 child_tid, u64 tls,
                 void (*begin)(void));

/* Runs the guest from the state in cpu (run/dispatch.c). */
_Noreturn void engine_run(void);

/* Continues on another engine stack, where that one called this function; keeps the current stack
 * pointer in *keep. */
void engine_switch(u64 *keep, u64 other);

#endif
