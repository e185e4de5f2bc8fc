/* Errors: what they say, and that their code outlives the words put in front.
 *
 * unit: src/base/error.c src/base/complain.c src/base/xalloc.c
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static int failures;

static void expect(const char *what, struct error *err, enum error_code code, const char *text)
{
    if (error_code(err) != code || strcmp(error_text(err), text) != 0) {
        printf("FAIL errors: %s: code %s, '%s'\n", what, error_code_name(error_code(err)), error_text(err));
        failures++;
    } else {
        printf("ok errors: %s\n", what);
    }
    error_destroy(err);
}

int main(void)
{
    expect("plain", error_new("no %s", "luck"), ERROR_OTHER, "no luck");
    expect("coded", error_coded(ERROR_AMBIGUOUS, "two of %d", 3), ERROR_AMBIGUOUS, "two of 3");
    expect("within", error_within(error_coded(ERROR_DIVERGED, "it differs"), "track %d", 7),
           ERROR_DIVERGED, "track 7: it differs");
    expect("errno-interrupted", error_errno(EINTR, "reading"), ERROR_INTERRUPTED,
           "reading: Interrupted system call");
    expect("errno-memory", error_within(error_errno(ENOMEM, "a"), "b"), ERROR_NO_MEMORY,
           "b: a: Cannot allocate memory");
    expect("errno-other", error_errno(EACCES, "a"), ERROR_OTHER, "a: Permission denied");
    for (enum error_code code = 0; code <= ERROR_NO_MEMORY; code++)
        if (!error_code_name(code) || !*error_code_name(code))
            printf("FAIL errors: name of code %d\n", code), failures++;
    printf("%s errors: names\n", failures ? "FAIL" : "ok");
    return failures != 0;
}
