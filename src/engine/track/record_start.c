/* The start of a recording: the track's first event has everything that a replay needs to build the
 * same first stack. */
#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/calls/clocks.h"
#include "engine/memory/image.h"
#include "engine/share/share_group.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/track/record_internal.h"
#include "engine/track/replay_output.h"
#include "engine/track/track.h"
#include "engine/track/unrecorded.h"
#include "engine/x86_64/vector.h"

enum { RANDOM_BYTES = 16 };

u64 record_clock_ns(u32 clock)
{
    struct k_timespec t = {0};
    kernel_call(__NR_clock_gettime, clock, &t);
    return (u64)t.seconds * NANOSECONDS + (u64)t.nanoseconds;
}

/* Measures the counter against the clock for a short time. */
static u64 tsc_frequency(void)
{
    enum { K_CLOCK_MONOTONIC = 1, LOOK_NS = 200000 };
    u64 first = record_clock_ns(K_CLOCK_MONOTONIC), tsc = record_tsc(), now;
    while ((now = record_clock_ns(K_CLOCK_MONOTONIC)) - first < LOOK_NS)
        continue;
    return (record_tsc() - tsc) * NANOSECONDS / (now - first);
}

static void record_add_strings(struct record_event *b, u32 kind, char **list)
{
    for (; *list; list++)
        record_piece(b, kind, 0, *list, strlen(*list) + 1);
}

static u64 auxv_words(const u64 *auxv)
{
    u64 n = 0;
    while (auxv[n] != AT_NULL)
        n += 2;
    return n + 2;
}

static const void *auxv_pointer(const u64 *auxv, u64 type)
{
    for (; *auxv != AT_NULL; auxv += 2)
        if (*auxv == type)
            return (const void *)auxv[1];
    return NULL;
}

static void record_add_leaf(struct record_event *b, u32 leaf, u32 subleaf)
{
    const u64 args[CLOCK_ARGS] = {leaf, subleaf};
    struct clock_answer a;
    clocks_ask(CLOCK_CPUID, args, &a);
    struct event_cpuid e = {leaf, subleaf, (u32)a.value[1], (u32)(a.value[1] >> 32),
                            (u32)a.value[2], (u32)(a.value[2] >> 32)};
    if (a.value[1] | a.value[2])
        record_piece(b, PIECE_CPUID, 0, &e, sizeof(e));
}

/* Adds what a replay must find in its processor: leaves with features. */
static void add_cpu(struct record_event *b)
{
    static const u32 leaves[][2] = {
        {0, 0}, {1, 0}, {7, 0}, {7, 1}, {0xd, 0}, {0xd, 1},
        {0x80000000, 0}, {0x80000001, 0}, {0x80000008, 0}, {0x80000021, 0},
    };
    u64 shown[] = {vector_shape.features, vector_shape.mxcsr_mask};
    for (u32 n = 0; n < countof(leaves); n++)
        record_add_leaf(b, leaves[n][0], leaves[n][1]);
    for (u32 state = 2; state < 32; state++)
        if (vector_shape.features >> state & 1)
            record_add_leaf(b, 0xd, state);
    record_piece(b, PIECE_CPU, 0, shown, sizeof(shown));
}

static void add_start_pieces(struct record_event *b, const struct loader_request *request,
                             const struct signals_inherited *inherited)
{
    u64 chosen[] = {request->stack_limit, inherited->ignored, inherited->mask, LAYOUT_NEWEST};
    static char directory[4096];
    i64 length = kernel_call(__NR_getcwd, directory, sizeof(directory));
    const void *random = auxv_pointer(request->auxv, AT_RANDOM);
    record_piece(b, PIECE_PATH, 0, request->path, strlen(request->path));
    record_add_strings(b, PIECE_ARGUMENTS, request->argv);
    record_add_strings(b, PIECE_ENVIRONMENT, request->envp);
    record_piece(b, PIECE_AUXV, 0, request->auxv, auxv_words(request->auxv) * 8);
    if (random)
        record_piece(b, PIECE_RANDOM, 0, random, RANDOM_BYTES);
    if (length > 1)
        record_piece(b, PIECE_DIRECTORY, 0, directory, (u64)length - 1);
    record_piece(b, PIECE_SETTINGS, 0, settings.text, strlen(settings.text));
    record_piece(b, PIECE_LAYOUT, 0, chosen, sizeof(chosen));
    add_cpu(b);
}

bool record_build_start(struct record_event *b, const struct record_moment *at)
{
    struct event_start start = {
        .flags = START_FAULTS,
        .pid = (u32)kernel_call(__NR_getpid),
        .ppid = (u32)kernel_call(__NR_getppid),
        .tid = (u32)kernel_call(__NR_gettid),
        .uid = (u32)kernel_call(__NR_getuid),
        .gid = (u32)kernel_call(__NR_getgid),
        .realtime = record_clock_ns(0),
        .frequency = record.frequency,
    };
    if (!record_build(b, EVENT_START, at))
        return false;
    b->flags = (u16 *)&((struct event_start *)record_add(b, &start, sizeof(start)))->flags;
    return true;
}

void record_start(struct loader_request *request, struct signals_inherited *inherited)
{
    struct track_origin_info origin = {
        .origin = settings.parent ? TRACK_EXECED : TRACK_FIRST,
        .parent = settings.parent ? (u32)settings.parent - 1 : TRACK_NONE,
        .parent_tick = settings.parent_tick,
        .parent_pc = settings.parent_pc,
    };
    struct record_event b;
    if (!track_open(&origin)) {
        log_own(&log_unrecorded);
        return;
    }
    share_group_start(settings.share);
    record_open_ring();
    record.frequency = tsc_frequency();
    output_start();
    thread_take_name(request->path);
    struct record_moment at = {.time = record_tsc()};
    if (!record_build_start(&b, &at))
        return;
    add_start_pieces(&b, request, inherited);
    record_publish(&b);
}
