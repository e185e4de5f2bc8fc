/* makecontext and swapcontext: coroutines on stacks of their own.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <ucontext.h>

enum { COROUTINES = 8, ROUNDS = 300 };

static ucontext_t home, where[COROUTINES];
static unsigned hash;

static void coroutine(int id, int step)
{
    unsigned local = id;
    for (int i = 0; i < ROUNDS; i++) {
        local = local * step + i;
        hash = hash * 17 + local;
        swapcontext(&where[id], &where[(id + 1) % COROUTINES]);
    }
    hash ^= local;
}

int main(void)
{
    static char stacks[COROUTINES][65536];
    for (int i = 0; i < COROUTINES; i++) {
        CHECK(getcontext(&where[i]) == 0);
        where[i].uc_stack.ss_sp = stacks[i];
        where[i].uc_stack.ss_size = sizeof stacks[i];
        where[i].uc_link = i + 1 < COROUTINES ? &where[i + 1] : &home;
        makecontext(&where[i], (void (*)(void))coroutine, 2, i, 2 * i + 3);
    }
    CHECK(swapcontext(&home, &where[0]) == 0);
    printf("%08x\n", hash);
    return done();
}
