/* Movements at random: see compare.h. */
#include "compare.h"

#include <stdio.h>

enum { DISAGREEMENTS_MOST = 5 };

static u64 state;

static u64 draw(u64 below)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
}

/* One near a signal, where most goes wrong. */
static size_t draw_near_signal(void)
{
    const struct delivery *d = (const struct delivery *)oracle.walk.deliveries.items + draw(oracle.walk.deliveries.count);
    size_t n = d->before + draw(8), most = oracle.walk.instants.count - 1;
    n = n > 4 ? n - 4 : 0;
    return n < most ? n : most;
}

/* Some instant: mostly a step point, or another instruction of code with lines. */
static size_t draw_instant(void)
{
    u32 thread = (u32)draw(oracle.frames.threads);
    const struct list *events = &oracle.events_of[thread];
    const size_t *all = events->items;
    u64 kind = draw(10);
    if (kind == 1 && oracle.walk.deliveries.count)
        return draw_near_signal();
    if (kind == 0 || !events->count)
        return draw(oracle.walk.instants.count);
    size_t n = all[draw(events->count)];
    if (kind >= 6)
        return n;
    size_t end = n + 1 + draw(12);
    return frames_last_instant(&oracle.frames, thread, end < oracle.walk.instants.count ? end : oracle.walk.instants.count);
}

static size_t random_instant(void)
{
    size_t n = draw_instant();
    while (oracle_amid_jump(&oracle, n))
        n = draw_instant();
    return n;
}

static u64 random_pc(void)
{
    return walk_instant(&oracle.walk, random_instant())->at.pc;
}

static size_t random_places(u64 *places, size_t most)
{
    size_t count = 0;
    for (size_t wanted = 1 + draw(most); count < wanted;) {
        u64 pc = random_pc();
        size_t n = 0;
        while (n < count && places[n] != pc)
            n++;
        if (n < count)
            break;
        places[count++] = pc;
    }
    return count;
}

static struct order random_order(void)
{
    static u64 places[PLACES_MOST], breakpoints[PLACES_MOST];
    static const enum movement usual[] = {MOVE_STEP, MOVE_NEXT, MOVE_NEXT, MOVE_NEXT, MOVE_FINISH, MOVE_FINISH, MOVE_STEPI,
                                          MOVE_NEXTI, MOVE_NEXTI, MOVE_UNTIL, MOVE_OUT, MOVE_CONTINUE};
    struct order o = {.movement = usual[draw(sizeof usual / sizeof usual[0])], .direction = draw(2) ? FORWARD : BACKWARD,
                      .count = draw(2) ? 1 : 1 + draw(draw(4) ? 4 : 200), .places = places, .breakpoints = breakpoints};
    if (o.movement == MOVE_UNTIL)
        o.place_count = random_places(places, 2);
    if (o.movement == MOVE_FINISH)
        o.count = 1 + draw(draw(2) ? 1 : 4);
    if (o.movement == MOVE_UNTIL || o.movement == MOVE_OUT)
        o.count = 1;
    if (o.movement == MOVE_CONTINUE || !draw(4))
        o.breakpoint_count = random_places(breakpoints, PLACES_MOST);
    o.signals = o.movement != MOVE_CONTINUE && !draw(8);
    return o;
}

/* The instant that the session stands at; NEVER: none, or none to begin from. */
static size_t instant_here(void)
{
    size_t n = walk_find(&oracle.walk, here());
    bool is_one = n < oracle.walk.instants.count && !moment_compare(walk_instant(&oracle.walk, n)->at, here());
    return is_one && !oracle_amid_jump(&oracle, n) ? n : NEVER;
}

static size_t go_elsewhere(void)
{
    size_t n = random_instant();
    stand_at(walk_instant(&oracle.walk, n)->at);
    return n;
}

/* Movement after movement, now and then from elsewhere. */
int move_at_random(u64 seed, u64 moves)
{
    u64 made = 0, bad = 0;
    state = seed;
    for (size_t from = NEVER; made < moves && bad < DISAGREEMENTS_MOST;) {
        if (from == NEVER)
            from = go_elsewhere();
        struct order o = random_order();
        struct landing l = oracle_land(&oracle, &o, from);
        bool known = l.where != LANDS_UNKNOWN;
        bool good = !known || agree(&o, from, &l);
        made += known;
        bad += !good;
        from = known && good && draw(4) ? instant_here() : NEVER;
    }
    if (bad)
        printf("seed %llu\n", (unsigned long long)seed);
    else
        printf("%llu movements among %zu instructions, %zu frames\n", (unsigned long long)made,
               oracle.walk.instants.count, oracle.frames.all.count);
    return bad != 0;
}

int look_at_random(u64 seed, u64 looks)
{
    int bad = 0;
    state = seed;
    for (u64 n = 0; n < looks && bad < DISAGREEMENTS_MOST; n++)
        bad += check_frames(random_instant());
    if (!bad)
        printf("%llu backtraces\n", (unsigned long long)looks);
    return bad != 0;
}
