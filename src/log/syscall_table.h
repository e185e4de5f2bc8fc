/* The system-call table: one row for each call, and what follows from it.
 *
 * A row describes its call completely: which function of the engine handles it, whether it can
 * wait, what a replay and a scratch copy do with it, what it changes, what it reads and writes, and
 * how it is printed. No other file knows a call by its number: tools/check-calls looks for that.
 * The rows are in syscalls.def; ioctl, fcntl, prctl and other calls where one argument determines
 * the meaning of the rest have separate tables (variants), with rows of the same kind.
 *
 * The columns of a row are read in three ways:
 *   handler                        the engine includes syscalls.def and makes functions of it
 *   wait, replay, scratch, effects struct syscall_traits: eight bytes for each call
 *   result, arguments              struct syscall_row
 *
 *   call_begin(&call, number, args, memory)     before it is made: finds the row, and reads lengths
 *                                               that the kernel is going to overwrite
 *   call.result = ...                           it is made
 *   call_written(&call, memory, visit, context) visits what the kernel has written
 *
 * Slightly more than what was written may be visited (a field between two others, the end of a
 * structure that an old version lacks), never less; bytes that are visited and were not written
 * have the same values in a replay. After EFAULT, visited memory may be unmapped.
 *
 * If variant->unknown is set, the kernel may have written more than the row knows: compare the
 * memory that call_reachable() visits before and after the call.
 *
 * Compiled twice: for ebb, and freestanding for the engine.  No libc.
 */
#ifndef LOG_SYSCALL_TABLE_H
#define LOG_SYSCALL_TABLE_H

#include "base/types.h"

enum { SYSCALL_ARGS = 6, SYSCALL_NUMBERS = 470 };

/* --- what the engine does with a call ------------------------------------------------------- */

/* Column `wait`: whether the call can block, and whether it is restarted after a signal handler
 * with SA_RESTART (signal(7) has the rules). Every call that is not known to be quick is made
 * without the baton.
 */
enum syscall_wait {
    WAIT_AGAIN, /* may wait; is restarted */
    WAIT_ONCE,  /* may wait; returns EINTR whatever the handler's flags are */
    WAIT_RECV,  /* as WAIT_ONCE on a socket with a time limit for receiving, otherwise as
                 * WAIT_AGAIN */
    WAIT_SEND,  /* the same, with a time limit for sending */
    WAIT_TIMED, /* as WAIT_ONCE if the call itself has a time limit (futex), otherwise as
                 * WAIT_AGAIN */
    WAIT_NOW,   /* never waits: the engine keeps the baton */
};

/* Column `replay`: how a replay obtains the result and the output. */
enum syscall_way {
    WAY_FEED,   /* from the log */
    WAY_REDO,   /* the call is handled again, as in the recording, and must give the same result */
    /* its handler runs again to update the state of the engine or the processor (masks, threads,
     * mappings), and takes from the log what it cannot reproduce */
    WAY_CUSTOM,
    WAY_REFUSE, /* the engine never passes it to the kernel; its result, an error, is in the log */
};

/* Column `scratch`: what a copy that has left the recording may do. */
enum syscall_scratch {
    SCRATCH_DENY,  /* answered with ENOSYS */
    SCRATCH_RUN,   /* made as usual: it affects only the copy */
    SCRATCH_ANON,  /* made if it maps no file */
    SCRATCH_PRINT, /* made for standard output and error, both written to standard error */
    SCRATCH_PIPE,  /* fails with ESPIPE for those: they cannot seek */
    SCRATCH_ZERO,  /* answered with 0 */
    SCRATCH_WAKE,  /* a futex: waking is answered with 0, as no other thread runs */
    SCRATCH_STOP,  /* the copy ends */
    SCRATCH_KILL,  /* it dies by the signal that is argument 1 */
    SCRATCH_RAISE, /* ... argument 2 */
};

/* Column `effects`: what the call changes, and what its handler must know. The row of a call with
 * variants has the effects of all of them; the effects of one variant are in its row. */
