/* The linker's stubs: the procedure linkage table, through which code calls functions of other
 * files. As in gdb, each stub is a separate function, "puts@plt".
 *
 *     .plt        jmp *slot; push index; jmp header        or, beside .plt.sec: endbr64; push
 *                 index; jmp header
 *     .plt.sec    endbr64; jmp *slot
 *     .plt.got    jmp *slot                                of functions whose address is taken, too
 *
 * The relocation of a slot's address names its function; an index counts the relocations of
 * .rela.plt.
 */
#include <elf.h>
#include <gelf.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "symbols/symbols_internal.h"

/* A section of relocations, with its table of symbols. */
struct stub_relocations {
    Elf_Data *data;
    size_t count;
    Elf_Data *symbols; /* NULL: none */
    size_t names;      /* section of their names */
    bool of_stubs;     /* .rela.plt */
};

struct stub_reader {
    struct module *m;
    Elf *elf;
    u64 bias;
    struct list relocations; /* struct stub_relocations */
};

enum { STUB_SIZE = 16, STUB_SMALL = 8, STUB_ENDBR = 4, STUB_BND = 0xf2, STUB_PUSH = 0x68 };

static const char *section_name(Elf *elf, const GElf_Shdr *h)
{
    size_t names;
    const char *name = elf_getshdrstrndx(elf, &names) ? NULL : elf_strptr(elf, names, h->sh_name);
    return name ? name : "";
}

static void note_relocations(struct stub_reader *r, Elf_Scn *section, const GElf_Shdr *h)
{
    GElf_Shdr symbols;
    Elf_Scn *table = h->sh_link ? elf_getscn(r->elf, h->sh_link) : NULL;
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !h->sh_entsize)
        return;
    struct stub_relocations *to = list_add(&r->relocations);
    *to = (struct stub_relocations){.data = data, .count = h->sh_size / h->sh_entsize,
                                    .of_stubs = strcmp(section_name(r->elf, h), ".rela.plt") == 0};
    if (table && gelf_getshdr(table, &symbols)) {
        to->symbols = elf_getdata(table, NULL);
        to->names = symbols.sh_link;
    }
}

/* The caller frees the name; NULL: the relocation is not for a function. */
static char *relocation_name(struct stub_reader *r, const struct stub_relocations *from,
                             const GElf_Rela *rela)
{
    GElf_Sym symbol;
    if (GELF_R_TYPE(rela->r_info) == R_X86_64_IRELATIVE)
        return xformat("*ABS*+0x%llx@plt", (unsigned long long)rela->r_addend);
    if (!from->symbols || !gelf_getsym(from->symbols, (int)GELF_R_SYM(rela->r_info), &symbol))
        return NULL;
    const char *name = elf_strptr(r->elf, from->names, symbol.st_name);
    return name && *name ? xformat("%s@plt", name) : NULL;
}

static char *name_of_slot(struct stub_reader *r, u64 slot)
{
    GElf_Rela rela;
    const struct stub_relocations *all = r->relocations.items;
    for (size_t n = 0; n < r->relocations.count; n++)
        for (size_t k = 0; k < all[n].count; k++)
            if (gelf_getrela(all[n].data, (int)k, &rela) && rela.r_offset == slot)
                return relocation_name(r, &all[n], &rela);
    return NULL;
}

static char *name_of_index(struct stub_reader *r, u64 index)
{
    GElf_Rela rela;
    const struct stub_relocations *all = r->relocations.items;
    for (size_t n = 0; n < r->relocations.count; n++)
        if (all[n].of_stubs && index < all[n].count &&
            gelf_getrela(all[n].data, (int)index, &rela))
            return relocation_name(r, &all[n], &rela);
    return NULL;
}

static char *name_of_stub(struct stub_reader *r, u64 address, const u8 *code, size_t size)
{
    static const u8 endbr[STUB_ENDBR] = {0xf3, 0x0f, 0x1e, 0xfa};
    i32 number;
    size_t at = size > STUB_ENDBR && memcmp(code, endbr, STUB_ENDBR) == 0 ? STUB_ENDBR : 0;
    at += at < size && code[at] == STUB_BND;
    if (at + 6 <= size && code[at] == 0xff && code[at + 1] == 0x25) {
        memcpy(&number, code + at + 2, 4);
        return name_of_slot(r, address + at + 6 + (u64)(i64)number);
    }
    if (at + 5 > size || code[at] != STUB_PUSH)
        return NULL;
    memcpy(&number, code + at + 1, 4);
    return name_of_index(r, (u32)number);
}

static void add_stubs(struct stub_reader *r, Elf_Scn *section, const GElf_Shdr *h, size_t size)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || !data->d_buf)
        return;
    for (u64 at = 0; at + size <= data->d_size; at += size) {
        char *name = name_of_stub(r, h->sh_addr + at, (u8 *)data->d_buf + at, size);
        if (!name)
            continue;
        u64 start = h->sh_addr + at + r->bias;
        *(struct function_symbol *)list_add(&r->m->functions) = (struct function_symbol){
            .start = start, .end = start + size, .raw = symbols_intern(r->m->owner, name),
            .stub = true};
        free(name);
    }
}

static bool holds_stubs(const char *name)
{
    return strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0 ||
           strcmp(name, ".plt.got") == 0 || strcmp(name, ".plt.bnd") == 0;
}

void module_add_stubs(struct module *m)
{
    GElf_Addr bias;
    GElf_Shdr h;
    Elf_Scn *section = NULL;
    struct stub_reader r = {.m = m, .relocations = LIST(struct stub_relocations)};
    r.elf = dwfl_module_getelf(m->mod, &bias);
    r.bias = bias;
    while (r.elf && (section = elf_nextscn(r.elf, section)))
        if (gelf_getshdr(section, &h) && h.sh_type == SHT_RELA && h.sh_flags & SHF_ALLOC)
            note_relocations(&r, section, &h);
    for (section = NULL; r.elf && (section = elf_nextscn(r.elf, section));)
        if (gelf_getshdr(section, &h) && h.sh_type == SHT_PROGBITS &&
            holds_stubs(section_name(r.elf, &h)))
            add_stubs(&r, section, &h, h.sh_entsize == STUB_SMALL ? STUB_SMALL : STUB_SIZE);
    list_deinit(&r.relocations);
}
