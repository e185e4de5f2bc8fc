/* /proc/self/exe, cmdline, comm and environ speak of the guest.
 *
 * variants: static
 * args: a bb
 */
#include "check.h"
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static int slurp(const char *path, char *buf, int size)
{
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0);
    int len = 0, got;
    while ((got = read(fd, buf + len, size - 1 - len)) > 0)
        len += got;
    CHECK(got == 0);
    buf[len] = 0;
    close(fd);
    return len;
}

int main(int argc, char **argv)
{
    char path[4096], text[65536], wanted[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    CHECK(len > 0);
    path[len] = 0;
    struct stat by_link, by_name, own;
    CHECK(stat("/proc/self/exe", &by_link) == 0 && stat(path, &by_name) == 0);
    CHECK(stat(argv[0], &own) == 0);
    CHECK(by_link.st_ino == own.st_ino && by_name.st_ino == own.st_ino);
    snprintf(wanted, sizeof wanted, "/proc/%d/exe", (int)getpid());
    char other[4096];
    CHECK(readlink(wanted, other, sizeof other) == len && !memcmp(path, other, len));

    int size = slurp("/proc/self/cmdline", text, sizeof text), at = 0;
    for (int i = 0; i < argc; i++) {
        CHECK(!strcmp(text + at, argv[i]));
        at += strlen(argv[i]) + 1;
    }
    CHECK(at == size);

    const char *base = strrchr(argv[0], '/') + 1;
    snprintf(wanted, sizeof wanted, "%.15s\n", base);
    slurp("/proc/self/comm", text, sizeof text);
    CHECK(!strcmp(text, wanted));
    CHECK(prctl(PR_GET_NAME, text) == 0 && !strncmp(text, base, 15));
    CHECK(prctl(PR_SET_NAME, "renamed") == 0);
    slurp("/proc/self/comm", text, sizeof text);
    CHECK(!strcmp(text, "renamed\n"));

    size = slurp("/proc/self/environ", text, sizeof text);
    int seen = 0;
    for (at = 0; at < size; at += strlen(text + at) + 1)
        seen += !strcmp(text + at, "LC_ALL=C");
    CHECK(seen == 1);
    return done();
}
