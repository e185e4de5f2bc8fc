/* Checks that a program file can run here, and reads its headers.
 *
 * The kernel trusts little in a program file and neither does this: every number is checked against
 * the file's size and the address space before it is used in a sum. Program headers that mean
 * nothing to a loader are left out of the table.
 */
#include "engine/base/program_file.h"

#include <asm/stat.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/text.h"

enum {
    HEADERS_MOST = 65536, /* bytes of program headers, as in the kernel */
    HEADERS_AT_ONCE = 32,
};

/* Like pread, but short only at the end of the file. */
static i64 program_file_read_at(i32 fd, void *to, u64 size, u64 offset)
{
    u64 done = 0;
    while (done < size) {
        i64 got = kernel_call(__NR_pread64, fd, (u8 *)to + done, size - done, offset + done);
        if (got == -EINTR)
            continue;
        if (kernel_failed(got))
            return got;
        if (got == 0)
            break;
        done += (u64)got;
    }
    return (i64)done;
}

static i64 program_file_refuse(const char **why, const char *clause, i64 error)
{
    *why = clause;
    return error;
}

static const u8 elf_magic[] = {0x7f, 'E', 'L', 'F'};

/* The kernel reports reads to watchers, but not page faults. It copies from the mapping, since the
 * file may be empty. */
i32 program_file_type(i32 fd)
{
    enum { FORMAT = 0170000, REGULAR = 0100000 };
    Elf64_Ehdr head = {0};
    struct stat status;
    if (kernel_call(__NR_fstat, fd, &status) || (status.st_mode & FORMAT) != REGULAR)
        return -1;
    i64 at = kernel_call(__NR_mmap, 0, PAGE_SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
    if (kernel_failed(at))
        return -1;
    u64 from[2] = {(u64)at, sizeof(head)}, to[2] = {(u64)&head, sizeof(head)}; /* struct iovec */
    i64 pid = kernel_call(__NR_getpid);
    i64 got = kernel_call(__NR_process_vm_readv, pid, to, 1, from, 1, 0);
    kernel_call(__NR_munmap, at, PAGE_SIZE);
    if (kernel_failed(got)) /* a sandbox may forbid the call */
        got = kernel_call(__NR_pread64, fd, &head, sizeof(head), 0);
    return got == sizeof(head) && !memcmp(head.e_ident, elf_magic, sizeof(elf_magic)) ? head.e_type
                                                                                      : -1;
}

static bool is_narrow(const Elf64_Ehdr *h)
{
    return h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_ident[EI_CLASS] == ELFCLASS32 &&
           (h->e_machine == EM_386 || h->e_machine == EM_X86_64);
}

static i64 check_identity(const Elf64_Ehdr *h, i64 size, const char **why)
{
    if (size < (i64)sizeof(elf_magic) || memcmp(h->e_ident, elf_magic, sizeof(elf_magic)))
        return program_file_refuse(why, "not an ELF file, nor a script that begins with #!",
                                   -ENOEXEC);
    if (size < (i64)sizeof(Elf32_Ehdr))
        return program_file_refuse(why, "the file is truncated", -ENOEXEC);
    if (is_narrow(h))
        return program_file_refuse(why, "a 32-bit program; ebb runs 64-bit programs only",
                                   -ENOEXEC);
    if (h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_X86_64)
        return program_file_refuse(why, "made for another machine", -ENOEXEC);
    if (h->e_ident[EI_CLASS] != ELFCLASS64)
        return program_file_refuse(why, "malformed", -ENOEXEC);
    if (size < (i64)sizeof(*h))
        return program_file_refuse(why, "the file is truncated", -ENOEXEC);
    return 0;
}

static i64 check_header(const Elf64_Ehdr *h, u64 file_size, const char **why)
{
    if (h->e_type == ET_REL)
        return program_file_refuse(why, "an object file, not linked", -ENOEXEC);
    if (h->e_type == ET_CORE)
        return program_file_refuse(why, "a core dump", -ENOEXEC);
    if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
        return program_file_refuse(why, "malformed", -ENOEXEC);
    if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum == 0 ||
        h->e_phnum > HEADERS_MOST / sizeof(Elf64_Phdr))
        return program_file_refuse(why, "malformed", -ENOEXEC);
    if (h->e_phoff > file_size || file_size - h->e_phoff < h->e_phnum * sizeof(Elf64_Phdr))
        return program_file_refuse(why, "the file is truncated", -ENOEXEC);
    return 0;
}

static bool matters(const Elf64_Phdr *p)
{
    return p->p_type == PT_LOAD || p->p_type == PT_INTERP || p->p_type == PT_GNU_STACK;
}

static bool keep_segment(struct program_file *f, const Elf64_Phdr *p)
{
    if (!matters(p) || (p->p_type == PT_LOAD && p->p_memsz == 0))
        return true;
    if (f->count == PROGRAM_SEGMENTS)
        return false;
    f->segment[f->count++] = *p;
    return true;
}

static i64 program_file_read_segments(struct program_file *f, const char **why)
{
    Elf64_Phdr some[HEADERS_AT_ONCE];
    f->count = 0;
    for (unsigned i = 0; i < f->header.e_phnum; i++) {
        unsigned left = f->header.e_phnum - i, n = i % HEADERS_AT_ONCE;
        u64 size = (left < HEADERS_AT_ONCE ? left : HEADERS_AT_ONCE) * sizeof(some[0]);
        u64 offset = f->header.e_phoff + i * sizeof(some[0]);
        if (n == 0 && program_file_read_at(f->fd, some, size, offset) != (i64)size)
            return program_file_refuse(why, "the file is truncated", -ENOEXEC);
        if (!keep_segment(f, &some[n]))
            return program_file_refuse(why, "malformed", -ENOEXEC);
    }
    return 0;
}

