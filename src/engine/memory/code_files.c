/* The files from which the guest's code comes: see code_files.h. */
#include "engine/memory/code_files.h"

#include <asm/stat.h>
#include <linux/time.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"

#define SECOND 1000000000ul

/* A file that was changed less than this before it was mapped could be changed again at what the
 * file system calls the same time. */
#define SETTLED (2 * SECOND)

static struct {
    struct code_files now;
    struct code_file looked_at; /* without its place */
} code_files;

const struct code_files *code_files_now(void)
{
    return &code_files.now;
}

static u64 time_of_day(void)
{
    u64 now[2] = {0};
    kernel_call(__NR_clock_gettime, CLOCK_REALTIME, now);
    return now[0] * SECOND + now[1];
}

void code_files_look(const struct stat *file)
{
    code_files.looked_at = (struct code_file){
        .device = file->st_dev,
        .inode = file->st_ino,
        .size = (u64)file->st_size,
        .modified = (u64)file->st_mtime * SECOND + (u64)file->st_mtime_nsec,
        .changed = (u64)file->st_ctime * SECOND + (u64)file->st_ctime_nsec,
    };
}

static bool code_file_settled(const struct code_file *f)
{
    return f->changed + SETTLED < time_of_day();
}

/* Returns the place of the first one that ends above `at`. */
static u32 code_files_index(const struct code_files *list, u64 at)
{
    u32 n = 0;
    while (n < list->count && list->file[n].end <= at)
        n++;
    return n;
}

void code_files_mapped(const struct area *a)
{
    u32 wanted = PROT_EXEC, unwanted = PROT_WRITE;
    struct code_file f = code_files.looked_at;
    struct code_files *list = &code_files.now;
    if ((a->protection & (wanted | unwanted)) != wanted || (a->flags & AREA_SHARED) ||
        !(a->flags & AREA_FILE) || a->device != f.device || a->inode != f.inode ||
        list->count == CODE_FILES_MOST || !code_file_settled(&f))
        return;
    f.start = a->start;
    f.end = a->end;
    f.offset = a->offset;
    u32 n = code_files_index(list, f.start);
    struct code_file *at = &list->file[n];
    memmove(at + 1, at, (list->count - n) * sizeof(*at));
    *at = f;
    list->count++;
    list->version++;
}

void code_files_spoil(u64 start, u64 end)
{
    struct code_files *list = &code_files.now;
    u32 n = code_files_index(list, start);
    while (n < list->count && list->file[n].start < end) {
        struct code_file *at = &list->file[n];
        memmove(at, at + 1, (list->count - n - 1) * sizeof(*at));
        list->count--;
        list->version++;
    }
}

bool code_files_hold(const struct code_files *list, u64 page)
{
    u32 n = code_files_index(list, page * PAGE_SIZE);
    return n < list->count && list->file[n].start <= page * PAGE_SIZE;
}
