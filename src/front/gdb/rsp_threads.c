/* Threads, by the client's names for them.
 *
 * A step that names no thread is one of the thread that the client has selected. The protocol has
 * `Hg` for that. But gdb sends `Hg` before it reads registers or memory, and not again while it has
 * them cached: after `info threads` it names the last of the list, whichever is selected. When a
 * thread is selected, or when gdb returns to one that it has been stepping, gdb asks whether that
 * thread is alive (`T`). So `T` counts for gdb, and `Hg` for other clients; ebb.py also reports the
 * selected thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

struct error *rsp_threads_know(struct rsp *r)
{
    struct session_place place;
    session_place(r->session, &place);
    invariant(2, !r->threads || moment_compare(r->threads_at, place.at) == 0);
    r->threads_at = place.at;
    return r->threads ? NULL : session_threads(r->session, &r->threads, &r->thread_count);
}

void rsp_threads_forget(struct rsp *r)
{
    free(r->threads);
    r->threads = NULL;
    r->thread_count = 0;
}

/* Working with some threads is better than failing. */
static void know_or_do_without(struct rsp *r)
{
    struct error *err = rsp_threads_know(r);
    if (err)
        error_destroy(err);
}

u32 rsp_threads_tid(struct rsp *r, u32 ordinal)
{
    struct session_place place;
    session_place(r->session, &place);
    if (ordinal == CONTROL_THREAD_ANY || ordinal == place.thread)
        return place.tid;
    know_or_do_without(r);
    for (size_t i = 0; i < r->thread_count; i++)
        if (r->threads[i].thread == ordinal)
            return r->threads[i].tid;
    return place.tid;
}

static const struct control_thread *find_tid(struct rsp *r, u64 tid)
{
    know_or_do_without(r);
    for (size_t i = 0; i < r->thread_count; i++)
        if (r->threads[i].tid == tid)
            return &r->threads[i];
    return NULL;
}

/* The current thread is known without asking the session for all. */
static bool find_ordinal(struct rsp *r, u64 tid, u32 *ret)
{
    struct session_place place;
    session_place(r->session, &place);
    const struct control_thread *t = tid == place.tid ? NULL : find_tid(r, tid);
    if (tid != place.tid && !t)
        return rsp_ahead_find_tid(r, tid, ret);
    *ret = t ? t->thread : place.thread;
    return true;
}

/* "-1": all, "0": any. */
static bool parse_all_or_any(const char **at)
{
    if (strncmp(*at, "-1", 2) == 0) {
        *at += 2;
        return true;
    }
    if (**at == '0' && wire_digit((*at)[1]) < 0) {
        (*at)++;
        return true;
    }
    return false;
}

static bool parse_pid(const char **at, u32 *ret)
{
    u64 pid = 0;
    if (**at != 'p')
        return true;
    (*at)++;
    if (!parse_all_or_any(at) && !wire_number(at, &pid))
        return false;
    *ret = (u32)pid;
    return true;
}

bool rsp_threads_parse(struct rsp *r, const char **at, u32 *ret_pid, u32 *ret_ordinal,
                       bool *ret_known)
{
    bool has_pid = **at == 'p';
    u64 tid = 0;
    *ret_pid = 0;
    *ret_ordinal = CONTROL_THREAD_ANY;
    *ret_known = true;
    if (!parse_pid(at, ret_pid))
        return false;
    if (has_pid && **at != '.')
        return true;
    *at += has_pid;
    if (parse_all_or_any(at))
        return true;
    if (!wire_number(at, &tid))
        return false;
    *ret_known = find_ordinal(r, tid, ret_ordinal);
    return true;
}

void rsp_threads_name(struct rsp *r, struct reply *to, u32 tid)
{
    if (r->multiprocess)
        reply_text(to, "p%x.%x", rsp_shown_pid(r), tid);
    else
        reply_text(to, "%x", tid);
}

/* True for a forked process that exists only for the client: its requests go to the real
 * process. */
static bool is_phantom(const struct rsp *r, u32 pid)
{
    return r->phantom && pid == r->phantom;
}

void rsp_select(struct rsp *r, const char *args)
{
    u32 pid, ordinal;
    bool known;
    char what = *args;
    if (what != 'g' && what != 'c')
        return rsp_fail(r, EINVAL);
    args++;
    if (!rsp_threads_parse(r, &args, &pid, &ordinal, &known))
        return rsp_fail(r, EINVAL);
    if (!known && !is_phantom(r, pid))
        return rsp_fail(r, ESRCH);
    if (what == 'g') {
        r->general = ordinal;
        if (!r->is_gdb)
            r->selected = ordinal;
        r->in_phantom = is_phantom(r, pid);
    } else {
        r->resumed = ordinal;
    }
    rsp_ok(r);
}

