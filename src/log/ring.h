/* The ring: events on their way from one process to another, through shared memory.
 *
 * One producer, one consumer.  Recording: the engine produces, the recorder consumes.  Replay:
 * ebb produces, the engine consumes.  ebb makes the memory in both cases (a memfd of
 * ring_bytes(size), sealed against shrinking) and hands it over (log/channel.h).
 *
 * The memory is a header page and `size` bytes, a power of two.  `written` and `read` count bytes
 * and only grow; a byte's place is its count modulo size.  A record never wraps: a PAD record
 * fills the rest of a round.  Records are those of log/format.h.
 *
 * Each side keeps its own state in a private handle, and reads from the shared page only what the
 * other side writes. The reason is that the guest can overwrite the engine's mapping: the recorder
 * uses nothing from there without checking (ring_readable), and the engine knows how far it has
 * written even if the page was overwritten.
 *
 * Waking. Calls to the kernel are rare. A consumer with nothing to do stores in `wake_at` the value
 * of `written` at which it wants to be woken, and sleeps with a time-out. So a missed wake (the
 * producer uses no fence) costs at most the time-out, and events below that mark are read after the
 * time-out. A producer that finds no room sets `producer_waits`; the consumer tests it after each
 * advance, with a fence in between.
 *
 * Position. A producer that computes writes no records. It stores its position now and then
 * (ring_here), so that the consumer knows it if the producer is killed.
 *
 * System calls are made through struct ring_host, because the engine makes them in its own way.
 *
 * Freestanding; everything is inline.
 */
#ifndef LOG_RING_H
#define LOG_RING_H

#include "base/types.h"
#include "log/format.h"

enum {
    RING_VERSION = 2,
    RING_PAGE = 4096,
    RING_SIZE_LEAST = 2 * EVENT_SIZE_MOST, /* any record fits, wherever the round is */
    RING_WAKE_BYTES = 64 * 1024,
};

#define RING_MAGIC 0x676e697262626500ul /* "\0ebbring" */
#define RING_NEVER (~0ul)
#define RING_WAIT_NS 50000000ul /* a waiting side tests again after this time */

/* The producer's position. */
struct ring_here {
    u64 tick, pc, hash; /* as in an event */
    u64 thread;
    u64 check; /* a check value over the other fields, to detect a partial write */
};

struct ring {
    u64 magic;
    u32 version;
    u32 unused;
    u64 size;
    /* written by the producer */
    u64 written __attribute__((aligned(64)));
    u32 producer_done;  /* nothing more will be written */
    /* written by the consumer */
    u64 read __attribute__((aligned(64)));
    u32 consumer_gone;  /* the reader is gone: the producer continues without it */
    /* written by the sleeping side, and by the side that wakes it */
    u64 wake_at __attribute__((aligned(64)));
    u32 consumer_waits; /* futex: 1 while it sleeps */
    u32 producer_waits; /* futex: 1 while it sleeps */
    /* written by the producer alternately, so that one of them is always complete */
    struct ring_here here[2] __attribute__((aligned(64)));
};
_Static_assert(sizeof(struct ring) <= RING_PAGE, "fits its page");

/* System calls, and whether the other side still lives; `context` is the caller's. */
struct ring_host {
    /* Sleeps while *word == value, until woken, a signal, or `ns` have passed. */
    void (*wait)(void *context, u32 *word, u32 value, u64 ns);
    void (*wake)(void *context, u32 *word);
    /* True if the other process is gone. Called only after a time-out. */
    bool (*gone)(void *context);
    void *context;
};

static inline u64 ring_bytes(u64 size)
{
    return RING_PAGE + size;
}

/* Called once by the maker, on zeroed memory. */
static inline void ring_init(struct ring *shared, u64 size)
{
    shared->magic = RING_MAGIC;
    shared->version = RING_VERSION;
    shared->size = size;
    shared->wake_at = RING_NEVER;
}

/* `bytes` is the size of the whole mapping. */
static inline bool ring_valid(const struct ring *shared, u64 bytes)
{
    return bytes > RING_PAGE && shared->magic == RING_MAGIC && shared->version == RING_VERSION &&
           shared->size == bytes - RING_PAGE && shared->size >= RING_SIZE_LEAST &&
           (shared->size & (shared->size - 1)) == 0;
}

/* Where the producer is */

static inline u64 ring_here_check(const struct ring_here *h)
{
    u64 sum = RING_MAGIC;
    for (const u64 *word = &h->tick; word < &h->check; word++)
        sum = (sum ^ *word) * 0x9e3779b97f4a7c15ul;
    return sum;
}

