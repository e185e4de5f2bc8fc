/* Recording: see record.h.
 *
 * An event is put together in the ring itself: room for the largest is reserved, filled from the front, and
 * published with the size that it came to.  What does not fit goes on in DATA events.
 *
 * Invariants
 *   (1) Events are written in the order in which replay meets them; one thread at a time writes.
 *   (2) Bytes that a call wrote are taken from guest memory before the guest runs on.
 */
#include "engine/track/record.h"

#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/calls/clocks.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapping.h"
#include "engine/run/code_watch.h"
#include "engine/run/ticks.h"
#include "engine/share/file_writes.h"
#include "engine/share/share.h"
#include "engine/share/share_group.h"
#include "engine/share/share_outside.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/track/digest.h"
#include "engine/track/track.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"

enum { RANDOM_BYTES = 16, NANOSECONDS = 1000000000 };

static struct ring_producer producer;

/* --- putting events together -------------------------------------------------------- */

struct builder {
    struct event *event; /* NULL: nobody reads any more */
    u8 *at, *end;
    u16 *flags;          /* where EVENT_MORE goes (the low half, where they are 32 bits) */
};

static u64 record_read_tsc(void)
{
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (u64)high << 32 | low;
}

static struct record_moment moment_now(void)
{
    if (!cpu) /* the loader is at work */
        return (struct record_moment){.time = record_read_tsc()};
    return (struct record_moment){ticks_now(), cpu->rip, digest_registers(), record_read_tsc()};
}

static bool build(struct builder *b, u16 kind, const struct record_moment *at)
{
    b->event = ring_reserve(&producer, &track_host, EVENT_SIZE_MOST);
    if (!b->event) {
        log_mode = LOG_OFF; /* ebb is gone: the program goes on */
        return false;
    }
    *b->event = (struct event){.kind = kind, .thread = (u16)thread_self()->ordinal, .tick = at->tick, .pc = at->pc, .hash = at->hash,
                               .time = at->time};
    b->at = b->event->payload;
    b->end = (u8 *)b->event + EVENT_SIZE_MOST;
    b->flags = NULL;
    return true;
}

static void publish(struct builder *b)
{
    b->event->size = (u32)(b->at - (u8 *)b->event);
    ring_publish(&producer, &track_host);
}

/* Most are structures of a few words, whose copying the compiler makes of moves. */
static inline __attribute__((always_inline)) void *record_add(struct builder *b, const void *bytes,
                                                              u64 size)
{
    void *place = b->at;
    u64 padded = format_padded(size);
    if (padded != size)
        memset(b->at + size, 0, padded - size);
    __builtin_memcpy(place, bytes, size);
    b->at += padded;
    return place;
}

/* The event is full: says that more follows, and begins that. */
static bool build_on(struct builder *b)
{
    struct record_moment at = {b->event->tick, b->event->pc, 0, 0};
    *b->flags |= EVENT_MORE;
    publish(b);
    if (!build(b, EVENT_DATA, &at))
        return false;
    struct event_data data = {0};
    b->flags = (u16 *)&((struct event_data *)record_add(b, &data, sizeof(data)))->flags;
    return true;
}

/* Bytes of the engine's or the guest's, in as many pieces as it takes. */
static void add_piece(struct builder *b, u32 kind, u64 address, const void *bytes, u64 size)
{
    do {
        if (b->event && (u64)(b->end - b->at) < sizeof(struct event_piece) + 64 && !build_on(b))
            return;
        u64 room = (u64)(b->end - b->at) - sizeof(struct event_piece);
        u64 part = size < room ? size : room & ~7ul;
        u8 *before = b->at;
        struct event_piece piece = {address, (u32)part, kind};
        record_add(b, &piece, sizeof(piece));
        memset(b->at + (part & ~7ul), 0, part & 7 ? 8 : 0);
        if (guest_read(b->at, gaddr((u64)bytes), part))
            b->at += format_padded(part);
        else
            b->at = before; /* a call that failed is shown memory that is not there */
        bytes = (const u8 *)bytes + part;
        address += address ? part : 0;
        size -= part;
    } while (size);
}

