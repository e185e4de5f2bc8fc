/* A list whose end is spoilt by a store through a stale pointer, and a walk that falls over it.
 * Once main has begun, the C library is not called. */
enum colour { RED, GREEN, BLUE };

struct node {
    int value;
    enum colour colour;
    struct node *next;
    char name[8];
    double weight;
    unsigned low : 3, high : 5;
};

static struct node nodes[5];
static struct node *head;
static long visits;

static void fill(struct node *n, int value)
{
    n->value = value;
    n->colour = value % 3;
    n->name[0] = 'n';
    n->name[1] = '0' + value;
    n->weight = value / 2.0;
    n->low = value;
    n->high = 2 * value;
}

static void push(int value)
{
    struct node *n = &nodes[value];
    fill(n, value);
    n->next = head;
    head = n;
}

static void spoil(void *at)
{
    for (int i = 0; i < 8; i++)
        ((char *)at)[i] = 7;
}

static int walk(const struct node *n)
{
    if (!n)
        return 0;
    visits++;
    int rest = walk(n->next);
    return n->value + rest;
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        push(i);
    int before = walk(head);
    spoil(&nodes[2].next);
    return walk(head) == before;
}
