/* Scopes around an address, read with libdw: see scopes.h.
 *
 * The files are read independently of src/symbols, which is under test.
 */
#include "scopes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "walk.h"

struct file {
    u64 start, end, bias;
    char *path;
    int fd;
    Dwarf *dwarf;
};

static struct list files = {.item = sizeof(struct file)};

static bool is_known(const struct symbols_module *m)
{
    const struct file *f = files.items;
    for (size_t n = 0; n < files.count; n++)
        if (f[n].bias == m->bias && !strcmp(f[n].path, m->path))
            return true;
    return false;
}

static Dwarf *open_dwarf(const char *path, int *ret_fd)
{
    *ret_fd = open(path, O_RDONLY | O_CLOEXEC);
    return *ret_fd < 0 ? NULL : dwarf_begin(*ret_fd, DWARF_C_READ);
}

/* The file in which a distribution keeps the debug information of a program: it is named after the
 * build id, which is in a note of the program. */
static char *debug_path(const char *path)
{
    const u8 *id;
    char text[128] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, (const void **)&id) : 0;
    for (ssize_t n = 0; n < size && n < 32; n++)
        sprintf(text + strlen(text), n ? "%02x" : "%02x/", id[n]);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return xformat("/usr/lib/debug/.build-id/%s.debug", text);
}

static void open_file(const struct symbols_module *m, struct file *ret)
{
    *ret = (struct file){.start = m->start, .end = m->end, .bias = m->bias, .path = xformat("%s", m->path)};
    ret->dwarf = open_dwarf(m->path, &ret->fd);
    Dwarf_CU *unit = NULL;
    if (ret->dwarf && !dwarf_get_units(ret->dwarf, NULL, &unit, NULL, NULL, NULL, NULL))
        return;
    dwarf_end(ret->dwarf);
    if (ret->fd >= 0)
        close(ret->fd);
    char *debug = debug_path(m->path);
    ret->dwarf = open_dwarf(debug, &ret->fd);
    free(debug);
}

void scopes_add(const struct symbols_module *modules, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        const struct symbols_module *m = &modules[n];
        if (!m->has_debug || is_known(m))
            continue;
        struct file new;
        open_file(m, &new);
        *(struct file *)list_add(&files) = new;
    }
}

void scopes_close(void)
{
    struct file *f = files.items;
    for (size_t n = 0; n < files.count; n++) {
        dwarf_end(f[n].dwarf);
        if (f[n].fd >= 0)
            close(f[n].fd);
        free(f[n].path);
    }
    list_deinit(&files);
}

/* --- entries around an address ---------------------------------------------------------------- */

enum { AROUND_MOST = 64 };

struct around {
    const struct file *file;
    u32 count;
    Dwarf_Die die[AROUND_MOST]; /* functions, inlined functions and blocks, outermost first */
};

static bool is_scope(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
}

/* Namespaces and types hold functions without having addresses themselves. */
static bool is_container(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static bool descend(Dwarf_Die *in, u64 pc, struct around *ret)
{
    Dwarf_Die child;
    if (dwarf_child(in, &child))
        return false;
    do {
        int tag = dwarf_tag(&child);
        if (is_container(tag) && descend(&child, pc, ret))
            return true;
        if (!is_scope(tag) || dwarf_haspc(&child, pc) <= 0 || ret->count == AROUND_MOST)
            continue;
        ret->die[ret->count++] = child;
        descend(&child, pc, ret);
        return true;
    } while (!dwarf_siblingof(&child, &child));
    return false;
}

static void find_around(u64 pc, struct around *ret)
{
    const struct file *f = files.items;
    ret->count = 0;
    for (size_t n = 0; n < files.count; n++) {
        if (!f[n].dwarf || pc < f[n].start || pc >= f[n].end)
            continue;
        ret->file = &f[n];
        Dwarf_CU *unit = NULL;
        Dwarf_Die top;
        if (dwarf_addrdie(f[n].dwarf, pc - f[n].bias, &top) && descend(&top, pc - f[n].bias, ret))
            return;
        while (!dwarf_get_units(f[n].dwarf, unit, &unit, NULL, NULL, &top, NULL))
            if (dwarf_haspc(&top, pc - f[n].bias) > 0 && descend(&top, pc - f[n].bias, ret))
                return;
    }
}

bool scopes_inlined(u64 pc, struct inlined *ret)
{
    static struct around a;
    *ret = (struct inlined){0};
    find_around(pc, &a);
    for (u32 n = 0; n < a.count; n++)
        if (dwarf_tag(&a.die[n]) == DW_TAG_subprogram)
            ret->function = dwarf_dieoffset(&a.die[n]);
        else if (dwarf_tag(&a.die[n]) == DW_TAG_inlined_subroutine && ret->count < INLINED_MOST)
            ret->entry[ret->count++] = dwarf_dieoffset(&a.die[n]);
    return a.count;
}

/* --- blocks and loops ------------------------------------------------------------------------- */

static u64 size_of(Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    u64 size = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        size += end - start;
    return size;
}

/* Branches back: `continue` goes to where the loop begins, as the last one does. */
static void list_branches(u64 start, u64 end, const u8 *bytes, struct list *ret)
{
    for (u64 at = start; at < end;) {
        struct code c = walk_decode(at, bytes + (at - start), end - at);
        if (c.kind == INSN_BRANCH && c.target <= at && c.target >= start)
            *(struct code *)list_add(ret) = c;
        at += c.length;
    }
}

static void find_loop(u64 start, u64 end, u64 pc, scopes_read *read, void *context, struct region *ret)
{
    struct list branches = LIST(struct code);
    u8 *bytes = xalloc(end - start + 1);
    if (read(context, start, bytes, end - start))
        list_branches(start, end, bytes, &branches);
    const struct code *b = branches.items;
    for (size_t n = 0; n < branches.count; n++) {
        u64 loop_end = 0;
        for (size_t k = 0; k < branches.count; k++)
            if (b[k].target == b[n].target)
                loop_end = b[k].pc + b[k].length;
        u64 size = loop_end - b[n].target;
        if (pc >= b[n].target && pc < loop_end && (!ret->size || size < ret->size))
            *ret = (struct region){.size = size, .start = b[n].target, .end = loop_end};
    }
    list_deinit(&branches);
    free(bytes);
}

bool scopes_region(u64 pc, scopes_read *read, void *context, struct region *ret)
{
    static struct around a;
    Dwarf_Addr base, start, end;
    *ret = (struct region){0};
    find_around(pc, &a);
    u64 at = pc - (a.count ? a.file->bias : 0);
    for (u32 n = 0; n < a.count; n++)
        for (ptrdiff_t next = 0; dwarf_tag(&a.die[n]) == DW_TAG_subprogram &&
                                 (next = dwarf_ranges(&a.die[n], next, &base, &start, &end)) > 0;)
            if (at >= start && at < end)
                find_loop(start + a.file->bias, end + a.file->bias, pc, read, context, ret);
    for (u32 n = a.count; n-- > 0 && dwarf_tag(&a.die[n]) == DW_TAG_lexical_block;) {
        u64 size = size_of(&a.die[n]);
        if (!ret->size || size < ret->size)
            *ret = (struct region){.size = size, .block = dwarf_dieoffset(&a.die[n]), .bias = a.file->bias,
                                   .dwarf = a.file->dwarf};
    }
    return a.count;
}

bool scopes_holds(const struct region *r, u64 pc)
{
    Dwarf_Die die;
    if (!r->block)
        return pc >= r->start && pc < r->end;
    return dwarf_offdie(r->dwarf, r->block, &die) && dwarf_haspc(&die, pc - r->bias) > 0;
}
