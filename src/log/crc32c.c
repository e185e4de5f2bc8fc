/* CRC-32C: by the processor's instruction where there is one, otherwise by a table. */
#include "log/crc32c.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* reflected */

static u32 by_table(u32 crc, const u8 *at, size_t size)
{
    static u32 table[256];
    if (!table[1]) { /* two threads may fill it at once, with the same values */
        for (u32 i = 255; i > 0; i--) {
            u32 value = i;
            for (int bit = 0; bit < 8; bit++)
                value = value & 1 ? value >> 1 ^ POLYNOMIAL : value >> 1;
            __atomic_store_n(&table[i], value, __ATOMIC_RELEASE);
        }
    }
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ at[i]) & 255];
    return crc;
}

__attribute__((target("sse4.2"))) static u32 by_instruction(u32 crc, const u8 *at, size_t size)
{
    u64 wide = crc;
    for (; size >= 8; at += 8, size -= 8) {
        u64 word;
        memcpy(&word, at, sizeof word);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (u32)wide;
    for (; size > 0; at++, size--)
        crc = __builtin_ia32_crc32qi(crc, *at);
    return crc;
}

u32 crc32c_more(u32 crc, const void *bytes, size_t size)
{
    return ~(__builtin_cpu_supports("sse4.2") ? by_instruction(~crc, bytes, size)
                                              : by_table(~crc, bytes, size));
}

u32 crc32c(const void *bytes, size_t size)
{
    return crc32c_more(0, bytes, size);
}

/* A step is a linear function of the register's bits: a matrix with a column for each bit. */
struct crc32c_step {
    u32 column[32];
};

static u32 crc32c_apply(const struct crc32c_step *step, u32 bits)
{
    u32 sum = 0;
    for (int i = 0; i < 32; i++)
        sum ^= bits >> i & 1 ? step->column[i] : 0;
    return sum;
}

static struct crc32c_step twice(const struct crc32c_step *step)
{
    struct crc32c_step ret;
    for (int i = 0; i < 32; i++)
        ret.column[i] = crc32c_apply(step, step->column[i]);
    return ret;
}

/* Applies the steps for 1, 2, 4, ... zero bytes whose sum is `count`. */
u32 crc32c_zeros(u32 crc, u64 count)
{
    struct crc32c_step step;
    for (int i = 0; i < 32; i++)
        step.column[i] = by_table(1u << i, (const u8[]){0}, 1);
    crc = ~crc;
    for (; count; count >>= 1, step = twice(&step))
        if (count & 1)
            crc = crc32c_apply(&step, crc);
    return ~crc;
}
