/* Values of every kind that change: what until, history and watchpoints are asked about. */
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

struct node {
    struct node *next;
    int v;
};

struct bits {
    unsigned low : 3, middle : 7, high : 1;
};

enum colour { RED, GREEN, BLUE };

static int total, limit = 5;
static struct node nodes[4], *head;
static struct bits bits;
static __thread int mine;
static double level;
static enum colour paint;
static char text[16];
static int table[100];
static jmp_buf away;

static int add(int n)
{
    int twice = n;
    twice += n;
    total += twice;
    return total;
}

static int depth(int n)
{
    int here = n;
    if (n > 0)
        here += depth(n - 1);
    return here;
}

static void leap(int n)
{
    int deep = n;
    if (n == 2)
        longjmp(away, 1);
    leap(n + 1);
    total = deep;
}

static void link_all(void)
{
    for (int i = 0; i < 4; i++) {
        nodes[i].v = i;
        nodes[i].next = head;
        head = &nodes[i];
    }
}

static void change(int i)
{
    level = i * 1.5;
    mine = i;
    bits.low = i;
    bits.middle = i / 2;
    paint = i % 3;
    limit = 5;
    table[10 * i] = i + 1;
}

int main(void)
{
    int sum = depth(6), ends[2]; /* so that it is known what lies where other locals will be */
    link_all();
    for (int i = 0; i < 6; i++) {
        sum += add(i);
        change(i);
    }
    sum += depth(3);
    if (!setjmp(away))
        leap(0);
    sum += depth(6);
    head->next->v = 99;
    head = head->next;
    if (pipe(ends) == 0 && write(ends[1], "hello", 5) == 5 && read(ends[0], text, 5) == 5)
        memset(text, 'x', sizeof text);
    return sum != 0;
}
