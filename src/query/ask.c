/* Answers to questions: passes over the replay; see ask.h.
 *
 * A pass has sites on everything that the question may concern: functions, statements, memory. A
 * hit becomes an event. If the event itself decides whether the context holds, the pass does not
 * stop. Otherwise, and if a row shows values of the program, the pass stops at the hit and
 * evaluates there (PLAN_ENDS).
 */
#include "query/ask.h"

#include <string.h>

#include "query/ask_asking_internal.h"
#include "session/trace.h"

void asking_add_site(struct asking *a, struct plan_site site, enum ask_role role, u32 index)
{
    site.thread = CONTROL_THREAD_ANY;
    *(struct plan_site *)list_add(&a->sites) = site;
    *(struct ask_site *)list_add(&a->roles) = (struct ask_site){role, index};
}

/* --- events ----------------------------------------------------------------------------------- */

struct ask_look asking_look(struct asking *a, u32 thread)
{
    return (struct ask_look){.session = a->how->session, .source = a->how->source,
                             .symbols = a->symbols, .show = a->how->show, .thread = thread};
}

static bool is_in_range(const struct asking *a, struct moment at)
{
    const struct ask_answering *how = a->how;
    int order = moment_compare(at, how->from);
    return (how->not_from ? order > 0 : order >= 0) &&
           (how->to_end || moment_compare(at, how->to) < 0);
}

bool asking_is_wanted(struct asking *a, struct ask_event *e, struct ask_look *look)
{
    enum ask_truth truth = ASK_FALSE;
    if (a->err || !is_in_range(a, e->at))
        return false;
    a->err = ask_holds(a->q->context, e, look, &truth);
    return !a->err && truth == ASK_TRUE;
}

void asking_place(struct asking *a, struct ask_event *e)
{
    struct ask_place *p = &a->places[(e->pc ^ e->pc >> 10) % PLACES_KNOWN];
    e->known |= 1u << HAS_PC | 1u << HAS_THREAD | 1u << HAS_TICK;
    if (!a->wants_places)
        return;
    if (p->pc != e->pc) {
        free(p->function);
        ask_event_place(a->symbols, e);
        *p = (struct ask_place){e->pc, e->function ? symbols_bare_name(e->function) : NULL,
                                e->file, e->line};
    }
    e->function = p->function;
    e->file = p->file;
    e->line = p->line;
    e->known |= 1u << HAS_FUNC | 1u << HAS_FILE | 1u << HAS_LINE | 1u << HAS_SRC;
}

struct ask_row asking_row(const struct ask_event *e)
{
    return (struct ask_row){.at = e->at, .thread = e->thread, .pc = e->pc,
                            .function = e->function, .file = e->file, .line = e->line};
}

/* --- a pass ----------------------------------------------------------------------------------- */

static bool ask_is_of_data(const struct asking *a)
{
    return a->q->type == ASK_STORE || a->q->type == ASK_LOAD;
}

static bool is_of_points(const struct asking *a)
{
    return a->q->type == ASK_LINE || a->q->type == ASK_BLOCK;
}

static void take_hit(struct asking *a, const struct plan_hit *hit, bool looks)
{
    const struct ask_site *site = (const struct ask_site *)a->roles.items + hit->site;
    if (site->role == ROLE_DATA)
        asking_take_data(a, hit);
    else
        asking_take_code(a, hit, site, looks);
}

static void lay_sites(struct asking *a)
{
    a->sites.count = a->roles.count = 0;
    if (ask_is_of_data(a))
        asking_lay_data(a);
    else if (is_of_points(a))
        asking_lay_points(a);
    else
        asking_lay_calls(a);
    a->laid = true;
    a->relay = false;
}

static struct error *ask_lay(void *context, struct moment at, struct session_sites *ret)
{
    struct asking *a = context;
    const struct plan_hit *hits = a->pending.items;
    (void)at;
    for (size_t i = 0; i < a->pending.count && !a->err; i++)
        take_hit(a, &hits[i], true);
    if (a->pending.count && ask_is_of_data(a))
        asking_end_data(a, true);
    a->pending.count = 0;
    if (!a->laid || a->relay)
        lay_sites(a);
    *ret = (struct session_sites){.sites = a->sites.items, .count = a->sites.count,
                                  .enough = a->rows.enough};
    struct error *err = a->err;
    a->err = NULL;
    return err;
}

static bool ask_take(void *context, const struct plan_hit *hits, size_t count)
{
    struct asking *a = context;
    const struct plan_site *sites = a->sites.items;
    for (size_t i = 0; i < count && !a->rows.enough && !a->err; i++) {
        if (sites[hits[i].site].flags & PLAN_ENDS)
            *(struct plan_hit *)list_add(&a->pending) = hits[i];
        else
            take_hit(a, &hits[i], false);
    }
    return !a->rows.enough && !a->err;
}