static i64 check_segment(const Elf64_Phdr *p, u64 file_size, const char **why)
{
    bool wraps = p->p_vaddr >= LAYOUT_USER_END || p->p_memsz > LAYOUT_USER_END - p->p_vaddr;
    if (p->p_filesz > p->p_memsz || wraps)
        return program_file_refuse(why, "malformed", -EINVAL);
    if (!p->p_filesz)
        return 0;
    if ((p->p_vaddr - p->p_offset) & ~PAGE_MASK)
        return program_file_refuse(why, "malformed", -EINVAL);
    if (p->p_offset > file_size || file_size - p->p_offset < p->p_filesz)
        return program_file_refuse(why, "the file is truncated", -ENOEXEC);
    return 0;
}

static void widen_span(struct program_file *f, const Elf64_Phdr *p)
{
    u64 first = page_down(p->p_vaddr), end = page_up(p->p_vaddr + p->p_memsz);
    if (first < f->first)
        f->first = first;
    if (end > f->end)
        f->end = end;
}

static i64 read_interpreter(struct program_file *f, const Elf64_Phdr *p, const char **why)
{
    if (p->p_filesz < 2 || p->p_filesz > PROGRAM_PATH)
        return program_file_refuse(why, "malformed", -ENOEXEC);
    if (program_file_read_at(f->fd, f->interpreter, p->p_filesz, p->p_offset) != (i64)p->p_filesz)
        return program_file_refuse(why, "the file is truncated", -EIO);
    if (f->interpreter[p->p_filesz - 1] != '\0' || !f->interpreter[0])
        return program_file_refuse(why, "malformed", -ENOEXEC);
    return 0;
}

static i64 check_segments(struct program_file *f, u64 file_size, const char **why)
{
    f->first = ~0ul;
    f->end = 0;
    f->interpreter[0] = '\0';
    for (unsigned i = 0; i < f->count; i++) {
        const Elf64_Phdr *p = &f->segment[i];
        i64 error = 0;
        if (p->p_type == PT_LOAD)
            error = check_segment(p, file_size, why);
        else if (p->p_type == PT_INTERP && !f->interpreter[0])
            error = read_interpreter(f, p, why);
        if (error)
            return error;
        if (p->p_type == PT_LOAD)
            widen_span(f, p);
    }
    return f->end ? 0 : program_file_refuse(why, "malformed", -EINVAL);
}

i64 program_file_read(i32 fd, struct program_file *ret, const char **why)
{
    ret->fd = fd;
    ret->header = (Elf64_Ehdr){0};
    i64 got = program_file_read_at(fd, &ret->header, sizeof(ret->header), 0);
    if (kernel_failed(got))
        return program_file_refuse(why, got == -EISDIR ? "a directory" : "it cannot be read", got);
    struct stat status;
    i64 error = kernel_call(__NR_fstat, fd, &status);
    if (error)
        return program_file_refuse(why, "it cannot be read", error);
    u64 size = (u64)status.st_size;

    error = check_identity(&ret->header, got, why);
    if (!error)
        error = check_header(&ret->header, size, why);
    if (!error)
        error = program_file_read_segments(ret, why);
    if (!error)
        error = check_segments(ret, size, why);
    return error;
}

bool program_file_narrow(i32 fd)
{
    Elf64_Ehdr header = {0};
    return program_file_read_at(fd, &header, sizeof(header), 0) >= (i64)sizeof(Elf32_Ehdr) &&
           memcmp(header.e_ident, elf_magic, sizeof(elf_magic)) == 0 && is_narrow(&header);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Finds the end of the script's first line in `line`. Without a newline, the interpreter's name
 * must at least be complete, that is, followed by something. */
static char *line_end(char *line, char *end)
{
    char *at = line;
    while (at < end && *at != '\n' && *at != '\0')
        at++;
    if (at < end)
        return at;
    char *name = line;
    while (name < end && blank(*name))
        name++;
    while (name < end && !blank(*name))
        name++;
    return name < end ? end : NULL;
}

static void copy_part(char *to, const char *start, const char *end)
{
    while (start < end)
        *to++ = *start++;
    *to = '\0';
}

bool program_file_script(i32 fd, char interpreter[SCRIPT_LINE], char argument[SCRIPT_LINE])
{
    char line[SCRIPT_LINE] = {0};
    i64 got = program_file_read_at(fd, line, sizeof(line), 0);
    if (got < 3 || line[0] != '#' || line[1] != '!')
        return false;

    char *end = line_end(line + 2, line + got);
    if (!end && got < (i64)sizeof(line))
        end = line + got; /* the file ends without a newline */
    if (!end)
        return false;
    while (end > line + 2 && blank(end[-1]))
        end--;

    char *name = line + 2;
    while (name < end && blank(*name))
        name++;
    char *name_end = name;
    while (name_end < end && !blank(*name_end))
        name_end++;
    if (name == name_end)
        return false;
    char *rest = name_end;
    while (rest < end && blank(*rest))
        rest++;
    copy_part(interpreter, name, name_end);
    copy_part(argument, rest, end);
    return true;
}
