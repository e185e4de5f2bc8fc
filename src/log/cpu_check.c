/* Compares this processor with the recorded one: see the header.
 *
 * The names are those of /proc/cpuinfo. Features that the engine emulates (clocks, random numbers,
 * the core's number), that only a kernel can use, or that are mere hints are left out.
 */
#include "log/cpu_check.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

#include "base/registers.h"
#include "base/xalloc.h"

enum { EAX, EBX, ECX, EDX };

enum { LEAF_XSAVE = 0xd, OSXSAVE_BIT = 27, NAMED_MOST = 6 };

static const struct feature {
    u32 leaf, subleaf;
    u8 reg, bit;
    const char *name;
} features[] = {
    {1, 0, EDX, 15, "cmov"},     {1, 0, EDX, 23, "mmx"},       {1, 0, EDX, 24, "fxsr"},
    {1, 0, EDX, 25, "sse"},      {1, 0, EDX, 26, "sse2"},      {1, 0, EDX, 19, "clflush"},
    {1, 0, ECX, 0, "sse3"},      {1, 0, ECX, 1, "pclmulqdq"},  {1, 0, ECX, 9, "ssse3"},
    {1, 0, ECX, 12, "fma"},      {1, 0, ECX, 13, "cx16"},      {1, 0, ECX, 19, "sse4_1"},
    {1, 0, ECX, 20, "sse4_2"},   {1, 0, ECX, 22, "movbe"},     {1, 0, ECX, 23, "popcnt"},
    {1, 0, ECX, 25, "aes"},      {1, 0, ECX, 26, "xsave"},     {1, 0, ECX, 28, "avx"},
    {1, 0, ECX, 29, "f16c"},
    {7, 0, EBX, 0, "fsgsbase"},  {7, 0, EBX, 3, "bmi1"},       {7, 0, EBX, 5, "avx2"},
    {7, 0, EBX, 8, "bmi2"},      {7, 0, EBX, 14, "mpx"},       {7, 0, EBX, 16, "avx512f"},
    {7, 0, EBX, 17, "avx512dq"}, {7, 0, EBX, 19, "adx"},       {7, 0, EBX, 21, "avx512ifma"},
    {7, 0, EBX, 23, "clflushopt"}, {7, 0, EBX, 24, "clwb"},    {7, 0, EBX, 26, "avx512pf"},
    {7, 0, EBX, 27, "avx512er"}, {7, 0, EBX, 28, "avx512cd"},  {7, 0, EBX, 29, "sha_ni"},
    {7, 0, EBX, 30, "avx512bw"}, {7, 0, EBX, 31, "avx512vl"},
    {7, 0, ECX, 1, "avx512vbmi"}, {7, 0, ECX, 4, "ospke"},     {7, 0, ECX, 6, "avx512_vbmi2"},
    {7, 0, ECX, 8, "gfni"},      {7, 0, ECX, 9, "vaes"},       {7, 0, ECX, 10, "vpclmulqdq"},
    {7, 0, ECX, 11, "avx512_vnni"}, {7, 0, ECX, 12, "avx512_bitalg"},
    {7, 0, ECX, 14, "avx512_vpopcntdq"}, {7, 0, ECX, 25, "cldemote"},
    {7, 0, ECX, 27, "movdiri"},  {7, 0, ECX, 28, "movdir64b"},
    {7, 0, EDX, 2, "avx512_4vnniw"}, {7, 0, EDX, 3, "avx512_4fmaps"},
    {7, 0, EDX, 8, "avx512_vp2intersect"}, {7, 0, EDX, 14, "serialize"},
    {7, 0, EDX, 23, "avx512_fp16"},
    {7, 1, EAX, 0, "sha512"},    {7, 1, EAX, 1, "sm3"},        {7, 1, EAX, 2, "sm4"},
    {7, 1, EAX, 3, "raoint"},    {7, 1, EAX, 4, "avx_vnni"},   {7, 1, EAX, 5, "avx512_bf16"},
    {7, 1, EAX, 7, "cmpccxadd"}, {7, 1, EAX, 23, "avx_ifma"},  {7, 1, EDX, 4, "avx_vnni_int8"},
    {7, 1, EDX, 5, "avx_ne_convert"}, {7, 1, EDX, 10, "avx_vnni_int16"},
    {LEAF_XSAVE, 1, EAX, 0, "xsaveopt"}, {LEAF_XSAVE, 1, EAX, 1, "xsavec"},
    {LEAF_XSAVE, 1, EAX, 2, "xgetbv1"},
    {0x80000001, 0, ECX, 0, "lahf_lm"}, {0x80000001, 0, ECX, 5, "abm"},
    {0x80000001, 0, ECX, 6, "sse4a"},   {0x80000001, 0, ECX, 7, "misalignsse"},
    {0x80000001, 0, ECX, 11, "xop"},    {0x80000001, 0, ECX, 15, "lwp"},
    {0x80000001, 0, ECX, 16, "fma4"},   {0x80000001, 0, ECX, 21, "tbm"},
    {0x80000001, 0, ECX, 29, "mwaitx"}, {0x80000001, 0, EDX, 22, "mmxext"},
    {0x80000001, 0, EDX, 30, "3dnowext"}, {0x80000001, 0, EDX, 31, "3dnow"},
    {0x80000008, 0, EBX, 0, "clzero"},
};

