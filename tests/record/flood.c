/* flood MIB: reads so much that no compressor makes less of it, then says `done`. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char block[32768];
    int fd = open("/dev/urandom", O_RDONLY), blocks = (argc > 1 ? atoi(argv[1]) : 1) * 32;
    for (int i = 0; i < blocks; i++)
        if (read(fd, block, sizeof block) != (ssize_t)sizeof block)
            return 1;
    puts("done");
    return 0;
}
