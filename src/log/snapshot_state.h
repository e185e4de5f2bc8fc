/* The state of a snapshot: written by one engine, restored by another.
 *
 * A snapshot is the program's complete state at a boundary of a replay. An engine writes it to a
 * file as pages, each 4096 bytes, followed by the *state*: records without gaps that describe the
 * pages and everything else. log/snapshot_file.h stores that file; docs/log-format.md describes
 * both.
 *
 * Records come in the order of the enumeration: one STATE first, then any number of the others.
 *
 * Freestanding: constants and structs.
 */
#ifndef LOG_SNAPSHOT_STATE_H
#define LOG_SNAPSHOT_STATE_H

#include "base/registers.h"
#include "base/types.h"

/* Raised by any change to a record. An engine refuses snapshots of another version. */
enum { SNAPSHOT_VERSION = 1 };

/* How an engine that records finds the pages that have changed since its last snapshot. */
enum snapshot_way {
    SNAPSHOT_WAY_ANY = 0,    /* the best that there is */
    SNAPSHOT_WAY_KERNEL = 1, /* the kernel tells: userfaultfd and PAGEMAP_SCAN, Linux 6.7 */
    SNAPSHOT_WAY_HASH = 2,   /* by hashes of all pages */
    SNAPSHOT_WAY_FULL = 3,   /* not at all: all pages are written */
};

/* The first snapshot of a process that records has all pages.  So that the process does not stand
 * for long, it writes at most this many bytes at a time, and runs meanwhile (snapshot_write.c). */
enum { SNAPSHOT_SLICE = 16 << 20 };

enum { SNAPSHOT_PAGE = 4096, SNAPSHOT_SIGNALS = 64, SNAPSHOT_DESCRIPTORS = 1024 };

enum snapshot_record_kind {
    SNAPSHOT_STATE = 1,   /* struct snapshot_state */
    SNAPSHOT_FILE = 2,    /* struct snapshot_file_record, path; counted from 0 */
    SNAPSHOT_COPY = 3,    /* struct snapshot_copy, path; counted from 0 */
    SNAPSHOT_AREA = 4,    /* struct snapshot_area, lowest first */
    SNAPSHOT_MAPPING = 5, /* struct snapshot_mapping, lowest first */
    SNAPSHOT_THREAD = 6,  /* struct snapshot_thread, image of vector registers */
    SNAPSHOT_PAGES = 7,   /* struct snapshot_pages */
    SNAPSHOT_SAME = 8,    /* struct snapshot_pages: what the process's last snapshot has there,
                           * zeros included.  Only from an engine that records to the recorder; it
                           * lies among PAGES by address */
    SNAPSHOT_UNWRITTEN = 9, /* the same, and no byte there was written since then, not even with
                             * the value that it had */
};

struct snapshot_record {
    u32 kind; /* enum snapshot_record_kind */
    u32 size; /* size of the whole record, a multiple of 8 */
};

struct snapshot_action { /* A signal's action, as in rt_sigaction. */
    u64 handler, flags, restorer, mask;
};

struct snapshot_state {
    struct snapshot_record record;
    u32 version;          /* SNAPSHOT_VERSION */
    u32 running;          /* ordinal of the current thread */
    u64 tick, pc;
    /* number of events met: all but notes, EXEC, and signals raised by instructions */
    u64 events_met;
    u32 next_ordinal;     /* ordinal that the next new thread gets */
    u32 vector_size;      /* size of an image of vector registers */
    u64 vector_kept;      /* the XCR0 features that it contains, */
    u64 vector_places;    /* and a hash of their offsets */
    u64 heap_start, heap_now;
    u64 stack_limit;      /* RLIMIT_STACK */
    u64 last_nameless;    /* the last number used for shared memory without a file */
    struct snapshot_action actions[SNAPSHOT_SIGNALS]; /* actions[n] is for signal n + 1 */
    u8 shown_as[SNAPSHOT_DESCRIPTORS]; /* descriptors that stand for standard output and error */
    u32 quiet;            /* 1: output to them is not shown */
    u32 unused;
    char limit[256];      /* the recorder's note about what it could not record, or empty */
};

/* A file that is mapped privately: the fields of its MAP event. */
struct snapshot_file_record {
    struct snapshot_record record;
    u32 copy;
    u32 path_size; /* the path follows, with zeros up to a multiple of 8 */
    u64 device, inode, size, mtime;
};

/* Memory that mappings share: a file, a segment, or memory without a name. */
struct snapshot_copy {
    struct snapshot_record record;
    u64 device, inode; /* as in the recording */
    u64 size;
    u32 path_size;     /* of its name, which follows like that of a file; 0: none */
    u32 unused;
};

enum snapshot_source {
    SNAPSHOT_ANONYMOUS = 0,
    SNAPSHOT_OF_FILE = 1,
    SNAPSHOT_OF_COPY = 2,
};

/* An area of the address space as the program knows it. */
struct snapshot_area {
    struct snapshot_record record;
    u64 start, end;
    u32 protection;
    u32 flags;    /* AREA_* in engine/memory/areas.h */
    u64 offset;
    u32 source;   /* enum snapshot_source; the vDSO and memory without a file are ANONYMOUS */
    u32 index;    /* index of the FILE or COPY */
};

/* Where the contents of a range come from. */
struct snapshot_mapping {
    struct snapshot_record record;
    u64 start, end;
    u64 offset;
    u32 source;
    u32 index;
    u32 protection; /* PROT_* of the area */
    u32 shared;
    u32 grows_down;
    u32 unused;
};

struct snapshot_thread {
    struct snapshot_record record;
    u32 ordinal, tid;
    u32 first;      /* 1: its id is that of the process */
    u32 in_call;    /* 1: it waits in the call below */
    char name[16];
    u64 reg[GENERAL_REGISTERS];
    u64 rip, flags, fs_base, gs_base;
    u64 mask, mask_restore;
    u32 mask_restore_waits;
    u32 forbidden; /* bits of enum thread_forbids */
    u64 altstack_base, altstack_size;
    u32 altstack_flags;
    u32 signal_waits;      /* 1: waiting_info is delivered next */
    u8 waiting_info[128];
    u64 fault_error, fault_trap, fault_cr2; /* of the last fault */
    u64 clear_tid, robust_list, robust_size;
    u64 call_number, call_args[6], call_tick, call_pc;
    u32 call_flags;
    u32 unused;
    /* vector_size bytes */
};

/* Pages of memory or of a copy. */
struct snapshot_pages {
    struct snapshot_record record;
    u64 address;  /* or offset in the copy */
    u64 count;
    u64 first;    /* number of the first page in the file */
    u32 copy;     /* 0: memory; otherwise the copy's index plus 1 */
    u32 unused;
};

#endif
