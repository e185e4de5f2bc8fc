/* Prints a file of a recording, found as a front end finds it: recorded_file RECORDING PATH
 *
 * sources: src/log/[all but syscall_*].c src/base/[all].c
 */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "log/recording_file.h"

int main(int argc, char **argv)
{
    struct recording *rec;
    int fd;
    if (argc != 3)
        return 2;
    struct error *err = recording_open(argv[1], &rec);
    if (!err)
        err = recording_file(rec, argv[2], &fd);
    if (err)
        return error_complain(err, 1);
    char bytes[4096];
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
        fwrite(bytes, 1, (size_t)n, stdout);
    close(fd);
    recording_destroy(rec);
    return 0;
}
