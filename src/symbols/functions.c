/* Functions: from the symbol table, which has them all, static ones too, with or without debug information.
 */
#include <ctype.h>
#include <gelf.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "symbols/symbols_internal.h"
#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

enum { TEXT_LENGTH = 4096 };

/* --- the table ------------------------------------------------------------------------------------ */

static bool is_code(const GElf_Sym *symbol, const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    if (!name || !*name || symbol->st_shndx == SHN_UNDEF || !symbol->st_value)
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    return type == STT_NOTYPE && GELF_ST_BIND(symbol->st_info) == STB_GLOBAL &&
           symbol->st_shndx < SHN_LORESERVE && strncmp(name, "__", 2) != 0;
}

static int functions_by_start(const void *a, const void *b)
{
    const struct function_symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end != y->end ? (x->end > y->end ? -1 : 1) : strcmp(x->raw, y->raw);
}

static bool in_code(struct module *m, u64 address)
{
    return address >= m->shown.start && address < m->shown.end;
}

/* Those without a size reach to the next. */
static void mend_ends(struct module *m)
{
    struct function_symbol *f = m->functions.items;
    for (size_t n = 0; n < m->functions.count; n++)
        if (f[n].end == f[n].start)
            f[n].end = n + 1 < m->functions.count ? f[n + 1].start : f[n].start + 1;
}

static void make_functions(struct module *m)
{
    m->functions_made = true;
    int count = dwfl_module_getsymtab(m->mod);
    for (int n = 1; n < count; n++) {
        GElf_Sym symbol;
        GElf_Addr at;
        const char *name = dwfl_module_getsym_info(m->mod, n, &symbol, &at, NULL, NULL, NULL);
        if (!name || !is_code(&symbol, name) || !in_code(m, at))
            continue;
        *(struct function_symbol *)list_add(&m->functions) = (struct function_symbol){
            .start = at, .end = at + symbol.st_size, .raw = name, .part = strstr(name, ".cold")};
    }
    if (m->functions.count)
        qsort(m->functions.items, m->functions.count, sizeof(struct function_symbol),
              functions_by_start);
    mend_ends(m);
    fortran_name_functions(m);
}

struct function_symbol *module_functions(struct module *m, size_t *ret_count)
{
    if (!m->functions_made)
        make_functions(m);
    *ret_count = m->functions.count;
    return m->functions.items;
}

void module_drop_functions(struct module *m)
{
    struct function_symbol *f = m->functions.items;
    for (size_t n = 0; n < m->functions.count; n++)
        free(f[n].name);
    list_deinit(&m->functions);
}

/* Of several that begin at one place the first; the one that begins last, among those around the address. */
struct function_symbol *module_function(struct module *m, u64 address)
{
    size_t low = 0, high, count;
    struct function_symbol *f = module_functions(m, &count);
    for (high = count; low < high;) {
        size_t middle = (low + high) / 2;
        if (f[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t tries = 0; low && tries < 8; low--, tries++)
        if (address < f[low - 1].end) {
            while (low > 1 && f[low - 2].start == f[low - 1].start && address < f[low - 2].end)
                low--;
            return &f[low - 1];
        }
    return NULL;
}

const char *function_name(struct function_symbol *f)
{
    if (!f->name) {
        char *full = demangle(f->raw, &f->is_rust);
        f->name = f->is_rust ? xformat("%s", full) : type_short_name(full ? full : f->raw);
        free(full);
    }
    return f->name;
}

bool function_is_named(struct function_symbol *f, const char *wanted)
{
    if (strcmp(f->raw, wanted) == 0)
        return true;
    if (f->is_fortran)
        return fortran_name_fits(f->name, wanted);
    if (!signature_may_fit(f->raw, wanted))
        return false;
    const char *name = function_name(f);
    return f->is_rust ? rust_name_fits(name, wanted) : signature_fits(name, wanted);
}

/* --- by address -------------------------------------------------------------------------------------- */

bool symbols_function(struct symbols *s, u64 pc, struct function_info *ret)
{
    struct module *m = module_at(s, pc);
    struct function_symbol *f = m ? module_function(m, pc) : NULL;
    if (!f)
        return false;
    struct line_place place;
    *ret = (struct function_info){
        .name = function_name(f), .start = f->start, .end = f->end, .entry = f->start,
        .body = function_body(s, f), .has_lines = symbols_line(s, f->start, &place),
    };
    if (ret->has_lines) {
        ret->file = place.file;
        ret->line = place.line;
    }
    return true;
}

/* --- stubs of the linker ------------------------------------------------------------------------------ */

struct stubs {
    u64 start, end, first; /* the first one for a function, behind the header if there is one */
    Elf_Data *relocations;
    GElf_Shdr relocations_header;
    size_t symbols;        /* section of their symbol table */
};

enum { STUB_SIZE = 16 };

static bool note_section(struct stubs *stubs, Elf_Scn *section, const GElf_Shdr *h, const char *name)
{
    if (strcmp(name, ".rela.plt") == 0) {
        stubs->relocations = elf_getdata(section, NULL);
        stubs->relocations_header = *h;
        stubs->symbols = h->sh_link;
    }
    bool second = strcmp(name, ".plt.sec") == 0;
    if (second || (strcmp(name, ".plt") == 0 && !stubs->start)) {
        stubs->start = h->sh_addr;
        stubs->end = h->sh_addr + h->sh_size;
        stubs->first = h->sh_addr + (second ? 0 : STUB_SIZE);
    }
    return true;
}

static bool find_stubs(Elf *elf, struct stubs *ret)
{
    size_t names;
    Elf_Scn *section = NULL;
    GElf_Shdr h;
    *ret = (struct stubs){0};
    if (elf_getshdrstrndx(elf, &names))
        return false;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &h)) {
            const char *name = elf_strptr(elf, names, h.sh_name);
            note_section(ret, section, &h, name ? name : "");
        }
    return ret->start && ret->relocations;
}

