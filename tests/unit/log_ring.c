/* The ring between two processes: all events arrive, complete and in order, also if the reader or
 * the writer is slow.
 *
 * unit: src/log/ring_memory.c src/base/error.c src/base/complain.c src/base/xalloc.c
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/types.h"
#include "log/ring_memory.h"

static int failures;

static void report(const char *name, bool right, const char *why)
{
    if (right)
        printf("ok log_ring: %s\n", name);
    else
        printf("FAIL log_ring: %s: %s\n", name, why);
    failures += !right;
}

/* Event `number`: size and bytes follow from it. */
static u32 size_of(u64 number, u32 most)
{
    u64 x = (number + 1) * 0x9e3779b97f4a7c15;
    return (u32)(sizeof(struct event) + (x >> 32) % (most - sizeof(struct event)) / 8 * 8);
}

static void fill(struct event *e, u64 number, u32 most)
{
    memset(e, (int)(number & 255), size_of(number, most));
    e->size = size_of(number, most);
    e->kind = EVENT_NOTE;
    e->tick = number;
}

static bool is_event(const struct event *e, u64 number, u32 most)
{
    if (e->size != size_of(number, most) || e->kind != EVENT_NOTE || e->tick != number)
        return false;
    for (u32 i = 0; i < e->size - sizeof *e; i++)
        if (e->payload[i] != (number & 255))
            return false;
    return true;
}

static void produce(struct ring_memory *m, int socket, u64 count, u32 most, unsigned pause)
{
    struct ring_host host = ring_memory_host(&socket);
    struct ring_producer p;
    ring_producer_init(&p, m->shared);
    for (u64 i = 0; i < count; i++) {
        struct event *e = ring_reserve(&p, &host, EVENT_SIZE_MOST);
        if (!e)
            _exit(1);
        fill(e, i, most);
        ring_publish(&p, &host);
        if (pause && i % 64 == 0)
            usleep(pause);
    }
    ring_finish(&p, &host);
    _exit(0);
}

static u64 consume(struct ring_memory *m, int socket, u32 most, unsigned pause)
{
    struct ring_host host = ring_memory_host(&socket);
    struct ring_consumer c;
    ring_consumer_init(&c, m->shared);
    u64 count = 0;
    for (const struct event *e; (e = ring_peek(&c, &host)); count++) {
        if (!is_event(e, count, most))
            return count;
        ring_advance(&c, &host, e->size);
        if (pause && count % 64 == 0)
            usleep(pause);
    }
    return count;
}

static const struct row {
    const char *name;
    u64 count;
    u32 most;
    unsigned producer_pause, consumer_pause;
} rows[] = {
    {"small", 200000, 128, 0, 0},
    {"large", 2000, EVENT_SIZE_MOST, 0, 0},
    {"slow producer", 5000, 4000, 300, 0},
    {"slow consumer", 5000, 4000, 0, 300},
};

static void check_row(const struct row *row)
{
    struct ring_memory m;
    int ends[2];
    struct error *err = ring_memory_init(&m, RING_SIZE_LEAST);
    if (err || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0) {
        report(row->name, false, "no ring");
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        produce(&m, ends[1], row->count, row->most, row->producer_pause);
    }
    close(ends[1]);
    u64 got = consume(&m, ends[0], row->most, row->consumer_pause);
    int status;
    waitpid(child, &status, 0);
    report(row->name, got == row->count && status == 0, "events were lost or changed");
    close(ends[0]);
    ring_memory_deinit(&m);
}

/* A producer must not wait forever if its consumer dies or has left. */
static void check_gone(bool abandons)
{
    struct ring_memory m;
    int ends[2];
    error_destroy(ring_memory_init(&m, RING_SIZE_LEAST));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        if (!abandons)
            raise(SIGKILL);
        struct ring_host host = ring_memory_host(&ends[0]);
        struct ring_consumer c;
        ring_consumer_init(&c, m.shared);
        ring_abandon(&c, &host);
        pause();
    }
    close(ends[0]);
    struct ring_host host = ring_memory_host(&ends[1]);
    struct ring_producer p;
    ring_producer_init(&p, m.shared);
    u64 count = 0;
    for (struct event *e; (e = ring_reserve(&p, &host, 1024)); count++) {
        memset(e, 0, 1024);
        e->size = 1024;
        e->kind = EVENT_NOTE;
        ring_publish(&p, &host);
    }
    report(abandons ? "consumer leaves" : "consumer dies", p.lost && count == m.shared->size / 1024,
           "not noticed when full");
    report(abandons ? "left for ever" : "dead for ever", !ring_reserve(&p, &host, 64), "room again");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[1]);
    ring_memory_deinit(&m);
}

/* What a faulty producer can leave behind. */
static const struct mad {
    const char *name;
    u64 written;
    u32 size;
    u16 kind;
} mad[] = {
    {"written too far", RING_SIZE_LEAST + 8, 64, EVENT_NOTE},
    {"written backwards", -8, 64, EVENT_NOTE},
    {"written unaligned", 63, 56, EVENT_NOTE},
    {"size of nothing", 64, 0, EVENT_NOTE},
    {"size too small", 64, 32, EVENT_NOTE},
    {"size too large", 64, 72, EVENT_NOTE},
    {"size unaligned", 64, 41, EVENT_NOTE},
    {"pad of nothing", 64, 0, EVENT_PAD},
    {"pad too large", 64, 4096, EVENT_PAD},
};

static void check_mad(const struct mad *row)
{
    struct ring_memory m;
    int none = -1;
    error_destroy(ring_memory_init(&m, RING_SIZE_LEAST));
    struct ring_host host = ring_memory_host(&none);
    struct ring_consumer c;
    ring_consumer_init(&c, m.shared);
    struct event *e = (struct event *)c.bytes;
    e->size = row->size;
    e->kind = row->kind;
    m.shared->written = row->written;
    report(row->name, !ring_peek(&c, &host) && c.damaged, "taken for an event");
    ring_memory_deinit(&m);
}

int main(void)
{
    for (size_t i = 0; i < countof(rows); i++)
        check_row(&rows[i]);
    check_gone(false);
    check_gone(true);
    for (size_t i = 0; i < countof(mad); i++)
        check_mad(&mad[i]);
    return failures != 0;
}
