/* The value at one moment, to be compared with later ones: see the header.
 *
 * A value in memory is kept as bytes; bits that belong to other members of a bit-field's word are
 * not compared. A value that is computed or in a register is kept as text.
 */
#include "query/value_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/xalloc.h"

enum { VALUE_MOST = 64 << 10, PAGE = 4096 };

void history_state_deinit(struct history_state *v)
{
    free(v->bytes);
    free(v->text);
    *v = (struct history_state){0};
}

struct history_state history_state_copy(const struct history_state *v)
{
    struct history_state copy = *v;
    copy.bytes = xalloc(v->size + 1);
    copy.text = NULL;
    if (v->size)
        memcpy(copy.bytes, v->bytes, v->size);
    if (v->text)
        copy.text = xformat("%s", v->text);
    return copy;
}

/* Compares without the bits that belong to other members. */
static bool same_bytes(const struct history_state *a, const struct history_state *b)
{
    if (!a->not_first && !a->not_last)
        return !memcmp(a->bytes, b->bytes, a->size);
    for (size_t n = 0; n < a->size; n++) {
        u8 others = (u8)((n ? 0 : a->not_first) | (n + 1 == a->size ? a->not_last : 0));
        if ((a->bytes[n] ^ b->bytes[n]) & (u8)~others)
            return false;
    }
    return true;
}

bool history_state_same(const struct history_state *a, const struct history_state *b)
{
    if (a->missing || b->missing)
        return a->missing && b->missing;
    if (!a->text != !b->text || (a->text && strcmp(a->text, b->text)))
        return false;
    return a->size == b->size && same_bytes(a, b);
}

static struct error *read_bytes(struct session *s, u64 address, u8 *to, size_t size)
{
    memset(to, 0, size);
    for (size_t done = 0; done < size;) {
        u64 at = address + done;
        size_t got = 0, part = PAGE - at % PAGE;
        part = part < size - done ? part : size - done;
        struct error *err = session_read(s, at, to + done, part, &got);
        if (err)
            return err;
        done += part;
    }
    return NULL;
}

struct error *history_state_read(struct session *s, u64 address, size_t size,
                                 struct history_state *ret)
{
    *ret = (struct history_state){.address = address, .size = size, .bytes = xalloc(size + 1)};
    struct error *err = read_bytes(s, address, ret->bytes, size);
    if (err)
        history_state_deinit(ret);
    return err;
}

struct error *history_state_look(struct session *s,
                                 struct error *(*look)(void *context, struct history_value *ret),
                                 void *context, struct history_state *ret,
                                 struct session_noted **noted, size_t *noted_count)
{
    struct history_value v = {0};
    session_note_reads(s);
    struct error *err = look(context, &v);
    session_reads_noted(s, noted, noted_count);
    if (!err && v.size > VALUE_MOST)
        err = error_coded(ERROR_UNAVAILABLE, "a value of %llu bytes is too large for its history",
                          (unsigned long long)v.size);
    if (!err)
        err = history_state_read(s, v.address, v.size, ret);
    if (err) {
        free(v.text);
        free(*noted);
        return err;
    }
    ret->text = v.text;
    ret->missing = v.missing;
    ret->gone = v.gone;
    ret->not_first = v.not_first;
    ret->not_last = v.not_last;
    return NULL;
}

struct look_then {
    struct session *s;
    u64 address;
    size_t size;
    struct history_state *ret;
    bool read;
};

static struct error *look_then(void *context, struct moment at, struct session_sites *ret)
{
    struct look_then *l = context;
    (void)at;
    *ret = (struct session_sites){.enough = true};
    struct error *err = history_state_read(l->s, l->address, l->size, l->ret);
    l->read = !err;
    return err;
}

struct error *history_state_at(struct session *s, struct moment at, u64 address, size_t size,
                               struct history_state *ret)
{
    struct look_then l = {s, address, size, ret, false};
    struct session_trace t = {
        .from = at, .to = at, .direction = FORWARD, .lay = look_then, .context = &l};
    bool interrupted;
    struct error *err = session_trace(s, &t, &interrupted);
    return err || l.read ? err : error_coded(ERROR_INTERRUPTED, "interrupted");
}

/* --- bit-fields ------------------------------------------------------------------------------- */

struct value_place value_place_of_bits(u64 address, u32 offset, u32 size)
{
    u32 end = (offset + size + 7) / 8;
    struct value_place p = {.address = address + offset / 8, .size = end - offset / 8};
    p.not_first = (u8)((1u << offset % 8) - 1);
    p.not_last = (offset + size) % 8 ? (u8)~((1u << (offset + size) % 8) - 1) : 0;
    if (p.size == 1)
        p.not_first = p.not_last |= p.not_first;
    return p;
}

/* --- sites ----------------------------------------------------------------------------------- */

static void value_state_add_site(struct list *sites, u64 start, u64 end)
{
    if (start < end)
        *(struct plan_site *)list_add(sites) =
            (struct plan_site){.kind = SITE_STORE, .flags = PLAN_ENDS, .address = start,
                               .size = end - start, .thread = CONTROL_THREAD_ANY};
}

void history_state_lay_way(const struct history_state *v, const struct session_noted *noted,
                           size_t count, struct list *sites)
{
    u64 start = v->address, end = start + v->size;
    for (size_t i = 0; i < count; i++) {
        u64 from = noted[i].address, to = from + noted[i].size;
        if (start == end || to <= start || from >= end) {
            value_state_add_site(sites, from, to);
        } else {
            value_state_add_site(sites, from, start);
            value_state_add_site(sites, end, to);
        }
    }
}

void look_points_lay(const struct look_points *points, struct list *sites)
{
    for (size_t n = 0; n < points->count; n++)
        *(struct plan_site *)list_add(sites) =
            (struct plan_site){.kind = SITE_CODE, .flags = PLAN_ENDS, .address = points->pcs[n],
                               .thread = points->thread};
}
