/* Threads: one kernel thread for each guest thread, and one baton for all.
 *
 * Everything the engine keeps about a thread is in its block of THREAD_BLOCK bytes, aligned
 * to its size: struct thread, the stack on which kernel signal handlers run, and the
 * engine's stack, so the block is found by masking rsp in engine code and in handlers
 * alike.
 *
 * Invariants
 *   (1) Only the holder of the baton runs guest code, or uses engine data besides its own block.
 *   (2) A thread without the baton has its whole guest state in its block: registers in
 *       `state`, vector state in `vector`, fs and gs base, signal mask, alternate stack.
 *       (While the process has a single thread, giving the baton saves nothing.)
 */
#ifndef ENGINE_THREAD_H
#define ENGINE_THREAD_H

#include "engine/base/kernel_abi.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/cpu.h"
#include "log/syscall_table.h"

enum {
    THREAD_BLOCK = 512 * 1024,
    THREAD_HANDLER_STACK = 128 * 1024,
};

struct thread_state { /* the part of struct cpu that belongs to a thread */
    u64 reg[GENERAL_REGISTERS];
    u64 rip;
    u64 flags;
    u64 engine_rsp;
    u64 fs_base;
    u64 gs_base;
};

/* What a thread waits for on a futex that the engine handles (futex.c). */
struct futex_waiter {
    u64 address;
    u64 target; /* WAIT_REQUEUE_PI: where it may be moved to */
    u32 bits;   /* of WAIT_BITSET */
    u32 returns; /* how many times in a row it was woken and came back to the same word */
    u8 kind;
    bool shared;                     /* without the private flag */
    bool queued;                     /* between these two: */
    struct thread *before, *after;
    u64 turn;                        /* counts all threads ever queued */
};

/* The system call that a thread is in, from its instruction to its return. */
struct thread_call {
    bool open;         /* it is in one */
    bool met;          /* replay: the event of the call was met */
    u16 flags;         /* SYSCALL_*, set while it is made */
    struct call asked; /* the guest's call; a handler may change its copy */
    u64 tick, pc;      /* the moment of the instruction */
    u64 returned;      /* the tick at which the last call returned, which may be later */

    /* Recording: what is logged when it ends. */
    u64 hash, time;         /* at the moment */
    bool has_reached;       /* it failed half way: */
    u64 reached;            /* everything below was done */
    u64 size_before;        /* size of the file that it may change */
    struct call_made made;
    struct aside *aside;    /* memory to be compared; NULL: what the call writes is known */
};

enum thread_place {
    THREAD_AWAY,   /* in a call that may wait */
    THREAD_PARKED,
    THREAD_IN_LINE,
    THREAD_HOLDS, /* the baton */
};

struct thread {
    struct thread *self; /* at the block's start, for a debugger */
    u32 tid;
    char name[16];  /* in a recording or its replay: as set by the program */
    u32 ordinal;    /* small number in the log, 0 for the first; never reused */
    struct thread_call call;
    u64 replay_rsp; /* replay: its engine stack pointer while another thread runs */
    u32 in_use; /* a kernel thread runs on this block; the kernel clears it at its end */
    struct thread *next; /* in the list of all threads */

    /* Its place in the line for the baton (thread.c). */
    u32 place; /* enum thread_place */
    u32 word; /* the word on which it sleeps */
    struct thread *behind;
    u32 slice; /* 0: a full one; otherwise it seemed to spin at the end of the last one (slice.c) */

    struct futex_waiter futex;
    struct thread_state state;

    /* Signals (signals.c). `mask` is the guest's; the kernel's own mask is the same without the
     * synchronous signals, except while a signal is waiting. */
    u64 mask;
    /* sigsuspend and similar calls: mask_restore is set again after delivery */
    bool mask_restore_waits;
    u64 mask_restore;
    struct k_stack altstack;
    bool signal_waiting;           /* a signal is to be delivered at the next boundary: */
    struct k_siginfo waiting_info; /* this one (its signal is 0 if there is none), or */
    u32 forbidden;                 /* bits of enum thread_forbids */
    bool read_executes;            /* what it maps to read is code, too (personality) */
    u8 filter_mode;                /* enum filters_mode */
    bool filters_given;            /* by another thread, with its state of no_new_privs */
    const struct filter *filters;  /* the newest; NULL: none (filters.h) */
    u64 held;                      /* synchronous signals that a process sent, as bits; they wait */
    struct k_siginfo held_info[SIG_SEGV + 1]; /* here while the guest blocks them */
    struct k_siginfo fault_info;   /* of EXIT_FAULT */
    bool fault_waits; /* under a plan: to be delivered at the boundary, before anything else */
    u64 fault_error, fault_trap, fault_cr2; /* of the last fault; shown in every frame */
    struct signals_saved *signals_saved;    /* while a child of vfork runs on this block */

    /* What the kernel would do for it at its end (thread.c). */
    struct gaddr clear_tid;
    struct gaddr robust_list;
    u64 robust_size;

    /* Of a separate process in the same memory (CLONE_VM without CLONE_THREAD), in all else a
     * thread: it ends alone. */
    bool apart;
    struct signals_table *actions; /* of such a process, if it shares none; NULL: the first one */

    /* The process has its number. In a replay that is the engine's own, which may by chance be the
     * recorded number of another thread. */
    bool leads;

    u32 lent;              /* enum in thread.c: the baton may be taken away */

