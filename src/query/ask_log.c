/* Events that are in the log: system calls, signals, switches of threads, new threads and
 * processes, mapped files, output.
 *
 * They are read from the log, without a replay. If the context has expressions of the program, or
 * the log does not have the whole of an output, a pass goes to the moments of these events, one
 * after the other, and looks.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "log/event.h"
#include "log/lineage.h"
#include "log/syscall_text.h"
#include "query/ask_asking_internal.h"
#include "session/trace.h"

struct ask_logged {
    struct ask_event e;
    char *name, *text; /* memory of the event's texts */
    char *shown;       /* the whole event in one line */
    u32 site;          /* enum plan_site_kind at which the pass stops for it */
    bool is_cut;       /* the text is incomplete */
};

struct ask_log {
    struct asking *a;
    struct list events; /* struct ask_logged */
    struct list threads; /* u32: threads that have run */
    size_t next;        /* the next event to judge */
    bool stands;        /* the pass has stopped at the next event */
};

/* --- from the log ----------------------------------------------------------------------------- */

static size_t log_pieces(const struct event *e, u32 kind, struct syscall_piece *list)
{
    size_t count = 0;
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));)
        if (p->kind == kind)
            list[count++] = (struct syscall_piece){gaddr(p->address), p->size,
                                                   (const u8 *)(p + 1)};
    return count;
}

struct log_call {
    struct call_made call;
    struct syscall_piece *list;
    struct syscall_pieces pieces;
    struct call_memory memory;
};

static void log_call_open(const struct event *e, struct log_call *c)
{
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    u64 args[SYSCALL_ARGS] = {0};
    c->list = xalloc((e->size / sizeof(struct event_piece) + 1) * sizeof *c->list);
    c->pieces = (struct syscall_pieces){.list = c->list};
    c->pieces.count = log_pieces(e, PIECE_MEMORY, c->list);
    c->pieces.count += log_pieces(e, PIECE_SHOWN, c->list + c->pieces.count);
    c->memory = syscall_pieces_memory(&c->pieces);
    memcpy(args, event_arguments(e), s->args * sizeof *args);
    call_begin(&c->call, s->number, args, &c->memory);
    c->call.result = s->result;
}

static bool is_write(const struct event *e)
{
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    const char *name = syscall_row_of(s->number)->name;
    return !strcmp(name, "write") || !strcmp(name, "writev") || !strcmp(name, "pwrite64");
}

static bool is_fork(const struct event *e)
{
    struct log_call c;
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    if (!syscall_has(s->number, EFFECT_MAKES) || s->result <= 0)
        return false;
    log_call_open(e, &c);
    bool thread = call_clone_flags(s->number, c.call.args, &c.memory) & CALL_FLAG_THREAD;
    free(c.list);
    return !thread;
}

static bool ask_is_exec(const struct event *e)
{
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    return e->kind == EVENT_EXEC ||
           (e->kind == EVENT_SYSCALL && syscall_has(s->number, EFFECT_EXECS));
}

/* True if a thread has its turn for the first time. */
static bool is_new_thread(struct ask_log *l, const struct event *e)
{
    const struct event_switch *s = (const struct event_switch *)e->payload;
    if (e->kind != EVENT_SWITCH)
        return false;
    if (!l->threads.count)
        *(u32 *)list_add(&l->threads) = e->thread;
    const u32 *known = l->threads.items;
    for (size_t i = 0; i < l->threads.count; i++)
        if (known[i] == s->to)
            return false;
    *(u32 *)list_add(&l->threads) = s->to;
    return true;
}

static bool is_of_type(struct ask_log *l, const struct event *e)
{
    switch (l->a->q->type) {
    case ASK_SYSCALL:
        return e->kind == EVENT_SYSCALL;
    case ASK_OUTPUT:
        return e->kind == EVENT_SYSCALL && is_write(e) &&
               ((const struct event_syscall *)e->payload)->result > 0;
    case ASK_SIGNAL:
        return e->kind == EVENT_SIGNAL;
    case ASK_SWITCH:
        return e->kind == EVENT_SWITCH;
    case ASK_THREAD:
        return is_new_thread(l, e);
    case ASK_FORK:
        return e->kind == EVENT_SYSCALL && is_fork(e);
    case ASK_EXEC:
        return ask_is_exec(e);
    case ASK_EVENT:
        return e->kind == EVENT_SYSCALL || e->kind == EVENT_SIGNAL || e->kind == EVENT_SWITCH ||
               e->kind == EVENT_EXEC;
    default:
        return e->kind == EVENT_MAP && ((const struct event_map *)e->payload)->size;
    }
}

