/* The program of the recordings in this folder: it has no libc, so that the recording holds the one
 * file that it needs, and uses what a layout decides: image, stack, heap, mappings, a signal frame,
 * a forked child, and a second image.
 *
 *     gcc -O1 -nostdlib -static-pie -fno-stack-protector -fcf-protection=none -s -o tiny tiny.c
 *     ebb record --cpu=v2 --check=500 -o vN -- ./tiny
 *
 * The environment is part of a recording: it was PATH alone.
 */
typedef unsigned long u64;

enum {
    SYS_write = 1, SYS_mmap = 9, SYS_brk = 12, SYS_sigaction = 13, SYS_sigreturn = 15, SYS_getpid = 39,
    SYS_fork = 57, SYS_execve = 59, SYS_exit = 60, SYS_wait4 = 61, SYS_kill = 62,
};

static long call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void say(const char *what, u64 value)
{
    char line[64], *to = line;
    while (*what)
        *to++ = *what++;
    for (int shift = 60; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[value >> shift & 15];
    *to++ = '\n';
    call(SYS_write, 1, (long)line, to - line, 0, 0, 0);
}

static volatile u64 handled;

static void handler(int signal)
{
    handled = (u64)&signal;
}

__asm__("restorer: mov $15, %eax\n syscall");
extern void restorer(void) __attribute__((visibility("hidden")));

struct action {
    void (*handler)(int);
    u64 flags;
    void (*restorer)(void);
    u64 mask;
};

static u64 work(u64 seed)
{
    for (int i = 0; i < 2000; i++)
        seed = seed * 6364136223846793005ul + (seed >> 33 & 1 ? 1442695040888963407ul : 1);
    return seed;
}

__attribute__((used)) static void start(long *stack)
{
    char **argv = (char **)(stack + 1);
    u64 heap = (u64)call(SYS_brk, 0, 0, 0, 0, 0, 0);
    call(SYS_brk, (long)heap + 8192, 0, 0, 0, 0, 0);
    u64 *mapped = (u64 *)call(SYS_mmap, 0, 65536, 3, 0x22, -1, 0);
    for (int i = 0; i < 100; i++)
        mapped[i] = ((u64 *)heap)[i] = work((u64)i);
    say("image    ", (u64)start);
    say("stack    ", (u64)stack);
    say("heap     ", heap);
    say("mapped   ", (u64)mapped);

    struct action act = {handler, 0x04000000, restorer, 0};
    call(SYS_sigaction, 10, (long)&act, 0, 8, 0, 0);
    call(SYS_kill, call(SYS_getpid, 0, 0, 0, 0, 0, 0), 10, 0, 0, 0, 0);
    say("handled  ", handled);
    if (stack[0] > 1)
        call(SYS_exit, 7, 0, 0, 0, 0, 0);
    long child = call(SYS_fork, 0, 0, 0, 0, 0, 0);
    if (!child) {
        char *arguments[] = {argv[0], "again", 0};
        say("work     ", work(heap));
        call(SYS_execve, (long)argv[0], (long)arguments, (long)(argv + 2), 0, 0, 0);
    }
    int status = 0;
    call(SYS_wait4, child, (long)&status, 0, 0, 0, 0);
    say("status   ", (u64)status);
    call(SYS_exit, 0, 0, 0, 0, 0, 0);
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\n call start\n hlt");
