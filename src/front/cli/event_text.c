/* Events as text and as JSON: two printers for each kind of event.
 *
 * docs/log-format.md names the fields; the JSON uses its names, so that the second reader's
 * output can be compared with ours.
 */
#include "front/cli/event_text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"
#include "front/cli/call_text.h"
#include "log/event.h"
#include "log/siginfo_text.h"

enum { SHOWN_BYTES = 160 }; /* maximum number of bytes of a piece that are shown */

typedef unsigned long long ull;

/* Prints bytes as a C string, as far as they fit in a line. */
static void event_text_quoted(FILE *out, const u8 *bytes, size_t size)
{
    fputc('"', out);
    for (size_t i = 0; i < size && i < SHOWN_BYTES; i++) {
        if (bytes[i] == '"' || bytes[i] == '\\')
            fprintf(out, "\\%c", bytes[i]);
        else if (bytes[i] == '\n')
            fputs("\\n", out);
        else if (bytes[i] < 32 || bytes[i] > 126)
            fprintf(out, "\\x%02x", bytes[i]);
        else
            fputc(bytes[i], out);
    }
    fputs(size > SHOWN_BYTES ? "\"..." : "\"", out);
}

static void print_signal_name(FILE *out, u32 number)
{
    const char *name = sigabbrev_np((int)number);
    if (name)
        fprintf(out, "SIG%s", name);
    else
        fprintf(out, "signal %u", number);
}

static void print_pieces(FILE *out, const struct event *e)
{
    u64 count = 0, bytes = 0;
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p)); count++)
        bytes += p->size;
    fprintf(out, "%llu pieces, %llu bytes", (ull)count, (ull)bytes);
}

/* Prints the strings in a piece that is a list, each quoted. */
static void event_text_strings(FILE *out, const u8 *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = strnlen((const char *)bytes + at, size - at);
        fputc(' ', out);
        event_text_quoted(out, bytes + at, length);
        at += length + 1;
    }
}

static void print_start(FILE *out, const struct event *e)
{
    const struct event_start *start = (const struct event_start *)e->payload;
    fprintf(out, "pid %u", start->pid);
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));)
        if (p->kind == PIECE_PATH || p->kind == PIECE_ARGUMENTS)
            event_text_strings(out, (const u8 *)(p + 1), p->size);
}

static void print_syscall(FILE *out, const struct event *e)
{
    const struct event_syscall *call = (const struct event_syscall *)e->payload;
    call_text_print(out, e);
    if (call->flags & SYSCALL_WAITED)
        fputs(" (waited)", out);
    if (call->flags & SYSCALL_COMPARED)
        fputs(" (memory compared)", out);
    if (call->flags & SYSCALL_REFUSED)
        fputs(" (answered by ebb)", out);
    if (call->flags & SYSCALL_FILTERED)
        fputs(call->flags & SYSCALL_ENDS_THREAD ? " (a filter ended the thread)"
                                                : " (stopped by a filter)",
              out);
}

static void print_data(FILE *out, const struct event *e)
{
    print_pieces(out, e);
}

static void print_shared(FILE *out, const struct event *e)
{
    const struct event_shared *s = (const struct event_shared *)e->payload;
    fputs(s->where == SHARED_IN_CALL ? "in the call" : "at the boundary", out);
    fputs(", changed by others:", out);
    print_pieces(out, e);
}

static const char *const fates[] = {
    [SIGNAL_HANDLED] = "handled", [SIGNAL_IGNORED] = "ignored", [SIGNAL_DIED] = "fatal",
};

static const char *name_in(const char *const *names, size_t count, u32 number)
{
    return number < count && names[number] ? names[number] : "?";
}

static void print_signal(FILE *out, const struct event *e)
{
    const struct event_signal *s = (const struct event_signal *)e->payload;
    siginfo_print_short(out, s->signal, s->info);
    fprintf(out, " %s", name_in(fates, countof(fates), s->fate));
    if (s->handler)
        fprintf(out, " by 0x%llx, frame 0x%llx", (ull)s->handler, (ull)s->frame);
    if (s->flags & SIGNAL_SYNCHRONOUS)
        fputs(", raised by the instruction", out);
    if (s->flags & SIGNAL_IN_CALL)
        fputs(", on the way out of a call", out);
}

static void print_entry(FILE *out, const struct event *e)
{
    const struct event_entry *n = (const struct event_entry *)e->payload;
    fprintf(out, "0x%llx, stack 0x%llx", (ull)n->entry, (ull)n->stack);
}

static void json_entry(struct json *j, const struct event *e)
{
    const struct event_entry *n = (const struct event_entry *)e->payload;
    json_hex(j, "entry", n->entry);
    json_hex(j, "stack", n->stack);
}

static void print_trimmed(FILE *out, const struct event *e)
{
    const struct event_trimmed *t = (const struct event_trimmed *)e->payload;
    fprintf(out, "begins at %llu:0x%llx, after %llu events", (ull)t->tick, (ull)t->pc,
            (ull)t->events_met);
}

