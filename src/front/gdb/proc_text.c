/* The contents of files below /proc/PID at the current moment, in the kernel's format, made from
 * what the session knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "front/gdb/rsp_internal.h"

static void add_area(struct reply *to, const struct control_area *a)
{
    char path[sizeof a->path + 1];
    size_t before = to->size;
    memcpy(path, a->path, sizeof a->path);
    path[sizeof a->path] = '\0';
    reply_text(to, "%08llx-%08llx %c%c%c%c %08llx %02x:%02x %llu", (unsigned long long)a->start,
               (unsigned long long)a->end, a->protection & PROT_READ ? 'r' : '-',
               a->protection & PROT_WRITE ? 'w' : '-', a->protection & PROT_EXEC ? 'x' : '-',
               a->flags & CONTROL_AREA_SHARED ? 's' : 'p', (unsigned long long)a->offset,
               major(a->device), minor(a->device), (unsigned long long)a->inode);
    if (path[0])
        reply_text(to, "%*s%s", (int)(before + 73 > to->size ? before + 73 - to->size : 1), "",
                   path);
    reply_text(to, "\n");
}

static bool add_maps(struct rsp *r, struct reply *to)
{
    struct control_area *areas;
    size_t count;
    struct error *err = session_areas(r->session, &areas, &count);
    if (err) {
        error_destroy(err);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        add_area(to, &areas[i]);
    free(areas);
    return true;
}

static bool add_auxv(struct rsp *r, struct reply *to)
{
    u8 *bytes;
    size_t size;
    struct error *err = session_auxv(r->session, &bytes, &size);
    if (err) {
        error_destroy(err);
        return false;
    }
    reply_bytes(to, bytes, size);
    free(bytes);
    return true;
}

static bool proc_text_add_arguments(struct rsp *r, struct reply *to)
{
    reply_bytes(to, r->facts.arguments, r->facts.arguments_size);
    return true;
}

static bool add_environment(struct rsp *r, struct reply *to)
{
    reply_bytes(to, r->facts.environment, r->facts.environment_size);
    return true;
}

static const char *proc_text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool add_name(struct rsp *r, struct reply *to)
{
    reply_text(to, "%.15s\n", proc_text_base_name(session_program(r->session)));
    return true;
}

static size_t count_threads(struct rsp *r)
{
    struct error *err = rsp_threads_know(r);
    error_destroy(err);
    return r->thread_count ? r->thread_count : 1;
}

static bool add_status(struct rsp *r, struct reply *to)
{
    const struct rsp_facts *f = &r->facts;
    u32 pid = session_pid(r->session);
    reply_text(to, "Name:\t%.15s\nState:\tt (tracing stop)\nTgid:\t%u\nPid:\t%u\nPPid:\t%u\n",
               proc_text_base_name(session_program(r->session)), pid, pid, f->ppid);
    reply_text(to, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nThreads:\t%zu\n", f->uid, f->uid,
               f->uid, f->uid, f->gid, f->gid, f->gid, f->gid, count_threads(r));
    return true;
}

/* Fills in the known ones of the 52 fields; the rest is 0. */
static bool add_stat(struct rsp *r, struct reply *to)
{
    u32 pid = session_pid(r->session);
    reply_text(to, "%u (%.15s) t %u %u %u", pid, proc_text_base_name(session_program(r->session)),
               r->facts.ppid, pid, pid);
    for (int field = 7; field <= 52; field++)
        reply_text(to, field == 20 ? " %zu" : " 0", count_threads(r));
    reply_text(to, "\n");
    return true;
}

static const struct {
    const char *name;
    bool (*add)(struct rsp *r, struct reply *to);
} files[] = {
    {"maps", add_maps}, {"auxv", add_auxv}, {"cmdline", proc_text_add_arguments},
    {"status", add_status}, {"environ", add_environment}, {"comm", add_name}, {"stat", add_stat},
};

/* Returns what follows /proc/PID/ (or /proc/PID/task/TID/) of this process; NULL: another path. */
static const char *below_process(struct rsp *r, const char *path)
{
    int length = 0, task = 0;
    unsigned pid = 0, tid = 0;
    if (sscanf(path, "/proc/%u/%n", &pid, &length) != 1 || !length)
        return NULL;
    if (pid != session_pid(r->session) && pid != r->phantom)
        return NULL;
    path += length;
    if (sscanf(path, "task/%u/%n", &tid, &task) == 1 && task)
        path += task;
    return path;
}

bool proc_text(struct rsp *r, const char *path, struct reply *to)
{
    const char *name = below_process(r, path);
    for (size_t i = 0; name && i < countof(files); i++)
        if (strcmp(name, files[i].name) == 0)
            return files[i].add(r, to);
    return false;
}

bool proc_text_link(struct rsp *r, const char *path, struct reply *to)
{
    const char *name = below_process(r, path);
    if (!name)
        return false;
    if (strcmp(name, "exe") == 0)
        reply_text(to, "%s", session_program(r->session));
    else if (strcmp(name, "cwd") == 0 && r->facts.directory)
        reply_text(to, "%s", r->facts.directory);
    else
        return false;
    return true;
}
