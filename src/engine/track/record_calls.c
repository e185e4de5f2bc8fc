/* System calls of a recorded program. What a call wrote is found by its row of the table, by
 * comparing memory if no row knows, and by checking memory that is mapped from files. */
#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/calls/bounce.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/mapping.h"
#include "engine/memory/guest_memory.h"
#include "engine/processes/process.h"
#include "engine/share/file_writes.h"
#include "engine/share/share.h"
#include "engine/share/share_group.h"
#include "engine/share/visits.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/track/record_internal.h"
#include "engine/track/replay_output.h"
#include "engine/x86_64/call.h"
#include "log/syscall_table.h"
#include "log/syscall_vectors.h"

static bool record_read_memory(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    return guest_read(to, from, size);
}

static const struct call_memory memory = {record_read_memory, NULL};

/* Calls without a known row: memory that they can reach is copied aside, and compared afterwards.
 * Several threads may be in such calls, if they wait. */
struct aside {
    struct aside *next; /* next unused one */
    u64 count;
    struct {
        struct gaddr at;
        u64 size, place;
    } range[256];
    u64 used;
    u8 bytes[256 * 1024];
};

static struct aside *aside_take(void)
{
    struct aside *a = record.unused;
    if (a)
        record.unused = a->next;
    else
        a = pool_map(sizeof(*a), 4096);
    a->count = a->used = 0;
    return a;
}

static void aside_give(struct aside *a)
{
    a->next = record.unused;
    record.unused = a;
}

static void set_aside(void *context, struct gaddr at, u64 size)
{
    struct aside *a = context;
    if (address_refused(at.at, size)) /* an argument that points into the engine is not a pointer */
        return;
    if (a->count == countof(a->range) || a->used + size > sizeof(a->bytes) ||
        !guest_read(a->bytes + a->used, at, size))
        return;
    a->range[a->count].at = at;
    a->range[a->count].size = size;
    a->range[a->count++].place = a->used;
    a->used += size;
}

#define SIZE_UNKNOWN (~0ul)

/* Notes the size of the file before it is changed. */
static void note_size(struct thread_call *c)
{
    struct file_writes writes;
    if (file_writes_begin(&writes, c->made.number, c->made.args))
        c->size_before = writes.size_before;
}

void record_reached(u64 end)
{
    struct thread_call *c = &thread_self()->call;
    c->has_reached = true;
    c->reached = end;
}

static void note_call(struct thread_call *c, const struct call *call)
{
    struct record_moment now = record_now();
    c->open = true;
    c->met = false;
    c->asked = *call;
    c->has_reached = false;
    c->tick = now.tick;
    c->pc = now.pc - SYSCALL_LENGTH;
    c->hash = now.hash;
    c->time = now.time;
    c->aside = NULL;
    call_begin(&c->made, call->number, call->args, &memory);
    c->size_before = SIZE_UNKNOWN;
    if ((record.shares_files || record.private_files) && file_writes_call(call->number))
        note_size(c);
    if (!c->made.variant->unknown)
        return;
    c->aside = aside_take();
    call_reachable(&c->made, &memory, set_aside, c->aside);
}

void record_written(void *context, struct gaddr at, u64 size)
{
    struct record_event *b = context;
    if (share_member)
        share_written(at.at, size);
    record_piece(b, PIECE_MEMORY, at.at, gaddr_pointer(at), size);
}

static void add_shown(void *context, struct gaddr at, u64 size)
{
    struct record_event *b = context;
    record_piece(b, PIECE_SHOWN, at.at, gaddr_pointer(at), size);
}

static void add_changed(struct record_event *b, const struct aside *a)
{
    static u8 now[sizeof(a->bytes)];
    for (u64 n = 0; n < a->count; n++) {
        u64 size = a->range[n].size;
        if (guest_read(now, a->range[n].at, size) &&
            memcmp(now, a->bytes + a->range[n].place, size))
            record_written(b, a->range[n].at, size);
    }
}

/* The engine itself does futex operations that change their words. */
static void add_futex_words(struct record_event *b, const u64 *args)
{
    record_written(b, gaddr(args[0]), sizeof(u32));
    if (args[4])
        record_written(b, gaddr(args[4]), sizeof(u32));
}

/* Adds the part of an area that shows the range and lies within the file's pages. */
static void add_area_changes(struct record_event *b, const struct area *a,
                             struct file_range changed, u64 file_size)
{
    u64 end = page_up(file_size);
    u64 from = changed.from > a->offset ? changed.from : a->offset;
    u64 to = changed.to < end ? changed.to : end;
    if (to > a->offset + (a->end - a->start))
        to = a->offset + (a->end - a->start);
    if (from < to)
        record_written(b, gaddr(a->start + (from - a->offset)), to - from);
}