/* --- starting ------------------------------------------------------------------------- */

static u64 clock_ns(u32 clock)
{
    struct k_timespec t = {0};
    kernel_call(__NR_clock_gettime, clock, &t);
    return (u64)t.seconds * NANOSECONDS + (u64)t.nanoseconds;
}

/* A short look at both clocks. */
static u64 tsc_frequency(void)
{
    enum { K_CLOCK_MONOTONIC = 1, LOOK_NS = 200000 };
    u64 first = clock_ns(K_CLOCK_MONOTONIC), tsc = record_read_tsc(), now;
    while ((now = clock_ns(K_CLOCK_MONOTONIC)) - first < LOOK_NS)
        continue;
    return (record_read_tsc() - tsc) * NANOSECONDS / (now - first);
}

static void record_add_strings(struct builder *b, u32 kind, char **list)
{
    for (; *list; list++)
        add_piece(b, kind, 0, *list, strlen(*list) + 1);
}

static u64 auxv_words(const u64 *auxv)
{
    u64 n = 0;
    while (auxv[n] != AT_NULL)
        n += 2;
    return n + 2;
}

static const void *auxv_pointer(const u64 *auxv, u64 type)
{
    for (; *auxv != AT_NULL; auxv += 2)
        if (*auxv == type)
            return (const void *)auxv[1];
    return NULL;
}

static void record_add_leaf(struct builder *b, u32 leaf, u32 subleaf)
{
    const u64 args[CLOCK_ARGS] = {leaf, subleaf};
    struct clock_answer a;
    clocks_ask(CLOCK_CPUID, args, &a);
    struct event_cpuid e = {leaf, subleaf, (u32)a.value[1], (u32)(a.value[1] >> 32),
                            (u32)a.value[2], (u32)(a.value[2] >> 32)};
    if (a.value[1] | a.value[2])
        add_piece(b, PIECE_CPUID, 0, &e, sizeof(e));
}

/* What a replay must find in its processor: leaves that tell of features. */
static void add_cpu(struct builder *b)
{
    static const u32 leaves[][2] = {
        {0, 0}, {1, 0}, {7, 0}, {7, 1}, {0xd, 0}, {0xd, 1},
        {0x80000000, 0}, {0x80000001, 0}, {0x80000008, 0}, {0x80000021, 0},
    };
    u64 shown[] = {vector_shape.features, vector_shape.mxcsr_mask};
    for (u32 n = 0; n < countof(leaves); n++)
        record_add_leaf(b, leaves[n][0], leaves[n][1]);
    for (u32 state = 2; state < 32; state++)
        if (vector_shape.features >> state & 1)
            record_add_leaf(b, 0xd, state);
    add_piece(b, PIECE_CPU, 0, shown, sizeof(shown));
}

static void add_start_pieces(struct builder *b, const struct loader_request *request,
                             const struct signals_inherited *inherited)
{
    u64 layout[] = {request->stack_limit, inherited->ignored, inherited->mask};
    static char directory[4096];
    i64 length = kernel_call(__NR_getcwd, directory, sizeof(directory));
    const void *random = auxv_pointer(request->auxv, AT_RANDOM);
    add_piece(b, PIECE_PATH, 0, request->path, strlen(request->path));
    record_add_strings(b, PIECE_ARGUMENTS, request->argv);
    record_add_strings(b, PIECE_ENVIRONMENT, request->envp);
    add_piece(b, PIECE_AUXV, 0, request->auxv, auxv_words(request->auxv) * 8);
    if (random)
        add_piece(b, PIECE_RANDOM, 0, random, RANDOM_BYTES);
    if (length > 1)
        add_piece(b, PIECE_DIRECTORY, 0, directory, (u64)length - 1);
    add_piece(b, PIECE_SETTINGS, 0, settings_text, strlen(settings_text));
    add_piece(b, PIECE_LAYOUT, 0, layout, sizeof(layout));
    add_cpu(b);
}

