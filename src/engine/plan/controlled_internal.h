/* What the files of control share. */
#ifndef ENGINE_CONTROLLED_INTERNAL_H
#define ENGINE_CONTROLLED_INTERNAL_H

#include "log/control.h"

/* A message that came, with what was attached. */
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

/* An answer to the last command is about to be sent. */
void control_note_answer(void);

/* Answers a question; false if the question is not known. */
bool control_answer(const struct control_command *c);

/* The registers of the thread that runs, but for the vector image. */
void control_fill_running(struct control_registers *r);

/* Its vector image in the form that is shown to users: vector_shape.size bytes, aligned to 64. */
void control_fill_vector(u8 *image);

/* Bytes that are too long for a message, in a file to attach; -1: there is none. */
i32 control_file(const void *bytes, u64 size);

#endif
