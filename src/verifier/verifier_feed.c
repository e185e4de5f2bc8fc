/* A track on its way into a replaying engine: see the header.
 *
 * The reader checks every byte before it is fed, so the engine meets only well-formed events.  If
 * the reader comes to something wrong, the engine is fed up to there and told that this was all:
 * what it says then is not the verdict on the whole, and the error says so.
 */
#include "verifier/verifier_feed_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/packets.h"
#include "log/ring_memory.h"

enum { RING_SIZE = 4 << 20 };

struct verifier_feed {
    int socket;
    struct ring_memory memory;
    struct ring_producer producer;
    struct ring_host host;
    struct lineage *events;
    pthread_t thread;
    struct error *err;
};

static void *feed(void *argument)
{
    struct verifier_feed *f = argument;
    const struct event *e;
    while (!(f->err = lineage_next(f->events, &e)) && e) {
        void *room = ring_reserve(&f->producer, &f->host, e->size);
        if (!room)
            return NULL; /* the engine is gone, and why is for others to say */
        memcpy(room, e, e->size);
        ring_publish(&f->producer, &f->host);
    }
    if (!f->err && lineage_cut(f->events))
        f->err = error_new("%s", lineage_cut(f->events));
    ring_finish(&f->producer, &f->host);
    return NULL;
}

static struct error *verifier_feed_begin(struct verifier_feed *f, u32 track, u32 flags)
{
    struct channel_welcome welcome = {
        .version = CHANNEL_VERSION, .track = track, .flags = flags, .ring_size = RING_SIZE,
    };
    struct error *err = ring_memory_init(&f->memory, RING_SIZE);
    if (err)
        return err;
    ring_producer_init(&f->producer, f->memory.shared);
    f->host = ring_memory_host(&f->socket);
    if (!packet_send(f->socket, &welcome.message, CHANNEL_WELCOME, sizeof welcome, f->memory.fd))
        return error_new("the engine was gone at once");
    int error = pthread_create(&f->thread, NULL, feed, f);
    return error ? error_errno(error, "starting a thread") : NULL;
}

struct error *verifier_feed_create(struct lineage *events, u32 track, u32 flags, int socket,
                                   struct verifier_feed **ret)
{
    struct verifier_feed *f = xalloc(sizeof *f);
    *f = (struct verifier_feed){.socket = socket, .memory.fd = -1, .events = events};
    struct error *err = verifier_feed_begin(f, track, flags);
    if (!err) {
        *ret = f;
        return NULL;
    }
    ring_memory_deinit(&f->memory);
    close(socket);
    free(f);
    return err;
}

int verifier_feed_socket(const struct verifier_feed *f)
{
    return f->socket;
}

struct error *verifier_feed_destroy(struct verifier_feed *f)
{
    if (!f)
        return NULL;
    shutdown(f->socket, SHUT_RDWR); /* makes the thread see that there is no reader */
    pthread_join(f->thread, NULL);
    struct error *err = f->err;
    ring_memory_deinit(&f->memory);
    close(f->socket);
    free(f);
    return err;
}
