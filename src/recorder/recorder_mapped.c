/* Mapped files, listed with their hashes: see the header.
 *
 * The file is found by its path, some time after it was mapped. If it is then no longer the same
 * file (device, inode, size, time), its line has no hash, and a replay is careful
 * (log/recording_file.c).
 *
 * Invariants
 *   (1) `noted` only grows; the first `written` of them have their lines.
 */
#include "recorder/recorder_mapped_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "log/known_hashes.h"
#include "log/mapped_list.h"

struct recorder_mapped {
    int list;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t more;
    struct mapped_list noted;
    size_t written;
    bool ended, running;
    pthread_t thread;
};

static bool is_still(int fd, const struct mapped_file_about *about, struct stat *ret)
{
    return fstat(fd, ret) == 0 && S_ISREG(ret->st_mode) && ret->st_dev == about->device &&
           ret->st_ino == about->inode && (u64)ret->st_size == about->size &&
           (u64)ret->st_mtim.tv_sec * 1000000000u + (u64)ret->st_mtim.tv_nsec == about->mtime;
}

static void hash_file(struct mapped_file_about *about)
{
    struct stat before, after;
    u64 size;
    int fd = open(about->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    about->hashed = is_still(fd, about, &before) &&
                    known_hashes_file(fd, &about->hash, &size) == 0 && size == about->size &&
                    is_still(fd, about, &after) &&
                    memcmp(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim) == 0;
    close(fd);
}

/* A disk that is full only because a large file is being copied has room again when that copy is
 * given up, so the line waits a little. Other errors are ignored: a full disk is noticed elsewhere,
 * and readers accept an incomplete line. */
static void write_line(const struct recorder_mapped *m, const struct mapped_file_about *about)
{
    enum { TRIES = 50, PAUSE_US = 5000 };
    char *line = mapped_list_line(about);
    size_t length = strlen(line), written = 0;
    for (unsigned tries = 0; written < length && tries < TRIES; tries++) {
        ssize_t got = write(m->list, line + written, length - written);
        if (got < 0 && errno != ENOSPC)
            break;
        written += got > 0 ? (size_t)got : 0;
        if (written < length)
            usleep(PAUSE_US);
    }
    free(line);
}

static void *recorder_mapped_run(void *argument)
{
    struct recorder_mapped *m = argument;
    setpriority(PRIO_PROCESS, 0, 10); /* applies to this thread only */
    pthread_mutex_lock(&m->lock);
    for (;;) {
        while (m->written == m->noted.count && !m->ended)
            pthread_cond_wait(&m->more, &m->lock);
        if (m->written == m->noted.count)
            break;
        struct mapped_file_about about = m->noted.files[m->written];
        pthread_mutex_unlock(&m->lock);
        if (!about.copy)
            hash_file(&about);
        write_line(m, &about);
        pthread_mutex_lock(&m->lock);
        m->written++;
        invariant(1, m->written <= m->noted.count);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

struct recorder_mapped *recorder_mapped_create(const struct recording *rec)
{
    struct recorder_mapped *m = xalloc(sizeof *m);
    *m = (struct recorder_mapped){0};
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->more, NULL);
    m->list = openat(rec->dir, MAPPED_LIST, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return m;
}

void recorder_mapped_note(struct recorder_mapped *m, const struct event_map *map)
{
    struct mapped_file_about about = {
        .copy = map->copy, .size = map->file_size, .device = map->device, .inode = map->inode,
        .mtime = map->mtime,
        .path = xformat("%.*s", (int)map->path_size, (const char *)(map + 1)),
    };
    pthread_mutex_lock(&m->lock);
    if (*about.path && !mapped_list_find(&m->noted, &about)) {
        mapped_list_add(&m->noted, &about);
        if (!m->running)
            m->running = pthread_create(&m->thread, NULL, recorder_mapped_run, m) == 0;
        pthread_cond_signal(&m->more);
    }
    pthread_mutex_unlock(&m->lock);
    free(about.path);
}

void recorder_mapped_finish(struct recorder_mapped *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->ended = true;
    pthread_cond_signal(&m->more);
    pthread_mutex_unlock(&m->lock);
    if (m->running)
        pthread_join(m->thread, NULL);
    invariant(1, m->written == (m->running ? m->noted.count : 0));
    mapped_list_deinit(&m->noted);
    if (m->list >= 0)
        close(m->list);
    pthread_cond_destroy(&m->more);
    pthread_mutex_destroy(&m->lock);
    free(m);
}
