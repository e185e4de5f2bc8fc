/* Modules: ELF files in the address space, and their debug information, wherever that is stored.
 *
 * Each module has its own Dwfl, so that it can be added and removed independently. Files are opened
 * by the caller's function, so that the files of the recording are used, not those that are
 * installed now.
 */
#include "symbols/symbols.h"

#include <dwarf.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "symbols/symbols_internal.h"

#define DEBUG_ROOT "/usr/lib/debug"

/* --- debug information in other files --------------------------------------------------------- */

static int modules_open_named(struct symbols *s, char *path, char **ret)
{
    int fd = s->host.open(s->host.context, path);
    if (fd < 0)
        free(path);
    else
        *ret = path;
    return fd;
}

static int open_by_build_id(struct symbols *s, Dwfl_Module *mod, char **ret)
{
    const unsigned char *id;
    GElf_Addr at;
    int size = dwfl_module_build_id(mod, &id, &at);
    if (size < 2)
        return -1;
    char name[2 * 64 + 1] = "";
    for (int n = 1; n < size && n < 64; n++)
        snprintf(name + 2 * (n - 1), 3, "%02x", id[n]);
    return modules_open_named(s, xformat(DEBUG_ROOT "/.build-id/%02x/%s.debug", id[0], name), ret);
}

/* Looks where gdb looks for a .gnu_debuglink: beside the file, in .debug there, and under the
 * common root. */
static int open_by_link(struct symbols *s, const char *file, const char *link, char **ret)
{
    static const char *const patterns[] = {"%s%.*s/%s", "%s%.*s/.debug/%s", DEBUG_ROOT "%s%.*s/%s"};
    const char *slash = file ? strrchr(file, '/') : NULL;
    int folder = slash ? (int)(slash - file) : 0;
    if (link[0] == '/')
        return modules_open_named(s, xformat("%s", link), ret);
    for (size_t n = 0; n < countof(patterns); n++) {
        int fd = modules_open_named(s, xformat(patterns[n], "", folder, file ? file : "", link),
                                    ret);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **ret)
{
    (void)name, (void)base, (void)crc;
    struct module *m = *userdata;
    int fd = open_by_build_id(m->owner, mod, ret);
    if (fd < 0 && link)
        fd = open_by_link(m->owner, m->shown.path ? m->shown.path : file, link, ret);
    return fd;
}

static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
                    char **file, Elf **elf)
{
    (void)mod, (void)userdata, (void)name, (void)base, (void)file, (void)elf;
    return -1; /* it was given */
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_elf, .find_debuginfo = find_debuginfo};

/* --- opening and closing ---------------------------------------------------------------------- */

