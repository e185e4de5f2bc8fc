/* The engine's start: from the kernel's stack to the guest's first instruction.
 *
 *   _start (enter.S) -> engine_main: reads its arguments, reserves what the kernel has mapped
 *                    -> engine_begin, on the engine's own stack: loads the program, runs it
 */
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/base/shown_number.h"
#include "engine/base/stats.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/kernel_maps.h"
#include "engine/memory/memory_limits.h"
#include "engine/plan/controlled.h"
#include "engine/processes/process.h"
#include "engine/run/dispatch.h"
#include "engine/run/entries.h"
#include "engine/signals/signals.h"
#include "engine/snapshot/interval.h"
#include "engine/start/loader.h"
#include "engine/snapshot/snapshot.h"
#include "engine/threads/filters.h"
#include "engine/threads/thread.h"
#include "engine/track/record.h"
#include "engine/track/replay.h"
#include "engine/track/track.h"
#include "engine/track/unrecorded.h"
#include "engine/translate/kept.h"
#include "engine/translate/listing.h"
#include "engine/translate/translate.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/vector.h"
#include "log/channel.h"

static struct loader_request request;

/* Reserves the kernel's mappings: its stack with the engine's arguments, the vDSO, and anything
 * else. They stay, and the guest does not get them. */
static bool reserve(void *context, const struct kernel_mapping *m)
{
    (void)context;
    if (m->end <= LAYOUT_USER_END && m->start >= LAYOUT_ENGINE_END)
        areas_reserve(m->start, m->end);
    return true;
}

static void reserve_known(void)
{
    areas_reserve(LAYOUT_POOLS, LAYOUT_POOLS_END);
    areas_reserve(LAYOUT_ENGINE, LAYOUT_ENGINE_END);
    if (kernel_maps_each(reserve, NULL))
        areas_reserve(0x7f0000000000, LAYOUT_USER_END); /* without /proc: all that it may use */
}

static void read_arguments(u64 argc, char **argv)
{
    if (argc < CHANNEL_ARGS_MIN)
        engine_refuse(CHANNEL_EXIT_USAGE, CHANNEL_ENGINE_NAME,
                      "it is started by ebb: see 'ebb help exec'");
    const char *wrong = settings_read(argv[CHANNEL_ARG_SETTINGS]);
    if (wrong)
        engine_refuse(CHANNEL_EXIT_USAGE, wrong, "not a setting that the engine knows");
    log_own(settings.replay ? &log_replay : settings.record ? &log_record : &log_unrecorded);
    memory_limits_start();
    request.path = argv[CHANNEL_ARG_PATH];
    request.argv = argv + CHANNEL_ARG_ARGV0;
    request.envp = argv + argc + 1;
    char **end = request.envp;
    while (*end)
        end++;
    request.auxv = (const u64 *)(end + 1);
}

static const char *started_as(const u64 *auxv)
{
    for (; auxv[0] != AT_NULL; auxv += 2)
        if (auxv[0] == AT_EXECFN)
            return (const char *)auxv[1];
    return NULL;
}

/* Logs what the image was given; or, in a replay, takes it from the log. */
static void begin_log(struct signals_inherited *inherited)
{
    track_start();
    signals_ask_inherited(inherited);
    request.stack_limit = loader_stack_limit();
    log_start(&request, inherited);
    if (track.events)
        control_start();
    if (track.is_interval)
        interval_start();
}

_Noreturn static void engine_begin(void)
{
    struct thread *first = thread_self();
    struct signals_inherited inherited;
    stats_start();
    translate_start();
    process_start(started_as(request.auxv));
    filters_start();
    vector_start();
    kept_start();
    begin_log(&inherited);
    loader_load(&request);
    thread_start_first(first);
    ticks_start();
    signals_start(&inherited);
    shown_number_start();
    entries_start();
    listing_start();
    log_entered();
    dispatch_start();
    snapshot_pace_start();
    engine_run();
}

_Noreturn static void begin_on_stack(u64 top)
{
    __asm__ volatile("mov %0, %%rsp\n\t"
                     "and $-16, %%rsp\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "call *%1\n\t"
                     "ud2"
                     :
                     : "r"(top), "r"(engine_begin)
                     : "memory");
    __builtin_unreachable();
}

_Noreturn void engine_main(const u64 *initial_stack)
{
    u64 argc = initial_stack[0];
    read_arguments(argc, (char **)(initial_stack + 1));
    layout_choose(LAYOUT_NEWEST);
    reserve_known();
    struct thread *first = thread_create();
    begin_on_stack(thread_stack_top(first));
}
