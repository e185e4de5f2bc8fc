/* The system-call table: one row for each call, and what follows from it.
 *
 * A row describes its call completely: which function of the engine handles it, whether it can
 * wait, what a replay and a scratch copy do with it, what it changes, what it reads and writes, and
 * how it is printed.  No other file knows a call by its number: tools/check-calls looks for that.
 * The rows are in syscalls.def; ioctl, fcntl, prctl and others whose arguments mean what one of
 * them says have tables of their own (variants), with rows of the same kind.
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
 * What is visited may be a little more than what was written (a field between two others, the end
 * of a structure that an old version lacks), never less; bytes that are visited and were not
 * written have the same values in replay.  After EFAULT, memory that a visitor is shown may not
 * be there.
 *
 * Where variant->unknown is set the kernel may have written more than the row knows: compare what
 * call_reachable() visits before with what is there after.
 *
 * Compiled twice: for ebb, and freestanding for the engine.  No libc.
 */
#ifndef LOG_SYSCALL_TABLE_H
#define LOG_SYSCALL_TABLE_H

#include "base/types.h"

enum { SYSCALL_ARGS = 6, SYSCALL_NUMBERS = 470 };

/* --- what the engine does with a call ------------------------------------------------------- */

/* Column `wait`: can the call block, and is it made again after a signal handler with SA_RESTART?
 * (signal(7) has the rules.)  Every call that is not known to be quick is made without the baton.
 */
enum syscall_wait {
    WAIT_AGAIN, /* may wait; is made again */
    WAIT_ONCE,  /* may wait; answers EINTR whatever the handler's flags are */
    WAIT_RECV,  /* as WAIT_ONCE on a socket with a time limit for receiving, otherwise as
                 * WAIT_AGAIN */
    WAIT_SEND,  /* the same, with a time limit for sending */
    WAIT_TIMED, /* as WAIT_ONCE if the call itself has a time limit (futex), otherwise as
                 * WAIT_AGAIN */
    WAIT_NOW,   /* never waits for anything: the engine keeps the baton */
};

/* Column `replay`: how a replay comes by the result and what was written. */
enum syscall_way {
    WAY_FEED,   /* from the log */
    WAY_REDO,   /* the call is handled again, as in the recording, and must answer the same */
    WAY_CUSTOM, /* its handler runs again for what the engine or the processor keeps (masks,
                 * threads, mappings), and takes from the log what it cannot make again */
    WAY_REFUSE, /* the engine never hands it to the kernel; its answer, an error, is in the log */
};

/* Column `scratch`: what a copy that has left the recording may do. */
enum syscall_scratch {
    SCRATCH_DENY,  /* answered with ENOSYS */
    SCRATCH_RUN,   /* made as usual: it concerns the copy alone */
    SCRATCH_ANON,  /* made if it maps no file */
    SCRATCH_PRINT, /* made for standard output and error, on standard error */
    SCRATCH_PIPE,  /* answered with ESPIPE for those: they cannot be sought in */
    SCRATCH_ZERO,  /* answered with 0 */
    SCRATCH_WAKE,  /* a futex: waking is answered with 0, as no other thread runs */
    SCRATCH_STOP,  /* the copy ends */
    SCRATCH_KILL,  /* it dies by the signal that is argument 1 */
    SCRATCH_RAISE, /* ... argument 2 */
};

/* Column `effects`: what the call changes, and what its handling must know.  The row of a call with
 * variants has the effects of them all; what one call of these does is in the variant's row. */
