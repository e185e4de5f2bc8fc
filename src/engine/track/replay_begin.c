/* The start of a replay. The first event of a track, START, has the program's path, arguments,
 * environment, auxiliary vector, layout and stack limit; the replay starts the program with these
 * instead of its own.
 *
 * A replay from a snapshot starts the same way, and then goes to the position in the log that the
 * snapshot has saved.
 */
#include "engine/base/goal.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/memory/image.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/track/event_source.h"
#include "engine/track/replay.h"
#include "engine/track/replay_fork.h"
#include "engine/track/replay_internal.h"
#include "engine/track/replay_output.h"
#include "engine/track/track.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/vector.h"

enum { STRINGS_MOST = 1 << 21 }; /* far more than execve accepts */

static struct start {
    char path[4096];
    u64 path_size;
    char *strings[2][STRINGS_MOST]; /* arguments, environment */
    u64 count[2];
    u64 begun[2]; /* bytes of an incomplete last string, whose end is in another piece */
    u64 auxv[128];
    u64 auxv_size;
    u64 random[2];
    u64 random_size;
    u64 cpu[2];    /* the features that the program saw, the mask of mxcsr */
    u64 cpu_size;
    u64 layout[4]; /* limit of the stack, signals ignored, signals blocked, the layout's number */
    u64 layout_size;
} *start;

static void replay_add_strings(unsigned list, const char *bytes, u64 size)
{
    u64 begun = start->begun[list], all = begun + size;
    char *copy = pool_take(all + 1);
    if (begun)
        memcpy(copy, start->strings[list][--start->count[list]], begun);
    memcpy(copy + begun, bytes, size);
    copy[all] = 0;
    for (u64 at = 0, length; at < all; at += length + 1) {
        if (start->count[list] == STRINGS_MOST - 1)
            replay_unable("there are too many arguments");
        length = strlen(copy + at);
        start->strings[list][start->count[list]++] = copy + at;
        start->begun[list] = at + length == all ? length : 0;
    }
}

/* Data too long for the rest of an event comes in several pieces. */
static void replay_add_bytes(void *to, u64 room, u64 *size, const u8 *bytes, u64 more)
{
    if (more > room - *size)
        more = room - *size;
    memcpy((u8 *)to + *size, bytes, more);
    *size += more;
}

static void take_start_piece(const struct event_piece *piece, const u8 *bytes)
{
    switch (piece->kind) {
    case PIECE_PATH:
        replay_add_bytes(start->path, sizeof(start->path) - 1, &start->path_size, bytes,
                         piece->size);
        break;
    case PIECE_ARGUMENTS:
        replay_add_strings(0, (const char *)bytes, piece->size);
        break;
    case PIECE_ENVIRONMENT:
        replay_add_strings(1, (const char *)bytes, piece->size);
        break;
    case PIECE_AUXV:
        replay_add_bytes(start->auxv, sizeof(start->auxv), &start->auxv_size, bytes, piece->size);
        break;
    case PIECE_RANDOM:
        replay_add_bytes(start->random, sizeof(start->random), &start->random_size, bytes,
                         piece->size);
        break;
    case PIECE_CPU:
        replay_add_bytes(start->cpu, sizeof(start->cpu), &start->cpu_size, bytes, piece->size);
        break;
    case PIECE_LAYOUT:
        replay_add_bytes(start->layout, sizeof(start->layout), &start->layout_size, bytes,
                         piece->size);
        break;
    default:
        break;
    }
}

static void take_start_pieces(const u8 *at, const u8 *end)
{
    while ((u64)(end - at) >= sizeof(struct event_piece)) {
        const struct event_piece *piece = (const struct event_piece *)at;
        take_start_piece(piece, at + sizeof(*piece));
        at += sizeof(*piece) + format_padded(piece->size);
    }
}

static void replay_take_start(void)
{
    const struct event *e = replay_next();
    if (!e || e->kind != EVENT_START)
        replay_unable("the log does not begin with a start");
    const struct event_start *s = (const struct event_start *)e->payload;
    bool more = s->flags & EVENT_MORE;
    replay.logs_faults = s->flags & START_FAULTS;
    take_start_pieces(e->payload + sizeof(*s), replay_event_end(e));
    replay_met(e);
    while (more) {
        e = replay_next();
        if (!e || e->kind != EVENT_DATA)
            replay_unable("the start is not whole");
        const struct event_data *data = (const struct event_data *)e->payload;
        more = data->flags & EVENT_MORE;
        take_start_pieces(e->payload + sizeof(*data), replay_event_end(e));
        replay_met(e);
    }
}

/* Pointers of the recorded vector that the loader follows are replaced by those of this process. */
static void mend_auxv(const u64 *ours)
{
    u64 vdso = 0;
    for (; *ours != AT_NULL; ours += 2)
        if (*ours == AT_SYSINFO_EHDR)
            vdso = ours[1];
    for (u64 *auxv = start->auxv; *auxv != AT_NULL; auxv += 2) {
        if (*auxv == AT_RANDOM)
            auxv[1] = (u64)start->random;
        if (*auxv == AT_SYSINFO_EHDR)
            auxv[1] = vdso;
    }
}

void replay_start(struct loader_request *request, struct signals_inherited *inherited)
{
    struct track_origin_info origin = {.origin = TRACK_FIRST, .parent = TRACK_NONE};
    if (!track_open(&origin))
        engine_refuse(CHANNEL_EXIT_OURS, "replay", "no ebb is connected to replay for");
    event_source_start();
    start = pool_map(sizeof(*start), 4096);
    replay_take_start();
    mend_auxv(request->auxv);
    if (start->cpu_size)
        vector_limit(start->cpu[0], (u32)start->cpu[1]);
    if (!layout_choose(start->layout[3]))
        replay_unable(
            "a newer ebb recorded it, and laid memory out in a way that this one does not know");
    request->path = start->path;
    request->argv = start->strings[0];
    request->envp = start->strings[1];
    request->auxv = start->auxv;
    request->stack_limit = start->layout[0];
    replay_raise_limits();
    replay_limit_stack(start->layout[0]);
    *inherited = (struct signals_inherited){start->layout[1], start->layout[2]};
    goal.check = replay_boundary;
    if (track.in_tree)
        replay_fork_start();
    thread_take_name(start->path);
    output_start();
}

bool replay_save_position(struct replay_position *ret)
{
    *ret = (struct replay_position){.events_met = replay.events_met};
    memcpy(ret->limit, replay.limit, sizeof(ret->limit));
    return replay_fault_state(&ret->stack_limit);
}

void replay_restore_position(const struct replay_position *p, u64 offset)
{
    replay.events_met = p->events_met;
    memcpy(replay.limit, p->limit, sizeof(replay.limit));
    replay_limit_stack(p->stack_limit);
    event_source_seek(offset);
}

/* The program is loaded, as it was in the recording. */
void replay_entered(void)
{
    if (!replay.logs_faults)
        return;
    const struct event *e = replay_next_or_end();
    const struct event_entry *entry = (const struct event_entry *)e->payload;
    if (e->kind != EVENT_ENTRY)
        replay_diverge(e, "the program begins");
    replay_expect_state(e, cpu->rip);
    if (entry->stack != cpu->reg[RSP])
        replay_diverge_number(e, "the stack begins at", cpu->reg[RSP]);
    replay_met(e);
}
