/* Processes: execve.
 *
 * The engine starts itself again, in front of the new program: arguments as log/channel.h says,
 * strings and environment straight from the guest's memory, which the kernel reads. Everything that
 * the kernel would refuse about the program's file must be refused before, since the engine's own
 * file is always fine. Files that the engine cannot run but the kernel perhaps can (other formats,
 * registered interpreters, files that may be executed but not read) are left to the kernel and run
 * natively; its answer is the guest's. So is what a debugger among the guests starts
 * (process_tracer.c).
 *
 * A program given by a descriptor is inherited open, by a copy that its loader closes (the
 * setting fd), and so are the engine's own file (the setting engine) and a file with the guest's
 * filters of system calls (the setting filters).
 */
#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/pool.h"
#include "engine/base/program_file.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/memory_limits.h"
#include "engine/proc/proc_files.h"
#include "engine/processes/process.h"
#include "engine/signals/signals.h"
#include "engine/threads/filters.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/enter.h"
#include "log/channel.h"

enum {
    /* scripts that name each other as interpreters, as many as the kernel follows */
    SCRIPTS_MOST = 5,
    ARGUMENTS_MOST = 1 << 20,
    SETTINGS_SIZE = 8192,
    FORMAT_REGULAR = 0100000,
    FORMAT_MASK = 0170000,
    EXECUTE_BITS = 0111,
    X_OK = 1,
    ST_NOEXEC = 8,
};

static struct {
    i32 engine_fd;
    /* Kept between calls: after an execve by a child of vfork their memory is the parent's. */
    u64 *arguments;
    u64 arguments_room;
} process_exec = {.engine_fd = -1};

/* Passed on by the previous image: after a chroot, /proc and the file may not be reachable. */
static i64 open_engine(const char *started_as)
{
    if (settings.engine)
        return settings.engine;
    i64 fd = kernel_call(__NR_open, "/proc/self/exe", O_PATH | O_CLOEXEC);
    return kernel_failed(fd) && started_as ? kernel_call(__NR_open, started_as, O_PATH | O_CLOEXEC)
                                           : fd;
}

void process_start(const char *started_as)
{
    i64 fd = open_engine(started_as);
    if (!kernel_failed(fd))
        descriptors_keep((i32)fd, true, &process_exec.engine_fd);
    process_note_tracer();
}

/* The program's file */

struct exec_target {
    char path[PROGRAM_PATH]; /* the name that the program will have */
    const char *instead; /* the path of the guest's own program, if the path means that; or NULL */
    i32 fd;                  /* the open file */
    bool inherited;          /* the path may not lead there after the call: fd is used */
    bool unreadable;         /* fd gives no access to the content */
    bool closes;             /* the path leads through a descriptor that will be closed */
};

static u32 mode_of(i32 fd)
{
    u32 about[36] = {0}; /* struct stat: 144 bytes, the mode at 24 */
    return kernel_call(__NR_fstat, fd, about) ? 0 : about[6];
}

static bool on_noexec(i32 fd)
{
    u64 about[15] = {0}; /* struct statfs: 120 bytes, the mount's flags at 80 */
    return kernel_call(__NR_fstatfs, fd, about) == 0 && (about[10] & ST_NOEXEC);
}

/* Checks its mode and its mount for execute permission. */
static i64 check_rights(i32 fd)
{
    u32 mode = mode_of(fd);
    if ((mode & FORMAT_MASK) != FORMAT_REGULAR || on_noexec(fd))
        return -EACCES;
    i64 result = kernel_call(__NR_faccessat2, fd, "", X_OK, AT_EMPTY_PATH | AT_EACCESS);
    if (result == -ENOSYS || result == -EPERM || result == -EINVAL) /* before Linux 5.8 */
        result = mode & EXECUTE_BITS ? 0 : -EACCES;
    return result;
}

