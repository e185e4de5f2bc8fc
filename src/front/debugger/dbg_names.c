/* info functions, info variables and info types: the names in the program. info proc mappings: its
 * memory.
 *
 * Names are grouped by source file, and a regular expression selects some of them, as in gdb.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "front/debugger/dbg_internal.h"

static const char *const kinds[] = {
    [LISTED_FUNCTIONS] = "functions", [LISTED_VARIABLES] = "variables", [LISTED_TYPES] = "types",
};

static void json_listed(struct dbg *d, const struct listed_name *n)
{
    struct json *j = dbg_fields(d);
    json_open(j, NULL, '{');
    json_string(j, "name", n->name);
    if (n->is_symbol) {
        json_hex(j, "address", n->address);
    } else {
        json_string(j, "file", n->file);
        json_unsigned(j, "line", n->line);
        json_string(j, "declaration", n->text);
    }
    json_close(j, '}');
}

static void say_listed(struct dbg *d, enum listed_kind kind, const struct listed_name *n)
{
    if (n->is_symbol) {
        dbg_say(d, "0x%016llx  %s\n", (unsigned long long)n->address, n->name);
        return;
    }
    if (n->line)
        dbg_say(d, "%u:", n->line);
    dbg_say(d, "\t%s%s\n", n->text, kind == LISTED_TYPES && !n->file ? "" : ";");
}

/* Prints a heading where another file, or the part without files, begins. */
static void say_heading(struct dbg *d, const struct listed_name *n,
                        const struct listed_name *before)
{
    bool same_file = before && before->is_symbol == n->is_symbol && !before->file == !n->file &&
                     (!n->file || strcmp(before->file, n->file) == 0);
    if (same_file)
        return;
    if (n->is_symbol)
        dbg_say(d, "\nNon-debugging symbols:\n");
    else if (n->file)
        dbg_say(d, "\nFile %s:\n", n->file);
    else
        dbg_say(d, "\n");
}

static struct error *list_names(struct dbg *d, enum listed_kind kind, const char *args)
{
    struct evaluation *v;
    struct listed_name *all;
    size_t count;
    bool no_symbols = debug_take_word(&args, "-n");
    struct error *err = debug_evaluation(d->debug, &v);
    if (err)
        return err;
    if (!(err = values_listed(v, kind, args, &all, &count))) {
        const struct listed_name *before = NULL;
        if (*args)
            dbg_say(d, "All %s matching regular expression \"%s\":\n", kinds[kind], args);
        else
            dbg_say(d, "All defined %s:\n", kinds[kind]);
        json_open(dbg_fields(d), kinds[kind], '[');
        for (size_t i = 0; i < count; i++) {
            if (all[i].is_symbol && no_symbols)
                continue;
            say_heading(d, &all[i], before);
            say_listed(d, kind, &all[i]);
            json_listed(d, &all[i]);
            before = &all[i];
        }
        json_close(dbg_fields(d), ']');
    }
    values_close(v);
    return err;
}

struct error *dbg_info_functions(struct dbg *d, const char *args)
{
    return list_names(d, LISTED_FUNCTIONS, args);
}

struct error *dbg_info_variables(struct dbg *d, const char *args)
{
    return list_names(d, LISTED_VARIABLES, args);
}

struct error *dbg_info_types(struct dbg *d, const char *args)
{
    return list_names(d, LISTED_TYPES, args);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void json_area(struct dbg *d, const struct control_area *a, const char *rights)
{
    struct json *j = dbg_fields(d);
    json_open(j, NULL, '{');
    json_hex(j, "start", a->start);
    json_hex(j, "end", a->end);
    json_hex(j, "offset", a->offset);
    json_string(j, "protection", rights);
    json_string(j, "path", a->path);
    json_close(j, '}');
}

/* Prints the mappings in the format of /proc/self/maps. */
static struct error *say_mappings(struct dbg *d)
{
    struct control_area *list;
    size_t count;
    struct error *err = session_areas(d->debug->session, &list, &count);
    if (err)
        return err;
    dbg_say(d, "process %u\nMapped address spaces:\n\n%18s %18s %10s %10s  %s  %s\n",
            session_pid(d->debug->session), "Start Addr", "End Addr", "Size", "Offset", "Perms",
            "objfile");
    json_open(dbg_fields(d), "mappings", '[');
    for (size_t i = 0; i < count; i++) {
        const struct control_area *a = &list[i];
        const char rights[] = {
            a->protection & PROT_READ ? 'r' : '-', a->protection & PROT_WRITE ? 'w' : '-',
            a->protection & PROT_EXEC ? 'x' : '-', a->flags & CONTROL_AREA_SHARED ? 's' : 'p', 0};
        char offset[24];
        snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)a->offset);
        dbg_say(d, "%#18llx %#18llx %#10llx %10s  %s   %s\n", (unsigned long long)a->start,
                (unsigned long long)a->end, (unsigned long long)(a->end - a->start), offset, rights,
                a->path);
        json_area(d, a, rights);
    }
    json_close(dbg_fields(d), ']');
    free(list);
    return NULL;
}

