/* /proc/self/exe, and that of other guests, is the program and not the engine.
 *
 * The guest's own program is kept open. For another process whose exe is also the engine, the
 * program is found by its auxiliary vector: the mapping that contains the program headers has the
 * name.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/memory/image.h"
#include "engine/memory/kernel_maps.h"
#include "engine/proc/proc_files.h"
#include "engine/proc/proc_files_internal.h"

enum { PATH_SIZE = 4096, AUXV_WORDS = 128 };

static bool is_own_exe(const char *path)
{
    char name[PROC_NAME];
    return proc_files_own(path, name) && text_equal(name, "exe");
}

/* The program may have been renamed or deleted since: the kernel knows. */
static i64 read_own(char *buffer, u64 size)
{
    char link[64];
    struct text name = TEXT(link);
    i64 length = -ENOENT;
    if (guest_image.fd >= 0) {
        proc_files_add_link(&name, guest_image.fd);
        length = kernel_call(__NR_readlink, link, buffer, size);
    }
    if (!kernel_failed(length))
        return length;
    u64 known = strlen(guest_image.path);
    length = (i64)(known < size ? known : size);
    memcpy(buffer, guest_image.path, (u64)length);
    return length;
}

/* Others */

static bool runs_engine(const char *exe)
{
    char own[PATH_SIZE], other[PATH_SIZE];
    i64 length = kernel_call(__NR_readlink, "/proc/self/exe", own, sizeof(own));
    return !kernel_failed(length) &&
           kernel_call(__NR_readlink, exe, other, sizeof(other)) == length &&
           !memcmp(own, other, (u64)length);
}

static u64 headers_of(const char *auxv_path)
{
    u64 word[AUXV_WORDS] = {0};
    i64 fd = kernel_call(__NR_openat, AT_FDCWD, auxv_path, O_RDONLY | O_CLOEXEC);
    if (kernel_failed(fd))
        return 0;
    kernel_call(__NR_read, fd, word, sizeof(word) - 16);
    kernel_call(__NR_close, fd);
    for (const u64 *at = word; at[0] != AT_NULL; at += 2)
        if (at[0] == AT_PHDR)
            return at[1];
    return 0;
}

struct exe_search {
    u64 at;
    struct text name;
};

static bool proc_exe_find_name(void *context, const char *line)
{
    struct exe_search *s = context;
    struct kernel_mapping m;
    if (!kernel_maps_parse(line, &m) || s->at < m.start || s->at >= m.end)
        return true;
    text_add(&s->name, m.name);
    return false;
}

static void proc_exe_file_of(struct text *path, const char *number, const char *name)
{
    text_add(path, "/proc/");
    text_add(path, number);
    text_add_char(path, '/');
    text_add(path, name);
}

/* Finds the program of another guest, if the path names that. */
static bool read_other(const char *path, char program[PATH_SIZE])
{
    char number[PROC_NAME], name[PROC_NAME], auxv[64], maps[64];
    struct text auxv_path = TEXT(auxv), maps_path = TEXT(maps);
    if (!proc_files_any(path, number, name) || !text_equal(name, "exe") || !runs_engine(path))
        return false;
    proc_exe_file_of(&auxv_path, number, "auxv");
    proc_exe_file_of(&maps_path, number, "maps");
    struct exe_search s = {headers_of(auxv), {program, PATH_SIZE, 0}};
    program[0] = '\0';
    kernel_maps_lines(maps, proc_exe_find_name, &s);
    return program[0] == '/';
}

bool proc_files_readlink(const char *path, char *buffer, u64 size, i64 *ret)
{
    char program[PATH_SIZE];
    if (is_own_exe(path)) {
        *ret = read_own(buffer, size);
        return true;
    }
    if (!read_other(path, program))
        return false;
    u64 length = strlen(program);
    *ret = (i64)(length < size ? length : size);
    memcpy(buffer, program, (u64)*ret);
    return true;
}

const char *proc_files_replace(const char *path)
{
    static char program[PATH_SIZE];
    struct text name = TEXT(program);
    if (!is_own_exe(path))
        return read_other(path, program) ? program : NULL;
    if (guest_image.fd < 0)
        return guest_image.path;
    proc_files_add_link(&name, guest_image.fd);
    return program;
}
