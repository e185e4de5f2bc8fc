/* Values that change in all the ways there are, in a few thousand instructions: locals of recursive
 * calls, what threads and signal handlers do to each other's, heap that is used again, strings and
 * vectors, the kernel, memory that is mapped and unmapped (ways.py holds answers against it). */
#include <immintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct cell {
    int value;
    short small;
    struct cell *next;
    unsigned low : 5, high : 9;
};

int total, signalled, rounds;
long wide[8] __attribute__((aligned(64)));
double mean;
struct cell pool[3];
struct cell *chain, *heap;
int *lent;             /* a local of some frame */
int *mapped;           /* a page that comes and goes */
char text[24];
__thread int own;
int never;
volatile int turn;
sigjmp_buf back;

__attribute__((noinline)) static int leaf(int a, int *out)
{
    int twice = a * 2;
    *out = twice;
    twice ^= a;
    total += twice;
    return twice;
}

__attribute__((noinline)) static int descend(int depth, int *above)
{
    int mine = depth * 3, kept, unused;
    struct cell *at = &pool[depth % 3];
    kept = leaf(depth, &mine);
    at->value += kept;
    at->high = (unsigned)mine;
    *above += 1;
    if (depth > 0)
        mine += descend(depth - 1, &mine);
    if (depth > 7)
        unused = depth;
    else
        kept--;
    (void)unused;
    lent = &kept;
    return mine + kept;
}

static void on_signal(int number)
{
    int here = number;
    signalled += here;
    if (lent)
        *lent = here + 1;
    here = 0;
    wide[1] += here + 7;
}

__attribute__((noinline)) static void interrupted(void)
{
    int seen = 3;
    lent = &seen;
    raise(SIGUSR1);
    seen *= 2;
    raise(SIGUSR1);
    lent = NULL;
}

__attribute__((noinline)) static void strings(void)
{
    char local[24];
    void *to = text;
    size_t count = sizeof text;
    memset(local, 1, sizeof local);
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0x41) : "memory");
    memcpy(local + 3, text, 9);
    strcpy(text, "changed");
    memset(text + 2, 0, 5);
    memcpy(text, local, sizeof local);
    _mm_storeu_si128((__m128i *)(text + 5), _mm_set1_epi8(0x22));
}

__attribute__((target("avx"), noinline)) static void vectors(void)
{
    _mm256_store_si256((__m256i *)&wide[4], _mm256_set1_epi64x(9));
    _mm256_storeu_si256((__m256i *)&wide[2], _mm256_set_epi64x(9, 9, 5, 4));
}

__attribute__((noinline)) static void kernel(void)
{
    int ends[2];
    char local[8];
    struct {
        int a, b;
    } pair = {1, 2};
    if (pipe(ends) || write(ends[1], "0123456789abcdefghijklmn", 24) != 24)
        _exit(2);
    if (read(ends[0], local, 5) != 5 || read(ends[0], &pair.b, 4) != 4 ||
        read(ends[0], &total, 2) != 2)
        _exit(2);
    total += local[1] + pair.b;
    if (read(ends[0], text + 4, 7) != 7)
        _exit(2);
    close(ends[0]);
    close(ends[1]);
}

__attribute__((noinline)) static void heaps(void)
{
    for (int i = 0; i < 3; i++) {
        heap = malloc(sizeof *heap);
        heap->value = i;
        heap->next = chain;
        heap->value += 10;
        heap->small = (short)-i;
        if (i == 1)
            chain = heap;
        if (i != 1)
            free(heap);
    }
    struct cell *more = calloc(2, sizeof *more);
    more[1].value = 5;
    chain->next = &more[1];
    more[1].value = 6;
    more = realloc(more, 40 * sizeof *more);
    chain->next = &more[1];
    more[1].value = 7;
    chain->next = NULL;
    free(more);
}

__attribute__((noinline)) static void pages(void)
{
    int *at = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mapped = at;
    at[3] = 4;
    at[3]++;
    munmap(at, 4096);
    mapped = NULL;
    mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mapped = at;
    at[3] = 8;
    madvise(at, 4096, MADV_DONTNEED);
    at[3] = 9;
}

__attribute__((noinline)) static void thrown(int depth)
{
    int before = depth;
    rounds += before;
    if (depth == 0)
        siglongjmp(back, 1);
    before++;
    thrown(depth - 1);
    rounds -= before;
}

static void *work(void *argument)
{
    int *theirs = argument, count = 0;
    own = 1;
    while (count < 4) {
        count++;
        own += count;
        *theirs += 2;
        mean += 0.25;
        __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int shared = 1, up = 0;
    signal(SIGUSR1, on_signal);
    descend(3, &up);
    interrupted();
    strings();
    if (__builtin_cpu_supports("avx"))
        vectors();
    kernel();
    heaps();
    pages();
    if (!sigsetjmp(back, 1))
        thrown(2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &shared);
    own = 5;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    descend(1, &up);
    return shared == 17 ? 0 : 1;
}
