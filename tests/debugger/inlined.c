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

int main(void)
{
    total = use(1) + use(2);
    total += mix(7);
    return total != 935;
}