void rsp_alive(struct rsp *r, const char *args)
{
    u32 pid, ordinal;
    bool known;
    if (!rsp_threads_parse(r, &args, &pid, &ordinal, &known) ||
        (!known && !rsp_processes_has(r, pid)))
        return rsp_fail(r, ESRCH);
    if (known)
        r->selected = ordinal;
    rsp_ok(r);
}

/* `qebb.selected:THREAD`, sent by ebb.py before gdb resumes threads. */
void rsp_threads_selected(struct rsp *r, const char *args)
{
    u32 pid, ordinal;
    bool known;
    if (!rsp_threads_parse(r, &args, &pid, &ordinal, &known) || *args || !known)
        return rsp_fail(r, EINVAL);
    r->selected = ordinal;
    rsp_ok(r);
}

void rsp_threads_list(struct rsp *r, struct reply *to)
{
    know_or_do_without(r);
    for (size_t i = 0; i < r->thread_count; i++) {
        reply_text(to, i ? "," : "");
        rsp_threads_name(r, to, r->threads[i].tid);
    }
    if (!r->thread_count)
        rsp_threads_name(r, to, rsp_threads_tid(r, CONTROL_THREAD_ANY));
    rsp_processes_threads(r, to, false);
}

static void name_of(const struct control_thread *t, char *room)
{
    memcpy(room, t->name, sizeof t->name);
    room[sizeof t->name] = '\0';
}

void rsp_threads_document(struct rsp *r, struct reply *to)
{
    char name[sizeof r->threads->name + 1];
    know_or_do_without(r);
    reply_text(to, "<?xml version=\"1.0\"?>\n<threads>\n");
    for (size_t i = 0; i < r->thread_count; i++) {
        reply_text(to, "<thread id=\"");
        rsp_threads_name(r, to, r->threads[i].tid);
        reply_text(to, "\" name=\"");
        name_of(&r->threads[i], name);
        reply_xml(to, name);
        reply_text(to, "\"></thread>\n");
    }
    rsp_processes_threads(r, to, true);
    reply_text(to, "</threads>\n");
}

void rsp_threads_label(struct rsp *r, const char *args)
{
    char name[sizeof r->threads->name + 1];
    u32 pid, ordinal;
    bool known;
    if (!rsp_threads_parse(r, &args, &pid, &ordinal, &known) || !known)
        return rsp_fail(r, ESRCH);
    const struct control_thread *t = find_tid(r, rsp_threads_tid(r, ordinal));
    if (!t)
        return rsp_fail(r, ESRCH);
    name_of(t, name);
    reply_hex(&r->reply, name, strlen(name));
}

void rsp_threads_current(struct rsp *r)
{
    reply_text(&r->reply, "QC");
    rsp_threads_name(r, &r->reply, rsp_threads_tid(r, r->general));
}

/* Thread-local variables. glibc's thread control block has the vector of module blocks at offset 8.
 * A module's number is in its link map, at an offset that libc stores in a descriptor (bits, count,
 * offset); the client looks up the descriptor's address. */

static const char tls_symbol[] = "_thread_db_link_map_l_tls_modid";

static bool read_exactly(struct rsp *r, u64 address, void *to, size_t size)
{
    size_t got = 0;
    struct error *err = session_read(r->session, address, to, size, &got);
    error_destroy(err);
    return !err && got == size;
}

void rsp_threads_symbol(struct rsp *r, const char *args)
{
    const char *name = strchr(args, ':');
    u64 address;
    if (r->tls_module_at || !name)
        return rsp_ok(r);
    if (strcmp(args, ":") == 0) { /* the client offers to look up symbols */
        reply_text(&r->reply, "qSymbol:");
        return reply_hex(&r->reply, tls_symbol, strlen(tls_symbol));
    }
    u32 descriptor[3];
    if (wire_number(&args, &address) && read_exactly(r, address, descriptor, sizeof descriptor))
        r->tls_module_at = descriptor[2];
    rsp_ok(r);
}

void rsp_threads_tls(struct rsp *r, const char *args)
{
    struct control_registers regs;
    const u8 *vector;
    u32 pid, ordinal;
    bool known;
    u64 offset, map, module, blocks, block;
    if (!rsp_threads_parse(r, &args, &pid, &ordinal, &known) || !known || *args++ != ',' ||
        !wire_number(&args, &offset) || *args++ != ',' || !wire_number(&args, &map))
        return rsp_fail(r, EINVAL);
    if (!r->tls_module_at)
        return;
    struct error *err = session_registers(r->session, ordinal, &regs, &vector);
    if (err)
        return rsp_error(r, err);
    if (!read_exactly(r, map + r->tls_module_at, &module, sizeof module) ||
        !read_exactly(r, regs.fs_base + 8, &blocks, sizeof blocks) ||
        !read_exactly(r, blocks + 16 * module, &block, sizeof block) || block == ~0ull)
        return rsp_fail(r, EFAULT);
    reply_text(&r->reply, "%llx", (unsigned long long)(block + offset));
}
