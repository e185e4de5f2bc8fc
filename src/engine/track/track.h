/* Track: this process image's line to ebb while it records or replays.
 *
 * Settings name a socket that all processes of a recording share; each image makes a socket of its
 * own, sends one end over the shared one, and gets a ring (log/ring.h, log/channel.h). record.c and
 * replay.c handle the contents of the ring.
 */
#ifndef ENGINE_TRACK_H
#define ENGINE_TRACK_H

#include "log/channel.h"
#include "log/ring.h"

/* How the image came to be, for the hello. */
struct track_origin_info {
    u32 origin; /* enum track_origin */
    u32 parent;
    u64 parent_tick, parent_pc;
};

extern struct track_state {
    u32 number;        /* as ebb counts them; TRACK_NONE before the welcome */
    bool in_tree;      /* ebb wants to be told of forks (CHANNEL_TREE) */
    bool is_interval;  /* only a part of the track is replayed (CHANNEL_INTERVAL) */
    u64 snapshots;     /* recording: nanoseconds from one to the next, as ebb wants it; 0: none */
    bool exact;        /* and whatever they cost */
    struct ring *ring; /* NULL: there is no ring */
    const u8 *events;  /* instead of a ring: all events, and how many bytes (log/control.h) */
    u64 events_size;
} track;
extern const struct ring_host track_host;

/* Keeps the shared socket out of the guest's way.  Once, at the start. */
void track_start(void);
/* The shared socket's number now: for the settings of the next image. */
i32 track_shared_socket(void);

/* Says hello and maps the ring; false if ebb is gone or refuses. */
bool track_open(const struct track_origin_info *info);
/* In the child of a fork: the parent's line is not ours. */
void track_close(void);

/* Messages over the track's own socket. `fd` is attached if it is not -1. */
bool track_send(const struct channel_message *message, i32 fd);
/* Waits for an answer of this kind and size; *fd is what was attached, or -1. */
bool track_receive(u32 kind, struct channel_message *ret, u32 size, i32 *fd);
/* Waits for any message of at most `most` bytes; its size, or 0 if ebb is gone. */
u32 track_receive_any(struct channel_message *ret, u32 most, i32 *fd);
/* The message, followed by `size` bytes. */
bool track_send_with(const struct channel_message *message, const void *bytes, u64 size, i32 fd);
/* Has something come, or is ebb gone? */
bool track_heard(void);
/* A stop that came before was meant for a run that is over. */
void track_forget_stop(void);
/* In a copy of the process: its own line is this socket. */
void track_adopt(i32 socket);

#endif
