/* What a program file is taken for: first lines of scripts, headers that are wrong.
 *
 * unit: src/engine/base/program_file.c
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/program_file.h"

static int failures;

static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("program", 0);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) {
        printf("skip program_file: no memfd (%s)\n", strerror(errno));
        exit(0);
    }
    return fd;
}

static void report(const char *name, bool right, const char *got)
{
    if (right)
        printf("ok program_file: %s\n", name);
    else
        printf("FAIL program_file: %s: got %s\n", name, got);
    failures += !right;
}

/* Scripts */

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X250 X50 X50 X50 X50 X50

static const struct script {
    const char *name, *text;
    const char *interpreter, *argument; /* NULL: not a script */
} scripts[] = {
    {"plain",                  "#!/bin/sh\n",               "/bin/sh", ""},
    {"an argument",            "#!/bin/sh -e\n",            "/bin/sh", "-e"},
    {"one argument of many",   "#!/bin/sh -e -x  y\n",      "/bin/sh", "-e -x  y"},
    {"blanks everywhere",      "#! \t /bin/sh \t -e \t \n", "/bin/sh", "-e"},
    {"no newline",             "#!/bin/sh",                 "/bin/sh", ""},
    {"carriage return stays",  "#!/bin/sh\r\n",             "/bin/sh\r", ""},
    {"text after the line",    "#!/bin/sh\necho -e\n",      "/bin/sh", ""},
    {"long argument is cut",   "#!/bin/sh " X250 X250 "\n", "/bin/sh", NULL},
    {"interpreter cut off",    "#!/" X250 X250 "\n",        NULL, NULL},
    {"nothing named",          "#!\n",                      NULL, NULL},
    {"only blanks",            "#! \t\n",                   NULL, NULL},
    {"empty",                  "",                          NULL, NULL},
    {"only the sign",          "#!",                        NULL, NULL},
    {"a comment",              "# /bin/sh\n",               NULL, NULL},
    {"something else",         "hello\n",                   NULL, NULL},
};

static void check_script(const struct script *s)
{
    char interpreter[SCRIPT_LINE] = "", argument[SCRIPT_LINE] = "";
    int fd = file_of(s->text, strlen(s->text));
    bool found = program_file_script(fd, interpreter, argument);
    close(fd);
    bool right = found == !!s->interpreter;
    if (right && found)
        right = !strcmp(interpreter, s->interpreter);
    if (right && found && s->argument)
        right = !strcmp(argument, s->argument);
    report(s->name, right, found ? interpreter : "no script");
}

/* Headers: a good file with one field changed. */

struct good {
    Elf64_Ehdr header;
    Elf64_Phdr segment[3];
    char interpreter[16];
    char data[4096];
};

static void make_good(struct good *g)
{
    memset(g, 0, sizeof(*g));
    memcpy(g->header.e_ident, "\177ELF\2\1\1", 7);
    g->header.e_type = ET_DYN;
    g->header.e_machine = EM_X86_64;
    g->header.e_phoff = offsetof(struct good, segment);
    g->header.e_phentsize = sizeof(Elf64_Phdr);
    g->header.e_phnum = 3;
    strcpy(g->interpreter, "/lib/ld.so");
    g->segment[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x1000,
                                 .p_filesz = sizeof(*g), .p_memsz = sizeof(*g), .p_align = 4096};
    g->segment[1] = (Elf64_Phdr){.p_type = PT_INTERP, .p_filesz = 11,
                                 .p_offset = offsetof(struct good, interpreter)};
    g->segment[2] = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = 0x5123,
                                 .p_offset = 0x123, .p_filesz = 0x100, .p_memsz = 0x10000};
}

#define FIELD(member) offsetof(struct good, member), sizeof(((struct good *)0)->member)

