/* A recording: its location, meta data and tracks. Hosted.
 *
 * It is a directory, or one packed file (log/pack.h) made from it. Readers need not know which.
 * log/recording_file.h provides the files that the program mapped.
 *
 *     DIR/meta          text, see docs/log-format.md
 *     DIR/track-N.log   one file for each track
 *     DIR/pages-K       pages of snapshots (log/page_file.h)
 *     DIR/unwritten-N   which memory was not written between snapshots (log/unwritten.h)
 *     DIR/files/M.zst   copies of mapped files (log/kept_copy.h); or M, uncompressed
 *     DIR/files/index   their checksums
 *     DIR/marks         bookmarks, and the moments for undo (src/debug/debug_marks.c)
 *     DIR/files/mapped  all mapped files, with hashes of those that were not copied
 *
 * Recordings may contain secrets: directories are 0700, files 0600.
 */
#ifndef LOG_RECORDING_H
#define LOG_RECORDING_H

#include "base/error.h"
#include "base/types.h"
#include "log/reader.h"

#define RECORDING_MARKS "marks"
#define RECORDING_SUFFIX ".ebb" /* of packed ones */

enum recording_state {
    RECORDING_RUNNING, /* the recorder is running, or was killed */
    RECORDING_ENDED,
    RECORDING_CUT,     /* the recorder had to stop before the program ended; `why` says more */
};

/* The content of DIR/meta. It owns its strings, which may be NULL. */
struct recording_meta {
    u8 id[16];        /* random; also in every track's header */
    enum recording_state state;
    char *why;
    char *program;    /* the file */
    char **arguments; /* ends with NULL */
    char *directory;  /* the directory in which it was started */
    u64 started;      /* nanoseconds since 1970 */
    u64 ended;        /* 0: not yet */
    int status;       /* the exit status of the first process, -1: none */
    int signal;       /* the signal that ended it, or 0 */
    bool core;        /* some process of it dumped core */
    u32 tracks;
    u64 snapshot_ns;    /* time that snapshots took from the processes */
    u64 snapshot_pause; /* the longest time that a process was held for one, in nanoseconds */
    u64 snapshot_pages; /* pages that processes wrote for them */
    u64 program_ns;     /* processor time of the first process and those that it waited for */
    u64 recorder_ns;    /* the recorder's own */
    char *snapshot_why; /* why the last attempt at a snapshot failed; NULL: it did not */
    char *kernel, *cpu, *features, *recorder;
};

struct pack;

struct recording {
    char *path; /* absolute */
    int dir;           /* -1: it is packed */
    struct pack *pack; /* NULL: it is a directory */
    struct recording_meta meta;
    struct recording_sound *sound; /* of recording_file.c */
};

/* Returns $EBB_RECORDINGS, or ~/.local/share/ebb; the caller frees it. */
struct error *recording_root(char **ret);

/* Makes an empty recording: `output` if given (must not exist, or be an empty directory), otherwise
 * BASE-N in the root, where `latest` then points to it. */
struct error *recording_create(const char *output, const char *base, struct recording **ret);

/* Opens a recording by a path, a name here or in the root; NULL: `latest`. A file of this name in
 * the current directory that is not a recording does not hide one in the root. */
struct error *recording_open(const char *name, struct recording **ret);

void recording_destroy(struct recording *rec); /* frees memory only; accepts NULL */
void recording_destroyp(struct recording **rec);

/* Reads a small text file of the recording; the caller frees *ret. */
struct error *recording_text(const struct recording *rec, const char *name, char **ret);
/* Replaces a file atomically. */
struct error *recording_replace_text(const struct recording *rec, const char *name,
                                     const char *text);

/* Writes rec->meta to its file, atomically. */
struct error *recording_save(struct recording *rec);

/* Removes the recording from disk: its known files, nothing else. */
struct error *recording_remove(const struct recording *rec);

/* The same by name; also works for a damaged recording that cannot be opened. */
struct error *recording_remove_named(const char *name);

/* "track-N.log"; the caller frees it. */
char *recording_track_name(u32 track);

/* Returns the numbers of its tracks, ascending; the caller frees *ret. */
struct error *recording_tracks(const struct recording *rec, u32 **ret, size_t *ret_count);

/* Opens a track's file and checks that it belongs here. */
struct error *recording_open_track(const struct recording *rec, u32 track, struct reader **ret);

/* Bytes of all its files on disk. */
u64 recording_size(const struct recording *rec);
/* The same without copies that other recordings share: the space that a removal frees. */
u64 recording_size_own(const struct recording *rec);

/* Removes what killed recorders and removers have left in the root: unfinished recordings and
 * files, and contents in the store that no recording refers to. */
struct recording_garbage {
    u64 leftovers; /* files that were not contents */
    u64 contents, bytes;
};
struct error *recording_collect(struct recording_garbage *ret);

/* Lists all recordings in the root, oldest first; `broken` is called for those that cannot be
 * opened. */
struct error *recording_list(void (*broken)(struct error *err), struct recording ***ret,
                             size_t *ret_count);

#endif
