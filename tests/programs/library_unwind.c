/* Unwinding: backtraces have the guest's return addresses, also through a signal frame;
 * dl_iterate_phdr tells of all images; RTLD_NEXT finds libc's own.
 *
 * flags: -O1 -fno-optimize-sibling-calls -rdynamic
 * libs: -ldl
 */
#include "check.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

static volatile int named;

/* How many of main, outer and inner are on the stack. */
__attribute__((noinline)) static int known_frames(void)
{
    void *frames[64];
    int count = backtrace(frames, 64), known = 0;
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr(frames[i], &info) && info.dli_sname)
            known += !strcmp(info.dli_sname, "main") || !strcmp(info.dli_sname, "outer") ||
                     !strcmp(info.dli_sname, "inner");
    }
    return known;
}

static void on_signal(int sig)
{
    (void)sig;
    named = known_frames();
}

__attribute__((noinline)) int inner(int how)
{
    if (how == 0)
        return known_frames() + 0 * getpid();
    if (how == 1)
        raise(SIGUSR1);
    else
        __asm__ volatile("int3");
    return named;
}

__attribute__((noinline)) int outer(int how)
{
    return inner(how) + 0 * getpid();
}

static int count_images(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            ++*(int *)count;
    return 0;
}

size_t strlen(const char *s)
{
    static size_t (*real)(const char *);
    if (!real)
        real = (size_t (*)(const char *))dlsym(RTLD_NEXT, "strlen");
    return real(s);
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    signal(SIGTRAP, on_signal);
    for (int how = 0; how < 3; how++) {
        for (int i = 0; i < 5; i++)
            CHECK(outer(how) == 3);
    }
    int images = 0;
    dl_iterate_phdr(count_images, &images);
    CHECK(images >= 3);                 /* the program, libc, the linker */
    char text[] = "twelve chars";
    CHECK(strlen(text) == 12);
    return done();
}
