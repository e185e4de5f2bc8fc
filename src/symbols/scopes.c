/* Scopes: the functions that were inlined into a function, and its lexical blocks.
 *
 * A movement steps over an inlined function as over a call, so it has to know which code belongs to
 * which. The number of a scope never changes. A parent has a smaller number than the scopes inside
 * of it.
 */
#include <dwarf.h>

#include "symbols/symbols_internal.h"

enum {
    DEPTH_MOST = 4096 /* Rust has a block for each `let` */,
    RANGES_MOST = 1 << 16,
    SCOPES_MOST = 0xffff
};

/* If there are too many scopes, later ones get the number of their parent. */
static u32 scope_number(struct symbols *s, Dwarf_Die *die, u32 parent)
{
    Dwarf *dwarf = dwarf_cu_getdwarf(die->cu);
    Dwarf_Off offset = dwarf_dieoffset(die);
    const struct scope *all = s->scopes.items;
    for (size_t n = s->scopes.count; n-- > 1;)
        if (all[n].offset == offset && all[n].dwarf == dwarf)
            return (u32)n;
    if (!s->scopes.count)
        list_add(&s->scopes); /* 0 is the function itself */
    if (s->scopes.count > SCOPES_MOST)
        return parent;
    *(struct scope *)list_add(&s->scopes) = (struct scope){dwarf, offset, parent};
    return (u32)s->scopes.count - 1;
}

u32 symbols_scope_parent(const struct symbols *s, u32 scope)
{
    return scope && scope < s->scopes.count ? ((const struct scope *)s->scopes.items)[scope].parent
                                            : 0;
}

u32 symbols_scope_count(const struct symbols *s)
{
    return (u32)s->scopes.count;
}

struct scope_walk {
    struct symbols *s;
    u64 bias;
    struct list *ranges; /* struct scope_range */
};

static void add_ranges(struct scope_walk *w, Dwarf_Die *die, u32 scope, bool block)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while (w->ranges->count < RANGES_MOST && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
        if (start < end)
            *(struct scope_range *)list_add(w->ranges) = (struct scope_range){
                .start = start + w->bias, .end = end + w->bias, .scope = scope, .block = block,
                .die = dwarf_dieoffset(die)};
}

static void scopes_walk_children(struct scope_walk *w, Dwarf_Die *die, u32 scope, unsigned depth)
{
    Dwarf_Die child;
    if (depth > DEPTH_MOST || dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        u32 inner = scope;
        if (tag == DW_TAG_inlined_subroutine)
            inner = scope_number(w->s, &child, scope);
        else if (tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
                 tag != DW_TAG_catch_block)
            continue;
        add_ranges(w, &child, inner, inner == scope);
        scopes_walk_children(w, &child, inner, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

bool die_entry(Dwarf_Die *die, Dwarf_Addr *ret)
{
    Dwarf_Addr base, end;
    return dwarf_entrypc(die, ret) == 0 || dwarf_ranges(die, 0, &base, ret, &end) > 0;
}

bool module_function_die(struct module *m, u64 pc, Dwarf_Die *ret)
{
    Dwarf_Die *chain = NULL;
    bool found = false;
    for (size_t n = module_chain(m, pc, &chain); n-- > 0 && !found;) {
        found = dwarf_tag(&chain[n]) == DW_TAG_subprogram;
        *ret = chain[n];
    }
    free(chain);
    return found;
}

void symbols_scopes(struct symbols *s, u64 pc, struct scope_range **ret, size_t *ret_count)
{
    struct list ranges = LIST(struct scope_range);
    struct module *m = module_at(s, pc);
    Dwarf_Die function;
    if (m && module_function_die(m, pc, &function)) {
        struct scope_walk w = {s, m->dwarf_bias, &ranges};
        add_ranges(&w, &function, 0, false);
        scopes_walk_children(&w, &function, 0, 0);
    }
    *ret = ranges.items;
    *ret_count = ranges.count;
}

u32 scope_at(const struct scope_range *ranges, size_t count, u64 pc)
{
    u32 scope = 0;
    for (size_t n = 0; n < count; n++)
        if (!ranges[n].block && pc >= ranges[n].start && pc < ranges[n].end)
            scope = ranges[n].scope; /* inner ranges come later */
    return scope;
}