static u64 frequency; /* of the time stamp counter */

static bool build_start(struct builder *b, const struct record_moment *at)
{
    struct event_start start = {
        .pid = (u32)kernel_call(__NR_getpid),
        .ppid = (u32)kernel_call(__NR_getppid),
        .tid = (u32)kernel_call(__NR_gettid),
        .uid = (u32)kernel_call(__NR_getuid),
        .gid = (u32)kernel_call(__NR_getgid),
        .realtime = clock_ns(0),
        .frequency = frequency,
    };
    if (!build(b, EVENT_START, at))
        return false;
    b->flags = (u16 *)&((struct event_start *)record_add(b, &start, sizeof(start)))->flags;
    return true;
}

void record_start(const struct loader_request *request, const struct signals_inherited *inherited)
{
    struct track_origin_info origin = {
        .origin = settings.parent ? TRACK_EXECED : TRACK_FIRST,
        .parent = settings.parent ? (u32)settings.parent - 1 : TRACK_NONE,
        .parent_tick = settings.parent_tick,
        .parent_pc = settings.parent_pc,
    };
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    if (!track_open(&origin)) {
        log_mode = LOG_OFF;
        return;
    }
    share_group_start(settings.share);
    ring_producer_init(&producer, track_ring);
    frequency = tsc_frequency();
    struct record_moment at = {.time = record_read_tsc()};
    if (!build_start(&b, &at))
        return;
    add_start_pieces(&b, request, inherited);
    if (log_mode == LOG_RECORD)
        publish(&b);
}

/* --- system calls ----------------------------------------------------------------------- */

static bool record_read_memory(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    return guest_read(to, from, size);
}

static const struct call_memory memory = {record_read_memory, NULL};

/* Calls that no row knows: what they can reach is set aside, and compared afterwards.  Several threads may be in such
 * calls, if these wait. */
struct aside {
    struct aside *next; /* among those not in use */
    u64 count;
    struct {
        struct gaddr at;
        u64 size, place;
    } range[256];
    u64 used;
    u8 bytes[256 * 1024];
};

static struct aside *unused;

static struct aside *aside_take(void)
{
    struct aside *a = unused;
    if (a)
        unused = a->next;
    else
        a = pool_map(sizeof(*a), 4096);
    a->count = a->used = 0;
    return a;
}

static void aside_give(struct aside *a)
{
    a->next = unused;
    unused = a;
}

static void set_aside(void *context, struct gaddr at, u64 size)
{
    struct aside *a = context;
    if (a->count == countof(a->range) || a->used + size > sizeof(a->bytes) ||
        !guest_read(a->bytes + a->used, at, size))
        return;
    a->range[a->count].at = at;
    a->range[a->count].size = size;
    a->range[a->count++].place = a->used;
    a->used += size;
}

void record_call_begin(struct record_call *ret, const struct call *call)
{
    ret->at = moment_now();
    ret->at.pc -= SYSCALL_LENGTH;
    call_begin(&ret->made, call->number, call->args, &memory);
    ret->aside = NULL;
    if (!ret->made.variant->unknown)
        return;
    ret->aside = aside_take();
    call_reachable(&ret->made, &memory, set_aside, ret->aside);
}

void record_call_drop(struct record_call *c)
{
    if (c->aside)
        aside_give(c->aside);
}

static void add_written(void *context, struct gaddr at, u64 size)
{
    struct builder *b = context;
    if (share_member)
        share_written(at.at, size);
    if (log_mode == LOG_RECORD)
        add_piece(b, PIECE_MEMORY, at.at, gaddr_pointer(at), size);
}

static void add_shown(void *context, struct gaddr at, u64 size)
{
    struct builder *b = context;
    if (log_mode == LOG_RECORD)
        add_piece(b, PIECE_SHOWN, at.at, gaddr_pointer(at), size);
}

