/* Reading /proc/self/maps: single lines, and a file whose lines are awkward.
 *
 * unit: src/engine/memory/kernel_maps.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/types.h"
#include "engine/memory/kernel_maps.h"

static int failures;

static void report(const char *name, bool right)
{
    printf(right ? "ok kernel_maps: %s\n" : "FAIL kernel_maps: %s: read wrongly\n", name);
    failures += !right;
}

static const struct row {
    const char *name, *line;
    bool good;
    struct kernel_mapping wanted;
} rows[] = {
    {"file", "7f8cc4368000-7f8cc4372000 r-xp 00027000 fe:00 332383                     /lib/a b.so",
     true, {0x7f8cc4368000, 0x7f8cc4372000, PROT_READ | PROT_EXEC, false, 0x27000, 0xfe, 0, 332383,
            "/lib/a b.so"}},
    {"no name", "00010000-00020000 rw-s 00000000 00:01 7 ",
     true, {0x10000, 0x20000, PROT_READ | PROT_WRITE, true, 0, 0, 1, 7, ""}},
    {"highest", "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
     true, {0xffffffffff600000, 0xffffffffff601000, PROT_EXEC, false, 0, 0, 0, 0, "[vsyscall]"}},
    {"a figure", "Rss:                   4 kB", false, {0}},
    {"empty", "", false, {0}},
    {"backwards", "00020000-00010000 rw-p 00000000 00:00 0 ", false, {0}},
    {"cut in the rights", "00010000-00020000 rw", false, {0}},
};

static bool same(const struct kernel_mapping *a, const struct kernel_mapping *b)
{
    return a->start == b->start && a->end == b->end && a->protection == b->protection &&
           a->shared == b->shared && a->offset == b->offset && a->major == b->major &&
           a->minor == b->minor && a->inode == b->inode && !strcmp(a->name, b->name);
}

/* Lines: short, longer than any buffer, and one after that. */

static bool count_line(void *context, const char *line)
{
    size_t *lengths = context;
    lengths[1 + lengths[0]] = strlen(line);
    return ++lengths[0] < 8;
}

static void check_lines(void)
{
    enum { LONG = 100000 };
    char name[64];
    int fd = memfd_create("lines", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    char *text = malloc(LONG + 64);
    memset(text, 'x', LONG);
    memcpy(text, "one\n\n", 5);
    memcpy(text + LONG, "\nlast\n", 6);
    bool right = fd >= 0 && write(fd, text, LONG + 6) == LONG + 6;
    size_t lengths[16] = {0};
    right = right && kernel_maps_lines(name, count_line, lengths) == 0;
    right = right && lengths[0] == 4 && lengths[1] == 3 && lengths[2] == 0 &&
            lengths[3] > 4096 && lengths[4] == 4;
    report("lines of all lengths", right);
    close(fd);
    free(text);
}

static bool find_main(void *context, const struct kernel_mapping *m)
{
    u64 at = (u64)find_main;
    bool here = m->start <= at && at < m->end;
    *(bool *)context = here && (m->protection & PROT_EXEC);
    return !here;
}

int main(void)
{
    for (size_t i = 0; i < countof(rows); i++) {
        struct kernel_mapping got;
        bool good = kernel_maps_parse(rows[i].line, &got);
        report(rows[i].name, good == rows[i].good && (!good || same(&got, &rows[i].wanted)));
    }
    check_lines();
    bool found = false;
    report("its own", kernel_maps_each(find_main, &found) == 0 && found);
    report("no such file", kernel_maps_lines("/nonexistent", count_line, NULL) < 0);
    return failures != 0;
}
