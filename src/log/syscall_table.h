/* The system-call table: one row for each call, and what follows from it.
 *
 * A row tells record what to save, replay what to give back, and a reader how to print it.  Nothing
 * else in the project knows a system call by name, but for the engine, which makes some in its own
 * way.  The rows are in syscalls.def; ioctl, fcntl, prctl and others whose arguments mean what one
 * of them says have tables of their own, with rows of the same kind.
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

/* How replay comes by the result. */
enum syscall_way {
    WAY_FEED,   /* from the log, with the memory that was written */
    WAY_REDO,   /* by making the call again, which must answer the same */
    WAY_CUSTOM, /* in a way of its own */
    WAY_REFUSE, /* it was answered as unavailable, and is so again */
};

enum syscall_result {
    GIVES_ZERO,
    GIVES_COUNT,
    GIVES_NUMBER,
    GIVES_FD,
    GIVES_PID,
    GIVES_ADDR,
    GIVES_MODE,
    GIVES_NEVER, /* it does not return */
};

/* When an argument is written. */
enum syscall_on {
    ON_SUCCESS = 0,
    ON_EINTR = 4, /* a number of an error: with that one alone */
    ON_E2BIG = 7,
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
    X(RWF) X(STATX) X(ATX) X(FDFLAG) X(PROTOCOL) X(PTRACE)

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
    u64 key;    /* the number, or in a table of variants what selects it */
    u8 way;     /* enum syscall_way */
    bool waits; /* it can take long */
    u8 result;  /* enum syscall_result */
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
    u64 offered[SYSCALL_ARGS];         /* lengths behind pointers, before the call */
};

typedef void call_visit(void *context, struct gaddr at, u64 size);

/* The row of a number; numbers that have none share one, without arguments to speak of. */
const struct syscall_row *syscall_row_of(u64 number);

/* Does such a call write no memory at all, whatever its arguments?  Then there is nothing to visit;
 * who makes millions of them asks once for each number, and remembers. */
bool syscall_row_is_quiet(const struct syscall_row *row);

/* The row of a request, option or operation among those of a call; NULL: there is none. */
const struct syscall_row *syscall_variant_of(const struct syscall_row *row, const u64 *args);

/* The rows of socket options, which setsockopt has too. */
extern const struct syscall_variants *const syscall_sockopts;

void call_begin(struct call_made *call, u64 number, const u64 *args,
                const struct call_memory *memory);

/* How many bytes there are behind an argument for the kernel to write: of a vector of ranges, the vector's. */
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

/* The name of a way, as rows have it. */
const char *syscall_way_name(enum syscall_way way);

#endif
