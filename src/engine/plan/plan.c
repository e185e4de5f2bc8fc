/* The plan: see plan.h.
 *
 * Sites are in lists by kind, code sites by address (plan_code.c). plan_pass has the results of a
 * pass.
 */
#include "engine/plan/plan.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/guest_memory.h"
#include "engine/plan/bytecode.h"
#include "engine/plan/bytecode_brief.h"
#include "engine/plan/data_watch.h"
#include "engine/plan/plan_internal.h"
#include "engine/plan/plan_points.h"
#include "engine/plan/plan_tally.h"
#include "engine/plan/plan_trace.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/translate/fragment.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/decode.h"

enum { SITES_MOST = 1 << 20, FRAMES_MOST = 1 << 20, KINDS = SITE_THREAD + 1, ARRIVALS_MOST = 4,
       CONDITIONS_KNOWN = 64 };

struct plan_pass plan_pass = {.limit_tick = ~0ul};
struct plan_parts plan_parts;

struct plan_place {
    u64 tick, pc;
};
#define NOWHERE (~(u64)0) /* as a tick */

struct known_condition {
    u32 condition, size;
    bool is_brief;
    struct brief brief;
};

static struct {
    u8 *bytes; /* the plan as received, followed by plan_parts.next and .held */
    u64 room;
    u32 first[KINDS];
    struct {
        struct plan_place instruction, call, signal;
    } judged; /* the last moments at which something was judged */
    struct known_condition known[CONDITIONS_KNOWN]; /* last evaluations in the pass; size 0: none */
    struct plan_hit recent[PLAN_HITS_KEPT]; /* by their number; a new one replaces the oldest */
    struct {
        struct plan_place at;
        u32 count, judged;
        struct arrival {
            enum plan_site_kind kind;
            u64 number;
        } what[ARRIVALS_MOST];
    } arrivals;
    u32 last_thread;
} pass;

/* --- moments ------------------------------------------------------------------------------- */

static struct plan_place here(void)
{
    return (struct plan_place){ticks_now(), cpu->rip};
}

/* True the first time at this place; false from then on. */
static bool plan_is_new(struct plan_place *last, struct plan_place now)
{
    invariant(3, last->tick == NOWHERE || last->tick <= now.tick);
    if (last->tick == now.tick && last->pc == now.pc)
        return false;
    *last = now;
    return true;
}

/* --- conditions ---------------------------------------------------------------------------- */

static bool condition_memory(u64 address, u32 size, u64 *ret)
{
    return guest_read_number(gaddr(address), size, ret);
}

static bool special_register(u32 number, u64 *ret)
{
    struct thread_state bases;
    switch (number) {
    case GDB_RIP:
        *ret = cpu->rip;
        return true;
    case GDB_EFLAGS:
        *ret = cpu->flags & ~(u64)block_flags_dead_at(cpu->rip);
        return true;
    case GDB_CS:
    case GDB_SS:
        *ret = number == GDB_CS ? SELECTOR_CS : SELECTOR_SS;
        return true;
    case GDB_DS:
    case GDB_ES:
    case GDB_FS:
    case GDB_GS:
        *ret = 0;
        return true;
    case GDB_ORIG_RAX:
        *ret = ~(u64)0;
        return true;
    case GDB_FS_BASE:
    case GDB_GS_BASE:
        thread_save_bases(&bases);
        *ret = number == GDB_FS_BASE ? bases.fs_base : bases.gs_base;
        return true;
    default:
        return false;
    }
}

static bool condition_register(u32 number, u64 *ret)
{
    if (number >= GDB_XMM0 && number < GDB_XMM0 + 16) {
        /* the guest's registers are in the processor */
        *ret = bytecode_vector_register(number - GDB_XMM0);
        return true;
    }
    if (number >= GDB_RIP)
        return special_register(number, ret);
    *ret = cpu->reg[register_of_gdb(number)];
    return true;
}

static const struct known_condition *condition_of(const struct plan_site *s)
{
    struct known_condition *k = &pass.known[s->condition % CONDITIONS_KNOWN];
    if (k->condition == s->condition && k->size == s->condition_size)
        return k;
    k->condition = s->condition;
    k->size = s->condition_size;
    k->is_brief = brief_read(plan_parts.bytecode + s->condition, s->condition_size, &k->brief);
    return k;
}