static bool is_elf(int fd)
{
    char magic[SELFMAG];
    return pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* Copies the vDSO from memory, since it is in no file. */
static int open_image(struct symbols *s, u64 start, u64 end)
{
    int fd = memfd_create("image", MFD_CLOEXEC);
    u8 page[4096];
    for (u64 at = start; fd >= 0 && at < end; at += sizeof page)
        if (!s->host.read(s->host.context, at, page, sizeof page) ||
            write(fd, page, sizeof page) != sizeof page)
            break;
    return fd;
}

/* Returns the end of the file's last segment. */
static u64 image_end(const struct module *m)
{
    Dwarf_Addr end = 0;
    dwfl_module_info(m->mod, NULL, NULL, &end, NULL, NULL, NULL, NULL);
    return (end + 4095) & -4096ull;
}

static bool report(struct module *m, u64 base)
{
    m->dwfl = dwfl_begin(&callbacks);
    if (!m->dwfl)
        return false;
    dwfl_report_begin(m->dwfl);
    int fd = dup(m->fd); /* libdwfl closes it */
    m->mod = dwfl_report_elf(m->dwfl, m->shown.path, m->shown.path, fd, base, false);
    dwfl_report_end(m->dwfl, NULL, NULL);
    if (!m->mod) {
        close(fd);
        return false;
    }
    void **userdata;
    dwfl_module_info(m->mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
    *userdata = m;
    GElf_Addr bias = 0;
    dwfl_module_getelf(m->mod, &bias);
    m->shown.bias = bias;
    m->shown.end = image_end(m);
    return true;
}

static void module_close(struct module *m)
{
    module_drop_points(m);
    module_drop_functions(m);
    module_drop_names(m);
    list_deinit(&m->units);
    if (m->dwfl)
        dwfl_end(m->dwfl);
    close(m->fd);
    free(m);
}

static struct module *module_open(struct symbols *s, const char *path, u64 start, u64 end)
{
    int fd = path[0] == '[' ? open_image(s, start, end) : s->host.open(s->host.context, path);
    if (fd < 0)
        return NULL;
    struct module *m = xalloc(sizeof *m);
    *m = (struct module){
        .owner = s, .fd = fd, .functions = LIST(struct function_symbol),
        .resolvers = LIST(u64),
        .units = LIST(struct unit_range), .points = LIST(struct step_point),
        .unit_points = LIST(struct step_point),
        .shown = {.path = symbols_intern(s, path), .start = start},
    };
    if (is_elf(fd) && report(m, start))
        return m;
    module_close(m);
    return NULL;
}

void symbols_create(const struct symbols_host *host, struct symbols **ret)
{
    struct symbols *s = xalloc(sizeof *s);
    *s = (struct symbols){
        .host = *host, .version = 1, .modules = LIST(struct module *),
        .shown = LIST(struct symbols_module),
        .skipped = LIST(char *), .points = LIST(struct step_point), .scopes = LIST(struct scope),
        .circles = LIST(struct tail_circle), .linked = {.modules = LIST(struct module *)},
        .sources = LIST(struct source_text),
        .strings = LIST(char *),
    };
    *ret = s;
}

static void free_strings(struct list *l, size_t count)
{
    char **strings = l->items;
    for (size_t n = 0; n < count; n++)
        free(strings[n]);
    list_deinit(l);
}

static void free_sources(struct list *l)
{
    struct source_text *sources = l->items;
    for (size_t n = 0; n < l->count; n++) {
        free(sources[n].path);
        free(sources[n].text);
        free(sources[n].lines);
    }
    list_deinit(l);
}

void symbols_destroy(struct symbols *s)
{
    if (!s)
        return;
    struct module **modules = s->modules.items;
    for (size_t n = 0; n < s->modules.count; n++)
        module_close(modules[n]);
    list_deinit(&s->modules);
    list_deinit(&s->shown);
    list_deinit(&s->points);
    list_deinit(&s->scopes);
    list_deinit(&s->circles);
    list_deinit(&s->linked.modules);
    free_strings(&s->skipped, s->skipped.count);
    free_strings(&s->strings, s->strings.room);
    free_sources(&s->sources);
    free(s);
}

static u32 modules_hash_of(const char *text)
{
    u32 hash = 5381;
    while (*text)
        hash = hash * 33 + (u8)*text++;
    return hash;
}

static char **slot_of(struct list *table, const char *text)
{
    char **slots = table->items;
    size_t at = modules_hash_of(text) & (table->room - 1);
    while (slots[at] && strcmp(slots[at], text) != 0)
        at = (at + 1) & (table->room - 1);
    return &slots[at];
}

/* A hash table, at most half full; `room` is a power of two. */
static void modules_make_room(struct list *table)
{
    struct list larger = *table;
    larger.room = table->room ? 2 * table->room : 64;
    larger.items = xalloc(larger.room * sizeof(char *));
    memset(larger.items, 0, larger.room * sizeof(char *));
    char **old = table->items;
    for (size_t n = 0; n < table->room; n++)
        if (old[n])
            *slot_of(&larger, old[n]) = old[n];
    free(old);
    *table = larger;
}

const char *symbols_intern(struct symbols *s, const char *text)
{
    if (2 * s->strings.count >= s->strings.room)
        modules_make_room(&s->strings);
    char **slot = slot_of(&s->strings, text);
    if (!*slot) {
        *slot = xformat("%s", text);
        s->strings.count++;
    }
    return *slot;
}

/* --- the address space ------------------------------------------------------------------------ */

static struct module *find_module(struct symbols *s, const char *path, u64 start)
{
    struct module **modules = s->modules.items;
    for (size_t n = 0; n < s->modules.count; n++)
        if (modules[n]->shown.start == start && strcmp(modules[n]->shown.path, path) == 0)
            return modules[n];
    return NULL;
}

/* True if the file that begins at areas[first] has code before `limit`. The search ends where the
 * same file begins again, since programs also map their own files to read them. */
static bool has_code(const struct symbols_area *areas, size_t count, size_t first, u64 limit)
{
    bool code = !areas[first].no_code;
    for (size_t n = first + 1; n < count && areas[n].start < limit && !code; n++) {
        if (strcmp(areas[n].path, areas[first].path) != 0)
            continue;
        if (!areas[n].offset)
            break;
        code = !areas[n].no_code;
    }
    return code;
}

/* True for an executable. A file that names an interpreter is one, except the C library, which is
 * recognized by its name. */
static bool says_program(Elf_Scn *section, const GElf_Shdr *h, bool interpreted)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn dynamic;
    bool is_pie = false, has_name = false;
    for (int n = 0; data && h->sh_entsize && n < (int)(h->sh_size / h->sh_entsize); n++) {
        if (!gelf_getdyn(data, n, &dynamic))
            continue;
        is_pie |= dynamic.d_tag == DT_FLAGS_1 && dynamic.d_un.d_val & DF_1_PIE;
        has_name |= dynamic.d_tag == DT_SONAME;
    }
    return is_pie || (interpreted && !has_name);
}

static bool has_interpreter(Elf *elf)
{
    size_t count;
    GElf_Phdr h;
    if (elf_getphdrnum(elf, &count))
        return false;
    for (size_t n = 0; n < count; n++)
        if (gelf_getphdr(elf, (int)n, &h) && h.p_type == PT_INTERP)
            return true;
    return false;
}

bool module_is_program(struct module *m)
{
    GElf_Addr bias;
    GElf_Ehdr header;
    GElf_Shdr h;
    Elf_Scn *section = NULL;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    if (!elf || !gelf_getehdr(elf, &header))
        return false;
    if (header.e_type == ET_EXEC)
        return true;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &h) && h.sh_type == SHT_DYNAMIC)
            return says_program(section, &h, has_interpreter(elf));
    return false;
}

