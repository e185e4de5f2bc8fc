/* The macros in which rows of the system-call tables are written.
 *
 *   SYS(nr, name, handler, wait, replay, scratch, effects, result, arguments...)
 *   SUB(..., result, BY(table, UNKNOWN or KNOWN), arguments...)
 *   UNK(..., result, arguments...)    memory is compared
 *
 * The handler is PASS (to the kernel, unchanged), or the name of a function call_NAME of the
 * engine. wait, replay, scratch and effects are constants of the enums in syscall_table.h; effects
 * are PLAIN for none, or HAS(one, another, ...).
 *
 * Values are FD(name), INT(name) and so on, after how they are shown.  Memory:
 *
 *   IN(name, size)               the kernel reads it
 *   OUT(name, offered, filled)   writes it, if the call succeeds; the smaller of the sizes, and
 *                                what was offered if filled is missing
 *   INOUT(name, offered, filled) both
 *   OUT_ON(when, ...), INOUT_ON(when, ...)    EVER, POSITIVE or the name of an error
 *   OUTV(name, count), INV, INOUTV            an array of ranges
 *   SHAPED(way, shape, name)     described by a function in syscall_table.c
 *
 * Sizes: BYTES(a2), ITEMS(a1, struct s), ONE(struct s), BITS(a0), PAGES(a1), PLUS(8, a2) for so
 * many bytes more, ENCODED(a1) for what an ioctl request says; sources are those of enum
 * size_source.
 */
#ifndef LOG_SYSCALL_ROWS_INTERNAL_H
#define LOG_SYSCALL_ROWS_INTERNAL_H

#include "log/syscall_structs.h"
#include "log/syscall_table.h"

/* Sizes */

#define BYTES(source)           {"byte", 1, 0, FROM_##source, SIZE_SCALED}
#define BYTES_OF(type, source)  {#type, 1, 0, FROM_##source, SIZE_SCALED}
#define PLUS(bytes, source)     {"byte", 1, bytes, FROM_##source, SIZE_SCALED}
#define ITEMS(source, type)     {#type, sizeof(type), 0, FROM_##source, SIZE_SCALED}
#define ONE(type)               {#type, sizeof(type), 0, FROM_one, SIZE_SCALED}
#define BITS(source)            {"bits", 1, 0, FROM_##source, SIZE_BITS}
#define PAGES(source)           {"byte", 1, 0, FROM_##source, SIZE_PAGES}
#define ENCODED(source)         {"byte", 1, 0, FROM_##source, SIZE_ENCODED}

/* Arguments that are memory */

#define ARG_INOUT (ARG_IN | ARG_OUT)
#define MEMORY(name_, way_, on_, ...)                                                             \
    {.name = #name_, .show = SHOW_MEMORY, .way = way_, .on = ON_##on_, .shape = SHAPE_PLAIN,      \
     .offered = __VA_ARGS__}
#define IN(name_, ...)           MEMORY(name_, ARG_IN, SUCCESS, __VA_ARGS__)
#define OUT(name_, ...)          MEMORY(name_, ARG_OUT, SUCCESS, __VA_ARGS__)
#define INOUT(name_, ...)        MEMORY(name_, ARG_INOUT, SUCCESS, __VA_ARGS__)
#define OUT_ON(on_, name_, ...)  MEMORY(name_, ARG_OUT, on_, __VA_ARGS__)
#define INOUT_ON(on_, name_, ...) MEMORY(name_, ARG_INOUT, on_, __VA_ARGS__)

