/* Catchpoints: the command that makes them, and the message when one is hit.
 *
 * A catchpoint on system calls stops twice at each call: before and after it. Both stops show the
 * call as strace would, the second one with its result.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* --- making ----------------------------------------------------------------------------------- */

static void say_caught(struct dbg *d, const struct debug_breakpoint *p, const char *kind,
                       const char *args)
{
    dbg_say(d, "Catchpoint %u: %s%s%s\n", p->number, kind, *args ? " " : "", args);
    json_unsigned(dbg_fields(d), "number", p->number);
}

static struct error *catch_event(struct dbg *d, const char *kind, const char *args, bool temporary)
{
    struct debug_breakpoint *p;
    const char *function = debug_catch_function(kind);
    bool panic = strcmp(kind, "panic") == 0;
    struct error *err = function || panic ? debug_no_arguments(args) : NULL;
    if (err)
        return err;
    if (function)
        return dbg_break_at(d, &(struct debug_break_order){.location = function,
                                                           .temporary = temporary,
                                                           .thread = CONTROL_THREAD_ANY});
    err = panic ? debug_catch_panic(d->debug, temporary, &p)
                : debug_catch_add(d->debug, kind, args, temporary, &p);
    if (!err)
        say_caught(d, p, kind, args);
    return err;
}

struct error *dbg_catch(struct dbg *d, const struct dbg_command *c, const char *args)
{
    static const char *const kinds[] = {"syscall", "signal", "fork",    "vfork", "exec",
                                        "exit",    "throw",  "rethrow", "catch", "panic"};
    for (size_t n = 0; n < countof(kinds); n++)
        if (debug_take_word(&args, kinds[n]))
            return catch_event(d, kinds[n], args, c->which);
    if (debug_take_word(&args, "load") || debug_take_word(&args, "unload"))
        return error_coded(ERROR_MISUSED,
                           "'ask list map' lists all loads of libraries with their moments; 'goto "
                           "current forward map where name ~ /NAME/' goes to the next one, and "
                           "backward to the last");
    return error_coded(ERROR_MISUSED,
                       "catch what? syscall [NAME...], signal [NAME...], fork, exec, "
                       "exit, throw, rethrow, catch or panic");
}

/* --- telling ---------------------------------------------------------------------------------- */

static void say_call(struct dbg *d, const struct plan_hit *hit, bool made)
{
    char room[32];
    char *text = debug_call_text(d->debug, hit, made);
    dbg_say(d, "%s %s\n", made ? "returned from system call" : "about to make system call", text);
    json_string(dbg_fields(d), "call", debug_call_name(hit->address, room));
    json_string(dbg_fields(d), "call_text", text);
    json_string(dbg_fields(d), "at", made ? "return" : "entry");
    free(text);
}

void dbg_say_catch(struct dbg *d, const struct debug_breakpoint *p, u32 location,
                   const struct plan_hit *hit)
{
    dbg_say(d, "Catchpoint %u: ", p->number);
    switch (p->type) {
    case BREAK_SYSCALL:
        say_call(d, hit, debug_catch_is_return(p, location));
        break;
    case BREAK_SIGNAL:
        dbg_say(d, "signal ");
        dbg_say_signal(d, (u32)hit->address);
        dbg_say(d, "\n");
        break;
    case BREAK_FORK:
        dbg_say(d, "process %llu was made\n", (unsigned long long)hit->address);
        break;
    case BREAK_EXEC:
        dbg_say(d, "about to become another program\n");
        break;
    default:
        dbg_say(d, "about to exit\n");
        break;
    }
    json_unsigned(dbg_fields(d), "catchpoint", p->number);
}
