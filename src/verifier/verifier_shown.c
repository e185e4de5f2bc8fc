/* The output of a program: see the header.
 *
 * If standard output and error go to the same place, they also share a file here, so that their
 * order is kept.
 */
#include "verifier/verifier_shown_internal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/snapshot_file.h"

static bool go_to_same_place(void)
{
    struct stat out, err;
    return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
           out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

bool verifier_shown_prepare(struct verifier_line *line)
{
    struct error *err = snapshot_temporary(~0ull, &line->output);
    if (!err && go_to_same_place())
        line->errors = line->output;
    else if (!err)
        err = snapshot_temporary(~0ull, &line->errors);
    bool good = !err;
    error_destroy(err);
    return good;
}

/* Returns the number of bytes. */
static u64 copy_out(int file, int to, u64 from)
{
    char buffer[1 << 16];
    u64 at = from;
    ssize_t got;
    while ((got = pread(file, buffer, sizeof buffer, (off_t)at)) > 0) {
        for (ssize_t done = 0, wrote; done < got; done += wrote) {
            wrote = write(to, buffer + done, (size_t)(got - done));
            if (wrote < 0 && errno != EINTR)
                return at - from; /* the output is gone */
            wrote = wrote < 0 ? 0 : wrote;
        }
        at += (u64)got;
    }
    return at - from;
}

void verifier_shown_show(struct verifier_shown *s, const struct verifier_line *line,
                         struct verifier_shown from)
{
    if (line->output >= 0)
        s->output += copy_out(line->output, STDOUT_FILENO, from.output);
    if (line->errors >= 0 && line->errors != line->output)
        s->errors += copy_out(line->errors, STDERR_FILENO, from.errors);
}
