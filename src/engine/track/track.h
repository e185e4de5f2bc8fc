/* Track: the connection of this process image to ebb while it records or replays.
 *
 * Settings name a socket that all processes of a recording share. Each image makes its own socket,
 * sends one end over the shared one, and gets a ring (log/ring.h, log/channel.h). record.c and
 * replay.c handle the contents of the ring.
 */
#ifndef ENGINE_TRACK_H
#define ENGINE_TRACK_H

#include "log/channel.h"
#include "log/ring.h"

/* How the image was made, for the hello. */
struct track_origin_info {
    u32 origin; /* enum track_origin */
    u32 parent;
    u64 parent_tick, parent_pc;
};

extern struct track_state {
    u32 number;        /* as counted by ebb; TRACK_NONE before the welcome */
    bool in_tree;      /* forks must be reported to ebb (CHANNEL_TREE) */
    bool is_interval;  /* only a part of the track is replayed (CHANNEL_INTERVAL) */
    u64 snapshots;     /* recording: nanoseconds between snapshots, set by ebb; 0: none */
    bool exact;        /* take them whatever they cost */
    struct ring *ring; /* NULL: there is no ring */
    const u8 *events;  /* instead of a ring: all events, and their size in bytes (log/control.h) */
    u64 events_size;
} track;
extern const struct ring_host track_host;

/* Moves the shared socket out of the guest's way. Called once, at the start. */
void track_start(void);
/* Returns the current number of the shared socket, for the settings of the next image. */
i32 track_shared_socket(void);

/* Sends a hello and maps the ring; false if ebb is gone or refuses. */
bool track_open(const struct track_origin_info *info);
/* In the child of a fork: closes the parent's line. */
void track_close(void);

/* Messages over the track's own socket. `fd` is attached if it is not -1. */
bool track_send(const struct channel_message *message, i32 fd);
/* Waits for an answer of this kind and size; *fd is what was attached, or -1. */
bool track_receive(u32 kind, struct channel_message *ret, u32 size, i32 *fd);
/* Waits for any message of at most `most` bytes; returns its size, or 0 if ebb is gone. */
u32 track_receive_any(struct channel_message *ret, u32 most, i32 *fd);
/* Sends the message, followed by `size` bytes. */
bool track_send_with(const struct channel_message *message, const void *bytes, u64 size, i32 fd);
/* True if a message has come, or ebb is gone. */
bool track_heard(void);
/* Drops a stop that was meant for a run that has already ended. */
void track_forget_stop(void);
/* In a copy of the process: this socket becomes its own line. */
void track_adopt(i32 socket);

#endif
