/* A substitute for the engine that speaks the control channel, to test ebb without an engine.
 *
 *     ebb-engine SETTINGS PATH ARGV0 MODE NUMBER
 *
 * With record=FD it writes NUMBER invented events and then does what MODE says; with replay=FD it
 * reads events. Both print "NUMBER events, crc ...", so that the two can be compared.
 *
 * sources: src/log/packets.c src/log/ring_memory.c src/log/crc32c.c src/base/error.c
 *          src/base/complain.c src/base/xalloc.c
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/types.h"
#include "log/crc32c.h"
#include "log/packets.h"
#include "log/ring_memory.h"

static int track_socket;
static struct ring_memory memory;
static struct ring_host host;
static struct ring_producer producer;
static u64 events, seed = 1;
static u32 crc;

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "fake engine: %s\n", why);
    exit(99);
}

static u64 draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* The value of `name` in SETTINGS, or 0. */
static int setting(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    return found ? atoi(found + strlen(name)) : 0;
}

static void receive(union packet *ret, u32 kind, int *fd)
{
    packet_wait(track_socket);
    if (packet_receive(track_socket, ret, fd) != PACKET_GOT || ret->message.kind != kind)
        give_up("no answer");
}

static bool say_hello(int shared)
{
    int ends[2], fd;
    union packet packet;
    struct channel_hello hello = {
        .version = CHANNEL_VERSION, .pid = (u32)getpid(), .parent = TRACK_NONE,
    };
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        give_up("no socket");
    if (!packet_send(shared, &hello.message, CHANNEL_HELLO, sizeof hello, ends[1]))
        give_up("nobody is there");
    close(ends[1]);
    track_socket = ends[0];
    receive(&packet, CHANNEL_WELCOME, &fd);
    if (packet.welcome.error)
        return false;
    if (ring_memory_attach(&memory, fd))
        give_up("no ring");
    host = ring_memory_host(&track_socket);
    return true;
}

static void add_to_crc(const struct event *e)
{
    u32 both[2] = {crc, crc32c(e, e->size)};
    crc = crc32c(both, sizeof both);
    events++;
}

/* Recording */

static bool put(const struct event *e)
{
    void *room = ring_reserve(&producer, &host, e->size);
    if (!room)
        return false;
    memcpy(room, e, e->size);
    ring_publish(&producer, &host);
    add_to_crc(e);
    return true;
}

static u64 add_piece(u8 *at, u32 kind, const void *bytes, u32 size)
{
    struct event_piece piece = {.address = draw(), .size = size, .kind = kind};
    memcpy(at, &piece, sizeof piece);
    memcpy(at + sizeof piece, bytes, size);
    return sizeof piece + format_padded(size);
}

static u8 room[EVENT_SIZE_MOST] __attribute__((aligned(8)));

static struct event *begin(u16 kind)
{
    struct event *e = (struct event *)room;
    memset(room, 0, 4096);
    *e = (struct event){.kind = kind, .tick = events * 10, .pc = 0x400000 + events,
                        .hash = draw(), .time = 1000000 + events * 1000};
    return e;
}

static bool put_start(const char *path, int argc, char **argv)
{
    struct event *e = begin(EVENT_START);
    struct event_start start = {.pid = (u32)getpid(), .frequency = 1000000000,
                                .realtime = 1700000000000000000};
    char strings[1024] = "";
    u32 size = 0;
    for (int i = 0; i < argc; i++)
        size += 1 + (u32)snprintf(strings + size, sizeof strings - size, "%s", argv[i]);
    memcpy(e->payload, &start, sizeof start);
    u64 at = sizeof start;
    at += add_piece(e->payload + at, PIECE_PATH, path, (u32)strlen(path));
    at += add_piece(e->payload + at, PIECE_ARGUMENTS, strings, size);
    e->size = (u32)(sizeof *e + at);
    return put(e);
}

/* Writes a system call with arguments and pieces of all sizes; now and then another event. */
static bool put_call(u32 most)
{
    struct event *e = begin(EVENT_SYSCALL);
    struct event_syscall call = {.number = (u32)(draw() % 300), .args = (u16)(draw() % 7),
                                 .result = (i64)(draw() % 100) - 50};
    memcpy(e->payload, &call, sizeof call);
    u64 at = sizeof call;
    for (int i = 0; i < call.args; i++, at += 8)
        memcpy(e->payload + at, &(u64){draw()}, 8);
    for (u64 pieces = draw() % 3; pieces > 0; pieces--) {
        u8 bytes[30000];
        u32 size = (u32)(draw() % most);
        for (u32 i = 0; i < size; i++)
            bytes[i] = (u8)(i % 5 ? draw() >> 8 : 0);
        at += add_piece(e->payload + at, PIECE_MEMORY, bytes, size);
    }
    e->size = (u32)(sizeof *e + at);
    return put(e);
}

static bool put_plain(u16 kind, const void *payload, u32 size)
{
    struct event *e = begin(kind);
    memcpy(e->payload, payload, size);
    e->size = (u32)(sizeof *e + format_padded(size));
    return put(e);
}

