/* Errors of the world: see the header.  An error is its text. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/xalloc.h"

struct error {
    char *text;
};

static struct error *wrap(char *text)
{
    struct error *err = xalloc(sizeof *err);
    err->text = text;
    return err;
}

/* The sentence, and what is behind it after a colon; `behind` may be NULL. */
static struct error *error_make(const char *behind, const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        text = xformat("out of memory");
    if (!behind)
        return wrap(text);
    struct error *err = wrap(xformat("%s: %s", text, behind));
    free(text);
    return err;
}

struct error *error_new(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_make(NULL, format, args);
    va_end(args);
    return err;
}

struct error *error_errno(int number, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_make(strerror(number), format, args);
    va_end(args);
    return err;
}

struct error *error_within(struct error *inner, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_make(inner->text, format, args);
    va_end(args);
    error_destroy(inner);
    return err;
}

const char *error_text(const struct error *err)
{
    return err->text;
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