static void add_changed(struct builder *b, const struct aside *a)
{
    static u8 now[sizeof(a->bytes)];
    for (u64 n = 0; n < a->count; n++) {
        u64 size = a->range[n].size;
        if (guest_read(now, a->range[n].at, size) &&
            memcmp(now, a->bytes + a->range[n].place, size))
            add_written(b, a->range[n].at, size);
    }
}

/* Operations on futexes that change their words are done by the engine. */
static void add_futex_words(struct builder *b, const u64 *args)
{
    add_written(b, gaddr(args[0]), sizeof(u32));
    if (args[4])
        add_written(b, gaddr(args[4]), sizeof(u32));
}

static bool shared_files; /* some have been mapped shared */

/* The part of an area that shows what is in the range, and is not behind the file's last page. */
static void add_area_changes(struct builder *b, const struct area *a, struct file_range changed,
                             u64 file_size)
{
    u64 end = page_up(file_size);
    u64 from = changed.from > a->offset ? changed.from : a->offset;
    u64 to = changed.to < end ? changed.to : end;
    if (to > a->offset + (a->end - a->start))
        to = a->offset + (a->end - a->start);
    if (from < to)
        add_written(b, gaddr(a->start + (from - a->offset)), to - from);
}

/* A file that is mapped shared has changed under the mapping. */
static void add_file_changes(struct builder *b, const struct call_made *made)
{
    struct file_writes writes;
    bool sized = false;
    if (!file_writes_call(made->number) ||
        !file_writes_begin(&writes, made->number, made->args))
        return;
    struct file_range changed = file_writes_range(&writes, made->result);
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        if (!(a->flags & AREA_FILE) || !(a->flags & AREA_SHARED) || a->inode != writes.inode ||
            a->device != writes.device)
            continue;
        if (!sized && log_mode == LOG_RECORD)
            add_piece(b, PIECE_FILE_SIZE, a->start, &writes.size_after, sizeof(u64));
        sized = true;
        add_area_changes(b, a, changed, writes.size_after);
    }
}

/* --- memory that is written as a file: /proc/self/mem */

static bool memory_files; /* some may have been opened */

static void note_opened(const struct call_made *made)
{
    char path[64]; /* no such name is longer */
    const struct call_arg *arg = made->row->args;
    u32 n = 0;
    while (arg[n].shape != SHAPE_STRING)
        n++;
    i64 length = guest_read_string(path, gaddr(made->args[n]), sizeof(path));
    if (length >= 3 && text_equal(path + length - 3, "mem"))
        memory_files = true;
}

/* Is that descriptor open on this process's memory?  The link says which process's. */
static bool is_own_memory(u64 fd)
{
    char link[64], own[64], found[64];
    struct text name = TEXT(link), wanted = TEXT(own);
    text_add(&name, "/proc/self/fd/");
    text_add_unsigned(&name, fd);
    text_add(&wanted, "/proc/");
    text_add_unsigned(&wanted, (u64)kernel_call(__NR_getpid));
    text_add(&wanted, "/");
    i64 size = kernel_call(__NR_readlink, link, found, sizeof(found) - 1);
    if (size < 4)
        return false;
    found[size] = 0;
    return text_starts(found, own) && text_equal(found + size - 4, "/mem");
}

static void add_memory_changes(struct builder *b, const struct call_made *made)
{
    struct file_writes writes;
    if (made->result == 0 || !file_writes_call(made->number) || !is_own_memory(made->args[0]) ||
        !file_writes_begin(&writes, made->number, made->args))
        return;
    struct file_range changed = file_writes_range(&writes, made->result);
    code_watch_changed(changed.from, changed.to);
    add_written(b, gaddr(changed.from), changed.to - changed.from);
}

static u16 argument_count(const struct call_made *made)
{
    u16 n = 0;
    while (n < SYSCALL_ARGS && made->variant->args[n].name)
        n++;
    return made->variant->unknown ? SYSCALL_ARGS : n;
}

