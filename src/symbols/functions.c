/* Functions from the symbol table, which has all of them, also static ones, with or without debug
 * information. */
#include <ctype.h>
#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "symbols/symbols_internal.h"
#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

enum { TEXT_LENGTH = 4096 };

/* --- the table -------------------------------------------------------------------------------- */

/* A symbol as reported by libdwfl. */
struct read_symbol {
    GElf_Sym symbol;
    GElf_Addr at;
    const char *name;
    Elf *elf;
    GElf_Word section;
};

/* True for labels in assembler code, which have no type. Labels that mark the ends of sections are
 * in no section, or at its end. */
static bool is_label(const struct read_symbol *r)
{
    GElf_Shdr h;
    Elf_Scn *section = r->section < SHN_LORESERVE ? elf_getscn(r->elf, r->section) : NULL;
    return section && gelf_getshdr(section, &h) && h.sh_flags & SHF_EXECINSTR &&
           r->symbol.st_value < h.sh_addr + h.sh_size;
}

static bool is_code(const struct read_symbol *r)
{
    int type = GELF_ST_TYPE(r->symbol.st_info);
    if (!r->name || !*r->name || r->symbol.st_shndx == SHN_UNDEF || !r->symbol.st_value)
        return false;
    return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && is_label(r));
}

/* Of several names at one place the first is shown. As in gdb that is one which other modules see,
 * and of those the last in the alphabet: malloc, not __libc_malloc or __GI___libc_malloc. */
static int functions_by_start(const void *a, const void *b)
{
    const struct function_symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->local != y->local ? (x->local ? 1 : -1) : strcmp(y->raw, x->raw);
}

static bool in_code(struct module *m, u64 address)
{
    return address >= m->shown.start && address < m->shown.end;
}

/* Returns the end of the section that contains the address. */
static u64 section_end(struct module *m, u64 address)
{
    GElf_Addr bias, at = address;
    GElf_Shdr h;
    Elf_Scn *section = dwfl_module_address_section(m->mod, &at, &bias);
    return section && gelf_getshdr(section, &h) ? address - at + h.sh_size : ~0ull;
}

/* Symbols without a size extend to the next one in their section. */
static void mend_ends(struct module *m)
{
    struct function_symbol *f = m->functions.items;
    for (size_t n = 0; n < m->functions.count; n++) {
        if (f[n].end != f[n].start)
            continue;
        u64 next = n + 1 < m->functions.count ? f[n + 1].start : f[n].start + 1;
        u64 end = section_end(m, f[n].start);
        f[n].end = next < end ? next : end;
    }
}

/* Drops labels inside functions, unless they are global. */
static void drop_labels(struct list *l)
{
    struct function_symbol *f = l->items;
    size_t kept = 0;
    u64 reached = 0;
    for (size_t n = 0; n < l->count; n++) {
        if (f[n].label && f[n].start < reached)
            continue;
        if (f[n].end > reached)
            reached = f[n].end;
        f[kept++] = f[n];
    }
    l->count = kept;
}

/* True for thunks, which adjust `this` for virtual calls. */
static bool is_thunk(const char *raw)
{
    return strncmp(raw, "_ZTh", 4) == 0 || strncmp(raw, "_ZTv", 4) == 0 ||
           strncmp(raw, "_ZTc", 4) == 0;
}

static void add_function(struct module *m, const struct read_symbol *r)
{
    int type = GELF_ST_TYPE(r->symbol.st_info);
    const char *version = strstr(r->name, "@@"); /* the default one of the library's interface */
    char *plain = xformat("%.*s", version ? (int)(version - r->name) : 0, r->name);
    *(struct function_symbol *)list_add(&m->functions) = (struct function_symbol){
        .start = r->at, .end = r->at + r->symbol.st_size,
        .raw = *plain ? symbols_intern(m->owner, plain) : r->name,
        .local = GELF_ST_BIND(r->symbol.st_info) == STB_LOCAL,
        .part = strstr(r->name, ".cold"),
        .detour = type == STT_GNU_IFUNC || is_thunk(r->name), .resolver = type == STT_GNU_IFUNC,
        .label = type == STT_NOTYPE && GELF_ST_BIND(r->symbol.st_info) == STB_LOCAL &&
                 !r->symbol.st_size,
    };
    free(plain);
}