enum syscall_effect {
    /* the address space; ranges are arguments 0 (address) and 1 (size) if nothing else is said */
    EFFECT_MAPS = 1 << 0,     /* new memory of argument 1's size, where the result says */
    EFFECT_MOVES = 1 << 1,    /* as mremap */
    EFFECT_DROPS = 1 << 2,    /* the range's contents are gone */
    EFFECT_ATTACHES = 1 << 3, /* a segment of System V, where the result says */
    EFFECT_DETACHES = 1 << 4, /* ... that begins at argument 0 */
    EFFECT_BREAK = 1 << 5,    /* the heap's end moves */
    EFFECT_WHOLE = 1 << 6,    /* of calls that are redone: one that failed has changed nothing,
                               * so that its error is taken from the log */
    /* processes and threads */
    EFFECT_MAKES = 1 << 7,    /* a process or a thread */
    EFFECT_LENDS = 1 << 27,   /* ... that has the caller's memory until it execs or ends, as
                               * CLONE_VFORK */
    EFFECT_EXECS = 1 << 8,    /* the program is replaced */
    EFFECT_EXITS = 1 << 9,    /* the thread or the process ends */
    EFFECT_NAMES = 1 << 10,   /* the thread gets another name */
    EFFECT_LIMITS = 1 << 11,  /* a limit is set: the argument after the resource */
    EFFECT_SIGRETURN = 1 << 12, /* a handler ends: all registers change */
    /* descriptors */
    EFFECT_HIDES = 1 << 13,   /* argument 0 is a descriptor; the engine's own answer EBADF */
    EFFECT_OPENS = 1 << 14,   /* the file of its path */
    EFFECT_DUPS = 1 << 15,    /* the result stands for the same file as argument 0 */
    EFFECT_DUPS_TO = 1 << 16, /* argument 1 does */
    EFFECT_CLOSES = 1 << 17,  /* argument 0 */
    EFFECT_CLOSES_MANY = 1 << 18, /* arguments 0 to 1 */
    /* files: argument 0 is the descriptor */
    EFFECT_READS = 1 << 19,
    EFFECT_WRITES = 1 << 20,
    EFFECT_PLACED = 1 << 21,  /* at the offset that is argument 3 (-1: at the descriptor's own) */
    EFFECT_RESIZES = 1 << 22, /* any part of it may change */
    /* memory */
    EFFECT_FILLS = 1 << 23,   /* the kernel, if it cannot write an output, does half of the work or
                               * forgets what it did: outputs are made writable first */
    EFFECT_IN_PLACE = 1 << 24, /* about the addresses of its words: they cannot be copies */
    EFFECT_LOCKS = 1 << 25,   /* of variants of futex: it changes its words */
    EFFECT_WAITS = 1 << 26,   /* of variants of futex: it waits */
    EFFECT_PEERS = 1 << 28,   /* writes to the memory of the process that is argument 0, in the
                               * ranges of the vector that is argument 3, of argument 4 elements */
    EFFECT_COPIES = 1 << 29,  /* writes to the file whose descriptor is argument 2; any part of
                               * it may change */
    EFFECT_COUNTER = 1 << 30, /* of variants of prctl: allows or forbids the time stamp counter */
};

struct syscall_traits {
    u32 effects; /* of enum syscall_effect */
    u8 wait;     /* enum syscall_wait */
    u8 replay;   /* enum syscall_way */
    u8 scratch;  /* enum syscall_scratch */
};

/* One after the last: of numbers that have no row. */
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
    GIVES_READY,    /* how many of an array of descriptors, whose answers are shown; 0: its time
                     * is over */
    GIVES_SELECTED, /* how many of sets of descriptors; 0: its time is over */
    GIVES_FD_FLAGS, /* of a descriptor */
    GIVES_FILE_FLAGS, /* with which a file was opened */
};

/* When an argument is written. */
enum syscall_on {
    ON_SUCCESS = 0,
    ON_EINTR = 4, /* a number of an error: with that one alone */
    ON_E2BIG = 7,
    /* always; it is the rest of a sleep, and worth showing if that was interrupted */
    ON_REST = 253,
    ON_POSITIVE = 254,
    ON_EVER = 255,
};

/* Where a length comes from: aN an argument, wN its lower half, atN the 32 bits it points at. */
enum size_source {
    FROM_none, /* no size; as what was filled: all that was offered */
    FROM_one,
    FROM_a0, FROM_a1, FROM_a2, FROM_a3, FROM_a4, FROM_a5,
    FROM_w0, FROM_w1, FROM_w2, FROM_w3, FROM_w4, FROM_w5,
    FROM_at0, FROM_at1, FROM_at2, FROM_at3, FROM_at4, FROM_at5,
    FROM_ret,
};

