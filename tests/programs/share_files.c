/* A file that one process has mapped shared and another writes by other means: write, pwrite, at
 * its end, by making it longer and shorter.  The one that writes has it mapped, or not.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum { PAGE = 4096, PAGES = 4 };

static int there[2], back[2];

static void tell(int fd)
{
    CHECK(write(fd, "x", 1) == 1);
}

static void hear(int fd)
{
    char byte;
    CHECK(read(fd, &byte, 1) == 1);
}

static void writer(void)
{
    int fd = open("data", O_RDWR), end = open("data", O_WRONLY | O_APPEND);
    struct iovec parts[2] = {{"two ", 4}, {"parts", 5}};
    CHECK(fd >= 0 && end >= 0);
    hear(there[0]);
    CHECK(write(fd, "written", 7) == 7);
    tell(back[1]), hear(there[0]);
    CHECK(pwrite(fd, "placed", 6, PAGE - 3) == 6);
    tell(back[1]), hear(there[0]);
    CHECK(pwritev(fd, parts, 2, 2 * PAGE + 10) == 9);
    tell(back[1]), hear(there[0]);
    CHECK(ftruncate(fd, PAGES * PAGE) == 0 && write(end, "behind", 6) == 6);
    tell(back[1]), hear(there[0]);
    char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE);
    CHECK(p != MAP_FAILED);
    strcpy(p + 100, "through a mapping");
    tell(back[1]), hear(there[0]);
    CHECK(pwrite(fd, "both", 4, PAGE + 100) == 4 && memcmp(p + 100, "bothugh", 7) == 0);
    tell(back[1]), hear(there[0]);
    _exit(6);
}

static void reader(const char *p)
{
    tell(there[1]), hear(back[0]);
    CHECK(memcmp(p, "written", 7) == 0);
    tell(there[1]), hear(back[0]);
    CHECK(memcmp(p + PAGE - 3, "placed", 6) == 0);
    tell(there[1]), hear(back[0]);
    CHECK(memcmp(p + 2 * PAGE + 10, "two parts", 9) == 0);
    tell(there[1]), hear(back[0]);
    CHECK(p[3 * PAGE + 5] == 0 && memcmp(p + PAGES * PAGE, "behind", 6) == 0);
    tell(there[1]), hear(back[0]);
    CHECK(strcmp(p + PAGE + 100, "through a mapping") == 0);
    tell(there[1]), hear(back[0]);
    CHECK(memcmp(p + PAGE + 100, "bothugh a", 9) == 0);
    tell(there[1]);
}

/* The mapping that reads is longer than the file is at first. */
static void meet(int protection)
{
    int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && ftruncate(fd, 3 * PAGE) == 0);
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    if (child == 0)
        writer();
    const char *p = mmap(NULL, (PAGES + 1) * PAGE, protection, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    reader(p);
    CHECK(check_wait(child) == 6);
    CHECK(munmap((void *)p, (PAGES + 1) * PAGE) == 0 && close(fd) == 0);
}

int main(void)
{
    meet(PROT_READ);
    meet(PROT_READ | PROT_WRITE);
    return done();
}
