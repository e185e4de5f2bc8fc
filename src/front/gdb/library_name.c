/* Finds which file the dynamic linker means by a name: see the header. */
#include "front/gdb/library_name.h"

#include <gelf.h>
#include <string.h>

static const char *library_name_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool library_name_fits(const char *path, const char *name)
{
    const char *file = library_name_last_part(path), *asked = library_name_last_part(name);
    size_t length = strlen(asked);
    return length && strncmp(file, asked, length) == 0 && (!file[length] || file[length] == '.');
}

/* Returns the string of the first entry with this tag; NULL: there is none. */
static const char *dynamic_string(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                                  GElf_Sxword tag)
{
    Elf_Data *data = elf_getdata(section, NULL);
    int count = data && header->sh_entsize ? (int)(header->sh_size / header->sh_entsize) : 0;
    for (int i = 0; i < count; i++) {
        GElf_Dyn entry;
        if (gelf_getdyn(data, i, &entry) && entry.d_tag == tag)
            return elf_strptr(elf, header->sh_link, entry.d_un.d_val);
    }
    return NULL;
}

static const char *library_name_own(Elf *elf)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
            return dynamic_string(elf, section, &header, DT_SONAME);
    }
    return NULL;
}

bool library_name_is_own(int fd, const char *name)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const char *own = elf ? library_name_own(elf) : NULL;
    bool ret = own && strcmp(own, library_name_last_part(name)) == 0;
    elf_end(elf);
    return ret;
}
