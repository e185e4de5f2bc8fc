/* Memory: read as the session shows it; written in a copy that the next movement drops.
 *
 * The packets are m, x and X, M, qSearch:memory and qCRC.  A range that is only partly readable
 * gets the part before its first gap, as gdb expects.  The first write of a client makes a copy of
 * the process, which all later packets see until the client moves.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

enum { READ_MOST = (WIRE_PACKET_MOST - 16) / 2, SEARCH_STEP = 64 * 1024 };

static bool parse_range(const char **at, u64 *address, u64 *size)
{
    if (!wire_number(at, address) || **at != ',')
        return false;
    (*at)++;
    return wire_number(at, size);
}

struct error *rsp_read(struct rsp *r, u64 address, void *to, size_t size, size_t *ret)
{
    if (rsp_lent_read(r, address, to, size, ret))
        return NULL;
    return session_read(r->session, address, to, size, ret);
}

/* Reading less than requested is an answer; reading nothing is an error. */
static size_t rsp_memory_read_some(struct rsp *r, const char *args, u8 **ret)
{
    u64 address, size;
    size_t got = 0;
    if (!parse_range(&args, &address, &size)) {
        rsp_fail(r, EINVAL);
        return 0;
    }
    if (size > READ_MOST)
        size = READ_MOST;
    u8 *bytes = xalloc(size + 1);
    struct error *err = rsp_read(r, address, bytes, size, &got);
    if (err)
        rsp_error(r, err);
    else if (!got && size)
        rsp_fail(r, EFAULT);
    if (err || !got) {
        free(bytes);
        return 0;
    }
    *ret = bytes;
    return got;
}

void rsp_read_memory(struct rsp *r, const char *args)
{
    u8 *bytes;
    size_t got = rsp_memory_read_some(r, args, &bytes);
    if (!got)
        return;
    reply_hex(&r->reply, bytes, got);
    free(bytes);
}

/* LLDB's form; it probes with a length of 0. (In gdb 16 a `b` precedes the bytes, and gdb announces
 * that it supports this.) */
void rsp_read_binary(struct rsp *r, const char *args)
{
    u8 *bytes;
    const char *at = args;
    u64 address, size;
    if (parse_range(&at, &address, &size) && size == 0)
        return rsp_ok(r);
    size_t got = rsp_memory_read_some(r, args, &bytes);
    if (!got)
        return;
    if (r->binary_upload)
        reply_text(&r->reply, "b");
    reply_binary(&r->reply, bytes, got);
    free(bytes);
}

/* Keeps the registers before the first change: see rsp_registers_original. */
struct error *rsp_keep_original(struct rsp *r)
{
    const u8 *vector;
    if (r->has_original && session_scratch(r->session))
        return NULL;
    struct error *err =
        session_registers(r->session, CONTROL_THREAD_ANY, &r->original, &vector);
    r->has_original = !err;
    return err;
}

struct error *rsp_write(struct rsp *r, u64 address, const void *from, size_t size)
{
    if (rsp_lent_write(r, address, from, size))
        return NULL;
    struct error *err = rsp_keep_original(r);
    if (err)
        return err;
    rsp_threads_forget(r);
    return session_write(r->session, address, from, size);
}

static void write_and_answer(struct rsp *r, u64 address, const void *from, size_t size)
{
    if (r->in_phantom || size == 0)
        return rsp_ok(r);
    struct error *err = rsp_write(r, address, from, size);
    if (err)
        rsp_error(r, err);
    else
        rsp_ok(r);
}

void rsp_write_memory(struct rsp *r, const char *args)
{
    u64 address, size;
    if (!parse_range(&args, &address, &size) || *args++ != ':' || size > READ_MOST)
        return rsp_fail(r, EINVAL);
    u8 *bytes = xalloc(size + 1);
    if (strlen(args) == 2 * size && wire_unhex(args, bytes, size) == (long)size)
        write_and_answer(r, address, bytes, size);
    else
        rsp_fail(r, EINVAL);
    free(bytes);
}

