/* AT_SYSINFO_EHDR, when there, is a usable ELF image whose functions can be found and called.
 *
 * variants: static
 * also: ownvdso=1
 */
#include "check.h"
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <time.h>

typedef int clock_function(clockid_t, struct timespec *);

struct image {
    char *base;
    const ElfW(Sym) *symbols;
    const char *strings;
    const ElfW(Word) *hash;
};

static void read_dynamic(struct image *image, const ElfW(Dyn) *d, uintptr_t bias)
{
    for (; d->d_tag != DT_NULL; d++) {
        void *p = (void *)(bias + d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            image->symbols = p;
        if (d->d_tag == DT_STRTAB)
            image->strings = p;
        if (d->d_tag == DT_HASH)
            image->hash = p;
    }
}

static clock_function *find(struct image *image, const char *name)
{
    const ElfW(Ehdr) *header = (void *)image->base;
    const ElfW(Phdr) *part = (void *)(image->base + header->e_phoff);
    uintptr_t bias = (uintptr_t)image->base;
    for (int i = 0; i < header->e_phnum; i++)
        if (part[i].p_type == PT_LOAD)
            bias = (uintptr_t)image->base + part[i].p_offset - part[i].p_vaddr;
    for (int i = 0; i < header->e_phnum; i++)
        if (part[i].p_type == PT_DYNAMIC)
            read_dynamic(image, (void *)(image->base + part[i].p_offset), bias);
    if (!image->symbols || !image->strings || !image->hash)
        return NULL;
    for (unsigned i = 0; i < image->hash[1]; i++)
        if (!strcmp(image->strings + image->symbols[i].st_name, name))
            return (clock_function *)(bias + image->symbols[i].st_value);
    return NULL;
}

int main(void)
{
    struct image image = {.base = (char *)getauxval(AT_SYSINFO_EHDR)};
    if (image.base) {
        CHECK(!memcmp(image.base, ELFMAG, SELFMAG));
        clock_function *clock = find(&image, "__vdso_clock_gettime");
        struct timespec a, b;
        if (clock) {
            CHECK(clock(CLOCK_MONOTONIC, &a) == 0);
            CHECK(clock_gettime(CLOCK_MONOTONIC, &b) == 0);
            CHECK(a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec));
        }
    }
    return done();
}
