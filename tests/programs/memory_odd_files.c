/* Memory from files that are not like others: /dev/zero, files read past the cache, secret memory,
 * segments of which a part was unmapped, files that grow and shrink under a private mapping. */
#include "check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

enum { PAGE = 4096 };

static sigjmp_buf back;
static volatile int got;

static void on_fault(int signal)
{
    got = signal;
    siglongjmp(back, 1);
}

/* The signal that reading the byte raises; 0: none. */
static int fault_of(volatile char *p)
{
    got = 0;
    if (!sigsetjmp(back, 1))
        (void)*p;
    return got;
}

static int own_file(size_t size)
{
    char name[] = "odd.XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0 && unlink(name) == 0 && ftruncate(fd, (off_t)size) == 0);
    return fd;
}

/* Each shared mapping of /dev/zero is memory of its own. */
static void zero_device(void)
{
    int fd = open("/dev/zero", O_RDWR);
    if (fd < 0)
        return;
    char *a = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *b = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *c = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    CHECK(a != MAP_FAILED && b != MAP_FAILED && c != MAP_FAILED);
    a[0] = 1;
    a[PAGE] = 2;
    CHECK(b[0] == 0 && b[PAGE] == 0 && c[0] == 0);
    b[PAGE] = 3;
    c[PAGE] = 4;
    CHECK(a[PAGE] == 2 && b[PAGE] == 3 && c[PAGE] == 4);
    pid_t child = fork();
    if (!child) {
        a[0] = 5;
        _exit(b[PAGE]);
    }
    CHECK(check_wait(child) == 3 && a[0] == 5 && b[0] == 0);
    close(fd);
    munmap(a, 2 * PAGE);
    munmap(b, 2 * PAGE);
    munmap(c, 2 * PAGE);
}

static void past_the_cache(void)
{
    char name[] = "direct.XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0);
    for (int i = 0; i < 3 * PAGE; i++)
        CHECK(write(fd, i % 3 ? "b" : "a", 1) == 1);
    close(fd);
    fd = open(name, O_RDWR | O_DIRECT);
    CHECK(unlink(name) == 0);
    if (fd < 0)
        return;
    char *p = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    char *q = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED && q != MAP_FAILED && p[0] == 'a' && p[2 * PAGE + 2] == 'b');
    q[0] = 'c';
    CHECK(p[0] == 'c');
    char *buffer;
    CHECK(posix_memalign((void **)&buffer, PAGE, PAGE) == 0);
    memset(buffer, 'x', PAGE);
    CHECK(pwrite(fd, buffer, PAGE, PAGE) == PAGE && q[PAGE] == 'x' && p[PAGE + 1] == 'x');
    free(buffer);
    close(fd);
    munmap(p, 3 * PAGE);
    munmap(q, 3 * PAGE);
}

static void secret(void)
{
    int fd = (int)syscall(SYS_memfd_secret, 0);
    if (fd < 0 || ftruncate(fd, 2 * PAGE))
        return;
    char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return;
    strcpy(p, "secret");
    p[PAGE] = 9;
    char *q = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (q != MAP_FAILED) {
        CHECK(strcmp(q, "secret") == 0 && q[PAGE] == 9);
        int ends[2];
        CHECK(pipe(ends) == 0 && write(ends[1], "told", 5) == 5 && read(ends[0], q, 5) == 5);
        CHECK(strcmp(p, "told") == 0);
        munmap(q, 2 * PAGE);
    }
    munmap(p, 2 * PAGE);
    p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, PAGE);
    CHECK(p == MAP_FAILED || p[0] == 9);
    close(fd);
}

/* shmdt takes away what is left of the segment. */
static void half_a_segment(void)
{
    int id = shmget(IPC_PRIVATE, 6 * PAGE, 0600);
    if (id < 0)
        return;
    char *p = shmat(id, NULL, 0);
    CHECK(p != (char *)-1);
    char *q = shmat(id, NULL, 0);
    CHECK(q != (char *)-1 && shmctl(id, IPC_RMID, NULL) == 0);
    for (int i = 0; i < 6; i++)
        p[i * PAGE] = (char)i;
    CHECK(munmap(p, PAGE) == 0 && munmap(p + 2 * PAGE, PAGE) == 0);
    CHECK(fault_of(p) == SIGSEGV && p[PAGE] == 1 && fault_of(p + 2 * PAGE) == SIGSEGV);
    CHECK(shmdt(p) == 0);
    for (int i = 0; i < 6; i++)
        CHECK(fault_of(p + i * PAGE) == SIGSEGV);
    CHECK(q[3 * PAGE] == 3 && shmdt(p) == -1 && errno == EINVAL);
    CHECK(munmap(q + 4 * PAGE, 2 * PAGE) == 0 && shmdt(q) == 0);
    CHECK(fault_of(q) == SIGSEGV && fault_of(q + 3 * PAGE) == SIGSEGV);
}

/* Pages of a private mapping that the program has not written show the file's content, now and
 * later. */
static void changing_file(size_t size)
{
    int fd = own_file(size);
    char *p = mmap(NULL, size + 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    CHECK(p != MAP_FAILED);
    CHECK(fault_of(p + size + PAGE) == SIGBUS);
    CHECK(pwrite(fd, "new", 3, 10) == 3 && memcmp(p + 10, "new", 3) == 0);
    CHECK(ftruncate(fd, (off_t)size + 2 * PAGE) == 0);
    CHECK(fault_of(p + size + PAGE) == 0 && p[size + PAGE] == 0 && fault_of(p + size + 2 * PAGE) == SIGBUS);
    CHECK(pwrite(fd, "grown", 5, (off_t)size + PAGE) == 5 && memcmp(p + size + PAGE, "grown", 5) == 0);
    p[size + PAGE] = 'G';
    CHECK(pwrite(fd, "other", 5, (off_t)size + PAGE) == 5 && memcmp(p + size + PAGE, "Grown", 5) == 0);
    CHECK(pwrite(fd, "far", 3, (off_t)size + 3 * PAGE) == 3 && memcmp(p + size + 3 * PAGE, "far", 3) == 0);
    CHECK(ftruncate(fd, (off_t)size) == 0);
    CHECK(fault_of(p + size + PAGE) == SIGBUS && fault_of(p + size - 1) == 0);
    CHECK(memcmp(p + 10, "new", 3) == 0);
    CHECK(ftruncate(fd, (off_t)size + 2 * PAGE) == 0 && p[size + PAGE] == 0);
    munmap(p, size + 4 * PAGE);
    close(fd);
}

/* A socket can be mapped, too, to receive into the memory; before that there is nothing. */
static void sockets(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof any;
    int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&any, sizeof any) || listen(server, 1) ||
        getsockname(server, (struct sockaddr *)&any, &size) || connect(client, (struct sockaddr *)&any, size))
        return; /* no network here */
    char *p = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, client, 0);
    if (p != MAP_FAILED)
        CHECK(fault_of(p + 5) == SIGBUS && munmap(p, 2 * PAGE) == 0);
    CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, client, 0) == MAP_FAILED);
    pid_t child = fork();
    if (!child)
        _exit(3);
    CHECK(check_wait(child) == 3);
    close(client);
    close(server);
}

int main(void)
{
    signal(SIGBUS, on_fault);
    signal(SIGSEGV, on_fault);
    zero_device();
    past_the_cache();
    secret();
    half_a_segment();
    changing_file(4 * PAGE);
    changing_file(2 << 20);
    sockets();
    return done();
}
