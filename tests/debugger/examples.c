/* What the examples of the debugger's help speak of: a list, a table, a total, a signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
    int value;
    struct node *next;
};

struct node *head;
int total;
int table[8] = {1, 0x1234, 3};
char name[20] = "test";
static volatile int seen;

static void on_signal(int number)
{
    seen = number;
}

int list_check(void)
{
    return head != NULL;
}

int list_sum(const struct node *n)
{
    return n ? n->value + list_sum(n->next) : 0;
}

void list_print(const struct node *n)
{
    for (; n; n = n->next)
        printf("%d ", n->value);
    printf("\n");
    fflush(stdout);
}

void insert(int n)
{
    struct node *new = malloc(sizeof *new);
    new->value = n;
    new->next = head;
    head = new;
    for (int i = 0; i < n; i++) {
        total += n * list_check(); /* here */
        table[i % 8] += i;
    }
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    for (int n = 1; n < 12; n++)
        insert(n);
    raise(SIGUSR1);
    list_print(head);
    if (write(1, name, strlen(name)) < 0)
        return 2;
    return total == 0;
}