    /* A child of vfork runs on its parent's block until it execs or exits (process.c). */
    bool in_vfork;
    bool ends_in_log; /* such a child, recorded: if it ended now, the log would show it */

    u8 vector[VECTOR_STATE_MAX] __attribute__((aligned(64)));

    /* Belongs to the block, not to its thread: buffers of calls that wait (bounce.c); NULL until
     * first used. */
    struct bounce *bounce;
};

/* Returns the block of the engine code or handler that calls this. */
static inline struct thread *thread_self(void)
{
    u64 rsp;
    __asm__ volatile("mov %%rsp, %0" : "=r"(rsp));
    return (struct thread *)(rsp & ~(u64)(THREAD_BLOCK - 1));
}

static inline bool thread_holds(const struct thread *t)
{
    return __atomic_load_n(&t->place, __ATOMIC_SEQ_CST) == THREAD_HOLDS;
}

/* Instructions that raise SIGSEGV; in snapshots. */
enum thread_forbids {
    FORBIDS_COUNTER = 1, /* rdtsc (PR_SET_TSC) */
    FORBIDS_CPUID = 2,   /* cpuid (ARCH_SET_CPUID) */
};

static inline void thread_forbid(u32 what, bool forbidden)
{
    struct thread *t = thread_self();
    t->forbidden = forbidden ? t->forbidden | what : t->forbidden & ~what;
}

/* The guest's code that runs is a process apart, and not a child that it made by vfork. */
static inline bool thread_is_apart(void)
{
    const struct thread *t = thread_self();
    return t->apart && !t->in_vfork;
}

extern struct thread_totals {
    u32 count; /* of the process, this one included */
    u64 turns; /* number of times that a thread has taken the baton from another */
} threads;

struct thread *thread_create(void);          /* a block with its stacks, not running yet */
u64 thread_stack_top(struct thread *t);      /* of the engine's stack */
u64 thread_handler_stack(struct thread *t);  /* lowest address; THREAD_HANDLER_STACK bytes */
void thread_start_first(struct thread *t);   /* the first thread takes the baton */

/* Called around a call that may wait. In between, only the thread's own block may be used. */
void thread_give_baton(void);
void thread_take_baton(void);
/* Called around a call that hardly ever waits, and cannot be made without the baton: others take it
 * only if that lasts longer than 10 ms. */
void thread_lend_baton(void);
void thread_end_loan(void);
/* Lets another waiting thread run, if there is one: at the end of a slice, or when spinning. */
void thread_yield(void);
bool thread_others_wait(void);

/* Waits without the baton, and not in line for it, until one of these: */
enum thread_roused {
    THREAD_WOKEN,       /* thread_wake(), by the holder of the baton */
    THREAD_LATE,        /* the deadline */
    THREAD_INTERRUPTED, /* a signal waits */
};
struct thread_deadline {
    struct k_timespec at;
    bool realtime; /* CLOCK_REALTIME, otherwise CLOCK_MONOTONIC */
};
enum thread_roused thread_park(const struct thread_deadline *deadline); /* NULL: none */
/* Does nothing if t is no longer parked, but already on its way. Woken threads run in the order in
 * which they were woken. */
void thread_wake(struct thread *t);

/* True if the calling thread is the holder of the baton. For a run that is not replayed. Unlike
 * thread_holds(), it does not read the block, which a faulty program may overwrite. */
bool thread_is_holder(void);

u32 thread_number(const struct thread *t);         /* its id as the guest sees it */
struct thread *thread_find(u32 number);            /* or NULL */
/* iterates over all threads; NULL is before the first */
struct thread *thread_next(const struct thread *t);

/* The guest's clone() with CLONE_VM | CLONE_THREAD; regs are in cpu.  Returns the tid or -errno. */
i64 thread_clone(const struct k_clone_args *args);
/* The guest's exit() of one thread. The last one ends the process. */
_Noreturn void thread_exit(int status);
/* exit_group() of a process apart. */
_Noreturn void thread_exit_apart(int status);
/* In the child of a fork: the others are gone. */
void thread_forked(void);

/* True if the bases of fs and gs can be read by rdfsbase and rdgsbase, without the kernel. */
bool thread_bases_readable(void);

/* For the units that make threads, end them, and replay them. */

/* The list of all threads, and threads.count. A block that was dropped is reused when its kernel
 * thread has ended. */
void thread_list_add(struct thread *t);
void thread_list_drop(struct thread *t);

/* The ordinal of the next thread; sets it; the id that the first thread has here. */
u32 thread_next_ordinal(void);
void thread_set_next_ordinal(u32 ordinal);
u32 thread_first_tid(void);

/* Ends the calling kernel thread, and hands on the baton. Its block was dropped before. */
_Noreturn void thread_leave(int status);
/* The first half of thread_leave. */
void thread_leave_line(void);

/* Sets the name that the first thread has from the program's path. */
void thread_take_name(const char *path);

/* Saves the whole state of the running guest thread, from cpu and the processor, in a block. */
void thread_save_state(struct thread *t);
/* Saves fs and gs base of the running thread. */
void thread_save_bases(struct thread_state *state);

/* Sets a new thread's first state: as clone() says, after the call. */
void thread_prepare(struct thread *t, const struct k_clone_args *args);
/* The thread with this number in the log; NULL: none. */
struct thread *thread_with_ordinal(u32 ordinal);
/* cpu <-> state, general registers only. */
void thread_save_registers(struct thread_state *state);
void thread_load_registers(const struct thread_state *state);

#endif
