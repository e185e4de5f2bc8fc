/* The worked trace of docs/movement.md, sentence by sentence: see compare.h. */
#include "compare.h"

#include <stdio.h>
#include <string.h>

/* Step points are named by letters in the order in which they are executed. `X>` is the instruction
 * after the call that made the frame of X, `X<` is that call. */
static const struct row {
    const char *from, *movement;
    u64 count;
    const char *to;
} rows[] = {
    {"F",  "bstep",    1, "E"},
    {"F",  "previous", 1, "A"},
    {"F",  "before",   1, "A<"}, /* leaves main */
    {"A",  "step",     1, "B"},
    {"A",  "next",     1, "F"},
    {"B",  "finish",   1, "B>"},
    {"B>", "step",     1, "D"},
    {"B>", "next",     1, "F"},
    {"B>", "bstep",    1, "C"},
    {"B>", "previous", 1, "A"},
    {"D",  "previous", 1, "A"},
    {"D",  "before",   1, "D<"},
    {"D<", "previous", 1, "A"},
    {"I",  "previous", 1, "H"},
    {"I",  "previous", 2, "G"},
    {"I",  "previous", 3, "F"},
    {"I",  "previous", 4, "A"},
    {"H",  "previous", 1, "G"},
    {"G",  "previous", 1, "F"},
    {"I",  "next",     1, "J"},
    {"I",  "finish",   2, "G>"},
    {"I",  "before",   2, "F"},
    {"K",  "previous", 1, "F"},
    {"F",  "next",     1, "K"},
    {"C",  "next",     1, "F"},
};

/* The lines that the letters are on, and those in the middle of which the others are. */
static const struct place {
    const char *name;
    const char *function;
    u32 line;
} places[] = {
    {"A", "main", 2}, {"B", "f", 6}, {"C", "f", 7}, {"D", "f", 6}, {"E", "f", 7}, {"F", "main", 3}, {"G", "g", 10},
    {"H", "f", 6}, {"I", "f", 7}, {"J", "g", 11}, {"K", "main", 4}, {"B>", "main", 2}, {"D<", "main", 2}, {"G>", "main", 3},
};

static size_t instant_named(const char *name)
{
    size_t event = ((const size_t *)oracle.events_of[0].items)[name[0] - 'A'];
    const struct activation *a = frame_number(&oracle.frames, oracle.frames.of[event]);
    return name[1] == '>' ? a->end : name[1] == '<' ? a->caller : event;
}

static int wrong_place(const struct place *p)
{
    struct symbols *symbols;
    struct line_place line = {0};
    struct function_info function = {0};
    size_t n = instant_named(p->name);
    struct moment at = walk_instant(&oracle.walk, n)->at;
    stand_at(at);
    must(source_symbols(source, &symbols));
    if (symbols_line(symbols, at.pc, &line) && symbols_function(symbols, at.pc, &function) && line.line == p->line &&
        !strcmp(function.name, p->function) && !p->name[1] == (oracle_point(&oracle, n) != NULL))
        return 0;
    printf("%s is in %s:%u, not in %s:%u\n", p->name, function.name ? function.name : "?", line.line, p->function, p->line);
    return 1;
}

static struct order order_of(const struct row *r)
{
    struct order o = {.count = r->count};
    for (u32 n = 0; n < 2 * MOVES; n++)
        if (!strcmp(movement_names[n / 2][n % 2], r->movement)) {
            o.movement = n / 2;
            o.direction = n % 2 ? BACKWARD : FORWARD;
        }
    return o;
}

/* The table, the oracle and the session must be of one opinion. */
static int wrong_row(const struct row *r)
{
    size_t from = instant_named(r->from), to = instant_named(r->to);
    struct order o = order_of(r);
    struct landing l = oracle_land(&oracle, &o, from);
    struct moment wanted = walk_instant(&oracle.walk, to)->at;
    if (l.where != LANDS_AT || moment_compare(l.at, wanted)) {
        printf("from %s %s %llu: the oracle errs\n", r->from, r->movement, (unsigned long long)r->count);
        print_place("wanted", wanted);
        print_place("oracle", wanted_moment(&l));
        return 1;
    }
    stand_at(walk_instant(&oracle.walk, from)->at);
    if (agree(&o, from, &l))
        return 0;
    printf("  that is %s %s %llu, to %s\n", r->from, r->movement, (unsigned long long)r->count, r->to);
    return 1;
}

int move_as_worked(void)
{
    int bad = 0;
    size_t events = oracle.events_of[0].count;
    if (events != 'K' - 'A' + 1) {
        printf("%zu step points were executed\n", events);
        return 1;
    }
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++)
        bad += wrong_place(&places[n]);
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++)
        bad += wrong_row(&rows[n]);
    return bad != 0;
}