static const struct header {
    const char *name;
    size_t offset, size;
    u64 value;
    const char *why; /* NULL: a good file */
} headers[] = {
    {"a good file",               FIELD(header.e_version),      7,           NULL},
    {"odd alignment",             FIELD(segment[0].p_align),    3,           NULL},
    {"no magic",                  FIELD(header.e_ident[1]),     'F',         "not an ELF file, nor a script that begins with #!"},
    {"big endian",                FIELD(header.e_ident[5]),     2,           "made for another machine"},
    {"another machine",           FIELD(header.e_machine),      EM_AARCH64,  "made for another machine"},
    {"32 bits",                   FIELD(header.e_ident[4]),     1,           "a 32-bit program; ebb runs 64-bit programs only"},
    {"no class",                  FIELD(header.e_ident[4]),     0,           "malformed"},
    {"an object file",            FIELD(header.e_type),         ET_REL,      "an object file, not linked"},
    {"a core dump",               FIELD(header.e_type),         ET_CORE,     "a core dump"},
    {"unknown type",              FIELD(header.e_type),         77,          "malformed"},
    {"no program headers",        FIELD(header.e_phnum),        0,           "malformed"},
    {"too many headers",          FIELD(header.e_phnum),        0xffff,      "malformed"},
    {"headers beyond the end",    FIELD(header.e_phnum),        1000,        "the file is truncated"},
    {"headers far beyond",        FIELD(header.e_phoff),        ~0ul - 100,  "the file is truncated"},
    {"header size",               FIELD(header.e_phentsize),    32,          "malformed"},
    {"memory less than file",     FIELD(segment[0].p_memsz),    1,           "malformed"},
    {"memory wraps",              FIELD(segment[0].p_memsz),    ~0ul - 5,    "malformed"},
    {"address in the kernel",     FIELD(segment[0].p_vaddr),    ~0ul << 47,  "malformed"},
    {"address wraps",             FIELD(segment[2].p_vaddr),    ~0ul - 0xedc, "malformed"},
    {"place in page differs",     FIELD(segment[2].p_offset),   0x124,       "malformed"},
    {"data beyond the end",       FIELD(segment[0].p_filesz),   0x1fff,      "malformed"},
    {"offset beyond the end",     FIELD(segment[2].p_offset),   0x100123,    "the file is truncated"},
    {"offset wraps",              FIELD(segment[2].p_offset),   ~0ul - 0xedc, "the file is truncated"},
    {"interpreter too short",     FIELD(segment[1].p_filesz),   1,           "malformed"},
    {"interpreter too long",      FIELD(segment[1].p_filesz),   5000,        "malformed"},
    {"interpreter not ended",     FIELD(segment[1].p_filesz),   10,          "malformed"},
    {"interpreter beyond",        FIELD(segment[1].p_offset),   0x100000,    "the file is truncated"},
};

static void check_bytes(const char *name, const void *bytes, size_t size, const char *wanted)
{
    static struct program_file file;
    const char *why = NULL;
    int fd = file_of(bytes, size);
    i64 error = program_file_read(fd, &file, &why);
    close(fd);
    bool right = wanted ? error < 0 && why && !strcmp(why, wanted) : error == 0;
    report(name, right, error ? why : "a good file");
}

static void check_header(const struct header *h)
{
    struct good g;
    make_good(&g);
    memcpy((char *)&g + h->offset, &h->value, h->size);
    check_bytes(h->name, &g, sizeof(g), h->why);
}

/* A file that is cut off anywhere is refused, without other effects. */
static void check_cut(void)
{
    static struct program_file file;
    struct good g;
    make_good(&g);
    int wrong = 0;
    for (size_t size = 0; size < sizeof(g); size++) {
        const char *why = NULL;
        int fd = file_of(&g, size);
        wrong += program_file_read(fd, &file, &why) >= 0 || !why;
        close(fd);
    }
    report("cut at any byte", wrong == 0, "a good file");
}

static void check_contents(void)
{
    static struct program_file file;
    const char *why = NULL;
    struct good g;
    make_good(&g);
    int fd = file_of(&g, sizeof(g));
    bool right = program_file_read(fd, &file, &why) == 0 && file.count == 3 &&
                 !strcmp(file.interpreter, "/lib/ld.so") && file.first == 0x1000 &&
                 file.end == 0x16000;
    close(fd);
    report("what is in it", right, file.interpreter);
}

int main(void)
{
    for (size_t i = 0; i < countof(scripts); i++)
        check_script(&scripts[i]);
    for (size_t i = 0; i < countof(headers); i++)
        check_header(&headers[i]);
    check_bytes("nothing at all", "", 0, "not an ELF file, nor a script that begins with #!");
    check_bytes("the magic alone", "\177ELF", 4, "the file is truncated");
    check_cut();
    check_contents();
    return failures != 0;
}
