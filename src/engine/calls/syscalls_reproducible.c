/* System calls whose results differ from run to run: the time, the core, the process's number.
 *
 * The kernel answers them, unless runs must be reproducible (setting random): then time follows the
 * ticks, the first process has a number that no other can have (the kernel's end at 1 << 22), and
 * the devices for random bytes are /dev/zero. The kernel is still asked, so that it can refuse
 * invalid calls.
 *
 * The setting is for tests of the engine: a program that passes its number to others, or looks for
 * it in /proc, does not work with it.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/settings.h"
#include "engine/base/shown_number.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/calls/syscalls.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/memory/guest_memory.h"

enum {
    CLOCK_REALTIME = 0,
    CLOCK_REALTIME_COARSE = 5,
    CLOCK_REALTIME_ALARM = 8,
    CLOCK_TAI = 11,
    FIRST_SECONDS = 1000,   /* for the clocks that count from the machine's start */
    TICK_NANOSECONDS = 4,
    READ_NANOSECONDS = 500, /* makes a loop end that waits for time to pass */
    RUSAGE_SIZE = 144,
    TIMES_SIZE = 32,
    TIMES_NANOSECONDS = 10000000,
};

#define FIRST_DATE 1000000000l /* a Sunday in September 2001 */

static u64 time_reads; /* makes a loop end that waits for time to pass */

static struct k_timespec reproducible_time(i64 first)
{
    u64 passed = ticks_now() * TICK_NANOSECONDS + ++time_reads * READ_NANOSECONDS;
    return (struct k_timespec){first + (i64)(passed / 1000000000), (i64)(passed % 1000000000)};
}

static bool counts_dates(u64 clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

/* Overwrites what the kernel has written. */
static i64 instead(u64 at, const void *value, size_t size, i64 result)
{
    if (at && !guest_write(gaddr(at), value, size))
        return -EFAULT;
    return result;
}

i64 call_clock_gettime(struct call *call)
{
    i64 result = call_pass_now(call);
    if (!settings.random || result)
        return result;
    i64 first = counts_dates(call->args[0]) ? FIRST_DATE : FIRST_SECONDS;
    struct k_timespec now = reproducible_time(first);
    return instead(call->args[1], &now, sizeof(now), 0);
}

i64 call_gettimeofday(struct call *call)
{
    i64 result = call_pass_now(call);
    if (!settings.random || result)
        return result;
    struct k_timespec now = reproducible_time(FIRST_DATE);
    i64 microseconds[2] = {now.seconds, now.nanoseconds / 1000};
    return instead(call->args[0], microseconds, sizeof(microseconds), 0);
}

i64 call_time(struct call *call)
{
    i64 result = call_pass_now(call);
    if (!settings.random || result < 0)
        return result;
    struct k_timespec now = reproducible_time(FIRST_DATE);
    return instead(call->args[0], &now.seconds, sizeof(now.seconds), now.seconds);
}

i64 call_times(struct call *call)
{
    static const u8 nothing[TIMES_SIZE];
    i64 result = call_pass_now(call);
    if (!settings.random || result < 0)
        return result;
    struct k_timespec now = reproducible_time(FIRST_SECONDS);
    i64 units = (now.seconds * 1000000000 + now.nanoseconds) / TIMES_NANOSECONDS;
    return instead(call->args[0], nothing, sizeof(nothing), units);
}

i64 call_getrusage(struct call *call)
{
    static const u8 nothing[RUSAGE_SIZE];
    i64 result = call_pass_now(call);
    if (!settings.random || result)
        return result;
    return instead(call->args[1], nothing, sizeof(nothing), 0);
}

i64 call_getcpu(struct call *call)
{
    u32 first = 0;
    i64 result = call_pass_now(call);
    if (!settings.random || result)
        return result;
    result = instead(call->args[0], &first, sizeof(first), 0);
    return result ? result : instead(call->args[1], &first, sizeof(first), 0);
}

/* Everything that varies is set to 0, except the sizes of memory. */
i64 call_sysinfo(struct call *call)
{
    struct {
        i64 uptime;
        u64 loads[3], total, free, shared, buffer, total_swap, free_swap;
        u16 processes, padding;
        u64 total_high, free_high;
        u32 unit;
    } info;
    i64 result = call_pass_now(call);
    if (!settings.random || result)
        return result;
    if (!guest_read(&info, gaddr(call->args[0]), sizeof(info)))
        return -EFAULT;
    info.uptime = FIRST_SECONDS;
    memset(info.loads, 0, sizeof(info.loads));
    info.free = info.shared = info.buffer = info.free_swap = info.processes = 0;
    return instead(call->args[0], &info, sizeof(info), 0);
}

/* Numbers of processes */

/* getpid, gettid, set_tid_address: return the shown number. */
i64 call_own_number(struct call *call)
{
    return shown_number((u32)call_pass_now(call));
}

/* kill, tkill, tgkill: convert numbers that the guest has got from the engine. */
i64 call_to_number(struct call *call)
{
    for (int i = 0; i < 2; i++)
        call->args[i] = real_number(call->args[i]);
    return call_pass_now(call);
}

/* Opening */

void reproducible_path(u64 *path)
{
    static const char devices[][16] = {"/dev/urandom", "/dev/random"};
    char name[sizeof(devices[0])];
    if (!settings.random || guest_read_string(name, gaddr(*path), sizeof(name)) < 0)
        return;
    for (size_t i = 0; i < countof(devices); i++)
        if (text_equal(name, devices[i]))
            *path = (u64) "/dev/zero";
}
