/* A client of the server: see the header.
 *
 * The reader thread takes frames apart, answers them with acks and lines packets up; the main
 * thread takes them from the line.  All that both touch is under l->lock, writing to the client
 * under l->writing.
 *
 * A Ctrl-C is for the movement that its sender believes is under way.  That may have ended meanwhile,
 * or not have begun: a client that makes one movement of many small ones (`stepi 1000`) sends it
 * between two of them.  So it stands until a movement heeds it, but lapses soon after there is
 * nothing more to do: what is asked for later is another matter.
 *
 * Invariants
 *   (1) l->busy: the main thread works on a packet, or some wait in line.
 *   (2) l->lapses is 0 as long as (1), for a Ctrl-C that stands.
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

#include "base/xalloc.h"
#include "front/gdb/reply.h"
#include "front/gdb/wire.h"

enum { LINE_MOST = 64, READ_ROOM = 65536, QUIET_NANOSECONDS = 100000000,
       LAPSE_NANOSECONDS = 100000000 };

struct link {
    int in, out, wake;
    pthread_t reader;
    pthread_mutex_t lock, writing;
    pthread_cond_t came, left; /* a packet joined the line, one left it */
    struct link_packet *line[LINE_MOST];
    size_t first, count;
    bool gone, closing, busy, interrupted, acks;
    bool fleeting; /* see link_forget_interrupts */
    u64 lapses; /* when a Ctrl-C that nobody heeded is forgotten; nanoseconds, 0: not yet */
    struct session *moving;
    struct reply sent; /* the last frame: to be sent again if it was damaged on the way */
    struct wire wire;  /* the reader's */
};

static void write_all(struct link *l, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(l->out, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* the reader learns of the end */
        bytes += done;
        size -= (size_t)done;
    }
}

