/* What a process does to another one: writes into its memory, signals, descriptors. */
#include "family.h"
#include <sys/uio.h>
#include <sys/prctl.h>

struct board {
    char text[64];
    unsigned numbers[1024];
    volatile int stop;
};

static long write_to(pid_t pid, void *to, const void *from, size_t size)
{
    struct iovec local = {(void *)from, size}, remote = {to, size};
    return process_vm_writev(pid, &local, 1, &remote, 1, 0);
}

/* The other process waits in a call: its memory has changed when the call returns. */
CASE(write_to_one_that_waits)
{
    static struct board board;
    int go[2], back[2];
    if (pipe(go) || pipe(back))
        return;
    strcpy(board.text, "before");
    pid_t child = CHILD({
        char byte;
        for (int i = 0; i < 3; i++) {
            if (read(go[0], &byte, 1) != 1)
                _exit(1);
            say("round %d: %s %u", i, board.text, sum_of(board.numbers, sizeof board.numbers));
            if (write(back[1], "x", 1) != 1)
                _exit(1);
        }
    });
    for (int i = 0; i < 3; i++) {
        char text[16], byte;
        unsigned numbers[1024];
        snprintf(text, sizeof text, "written %d", i);
        for (int n = 0; n < 1024; n++)
            numbers[n] = n * 7 + i;
        R(write_to(child, board.text, text, sizeof text));
        R(write_to(child, board.numbers, numbers, sizeof numbers));
        if (write(go[1], "x", 1) != 1 || read(back[0], &byte, 1) != 1)
            return;
    }
    reap("the child", child);
}

/* The other process computes, and never calls the kernel until it sees what was written. */
CASE(write_to_one_that_runs)
{
    static volatile unsigned word;
    int ready[2];
    char byte;
    if (pipe(ready))
        return;
    pid_t child = CHILD({
        unsigned long spins = 0, seen = 0;
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        while (word != 5)
            if (word != seen) {
                spins++;
                seen = word;
            }
        say("the last word is %u%s", word, spins <= 5 ? "" : ", too often");
        _exit((int)word);
    });
    if (read(ready[0], &byte, 1) != 1)
        return;
    for (unsigned i = 1; i <= 5; i++) {
        R(write_to(child, (void *)&word, &i, sizeof i));
        pause_ms(3);
    }
    reap("the child", child);
}

static volatile int threads_stop;

static void *count_up(void *counter)
{
    while (!threads_stop)
        ++*(volatile unsigned *)counter;
    return NULL;
}

CASE(write_to_one_with_threads)
{
    static unsigned counters[2];
    int ready[2];
    char byte;
    if (pipe(ready))
        return;
    pid_t child = CHILD({
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], NULL, count_up, &counters[i]);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
        say("the threads have ended");
    });
    if (read(ready[0], &byte, 1) != 1)
        return;
    int one = 1;
    R(write_to(child, (void *)&threads_stop, &one, sizeof one));
    reap("the child", child);
}

CASE(write_to_memory_file)
{
    static char text[2 * PAGE];
    const char *constant = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int go[2];
    char name[64], byte;
    if (pipe(go))
        return;
    strcpy(text + PAGE - 3, "before");
    pid_t child = CHILD({
        if (read(go[0], &byte, 1) != 1)
            _exit(1);
        say("it has %s and '%s' and '%s'", text, text + PAGE - 3, constant);
    });
    snprintf(name, sizeof name, "/proc/%d/mem", child);
    int fd = open(name, O_RDWR);
    if (fd < 0)
        return;
    R(pwrite(fd, "changed", 8, (off_t)(long)text));
    R(pwrite(fd, "across!", 8, (off_t)(long)(text + PAGE - 3)));
    R(pwrite(fd, "read only", 10, (off_t)(long)constant));
    R(lseek(fd, (off_t)(long)text, SEEK_SET) == (off_t)(long)text);
    R(write(fd, "C", 1));
    R(pwrite(fd, "x", 1, 0));
    char seen[8] = "";
    R(pread(fd, seen, 8, (off_t)(long)text));
    say("read back: %s", seen);
    if (write(go[1], "x", 1) != 1)
        return;
    reap("the child", child);
    R(pwrite(fd, "x", 1, (off_t)(long)text));
}

/* Two processes write into one another. */
CASE(write_to_one_another)
{
    static unsigned mine, rounds = 50;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    pid_t parent = getpid();
    pid_t child = CHILD({
        for (unsigned i = 1; i <= rounds; i++)
            if (write_to(parent, &mine, &i, sizeof i) != sizeof i)
                _exit(1);
        while (*(volatile unsigned *)&mine != rounds)
            sched_yield();
        say("the child has %u", mine);
    });
    for (unsigned i = 1; i <= rounds; i++)
        if (write_to(child, &mine, &i, sizeof i) != sizeof i)
            say("failed: %s", strerrorname_np(errno));
    while (*(volatile unsigned *)&mine != rounds)
        sched_yield();
    say("the parent has %u", mine);
    reap("the child", child);
}

CASE(write_to_one_that_is_stopped)
{
    static char text[32] = "before";
    int status;
    pid_t child = CHILD({
        raise(SIGSTOP);
        say("%s", text);
    });
    waitpid(child, &status, WUNTRACED);
    say_end("the child", status);
    R(write_to(child, text, "while stopped", 14));
    kill(child, SIGCONT);
    reap("the child", child);
}

CASE(write_errors)
{
    static char text[32] = "before";
    char *edge = two_pages_one_gone();
    const char *constant = "a constant";
    int go[2];
    char byte;
    if (pipe(go))
        return;
    pid_t child = CHILD({
        if (read(go[0], &byte, 1) != 1)
            _exit(1);
        say("it has '%s' and '%s'", text, edge + PAGE - 4);
    });
    struct iovec local[2] = {{"1234567", 8}, {"abcdefg", 8}}, remote[2] = {{text, 8}, {text + 7, 8}};
    R(process_vm_writev(child, local, 2, remote, 2, 0));
    R(process_vm_writev(child, local, 2, remote, 1, 0));
    R(process_vm_writev(child, local, 1, remote, 2, 0));
    R(process_vm_writev(child, local, 2, remote, 2, 1));
    R(process_vm_writev(child, local, 2000, remote, 2, 0));
    R(process_vm_writev(child, local, -1, remote, 2, 0));
    R(process_vm_writev(child, local, 0, remote, 2, 0));
    R(process_vm_writev(child, nowhere(), 2, remote, 2, 0));
    R(process_vm_writev(child, local, 2, nowhere(), 2, 0));
    remote[0].iov_base = edge + PAGE - 4;
    R(process_vm_writev(child, local, 1, remote, 1, 0));
    remote[0] = (struct iovec){edge + PAGE - 4, 4};
    R(process_vm_writev(child, local, 1, remote, 1, 0));
    remote[1] = (struct iovec){nowhere(), 4};
    R(process_vm_writev(child, local, 2, remote, 2, 0));
    remote[0] = (struct iovec){(void *)constant, 4};
    R(process_vm_writev(child, local, 1, remote, 1, 0));
    remote[0] = (struct iovec){text, (size_t)-1};
    R(process_vm_writev(child, local, 1, remote, 1, 0));
    remote[0] = (struct iovec){text, 4};
    R(process_vm_writev(-1, local, 1, remote, 1, 0));
    R(process_vm_writev(0, local, 1, remote, 1, 0));
    R(process_vm_writev(1 << 22, local, 1, remote, 1, 0));
    if (write(go[1], "x", 1) != 1)
        return;
    reap("the child", child);
    R(process_vm_writev(child, local, 1, remote, 1, 0));
}
