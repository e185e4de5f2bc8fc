/* The auxiliary vector describes the guest, not what carries it.
 *
 * variants: static staticpie nopie
 */
#include "check.h"
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

extern char _start[];
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

int main(int argc, char **argv)
{
    (void)argc;
    CHECK(getauxval(AT_PAGESZ) == 4096);
    CHECK(getauxval(AT_PHENT) == sizeof(ElfW(Phdr)));
    CHECK(getauxval(AT_PHNUM) == __ehdr_start.e_phnum);
    CHECK(getauxval(AT_PHDR) == (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff);
    CHECK(getauxval(AT_ENTRY) == (uintptr_t)_start);
    CHECK(getauxval(AT_UID) == getuid() && getauxval(AT_EUID) == geteuid());
    CHECK(getauxval(AT_GID) == getgid() && getauxval(AT_EGID) == getegid());
    CHECK(getauxval(AT_SECURE) == 0);
    CHECK(getauxval(AT_CLKTCK) == (unsigned long)sysconf(_SC_CLK_TCK));
    const char *platform = (const char *)getauxval(AT_PLATFORM);
    CHECK(platform && !strcmp(platform, "x86_64"));
    const char *name = (const char *)getauxval(AT_EXECFN);
    CHECK(name && !strcmp(name, argv[0]));
    const unsigned char *random = (const unsigned char *)getauxval(AT_RANDOM);
    CHECK(random);
    int bits = 0;
    for (int i = 0; i < 16; i++)
        bits |= random[i];
    CHECK(bits);
    return done();
}
