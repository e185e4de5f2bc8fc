/* Other code at the same address: by munmap and mmap, by MAP_FIXED over it, by mremap onto it,
 * by MADV_DONTNEED, and from files.
 *
 * settings: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>

enum { RWX = PROT_READ | PROT_WRITE | PROT_EXEC, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

static void emit(unsigned char *at, int value)
{
    at[0] = 0xb8;
    memcpy(at + 1, &value, 4);
    at[5] = 0xc3;
}

static int run(void *at)
{
    return ((int (*)(void))at)();
}

static int file_with(const char *name, int value)
{
    unsigned char page[4096] = {0};
    emit(page, value);
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && write(fd, page, 4096) == 4096);
    return fd;
}

int main(void)
{
    unsigned char *p = mmap(NULL, 4096, RWX, ANON, -1, 0);
    CHECK(p != MAP_FAILED);
    int one = file_with("one", 1111), two = file_with("two", 2222);
    for (int i = 0; i < 50; i++) {
        CHECK(munmap(p, 4096) == 0);
        CHECK(mmap(p, 4096, RWX, ANON | MAP_FIXED, -1, 0) == p);
        emit(p, i);
        CHECK(run(p) == i);
        CHECK(mmap(p, 4096, RWX, ANON | MAP_FIXED, -1, 0) == p);
        emit(p, i + 1);
        CHECK(run(p) == i + 1);
        unsigned char *q = mmap(NULL, 4096, RWX, ANON, -1, 0);
        emit(q, i + 2);
        CHECK(run(q) == i + 2);
        CHECK(mremap(q, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, p) == p && run(p) == i + 2);
        CHECK(mmap(p, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, one, 0) == p);
        CHECK(run(p) == 1111);
        CHECK(mmap(p, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, two, 0) == p);
        CHECK(run(p) == 2222);
        CHECK(mmap(p, 4096, RWX, MAP_PRIVATE | MAP_FIXED, one, 0) == p);
        emit(p, i);
        CHECK(run(p) == i);
        CHECK(madvise(p, 4096, MADV_DONTNEED) == 0 && run(p) == 1111);
    }
    return done();
}
