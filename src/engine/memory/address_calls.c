/* The guest's calls that shape its address space: mmap, munmap, mprotect, madvise, brk.
 *
 * Each checks what the kernel cannot know (the engine's ranges, the address), tells code_watch,
 * makes the call, and then updates the areas. The kernel checks all other arguments, and its errors
 * are returned.
 *
 * The kernel is never asked for PROT_EXEC, because guest code is only read.
 */
#include "engine/memory/address.h"

#include <asm/stat.h>

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/program_file.h"
#include "engine/log/log.h"
#include "engine/memory/code_files.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/image.h"
#include "engine/memory/mapped_copy.h"
#include "engine/memory/mapped_file.h"
#include "engine/memory/mapping.h"
#include "engine/memory/memory_limits.h"
#include "engine/memory/pending.h"
#include "engine/x86_64/call.h"
#include "log/syscall_numbers.h"
#include "log/syscall_vectors.h"

enum {
    TRIES = 16,              /* tries, if the kernel has something unexpected at an address */
    PROTECTION_BITS = PROT_READ | PROT_WRITE | PROT_EXEC,
    K_ST_NOEXEC = 8,
};

#define K_HUGETLBFS_MAGIC 0x958458f6u
#define HUGE_PAGE (2ul << 20)
#define IMAGE_MOST (256ul << 20) /* bigger files are data, even if they begin like a program */

/* Mapping */

static i64 kernel_map(const struct mapping *m, u64 at, u64 how)
{
    u64 flags = (m->flags & ~(u64)(MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT)) | how;
    if (m->stands_in)
        flags &= ~(u64)(MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_MASK << MAP_HUGE_SHIFT);
    u32 protection = code_watch_kernel_protection((u32)m->protection);
    u64 locks = memory_limits_future_locks();
    if (locks && !(locks & MCL_ONFAULT))
        flags |= MAP_LOCKED;
    i64 got = kernel_call(__NR_mmap, at, m->size, protection, flags, m->fd, m->offset);
    if (!kernel_failed(got) && (locks & MCL_ONFAULT))
        kernel_call(__NR_mlock2, got, m->size, MLOCK_ONFAULT);
    return got;
}

/* Kernels before 4.17 take MAP_FIXED_NOREPLACE as a hint. */
static i64 kernel_map_new(const struct mapping *m, u64 at)
{
    i64 got = kernel_map(m, at, MAP_FIXED_NOREPLACE);
    if (kernel_failed(got) || (u64)got == at)
        return got;
    kernel_call(__NR_munmap, got, m->size);
    return -EEXIST;
}

i64 address_map_new(const struct mapping *m, u64 at)
{
    if ((m->flags & MAP_TYPE) != MAP_SHARED_VALIDATE)
        return kernel_map_new(m, at);
    /* MAP_SHARED_VALIDATE cannot be combined with MAP_FIXED_NOREPLACE, so the place is reserved
     * first. */
    struct mapping place = {
        .size = m->size,
        .flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
        .fd = -1,
    };
    i64 got = kernel_map_new(&place, at);
    if (kernel_failed(got))
        return got;
    got = kernel_map(m, at, MAP_FIXED);
    if (kernel_failed(got))
        kernel_call(__NR_munmap, at, m->size);
    return got;
}

i64 address_map_again(const struct mapping *m, u64 at)
{
    u64 flags = mapping_is_shared(m->flags) ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE;
    flags |= MAP_FIXED | (m->flags & MAP_GROWSDOWN);
    if ((m->flags & MAP_ANONYMOUS) && !m->stands_in)
        flags |= MAP_ANONYMOUS;
    if (address_refused(at, m->size))
        log_unable("the engine has memory where the program had mapped something");
    code_watch_changed(at, at + m->size);
    pending_forget(at, at + m->size);
    u32 protection = code_watch_kernel_protection((u32)m->protection);
    i64 got = kernel_call(__NR_mmap, at, m->size, protection, flags, m->fd, m->offset);
    if (kernel_failed(got))
        log_unable("there is not enough memory for what the program had mapped (ulimit -v?)");
    return got;
}

