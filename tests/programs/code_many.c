/* Many small functions, made at run time, at addresses that collide in every way: next to each
 * other, one in each page, in every 64 KiB, in every MiB, and anywhere. They are called in turn, by
 * several threads, in children, and after their code was changed. Half of them read a flag that
 * their caller set. With a number as its argument, only so many next to each other.
 *
 * variants: static
 * libs: -pthread
 */
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>

enum { SIZE = 16, MOST = 1 << 20 };

static struct many {
    unsigned char *at[MOST];
    unsigned count;
} many;

static unsigned many_seed = 7;

static unsigned many_random(unsigned below)
{
    many_seed = many_seed * 1103515245 + 12345;
    return (many_seed >> 4) % below;
}

/* Adds `value` to its argument, and the carry flag if the value is odd. */
static void make(unsigned char *at, unsigned value)
{
    static const unsigned char plain[] = {0x8d, 0x87}; /* lea eax, [rdi + value] */
    static const unsigned char carry[] = {0x89, 0xf8, 0x15}; /* mov eax, edi; adc eax, value */
    size_t size = value & 1 ? sizeof carry : sizeof plain;
    memcpy(at, value & 1 ? carry : plain, size);
    memcpy(at + size, &value, sizeof value);
    at[size + sizeof value] = 0xc3;
}

static unsigned call(const unsigned char *at, unsigned x, unsigned char carry)
{
    unsigned result;
    __asm__ volatile("sub $128, %%rsp\n\t"
                     "addb $255, %b[carry]\n\t"
                     "call *%[at]\n\t"
                     "lea 128(%%rsp), %%rsp"
                     : "=&a"(result), [carry] "+&c"(carry), "+D"(x)
                     : [at] "r"(at)
                     : "cc", "memory");
    return result;
}

/* Calls all; true if each did what it was made for. */
static void call_all(unsigned less, unsigned rounds)
{
    unsigned x = 1, expected = 1;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned n = 0; n < many.count; n++) {
            unsigned value = n - less, carry = (round + n / 2) & 1;
            x = call(many.at[n], x, carry);
            expected += value + (value & 1 ? carry : 0);
        }
    CHECK(x == expected);
}

static unsigned char *room(size_t size)
{
    unsigned char *at = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(at != MAP_FAILED);
    return at;
}

static void add(unsigned count, size_t stride)
{
    unsigned char *at = room(count * stride);
    for (unsigned n = 0; n < count; n++, at += stride) {
        make(at, many.count);
        many.at[many.count++] = at;
    }
    CHECK(many.count <= MOST);
}

static void add_anywhere(unsigned count, unsigned places)
{
    unsigned char *at = room((size_t)places * SIZE);
    for (unsigned n = 0; n < count; n++) {
        unsigned char *one = at + (size_t)many_random(places) * SIZE;
        while (*one)
            one = one + SIZE < at + (size_t)places * SIZE ? one + SIZE : at;
        make(one, many.count);
        many.at[many.count++] = one;
    }
}

/* Code is written over, in pages that are executed. */
static void change_all(unsigned less)
{
    for (unsigned n = 0; n < many.count; n++)
        make(many.at[n], n - less);
}

static void *call_in_thread(void *nothing)
{
    call_all(0, 2);
    return nothing;
}

static void call_in_threads(void)
{
    pthread_t thread[3];
    for (unsigned n = 0; n < 3; n++)
        CHECK(!pthread_create(&thread[n], NULL, call_in_thread, NULL));
    for (unsigned n = 0; n < 3; n++)
        CHECK(!pthread_join(thread[n], NULL));
}

static void call_in_child(unsigned count, size_t stride)
{
    pid_t child = fork();
    if (!child) {
        add(count, stride);
        call_all(0, 2);
        _exit(0);
    }
    CHECK(check_wait(child) == 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        add((unsigned)atoi(argv[1]), 2 * SIZE);
        call_all(0, 3);
        puts("done");
        return 0;
    }
    call_in_child(9000, 2 * SIZE);
    add(9000, 4 * SIZE);
    call_in_child(3000, 4096);
    call_all(0, 2);
    add(1500, 1 << 16);
    add(500, 1 << 20);
    call_in_threads();
    add_anywhere(4000, 1 << 16);
    call_in_child(6000, SIZE);
    call_in_threads();
    change_all(5);
    call_all(5, 1);
    change_all(0);
    call_in_threads();
    puts("done");
    return 0;
}