/* Returns the name by which other files refer to it (DT_SONAME); NULL: none. */
static const char *shared_name(Elf *elf)
{
    GElf_Shdr h;
    GElf_Dyn dynamic;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &h) || h.sh_type != SHT_DYNAMIC || !h.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int n = 0; data && n < (int)(h.sh_size / h.sh_entsize); n++)
            if (gelf_getdyn(data, n, &dynamic) && dynamic.d_tag == DT_SONAME)
                return elf_strptr(elf, h.sh_link, dynamic.d_un.d_val);
    }
    return NULL;
}

bool module_is_linker(struct module *m)
{
    if (m->linker == LINKER_UNKNOWN) {
        GElf_Addr bias;
        Elf *elf = dwfl_module_getelf(m->mod, &bias);
        const char *name = elf ? shared_name(elf) : NULL;
        m->linker = name && strncmp(name, "ld-linux", 8) == 0 ? LINKER_YES : LINKER_NO;
    }
    return m->linker == LINKER_YES;
}

/* The program comes first, so that the user's names are looked up there before libraries. */
static void add_module(struct symbols *s, struct module *m)
{
    list_add(&s->modules);
    struct module **modules = s->modules.items;
    size_t last = s->modules.count - 1;
    if (module_is_program(m)) {
        memmove(modules + 1, modules, last * sizeof *modules);
        last = 0;
    }
    modules[last] = m;
}

static bool begins_module(const struct symbols_area *a)
{
    return a->offset == 0 && (a->path[0] == '/' || strcmp(a->path, "[vdso]") == 0);
}

/* Files that are not ELF are checked each time, which is a short read.
 *
 * A module is as large as its segments say. That may be more than is mapped of the file, because
 * zeroed data is not in the file. It may also be less: programs that print their own backtrace
 * (AddressSanitizer, libbacktrace) map pieces of their files elsewhere to read them. */
static bool see_module(struct symbols *s, const struct symbols_area *areas, size_t count, size_t n)
{
    struct module *m = find_module(s, areas[n].path, areas[n].start);
    bool new = !m;
    if (new && has_code(areas, count, n, UINT64_MAX))
        m = module_open(s, areas[n].path, areas[n].start, areas[n].end);
    if (!m)
        return false;
    if (!has_code(areas, count, n, m->shown.end)) {
        if (new)
            module_close(m);
        return false;
    }
    if (new)
        add_module(s, m);
    m->seen = true;
    return new;
}

static bool drop_unseen(struct symbols *s)
{
    struct module **modules = s->modules.items;
    size_t kept = 0, count = s->modules.count;
    for (size_t n = 0; n < count; n++) {
        if (modules[n]->seen)
            modules[kept++] = modules[n];
        else
            module_close(modules[n]);
    }
    s->modules.count = kept;
    return kept != count;
}

