/* What watching costs a pass over a recording: passes RECORDING WHAT...
 *
 *   places=COUNT        a pass with COUNT watched places, none of which is hit, against a plain one
 *   hot=ADDRESS         the same with eight bytes on the stack of a busy function, never written
 *   false=ADDRESS,N     N stores to the address, each of which evaluates a condition that is
 *                       false: nanoseconds each
 *
 * Times are processor times of the engine's process: the minimum of several rounds, in which the
 * passes to be compared take turns. Prints `WHAT FIGURE` for each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "log/recording.h"
#include "session/replayer_internal.h"

enum {
    ROUNDS = 3,
    FEW = 100, /* hits that do not count: the stack was used before, when the program began */
};

static struct replayer *first;

static void must(struct error *err)
{
    if (err)
        exit(error_complain(err, 1));
}

struct pass {
    struct plan *plan;
    size_t size;
    double least;
};

static void pass_init(struct pass *p, u32 sites, u32 bytecode)
{
    p->size = sizeof *p->plan + sites * sizeof(struct plan_site) + bytecode;
    p->plan = xalloc(p->size);
    p->least = 1e9;
    *p->plan = (struct plan){.version = CONTROL_VERSION, .mode = PLAN_COUNT, .nth = 1, .sites = sites,
                             .bytecode_size = bytecode, .limit_tick = ~0ull};
}

static void watch(struct pass *p, u32 site, u64 address, u64 size)
{
    ((struct plan_site *)(p->plan + 1))[site] = (struct plan_site){
        .kind = SITE_STORE, .address = address, .size = size, .thread = CONTROL_THREAD_ANY};
}

static double spent(const struct replayer *r)
{
    char path[64];
    unsigned long nanoseconds = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)r->pid);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%lu", &nanoseconds) != 1)
        nanoseconds = 0;
    if (file)
        fclose(file);
    return (double)nanoseconds / 1e9;
}

static u64 time_pass(struct pass *p)
{
    struct replayer *r;
    must(replayer_fork(first, &r));
    double before = spent(r);
    must(replayer_run(r, p->plan, p->size));
    double took = spent(r) - before;
    u64 count = r->stopped.count;
    p->least = took < p->least ? took : p->least;
    replayer_destroy(r);
    return count;
}

/* Takes turns with a plain one. */
static void compare(struct pass *p, const char *what, u64 divisor)
{
    struct pass plain;
    u64 hits = 0;
    pass_init(&plain, 0, 0);
    for (int n = 0; n < ROUNDS; n++) {
        time_pass(&plain);
        hits = time_pass(p);
    }
    if (hits > FEW)
        printf("%s: %llu hits\n", what, (unsigned long long)hits);
    else if (divisor)
        printf("%s %.1f\n", what, (p->least - plain.least) / (double)divisor * 1e9);
    else
        printf("%s %.3f\n", what, p->least / plain.least);
    fflush(stdout);
    free(plain.plan);
    free(p->plan);
}

/* Where nothing is mapped, so far apart that each has a page of its own. */
static void time_places(const char *what, u32 count)
{
    struct pass p;
    pass_init(&p, count, 0);
    for (u32 n = 0; n < count; n++)
        watch(&p, n, 0x555700000000 + n * (4096ull + 64), 8);
    compare(&p, what, 0);
}

static void time_hot(const char *what, u64 address)
{
    struct pass p;
    pass_init(&p, 1, 0);
    watch(&p, 0, address, 8);
    compare(&p, what, 0);
}

/* The value is below zero: as an agent expression. */
static void time_false(const char *what, u64 address, u64 count)
{
    u8 code[] = {0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0x1a, 0x22, 0, 0x14, 0x27};
    struct pass p;
    for (int n = 0; n < 8; n++)
        code[1 + n] = (u8)(address >> (56 - 8 * n));
    pass_init(&p, 1, sizeof code);
    watch(&p, 0, address, 8);
    struct plan_site *site = (struct plan_site *)(p.plan + 1);
    site->condition_size = sizeof code;
    memcpy(site + 1, code, sizeof code);
    compare(&p, what, count);
}

int main(int argc, char **argv)
{
    struct recording *rec;
    static struct replayer_family family;
    unsigned long long address, count;
    if (argc < 3)
        return 2;
    must(recording_open(argv[1], &rec));
    must(replayer_family_init(&family, rec, 0, 0));
    must(replayer_start(&family, &first));
    for (int i = 2; i < argc; i++) {
        if (sscanf(argv[i], "places=%llu", &count) == 1)
            time_places(argv[i], (u32)count);
        else if (sscanf(argv[i], "hot=%llx", &address) == 1)
            time_hot("hot", address);
        else if (sscanf(argv[i], "false=%llx,%llu", &address, &count) == 2)
            time_false("false", address, count);
    }
    replayer_destroy(first);
    replayer_family_deinit(&family);
    return 0;
}
