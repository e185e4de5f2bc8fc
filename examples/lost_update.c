/* Two clerks, one account, no lock: a deposit is lost now and then.
 *
 * A deposit is lost if the other clerk runs between reading the balance and writing it back. That
 * hardly ever happens: natively this program is right hundreds or thousands of times in a row.
 * Build it, and let ebb look for a run in which the result is wrong:
 *
 *     gcc -O1 -g -pthread -o lost_update lost_update.c
 *     until ! ebb record --chaos --keep-if=failed ./lost_update; do :; done
 *
 * ebb keeps the recording of that run, and every replay of it loses the same deposit.
 */
#include <pthread.h>
#include <stdio.h>

enum { CLERKS = 2, DEPOSITS = 3 };

static volatile long balance;

static __attribute__((noinline)) long sum(long before, long amount)
{
    return before + amount;
}

static void deposit(long amount)
{
    balance = sum(balance, amount);
}

/* What a clerk does between two deposits. */
static unsigned long paperwork(unsigned long papers)
{
    for (int page = 0; page < 20000; page++)
        papers = papers * 31 + page;
    return papers;
}

static void *clerk(void *papers)
{
    for (int n = 0; n < DEPOSITS; n++) {
        *(unsigned long *)papers = paperwork(*(unsigned long *)papers);
        deposit(1);
    }
    return NULL;
}

int main(void)
{
    pthread_t clerks[CLERKS];
    unsigned long papers[CLERKS] = {0};
    for (int n = 0; n < CLERKS; n++)
        pthread_create(&clerks[n], NULL, clerk, &papers[n]);
    for (int n = 0; n < CLERKS; n++)
        pthread_join(clerks[n], NULL);
    printf("balance %ld of %d\n", balance, CLERKS * DEPOSITS);
    return balance != CLERKS * DEPOSITS;
}
