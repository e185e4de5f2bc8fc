/* Time, chance and identity as instructions give them: rdtsc, rdrand, cpuid.
 *
 * With the setting `random` they are made reproducible: the time-stamp counter follows the
 * ticks, random numbers come from a fixed sequence, and the numbers of cores are 0.
 *
 * cpuid is the machine's, less what the engine does not provide: transactions (always
 * aborted), tile registers and extended registers (unknown to the decoder), shadow stacks
 * (returns are translated), user-mode waiting and interrupts.
 */
#include "engine/clocks.h"

#include "engine/kernel.h"
#include "engine/settings.h"
#include "engine/ticks.h"

/* The time-stamp counter */

static u64 reproducible_tsc(void)
{
    static u64 reads; /* so that a loop which waits for time to pass ends */
    return (1ul << 32) + ticks_now() * 8 + ++reads * 64;
}

static u32 core_now(void)
{
    u32 core = 0, node = 0;
    kernel_call(__NR_getcpu, &core, &node, NULL);
    return node << 12 | core; /* as Linux sets up what rdtscp and rdpid read */
}

u64 clocks_tsc(u32 *ret_core)
{
    if (settings.random) {
        if (ret_core)
            *ret_core = 0;
        return reproducible_tsc();
    }
    u32 low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high));
    if (ret_core)
        *ret_core = core_now();
    return (u64)high << 32 | low;
}

/* Random numbers */

/* Steele, Lea and Flood's SplitMix64. */
static u64 reproducible_random(void)
{
    static u64 state = 0x6562620000000001ul;
    u64 z = state += 0x9e3779b97f4a7c15ul;
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

/* Extended states that the guest does not get: tiles and extended registers. */
enum { STATES_HIDDEN = BIT(17) | BIT(18) | BIT(19), STATE_FIRST = 2, STATE_END = 32 };
enum { LEGACY_AND_HEADER = 576, STATE_ALIGNED = BIT(1) };

/* The size of an xsave area for the states in `mask`, in the standard or the compacted form. */
static u32 xsave_size(u32 mask, bool compacted)
{
    u32 size = LEGACY_AND_HEADER;
    for (u32 state = STATE_FIRST; state < STATE_END; state++) {
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
    if (!(all[EAX] & STATES_HIDDEN))
        return;
    u32 left = all[EAX] & ~(u32)STATES_HIDDEN;
    if (subleaf == 0) {
        ret[EAX] = left;
        ret[EBX] = ret[ECX] = xsave_size(left, false);
    } else if (subleaf == 1) {
        ret[EBX] = xsave_size(left, true);
    } else if (subleaf < STATE_END && (STATES_HIDDEN & BIT(subleaf))) {
        ret[EAX] = ret[EBX] = ret[ECX] = ret[EDX] = 0;
    }
}

/* What tells one core from another. */
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

void clocks_cpuid(u32 leaf, u32 subleaf, u32 ret[4])
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
    if (settings.random)
        hide_core(leaf, ret);
}
