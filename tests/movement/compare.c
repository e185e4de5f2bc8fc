/* Both sides of a movement: see compare.h.
 *
 * The session makes a movement, the oracle computes where it must land, and the moments are
 * compared. A difference is printed with both places.
 */
#include "compare.h"

#include <stdio.h>
#include <string.h>

struct session *session;
struct source *source;
struct oracle oracle;
const char *recording;

const char *const movement_names[MOVES][2] = {
    [MOVE_STEP] = {"step", "bstep"},      [MOVE_NEXT] = {"next", "previous"},  [MOVE_FINISH] = {"finish", "before"},
    [MOVE_STEPI] = {"stepi", "bstepi"},   [MOVE_NEXTI] = {"nexti", "bnexti"},  [MOVE_UNTIL] = {"until", "buntil"},
    [MOVE_OUT] = {"out", "bout"},         [MOVE_CONTINUE] = {"continue", "bcontinue"},
};

/* --- the session's side ----------------------------------------------------------------------- */

struct moment here(void)
{
    struct session_place p;
    session_place(session, &p);
    return p.at;
}

void stand_at(struct moment at)
{
    struct session_stop stop;
    must(movement_goto(session, at, &stop));
    if (moment_compare(here(), at))
        must(error_new("goto %llu:%#llx ended elsewhere", (unsigned long long)at.tick, (unsigned long long)at.pc));
}

static struct error *move(const struct order *o, struct session_stop *stop)
{
    struct session_place p;
    session_place(session, &p);
    switch (o->movement) {
    case MOVE_STEP:
        return movement_step(source, o->direction, o->count, stop);
    case MOVE_NEXT:
        return movement_next(source, o->direction, o->count, stop);
    case MOVE_FINISH:
        return movement_finish(source, o->direction, o->count, stop, NULL);
    case MOVE_STEPI:
        return movement_stepi(session, o->direction, p.thread, o->count, (struct session_range){0, 0}, stop);
    case MOVE_NEXTI:
        return movement_nexti(source, o->direction, o->count, stop);
    case MOVE_UNTIL:
        return movement_until(source, o->direction, o->places, o->place_count, stop);
    case MOVE_OUT:
        return movement_out(source, o->direction, stop);
    default:
        return movement_continue(session, o->direction, o->count, stop);
    }
}

/* With the breakpoints of the order, which are gone afterwards. */
static struct error *move_among_breakpoints(const struct order *o, struct session_stop *stop)
{
    u32 numbers[PLACES_MOST + 1];
    size_t count = 0;
    for (; count < o->breakpoint_count; count++)
        must(session_add_breakpoint(session, &(struct breakpoint){.site.kind = SITE_CODE, .site.address = o->breakpoints[count],
                                                                  .site.thread = CONTROL_THREAD_ANY}, &numbers[count]));
    if (o->signals)
        must(session_add_breakpoint(session, &(struct breakpoint){.site.kind = SITE_SIGNAL, .site.address = ~0ull,
                                                                  .site.thread = CONTROL_THREAD_ANY}, &numbers[count++]));
    struct error *err = move(o, stop);
    while (count)
        must(session_remove_breakpoint(session, numbers[--count]));
    return err;
}

/* --- comparing -------------------------------------------------------------------------------- */

/* What is said of both sides. */
static const char *why_name(enum session_why why)
{
    static const char *const whys[] = {[WHY_BREAKPOINT] = "breakpoint", [WHY_STEPPED] = "stepped", [WHY_START] = "start",
                                       [WHY_END] = "end", [WHY_THREAD_START] = "start of the thread",
                                       [WHY_THREAD_END] = "end of the thread", [WHY_INTERRUPTED] = "interrupted", [WHY_ARRIVED] = "arrived"};
    return whys[why];
}

static void print_places(const char *what, const u64 *places, size_t count)
{
    for (size_t n = 0; n < count; n++)
        printf("%s%#llx", n ? "," : what, (unsigned long long)places[n]);
}

static void print_order(const struct order *o, struct moment from)
{
    printf("movement_check --one %s %llu:%#llx %s %llu", recording, (unsigned long long)from.tick,
           (unsigned long long)from.pc, movement_names[o->movement][o->direction], (unsigned long long)o->count);
    print_places(" u=", o->places, o->place_count);
    print_places(" b=", o->breakpoints, o->breakpoint_count);
    printf("%s\n", o->signals ? " signals" : "");
}

void print_place(const char *what, struct moment at)
{
    char *text = oracle_describe(&oracle, at);
    printf("  %-8s%s\n", what, text);
    free(text);
}

struct moment wanted_moment(const struct landing *l)
{
    return l->where == LANDS_AT_START ? session_first(session) : l->where == LANDS_AT_END ? session_last(session) : l->at;
}

/* Does the stop say why?  One at a breakpoint where it should end anyway may be called either. */
static bool right_reason(const struct landing *l, const struct order *o, const struct session_stop *stop)
{
    switch (l->where) {
    case LANDS_AT_START:
        return stop->why == WHY_START;
    case LANDS_AT_END:
        return stop->why == WHY_END;
    default:
        if (l->edge && !l->early)
            return stop->why == (o->direction == FORWARD ? WHY_THREAD_END : WHY_THREAD_START) || stop->why == WHY_BREAKPOINT;
        return l->early || o->movement == MOVE_CONTINUE ? stop->why == WHY_BREAKPOINT
                                                        : stop->why == WHY_STEPPED || stop->why == WHY_BREAKPOINT;
    }
}

static void complain(const struct order *o, struct moment from, const struct landing *l, const char *got, struct moment at)
{
    print_order(o, from);
    print_place("from", from);
    if (l->where == LANDS_NOWHERE)
        printf("  wanted  to be refused\n");
    else
        print_place(l->where == LANDS_AT ? l->early ? "wanted*" : "wanted" : "wanted|", wanted_moment(l));
    printf("  got     %s\n", got);
    print_place("", at);
}

/* From where the session stands.  False: they disagree. */
bool agree(const struct order *o, size_t from, const struct landing *l)
{
    struct session_stop stop;
    struct moment began = walk_instant(&oracle.walk, from)->at;
    struct error *err = move_among_breakpoints(o, &stop);
    struct moment at = here();
    bool good = err ? l->where == LANDS_NOWHERE && !moment_compare(at, began)
                    : l->where != LANDS_NOWHERE && !moment_compare(at, wanted_moment(l)) && right_reason(l, o, &stop);
    if (!good)
        complain(o, began, l, err ? error_text(err) : why_name(stop.why), at);
    error_destroy(err);
    return good;
}
