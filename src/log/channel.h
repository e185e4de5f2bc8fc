/* The control channel: what ebb tells an engine that it starts.
 *
 * Version 1.  A change to the order of the arguments, or to what a setting means, raises it;
 * a new setting does not, since an engine refuses names that it does not know.
 *
 * ebb replaces itself with the engine, whose arguments are
 *
 *     ebb-engine  SETTINGS  PATH  ARGV0  ARG1 ...
 *
 * SETTINGS is a list "name=value,name=value" and may be empty.  A value has no comma in it.
 * PATH is the file to run, found already; ARGV0 and the rest are the program's own arguments.
 * There is always an ARGV0.  Environment and descriptors are the program's, untouched.
 *
 * A program on the engine that calls execve is started again in the same way.
 *
 * This header is read by the hosted front and the freestanding engine, so it holds
 * constants and one table.
 */
#ifndef LOG_CHANNEL_H
#define LOG_CHANNEL_H

enum { CHANNEL_VERSION = 1 };

#define CHANNEL_ENGINE_NAME "ebb-engine"

/* Where the engine finds things in its argv. */
enum {
    CHANNEL_ARG_SETTINGS = 1,
    CHANNEL_ARG_PATH = 2,
    CHANNEL_ARG_ARGV0 = 3,
    CHANNEL_ARGS_MIN = 4,
};

/* How ebb, or an engine that could not start the program, ends. */
enum {
    CHANNEL_EXIT_USAGE = 2,           /* ebb was called wrongly */
    CHANNEL_EXIT_OURS = 125,          /* ebb itself failed: no engine, no memory */
    CHANNEL_EXIT_NOT_RUNNABLE = 126,  /* the program is there, and cannot be run */
    CHANNEL_EXIT_NOT_FOUND = 127,     /* there is no such program */
};

enum channel_kind {
    CHANNEL_FLAG,   /* 0 or 1 */
    CHANNEL_COUNT,  /* a decimal number */
    CHANNEL_POWER,  /* a power of two, decimal */
    CHANNEL_BYTES,  /* a decimal number, with K, M or G for powers of 1024 */
    CHANNEL_MOMENT, /* TICK, or TICK:PC; the tick decimal, the pc hexadecimal after 0x */
    CHANNEL_PATH,   /* a file to be written, absolute */
};

/* The settings.  `least` and `most` bound a number; `unless` is what the engine takes without
 * one: for a MOMENT or a PATH, nothing.  Those that only an engine tells its successor at
 * execve are its own affair and not listed.
 *
 *  X(ID,       name,       kind,           least,  most,       unless,   what it does) */
#define CHANNEL_SETTINGS(X)                                                                                          \
    X(STATS,    "stats",    CHANNEL_FLAG,   0,      1,          0,        "print figures at the end")                \
    X(CACHE,    "cache",    CHANNEL_BYTES,  65536,  1073741824, 268435456, "size of the code cache")                 \
    X(BLOCK,    "block",    CHANNEL_COUNT,  1,      1000,       96,       "most instructions in a block")            \
    X(LINK,     "link",     CHANNEL_FLAG,   0,      1,          1,        "let blocks jump to each other")           \
    X(COUNTERS, "counters", CHANNEL_POWER,  1,      8,          8,        "tick counters, shared out among blocks")  \
    X(RANDOM,   "random",   CHANNEL_FLAG,   0,      1,          0,        "fix clocks, random, core, own numbers")   \
    X(STOP,     "stop",     CHANNEL_MOMENT, 0,      0,          0,        "end the program at this moment")          \
    X(DUMP,     "dump",     CHANNEL_PATH,   0,      0,          0,        "write the state at the stop there")       \
    X(ENTRIES,  "entries",  CHANNEL_PATH,   0,      0,          0,        "write every entry of a block there")      \
    X(BLOCKS,   "blocks",   CHANNEL_PATH,   0,      0,          0,        "list every translated block there")

#define CHANNEL_SETTING_ID(id, name, kind, least, most, unless, what) CHANNEL_SETTING_##id,
enum channel_setting { CHANNEL_SETTINGS(CHANNEL_SETTING_ID) CHANNEL_SETTINGS_COUNT };
#undef CHANNEL_SETTING_ID

#endif
