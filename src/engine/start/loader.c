/* The loader: maps a program and its interpreter as the kernel would, and builds the first stack.
 *
 * Scripts are followed to the program that runs them. The program is mapped before the code cache
 * is placed, which uses the remaining room if the program is linked at its usual address.
 */
#include "engine/start/loader.h"

#include <asm/stat.h>
#include <linux/prctl.h>
#include <linux/stat.h>

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/calls/clocks.h"
#include "engine/memory/address.h"
#include "engine/memory/areas.h"
#include "engine/memory/image.h"
#include "engine/memory/mapped_file.h"
#include "engine/start/loader_internal.h"
#include "engine/translate/code_cache.h"
#include "engine/x86_64/cpu.h"
#include "log/channel.h"

enum {
    SCRIPTS_MOST = 5, /* scripts that run each other, as in the kernel */
    K_X_OK = 1,
    K_AT_EACCESS = 0x200,
};

#define HEAP_ROOM (64ul << 20)

/* Refusing */

static const struct {
    i64 error;
    int status;
    const char *why;
} open_errors[] = {
    {-ENOENT,       CHANNEL_EXIT_NOT_FOUND,    "no such file"},
    {-ENOTDIR,      CHANNEL_EXIT_NOT_FOUND,    "no such file"},
    {-EACCES,       CHANNEL_EXIT_NOT_RUNNABLE, "permission denied"},
    {-EPERM,        CHANNEL_EXIT_NOT_RUNNABLE, "permission denied"},
    {-EISDIR,       CHANNEL_EXIT_NOT_RUNNABLE, "a directory"},
    {-ELOOP,        CHANNEL_EXIT_NOT_RUNNABLE, "too many symbolic links"},
    {-ENAMETOOLONG, CHANNEL_EXIT_NOT_RUNNABLE, "its name is too long"},
    {-EMFILE,       CHANNEL_EXIT_NOT_RUNNABLE, "too many open files"},
    {-ENFILE,       CHANNEL_EXIT_NOT_RUNNABLE, "too many open files"},
    {-ENOMEM,       CHANNEL_EXIT_NOT_RUNNABLE, "not enough memory"},
};

_Noreturn static void refuse_open(const char *what, i64 error)
{
    for (unsigned i = 0; i < countof(open_errors); i++)
        if (open_errors[i].error == error)
            engine_refuse(open_errors[i].status, what, open_errors[i].why);
    engine_refuse(CHANNEL_EXIT_NOT_RUNNABLE, what, "it cannot be opened");
}

/* Opening */

/* Returns 0, or why it may not be executed. */
static i64 check_executable(i32 fd, const char *path)
{
    struct stat file;
    i64 error = kernel_call(__NR_fstat, fd, &file);
    if (error)
        return error;
    if (S_ISDIR(file.st_mode))
        return -EISDIR;
    if (!S_ISREG(file.st_mode))
        return -EACCES;
    error = kernel_call(__NR_faccessat2, AT_FDCWD, path, K_X_OK, K_AT_EACCESS);
    if (error == -ENOSYS || error == -EPERM) /* an old kernel, or a filter that does not know it */
        error = kernel_call(__NR_faccessat, AT_FDCWD, path, K_X_OK);
    return error;
}

/* The file cannot be opened for reading, but may still be executable. */
_Noreturn static void refuse_unreadable(const char *path, const char *what)
{
    i64 fd = kernel_call(__NR_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC);
    if (!kernel_failed(fd) && check_executable((i32)fd, path) == 0)
        engine_refuse(CHANNEL_EXIT_NOT_RUNNABLE, what,
                      "it may be executed but not read, and ebb must read it");
    refuse_open(what, -EACCES);
}