static void call_end(struct record_call *c, i64 result)
{
    struct builder b;
    share_update();
    if (log_mode != LOG_RECORD || !build(&b, EVENT_SYSCALL, &c->at))
        return;
    bool compared = c->aside && c->aside->count;
    struct event_syscall payload = {.number = (u32)c->made.number,
                                    .flags = compared ? SYSCALL_COMPARED : 0,
                                    .args = argument_count(&c->made),
                                    .result = result};
    b.flags = &((struct event_syscall *)record_add(&b, &payload, sizeof(payload)))->flags;
    record_add(&b, c->made.args, payload.args * sizeof(u64));
    c->made.result = result;
    call_written(&c->made, &memory, add_written, &b);
    u32 effects = c->made.variant->effects;
    if (effects & EFFECT_LOCKS)
        add_futex_words(&b, c->made.args);
    if (shared_files && result >= 0)
        add_file_changes(&b, &c->made);
    if (memory_files && result >= 0)
        add_memory_changes(&b, &c->made);
    if (effects & EFFECT_OPENS)
        note_opened(&c->made);
    if (compared)
        add_changed(&b, c->aside);
    call_shown(&c->made, &memory, add_shown, &b);
    if (log_mode == LOG_RECORD)
        publish(&b);
}

void record_call_end(struct record_call *c, i64 result)
{
    call_end(c, result);
    record_call_drop(c);
}

/* --- mapped files --------------------------------------------------------------------------- */

/* Files that a package brought stay as they are, for a while at least; of others ebb keeps a copy. */
static bool likely_to_stay(const struct k_stat *st)
{
    enum { WRITABLE_BY_OTHERS = 022, S_IFMT = 0170000, S_IFREG = 0100000 };
    return st->uid == 0 && (st->mode & S_IFMT) == S_IFREG && !(st->mode & WRITABLE_BY_OTHERS);
}

static u64 modified(const struct k_stat *st)
{
    return st->modified.seconds < 0 ? 0 : (u64)st->modified.seconds * NANOSECONDS +
                                              (u64)st->modified.nanoseconds;
}

static bool path_of(i64 fd, char *ret, u64 size, const char *directory)
{
    char name[64];
    struct text t = TEXT(name);
    text_add(&t, "/proc/self/fd/");
    text_add_signed(&t, fd);
    i64 length = kernel_call(__NR_readlink, name, ret, size - 1);
    ret[length > 0 ? length : 0] = 0;
    return length > 0 && text_starts(ret, directory);
}

/* Files written within a tick of the kernel's clock can change without another time: no copy of such a
 * one serves twice. */
static u64 time_for_copy(const struct event_map *map)
{
    enum { RECENT_NS = 50000000 };
    static u64 unique;
    if (clock_ns(0) - map->mtime >= RECENT_NS && !share_knows(map->device, map->inode))
        return map->mtime;
    return map->mtime ^ (++unique << 32 | (track_number + 1ul)) * 0x9e3779b97f4a7c15ul;
}

static u32 record_keep_file(const struct event_map *map, i64 fd)
{
    struct channel_keep keep = {{CHANNEL_KEEP, sizeof(keep)}, map->device, map->inode, map->file_size,
                                time_for_copy(map)};
    struct channel_kept kept = {0};
    i32 none;
    if (!track_send(&keep.message, (i32)fd) ||
        !track_receive(CHANNEL_KEPT, &kept.message, sizeof(kept), &none))
        return 0;
    return kept.error ? 0 : kept.copy;
}

void record_map(const struct mapping *m, u64 at)
{
    static char path[4096];
    struct builder b;
    struct k_stat st;
    struct record_moment now = moment_now();
    if (log_mode != LOG_RECORD || kernel_failed(kernel_call(__NR_fstat, m->fd, &st)))
        return;
    struct event_map map = {
        .address = at, .size = m->size,
        .protection = (u32)m->protection, .flags = (u32)m->flags,
        .offset = m->offset,
        .device = st.device, .inode = st.inode, .file_size = st.size, .mtime = modified(&st),
    };
    shared_files |= (m->flags & MAP_TYPE) != MAP_PRIVATE;
    bool packaged = path_of(m->fd, path, sizeof(path), "/usr/") && likely_to_stay(&st);
    map.path_size = (u32)strlen(path);
    if (packaged && m->size)
        areas_mark(at, at + m->size, AREA_STAYS, 0);
    share_update(); /* a file that others write is copied while they do not */
    if ((m->flags & MAP_TYPE) != MAP_PRIVATE)
        share_outside_file(m->fd, st.device, st.inode, path);
    map.copy = packaged ? 0 : record_keep_file(&map, m->fd);
    if (!build(&b, EVENT_MAP, &now))
        return;
    record_add(&b, &map, sizeof(map));
    record_add(&b, path, map.path_size);
    publish(&b);
    share_outside_mapped(at, m->size);
}

