/* The store: contents that the recordings of one user share.  Hosted.
 *
 *     ROOT/.store/HASH-CRC-SIZE.zst   a content, compressed (log/kept_copy.h)
 *     ROOT/.store/stat/KEY            a link to the name of a content: what a file that has this
 *                                     device, inode, size and times holds
 *
 * A copy in a recording is a hard link to its content, so the file system counts references. A
 * recording stays whole even if the store is lost, and a content with no other link is garbage.
 * Files in the store never change, and a name appears when its file is complete. So several
 * recorders and removers work side by side without a lock, and a crash leaves only garbage. Nothing
 * is shared on a file system without hard links, or other than the root's.
 */
#ifndef LOG_COPY_STORE_H
#define LOG_COPY_STORE_H

#include <sys/stat.h>

#include "base/types.h"
#include "log/kept_copy.h"

#define COPY_STORE ".store"

/* Opens the store of the root for a recording that is open as `dir`; -1: sharing is not
 * possible. */
int copy_store_open(int dir);

/* True if the content of this file is known. `st` was taken before. */
bool copy_store_know(int store, const struct stat *st, struct kept_content *ret);
void copy_store_learn(int store, const struct stat *st, const struct kept_content *content);

/* Gives the recording `dir` the content as `name`; false: the store does not have it. */
bool copy_store_take(int store, const struct kept_content *content, int dir, const char *name);

/* Adds `name` of the recording to the store. If another recorder was faster, `name` becomes a link
 * to its file. */
void copy_store_put(int store, const struct kept_content *content, int dir, const char *name);

/* Removes contents that no recording refers to, and adds up the bytes and files that were freed. */
struct copy_store_figures {
    u64 files, bytes;
};
void copy_store_collect(struct copy_store_figures *ret);

/* The bytes of all contents that more than one recording refers to. */
u64 copy_store_shared(void);

#endif
