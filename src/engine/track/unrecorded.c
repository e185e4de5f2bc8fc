/* The owner without a log: the kernel answers the guest, and nothing is recorded.
 *
 * Used for `ebb exec`, and for a recorded program whose recorder is gone or whose log has ended.
 */
#include "engine/track/unrecorded.h"

#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/threads/thread.h"
#include "log/format.h"

i64 unrecorded_pass_now(const struct call *call)
{
    const u64 *a = call->args;
    return kernel_call6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

i64 unrecorded_pass(const struct call *call)
{
    struct thread *t = thread_self();
    if (threads.count == 1)
        return engine_make_call(call->number, call->args, &t->signal_waiting);
    thread_give_baton();
    i64 result = engine_make_call(call->number, call->args, &t->signal_waiting);
    thread_take_baton();
    return result;
}

/* Without a log and a recorder, the note is printed here. */
static void unrecorded_note(u32 level, const char *text)
{
    char buffer[4096 + 256];
    struct text line = TEXT(buffer);
    if (level != NOTE_INFO)
        return;
    text_add(&line, "ebb: ");
    text_add(&line, text);
    text_add_char(&line, '\n');
    kernel_call(__NR_write, 2, line.buffer, line.length);
}

const struct log_owner log_unrecorded = {
    .live = true,
    .direct_calls = true,
    .pass = unrecorded_pass,
    .pass_now = unrecorded_pass_now,
    .note = unrecorded_note,
};