/* An IFUNC's resolver has a name of its own besides that of the IFUNC. Marks both. */
static void spread_detours(struct list *l)
{
    struct function_symbol *f = l->items;
    for (size_t n = 0, first = 0; n < l->count; n++) {
        first = f[n].start == f[first].start ? first : n;
        for (size_t k = first; k < n; k++) {
            f[k].detour = f[n].detour |= f[k].detour;
            f[k].resolver = f[n].resolver |= f[k].resolver;
        }
    }
}

/* glibc's dynamic linker begins with `mov %rsp, %rdi; call _dl_start`. If it was stripped, that
 * place has no symbol. */
static void name_entry(struct module *m)
{
    enum { ENTRY_SIZE = 8 };
    GElf_Addr bias;
    GElf_Ehdr header;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    const struct function_symbol *f = m->functions.items;
    if (!module_is_linker(m) || !elf || !gelf_getehdr(elf, &header))
        return;
    u64 start = header.e_entry + bias;
    for (size_t n = 0; n < m->functions.count; n++)
        if (start == f[n].start || (start > f[n].start && start < f[n].end))
            return;
    *(struct function_symbol *)list_add(&m->functions) = (struct function_symbol){
        .start = start, .end = start + ENTRY_SIZE, .raw = "_start"};
}

static void make_functions(struct module *m)
{
    m->functions_made = true;
    int count = dwfl_module_getsymtab(m->mod);
    for (int n = 1; n < count; n++) {
        struct read_symbol r = {0};
        r.name = dwfl_module_getsym_info(m->mod, n, &r.symbol, &r.at, &r.section, &r.elf, NULL);
        if (is_code(&r) && in_code(m, r.at))
            add_function(m, &r);
    }
    module_add_stubs(m);
    name_entry(m);
    if (m->functions.count)
        qsort(m->functions.items, m->functions.count, sizeof(struct function_symbol),
              functions_by_start);
    drop_labels(&m->functions);
    spread_detours(&m->functions);
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
    list_deinit(&m->resolvers);
}

/* Returns the symbol around the address that begins last; of several at one place the first. */
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

/* Returns the name of the function around the address as debug information has it; NULL: none. */
static const char *name_in_source(struct module *m, u64 address)
{
    Dwarf_Attribute attribute;
    Dwarf_Die *chain = NULL;
    const char *name = NULL;
    for (size_t n = module_chain(m, address, &chain); n-- > 0 && !name;)
        if (dwarf_tag(&chain[n]) == DW_TAG_subprogram) {
            name = dwarf_formstring(
                dwarf_attr_integrate(&chain[n], DW_AT_linkage_name, &attribute));
            name = name ? name : dwarf_diename(&chain[n]);
        }
    free(chain);
    return name;
}