/* Recording: names shared memory without a file, since a child may have it as well. */
static void name_shared(struct area *a)
{
    u64 id;
    if (!(a->flags & AREA_SHARED) || !log_name_shared(&id))
        return;
    a->flags |= AREA_SHM;
    a->device = MAPPED_COPY_NAMELESS;
    a->inode = id;
}

struct area address_describe(const struct mapping *m, u64 at)
{
    struct area a = {.start = at, .end = at + m->size};
    a.protection = m->protection & PROTECTION_BITS;
    if (mapping_is_shared(m->flags))
        a.flags |= AREA_SHARED;
    if (m->flags & MAP_GROWSDOWN)
        a.flags |= AREA_GROWSDOWN;
    if (!m->from_file) {
        name_shared(&a);
        return a;
    }
    a.flags |= AREA_FILE;
    a.device = m->device;
    a.inode = m->inode;
    a.offset = m->offset;
    return a;
}

/* True for hugetlbfs, whose block is a page. */
static bool on_huge_pages(i64 fd)
{
    u64 status[15] = {0}; /* struct statfs: the type is the first word */
    return !kernel_call(__NR_fstatfs, fd, status) && (u32)status[0] == K_HUGETLBFS_MAGIC;
}

void address_look(struct mapping *m)
{
    struct stat file;
    m->alignment = PAGE_SIZE;
    u64 power = (m->flags >> MAP_HUGE_SHIFT) & MAP_HUGE_MASK;
    if ((m->flags & MAP_ANONYMOUS) && (m->flags & MAP_HUGETLB))
        m->alignment = power ? 1ul << power : HUGE_PAGE;
    if ((m->flags & MAP_ANONYMOUS && !m->stands_in) || (m->zeros && !m->stands_in) ||
        kernel_call(__NR_fstat, m->fd, &file))
        return;
    code_files_look(&file);
    m->from_file = true;
    m->device = file.st_dev;
    m->inode = file.st_ino;
    if ((u64)file.st_blksize >= HUGE_PAGE && on_huge_pages(m->fd))
        m->alignment = (u64)file.st_blksize;
}

void address_mapped(const struct area *a)
{
    areas_set(a);
    code_watch_apply(a->start, a->end, a->protection);
}

/* True if a shared object begins there. The dynamic linker first maps the whole of one, and then
 * its pieces into that. */
static bool begins_image(const struct mapping *m)
{
    if ((m->flags & MAP_TYPE) != MAP_PRIVATE || m->offset || (m->protection & PROT_WRITE))
        return false;
    return program_file_type((i32)m->fd) == ET_DYN;
}

static enum mapping_place address_place_of(const struct mapping *m)
{
    if (m->flags & MAP_32BIT)
        return PLACE_32BIT;
    if ((m->flags & MAP_ANONYMOUS) || m->size > IMAGE_MOST)
        return PLACE_MAPPING;
    return (m->protection & PROT_EXEC) || begins_image(m) ? PLACE_IMAGE : PLACE_MAPPING;
}

/* Returns the hint, if the kernel would follow it. */
static u64 usable_hint(const struct mapping *m, u64 hint)
{
    u64 at = page_up(hint), end = at + m->size;
    if (!at || at < hint || (at & (m->alignment - 1)) || address_refused(at, m->size))
        return 0;
    if ((m->flags & MAP_32BIT) && end > 0x80000000)
        return 0;
    return areas_free(at, end) ? at : 0;
}

static i64 map_anywhere(const struct mapping *m, u64 hint)
{
    u64 at = usable_hint(m, hint);
    i64 got = at ? address_map_new(m, at) : -EEXIST;
    enum mapping_place kind = address_place_of(m);
    for (int i = 0; i < TRIES && (got == -EEXIST || (at && got == -EPERM)); i++) {
        at = address_place(kind, m->size, m->alignment);
        if (!at)
            return -ENOMEM;
        got = address_map_new(m, at);
        if (got == -EEXIST)
            address_learn(at, at + m->size);
        else
            break;
    }
    return got == -EEXIST ? -ENOMEM : got;
}

static bool is_sealed(u64 at, u64 size)
{
    return log_owner->live && areas_any(at, at + size, AREA_SEALED);
}

