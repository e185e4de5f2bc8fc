/* Looks into its own file and that of the library, as programs do that print their own backtraces. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *look(const char *path, off_t from)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st))
        exit(1);
    const char *bytes = mmap(NULL, st.st_size - from, PROT_READ, MAP_PRIVATE, fd, from);
    close(fd);
    return bytes;
}

static const char *library(void)
{
    Dl_info about;
    return dladdr((void *)abort, &about) ? about.dli_fname : "";
}

static int deep(int n)
{
    const char *self = look("/proc/self/exe", 0), *piece = look(library(), 4096);
    int first = self[n];
    if (first == 'E' && piece)
        abort();
    return first;
}

int main(void)
{
    return deep(1) + 1;
}
