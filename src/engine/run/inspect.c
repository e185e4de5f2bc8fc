/* Writes the state at a stop, for tests and users.
 *
 * Lines of "name value" in a fixed order, so that two dumps can be compared with diff:
 *
 *   tick 123457
 *   pc 0x401136
 *   rax 0x0 ... r15, flags, fs_base, gs_base
 *   vector 9ae1c2...                     x87, SSE and AVX registers, as a hash
 *   area 0x400000-0x401000 r-xp 52b1...  what is mapped, with a hash of what is in it
 *
 * Left out are the x87 instruction and data pointers, which point into the code cache, and the
 * content of the vDSO, whose data the kernel changes at any time.
 */
#include "engine/run/inspect.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/lines.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/processes/process.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/decode.h"

enum {
    GET_FS = 0x1003, /* arch_prctl, asm/prctl.h */
    GET_GS = 0x1004,
};

#define HASH_START 0xcbf29ce484222325ul
#define HASH_FACTOR 0x9e3779b97f4a7c15ul

/* Hashes */

static u64 hash_word(u64 hash, u64 word)
{
    hash = (hash ^ word) * HASH_FACTOR;
    return hash ^ hash >> 29;
}

/* `size` is a multiple of 8. */
static u64 hash_bytes(u64 hash, const u8 *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        u64 word;
        memcpy(&word, bytes + i, 8);
        hash = hash_word(hash, word);
    }
    return hash;
}

/* Pages that cannot be read (a file that ends before its mapping does) are hashed as such. */
static u64 hash_area(const struct area *area)
{
    static u8 page[PAGE_SIZE] __attribute__((aligned(8)));
    u64 hash = HASH_START;
    for (u64 at = area->start; at < area->end; at += PAGE_SIZE) {
        if (guest_read(page, gaddr(at), PAGE_SIZE))
            hash = hash_bytes(hash, page, PAGE_SIZE);
        else
            hash = hash_word(hash, at);
    }
    return hash;
}

enum { CPUID_OSXSAVE = 1 << 27 };

static bool xsave_usable(void)
{
    u32 eax = 1, ebx, ecx = 0, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return ecx & CPUID_OSXSAVE;
}

static u64 hash_vector(void)
{
    const u32 components = XSAVE_BIT(XSAVE_X87) | XSAVE_BIT(XSAVE_SSE) | XSAVE_BIT(XSAVE_AVX);
    static u8 area[XSAVE_YMM_END] __attribute__((aligned(64)));
    if (xsave_usable())
        __asm__ volatile("xsave64 %0" : "+m"(area) : "a"(components), "d"(0));
    else
        __asm__ volatile("fxsave64 %0" : "+m"(area));
    u32 mxcsr;
    memcpy(&mxcsr, area + XSAVE_MXCSR, sizeof(mxcsr));
    u64 hash = hash_word(HASH_START, mxcsr);
    hash = hash_bytes(hash, area + XSAVE_ST, XSAVE_XMM_END - XSAVE_ST);
    return hash_bytes(hash, area + XSAVE_YMM, XSAVE_YMM_END - XSAVE_YMM);
}

/* What is dumped */

static u64 inspect_segment_base(u64 which)
{
    u64 base = 0;
    kernel_call(__NR_arch_prctl, which, &base);
    return base;
}

static void dump_registers(struct lines *l)
{
    lines_add_hex(l, "pc", cpu->rip);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        lines_add_hex(l, register_name(i), cpu->reg[i]);
    lines_add_hex(l, "flags",
             cpu->flags & (FLAGS_ARITHMETIC | FLAG_DF) & ~(u64)block_flags_dead_at(cpu->rip));
    lines_add_hex(l, "fs_base", inspect_segment_base(GET_FS));
    lines_add_hex(l, "gs_base", inspect_segment_base(GET_GS));
}

static bool hashable(const struct area *area)
{
    return area->protection && !(area->flags & AREA_VDSO);
}

static void dump_area(struct lines *l, const struct area *area)
{
    struct text *t = &l->text;
    text_add(t, "area 0x");
    text_add_hex(t, area->start);
    text_add(t, "-0x");
    text_add_hex(t, area->end);
    text_add_char(t, ' ');
    text_add_char(t, area->protection & PROT_READ ? 'r' : '-');
    text_add_char(t, area->protection & PROT_WRITE ? 'w' : '-');
    text_add_char(t, area->protection & PROT_EXEC ? 'x' : '-');
    text_add_char(t, area->flags & AREA_SHARED ? 's' : 'p');
    text_add_char(t, ' ');
    if (hashable(area))
        text_add_hex_wide(t, hash_area(area), 16);
    else
        text_add_char(t, '-');
    lines_end(l);
}

void inspect_stop(void)
{
    static struct lines file;
    u64 vector = hash_vector(); /* before the registers can change */
    lines_open(&file, settings.dump, O_TRUNC);
    text_add(&file.text, "tick ");
    text_add_unsigned(&file.text, ticks_now());
    lines_end(&file);
    dump_registers(&file);
    text_add(&file.text, "vector ");
    text_add_hex_wide(&file.text, vector, 16);
    lines_end(&file);
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        dump_area(&file, a);
    lines_flush(&file);
    process_exit_group(0);
}
