/* Expressions that are followed over time: shared by until, history and watchpoints.
 *
 * With -l the subject is not the expression but the memory that it names now, at a fixed address.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

struct error *debug_subject_over_time(struct debug *d, const char *text, struct subject **ret)
{
    struct values_request request;
    if (strstr(text, "::")) /* a variable of another function, which any frame may be of */
        debug_reach_all_frames(d);
    struct error *err = debug_request(d, &request);
    if (!err)
        err = subject_create(d->session, d->source, d->thread, &request, text, ret);
    if (!err)
        debug_note(d, (*ret)->note);
    return err;
}

/* Returns why the subject cannot be followed from here; NULL: it can. */
static struct error *refuse_subject(const struct subject *s)
{
    if (!s->is_gone && !s->is_constant)
        return NULL;
    char *keeping = debug_keeping(s);
    const char *what = s->is_gone ? "is optimised out here" : "never changes";
    struct error *err = keeping
                            ? error_coded(ERROR_MISUSED, "%s %s: %s", s->expression, what, keeping)
                            : error_coded(ERROR_MISUSED, "%s %s", s->expression, what);
    free(keeping);
    return err;
}

struct error *debug_subject(struct debug *d, const char *text, struct subject **ret)
{
    struct subject *s;
    struct error *err = debug_subject_over_time(d, text, &s);
    if (err)
        return err;
    err = refuse_subject(s);
    if (err)
        subject_destroy(s);
    else
        *ret = s;
    return err;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Reads ADDRESS LENGTH: memory that need not be mapped yet. */
static struct error *subject_of_words(struct debug *d, const char *text, struct subject **ret)
{
    u64 address, size;
    const char *blank = strrchr(text, ' ');
    if (!blank)
        return error_coded(ERROR_MISUSED, "-l takes an expression, or an address and a length");
    char *first = xformat("%.*s", (int)(blank - text), text);
    struct error *err = debug_integer(d, first, &address);
    free(first);
    if (!err)
        err = debug_integer(d, blank + 1, &size);
    if (!err && (!size || address + size < address))
        err = error_coded(ERROR_UNAVAILABLE, "there is no memory of %llu bytes at 0x%llx",
                          (unsigned long long)size, (unsigned long long)address);
    if (err)
        return err;
    char *what = xformat("%llu byte%s at 0x%llx", (unsigned long long)size, size == 1 ? "" : "s",
                         (unsigned long long)address);
    *ret = subject_of_range(d->session, d->source, what, address, size);
    free(what);
    return NULL;
}

/* Returns where the name of the last member begins in `head->next->v`; NULL: the text does not end
 * with a member. */
static const char *last_member(const char *text)
{
    size_t at = strlen(text);
    while (at > 0 && (isalnum((u8)text[at - 1]) || text[at - 1] == '_'))
        at--;
    bool arrow = at > 2 && text[at - 1] == '>' && text[at - 2] == '-';
    bool dot = at > 1 && text[at - 1] == '.';
    return text[at] && (arrow || dot) ? text + at : NULL;
}

/* Names a bit-field by the address of its struct, since it has no address itself. */
static char *fixed_bits(struct debug *d, const char *text)
{
    const char *member = last_member(text);
    struct evaluation *evaluation;
    struct value *value;
    u64 address, size;
    if (!member)
        return NULL;
    bool arrow = member[-1] == '>';
    char *fixed = NULL, *object = xformat(arrow ? "*(%.*s)" : "%.*s",
                                          (int)(member - text) - (arrow ? 2 : 1), text);
    struct error *err = debug_evaluation(d, &evaluation);
    if (!err) {
        err = values_evaluate(evaluation, object, &value);
        if (!err && value_memory(value, &address, &size)) {
            char *type = value_type(value);
            fixed = xformat("((%s *)0x%llx)->%s", type, (unsigned long long)address, member);
            free(type);
        }
        values_close(evaluation);
    }
    error_destroy(err);
    free(object);
    return fixed;
}

/* Returns an expression that always names the same place. */
static char *fixed_expression(struct debug *d, const struct subject *s)
{
    u64 address, size;
    if (s->not_first || s->not_last)
        return fixed_bits(d, s->expression);
    subject_memory(s, &address, &size);
    return subject_place_text(s->type, address);
}

struct error *debug_subject_location(struct debug *d, const char *text, struct subject **ret)
{
    struct subject *s, *fixed;
    u64 address, size;
    struct error *err = debug_subject(d, text, &s);
    if (err && strchr(text, ' ')) {
        error_destroy(err);
        return subject_of_words(d, text, ret);
    }
    if (err)
        return err;
    if (s->is_condition)
        err = error_coded(
            ERROR_MISUSED,
            "-l is for a value in memory, and %s is a condition: write it about the memory, "
            "as in *(int *)0x1234 == 5",
            text);
    else if (s->missing)
        err = error_coded(ERROR_UNAVAILABLE, "%s has no value here that could be watched: %s", text,
                          s->missing);
    else if (!subject_memory(s, &address, &size))
        err = error_coded(ERROR_UNAVAILABLE,
                          "%s is not in memory: -l needs a value with an address", text);
    if (err) {
        subject_destroy(s);
        return err;
    }
    char *expression = fixed_expression(d, s);
    err = expression ? debug_subject(d, expression, &fixed) : error_coded(ERROR_NOT_FOUND, "none");
    if (!err && (fixed->address != s->address || fixed->size != s->size)) {
        subject_destroy(fixed);
        err = error_coded(ERROR_UNAVAILABLE, "another place");
    }
    if (err) /* the type cannot be written as a cast */
        fixed = subject_of_range(d->session, d->source, text, s->address, s->size);
    error_destroy(err);
    free(expression);
    subject_destroy(s);
    *ret = fixed;
    return NULL;
}
