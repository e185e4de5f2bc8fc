/* What the files of control share. */
#ifndef ENGINE_CONTROLLED_INTERNAL_H
#define ENGINE_CONTROLLED_INTERNAL_H

#include "log/control.h"

/* A received message, with its attached descriptor. */
struct control_command {
    union {
        struct channel_message message;
        struct control_ask ask;
        struct control_read read;
        struct control_run run;
        struct control_states states;
        struct control_points points;
        struct control_keep keep;
        struct control_restore restore;
        u8 bytes[CONTROL_MESSAGE_MOST];
    };
    u32 size;
    i32 fd; /* -1: nothing */
};

/* Called when an answer to the last command is about to be sent. */
void control_note_answer(void);

/* Answers a question; false if the question is not known. */
bool control_answer(const struct control_command *c);

/* Returns the registers of the running thread, without the vector image. */
void control_fill_running(struct control_registers *r);

/* Returns its vector image in the form for users: vector_shape.size bytes, aligned to 64. */
void control_fill_vector(u8 *image);

/* Returns a file with bytes that are too long for a message; -1: not possible. */
i32 control_file(const void *bytes, u64 size);

#endif