void symbols_update(struct symbols *s, const struct symbols_area *areas, size_t count)
{
    struct module **modules = s->modules.items;
    bool changed = false;
    for (size_t n = 0; n < s->modules.count; n++)
        modules[n]->seen = false;
    for (size_t n = 0; n < count; n++)
        if (begins_module(&areas[n]))
            changed |= see_module(s, areas, count, n);
    changed |= drop_unseen(s);
    s->version += changed;
    if (changed)
        s->circles.count = 0;
}

u32 symbols_version(const struct symbols *s)
{
    return s->version;
}

const struct symbols_module *symbols_modules(const struct symbols *lent, size_t *ret_count)
{
    struct symbols *s = (struct symbols *)lent; /* the list is a cache */
    struct module **modules = s->modules.items;
    s->shown.count = 0;
    for (size_t n = 0; n < s->modules.count; n++) {
        modules[n]->shown.has_debug = module_load_dwarf(modules[n]);
        *(struct symbols_module *)list_add(&s->shown) = modules[n]->shown;
    }
    *ret_count = s->shown.count;
    return s->shown.items;
}

struct module *module_at(struct symbols *s, u64 address)
{
    struct module **modules = s->modules.items;
    for (size_t n = 0; n < s->modules.count; n++)
        if (address >= modules[n]->shown.start && address < modules[n]->shown.end)
            return modules[n];
    return NULL;
}

/* --- units ------------------------------------------------------------------------------------ */

bool module_load_dwarf(struct module *m)
{
    if (!m->dwarf)
        m->dwarf = dwfl_module_getdwarf(m->mod, &m->dwarf_bias);
    return m->dwarf;
}

void module_each_unit(struct module *m, bool (*visit)(void *context, Dwarf_Die *unit),
                      void *context)
{
    if (!module_load_dwarf(m))
        return;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    uint8_t kind;
    while (dwarf_get_units(m->dwarf, cu, &cu, NULL, &kind, &die, &split) == 0) {
        Dwarf_Die *unit = kind == DW_UT_skeleton && split.addr ? &split : &die;
        if (!visit(context, unit))
            return;
    }
}

/* A unit in a split file gets its ranges from its skeleton in the program: libdw does not read them
 * for the split unit. */
static void add_unit_ranges(struct module *m, Dwarf_Die *unit, Dwarf_Die *skeleton)
{
    size_t order = m->units.count;
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(skeleton, at, &base, &start, &end)) > 0;)
        if (start < end)
            *(struct unit_range *)list_add(&m->units) = (struct unit_range){
                start + m->dwarf_bias, end + m->dwarf_bias, dwarf_dieoffset(unit),
                dwarf_cu_getdwarf(unit->cu), order};
}

/* Several units have the code of a function of which the linker kept one copy. It keeps the first,
 * and orders units by it. */
static int modules_by_start(const void *a, const void *b)
{
    const struct unit_range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void make_units(struct module *m)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    uint8_t kind;
    m->units_made = true;
    while (module_load_dwarf(m) &&
           dwarf_get_units(m->dwarf, cu, &cu, NULL, &kind, &die, &split) == 0)
        add_unit_ranges(m, kind == DW_UT_skeleton && split.addr ? &split : &die, &die);
    if (m->units.count)
        qsort(m->units.items, m->units.count, sizeof(struct unit_range), modules_by_start);
}

bool module_unit(struct module *m, u64 address, Dwarf_Die *ret)
{
    if (!m->units_made)
        make_units(m);
    const struct unit_range *u = m->units.items;
    size_t low = 0, high = m->units.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (u[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 1 && u[low - 2].start == u[low - 1].start && address < u[low - 2].end)
        low--;
    return low && address < u[low - 1].end && dwarf_offdie(u[low - 1].dwarf, u[low - 1].unit, ret);
}

const char *symbols_section(struct symbols *s, u64 address)
{
    struct module *m = module_at(s, address);
    GElf_Addr at = address, bias;
    size_t names;
    GElf_Shdr header;
    Elf *elf = m && m->mod ? dwfl_module_getelf(m->mod, &bias) : NULL;
    Elf_Scn *section = elf ? dwfl_module_address_section(m->mod, &at, &bias) : NULL;
    if (!section || !gelf_getshdr(section, &header) || elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    return elf_strptr(elf, names, header.sh_name);
}
