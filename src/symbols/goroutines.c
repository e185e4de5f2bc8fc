/* Goroutines: reading the runtime's own list of them.
 *
 * Everything is read by the names of the runtime's fields, so that other versions of Go work as
 * long as the fields have these names.
 */
#include "symbols/goroutines.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/values_internal.h"

/* Status of a goroutine, as runtime2.go numbers them. SCAN is added while the collector looks. */
enum { STATUS_DEAD = 6, STATUS_SCAN = 0x1000, GOROUTINES_MOST = 1 << 20, REASON_LONGEST = 80 };

static const char *const go_states[] = {
    "idle", "runnable", "running", "system call", "waiting", "?", "dead", "?", "copying its stack",
    "preempted",
};

static u64 go_field(struct value *g, const char *path)
{
    u64 value;
    return std_word(g, path, &value) ? value : 0;
}

static struct value *go_variable(struct evaluation *v, const char *name)
{
    struct name_found found;
    struct value *value = NULL;
    if (!names_find(v, name, NULL, 1u << NAME_VARIABLE, &found))
        return NULL;
    struct found_variable variable = {.die = found.entry.die, .module = found.module};
    error_destroy(variables_value(v, &variable, &value));
    return value;
}

/* "chan receive", "sleep": text of the runtime, by number. */
static const char *wait_reason(struct evaluation *v, struct value *texts, u64 number)
{
    struct type *plain = texts ? type_plain(v, texts->type) : NULL;
    if (!plain || plain->kind != TYPE_ARRAY || !number || number >= plain->count)
        return NULL;
    struct value *text = value_element(texts, number);
    u64 length = go_field(text, "len"), address = go_field(text, "str");
    if (!length || length > REASON_LONGEST)
        return NULL;
    char *copy = values_alloc(v, length + 1);
    return v->symbols->host.read(v->symbols->host.context, address, copy, length) ? copy : NULL;
}

static bool read_goroutine(struct value *g, struct value *texts, struct goroutine *ret)
{
    u64 status = go_field(g, "atomicstatus.value");
    if (!status)
        status = go_field(g, "atomicstatus");
    status &= ~(u64)STATUS_SCAN;
    *ret = (struct goroutine){
        .id = go_field(g, "goid"), .thread_id = go_field(g, "m.procid"),
        .stack_low = go_field(g, "stack.lo"), .stack_high = go_field(g, "stack.hi"),
        .pc = go_field(g, "sched.pc"), .sp = go_field(g, "sched.sp"), .bp = go_field(g, "sched.bp"),
        .start_pc = go_field(g, "startpc"), .go_pc = go_field(g, "gopc"),
        .state = status < countof(go_states) ? go_states[status] : "?",
        .reason = strcmp(status < countof(go_states) ? go_states[status] : "?", "waiting") == 0
                      ? wait_reason(g->evaluation, texts, go_field(g, "waitreason")) : NULL,
    };
    return ret->id && status != STATUS_DEAD;
}

static int compare_ids(const void *a, const void *b)
{
    const struct goroutine *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

struct error *goroutines_list(struct evaluation *v, struct goroutine **ret, size_t *ret_count)
{
    struct list all = LIST(struct goroutine);
    struct shown list;
    struct value *allgs = go_variable(v, "runtime.allgs"),
                 *texts = go_variable(v, "runtime.waitReasonStrings");
    if (!allgs || !go_shown(allgs, &list) || !list.of || list.length > GOROUTINES_MOST)
        return error_new("the program has no goroutines, or no debug information of Go's runtime");
    for (u64 n = 0; n < list.length; n++) {
        struct goroutine one;
        if (read_goroutine(value_at(v, list.of, list.address + n * list.of->size, NULL), texts, &one))
            *(struct goroutine *)list_add(&all) = one;
    }
    if (all.count)
        qsort(all.items, all.count, sizeof(struct goroutine), compare_ids);
    *ret = all.items;
    *ret_count = all.count;
    return NULL;
}
