/* Catchpoints: making them, and describing the system call that was caught.
 *
 * A catchpoint on system calls stops twice at each call: before and after it. Both stops show the
 * call as strace would, the second one with its result.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/registers.h"
#include "debug/debug_internal.h"
#include "log/syscall_table.h"
#include "log/syscall_text.h"

const char *debug_call_name(u64 number, char room[32])
{
    const struct syscall_row *row = number < SYSCALL_NUMBERS ? syscall_row_of(number) : NULL;
    if (row && row->name)
        snprintf(room, 32, "%s", row->name);
    else
        snprintf(room, 32, "%llu", (unsigned long long)number);
    return room;
}

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
        return debug_number(name, "system call number", ret);
    return error_coded(ERROR_NOT_FOUND, "there is no system call '%s'", name);
}

static const struct { const char *name; u32 type; } catches[] = {
    {"syscall", BREAK_SYSCALL}, {"signal", BREAK_SIGNAL}, {"fork", BREAK_FORK},
    {"vfork", BREAK_FORK}, {"exec", BREAK_EXEC}, {"exit", BREAK_EXIT},
};

/* C++ exceptions pass through library functions whose names are the same for all compilers. */
static const struct { const char *name, *function; } exceptions[] = {
    {"throw", "__cxa_throw"}, {"rethrow", "__cxa_rethrow"}, {"catch", "__cxa_begin_catch"},
};

/* Returns the numbers that the words name; an empty list: any. */
static struct error *catch_numbers(u32 type, const char *args, struct list *ret)
{
    struct error *err = NULL;
    char *word;
    while (!err && (word = debug_next_word(&args))) {
        u64 number;
        err = type == BREAK_SYSCALL ? call_number(word, &number)
                                         : debug_signal_number(word, &number);
        if (!err)
            *(u64 *)list_add(ret) = number;
        free(word);
    }
    return err;
}

struct error *debug_catch_add(struct debug *d, const char *kind, const char *args, bool temporary,
                              struct debug_breakpoint **ret)
{
    size_t row = 0;
    while (row < countof(catches) && strcmp(catches[row].name, kind) != 0)
        row++;
    if (row == countof(catches))
        return error_coded(ERROR_NOT_FOUND, "there is no kind of event '%s'", kind);
    u32 type = catches[row].type;
    struct list numbers = LIST(u64);
    struct error *err = type == BREAK_SYSCALL || type == BREAK_SIGNAL
                            ? catch_numbers(type, args, &numbers)
                            : debug_no_arguments(args);
    if (err) {
        list_deinit(&numbers);
        return err;
    }
    if (!numbers.count && type != BREAK_EXIT)
        *(u64 *)list_add(&numbers) = ~0ull;
    struct debug_breakpoint *p = debug_breakpoints_add(d, type, *args ? args : "any");
    p->numbers = numbers;
    p->temporary = temporary;
    *ret = p;
    return NULL;
}

const char *debug_catch_function(const char *kind)
{
    for (size_t n = 0; n < countof(exceptions); n++)
        if (strcmp(exceptions[n].name, kind) == 0)
            return exceptions[n].function;
    return NULL;
}

static bool catch_read(void *context, void *to, struct gaddr from, size_t size)
{
    struct debug *d = context;
    size_t got = 0;
    struct error *err = session_read(d->session, from.at, to, size, &got);
    error_destroy(err);
    return !err && got == size;
}

/* Shows the call in one line; the caller frees it. Just after a call its arguments are still in
 * registers. */
char *debug_call_text(struct debug *d, const struct plan_hit *hit, bool made)
{
    struct control_registers registers;
    const u8 *vector;
    char room[32];
    struct error *err = session_registers(d->session, hit->thread, &registers, &vector);
    if (err) {
        error_destroy(err);
        return xformat("%s(...)", debug_call_name(hit->address, room));
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

bool debug_catch_is_return(const struct debug_breakpoint *p, u32 number)
{
    const struct debug_location *locations = p->locations.items;
    for (size_t i = 0; i < p->locations.count; i++)
        if (locations[i].number == number)
            return locations[i].is_return;
    return false;
}
