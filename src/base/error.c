/* Errors: see the header. An error has a text and a code. */
#define BASE_ERROR_DEFINITIONS
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/xalloc.h"

struct error {
    char *text;
    enum error_code code;
};

static struct error *wrap(enum error_code code, char *text)
{
    struct error *err = xalloc(sizeof *err);
    err->text = text;
    err->code = code;
    return err;
}

/* Formats the sentence, and adds `why` after a colon; `why` may be NULL. */
static struct error *error_make(enum error_code code, const char *why, const char *format,
                                va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        text = xformat("out of memory");
    if (!why)
        return wrap(code, text);
    struct error *err = wrap(code, xformat("%s: %s", text, why));
    free(text);
    return err;
}

struct error *error_new(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_make(ERROR_OTHER, NULL, format, args);
    va_end(args);
    return err;
}

struct error *error_coded(enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_make(code, NULL, format, args);
    va_end(args);
    return err;
}

static enum error_code code_of_errno(int number)
{
    switch (number) {
    case EINTR:
        return ERROR_INTERRUPTED;
    case ENOMEM:
        return ERROR_NO_MEMORY;
    case ENOENT:
        return ERROR_NOT_FOUND;
    default:
        return ERROR_OTHER;
    }
}

/* A limit that the user can change is named. */
static const char *text_of_errno(int number)
{
    return number == EFBIG ? "File too large (ulimit -f)" : strerror(number);
}

struct error *error_errno(int number, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_make(code_of_errno(number), text_of_errno(number), format, args);
    va_end(args);
    return err;
}

struct error *error_within(struct error *inner, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_make(inner->code, inner->text, format, args);
    va_end(args);
    error_destroy(inner);
    return err;
}

struct error *error_default(struct error *err, enum error_code code)
{
    if (err && err->code == ERROR_OTHER)
        err->code = code;
    return err;
}

const char *error_text(const struct error *err)
{
    return err->text;
}

enum error_code error_code(const struct error *err)
{
    return err->code;
}

const char *error_code_name(enum error_code code)
{
    static const char *const names[] = {
        [ERROR_OTHER] = "other",
        [ERROR_INTERRUPTED] = "interrupted",
        [ERROR_DIVERGED] = "diverged",
        [ERROR_UNREPLAYABLE] = "unreplayable",
        [ERROR_DAMAGED] = "damaged",
        [ERROR_NOT_FOUND] = "not-found",
        [ERROR_UNAVAILABLE] = "unavailable",
        [ERROR_AMBIGUOUS] = "ambiguous",
        [ERROR_MISUSED] = "misused",
        [ERROR_NO_MEMORY] = "no-memory",
        [ERROR_LOST] = "lost",
    };
    return names[code];
}

void error_destroy(struct error *err)
{
    if (!err)
        return;
    free(err->text);
    free(err);
}

int error_complain(struct error *err, int status)
{
    complain(status, "%s", err->text);
    error_destroy(err);
    return status;
}
