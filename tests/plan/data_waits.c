/* A thread waits in read() for what another one computes: its buffer is written when it goes on, in
 * a call that began long before. */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 4000, COMPUTING = 5 };

static int there[2], back[2];
static unsigned long got, sum;

static void *computes(void *unused)
{
    unsigned long word = 1, answer;
    for (int n = 0; n < ROUNDS; n++) {
        for (volatile int k = 0; k < COMPUTING; k++)
            word = word * 6364136223846793005 + 1442695040888963407;
        if (write(there[1], &word, sizeof word) != sizeof word || read(back[0], &answer, sizeof answer) != sizeof answer)
            _exit(1);
        word ^= answer;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(there) || pipe(back) || pthread_create(&thread, NULL, computes, NULL))
        return 1;
    for (int n = 0; n < ROUNDS; n++) {
        if (read(there[0], &got, sizeof got) != sizeof got)
            return 1;
        sum += got;
        for (volatile int k = 0; k < COMPUTING; k++)
            sum ^= sum >> 7;
        if (write(back[1], &sum, sizeof sum) != sizeof sum)
            return 1;
    }
    return pthread_join(thread, NULL) ? 1 : 0;
}
