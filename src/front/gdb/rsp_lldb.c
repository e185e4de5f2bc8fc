/* Packets that LLDB sends beyond gdb's protocol: facts about host and process, memory regions, all
 * threads at a stop, thread suffixes.
 *
 * LLDB's sources describe these packets in a document about its extensions of the protocol.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

static void add_hex(struct reply *to, const char *key, const char *text)
{
    reply_text(to, "%s:", key);
    reply_hex(to, text, strlen(text));
    reply_text(to, ";");
}

static void host_info(struct rsp *r, const char *args)
{
    (void)args;
    add_hex(&r->reply, "triple", "x86_64-pc-linux-gnu");
    reply_text(&r->reply, "ptrsize:8;endian:little;");
    add_hex(&r->reply, "hostname", "ebb");
}

static void process_info(struct rsp *r, const char *args)
{
    const struct rsp_facts *f = &r->facts;
    (void)args;
    reply_text(&r->reply, "pid:%x;parent-pid:%x;real-uid:%x;real-gid:%x;effective-uid:%x;"
               "effective-gid:%x;", rsp_shown_pid(r), f->ppid, f->uid, f->gid, f->uid,
               f->gid);
    add_hex(&r->reply, "triple", "x86_64-pc-linux-gnu");
    reply_text(&r->reply, "ostype:linux;endian:little;ptrsize:8;");
}

/* LLDB looks up the program of a pid on this machine. So a pid that another process has now must
 * not be shown. */
u32 rsp_shown_pid(const struct rsp *r)
{
    enum { NOBODYS = 1 << 30 }; /* higher than any pid of the kernel */
    return session_pid(r->session) | (r->hides_pid ? NOBODYS : 0);
}

static void recognise(struct rsp *r)
{
    r->is_lldb = true;
    r->hides_pid = kill((pid_t)session_pid(r->session), 0) == 0 || errno == EPERM;
    link_forget_interrupts(r->link);
    rsp_ok(r);
}

static void thread_suffix(struct rsp *r, const char *args)
{
    (void)args;
    recognise(r);
}

static void list_threads(struct rsp *r, const char *args)
{
    (void)args;
    r->lists_threads = true;
    recognise(r);
}

static void rsp_lldb_accept(struct rsp *r, const char *args)
{
    (void)args;
    rsp_ok(r);
}

static void supported_conts(struct rsp *r, const char *args)
{
    (void)args;
    reply_text(&r->reply, "vCont;c;C;s;S");
}

/* Describes the area that contains an address, or the hole around it. */
static void region_info(struct rsp *r, const char *args)
{
    struct control_area *areas;
    size_t count;
    u64 address, from = 0, to = ~0ull;
    if (!wire_number(&args, &address))
        return rsp_fail(r, EINVAL);
    struct error *err = session_areas(r->session, &areas, &count);
    if (err)
        return rsp_error(r, err);
    const struct control_area *in = NULL;
    for (size_t i = 0; i < count; i++) {
        if (address >= areas[i].start && address < areas[i].end)
            in = &areas[i];
        else if (areas[i].end <= address && areas[i].end > from)
            from = areas[i].end;
        else if (areas[i].start > address && areas[i].start < to)
            to = areas[i].start;
    }
    if (in)
        from = in->start, to = in->end;
    reply_text(&r->reply, "start:%llx;size:%llx;", (unsigned long long)from,
               (unsigned long long)(to - from));
    if (in)
        reply_text(&r->reply, "permissions:%s%s%s;", in->protection & PROT_READ ? "r" : "",
                   in->protection & PROT_WRITE ? "w" : "", in->protection & PROT_EXEC ? "x" : "");
    if (in && in->path[0]) {
        char path[sizeof in->path + 1] = {0};
        memcpy(path, in->path, sizeof in->path);
        add_hex(&r->reply, "name", path);
    }
    free(areas);
}

static void threads_info(struct rsp *r, const char *args)
{
    struct reply text = {0};
    (void)args;
    struct error *err = rsp_threads_know(r);
    if (err)
        return rsp_error(r, err);
    reply_text(&text, "[");
    for (size_t i = 0; i < r->thread_count; i++) {
        char name[sizeof r->threads->name + 1] = {0};
        memcpy(name, r->threads[i].name, sizeof r->threads->name);
        reply_text(&text, "%s{\"tid\":%u,\"name\":\"", i ? "," : "", r->threads[i].tid);
        reply_json(&text, name);
        reply_text(&text, "\",\"reason\":\"%s\"}", r->threads[i].runs ? "trap" : "none");
    }
    reply_text(&text, "]");
    reply_binary(&r->reply, text.bytes, text.size);
    reply_deinit(&text);
}

static const struct {
    const char *name;
    void (*handle)(struct rsp *r, const char *args);
    bool whole; /* nothing follows the name */
    bool detached_too;
} rows[] = {
    {"qHostInfo", host_info, true, true},
    {"qProcessInfo", process_info, true, false},
    {"QThreadSuffixSupported", thread_suffix, true, true},
    {"QListThreadsInStopReply", list_threads, true, true},
    {"QEnableErrorStrings", rsp_lldb_accept, true, true},
    {"qMemoryRegionInfo:", region_info, false, false},
    {"qVAttachOrWaitSupported", rsp_lldb_accept, true, true},
    {"vCont?", supported_conts, true, true},
    {"jThreadsInfo", threads_info, true, false},
    {"_M", rsp_lend, false, false},
    {"_m", rsp_take_back, false, false},
};

bool rsp_lldb(struct rsp *r, const char *packet)
{
    for (size_t i = 0; i < countof(rows); i++) {
        const char *args;
        if (!rsp_starts(packet, rows[i].name, &args) || (rows[i].whole && *args))
            continue;
        if (rows[i].handle == supported_conts && !r->is_lldb)
            return false;
        if (!r->attached && !rows[i].detached_too)
            rsp_fail(r, ESRCH);
        else
            rows[i].handle(r, args);
        return true;
    }
    return false;
}
