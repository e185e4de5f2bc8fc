/* until, buntil and first: prints where they stopped. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* `alone`: no other message tells the same. */
static void say_reached(struct dbg *d, const struct debug_goal *g, enum session_direction direction,
                        bool alone)
{
    const char *what = g->subject->expression;
    char *call = debug_cover_call(g->subject);
    if (g->subject->is_condition) {
        dbg_say(d, direction == FORWARD ? "%s has become true%s.\n" : "%s becomes true here%s.\n",
                what, call);
    } else if (g->new && g->is_first) {
        dbg_say(d, "%s  first written: %s%s\n", what, g->new, call);
        if (alone)
            json_string(dbg_fields(d), "new", g->new);
    } else if (g->old && g->new) {
        dbg_say(d, "%s  %s -> %s%s\n", what, g->old, g->new, call);
        if (alone)
            json_string(dbg_fields(d), "old", g->old);
        if (alone)
            json_string(dbg_fields(d), "new", g->new);
    } else {
        dbg_say(d, direction == FORWARD ? "%s has changed%s.\n" : "%s changes here%s.\n", what,
                call);
    }
    free(call);
    if (g->at.tick && alone)
        dbg_say_doer(d, g->at, g->thread);
}

/* Prints "x does not change before", and which part of the run was searched. */
static void say_never(struct dbg *d, const struct debug_goal *g, enum session_direction direction)
{
    char *cover = debug_cover_text(d->debug, g->subject, &g->cover),
         *keeping = debug_keeping(g->subject);
    dbg_say(d, "%s does not %s %s: %s.\n", g->subject->expression,
            g->subject->is_condition ? "become true" : "change",
            direction == FORWARD ? "any more" : "before", cover);
    if (keeping)
        dbg_say(d, "T%s.\n", keeping + 1);
    free(cover);
    free(keeping);
}

static void say_frame(struct dbg *d, const struct debug_goal *g)
{
    char *frame = debug_subject_frame(g->subject);
    dbg_say(d, "%c%s %s.\n", toupper((u8)frame[0]), frame + 1,
            g->outcome == FRAME_ENDED ? "has ended" : "has not begun yet");
    free(frame);
}

/* Prints the result; returns the reason for JSON, or NULL: something else caused the stop and is
 * printed elsewhere. */
const char *dbg_goal_say(struct dbg *d, const struct debug_goal *g,
                         enum session_direction direction, const struct session_stop *stop)
{
    const char *what = g->subject->expression;
    bool is_end = stop->why == WHY_START || stop->why == WHY_END;
    switch (g->outcome) {
    case REACHED:
        say_reached(d, g, direction, stop->why == WHY_STEPPED);
        return stop->why == WHY_STEPPED ? "until" : NULL;
    case FRAME_ENDED:
    case FRAME_NOT_BEGUN:
        say_never(d, g, direction);
        say_frame(d, g);
        return stop->why == WHY_STEPPED ? "frame" : NULL;
    case HELD:
        dbg_say(d, "%s has held since %s.\n", what,
                g->cover.from_write ? "its first write in this call"
                : subject_is_local(g->subject) ? "the call of its function" : "the start");
        return stop->why == WHY_STEPPED ? "until" : NULL;
    default:
        if (is_end)
            say_never(d, g, direction);
        return NULL;
    }
}
