/* Levels of the processor: what each leaves of a machine that has everything.
 *
 * unit: src/engine/x86_64/cpu_level.c
 */
#include <stdio.h>

#include "engine/x86_64/cpu_level.h"

enum { EAX, EBX, ECX, EDX };

static const struct {
    const char *name;
    u32 leaf, subleaf, reg, bit;
    bool v2, v3;
} rows[] = {
    {"sse2", 1, 0, EDX, 26, true, true},          {"sse4_2", 1, 0, ECX, 20, true, true},
    {"popcnt", 1, 0, ECX, 23, true, true},        {"cx16", 1, 0, ECX, 13, true, true},
    {"avx", 1, 0, ECX, 28, false, true},          {"osxsave", 1, 0, ECX, 27, false, true},
    {"fma", 1, 0, ECX, 12, false, true},          {"movbe", 1, 0, ECX, 22, false, true},
    {"aes", 1, 0, ECX, 25, false, true},          {"avx2", 7, 0, EBX, 5, false, true},
    {"bmi2", 7, 0, EBX, 8, false, true},          {"avx512f", 7, 0, EBX, 16, false, false},
    {"sha_ni", 7, 0, EBX, 29, false, false},      {"rtm", 7, 0, EBX, 11, false, false},
    {"fsgsbase", 7, 0, EBX, 0, false, false},     {"pku", 7, 0, ECX, 3, false, false},
    {"rdpid", 7, 0, ECX, 22, false, false},       {"vaes", 7, 0, ECX, 9, false, false},
    {"ibt", 7, 0, EDX, 20, false, false},         {"amx", 7, 0, EDX, 24, false, false},
    {"avx_vnni", 7, 1, EAX, 4, false, false},     {"more subleaves", 7, 0, EAX, 0, false, false},
    {"xsavec", 0xd, 1, EAX, 1, false, false},     {"avx state", 0xd, 2, EAX, 8, false, true},
    {"avx512 state", 0xd, 5, EAX, 6, false, false},
    {"lahf", 0x80000001, 0, ECX, 0, true, true},  {"lzcnt", 0x80000001, 0, ECX, 5, false, true},
    {"lzcnt, any subleaf", 0x80000001, 77, ECX, 5, false, true},
    {"sse4a", 0x80000001, 0, ECX, 6, false, false}, {"xop", 0x80000001, 0, ECX, 11, false, false},
    {"3dnow", 0x80000001, 0, EDX, 31, false, false}, {"long mode", 0x80000001, 0, EDX, 29, true, true},
    {"clzero", 0x80000008, 0, EBX, 0, false, false},
    {"sizes of addresses", 0x80000008, 0, EAX, 3, true, true},
    {"caches", 4, 1, EBX, 9, true, true},         {"the vendor", 0, 0, EBX, 1, true, true},
};

static int failures;

static bool shown(u32 level, size_t i)
{
    u32 registers[4] = {~0u, ~0u, ~0u, ~0u};
    cpu_level_mask(level, rows[i].leaf, rows[i].subleaf, registers);
    return registers[rows[i].reg] >> rows[i].bit & 1;
}

static void report(const char *level, const char *name, bool right)
{
    if (!right)
        printf("FAIL cpu_level: %s at %s: it should be the other way round\n", name, level);
    failures += !right;
}

int main(void)
{
    for (size_t i = 0; i < countof(rows); i++) {
        report("host", rows[i].name, shown(CPU_LEVEL_HOST, i));
        report("v2", rows[i].name, shown(CPU_LEVEL_V2, i) == rows[i].v2);
        report("v3", rows[i].name, shown(CPU_LEVEL_V3, i) == rows[i].v3);
    }
    report("v2", "states", cpu_level_states(CPU_LEVEL_V2) == 3);
    report("v3", "states", cpu_level_states(CPU_LEVEL_V3) == 7);
    if (!failures)
        puts("ok cpu_level");
    return failures != 0;
}
