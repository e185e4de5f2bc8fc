/* The control channel: how ebb starts an engine, and the messages between the two while the engine
 * records or replays.
 *
 * Version 5. Any change to the order of the arguments, to the meaning of a setting, or to a message
 * raises the version. A new setting does not, since an engine refuses names that it does not know.
 *
 * ebb replaces itself with the engine, whose arguments are
 *
 *     ebb-engine  SETTINGS  PATH  ARGV0  ARG1 ...
 *
 * SETTINGS is a list "name=value,name=value" and may be empty.  A value has no comma in it.
 * PATH is the file to run; ARGV0 and the rest are the program's own arguments.
 * There is always an ARGV0.  Environment and descriptors are the program's, untouched.
 *
 * A program on the engine that calls execve is started again in the same way.
 *
 * Messages. The settings record=FD and replay=FD name a socket (AF_UNIX, SOCK_SEQPACKET) whose
 * other end ebb holds. All processes of a recording share it and only send on it. Each process
 * image (track) begins like this:
 *
 *     engine                                          ebb
 *     makes a socketpair of its own (SEQPACKET)
 *     struct channel_hello, one end attached    -->   opens a track
 *                                               <--   struct channel_welcome, ring attached,
 *                                                     on the track's socket
 *
 * From then on events go through the ring (log/ring.h). The track's socket stays open. When it is
 * closed, ebb knows that the image is gone, however it died, and takes what is left in the ring;
 * the engine knows in the same way that ebb is gone (ring_host.gone: poll for POLLHUP). So the
 * engine's end is close-on-exec, and a child of fork closes it and sends its own hello. Over this
 * socket the engine may also send a file to be kept (and waits for the answer, since the file may
 * change afterwards). A replaying engine fetches every mapped file through it, and ends with a
 * verdict.
 *
 * If ebb is gone or refuses, the program continues unrecorded.
 *
 * Snapshots. If the welcome has an interval for them, a recording engine takes them:
 *
 *     engine                                            ebb
 *     ROOM: a snapshot may be taken here          -->
 *                                                 <--   GIVEN: not now; or a file for it, attached
 *     writes it (log/snapshot_state.h), while
 *     the program stands
 *     SNAPSHOT: what it is, or why there is none  -->   compresses and stores it
 *
 * An engine that replays for a session is told so by the welcome (CHANNEL_CONTROLLED):
 * log/control.h says what follows.
 *
 * An engine that replays one of many tracks (CHANNEL_TREE) comes to forks whose children are tracks
 * to be replayed, too. There it copies itself: the copy goes on with the child's track, so the
 * parent's run before the fork is not replayed again for the child. ebb limits the number of
 * processes by the time of its answer.
 *
 *     engine                                            ebb
 *     FORK: the program forks here                -->
 *                                                 <--   LEAVE: go on as you are; or copy yourself,
 *     clone(CLONE_PARENT)                               what the copy has for stderr attached
 *     FORKED: the copy's pid, or an error         -->
 *         copy: HELLO, WELCOME, as any track      <->
 *         copy: READY, on its own line: it has    -->
 *         its own of what was shared
 *                                                 <--   GO, to the one that copied itself
 *
 * After an error in FORKED the engine goes on without a copy.
 *
 * An engine that replays an interval of a track (CHANNEL_INTERVAL) is sent two BOUNDs after the
 * welcome: where the interval begins and where it ends, each with a snapshot (log/snapshot_state.h)
 * unless that is the track's own beginning or end. The ring has the events up to the ENTRY, and
 * then those of the interval. The engine starts from the first snapshot, compares its state with
 * the second one when it gets there, and gives its verdict on the interval.
 *
 * A message is one packet, a struct that begins with struct channel_message; at most one
 * descriptor is attached.
 *
 * This header is used by ebb and by the freestanding engine, so it only has constants, structs and
 * one table.
 */