static i64 map_fixed(const struct mapping *m, u64 at)
{
    if (at & ~PAGE_MASK)
        return kernel_map(m, at, MAP_FIXED); /* fails with the error that the kernel would return */
    if (m->flags & MAP_FIXED_NOREPLACE)
        return address_refused(at, m->size) ? -EEXIST : address_map_new(m, at);
    if (address_refused(at, m->size))
        return -ENOMEM;
    if (is_sealed(at, m->size))
        return -EPERM;
    code_watch_changed(at, at + m->size);
    pending_fill(at, at + m->size);
    return kernel_map(m, at, MAP_FIXED);
}

/* True if the range is only closed for all use: then parts of it may be the engine's. The thread
 * and memory sanitizers close most of the address space in this way. */
static bool closes_range(const struct mapping *m, u64 at)
{
    u64 kind = MAP_FIXED | MAP_ANONYMOUS | MAP_PRIVATE;
    return (m->flags & (kind | MAP_TYPE)) == kind && m->protection == PROT_NONE &&
           !(at & ~PAGE_MASK) && at < LAYOUT_USER_END && m->size <= LAYOUT_USER_END - at &&
           areas_reserved(at, at + m->size);
}

static i64 close_around(const struct mapping *m, u64 at)
{
    u64 end = at + m->size;
    for (u64 from = areas_reserved_end(at); from < end;) {
        struct mapping part = *m;
        u64 to = areas_unreserved_end(from, end);
        part.size = to - from;
        i64 got = map_fixed(&part, from);
        if (kernel_failed(got))
            return got;
        struct area a = address_describe(&part, from);
        address_mapped(&a);
        from = areas_reserved_end(to);
    }
    return (i64)at;
}

/* True if a file system mounted noexec refuses PROT_EXEC, which the engine does not request. */
static bool execution_refused(const struct mapping *m)
{
    u64 status[15] = {0}; /* struct statfs: flags are the eleventh word */
    if (!(m->protection & PROT_EXEC) || (m->flags & MAP_ANONYMOUS))
        return false;
    return !kernel_call(__NR_fstatfs, m->fd, status) && (status[10] & K_ST_NOEXEC);
}

/* Maps at the address in the log, if there is one. */
static i64 map_somewhere(const struct mapping *m, u64 at)
{
    struct log_answered known;
    if (log_answered(&known))
        return address_map_again(m, (u64)known.result);
    return m->flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) ? map_fixed(m, at) : map_anywhere(m, at);
}

/* If other mappings are replaced, only the new memory counts. An invalid file fails anyway. */
static bool limits_allow(const struct mapping *m, u64 at)
{
    u64 more = m->size, end = at + m->size;
    if (!log_owner->live || (!m->from_file && !m->zeros && !(m->flags & MAP_ANONYMOUS)))
        return true;
    if (memory_limits_allow(more, m->protection, mapping_is_shared(m->flags)))
        return true;
    if ((m->flags & MAP_FIXED) && !(at & ~PAGE_MASK))
        for (const struct area *a = areas_from(at); a && a->start < end; a = areas_from(a->end)) {
            struct area part = address_part(a, at, end);
            more -= part.end - part.start;
        }
    return memory_limits_allow(more, m->protection, mapping_is_shared(m->flags));
}

i64 address_mmap(u64 at, u64 size, u64 protection, u64 flags, i64 fd, u64 offset)
{
    struct mapping m = {
        .size = page_up(size),
        .protection = protection,
        .flags = flags,
        .fd = (i32)fd,
        .offset = offset,
    };
    bool named = !(flags & MAP_ANONYMOUS);
    if (named && log_owner->live && descriptors_owned(m.fd))
        return -EBADF;
    if (!size || (offset & ~PAGE_MASK))
        return kernel_call(__NR_mmap, at, size, PROT_NONE, flags, fd, offset); /* fails */
    if (!m.size || m.size > LAYOUT_USER_END)
        return -ENOMEM;
    struct mapped_file file = mapped_file_begin(&m);
    if (log_owner->live && execution_refused(&m))
        return -EPERM;
    if (!memory_limits_allow_code(protection, protection))
        return -EACCES;
    address_look(&m);
    m.size = (m.size + m.alignment - 1) & ~(m.alignment - 1);

    if (closes_range(&m, at))
        return close_around(&m, at);
    if (!limits_allow(&m, at))
        return -ENOMEM;
    i64 got = map_somewhere(&m, at);
    if (kernel_failed(got)) {
        if ((flags & MAP_FIXED) && !address_refused(at, m.size) && !(at & ~PAGE_MASK))
            address_recheck(at, at + m.size);
        return got;
    }
    struct area a = address_describe(&m, (u64)got);
    address_mapped(&a);
    code_files_mapped(&a);
    mapped_file_end(&file, &m, (u64)got);
    return got;
}

