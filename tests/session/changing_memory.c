/* Memory that changes in every way that a snapshot must notice: it is written, released, unmapped
 * and mapped again at the same address, moved, grown, protected, shared, mapped from a file, filled
 * by the kernel, made into code. A fixed seed decides the order. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PLACES = 6, PAGES = 24, ROUNDS = 4000 };

static unsigned long seed = 88172645463325252ul, sum;
static struct {
    unsigned char *at;
    int kind; /* 0: private, 1: shared, 2: of a file, private */
} place[PLACES];
static int file;

static unsigned draw(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 20) % below;
}

static unsigned char *map_at(void *at, int kind)
{
    int flags = (kind == 1 ? MAP_SHARED : MAP_PRIVATE) | (kind == 2 ? 0 : MAP_ANONYMOUS) |
                (at ? MAP_FIXED : 0);
    unsigned char *got =
        mmap(at, PAGES * PAGE, PROT_READ | PROT_WRITE, flags, kind == 2 ? file : -1, 0);
    if (got == MAP_FAILED)
        exit(1);
    return got;
}

static void write_some(unsigned char *at)
{
    for (unsigned n = draw(4); n < 5; n++)
        at[draw(PAGES) * PAGE + draw(PAGE)] += (unsigned char)(1 + draw(250));
}

static void same_again(unsigned char *at) /* what is there is written once more */
{
    volatile unsigned char *byte = at + draw(PAGES) * PAGE;
    *byte = *byte;
}

static void move(unsigned n)
{
    unsigned char *to = map_at(NULL, 0);
    to = mremap(place[n].at, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (to == MAP_FAILED)
        exit(1);
    place[n].at = to;
}

static void fill_by_kernel(unsigned char *at)
{
    unsigned page = draw(PAGES);
    if (pread(file, at + page * PAGE, 100, draw(1000)) != 100)
        exit(1);
}

static void make_code(void)
{
    static unsigned char *code;
    if (!code)
        code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0);
    if (code == MAP_FAILED)
        exit(1);
    unsigned value = draw(1u << 31);
    code[0] = 0xb8; /* mov eax, value; ret */
    memcpy(code + 1, &value, 4);
    code[5] = 0xc3;
    sum += ((unsigned (*)(void))code)();
}

static void change(unsigned n)
{
    unsigned char *at = place[n].at;
    switch (draw(12)) {
    case 0:
        madvise(at + draw(PAGES / 2) * PAGE, draw(PAGES / 2) * PAGE, MADV_DONTNEED);
        break;
    case 1:
        munmap(at, PAGES * PAGE);
        map_at(at, place[n].kind);
        break;
    case 2:
        move(n);
        break;
    case 3:
        mprotect(at, PAGES * PAGE, PROT_READ);
        mprotect(at, PAGES * PAGE, PROT_READ | PROT_WRITE);
        write_some(at);
        break;
    case 4:
        mprotect(at + PAGE, PAGE, PROT_NONE);
        write_some(place[(n + 1) % PLACES].at);
        mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE);
        break;
    case 5:
        fill_by_kernel(at);
        break;
    case 6:
        make_code();
        break;
    case 7:
        memset(at + draw(PAGES) * PAGE, 0, PAGE);
        break;
    case 8:
        same_again(at);
        break;
    case 9:
        *(volatile unsigned char *)sbrk(PAGE) = 1;
        break;
    default:
        write_some(at);
    }
}

int main(void)
{
    char name[] = "changing.XXXXXX";
    file = mkstemp(name);
    if (file < 0 || unlink(name) < 0)
        return 1;
    static unsigned content[PAGES * PAGE / sizeof(unsigned)];
    for (unsigned n = 0; n < PAGES * PAGE / sizeof n; n++)
        content[n] = n;
    if (write(file, content, sizeof content) != sizeof content)
        return 1;
    for (unsigned n = 0; n < PLACES; n++)
        place[n].at = map_at(NULL, place[n].kind = n < 3 ? 0 : (int)n % 3);
    for (unsigned round = 0; round < ROUNDS; round++) {
        change(draw(PLACES));
        for (unsigned n = 0; n < 2000; n++)
            sum = sum * 31 + round;
    }
    for (unsigned n = 0; n < PLACES; n++)
        for (unsigned i = 0; i < PAGES * PAGE; i++)
            sum = sum * 31 + place[n].at[i];
    printf("%lx\n", sum);
    return 0;
}
