/* Catchpoints: the command that makes them, and what is said when one was met.
 *
 * A catchpoint on system calls stops twice at each call: where it is about to be made, and where
 * it has been made.  Both stops show the call as strace would, the second one with its result.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/registers.h"
#include "front/debugger/dbg_internal.h"
#include "log/syscall_table.h"
#include "log/syscall_text.h"

const char *dbg_call_name(u64 number, char room[32])
{
    const struct syscall_row *row = number < SYSCALL_NUMBERS ? syscall_row_of(number) : NULL;
    if (row && row->name)
        snprintf(room, 32, "%s", row->name);
    else
        snprintf(room, 32, "%llu", (unsigned long long)number);
    return room;
}

/* --- making ----------------------------------------------------------------------------------- */

static struct error *call_number(const char *name, u64 *ret)
{
    *ret = ~0ull;
    if (!*name)
        return NULL;
    for (u64 n = 0; n < SYSCALL_NUMBERS; n++) {
        const struct syscall_row *row = syscall_row_of(n);
        if (row && row->name && strcmp(row->name, name) == 0) {
            *ret = n;
            return NULL;
        }
    }
    if (isdigit((u8)*name))
        return dbg_number(name, "system call", ret);
    return error_coded(ERROR_NOT_FOUND, "there is no system call '%s'", name);
}

static const struct { const char *name; u32 type; } catches[] = {
    {"syscall", BREAKPOINT_SYSCALL}, {"signal", BREAKPOINT_SIGNAL}, {"fork", BREAKPOINT_FORK},
    {"vfork", BREAKPOINT_FORK}, {"exec", BREAKPOINT_EXEC}, {"exit", BREAKPOINT_EXIT},
};

/* Exceptions of C++ pass through functions of its library, whose names every compiler knows. */
static const struct { const char *name, *function; } exceptions[] = {
    {"throw", "__cxa_throw"}, {"rethrow", "__cxa_rethrow"}, {"catch", "__cxa_begin_catch"},
};

static struct error *catch_panic(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char *location;
    struct error *err = dbg_no_arguments(args);
    if (!err)
        err = dbg_panic_location(d, &location);
    if (err)
        return err;
    struct dbg_breakpoint *p = dbg_breakpoints_add(d, BREAKPOINT_BREAK, location);
    free(location);
    p->temporary = c->which;
    p->is_panic = true;
    if ((err = dbg_breakpoint_resolve(d, p))) {
        dbg_break_take_back(d, p);
        return err;
    }
    dbg_say(d, "Catchpoint %u: panic\n", p->number);
    json_unsigned(dbg_fields(d), "number", p->number);
    return NULL;
}

/* Numbers of what the words name; none: any. */
static struct error *catch_numbers(u32 type, const char *args, struct list *ret)
{
    struct error *err = NULL;
    char *word;
    while (!err && (word = dbg_next_word(&args))) {
        u64 number;
        err = type == BREAKPOINT_SYSCALL ? call_number(word, &number)
                                         : dbg_signal_number(word, &number);
        if (!err)
            *(u64 *)list_add(ret) = number;
        free(word);
    }
    return err;
}

static struct error *catch_events(struct dbg *d, size_t row, const char *args, bool temporary)
{
    u32 type = catches[row].type;
    struct list numbers = LIST(u64);
    struct error *err = type == BREAKPOINT_SYSCALL || type == BREAKPOINT_SIGNAL
                            ? catch_numbers(type, args, &numbers)
                            : dbg_no_arguments(args);
    if (err) {
        list_deinit(&numbers);
        return err;
    }
    if (!numbers.count && type != BREAKPOINT_EXIT)
        *(u64 *)list_add(&numbers) = ~0ull;
    struct dbg_breakpoint *p = dbg_breakpoints_add(d, type, *args ? args : "any");
    p->numbers = numbers;
    p->temporary = temporary;
    dbg_say(d, "Catchpoint %u: %s%s%s\n", p->number, catches[row].name, *args ? " " : "", args);
    json_unsigned(dbg_fields(d), "number", p->number);
    return NULL;
}

