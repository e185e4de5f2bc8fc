/* The maker: collects cases into batches, and batches into a corpus file.
 *
 * Code is written to where it will run: a case knows its address while it is being made, so
 * rip-relative operands, jumps and return addresses are final as soon as they are emitted.
 * What lies between cases is int3, so that a jump gone astray ends as a signal.
 */
#include "make.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *list_add(struct list *list, size_t size)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 1024;
        list->items = realloc(list->items, list->room * size);
        if (!list->items)
            abort();
    }
    return (u8 *)list->items + list->count++ * size;
}

u64 draw_bits(struct maker *m)
{
    return chance_next(&m->chance);
}

u64 draw(struct maker *m, u64 below)
{
    return (draw_bits(m) >> 8) % below;
}

bool one_in(struct maker *m, u64 n)
{
    return draw(m, n) == 0;
}

u64 maker_base(const struct maker *m)
{
    return m->header.place[m->place];
}

u64 maker_data(const struct maker *m)
{
    return maker_base(m) + PLACE_DATA;
}

u64 maker_here(const struct maker *m)
{
    return maker_base(m) + m->cursor;
}

/* Only what a case may compare: x87, SSE, AVX, AVX-512.  All of it below XSAVE_MAX. */
static void find_xstate(struct corpus_header *h)
{
    u32 a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    h->xmask = low & 0xe7;
    for (u32 i = 2; i < 8; i++) {
        if (!(h->xmask & 1u << i))
            continue;
        __cpuid_count(0xd, i, a, b, c, d);
        h->xoffset[i] = b;
        if (a + b > XSAVE_MAX)
            h->xmask &= ~(1u << i);
    }
}

void maker_init(struct maker *m, u64 seed, u64 low, u64 high)
{
    memset(m, 0, sizeof *m);
    m->chance = seed;
    m->header.magic = CORPUS_MAGIC;
    m->header.seed = seed;
    m->header.place[PLACE_LOW] = low;
    m->header.place[PLACE_HIGH] = high;
    find_xstate(&m->header);
}

static void batch_begin(struct maker *m)
{
    m->place = m->batches.count % PLACES;
    struct corpus_batch *batch = list_add(&m->batches, sizeof *batch);
    *batch = (struct corpus_batch){.place = m->place, .first = m->cases.count,
                                   .code_size = BATCH_CODE};
    m->images = realloc(m->images, m->batches.count * BATCH_CODE);
    if (!m->images)
        abort();
    m->code = m->images + (m->batches.count - 1) * BATCH_CODE;
    memset(m->code, 0xcc, BATCH_CODE);
    m->cursor = EXITS * EXIT_BYTES;
    m->edge_used = false;
}

static bool batch_is_full(const struct maker *m)
{
    const struct corpus_batch *batch = m->batches.items;
    if (!m->batches.count)
        return true;
    batch += m->batches.count - 1;
    return batch->cases == BATCH_CASES || m->cursor + 0x400 > exits_at_end(BATCH_CODE);
}

void case_begin(struct maker *m)
{
    if (batch_is_full(m))
        batch_begin(m);
    m->cursor += 1 + draw(m, 6);
    m->now = (struct corpus_case){.entry = m->cursor, .fix = m->fixes.count,
                                  .other_flags = FLAGS_ARITHMETIC};
    m->fixed = 0;
}

void case_end(struct maker *m)
{
    struct corpus_batch *batch = m->batches.items;
    batch[m->batches.count - 1].cases++;
    m->now.end = m->cursor;
    m->now.fixes = m->fixes.count - m->now.fix;
    *(struct corpus_case *)list_add(&m->cases, sizeof m->now) = m->now;
}

/* Takes back the fixes: what they were for will not do. */
void case_unfix(struct maker *m)
{
    m->fixes.count = m->now.fix;
    m->fixed = 0;
    m->now.flags = 0;
}

void emit(struct maker *m, const void *bytes, size_t n)
{
    memcpy(m->code + m->cursor, bytes, n);
    m->cursor += n;
}

/* Out by one of the two sets of exits: a jump backward, or forward. */
void emit_exit(struct maker *m, int exit)
{
    u32 set = one_in(m, 2) ? 0 : exits_at_end(BATCH_CODE);
    i32 rel = set + exit * EXIT_BYTES - (m->cursor + 5);
    EMIT(m, 0xe9);
    emit(m, &rel, 4);
}

void fix_add(struct maker *m, struct corpus_fix fix)
{
    *(struct corpus_fix *)list_add(&m->fixes, sizeof fix) = fix;
}

void fix_gpr(struct maker *m, int reg, u64 value)
{
    m->fixed |= 1u << reg;
    m->value[reg] = value;
    fix_add(m, (struct corpus_fix){.op = FIX_GPR, .reg = reg, .value = value});
}

/* The value of rsp, made known if it was left to chance. */
u64 fix_rsp(struct maker *m)
{
    if (!(m->fixed & 1u << RSP))
        fix_gpr(m, RSP, maker_data(m) + 0xe00 + draw(m, 128) * 8);
    return m->value[RSP];
}

void fix_memory(struct maker *m, u64 address, u64 value, int size)
{
    u64 off = address - maker_data(m);
    if (off < DATA_SIZE && off + size <= DATA_SIZE)
        fix_add(m, (struct corpus_fix){.op = FIX_MEMORY, .size = size, .off = off,
                                       .value = value});
}

static void put(FILE *file, const void *from, size_t size)
{
    if (size && fwrite(from, size, 1, file) != 1) {
        perror("insn-make: writing the corpus");
        exit(2);
    }
}

void maker_write(struct maker *m, const char *path)
{
    struct corpus_header *h = &m->header;
    struct corpus_batch *batch = m->batches.items;
    h->batches = m->batches.count;
    h->cases = m->cases.count;
    h->fixes = m->fixes.count;
    h->batch_at = sizeof *h;
    h->case_at = h->batch_at + h->batches * sizeof(struct corpus_batch);
    h->fix_at = h->case_at + h->cases * sizeof(struct corpus_case);
    u64 code_at = h->fix_at + h->fixes * sizeof(struct corpus_fix);
    for (u32 i = 0; i < h->batches; i++)
        batch[i].code = code_at + (u64)i * BATCH_CODE;
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(2);
    }
    put(file, h, sizeof *h);
    put(file, batch, h->batches * sizeof *batch);
    put(file, m->cases.items, h->cases * sizeof(struct corpus_case));
    put(file, m->fixes.items, h->fixes * sizeof(struct corpus_fix));
    put(file, m->images, (size_t)h->batches * BATCH_CODE);
    if (fclose(file)) {
        perror(path);
        exit(2);
    }
}
