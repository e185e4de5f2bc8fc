/* A file mapping past the end of the file: SIGBUS there, the rest of the last page is zero.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile uintptr_t address;
static volatile int code;

static void on_bus(int sig, siginfo_t *info, void *context)
{
    (void)context;
    address = (uintptr_t)info->si_addr;
    code = info->si_code;
    siglongjmp(back, sig);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGBUS, &action, NULL) == 0);
    int fd = open("short", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && write(fd, "hello", 5) == 5);
    volatile char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    CHECK(p[4] == 'o' && p[5] == 0 && p[4095] == 0);
    for (int i = 0; i < 20; i++) {
        int got = sigsetjmp(back, 1);
        if (got == 0) {
            (void)p[4096 + i];
            CHECK(!"read past the end");
        }
        CHECK(got == SIGBUS && address == (uintptr_t)p + 4096 + i && code == BUS_ADRERR);
    }
    char byte;
    int pipes[2];
    CHECK(pipe(pipes) == 0 && write(pipes[1], "x", 1) == 1);
    CHECK(read(pipes[0], (char *)p + 5000, 1) < 0 && errno == EFAULT);
    CHECK(ftruncate(fd, 8192) == 0);
    CHECK(p[4096] == 0);
    p[5000] = 3;
    CHECK(pread(fd, &byte, 1, 5000) == 1 && byte == 3);
    return done();
}
