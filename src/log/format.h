/* The format of recordings: events, and the files that contain them.
 *
 * A new kind of event or piece does not raise the version. A reader skips an event of an unknown
 * kind if EVENT_OPTIONAL is part of the kind, and refuses the recording otherwise. Any other change
 * that an old reader would misread raises it. docs/log-format.md describes the same; change both.
 *
 * A recording is a directory.  Each process image in it is a track, each track one file:
 *
 *     file header,  chunk header, bytes,  chunk header, bytes,  ...  last chunk header
 *
 * The bytes of a chunk, decompressed, are whole events one after the other, exactly as the engine
 * wrote them into its ring (log/ring.h). Everything is little-endian; every struct here is without
 * hidden padding, so its bytes are what is on disk.
 *
 * A moment is (tick, pc).  Events of a track come in the order of their moments, but several may
 * share one (a system call that maps a file: MAP and SYSCALL; a check in front of a signal).
 *
 * Two limits bound the memory of a reader: an event is at most EVENT_SIZE_MOST bytes, a chunk at
 * most CHUNK_RAW_MOST. Bytes that do not fit in one event follow in DATA events, see below.
 */
#ifndef LOG_FORMAT_H
#define LOG_FORMAT_H

#include "base/types.h"

/* Raised by any change except new kinds of events and pieces. Version 2: what a vfork interrupted
 * continues with a separate tick. Version 3: copies of files may be compressed. */
enum { FORMAT_VERSION = 4, FORMAT_OLDEST = 2 /* the oldest that is still read */ };

/* Events */

enum event_kind {
    EVENT_PAD = 0,      /* only in rings: fills up to the end; only its first 8 bytes exist */
    EVENT_START = 1,    /* the first of a track: struct event_start, pieces */
    EVENT_SYSCALL = 2,  /* struct event_syscall, arguments, pieces */
    EVENT_DATA = 3,     /* more pieces of the preceding event, or see struct event_data; pieces */
    EVENT_SIGNAL = 4,   /* struct event_signal */
    EVENT_CLOCK = 5,    /* struct event_clock, values */
    EVENT_MAP = 6,      /* struct event_map, path */
    EVENT_SWITCH = 7,   /* struct event_switch */
    EVENT_CHECK = 8,    /* struct event_check */
    EVENT_NOTE = 9,     /* struct event_note, text */
    EVENT_FORK = 10,    /* struct event_fork */
    EVENT_EXEC = 11, /* struct event_exec; the last of a track: the program continues in another */
    EVENT_END = 12,     /* struct event_end; the last of a track */
    EVENT_SHARED = 13,  /* struct event_shared, pieces */
    EVENT_ENTRY = 14,   /* struct event_entry; the program is loaded and begins */
    EVENT_TRIMMED = 15, /* struct event_trimmed; the events that follow are context, see there */
    EVENT_KINDS,        /* number of kinds in this version */
};

/* Part of a kind: a reader that does not know the kind may skip the event. */
enum { EVENT_OPTIONAL = 0x8000 };

enum { EVENT_SIZE_MOST = 128 * 1024, EVENT_ALIGN = 8 };

struct event {
    u32 size;   /* size of the whole record with its payload, a multiple of EVENT_ALIGN */
    u16 kind;   /* enum event_kind */
    u16 thread; /* small number of the thread, the first is 0 */
    u64 tick;   /* the moment */
    u64 pc;
    u64 hash;   /* hash of the registers at the moment (defined by the engine); 0: not computed */
    u64 time;   /* the cpu's time stamp counter; 0: not read, same time as the preceding event */
    u8 payload[];
};
_Static_assert(sizeof(struct event) == 40, "on disk");

/* A piece: a range of bytes that belongs to a START, SYSCALL, SHARED or DATA event.  The bytes
 * follow it, filled with zeros to a multiple of 8.  Pieces follow each other up to the end of the
 * event.
 *
 * A range too long for one event becomes several pieces with increasing addresses in DATA events. A
 * list (arguments, environment, ...) is the concatenation of all its pieces. */