enum syscall_effect {
    /* the address space; the range is arguments 0 (address) and 1 (size) unless stated otherwise */
    EFFECT_MAPS = 1 << 0,     /* maps argument 1's size, at the result */
    EFFECT_MOVES = 1 << 1,    /* as mremap */
    EFFECT_DROPS = 1 << 2,    /* discards the contents of the range */
    EFFECT_ATTACHES = 1 << 3, /* attaches a System V segment, at the result */
    EFFECT_DETACHES = 1 << 4, /* detaches the one at argument 0 */
    EFFECT_BREAK = 1 << 5,    /* the heap's end moves */
    /* for calls that are redone: one that failed has changed nothing, so its error is taken from
     * the log */
    EFFECT_WHOLE = 1 << 6,
    /* processes and threads */
    EFFECT_MAKES = 1 << 7,    /* a process or a thread */
    /* one that uses the caller's memory until it execs or ends, as with CLONE_VFORK */
    EFFECT_LENDS = 1 << 27,
    EFFECT_EXECS = 1 << 8,    /* the program is replaced */
    EFFECT_EXITS = 1 << 9,    /* the thread or the process ends */
    EFFECT_NAMES = 1 << 10,   /* renames the thread */
    EFFECT_LIMITS = 1 << 11,  /* sets a limit: the argument after the resource */
    EFFECT_SIGRETURN = 1 << 12, /* returns from a handler: all registers change */
    /* descriptors */
    EFFECT_HIDES = 1 << 13,   /* argument 0 is a descriptor; the engine's own ones give EBADF */
    EFFECT_OPENS = 1 << 14,   /* the file of its path */
    EFFECT_DUPS = 1 << 15,    /* the result refers to the same file as argument 0 */
    EFFECT_DUPS_TO = 1 << 16, /* argument 1 does */
    EFFECT_CLOSES = 1 << 17,  /* argument 0 */
    EFFECT_CLOSES_MANY = 1 << 18, /* arguments 0 to 1 */
    /* files: argument 0 is the descriptor */
    EFFECT_READS = 1 << 19,
    EFFECT_WRITES = 1 << 20,
    EFFECT_PLACED = 1 << 21,  /* at the offset in argument 3 (-1: at the file position) */
    EFFECT_RESIZES = 1 << 22, /* any part of the file may change */
    /* memory */
    /* if the kernel cannot write an output, it does half of the work or loses the result: outputs
     * are made writable first */
    EFFECT_FILLS = 1 << 23,
    EFFECT_IN_PLACE = 1 << 24, /* depends on the addresses of its words: they cannot be copies */
    EFFECT_LOCKS = 1 << 25,   /* variants of futex: it changes its words */
    EFFECT_WAITS = 1 << 26,   /* variants of futex: it waits */
    /* writes to the memory of the process in argument 0, in the ranges of the vector in argument 3,
     * with argument 4 elements */
    EFFECT_PEERS = 1 << 28,
    /* writes to the file whose descriptor is argument 2; any part of it may change */
    EFFECT_COPIES = 1 << 29,
    EFFECT_COUNTER = 1 << 30, /* variants of prctl: allows or forbids the time stamp counter */
    EFFECT_STRICT = (int)(1u << 31), /* the strict mode of seccomp allows it */
};

struct syscall_traits {
    u32 effects; /* of enum syscall_effect */
    u8 wait;     /* enum syscall_wait */
    u8 replay;   /* enum syscall_way */
    u8 scratch;  /* enum syscall_scratch */
};

/* The last one is for numbers without a row. */
extern const struct syscall_traits syscall_traits[SYSCALL_NUMBERS + 1];

static inline const struct syscall_traits *syscall_traits_of(u64 number)
{
    return &syscall_traits[number < SYSCALL_NUMBERS ? number : SYSCALL_NUMBERS];
}

static inline bool syscall_has(u64 number, u32 effects)
{
    return syscall_traits_of(number)->effects & effects;
}

/* --- what a call is given, writes and answers ----------------------------------------------- */

