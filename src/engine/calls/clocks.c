/* Time, random numbers and identity: rdtsc, rdrand, cpuid and similar instructions, and the
 * functions of the engine's vDSO.
 *
 * With the setting `random` instructions are made reproducible: the time-stamp counter follows
 * the ticks, random numbers come from a fixed sequence, and the numbers of cores are 0.
 *
 * cpuid is the machine's, without what the engine does not provide: transactions (always
 * aborted), tile registers and extended registers (unknown to the decoder), shadow stacks
 * (returns are translated), user-mode waiting and interrupts; and what is above the setting `cpu`.
 */
#include "engine/calls/clocks.h"

#include "base/assert.h"
#include "base/registers.h"
#include "engine/base/kernel.h"
#include "engine/base/settings.h"
#include "engine/base/ticks.h"
#include "engine/calls/kernel_clocks.h"
#include "engine/x86_64/cpu_level.h"

static struct {
    u64 tsc_reads; /* makes a loop end that waits for time to pass */
    u64 random;    /* the state of reproducible_random() */
} clocks = {.random = 0x6562620000000001ul};

/* The time-stamp counter */

static u64 reproducible_tsc(void)
{
    return (1ul << 32) + ticks_now() * 8 + ++clocks.tsc_reads * 64;
}

static u64 clocks_read_tsc(void)
{
    if (settings.random)
        return reproducible_tsc();
    u32 low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high));
    return (u64)high << 32 | low;
}

static u64 core_now(void)
{
    u32 core = 0, node = 0;
    if (!settings.random)
        kernel_getcpu(&core, &node);
    return node << 12 | core; /* the form in which Linux sets what rdtscp and rdpid read */
}

/* Random numbers */

