/* Looks into its own file and that of the library, as programs do that print their own backtraces. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *look(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st))
        exit(1);
    const char *bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return bytes;
}

static int deep(int n)
{
    const char *self = look("/proc/self/exe");
    int first = self[n];
    if (first == 'E')
        abort();
    return first;
}

int main(void)
{
    return deep(1) + 1;
}