struct function_symbol *module_function_written(struct module *m, struct function_symbol *f)
{
    struct function_symbol *end = (struct function_symbol *)m->functions.items + m->functions.count;
    if (f + 1 == end || f[1].start != f->start)
        return f;
    const char *name = name_in_source(m, f->start);
    for (struct function_symbol *at = f; name && at < end && at->start == f->start; at++)
        if (strcmp(at->raw, name) == 0)
            return at;
    return f;
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

/* A clone has a suffix: a dot and what was done. Go's own names contain dots: main.total. */
size_t function_plain_length(const char *raw)
{
    static const char *const clones[] = {
        ".isra.", ".part.", ".constprop.", ".cold", ".lto_priv.", ".localalias", ".llvm.",
        ".simdclone.",
        ".resolver", ".avx", ".sse", ".arch_", ".default", ".clone.",
    };
    size_t length = strcspn(raw, "@"); /* without the version of a library's interface */
    for (size_t n = 0; n < countof(clones); n++) {
        const char *found = *raw ? strstr(raw + 1, clones[n]) : NULL;
        if (found && (size_t)(found - raw) < length)
            length = (size_t)(found - raw);
    }
    return length;
}

bool function_is_clone(const struct function_symbol *f, const char *wanted)
{
    size_t length = function_plain_length(f->raw);
    return f->raw[length] == '.' && strncmp(f->raw, wanted, length) == 0 && !wanted[length];
}

bool function_has_other_parameters(const struct function_symbol *f)
{
    const char *how = f->raw + function_plain_length(f->raw);
    return strstr(how, ".isra.") || strstr(how, ".constprop.") || strstr(how, ".part.");
}

bool function_is_named(struct function_symbol *f, const char *wanted)
{
    if (strcmp(f->raw, wanted) == 0 || function_is_clone(f, wanted))
        return true;
    if (f->is_fortran)
        return fortran_name_fits(f->name, wanted);
    /* the thunk goes on to the function, which counts instead */
    if (is_thunk(f->raw) && !strstr(wanted, "thunk to "))
        return false;
    if (!signature_may_fit(f->raw, wanted))
        return false;
    const char *name = function_name(f);
    return f->is_rust ? rust_name_fits(name, wanted) : signature_fits(name, wanted);
}

bool symbols_is_detour(struct symbols *s, u64 pc)
{
    struct module *m = module_at(s, pc);
    struct function_symbol *f = m && !module_is_linker(m) ? module_function(m, pc) : NULL;
    return m && (f ? f->detour : module_is_linker(m));
}

bool symbols_is_resolver(struct symbols *s, u64 pc)
{
    struct module *m = module_at(s, pc);
    struct function_symbol *f = m && !module_is_linker(m) ? module_function(m, pc) : NULL;
    return f && f->resolver;
}

static bool calls_others(struct symbols *s, const struct function_symbol *f)
{
    struct instruction *code;
    size_t count;
    bool calls = false;
    symbols_instructions(s, f->start, f->end, &code, &count);
    for (size_t n = 0; n < count; n++)
        calls |= code[n].kind == INSTRUCTION_CALL;
    free(code);
    return calls;
}

static void make_resolvers(struct module *m)
{
    size_t count;
    struct line_place place;
    struct function_symbol *f = module_functions(m, &count);
    m->resolvers_made = true;
    if (module_is_linker(m) || !module_load_dwarf(m))
        return;
    for (size_t n = 0; n < count; n++)
        if (f[n].resolver && (!n || f[n - 1].start != f[n].start) &&
            symbols_line(m->owner, f[n].start, &place) && calls_others(m->owner, &f[n]))
            *(u64 *)list_add(&m->resolvers) = f[n].start;
}

void symbols_resolvers(struct symbols *s, u64 **ret, size_t *ret_count)
{
    struct list all = LIST(u64);
    struct module **modules = s->modules.items;
    for (size_t k = 0; k < s->modules.count; k++) {
        if (!modules[k]->resolvers_made)
            make_resolvers(modules[k]);
        const u64 *entries = modules[k]->resolvers.items;
        for (size_t n = 0; n < modules[k]->resolvers.count; n++)
            *(u64 *)list_add(&all) = entries[n];
    }
    *ret = all.items;
    *ret_count = all.count;
}

/* --- by address ------------------------------------------------------------------------------- */

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

/* --- sections --------------------------------------------------------------------------------- */

/* Finds the flags of the section that contains the address; false: none does. */
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

static char *functions_describe(struct symbols *s, u64 pc, bool is_of_source)
{
    struct module *m = module_at(s, pc);
    if (m && module_in_data(m, pc)) {
        char *datum = names_of_address(s, pc, false);
        return datum ? datum : xformat("0x%llx", (unsigned long long)pc);
    }
    struct function_symbol *f = m ? module_function(m, pc) : NULL;
    if (!f)
        return xformat("0x%llx", (unsigned long long)pc);
    f = is_of_source ? module_function_written(m, f) : f;
    if (pc == f->start)
        return xformat("%s", function_name(f));
    return xformat("%s+%llu", function_name(f), (unsigned long long)(pc - f->start));
}

char *symbols_describe(struct symbols *s, u64 pc)
{
    return functions_describe(s, pc, true);
}

char *symbols_describe_linked(struct symbols *s, u64 pc)
{
    return functions_describe(s, pc, false);
}

/* --- completion ------------------------------------------------------------------------------- */

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
            continue; /* written in the same way in the mangled name */
        const char *name = function_name(&f[n]);
        if (strncmp(name, beginning, length) != 0 || functions_is_listed(found, name))
            continue;
        *(char **)list_add(found) = xformat("%s", name);
    }
}

void symbols_complete(struct symbols *s, const char *beginning, size_t most, char ***ret,
                      size_t *ret_count)
{
    struct list found = LIST(char *);
    struct module **modules = s->modules.items;
    for (size_t n = 0; n < s->modules.count; n++)
        complete_in(modules[n], beginning, most, &found);
    *ret = found.items;
    *ret_count = found.count;
}