static i64 process_exec_open_program(i64 directory, const char *path, u64 flags)
{
    u64 limit[2];
    descriptors_widen(limit);
    i64 fd = kernel_call(__NR_openat, directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    descriptors_narrow(limit);
    return fd == -ENXIO ? -EACCES : fd;
}

/* Opens a file that may be executed but not read, without access to its content. Returns -EACCES if
 * that fails. */
static i64 open_unreadable(i64 directory, const char *path, u64 flags)
{
    i64 fd = kernel_call(__NR_openat, directory, path, O_PATH | O_CLOEXEC | flags);
    if (kernel_failed(fd) || check_rights((i32)fd) == 0)
        return fd;
    kernel_call(__NR_close, fd);
    return -EACCES;
}

/* Checks whether the kernel can use an interpreter that could not be opened. */
static i64 check_unreadable(const char *path, i64 error)
{
    i64 fd = error == -EACCES ? open_unreadable(AT_FDCWD, path, 0) : error;
    if (kernel_failed(fd))
        return error;
    kernel_call(__NR_close, fd);
    return -ENOEXEC;
}

/* Checks that the interpreter that an ELF file names exists. */
static i64 check_interpreter(const char *path)
{
    i64 fd = process_exec_open_program(AT_FDCWD, path, 0);
    if (kernel_failed(fd))
        return check_unreadable(path, fd);
    i64 result = check_rights((i32)fd);
    kernel_call(__NR_close, fd);
    return result;
}

static i64 check_script(const char *interpreter, int depth);

static i64 check_content(i32 fd, int depth)
{
    static struct program_file file;
    char interpreter[SCRIPT_LINE], argument[SCRIPT_LINE];
    const char *why;
    if (program_file_script(fd, interpreter, argument))
        return check_script(interpreter, depth);
    i64 result = program_file_read(fd, &file, &why);
    if (result == 0 && file.interpreter[0])
        result = check_interpreter(file.interpreter);
    return result;
}

static i64 process_exec_check_file(i32 fd, int depth)
{
    i64 result = check_rights(fd);
    return result ? result : check_content(fd, depth);
}

static i64 check_script(const char *interpreter, int depth)
{
    if (!interpreter[0])
        return -ENOEXEC;
    if (depth == SCRIPTS_MOST)
        return -ELOOP;
    i64 fd = process_exec_open_program(AT_FDCWD, interpreter, 0);
    if (kernel_failed(fd))
        return check_unreadable(interpreter, fd);
    i64 result = process_exec_check_file((i32)fd, depth + 1);
    kernel_call(__NR_close, fd);
    return result;
}

static bool is_script(i32 fd)
{
    char interpreter[SCRIPT_LINE], argument[SCRIPT_LINE];
    return program_file_script(fd, interpreter, argument);
}

/* The arguments */

static bool process_exec_make_room(u64 wanted)
{
    if (wanted <= process_exec.arguments_room)
        return true;
    u64 *more = pool_try_map(wanted * sizeof(u64), sizeof(u64));
    if (!more)
        return false;
    if (process_exec.arguments)
        pool_unmap(process_exec.arguments, process_exec.arguments_room * sizeof(u64));
    process_exec.arguments = more;
    process_exec.arguments_room = wanted;
    return true;
}

/* Counts the pointers at argv before the terminating one; or -errno. */
static i64 count_arguments(struct gaddr argv)
{
    if (!argv.at)
        return 0;
    for (i64 count = 0; count < ARGUMENTS_MOST; count++) {
        u64 pointer;
        if (!guest_read_u64(gaddr(argv.at + (u64)count * sizeof(u64)), &pointer))
            return -EFAULT;
        if (!pointer)
            return count;
    }
    return -E2BIG;
}

/* Returns the engine's settings, without those of this image only, and with those that the next
 * needs. */
static const char *settings_for(i32 fd, i32 engine, i64 filters)
{
    static char buffer[SETTINGS_SIZE];
    struct text out = TEXT(buffer);
    for (const char *item = settings.text; *item;) {
        const char *comma = text_find(item, ',');
        const char *end = comma ? comma : item + strlen(item);
        bool skip = text_starts(item, "fd=") || text_starts(item, "parent") ||
                    text_starts(item, "record=") || text_starts(item, "share=") ||
                    text_starts(item, "engine=") || text_starts(item, "filters=") ||
                    text_starts(item, "limit");
        if (!skip && out.length)
            text_add_char(&out, ',');
        for (; item < end; item++)
            if (!skip)
                text_add_char(&out, *item);
        item += comma != NULL;
    }
    if (fd >= 0) {
        text_add(&out, out.length ? ",fd=" : "fd=");
        text_add_signed(&out, fd);
    }
    if (engine >= 0) {
        text_add(&out, out.length ? ",engine=" : "engine=");
        text_add_signed(&out, engine);
    }
    filters_describe(&out, filters);
    memory_limits_describe(&out);
    log_describe_exec(&out);
    buffer[out.length] = 0;
    return buffer;
}

static i64 build_arguments(const struct exec_target *target, i32 inherited, i32 engine,
                           i64 filters, struct gaddr argv)
{
    static const char nothing[] = "";
    i64 count = count_arguments(argv);
    if (count < 0)
        return count;
    if (!process_exec_make_room(CHANNEL_ARGS_MIN + (u64)count + 1))
        return -ENOMEM;
    process_exec.arguments[0] = (u64)CHANNEL_ENGINE_NAME;
    process_exec.arguments[CHANNEL_ARG_SETTINGS] = (u64)settings_for(inherited, engine, filters);
    process_exec.arguments[CHANNEL_ARG_PATH] = (u64)target->path;
    process_exec.arguments[CHANNEL_ARG_ARGV0] = (u64)nothing; /* there is always one */
    if (!guest_read(&process_exec.arguments[CHANNEL_ARG_ARGV0], argv, (size_t)count * sizeof(u64)))
        return -EFAULT;
    process_exec.arguments[CHANNEL_ARG_ARGV0 + (count ? count : 1)] = 0;
    return 0;
}

/* The call */

/* A process apart leaves the log of its maker as one that waits for ever. */
static i64 make_call_apart(u64 number, const u64 args[6])
{
    signals_exec();
    process_die_with_maker(false);
    thread_give_baton();
    i64 result = engine_make_call(number, args, &thread_self()->signal_waiting);
    thread_take_baton();
    process_die_with_maker(true);
    signals_exec_failed();
    return result;
}

static i64 make_call(u64 number, const u64 args[6])
{
    if (thread_is_apart())
        return make_call_apart(number, args);
    signals_exec();
    log_execs();
    /* otherwise its parent has the baton when it continues */
    bool alone = !thread_self()->in_vfork;
    if (alone)
        log_rests();
    i64 result = engine_make_call(number, args, &thread_self()->signal_waiting);
    log_runs(true);
    signals_exec_failed();
    return result; /* CALL_AGAIN, if a signal came first */
}

static i64 exec_descriptor(i32 fd, u64 argv, u64 envp)
{
    return make_call(__NR_execveat, (u64[6]){(u64)fd, (u64) "", argv, envp, AT_EMPTY_PATH});
}

/* Returns a copy of a descriptor that the next image inherits. */
static i64 process_exec_hand_on(i32 fd)
{
    u64 limit[2];
    descriptors_widen(limit);
    i64 copy = kernel_call(__NR_dup, fd);
    descriptors_narrow(limit);
    return kernel_failed(copy) ? copy : descriptors_keep((i32)copy, false, NULL);
}

static i64 exec_with(const struct exec_target *target, i64 inherited, struct gaddr argv,
                     struct gaddr envp)
{
    /* An error: the program has no descriptor left. */
    i64 engine = process_exec_hand_on(process_exec.engine_fd), filters = filters_hand_on();
    i64 result = filters < 0 ? filters
                             : build_arguments(target, (i32)inherited, (i32)engine, filters, argv);
    if (result == 0)
        process_leaves();
    if (result == 0)
        result = exec_descriptor(process_exec.engine_fd, (u64)process_exec.arguments, envp.at);
    if (!kernel_failed(engine))
        descriptors_drop((i32)engine);
    if (filters > 0)
        descriptors_drop((i32)filters);
    return result;
}

static i64 exec_engine(const struct exec_target *target, struct gaddr argv, struct gaddr envp)
{
    if (!target->inherited)
        return exec_with(target, -1, argv, envp);
    i64 inherited = process_exec_hand_on(target->fd);
    if (kernel_failed(inherited))
        return inherited;
    i64 result = exec_with(target, inherited, argv, envp);
    descriptors_drop((i32)inherited);
    return result;
}

/* Executes natively: the kernel knows the format, or refuses it as the guest expects. */
static i64 exec_natively(const struct exec_target *target, struct gaddr argv, struct gaddr envp)
{
    memory_limits_apply(true);
    i64 failed = target->inherited
                     ? exec_descriptor(target->fd, argv.at, envp.at)
                     : make_call(__NR_execve, (u64[6]){(u64)target->path, argv.at, envp.at});
    memory_limits_apply(false);
    return failed;
}

/* Tells the user what runs natively, if it is a program; the kernel may still refuse it. */
static void note_unrecorded(const struct exec_target *target)
{
    char line[PROGRAM_PATH + 128];
    struct text text = TEXT(line);
    if (!target->unreadable && !program_file_narrow(target->fd))
        return;
    text_add(&text, target->path);
    text_add(&text, target->unreadable ? " may be executed but not read; it runs without ebb"
                                       : " is a 32-bit program; it runs without ebb");
    log_note(NOTE_INFO, line);
}

static i64 exec(const struct exec_target *target, struct gaddr argv, struct gaddr envp)
{
    i64 result = target->unreadable ? -ENOEXEC : process_exec_check_file(target->fd, 0);
    if (result == -ENOEXEC)
        note_unrecorded(target);
    if (result == -ENOEXEC || (result == 0 && process_is_debugged()))
        result = exec_natively(target, argv, envp);
    else if (result == 0 && target->closes && is_script(target->fd))
        result = -ENOENT; /* its interpreter could not open it */
    else if (result == 0)
        result = exec_engine(target, argv, envp);
    kernel_call(__NR_close, target->fd);
    return result;
}

static i64 read_path(struct gaddr path, struct exec_target *target)
{
    return guest_read_string(target->path, path, sizeof(target->path));
}

static i64 exec_path(struct exec_target *target, u64 open_flags, struct gaddr argv,
                     struct gaddr envp)
{
    const char *instead = proc_files_replace(target->path); /* for /proc/self/exe */
    const char *path = instead ? instead : target->path;
    i64 fd = process_exec_open_program(AT_FDCWD, path, open_flags);
    target->unreadable = fd == -EACCES;
    if (target->unreadable)
        fd = open_unreadable(AT_FDCWD, path, open_flags);
    if (kernel_failed(fd))
        return fd;
    target->fd = (i32)fd;
    target->inherited = instead;
    target->closes = false;
    return exec(target, argv, envp);
}

i64 process_execve(struct gaddr path, struct gaddr argv, struct gaddr envp)
{
    struct exec_target target;
    i64 length = read_path(path, &target);
    return length < 0 ? length : exec_path(&target, 0, argv, envp);
}

/* Opens a file relative to a descriptor, or the descriptor itself, and names it as the kernel
 * does. */
static i64 open_relative(i32 directory, struct exec_target *target, u64 open_flags)
{
    char name[PROGRAM_PATH];
    struct text out = TEXT(name);
    text_add(&out, "/proc/self/fd/");
    text_add_signed(&out, directory);
    bool is_itself = !target->path[0];
    i64 fd = is_itself ? process_exec_open_program(AT_FDCWD, name, 0)
                       : process_exec_open_program(directory, target->path, open_flags);
    target->unreadable = fd == -EACCES;
    if (target->unreadable)
        fd = is_itself ? open_unreadable(AT_FDCWD, name, 0)
                       : open_unreadable(directory, target->path, open_flags);

    out = TEXT(name);
    text_add(&out, "/dev/fd/");
    text_add_signed(&out, directory);
    if (target->path[0])
        text_add_char(&out, '/');
    text_add(&out, target->path);
    memcpy(target->path, name, out.length + 1);
    return fd;
}

static i64 exec_relative(i32 directory, struct exec_target *target, u64 open_flags,
                         struct gaddr argv, struct gaddr envp)
{
    i64 descriptor = -EBADF;
    if (!descriptors_owned(directory))
        descriptor = kernel_call(__NR_fcntl, directory, F_GETFD);
    if (kernel_failed(descriptor))
        return descriptor;
    i64 fd = open_relative(directory, target, open_flags);
    if (kernel_failed(fd))
        return fd;
    target->fd = (i32)fd;
    target->inherited = true;
    target->closes = descriptor & FD_CLOEXEC;
    return exec(target, argv, envp);
}

i64 process_execveat(i64 directory, struct gaddr path, struct gaddr argv, struct gaddr envp,
                     u64 flags)
{
    struct exec_target target;
    if (flags & ~(u64)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
        return -EINVAL;
    i64 length = read_path(path, &target);
    if (length < 0)
        return length;
    if (!length && !(flags & AT_EMPTY_PATH))
        return -ENOENT;
    u64 open_flags = flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
    if (target.path[0] == '/' || directory == AT_FDCWD)
        return exec_path(&target, open_flags, argv, envp);
    return exec_relative((i32)directory, &target, open_flags, argv, envp);
}