static const char *stub_name(Elf *elf, const struct stubs *stubs, size_t index)
{
    GElf_Rela rela;
    GElf_Sym symbol;
    GElf_Shdr h;
    Elf_Scn *section = elf_getscn(elf, stubs->symbols);
    if (!gelf_getrela(stubs->relocations, (int)index, &rela) || !section || !gelf_getshdr(section, &h) ||
        !gelf_getsym(elf_getdata(section, NULL), (int)GELF_R_SYM(rela.r_info), &symbol))
        return NULL;
    return elf_strptr(elf, h.sh_link, symbol.st_name);
}

/* "puts@plt", to be freed; NULL: no stub. */
static char *describe_stub(struct module *m, u64 pc)
{
    GElf_Addr bias;
    struct stubs stubs;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    u64 at = pc - bias;
    if (!elf || !find_stubs(elf, &stubs) || at < stubs.first || at >= stubs.end)
        return NULL;
    const char *name = stub_name(elf, &stubs, (at - stubs.first) / STUB_SIZE);
    return name && *name ? xformat("%s@plt", name) : NULL;
}

/* False: it is in no section. */
static bool section_flags(struct module *m, u64 address, u64 *ret)
{
    GElf_Addr bias, at = address;
    GElf_Shdr h;
    Elf_Scn *section = dwfl_module_address_section(m->mod, &at, &bias);
    if (!section || !gelf_getshdr(section, &h))
        return false;
    *ret = h.sh_flags;
    return true;
}

bool module_in_code(struct module *m, u64 address)
{
    u64 flags;
    return section_flags(m, address, &flags) && flags & SHF_EXECINSTR;
}

static bool module_in_data(struct module *m, u64 address)
{
    u64 flags;
    return section_flags(m, address, &flags) && !(flags & SHF_EXECINSTR);
}

char *symbols_describe(struct symbols *s, u64 pc)
{
    struct module *m = module_at(s, pc);
    if (m && module_in_data(m, pc)) {
        char *datum = names_of_address(s, pc, false);
        return datum ? datum : xformat("0x%llx", (unsigned long long)pc);
    }
    char *stub = m ? describe_stub(m, pc) : NULL; /* first: _init, which has no size, seems to reach there */
    if (stub)
        return stub;
    struct function_symbol *f = m ? module_function(m, pc) : NULL;
    if (!f)
        return xformat("0x%llx", (unsigned long long)pc);
    if (pc == f->start)
        return xformat("%s", function_name(f));
    return xformat("%s+%llu", function_name(f), (unsigned long long)(pc - f->start));
}

/* --- completion ----------------------------------------------------------------------------------------- */

static bool functions_is_listed(const struct list *l, const char *text)
{
    char **strings = l->items;
    for (size_t n = 0; n < l->count; n++)
        if (strcmp(strings[n], text) == 0)
            return true;
    return false;
}

static void complete_in(struct module *m, const char *beginning, size_t most, struct list *found)
{
    size_t count, length = strlen(beginning), word = length;
    struct function_symbol *f = module_functions(m, &count);
    while (word && (isalnum((u8)beginning[word - 1]) || beginning[word - 1] == '_'))
        word--;
    for (size_t n = 0; n < count && found->count < most; n++) {
        if (!strstr(f[n].raw, beginning + word))
            continue; /* as it is in the name that is not demangled */
        const char *name = function_name(&f[n]);
        if (strncmp(name, beginning, length) != 0 || functions_is_listed(found, name))
            continue;
        *(char **)list_add(found) = xformat("%s", name);
    }
}

void symbols_complete(struct symbols *s, const char *beginning, size_t most, char ***ret, size_t *ret_count)
{
    struct list found = LIST(char *);
    struct module **modules = s->modules.items;
    for (size_t n = 0; n < s->modules.count; n++)
        complete_in(modules[n], beginning, most, &found);
    *ret = found.items;
    *ret_count = found.count;
}
