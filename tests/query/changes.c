/* Memory that changes in many ways: what the history of a value is held against (history_check.c). */
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct node {
    struct node *next;
    long v;
};

volatile long counter;
volatile int flag;
volatile unsigned char wide[48] __attribute__((aligned(16)));
struct node nodes[4];
struct node *volatile head;
char alternate[65536] __attribute__((aligned(64)));
unsigned char filled[16];

pthread_mutex_t adders_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int number)
{
    flag += number;
    counter ^= 0x100;
}

static void *add(void *by)
{
    for (int i = 0; i < 12; i++) {
        pthread_mutex_lock(&adders_lock);
        counter += (long)by;
        pthread_mutex_unlock(&adders_lock);
    }
    return NULL;
}

static void store_kinds(void)
{
    long old = counter;
    counter = 5;
    counter = 5;
    __atomic_fetch_add(&counter, 3, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(&counter, &old, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_exchange_n(&counter, 77, __ATOMIC_SEQ_CST);
    *((volatile unsigned char *)&counter + 3) = 1;
    *((volatile unsigned short *)((volatile char *)&counter + 6)) = 2;
    __asm__ volatile("pushq %1; popq %0" : "=m"(counter) : "r"(21L) : "memory");
    __asm__ volatile("setc %0" : "=m"(*(volatile char *)&flag));
    for (int i = 0; i < 6; i++)
        flag = i * 3;
}

static void store_wide(void)
{
    void *to = (void *)wide;
    size_t count = sizeof wide;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0x11) : "memory");
    _mm_storeu_si128((__m128i *)(wide + 9), _mm_set1_epi8(0x22));
    _mm_maskmoveu_si128(_mm_set1_epi8(0x33), _mm_set_epi32(-1, 0, -1, 0), (char *)wide + 20);
    wide[47] = 7;
    void *from = (void *)wide;
    to = (void *)(wide + 24);
    count = 2;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void follow(void)
{
    head = &nodes[0];
    nodes[1].v = 10;
    nodes[0].next = &nodes[1];
    nodes[1].v = 11;
    nodes[2].v = 11;
    nodes[0].next = &nodes[2]; /* the same value elsewhere */
    nodes[1].v = 12;
    nodes[2].v = 13;
    nodes[3].next = &nodes[1];
    head = &nodes[3];
    nodes[3].next = NULL;
    nodes[3].next = &nodes[2];
    nodes[2].v = 14;
    head = NULL;
}

static void ask_kernel(void)
{
    int ends[2];
    if (pipe(ends) || write(ends[1], "0123456789abcdef", 16) != 16)
        _exit(2);
    for (int i = 0; i < 3; i++)
        if (read(ends[0], filled + i, 5) != 5)
            _exit(2);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, filled);
    if (read(ends[0], (void *)&counter, 1) != 1)
        _exit(2);
}

int main(void)
{
    pthread_t threads[2];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &act, NULL);
    store_kinds();
    store_wide();
    raise(SIGUSR1);
    follow();
    ask_kernel();
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, (void *)(i + 1));
    raise(SIGUSR1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    store_kinds();
    return 0;
}