static bool ask_end_part(void *context, struct moment from, struct moment to)
{
    struct asking *a = context;
    (void)from;
    (void)to;
    if (ask_is_of_data(a))
        asking_end_data(a, false);
    ask_rows_end_part(&a->rows);
    return !a->rows.enough && !a->err;
}

/* Returns may belong to calls that were made before the stretch, so the pass must begin earlier. */
static bool needs_all_before(const struct asking *a)
{
    return a->follows_returns;
}

static struct error *run_pass(struct asking *a, bool *ret_interrupted)
{
    const struct ask_answering *how = a->how;
    bool in_parts = how->backward && !how->counts_only && (ask_is_of_data(a) || is_of_points(a));
    struct session_trace t = {
        .from = needs_all_before(a) ? session_first(how->session) : how->from,
        .to = how->to,
        .direction = in_parts ? BACKWARD : FORWARD,
        .lay = ask_lay, .take = ask_take, .part = ask_end_part, .context = a,
        .reached = &a->rows.answer->reached,
    };
    struct error *err = session_trace(how->session, &t, ret_interrupted);
    if (!err && a->err) {
        err = a->err;
        a->err = NULL;
    }
    if (err)
        return err;
    if (ask_is_of_data(a))
        asking_end_data(a, false);
    asking_end_calls(a);
    return NULL;
}

/* --- questions -------------------------------------------------------------------------------- */

static bool is_of_log(enum ask_type type)
{
    return type >= ASK_SYSCALL && type <= ASK_EVENT;
}

static struct error *ask_prepare(struct asking *a)
{
    if (is_of_log(a->q->type))
        return NULL;
    if (ask_is_of_data(a))
        return asking_prepare_data(a);
    return is_of_points(a) ? asking_prepare_points(a) : asking_prepare_calls(a);
}

static void asking_deinit(struct asking *a)
{
    struct ask_whole *whole = a->whole.items;
    for (size_t i = 0; i < a->whole.count; i++)
        ask_row_free(&whole[i].row);
    ask_functions_deinit(&a->functions);
    ask_functions_deinit(&a->jumps);
    ask_functions_deinit(&a->raises);
    ask_functions_deinit(&a->catches);
    ask_calls_deinit(&a->calls);
    ask_rows_deinit(&a->rows);
    struct list *lists[] = {&a->sites, &a->roles, &a->returns, &a->points, &a->pending,
                            &a->held, &a->whole};
    for (size_t i = 0; i < countof(lists); i++)
        list_deinit(lists[i]);
    for (size_t i = 0; i < PLACES_KNOWN; i++)
        free(a->places[i].function);
    free(a->places);
    free(a->loops);
    error_destroy(a->err);
}

static void note_inlined(const struct asking *a, struct ask_answer *ret)
{
    if (a->functions.inlined)
        ret->note = xformat("The compiler has inlined the function at %llu place%s, which are no "
                            "calls and not among these.",
                            (unsigned long long)a->functions.inlined,
                            a->functions.inlined == 1 ? "" : "s");
}

struct error *ask_answer(const struct ask_question *q, const struct ask_answering *how,
                         struct ask_answer *ret)
{
    struct asking a = {.q = q, .how = how, .sites = LIST(struct plan_site),
                       .roles = LIST(struct ask_site), .returns = LIST(u64), .points = LIST(u64),
                       .pending = LIST(struct plan_hit), .held = LIST(struct plan_hit),
                       .whole = LIST(struct ask_whole)};
    *ret = (struct ask_answer){0};
    struct error *err = source_symbols(how->source, &a.symbols);
    if (err)
        return err;
    ask_calls_init(&a.calls);
    a.calls.lost = asking_lose_call;
    a.calls.context = &a;
    ask_rows_init(&a.rows, how, ret);
    a.looks = ask_needs_look(q->context);
    a.places = xalloc(PLACES_KNOWN * sizeof *a.places);
    memset(a.places, 0, PLACES_KNOWN * sizeof *a.places);
    a.wants_places = !how->counts_only ||
                     ask_attributes_used(q->context) & (1u << HAS_FUNC | 1u << HAS_FILE |
                                                        1u << HAS_LINE | 1u << HAS_SRC);
    err = ask_prepare(&a);
    if (!err)
        err = is_of_log(q->type) ? asking_answer_log(&a, &ret->interrupted)
                                 : run_pass(&a, &ret->interrupted);
    if (!err)
        ask_rows_end(&a.rows);
    if (!err)
        note_inlined(&a, ret);
    asking_deinit(&a);
    return err;
}
