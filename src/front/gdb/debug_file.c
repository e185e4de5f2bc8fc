/* Tells whether a file is the debug information of another: see the header. */
#include "front/gdb/debug_file.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <string.h>

static bool debug_file_ends(const char *path, const char *with)
{
    size_t length = strlen(path), most = strlen(with);
    return length > most && strcmp(path + length - most, with) == 0;
}

static bool name_is_shared(const char *path)
{
    return strstr(path, "/.dwz/") || debug_file_ends(path, ".dwo") || debug_file_ends(path, ".dwp");
}

bool debug_file_has_name(const char *path)
{
    return debug_file_ends(path, ".debug") || strstr(path, "/.build-id/") || name_is_shared(path);
}

static Elf *debug_file_elf(int fd)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        return elf;
    elf_end(elf);
    return NULL;
}

bool debug_file_is_shared(int fd, const char *path)
{
    Elf *elf = name_is_shared(path) ? debug_file_elf(fd) : NULL;
    elf_end(elf);
    return elf != NULL;
}

static bool debug_file_is_named(Elf *of, const char *path)
{
    GElf_Word sum;
    const char *name = dwelf_elf_gnu_debuglink(of, &sum), *slash = strrchr(path, '/');
    return name && slash && strcmp(slash + 1, name) == 0;
}

bool debug_file_is_of(int fd, const char *path, int of)
{
    Elf *debug = debug_file_elf(fd), *program = debug ? debug_file_elf(of) : NULL;
    const void *id = NULL, *wanted = NULL;
    ssize_t size = program ? dwelf_elf_gnu_build_id(debug, &id) : 0;
    ssize_t most = program ? dwelf_elf_gnu_build_id(program, &wanted) : 0;
    bool ret = most > 0 ? size == most && memcmp(id, wanted, (size_t)size) == 0
                        : program && debug_file_is_named(program, path);
    elf_end(debug);
    elf_end(program);
    return ret;
}
