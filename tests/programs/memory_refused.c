/* Changes of the address space that the kernel refuses, wholly or half way: for want of memory,
 * because pages are locked, because a file may not be written. */
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 8
#endif

enum { PAGE = 4096 };

static char *pages(int count)
{
    char *p = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    return p;
}

/* Pages that are locked are not given back; those before them are. */
static void locked(void)
{
    char *p = pages(6);
    memset(p, 7, 6 * PAGE);
    if (mlock(p + 2 * PAGE, 2 * PAGE))
        return;
    CHECK(madvise(p, 6 * PAGE, MADV_DONTNEED) == -1 && errno == EINVAL);
    CHECK(p[0] == 0 && p[PAGE] == 0 && p[2 * PAGE] == 7 && p[3 * PAGE] == 7 && p[5 * PAGE] == 7);
    CHECK(madvise(p + 4 * PAGE, PAGE, MADV_DONTNEED) == 0 && p[4 * PAGE] == 0);
    CHECK(munlock(p + 2 * PAGE, PAGE) == 0);
    CHECK(madvise(p, 6 * PAGE, MADV_DONTNEED) == -1 && errno == EINVAL);
    CHECK(p[2 * PAGE] == 0 && p[3 * PAGE] == 7);
    CHECK(munmap(p, 6 * PAGE) == 0);
}

/* Advice also applies to the memory after a hole. */
static void advice_with_hole(void)
{
    char *p = pages(3);
    memset(p, 7, 3 * PAGE);
    CHECK(munmap(p + PAGE, PAGE) == 0);
    CHECK(madvise(p, 3 * PAGE, MADV_DONTNEED) == -1 && errno == ENOMEM);
    CHECK(p[0] == 0 && p[2 * PAGE] == 0);
    CHECK(munmap(p, 3 * PAGE) == 0);
}

/* A file that is open for reading can be mapped shared, but never becomes writable there. */
static void read_only_file(void)
{
    char name[] = "refused.XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0 && ftruncate(fd, 2 * PAGE) == 0);
    close(fd);
    fd = open(name, O_RDONLY);
    CHECK(unlink(name) == 0);
    char *p = pages(4);
    char *q = mmap(p + PAGE, 2 * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
    CHECK(q == p + PAGE);
    CHECK(mprotect(q, 2 * PAGE, PROT_READ | PROT_WRITE) == -1 && errno == EACCES);
    CHECK(mprotect(q, PAGE, PROT_NONE) == 0 && mprotect(q, PAGE, PROT_READ) == 0);
    /* The page before it is changed, then the kernel meets the file. */
    CHECK(mprotect(p, PAGE, PROT_READ) == 0);
    CHECK(mprotect(p, 4 * PAGE, PROT_READ | PROT_WRITE) == -1 && errno == EACCES);
    p[0] = 1;
    CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EACCES);
    close(fd);
    munmap(p, 4 * PAGE);
}

/* Memory that the kernel may take back when it runs short. */
static void droppable(void)
{
    char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_DROPPABLE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    p[PAGE] = 1;
    CHECK(madvise(p, 4 * PAGE, MADV_DONTNEED) == 0 && p[PAGE] == 0);
    CHECK(munmap(p, 4 * PAGE) == 0);
}

static void set_limit(int which, rlim_t value, struct rlimit *before)
{
    CHECK(getrlimit(which, before) == 0);
    struct rlimit less = {value, before->rlim_max};
    CHECK(setrlimit(which, &less) == 0);
}

/* Without room nothing is mapped, and the heap stays as it is. */
static void without_room(int which)
{
    struct rlimit before;
    char *p = pages(2), *heap = sbrk(0);
    set_limit(which, 1 << 20, &before);
    CHECK(mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
          errno == ENOMEM);
    CHECK(sbrk(16 << 20) == (void *)-1 && sbrk(0) == heap);
    CHECK(mremap(p, 2 * PAGE, 64 << 20, MREMAP_MAYMOVE) == MAP_FAILED && errno == ENOMEM);
    CHECK(brk(heap) == 0);
    CHECK(setrlimit(which, &before) == 0);
    CHECK(sbrk(PAGE) == heap);
    heap[0] = 1;
    CHECK(sbrk(-PAGE) == heap + PAGE);
    CHECK(munmap(p, 2 * PAGE) == 0);
}

/* Until there is no more. */
static void used_up(void)
{
    struct rlimit before;
    int count = 0;
    set_limit(RLIMIT_DATA, 24 << 20, &before);
    for (void *p; (p = malloc(100000)); count++)
        memset(p, 1, 1000);
    CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
    CHECK(malloc(100000));
}

int main(void)
{
    locked();
    advice_with_hole();
    read_only_file();
    droppable();
    without_room(RLIMIT_DATA);
    without_room(RLIMIT_AS);
    used_up();
    return done();
}