#ifndef LOG_CHANNEL_H
#define LOG_CHANNEL_H

#include "base/types.h"

enum { CHANNEL_VERSION = 6 };

#define CHANNEL_ENGINE_NAME "ebb-engine"

/* Indexes of the engine's arguments in argv. */
enum {
    CHANNEL_ARG_SETTINGS = 1,
    CHANNEL_ARG_PATH = 2,
    CHANNEL_ARG_ARGV0 = 3,
    CHANNEL_ARGS_MIN = 4,
};

/* Exit statuses of ebb, or of an engine that could not start the program. */
enum {
    CHANNEL_EXIT_USAGE = 2,           /* ebb was called wrongly */
    CHANNEL_EXIT_DIVERGED = 3,        /* the replay differs from the recording */
    CHANNEL_EXIT_OURS = 125,          /* ebb itself failed: no engine, no memory */
    CHANNEL_EXIT_NOT_RUNNABLE = 126,  /* the program exists, but cannot be run */
    CHANNEL_EXIT_NOT_FOUND = 127,     /* there is no such program */
};

enum channel_kind {
    CHANNEL_FLAG,   /* 0 or 1 */
    CHANNEL_COUNT,  /* a decimal number */
    CHANNEL_POWER,  /* a power of two, decimal */
    CHANNEL_BYTES,  /* a decimal number, with K, M or G for powers of 1024 */
    CHANNEL_MOMENT, /* TICK, or TICK:PC; the tick decimal, the pc hexadecimal after 0x */
    CHANNEL_PLACE,  /* SIZE:ADDRESS of memory; the size decimal, the address hexadecimal after 0x */
    CHANNEL_PATH,   /* a file to be written, absolute */
    CHANNEL_FD,     /* an open descriptor, 0: none; only set by ebb, hidden from users */
};

/* The settings.  `least` and `most` bound a number; `unless` is what the engine takes without
 * one: for a MOMENT, a PLACE or a PATH, nothing.  Those that only an engine tells its successor at
 * execve are its own affair and not listed.
 *
 *  X(ID,       name,       kind,           least,  most,       unless,   what it does) */
#define CHANNEL_SETTINGS(X)                                                                        \
    X(STATS, "stats", CHANNEL_FLAG, 0, 1, 0, "print figures at the end")                           \
    X(CACHE, "cache", CHANNEL_BYTES, 65536, 1073741824, 234881024, "size of the code cache")       \
    X(BLOCK, "block", CHANNEL_COUNT, 1, 1000, 96, "most instructions in a block")                  \
    X(LINK, "link", CHANNEL_FLAG, 0, 1, 1, "let blocks jump to each other")                        \
    X(COUNTERS, "counters", CHANNEL_POWER, 1, 8, 8, "tick counters, shared out among blocks")      \
    X(RANDOM, "random", CHANNEL_FLAG, 0, 1, 0, "fix clocks, random, core, own numbers")            \
    X(STOP, "stop", CHANNEL_MOMENT, 0, 0, 0, "end the program at this moment")                     \
    X(DUMP, "dump", CHANNEL_PATH, 0, 0, 0, "write the state at the stop there")                    \
    X(ENTRIES, "entries", CHANNEL_PATH, 0, 0, 0, "write every entry of a block there")             \
    X(BLOCKS, "blocks", CHANNEL_PATH, 0, 0, 0, "list every translated block there")                \
    X(CHECK, "check", CHANNEL_COUNT, 0, 1ul << 62, 0, "log a hash of memory every so many ticks")  \
    X(OWN_VDSO, "ownvdso", CHANNEL_FLAG, 0, 1, 0, "give the vDSO of a recording to any run")       \
    X(CHAOS, "chaos", CHANNEL_COUNT, 0, 1ul << 62, 0,                                              \
      "seed for random time slices, 0: regular ones")                                              \
    X(CPU, "cpu", CHANNEL_COUNT, 0, 3, 0, "show only this level of x86-64, 0: all there is")       \
    X(KEPT, "kept", CHANNEL_PATH, 0, 0, 0, "the folder of kept translations")                      \
    X(KEPT_MOST, "keptmost", CHANNEL_BYTES, 0, 1ul << 50, 268435456, "bytes in that folder")       \
    X(WATCH, "watch", CHANNEL_PLACE, 0, 0, 0, "count how often this memory changes, for stats")    \
    X(RECORD, "record", CHANNEL_FD, 0, INT32_MAX, 0, "the socket of the recorder")                 \
    X(REPLAY, "replay", CHANNEL_FD, 0, INT32_MAX, 0, "the socket of the replayer")

