/* A client of the server: see the header.
 *
 * The thread that reads decodes frames, acknowledges them and queues packets. While the main thread
 * waits for the next packet, it reads itself: one movement of a client may be thousands of small
 * ones, and passing each packet between threads takes longer than answering it. While the main
 * thread works for longer, the reader thread watches:
 *
 *     parked  --- link_progress: this takes a while --->  watching
 *     parked  <-- link_next: park ----------------------  watching, also from the beginning on
 *
 * l->lock protects what both threads use, l->writing the output to the client.
 *
 * A Ctrl-C is meant for the movement that its sender believes is under way. That movement may have
 * ended meanwhile, or not have begun: a client that makes one movement of many small ones (`stepi
 * 1000`) may send it between two of them. So a Ctrl-C stays pending until a movement is interrupted
 * by it, but it expires soon after the server becomes idle, so that it does not affect later
 * requests.
 *
 * Invariants
 *   (1) l->busy: the main thread works on a packet, or packets are queued.
 *   (2) While l->busy, l->lapses is 0 for a pending Ctrl-C; for an expired one it is in the past.
 *   (3) The main thread reads only while the reader is parked, the reader only while it is not:
 *       l->wire has one owner.
 */
#include "front/gdb/link.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "debug/debug.h"
#include "front/gdb/reply.h"
#include "front/gdb/wire.h"

enum { LINE_MOST = 64, READ_ROOM = 65536, QUIET_MILLISECONDS = 100, LAPSE_NANOSECONDS = 100000000 };

struct client_link {
    int in, out, wake;
    pthread_t reader;
    pthread_mutex_t lock, writing;
    pthread_cond_t watch, parked;
    bool watching, is_parked; /* what the reader is to do; what it does */
    struct link_packet *line, **line_end;
    size_t count;
    bool gone, closing, busy, interrupted, acks;
    bool fleeting; /* see link_forget_interrupts */
    u64 lapses; /* when a Ctrl-C that ended no movement expires; nanoseconds, 0: not yet */
    bool moving;       /* a movement that debug_interrupt() ends */
    struct reply sent; /* the last frame, to be sent again if it arrived damaged */
    struct wire wire;  /* the reader's */
};

static void link_write_all(struct client_link *l, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(l->out, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* the reader will notice the end */
        bytes += done;
        size -= (size_t)done;
    }
}

static struct link_packet *packet_new(int kind, const char *bytes, size_t size)
{
    struct link_packet *p = xalloc(sizeof *p + size + 1);
    p->next = NULL;
    p->kind = kind;
    p->size = size;
    memcpy(p->bytes, bytes, size);
    p->bytes[size] = '\0';
    return p;
}

static u64 nanoseconds_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

static void join_line(struct client_link *l, struct link_packet *p)
{
    pthread_mutex_lock(&l->lock);
    *l->line_end = p;
    l->line_end = &p->next;
    l->count++;
    l->busy = true;
    if (l->interrupted && nanoseconds_now() < l->lapses)
        l->lapses = 0;
    pthread_mutex_unlock(&l->lock);
}

static void interrupt(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    l->interrupted = l->busy || !l->fleeting;
    invariant(1, l->busy || l->count == 0);
    l->lapses = l->busy ? 0 : nanoseconds_now() + LAPSE_NANOSECONDS;
    if (l->moving)
        debug_interrupt();
    pthread_mutex_unlock(&l->lock);
}

static bool has_acks(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    bool acks = l->acks;
    pthread_mutex_unlock(&l->lock);
    return acks;
}

/* False if acknowledgements were switched off. */
static bool acknowledge(struct client_link *l, const char *ack)
{
    if (!has_acks(l))
        return false;
    pthread_mutex_lock(&l->writing);
    link_write_all(l, ack, 1);
    pthread_mutex_unlock(&l->writing);
    return true;
}

static void send_again(struct client_link *l)
{
    if (!has_acks(l))
        return;
    pthread_mutex_lock(&l->writing);
    link_write_all(l, l->sent.bytes, l->sent.size);
    pthread_mutex_unlock(&l->writing);
}

