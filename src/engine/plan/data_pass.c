/* Executes instructions that may access watched memory: see data_pass.h.
 *
 * Facts about such an instruction are kept by the address of its check in the cache, where they
 * cannot change: if the guest's code changes, its fragment is dropped, and the address is not used
 * again until the whole cache is.
 *
 * Invariant
 *   (1) If control returns to the dispatcher before the instruction was executed, this moment is
 *       noted as judged: anything else at it (a code site, a point that translated code has
 *       counted) is not met again.
 */
#include "engine/plan/data_pass.h"

#include "base/assert.h"
#include "engine/plan/data_watch.h"
#include "engine/plan/plan.h"
#include "engine/plan/touched.h"
#include "engine/translate/fragment.h"
#include "engine/translate/translate.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/lower.h"

enum { PASSAGES = 256 };

static struct passage {
    u32 after;      /* where execution continues after the check; 0: none */
    u32 generation; /* of all fragments */
    u32 fragment;   /* the fragment that contains it, */
    u32 behind;     /* where the fragment continues after the instruction */
    u32 alone;      /* a copy of only the instruction */
    u32 bare;       /* the same, bare (only its registers are loaded); 0: there is none */
    bool simple;    /* it accesses only its operand */
    u8 length;      /* of the instruction */
    u16 flags;      /* the flags that it writes */
    u64 rip;
    struct touch_operand operand;
} passages[PASSAGES];

static u64 go_on_at(u32 address)
{
    cpu->entry = address;
    return engine_enter(cpu);
}

/* False: it cannot be executed from here. */
static bool data_pass_learn(struct passage *p)
{
    static struct touched t;
    u64 fault;
    u32 generation = fragments.generation;
    const struct fragment *alone = translate_single(gaddr(cpu->rip), &fault), *bare = NULL;
    if (!alone || !touched_find(&t))
        return false;
    if (lower_can_be_bare(&t.insn))
        bare = translate_bare(gaddr(cpu->rip), &t.insn);
    if (generation != fragments.generation)
        return false;
    *p = (struct passage){
        .after = (u32)cpu->after,
        .generation = generation,
        .fragment = (u32)(fragment_at((u32)cpu->after) - fragments.all),
        .behind = cpu->data_behind,
        .alone = alone->body,
        .bare = bare ? bare->body : 0,
        .length = t.insn.length,
        .flags = t.insn.flags_may_write,
        .rip = cpu->rip,
    };
    p->simple = touches_operand(&t.insn, cpu->rip, &p->operand);
    return true;
}

static const struct passage *find_passage(void)
{
    struct passage *p = &passages[cpu->after / 8 % PASSAGES];
    if (p->after == cpu->after && p->generation == fragments.generation)
        return p;
    return data_pass_learn(p) ? p : NULL;
}

static bool begins(const struct passage *p)
{
    if (!p->simple)
        return data_watch_before();
    struct touch touch = {touches_sum(&p->operand, cpu->reg), p->operand.size, p->operand.how};
    return data_watch_before_touch(&touch);
}

/* The instruction may have written to its own code. */
static u64 go_on_behind(const struct passage *p)
{
    return plan_pass.due || !fragments.all[p->fragment].live ? EXIT_ALARM : go_on_at(p->behind);
}

static void take_bare_flags(u64 written)
{
    u64 flags = (cpu->bare_flags >> 8 & 0xff) | (cpu->bare_flags & 1 ? FLAG_OF : 0);
    cpu->flags = (cpu->flags & ~written) | (flags & written);
}

/* The engine does not have alignment checks enabled, but the guest may. */
static u64 execute_alone(const struct passage *p)
{
    if (!p->bare || cpu->flags & FLAG_AC)
        return go_on_at(p->alone);
    u64 reason = engine_enter_bare(cpu, p->bare);
    if (reason == EXIT_BARE && p->flags)
        take_bare_flags(p->flags);
    return reason;
}

static u64 execute(const struct passage *p)
{
    u64 reason = execute_alone(p);
    bool whole = reason == EXIT_LINK || reason == EXIT_BARE;
    if (whole)
        cpu->rip = p->rip + p->length;
    else
        plan_note_executed();
    data_watch_after(whole || reason == EXIT_FAULT);
    return whole ? go_on_behind(p) : reason;
}

static u64 go_on_untouched(void)
{
    u64 reason = go_on_at((u32)cpu->after);
    if (reason == EXIT_ALARM)
        plan_note_executed();
    return reason;
}

static u64 pass_check(void)
{
    if (!cpu->data_behind)
        return data_watch_concerned() ? EXIT_DATA_TOUCHED : go_on_untouched();
    const struct passage *p = find_passage();
    if (!p)
        return EXIT_DATA_TOUCHED;
    return begins(p) ? execute(p) : go_on_untouched();
}

u64 data_pass(void)
{
    if (!cpu->after) /* the stack has come near watched memory */
        return EXIT_ALARM;
    u64 rip = cpu->rip, reason = pass_check();
    invariant(1, reason != EXIT_ALARM || cpu->rip != rip || plan_judged_here());
    return reason;
}