static void forget_conditions(void)
{
    for (u32 n = 0; n < CONDITIONS_KNOWN; n++)
        pass.known[n].size = 0;
}

/* PLAN_BECOMES: memory that is not mapped counts as zeros, as it does where stores are compared. */
static bool condition_memory_or_zeros(u64 address, u32 size, u64 *ret)
{
    if (!condition_memory(address, size, ret))
        *ret = 0;
    return true;
}

static bool plan_evaluate(const struct plan_site *s, u64 *ret)
{
    static const struct bytecode_host host = {condition_memory, condition_register},
                                      with_zeros = {condition_memory_or_zeros, condition_register};
    const struct bytecode_host *h = s->flags & PLAN_BECOMES ? &with_zeros : &host;
    const struct known_condition *k = condition_of(s);
    u64 word;
    if (!k->is_brief)
        return bytecode_run(plan_parts.bytecode + s->condition, s->condition_size, h, ret);
    if (!h->memory(k->brief.address, k->brief.size, &word))
        return false;
    *ret = brief_value(&k->brief, word);
    return true;
}

static bool condition_holds(const struct plan_site *s)
{
    u64 value;
    if (!s->condition_size)
        return true;
    if (plan_evaluate(s, &value))
        return value != 0;
    plan_pass.condition_failed++;
    return false;
}

/* PLAN_BECOMES: all sites with this condition share the last result. */
static bool condition_becomes(const struct plan_site *s)
{
    u8 *held = &plan_parts.held[s->condition], before = *held;
    *held = condition_holds(s);
    return *held && !before;
}

static void look_at_conditions(void)
{
    for (u32 n = 0; n < plan_parts.head.sites; n++)
        if (plan_parts.site[n].flags & PLAN_BECOMES)
            condition_becomes(&plan_parts.site[n]);
}

bool plan_site_holds(u32 site)
{
    const struct plan_site *s = &plan_parts.site[site];
    bool becomes = s->flags & PLAN_BECOMES;
    if (becomes && !condition_becomes(s))
        return false;
    struct plan_place now = s->to_tick ? here() : (struct plan_place){0}; /* else any */
    return plan_site_fits(s, thread_self()->ordinal, now.tick, now.pc, cpu->reg[RSP]) &&
           (becomes || condition_holds(s));
}

/* --- hits ------------------------------------------------------------------------------------ */

static bool plan_is_enough(const struct plan_hit *hit)
{
    const struct plan *head = &plan_parts.head;
    if (head->mode == PLAN_TRACE && plan_parts.site[hit->site].flags & PLAN_ENDS)
        return true;
    bool nth = head->mode == PLAN_STOP || (head->mode == PLAN_TRACE && head->flags & PLAN_FIRST);
    return nth && plan_pass.count >= head->nth;
}

void plan_add_hit(const struct plan_hit *hit)
{
    if (plan_parts.site[hit->site].flags & PLAN_ASIDE) {
        plan_pass.aside++;
        return;
    }
    struct plan_hit *kept = &pass.recent[plan_pass.count % PLAN_HITS_KEPT];
    *kept = *hit;
    kept->points = plan_points_counted();
    plan_trace_add(kept);
    plan_pass.count++;
    if (plan_is_enough(hit))
        plan_pass.due = true;
}

/* PLAN_REGISTERS: stores registers in fields that code sites do not use. */
static void plan_note_registers(struct plan_hit *hit)
{
    const u64 *reg = cpu->reg, old[] = {reg[RDI], reg[RSI]}, new[] = {reg[RDX], reg[RCX]};
    hit->address = reg[RSP];
    if (!guest_read_number(gaddr(reg[RSP]), sizeof(u64), &hit->after_tick))
        hit->after_tick = 0;
    hit->after_pc = reg[RAX];
    hit->value_size = PLAN_VALUE_KEPT;
    memcpy(hit->old, old, sizeof(hit->old));
    memcpy(hit->new, new, sizeof(hit->new));
}