enum event_piece_kind {
    PIECE_MEMORY = 0,      /* the call wrote this to guest memory at `address`: replay repeats it */
    PIECE_SHOWN = 1,       /* the call read this at `address`: only for display, may be truncated */
    /* the file that is mapped at `address` has this size now: a u64; if it is mapped privately, a
     * second u64 is the previous size */
    PIECE_FILE_SIZE = 2,
    PIECE_SEGMENT = 3,     /* a System V segment is attached at `address`: two u64s, its size and
                            * its id */
    PIECE_REACHED = 4, /* the call failed half way: everything below `address` was done; no bytes */
    PIECE_PATH = 16,       /* START: file of the program, absolute */
    PIECE_ARGUMENTS = 17,  /* START: null-terminated strings */
    PIECE_ENVIRONMENT = 18,
    PIECE_AUXV = 19,       /* START: pairs of u64, as the program saw them */
    /* START: struct event_cpuid, the leaves with features that the program sees */
    PIECE_CPUID = 20,
    PIECE_SETTINGS = 21,   /* START: text, the settings that a replay must repeat */
    PIECE_DIRECTORY = 22,  /* START: the working directory */
    /* START: u64s, addresses that the loader chose; see engine/track/record_start.c */
    PIECE_LAYOUT = 23,
    PIECE_RANDOM = 24,     /* START: the sixteen bytes of AT_RANDOM */
    PIECE_CPU = 25,        /* START: u64s, XCR0 and the mask of mxcsr as the program sees them */
};

struct event_piece {
    u64 address; /* in the guest, or 0 */
    u32 size;    /* size of the bytes, without padding */
    u32 kind;    /* enum event_piece_kind */
};
_Static_assert(sizeof(struct event_piece) == 16, "on disk");

/* `more` in START, SYSCALL, SHARED and DATA: a DATA event of the same thread and moment follows at
 * once. A log that ends before it ends before the whole call. */
enum { EVENT_MORE = 1 };

/* A forked track begins with one too, without pieces: the rest is in the parent's. */
enum {
    START_MORE = EVENT_MORE,
    /* the log has synchronous signals and an ENTRY; logs of older engines have neither */
    START_FAULTS = 2,
};
struct event_start {
    u32 flags;          /* START_* */
    u32 pid, ppid, tid;
    u32 uid, gid;
    u64 realtime;       /* nanoseconds since 1970 when `event.time` was read */
    u64 frequency;      /* frequency of the time stamp counter */
    u64 unused[2];
};
_Static_assert(sizeof(struct event_start) == 56, "on disk");

/* The loader has finished: the moment of the first instruction. */
struct event_entry {
    u64 entry; /* pc of the first instruction */
    u64 stack; /* rsp there */
};
_Static_assert(sizeof(struct event_entry) == 16, "on disk");

/* Directly after the ENTRY: the track was trimmed (`ebb trim`), and begins at a snapshot. `context`
 * events from before the snapshot follow, for readers: files that were mapped, threads that began.
 * A replay continues from the snapshot, with the event after those. */
struct event_trimmed {
    u64 tick, pc;   /* moment of the snapshot, which is in the recording (log/trimmed.h) */
    u64 events_met; /* before it */
    u32 context;
    u32 unused;
};
_Static_assert(sizeof(struct event_trimmed) == 32, "on disk");

struct event_cpuid {
    u32 leaf, subleaf;
    u32 eax, ebx, ecx, edx;
};
_Static_assert(sizeof(struct event_cpuid) == 24, "on disk");

/* Followed by `args` u64s, then pieces. The moment is that of the syscall instruction. */
enum {
    SYSCALL_MORE = EVENT_MORE,
    SYSCALL_COMPARED = 2,    /* no row knows the call: the pieces were found by comparing memory */
    SYSCALL_WAITED = 4,      /* it gave the baton away while it waited */
    SYSCALL_INTERRUPTED = 8, /* a signal is delivered before it returns, see the next event */
    SYSCALL_REFUSED = 16,    /* the engine refused it without asking the kernel */
    /* a filter of the program (seccomp) stopped it: it was not made, whatever the result is */
    SYSCALL_FILTERED = 32,
    SYSCALL_ROLLED_BACK = 64, /* rax has its number again; SIGSYS follows */
    SYSCALL_ENDS_THREAD = 128, /* the thread ends in place of the call */
};
struct event_syscall {
    u32 number;
    u16 flags;  /* SYSCALL_* */
    u16 args;   /* number of arguments that follow, at most 6; unused ones are left out */
    i64 result; /* a negative errno on failure, as returned by the kernel */
};
_Static_assert(sizeof(struct event_syscall) == 16, "on disk");