static const char *const state_names[XSAVE_COMPONENTS] = {
    [XSAVE_AVX] = "avx", [XSAVE_BNDREGS] = "mpx", [XSAVE_BNDCSR] = "mpx", [XSAVE_OPMASK] = "avx512",
    [XSAVE_ZMM_HIGH] = "avx512", [XSAVE_ZMM_UPPER] = "avx512", [XSAVE_PKRU] = "pku",
    [XSAVE_TILE_CONFIG] = "amx", [XSAVE_TILE_DATA] = "amx", [XSAVE_APX] = "apx",
};

/* Tables */

static void add_leaf(struct cpu_table *table, const struct event_cpuid *leaf)
{
    struct event_cpuid *longer = xalloc((table->count + 1) * sizeof *longer);
    if (table->count)
        memcpy(longer, table->leaves, table->count * sizeof *longer);
    longer[table->count++] = *leaf;
    free(table->leaves);
    table->leaves = longer;
}

void cpu_table_add(struct cpu_table *table, u32 piece, const void *bytes, size_t size)
{
    const u8 *at = bytes;
    struct event_cpuid leaf;
    for (; piece == PIECE_CPUID && size >= sizeof leaf; at += sizeof leaf, size -= sizeof leaf) {
        memcpy(&leaf, at, sizeof leaf);
        add_leaf(table, &leaf);
    }
    if (piece == PIECE_CPU && size >= sizeof table->states) {
        memcpy(&table->states, at, sizeof table->states);
        table->has_states = true;
    }
}

static void cpu_check_ask(struct cpu_table *table, u32 leaf, u32 subleaf)
{
    struct event_cpuid e = {.leaf = leaf, .subleaf = subleaf};
    if (__get_cpuid_count(leaf, subleaf, &e.eax, &e.ebx, &e.ecx, &e.edx))
        add_leaf(table, &e);
}

static const struct event_cpuid *cpu_check_find(const struct cpu_table *table, u32 leaf,
                                                u32 subleaf)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->leaves[i].leaf == leaf && table->leaves[i].subleaf == subleaf)
            return &table->leaves[i];
    return NULL;
}

void cpu_table_here(struct cpu_table *ret)
{
    *ret = (struct cpu_table){.has_states = true};
    cpu_check_ask(ret, 0, 0);
    for (size_t i = 0; i < countof(features); i++)
        if (!cpu_check_find(ret, features[i].leaf, features[i].subleaf))
            cpu_check_ask(ret, features[i].leaf, features[i].subleaf);
    const struct event_cpuid *one = cpu_check_find(ret, 1, 0);
    if (one && one->ecx >> OSXSAVE_BIT & 1) {
        u32 low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        ret->states = (u64)high << 32 | low;
    }
    for (u32 state = XSAVE_AVX; state < XSAVE_COMPONENTS; state++)
        if (ret->states >> state & 1)
            cpu_check_ask(ret, LEAF_XSAVE, state);
}

void cpu_table_deinit(struct cpu_table *table)
{
    free(table->leaves);
    *table = (struct cpu_table){0};
}

/* Comparing */

static bool has(const struct cpu_table *table, const struct feature *f)
{
    const struct event_cpuid *leaf = cpu_check_find(table, f->leaf, f->subleaf);
    if (!leaf)
        return false;
    const u32 regs[] = {leaf->eax, leaf->ebx, leaf->ecx, leaf->edx};
    return regs[f->reg] >> f->bit & 1;
}

/* Returns the missing features, "a, b, c and 3 others"; NULL if there are none. The caller frees
 * it. */
static char *missing_features(const struct cpu_table *recorded, const struct cpu_table *here)
{
    char *list = NULL;
    size_t count = 0;
    for (const struct feature *f = features; f < features + countof(features); f++) {
        if (!has(recorded, f) || has(here, f) || ++count > NAMED_MOST)
            continue;
        char *longer = list ? xformat("%s, %s", list, f->name) : xformat("%s", f->name);
        free(list);
        list = longer;
    }
    if (count > NAMED_MOST) {
        char *longer = xformat("%s and %zu others", list, count - NAMED_MOST);
        free(list);
        list = longer;
    }
    return list;
}

/* Returns an xsave state that is missing here or differs; 0: none. */
static u32 different_state(const struct cpu_table *recorded, const struct cpu_table *here)
{
    for (u32 state = XSAVE_AVX; state < XSAVE_COMPONENTS; state++) {
        if (!(recorded->states >> state & 1))
            continue;
        const struct event_cpuid *a = cpu_check_find(recorded, LEAF_XSAVE, state);
        const struct event_cpuid *b = cpu_check_find(here, LEAF_XSAVE, state);
        if (!(here->states >> state & 1) || (a && b && (a->eax != b->eax || a->ebx != b->ebx)))
            return state;
    }
    return 0;
}

#define ADVICE                                                                             \
    "; record with --cpu=baseline what is to be replayed elsewhere (EBB_ANY_CPU=1 tries it " \
    "nevertheless)"

struct error *cpu_check(const struct cpu_table *recorded, const struct cpu_table *here)
{
    char *missing = missing_features(recorded, here);
    if (missing) {
        struct error *err = error_coded(ERROR_UNREPLAYABLE,
                                        "this processor lacks %s, which the recorded program could "
                                        "use" ADVICE,
                                        missing);
        free(missing);
        return err;
    }
    u32 state = recorded->has_states ? different_state(recorded, here) : 0;
    if (state)
        return error_coded(ERROR_UNREPLAYABLE,
                           "this processor stores the %s state differently from the one that the "
                           "program was recorded on, so signal frames would differ" ADVICE,
                           state_names[state] ? state_names[state] : "extended");
    return NULL;
}
