/* Queries (q...) and settings (Q...). */
#include <errno.h>
#include <string.h>

#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

static const char offers[] =
    "PacketSize=%x;QStartNoAckMode+;multiprocess+;swbreak+;hwbreak+;ReverseStep+;ReverseContinue+;"
    "ConditionalBreakpoints+;vContSupported+;fork-events+;vfork-events+;exec-events+;"
    "QCatchSyscalls+;QPassSignals+;QProgramSignals+;qXfer:features:read+;qXfer:auxv:read+;"
    "qXfer:threads:read+;qXfer:exec-file:read+;qXfer:siginfo:read+;binary-upload+;"
    "QThreadSuffixSupported+;QListThreadsInStopReply+;error-message+";

/* Reads the client's features, `;word+;word+...`. */
static void take_offers(struct rsp *r, const char *args)
{
    r->is_gdb = strstr(args, "xmlRegisters=") != NULL;
    const struct { const char *word; bool *flag; } words[] = {
        {"multiprocess+", &r->multiprocess}, {"swbreak+", &r->swbreak}, {"hwbreak+", &r->hwbreak},
        {"fork-events+", &r->fork_events}, {"vfork-events+", &r->vfork_events},
        {"exec-events+", &r->exec_events}, {"binary-upload+", &r->binary_upload},
    };
    for (size_t i = 0; i < countof(words); i++) {
        const char *at = strstr(args, words[i].word);
        if (at && (at[-1] == ';' || at[-1] == ':'))
            *words[i].flag = true;
    }
}

static void supported(struct rsp *r, const char *args)
{
    take_offers(r, args);
    reply_text(&r->reply, offers, WIRE_PACKET_MOST);
}

static void current(struct rsp *r, const char *args)
{
    (void)args;
    rsp_threads_current(r);
}

/* Answers that the process was attached to, so that the client detaches when it leaves and does not
 * kill. */
static void rsp_query_attached(struct rsp *r, const char *args)
{
    (void)args;
    reply_text(&r->reply, "1");
}

static void first_threads(struct rsp *r, const char *args)
{
    (void)args;
    if (!r->attached)
        return reply_text(&r->reply, "l");
    reply_text(&r->reply, "m");
    rsp_threads_list(r, &r->reply);
}

static void more_threads(struct rsp *r, const char *args)
{
    (void)args;
    reply_text(&r->reply, "l");
}

static void start_no_acks(struct rsp *r, const char *args)
{
    (void)args;
    link_stop_acks(r->link);
    rsp_ok(r);
}

static void rsp_query_accept(struct rsp *r, const char *args)
{
    (void)args;
    rsp_ok(r);
}

struct query_row {
    const char *name;
    void (*handle)(struct rsp *r, const char *args);
    bool detached_too;
};

static const struct query_row queries[] = {
    {"qSupported", supported, true},
    {"qXfer:", rsp_document, true},
    {"qRcmd,", rsp_monitor, true},
    {"qSearch:memory:", rsp_search, false},
    {"qCRC:", rsp_check_sum, false},
    {"qSymbol:", rsp_threads_symbol, false},
    {"qGetTLSAddr:", rsp_threads_tls, false},
    {"qebb.selected:", rsp_threads_selected, false},
    {"qebb.stopped", rsp_model_stopped, false},
    {"qebb.frame:", rsp_model_frame, false},
    {"qebb.lines:", rsp_lines_tell, false},
    {"qThreadExtraInfo,", rsp_threads_label, false},
    {"qfThreadInfo", first_threads, true},
    {"qsThreadInfo", more_threads, true},
    {"qAttached", rsp_query_attached, true},
    {"qC", current, false},
};

static const struct query_row settings[] = {
    {"QStartNoAckMode", start_no_acks, true},
    {"QCatchSyscalls:", rsp_catch_calls, false},
    {"QPassSignals:", rsp_pass_signals, true},
    {"QProgramSignals:", rsp_query_accept, true},
    {"QNonStop:0", rsp_query_accept, true},
};

static void rsp_query_look_up(struct rsp *r, const struct query_row *rows, size_t count,
                              const char *packet)
{
    for (size_t i = 0; i < count; i++) {
        const char *args;
        if (!rsp_starts(packet, rows[i].name, &args))
            continue;
        if (!r->attached && !rows[i].detached_too)
            return rsp_fail(r, ESRCH);
        return rows[i].handle(r, args);
    }
}

void rsp_query(struct rsp *r, const char *args)
{
    rsp_query_look_up(r, queries, countof(queries), args);
}

void rsp_set(struct rsp *r, const char *args)
{
    rsp_query_look_up(r, settings, countof(settings), args);
}