/* If the preceding event does not say that more follows, a DATA event stands alone: the engine
 * wrote the pieces to the guest's memory while event.thread was in a system call, whose event comes
 * later. */
struct event_data {
    u32 flags; /* EVENT_MORE */
    u32 unused;
};
_Static_assert(sizeof(struct event_data) == 8, "on disk");

/* Other processes of the recording have changed memory that they share with this one: the pieces
 * are the differences from what this process last saw. Also used for the content of a segment that
 * the call has attached. */
enum event_shared_where {
    SHARED_IN_CALL = 0,     /* while event.thread was in a system call, whose event follows */
    SHARED_AT_BOUNDARY = 1, /* while it waited to continue at the moment */
};
struct event_shared {
    u32 flags; /* EVENT_MORE */
    u32 where; /* enum event_shared_where */
};
_Static_assert(sizeof(struct event_shared) == 8, "on disk");

enum event_signal_fate {
    SIGNAL_HANDLED = 0, /* a frame was built and the handler entered */
    SIGNAL_IGNORED = 1,
    /* it ended the program; with pc 0, a child of vfork, somewhere in the tick */
    SIGNAL_DIED = 2,
};
enum {
    /* the instruction at the moment caused it: a replay raises it again by itself */
    SIGNAL_SYNCHRONOUS = 1,
    SIGNAL_IN_CALL = 2,     /* delivered before the preceding system call returned */
};
struct event_signal {
    u32 signal;
    u16 fate;      /* enum event_signal_fate */
    u16 flags;
    u64 handler;   /* 0 unless handled */
    u64 frame;     /* rsp in the handler; 0 unless handled, or if there is no room for the frame */
    u8 info[128];  /* the kernel's siginfo_t */
};
_Static_assert(sizeof(struct event_signal) == 152, "on disk");

/* An instruction (or a call of the engine's vDSO) that reads a clock or asks the processor.
 * Followed by `count` u64s. */
enum event_clock_source {
    CLOCK_RDTSC = 0,    /* the counter */
    CLOCK_RDTSCP = 1,   /* the counter, ecx */
    CLOCK_RDRAND = 2,   /* the number, the carry flag */
    CLOCK_RDSEED = 3,   /* the same */
    CLOCK_RDPID = 4,    /* the number */
    CLOCK_XGETBV = 5,   /* edx:eax */
    CLOCK_CPUID = 6,    /* leaf | subleaf << 32, eax | ebx << 32, ecx | edx << 32 */
    CLOCK_GETTIME = 7,  /* clock id, seconds, nanoseconds, result */
    CLOCK_GETTIMEOFDAY = 8, /* seconds, microseconds, minutes west, dst, result */
    CLOCK_TIME = 9,     /* seconds */
    CLOCK_GETCPU = 10,  /* cpu, node, result */
    CLOCK_GETRES = 11,  /* clock id, seconds, nanoseconds, result */
};
struct event_clock {
    u16 source; /* enum event_clock_source */
    u16 unused;
    u32 count;
};
_Static_assert(sizeof(struct event_clock) == 8, "on disk");

/* A file was mapped; comes before the SYSCALL that mapped it (or at START's moment, for files that
 * the loader mapped). Replay takes the bytes from the copy, or from the file if it has not changed.
 * Followed by `path_size` bytes of path, padded to 8. */
struct event_map {
    u64 address, size; /* size 0: opened to be read as a program or an interpreter */
    u32 protection, flags;
    u64 offset;
    u64 device, inode;
    u64 file_size;
    u64 mtime;       /* nanoseconds since 1970 */
    u32 copy;        /* the bytes are in DIR/files/COPY; 0: no copy */
    u32 path_size;
};
_Static_assert(sizeof(struct event_map) == 72, "on disk");

enum event_switch_reason {
    SWITCH_CALL = 0,  /* event.thread entered a call that waits */
    SWITCH_SLICE = 1, /* its time slice ended */
    SWITCH_YIELD = 2, /* it yielded: sched_yield, spinning */
    SWITCH_EXIT = 3,  /* it ended */
};
struct event_switch {
    u16 to;     /* the thread that runs from here on; event.thread ran before */
    u16 reason; /* enum event_switch_reason */
    u32 to_tid; /* kernel thread id */
};
_Static_assert(sizeof(struct event_switch) == 8, "on disk");