enum syscall_result {
    GIVES_ZERO,
    GIVES_COUNT,
    GIVES_NUMBER,
    GIVES_FD,
    GIVES_PID,
    GIVES_ADDR,
    GIVES_MODE,
    GIVES_NEVER,    /* it does not return */
    /* the number of ready entries in an array of descriptors, which are shown; 0: timed out */
    GIVES_READY,
    GIVES_SELECTED, /* the number of descriptors in sets; 0: timed out */
    GIVES_FD_FLAGS, /* of a descriptor */
    GIVES_FILE_FLAGS, /* with which a file was opened */
};

/* When an argument is written. */
enum syscall_on {
    ON_SUCCESS = 0,
    ON_EINTR = 4, /* the number of an error: only with that error */
    ON_E2BIG = 7,
    /* always; the remaining time of a sleep, shown if it was interrupted */
    ON_REST = 253,
    ON_POSITIVE = 254,
    ON_EVER = 255,
};

/* Where a length comes from: aN an argument, wN its lower half, atN the 32 bits that it points
 * to. */
enum size_source {
    FROM_none, /* no size; for what was filled: all that was offered */
    FROM_one,
    FROM_a0, FROM_a1, FROM_a2, FROM_a3, FROM_a4, FROM_a5,
    FROM_w0, FROM_w1, FROM_w2, FROM_w3, FROM_w4, FROM_w5,
    FROM_at0, FROM_at1, FROM_at2, FROM_at3, FROM_at4, FROM_at5,
    FROM_ret,
};

enum size_rounding {
    SIZE_SCALED,  /* this many units, plus `plus` bytes */
    SIZE_BITS,    /* one bit each, in whole words of 64 */
    SIZE_PAGES,   /* one byte for each page of this many bytes */
    SIZE_ENCODED, /* an ioctl request that encodes how much the kernel writes */
};

struct call_size {
    const char *type; /* the C type of a unit */
    u16 unit;
    u16 plus;
    u8 source;
    u8 rounding;
};

enum arg_way {
    ARG_VALUE = 0,
    ARG_IN = 1,  /* points to memory that the kernel reads */
    ARG_OUT = 2, /* ... writes */
};

/* Memory that needs more than sizes to describe. */
enum arg_shape {
    SHAPE_PLAIN,
    SHAPE_STRING,  /* up to a NUL */
    SHAPE_STRINGS, /* pointers to strings, up to a NULL */
    SHAPE_IOVEC,   /* ranges; offered is their number, filled the sum */
    SHAPE_MSGHDR,
    SHAPE_MMSGHDR,
    SHAPE_CLONE_PARENT,
    SHAPE_CLONE_CHILD,
    SHAPE_CLONE3,
    SHAPE_XATTR_ARGS,
    SHAPE_IFCONF,
    SHAPE_FIEMAP,
    SHAPE_REGSET,
    SHAPES,
};

/* How a value is shown. */
#define ARG_SHOWS(X)                                                                              \
    X(NONE) X(FD) X(ATFD) X(INT) X(UINT) X(LONG) X(HEX) X(LEN) X(OFF) X(PTR) X(MODE) X(PID)       \
    X(UID) X(SIG) X(MEMORY) X(IOCTL) X(FCNTL) X(PRCTL) X(FUTEX) X(LEVEL) X(OPTION) X(CLONE)       \
    X(OPEN) X(OPENX) X(PROT) X(MAP) X(SEEK) X(ACCESS) X(MREMAP) X(MSYNC) X(MADV) X(FADV)          \
    X(ITIMER) X(DOMAIN) X(SOCKTYPE) X(SOCKFLAGS) X(MSG) X(SHUT) X(WAITOPTS) X(FLOCK) X(RESOURCE)  \
    X(USAGE) X(SIGHOW) X(SCHED) X(ARCH) X(CLOCK) X(TIMERABS) X(EPOLLOP) X(EPOLLFLAGS) X(IDTYPE)   \
    X(INOTIFY) X(INFLAGS) X(AT) X(ATRM) X(SPLICE) X(FDFLAGS) X(EFD) X(RENAME) X(RANDOM) X(MEMFD)  \
    X(RWF) X(STATX) X(ATX) X(FDFLAG) X(PROTOCOL) X(PTRACE) X(SECCOMP)                             \
    X(NEW_MODE) /* if the argument before it may create a file; otherwise the call ends there */ \
    X(NEW_PTR)  /* of mremap, if the argument before it requests an address */