#define CHANNEL_SETTING_ID(id, name, kind, least, most, unless, what) CHANNEL_SETTING_##id,
enum channel_setting { CHANNEL_SETTINGS(CHANNEL_SETTING_ID) CHANNEL_SETTINGS_COUNT };
#undef CHANNEL_SETTING_ID

/* Messages */

enum channel_message_kind {
    CHANNEL_HELLO = 1,   /* engine, on the shared socket; attached: the track's socket */
    CHANNEL_WELCOME = 2, /* ebb, on the track's socket; attached: the ring */
    CHANNEL_KEEP = 3,    /* engine, recording: keep a copy of the attached file */
    CHANNEL_KEPT = 4,    /* ebb: the answer to KEEP */
    CHANNEL_VERDICT = 5, /* engine, replaying: how it ended; its last message */
    /* engine, replaying: requests a mapped file; answered by KEPT, file attached */
    CHANNEL_FETCH = 6,
    CHANNEL_FORK = 7,    /* engine, in a tree: the program forks; answered by LEAVE */
    CHANNEL_LEAVE = 8,   /* ebb: whether to copy itself; if so, attached: the copy's stderr */
    CHANNEL_FORKED = 9,  /* engine: the result of the copy */
    CHANNEL_READY = 10,  /* its copy: a plain message */
    CHANNEL_GO = 11,     /* ebb: a plain message */
    CHANNEL_BOUND = 12,  /* ebb, for an interval; attached: a snapshot, if there is one */
    CHANNEL_ROOM = 13,     /* engine, recording: requests room for a snapshot; answered by GIVEN */
    CHANNEL_GIVEN = 14,    /* ebb; attached: an empty file, unless it is too early */
    CHANNEL_SNAPSHOT = 15, /* engine: the snapshot, or why there is none */
    /* engine, replaying: requests pages of a snapshot; answered by KEPT, a file with them
     * attached */
    CHANNEL_PAGES = 16,
};

struct channel_message {
    u32 kind; /* enum channel_message_kind */
    u32 size; /* size of the whole struct */
};

struct channel_hello {
    struct channel_message message;
    u32 version;      /* CHANNEL_VERSION */
    u32 pid;
    u32 origin;       /* enum track_origin in log/format.h */
    u32 parent;       /* the parent track, by the number in its welcome; TRACK_NONE for the first */
    u64 parent_tick;  /* the moment of FORK or EXEC in the parent */
    u64 parent_pc;
};

enum {
    CHANNEL_CONTROLLED = 1, /* no ring: a file of all events; log/control.h */
    CHANNEL_TREE = 2,       /* replay: report forks */
    CHANNEL_INTERVAL = 4,   /* replay: two BOUNDs follow */
    CHANNEL_EXACT = 8, /* recording: take snapshots at the requested interval, whatever they cost */
};

struct channel_welcome {
    struct channel_message message;
    u32 version;
    u32 error;        /* 0, or an errno: no ring is attached, continue without */
    u32 track;        /* replay: the track to be replayed */
    u32 flags;        /* CHANNEL_CONTROLLED and others */
    u64 ring_size;    /* bytes of the ring without its header page; or of the file of events */
    u64 snapshots;    /* minimum computing time between snapshots, in nanoseconds; 0: none */
};

