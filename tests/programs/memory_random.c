/* Random changes to a small arena: results, errors and rights of every page are the same, and
 * what was written is where it was put.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>

enum { PAGES = 48, PAGE = 4096, CHANGES = 1500 };

static char *arena;
static int file;
static unsigned long state = 88172645463325252ul, digest = 14695981039346656037ul;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % below;
}

static void note(unsigned long word)
{
    digest = (digest ^ word) * 1099511628211ul;
}

/* The rights of the arena's pages, from /proc/self/maps: four bits each, 16 for shared. */
static void read_rights(unsigned char rights[PAGES])
{
    char line[1024];
    memset(rights, 0xff, PAGES);
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long start, end;
        char r[5];
        CHECK(sscanf(line, "%lx-%lx %4s", &start, &end, r) == 3);
        for (unsigned i = 0; i < PAGES; i++) {
            unsigned long page = (unsigned long)arena + i * PAGE;
            if (page >= start && page < end)
                rights[i] = (r[0] == 'r') | (r[1] == 'w') << 1 | (r[2] == 'x') << 2 |
                            (r[3] == 's') << 3;
        }
    }
    fclose(f);
}

/* Reads every readable page, and puts something new into those that can be written. */
static void touch(const unsigned char rights[PAGES])
{
    for (unsigned i = 0; i < PAGES; i++) {
        note(rights[i]);
        if (rights[i] == 0xff || !(rights[i] & 1))
            continue;
        volatile unsigned *word = (unsigned *)(arena + i * PAGE + 64);
        note(*word);
        if ((rights[i] & 2) && draw(4) == 0)
            *word = draw(1000000);
    }
}

static const int protections[] = {
    PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
    PROT_READ | PROT_WRITE | PROT_EXEC,
};

static int protection(void)
{
    return protections[draw(sizeof protections / sizeof *protections)];
}

static long map(char *at, size_t size)
{
    int how = draw(8) ? MAP_FIXED : MAP_FIXED_NOREPLACE, kind = draw(4);
    if (kind == 0)
        return (long)mmap(at, size, protection(), MAP_PRIVATE | how, file, draw(8) * PAGE);
    if (kind == 1)
        return (long)mmap(at, size, protection(), MAP_SHARED | how, file, draw(8) * PAGE);
    return (long)mmap(at, size, protection(), MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0);
}

static long change(void)
{
    unsigned from = draw(PAGES), pages = 1 + draw(draw(3) ? 3 : 12);
    if (from + pages > PAGES)
        pages = PAGES - from;
    char *at = arena + from * PAGE, *to = arena + draw(PAGES) * PAGE;
    size_t size = pages * PAGE - draw(3) % 2;
    if (draw(20) == 0)
        at += 1 + draw(PAGE - 1);
    switch (draw(10)) {
    case 0:
    case 1:  return munmap(at, size);
    case 2:
    case 3:
    case 4:  return mprotect(at, size, protection());
    case 5:  return (long)mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    case 6:  return madvise(at, size, MADV_DONTNEED);
    default: return map(at, size);
    }
}

int main(void)
{
    char name[] = "random.XXXXXX";
    file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0);
    for (int i = 0; i < 24; i++) {
        unsigned text[PAGE / sizeof(unsigned)];
        for (unsigned k = 0; k < PAGE / sizeof(unsigned); k++)
            text[k] = i * 1000 + k;
        CHECK(write(file, text, PAGE) == PAGE);
    }
    arena = mmap(NULL, (PAGES + 32) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(arena != MAP_FAILED);
    arena += 16 * PAGE;

    unsigned char rights[PAGES];
    for (int i = 0; i < CHANGES; i++) {
        errno = 0;
        long result = change();
        int address = result != -1 && result != 0;
        note(address ? (unsigned long)(result - (long)arena) : (unsigned long)result);
        note(result == -1 ? (unsigned long)errno : 0);
        read_rights(rights);
        touch(rights);
        if (i % 100 == 99)
            printf("%d: %016lx\n", i + 1, digest);
    }
    return done();
}
