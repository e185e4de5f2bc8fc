/* Machines that were made up, held against each other.
 *
 * unit: src/log/cpu_check.c src/base/error.c src/base/complain.c src/base/xalloc.c
 */
#include <stdio.h>
#include <string.h>

#include "log/cpu_check.h"

static int failures;

/* leaf, subleaf, eax, ebx, ecx, edx */
static struct event_cpuid haswell[] = {
    {1, 0, 0x306c3, 0, 0x7ffafbff, 0xbfebfbff},
    {7, 0, 0, 0x2fbb, 0, 0},
    {0xd, 1, 1, 0, 0, 0},
    {0xd, 2, 256, 576, 0, 0},
    {0x80000001, 0, 0, 0, 0x21, 0x2c100800},
};
static struct event_cpuid icelake[] = {
    {1, 0, 0x606a6, 0, 0x7ffefbff, 0xbfebfbff},
    {7, 0, 2, 0xf3bf2fff, 0x1b415f5e, 0x10},
    {7, 1, 0x20, 0, 0, 0},
    {0xd, 1, 0xf, 0, 0, 0},
    {0xd, 2, 256, 576, 0, 0}, {0xd, 5, 64, 1088, 0, 0}, {0xd, 6, 512, 1152, 0, 0},
    {0xd, 7, 1024, 1664, 0, 0}, {0xd, 9, 8, 2688, 0, 0},
    {0x80000001, 0, 0, 0, 0x121, 0x2c100800},
};
/* Like Zen 3: AVX2 and protection keys, at the offset where others have AVX-512. */
static struct event_cpuid zen[] = {
    {1, 0, 0xa20f10, 0, 0x7ef8320b, 0x178bfbff},
    {7, 0, 0, 0x219c97ab, 0x40061c, 0},
    {0xd, 1, 0xf, 0, 0, 0},
    {0xd, 2, 256, 576, 0, 0}, {0xd, 9, 8, 832, 0, 0},
    {0x80000001, 0, 0, 0, 0x75c237ff, 0x2fd3fbff},
};
/* What icelake shows at the baseline level. */
static struct event_cpuid baseline[] = {
    {1, 0, 0x606a6, 0, 0x76f83203 & ~(1u << 21), 0xbfebfbff},
    {7, 0, 0, 0x328, 0, 0},
    {0xd, 2, 256, 576, 0, 0},
    {0x80000001, 0, 0, 0, 0x121, 0x2c100800},
};
/* A machine of which only the offset of its protection keys is known. */
static struct event_cpuid keys[] = {
    {0xd, 9, 8, 2688, 0, 0},
};

#define TABLE(list, states) {list, countof(list), true, states}

static const struct row {
    const char *name;
    struct cpu_table recorded, here;
    const char *wanted; /* in the sentence; NULL: all is well */
} rows[] = {
    {"the same", TABLE(icelake, 0x2e7), TABLE(icelake, 0x2e7), NULL},
    {"a lesser one recorded", TABLE(haswell, 7), TABLE(icelake, 0x2e7), NULL},
    {"a lesser one here", TABLE(icelake, 0x2e7), TABLE(haswell, 7), "lacks avx512f, "},
    {"many are counted", TABLE(icelake, 0x2e7), TABLE(haswell, 7), " others, which"},
    {"baseline on haswell", TABLE(baseline, 7), TABLE(haswell, 7), NULL},
    {"baseline on zen", TABLE(baseline, 7), TABLE(zen, 0x207), NULL},
    {"zen on icelake", TABLE(zen, 0x207), TABLE(icelake, 0x2e7), "sse4a"},
    {"a state elsewhere", TABLE(keys, 0x203), TABLE(zen, 0x207), "the pku state"},
    {"a state that is off", TABLE(haswell, 7), TABLE(haswell, 3), "the avx state"},
    {"an old recording", {NULL, 0, false, 0}, TABLE(haswell, 7), NULL},
    {"advice", TABLE(icelake, 0x2e7), TABLE(haswell, 7), "--cpu=baseline"},
};

static void report(const char *name, struct error *err, const char *wanted)
{
    bool right = wanted ? err && strstr(error_text(err), wanted) : !err;
    if (right)
        printf("ok cpu_check: %s\n", name);
    else
        printf("FAIL cpu_check: %s: %s\n", name, err ? error_text(err) : "nothing was said");
    failures += !right;
    error_destroy(err);
}

int main(void)
{
    for (const struct row *r = rows; r < rows + countof(rows); r++)
        report(r->name, cpu_check(&r->recorded, &r->here), r->wanted);
    struct cpu_table here;
    cpu_table_here(&here);
    report("this machine on itself", cpu_check(&here, &here), NULL);
    cpu_table_deinit(&here);
    return failures != 0;
}