static i32 open_executable(const char *path, const char *what)
{
    i64 fd = mapped_file_open_again();
    if (fd >= 0)
        return (i32)fd;
    fd = kernel_call(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd == -EACCES)
        refuse_unreadable(path, what);
    if (kernel_failed(fd))
        refuse_open(what, fd);
    i64 error = check_executable((i32)fd, path);
    if (error)
        refuse_open(what, error);
    mapped_file_opened((i32)fd);
    return (i32)fd;
}

static i32 loader_open_program(const char *path)
{
    if (settings.fd < 0)
        return open_executable(path, path);
    mapped_file_opened(settings.fd);
    return settings.fd;
}

/* Returns "PATH: interpreter NAME", for an error. */
static const char *name_interpreter(const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 32;
    struct text text = {pool_take(size), size, 0};
    text_add(&text, path);
    text_add(&text, ": interpreter ");
    text_add(&text, name);
    return text.buffer;
}

/* Scripts */

static char *keep_string(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(pool_take(size), s, size);
}

/* interpreter [argument] script argv[1]... */
static char **script_arguments(char **argv, const char *script, char *interpreter, char *argument)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **to = pool_take((count + 4) * sizeof(*to)), **made = to;
    *to++ = interpreter;
    if (argument[0])
        *to++ = argument;
    *to++ = keep_string(script);
    for (size_t i = 1; i < count; i++)
        *to++ = argv[i];
    *to = NULL;
    return made;
}

/* Opens the program that runs `path`: itself, or the interpreter of its "#!" line. *argv changes
 * with it. */
static i32 follow_scripts(const char *path, char ***argv, const char **ret_what)
{
    char name[SCRIPT_LINE], argument[SCRIPT_LINE];
    const char *current = path, *what = path;
    i32 fd = loader_open_program(path);
    for (int depth = 0; program_file_script(fd, name, argument); depth++) {
        if (depth == SCRIPTS_MOST)
            engine_refuse(CHANNEL_EXIT_NOT_RUNNABLE, path, "too many scripts that run each other");
        char *interpreter = keep_string(name);
        *argv = script_arguments(*argv, current, interpreter, keep_string(argument));
        what = name_interpreter(path, interpreter);
        kernel_call(__NR_close, fd);
        fd = open_executable(interpreter, what);
        current = interpreter;
    }
    *ret_what = what;
    return fd;
}

/* Images */

static void read_program(i32 fd, const char *what, struct program_file *ret)
{
    const char *why = "malformed";
    if (program_file_read(fd, ret, &why))
        engine_refuse(CHANNEL_EXIT_NOT_RUNNABLE, what, why);
}

static bool stack_is_executable(const struct program_file *f)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->segment[i].p_type == PT_GNU_STACK)
            return f->segment[i].p_flags & PF_X;
    return false;
}

static void map_interpreter(const struct program_file *program, const char *what,
                            struct loaded *ret)
{
    struct program_file file;
    const char *name = name_interpreter(what, program->interpreter);
    i32 fd = open_executable(program->interpreter, name);
    read_program(fd, name, &file);
    loader_map_image(&file, name, ret);
    kernel_call(__NR_close, fd);
}

/* Computes the addresses in /proc/self/stat as the kernel does. */
static void note_code_and_data(const struct program_file *f, u64 bias)
{
    struct guest_image *image = &guest_image;
    image->start_code = ~0ul;
    for (unsigned i = 0; i < f->count; i++) {
        const Elf64_Phdr *p = &f->segment[i];
        if (p->p_type != PT_LOAD)
            continue;
        u64 start = bias + p->p_vaddr, end = start + p->p_filesz;
        if ((p->p_flags & PF_X) && start < image->start_code)
            image->start_code = start;
        if ((p->p_flags & PF_X) && end > image->end_code)
            image->end_code = end;
        if (start > image->start_data)
            image->start_data = start;
        if (end > image->end_data)
            image->end_data = end;
    }
}

/* Places the heap after a program that is linked at a fixed address, if there is room. */
static u64 choose_heap(const struct program_file *f, const struct loaded *program)
{
    u64 at = program->end;
    bool behind = f->header.e_type == ET_EXEC && at < layout.low_end &&
                  areas_free(at, at + HEAP_ROOM);
    return behind ? at : layout.heap;
}