enum size_rounding {
    SIZE_SCALED,  /* that many units, and `plus` bytes */
    SIZE_BITS,    /* a bit each, in whole words of 64 */
    SIZE_PAGES,   /* a byte for each page of that many bytes */
    SIZE_ENCODED, /* an ioctl request that says how much the kernel writes */
};

struct call_size {
    const char *type; /* what a unit is, in C */
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

/* Memory that sizes alone do not describe. */
enum arg_shape {
    SHAPE_PLAIN,
    SHAPE_STRING,  /* up to a NUL */
    SHAPE_STRINGS, /* pointers to such, up to a NULL */
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
    X(RWF) X(STATX) X(ATX) X(FDFLAG) X(PROTOCOL) X(PTRACE)                                        \
    X(NEW_MODE) /* of a file, if the argument before it may make one; else the call ends there */ \
    X(NEW_PTR)  /* of mremap, if the argument before it asks for an address */

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
    u64 key;     /* the number, or in a table of variants what selects it */
    u32 effects; /* of enum syscall_effect */
    u8 result;   /* enum syscall_result */
    bool unknown;
    const struct syscall_variants *variants;
    struct call_arg args[SYSCALL_ARGS];
};

/* The rows of a call that is many: the value in its arguments that selects one. */
struct syscall_variants {
    const struct syscall_row *rows;
    u32 count;
    u64 (*key)(const u64 *args);
};

/* Reads the guest's memory; false if it is not all there. */
struct call_memory {
    bool (*read)(void *context, void *to, struct gaddr from, size_t size);
    void *context;
};

struct call_made {
    u64 number;
    u64 args[SYSCALL_ARGS];
    i64 result;
    const struct syscall_row *row;     /* what the call is called */
    const struct syscall_row *variant; /* what its arguments are: often the same row */
    u64 offered[SYSCALL_ARGS];         /* lengths that pointers lead to, before the call */
};

typedef void call_visit(void *context, struct gaddr at, u64 size);

/* The row of a number; numbers that have none share one, without arguments to speak of. */
const struct syscall_row *syscall_row_of(u64 number);

/* Does such a call write no memory, for any arguments? Then there is nothing to visit. A caller
 * that sees millions of calls asks once for each number, and keeps the answer. */
bool syscall_row_is_quiet(const struct syscall_row *row);

/* The row of a request, option or operation among those of a call; NULL: there is none. */
const struct syscall_row *syscall_variant_of(const struct syscall_row *row, const u64 *args);

/* Does the call have one of these effects, with these arguments?  Of a call with variants, that is
 * what the variant's row says; what no variant knows has none. */
bool syscall_variant_has(u64 number, const u64 *args, u32 effects);

/* The rows of socket options, which setsockopt has too. */
extern const struct syscall_variants *const syscall_sockopts;

/* The flags of clone (struct clone_args has them first, vfork has one of its own, fork none) of a
 * call that makes a process or a thread. */
enum { CALL_FLAG_VM = 0x100, CALL_FLAG_VFORK = 0x4000, CALL_FLAG_THREAD = 0x10000 };
u64 call_clone_flags(u64 number, const u64 *args, const struct call_memory *memory);

void call_begin(struct call_made *call, u64 number, const u64 *args,
                const struct call_memory *memory);

/* How many bytes the kernel may write where an argument points: for a vector of ranges, the size of
 * the vector. */
u64 call_offered(const struct call_made *call, unsigned index, const struct call_memory *memory);

/* Visits what the kernel has written, in the order of the arguments. */
void call_written(const struct call_made *call, const struct call_memory *memory,
                  call_visit *visit, void *context);

/* Visits what the kernel may have written if the row does not know: what the arguments point at,
 * and what pointers in there do.  Only memory that can be read. */
void call_reachable(const struct call_made *call, const struct call_memory *memory,
                    call_visit *visit, void *context);

/* Visits what was read and is worth showing: names of files, the first bytes that were written to
 * them, small structures.  A recording that has it can be printed without being replayed. */
void call_shown(const struct call_made *call, const struct call_memory *memory,
                call_visit *visit, void *context);

#endif