/* `turn` counts. */
static inline void ring_say_here(struct ring *shared, u64 turn, struct ring_here here)
{
    struct ring_here *to = &shared->here[turn & 1];
    here.check = ring_here_check(&here);
    __atomic_store_n(&to->check, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    to->tick = here.tick;
    to->pc = here.pc;
    to->hash = here.hash;
    to->thread = here.thread;
    __atomic_store_n(&to->check, here.check, __ATOMIC_RELEASE);
}

/* Returns the latest position; false if there is none. */
static inline bool ring_last_here(const struct ring *shared, struct ring_here *ret)
{
    bool found = false;
    for (unsigned n = 0; n < 2; n++) {
        struct ring_here here = shared->here[n];
        if (here.check != ring_here_check(&here) || (found && here.tick <= ret->tick))
            continue;
        *ret = here;
        found = true;
    }
    return found;
}

/* The producer */

struct ring_producer {
    struct ring *shared;
    u8 *bytes;
    u64 size;
    u64 written; /* published */
    u64 read;    /* as last seen: at least this much is free again */
    bool lost;   /* the consumer is gone: nothing more is written */
};

static inline void ring_producer_init(struct ring_producer *p, struct ring *shared)
{
    *p = (struct ring_producer){
        .shared = shared,
        .bytes = (u8 *)shared + RING_PAGE,
        .size = shared->size,
        .written = shared->written,
        .read = shared->read,
    };
}

static inline u64 ring_free(struct ring_producer *p)
{
    return p->size - (p->written - p->read);
}

static inline void ring_wake_consumer(struct ring_producer *p, const struct ring_host *host)
{
    __atomic_store_n(&p->shared->wake_at, RING_NEVER, __ATOMIC_RELAXED);
    __atomic_store_n(&p->shared->consumer_waits, 0, __ATOMIC_SEQ_CST);
    host->wake(host->context, &p->shared->consumer_waits);
}

/* Sleeps until there may be more room; false if the reader is gone. */
static inline bool ring_wait_for_room(struct ring_producer *p, const struct ring_host *host)
{
    struct ring *shared = p->shared;
    __atomic_store_n(&shared->producer_waits, 1, __ATOMIC_SEQ_CST);
    ring_wake_consumer(p, host);
    if (__atomic_load_n(&shared->read, __ATOMIC_SEQ_CST) == p->read)
        host->wait(host->context, &shared->producer_waits, 1, RING_WAIT_NS);
    if (__atomic_load_n(&shared->read, __ATOMIC_ACQUIRE) != p->read)
        return true;
    return !__atomic_load_n(&shared->consumer_gone, __ATOMIC_RELAXED) &&
           !host->gone(host->context);
}

/* Waits until `wanted` bytes are free. False, with p->lost set, if the reader is gone. */
static inline bool ring_make_room(struct ring_producer *p, const struct ring_host *host, u64 wanted)
{
    while (ring_free(p) < wanted) {
        p->read = __atomic_load_n(&p->shared->read, __ATOMIC_ACQUIRE);
        if (p->written - p->read > p->size)
            p->lost = true; /* the page was overwritten */
        else if (ring_free(p) < wanted && !ring_wait_for_room(p, host))
            p->lost = true;
        if (p->lost)
            return false;
    }
    return true;
}

static inline void ring_advance_written(struct ring_producer *p, u64 size)
{
    p->written += size;
    __atomic_store_n(&p->shared->written, p->written, __ATOMIC_RELEASE);
}

/* Returns room for a record of up to `size` bytes (a multiple of 8, at most EVENT_SIZE_MOST), to be
 * filled and published; NULL if the reader is gone, which is final. */
static inline void *ring_reserve(struct ring_producer *p, const struct ring_host *host, u64 size)
{
    u64 at = p->written & (p->size - 1), left = p->size - at;
    u64 pad = left < size ? left : 0;
    if (p->lost || !ring_make_room(p, host, pad + size))
        return NULL;
    if (pad) {
        struct event *e = (struct event *)(p->bytes + at);
        e->size = (u32)pad;
        e->kind = EVENT_PAD;
        e->thread = 0;
        ring_advance_written(p, pad);
    }
    return p->bytes + (p->written & (p->size - 1));
}

/* Publishes the record in the reserved room. The record contains its size, which may be smaller
 * than reserved. */
static inline void ring_publish(struct ring_producer *p, const struct ring_host *host)
{
    const struct event *e = (const struct event *)(p->bytes + (p->written & (p->size - 1)));
    ring_advance_written(p, e->size);
    if (p->written >= __atomic_load_n(&p->shared->wake_at, __ATOMIC_RELAXED))
        ring_wake_consumer(p, host);
}

/* Nothing more will come; wakes the consumer. */
static inline void ring_finish(struct ring_producer *p, const struct ring_host *host)
{
    __atomic_store_n(&p->shared->producer_done, 1, __ATOMIC_RELEASE);
    ring_wake_consumer(p, host);
}

/* The consumer */

struct ring_consumer {
    struct ring *shared;
    u8 *bytes;
    u64 size;
    u64 read;
    bool damaged; /* the shared page or a record is invalid: nothing more is taken */
};

static inline void ring_consumer_init(struct ring_consumer *c, struct ring *shared)
{
    *c = (struct ring_consumer){
        .shared = shared,
        .bytes = (u8 *)shared + RING_PAGE,
        .size = shared->size,
        .read = shared->read,
    };
}

/* Returns the number of contiguous bytes that can be taken from *ret on: whole records, if the
 * producer is honest. 0 if there are none (or c->damaged). */
static inline u64 ring_readable(struct ring_consumer *c, const u8 **ret)
{
    u64 written = __atomic_load_n(&c->shared->written, __ATOMIC_ACQUIRE);
    u64 length = written - c->read, at = c->read & (c->size - 1);
    if (c->damaged || length > c->size || length % EVENT_ALIGN) {
        c->damaged = true;
        return 0;
    }
    *ret = c->bytes + at;
    return length < c->size - at ? length : c->size - at;
}

/* Returns `size` bytes to the producer. */
static inline void ring_advance(struct ring_consumer *c, const struct ring_host *host, u64 size)
{
    c->read += size;
    __atomic_store_n(&c->shared->read, c->read, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&c->shared->producer_waits, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&c->shared->producer_waits, 0, __ATOMIC_SEQ_CST);
        host->wake(host->context, &c->shared->producer_waits);
    }
}

