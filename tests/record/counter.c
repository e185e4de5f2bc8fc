/* counter FILE READY: computes for ever, and counts in a file that it has mapped.
 *
 * FILE has the count and the process id; READY is made when it begins.  All that happens in between
 * is
 * computed: nothing is logged.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned long *count;

int main(int argc, char **argv)
{
    int fd = argc == 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0 || ftruncate(fd, 4096) < 0)
        return 1;
    count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (count == MAP_FAILED)
        return 1;
    count[1] = (unsigned long)getpid();
    close(open(argv[2], O_WRONLY | O_CREAT, 0600));
    for (;;)
        ++*count;
}