/* --- the rest ----------------------------------------------------------------------------- */

void record_signal(const struct k_siginfo *info, u32 fate)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment at = moment_now();
    if (!build(&b, EVENT_SIGNAL, &at))
        return;
    struct event_signal payload = {.signal = (u32)info->signal, .fate = (u16)fate};
    memcpy(payload.info, info, sizeof(*info));
    record_add(&b, &payload, sizeof(payload));
    publish(&b);
}

/* All that is known is the tick: what it wrote after that is lost, if somebody should look at it. */
void record_killed(void)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    record_note(NOTE_LIMIT, "a child of vfork was killed, and what it wrote last is not known");
    struct record_moment at = {.tick = ticks_now(), .time = record_read_tsc()};
    if (!build(&b, EVENT_SIGNAL, &at))
        return;
    struct event_signal payload = {.signal = SIG_KILL, .fate = SIGNAL_DIED};
    record_add(&b, &payload, sizeof(payload));
    publish(&b);
}

/* Programs ask clocks millions of times a second, and this is most of what it costs: so there is
 * neither hash nor time, and the values are stored in place. */
void record_write(struct gaddr at, u64 size)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment now = moment_now();
    if (!build(&b, EVENT_DATA, &now))
        return;
    struct event_data data = {0};
    b.flags = (u16 *)&((struct event_data *)record_add(&b, &data, sizeof(data)))->flags;
    add_written(&b, at, size);
    publish(&b);
}

void record_clock(u32 source, const u64 *values, u32 count)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment at = {.tick = ticks_now(), .pc = cpu->rip};
    if (!build(&b, EVENT_CLOCK, &at))
        return;
    *(struct event_clock *)b.at = (struct event_clock){.source = (u16)source, .count = count};
    u64 *to = (u64 *)(b.at + sizeof(struct event_clock));
    for (u32 n = 0; n < count; n++)
        to[n] = values[n];
    b.at = (u8 *)(to + count);
    publish(&b);
}

/* An event of shared memory is begun by its first piece.  In a call the moment is the call's. */
static struct builder shared;
static bool shared_open;

static bool begin_shared(bool in_call)
{
    struct record_moment at = moment_now();
    if (in_call) {
        at.pc -= SYSCALL_LENGTH;
        at.hash = 0; /* of the call's own event */
    }
    if (!build(&shared, EVENT_SHARED, &at))
        return false;
    struct event_shared payload = {.where = in_call ? SHARED_IN_CALL : SHARED_AT_BOUNDARY};
    shared.flags = (u16 *)&((struct event_shared *)
                             record_add(&shared, &payload, sizeof(payload)))->flags;
    shared_open = true;
    return true;
}

void record_shared(bool in_call, u32 kind, u64 at, const void *bytes, u64 size)
{
    if (log_mode == LOG_RECORD && (shared_open || begin_shared(in_call)))
        add_piece(&shared, kind, at, bytes, size);
}

void record_shared_end(void)
{
    if (shared_open && log_mode == LOG_RECORD)
        publish(&shared);
    shared_open = false;
}

void record_segment(u64 at, u64 size, u64 id)
{
    static const u8 zeros[4096];
    static u8 page[4096];
    u64 segment[] = {size, id};
    record_shared(true, PIECE_SEGMENT, at, segment, sizeof(segment));
    for (u64 done = 0; done < size; done += sizeof(page))
        if (guest_read(page, gaddr(at + done), sizeof(page)) && memcmp(page, zeros, sizeof(page)))
            record_shared(true, PIECE_MEMORY, at + done, page, sizeof(page));
    record_shared_end();
}

