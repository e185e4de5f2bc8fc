/* Two programs that share memory, of which only one is recorded.
 *
 *     outsider write KIND NAME    makes it, says "ready", and counts up in it until it is killed
 *     outsider read KIND NAME     sees it change a few times, and says how often
 *     outsider look KIND NAME     looks at it a few times
 *
 * KIND: shm, file (which is there), or segment (NAME is its key).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { SIZE = 4096, CHANGES = 8, LOOKS = 30, MANY = 100000 };

static volatile int *attach(const char *kind, const char *name)
{
    void *at;
    if (!strcmp(kind, "segment")) {
        at = shmat(shmget(atoi(name), SIZE, IPC_CREAT | 0600), NULL, 0);
    } else {
        int fd = strcmp(kind, "shm") ? open(name, O_RDWR) : shm_open(name, O_RDWR | O_CREAT, 0600);
        if (fd < 0 || ftruncate(fd, SIZE) < 0)
            return NULL;
        at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    return at == (void *)-1 ? NULL : at;
}

static void write_numbers(volatile int *word)
{
    puts("ready");
    fflush(stdout);
    for (int n = 0; n < MANY; n++) {
        ++*word;
        usleep(20000);
    }
}

static void see_changes(volatile int *word, int looks)
{
    int seen = 0;
    for (int n = 0, last = *word; n < looks && seen < CHANGES; n++) {
        int now = *word;
        seen += now != last;
        last = now;
        usleep(7000);
    }
    printf("%d changes\n", seen);
}

int main(int argc, char **argv)
{
    volatile int *word = argc == 4 ? attach(argv[2], argv[3]) : NULL;
    if (!word)
        return 1;
    if (!strcmp(argv[1], "write"))
        write_numbers(word);
    else
        see_changes(word, strcmp(argv[1], "look") ? MANY : LOOKS);
    return 0;
}