void rsp_write_binary(struct rsp *r, const char *args)
{
    u64 address, size;
    if (!parse_range(&args, &address, &size) || *args++ != ':' || size != (u64)(r->end - args))
        return rsp_fail(r, EINVAL);
    write_and_answer(r, address, args, size);
}

/* find: unreadable memory is skipped. */

struct memory_search {
    u64 at, end;
    const char *pattern;
    size_t length;
    struct control_area *areas;
    size_t area_count;
};

/* Returns the address after an unreadable page or, if nothing is mapped there, where the next area
 * begins. */
static u64 next_readable(const struct memory_search *s, u64 after)
{
    u64 page = (after + 4096) & ~4095ull, next = s->end;
    for (size_t i = 0; i < s->area_count; i++) {
        const struct control_area *a = &s->areas[i];
        if (page >= a->start && page < a->end)
            return page;
        if (a->start > page && a->start < next)
            next = a->start;
    }
    return next;
}

/* Searches the next piece; *ret is where the pattern was found, or ~0. */
static struct error *search_piece(struct rsp *r, struct memory_search *s, u8 *room, u64 *ret)
{
    size_t size = SEARCH_STEP + s->length, got = 0;
    if (size > s->end - s->at)
        size = s->end - s->at;
    struct error *err = session_read(r->session, s->at, room, size, &got);
    if (err)
        return err;
    u8 *found = got >= s->length ? memmem(room, got, s->pattern, s->length) : NULL;
    *ret = found ? s->at + (u64)(found - room) : ~0ull;
    if (got < size)
        s->at = next_readable(s, s->at + got);
    else
        s->at += size - s->length + 1;
    return NULL;
}

static struct error *search_memory(struct rsp *r, struct memory_search *s, u64 *ret)
{
    u8 *room = xalloc(SEARCH_STEP + s->length);
    struct error *err = NULL;
    u64 before = 0;
    *ret = ~0ull;
    while (!err && *ret == ~0ull && s->at >= before && s->end - s->at >= s->length &&
           s->at < s->end && !link_gone(r->link)) {
        before = s->at;
        err = search_piece(r, s, room, ret);
    }
    free(room);
    return err;
}

void rsp_search(struct rsp *r, const char *args)
{
    u64 address, length, found;
    if (!wire_number(&args, &address) || *args++ != ';' || !wire_number(&args, &length) ||
        *args++ != ';' || args >= r->end || length > ~address)
        return rsp_fail(r, EINVAL);
    struct memory_search s = {address, address + length, args, (size_t)(r->end - args), NULL, 0};
    struct error *err = session_areas(r->session, &s.areas, &s.area_count);
    if (!err)
        err = search_memory(r, &s, &found);
    free(s.areas);
    if (err)
        rsp_error(r, err);
    else if (found == ~0ull)
        reply_text(&r->reply, "0");
    else
        reply_text(&r->reply, "1,%llx", (unsigned long long)found);
}

/* compare-sections: gdb's CRC, polynomial 0x04c11db7, highest bit first. */
static u32 add_to_sum(u32 sum, const u8 *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum ^= (u32)bytes[i] << 24;
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 0x80000000u ? sum << 1 ^ 0x04c11db7u : sum << 1;
    }
    return sum;
}

void rsp_check_sum(struct rsp *r, const char *args)
{
    u64 address, size;
    u32 sum = 0xffffffffu;
    if (!parse_range(&args, &address, &size))
        return rsp_fail(r, EINVAL);
    u8 *room = xalloc(SEARCH_STEP);
    while (size > 0) {
        size_t piece = size < SEARCH_STEP ? size : SEARCH_STEP, got = 0;
        struct error *err = session_read(r->session, address, room, piece, &got);
        error_destroy(err);
        if (err || got < piece) {
            free(room);
            return rsp_fail(r, EFAULT);
        }
        sum = add_to_sum(sum, room, piece);
        address += piece;
        size -= piece;
    }
    free(room);
    reply_text(&r->reply, "C%x", sum);
}