/* Adds the new size, once for all shared mappings, and for each private one. */
static void add_file_size(struct record_event *b, const struct area *a,
                          const struct file_writes *writes, u64 before, bool *sized)
{
    u64 sizes[] = {writes->size_after, before};
    if (!(a->flags & AREA_SHARED)) {
        if (before == SIZE_UNKNOWN)
            before = writes->size_after;
        sizes[1] = before;
        record_piece(b, PIECE_FILE_SIZE, a->start, sizes, sizeof(sizes));
    } else if (!*sized) {
        record_piece(b, PIECE_FILE_SIZE, a->start, sizes, sizeof(u64));
        *sized = true;
    }
}

/* A mapped file has changed. A private mapping shows that where it was not written itself. */
static void add_file_changes(struct record_event *b, const struct call_made *made, u64 before)
{
    struct file_writes writes;
    bool sized = false;
    if (!file_writes_call(made->number) ||
        !file_writes_begin(&writes, made->number, made->args))
        return;
    struct file_range changed = file_writes_range(&writes, made->result);
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        if (!(a->flags & AREA_FILE) || a->inode != writes.inode || a->device != writes.device)
            continue;
        add_file_size(b, a, &writes, before, &sized);
        add_area_changes(b, a, changed, writes.size_after);
    }
}

/* --- memory that is written as a file: /proc/self/mem */

static void note_opened(const struct call_made *made)
{
    char path[64]; /* no such name is longer */
    const struct call_arg *arg = made->row->args;
    u32 n = 0;
    while (arg[n].shape != SHAPE_STRING)
        n++;
    i64 length = guest_read_string(path, gaddr(made->args[n]), sizeof(path));
    if (length >= 3 && text_equal(path + length - 3, "mem"))
        record.memory_files = true;
}

/* Returns the process on whose memory the descriptor is open; 0: it is open on something else. The
 * link tells. */
