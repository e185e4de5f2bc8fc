/* A store to a shared mapping of a sparse file for which the file system has no room: SIGBUS, in
 * the middle of any kind of instruction. The program mounts a small file system for itself, if it
 * may. */
#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/mount.h>

enum { PAGE = 4096, PAGES = 64 };

static sigjmp_buf back;
static volatile long at;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    at = (long)info->si_addr;
    CHECK(info->si_code == BUS_ADRERR);
    siglongjmp(back, 1);
}

static int make_room(void)
{
    if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return -1;
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    return mount("none", "/tmp", "tmpfs", 0, "size=64k");
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
    int fd = make_room() ? -1 : open("/tmp/file", O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, PAGES * PAGE))
        return done();
    char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    volatile int written = 0;
    if (!sigsetjmp(back, 1)) {
        for (; written < PAGES; written++)
            p[written * PAGE] = 1;
    }
    CHECK(written > 4 && written < PAGES && at == (long)(p + written * PAGE));
    printf("full after %d pages\n", written);
    /* One instruction that fills many bytes stops where the room does. */
    CHECK(ftruncate(fd, 0) == 0 && ftruncate(fd, PAGES * PAGE) == 0);
    at = 0;
    if (!sigsetjmp(back, 1)) {
        void *to = p + 100;
        long count = PAGES * PAGE - 100;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(7) : "memory");
    }
    CHECK(at > (long)p + 4 * PAGE && at % PAGE == 0);
    CHECK(((char *)at)[-1] == 7 && p[100] == 7);
    return done();
}
