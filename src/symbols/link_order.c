/* Link order: the modules in the order in which the dynamic linker searches for a name.
 *
 * The executable is first, then the libraries in the order of loading. The linker keeps a list of
 * them, which is found through the executable's dynamic section. Modules that are not in the list
 * come after it. Before the linker has made the list, modules are ordered by address.
 */
#include <gelf.h>

#include "symbols/values_internal.h"

enum { LINKED_MOST = 4096, DYNAMIC_MOST = 256 };

static bool link_order_read(struct symbols *s, u64 address, u64 *words, size_t count)
{
    const struct symbols_host *host = &s->host;
    return (host->peek ? host->peek : host->read)(host->context, address, words,
                                                  count * sizeof *words);
}

/* Returns the address of the executable's dynamic section; 0: it has none. */
static u64 link_order_dynamic(struct module *program)
{
    GElf_Addr bias;
    GElf_Phdr h;
    size_t count;
    Elf *elf = dwfl_module_getelf(program->mod, &bias);
    if (!elf || elf_getphdrnum(elf, &count))
        return 0;
    for (size_t n = 0; n < count; n++)
        if (gelf_getphdr(elf, (int)n, &h) && h.p_type == PT_DYNAMIC)
            return h.p_vaddr + bias;
    return 0;
}

/* Returns the first entry of the list; 0: there is none yet. */
static u64 link_order_first(struct symbols *s, struct module *program)
{
    u64 at = link_order_dynamic(program), entry[2], debug[2];
    for (unsigned n = 0; at && n < DYNAMIC_MOST && link_order_read(s, at, entry, 2) && entry[0];
         n++, at += sizeof entry)
        if (entry[0] == DT_DEBUG)
            return entry[1] && link_order_read(s, entry[1], debug, 2) ? debug[1] : 0;
    return 0;
}

static void link_order_add(struct symbols *s, struct module *m)
{
    struct list *l = &s->linked.modules;
    struct module **all = l->items;
    for (size_t n = 0; n < l->count; n++)
        if (all[n] == m)
            return;
    *(struct module **)list_add(l) = m;
}

static struct module *link_order_find(struct symbols *s, u64 bias)
{
    struct module **modules = s->modules.items;
    for (size_t n = 0; n < s->modules.count; n++)
        if (modules[n]->shown.bias == bias && modules[n]->shown.path[0] == '/')
            return modules[n];
    return NULL;
}

static void link_order_make(struct symbols *s)
{
    enum { BIAS, NAME, DYNAMIC, NEXT, WORDS };
    struct module **modules = s->modules.items;
    u64 map[WORDS];
    s->linked.version = s->version;
    s->linked.is_whole = true;
    s->linked.modules.count = 0;
    if (!s->modules.count)
        return;
    link_order_add(s, modules[0]);
    u64 at = module_is_program(modules[0]) ? link_order_first(s, modules[0]) : 0;
    for (unsigned n = 0; at && n < LINKED_MOST && link_order_read(s, at, map, WORDS);
         n++, at = map[NEXT]) {
        struct module *m = link_order_find(s, map[BIAS]);
        if (m)
            link_order_add(s, m);
    }
    for (size_t n = 0; n < s->modules.count; n++) {
        size_t before = s->linked.modules.count;
        link_order_add(s, modules[n]);
        s->linked.is_whole &= s->linked.modules.count == before || modules[n]->shown.path[0] != '/';
    }
}

struct module **modules_linked(struct symbols *s, size_t *ret_count)
{
    if (s->linked.version != s->version || !s->linked.is_whole)
        link_order_make(s);
    *ret_count = s->linked.modules.count;
    return s->linked.modules.items;
}