/* PLAN_NEW_RETURN */
static bool plan_knows_return(void)
{
    u64 address;
    return guest_read_number(gaddr(cpu->reg[RSP]), sizeof(u64), &address) &&
           plan_code_first(address) != PLAN_NO_SITE;
}

static void plan_judge(u32 site, struct plan_place at, u64 number)
{
    u32 flags = plan_parts.site[site].flags;
    if (!plan_site_holds(site) || (flags & PLAN_NEW_RETURN && plan_knows_return()))
        return;
    bool raised = plan_parts.site[site].kind == SITE_SIGNAL && signals_fault_waits();
    struct plan_hit hit = {
        .tick = at.tick,
        .pc = at.pc,
        .site = site,
        .thread = thread_self()->ordinal,
        .address = number,
        .written = raised,
    };
    if (flags & PLAN_REGISTERS)
        plan_note_registers(&hit);
    plan_add_hit(&hit);
}

u32 plan_first(enum plan_site_kind kind)
{
    return pass.first[kind];
}

/* Judges the sites of a kind for `number`, or for any. */
static void judge_numbered(enum plan_site_kind kind, struct plan_place at, u64 number)
{
    if (!plan_wants(kind))
        return;
    for (u32 n = pass.first[kind]; n != PLAN_NO_SITE; n = plan_parts.next[n]) {
        u64 wanted = plan_parts.site[n].address;
        if (wanted == ~(u64)0 || wanted == number)
            plan_judge(n, at, number);
    }
}

/* Judges the other kinds, whose sites match every event. */
static void judge_any(enum plan_site_kind kind, struct plan_place at, u64 number)
{
    if (!plan_wants(kind))
        return;
    for (u32 n = pass.first[kind]; n != PLAN_NO_SITE; n = plan_parts.next[n])
        plan_judge(n, at, number);
}

/* --- instructions ----------------------------------------------------------------------------- */

static void judge_call(struct plan_place now, u64 number, bool execs)
{
    if (!plan_is_new(&pass.judged.call, now))
        return;
    judge_numbered(SITE_CALL, now, number);
    if (execs)
        judge_any(SITE_EXEC, now, 0);
}

/* The pass will stop here: the call at this instruction counts as met, too. */
static void judge_call_ahead(struct plan_place now)
{
    static const u8 syscall_bytes[SYSCALL_LENGTH] = {0x0f, 0x05};
    u8 bytes[SYSCALL_LENGTH];
    if (!guest_read(bytes, gaddr(now.pc), sizeof(bytes)) ||
        memcmp(bytes, syscall_bytes, sizeof(bytes)))
        return;
    judge_call(now, call_from_registers().number, false);
}

static void judge_steps(struct plan_place now)
{
    for (u32 n = pass.first[SITE_STEP]; n != PLAN_NO_SITE; n = plan_parts.next[n])
        if (now.pc - plan_parts.site[n].address >= plan_parts.site[n].size)
            plan_judge(n, now, 0);
}

static void meet_points(bool counted)
{
    plan_points_meet(counted);
    if (plan_points_due())
        plan_pass.due = plan_pass.point_due = true;
}

/* Asking the log is slow, and conditions are evaluated millions of times. */
static void check_outside(u64 tick)
{
    enum { EVERY = 64 };
    invariant(2, tick % EVERY || !log_outside_due());
}

static bool at_instruction(bool counted)
{
    struct plan_place now = here();
    if (!plan_is_new(&pass.judged.instruction, now))
        return plan_pass.due;
    check_outside(now.tick);
    if (plan_points_on())
        meet_points(counted);
    if (plan_tally_on())
        plan_tally_count(now.pc, 1);
    for (u32 n = plan_code_first(now.pc); n != PLAN_NO_SITE; n = plan_parts.next[n])
        plan_judge(n, now, now.pc);
    if (plan_wants(SITE_STEP))
        judge_steps(now);
    if (plan_pass.due && plan_wants(SITE_CALL))
        judge_call_ahead(now);
    return plan_pass.due;
}

bool plan_at_instruction(void)
{
    return at_instruction(false);
}

bool plan_at_counted_instruction(void)
{
    return at_instruction(true);
}

