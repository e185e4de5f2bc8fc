/* The kernel's clocks: see kernel_clocks.h.
 *
 * The functions of the kernel's vDSO are called directly, on the engine's stack, with the guest's
 * vector registers in the processor. The kernel compiles them, like itself, without using such
 * registers; tests/programs/time_vdso_registers.c would detect a change.
 *
 * A function is found by its name in the image's symbols, as a dynamic linker would, but without
 * the version: there has been only one.
 */
#include "engine/calls/kernel_clocks.h"

#include <elf.h>

#include "engine/base/kernel.h"
#include "engine/base/text.h"

/* All of them start as system calls and are replaced when a vDSO is found. */

static i64 call_gettime(i64 clock, struct k_timespec *ret)
{
    return kernel_call(__NR_clock_gettime, clock, ret);
}

static i64 call_getres(i64 clock, struct k_timespec *ret)
{
    return kernel_call(__NR_clock_getres, clock, ret);
}

static i64 kernel_clocks_gettimeofday(struct k_timeval *ret, struct k_timezone *ret_zone)
{
    return kernel_call(__NR_gettimeofday, ret, ret_zone);
}

static i64 kernel_clocks_time(i64 *ret)
{
    return kernel_call(__NR_time, ret);
}

static i64 kernel_clocks_getcpu(u32 *ret_cpu, u32 *ret_node, void *unused)
{
    return kernel_call(__NR_getcpu, ret_cpu, ret_node, unused);
}

/* The image */

struct image {
    u64 bias; /* added to its addresses */
    const Elf64_Sym *symbols;
    const char *strings;
    const u32 *hash;
    const u32 *gnu_hash;
};

static const Elf64_Dyn *kernel_clocks_read_segments(u64 at, struct image *ret)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)at;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(at + header->e_phoff);
    const Elf64_Dyn *dynamic = NULL;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segment[i].p_type == PT_LOAD)
            ret->bias = at + segment[i].p_offset - segment[i].p_vaddr;
        if (segment[i].p_type == PT_DYNAMIC)
            dynamic = (const Elf64_Dyn *)(at + segment[i].p_offset);
    }
    return dynamic;
}

static bool read_image(u64 at, struct image *ret)
{
    *ret = (struct image){0};
    const Elf64_Dyn *d = kernel_clocks_read_segments(at, ret);
    for (; d && d->d_tag != DT_NULL; d++) {
        void *there = (void *)(ret->bias + d->d_un.d_ptr);
        switch (d->d_tag) {
        case DT_SYMTAB:   ret->symbols = there; break;
        case DT_STRTAB:   ret->strings = there; break;
        case DT_HASH:     ret->hash = there; break;
        case DT_GNU_HASH: ret->gnu_hash = there; break;
        }
    }
    return ret->symbols && ret->strings;
}

/* The last chain ends at the last symbol; the first symbols are not hashed. */
static u32 count_by_gnu_hash(const u32 *table)
{
    u32 buckets = table[0], first = table[1], filter = table[2], last = 0;
    const u32 *bucket = table + 4 + 2 * filter, *chain = bucket + buckets;
    for (u32 i = 0; i < buckets; i++)
        if (bucket[i] > last)
            last = bucket[i];
    if (last < first)
        return first;
    while (!(chain[last - first] & 1))
        last++;
    return last + 1;
}

static u32 symbol_count(const struct image *image)
{
    if (image->hash)
        return image->hash[1];
    return image->gnu_hash ? count_by_gnu_hash(image->gnu_hash) : 0;
}

/* Returns the function of that name, or `unless`. */
static u64 kernel_clocks_find(const struct image *image, const char *name, u64 unless)
{
    u32 count = symbol_count(image);
    for (u32 i = 0; i < count; i++) {
        const Elf64_Sym *s = &image->symbols[i];
        if (s->st_shndx != SHN_UNDEF && text_equal(image->strings + s->st_name, name))
            return image->bias + s->st_value;
    }
    return unless;
}

/* Asking */

static struct {
    i64 (*gettime)(i64, struct k_timespec *);
    i64 (*getres)(i64, struct k_timespec *);
    i64 (*gettimeofday)(struct k_timeval *, struct k_timezone *);
    i64 (*time)(i64 *);
    i64 (*getcpu)(u32 *, u32 *, void *);
} ask = {call_gettime, call_getres, kernel_clocks_gettimeofday, kernel_clocks_time,
         kernel_clocks_getcpu};

#define FIND(image, member, name) \
    (ask.member = (void *)kernel_clocks_find(image, name, (u64)ask.member))

void kernel_clocks_start(u64 vdso)
{
    struct image image;
    if (!vdso || !read_image(vdso, &image))
        return;
    FIND(&image, gettime, "__vdso_clock_gettime");
    FIND(&image, getres, "__vdso_clock_getres");
    FIND(&image, gettimeofday, "__vdso_gettimeofday");
    FIND(&image, time, "__vdso_time");
    FIND(&image, getcpu, "__vdso_getcpu");
}

/* In C all but time() return an int: the upper half of the result means nothing. */

i64 kernel_clock_gettime(i32 clock, struct k_timespec *ret)
{
    return (i32)ask.gettime(clock, ret);
}

i64 kernel_clock_getres(i32 clock, struct k_timespec *ret)
{
    return (i32)ask.getres(clock, ret);
}

i64 kernel_gettimeofday(struct k_timeval *ret, struct k_timezone *ret_zone)
{
    return (i32)ask.gettimeofday(ret, ret_zone);
}

i64 kernel_time(void)
{
    return ask.time(NULL);
}

i64 kernel_getcpu(u32 *ret_cpu, u32 *ret_node)
{
    return (i32)ask.getcpu(ret_cpu, ret_node, NULL);
}