static void json_trimmed(struct json *j, const struct event *e)
{
    const struct event_trimmed *t = (const struct event_trimmed *)e->payload;
    json_unsigned(j, "begins", t->tick);
    json_hex(j, "begins_pc", t->pc);
    json_unsigned(j, "events_met", t->events_met);
    json_unsigned(j, "context", t->context);
}

static const char *const sources[] = {
    [CLOCK_RDTSC] = "rdtsc", [CLOCK_RDTSCP] = "rdtscp", [CLOCK_RDRAND] = "rdrand",
    [CLOCK_RDSEED] = "rdseed", [CLOCK_RDPID] = "rdpid", [CLOCK_XGETBV] = "xgetbv",
    [CLOCK_CPUID] = "cpuid", [CLOCK_GETTIME] = "clock_gettime",
    [CLOCK_GETTIMEOFDAY] = "gettimeofday", [CLOCK_TIME] = "time", [CLOCK_GETCPU] = "getcpu",
    [CLOCK_GETRES] = "clock_getres",
};

static void print_clock(FILE *out, const struct event *e)
{
    const struct event_clock *c = (const struct event_clock *)e->payload;
    const u64 *values = (const u64 *)(c + 1);
    fputs(name_in(sources, countof(sources), c->source), out);
    for (u32 i = 0; i < c->count; i++)
        fprintf(out, " 0x%llx", (ull)values[i]);
}

static void print_map(FILE *out, const struct event *e)
{
    const struct event_map *m = (const struct event_map *)e->payload;
    fprintf(out, "0x%llx-0x%llx %c%c%c offset 0x%llx ", (ull)m->address,
            (ull)(m->address + m->size), m->protection & 1 ? 'r' : '-',
            m->protection & 2 ? 'w' : '-', m->protection & 4 ? 'x' : '-', (ull)m->offset);
    event_text_quoted(out, (const u8 *)(m + 1), m->path_size);
    if (m->copy)
        fprintf(out, " copy %u", m->copy);
}

static const char *const reasons[] = {
    [SWITCH_CALL] = "call", [SWITCH_SLICE] = "slice", [SWITCH_YIELD] = "yield",
    [SWITCH_EXIT] = "exit",
};

static void print_switch(FILE *out, const struct event *e)
{
    const struct event_switch *s = (const struct event_switch *)e->payload;
    fprintf(out, "to thread %u (%u), %s", s->to, s->to_tid,
            name_in(reasons, countof(reasons), s->reason));
}

static void print_check(FILE *out, const struct event *e)
{
    const struct event_check *c = (const struct event_check *)e->payload;
    fprintf(out, "memory %016llx vector %016llx, %llu bytes", (ull)c->memory, (ull)c->vector,
            (ull)c->bytes);
}

static void print_note(FILE *out, const struct event *e)
{
    const struct event_note *n = (const struct event_note *)e->payload;
    event_text_quoted(out, (const u8 *)(n + 1), n->size);
}

static void print_fork(FILE *out, const struct event *e)
{
    const struct event_fork *f = (const struct event_fork *)e->payload;
    fprintf(out, "pid %u flags 0x%x", f->pid, f->flags);
}

static void print_exec(FILE *out, const struct event *e)
{
    (void)e;
    fputs("another program", out);
}

static void print_end(FILE *out, const struct event *e)
{
    const struct event_end *end = (const struct event_end *)e->payload;
    if (!end->signal) {
        fprintf(out, "status %u", end->status);
        return;
    }
    print_signal_name(out, end->signal);
    fputs(end->core ? ", core dumped" : "", out);
}

/* JSON */

static void json_pieces(struct json *j, const struct event *e)
{
    json_open(j, "pieces", '[');
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));) {
        json_open(j, NULL, '{');
        json_string(j, "kind", event_piece_name(p->kind));
        json_hex(j, "address", p->address);
        json_unsigned(j, "size", p->size);
        json_bytes(j, "bytes", p + 1, p->size);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_start(struct json *j, const struct event *e)
{
    const struct event_start *s = (const struct event_start *)e->payload;
    json_unsigned(j, "flags", s->flags);
    json_unsigned(j, "pid", s->pid);
    json_unsigned(j, "ppid", s->ppid);
    json_unsigned(j, "tid", s->tid);
    json_unsigned(j, "uid", s->uid);
    json_unsigned(j, "gid", s->gid);
    json_unsigned(j, "realtime", s->realtime);
    json_unsigned(j, "frequency", s->frequency);
    json_pieces(j, e);
}

static void json_syscall(struct json *j, const struct event *e)
{
    const struct event_syscall *call = (const struct event_syscall *)e->payload;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        call_text_print(out, e);
        fclose(out);
    }
    json_unsigned(j, "number", call->number);
    json_unsigned(j, "flags", call->flags);
    json_signed(j, "result", call->result);
    json_open(j, "args", '[');
    for (u16 i = 0; i < call->args; i++)
        json_hex(j, NULL, event_arguments(e)[i]);
    json_close(j, ']');
    json_pieces(j, e);
    json_string(j, "text", text);
    free(text);
}

