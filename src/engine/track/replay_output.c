/* Replayed output: see replay_output.h.
 *
 * In a replay no descriptor is open. The replay follows dup and close to know which descriptors are
 * standard output and error, so that output which a shell redirected is not shown.
 */
#include "engine/track/replay_output.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/pending.h"
#include "engine/x86_64/call.h"
#include "log/syscall_table.h"

enum { NOWHERE = 0, PARTS_MOST = 1024 };

static struct {
    struct output_state state;
    bool is_quiet;
} output;

void output_start(void)
{
    output.state.shown_as[1] = 1;
    output.state.shown_as[2] = 2;
}

void output_quiet(bool quiet)
{
    output.is_quiet = quiet;
}

bool output_is_quiet(void)
{
    return output.is_quiet;
}

void output_save(struct output_state *ret)
{
    *ret = output.state;
}

void output_restore(const struct output_state *state)
{
    output.state = *state;
}

static u8 replay_output_goes_to(u64 fd)
{
    return fd < OUTPUT_FOLLOWED ? output.state.shown_as[fd] : NOWHERE;
}

static void set(u64 fd, u8 to)
{
    if (fd < OUTPUT_FOLLOWED)
        output.state.shown_as[fd] = to;
}

static void replay_output_show(u8 to, u64 address, u64 size)
{
    if (!output.is_quiet)
        pending_fill(address, address + size);
    while (size && !output.is_quiet) {
        i64 done = kernel_call(__NR_write, to, address, size);
        if (done <= 0)
            return; /* the output is not shown */
        address += (u64)done;
        size -= (u64)done;
    }
}

static void show_parts(u8 to, u64 parts, u64 count, u64 size)
{
    for (u64 n = 0; n < count && n < PARTS_MOST && size; n++) {
        u64 part[2];
        if (!guest_read(part, gaddr(parts + n * sizeof(part)), sizeof(part)))
            return;
        u64 length = part[1] < size ? part[1] : size;
        replay_output_show(to, part[0], length);
        size -= length;
    }
}

/* Shows what a call wrote: its second argument is bytes, or ranges of them. */
static void show_written(const struct call *call, u64 size)
{
    const struct call_arg *written = &syscall_row_of(call->number)->args[1];
    u8 to = replay_output_goes_to(call->args[0]);
    if (!to || !(written->way & ARG_IN))
        return;
    if (written->shape == SHAPE_IOVEC)
        show_parts(to, call->args[1], call->args[2], size);
    else
        replay_output_show(to, call->args[1], size);
}

void output_follow(const struct call *call, u64 result)
{
    u32 effects = syscall_traits_of(call->number)->effects;
    const u64 *a = call->args;
    if (!(effects & (EFFECT_DUPS | EFFECT_DUPS_TO | EFFECT_CLOSES | EFFECT_CLOSES_MANY)))
        return;
    if ((effects & EFFECT_DUPS) && syscall_variant_has(call->number, a, EFFECT_DUPS))
        set(result, replay_output_goes_to(a[0]));
    if (effects & EFFECT_DUPS_TO)
        set(a[1], replay_output_goes_to(a[0]));
    if (effects & EFFECT_CLOSES)
        set(a[0], NOWHERE);
    for (u64 fd = a[0]; (effects & EFFECT_CLOSES_MANY) && fd <= a[1] && fd < OUTPUT_FOLLOWED; fd++)
        set(fd, NOWHERE);
}

void output_after_call(const struct call *call, i64 result)
{
    u32 effects = syscall_traits_of(call->number)->effects;
    if (result < 0)
        return;
    if (effects & EFFECT_WRITES)
        show_written(call, (u64)result);
    output_follow(call, (u64)result);
}
