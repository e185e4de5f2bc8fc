/* Threads that end with a word to clear, or a list of locks, that is not there, or that lies
 * anywhere. */
#include "check.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096 };

static char *gone;

static void *clears(void *at)
{
    CHECK(syscall(SYS_set_tid_address, at) == syscall(SYS_gettid));
    return at;
}

struct robust_list_head head;

static void *has_list(void *at)
{
    CHECK(syscall(SYS_set_robust_list, at, 24) == 0);
    return at;
}

/* glibc waits for the word that its threads clear, so these are our own. */
static int ends(void *(*function)(void *), void *argument)
{
    pid_t child = fork();
    if (!child) {
        pthread_t t;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        CHECK(pthread_create(&t, &attributes, function, argument) == 0);
        for (int i = 0; i < 50; i++)
            usleep(2000);
        _exit(7);
    }
    return check_wait(child);
}

int main(void)
{
    gone = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(gone != MAP_FAILED && page != MAP_FAILED);
    static const unsigned long bad[] = {1, 0x1000, 0x656d616e, 0x15141312, 0xffffffffff600000, ~0ul, 0x800000000000};
    CHECK(ends(clears, gone) == 7 && ends(clears, page) == 7 && ends(clears, gone + PAGE - 2) == 7);
    CHECK(ends(has_list, gone) == 7 && ends(has_list, page + PAGE - 8) == 7);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(ends(clears, (void *)bad[i]) == 7 && ends(has_list, (void *)bad[i]) == 7);
    /* A list whose members are not there, and one without an end. */
    head.list.next = (void *)(gone + 64);
    head.list_op_pending = (void *)1;
    CHECK(ends(has_list, &head) == 7);
    static struct robust_list turn;
    turn.next = &turn;
    head.list.next = &turn;
    CHECK(ends(has_list, &head) == 7);
    /* The first thread, and the process with it. */
    pid_t child = fork();
    if (!child) {
        clears(gone);
        has_list(gone);
        _exit(9);
    }
    CHECK(check_wait(child) == 9);
    return done();
}