static void link_take_news(struct client_link *l, enum wire_news news)
{
    switch (news) {
    case WIRE_PACKET:
    case WIRE_OVERSIZED:
        acknowledge(l, "+");
        join_line(l, packet_new(news == WIRE_PACKET ? LINK_PACKET : LINK_OVERSIZED,
                                l->wire.bytes, news == WIRE_PACKET ? l->wire.size : 0));
        break;
    case WIRE_DAMAGED:
        if (!acknowledge(l, "-"))
            join_line(l, packet_new(LINK_DAMAGED, "", 0));
        break;
    case WIRE_NACK:
        send_again(l);
        break;
    case WIRE_INTERRUPT:
        interrupt(l);
        break;
    default:
        break;
    }
}

/* Reads what has arrived, or notices the end of the connection. */
static void link_read_some(struct client_link *l)
{
    static __thread u8 room[READ_ROOM];
    ssize_t size = read(l->in, room, sizeof room);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    for (ssize_t i = 0; i < size; i++)
        link_take_news(l, wire_feed(&l->wire, room[i]));
    if (size > 0)
        return;
    pthread_mutex_lock(&l->lock);
    l->gone = true;
    if (l->moving)
        debug_interrupt();
    pthread_mutex_unlock(&l->lock);
}

/* --- the reader ---------------------------------------------------------------------------- */

/* Waits until the reader is to watch and the queue is not too long; false at the end. */
static bool wait_parked(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    while (!l->closing && (!l->watching || l->gone || l->count >= LINE_MOST)) {
        l->is_parked = true;
        pthread_cond_signal(&l->parked);
        pthread_cond_wait(&l->watch, &l->lock);
    }
    l->is_parked = false;
    bool goes_on = !l->closing;
    pthread_mutex_unlock(&l->lock);
    return goes_on;
}