/* Takes the output, as far as the log has it. */
static void fill_text(struct ask_logged *g, const struct event *e)
{
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    const u64 *args = event_arguments(e);
    size_t have = 0;
    bool plain = strcmp(syscall_row_of(s->number)->name, "writev") != 0;
    g->text = xalloc((size_t)s->result + 1);
    for (const struct event_piece *p = NULL; plain && (p = event_next_piece(e, p));)
        if (p->kind == PIECE_SHOWN && p->address == args[1]) {
            have = p->size < (u64)s->result ? p->size : (size_t)s->result;
            memcpy(g->text, p + 1, have);
        }
    g->text[have] = 0;
    g->e.text_size = have;
    g->is_cut = have < (u64)s->result;
}

static void fill_syscall(struct ask_logged *g, const struct event *e)
{
    struct log_call c;
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    log_call_open(e, &c);
    g->e.nr = s->number;
    g->e.ret = (u64)s->result;
    g->e.fd = s->args ? c.call.args[0] : ~0ull;
    memcpy(g->e.args, c.call.args, sizeof g->e.args);
    g->e.arg_count = s->args;
    g->e.bytes = s->result;
    g->name = xformat("%s", c.call.row->name);
    g->shown = syscall_text(&c.call, &c.memory);
    g->e.known |= 1u << HAS_NR | 1u << HAS_RET | 1u << HAS_FD | 1u << HAS_ARG | 1u << HAS_BYTES |
                  1u << HAS_NAME | 1u << HAS_TEXT;
    g->site = SITE_CALL;
    if (g->e.type == ASK_OUTPUT)
        fill_text(g, e);
    else
        g->text = xformat("%s", g->shown);
    free(c.list);
}

static void fill_signal(struct ask_logged *g, const struct event *e)
{
    const struct event_signal *s = (const struct event_signal *)e->payload;
    static const char *const fates[] = {"handled", "ignored", "died of it"};
    const char *name = sigabbrev_np((int)s->signal);
    siginfo_t info;
    memcpy(&info, s->info, sizeof info);
    g->e.nr = s->signal;
    g->e.addr = (u64)info.si_addr;
    g->name = name ? xformat("SIG%s", name) : xformat("SIG%u", s->signal);
    g->shown = xformat("%s, %s", g->name, s->fate < countof(fates) ? fates[s->fate] : "?");
    g->e.known |= 1u << HAS_NR | 1u << HAS_NAME | 1u << HAS_ADDR;
    g->site = SITE_SIGNAL;
}

static void fill_switch(struct ask_logged *g, const struct event *e)
{
    static const char *const why[] = {"waits in a call", "time slice ended", "yields", "ended"};
    const struct event_switch *s = (const struct event_switch *)e->payload;
    g->e.nr = s->to;
    g->e.thread = s->to;
    g->e.known |= 1u << HAS_NR;
    g->shown = xformat("thread %u %s", e->thread, s->reason < countof(why) ? why[s->reason] : "?");
    g->site = SITE_SWITCH;
}

static void fill_map(struct ask_logged *g, const struct event *e)
{
    const struct event_map *m = (const struct event_map *)e->payload;
    g->e.addr = m->address;
    g->e.size = m->size;
    g->name = xformat("%.*s", (int)m->path_size, (const char *)(m + 1));
    g->shown = xformat("0x%llx-0x%llx %s", (unsigned long long)m->address,
                       (unsigned long long)(m->address + m->size), g->name);
    g->e.known |= 1u << HAS_ADDR | 1u << HAS_SIZE | 1u << HAS_NAME;
    g->site = SITE_CALL;
}

