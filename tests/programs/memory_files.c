/* Private file mappings: shown as the file is, changed for us alone; offsets; read-only files.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

int main(void)
{
    int fd = open("data", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0);
    for (int i = 0; i < 10; i++) {
        char page[PAGE];
        memset(page, 'a' + i, PAGE);
        CHECK(write(fd, page, PAGE) == PAGE);
    }
    char *all = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    char *some = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 4 * PAGE);
    CHECK(all != MAP_FAILED && some != MAP_FAILED);
    CHECK(some[0] == 'e' && some[2 * PAGE - 1] == 'f' && all[9 * PAGE] == 'j');
    all[4 * PAGE] = '!';
    CHECK(some[0] == 'e');
    char byte;
    CHECK(pread(fd, &byte, 1, 4 * PAGE) == 1 && byte == 'e');
    close(fd);
    CHECK(all[5 * PAGE] == 'f');
    CHECK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EBADF);

    fd = open("data", O_RDONLY);
    CHECK(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EACCES);
    CHECK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 100) == MAP_FAILED && errno == EINVAL);
    char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
    CHECK(own != MAP_FAILED && own[0] == 'b');
    own[0] = 'B';
    CHECK(mprotect(own, PAGE, PROT_READ) == 0 && own[0] == 'B');
    return done();
}