#define SHAPED(way_, shape_, name_)                                                               \
    {.name = #name_, .show = SHOW_MEMORY, .way = ARG_##way_, .shape = SHAPE_##shape_}
#define VECTOR(name_, way_, count_)                                                               \
    {.name = #name_, .show = SHOW_MEMORY, .way = way_, .shape = SHAPE_IOVEC,                      \
     .offered = ITEMS(count_, struct k_iovec), .filled = BYTES(ret)}
#define INV(name_, count_)  VECTOR(name_, ARG_IN, count_)
#define OUTV(name_, count_) VECTOR(name_, ARG_OUT, count_)
#define INOUTV(name_, count_) VECTOR(name_, ARG_INOUT, count_)
#define PATH(name_)         SHAPED(IN, STRING, name_)
#define STRINGS(name_)      SHAPED(IN, STRINGS, name_)

/* Arguments that are values */

#define VALUE(show_, name_) {.name = #name_, .show = SHOW_##show_}
#define FD(n)            VALUE(FD, n)
#define ATFD(n)          VALUE(ATFD, n)
#define INT(n)           VALUE(INT, n)
#define UINT(n)          VALUE(UINT, n)
#define LONG(n)          VALUE(LONG, n)
#define HEX(n)           VALUE(HEX, n)
#define LEN(n)           VALUE(LEN, n)
#define OFF(n)           VALUE(OFF, n)
#define PTR(n)           VALUE(PTR, n)
#define MODE(n)          VALUE(MODE, n)
#define NEW_MODE(n)      VALUE(NEW_MODE, n)
#define NEW_PTR(n)       VALUE(NEW_PTR, n)
#define PID(n)           VALUE(PID, n)
#define UID(n)           VALUE(UID, n)
#define SIG(n)           VALUE(SIG, n)
#define IOCTL(n)         VALUE(IOCTL, n)
#define FCNTL(n)         VALUE(FCNTL, n)
#define PRCTL(n)         VALUE(PRCTL, n)
#define PTRACE(n)        VALUE(PTRACE, n)
#define FUTEX(n)         VALUE(FUTEX, n)
#define LEVEL(n)         VALUE(LEVEL, n)
#define OPTION(n)        VALUE(OPTION, n)
#define CLONE(n)         VALUE(CLONE, n)
#define OPEN(n)          VALUE(OPEN, n)
#define OPENX(n)         VALUE(OPENX, n)
#define PROT(n)          VALUE(PROT, n)
#define MAP(n)           VALUE(MAP, n)
#define SEEK(n)          VALUE(SEEK, n)
#define ACCESS(n)        VALUE(ACCESS, n)
#define MREMAP(n)        VALUE(MREMAP, n)
#define MSYNC(n)         VALUE(MSYNC, n)
#define MADV(n)          VALUE(MADV, n)
#define FADV(n)          VALUE(FADV, n)
#define ITIMER(n)        VALUE(ITIMER, n)
#define DOMAIN(n)        VALUE(DOMAIN, n)
#define SOCKTYPE(n)      VALUE(SOCKTYPE, n)
#define SOCKFLAGS(n)     VALUE(SOCKFLAGS, n)
#define MSG(n)           VALUE(MSG, n)
#define SHUT(n)          VALUE(SHUT, n)
#define WAITOPTS(n)      VALUE(WAITOPTS, n)
#define FLOCK(n)         VALUE(FLOCK, n)
#define RESOURCE(n)      VALUE(RESOURCE, n)
#define USAGE(n)         VALUE(USAGE, n)
#define SIGHOW(n)        VALUE(SIGHOW, n)
#define SCHED(n)         VALUE(SCHED, n)
#define ARCH(n)          VALUE(ARCH, n)
#define SECCOMP(n)       VALUE(SECCOMP, n)
#define CLOCK(n)         VALUE(CLOCK, n)
#define TIMERABS(n)      VALUE(TIMERABS, n)
#define EPOLLOP(n)       VALUE(EPOLLOP, n)
#define EPOLLFLAGS(n)    VALUE(EPOLLFLAGS, n)
#define IDTYPE(n)        VALUE(IDTYPE, n)
#define INOTIFY(n)       VALUE(INOTIFY, n)
#define INFLAGS(n)       VALUE(INFLAGS, n)
#define AT(n)            VALUE(AT, n)
#define ATRM(n)          VALUE(ATRM, n)
#define SPLICE(n)        VALUE(SPLICE, n)
#define FDFLAGS(n)       VALUE(FDFLAGS, n)
#define EFD(n)           VALUE(EFD, n)
#define RENAME(n)        VALUE(RENAME, n)
#define RANDOM(n)        VALUE(RANDOM, n)
#define MEMFD(n)         VALUE(MEMFD, n)
#define RWF(n)           VALUE(RWF, n)
#define STATX(n)         VALUE(STATX, n)
#define FDFLAG(n)        VALUE(FDFLAG, n)
#define ATX(n)           VALUE(ATX, n)
#define PROTOCOL(n)      VALUE(PROTOCOL, n)
#define NOTHING          {.name = NULL}

/* Effects */

#define PLAIN 0
#define HAS_1(a)       EFFECT_##a
#define HAS_2(a, b)    (EFFECT_##a | EFFECT_##b)
#define HAS_3(a, b, c) (EFFECT_##a | EFFECT_##b | EFFECT_##c)
#define HAS_AS(a, b, c, has, ...) has
#define HAS(...) HAS_AS(__VA_ARGS__, HAS_3, HAS_2, HAS_1, )(__VA_ARGS__)

/* Rows */

#define UNKNOWN_UNKNOWN true
#define UNKNOWN_KNOWN false

#define ROW(key_, name_, effects_, result_, ...)                                                  \
    {.name = name_, .key = key_, .effects = effects_, .result = GIVES_##result_, __VA_ARGS__},
#define BY(table_, unknown_) .variants = &table_##_variants, .unknown = UNKNOWN_##unknown_

#define SYS(nr, name_, handler_, wait_, replay_, scratch_, effects_, result_, ...)                \
    [nr] = ROW(nr, #name_, effects_, result_, .args = {__VA_ARGS__})
#define UNK(nr, name_, handler_, wait_, replay_, scratch_, effects_, result_, ...)                \
    [nr] = ROW(nr, #name_, effects_, result_, .unknown = true, .args = {__VA_ARGS__})
#define SUB(nr, name_, handler_, wait_, replay_, scratch_, effects_, result_, by_, ...)           \
    [nr] = ROW(nr, #name_, effects_, result_, by_, .args = {__VA_ARGS__})

#endif