/* Sleeps until `wanted` unread bytes are there, or `ns` have passed. */
static inline void ring_wait_for_bytes(struct ring_consumer *c, const struct ring_host *host,
                                       u64 wanted, u64 ns)
{
    struct ring *shared = c->shared;
    __atomic_store_n(&shared->consumer_waits, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->wake_at, c->read + wanted, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&shared->written, __ATOMIC_SEQ_CST) - c->read < wanted &&
        !__atomic_load_n(&shared->producer_done, __ATOMIC_RELAXED))
        host->wait(host->context, &shared->consumer_waits, 1, ns);
    __atomic_store_n(&shared->wake_at, RING_NEVER, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->consumer_waits, 0, __ATOMIC_RELAXED);
}

/* The reader gives up; a waiting producer continues without it. */
static inline void ring_abandon(struct ring_consumer *c, const struct ring_host *host)
{
    __atomic_store_n(&c->shared->consumer_gone, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&c->shared->producer_waits, 0, __ATOMIC_SEQ_CST);
    host->wake(host->context, &c->shared->producer_waits);
}

/* Returns the next record if there is one now, skipping PADs; it is valid until
 * ring_advance(e->size). */
static inline const struct event *ring_peek_now(struct ring_consumer *c,
                                                const struct ring_host *host)
{
    const u8 *at;
    for (u64 length; (length = ring_readable(c, &at)) != 0;) {
        const struct event *e = (const struct event *)at;
        u64 least = e->kind == EVENT_PAD ? EVENT_ALIGN : sizeof *e;
        if (e->size > length || e->size < least || e->size % EVENT_ALIGN) {
            c->damaged = true;
            return NULL;
        }
        if (e->kind != EVENT_PAD)
            return e;
        ring_advance(c, host, e->size);
    }
    return NULL;
}

/* The same, but waits for it. NULL: there will be no more (done, gone or damaged). */
static inline const struct event *ring_peek(struct ring_consumer *c, const struct ring_host *host)
{
    for (;;) {
        bool done = __atomic_load_n(&c->shared->producer_done, __ATOMIC_ACQUIRE);
        const struct event *e = ring_peek_now(c, host);
        if (e || c->damaged || done)
            return e;
        ring_wait_for_bytes(c, host, EVENT_ALIGN, RING_WAIT_NS);
        if (!(e = ring_peek_now(c, host)) && host->gone(host->context))
            return ring_peek_now(c, host); /* records written before it ended */
        if (e)
            return e;
    }
}

#endif