struct error *dbg_catch(struct dbg *d, const struct dbg_command *c, const char *args)
{
    for (size_t n = 0; n < countof(exceptions); n++)
        if (dbg_take_word(&args, exceptions[n].name)) {
            struct error *err = dbg_no_arguments(args);
            return err ? err : dbg_break_add(d, exceptions[n].function, NULL, NULL, c->which);
        }
    if (dbg_take_word(&args, "panic"))
        return catch_panic(d, c, args);
    for (size_t row = 0; row < countof(catches); row++)
        if (dbg_take_word(&args, catches[row].name))
            return catch_events(d, row, args, c->which);
    return error_coded(ERROR_MISUSED, "catch what? syscall [NAME...], signal [NAME...], fork, exec, "
                       "exit, throw, rethrow, catch or panic");
}

/* --- telling ---------------------------------------------------------------------------------- */

static bool catch_read(void *context, void *to, struct gaddr from, size_t size)
{
    struct dbg *d = context;
    size_t got = 0;
    struct error *err = session_read(d->session, from.at, to, size, &got);
    error_destroy(err);
    return !err && got == size;
}

/* The call in one line, to be freed.  Just after a call its arguments are still in registers. */
static char *catch_call_text(struct dbg *d, const struct plan_hit *hit, bool made)
{
    struct control_registers registers;
    const u8 *vector;
    char room[32];
    struct error *err = session_registers(d->session, hit->thread, &registers, &vector);
    if (err) {
        error_destroy(err);
        return xformat("%s(...)", dbg_call_name(hit->address, room));
    }
    struct call_memory memory = {catch_read, d};
    struct call_made call;
#define ARGUMENT(index, name) [index] = registers.reg[name],
    const u64 args[SYSCALL_ARGS] = {REGISTERS_SYSCALL(ARGUMENT)};
#undef ARGUMENT
    call_begin(&call, hit->address, args, &memory);
    call.result = (i64)registers.reg[RAX];
    return made ? syscall_text(&call, &memory) : syscall_text_begun(&call, &memory);
}

static void say_call(struct dbg *d, const struct plan_hit *hit, bool made)
{
    char room[32];
    char *text = catch_call_text(d, hit, made);
    dbg_say(d, "%s %s\n", made ? "returned from system call" : "about to make system call", text);
    json_string(dbg_fields(d), "call", dbg_call_name(hit->address, room));
    json_string(dbg_fields(d), "call_text", text);
    json_string(dbg_fields(d), "at", made ? "return" : "entry");
    free(text);
}

static bool is_return(const struct dbg_breakpoint *p, u32 number)
{
    const struct dbg_location *locations = p->locations.items;
    for (size_t i = 0; i < p->locations.count; i++)
        if (locations[i].number == number)
            return locations[i].role == LOCATION_OF_RETURN;
    return false;
}

void dbg_say_catch(struct dbg *d, const struct dbg_breakpoint *p, u32 location,
                   const struct plan_hit *hit)
{
    dbg_say(d, "Catchpoint %u: ", p->number);
    switch (p->type) {
    case BREAKPOINT_SYSCALL:
        say_call(d, hit, is_return(p, location));
        break;
    case BREAKPOINT_SIGNAL:
        dbg_say(d, "signal ");
        dbg_say_signal(d, (u32)hit->address);
        dbg_say(d, "\n");
        break;
    case BREAKPOINT_FORK:
        dbg_say(d, "process %llu was made\n", (unsigned long long)hit->address);
        break;
    case BREAKPOINT_EXEC:
        dbg_say(d, "about to become another program\n");
        break;
    default:
        dbg_say(d, "about to exit\n");
        break;
    }
    json_unsigned(dbg_fields(d), "catchpoint", p->number);
}
