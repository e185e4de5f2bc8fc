/* Messages of log/channel.h over a socket, with a descriptor attached or not.  Hosted. */
#ifndef LOG_PACKETS_H
#define LOG_PACKETS_H

#include "base/types.h"
#include "log/channel.h"

union packet {
    struct channel_message message;
    struct channel_hello hello;
    struct channel_welcome welcome;
    struct channel_keep keep;
    struct channel_kept kept;
    struct channel_verdict verdict;
    struct channel_fetch fetch;
    struct channel_fork fork;
    struct channel_leave leave;
    struct channel_forked forked;
    struct channel_bound bound;
    struct channel_room room;
    struct channel_given given;
    struct channel_snapshot snapshot;
};

enum packet_result {
    PACKET_NONE,      /* nothing has come yet */
    PACKET_GOT,
    PACKET_MALFORMED, /* not a valid message; it was dropped */
    PACKET_CLOSED,    /* nothing more will come */
};

/* Takes the next message if there is one, without waiting. A PACKET_GOT has a known kind and the
 * right size. *fd is the attached descriptor, or -1. */
enum packet_result packet_receive(int socket, union packet *ret, int *fd);

/* Waits until a message has come, or the other side is gone. */
void packet_wait(int socket);

/* Sends the message, and `fd` unless it is -1. False if the other side is gone. */
bool packet_send(int socket, struct channel_message *message, u32 kind, u32 size, int fd);
/* The same with bytes after the struct, which its size does not count. */
bool packet_send_with(int socket, struct channel_message *message, u32 kind, u32 size,
                      const void *more, size_t more_size, int fd);

#endif
