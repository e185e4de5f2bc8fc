/* The hash of content: known answers, and the same answer for any division of the input.
 *
 * unit: src/log/content_hash.c src/base/complain.c src/base/xalloc.c
 */
#include <stdio.h>
#include <string.h>

#include "log/content_hash.h"

static const struct {
    const char *text;
    u64 wanted;
} rows[] = {
    {"", 0xef46db3751d8e999},
    {"abc", 0x44bc2cf5ad770999},
    {"Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1},
};

static int failures;

static void report(const char *name, bool right)
{
    if (right)
        printf("ok content_hash: %s\n", name);
    else
        printf("FAIL content_hash: %s: another value\n", name);
    failures += !right;
}

static bool same_in_portions(const u8 *bytes, size_t size)
{
    u64 whole = content_hash(bytes, size);
    for (size_t portion = 1; portion < 70; portion++) {
        struct content_hash h;
        content_hash_init(&h);
        for (size_t at = 0; at < size; at += portion)
            content_hash_add(&h, bytes + at, size - at < portion ? size - at : portion);
        if (content_hash_result(&h) != whole)
            return false;
    }
    return true;
}

static bool every_bit_counts(u8 *bytes, size_t size)
{
    u64 whole = content_hash(bytes, size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (u8)(1 << bit % 8);
        if (content_hash(bytes, size) == whole)
            return false;
        bytes[bit / 8] ^= (u8)(1 << bit % 8);
    }
    return true;
}

int main(void)
{
    u8 bytes[300];
    bool portions = true, bits = true;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (u8)(i * 37 + (i >> 3));
    for (size_t i = 0; i < countof(rows); i++)
        report(*rows[i].text ? rows[i].text : "nothing",
               content_hash(rows[i].text, strlen(rows[i].text)) == rows[i].wanted);
    for (size_t size = 0; size < sizeof bytes; size += 7) {
        portions &= same_in_portions(bytes, size);
        bits &= every_bit_counts(bytes, size);
    }
    report("in portions", portions);
    report("every bit counts", bits);
    return failures != 0;
}