static u32 memory_of(u64 fd)
{
    char link[64], found[64];
    struct text name = TEXT(link);
    text_add(&name, "/proc/self/fd/");
    text_add_unsigned(&name, (u32)fd);
    i64 size = kernel_call(__NR_readlink, link, found, sizeof(found) - 1);
    if (size < 4)
        return 0;
    found[size] = 0;
    if (!text_starts(found, "/proc/") || !text_equal(found + size - 4, "/mem"))
        return 0;
    u32 number = 0;
    for (const char *at = found + 6; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (u32)(*at - '0');
    return number;
}

static bool is_own_memory(u64 fd)
{
    return memory_of(fd) == (u32)kernel_call(__NR_getpid);
}

static void add_memory_changes(struct record_event *b, const struct call_made *made)
{
    struct file_writes writes;
    if (made->result == 0 || !file_writes_call(made->number) || !is_own_memory(made->args[0]) ||
        !file_writes_begin(&writes, made->number, made->args))
        return;
    struct file_range changed = file_writes_range(&writes, made->result);
    code_watch_changed(changed.from, changed.to);
    record_written(b, gaddr(changed.from), changed.to - changed.from);
}

/* --- memory of processes that calls write to by its address */

typedef void peer_range(void *context, u64 at, u64 size);

/* Visits the ranges of process_vm_writev, as far as its result goes. */
static void each_peer_range(const u64 *args, u64 left, peer_range *visit, void *context)
{
    u64 at = args[3];
    struct k_iovec range;
    for (u64 n = 0; n < args[4] && left; n++, at += sizeof(range)) {
        if (!guest_read(&range, gaddr(at), sizeof(range)))
            return;
        u64 size = range.size < left ? range.size : left;
        visit(context, range.base, size);
        left -= size;
    }
}

static void add_own_range(void *event, u64 at, u64 size)
{
    code_watch_changed(at, at + size);
    record_written(event, gaddr(at), size);
}

static void add_own_memory(struct record_event *b, const struct call_made *made)
{
    if (process_is_own(made->args[0]))
        each_peer_range(made->args, (u64)made->result, add_own_range, b);
}

/* Returns the other process to whose memory a call is about to write; 0: none. */
static u32 visited_by(const struct call *call)
{
    u32 effects = syscall_traits_of(call->number)->effects, own = 0, pid = 0;
    if (effects & EFFECT_PEERS)
        pid = process_is_own(call->args[0]) ? 0 : (u32)call->args[0];
    else if (record.memory_files && file_writes_call(call->number))
        pid = memory_of(call->args[syscall_has(call->number, EFFECT_COPIES) ? 2 : 0]);
    if (pid)
        own = (u32)kernel_call(__NR_getpid);
    return pid == own ? 0 : pid;
}

static void note_visited(void *place, u64 at, u64 size)
{
    visits_wrote(place, at, size);
}

static void note_visit(struct share_place *to, const struct call *call, i64 result)
{
    struct file_writes writes;
    if (syscall_has(call->number, EFFECT_PEERS)) {
        each_peer_range(call->args, (u64)result, note_visited, to);
    } else if (file_writes_begin(&writes, call->number, call->args)) {
        struct file_range changed = file_writes_range(&writes, result);
        visits_wrote(to, changed.from, changed.to - changed.from);
    }
}

/* False: the process is not recorded. */
static bool pass_visiting(const struct call *call, u32 pid, i64 *ret)
{
    struct share_place *to = visits_begin(pid);
    if (!to)
        return false;
    const u64 *a = call->args;
    *ret = kernel_call6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (*ret > 0)
        note_visit(to, call, *ret);
    visits_end(to);
    return true;
}

static u16 argument_count(const struct call_made *made)
{
    u16 n = 0;
    while (n < SYSCALL_ARGS && made->variant->args[n].name)
        n++;
    return made->variant->unknown ? SYSCALL_ARGS : n;
}

/* Signals without a handler do not concern the call. */
static u16 call_flags(bool compared)
{
    bool interrupted = thread_self()->signal_waiting && signals_will_handle();
    return (compared ? SYSCALL_COMPARED : 0) | (interrupted ? SYSCALL_INTERRUPTED : 0);
}

/* Follows effects that a replay of the call keeps, so that a snapshot has them, too. */
static void follow_call(const struct thread_call *c, u32 effects, u64 result)
{
    output_follow(&c->asked, result);
    if (effects & EFFECT_NAMES)
        guest_read_string(thread_self()->name, gaddr(c->asked.args[1]),
                          sizeof(thread_self()->name));
}

static void write_call(struct thread_call *c, i64 result)
{
    struct record_event b;
    struct record_moment at = {c->tick, c->pc, c->hash, c->time};
    invariant(2, c->open && cpu->rip == c->pc + SYSCALL_LENGTH);
    share_update();
    if (!record_build(&b, EVENT_SYSCALL, &at))
        return;
    bool compared = c->aside && c->aside->count;
    struct event_syscall payload = {.number = (u32)c->made.number,
                                    .flags = c->flags | call_flags(compared),
                                    .args = argument_count(&c->made),
                                    .result = result};
    b.flags = &((struct event_syscall *)record_add(&b, &payload, sizeof(payload)))->flags;
    record_add(&b, c->made.args, payload.args * sizeof(u64));
    c->made.result = result;
    bool made = !(c->flags & SYSCALL_FILTERED);
    u32 effects = made ? c->made.variant->effects : 0;
    if (made)
        call_written(&c->made, &memory, record_written, &b);
    if (effects & EFFECT_LOCKS)
        add_futex_words(&b, c->made.args);
    if ((record.shares_files || record.private_files) && made && result >= 0)
        add_file_changes(&b, &c->made, c->size_before);
    if (record.memory_files && made && result >= 0)
        add_memory_changes(&b, &c->made);
    if ((effects & EFFECT_PEERS) && result > 0)
        add_own_memory(&b, &c->made);
    if (effects & EFFECT_OPENS)
        note_opened(&c->made);
    if (c->has_reached)
        record_piece(&b, PIECE_REACHED, c->reached, NULL, 0);
    if (compared)
        add_changed(&b, c->aside);
    call_shown(&c->made, &memory, add_shown, &b);
    record_publish(&b);
    c->met = true;
    if (made && result >= 0 && !thread_self()->in_vfork)
        follow_call(c, effects, (u64)result);
}

enum log_answer record_call_begins(const struct call *call, i64 *result)
{
    struct thread *t = thread_self();
    (void)result;
    t->ends_in_log = true;
    note_call(&t->call, call);
    if (syscall_has(call->number, EFFECT_SIGRETURN) && !(t->call.flags & SYSCALL_FILTERED))
        write_call(&t->call, 0); /* afterwards nothing is left to log from */
    return LOG_MAKE;
}

/* A call that will be made again has not happened. */
void record_call_ends(const struct call *call, i64 result)
{
    struct thread *t = thread_self();
    struct thread_call *c = &t->call;
    (void)call;
    if (result != CALL_AGAIN && result != CALL_DONE && !c->met)
        write_call(c, result);
    if (c->aside)
        aside_give(c->aside);
    c->open = false;
    c->returned = ticks_now();
    t->ends_in_log = false;
}

/* Memory is shared with other processes, which run while this one waits. */
static __attribute__((noinline)) i64 pass_sharing(const struct call *call)
{
    struct thread *t = thread_self();
    if (share_call_begins(call)) {
        i64 result = engine_make_call(call->number, call->args, &t->signal_waiting);
        share_call_ends(call, result);
        return result;
    }
    if (threads.count > 1 || share_reaches(call))
        return bounce_pass(call);
    share_give();
    visits_rests();
    i64 result = engine_make_call(call->number, call->args, &t->signal_waiting);
    share_take(true);
    visits_runs(true);
    return result;
}

i64 record_pass(const struct call *call)
{
    i64 result;
    u32 visited = visited_by(call);
    if (visited && pass_visiting(call, visited, &result))
        return result;
    if (share_group && share_group_in_use())
        return pass_sharing(call);
    if (threads.count > 1)
        return bounce_pass(call);
    visits_rests();
    result = engine_make_call(call->number, call->args, &thread_self()->signal_waiting);
    visits_runs(true);
    return result;
}