struct event_check {
    u64 memory;  /* hash of the guest's writable memory */
    u64 vector;  /* hash of the vector registers of event.thread, 0: not computed */
    u64 bytes;   /* size of that memory */
};
_Static_assert(sizeof(struct event_check) == 24, "on disk");

enum event_note_level {
    NOTE_INFO = 0,
    NOTE_LIMIT = 1, /* something that cannot be replayed */
    NOTE_QUIET = 2, /* only from ebb to a replaying engine: output is not shown from here on; */
    NOTE_SHOWN = 3, /* output is shown from here on */
    NOTE_LEFT = 4,  /* the last event: the recording was ended here, and the process continued */
    NOTE_TRIMMED = 5, /* the last event: the rest was cut off (`ebb trim`) */
};
struct event_note {
    u32 level; /* enum event_note_level */
    u32 size;  /* size of the text that follows, without a null terminator */
};
_Static_assert(sizeof(struct event_note) == 8, "on disk");

/* From here on a child of vfork runs in its parent's memory, and its events are in this track,
 * until it execs, exits or dies; then the SYSCALL of the vfork follows. (A child of fork has its
 * own track, whose header has the moment of the SYSCALL.) */
struct event_fork {
    u32 pid;   /* 0: the child does not exist yet */
    u32 flags; /* of clone */
};
_Static_assert(sizeof(struct event_fork) == 8, "on disk");

struct event_exec {
    u64 unused; /* the START of the new image has all facts */
};
_Static_assert(sizeof(struct event_exec) == 8, "on disk");

struct event_end {
    u32 status; /* of exit, 0 .. 255 */
    u32 signal; /* the signal that ended it, or 0 */
    u32 core;   /* 1 if that signal dumps core */
    u32 unused;
};
_Static_assert(sizeof(struct event_end) == 16, "on disk");

/* The size of a payload part on disk: padded to a multiple of 8. */
static inline u64 format_padded(u64 size)
{
    return (size + EVENT_ALIGN - 1) & ~(u64)(EVENT_ALIGN - 1);
}

/* Files */

#define FORMAT_MAGIC "ebblog\0\1" /* eight bytes */

enum {
    TRACK_NONE = 0xffffffffu, /* parent of the first track */
    CHUNK_MAGIC = 0x6b6e6863, /* "chnk" */
    CHUNK_ZSTD = 1,           /* the stored bytes are one zstd frame */
    CHUNK_LAST = 2, /* the track was closed: no bytes, first_event is the number of all events */
    CHUNK_RAW_WANTED = 256 * 1024,
    CHUNK_RAW_MOST = 2 * CHUNK_RAW_WANTED,
};

enum track_origin {
    TRACK_FIRST = 0, /* the program that ebb started */
    TRACK_FORKED = 1,
    TRACK_EXECED = 2,
};

struct format_file {
    u8 magic[8];
    u32 version;      /* FORMAT_VERSION */
    u32 track;
    u32 parent;       /* TRACK_NONE for the first */
    u32 origin;       /* enum track_origin */
    u64 parent_tick;  /* the moment of the fork's SYSCALL, or of EXEC, in the parent's track */
    u64 parent_pc;
    u8 recording[16]; /* random id, the same in every file of a recording */
    u32 pid;
    u32 crc;          /* crc32c of the preceding bytes */
};
_Static_assert(sizeof(struct format_file) == 64, "on disk");

struct format_chunk {
    u32 magic;        /* CHUNK_MAGIC */
    u32 raw_size;     /* size of the events, at most CHUNK_RAW_MOST; 0 only in the last */
    u32 stored_size;  /* size of the bytes that follow */
    u32 flags;        /* CHUNK_ZSTD, or 0: not compressed; or CHUNK_LAST */
    u64 first_event;  /* number of its first event, counted from 0 in the track */
    u64 first_tick;   /* tick of its first event */
    u32 crc;          /* crc32c of the stored bytes */
    u32 header_crc;   /* crc32c of this struct up to here */
};
_Static_assert(sizeof(struct format_chunk) == 40, "on disk");

#endif
