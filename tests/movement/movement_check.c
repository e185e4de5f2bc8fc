/* Movements against the oracle (oracle.h): a recording is walked once, then the session moves in
 * it; each movement must land where the oracle says.
 *
 *   movement_check --random RECORDING SEED MOVES     some with breakpoints on their way
 *   movement_check --frames RECORDING SEED LOOKS     backtraces at random moments
 *   movement_check --worked RECORDING                the worked trace of docs/movement.md, of worked.c
 *   movement_check --one RECORDING FROM MOVEMENT [COUNT] [u=PC,...] [b=PC,...] [signals]
 *                                                    FROM is TICK:PC; both sides are shown
 *   movement_check --points RECORDING                the step points: address in the file, line
 *   movement_check --events RECORDING                the executed step points, each with its depth
 *
 * Prints what is wrong, and ends with 1.
 */
#include <stdio.h>
#include <string.h>

#include "compare.h"

static struct recording *recording_opened;
static u64 pcs[2][PLACES_MOST];

static size_t take_places(const char *text, u64 *ret)
{
    size_t count = 0;
    for (char *end = (char *)text; *end && count < PLACES_MOST; end += *end == ',')
        ret[count++] = strtoull(end, &end, 0);
    return count;
}

static int make_one(int argc, char **argv)
{
    struct order o = {.count = 1, .movement = MOVES, .places = pcs[0], .breakpoints = pcs[1]};
    char *end;
    struct moment at = {strtoull(argv[0], &end, 0), 0};
    at.pc = *end == ':' ? strtoull(end + 1, NULL, 0) : 0;
    for (u32 n = 0; argc > 1 && n < 2 * MOVES; n++)
        if (!strcmp(argv[1], movement_names[n / 2][n % 2])) {
            o.movement = n / 2;
            o.direction = n % 2 ? BACKWARD : FORWARD;
        }
    for (int n = 2; n < argc; n++)
        if (!strncmp(argv[n], "u=", 2))
            o.place_count = take_places(argv[n] + 2, pcs[0]);
        else if (!strncmp(argv[n], "b=", 2))
            o.breakpoint_count = take_places(argv[n] + 2, pcs[1]);
        else if (!strcmp(argv[n], "signals"))
            o.signals = true;
        else
            o.count = strtoull(argv[n], NULL, 0);
    if (o.movement == MOVES)
        return 2;
    size_t from = walk_find(&oracle.walk, at);
    at = walk_instant(&oracle.walk, from)->at;
    struct landing l = oracle_land(&oracle, &o, from);
    print_place("from", at);
    if (l.where != LANDS_NOWHERE)
        print_place("wanted", wanted_moment(&l));
    stand_at(at);
    if (!agree(&o, from, &l))
        return 1;
    printf("  they agree\n");
    return 0;
}

static u32 depth_of(u32 frame)
{
    u32 depth = 0;
    for (; frame != FRAME_NONE; frame = frame_number(&oracle.frames, frame)->parent)
        depth += !frame_number(&oracle.frames, frame)->hidden;
    return depth;
}

static int show_events(void)
{
    for (size_t n = 0; n < oracle.walk.instants.count; n++) {
        const struct instant *i = walk_instant(&oracle.walk, n);
        const struct step_point *p = oracle_point(&oracle, n);
        if (p)
            printf("%llu:%#llx thread %u depth %u frame %u %s:%u\n", (unsigned long long)i->at.tick,
                   (unsigned long long)i->at.pc, i->thread, depth_of(oracle.frames.of[n]), oracle.frames.of[n], p->file, p->line);
    }
    return 0;
}

static int show_points(void)
{
    struct symbols *symbols;
    size_t modules, count;
    must(source_symbols(source, &symbols));
    const struct symbols_module *m = symbols_modules(symbols, &modules);
    const struct step_point *p = symbols_step_points(symbols, &count);
    for (size_t k = 0; k < modules && strcmp(m->path, session_program(session)); k++)
        m++;
    for (size_t n = 0; n < count; n++)
        if (p[n].pc >= m->start && p[n].pc < m->end)
            printf("%#llx %u\n", (unsigned long long)(p[n].pc - m->bias), p[n].line);
    return 0;
}

static int run(int argc, char **argv)
{
    const char *what = argv[1];
    if (!strcmp(what, "--points"))
        return show_points();
    oracle_create(recording_opened, 0, session, source, &oracle);
    if (!strcmp(what, "--random") && argc == 5)
        return move_at_random(strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
    if (!strcmp(what, "--frames") && argc == 5)
        return look_at_random(strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
    if (!strcmp(what, "--worked"))
        return move_as_worked();
    if (!strcmp(what, "--events"))
        return show_events();
    return !strcmp(what, "--one") && argc > 4 ? make_one(argc - 3, argv + 3) : 2;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    recording = argv[2];
    must(recording_open(recording, &recording_opened));
    must(session_open(recording_opened, &(struct session_options){0}, &session));
    source_create(session, &source);
    int status = run(argc, argv);
    if (oracle.points)
        oracle_deinit(&oracle);
    source_destroy(source);
    session_close(session);
    recording_destroy(recording_opened);
    return status;
}
