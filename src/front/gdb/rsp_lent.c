/* Memory that only the client uses: `_M` and `_m`.
 *
 * LLDB puts expressions, their results and breakpoint conditions there, and expects them to stay
 * when the session moves. The recording has no such memory. So its bytes are kept here, at
 * addresses that the program does not use. They are written to a copy before it runs, and read back
 * afterwards.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

enum { PAGE = 4096, LENT_MOST = 64 << 20 };

/* Below all addresses that the engine itself maps for a program. */
static const u64 LENT_FIRST = 0x700000000000ull;

static struct rsp_lent *rsp_lent_find(const struct rsp *r, u64 address)
{
    struct rsp_lent *l = r->lent;
    while (l && (address < l->address || address - l->address >= l->size))
        l = l->next;
    return l;
}

static u64 behind_all(const struct rsp *r)
{
    u64 end = LENT_FIRST;
    for (const struct rsp_lent *l = r->lent; l; l = l->next)
        if (l->address + l->size > end)
            end = l->address + l->size;
    return end;
}

static bool is_used(struct rsp *r, u64 from, u64 to)
{
    struct control_area *areas;
    size_t count;
    bool ret = false;
    struct error *err = session_areas(r->session, &areas, &count);
    for (size_t i = 0; !err && i < count; i++)
        ret |= areas[i].start < to && areas[i].end > from;
    if (!err)
        free(areas);
    error_destroy(err);
    return ret || err;
}

/* `SIZE,PERMISSIONS`: all of it is readable, writable and executable. */
void rsp_lend(struct rsp *r, const char *args)
{
    u64 size, address = behind_all(r);
    if (!wire_number(&args, &size) || *args != ',' || size == 0)
        return rsp_fail(r, EINVAL);
    if (size > LENT_MOST || address - LENT_FIRST > LENT_MOST)
        return rsp_fail(r, ENOMEM);
    size = (size + PAGE - 1) / PAGE * PAGE;
    if (is_used(r, address, address + size))
        return rsp_fail(r, ENOMEM);
    struct rsp_lent *l = xalloc(sizeof *l + size);
    memset(l, 0, sizeof *l + size);
    l->next = r->lent;
    l->address = address;
    l->size = size;
    r->lent = l;
    reply_text(&r->reply, "%llx", (unsigned long long)address);
}

void rsp_take_back(struct rsp *r, const char *args)
{
    u64 address;
    if (!wire_number(&args, &address))
        return rsp_fail(r, EINVAL);
    for (struct rsp_lent **at = &r->lent; *at; at = &(*at)->next) {
        if ((*at)->address == address) {
            struct rsp_lent *gone = *at;
            *at = gone->next;
            free(gone);
            return rsp_ok(r);
        }
    }
    rsp_fail(r, EINVAL);
}

bool rsp_lent_read(const struct rsp *r, u64 address, void *to, size_t size, size_t *ret)
{
    const struct rsp_lent *l = rsp_lent_find(r, address);
    if (!l)
        return false;
    u64 left = l->address + l->size - address;
    *ret = size < left ? size : left;
    memcpy(to, l->bytes + (address - l->address), *ret);
    return true;
}

bool rsp_lent_write(struct rsp *r, u64 address, const void *from, size_t size)
{
    struct rsp_lent *l = rsp_lent_find(r, address);
    if (!l || size > l->address + l->size - address)
        return false;
    memcpy(l->bytes + (address - l->address), from, size);
    return true;
}

/* --- a copy that runs ----------------------------------------------------------------------- */

struct error *rsp_lent_enter(struct rsp *r)
{
    struct error *err = NULL;
    for (const struct rsp_lent *l = r->lent; l && !err; l = l->next) {
        size_t got = 0;
        u8 byte;
        err = session_read(r->session, l->address, &byte, 1, &got);
        if (!err && !got)
            err = session_scratch_map(r->session, l->address, l->size);
        if (!err)
            err = session_write(r->session, l->address, l->bytes, l->size);
    }
    return err;
}

void rsp_lent_leave(struct rsp *r)
{
    for (struct rsp_lent *l = r->lent; l; l = l->next) {
        size_t got;
        error_destroy(session_read(r->session, l->address, l->bytes, l->size, &got));
    }
}

void rsp_lent_deinit(struct rsp *r)
{
    while (r->lent) {
        struct rsp_lent *next = r->lent->next;
        free(r->lent);
        r->lent = next;
    }
}
