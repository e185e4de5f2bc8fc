/* Maps a program's segments as the kernel would.
 *
 * A segment is mapped from its file, page by page. Memory beyond its part of the file is zero: the
 * rest of the last page is cleared, and anonymous pages follow. Overlapping segments are mapped
 * over each other in the order of the headers.
 */
#include "engine/start/loader_internal.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/memory/address.h"
#include "engine/memory/code_files.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/image.h"
#include "engine/memory/mapped_file.h"
#include "engine/memory/mapping.h"
#include "log/channel.h"

static u32 protection_of(const Elf64_Phdr *p)
{
    return (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0) |
           (p->p_flags & PF_X ? PROT_EXEC : 0);
}

_Noreturn static void guest_images_refuse(const char *what, i64 error)
{
    const char *why = error == -ENOMEM ? "not enough memory" : "its segments cannot be mapped";
    engine_refuse(CHANNEL_EXIT_NOT_RUNNABLE, what, why);
}

static void guest_images_map(struct mapping *m, u64 at, const char *what)
{
    if (!m->size)
        return;
    struct mapped_file file = mapped_file_begin(m);
    address_look(m);
    u32 protection = code_watch_kernel_protection((u32)m->protection);
    i64 got = kernel_call(__NR_mmap, at, m->size, protection, m->flags | MAP_FIXED, m->fd,
                          m->offset);
    if (kernel_failed(got))
        guest_images_refuse(what, got);
    mapped_file_end(&file, m, at);
    struct area a = address_describe(m, at);
    address_mapped(&a);
    code_files_mapped(&a);
}

static void map_segment(const struct program_file *f, const Elf64_Phdr *p, u64 bias,
                        const char *what)
{
    u64 start = page_down(bias + p->p_vaddr), end = page_up(bias + p->p_vaddr + p->p_memsz);
    u64 file_end = p->p_filesz ? bias + p->p_vaddr + p->p_filesz : start;
    u32 protection = protection_of(p);
    struct mapping from_file = {
        .size = page_up(file_end) - start,
        .protection = protection,
        .flags = MAP_PRIVATE,
        .fd = f->fd,
        .offset = page_down(p->p_offset),
    };
    struct mapping from_nowhere = {
        .size = end - page_up(file_end),
        .protection = protection,
        .flags = MAP_PRIVATE | MAP_ANONYMOUS,
        .fd = -1,
    };
    guest_images_map(&from_file, start, what);
    if (p->p_memsz > p->p_filesz && (p->p_flags & PF_W))
        memset((void *)file_end, 0, page_up(file_end) - file_end);
    guest_images_map(&from_nowhere, page_up(file_end), what);
}

/* Returns the largest alignment of all segments; values that are not powers of two are ignored. */
static u64 guest_images_alignment_of(const struct program_file *f)
{
    u64 alignment = PAGE_SIZE;
    for (unsigned i = 0; i < f->count; i++) {
        u64 wanted = f->segment[i].p_align;
        bool power = wanted && !(wanted & (wanted - 1));
        if (f->segment[i].p_type == PT_LOAD && power && wanted > alignment)
            alignment = wanted;
    }
    return alignment;
}

static u64 choose_bias(const struct program_file *f, const char *what)
{
    if (f->header.e_type == ET_EXEC)
        return 0;
    u64 alignment = guest_images_alignment_of(f), size = f->end - f->first;
    u64 skew = f->first & (alignment - 1); /* addresses keep their offset within an alignment */
    u64 at = address_place_image(size + skew, alignment);
    if (!at)
        guest_images_refuse(what, -ENOMEM);
    return at + skew - f->first;
}

static void guest_images_check_place(const Elf64_Phdr *p, u64 bias, const char *what)
{
    u64 start = page_down(bias + p->p_vaddr);
    if (address_refused(start, page_up(bias + p->p_vaddr + p->p_memsz) - start))
        engine_refuse(CHANNEL_EXIT_NOT_RUNNABLE, what, "linked at addresses that ebb needs");
}

/* Returns the address of the program headers, if a segment contains them. */
static u64 headers_in_memory(const struct program_file *f, u64 bias)
{
    u64 offset = f->header.e_phoff;
    for (unsigned i = 0; i < f->count; i++) {
        const Elf64_Phdr *p = &f->segment[i];
        if (p->p_type == PT_LOAD && offset >= p->p_offset && offset - p->p_offset < p->p_filesz)
            return bias + p->p_vaddr + (offset - p->p_offset);
    }
    return 0;
}

void loader_map_image(const struct program_file *f, const char *what, struct loaded *ret)
{
    u64 bias = choose_bias(f, what);
    for (unsigned i = 0; i < f->count; i++)
        if (f->segment[i].p_type == PT_LOAD)
            guest_images_check_place(&f->segment[i], bias, what);
    for (unsigned i = 0; i < f->count; i++)
        if (f->segment[i].p_type == PT_LOAD)
            map_segment(f, &f->segment[i], bias, what);
    ret->bias = bias;
    ret->end = bias + f->end;
    ret->entry = bias + f->header.e_entry;
    ret->headers = headers_in_memory(f, bias);
    ret->header_count = f->header.e_phnum;
}
