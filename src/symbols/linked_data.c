/* Linked data: finds a variable whose debug information has no address, or a wrong one.
 *
 * A unit may only declare a variable. Then its address is taken from the symbol tables, by its
 * linkage name. Also, a library's variable may have been copied: if a program uses it directly, as
 * with stdout and environ, the linker reserves room for it in the program, and the library uses
 * that copy, too. The object that the library's debug information describes then keeps its initial
 * value. The same happens if the program, or an earlier library, has a variable of the same name.
 */
#include <dwarf.h>
#include <gelf.h>

#include "symbols/values_internal.h"

static bool is_linked(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    return dwarf_tag(die) == DW_TAG_variable && dwarf_attr_integrate(die, DW_AT_external, &a);
}

/* Names in a symbol table may have a version: "stdout@GLIBC_2.2.5". */
static bool is_named(const char *symbol, const char *name)
{
    size_t length = strlen(name);
    return strncmp(symbol, name, length) == 0 && (!symbol[length] || symbol[length] == '@');
}

static bool find_exported(struct module *m, const char *name, struct linked *ret)
{
    int count = dwfl_module_getsymtab(m->mod);
    for (int n = 1; n < count; n++) {
        GElf_Sym symbol;
        GElf_Addr at;
        const char *own = dwfl_module_getsym_info(m->mod, n, &symbol, &at, NULL, NULL, NULL);
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (!own || symbol.st_shndx == SHN_UNDEF || GELF_ST_BIND(symbol.st_info) == STB_LOCAL ||
            (type != STT_OBJECT && type != STT_TLS) || !is_named(own, name))
            continue;
        *ret = (struct linked){.module = m, .is_thread_local = type == STT_TLS,
                               .address = type == STT_TLS ? symbol.st_value : at};
        return true;
    }
    return false;
}

/* Finds a relocation that tells the loader where to put a copy of the variable. */
static bool find_copy_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *h, const char *name, u64 *ret)
{
    Elf_Scn *linked = elf_getscn(elf, h->sh_link);
    Elf_Data *data = elf_getdata(section, NULL),
             *symbols = linked ? elf_getdata(linked, NULL) : NULL;
    GElf_Shdr table;
    if (!data || !symbols || !h->sh_entsize || !gelf_getshdr(linked, &table))
        return false;
    for (size_t n = 0; n < h->sh_size / h->sh_entsize; n++) {
        GElf_Rela rela;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)n, &rela) || GELF_R_TYPE(rela.r_info) != R_X86_64_COPY ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
            continue;
        const char *own = elf_strptr(elf, table.sh_link, symbol.st_name);
        if (own && strcmp(own, name) == 0) {
            *ret = rela.r_offset;
            return true;
        }
    }
    return false;
}

static bool find_copy(struct module *program, const char *name, struct linked *ret)
{
    GElf_Addr bias;
    GElf_Shdr h;
    Elf *elf = dwfl_module_getelf(program->mod, &bias);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        u64 at;
        if (gelf_getshdr(section, &h) && h.sh_type == SHT_RELA && h.sh_flags & SHF_ALLOC &&
            find_copy_in(elf, section, &h, name, &at)) {
            *ret = (struct linked){.module = program, .address = at + bias};
            return true;
        }
    }
    return false;
}

/* Finds a variable that other modules may refer to, in the dynamic symbol table. */
static bool find_dynamic(struct module *m, const char *name, GElf_Sym *ret, u64 *ret_bias)
{
    GElf_Addr bias;
    GElf_Shdr h;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &h) || h.sh_type != SHT_DYNSYM || !h.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t n = 1; data && n < h.sh_size / h.sh_entsize; n++) {
            const char *own =
                gelf_getsym(data, (int)n, ret) ? elf_strptr(elf, h.sh_link, ret->st_name) : NULL;
            if (own && ret->st_shndx != SHN_UNDEF && strcmp(own, name) == 0) {
                *ret_bias = bias;
                return true;
            }
        }
    }
    return false;
}