bool plan_judged_here(void)
{
    struct plan_place now = here();
    return pass.judged.instruction.tick == now.tick && pass.judged.instruction.pc == now.pc;
}

void plan_note_executed(void)
{
    pass.judged.instruction = here();
}

bool plan_at_call(u64 number, bool execs)
{
    judge_call(here(), number, execs);
    return plan_pass.due;
}

bool plan_at_signal(u32 number)
{
    struct plan_place now = here();
    if (plan_is_new(&pass.judged.signal, now))
        judge_numbered(SITE_SIGNAL, now, number);
    return plan_pass.due;
}

static bool steps_thread(u32 ordinal)
{
    for (u32 n = pass.first[SITE_STEP]; n != PLAN_NO_SITE; n = plan_parts.next[n])
        if (plan_parts.site[n].thread == CONTROL_THREAD_ANY || plan_parts.site[n].thread == ordinal)
            return true;
    return false;
}

bool plan_steps(void)
{
    return plan_wants(SITE_STEP) && steps_thread(thread_self()->ordinal);
}

/* --- arrivals ---------------------------------------------------------------------------------
 *
 * Arrivals are noted with or without a plan, since a pass may begin where they led. */

void plan_arrive(enum plan_site_kind kind, u64 number)
{
    if (plan_is_new(&pass.arrivals.at, here()))
        pass.arrivals.count = pass.arrivals.judged = 0;
    if (pass.arrivals.count < ARRIVALS_MOST)
        pass.arrivals.what[pass.arrivals.count++] = (struct arrival){kind, number};
}

static bool is_numbered(enum plan_site_kind kind)
{
    return kind == SITE_RETURN;
}

void plan_note_thread(void)
{
    u32 thread = thread_self()->ordinal;
    if (thread == pass.last_thread)
        return;
    pass.last_thread = thread;
    plan_points_note_thread(thread);
    plan_arrive(SITE_SWITCH, thread);
}

bool plan_at_boundary(void)
{
    if (!pass.arrivals.count || !plan_pass.wants)
        return plan_pass.due;
    struct plan_place now = here();
    if (now.tick != pass.arrivals.at.tick || now.pc != pass.arrivals.at.pc)
        return plan_pass.due;
    for (; pass.arrivals.judged < pass.arrivals.count; pass.arrivals.judged++) {
        struct arrival *a = &pass.arrivals.what[pass.arrivals.judged];
        if (is_numbered(a->kind))
            judge_numbered(a->kind, now, a->number);
        else
            judge_any(a->kind, now, a->number);
    }
    return plan_pass.due;
}

/* --- a pass ----------------------------------------------------------------------------------- */

static const char *plan_check(const struct plan *head, u64 size)
{
    if (size < sizeof(*head))
        return "the plan is not whole";
    if (head->version != CONTROL_VERSION)
        return "the plan is of another version";
    if (head->mode > PLAN_TALLY)
        return "the plan has an unknown mode";
    if (head->mode == PLAN_TRACE && (!head->nth || head->nth > PLAN_TRACE_MOST))
        return "the plan is to keep more hits than can be kept, or none";
    if (head->mode == PLAN_TALLY && (head->sites || head->points))
        return "a plan that counts all instructions has no sites and no points";
    if (head->sites > SITES_MOST)
        return "the plan has too many sites";
    if (head->frames > FRAMES_MOST)
        return "the plan has too many frames";
    if (size != sizeof(*head) + head->sites * sizeof(struct plan_site) +
                    head->frames * sizeof(struct plan_frame) + head->bytecode_size)
        return "the plan has another size than it says";
    return NULL;
}

static const char *check_sites(const struct plan *head, const struct plan_site *site)
{
    for (u32 n = 0; n < head->sites; n++) {
        if (site[n].kind >= KINDS)
            return "the plan has a site of an unknown kind";
        if (site[n].condition > head->bytecode_size ||
            site[n].condition_size > head->bytecode_size - site[n].condition)
            return "a condition of the plan is not in its bytecode";
        if (site[n].flags & PLAN_BECOMES && !site[n].condition_size)
            return "a site of the plan has no condition that could become true";
    }
    return NULL;
}