static struct link_packet *packet_new(int kind, const char *bytes, size_t size)
{
    struct link_packet *p = xalloc(sizeof *p + size + 1);
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

/* The reader waits while the line is full. */
static void join_line(struct link *l, struct link_packet *p)
{
    pthread_mutex_lock(&l->lock);
    while (l->count == LINE_MOST && !l->closing)
        pthread_cond_wait(&l->left, &l->lock);
    if (l->closing) {
        free(p);
    } else {
        l->line[(l->first + l->count++) % LINE_MOST] = p;
        l->busy = true; /* (1) */
        if (l->interrupted && nanoseconds_now() < l->lapses)
            l->lapses = 0; /* (2) */
        pthread_cond_signal(&l->came);
    }
    pthread_mutex_unlock(&l->lock);
}

static void interrupt(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    l->interrupted = l->busy || !l->fleeting;
    l->lapses = l->busy ? 0 : nanoseconds_now() + LAPSE_NANOSECONDS; /* (2) */
    if (l->moving)
        session_interrupt(l->moving);
    pthread_mutex_unlock(&l->lock);
}

static bool has_acks(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    bool acks = l->acks;
    pthread_mutex_unlock(&l->lock);
    return acks;
}

/* False if there are none any more. */
static bool acknowledge(struct link *l, const char *ack)
{
    if (!has_acks(l))
        return false;
    pthread_mutex_lock(&l->writing);
    write_all(l, ack, 1);
    pthread_mutex_unlock(&l->writing);
    return true;
}

static void send_again(struct link *l)
{
    if (!has_acks(l))
        return;
    pthread_mutex_lock(&l->writing);
    write_all(l, l->sent.bytes, l->sent.size);
    pthread_mutex_unlock(&l->writing);
}

static void take_event(struct link *l, enum wire_event event)
{
    switch (event) {
    case WIRE_PACKET:
    case WIRE_OVERSIZED:
        acknowledge(l, "+");
        join_line(l, packet_new(event == WIRE_PACKET ? LINK_PACKET : LINK_OVERSIZED,
                                l->wire.bytes, event == WIRE_PACKET ? l->wire.size : 0));
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

/* False at the end of what the client sends. */
static bool read_some(struct link *l)
{
    static __thread u8 room[READ_ROOM];
    struct pollfd fds[2] = {{l->in, POLLIN, 0}, {l->wake, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0)
        return errno == EINTR;
    if (fds[1].revents)
        return false;
    ssize_t size = read(l->in, room, sizeof room);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    for (ssize_t i = 0; i < size; i++)
        take_event(l, wire_feed(&l->wire, room[i]));
    return size > 0;
}

static void *read_on(void *context)
{
    struct link *l = context;
    while (read_some(l))
        ;
    pthread_mutex_lock(&l->lock);
    l->gone = true;
    if (l->moving)
        session_interrupt(l->moving);
    pthread_cond_signal(&l->came);
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static void link_free(struct link *l)
{
    close(l->wake);
    if (l->out != l->in)
        close(l->out);
    close(l->in);
    for (; l->count; l->count--, l->first++)
        free(l->line[l->first % LINE_MOST]);
    reply_deinit(&l->sent);
    free(l);
}

struct error *link_open(int in, int out, struct link **ret)
{
    struct link *l = xalloc(sizeof *l);
    *l = (struct link){.in = in, .out = out, .wake = eventfd(0, EFD_CLOEXEC), .acks = true};
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->writing, NULL);
    pthread_cond_init(&l->came, NULL);
    pthread_cond_init(&l->left, NULL);
    int failed = l->wake < 0 ? errno : pthread_create(&l->reader, NULL, read_on, l);
    if (failed) {
        link_free(l); /* and both descriptors */
        return error_errno(failed, "starting to listen to a client");
    }
    *ret = l;
    return NULL;
}

void link_close(struct link *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->closing = true;
    pthread_cond_broadcast(&l->left);
    pthread_mutex_unlock(&l->lock);
    u64 one = 1;
    while (write(l->wake, &one, sizeof one) < 0 && errno == EINTR)
        ;
    pthread_join(l->reader, NULL);
    link_free(l);
}

static struct link_packet *take_first(struct link *l)
{
    struct link_packet *p = l->line[l->first];
    l->first = (l->first + 1) % LINE_MOST;
    l->count--;
    pthread_cond_signal(&l->left);
    return p;
}

/* A client that is at work sends its next packet at once; a copy of a process that is made in between is only made to be
 * thrown away.  Called and left with the lock held, like the next. */
static void wait_a_moment(struct link *l)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += QUIET_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    while (l->count == 0 && !l->gone)
        if (pthread_cond_timedwait(&l->came, &l->lock, &until) == ETIMEDOUT)
            return;
}

static void wait_for_packet(struct link *l, bool (*idle)(void *), void *context)
{
    bool more = true;
    wait_a_moment(l);
    while (l->count == 0 && !l->gone) {
        if (more) {
            pthread_mutex_unlock(&l->lock);
            more = idle(context);
            pthread_mutex_lock(&l->lock);
        } else {
            pthread_cond_wait(&l->came, &l->lock);
        }
    }
}

struct link_packet *link_next(struct link *l, bool (*idle)(void *), void *context)
{
    struct link_packet *ret = NULL;
    pthread_mutex_lock(&l->lock);
    if (l->count == 0 && l->busy) {
        l->busy = false; /* (1) */
        l->interrupted = l->interrupted && !l->fleeting;
        l->lapses = nanoseconds_now() + LAPSE_NANOSECONDS; /* (2) */
    }
    wait_for_packet(l, idle, context);
    if (l->count > 0)
        ret = take_first(l);
    pthread_mutex_unlock(&l->lock);
    return ret;
}

void link_send(struct link *l, const char *bytes, size_t size)
{
    pthread_mutex_lock(&l->writing);
    reply_clear(&l->sent);
    wire_frame(&l->sent, bytes, size);
    write_all(l, l->sent.bytes, l->sent.size);
    pthread_mutex_unlock(&l->writing);
}

void link_stop_acks(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    l->acks = false;
    pthread_mutex_unlock(&l->lock);
}

void link_forget_interrupts(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    l->fleeting = true;
    pthread_mutex_unlock(&l->lock);
}

bool link_gone(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    bool gone = l->gone;
    pthread_mutex_unlock(&l->lock);
    return gone;
}

bool link_begin_movement(struct link *l, struct session *s)
{
    pthread_mutex_lock(&l->lock);
    bool stopped = l->gone || (l->interrupted && l->lapses == 0);
    l->interrupted = false;
    l->moving = stopped ? NULL : s;
    pthread_mutex_unlock(&l->lock);
    return !stopped;
}

void link_end_movement(struct link *l, bool heeded)
{
    pthread_mutex_lock(&l->lock);
    l->moving = NULL;
    if (heeded || l->fleeting)
        l->interrupted = false;
    pthread_mutex_unlock(&l->lock);
}

void link_progress(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    if (l->moving && (l->interrupted || l->gone))
        session_interrupt(l->moving);
    pthread_mutex_unlock(&l->lock);
}