void record_note(u32 level, const char *text)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment at = moment_now();
    if (!build(&b, EVENT_NOTE, &at))
        return;
    struct event_note payload = {level, (u32)strlen(text)};
    record_add(&b, &payload, sizeof(payload));
    record_add(&b, text, payload.size);
    publish(&b);
}

/* The moment is that of the one who stopped: no tick has passed since.  Its registers are not at hand any more. */
void record_switch(const struct record_switch *out, const struct thread *to)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment at = {.tick = ticks_now(), .pc = out->pc, .time = record_read_tsc()};
    if (!build(&b, EVENT_SWITCH, &at))
        return;
    b.event->thread = (u16)out->ordinal;
    struct event_switch payload = {(u16)to->ordinal, (u16)out->reason, to->tid};
    record_add(&b, &payload, sizeof(payload));
    publish(&b);
}

void record_vfork(u64 flags)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment at = moment_now();
    if (!build(&b, EVENT_FORK, &at))
        return;
    struct event_fork payload = {.pid = 0, .flags = (u32)flags};
    record_add(&b, &payload, sizeof(payload));
    publish(&b);
}

void record_forked(u64 parent_tick, u64 parent_pc)
{
    struct track_origin_info origin = {TRACK_FORKED, track_number, parent_tick, parent_pc};
    if (log_mode != LOG_RECORD)
        return;
    track_close();
    if (!track_open(&origin)) {
        log_mode = LOG_OFF;
        return;
    }
    ring_producer_init(&producer, track_ring);
    struct record_moment at = {parent_tick, parent_pc, 0, record_read_tsc()};
    struct builder b;
    if (build_start(&b, &at)) /* the rest is its parent's */
        publish(&b);
}

void record_exec(void)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment at = moment_now();
    at.pc -= SYSCALL_LENGTH;
    if (!build(&b, EVENT_EXEC, &at))
        return;
    struct event_exec payload = {0};
    record_add(&b, &payload, sizeof(payload));
    publish(&b);
}

void record_describe_exec(struct track_origin_info *ret)
{
    *ret = (struct track_origin_info){TRACK_EXECED, track_number, ticks_now(),
                                      cpu->rip - SYSCALL_LENGTH};
}

/* As often as was asked for, unless memory is so large that hashing it would take most of the time. */
static u64 ticks_to_next_check(const struct digest_extent *extent)
{
    enum { BYTES_PER_TICK = 64, LOOKS_PER_READ = 256 };
    u64 least = (extent->read + extent->bytes / LOOKS_PER_READ) / BYTES_PER_TICK;
    return settings.check > least ? settings.check : least;
}

void record_boundary(void)
{
    static u64 next;
    struct digest_extent extent;
    struct builder b;
    if (!settings.check || ticks_now() < next)
        return;
    struct record_moment at = moment_now();
    struct event_check payload = {.vector = digest_vectors(), .memory = digest_memory(&extent)};
    payload.bytes = extent.bytes;
    next = ticks_now() + ticks_to_next_check(&extent);
    if (!build(&b, EVENT_CHECK, &at))
        return;
    record_add(&b, &payload, sizeof(payload));
    publish(&b);
}

static void log_end(int status, int signal)
{
    struct builder b;
    if (log_mode != LOG_RECORD)
        return;
    struct record_moment at = moment_now();
    if (!build(&b, EVENT_END, &at))
        return;
    struct event_end payload = {.status = (u32)status & 0xff, .signal = (u32)signal,
                                .core = signals_dump_core(signal)};
    record_add(&b, &payload, sizeof(payload));
    publish(&b);
    ring_finish(&producer, &track_host);
    log_mode = LOG_OFF;
}

void record_end(int status, int signal)
{
    log_end(status, signal);
    share_leave();
}
