/* Registers: the packets that read and write them, and the description of the registers for the
 * client.
 *
 * A write goes to a copy of the process, never to the recording. The registers before the first
 * write are kept, to recognize when a client has restored them after calling a function.
 */
#include <errno.h>
#include <string.h>

#include "front/gdb/register_table.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

static struct error *rsp_registers_read_state(struct rsp *r, u32 ordinal,
                                              struct register_state *ret)
{
    const u8 *vector;
    struct error *err = rsp_ahead_registers(r, ordinal, &ret->general, &vector);
    if (err)
        return err;
    if (ret->general.vector_size > VECTOR_SIZE_MOST)
        return error_coded(ERROR_UNAVAILABLE,
                           "the state of the vector registers is larger than any that is known");
    if (ret->general.vector_size)
        memcpy(ret->vector, vector, ret->general.vector_size);
    return NULL;
}

static void add_register(const struct register_state *s, u32 number, struct reply *to)
{
    u8 value[REGISTER_SIZE_MOST];
    register_table_read(s, number, value);
    reply_hex(to, value, register_table_size(number));
}

/* LLDB appends the thread to the packet: `;thread:NN;`. */
static u32 thread_behind(struct rsp *r, const char *args)
{
    const char *at = strstr(args, "thread:");
    u32 pid, ordinal;
    bool known;
    if (!at)
        return r->general;
    at += strlen("thread:");
    return rsp_threads_parse(r, &at, &pid, &ordinal, &known) && known ? ordinal : r->general;
}

void rsp_read_registers(struct rsp *r, const char *args)
{
    struct register_state s;
    struct error *err = rsp_registers_read_state(r, thread_behind(r, args), &s);
    if (err)
        return rsp_error(r, err);
    u32 count = register_table_count(s.general.vector_features);
    for (u32 i = 0; i < count; i++)
        add_register(&s, i, &r->reply);
}

void rsp_read_register(struct rsp *r, const char *args)
{
    struct register_state s;
    u64 number;
    if (!wire_number(&args, &number))
        return rsp_fail(r, EINVAL);
    struct error *err = rsp_registers_read_state(r, thread_behind(r, args), &s);
    if (err)
        return rsp_error(r, err);
    if (number >= register_table_count(s.general.vector_features))
        return rsp_fail(r, EINVAL);
    add_register(&s, (u32)number, &r->reply);
}

static void write_state(struct rsp *r, u32 ordinal, const struct register_state *s)
{
    struct error *err = r->in_phantom ? NULL : rsp_keep_original(r);
    if (!err && !r->in_phantom)
        err = session_set_registers(r->session, ordinal, &s->general, s->vector);
    if (err)
        rsp_error(r, err);
    else
        rsp_ok(r);
}

void rsp_write_registers(struct rsp *r, const char *args)
{
    struct register_state s;
    u8 value[REGISTER_SIZE_MOST];
    u32 ordinal = thread_behind(r, args);
    struct error *err = rsp_registers_read_state(r, ordinal, &s);
    if (err)
        return rsp_error(r, err);
    u32 count = register_table_count(s.general.vector_features);
    for (u32 i = 0; i < count && *args && *args != ';'; i++) {
        u32 size = register_table_size(i);
        if (args[0] != 'x') { /* an x: unknown, not to be changed */
            if (wire_unhex(args, value, size) != (long)size)
                return rsp_fail(r, EINVAL);
            register_table_write(&s, i, value);
        } else if (strnlen(args, 2 * size) < 2 * size) {
            return rsp_fail(r, EINVAL);
        }
        args += 2 * size;
    }
    write_state(r, ordinal, &s);
}

void rsp_write_register(struct rsp *r, const char *args)
{
    struct register_state s;
    u8 value[REGISTER_SIZE_MOST];
    u64 number;
    if (!wire_number(&args, &number) || *args++ != '=')
        return rsp_fail(r, EINVAL);
    u32 ordinal = thread_behind(r, args);
    struct error *err = rsp_registers_read_state(r, ordinal, &s);
    if (err)
        return rsp_error(r, err);
    if (number >= register_table_count(s.general.vector_features))
        return rsp_fail(r, EINVAL);
    u32 size = register_table_size((u32)number);
    if (wire_unhex(args, value, size) != (long)size)
        return rsp_fail(r, EINVAL);
    register_table_write(&s, (u32)number, value);
    write_state(r, ordinal, &s);
}

void rsp_registers_expedite(struct rsp *r, struct reply *to, u32 ordinal)
{
    struct register_state s;
    struct error *err = rsp_registers_read_state(r, ordinal, &s);
    if (err)
        return error_destroy(err); /* the client will request them, and get the error */
    for (u32 i = 0; i < REGISTERS_EXPEDITED; i++) {
        u8 number = (u8)i;
        reply_hex(to, &number, sizeof number);
        reply_bytes(to, ":", 1);
        add_register(&s, i, to);
        reply_bytes(to, ";", 1);
    }
}

void rsp_registers_document(struct rsp *r, struct reply *to)
{
    struct control_registers general;
    const u8 *vector;
    struct error *err = session_registers(r->session, CONTROL_THREAD_ANY, &general, &vector);
    register_table_describe(err ? 0 : general.vector_features, to);
    error_destroy(err);
}

/* Vector registers are not compared: a client that calls a function restores only those that it has
 * changed. */
bool rsp_registers_original(struct rsp *r)
{
    struct control_registers now;
    const u8 *vector;
    if (!r->has_original)
        return true;
    struct error *err = session_registers(r->session, CONTROL_THREAD_ANY, &now, &vector);
    error_destroy(err);
    return !err && memcmp(now.reg, r->original.reg, sizeof now.reg) == 0 &&
           now.rip == r->original.rip;
}
