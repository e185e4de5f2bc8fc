/* A file of sixteen gigabytes with next to nothing in it, mapped shared and privately, as a data
 * base maps its file.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>

#define SIZE (16ul << 30)
#define NEAR (3ul << 30)
#define FAR (SIZE - 4096)

int main(void)
{
    int fd = open("sparse", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && unlink("sparse") == 0);
    CHECK(ftruncate(fd, SIZE) == 0 && pwrite(fd, "far", 4, FAR) == 4);
    char *shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *private = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    CHECK(shared != MAP_FAILED && private != MAP_FAILED);
    strcpy(shared + NEAR, "near");
    char back[8] = "";
    CHECK(pread(fd, back, 5, NEAR) == 5);
    printf("%s %s %s %s %d\n", shared + FAR, private + FAR, private + NEAR, back, shared[1]);
    CHECK(pwrite(fd, "changed", 8, FAR) == 8);
    printf("%s\n", shared + FAR);
    CHECK(munmap(shared, SIZE) == 0 && munmap(private, SIZE) == 0);
    return done();
}
