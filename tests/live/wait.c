/* Computes, or waits in a call or in sigsuspend; then ends with what it read (tests/live/live.py). */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile long count;

static void on_alarm(int number)
{
    (void)number;
}

static void suspend(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGUSR1, on_alarm);
    sigsuspend(&none);
}

int main(int argc, char **argv)
{
    char line[8];
    int end = 0;
    if (argc > 1 && strcmp(argv[1], "compute") == 0)
        for (;;)
            count++;
    if (argc > 1 && strcmp(argv[1], "suspend") == 0)
        suspend();
    if (argc > 1 && strcmp(argv[1], "sleep") == 0)
        sleep(1000);
    if (read(0, line, sizeof line) > 0)
        end = line[0];
    printf("read %d\n", end);
    return end == 'y' ? 7 : 1;
}
