/* Functions that are parts of another, for the tests of values: stops in stop_here. */
volatile int global = 5;

__attribute__((noinline)) void stop_here(int n)
{
    __asm__ volatile("" : : "r"(n) : "memory");
}

static inline __attribute__((always_inline)) int deepest(int d)
{
    int in_deepest = d * 3 + global;
    stop_here(in_deepest);
    return in_deepest + d;
}

static inline __attribute__((always_inline)) int middle(int m)
{
    int in_middle = m + global;
    int result = deepest(in_middle);
    return result + in_middle + global;
}

__attribute__((noinline)) int outer(int o)
{
    int in_outer = o + global;
    int result = middle(in_outer);
    return result + in_outer;
}

int main(void)
{
    return outer(7) == 1;
}
