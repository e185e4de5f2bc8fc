/* Calls, returns, statements and blocks in a pass.
 *
 * A call has two sites. At the first instruction arguments are in registers and the return address
 * is on top of the stack. The second site is where a breakpoint on the function stops; parameters
 * can be read there, so it is the moment of the event. If the function jumps back to the second
 * site, only the first time after the first instruction counts.
 *
 * Returns have sites at the return addresses. If a call returns to an address without a site, the
 * pass stops at the first instruction of that call, and sites are laid again.
 */
#include <stdio.h>
#include <string.h>

#include "query/ask_asking_internal.h"

/* --- which functions -------------------------------------------------------------------------- */

static const char *const alloc_names[] = {"malloc", "calloc", "realloc", "memalign",
                                          "aligned_alloc", "valloc", "pvalloc"};
static const char *const free_names[] = {"free"};
static const char *const throw_names[] = {"__cxa_throw", "__cxa_rethrow", "rust_panic"};
/* Functions that end calls without a return. */
static const char *const jump_names[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
static const char *const raise_names[] = {"_Unwind_RaiseException", "_Unwind_ForcedUnwind",
                                          "_Unwind_Resume_or_Rethrow"};
static const char *const catch_names[] = {"__cxa_begin_catch", "_Unwind_Resume"};

static struct error *ask_find_functions(struct asking *a)
{
    switch (a->q->type) {
    case ASK_ALLOC:
        ask_functions_named(a->symbols, alloc_names, countof(alloc_names), &a->functions);
        return NULL;
    case ASK_FREE:
        ask_functions_named(a->symbols, free_names, countof(free_names), &a->functions);
        return NULL;
    case ASK_EXCEPTION:
        ask_functions_named(a->symbols, throw_names, countof(throw_names), &a->functions);
        return NULL;
    default:
        return ask_functions_find(a->q, a->symbols, &a->functions);
    }
}

/* True if code of the function jumps to where a breakpoint stops. An indirect jump may. */
static bool body_loops(struct asking *a, const struct ask_function *f)
{
    struct function_info info;
    struct instruction *list;
    size_t count;
    bool loops = false;
    if (f->body == f->entry)
        return false; /* both sites are the same: every hit is at the first instruction */
    if (!symbols_function(a->symbols, f->entry, &info))
        return true;
    symbols_instructions(a->symbols, info.start, info.end, &list, &count);
    for (size_t i = 0; i < count; i++)
        loops |= list[i].kind == INSTRUCTION_JUMP &&
                 (!list[i].target || list[i].target == f->body);
    free(list);
    return loops;
}

/* True if the program must be looked at to tell what a function returned. */
static bool returns_need_look(struct asking *a, u64 entry)
{
    const u64 none[2] = {0, 0};
    struct values_request nowhere = {0};
    struct evaluation *v;
    struct value *value = NULL;
    struct error *err = values_open(a->symbols, &nowhere, &v);
    if (err) {
        error_destroy(err);
        return true;
    }
    err = values_returned(v, entry, none, &value);
    char kind = !err && value ? value_number_kind(value) : 0;
    struct function_info info;
    bool known = symbols_function(a->symbols, entry, &info) && info.has_lines;
    bool needs = err ? known : value && kind != 'd' && kind != 'u';
    if (needs && !err) { /* an address that does not point to text is a number, too */
        char *type = value_type(value);
        size_t length = strlen(type);
        needs = !(length && type[length - 1] == '*' && !strstr(type, "char"));
        free(type);
    }
    error_destroy(err);
    values_close(v);
    return needs;
}

static bool shows_results(const struct asking *a)
{
    bool used = ask_attributes_used(a->q->context) >> HAS_RET & 1;
    return (a->q->type == ASK_RETURN && (!a->how->counts_only || used)) || a->how->whole_calls;
}

struct error *asking_prepare_calls(struct asking *a)
{
    struct error *err = ask_find_functions(a);
    if (err)
        return err;
    a->follows_returns = a->q->type == ASK_RETURN || a->q->type == ASK_ALLOC ||
                         a->how->whole_calls;
    a->loops = xalloc(a->functions.count + 1);
    for (size_t i = 0; i < a->functions.count; i++)
        a->loops[i] = body_loops(a, &a->functions.list[i]);
    if (a->follows_returns) {
        ask_functions_named(a->symbols, jump_names, countof(jump_names), &a->jumps);
        ask_functions_named(a->symbols, raise_names, countof(raise_names), &a->raises);
        ask_functions_named(a->symbols, catch_names, countof(catch_names), &a->catches);
    }
    for (size_t i = 0; i < a->functions.count && shows_results(a) && !a->looks_at_returns; i++)
        a->looks_at_returns = returns_need_look(a, a->functions.list[i].entry);
    return NULL;
}

/* --- sites of calls --------------------------------------------------------------------------- */

static bool is_of_body(const struct asking *a)
{
    return a->q->type == ASK_CALL;
}

/* True if rows of calls show values that must be read at the second site. */
static bool looks_at_body(const struct asking *a)
{
    return is_of_body(a) && (a->looks || !a->how->counts_only);
}

static bool wants_entry(const struct asking *a, size_t index)
{
    u32 used = ask_attributes_used(a->q->context);
    return !is_of_body(a) || a->follows_returns || !a->how->counts_only || a->loops[index] ||
           used & (1u << HAS_ARG | 1u << HAS_CALLER);
}

static void add_code_site(struct asking *a, u64 pc, u32 flags, enum ask_role role, u32 index)
{
    asking_add_site(a, (struct plan_site){.kind = SITE_CODE, .address = pc, .flags = flags}, role,
                    index);
}

void asking_lay_calls(struct asking *a)
{
    const u64 *returns = a->returns.items;
    bool at_entry = a->q->type == ASK_FREE || a->q->type == ASK_EXCEPTION;
    u32 entry_looks = at_entry && a->looks ? PLAN_ENDS : 0;
    for (size_t i = 0; i < a->functions.count; i++) {
        const struct ask_function *f = &a->functions.list[i];
        if (wants_entry(a, i))
            add_code_site(a, f->entry, PLAN_REGISTERS | entry_looks, ROLE_ENTRY, (u32)i);
        if (a->follows_returns)
            add_code_site(a, f->entry, PLAN_REGISTERS | PLAN_NEW_RETURN | PLAN_ENDS, ROLE_NEW,
                          (u32)i);
        if (is_of_body(a))
            add_code_site(a, f->body, looks_at_body(a) ? PLAN_ENDS : 0, ROLE_BODY, (u32)i);
    }
    bool looks = (a->looks && !is_of_body(a)) || a->looks_at_returns;
    for (size_t i = 0; i < a->returns.count; i++)
        add_code_site(a, returns[i], PLAN_REGISTERS | (looks ? PLAN_ENDS : 0), ROLE_BACK, 0);
    for (size_t i = 0; i < a->jumps.count; i++)
        add_code_site(a, a->jumps.list[i].entry, PLAN_REGISTERS | PLAN_ENDS, ROLE_JUMP, 0);
    for (size_t i = 0; i < a->raises.count; i++)
        add_code_site(a, a->raises.list[i].entry, PLAN_REGISTERS, ROLE_RAISE, 0);
    for (size_t i = 0; i < a->catches.count; i++)
        add_code_site(a, a->catches.list[i].entry, PLAN_REGISTERS, ROLE_CATCH, 0);
}

/* --- statements and blocks -------------------------------------------------------------------- */

static void ask_add_point(struct asking *a, u64 pc)
{
    enum ask_truth truth = ASK_FALSE;
    struct ask_event e = {.type = a->q->type, .pc = pc};
    bool wants = a->wants_places;
    a->wants_places = true;
    asking_place(a, &e);
    a->wants_places = wants;
    e.known &= ~(1u << HAS_THREAD | 1u << HAS_TICK);
    if (!a->err)
        a->err = ask_holds(a->q->context, &e, NULL, &truth);
    if (truth != ASK_FALSE)
        *(u64 *)list_add(&a->points) = pc;
}

/* Adds the instructions that begin a block: targets of jumps, and instructions after a jump. */
static void add_blocks(struct asking *a, u64 entry)
{
    struct function_info info;
    struct instruction *list;
    size_t count;
    if (!symbols_function(a->symbols, entry, &info))
        return;
    symbols_instructions(a->symbols, info.start, info.end, &list, &count);
    bool *leads = xalloc(count + 2);
    memset(leads, 0, count + 2);
    leads[0] = true;
    for (size_t i = 0; i < count; i++) {
        if (list[i].kind == INSTRUCTION_JUMP || list[i].kind == INSTRUCTION_RETURN)
            leads[i + 1] = true;
        for (size_t n = 0; list[i].kind == INSTRUCTION_JUMP && n < count; n++)
            leads[n] |= list[n].pc == list[i].target;
    }
    for (size_t i = 0; i < count; i++)
        if (leads[i])
            ask_add_point(a, list[i].pc);
    free(leads);
    free(list);
}

struct error *asking_prepare_points(struct asking *a)
{
    size_t count;
    u64 last = 0;
    const struct step_point *points = symbols_step_points(a->symbols, &count);
    for (size_t i = 0; i < a->how->point_count && !a->err; i++)
        ask_add_point(a, a->how->points[i]);
    a->looks |= a->how->shown_count > 0;
    for (size_t i = 0; i < count && !a->how->points && !a->err; i++) {
        if (a->q->type == ASK_LINE)
            ask_add_point(a, points[i].pc);
        else if (points[i].function && points[i].function != last)
            add_blocks(a, last = points[i].function);
    }
    struct error *err = a->err;
    a->err = NULL;
    return err;
}

void asking_lay_points(struct asking *a)
{
    const u64 *points = a->points.items;
    for (size_t i = 0; i < a->points.count; i++)
        add_code_site(a, points[i], a->looks ? PLAN_ENDS : 0, ROLE_POINT, (u32)i);
}

/* Text as the program would print it, other values as `print` shows them. */
static char *shown_value(struct value *value)
{
    char *text = NULL;
    if (value_is_text(value))
        error_destroy(value_text(value, false, &text));
    return text ? text : value_show(value, 0);
}

/* Values of expressions that were asked for: cells whose texts are to be freed. */
static void shown_cells(struct asking *a, struct ask_look *look, struct ask_row *row)
{
    struct evaluation *v;
    struct value *value;
    for (size_t i = 0; i < a->how->shown_count; i++) {
        struct error *err = ask_look_evaluation(look, &v);
        if (!err)
            err = values_evaluate(v, a->how->shown[i], &value);
        ask_row_cell(row, a->how->shown[i],
                     err ? xformat("<%s>", error_text(err)) : shown_value(value));
        error_destroy(err);
    }
}

static void free_cells(struct ask_row *row, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        free((char *)row->cells[i].text);
}

static void take_point(struct asking *a, const struct plan_hit *hit, struct ask_look *look)
{
    struct ask_event e = {.type = a->q->type, .at = {hit->tick, hit->pc}, .thread = hit->thread,
                          .pc = hit->pc};
    asking_place(a, &e);
    if (!asking_is_wanted(a, &e, look))
        return;
    struct ask_row row = asking_row(&e);
    if (look)
        shown_cells(a, look, &row);
    ask_rows_add(&a->rows, &row);
    free_cells(&row, 0, row.cell_count);
}

/* --- events of calls -------------------------------------------------------------------------- */

static char *caller_of(struct asking *a, u64 return_pc)
{
    struct function_info info;
    if (!return_pc || !symbols_function(a->symbols, return_pc - 1, &info))
        return NULL;
    return symbols_bare_name(info.name);
}

/* Fills in what every event of a call has. `act` may be NULL if nothing of it was needed. */
static void fill_call(struct asking *a, struct ask_event *e, u32 function,
                      const struct ask_activation *act)
{
    const struct ask_function *f = &a->functions.list[function];
    e->type = a->q->type;
    asking_place(a, e);
    e->function = f->name;
    e->known |= 1u << HAS_FUNC;
    if (!act)
        return;
    e->known |= 1u << HAS_ARG | 1u << HAS_CALLER;
    memcpy(e->args, act->args, sizeof act->args);
    e->arg_count = countof(act->args);
    e->caller = a->wants_places || ask_attributes_used(a->q->context) >> HAS_CALLER & 1
                    ? caller_of(a, act->return_pc)
                    : NULL;
}

/* Makes cells with the parameters as text; the caller frees their texts. */
static struct error *parameter_cells(struct ask_look *look, struct ask_row *row)
{
    struct evaluation *v;
    struct variable *list;
    size_t count = 0;
    struct error *err = ask_look_evaluation(look, &v);
    if (!err)
        err = values_variables(v, true, &list, &count);
    for (size_t i = 0; i < count && !err && row->cell_count + 4 < ASK_CELLS_MOST; i++)
        ask_row_cell(row, list[i].name,
                     list[i].value ? value_show_argument(list[i].value)
                                   : xformat("<%s>", list[i].missing));
    return err;
}

static void hold_whole(struct asking *a, struct ask_activation *act, const struct ask_row *row)
{
    act->row = a->whole_first + a->whole.count + 1;
    *(struct ask_whole *)list_add(&a->whole) = (struct ask_whole){.row = ask_row_copy(row)};
}

static void hand_out_call(struct asking *a, struct ask_event *e, struct ask_look *look,
                          struct ask_activation *act)
{
    struct ask_row row = asking_row(e);
    size_t parameters = 0;
    if (!a->how->counts_only && look) {
        struct error *err = parameter_cells(look, &row);
        if (err && !a->err)
            a->err = err;
        parameters = row.cell_count;
        if (e->caller)
            ask_row_cell(&row, "caller", e->caller);
    }
    if (a->how->whole_calls && act)
        hold_whole(a, act, &row);
    else
        ask_rows_add(&a->rows, &row);
    free_cells(&row, 0, parameters);
}

static void take_body(struct asking *a, const struct plan_hit *hit, u32 function, bool looks)
{
    struct ask_activation *act = NULL;
    if (wants_entry(a, function)) {
        act = ask_calls_begin(&a->calls, function, hit);
        /* the call was entered before the stretch, unless code jumps here */
        if (!act && a->loops[function])
            return;
    }
    struct ask_event e = {.at = {hit->tick, hit->pc}, .thread = hit->thread, .pc = hit->pc};
    struct ask_look look = asking_look(a, hit->thread);
    look.outermost_inlined = true;
    fill_call(a, &e, function, act);
    if (asking_is_wanted(a, &e, looks ? &look : NULL))
        hand_out_call(a, &e, looks ? &look : NULL, act);
    if (act && !a->follows_returns)
        ask_calls_drop(&a->calls, act);
    ask_look_end(&look);
    free(e.caller);
}

/* --- returns ---------------------------------------------------------------------------------- */

/* Returns the function's result as text; NULL: it has none, or it is not known. */
static char *returned_text(struct asking *a, struct ask_look *look, u64 entry,
                           const struct plan_hit *hit)
{
    struct values_request nowhere = {0};
    struct evaluation *v = NULL, *own = NULL;
    struct value *value = NULL;
    u64 rax_rdx[2] = {hit->after_pc, 0};
    memcpy(&rax_rdx[1], hit->new, sizeof(u64));
    struct error *err = look ? ask_look_evaluation(look, &v)
                             : values_open(a->symbols, &nowhere, &own);
    if (!err)
        err = values_returned(look ? v : own, entry, rax_rdx, &value);
    char *text = !err && value ? value_show_argument(value)
                 : err         ? xformat("0x%llx", (unsigned long long)hit->after_pc)
                               : NULL;
    error_destroy(err);
    values_close(own);
    return text;
}

static void end_whole(struct asking *a, const struct ask_activation *act, const char *text,
                      u64 ticks)
{
    if (!act->row || act->row <= a->whole_first)
        return;
    struct ask_whole *w = (struct ask_whole *)a->whole.items + (act->row - 1 - a->whole_first);
    if (text)
        ask_row_cell(&w->row, xformat("returned"), xformat("%s", text));
    if (text || ticks)
        ask_row_cell(&w->row, xformat("ticks"), xformat("%llu", (unsigned long long)ticks));
    w->is_over = true;
}

/* Reports rows of calls in the order in which the calls began. */
static void hand_out_whole(struct asking *a, bool all)
{
    struct ask_whole *whole = a->whole.items;
    size_t n = 0;
    while (n < a->whole.count && (all || whole[n].is_over)) {
        if (!whole[n].is_over)
            ask_row_cell(&whole[n].row, xformat("returned"), xformat("never"));
        if (!a->rows.enough)
            ask_rows_add(&a->rows, &whole[n].row);
        ask_row_free(&whole[n].row);
        n++;
    }
    memmove(whole, whole + n, (a->whole.count - n) * sizeof *whole);
    a->whole.count -= n;
    a->whole_first += n;
}

void asking_lose_call(void *context, struct ask_activation *act)
{
    struct asking *a = context;
    if (!a->how->whole_calls || !act->row || act->row <= a->whole_first)
        return;
    struct ask_whole *w = (struct ask_whole *)a->whole.items + (act->row - 1 - a->whole_first);
    ask_row_cell(&w->row, xformat("returned"), xformat("never"));
    w->is_over = true;
    hand_out_whole(a, false);
}

static void hand_out_return(struct asking *a, struct ask_event *e, const char *text,
                            const struct ask_activation *act)
{
    struct ask_row row = asking_row(e);
    char *ticks = xformat("%llu", (unsigned long long)(e->at.tick - act->entered.tick));
    char *addr = xformat("0x%llx", (unsigned long long)e->addr);
    char *size = xformat("%llu", (unsigned long long)e->size);
    if (a->q->type == ASK_ALLOC) {
        ask_row_cell(&row, "addr", addr);
        ask_row_cell(&row, "size", size);
    } else {
        if (text)
            ask_row_cell(&row, "returned", text);
        ask_row_cell(&row, "ticks", ticks);
    }
    if (e->caller)
        ask_row_cell(&row, "caller", e->caller);
    ask_rows_add(&a->rows, &row);
    free(ticks);
    free(addr);
    free(size);
}

static void fill_allocation(struct ask_event *e, const char *name, const struct ask_activation *act)
{
    bool product = !strcmp(name, "calloc");
    bool second = !strcmp(name, "realloc") || !strcmp(name, "memalign") ||
                  !strcmp(name, "aligned_alloc");
    e->size = product ? act->args[0] * act->args[1] : act->args[second];
    e->addr = e->ret;
    e->known |= 1u << HAS_ADDR | 1u << HAS_SIZE;
}

static void take_one_return(struct asking *a, const struct plan_hit *hit,
                            const struct ask_activation *act, bool looks)
{
    const struct ask_function *f = &a->functions.list[act->function];
    struct ask_event e = {.at = {hit->tick, hit->pc}, .thread = hit->thread, .pc = hit->pc,
                          .ret = hit->after_pc, .known = 1u << HAS_RET};
    struct ask_look look = asking_look(a, hit->thread);
    look.returned = f->name;
    if (a->how->whole_calls) {
        char *text = act->row ? returned_text(a, looks ? &look : NULL, f->entry, hit) : NULL;
        end_whole(a, act, text, hit->tick - act->entered.tick);
        free(text);
        hand_out_whole(a, false);
        ask_look_end(&look);
        return;
    }
    fill_call(a, &e, act->function, act);
    if (a->q->type == ASK_ALLOC)
        fill_allocation(&e, f->name, act);
    if (asking_is_wanted(a, &e, looks ? &look : NULL)) {
        char *text = a->how->counts_only || a->q->type == ASK_ALLOC
                         ? NULL
                         : returned_text(a, looks ? &look : NULL, f->entry, hit);
        hand_out_return(a, &e, text, act);
        free(text);
    }
    ask_look_end(&look);
    free(e.caller);
}

static void take_back(struct asking *a, const struct plan_hit *hit, bool looks)
{
    struct ask_activation act;
    while (!a->err && ask_calls_return(&a->calls, hit, &act))
        take_one_return(a, hit, &act, looks);
}

/* --- entries ---------------------------------------------------------------------------------- */

/* For `free` and exceptions, the event is at the first instruction. */
static void take_entry_event(struct asking *a, const struct plan_hit *hit,
                             const struct ask_activation *act, bool looks)
{
    struct ask_event e = {.at = {hit->tick, hit->pc}, .thread = hit->thread, .pc = hit->pc,
                          .addr = act->args[0]};
    struct ask_look look = asking_look(a, hit->thread);
    fill_call(a, &e, act->function, act);
    if (a->q->type == ASK_FREE)
        e.known |= 1u << HAS_ADDR;
    if (asking_is_wanted(a, &e, looks ? &look : NULL)) {
        struct ask_row row = asking_row(&e);
        char *what = a->q->type == ASK_FREE ? xformat("0x%llx", (unsigned long long)e.addr)
                                            : symbols_describe(a->symbols, act->args[1]);
        ask_row_cell(&row, a->q->type == ASK_FREE ? "addr" : "type", what);
        if (e.caller)
            ask_row_cell(&row, "caller", e.caller);
        ask_rows_add(&a->rows, &row);
        free(what);
    }
    ask_look_end(&look);
    free(e.caller);
}

static void take_entry(struct asking *a, const struct plan_hit *hit, u32 function, bool looks)
{
    struct ask_activation *act = ask_calls_enter(&a->calls, function, hit);
    if (a->q->type != ASK_FREE && a->q->type != ASK_EXCEPTION)
        return;
    struct ask_activation copy = *act;
    ask_calls_drop(&a->calls, act);
    take_entry_event(a, hit, &copy, looks);
}

static void take_new_return(struct asking *a, const struct plan_hit *hit)
{
    const u64 *known = a->returns.items;
    for (size_t i = 0; i < a->returns.count; i++)
        if (known[i] == hit->after_tick)
            return;
    *(u64 *)list_add(&a->returns) = hit->after_tick;
    a->relay = true;
}

/* longjmp: the new stack pointer is the seventh word of the buffer. It is plain in musl; glibc
 * rotates it and combines it with a word of the thread (PTR_MANGLE). */
static void ask_take_jump(struct asking *a, const struct plan_hit *hit)
{
    enum { JUMP_RSP = 6, GUARD_OFFSET = 0x30, ROTATED = 17, STACK_MOST = 1 << 26 };
    struct control_registers regs;
    const u8 *vector;
    struct session *s = a->how->session;
    u64 buffer, word = 0, guard = 0, from = hit->address;
    size_t got = 0;
    memcpy(&buffer, hit->old, sizeof buffer);
    struct error *err = session_registers(s, hit->thread, &regs, &vector);
    if (!err)
        err = session_read(s, buffer + JUMP_RSP * sizeof word, &word, sizeof word, &got);
    if (!err)
        err = session_read(s, regs.fs_base + GUARD_OFFSET, &guard, sizeof guard, &got);
    if (err) {
        if (!a->err)
            a->err = err;
        else
            error_destroy(err);
        return;
    }
    u64 mangled = (word >> ROTATED | word << (64 - ROTATED)) ^ guard;
    if (mangled - from < STACK_MOST)
        ask_calls_jump(&a->calls, hit->thread, from, mangled);
    else if (word - from < STACK_MOST)
        ask_calls_jump(&a->calls, hit->thread, from, word);
}

void asking_take_code(struct asking *a, const struct plan_hit *hit, const struct ask_site *site,
                      bool looks)
{
    struct ask_look look = asking_look(a, hit->thread);
    switch (site->role) {
    case ROLE_ENTRY:
        take_entry(a, hit, site->index, looks);
        break;
    case ROLE_NEW:
        take_new_return(a, hit);
        break;
    case ROLE_BODY:
        take_body(a, hit, site->index, looks);
        break;
    case ROLE_BACK:
        take_back(a, hit, looks);
        break;
    case ROLE_JUMP:
        ask_take_jump(a, hit);
        break;
    case ROLE_RAISE:
        ask_calls_throw(&a->calls, hit->thread, hit->address);
        break;
    case ROLE_CATCH:
        /* the caller's stack pointer */
        ask_calls_catch(&a->calls, hit->thread, hit->address + sizeof(u64));
        break;
    default:
        take_point(a, hit, looks ? &look : NULL);
        ask_look_end(&look);
    }
}

void asking_end_calls(struct asking *a)
{
    hand_out_whole(a, true);
}