/* cmdline, cwd and exe, or all of them. */
static struct error *say_process(struct dbg *d, const char *which)
{
    char *arguments, *directory;
    size_t size;
    u32 track = session_track(d->debug->session);
    struct error *err = track_about_start(d->debug->rec, track, &arguments, &size, &directory);
    if (err)
        return err;
    for (size_t i = 0; i + 1 < size; i++)
        if (!arguments[i])
            arguments[i] = ' ';
    dbg_say(d, "process %u\n", session_pid(d->debug->session));
    if (!which || strcmp(which, "cmdline") == 0)
        dbg_say(d, "cmdline = '%s'\n", arguments);
    if (!which || strcmp(which, "cwd") == 0)
        dbg_say(d, "cwd = '%s'\n", directory);
    if (!which || strcmp(which, "exe") == 0)
        dbg_say(d, "exe = '%s'\n", session_program(d->debug->session));
    free(arguments);
    free(directory);
    return NULL;
}

/* info proc [mappings|cmdline|cwd|exe] */
struct error *dbg_info_proc(struct dbg *d, const char *args)
{
    static const char *const facts[] = {"cmdline", "cwd", "exe"};
    size_t length = strlen(args);
    if (!length)
        return say_process(d, NULL);
    if (strncmp("mappings", args, length) == 0)
        return say_mappings(d);
    for (size_t i = 0; i < countof(facts); i++)
        if (strncmp(facts[i], args, length) == 0)
            return say_process(d, facts[i]);
    return error_coded(ERROR_MISUSED,
                       "info proc knows mappings, cmdline, cwd and exe, and not '%s'", args);
}

/* --- what the kernel gave to the program ------------------------------------------------------ */

static const struct { u64 type; const char *name, *about; char form; } auxv_rows[] = {
    {AT_SYSINFO_EHDR, "AT_SYSINFO_EHDR", "System-supplied DSO's ELF header", 'x'},
    {AT_HWCAP, "AT_HWCAP", "Machine-dependent CPU capability hints", 'x'},
    {AT_PAGESZ, "AT_PAGESZ", "System page size", 'd'},
    {AT_CLKTCK, "AT_CLKTCK", "Frequency of times()", 'd'},
    {AT_PHDR, "AT_PHDR", "Program headers for program", 'x'},
    {AT_PHENT, "AT_PHENT", "Size of program header entry", 'd'},
    {AT_PHNUM, "AT_PHNUM", "Number of program headers", 'd'},
    {AT_BASE, "AT_BASE", "Base address of interpreter", 'x'},
    {AT_FLAGS, "AT_FLAGS", "Flags", 'x'},
    {AT_ENTRY, "AT_ENTRY", "Entry point of program", 'x'},
    {AT_UID, "AT_UID", "Real user ID", 'd'},
    {AT_EUID, "AT_EUID", "Effective user ID", 'd'},
    {AT_GID, "AT_GID", "Real group ID", 'd'},
    {AT_EGID, "AT_EGID", "Effective group ID", 'd'},
    {AT_SECURE, "AT_SECURE", "Boolean, was exec setuid-like?", 'd'},
    {AT_RANDOM, "AT_RANDOM", "Address of 16 random bytes", 'x'},
    {AT_HWCAP2, "AT_HWCAP2", "Extension of AT_HWCAP", 'x'},
    {51, "AT_MINSIGSTKSZ", "Minimum stack size for signal delivery", 'd'},
    {AT_EXECFN, "AT_EXECFN", "File name of executable", 's'},
    {AT_PLATFORM, "AT_PLATFORM", "String identifying platform", 's'},
    {AT_NULL, "AT_NULL", "End of vector", 'x'},
};

static void say_auxv(struct dbg *d, u64 type, u64 value)
{
    const char *name = "???", *about = "";
    char form = 'x', text[128] = "";
    for (size_t i = 0; i < countof(auxv_rows); i++)
        if (auxv_rows[i].type == type) {
            name = auxv_rows[i].name;
            about = auxv_rows[i].about;
            form = auxv_rows[i].form;
        }
    dbg_say(d, "%-4llu %-20s %-30s ", (unsigned long long)type, name, about);
    if (form == 'd')
        dbg_say(d, "%llu\n", (unsigned long long)value);
    else
        dbg_say(d, "0x%llx", (unsigned long long)value);
    for (size_t i = 0; form == 's' && i + 1 < sizeof text; i++)
        if (!dbg_memory_read(d, value + i, &text[i], 1) || !text[i]) {
            text[i] = '\0';
            break;
        }
    if (form != 'd')
        dbg_say(d, form == 's' ? " \"%s\"\n" : "\n", text);
}

struct error *dbg_info_auxv(struct dbg *d, const char *args)
{
    u8 *bytes;
    size_t size;
    struct error *err = debug_no_arguments(args);
    if (!err)
        err = session_auxv(d->debug->session, &bytes, &size);
    if (err)
        return err;
    for (size_t at = 0; at + 16 <= size; at += 16) {
        u64 pair[2];
        memcpy(pair, bytes + at, sizeof pair);
        say_auxv(d, pair[0], pair[1]);
    }
    free(bytes);
    return NULL;
}
