/* Levels of the processor: see cpu_level.h.
 *
 * A row has the bits that a level keeps. Feature leaves without a row keep nothing; descriptive
 * leaves (caches, topology, names) are unchanged. Instructions that the engine emulates (rdtscp,
 * rdrand) may be shown, since a replay can emulate them anywhere.
 */
#include "engine/x86_64/cpu_level.h"

#include "base/registers.h"

#define BIT(n) (1u << (n))

enum {
    LEAF_XSAVE = 0xd,
    STATE_X87_SSE = XSAVE_BIT(XSAVE_X87) | XSAVE_BIT(XSAVE_SSE),
    STATE_AVX = XSAVE_BIT(XSAVE_AVX),
};

/* Leaf 1, ecx: sse3, ssse3, cx16, sse4.1, sse4.2, popcnt, rdrand, hypervisor; then pclmulqdq, fma,
 * movbe, aes, xsave, osxsave, avx, f16c. */
#define ECX_1_V2 \
    (BIT(0) | BIT(9) | BIT(13) | BIT(19) | BIT(20) | BIT(23) | BIT(30) | BIT(31))
#define ECX_1_V3 \
    (ECX_1_V2 | BIT(1) | BIT(12) | BIT(22) | BIT(25) | BIT(26) | BIT(27) | BIT(28) | BIT(29))

/* Leaf 7, ebx: fast rep movsb is a hint and may stay; then bmi1, avx2, bmi2. */
#define EBX_7_V2 BIT(9)
#define EBX_7_V3 (EBX_7_V2 | BIT(3) | BIT(5) | BIT(8))

/* Leaf 0x80000001, ecx: lahf, prefetchw; then lzcnt.  edx: what it repeats of leaf 1, syscall, nx,
 * rdtscp, long mode. */
#define ECX_EXT_V2 (BIT(0) | BIT(8))
#define ECX_EXT_V3 (ECX_EXT_V2 | BIT(5))
#define EDX_EXT (0x3ffffu | BIT(20) | BIT(23) | BIT(24) | BIT(27) | BIT(29))

#define ALL (~0u)

static const struct level_row {
    u32 leaf, subleaf;
    u32 v2[4], v3[4]; /* eax, ebx, ecx, edx */
} rows[] = {
    {1, 0,             {ALL, ALL, ECX_1_V2, ALL},       {ALL, ALL, ECX_1_V3, ALL}},
    {7, 0,             {0, EBX_7_V2, 0, 0},             {0, EBX_7_V3, 0, 0}},
    {LEAF_XSAVE, 0,    {0, 0, 0, 0},                    {ALL, ALL, ALL, ALL}},
    {LEAF_XSAVE, XSAVE_AVX, {0, 0, 0, 0},                    {ALL, ALL, ALL, ALL}},
    {0x80000001, 0,    {ALL, ALL, ECX_EXT_V2, EDX_EXT}, {ALL, ALL, ECX_EXT_V3, EDX_EXT}},
    {0x80000008, 0,    {ALL, 0, ALL, ALL},              {ALL, 0, ALL, ALL}},
};

/* True for leaves with features, by ranges; others are descriptive. */
static bool has_features(u32 leaf)
{
    return leaf == 1 || leaf == 7 || leaf == LEAF_XSAVE || leaf == 0x12 || leaf == 0x14 ||
           leaf == 0x19 || leaf == 0x1d || leaf == 0x1e || leaf == 0x24 || leaf == 0x29 ||
           leaf == 0x80000001 || leaf == 0x80000008 || leaf == 0x8000000a || leaf == 0x8000001b ||
           leaf == 0x8000001c || leaf == 0x80000021;
}

/* Only some leaves have subleaves; the others ignore it. */
static bool is_row(const struct level_row *row, u32 leaf, u32 subleaf)
{
    bool divided = leaf == 7 || leaf == LEAF_XSAVE;
    return row->leaf == leaf && (!divided || row->subleaf == subleaf);
}

void cpu_level_mask(u32 level, u32 leaf, u32 subleaf, u32 answer[4])
{
    static const u32 nothing[4];
    const u32 *kept = nothing;
    if (level == CPU_LEVEL_HOST || !has_features(leaf))
        return;
    for (size_t i = 0; i < countof(rows); i++)
        if (is_row(&rows[i], leaf, subleaf))
            kept = level >= CPU_LEVEL_V3 ? rows[i].v3 : rows[i].v2;
    for (int r = 0; r < 4; r++)
        answer[r] &= kept[r];
}

u64 cpu_level_states(u32 level)
{
    if (level == CPU_LEVEL_HOST)
        return ~0ul;
    return level >= CPU_LEVEL_V3 ? STATE_X87_SSE | STATE_AVX : STATE_X87_SSE;
}
