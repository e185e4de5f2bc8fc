/* Debug files and sources: see the header.
 *
 * A file that libdw cannot read counts as one without debug information: a mistake of a compiler or
 * packager must not affect the other files.
 */
#include "symbols/debug_files.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/types.h"
#include "base/xalloc.h"

#define BUILD_IDS "/usr/lib/debug/.build-id"

struct debug_file_search {
    debug_file_found *found;
    void *context;
    const char *info; /* the file with the debug information */
};

static bool debug_files_is_file(const char *path)
{
    struct stat st;
    return path[0] == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool debug_files_tell(const struct debug_file_search *s, enum debug_file_kind kind,
                             const char *path)
{
    if (!debug_files_is_file(path))
        return false;
    s->found(s->context, kind, path);
    return true;
}

/* Returns `name` if it is absolute, otherwise `folder`/`name`; the caller frees it. */
static char *join(const char *folder, const char *name)
{
    return name[0] == '/' || !folder ? xformat("%s", name) : xformat("%s/%s", folder, name);
}

static bool tell_in(const struct debug_file_search *s, enum debug_file_kind kind,
                    const char *folder, const char *name)
{
    char *path = join(folder, name);
    bool told = debug_files_tell(s, kind, path);
    free(path);
    return told;
}

static const char *attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* Finds the common file into which dwz has moved what several files share. */
static void find_common(const struct debug_file_search *s, Dwarf *dwarf)
{
    const char *name;
    const void *id;
    ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
    if (size <= 0)
        return;
    const char *slash = s->info ? strrchr(s->info, '/') : NULL;
    char *folder = slash ? xformat("%.*s", (int)(slash - s->info), s->info) : NULL;
    bool told = tell_in(s, DEBUG_FILE_INFO, folder, name);
    free(folder);
    if (told || size < 2)
        return;
    const u8 *bytes = id;
    char *hex = xalloc(2 * (size_t)size + 1);
    for (ssize_t i = 1; i < size; i++)
        sprintf(hex + 2 * (i - 1), "%02x", bytes[i]);
    char *path = xformat(BUILD_IDS "/%02x/%s.debug", bytes[0], hex);
    debug_files_tell(s, DEBUG_FILE_INFO, path);
    free(path);
    free(hex);
}

static void find_sources(const struct debug_file_search *s, Dwarf_Die *unit, const char *folder)
{
    Dwarf_Files *files;
    size_t count;
    if (dwarf_getsrcfiles(unit, &files, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const char *name = dwarf_filesrc(files, i, NULL, NULL);
        if (name)
            tell_in(s, DEBUG_FILE_SOURCE, folder, name);
    }
}

static void find_of_unit(const struct debug_file_search *s, Dwarf_Die *unit)
{
    const char *folder = attribute(unit, DW_AT_comp_dir);
    const char *split = attribute(unit, DW_AT_dwo_name);
    if (!split)
        split = attribute(unit, DW_AT_GNU_dwo_name);
    if (split)
        tell_in(s, DEBUG_FILE_INFO, folder, split);
    find_sources(s, unit, folder);
}

static void find_of_units(const struct debug_file_search *s, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        find_of_unit(s, &die);
}

static void find_split_package(const struct debug_file_search *s, const char *path)
{
    char *package = path ? xformat("%s.dwp", path) : NULL;
    if (package)
        debug_files_tell(s, DEBUG_FILE_INFO, package);
    free(package);
}

static void find_of_module(struct debug_file_search *s, Dwfl_Module *module, const char *path)
{
    Dwarf_Addr bias;
    const char *main = NULL, *separate = NULL;
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main, &separate);
    s->info = separate ? separate : path;
    if (separate && strcmp(separate, path) != 0) {
        char *absolute = realpath(separate, NULL);
        debug_files_tell(s, DEBUG_FILE_INFO, separate);
        /* found through a symbolic link: report both names */
        if (absolute && strcmp(absolute, separate) != 0)
            debug_files_tell(s, DEBUG_FILE_INFO, absolute);
        free(absolute);
    }
    find_split_package(s, path);
    find_split_package(s, separate);
    if (!dwarf)
        return;
    find_common(s, dwarf);
    find_of_units(s, dwarf);
}

void debug_files_find(int fd, const char *path, debug_file_found *found, void *context)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };
    struct debug_file_search s = {.found = found, .context = context};
    unsetenv("DEBUGINFOD_URLS"); /* otherwise libdw would contact a server and wait for it */
    Dwfl *dwfl = dwfl_begin(&callbacks);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (!dwfl || own < 0) {
        if (own >= 0)
            close(own);
        return;
    }
    dwfl_report_begin(dwfl);
    Dwfl_Module *module = dwfl_report_offline(dwfl, path, path, own); /* owns it on success */
    dwfl_report_end(dwfl, NULL, NULL);
    if (module)
        find_of_module(&s, module, path);
    else
        close(own);
    dwfl_end(dwfl);
}