static i64 unmap_part(u64 from, u64 to)
{
    code_watch_changed(from, to);
    i64 result = kernel_call(__NR_munmap, from, to - from);
    if (!result) {
        areas_clear(from, to);
        pending_forget(from, to);
    }
    return result;
}

/* Unmaps around the engine's memory: for the guest nothing is mapped there, and that is not an
 * error. */
i64 address_munmap(u64 at, u64 size)
{
    u64 rounded = page_up(size);
    if ((at & ~PAGE_MASK) || !rounded || at >= LAYOUT_USER_END || rounded > LAYOUT_USER_END - at)
        return -EINVAL;
    u64 end = at + rounded;
    if (is_sealed(at, rounded))
        return -EPERM;
    for (u64 from = areas_reserved_end(at); from < end;) {
        u64 to = areas_unreserved_end(from, end);
        i64 result = unmap_part(from, to);
        if (result)
            return result;
        from = areas_reserved_end(to);
    }
    return 0;
}

/* Protecting */

struct area address_part(const struct area *a, u64 start, u64 end)
{
    struct area part = *a;
    if (start > a->start) {
        part.start = start;
        if (a->flags & (AREA_FILE | AREA_SHM))
            part.offset += start - a->start;
    }
    if (end < a->end)
        part.end = end;
    return part;
}

/* pkey_mprotect with the key -1 is mprotect, but a kernel without keys has only the latter. */
static i64 kernel_protect(u64 start, u64 size, u64 protection, i64 key)
{
    return key == -1 ? kernel_call(__NR_mprotect, start, size, protection)
                     : kernel_call(__NR_pkey_mprotect, start, size, protection, key);
}

static i64 protect_part(struct area part, u64 protection, i64 key)
{
    bool was_code = part.protection & PROT_EXEC;
    if (log_owner->live && (part.flags & AREA_SEALED))
        return -EPERM;
    if (!memory_limits_allow_code(part.protection, protection))
        return -EACCES;
    bool becomes_data = (protection & PROT_WRITE) && !(part.protection & PROT_WRITE) &&
                        !(part.flags & (AREA_SHARED | AREA_STACK | AREA_GROWSDOWN));
    if (becomes_data && !memory_limits_allow_writing(part.end - part.start))
        return -ENOMEM;
    if (was_code && !(protection & PROT_EXEC))
        code_watch_changed(part.start, part.end);
    pending_fill(part.start, part.end);
    u64 kernel = code_watch_kernel_protection((u32)protection);
    i64 result = kernel_protect(part.start, part.end - part.start, kernel, key);
    if (result)
        return result;
    areas_protect(part.start, part.end, protection & PROTECTION_BITS);
    code_watch_apply(part.start, part.end, protection & PROTECTION_BITS);
    return 0;
}

/* PROT_GROWSDOWN: begins where the stack begins. The kernel knows how far the stack really
 * extends. */
static i64 protect_downward(u64 at, u64 end, u64 protection, i64 key)
{
    const struct area *a = areas_find(at);
    if (!a)
        return -ENOMEM;
    if (!(a->flags & AREA_GROWSDOWN))
        return -EINVAL;
    u64 start = a->start;
    u64 kernel = code_watch_kernel_protection((u32)protection);
    code_watch_changed(start, end);
    pending_fill(start, end);
    i64 result = kernel_protect(at, end - at, kernel, key);
    if (result)
        return result;
    areas_protect(start, end, protection & PROTECTION_BITS);
    code_watch_apply(start, end, protection & PROTECTION_BITS);
    return 0;
}