static void json_data(struct json *j, const struct event *e)
{
    json_unsigned(j, "flags", ((const struct event_data *)e->payload)->flags);
    json_pieces(j, e);
}

static void json_shared(struct json *j, const struct event *e)
{
    const struct event_shared *s = (const struct event_shared *)e->payload;
    json_unsigned(j, "flags", s->flags);
    json_unsigned(j, "where", s->where);
    json_pieces(j, e);
}

static void json_signal(struct json *j, const struct event *e)
{
    const struct event_signal *s = (const struct event_signal *)e->payload;
    json_unsigned(j, "signal", s->signal);
    json_unsigned(j, "fate", s->fate);
    json_unsigned(j, "flags", s->flags);
    json_hex(j, "handler", s->handler);
    json_hex(j, "frame", s->frame);
    json_bytes(j, "info", s->info, sizeof s->info);
}

static void json_clock(struct json *j, const struct event *e)
{
    const struct event_clock *c = (const struct event_clock *)e->payload;
    json_unsigned(j, "source", c->source);
    json_open(j, "values", '[');
    for (u32 i = 0; i < c->count; i++)
        json_hex(j, NULL, ((const u64 *)(c + 1))[i]);
    json_close(j, ']');
}

static void json_map(struct json *j, const struct event *e)
{
    const struct event_map *m = (const struct event_map *)e->payload;
    json_hex(j, "address", m->address);
    json_hex(j, "length", m->size);
    json_unsigned(j, "protection", m->protection);
    json_unsigned(j, "flags", m->flags);
    json_hex(j, "offset", m->offset);
    json_unsigned(j, "device", m->device);
    json_unsigned(j, "inode", m->inode);
    json_unsigned(j, "file_size", m->file_size);
    json_unsigned(j, "mtime", m->mtime);
    json_unsigned(j, "copy", m->copy);
    json_bytes(j, "path", m + 1, m->path_size);
}

static void json_switch(struct json *j, const struct event *e)
{
    const struct event_switch *s = (const struct event_switch *)e->payload;
    json_unsigned(j, "to", s->to);
    json_unsigned(j, "reason", s->reason);
    json_unsigned(j, "to_tid", s->to_tid);
}

static void json_check(struct json *j, const struct event *e)
{
    const struct event_check *c = (const struct event_check *)e->payload;
    json_hex(j, "memory", c->memory);
    json_hex(j, "vector", c->vector);
    json_unsigned(j, "length", c->bytes);
}

static void json_note(struct json *j, const struct event *e)
{
    const struct event_note *n = (const struct event_note *)e->payload;
    json_unsigned(j, "level", n->level);
    json_bytes(j, "note", n + 1, n->size);
}

static void json_fork(struct json *j, const struct event *e)
{
    const struct event_fork *f = (const struct event_fork *)e->payload;
    json_unsigned(j, "pid", f->pid);
    json_unsigned(j, "flags", f->flags);
}

static void json_exec(struct json *j, const struct event *e)
{
    (void)j;
    (void)e;
}

static void event_text_json_end(struct json *j, const struct event *e)
{
    const struct event_end *end = (const struct event_end *)e->payload;
    json_unsigned(j, "status", end->status);
    json_unsigned(j, "signal", end->signal);
    json_unsigned(j, "core", end->core);
}

static const struct {
    void (*text)(FILE *out, const struct event *e);
    void (*json)(struct json *j, const struct event *e);
} printers[EVENT_KINDS] = {
    [EVENT_START] = {print_start, json_start},
    [EVENT_SYSCALL] = {print_syscall, json_syscall},
    [EVENT_DATA] = {print_data, json_data},
    [EVENT_SIGNAL] = {print_signal, json_signal},
    [EVENT_ENTRY] = {print_entry, json_entry},
    [EVENT_TRIMMED] = {print_trimmed, json_trimmed},
    [EVENT_CLOCK] = {print_clock, json_clock},
    [EVENT_MAP] = {print_map, json_map},
    [EVENT_SWITCH] = {print_switch, json_switch},
    [EVENT_CHECK] = {print_check, json_check},
    [EVENT_NOTE] = {print_note, json_note},
    [EVENT_FORK] = {print_fork, json_fork},
    [EVENT_EXEC] = {print_exec, json_exec},
    [EVENT_END] = {print_end, event_text_json_end},
    [EVENT_SHARED] = {print_shared, json_shared},
};

void event_print(FILE *out, const struct event *e)
{
    fprintf(out, "%s ", event_name(e->kind));
    if (e->kind < EVENT_KINDS && printers[e->kind].text)
        printers[e->kind].text(out, e);
    else
        fprintf(out, "%u bytes", e->size);
}

void event_print_json(struct json *j, const struct event *e)
{
    json_string(j, "kind", event_name(e->kind));
    if (e->kind < EVENT_KINDS && printers[e->kind].json)
        printers[e->kind].json(j, e);
    else
        json_bytes(j, "payload", e->payload, e->size - sizeof *e);
}
