/* Slices: see slice.h.
 *
 * A thread that spins waits for something that cannot happen as long as it has the baton. It need
 * not announce that (by pause or sched_yield), so the engine detects it: when a slice is used up,
 * the next few ticks are granted one by one. If the registers become what they were before, except
 * for one that counts, and nothing was written in between, the thread is assumed to spin. Its next
 * slices are short, until a test finds it at work; then it continues at once with a full slice. A
 * thread that is wrongly suspected only loses some time in hand-overs.
 *
 *   full --used up--> looked at --at work--> over; the next is full
 *                               --spins----> over; the next is short
 *   short --used up-> looked at --at work--> full
 *                               --spins----> over; the next is short
 */
#include "engine/threads/slice.h"

#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/stretch.h"

enum {
    FULL = 100000,
    SHORT = 500,
    COUNTED = 10000, /* a short slice for a thread that counts, which may be real work */
    LOOKS = 16, /* number of ticks in which a waiting loop repeats */
};

static struct {
    u32 looks; /* tests still to be made of the holder; 0: not begun */
    struct {
        u64 rip;
        u64 reg[GENERAL_REGISTERS];
    } seen;             /* the state when the tests began */
    u64 last;           /* the pc at the last test */
    enum stretch since; /* the worst between the tests */
    u64 chance;         /* of chance(); 0: not begun */
} slices;

/* Chaos: slices of all sizes, from one tick to many times the usual, to expose races that regular
 * slices hide. Most are short; now and then one lets a thread run far ahead of the others. */
static u64 chance(void)
{
    if (!slices.chance)
        slices.chance = settings.chaos;
    /* Knuth's MMIX */
    slices.chance = slices.chance * 6364136223846793005ul + 1442695040888963407ul;
    return slices.chance >> 33;
}

static u64 random_slice(void)
{
    enum { LONGEST = 20 }; /* bits */
    u64 bits = chance() % LONGEST;
    return (1ul << bits) + chance() % (1ul << bits);
}

bool slice_ends_by_chance(u32 visits)
{
    enum { LIKELY = 4 };
    return thread_others_wait() && chance() % (LIKELY + visits) == 0;
}

void slice_begin(void)
{
    slices.looks = 0;
}

u64 slice_grant(void)
{
    if (settings.chaos)
        return random_slice();
    if (slices.looks)
        return 1;
    u32 suspected = thread_self()->slice;
    return suspected ? suspected : FULL;
}

static void begin_to_look(void)
{
    slices.looks = LOOKS;
    slices.seen.rip = slices.last = cpu->rip;
    slices.since = STRETCH_READS;
    memcpy(slices.seen.reg, cpu->reg, sizeof(slices.seen.reg));
}

/* The number of registers that differ; if more than one, they must only have been counted with. */
static unsigned differing(void)
{
    unsigned counting = 0;
    for (unsigned n = 0; n < countof(slices.seen.reg); n++) {
        u64 step = cpu->reg[n] - slices.seen.reg[n];
        if (step != 0 && step != 1 && step != ~0ul)
            return countof(slices.seen.reg);
        counting += step != 0;
    }
    return counting;
}

/* Returns a short slice if nothing has happened since, or only a counter went on by one; otherwise
 * 0. A thread that spins for a lock may write it, but does not count. */
static u32 short_slice(void)
{
    enum stretch stretch = stretch_between(slices.last, cpu->rip);
    slices.last = cpu->rip;
    slices.since = stretch > slices.since ? stretch : slices.since;
    unsigned differ = differing();
    if (cpu->rip != slices.seen.rip || slices.since == STRETCH_WRITES ||
        differ > (slices.since == STRETCH_READS))
        return 0;
    return differ ? COUNTED : SHORT;
}

bool slice_over(bool wanted)
{
    struct thread *t = thread_self();
    if (!(wanted || thread_others_wait()) || settings.chaos) {
        slices.looks = 0;
        return true;
    }
    if (!slices.looks) {
        begin_to_look();
        return false;
    }
    u32 slice = short_slice();
    if (!slice && slices.since != STRETCH_WRITES && --slices.looks)
        return false;
    bool over = slice || !t->slice;
    slices.looks = 0;
    t->slice = slice;
    return over;
}
