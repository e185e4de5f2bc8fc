/* Digests: see digest.h. Multiply and mix, eight bytes at a time: fast, not cryptographic. */
#include "engine/track/digest.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/pending.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"

#define MIX 0x9e3779b97f4a7c15ul

static inline u64 mix(u64 hash, u64 value)
{
    hash = (hash ^ value) * MIX;
    return hash ^ hash >> 29;
}

/* Four lanes, so that the multiplications overlap. */
u64 digest_registers(void)
{
    const u64 *reg = cpu->reg;
    u64 a = 1, b = 2, c = 3, d = 4;
    for (unsigned n = 0; n < GENERAL_REGISTERS; n += 4) {
        a = (a ^ reg[n]) * MIX;
        b = (b ^ reg[n + 1]) * MIX;
        c = (c ^ reg[n + 2]) * MIX;
        d = (d ^ reg[n + 3]) * MIX;
    }
    u64 hash = mix(mix(a ^ a >> 31, b ^ b >> 29), mix(c ^ c >> 27, d ^ d >> 33));
    return hash ? hash : 1;
}

static u64 mix_words(u64 hash, const u64 *words, u64 count)
{
    u64 other = ~hash;
    for (u64 n = 0; n + 2 <= count; n += 2) {
        hash = (hash ^ words[n]) * MIX;
        other = (other ^ words[n + 1]) * MIX;
        hash ^= hash >> 29;
        other ^= other >> 31;
    }
    return mix(hash, other);
}

u64 digest_vectors(void)
{
    static u8 image[16 * 1024] __attribute__((aligned(64)));
    vector_save(image);
    return mix_words(5, (const u64 *)(image + XSAVE_XMM), (XSAVE_XMM_END - XSAVE_XMM) / 8);
}

/* Which pages exist: the kernel tells for many at a time. */
enum { ENTRIES = 512 };
#define PAGE_PRESENT (1ul << 63)
#define PAGE_SWAPPED (1ul << 62)

static struct pagemap {
    i64 fd; /* an error: not known */
    u64 first; /* the number of entry[0]'s page */
    i64 count;
    u64 entry[ENTRIES];
    u64 copy[PAGE_SIZE / 8]; /* of one page */
} pagemap;

static void pagemap_open(void)
{
    pagemap.fd = kernel_call(__NR_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    pagemap.count = 0;
}

static void pagemap_close(void)
{
    if (!kernel_failed(pagemap.fd))
        kernel_call(__NR_close, pagemap.fd);
}

static bool page_is_there(u64 page)
{
    u64 number = page / PAGE_SIZE;
    if (kernel_failed(pagemap.fd))
        return true;
    if (number - pagemap.first >= (u64)pagemap.count) {
        i64 got = kernel_call(__NR_pread64, pagemap.fd, pagemap.entry, sizeof(pagemap.entry),
                              number * sizeof(u64));
        pagemap.first = number;
        pagemap.count = got > 0 ? got / (i64)sizeof(u64) : 0;
    }
    return !pagemap.count ||
           (pagemap.entry[number - pagemap.first] & (PAGE_PRESENT | PAGE_SWAPPED));
}

static bool digest_all_zero(const u64 *words, u64 count)
{
    u64 any = 0;
    for (u64 n = 0; n < count; n++)
        any |= words[n];
    return any == 0;
}

/* Private anonymous pages that were never touched are zeros. For shared pages that this process has
 * not touched, nothing is known: a child of fork gets them only when it first reads them. */
static u64 mix_page(u64 hash, u64 page, bool from_elsewhere, u64 *read)
{
    u64 *copy = pagemap.copy;
    if (!from_elsewhere && !page_is_there(page))
        return mix(hash, 0);
    *read += PAGE_SIZE;
    if (!guest_read(copy, gaddr(page), PAGE_SIZE) || digest_all_zero(copy, PAGE_SIZE / 8))
        return mix(hash, 0);
    return mix_words(hash, copy, PAGE_SIZE / 8);
}

/* The shadow memory of sanitizers has terabytes, nearly all untouched, and even looking them up
 * takes minutes: it is left out. */
#define LARGEST_AREA (64ul << 30)

/* Includes shared memory: what other processes wrote there is known (share.h). */
static bool digest_is_data(const struct area *a)
{
    return a->end - a->start <= LARGEST_AREA && (a->protection & PROT_WRITE) &&
           (a->protection & PROT_READ) && !(a->flags & (AREA_VDSO | AREA_STACK));
}

u64 digest_memory(struct digest_extent *ret)
{
    u64 hash = 7;
    *ret = (struct digest_extent){0, 0};
    pending_fill(0, ~0ul); /* memory that was not read yet is not zero */
    pagemap_open();
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        u64 start = a->start, end = a->end;
        if (a->flags & AREA_STACK)
            start = page_down(cpu->reg[RSP]) > start && cpu->reg[RSP] < end
                        ? page_down(cpu->reg[RSP]) : end;
        else if (!digest_is_data(a))
            continue;
        hash = mix(hash, start);
        for (u64 page = start; page < end; page += PAGE_SIZE)
            hash = mix_page(hash, page, a->flags & (AREA_FILE | AREA_SHARED), &ret->read);
        ret->bytes += end - start;
    }
    pagemap_close();
    return hash;
}