/* Identity */

static void keep_program_file(i32 fd, const char *path)
{
    char link[64];
    struct text name = TEXT(link);
    text_add(&name, "/proc/self/fd/");
    text_add_unsigned(&name, (u64)fd);
    u64 room = sizeof(guest_image.path) - 1;
    i64 length = kernel_call(__NR_readlink, link, guest_image.path, room);
    if (kernel_failed(length)) {
        struct text copy = TEXT(guest_image.path);
        text_add(&copy, path);
    } else {
        guest_image.path[length] = '\0';
    }
    if (kernel_failed(descriptors_keep(fd, true, &guest_image.fd))) {
        guest_image.fd = -1;
        kernel_call(__NR_close, fd);
    }
}

static void loader_name_thread(const char *path)
{
    const char *base = path;
    for (const char *at = path; *at; at++)
        if (*at == '/')
            base = at + 1;
    kernel_call(__NR_prctl, PR_SET_NAME, base);
}

/* Makes the list of processes show the program and not the engine. If the kernel cannot do that,
 * proc_files.c still answers for the guest itself. */
static void tell_kernel(void)
{
    const struct guest_image *image = &guest_image;
    struct prctl_mm_map map = {
        .start_code = image->start_code,
        .end_code = image->end_code,
        .start_data = image->start_data,
        .end_data = image->end_data,
        .start_brk = image->start_heap,
        .brk = image->start_heap,
        .start_stack = image->start_stack,
        .arg_start = image->argv_at,
        .arg_end = image->argv_end,
        .env_start = image->envp_at,
        .env_end = image->envp_end,
        .auxv = (void *)image->auxv_at,
        .auxv_size = (u32)image->auxv_size,
        .exe_fd = (u32)-1,
    };
    i64 result = kernel_call(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0);
    guest_image.told_kernel = result == 0;
}

static u64 kernel_vdso(const u64 *auxv)
{
    for (; auxv[0] != AT_NULL; auxv += 2)
        if (auxv[0] == AT_SYSINFO_EHDR)
            return auxv[1];
    return 0;
}

static void start_cpu(u64 entry, u64 rsp)
{
    for (unsigned i = 0; i < countof(cpu->reg); i++)
        cpu->reg[i] = 0;
    cpu->reg[RSP] = rsp;
    cpu->rip = entry;
    cpu->flags = FLAGS_PLAIN;
}

void loader_load(const struct loader_request *request)
{
    char **argv = request->argv;
    const char *what;
    u64 limit[2];
    descriptors_widen(limit);
    i32 fd = follow_scripts(request->path, &argv, &what);
    struct program_file file;
    struct loaded program, interpreter;
    read_program(fd, what, &file);
    loader_note_rights(fd, request->path);
    bool interpreted = file.interpreter[0];
    loader_map_image(&file, what, &program);
    if (interpreted)
        map_interpreter(&file, what, &interpreter);
    code_cache_start();
    areas_reserve(code_cache.first, code_cache.end);

    struct stack_content content = {
        .path = request->path,
        .argv = argv,
        .envp = request->envp,
        .auxv = request->auxv,
        .executable = stack_is_executable(&file),
        .program = &program,
        .interpreter = interpreted ? &interpreter : NULL,
        .vdso = clocks_map_vdso(kernel_vdso(request->auxv)),
        .stack_limit = request->stack_limit,
    };
    u64 rsp = loader_make_stack(&content);
    guest_image.start_heap = choose_heap(&file, &program);
    address_set_brk(guest_image.start_heap);
    note_code_and_data(&file, program.bias);
    keep_program_file(fd, what);
    descriptors_narrow(limit);
    loader_name_thread(request->path);
    tell_kernel();
    start_cpu(interpreted ? interpreter.entry : program.entry, rsp);
}
