/* What `changes` is asked about: globals, arrays, structs, unions, bit-fields, statics, locals, recursion, the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    double weight;
    struct node *next;
};

struct entry {
    char name[8];
    struct { short show, hide; } flags;
    unsigned low : 3, high : 5;
    int *at;
};

enum colour { RED, GREEN, BLUE };

int total;
static long steps;
int grid[3][4];
struct entry table[4];
enum colour colour;
union { int i; float f; unsigned char b[4]; } both;
struct node *head;
double mean;
const char *word = "none";
__thread int of_thread;
char text[16];

static int tick(void)
{
    static int count;
    count++;
    steps += 2;
    return count;
}

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->weight = value / 2.0;
    n->next = head;
    head = n;
}

static int sum(int depth)
{
    int own = depth * 3;
    int parts[2] = {depth, tick()};
    if (depth > 0)
        own += sum(depth - 1);
    grid[depth % 3][depth % 4] += own;
    total += parts[1];
    return own + parts[0];
}

static void touch(struct entry *e, int n)
{
    e->flags.show++;
    e->low = (unsigned)n;
    e->high = (unsigned)(n * 2);
    snprintf(e->name, sizeof e->name, "e%d", n);
    e->at = n % 2 ? &total : NULL;
}

static void twice(int *p)
{
    *p *= 2;
}

int main(void)
{
    int i, local = 1, *heap = malloc(8 * sizeof *heap);
    memset(heap, 0, 8 * sizeof *heap);
    for (i = 0; i < 4; i++) {
        int inner = i * i;
        push(i);
        touch(&table[i], i);
        local += sum(i);
        heap[i] = inner;
        twice(&local);
        colour = (enum colour)(i % 3);
        both.f = (float)i;
        of_thread += i;
        head->value += 100;
        mean = local / 4.0;
        word = i % 2 ? "odd" : "even";
        strcpy(text, word);
    }
    printf("%d %ld %g\n", local, steps, mean);
    return 0;
}