static const char *check_points(const struct plan *head)
{
    const struct plan_site *site = (const struct plan_site *)(head + 1);
    return head->points
               ? plan_points_check(head->points, (const struct plan_frame *)(site + head->sites),
                                   head->frames)
               : NULL;
}

static void plan_keep(const void *bytes, u64 size)
{
    const struct plan *head = bytes;
    u64 behind = (size + 7) & ~7ul;
    u64 room = page_up(behind + head->sites * sizeof(u32) + head->bytecode_size);
    if (room > pass.room) {
        if (pass.room)
            pool_unmap(pass.bytes, pass.room);
        pass.bytes = pool_map(room, PAGE_SIZE);
        pass.room = room;
    }
    memcpy(pass.bytes, bytes, size);
    plan_parts.head = *head;
    plan_parts.site = (const struct plan_site *)(pass.bytes + sizeof(*head));
    plan_parts.frame = (const struct plan_frame *)(plan_parts.site + head->sites);
    plan_parts.bytecode = (const u8 *)(plan_parts.frame + head->frames);
    plan_parts.next = (u32 *)(pass.bytes + behind);
    plan_parts.held = (u8 *)(plan_parts.next + head->sites);
    memset(plan_parts.held, 0, head->bytecode_size);
}

static void sort_sites(void)
{
    for (u32 kind = 0; kind < KINDS; kind++)
        pass.first[kind] = PLAN_NO_SITE;
    for (u32 n = plan_parts.head.sites; n-- > 0;) {
        u32 kind = plan_parts.site[n].kind;
        plan_parts.next[n] = pass.first[kind];
        pass.first[kind] = n;
        plan_pass.wants |= 1u << kind;
    }
}

/* `past`: events exactly here were already met. */
static void judge_from_here(bool past)
{
    struct plan_place nowhere = {NOWHERE, 0}, from = past ? here() : nowhere;
    pass.judged.instruction = pass.judged.call = pass.judged.signal = from;
    pass.arrivals.judged = past ? pass.arrivals.count : 0;
}

static bool plan_stands_before_signal(u32 signal)
{
    return plan_pass.runs && plan_at_signal(signal);
}

static bool plan_holds_faults(void)
{
    return plan_pass.runs;
}

/* Attaches to the observer with the first plan; plan_pass tells whether a pass is under way. */
static void plan_attach(void)
{
    observer.stands_before_call = plan_before_call;
    observer.call_returned = plan_after_call;
    observer.stands_before_signal = plan_stands_before_signal;
    observer.holds_faults = plan_holds_faults;
}

const char *plan_begin(const void *bytes, u64 size)
{
    const struct plan *head = bytes;
    const char *why = plan_check(head, size);
    if (!why)
        why = check_sites(head, (const struct plan_site *)(head + 1));
    if (!why)
        why = check_points(head);
    if (why)
        return why;
    plan_keep(bytes, size);
    forget_conditions();
    plan_pass = (struct plan_pass){
        .runs = true,
        .limit_tick = head->limit_tick,
        .limit_pc = head->limit_pc,
    };
    plan_attach();
    sort_sites();
    plan_points_install();
    plan_code_install();
    judge_from_here(head->flags & PLAN_PAST_HERE);
    look_at_conditions();
    plan_trace_begin(head->mode != PLAN_TRACE   ? 0
                     : head->flags & PLAN_FIRST ? PLAN_TRACE_ALL
                                                : head->nth);
    why = data_watch_begin();
    if (why)
        plan_end();
    else if (head->mode == PLAN_TALLY)
        plan_tally_begin();
    else if (plan_points_on())
        fragments_use(plan_points_variant(fragments.variant));
    return why;
}

void plan_end(void)
{
    plan_pass.kept = plan_pass.count < PLAN_HITS_KEPT ? (u32)plan_pass.count : PLAN_HITS_KEPT;
    for (u32 n = 0; n < plan_pass.kept; n++)
        plan_pass.hits[n] = pass.recent[(plan_pass.count - 1 - n) % PLAN_HITS_KEPT];
    plan_pass.runs = false;
    plan_pass.due = plan_pass.point_due = false;
    plan_pass.wants = 0;
    data_watch_end();
    fragments_use(0);
}
