/* Source text, line by line.  A file is read once. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "symbols/symbols_internal.h"

enum { SOURCE_MOST = 64 << 20 };

static char *sources_read_all(int fd)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MOST)
        return NULL;
    size_t size = (size_t)st.st_size, got = 0;
    char *text = xalloc(size + 1);
    while (got < size) {
        ssize_t part = pread(fd, text + got, size - got, (off_t)got);
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    text[got] = '\0';
    return text;
}

static void split(struct source_text *source)
{
    struct list lines = LIST(char *);
    for (char *at = source->text; *at;) {
        *(char **)list_add(&lines) = at;
        at += strcspn(at, "\n");
        if (*at)
            *at++ = '\0';
    }
    source->lines = lines.items;
    source->count = (unsigned)lines.count;
}

static struct source_text *find_source(struct symbols *s, const char *file)
{
    struct source_text *sources = s->sources.items;
    for (size_t n = 0; n < s->sources.count; n++)
        if (strcmp(sources[n].path, file) == 0)
            return &sources[n];
    int fd = s->host.open(s->host.context, file);
    struct source_text *source = list_add(&s->sources);
    *source = (struct source_text){.path = xformat("%s", file),
                              .text = fd >= 0 ? sources_read_all(fd) : NULL};
    if (fd >= 0)
        close(fd);
    if (source->text)
        split(source);
    return source;
}

const char *symbols_source_line(struct symbols *s, const char *file, unsigned line)
{
    const struct source_text *source = find_source(s, file);
    return line && line <= source->count ? source->lines[line - 1] : NULL;
}

unsigned symbols_source_lines(struct symbols *s, const char *file)
{
    return find_source(s, file)->count;
}