static void fill_logged(struct asking *a, struct ask_logged *g, const struct event *e)
{
    *g = (struct ask_logged){.e = {.type = a->q->type, .at = {e->tick, e->pc},
                                   .thread = e->thread, .pc = e->pc}};
    asking_place(a, &g->e);
    if (e->kind == EVENT_SYSCALL)
        fill_syscall(g, e);
    else if (e->kind == EVENT_SIGNAL)
        fill_signal(g, e);
    else if (e->kind == EVENT_SWITCH)
        fill_switch(g, e);
    else if (e->kind == EVENT_MAP)
        fill_map(g, e);
    else
        g->site = SITE_EXEC;
    g->e.name = g->name;
    g->e.text = g->text;
    if (g->is_cut)
        g->e.known &= ~(1u << HAS_TEXT);
}

static void logged_deinit(struct ask_logged *g)
{
    free(g->name);
    free(g->text);
    free(g->shown);
}

/* --- judging ---------------------------------------------------------------------------------- */

/* Writes control characters as C escapes. */
static char *ask_quoted(const char *text, size_t size)
{
    enum { SHOWN_MOST = 200 };
    size_t used = 0, most = size < SHOWN_MOST ? size : SHOWN_MOST;
    char *out = xalloc(4 * most + 8);
    out[used++] = '"';
    for (size_t i = 0; i < most; i++) {
        u8 c = (u8)text[i];
        if (c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\') {
            out[used++] = '\\';
            out[used++] = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : (char)c;
        } else if (c < 32 || c == 127) {
            used += (size_t)sprintf(out + used, "\\%03o", c);
        } else {
            out[used++] = (char)c;
        }
    }
    strcpy(out + used, most < size ? "\"..." : "\"");
    return out;
}

/* What an event is called in its row. */
static const char *logged_name(const struct ask_logged *g)
{
    if (g->e.type != ASK_EVENT)
        return ask_type_name(g->e.type);
    return g->site == SITE_SIGNAL ? "signal" : g->site == SITE_SWITCH ? "switch" : "syscall";
}

static void hand_out_logged(struct asking *a, const struct ask_logged *g)
{
    struct ask_row row = asking_row(&g->e);
    char *fd = xformat("%lld", (long long)g->e.fd), *pid = xformat("%lld", (long long)g->e.ret);
    char *text = g->e.type == ASK_OUTPUT ? ask_quoted(g->text, g->e.text_size) : NULL;
    if (text) {
        row.text = g->text;
        row.text_size = g->e.text_size;
        row.fd = g->e.fd;
        ask_row_cell(&row, "fd", fd);
        ask_row_cell(&row, "text", text);
    } else if (g->e.type == ASK_FORK) {
        ask_row_cell(&row, "pid", pid);
    } else if (g->shown) {
        ask_row_cell(&row, logged_name(g), g->shown);
    }
    ask_rows_add(&a->rows, &row);
    free(fd);
    free(pid);
    free(text);
}

/* True if the event needs a look at the program. */
static bool logged_needs_look(struct asking *a, const struct ask_logged *g)
{
    enum ask_truth truth = ASK_FALSE;
    a->err = ask_holds(a->q->context, &g->e, NULL, &truth);
    return truth == ASK_UNKNOWN || (truth == ASK_TRUE && g->is_cut && !a->how->counts_only);
}

/* Keeps an event unless its context cannot hold. */
static void keep_logged(struct ask_log *l, const struct event *e)
{
    struct asking *a = l->a;
    struct ask_logged *g;
    enum ask_truth truth = ASK_FALSE;
    struct moment at = {e->tick, e->pc};
    if (!is_of_type(l, e) || moment_compare(at, a->how->from) < 0 ||
        (!a->how->to_end && moment_compare(at, a->how->to) >= 0))
        return;
    g = list_add(&l->events);
    fill_logged(a, g, e);
    a->err = ask_holds(a->q->context, &g->e, NULL, &truth);
    if (truth == ASK_FALSE) {
        logged_deinit(g);
        l->events.count--;
    }
}

static struct error *read_log(struct ask_log *l)
{
    struct lineage *lineage;
    const struct event *e;
    struct error *err = lineage_open(l->a->how->rec, session_track(l->a->how->session), true,
                                     &lineage);
    if (err)
        return err;
    for (;;) {
        err = lineage_next(lineage, &e);
        if (err || !e || l->a->err)
            break;
        keep_logged(l, e);
    }
    lineage_close(lineage);
    return err;
}

