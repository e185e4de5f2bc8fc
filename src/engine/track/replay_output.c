/* Replayed output: see replay_output.h.
 *
 * In a replay no descriptor is open.  Which of them stood for standard output and error is followed
 * through dup and close, so that what a shell sends elsewhere is not shown.
 */
#include "engine/track/replay_output.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/memory/guest_memory.h"
#include "engine/x86_64/call.h"

enum { NOWHERE = 0, PARTS_MOST = 1024 };

static struct output_state now;

void output_start(void)
{
    now.shown_as[1] = 1;
    now.shown_as[2] = 2;
}

static bool is_quiet;

void output_quiet(bool quiet)
{
    is_quiet = quiet;
}

void output_save(struct output_state *ret)
{
    *ret = now;
}

void output_restore(const struct output_state *state)
{
    now = *state;
}

static u8 replay_output_goes_to(u64 fd)
{
    return fd < OUTPUT_FOLLOWED ? now.shown_as[fd] : NOWHERE;
}

static void set(u64 fd, u8 to)
{
    if (fd < OUTPUT_FOLLOWED)
        now.shown_as[fd] = to;
}

static void replay_output_show(u8 to, u64 address, u64 size)
{
    while (size && !is_quiet) {
        i64 done = kernel_call(__NR_write, to, address, size);
        if (done <= 0)
            return; /* nobody looks */
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

void output_after_call(const struct call *call, i64 result)
{
    const u64 *a = call->args;
    if (result < 0)
        return;
    switch (call->number) {
    case __NR_write:
    case __NR_pwrite64:
        if (replay_output_goes_to(a[0]))
            replay_output_show(replay_output_goes_to(a[0]), a[1], (u64)result);
        break;
    case __NR_writev:
        if (replay_output_goes_to(a[0]))
            show_parts(replay_output_goes_to(a[0]), a[1], a[2], (u64)result);
        break;
    case __NR_dup:
        set((u64)result, replay_output_goes_to(a[0]));
        break;
    case __NR_dup2:
    case __NR_dup3:
        set(a[1], replay_output_goes_to(a[0]));
        break;
    case __NR_fcntl:
        if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
            set((u64)result, replay_output_goes_to(a[0]));
        break;
    case __NR_close:
        set(a[0], NOWHERE);
        break;
    case __NR_close_range:
        for (u64 fd = a[0]; fd <= a[1] && fd < OUTPUT_FOLLOWED; fd++)
            set(fd, NOWHERE);
        break;
    default:
        break;
    }
}