/* Steele, Lea and Flood's SplitMix64. */
static u64 reproducible_random(void)
{
    u64 z = clocks.random += 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

bool clocks_random(u64 *ret)
{
    if (settings.random) {
        *ret = reproducible_random();
        return true;
    }
    return kernel_call(__NR_getrandom, ret, sizeof(*ret), 0) == sizeof(*ret);
}

/* cpuid */

enum { EAX, EBX, ECX, EDX };

enum {
    LEAF_FEATURES = 1,
    LEAF_MORE_FEATURES = 7,
    LEAF_TOPOLOGY = 0xb,
    LEAF_XSAVE = 0xd,
    LEAF_TILES = 0x1d,
    LEAF_TILE_PRODUCT = 0x1e,
    LEAF_TOPOLOGY_2 = 0x1f,
};
#define LEAF_AMD_SIZES 0x80000008u
#define LEAF_AMD_TOPOLOGY 0x8000001eu

#define BIT(n) (1u << (n))

struct hidden {
    u32 leaf;
    u32 subleaf;
    u32 bits[4];
};

static const struct hidden hidden[] = {
    /* waitpkg, shadow stacks, hle and rtm; edx: user interrupts, rtm abort, tsx force
     * abort, branch tracking, tiles */
    {LEAF_MORE_FEATURES, 0,
     {0, BIT(4) | BIT(11), BIT(5) | BIT(7),
      BIT(5) | BIT(11) | BIT(13) | BIT(20) | BIT(22) | BIT(24) | BIT(25)}},
    /* tiles with fp16; edx: tiles complex, user-level msr, avx10, apx */
    {LEAF_MORE_FEATURES, 1, {BIT(21), 0, 0, BIT(8) | BIT(15) | BIT(19) | BIT(21)}},
    /* rdpru */
    {LEAF_AMD_SIZES, 0, {0, BIT(4), 0, 0}},
    {LEAF_TILES, 0, {~0u, ~0u, ~0u, ~0u}},
    {LEAF_TILES, 1, {~0u, ~0u, ~0u, ~0u}},
    {LEAF_TILE_PRODUCT, 0, {~0u, ~0u, ~0u, ~0u}},
    {LEAF_TILE_PRODUCT, 1, {~0u, ~0u, ~0u, ~0u}},
};

static void real_cpuid(u32 leaf, u32 subleaf, u32 ret[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(ret[EAX]), "=b"(ret[EBX]), "=c"(ret[ECX]), "=d"(ret[EDX])
                     : "a"(leaf), "c"(subleaf));
}

/* Extended states that the guest does not get: tiles, extended registers, those above its level. */
enum {
    STATES_NEVER = XSAVE_BIT(XSAVE_TILE_CONFIG) | XSAVE_BIT(XSAVE_TILE_DATA) | XSAVE_BIT(XSAVE_APX),
};

static u32 states_hidden(void)
{
    return STATES_NEVER | (u32)~cpu_level_states(settings.cpu);
}

enum { STATE_ALIGNED = BIT(1) };

/* The size of an xsave area for the states in `mask`, in the standard or the compacted form. */
static u32 xsave_size(u32 mask, bool compacted)
{
    u32 size = XSAVE_EXTENDED;
    for (u32 state = XSAVE_AVX; state < XSAVE_COMPONENTS; state++) {
        u32 about[4];
        if (!(mask & BIT(state)))
            continue;
        real_cpuid(LEAF_XSAVE, state, about);
        u32 at = size;
        if (!compacted)
            at = about[EBX];
        else if (about[ECX] & STATE_ALIGNED)
            at = (size + 63) & ~63u;
        if (at + about[EAX] > size)
            size = at + about[EAX];
    }
    return size;
}

static void hide_states(u32 subleaf, u32 ret[4])
{
    u32 all[4];
    real_cpuid(LEAF_XSAVE, 0, all);
    if (!(all[EAX] & states_hidden()))
        return;
    u32 left = all[EAX] & ~states_hidden();
    if (subleaf == 0) {
        ret[EAX] = left;
        ret[EBX] = ret[ECX] = xsave_size(left, false);
    } else if (subleaf == 1) {
        ret[EBX] = xsave_size(left, true);
    } else if (subleaf < XSAVE_COMPONENTS && (states_hidden() & BIT(subleaf))) {
        ret[EAX] = ret[EBX] = ret[ECX] = ret[EDX] = 0;
    }
}

/* Hides what distinguishes one core from another. */
static void hide_core(u32 leaf, u32 ret[4])
{
    if (leaf == LEAF_FEATURES)
        ret[EBX] &= 0x00ffffff;
    if (leaf == LEAF_TOPOLOGY || leaf == LEAF_TOPOLOGY_2)
        ret[EDX] = 0;
    if (leaf == LEAF_AMD_TOPOLOGY) {
        ret[EAX] = 0;
        ret[EBX] &= ~0xffu;
        ret[ECX] &= ~0xffu;
    }
}

static void shown_cpuid(u32 leaf, u32 subleaf, u32 ret[4])
{
    real_cpuid(leaf, subleaf, ret);
    for (size_t i = 0; i < countof(hidden); i++) {
        bool any_subleaf = hidden[i].leaf == LEAF_AMD_SIZES;
        if (hidden[i].leaf != leaf || (!any_subleaf && hidden[i].subleaf != subleaf))
            continue;
        for (int r = EAX; r <= EDX; r++)
            ret[r] &= ~hidden[i].bits[r];
    }
    if (leaf == LEAF_XSAVE)
        hide_states(subleaf, ret);
    cpu_level_mask(settings.cpu, leaf, subleaf, ret);
    if (settings.random)
        hide_core(leaf, ret);
}

/* The same is hidden here. */
static u64 shown_xcr0(void)
{
    u32 low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((u64)high << 32 | low) & ~(u64)states_hidden();
}

/* Questions and answers */

static const struct {
    u8 count;
    u8 asked; /* number of values that the question already determines */
} shapes[] = {
    [CLOCK_RDTSC]        = {1, 0},
    [CLOCK_RDTSCP]       = {2, 0},
    [CLOCK_RDRAND]       = {2, 0},
    [CLOCK_RDSEED]       = {2, 0},
    [CLOCK_RDPID]        = {1, 0},
    [CLOCK_XGETBV]       = {1, 0},
    [CLOCK_CPUID]        = {3, 1},
    [CLOCK_GETTIME]      = {4, 1},
    [CLOCK_GETTIMEOFDAY] = {5, 0},
    [CLOCK_TIME]         = {1, 0},
    [CLOCK_GETCPU]       = {3, 0},
    [CLOCK_GETRES]       = {4, 1},
};

static u64 clocks_join_halves(u32 low, u32 high)
{
    return (u64)high << 32 | low;
}

bool clocks_expect(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                   struct clock_answer *ret)
{
    assert(source < countof(shapes));
    ret->count = shapes[source].count;
    if (source == CLOCK_CPUID)
        ret->value[0] = clocks_join_halves((u32)args[0], (u32)args[1]);
    else if (shapes[source].asked)
        ret->value[0] = (u64)(i64)(i32)args[0];
    return shapes[source].asked;
}

static void ask_cpuid(const u64 args[CLOCK_ARGS], u64 *value)
{
    u32 r[4];
    shown_cpuid((u32)args[0], (u32)args[1], r);
    value[1] = clocks_join_halves(r[EAX], r[EBX]);
    value[2] = clocks_join_halves(r[ECX], r[EDX]);
}

/* Values that the kernel refuses to give are 0. */
static void ask_timespec(i64 (*ask)(i32, struct k_timespec *), u64 *value)
{
    struct k_timespec t = {0, 0};
    value[3] = (u64)ask((i32)value[0], &t);
    value[1] = (u64)t.seconds;
    value[2] = (u64)t.nanoseconds;
}

static void ask_timeofday(u64 *value)
{
    struct k_timeval t = {0, 0};
    struct k_timezone zone = {0, 0};
    value[4] = (u64)kernel_gettimeofday(&t, &zone);
    value[0] = (u64)t.seconds;
    value[1] = (u64)t.microseconds;
    value[2] = (u32)zone.minutes_west;
    value[3] = (u32)zone.dst;
}

static void ask_cpu(u64 *value)
{
    u32 core = 0, node = 0;
    value[2] = (u64)kernel_getcpu(&core, &node);
    value[0] = core;
    value[1] = node;
}

void clocks_ask(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                struct clock_answer *ret)
{
    u64 *value = ret->value;
    clocks_expect(source, args, ret);
    switch (source) {
    case CLOCK_RDTSC:
        value[0] = clocks_read_tsc();
        break;
    case CLOCK_RDTSCP:
        value[0] = clocks_read_tsc();
        value[1] = core_now();
        break;
    case CLOCK_RDRAND:
    case CLOCK_RDSEED:
        value[0] = 0;
        value[1] = clocks_random(&value[0]);
        break;
    case CLOCK_RDPID:
        value[0] = core_now();
        break;
    case CLOCK_XGETBV:
        value[0] = shown_xcr0();
        break;
    case CLOCK_CPUID:
        ask_cpuid(args, value);
        break;
    case CLOCK_GETTIME:
        ask_timespec(kernel_clock_gettime, value);
        break;
    case CLOCK_GETRES:
        ask_timespec(kernel_clock_getres, value);
        break;
    case CLOCK_GETTIMEOFDAY:
        ask_timeofday(value);
        break;
    case CLOCK_TIME:
        value[0] = (u64)kernel_time();
        break;
    case CLOCK_GETCPU:
        ask_cpu(value);
        break;
    }
}