/* Writes one event of every remaining kind. */
static void put_others(void)
{
    put_plain(EVENT_DATA, &(struct event_data){0}, sizeof(struct event_data));
    put_plain(EVENT_SIGNAL, &(struct event_signal){.signal = SIGUSR1}, sizeof(struct event_signal));
    struct { struct event_clock c; u64 value[2]; } clock = {{CLOCK_RDTSCP, 0, 2}, {draw(), 3}};
    put_plain(EVENT_CLOCK, &clock, sizeof clock);
    struct { struct event_map m; char path[8]; } map = {
        {.address = 0x10000, .size = 4096, .protection = 5, .path_size = 6}, "/lib/\xff"};
    put_plain(EVENT_MAP, &map, sizeof map);
    put_plain(EVENT_SWITCH, &(struct event_switch){.to = 1}, sizeof(struct event_switch));
    put_plain(EVENT_CHECK, &(struct event_check){draw(), 0, 4096}, sizeof(struct event_check));
    struct { struct event_note n; char text[16]; } note = {{NOTE_LIMIT, 9}, "something"};
    put_plain(EVENT_NOTE, &note, sizeof note);
    put_plain(EVENT_FORK, &(struct event_fork){7, 17}, sizeof(struct event_fork));
    struct { struct event_shared s; struct event_piece p; u64 bytes[2]; } shared = {
        {.where = SHARED_AT_BOUNDARY}, {0x20000, 16, PIECE_SEGMENT}, {8192, 5}};
    put_plain(EVENT_SHARED, &shared, sizeof shared);
    put_plain(EVENT_OPTIONAL | 77, "of a later version, surely", 27);
}

static void put_end(u32 status, u32 signal)
{
    struct event_end end = {.status = status, .signal = signal, .core = signal == SIGSEGV};
    put_plain(EVENT_END, &end, sizeof end);
}

static void say_events(void)
{
    printf("%llu events, crc %08x\n", (unsigned long long)events, crc);
    fflush(stdout);
}

static void keep(const char *path)
{
    struct stat st;
    union packet packet;
    int fd = open(path, O_RDONLY), none;
    fstat(fd, &st);
    struct channel_keep message = {.device = st.st_dev, .inode = st.st_ino,
                                   .size = (u64)st.st_size, .mtime = (u64)st.st_mtime};
    packet_send(track_socket, &message.message, CHANNEL_KEEP, sizeof message, fd);
    receive(&packet, CHANNEL_KEPT, &none);
    printf("kept %u, error %u\n", packet.kept.copy, packet.kept.error);
    close(fd);
}

static void die(int number)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(number, SIG_DFL);
    raise(number);
}

static int record(const char *mode, int number)
{
    bool all = true;
    u32 most = strcmp(mode, "large") == 0 ? 30000 : 300;
    for (int i = 0; i < number && all; i++)
        all = put_call(most);
    if (strcmp(mode, "status") == 0) {
        put_end((u32)number, 0);
        return number;
    }
    put_others();
    say_events();
    if (strcmp(mode, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(mode, "crash") == 0) {
        put_end(0, SIGSEGV);
        die(SIGSEGV);
    }
    if (strcmp(mode, "interrupted") == 0) {
        put_end(0, SIGINT);
        die(SIGINT);
    }
    if (strcmp(mode, "bad-header") == 0)
        memset(memory.shared, 0xa5, RING_PAGE);
    if (strcmp(mode, "bad-bytes") == 0) {
        memset(memory.shared, 0xa5, memory.bytes);
        return 5;
    }
    if (strcmp(mode, "bad-record") == 0) {
        struct event *e = ring_reserve(&producer, &host, 64);
        memset(e, 0xff, 64);
        e->size = 64;
        e->kind = EVENT_SYSCALL;
        ring_publish(&producer, &host);
    }
    if (strcmp(mode, "unrecorded") == 0) { /* until the recorder is gone */
        puts("waiting");
        fflush(stdout);
        for (u64 i = 0; put_call(300); i++)
            if (i % 100 == 0)
                usleep(1000); /* leaves the disk some time */
        puts("went on");
        return 6;
    }
    if (strcmp(mode, "sleep") == 0) {
        puts("waiting");
        fflush(stdout);
        pause();
    }
    if (strcmp(mode, "keep") == 0) {
        keep("/proc/self/exe");
        keep("/proc/self/exe");
        keep("/dev/null");
    }
    put_end(0, 0);
    return 0;
}

/* Replaying */

static _Noreturn void replay(const char *mode)
{
    struct ring_consumer consumer;
    struct channel_verdict verdict = {.verdict = CHANNEL_REPRODUCED};
    ring_consumer_init(&consumer, memory.shared);
    const struct event *e;
    bool stops = strcmp(mode, "diverge") == 0;
    while ((e = ring_peek(&consumer, &host)) && !(stops && events == 3)) {
        if (e->kind != EVENT_END)
            add_to_crc(e);
        ring_advance(&consumer, &host, e->size);
    }
    say_events();
    if (strcmp(mode, "silent") == 0)
        exit(9);
    if (strcmp(mode, "dies") == 0)
        raise(SIGKILL);
    if (stops) {
        verdict = (struct channel_verdict){.verdict = CHANNEL_DIVERGED, .tick = 5, .pc = 0x1234};
        strcpy(verdict.recorded, "one thing");
        strcpy(verdict.happened, "another");
    }
    if (strcmp(mode, "unable") == 0) {
        verdict.verdict = CHANNEL_UNABLE;
        strcpy(verdict.happened, "no such instruction here");
    }
    verdict.event = events;
    packet_send(track_socket, &verdict.message, CHANNEL_VERDICT, sizeof verdict, -1);
    exit(0);
}

int main(int argc, char **argv)
{
    const char *settings = argc > 2 ? argv[1] : "", *mode = argc > 4 ? argv[4] : "events";
    int number = argc > 5 ? atoi(argv[5]) : 0;
    int recorder = setting(settings, "record="), replayer = setting(settings, "replay=");
    if (strcmp(mode, "mute") == 0)
        return number;
    if (!say_hello(recorder ? recorder : replayer)) {
        puts("refused");
        return 4;
    }
    if (replayer)
        replay(mode);
    ring_producer_init(&producer, memory.shared);
    if (!put_start(argv[2], argc - 3, argv + 3))
        give_up("no room for a start");
    return record(mode, number);
}
