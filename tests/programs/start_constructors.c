/* Constructors before main, destructors and atexit functions after, in the right order.
 *
 * variants: static staticpie nopie musl
 */
#include "check.h"

__attribute__((constructor(101))) static void first(void)
{
    puts("first");
}

__attribute__((constructor(102))) static void second(void)
{
    puts("second");
}

__attribute__((destructor)) static void last(void)
{
    puts("last");
}

static void at_exit_one(void)
{
    puts("registered one");
}

static void at_exit_two(void)
{
    puts("registered two");
}

int main(void)
{
    atexit(at_exit_one);
    atexit(at_exit_two);
    puts("main");
    return done();
}
