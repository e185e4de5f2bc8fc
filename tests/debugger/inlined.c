/* A function that is inlined twice into another, and once into main: breakpoints are at each of its instances. */
static int total;

static inline __attribute__((always_inline)) int mix(int a)
{
    int k = a * 3;
    return k + 1;
}

static int use(int n)
{
    int first = mix(n);
    return first + mix(100 * n);
}

/* What it stores is its own store, not that of main. */
static inline __attribute__((always_inline)) void keep(int n)
{
    total = n;
}

int main(void)
{
    total = use(1) + use(2);
    total += mix(7);
    keep(total + 1);
    return total != 936;
}
