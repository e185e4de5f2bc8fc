/* Runtimes that use faults in normal operation.
 *
 * A virtual machine may rely on a fault instead of testing a pointer for null, make a page
 * unreadable to stop its threads, or leave memory unmapped to check bounds. Its signal handler then
 * continues the program. Such faults are normal, and a debugger that stopped at each of them would
 * stop at nothing else.
 *
 * A runtime is recognized by the name of a file that the process has mapped as code. Go's runtime
 * is part of each executable and is recognized by a note that Go's linker adds.
 */
#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/recording_file.h"
#include "session/session_internal.h"

enum { NOTES_MOST = 64 * 1024, HEADERS_MOST = 64, GO_BUILD_ID = 4 };

static const struct { const char *file, *runtime; } runtimes[] = {
    {"libjvm.so", "the Java virtual machine"}, {"libj9vm*.so", "the Java virtual machine"},
    {"libcoreclr.so", ".NET"}, {"libmonosgen-2.0.so*", "Mono"}, {"libmono-2.0.so*", "Mono"},
    {"node", "V8"}, {"nodejs", "V8"}, {"libnode.so*", "V8"}, {"libv8*.so*", "V8"},
    {"deno", "V8"}, {"electron", "V8"}, {"chrome", "V8"}, {"chromium", "V8"}, {"d8", "V8"},
    {"libmozjs-*.so*", "SpiderMonkey"}, {"libxul.so", "SpiderMonkey"}, {"js", "SpiderMonkey"},
    {"libjavascriptcoregtk-*.so*", "JavaScriptCore"}, {"bun", "JavaScriptCore"},
    {"wasmtime", "Wasmtime"}, {"libwasmtime.so*", "Wasmtime"},
    {"wasmer", "Wasmer"}, {"libwasmer.so*", "Wasmer"},
    {"libjulia-internal.so*", "Julia"}, {"sbcl", "SBCL"}, {"qemu-*", "QEMU"},
};

static const char *runtime_by_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < countof(runtimes); i++)
        if (fnmatch(runtimes[i].file, slash ? slash + 1 : path, 0) == 0)
            return runtimes[i].runtime;
    return NULL;
}

/* ELF notes follow one another: sizes of name and content, type, name, content, each padded to 4
 * bytes. */
static bool notes_are_of_go(const u8 *notes, size_t size)
{
    for (size_t at = 0; size - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        u64 name = ((u64)note.n_namesz + 3) & ~3ull, content = ((u64)note.n_descsz + 3) & ~3ull;
        if (name + content > size - at)
            return false;
        if (note.n_type == GO_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + at, "Go\0\0", 4))
            return true;
        at += name + content;
    }
    return false;
}

static bool segment_is_of_go(int fd, const Elf64_Phdr *p)
{
    u8 *notes = xalloc(NOTES_MOST);
    size_t size = p->p_filesz < NOTES_MOST ? p->p_filesz : NOTES_MOST;
    bool ret = pread(fd, notes, size, (off_t)p->p_offset) == (ssize_t)size &&
               notes_are_of_go(notes, size);
    free(notes);
    return ret;
}

static bool file_is_of_go(int fd)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    if (pread(fd, &header, sizeof header, 0) != sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof segment)
        return false;
    for (unsigned i = 0; i < header.e_phnum && i < HEADERS_MOST; i++) {
        off_t at = (off_t)(header.e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            return false;
        if (segment.p_type == PT_NOTE && segment_is_of_go(fd, &segment))
            return true;
    }
    return false;
}

static bool is_of_go(const struct recording *rec, const char *path)
{
    int fd;
    struct error *err = recording_file(rec, path, &fd);
    if (err) {
        error_destroy(err);
        return false;
    }
    bool ret = file_is_of_go(fd);
    close(fd);
    return ret;
}

const char *session_find_fault_runtime(const struct session *s)
{
    const struct track_events *t = s->family.events;
    size_t count;
    const struct track_event_at *all = track_events_maps(t, &count);
    const char *ret = NULL;
    for (size_t i = 0; i < count && !ret; i++) {
        const struct event_map *map =
            (const struct event_map *)track_events_at(t, &all[i])->payload;
        if (!(map->protection & PROT_EXEC))
            continue;
        char *path = xformat("%.*s", (int)map->path_size, (const char *)(map + 1));
        ret = runtime_by_name(path);
        free(path);
    }
    return ret ? ret : is_of_go(s->rec, s->program) ? "Go" : NULL;
}
