/* Digests: see digest.h.  Multiply and mix, eight bytes at a time: quick, and far from cryptography. */
#include "engine/digest.h"

#include "engine/areas.h"
#include "engine/guest_memory.h"
#include "engine/kernel.h"
#include "engine/kernel_abi.h"
#include "engine/layout.h"
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
    for (unsigned n = 0; n < 16; n += 4) {
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
    enum { LEGACY_SSE = 160, LEGACY_SIZE = 256 }; /* xmm0 to xmm15 in the saved image */
    vector_save(image);
    return mix_words(5, (const u64 *)(image + LEGACY_SSE), LEGACY_SIZE / 8);
}

static bool page_is_there(u64 page)
{
    u8 there = 0;
    return kernel_call(__NR_mincore, page, PAGE_SIZE, &there) == 0;
}

static bool all_zero(const u64 *words, u64 count)
{
    u64 any = 0;
    for (u64 n = 0; n < count; n++)
        any |= words[n];
    return any == 0;
}

/* Pages of no file that were never touched are zeros: reading them would make them. */
static u64 mix_page(u64 hash, u64 page, bool from_file)
{
    static u64 copy[PAGE_SIZE / 8];
    if ((!from_file && !page_is_there(page)) || !guest_read(copy, gaddr(page), PAGE_SIZE) ||
        all_zero(copy, PAGE_SIZE / 8))
        return mix(hash, 0);
    return mix_words(hash, copy, PAGE_SIZE / 8);
}

static bool is_private_data(const struct area *a)
{
    return (a->protection & PROT_WRITE) && (a->protection & PROT_READ) &&
           !(a->flags & (AREA_SHARED | AREA_SHM | AREA_VDSO | AREA_STACK));
}

u64 digest_memory(u64 *bytes)
{
    u64 hash = 7;
    *bytes = 0;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        u64 start = a->start, end = a->end;
        if (a->flags & AREA_STACK)
            start = page_down(cpu->reg[RSP]) > start && cpu->reg[RSP] < end
                        ? page_down(cpu->reg[RSP]) : end;
        else if (!is_private_data(a))
            continue;
        hash = mix(hash, start);
        for (u64 page = start; page < end; page += PAGE_SIZE)
            hash = mix_page(hash, page, a->flags & AREA_FILE);
        *bytes += end - start;
    }
    return hash;
}
