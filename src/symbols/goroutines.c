/* Goroutines: reading the runtime's own list of them.
 *
 * Everything is read by the names of the runtime's fields, so any version of Go works whose fields
 * have these names.
 */
#include "symbols/goroutines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/compile_internal.h"

/* Status of a goroutine, as numbered in runtime2.go. SCAN is added while the garbage collector
 * scans it. */
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

/* Returns the runtime's text for a reason to wait: "chan receive", "sleep". */
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
        if (read_goroutine(value_at(v, list.of, list.address + n * list.of->size, NULL), texts,
                           &one))
            *(struct goroutine *)list_add(&all) = one;
    }
    if (all.count)
        qsort(all.items, all.count, sizeof(struct goroutine), compare_ids);
    *ret = all.items;
    *ret_count = all.count;
    return NULL;
}

/* --- the one that a thread runs --------------------------------------------------------------- */

static bool field_address(struct value *g, const char *path, u64 *ret)
{
    u64 size;
    struct value *member = std_member(g, path);
    return member && value_memory(member, ret, &size);
}

bool goroutine_look(struct evaluation *v, struct goroutine_hold *hold)
{
    struct value *g0 = go_variable(v, "runtime.g0"); /* the shortest way to the type */
    struct value *g = g0 ? value_at(v, g0->type, hold->address, NULL) : NULL;
    if (!g || !field_address(g, "stack.lo", &hold->stack_at) || !field_address(g, "m", &hold->m_at))
        return false;
    hold->stack_low = go_field(g, "stack.lo");
    hold->stack_high = go_field(g, "stack.hi");
    u64 m = go_field(g, "m");
    if (m) {
        hold->m = m;
        hold->thread_id = go_field(g, "m.procid");
    }
    hold->sp = go_field(g, "sched.sp");
    return true;
}

bool goroutine_hold(struct evaluation *v, struct goroutine_hold *ret)
{
    enum { BEFORE_FS_BASE = 8 }; /* the offset of the runtime's thread-local `g` on x86-64 Linux */
    struct goroutine_hold hold = {0};
    const struct symbols_host *host = &v->symbols->host;
    if (!v->has_unit || dwarf_srclang(&v->unit) != DW_LANG_Go || !v->request.fs_base ||
        !v->registers)
        return false;
    if (!host->peek(host->context, v->request.fs_base - BEFORE_FS_BASE, &hold.address, 8) ||
        !hold.address || !goroutine_look(v, &hold))
        return false;
    u64 rsp = v->registers->reg[DWARF_RSP];
    if (rsp < hold.stack_low || rsp >= hold.stack_high)
        return false;
    *ret = hold;
    return true;
}

/* !(!m || m == known) */
void goroutine_thread_code(const struct goroutine_hold *hold, u8 **ret, size_t *ret_size)
{
    struct compiler c = {.code = LIST(u8)};
    code_constant(&c, hold->m_at);
    code_byte(&c, CODE_REF64);
    code_byte(&c, CODE_DUP);
    code_byte(&c, CODE_LOG_NOT);
    code_byte(&c, CODE_SWAP);
    code_constant(&c, hold->m);
    code_byte(&c, CODE_EQUAL);
    code_byte(&c, CODE_OR);
    code_byte(&c, CODE_LOG_NOT);
    code_byte(&c, CODE_END);
    *ret = c.code.items;
    *ret_size = c.code.count;
}
