/* Memory: mapping, protecting, moving, advising, locking, sharing, limits. */
#include "family.h"

#include <linux/mempolicy.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <sys/ioctl.h>

static sigjmp_buf back;
static volatile int got, got_code;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    got = signal;
    got_code = info->si_code;
    siglongjmp(back, 1);
}

static void catch_faults(void)
{
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGBUS, &a, NULL);
}

#define TOUCH(p)                                                                                                       \
    do {                                                                                                               \
        if (!sigsetjmp(back, 1))                                                                                       \
            say("read " #p ": %d", *(volatile char *)(p));                                                             \
        else                                                                                                           \
            say("read " #p ": signal %d code %d", got, got_code);                                                      \
        if (!sigsetjmp(back, 1)) {                                                                                     \
            *(volatile char *)(p) = *(volatile char *)(p);                                                             \
            say("write " #p);                                                                                          \
        } else                                                                                                         \
            say("write " #p ": signal %d code %d", got, got_code);                                                     \
    } while (0)

#define M(...) ((long)mmap(__VA_ARGS__) != -1 ? 0 : -1)

static char *some(size_t pages)
{
    return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int file_of(size_t size)
{
    int fd = memfd_create("file", 0);
    ftruncate(fd, (off_t)size);
    return fd;
}

CASE(map_errors)
{
    int fd = open("/etc/passwd", O_RDONLY), dir = open("/", O_RDONLY), p[2];
    pipe(p);
    R(M(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE, 999, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE, dir, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE, p[0], 0));
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 1));
    R(M(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    R(M(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_SHARED, open("/etc/passwd", O_WRONLY), 0));
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE, open("/etc/passwd", O_PATH), 0));
    R(M(NULL, (size_t)-PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    R(M(NULL, 1ul << 50, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    R(M((void *)1, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    R(M((void *)(1ul << 60), PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    R(M((void *)0x7ffffffff000, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_SHARED_VALIDATE | 0x8000000, fd, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_SHARED_VALIDATE, fd, 0));
    R(M(NULL, PAGE, 0xff0000, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) == 0 || errno == ENOMEM);
    char *at = some(2);
    R((long)mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
    munmap(at, PAGE);
    R(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at);
    R(mmap(at, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
    R(M(NULL, PAGE, PROT_READ, 0x08 | MAP_ANONYMOUS, -1, 0)); /* droppable */
    R(M(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0x7ffffffffffff000));
}

CASE(unmap_protect_errors)
{
    char *p = some(4);
    R(munmap(p + 1, PAGE));
    R(munmap(p, 0));
    R(munmap((void *)(1ul << 60), PAGE));
    R(munmap(p + PAGE, PAGE));
    R(munmap(p + PAGE, PAGE));
    R(mprotect(p, 3 * PAGE, PROT_READ));
    R(mprotect(p + 1, PAGE, PROT_READ));
    R(mprotect(p, PAGE, 0xffff));
    R(mprotect(p, 0, PROT_READ));
    R(mprotect(p, PAGE, PROT_GROWSUP | PROT_GROWSDOWN));
    R(mprotect(p, PAGE, PROT_GROWSDOWN));
    int fd = open("/etc/passwd", O_RDONLY);
    char *ro = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    R(mprotect(ro, PAGE, PROT_READ | PROT_WRITE));
    R(mprotect(ro, PAGE, PROT_NONE));
    R(msync(p, PAGE, MS_SYNC));
    R(msync(p + PAGE, PAGE, MS_SYNC));
    R(msync(p, PAGE, MS_SYNC | MS_ASYNC));
    R(msync(p + 1, PAGE, MS_SYNC));
    R(msync(p, PAGE, 0x100));
    unsigned char v[4] = {9, 9, 9, 9};
    R(mincore(p + 2 * PAGE, 2 * PAGE, v));
    R(mincore(p, 3 * PAGE, v));
    R(mincore(p + 1, PAGE, v));
    R(mincore(p + 2 * PAGE, PAGE, nowhere()));
    R(syscall(SYS_remap_file_pages, p, PAGE, 0, 0, 0));
}

CASE(faults_of_mappings)
{
    catch_faults();
    int fd = file_of(PAGE + 100);
    char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    TOUCH(p);
    TOUCH(p + PAGE + 200);
    TOUCH(p + 2 * PAGE);
    ftruncate(fd, 3 * PAGE);
    TOUCH(p + 2 * PAGE);
    ftruncate(fd, 0);
    TOUCH(p);
    char *q = some(3);
    mprotect(q + PAGE, PAGE, PROT_NONE);
    TOUCH(q);
    TOUCH(q + PAGE);
    mprotect(q + PAGE, PAGE, PROT_READ);
    TOUCH(q + PAGE);
    mprotect(q + PAGE, PAGE, PROT_WRITE);
    TOUCH(q + PAGE);
    /* PROT_EXEC alone is left out: it can be read under ebb, and where there are no protection
     * keys. */
    munmap(q + 2 * PAGE, PAGE);
    TOUCH(q + 2 * PAGE);
}

CASE(brks)
{
    catch_faults();
    char *start = sbrk(0);
    R(brk(start + 10 * PAGE));
    start[9 * PAGE] = 5;
    R(brk(start + 3 * PAGE));
    TOUCH(start + 9 * PAGE);
    R(brk(start + 10 * PAGE));
    TOUCH(start + 9 * PAGE);
    R(syscall(SYS_brk, 0) == (long)(start + 10 * PAGE));
    R(syscall(SYS_brk, 1) == (long)(start + 10 * PAGE));
    R(brk((void *)(1ul << 46)));
    R(brk(start));
    char *mine = mmap(start + 4 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (mine == start + 4 * PAGE)
        R(brk(start + 10 * PAGE));
    else
        say("no room in front of the heap");
}

CASE(moves)
{
    catch_faults();
    char *p = some(4);
    for (int i = 0; i < 4; i++)
        p[i * PAGE] = (char)(i + 1);
    char *q = mremap(p, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
    say("%d %d %d", q[0], q[3 * PAGE], q[7 * PAGE]);
    R(mremap(q, 8 * PAGE, 2 * PAGE, 0) == q);
    TOUCH(q + 3 * PAGE);
    char *to = some(4);
    R(mremap(q, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
    say("%d %d %d", to[0], to[PAGE], to[2 * PAGE]);
    R((long)mremap(to, PAGE, 2 * PAGE, 0));
    R((long)mremap(to + 1, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
    R((long)mremap(to, PAGE, 0, MREMAP_MAYMOVE));
    R((long)mremap(to, PAGE, PAGE, 0xff));
    R((long)mremap(nowhere(), PAGE, PAGE, MREMAP_MAYMOVE));
    R((long)mremap(to, PAGE, PAGE, MREMAP_FIXED, p));
    R((long)mremap(to, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to + PAGE));
    R((long)mremap(to, 100 * PAGE, 200 * PAGE, MREMAP_MAYMOVE));
    char *d = mremap(to, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | 4);
    say("dontunmap %d %d", d != MAP_FAILED && d != to, d != MAP_FAILED ? d[PAGE] : -1);
    TOUCH(to);
    int fd = file_of(8 * PAGE);
    char *s = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    s[0] = 77;
    char *t = mremap(s, 0, 2 * PAGE, MREMAP_MAYMOVE);
    say("twice %d", t != MAP_FAILED ? t[0] : -1);
    t = mremap(s, 2 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
    pwrite(fd, "z", 1, 7 * PAGE);
    say("%c", t[7 * PAGE]);
}

CASE(advices)
{
    char *p = some(8);
    memset(p, 5, 8 * PAGE);
    static const int all[] = {0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 100, 101, 102, -1};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        if (all[i] == 100 || all[i] == 101)
            continue;
        memset(p, 5, 8 * PAGE);
        long result = madvise(p + PAGE, 2 * PAGE, all[i]);
        say("advice %d: %ld %s", all[i], result, result ? strerrorname_np(errno) : "");
        if (all[i] == 4)
            say("%d %d", p[PAGE], p[0]);
        if (all[i] == 18)
            madvise(p + PAGE, 2 * PAGE, 19);
    }
    R(madvise(p + 1, PAGE, MADV_NORMAL));
    R(madvise(p, 0, MADV_NORMAL));
    munmap(p + 5 * PAGE, PAGE);
    R(madvise(p, 8 * PAGE, MADV_DONTNEED));
    say("%d %d", p[0], p[7 * PAGE]);
    int fd = file_of(2 * PAGE);
    char *s = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    s[0] = s[PAGE] = 9;
    R(madvise(s, PAGE, MADV_REMOVE));
    say("%d %d", s[0], s[PAGE]);
    R(madvise(s, PAGE, MADV_DONTNEED));
    say("%d", s[PAGE]);
    char *w = some(2);
    w[0] = w[PAGE] = 7;
    R(madvise(w, PAGE, MADV_WIPEONFORK));
    reap("wiped", CHILD(_exit(w[0] * 10 + w[PAGE])));
    R(madvise(w, PAGE, MADV_KEEPONFORK));
    reap("kept", CHILD(_exit(w[0] * 10 + w[PAGE])));
    R(madvise(w, PAGE, MADV_DONTFORK));
    reap("gone", CHILD(_exit(w[0])));
    int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
    struct iovec v = {p, PAGE};
    R(syscall(SYS_process_madvise, own, &v, 1, MADV_COLD, 0) >= 0);
    R(syscall(SYS_process_madvise, own, &v, 1, 99, 0));
}

CASE(locks_of_memory)
{
    char *p = some(8);
    R(mlock(p, 2 * PAGE));
    R(munlock(p, PAGE));
    R(mlock(nowhere(), PAGE));
    R(munlock(nowhere(), PAGE));
    R(mlock2(p, PAGE, MLOCK_ONFAULT));
    R(mlock2(p, PAGE, 99));
    R(mlockall(99));
    R(mlockall(MCL_CURRENT | MCL_FUTURE));
    char *q = some(2);
    say("%d", q != MAP_FAILED);
    R(munlockall());
    R(munmap(p, 8 * PAGE));
    struct rlimit l = {PAGE, PAGE};
    R(setrlimit(RLIMIT_MEMLOCK, &l));
    reap("limited", CHILD({
        if (!getuid())
            syscall(SYS_setresuid, 1000, 1000, 1000);
        char *r = some(4);
        R(mlock(r, PAGE));
        R(mlock(r + PAGE, PAGE));
        R(munlock(r, PAGE));
        R(mlockall(MCL_CURRENT));
        R(M(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0));
    }));
}

static long most(size_t step)
{
    long n = 0;
    while (n < 100000 && mmap(NULL, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        n++;
    return n;
}

static long pages_mapped(void)
{
    char bytes[64] = "";
    int fd = open("/proc/self/statm", O_RDONLY);
    read(fd, bytes, 63);
    close(fd);
    return atol(bytes);
}

CASE(limit_of_address_space)
{
    struct rlimit l = {200 << 20, 300 << 20}, now;
    R(setrlimit(RLIMIT_AS, &l));
    R(getrlimit(RLIMIT_AS, &now));
    say("%ld %ld", (long)now.rlim_cur >> 20, (long)now.rlim_max >> 20);
    R(M(NULL, 250 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    long n = most(1 << 20);
    say("about %d", n > 185 && n < 200);
    R(M(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    R(malloc(64 << 20) != NULL);
    R(sbrk(32 << 20) != (void *)-1);
    pthread_t t;
    R(pthread_create(&t, NULL, (void *(*)(void *))pages_mapped, NULL));
    reap("child", CHILD({
        R(M(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        _exit(3);
    }));
    l.rlim_cur = 300 << 20;
    R(setrlimit(RLIMIT_AS, &l));
    R(M(NULL, 50 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    R(M(NULL, 80 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    char *p = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    R((long)mremap(p, 1 << 20, 200 << 20, MREMAP_MAYMOVE));
}

CASE(limit_of_address_space_exec)
{
    struct rlimit l = {100 << 20, 100 << 20};
    R(setrlimit(RLIMIT_AS, &l));
    reap("sh", CHILD(execl("/bin/sh", "sh", "-c", "ulimit -v; echo works", NULL)));
}

CASE(limit_of_data)
{
    struct rlimit l = {64 << 20, RLIM_INFINITY}, now;
    R(setrlimit(RLIMIT_DATA, &l));
    R(getrlimit(RLIMIT_DATA, &now));
    say("%ld", (long)now.rlim_cur >> 20);
    R(sbrk(100 << 20) != (void *)-1);
    R(M(NULL, 100 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    R(M(NULL, 100 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    R(M(NULL, 100 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    long n = most(1 << 20);
    say("about %d", n > 50 && n < 64);
    char *ro = mmap(NULL, 20 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    R(mprotect(ro, 20 << 20, PROT_READ | PROT_WRITE));
    reap("child", CHILD({
        R(sbrk(10 << 20) != (void *)-1);
        _exit(3);
    }));
}

/* Not in the frame of the case itself. */
static __attribute__((noinline)) void use_stack(size_t size)
{
    volatile char *room = __builtin_alloca(size);
    room[0] = 1;
    _exit(room[0]);
}

CASE(limit_of_stack)
{
    struct rlimit l = {1 << 20, 8 << 20}, now;
    R(setrlimit(RLIMIT_STACK, &l));
    R(getrlimit(RLIMIT_STACK, &now));
    say("%ld %ld", (long)now.rlim_cur >> 20, (long)now.rlim_max >> 20);
    reap("half", CHILD(use_stack(512 << 10)));
    reap("too much", CHILD(use_stack(2 << 20)));
    reap("sh", CHILD(execl("/bin/sh", "sh", "-c", "ulimit -s; ulimit -Hs", NULL)));
}

CASE(secret_and_memfd)
{
    int fd = memfd_create("name", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    ftruncate(fd, PAGE);
    char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    strcpy(p, "in memory");
    char bytes[16] = "";
    R(pread(fd, bytes, 10, 0));
    say("%s", bytes);
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
    R(ftruncate(fd, 2 * PAGE));
    R(ftruncate(fd, 100));
    R(fcntl(fd, F_GET_SEALS));
    munmap(p, PAGE);
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL));
    R(write(fd, "x", 1));
    R(M(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    R(M(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
    R(M(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
    R(memfd_create("x", 0xff00));
    R(memfd_create(nowhere(), 0));
    char name[300];
    memset(name, 'n', 299);
    name[299] = 0;
    R(memfd_create(name, 0));
    long n = readlink("/proc/self/fd/3", name, 299);
    name[n > 0 ? n : 0] = 0;
    say("%s", name);
    int secret = (int)syscall(447, 0);
    say("secret %d", secret >= 0);
    if (secret >= 0) {
        ftruncate(secret, PAGE);
        p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, secret, 0);
        if (p != MAP_FAILED) {
            strcpy(p, "hush");
            say("%s", p);
            R(write(open("/dev/null", O_WRONLY), p, 5));
            int ends[2];
            pipe(ends);
            R(write(ends[1], p, 5));
        }
    }
    R(syscall(447, 99));
}

CASE(own_mem_file)
{
    static char here[32] = "bytes in memory";
    char bytes[32] = "";
    int fd = open("/proc/self/mem", O_RDWR);
    R(pread(fd, bytes, 16, (off_t)(uintptr_t)here));
    say("%s", bytes);
    R(pwrite(fd, "other", 5, (off_t)(uintptr_t)here));
    say("%s", here);
    char *ro = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    R(pwrite(fd, "forced", 7, (off_t)(uintptr_t)ro));
    say("%s", ro);
    R(pread(fd, bytes, 16, 0x10));
    R(pread(fd, bytes, 16, (off_t)(uintptr_t)nowhere()));
    R(lseek(fd, (off_t)(uintptr_t)here, SEEK_SET) == (off_t)(uintptr_t)here);
    R(read(fd, bytes, 5));
    R(write(fd, "12345", 5));
    say("%s", here);
}

CASE(maps_file)
{
    char *p = some(3), line[512], *second = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    mprotect(p + PAGE, PAGE, PROT_READ);
    FILE *f = fopen("/proc/self/maps", "r");
    int heaps = 0, stacks = 0, others = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned long start, end;
        char rights[8];
        sscanf(line, "%lx-%lx %7s", &start, &end, rights);
        if (start == (uintptr_t)p + PAGE || start == (uintptr_t)second)
            say("%lx %s", (end - start) / PAGE, rights);
        heaps += strstr(line, "[heap]") != NULL;
        stacks += strstr(line, "[stack]") != NULL;
        others += strstr(line, "ebb") != NULL;
    }
    say("heaps %d stacks %d others %d", heaps, stacks, others);
}

CASE(seals_of_memory)
{
    char *p = some(4);
    R(syscall(462, p + PAGE, PAGE, 0));
    R(mprotect(p + PAGE, PAGE, PROT_READ));
    R(munmap(p, 4 * PAGE));
    R((long)mremap(p + PAGE, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
    R((long)mmap(p + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    R(madvise(p + PAGE, PAGE, MADV_DONTNEED));
    p[PAGE] = 5;
    say("%d", p[PAGE]);
    R(syscall(462, p + 1, PAGE, 0));
    R(syscall(462, p, PAGE, 1));
    R(syscall(462, nowhere(), PAGE, 0));
    R(mprotect(p, PAGE, PROT_READ));
}

CASE(policies)
{
    char *p = some(2);
    int mode = -1;
    unsigned long nodes = 1;
    R(syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0));
    say("%d", mode);
    R(syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8));
    R(syscall(SYS_get_mempolicy, &mode, &nodes, 64, NULL, 0));
    say("%d %lx", mode, nodes);
    R(syscall(SYS_set_mempolicy, 99, &nodes, 8));
    R(syscall(SYS_mbind, p, PAGE, MPOL_PREFERRED, &nodes, 8, 0));
    R(syscall(SYS_mbind, p + 1, PAGE, MPOL_BIND, &nodes, 8, 0));
    R(syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0));
    void *pages[2] = {p, p + PAGE};
    int status[2] = {-9, -9};
    p[0] = 1;
    R(syscall(SYS_move_pages, 0, 2, pages, NULL, status, 0));
    say("%d %d", status[0], status[1]);
    R(syscall(SYS_migrate_pages, 0, 8, &nodes, &nodes));
    R(syscall(SYS_set_mempolicy_home_node, p, PAGE, 0, 0));
}

CASE(shared_between_processes)
{
    volatile int *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = CHILD({
        for (int i = 0; i < 1000; i++)
            __atomic_add_fetch(&p[0], 1, __ATOMIC_SEQ_CST);
        p[1] = 5;
    });
    for (int i = 0; i < 1000; i++)
        __atomic_add_fetch(&p[0], 1, __ATOMIC_SEQ_CST);
    reap("child", child);
    say("%d %d", p[0], p[1]);
    int id = shmget(IPC_PRIVATE, 2 * PAGE, 0600);
    char *s = shmat(id, NULL, 0);
    reap("child", CHILD(strcpy(s, "through a segment")));
    say("%s", s);
    struct shmid_ds ds;
    R(shmctl(id, IPC_STAT, &ds));
    say("size %zu attached %d", ds.shm_segsz, (int)ds.shm_nattch);
    R(shmdt(s));
    R(shmdt(s));
    char *ro = shmat(id, NULL, SHM_RDONLY);
    say("%s", ro);
    catch_faults();
    TOUCH(ro);
    R((long)shmat(id, (void *)1, 0));
    R((long)shmat(-1, NULL, 0));
    R((long)shmat(id, ro, 0));
    R(shmat(id, ro, SHM_REMAP) == ro);
    R(shmctl(id, SHM_LOCK, NULL) == 0 || errno == EPERM);
    R(shmctl(id, IPC_RMID, NULL));
    R(shmctl(id, IPC_STAT, &ds) == 0 || errno == EIDRM || errno == EINVAL);
    R(shmget(IPC_PRIVATE, 0, 0600));
    R(shmget(12345, 100, 0600));
    R(shmctl(0x7fffffff, IPC_STAT, &ds));
    R(shmctl(0, 99, &ds));
}

CASE(guards_and_growth)
{
    catch_faults();
    char *base = some(64), *p = mmap(base + 32 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
    munmap(base, 32 * PAGE);
    say("%d", p != MAP_FAILED);
    p[0] = 1;
    char *q = some(8);
    q[0] = q[PAGE] = 4;
    R(madvise(q, PAGE, 102));
    TOUCH(q);
    TOUCH(q + PAGE);
    R(madvise(q, PAGE, 103));
    TOUCH(q);
}
