/* A hash of content: XXH64, see the header.
 *
 * Stripes of 32 bytes go through four independent lanes. The lanes are then merged, the rest is
 * added in words of 8, 4 and 1 bytes, and the result is mixed.
 */
#include "log/content_hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { STRIPE = 32 };

static const u64 prime[] = {
    0x9e3779b185ebca87u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u, 0x85ebca77c2b2ae63u,
    0x27d4eb2f165667c5u,
};

static u64 rotate(u64 value, unsigned by)
{
    return value << by | value >> (64 - by);
}

static u64 word_at(const u8 *at)
{
    u64 word;
    memcpy(&word, at, sizeof word);
    return word;
}

static u64 enter(u64 lane, u64 word)
{
    return rotate(lane + word * prime[1], 31) * prime[0];
}

static void add_stripe(struct content_hash *h, const u8 *at)
{
    for (int i = 0; i < 4; i++)
        h->lane[i] = enter(h->lane[i], word_at(at + 8 * i));
}

void content_hash_init(struct content_hash *h)
{
    *h = (struct content_hash){.lane = {prime[0] + prime[1], prime[1], 0, -prime[0]}};
}

void content_hash_add(struct content_hash *h, const void *bytes, size_t size)
{
    const u8 *at = bytes;
    size_t held = h->total % STRIPE;
    h->total += size;
    if (held) {
        size_t part = size < STRIPE - held ? size : STRIPE - held;
        memcpy(h->rest + held, at, part);
        at += part;
        size -= part;
        if (held + part < STRIPE)
            return;
        add_stripe(h, h->rest);
    }
    for (; size >= STRIPE; at += STRIPE, size -= STRIPE)
        add_stripe(h, at);
    if (size)
        memcpy(h->rest, at, size);
}

static u64 merge_lanes(const struct content_hash *h)
{
    u64 value = rotate(h->lane[0], 1) + rotate(h->lane[1], 7) + rotate(h->lane[2], 12) +
                rotate(h->lane[3], 18);
    for (int i = 0; i < 4; i++)
        value = (value ^ enter(0, h->lane[i])) * prime[0] + prime[3];
    return value;
}

static u64 add_rest(u64 value, const u8 *at, size_t size)
{
    for (; size >= 8; at += 8, size -= 8)
        value = rotate(value ^ enter(0, word_at(at)), 27) * prime[0] + prime[3];
    if (size >= 4) {
        u32 half;
        memcpy(&half, at, sizeof half);
        value = rotate(value ^ half * prime[0], 23) * prime[1] + prime[2];
        at += 4;
        size -= 4;
    }
    for (; size; at++, size--)
        value = rotate(value ^ *at * prime[4], 11) * prime[0];
    return value;
}

u64 content_hash_result(const struct content_hash *h)
{
    u64 value = h->total >= STRIPE ? merge_lanes(h) : prime[4];
    value = add_rest(value + h->total, h->rest, h->total % STRIPE);
    value = (value ^ value >> 33) * prime[1];
    value = (value ^ value >> 29) * prime[2];
    return value ^ value >> 32;
}

u64 content_hash(const void *bytes, size_t size)
{
    struct content_hash h;
    content_hash_init(&h);
    content_hash_add(&h, bytes, size);
    return content_hash_result(&h);
}

int content_hash_file(int fd, u64 *ret, u64 *ret_size)
{
    enum { ROOM = 256 * 1024 };
    struct content_hash h;
    u8 *room = xalloc(ROOM);
    ssize_t n;
    content_hash_init(&h);
    while ((n = pread(fd, room, ROOM, (off_t)h.total)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            content_hash_add(&h, room, (size_t)n);
    int error = n < 0 ? errno : 0;
    free(room);
    *ret = content_hash_result(&h);
    *ret_size = h.total;
    return error;
}
