/* How often instructions and lines ran: profiles and coverage of a part of the run. */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* Finds a word that begins the text or follows a space. */
static const char *find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || at[-1] == ' ') && at[length] == ' ')
            return at;
    return NULL;
}

/* Reads "[from A] [to B]". */
static struct error *read_stretch(struct debug *d, const char *words, struct moment *from,
                                  struct moment *to)
{
    const char *a = find_word(words, "from"), *b = find_word(words, "to");
    struct error *err = NULL;
    *from = session_first(d->session);
    *to = session_last(d->session);
    if (*words && words != a && words != b)
        return error_coded(ERROR_MISUSED, "'%s' is not understood; a part of the run is "
                           "'from MOMENT to MOMENT'", words);
    if (a) {
        size_t length = b && b > a ? (size_t)(b - a) : strlen(a);
        char *text = xformat("%.*s", (int)length, a);
        size_t end = strlen(text);
        while (end && text[end - 1] == ' ')
            text[--end] = 0;
        err = debug_find_moment(d, text + strlen("from "), from);
        free(text);
    }
    if (!err && b)
        err = debug_find_moment(d, b + strlen("to "), to);
    if (!err && moment_compare(*to, *from) < 0)
        err = error_coded(ERROR_MISUSED, "'from' is the earlier moment, 'to' the later");
    return err;
}

static struct error *tally(struct debug *d, const char *words, struct session_tally *ret,
                           struct symbols **ret_symbols, struct debug_tallied *how)
{
    struct moment from, to;
    struct error *err = read_stretch(d, words, &from, &to);
    if (err)
        return err;
    debug_begin_moving(d, COURSE_TO);
    err = session_tally(d->session, from, to, ret);
    debug_end_moving(d);
    if (err)
        return err;
    *how = (struct debug_tallied){ret->interrupted, ret->reached};
    err = debug_symbols(d, ret_symbols);
    if (err)
        free(ret->counts);
    return err;
}

struct error *debug_profile(struct debug *d, const char *words, struct profile *ret,
                            struct debug_tallied *how)
{
    struct session_tally t;
    struct symbols *symbols;
    struct error *err = tally(d, words, &t, &symbols, how);
    if (err)
        return err;
    profile_make(symbols, &t, ret);
    free(t.counts);
    return NULL;
}

struct error *debug_coverage(struct debug *d, const char *words, struct debug_tallied *how)
{
    struct session_tally t;
    struct symbols *symbols;
    struct error *err = tally(d, words, &t, &symbols, how);
    if (err)
        return err;
    debug_coverage_forget(d);
    coverage_make(symbols, &t, &d->coverage);
    d->has_coverage = true;
    free(t.counts);
    return NULL;
}

void debug_coverage_forget(struct debug *d)
{
    if (d->has_coverage)
        coverage_deinit(&d->coverage);
    d->has_coverage = false;
}

bool debug_coverage_of(const struct debug *d, const char *file, unsigned line, u64 *ret)
{
    const struct coverage_line *found =
        d->has_coverage ? coverage_at(&d->coverage, file, line) : NULL;
    if (found)
        *ret = found->count;
    return found;
}
