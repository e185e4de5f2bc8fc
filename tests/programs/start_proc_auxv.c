/* /proc/self/auxv is the vector that is on the stack.
 *
 * variants: static
 */
#include "check.h"
#include <elf.h>
#include <fcntl.h>

int main(int argc, char **argv, char **envp)
{
    (void)argc, (void)argv;
    while (*envp)
        envp++;
    Elf64_auxv_t *own = (Elf64_auxv_t *)(envp + 1), read_back[64];
    int fd = open("/proc/self/auxv", O_RDONLY);
    CHECK(fd >= 0);
    ssize_t size = read(fd, read_back, sizeof read_back);
    CHECK(size > 0 && size % sizeof *own == 0);
    int count = 0;
    for (;; count++) {
        CHECK((count + 1) * sizeof *own <= (size_t)size);
        CHECK(own[count].a_type == read_back[count].a_type);
        CHECK(own[count].a_un.a_val == read_back[count].a_un.a_val);
        if (own[count].a_type == AT_NULL)
            break;
    }
    CHECK(count > 10);
    return done();
}