struct channel_keep {
    struct channel_message message;
    u64 device, inode, size, mtime; /* as in struct event_map; a file is identified by all four */
};

struct channel_kept {
    struct channel_message message;
    u32 error; /* 0, or an errno: it could not be kept */
    u32 copy;  /* for event_map.copy */
};

struct channel_room {
    struct channel_message message;
    u32 last;  /* 1: the process is about to end */
    u32 unused;
    u64 bytes; /* that it will write, roughly */
};

struct channel_given {
    struct channel_message message;
    u32 error;  /* 0, or an errno: no snapshot now */
    u32 way;    /* enum snapshot_way of log/snapshot_state.h */
    u64 number; /* that this snapshot has, */
    u64 base;   /* and that of the track's last one, which it may refer to (SAME); 0: none */
    u64 most_pages;
    u64 slice;  /* pages after which those that have changed are left for another time; 0: none */
    u64 again;  /* after an error: nanoseconds to wait before the next request */
};

enum { CHANNEL_REFUSED_TEXT = 96 };

struct channel_snapshot {
    struct channel_message message;
    u64 tick, pc, events_met;    /* as in struct snapshot_state */
    u64 state_at, state_size;    /* offset and size of the state in the file */
    u64 base;                    /* number of the snapshot that it refers to; 0: none */
    u64 cost;                    /* nanoseconds that it took from the program */
    u64 pause;                   /* of these, nanoseconds that the program was held */
    u64 written;                 /* pages */
    u64 left;                    /* changed pages that were left for another time: it is a slice */
    u32 last;                    /* 1: the snapshot of the end */
    u32 unused;
    char refused[CHANNEL_REFUSED_TEXT]; /* why there is none; empty: there is one */
};

enum { CHANNEL_FETCH_PATH = 4096 };

struct channel_fetch { /* fields of the event_map */
    struct channel_message message;
    u32 copy;
    u32 path_size;
    u64 device, inode, size, mtime;
    char path[CHANNEL_FETCH_PATH]; /* null-terminated */
};

struct channel_pages {
    struct channel_message message;
    u32 snapshot; /* the session's number of a restored snapshot */
    u32 unused;
    u64 first, count;
};

struct channel_fork {
    struct channel_message message;
    u64 tick, pc; /* the moment of the system call, as in its event */
};

struct channel_leave {
    struct channel_message message;
    u32 copy; /* 0: do not copy */
    u32 unused;
};

struct channel_forked {
    struct channel_message message;
    u32 error; /* 0, or an errno: there is no copy */
    u32 pid;
};

struct channel_bound {
    struct channel_message message;
    u32 given;                /* 0: the beginning or end of the track, without a snapshot */
    u32 unused;
    u64 state_at, state_size; /* offset and size of the state in the snapshot, after its pages */
    u64 tick, pc, events;     /* moment of the snapshot; number of events before it */
};

enum channel_verdict_kind {
    CHANNEL_REPRODUCED = 0, /* every event was met, up to the end of the log */
    CHANNEL_DIVERGED = 1,   /* what happened is not what was recorded */
    CHANNEL_UNABLE = 2,     /* the log needs something that this engine or machine cannot do */
    CHANNEL_STATE_DIFFERS = 3, /* an interval: the state at its end differs from the snapshot */
};

enum { CHANNEL_VERDICT_TEXT = 1024 };

struct channel_verdict {
    struct channel_message message;
    u32 verdict;  /* enum channel_verdict_kind */
    u32 thread;
    u64 event;    /* number of events met before */
    u64 tick, pc; /* the current moment */
    char recorded[CHANNEL_VERDICT_TEXT]; /* what the log has: a null-terminated line */
    char happened[CHANNEL_VERDICT_TEXT]; /* what happened, or why it is unable */
};

#endif