static void kick(struct client_link *l)
{
    u64 one = 1;
    while (write(l->wake, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static void feel_kick(struct client_link *l)
{
    u64 kicks;
    while (read(l->wake, &kicks, sizeof kicks) < 0 && errno == EINTR)
        ;
}

/* True if this thread, the main thread or the reader, may read. */
static bool may_read(struct client_link *l, bool is_reader)
{
    pthread_mutex_lock(&l->lock);
    bool ret = is_reader ? !l->is_parked : l->is_parked && !l->watching;
    pthread_mutex_unlock(&l->lock);
    return ret;
}

static void *link_read_on(void *context)
{
    struct client_link *l = context;
    while (wait_parked(l)) {
        struct pollfd fds[2] = {{l->in, POLLIN, 0}, {l->wake, POLLIN, 0}};
        if (poll(fds, 2, -1) < 0)
            continue;
        invariant(3, may_read(l, true));
        if (fds[1].revents)
            feel_kick(l);
        else
            link_read_some(l);
    }
    return NULL;
}

/* The caller holds the lock. */
static void park(struct client_link *l)
{
    if (!l->watching)
        return;
    l->watching = false;
    kick(l);
    while (!l->is_parked)
        pthread_cond_wait(&l->parked, &l->lock);
}

static struct link_packet *take_first(struct client_link *l)
{
    struct link_packet *p = l->line;
    l->line = p->next;
    if (!l->line)
        l->line_end = &l->line;
    l->count--;
    return p;
}

static void link_free(struct client_link *l)
{
    close(l->wake);
    if (l->out != l->in)
        close(l->out);
    close(l->in);
    while (l->count)
        free(take_first(l));
    reply_deinit(&l->sent);
    free(l);
}

struct error *link_open(int in, int out, struct client_link **ret)
{
    struct client_link *l = xalloc(sizeof *l);
    *l = (struct client_link){.in = in, .out = out, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                              .acks = true,
                       .watching = true};
    l->line_end = &l->line;
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->writing, NULL);
    pthread_cond_init(&l->watch, NULL);
    pthread_cond_init(&l->parked, NULL);
    int failed = l->wake < 0 ? errno : pthread_create(&l->reader, NULL, link_read_on, l);
    if (failed) {
        link_free(l); /* also closes both descriptors */
        return error_errno(failed, "starting to listen to a client");
    }
    *ret = l;
    return NULL;
}

void link_close(struct client_link *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->closing = true;
    pthread_cond_signal(&l->watch);
    pthread_mutex_unlock(&l->lock);
    kick(l);
    pthread_join(l->reader, NULL);
    link_free(l);
}

/* Reads what arrives within this many milliseconds. */
static void read_within(struct client_link *l, int milliseconds)
{
    struct pollfd fd = {l->in, POLLIN, 0};
    invariant(3, may_read(l, false));
    if (poll(&fd, 1, milliseconds) > 0)
        link_read_some(l);
}

static bool is_waiting(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    bool ret = l->count == 0 && !l->gone;
    pthread_mutex_unlock(&l->lock);
    return ret;
}

/* A busy client sends its next packet at once. So idle work waits a little: a copy of a process
 * made in between would only be thrown away. */
static void wait_for_packet(struct client_link *l, bool (*idle)(void *), void *context)
{
    bool more = true;
    u64 quiet_until = nanoseconds_now() + QUIET_MILLISECONDS * 1000000ull;
    while (is_waiting(l)) {
        if (more && nanoseconds_now() < quiet_until) {
            read_within(l, QUIET_MILLISECONDS);
            continue;
        }
        more = more && idle(context);
        read_within(l, more ? 0 : -1);
    }
}

struct link_packet *link_next(struct client_link *l, bool (*idle)(void *), void *context)
{
    struct link_packet *ret = NULL;
    pthread_mutex_lock(&l->lock);
    park(l);
    if (l->count == 0 && l->busy) {
        l->busy = false;
        l->interrupted = l->interrupted && !l->fleeting;
        l->lapses = nanoseconds_now() + LAPSE_NANOSECONDS;
    }
    invariant(1, l->busy == (l->count > 0));
    pthread_mutex_unlock(&l->lock);
    wait_for_packet(l, idle, context);
    pthread_mutex_lock(&l->lock);
    invariant(1, l->busy || l->count == 0);
    if (l->count > 0)
        ret = take_first(l);
    pthread_mutex_unlock(&l->lock);
    return ret;
}

void link_send(struct client_link *l, const char *bytes, size_t size)
{
    pthread_mutex_lock(&l->writing);
    reply_clear(&l->sent);
    wire_frame(&l->sent, bytes, size);
    link_write_all(l, l->sent.bytes, l->sent.size);
    pthread_mutex_unlock(&l->writing);
}

void link_stop_acks(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    l->acks = false;
    pthread_mutex_unlock(&l->lock);
}

void link_forget_interrupts(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    l->fleeting = true;
    pthread_mutex_unlock(&l->lock);
}

bool link_gone(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    bool reads = !l->watching && l->count < LINE_MOST;
    pthread_mutex_unlock(&l->lock);
    if (reads)
        read_within(l, 0);
    pthread_mutex_lock(&l->lock);
    bool gone = l->gone;
    pthread_mutex_unlock(&l->lock);
    return gone;
}

bool link_begin_movement(struct client_link *l, struct session *s)
{
    pthread_mutex_lock(&l->lock);
    bool stopped = l->gone || (l->interrupted && l->lapses == 0);
    invariant(2, !l->busy || !l->interrupted || l->lapses <= nanoseconds_now());
    l->interrupted = false;
    l->moving = !stopped;
    if (!stopped)
        debug_attend(s);
    pthread_mutex_unlock(&l->lock);
    return !stopped;
}

void link_end_movement(struct client_link *l, bool heeded)
{
    pthread_mutex_lock(&l->lock);
    l->moving = false;
    debug_attend(NULL);
    if (heeded || l->fleeting)
        l->interrupted = false;
    pthread_mutex_unlock(&l->lock);
}

void link_progress(struct client_link *l)
{
    pthread_mutex_lock(&l->lock);
    if (!l->watching)
        pthread_cond_signal(&l->watch);
    l->watching = true;
    if (l->moving && (l->interrupted || l->gone))
        debug_interrupt();
    pthread_mutex_unlock(&l->lock);
}
