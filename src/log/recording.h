/* A recording: where it is, what is said about it, its tracks.  Hosted.
 *
 * It is a directory, or one packed file (log/pack.h) made from it. Readers need not know which.
 * log/recording_file.h provides the files that the program mapped.
 *
 *     DIR/meta          text, see docs/log-format.md
 *     DIR/track-N.log   one file for each track
 *     DIR/files/M.zst   copies of files that were mapped (log/kept_copy.h); or M, as they are
 *     DIR/files/index   their checksums
 *     DIR/marks         bookmarks of its users, and where they were (src/debug/debug_marks.c)
 *     DIR/files/mapped  all files that were mapped, with hashes of those that were not copied
 *
 * Recordings hold secrets: directories are 0700, files 0600.
 */
#ifndef LOG_RECORDING_H
#define LOG_RECORDING_H

#include "base/error.h"
#include "base/types.h"
#include "log/reader.h"

#define RECORDING_MARKS "marks"
#define RECORDING_SUFFIX ".ebb" /* of packed ones */

enum recording_state {
    RECORDING_RUNNING, /* the recorder is at it, or was killed */
    RECORDING_ENDED,
    RECORDING_CUT,     /* the recorder had to stop before the program ended; `why` says more */
};

/* What DIR/meta says.  Strings belong to it and may be NULL. */
struct recording_meta {
    u8 id[16];        /* random; in every track's header too */
    enum recording_state state;
    char *why;
    char *program;    /* the file */
    char **arguments; /* ends with NULL */
    char *directory;  /* it was started in */
    u64 started;      /* nanoseconds since 1970 */
    u64 ended;        /* 0: not yet */
    int status;       /* the exit status of the first process, -1: none */
    int signal;       /* that ended it, or 0 */
    bool core;        /* some process of it dumped core */
    u32 tracks;
    u64 snapshot_ns;    /* that snapshots took of the processes' time */
    char *snapshot_why; /* why the last one that was tried could not be taken; NULL: it was */
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

/* $EBB_RECORDINGS, or ~/.local/share/ebb.  To be freed. */
struct error *recording_root(char **ret);

/* Makes an empty one: `output` if given (must not exist, or be an empty directory), otherwise
 * BASE-N in the root, where `latest` then points to it. */
struct error *recording_create(const char *output, const char *base, struct recording **ret);

/* By a path, by a name here or in the root, or `latest` if that is NULL. A file of this name in the
 * current directory that is not a recording does not hide one in the root. */
struct error *recording_open(const char *name, struct recording **ret);

void recording_destroy(struct recording *rec); /* of memory only; accepts NULL */
void recording_destroyp(struct recording **rec);

/* A small text file of it, whole; `ret` is to be freed. */
struct error *recording_text(const struct recording *rec, const char *name, char **ret);
/* Whole, or not at all. */
struct error *recording_replace_text(const struct recording *rec, const char *name,
                                     const char *text);

/* Writes rec->meta to its file, whole or not at all. */
struct error *recording_save(struct recording *rec);

/* Removes it from disk: what a recording consists of, nothing else. */
struct error *recording_remove(const struct recording *rec);

/* The same by name; even one that cannot be opened, if it is one. */
struct error *recording_remove_named(const char *name);

/* "track-N.log", to be freed. */
char *recording_track_name(u32 track);

/* The numbers of its tracks, rising; *ret to be freed. */
struct error *recording_tracks(const struct recording *rec, u32 **ret, size_t *ret_count);

/* Opens a track's file and checks that it belongs here. */
struct error *recording_open_track(const struct recording *rec, u32 track, struct reader **ret);

/* Bytes of all its files on disk. */
u64 recording_size(const struct recording *rec);
/* The same without copies that other recordings share: what its removal frees. */
u64 recording_size_own(const struct recording *rec);

/* Removes what recorders and removers that were killed have left in the root: beginnings of
 * recordings, half-made files, and contents in the store that no recording refers to. */
struct recording_garbage {
    u64 leftovers; /* that were no contents */
    u64 contents, bytes;
};
struct error *recording_collect(struct recording_garbage *ret);

/* All in the root, oldest first; those that cannot be opened are handed to `broken`. */
struct error *recording_list(void (*broken)(struct error *err), struct recording ***ret,
                             size_t *ret_count);

#endif