/* Changes area by area, like the kernel: memory before a hole is changed, then the call fails. */
static i64 protect_range(u64 at, u64 end, u64 protection, i64 key)
{
    i64 result = 0;
    while (at < end && !result) {
        const struct area *a = areas_find(at);
        struct area part = a ? address_part(a, at, end) : (struct area){0};
        result = a ? protect_part(part, protection, key) : -ENOMEM;
        if (!result)
            at = part.end;
    }
    if (result)
        log_reached(at);
    return result;
}

/* Repeats the recorded change, as far as it went. */
static i64 protect_again(const struct log_answered *known, u64 at, u64 end, u64 protection, i64 key)
{
    if (known->has_reached)
        end = known->reached;
    /* recordings of older engines only note holes */
    else if (known->result && known->result != -ENOMEM)
        end = at;
    i64 result = protect_range(at, end, protection, key);
    return known->result ? known->result : result;
}

/* The kernel checks the key before the memory. */
static bool key_is_valid(i64 key)
{
    return key == -1 || !log_owner->live ||
           kernel_call(__NR_pkey_mprotect, LAYOUT_NOTHING, PAGE_SIZE, PROT_NONE, key) != -EINVAL;
}

i64 address_pkey_mprotect(u64 at, u64 size, u64 protection, i64 key)
{
    u64 bits = PROTECTION_BITS | PROT_SEM | PROT_GROWSDOWN | PROT_GROWSUP;
    struct log_answered known;
    u64 grows = PROT_GROWSDOWN | PROT_GROWSUP;
    if ((at & ~PAGE_MASK) || (protection & grows) == grows)
        return -EINVAL;
    if (!size)
        return 0;
    u64 rounded = page_up(size);
    if (at + rounded <= at)
        return -ENOMEM;
    if ((protection & ~bits) || (protection & PROT_GROWSUP) || !key_is_valid(key))
        return -EINVAL;
    bool again = log_answered(&known);
    if (!again && address_refused(at, rounded)) {
        log_reached(at);
        return -ENOMEM;
    }
    if (protection & PROT_GROWSDOWN)
        return again && known.result ? known.result
                                     : protect_downward(at, at + rounded, protection, key);
    if (again)
        return protect_again(&known, at, at + rounded, protection, key);
    return protect_range(at, at + rounded, protection, key);
}

i64 address_mprotect(u64 at, u64 size, u64 protection)
{
    return address_pkey_mprotect(at, size, protection, -1);
}

/* Advice */

static bool discards(u64 advice)
{
    return advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == MADV_FREE ||
           advice == MADV_DONTNEED_LOCKED || advice == MADV_GUARD_INSTALL ||
           advice == MADV_GUARD_REMOVE;
}

/* Notes advice about children of fork. */
static void note_advice(u64 at, u64 end, u64 advice)
{
    if (advice == MADV_DONTFORK)
        areas_mark(at, end, AREA_NOT_FORKED, 0);
    else if (advice == MADV_DOFORK)
        areas_mark(at, end, 0, AREA_NOT_FORKED);
    else if (advice == MADV_WIPEONFORK)
        areas_mark(at, end, AREA_WIPED_BY_FORK, 0);
    else if (advice == MADV_KEEPONFORK)
        areas_mark(at, end, 0, AREA_WIPED_BY_FORK);
}

/* Such advice must not affect a replay's own forks, which are checkpoints. */
static bool is_about_forks(u64 advice)
{
    return advice == MADV_DONTFORK || advice == MADV_DOFORK || advice == MADV_WIPEONFORK ||
           advice == MADV_KEEPONFORK;
}

static i64 kernel_advise(u64 at, u64 size, u64 advice)
{
    struct call call = {CALL_madvise, {at, size, advice}};
    if (is_about_forks(advice))
        return log_owner->pass_now(&call);
    return kernel_call(__NR_madvise, at, size, advice);
}

/* The kernel has done this, unless this is a replay. */
void address_forked(void)
{
    u64 from = 0;
    memory_limits_forked();
    for (const struct area *found; (found = areas_from(from)); ) {
        struct area a = *found;
        from = a.end;
        if (a.flags & AREA_NOT_FORKED) {
            address_munmap(a.start, a.end - a.start);
        } else if (a.flags & AREA_WIPED_BY_FORK) {
            code_watch_changed(a.start, a.end);
            pending_fill(a.start, a.end);
            kernel_call(__NR_madvise, a.start, a.end - a.start, MADV_DONTNEED);
        }
    }
}

