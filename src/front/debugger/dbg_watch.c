/* The commands that make watchpoints. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

struct watch_words {
    char *text;       /* owns the texts below */
    char *expression, *condition, *thread;
    bool any_store;   /* -w */
    bool location;    /* -l */
};

static struct error *read_words(const char *args, struct watch_words *ret)
{
    *ret = (struct watch_words){0};
    for (bool more = true; more;) {
        more = false;
        if (debug_take_word(&args, "-w"))
            ret->any_store = more = true;
        if (debug_take_word(&args, "-l") || debug_take_word(&args, "-location"))
            ret->location = more = true;
    }
    ret->text = ret->expression = xformat("%s", args);
    ret->condition = debug_cut_behind(ret->text, "if");
    ret->thread = debug_cut_behind(ret->text, "thread");
    if (ret->condition && !*ret->condition)
        return error_coded(ERROR_MISUSED, "a condition must follow 'if'");
    return *ret->text ? NULL
                      : error_coded(ERROR_MISUSED,
                                    "say what to watch: an expression, or -l ADDRESS LENGTH");
}

static void watch_say_made(struct dbg *d, const struct debug_breakpoint *p)
{
    const struct subject *s = p->watch->subject;
    dbg_say(d, "Watchpoint %u: %s", p->number, p->what);
    if (subject_is_looked_at(s))
        dbg_say(d, ", in a register: it is compared at each statement");
    else if (!s->is_fixed)
        dbg_say(d, ", wherever it leads");
    else if (strncmp(p->what, "-l ", 3) != 0 || s->type)
        dbg_say(d, ", %llu byte%s at 0x%llx", (unsigned long long)s->size, s->size == 1 ? "" : "s",
                (unsigned long long)s->address);
    char *call = debug_cover_call(s), *keeping = debug_keeping(s);
    dbg_say(d, "%s%s\n", *call ? "," : "", call);
    if (keeping)
        dbg_say(d, "T%s.\n", keeping + 1);
    free(call);
    free(keeping);
    json_unsigned(dbg_fields(d), "number", p->number);
}

/* watch, rwatch, awatch: `which` is the type of the breakpoint. */
struct error *dbg_watch(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct watch_words words;
    struct debug_breakpoint *p;
    u32 thread = CONTROL_THREAD_ANY;
    struct error *err = read_words(args, &words);
    if (!err && words.thread)
        err = debug_read_thread(words.thread, &thread);
    struct debug_watch_order order = {
        .type = (u32)c->which, .expression = words.expression, .condition = words.condition,
        .thread = thread, .any_store = words.any_store, .is_location = words.location,
    };
    if (!err)
        err = debug_watch_add(d->debug, &order, &p);
    if (!err)
        watch_say_made(d, p);
    free(words.text);
    return err;
}
