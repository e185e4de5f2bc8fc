/* Calls of functions in a copy: handles their return address.
 *
 * gdb lets a function that it calls return to an address on the stack, where it has a breakpoint.
 * The stack is not executable, so natively that is a fault, which gdb takes for the breakpoint; a
 * copy would end with it. So while the copy runs, the return address is replaced by the program's
 * entry, where the server has a breakpoint. When that is hit, the pc is set to the address that gdb
 * expects.
 *
 * Between two runs the stack has the address that gdb wrote, so that backtraces work through the
 * call.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"

static bool is_executable(struct rsp *r, u64 address)
{
    struct control_area *areas;
    size_t count;
    bool ret = false;
    struct error *err = session_areas(r->session, &areas, &count);
    if (err) {
        error_destroy(err);
        return true; /* pretends success; nothing is changed then */
    }
    for (size_t i = 0; i < count; i++)
        if (address >= areas[i].start && address < areas[i].end)
            ret = areas[i].protection & PROT_EXEC;
    free(areas);
    return ret;
}

static bool has_breakpoint(const struct rsp *r, u64 address)
{
    const struct debug_site *sites = r->sites.items;
    for (size_t i = 0; i < r->sites.count; i++)
        if (sites[i].wanted && sites[i].type == BREAK_CODE && sites[i].address == address)
            return true;
    return false;
}

static bool rsp_call_read_word(struct rsp *r, u64 address, u64 *ret)
{
    size_t got = 0;
    struct error *err = session_read(r->session, address, ret, sizeof *ret, &got);
    error_destroy(err);
    return !err && got == sizeof *ret;
}

/* True if a call is about to be made: rsp points to an address with a breakpoint. */
static bool begins_call(struct rsp *r)
{
    struct control_registers regs;
    const u8 *vector;
    u64 back;
    struct error *err = session_registers(r->session, CONTROL_THREAD_ANY, &regs, &vector);
    error_destroy(err);
    if (err || !rsp_call_read_word(r, regs.reg[RSP], &back) || !has_breakpoint(r, back) ||
        is_executable(r, back))
        return false;
    r->call_slot = regs.reg[RSP];
    r->call_back = back;
    return true;
}

/* True if the return address was replaced; *ret is the breakpoint at its replacement. */
bool rsp_call_prepare(struct rsp *r, u32 *ret)
{
    u64 entry, word;
    bool known = r->call_slot && rsp_call_read_word(r, r->call_slot, &word) && word == r->call_back;
    if (!known && !begins_call(r))
        return false;
    struct error *err = session_entry(r->session, &entry);
    if (err) {
        error_destroy(err);
        return false;
    }
    struct breakpoint b = {.site.kind = SITE_CODE, .site.address = entry, .site.size = 1,
                           .site.thread = CONTROL_THREAD_ANY};
    err = session_add_breakpoint(r->session, &b, ret);
    if (err) {
        error_destroy(err);
        return false;
    }
    err = session_write(r->session, r->call_slot, &entry, sizeof entry);
    error_destroy(err);
    return true;
}

static struct error *stand_where_expected(struct rsp *r)
{
    struct control_registers regs;
    const u8 *vector;
    struct error *err = session_registers(r->session, CONTROL_THREAD_ANY, &regs, &vector);
    if (err)
        return err;
    u8 *copy = xalloc(regs.vector_size + 1);
    if (regs.vector_size)
        memcpy(copy, vector, regs.vector_size);
    regs.rip = r->call_back;
    err = session_set_registers(r->session, CONTROL_THREAD_ANY, &regs, copy);
    free(copy);
    return err;
}

struct error *rsp_call_finish(struct rsp *r, u32 number)
{
    bool returned = r->stop.why == WHY_BREAKPOINT && r->stop.breakpoint == number;
    struct error *err =
        session_write(r->session, r->call_slot, &r->call_back, sizeof r->call_back);
    error_destroy(session_remove_breakpoint(r->session, number));
    if (err || !returned)
        return err;
    r->call_slot = 0;
    const struct debug_site *sites = r->sites.items;
    for (size_t i = 0; i < r->sites.count; i++)
        if (sites[i].type == BREAK_CODE && sites[i].address == r->call_back)
            r->stop.breakpoint = r->stop.breakpoints[0] = sites[i].number;
    return stand_where_expected(r);
}

void rsp_call_show_output(struct rsp *r)
{
    size_t size;
    char *output = session_scratch_output(r->session, &size);
    rsp_say_bytes(r, output, size);
    free(output);
}
