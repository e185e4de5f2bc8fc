/* Locals, pointers, bit-fields and thread-locals that change in a few hundred instructions: what answers over time are held against
 * (answers.py). */
struct item {
    int count;
    struct item *next;
    unsigned low : 3, middle : 7, high : 6;
};

struct item items[3];
struct item *head;
__thread int mine;
long total;
double level;
unsigned char flags[4];
volatile int sink;

__attribute__((noinline)) static int leaf(int a)
{
    int twice = a * 2;
    twice += 1;
    sink = twice;
    return twice;
}

/* Leaves values on the stack where those of others will be. */
__attribute__((noinline)) static int stale(int n)
{
    volatile int left[24];
    for (int i = 0; i < 24; i += 3)
        left[i] = left[i + 1] = left[i + 2] = n;
    return left[3];
}

__attribute__((noinline)) static int walk(struct item *at, int n)
{
    int here = n, sum = 0;
    static int calls;
    calls++;
    for (int i = 0; i < 3 && at; i++) {
        int part = leaf(i + n);
        at->count += part;
        at->middle = part;
        sum += part;
        at = at->next;
    }
    if (n > 0)
        here += walk(head, n - 1);
    total += here;
    mine = n;
    level += 0.5;
    flags[n] = 1;
    return here + sum;
}

__attribute__((noinline)) static int constant(int n)
{
    int fixed = 12, moving = 3;
    sink = n;
    if (n > 2)
        moving = 5;
    sink = moving;
    n += fixed;
    sink = n;
    return n + moving;
}

int main(int argc, char **argv)
{
    int result = 0;
    (void)argv;
    for (int i = 0; i < 3; i++)
        items[i].next = i < 2 ? &items[i + 1] : 0;
    head = &items[argc];
    stale(2);
    result = walk(head, 2);
    result += constant(argc + 2);
    items[1].low = 5;
    stale(3);
    result += leaf(result);
    head = &items[0];
    result += walk(head, 0);
    return result & 1;
}
