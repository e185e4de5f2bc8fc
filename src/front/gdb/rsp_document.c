/* qXfer: documents that a client reads piece by piece. One is made when its beginning is requested,
 * and kept until its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

static struct error *make_features(struct rsp *r)
{
    rsp_registers_document(r, &r->document);
    return NULL;
}

static struct error *make_threads(struct rsp *r)
{
    rsp_threads_document(r, &r->document);
    return NULL;
}

static struct error *make_auxv(struct rsp *r)
{
    u8 *bytes;
    size_t size;
    struct error *err = session_auxv(r->session, &bytes, &size);
    if (err)
        return err;
    reply_bytes(&r->document, bytes, size);
    free(bytes);
    return NULL;
}

static struct error *make_exec_file(struct rsp *r)
{
    reply_text(&r->document, "%s", session_program(r->session));
    return NULL;
}

/* The signal of the current thread. Recordings of older engines have only the number of a fault
 * that ended the program. */
static struct error *make_siginfo(struct rsp *r)
{
    struct session_place place;
    struct session_signal found;
    session_place(r->session, &place);
    bool other = r->general != CONTROL_THREAD_ANY && r->general != place.thread;
    bool logged = session_signal_here(r->session, &found);
    if (other || (!logged && !(place.end && place.end_signal)))
        return error_coded(ERROR_NOT_FOUND, "there is no signal of this thread at this moment");
    if (!logged) {
        memset(found.info, 0, sizeof found.info);
        memcpy(found.info, &place.end_signal, sizeof place.end_signal);
    }
    reply_bytes(&r->document, found.info, sizeof found.info);
    return NULL;
}

static const struct {
    const char *name;
    struct error *(*make)(struct rsp *r);
    bool detached_too;
} documents[] = {
    {"features:read:target.xml:", make_features, true},
    {"threads:read::", make_threads, false},
    {"auxv:read::", make_auxv, false},
    {"exec-file:read:", make_exec_file, true},
    {"siginfo:read::", make_siginfo, false},
};

/* Makes the document, unless it is the one being read. */
static struct error *have_document(struct rsp *r, size_t which, u64 offset)
{
    if (offset != 0 && r->document_which == which + 1)
        return NULL;
    reply_clear(&r->document);
    r->document_which = 0;
    struct error *err = documents[which].make(r);
    if (!err)
        r->document_which = (u32)which + 1;
    return err;
}

static void send_piece(struct rsp *r, u64 offset, u64 length)
{
    u64 size = r->document.size;
    if (offset > size)
        return rsp_fail(r, EINVAL);
    u64 left = size - offset;
    if (length > (WIRE_PACKET_MOST - 8) / 2)
        length = (WIRE_PACKET_MOST - 8) / 2; /* each byte may have to be escaped */
    reply_text(&r->reply, length < left ? "m" : "l");
    reply_binary(&r->reply, r->document.bytes + offset, length < left ? length : left);
    if (length >= left)
        r->document_which = 0;
}

/* The program's file can be requested by pid: `exec-file:read:PID:0,100`. */
static bool parse_piece(const char *at, u64 *offset, u64 *length)
{
    const char *colon = strrchr(at, ':');
    at = colon ? colon + 1 : at;
    return wire_number(&at, offset) && *at++ == ',' && wire_number(&at, length);
}

void rsp_document(struct rsp *r, const char *args)
{
    for (size_t i = 0; i < countof(documents); i++) {
        const char *rest;
        u64 offset, length;
        if (!rsp_starts(args, documents[i].name, &rest))
            continue;
        if (!parse_piece(rest, &offset, &length))
            return rsp_fail(r, EINVAL);
        if (!r->attached && !documents[i].detached_too)
            return rsp_fail(r, ESRCH);
        struct error *err = have_document(r, i, offset);
        if (err)
            return rsp_error(r, err);
        return send_piece(r, offset, length);
    }
}
