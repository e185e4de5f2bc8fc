/* A race: two clerks sell a ticket each, and one sale is lost.
 *
 * docs/tutorial-race.md finds out how. A clerk reads how many tickets are sold, waits for the
 * printer, and stores the number plus one. The other clerk did the same in the meantime.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { CLERKS = 2 };

struct clerk {
    pthread_t thread;
    int asks[2], gets[2]; /* pipes to and from the printer */
};

static int sold;

static void print_ticket(struct clerk *c)
{
    char ticket = 't';
    if (write(c->asks[1], &ticket, 1) != 1 || read(c->gets[0], &ticket, 1) != 1)
        _exit(2);
}

static void *sell(void *argument)
{
    struct clerk *me = argument;
    int before = sold;
    print_ticket(me);
    sold = before + 1;
    return NULL;
}

int main(void)
{
    struct clerk clerks[CLERKS];
    char ticket;
    for (int i = 0; i < CLERKS; i++) {
        if (pipe(clerks[i].asks) || pipe(clerks[i].gets))
            return 2;
        pthread_create(&clerks[i].thread, NULL, sell, &clerks[i]);
    }
    for (int i = 0; i < CLERKS; i++) /* the printer: it collects all orders, and then prints */
        if (read(clerks[i].asks[0], &ticket, 1) != 1)
            return 2;
    for (int i = 0; i < CLERKS; i++) {
        if (write(clerks[i].gets[1], &ticket, 1) != 1)
            return 2;
        pthread_join(clerks[i].thread, NULL);
    }
    printf("%d tickets printed, %d sold\n", CLERKS, sold);
    return sold != CLERKS;
}