/* True if the library searches itself first: linked with -Bsymbolic. */
static bool is_symbolic(struct module *m)
{
    GElf_Addr bias;
    GElf_Shdr h;
    GElf_Dyn dynamic;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &h) || h.sh_type != SHT_DYNAMIC || !h.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int n = 0; data && n < (int)(h.sh_size / h.sh_entsize); n++)
            if (gelf_getdyn(data, n, &dynamic) &&
                (dynamic.d_tag == DT_SYMBOLIC ||
                 (dynamic.d_tag == DT_FLAGS && dynamic.d_un.d_val & DF_SYMBOLIC)))
                return true;
    }
    return false;
}

/* Reads what the loader has stored where the library refers to the name: its address, or the number
 * of its module if it is thread-local. False: the library has no such reference, or it is not bound
 * yet. */
static bool read_binding(struct symbols *s, struct module *library, const char *name, u64 *ret)
{
    const struct symbols_host *host = &s->host;
    GElf_Addr bias;
    GElf_Shdr h, table;
    GElf_Rela rela;
    GElf_Sym symbol;
    Elf *elf = dwfl_module_getelf(library->mod, &bias);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &h) || h.sh_type != SHT_RELA || !h.sh_entsize ||
            !(h.sh_flags & SHF_ALLOC))
            continue;
        Elf_Scn *linked = elf_getscn(elf, h.sh_link);
        Elf_Data *data = elf_getdata(section, NULL),
                 *symbols = linked ? elf_getdata(linked, NULL) : NULL;
        for (size_t n = 0;
             data && symbols && gelf_getshdr(linked, &table) && n < h.sh_size / h.sh_entsize; n++) {
            if (!gelf_getrela(data, (int)n, &rela))
                continue;
            unsigned kind = (unsigned)GELF_R_TYPE(rela.r_info);
            if ((kind != R_X86_64_GLOB_DAT && kind != R_X86_64_DTPMOD64) ||
                !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
                continue;
            const char *own = elf_strptr(elf, table.sh_link, symbol.st_name);
            if (own && strcmp(own, name) == 0)
                return (host->peek ? host->peek : host->read)(host->context, rela.r_offset + bias,
                                                              ret, 8) &&
                       *ret;
        }
    }
    return false;
}

/* True if the library's references are bound to this variable. */
static bool is_bound_to(struct symbols *s, struct module *library, const char *name,
                        const struct linked *l)
{
    struct tls_place place;
    u64 bound;
    if (!read_binding(s, library, name, &bound))
        return false;
    if (!l->is_thread_local)
        return bound == l->address;
    return variables_tls_place(s, l->module, &place) && place.number == bound;
}

/* Finds a variable of the same name in an earlier module that the library uses instead. The
 * executable's is always visible; one of another library may not be. */
static bool find_preempting(struct symbols *s, struct module *library, const char *name,
                            struct linked *ret)
{
    GElf_Sym symbol;
    u64 bias;
    size_t count;
    struct module **modules = modules_linked(s, &count);
    if (!find_dynamic(library, name, &symbol, &bias) ||
        GELF_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT || is_symbolic(library))
        return false;
    for (size_t n = 0; n < count && modules[n] != library; n++) {
        if (!find_dynamic(modules[n], name, &symbol, &bias))
            continue;
        bool is_tls = GELF_ST_TYPE(symbol.st_info) == STT_TLS;
        *ret = (struct linked){.module = modules[n], .is_thread_local = is_tls,
                               .address = is_tls ? symbol.st_value : symbol.st_value + bias};
        if ((is_tls || GELF_ST_TYPE(symbol.st_info) == STT_OBJECT) &&
            (n == 0 || is_bound_to(s, library, name, ret)))
            return true;
    }
    return false;
}

bool linked_datum(struct evaluation *v, struct found_variable *f, struct linked *ret)
{
    Dwarf_Attribute a;
    struct module **modules = v->symbols->modules.items;
    if (!is_linked(&f->die))
        return false;
    const char *name = variables_link_name(&f->die);
    if (!name)
        return false;
    if (dwarf_attr_integrate(&f->die, DW_AT_location, &a) ||
        dwarf_attr_integrate(&f->die, DW_AT_const_value, &a))
        return f->module != modules[0] && module_is_program(modules[0]) &&
               (find_copy(modules[0], name, ret) ||
                find_preempting(v->symbols, f->module, name, ret));
    for (size_t n = 0; n < v->symbols->modules.count; n++)
        if (find_exported(modules[n], name, ret))
            return true;
    return false;
}
