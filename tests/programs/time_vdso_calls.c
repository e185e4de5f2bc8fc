/* The vDSO as libraries use it: found through AT_SYSINFO_EHDR by name and version, its functions
 * called by pointer, under both of their names.
 *
 * variants: static muslstatic
 * also: ownvdso=1
 */
#include "check.h"
#include <elf.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

struct image {
    const char *base;
    uintptr_t bias;
    const Elf64_Sym *symbols;
    const char *strings;
    const uint32_t *hash;
    const uint16_t *versions;
    const Elf64_Verdef *definitions;
    const char *soname;
};

static void *at(const struct image *v, uint64_t address)
{
    return (void *)(v->bias + address);
}

static void read_dynamic(struct image *v, const Elf64_Dyn *d)
{
    uint64_t soname = 0;
    for (; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB: v->symbols = at(v, d->d_un.d_ptr); break;
        case DT_STRTAB: v->strings = at(v, d->d_un.d_ptr); break;
        case DT_HASH:   v->hash = at(v, d->d_un.d_ptr); break;
        case DT_VERSYM: v->versions = at(v, d->d_un.d_ptr); break;
        case DT_VERDEF: v->definitions = at(v, d->d_un.d_ptr); break;
        case DT_SONAME: soname = d->d_un.d_val; break;
        }
    }
    v->soname = v->strings + soname;
}

static void read_image(struct image *v)
{
    const Elf64_Ehdr *header = (const void *)v->base;
    const Elf64_Phdr *part = (const void *)(v->base + header->e_phoff);
    CHECK(!memcmp(v->base, ELFMAG, SELFMAG) && header->e_type == ET_DYN);
    for (int i = 0; i < header->e_phnum; i++)
        if (part[i].p_type == PT_LOAD)
            v->bias = (uintptr_t)v->base + part[i].p_offset - part[i].p_vaddr;
    for (int i = 0; i < header->e_phnum; i++)
        if (part[i].p_type == PT_DYNAMIC)
            read_dynamic(v, (const void *)(v->base + part[i].p_offset));
}

static int has_version(const struct image *v, unsigned index, const char *name)
{
    const Elf64_Verdef *d = v->definitions;
    for (;; d = (const void *)((const char *)d + d->vd_next)) {
        const Elf64_Verdaux *aux = (const void *)((const char *)d + d->vd_aux);
        if (d->vd_ndx == index)
            return !strcmp(v->strings + aux->vda_name, name);
        if (!d->vd_next)
            return 0;
    }
}

/* By the table of buckets, as musl does. */
static void *find(const struct image *v, const char *name)
{
    uint32_t h = 0, buckets = v->hash[0];
    for (const char *c = name; *c; c++) {
        h = (h << 4) + (unsigned char)*c;
        h = (h ^ (h & 0xf0000000) >> 24) & 0x0fffffff;
    }
    for (uint32_t i = v->hash[2 + h % buckets]; i; i = v->hash[2 + buckets + i])
        if (!strcmp(v->strings + v->symbols[i].st_name, name) &&
            has_version(v, v->versions[i] & 0x7fff, "LINUX_2.6"))
            return at(v, v->symbols[i].st_value);
    return NULL;
}

/* Under both names it is one function. */
static void *find_both(const struct image *v, const char *name)
{
    char long_name[64];
    snprintf(long_name, sizeof long_name, "__vdso_%s", name);
    void *f = find(v, long_name);
    CHECK(f && f == find(v, name));
    return f;
}

static int64_t nanoseconds(const struct timespec *t)
{
    CHECK(t->tv_nsec >= 0 && t->tv_nsec < 1000000000);
    return t->tv_sec * 1000000000L + t->tv_nsec;
}

static void check_gettime(int (*gettime)(clockid_t, struct timespec *))
{
    struct timespec before, t, after;
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
                                       CLOCK_BOOTTIME, CLOCK_PROCESS_CPUTIME_ID};
    for (int i = 0; i < 500; i++) {
        clockid_t clock = clocks[i % 5];
        CHECK(syscall(SYS_clock_gettime, clock, &before) == 0);
        CHECK(gettime(clock, &t) == 0);
        CHECK(syscall(SYS_clock_gettime, clock, &after) == 0);
        if (clock != CLOCK_REALTIME) /* which may be set */
            CHECK(nanoseconds(&before) <= nanoseconds(&t) && nanoseconds(&t) <= nanoseconds(&after));
    }
    CHECK(gettime(9999, &t) == -EINVAL);
    CHECK(gettime(CLOCK_PROCESS_CPUTIME_ID, (void *)8) == -EFAULT);
}

static void check_getres(int (*getres)(clockid_t, struct timespec *))
{
    struct timespec a, b;
    CHECK(getres(CLOCK_MONOTONIC, &a) == 0 && syscall(SYS_clock_getres, CLOCK_MONOTONIC, &b) == 0);
    CHECK(nanoseconds(&a) == nanoseconds(&b));
    CHECK(getres(CLOCK_REALTIME, NULL) == 0 && getres(9999, &a) == -EINVAL);
}

static void check_dates(int (*timeofday)(struct timeval *, struct timezone *), time_t (*seconds)(time_t *))
{
    struct timeval t;
    struct timezone zone, zone2;
    time_t stored = 0, got = seconds(&stored);
    CHECK(got == stored && got > 1600000000 && seconds(NULL) >= got - 1);
    CHECK(timeofday(&t, &zone) == 0 && t.tv_usec >= 0 && t.tv_usec < 1000000);
    CHECK(t.tv_sec >= got - 1);
    CHECK(syscall(SYS_gettimeofday, NULL, &zone2) == 0 && !memcmp(&zone, &zone2, sizeof zone));
    CHECK(timeofday(NULL, NULL) == 0 && timeofday(&t, NULL) == 0 && timeofday(NULL, &zone) == 0);
}

/* On one core the answer is known. */
static void check_getcpu(long (*getcpu_)(unsigned *, unsigned *, void *))
{
    cpu_set_t all, one;
    unsigned cpu = ~0u, node = ~0u, cpu2, node2;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(getcpu_(&cpu, &node, NULL) == 0 && (int)cpu == first);
    CHECK(syscall(SYS_getcpu, &cpu2, &node2, NULL) == 0 && cpu2 == cpu && node2 == node);
    CHECK(getcpu_(NULL, NULL, NULL) == 0 && getcpu_(&cpu, NULL, NULL) == 0 && (int)cpu == first);
    CHECK(sched_getcpu() == first);
}

int main(void)
{
    struct image v = {.base = (const char *)getauxval(AT_SYSINFO_EHDR)};
    if (!v.base)
        return done();
    read_image(&v);
    CHECK(v.symbols && v.strings && v.hash && v.versions && v.definitions);
    CHECK(!strcmp(v.soname, "linux-vdso.so.1"));
    CHECK(!find(&v, "__vdso_nothing"));
    check_gettime(find_both(&v, "clock_gettime"));
    check_getres(find_both(&v, "clock_getres"));
    check_dates(find_both(&v, "gettimeofday"), find_both(&v, "time"));
    check_getcpu(find_both(&v, "getcpu"));
    return done();
}
