/* The same timer, while the program makes system calls, allocates and formats.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/time.h>

static volatile sig_atomic_t rings;

static void on_alarm(int sig)
{
    int kept = errno;
    (void)sig;
    rings++;
    CHECK(getpid() > 0);
    CHECK(write(-1, "", 0) < 0);
    errno = kept;
}

static void round_of_calls(int fds[2], int i)
{
    char text[64], back[64];
    int len = snprintf(text, sizeof text, "%d %s %.3f", i, "words", i / 7.0);
    CHECK(write(fds[1], text, len) == len);
    CHECK(read(fds[0], back, sizeof back) == len && !memcmp(text, back, len));
    char *p = malloc(i * 37 % 5000 + 1);
    memset(p, i, i * 37 % 5000 + 1);
    free(p);
    int fd = open("/dev/null", O_RDWR);
    CHECK(fd >= 0 && close(fd) == 0);
}

int main(void)
{
    int fds[2];
    CHECK(pipe(fds) == 0);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < 2000 || rings < 200; i++)
        round_of_calls(fds, i);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    return done();
}