/* --- a pass to the moments -------------------------------------------------------------------- */

/* Reads the bytes of a write from the program's memory. */
static void read_text(struct asking *a, struct ask_logged *g)
{
    size_t got = 0;
    if (!g->is_cut || strcmp(g->name, "writev") == 0) {
        u64 vector[2];
        size_t have = 0;
        for (u64 i = 0; g->is_cut && i < g->e.args[2] && have < (size_t)g->e.bytes; i++) {
            error_destroy(session_read(a->how->session, g->e.args[1] + i * sizeof vector, vector,
                                       sizeof vector, &got));
            size_t rest = (size_t)g->e.bytes - have;
            error_destroy(session_read(a->how->session, vector[0], g->text + have,
                                       vector[1] < rest ? vector[1] : rest, &got));
            have += got;
        }
        got = g->is_cut ? have : g->e.text_size;
    } else {
        error_destroy(session_read(a->how->session, g->e.args[1], g->text, (size_t)g->e.bytes,
                                   &got));
    }
    g->text[got] = 0;
    g->e.text_size = got;
    g->e.known |= 1u << HAS_TEXT;
    g->is_cut = false;
}

static void judge_logged(struct ask_log *l, struct ask_look *look)
{
    struct asking *a = l->a;
    struct ask_logged *g = (struct ask_logged *)l->events.items + l->next++;
    if (look && g->e.type == ASK_OUTPUT)
        read_text(a, g);
    if (asking_is_wanted(a, &g->e, look))
        hand_out_logged(a, g);
}

/* Judges events that need no look, up to one that does. */
static void judge_known(struct ask_log *l)
{
    const struct ask_logged *events = l->events.items;
    while (l->next < l->events.count && !l->a->err && !l->a->rows.enough &&
           !logged_needs_look(l->a, &events[l->next]))
        judge_logged(l, NULL);
}

static struct error *log_lay(void *context, struct moment at, struct session_sites *ret)
{
    struct ask_log *l = context;
    const struct ask_logged *events = l->events.items;
    struct asking *a = l->a;
    (void)at;
    if (l->stands) {
        struct ask_look look = asking_look(a, CONTROL_THREAD_ANY);
        judge_logged(l, &look);
        ask_look_end(&look);
        l->stands = false;
    }
    judge_known(l);
    a->sites.count = a->roles.count = 0;
    bool more = l->next < l->events.count && !a->rows.enough && !a->err;
    if (more) {
        struct moment to = events[l->next].e.at;
        asking_add_site(a, (struct plan_site){.kind = events[l->next].site, .address = ~0ull,
                                              .flags = PLAN_ENDS, .from_tick = to.tick,
                                              .from_pc = to.pc, .to_tick = to.tick,
                                              .to_pc = to.pc},
                        ROLE_POINT, 0);
    }
    *ret = (struct session_sites){.sites = a->sites.items, .count = a->sites.count,
                                  .enough = !more};
    struct error *err = a->err;
    a->err = NULL;
    return err;
}

static bool log_take(void *context, const struct plan_hit *hits, size_t count)
{
    struct ask_log *l = context;
    (void)hits;
    l->stands = count > 0;
    return true;
}

static struct error *log_pass(struct ask_log *l, bool *ret_interrupted)
{
    const struct ask_answering *how = l->a->how;
    struct session_trace t = {.from = how->from, .to = how->to, .direction = FORWARD,
                              .lay = log_lay, .take = log_take, .context = l,
                              .reached = &l->a->rows.answer->reached};
    return session_trace(how->session, &t, ret_interrupted);
}

struct error *asking_answer_log(struct asking *a, bool *ret_interrupted)
{
    struct ask_log l = {.a = a, .events = LIST(struct ask_logged), .threads = LIST(u32)};
    struct error *err = read_log(&l);
    if (!err)
        judge_known(&l);
    if (!err && l.next < l.events.count && !a->rows.enough && !a->err)
        err = log_pass(&l, ret_interrupted);
    if (!err && a->err) {
        err = a->err;
        a->err = NULL;
    }
    for (size_t i = 0; i < l.events.count; i++)
        logged_deinit((struct ask_logged *)l.events.items + i);
    list_deinit(&l.events);
    list_deinit(&l.threads);
    return err;
}
