/* A ring's memory, sleeping and waking, for hosted programs. */
#ifndef LOG_RING_MEMORY_H
#define LOG_RING_MEMORY_H

#include "base/error.h"
#include "log/ring.h"

struct ring_memory {
    struct ring *shared;
    u64 bytes;
    int fd;
};

/* Makes a ring of `size` bytes, a power of two; its descriptor is passed to the other side. */
struct error *ring_memory_init(struct ring_memory *m, u64 size);

/* For the other side: maps the ring of `fd`, and takes ownership of the descriptor. An error if
 * `fd` is not a ring. */
struct error *ring_memory_attach(struct ring_memory *m, int fd);

void ring_memory_deinit(struct ring_memory *m);

/* The other side counts as gone when *socket is closed. */
struct ring_host ring_memory_host(const int *socket);

#endif