/* Returns how far memory was discarded: up to the first page that the kernel refuses, which it
 * reports again. */
static u64 discarded_up_to(u64 at, u64 end, u64 advice)
{
    while (at < end) {
        const struct area *a = areas_from(at);
        u64 from = a && a->start > at ? a->start : at, to = a && a->end < end ? a->end : end;
        if (!a || from >= end)
            return end;
        if (kernel_call(__NR_madvise, from, to - from, advice)) {
            for (to = from; to < end && !kernel_call(__NR_madvise, to, PAGE_SIZE, advice);)
                to += PAGE_SIZE;
            return to;
        }
        at = to;
    }
    return end;
}

/* Memory that the kernel may discard later is discarded now, if there is a log, so that the moment
 * is known. */
static void make_certain(u64 at, u64 end, u64 advice)
{
    if (advice == MADV_FREE && log_owner->owns_clocks)
        kernel_call(__NR_madvise, at, end - at, MADV_DONTNEED);
}

static i64 advise(u64 at, u64 size, u64 advice)
{
    pending_fill(at, at + size);
    i64 result = kernel_advise(at, size, advice);
    u64 end = at + page_up(size);
    if (!discards(advice))
        return result;
    if (result && result != -ENOMEM)
        end = discarded_up_to(at, end, advice);
    make_certain(at, end, advice);
    if (result && result != -ENOMEM)
        log_reached(end);
    return result;
}

/* Locks and limits may differ from those of the recorded run, so a replay discards exactly what was
 * discarded then. All other advice does not change memory. */
static i64 advise_again(const struct log_answered *known, u64 at, u64 end, u64 advice)
{
    bool whole = known->result == 0 || known->result == -ENOMEM;
    if (known->has_reached || !whole)
        end = known->has_reached ? known->reached : at;
    if (advice == MADV_DONTNEED_LOCKED || advice == MADV_FREE)
        advice = MADV_DONTNEED;
    for (const struct area *a;
         discards(advice) && at < end && (a = areas_from(at)) && a->start < end;) {
        struct area part = address_part(a, at, end);
        pending_discard(part.start, part.end);
        i64 result = kernel_call(__NR_madvise, part.start, part.end - part.start, advice);
        if (result)
            return result;
        at = part.end;
    }
    return known->result;
}

i64 address_mseal(u64 at, u64 size, u64 flags)
{
    u64 rounded = page_up(size), end = at + rounded;
    if (flags || (at & ~PAGE_MASK) || rounded < size || end < at)
        return -EINVAL;
    if (at == end)
        return 0;
    if (address_refused(at, rounded) || !areas_cover(at, end))
        return -ENOMEM;
    areas_mark(at, end, AREA_SEALED, 0);
    return 0;
}

/* In a sealed private area, memory that may not be written may not be discarded either. */
static bool keeps_contents(u64 at, u64 end, u64 advice)
{
    for (const struct area *a = areas_from(at); a && a->start < end && discards(advice);
         a = areas_from(a->end))
        if ((a->flags & AREA_SEALED) && !(a->flags & (AREA_FILE | AREA_SHARED)) &&
            !(a->protection & PROT_WRITE))
            return true;
    return false;
}

i64 address_madvise(u64 at, u64 size, u64 advice)
{
    u64 rounded = page_up(size);
    bool sound = !(at & ~PAGE_MASK) && rounded;
    struct log_answered known;
    bool again = log_answered(&known);
    if (sound && !again && address_refused(at, rounded)) {
        log_reached(at);
        return kernel_call(__NR_madvise, LAYOUT_NOTHING, PAGE_SIZE, advice); /* fails */
    }
    if (sound && !again && keeps_contents(at, at + rounded, advice)) {
        log_reached(at);
        return -EPERM;
    }
    if (sound && discards(advice))
        code_watch_changed(at, at + rounded);
    i64 result;
    if (again)
        result = sound ? advise_again(&known, at, at + rounded, advice) : known.result;
    else
        result = sound ? advise(at, size, advice) : kernel_advise(at, size, advice);
    if (sound && (result == 0 || result == -ENOMEM)) /* memory with holes, but the rest was done */
        note_advice(at, at + rounded, advice);
    return result;
}

