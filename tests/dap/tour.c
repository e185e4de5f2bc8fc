/* A little of everything that an editor shows; it ends with a null pointer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
    char name[8];
    union { int whole; char bytes[4]; };
};

static int counter;
static int big[10 * 1000 * 1000];
static struct node *head;

static int add(int a, int b)
{
    int sum = a + b; /* mark sum */
    counter += sum;
    return sum; /* mark return */
}

static void push(int value)
{
    struct node *n = calloc(1, sizeof *n);
    n->value = value;
    n->next = head;
    strcpy(n->name, "node");
    n->whole = 0x01020304;
    head = n; /* mark pushed */
}

static void *work(void *from)
{
    long total = 0;
    for (long i = 0; i < 3; i++)
        total += i * (long)from; /* mark work */
    return (void *)total;
}

int main(void)
{
    pthread_t threads[2];
    void *result;
    for (int i = 0; i < 10; i++) {
        int t = add(i, 1); /* mark call */
        push(t);
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &result);
    big[9999999] = 77;
    printf("counter %d\n", counter);
    fflush(stdout);
    head->next->value = 1000;
    int *p = NULL;
    *p = counter; /* mark crash */
    return 0;
}
