/* Checks and reads single events: see the header.
 *
 * Each kind has a fixed struct and perhaps a tail. A table has the size of the struct, and a switch
 * checks the tail. All readers of events rely only on these checks.
 */
#include "log/event.h"

#include <stdio.h>

static const struct event_kind_row {
    const char *name;
    u32 fixed;
} kinds[EVENT_KINDS] = {
    [EVENT_PAD] = {"pad", 0},
    [EVENT_START] = {"start", sizeof(struct event_start)},
    [EVENT_SYSCALL] = {"syscall", sizeof(struct event_syscall)},
    [EVENT_DATA] = {"data", sizeof(struct event_data)},
    [EVENT_SIGNAL] = {"signal", sizeof(struct event_signal)},
    [EVENT_CLOCK] = {"clock", sizeof(struct event_clock)},
    [EVENT_MAP] = {"map", sizeof(struct event_map)},
    [EVENT_SWITCH] = {"switch", sizeof(struct event_switch)},
    [EVENT_CHECK] = {"check", sizeof(struct event_check)},
    [EVENT_NOTE] = {"note", sizeof(struct event_note)},
    [EVENT_FORK] = {"fork", sizeof(struct event_fork)},
    [EVENT_EXEC] = {"exec", sizeof(struct event_exec)},
    [EVENT_END] = {"end", sizeof(struct event_end)},
    [EVENT_SHARED] = {"shared", sizeof(struct event_shared)},
    [EVENT_ENTRY] = {"entry", sizeof(struct event_entry)},
    [EVENT_TRIMMED] = {"trimmed", sizeof(struct event_trimmed)},
};

const char *event_name(u16 kind)
{
    static _Thread_local char other[16];
    if (kind < EVENT_KINDS)
        return kinds[kind].name;
    snprintf(other, sizeof other, "kind-%u", kind);
    return other;
}

const char *event_piece_name(u32 kind)
{
    static const char *const names[] = {
        [PIECE_MEMORY] = "memory", [PIECE_SHOWN] = "shown",
        [PIECE_FILE_SIZE] = "file-size", [PIECE_SEGMENT] = "segment", [PIECE_REACHED] = "reached",
        [PIECE_PATH] = "path",
        [PIECE_ARGUMENTS] = "arguments", [PIECE_ENVIRONMENT] = "environment", [PIECE_AUXV] = "auxv",
        [PIECE_CPUID] = "cpuid", [PIECE_SETTINGS] = "settings", [PIECE_DIRECTORY] = "directory",
        [PIECE_CPU] = "cpu",
        [PIECE_LAYOUT] = "layout", [PIECE_RANDOM] = "random",
    };
    static _Thread_local char other[16];
    if (kind < countof(names) && names[kind])
        return names[kind];
    snprintf(other, sizeof other, "kind-%u", kind);
    return other;
}

static u64 payload_size(const struct event *e)
{
    return e->size - sizeof *e;
}

/* The offset of the pieces, after the fixed struct and what follows it. */
static u64 pieces_start(const struct event *e)
{
    u64 start = kinds[e->kind].fixed;
    if (e->kind == EVENT_SYSCALL)
        start += ((const struct event_syscall *)e->payload)->args * sizeof(u64);
    return start;
}

const u64 *event_arguments(const struct event *e)
{
    return (const u64 *)(e->payload + sizeof(struct event_syscall));
}

const struct event_piece *event_next_piece(const struct event *e, const struct event_piece *before)
{
    u64 at = before ? (u64)((const u8 *)before - e->payload) + sizeof *before +
                          format_padded(before->size)
                    : pieces_start(e);
    return at < payload_size(e) ? (const struct event_piece *)(e->payload + at) : NULL;
}

static const char *pieces_malformed(const struct event *e)
{
    u64 at = pieces_start(e), end = payload_size(e);
    while (at < end) {
        if (end - at < sizeof(struct event_piece))
            return "a piece is cut";
        u64 size = ((const struct event_piece *)(e->payload + at))->size;
        at += sizeof(struct event_piece);
        if (format_padded(size) > end - at)
            return "a piece is larger than its event";
        at += format_padded(size);
    }
    return at == end ? NULL : "more arguments than fit";
}

/* Checks the bytes after the fixed struct, which must be complete. */
static const char *tail_malformed(const struct event *e, u64 size)
{
    return format_padded(size) <= payload_size(e) - kinds[e->kind].fixed ? NULL
                                                                         : "its tail is cut";
}

static const char *payload_malformed(const struct event *e)
{
    switch (e->kind) {
    case EVENT_SYSCALL:
        if (((const struct event_syscall *)e->payload)->args > 6)
            return "a call with more than six arguments";
        return pieces_malformed(e);
    case EVENT_START:
    case EVENT_DATA:
    case EVENT_SHARED:
        return pieces_malformed(e);
    case EVENT_CLOCK:
        return tail_malformed(e, ((const struct event_clock *)e->payload)->count * sizeof(u64));
    case EVENT_MAP:
        return tail_malformed(e, ((const struct event_map *)e->payload)->path_size);
    case EVENT_NOTE:
        return tail_malformed(e, ((const struct event_note *)e->payload)->size);
    }
    return NULL;
}

bool event_unknown(const struct event *e)
{
    return e->kind >= EVENT_KINDS && !(e->kind & EVENT_OPTIONAL);
}

const char *event_malformed(const struct event *e, u64 available)
{
    if (available < sizeof *e || e->size > available)
        return "it is cut";
    if (e->size < sizeof *e || e->size % EVENT_ALIGN || e->size > EVENT_SIZE_MOST)
        return "invalid size";
    if (e->kind == EVENT_PAD)
        return "padding is no event";
    if (e->kind >= EVENT_KINDS)
        return NULL;
    if (payload_size(e) < kinds[e->kind].fixed)
        return "it is too short for its kind";
    return payload_malformed(e);
}

bool event_is_fault(const struct event *e)
{
    return e->kind == EVENT_SIGNAL &&
           (((const struct event_signal *)e->payload)->flags & SIGNAL_SYNCHRONOUS);
}

bool event_is_met(const struct event *e)
{
    return e->kind != EVENT_NOTE && e->kind != EVENT_EXEC && e->kind != EVENT_TRIMMED &&
           !(e->kind & EVENT_OPTIONAL) && !event_is_fault(e);
}

u64 event_count_met(u64 met, const struct event *e)
{
    const struct event_trimmed *t = (const struct event_trimmed *)e->payload;
    return e->kind == EVENT_TRIMMED ? t->events_met - t->context : met + event_is_met(e);
}
