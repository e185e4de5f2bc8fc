/* Prints one sentence on stderr: see the header.
 *
 * The line is built first and written with one call, so that lines of several processes do not mix.
 */
#include "base/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int complain(int status, const char *format, ...)
{
    char line[4096 + 256]; /* a path and a sentence about it */
    int start = snprintf(line, sizeof line, "ebb: ");
    size_t room = sizeof line - (size_t)start - 1; /* one for the newline */

    va_list args;
    va_start(args, format);
    int wanted = vsnprintf(line + start, room, format, args);
    va_end(args);

    size_t length = wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room - 1;
    line[(size_t)start + length] = '\n';
    if (write(STDERR_FILENO, line, (size_t)start + length + 1) < 0)
        return status; /* stderr is closed, but the status still tells */
    return status;
}

int complain_if_unwritten(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    if (errno == EPIPE) /* the reader has closed its end */
        return 1;
    return complain(1, "cannot write to standard output: %s", strerror(errno));
}
