/* A program writes its own memory through /proc/self/mem, as gdb does to see whether that works;
 * data, and a page that it may only read.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

static volatile char letter = 'a';

static void write_data(int fd)
{
    CHECK(pwrite(fd, "b", 1, (off_t)(uintptr_t)&letter) == 1);
    CHECK(letter == 'b');
    struct iovec range = {"c", 1};
    CHECK(pwritev(fd, &range, 1, (off_t)(uintptr_t)&letter) == 1);
    CHECK(letter == 'c');
    CHECK(lseek(fd, (off_t)(uintptr_t)&letter, SEEK_SET) > 0 && write(fd, "d", 1) == 1);
    CHECK(letter == 'd');
}

static void write_protected(int fd)
{
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && page[5] == 0);
    ssize_t n = pwrite(fd, "read only", 10, (off_t)(uintptr_t)page);
    CHECK(n == 10 || (n < 0 && errno == EIO)); /* kernels may be told to refuse it */
    CHECK(n < 0 || strcmp(page, "read only") == 0);
}

int main(void)
{
    int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    write_data(fd);
    write_protected(fd);
    CHECK(close(fd) == 0);
    return done();
}
