/* Much memory that is written early and used late, in each way that there is: read and written by
 * the program, by system calls, by signal handlers on a stack there, as code; given other
 * protections, given back, discarded, moved, grown.  For snapshots whose pages are read when they
 * are touched. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SIZE = 1 << 20, RANGES = 12 };

static uint8_t *range[RANGES];
static volatile unsigned long idle;
static volatile sig_atomic_t handled;

static void require(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "memory_much: %s\n", what);
    exit(1);
}

static uint8_t content(int n, size_t i)
{
    return (uint8_t)(i / 4096 % 3 == 1 ? 0 : i * 7 + i / 251 + (size_t)n);
}

static void wait_a_while(void)
{
    for (unsigned long i = 0; i < 30000; i++)
        idle += i ^ idle;
}

static int is_whole(int n, const uint8_t *at, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (at[i] != content(n, i))
            return 0;
    return 1;
}

static void on_signal(int signal)
{
    char room[3000];
    memset(room, signal, sizeof room);
    handled += room[2999] == signal;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    handled++;
    mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void use_protections(void)
{
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    require(mprotect(range[0] + 65536, 131072, PROT_READ) == 0, "mprotect");
    wait_a_while();
    require(is_whole(0, range[0], 0, 200000), "what was protected");
    sigaction(SIGSEGV, &fault, NULL);
    sig_atomic_t before = handled;
    range[0][65536 + 5000] = 1;
    require(handled == before + 1, "a write to what is protected");
    require(range[0][65536 + 5000] == 1 && is_whole(0, range[0], 65536 + 5001, SIZE), "after it");
    require(mprotect(range[1], SIZE, PROT_NONE) == 0, "mprotect");
    wait_a_while();
    require(mprotect(range[1], SIZE, PROT_READ) == 0, "mprotect");
    require(is_whole(1, range[1], 0, SIZE), "what was closed");
}

static void give_back(void)
{
    require(munmap(range[2] + 40960, 409600) == 0, "munmap");
    wait_a_while();
    require(is_whole(2, range[2], 0, 40960) && is_whole(2, range[2], 450560, SIZE), "around it");
    require(madvise(range[3] + 8192, 300000 & ~4095, MADV_DONTNEED) == 0, "madvise");
    wait_a_while();
    for (size_t i = 8192; i < 8192 + (300000 & ~4095); i++)
        require(range[3][i] == 0, "what was discarded");
    require(is_whole(3, range[3], 0, 8192), "before what was discarded");
    require(is_whole(3, range[3], 8192 + (300000 & ~4095), SIZE), "after what was discarded");
}

static void move_and_grow(void)
{
    uint8_t *moved = mremap(range[4], SIZE, 2 * SIZE, MREMAP_MAYMOVE);
    require(moved != MAP_FAILED, "mremap");
    wait_a_while();
    require(is_whole(4, moved, 0, SIZE), "what was moved");
    for (size_t i = SIZE; i < 2 * SIZE; i++)
        require(moved[i] == 0, "what has grown");
    uint8_t *over = mmap(range[5] + 65536, 65536, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    require(over == range[5] + 65536 && over[100] == 0, "mmap over it");
    wait_a_while();
    require(is_whole(5, range[5], 0, 65536) && is_whole(5, range[5], 131072, SIZE), "around it");
}

static void use_calls(void)
{
    int ends[2];
    uint8_t *to = range[7] + 4000;
    require(pipe(ends) == 0, "pipe");
    require(write(ends[1], range[6] + 300, 20000) == 20000, "write");
    require(read(ends[0], to, 20000) == 20000, "read");
    require(memcmp(to, range[6] + 300, 20000) == 0, "what came through the pipe");
    struct iovec parts[] = {{range[8] + 5, 30}, {range[8] + 500000, 30}};
    require(writev(ends[1], parts, 2) == 60 && read(ends[0], to, 60) == 60, "writev");
    require(to[31] == content(8, 500001), "what writev wrote");
    require(write(STDOUT_FILENO, range[8] + 700000, 100) == 100, "standard output");
    require(is_whole(7, range[7], 0, 4000) && is_whole(7, range[7], 24000, SIZE), "around it");
}

static void use_as_stack(void)
{
    stack_t stack = {.ss_sp = range[9] + 4096, .ss_size = SIZE - 4096};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    require(sigaltstack(&stack, NULL) == 0, "sigaltstack");
    sigaction(SIGUSR1, &action, NULL);
    sig_atomic_t before = handled;
    wait_a_while();
    raise(SIGUSR1);
    require(handled == before + 1 && is_whole(9, range[9], 0, 4096), "a handler on a stack there");
}

static void use_as_code(void)
{
    static const uint8_t code[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov $42, %eax; ret */
    uint8_t *at = range[10] + 123456;
    require(mprotect(range[10], SIZE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0, "mprotect");
    memcpy(at, code, sizeof code);
    wait_a_while();
    int (*call)(void) = (int (*)(void))(uintptr_t)at;
    require(call() == 42, "code");
    at[1] = 43;
    wait_a_while();
    require(call() == 43, "code that has changed");
}

int main(void)
{
    char *heap = sbrk(0);
    for (int n = 0; n < RANGES; n++) {
        range[n] = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require(range[n] != MAP_FAILED, "mmap");
        for (size_t i = 0; i < SIZE; i++)
            range[n][i] = content(n, i);
    }
    require(sbrk(400000) == heap, "sbrk");
    memset(heap, 'h', 400000);
    wait_a_while();
    use_protections();
    give_back();
    move_and_grow();
    use_calls();
    use_as_stack();
    use_as_code();
    require(sbrk(-300000) != (void *)-1, "sbrk");
    wait_a_while();
    require(heap[0] == 'h' && heap[99999] == 'h', "the heap");
    require(sbrk(300000) != (void *)-1 && heap[399999] == 0, "the heap that has grown again");
    memmove(range[11] + 1, range[11], SIZE - 1);
    require(range[11][SIZE - 1] == content(11, SIZE - 2), "a long copy");
    puts("\ndone");
    return 0;
}
