/* The dynamic linker started by name, with the program as its argument.
 */
#include "check.h"

int main(int argc, char **argv)
{
    static const char loader[] = "/lib64/ld-linux-x86-64.so.2";
    if (argc == 2) {
        CHECK(!strcmp(argv[1], "again"));
        char path[4096], *real = realpath(loader, NULL);
        ssize_t length = readlink("/proc/self/exe", path, sizeof path);
        CHECK(real && length == (ssize_t)strlen(real) && !memcmp(real, path, length));
        return done();
    }
    execl(loader, loader, argv[0], "again", NULL);
    CHECK(!"execl");
}