#define ARG_SHOW_ID(name) SHOW_##name,
enum arg_show { ARG_SHOWS(ARG_SHOW_ID) SHOWS };
#undef ARG_SHOW_ID

struct call_arg {
    const char *name; /* NULL: there are no more */
    u8 show;          /* enum arg_show */
    u8 way;           /* of enum arg_way */
    u8 shape;         /* enum arg_shape */
    u8 on;            /* enum syscall_on */
    struct call_size offered;
    struct call_size filled;
};

struct syscall_variants;

struct syscall_row {
    const char *name;
    u64 key;     /* the number, or in a table of variants the value that selects it */
    u32 effects; /* of enum syscall_effect */
    u8 result;   /* enum syscall_result */
    bool unknown;
    const struct syscall_variants *variants;
    struct call_arg args[SYSCALL_ARGS];
};

/* The rows of a call with variants: a value in its arguments selects one. */
struct syscall_variants {
    const struct syscall_row *rows;
    u32 count;
    u64 (*key)(const u64 *args);
};

/* Reads the guest's memory; false if some of it is not mapped. */
struct call_memory {
    bool (*read)(void *context, void *to, struct gaddr from, size_t size);
    void *context;
};

struct call_made {
    u64 number;
    u64 args[SYSCALL_ARGS];
    i64 result;
    const struct syscall_row *row;     /* the row with the call's name */
    const struct syscall_row *variant; /* the row with its arguments: often the same */
    u64 offered[SYSCALL_ARGS];         /* lengths behind pointers, read before the call */
};

typedef void call_visit(void *context, struct gaddr at, u64 size);

/* Returns the row of a number; numbers without a row share one, without arguments. */
const struct syscall_row *syscall_row_of(u64 number);

/* True if the call never writes memory, for any arguments. A caller that handles millions of calls
 * asks once for each number, and keeps the answer. */
bool syscall_row_is_quiet(const struct syscall_row *row);

/* Returns the row of a call's request, option or operation; NULL: there is none. */
const struct syscall_row *syscall_variant_of(const struct syscall_row *row, const u64 *args);

/* True if the call has one of these effects with these arguments. For a call with variants, the
 * variant's row decides; an unknown variant has none. */
bool syscall_variant_has(u64 number, const u64 *args, u32 effects);

/* The rows of socket options, which setsockopt uses, too. */
extern const struct syscall_variants *const syscall_sockopts;

/* Returns the clone flags of a call that makes a process or a thread (in struct clone_args they
 * come first; vfork implies one, fork none). */
enum { CALL_FLAG_VM = 0x100, CALL_FLAG_VFORK = 0x4000, CALL_FLAG_THREAD = 0x10000 };
u64 call_clone_flags(u64 number, const u64 *args, const struct call_memory *memory);

void call_begin(struct call_made *call, u64 number, const u64 *args,
                const struct call_memory *memory);

/* The number of bytes that the kernel may write where an argument points; for a vector of ranges,
 * the size of the vector. */
u64 call_offered(const struct call_made *call, unsigned index, const struct call_memory *memory);

/* Visits the memory that the kernel has written, in the order of the arguments. */
void call_written(const struct call_made *call, const struct call_memory *memory,
                  call_visit *visit, void *context);

/* Visits the memory that the kernel may have written if the row does not know: what the arguments
 * point to, and what pointers there point to. Only readable memory. */
void call_reachable(const struct call_made *call, const struct call_memory *memory,
                    call_visit *visit, void *context);

/* Visits input that is worth showing: file names, the first bytes that were written to files, small
 * structures. A recording that has it can be printed without a replay. */
void call_shown(const struct call_made *call, const struct call_memory *memory,
                call_visit *visit, void *context);

#endif
