/* The text that is shown where a watchpoint is hit: the values, and which code made the access. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

void dbg_say_by(struct dbg *d, struct moment at, u32 thread, bool with_thread)
{
    struct symbols *symbols;
    struct line_place line;
    struct json *j = dbg_fields(d);
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err) {
        error_destroy(err);
        return;
    }
    const char *function = symbols_innermost(symbols, at.pc);
    bool lined = symbols_line(symbols, at.pc, &line);
    dbg_say(d, "by %s", function ? function : "??");
    json_open(j, "by", '{');
    json_string(j, "function", function);
    json_string(j, "file", lined ? line.file : NULL);
    if (lined) {
        char *file = dbg_short_path(d, line.file);
        dbg_say(d, " at %s:%u", file, line.line);
        free(file);
        json_unsigned(j, "line", line.line);
    }
    json_unsigned(j, "thread", thread);
    json_unsigned(j, "tick", at.tick);
    json_hex(j, "pc", at.pc);
    json_close(j, '}');
    if (with_thread)
        dbg_say(d, ", thread %u", thread);
    dbg_say(d, ", moment %llu:0x%llx", (unsigned long long)at.tick, (unsigned long long)at.pc);
}

void dbg_say_doer(struct dbg *d, struct moment at, u32 thread)
{
    dbg_say(d, "    ");
    dbg_say_by(d, at, thread, true);
    dbg_say(d, "\n");
}

/* `old` NULL: a local that its frame has not written before. */
void dbg_say_values(struct dbg *d, const struct debug_breakpoint *p, const struct plan_hit *hit,
                    const char *what, const char *old, const char *new)
{
    dbg_say(d, "Watchpoint %u: ", p->number);
    dbg_colour(d, "1");
    if (!hit->written)
        dbg_say(d, "%s read: %s", what, new);
    else if (!old)
        dbg_say(d, "%s  first written: %s", what, new);
    else if (strcmp(old, new) == 0)
        dbg_say(d, "%s  %s, written again", what, new);
    else
        dbg_say(d, "%s  %s -> %s", what, old, new);
    dbg_colour(d, "");
    dbg_say(d, "\n");
    json_unsigned(dbg_fields(d), "watchpoint", p->number);
    json_string(dbg_fields(d), "old", old);
    json_string(dbg_fields(d), "new", new);
    dbg_say_doer(d, (struct moment){hit->tick, hit->pc}, hit->thread);
}

static void say_bound(struct dbg *d, const struct debug_breakpoint *p,
                      const struct debug_change *change)
{
    char *frame = debug_subject_frame(p->watch->subject);
    dbg_say(d, "Watchpoint %u: %s: %s %s.\n", p->number, p->what, frame,
            change->kind == CHANGE_FRAME_BEGINS ? "has not begun yet" : "has ended");
    json_unsigned(dbg_fields(d), "watchpoint", p->number);
    free(frame);
}

void dbg_watch_say(struct dbg *d, const struct debug_stop *s)
{
    const struct debug_change *change = &s->change;
    if (change->kind == CHANGE_OF_DATA)
        dbg_say_values(d, s->breakpoint, &s->hit, change->what, change->old, change->new);
    else
        say_bound(d, s->breakpoint, change);
}