bool address_advice_matters(u64 advice)
{
    return discards(advice) || is_about_forks(advice);
}

static i64 advise_one(struct k_iovec range, u64 advice)
{
    u64 end = range.base + page_up(range.size);
    if ((range.base & ~PAGE_MASK) || end < range.base || page_up(range.size) < range.size)
        return -EINVAL;
    if (range.base == end)
        return 0;
    if (address_refused(range.base, end - range.base))
        return kernel_call(__NR_madvise, LAYOUT_NOTHING, PAGE_SIZE, advice); /* fails */
    if (keeps_contents(range.base, end, advice))
        return -EPERM;
    code_watch_changed(range.base, end);
    i64 result = advise(range.base, range.size, advice);
    if (result == -ENOMEM)
        log_reached(end);
    if (result == 0 || result == -ENOMEM)
        note_advice(range.base, end, advice);
    return result;
}

static void advise_one_again(struct k_iovec range, u64 advice, const struct log_answered *known)
{
    u64 end = range.base + page_up(range.size);
    code_watch_changed(range.base, end);
    advise_again(known, range.base, end, advice);
    if (!known->result || known->has_reached)
        note_advice(range.base, end, advice);
}

/* The ranges up to the first that fails; of that one, what was done. */
i64 address_madvise_ranges(const struct k_iovec *ranges, u64 count, u64 advice)
{
    struct log_answered known;
    bool again = log_answered(&known);
    u64 total = 0;
    for (u64 n = 0; n < count; n++) {
        if (again && total + ranges[n].size > (u64)known.result) {
            if (known.has_reached)
                advise_one_again(ranges[n], advice, &known);
            break;
        }
        if (again)
            advise_one_again(ranges[n], advice, &(struct log_answered){0});
        i64 result = again ? 0 : advise_one(ranges[n], advice);
        if (result)
            return total ? (i64)total : result;
        total += ranges[n].size;
    }
    return again ? known.result : (i64)total;
}

/* The heap */

static struct {
    u64 start, now;
} heap;

void address_set_brk(u64 at)
{
    heap.start = at;
    heap.now = at;
}

void address_heap(u64 *ret_start, u64 *ret_now)
{
    *ret_start = heap.start;
    *ret_now = heap.now;
}

void address_restore_heap(u64 start, u64 now)
{
    heap.start = start;
    heap.now = now;
}

static bool limits_allow_heap(u64 at)
{
    u64 data = guest_image.end_data - guest_image.start_data;
    u64 more = at > heap.now ? page_up(at) - page_up(heap.now) : 0;
    return memory_limits_allow_heap(at - heap.start + data) &&
           (!more || memory_limits_allow(more, PROT_READ | PROT_WRITE, false));
}

static bool grow_heap(u64 from, u64 to, bool again)
{
    if (!again && (address_refused(from, to - from) || !areas_free(from, to + PAGE_SIZE)))
        return false;
    struct mapping m = {
        .size = to - from,
        .protection = PROT_READ | PROT_WRITE,
        .flags = MAP_PRIVATE | MAP_ANONYMOUS,
        .fd = -1,
    };
    if (kernel_failed(again ? address_map_again(&m, from) : address_map_new(&m, from)))
        return false;
    struct area a = address_describe(&m, from);
    a.flags |= AREA_BRK;
    address_mapped(&a);
    return true;
}

i64 address_brk(u64 at)
{
    struct log_answered known;
    bool again = log_answered(&known);
    if (again)
        at = (u64)known.result;
    if (at < heap.start || at >= LAYOUT_USER_END || (!again && !limits_allow_heap(at)))
        return (i64)heap.now;
    u64 from = page_up(heap.now), to = page_up(at);
    bool done = true;
    if (to > from)
        done = grow_heap(from, to, again);
    else if (to < from)
        done = address_munmap(to, from - to) == 0;
    if (done)
        heap.now = at;
    return (i64)heap.now;
}
