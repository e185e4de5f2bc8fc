/* Code that system calls put in place: read, pread, readv, recv, each over code that has run.
 *
 * settings: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

int main(void)
{
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    int (*function)(void) = (int (*)(void))page;
    int fd = open("code", O_RDWR | O_CREAT, 0600), pair[2];
    CHECK(fd >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (int i = 0; i < 200; i++) {
        unsigned char code[6] = {0xb8, i, 0, 0, 0, 0xc3};
        switch (i % 4) {
        case 0:
            CHECK(pwrite(fd, code, 6, 0) == 6 && lseek(fd, 0, SEEK_SET) == 0);
            CHECK(read(fd, page, 6) == 6);
            break;
        case 1:
            CHECK(pwrite(fd, code, 6, 10) == 6 && pread(fd, page, 6, 10) == 6);
            break;
        case 2: {
            CHECK(write(pair[1], code, 6) == 6);
            struct iovec parts[2] = {{page, 2}, {page + 2, 4}};
            CHECK(readv(pair[0], parts, 2) == 6);
            break;
        }
        case 3:
            CHECK(send(pair[1], code, 6, 0) == 6 && recv(pair[0], page, 6, 0) == 6);
            break;
        }
        CHECK(function() == i);
    }
    return done();
}
