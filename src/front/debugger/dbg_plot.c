/* Plots a value over time with characters: ticks from left to right, the value from bottom to top.
 *
 * Each column is a stretch of the time between the first change and the last. It shows all values
 * in that stretch: a dot if the value did not change, otherwise a bar from the lowest to the
 * highest.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { ROWS = 12, COLUMNS = 64, LABEL = 12 };

struct plot {
    double low, high; /* of all values */
    u64 first, last;  /* ticks */
    struct column {
        bool any;
        double low, high;
    } column[COLUMNS];
};

static void widen(struct column *c, double value)
{
    c->low = c->any && c->low < value ? c->low : value;
    c->high = c->any && c->high > value ? c->high : value;
    c->any = true;
}

static size_t dbg_plot_column_of(const struct plot *p, u64 tick)
{
    double share =
        p->last > p->first ? (double)(tick - p->first) / (double)(p->last - p->first) : 0;
    return (size_t)(share * (COLUMNS - 1) + 0.5);
}

static int row_of(const struct plot *p, double value)
{
    return p->high > p->low ? (int)((value - p->low) / (p->high - p->low) * (ROWS - 1) + 0.5) : 0;
}

/* The changes are ordered newest first. */
static void dbg_plot_fill(struct plot *p, struct subject *s, const struct history_answer *a)
{
    double value;
    size_t at = 0;
    for (size_t i = a->count; i-- > 0;) {
        const struct history_change *c = &a->changes[i];
        size_t to = dbg_plot_column_of(p, c->at.tick);
        if (subject_number(s, &c->old, &value))
            for (; at < to; at++)
                widen(&p->column[at], value);
        at = to;
        if (subject_number(s, &c->old, &value))
            widen(&p->column[at], value);
        if (subject_number(s, &c->new, &value))
            widen(&p->column[at], value);
    }
}

static void find_range(struct plot *p)
{
    struct column all = {0};
    for (size_t i = 0; i < COLUMNS; i++)
        if (p->column[i].any) {
            widen(&all, p->column[i].low);
            widen(&all, p->column[i].high);
        }
    p->low = all.low;
    p->high = all.high;
}

static char mark(const struct plot *p, const struct column *c, int row)
{
    int low = row_of(p, c->low), high = row_of(p, c->high);
    if (!c->any || row < low || row > high)
        return ' ';
    return low == high ? '*' : row == low || row == high ? '*' : '|';
}

static void say_plot(struct dbg *d, const struct plot *p)
{
    for (int row = ROWS; row-- > 0;) {
        char label[32] = "", line[COLUMNS + 1];
        if (row == ROWS - 1 || row == 0)
            snprintf(label, sizeof label, "%.10g", row ? p->high : p->low);
        for (size_t i = 0; i < COLUMNS; i++)
            line[i] = mark(p, &p->column[i], row);
        line[COLUMNS] = '\0';
        dbg_say(d, "%*s |%s\n", LABEL, label, line);
    }
    dbg_say(d, "%*s +", LABEL, "");
    for (size_t i = 0; i < COLUMNS; i++)
        dbg_say(d, "-");
    dbg_say(d, "\n%*s  tick %-*llu%llu\n", LABEL, "", COLUMNS - 16, (unsigned long long)p->first,
            (unsigned long long)p->last);
}

void dbg_plot(struct dbg *d, struct subject *s, const struct history_answer *a)
{
    struct plot p = {0};
    double value;
    if (!a->count)
        return;
    p.first = a->changes[a->count - 1].at.tick;
    p.last = a->changes[0].at.tick;
    dbg_plot_fill(&p, s, a);
    find_range(&p);
    if (subject_number(s, &a->changes[0].new, &value) ||
        subject_number(s, &a->changes[0].old, &value))
        say_plot(d, &p);
    else
        dbg_say(d, "%s is not a number, so it cannot be drawn.\n", s->expression);
}
