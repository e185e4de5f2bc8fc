/* Copies of mapped files, kept in a recording because the files may change. */
#ifndef RECORDER_FILES_INTERNAL_H
#define RECORDER_FILES_INTERNAL_H

#include "base/types.h"
#include "log/channel.h"
#include "log/recording.h"

/* Starts zeroed. */
struct recorder_files {
    struct channel_keep *kept; /* copy N is kept[N - 1] */
    u32 count;
    u64 bytes; /* on disk */
    /* 0: not tried yet; -1: this recording shares with no other
     * (log/copy_store.h)
     */
    int store;
};

/* Copies the file of `fd` to DIR/files, unless this file was already copied; *ret is the number of
 * the copy. Returns 0 or an errno. */
int recorder_files_keep(struct recorder_files *files, const struct recording *rec,
                        const struct channel_keep *keep, int fd, u32 *ret);

void recorder_files_deinit(struct recorder_files *files);

#endif
