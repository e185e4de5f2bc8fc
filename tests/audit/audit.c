/* The audit: does the system-call table know every byte that the kernel writes?
 *
 *   audit [NAME...]      all cases, or those named
 *
 * Each case is a real call, made in a process of its own with all its memory in an arena.  The
 * arena is compared around the call; a byte that has changed and is in no range that
 * call_written() visits is a failure.  Each is tried with two patterns in the arena, since a byte
 * may be overwritten with what was there.
 *
 * A call that answers an error here which it would not elsewhere is audited, and skipped.
 */
#include "audit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log/syscall_table.h"

enum { ARENA = 1 << 20, GAP = 64, CASES = 400, RANGES = 4096, SECONDS = 300 };

static struct {
    const char *name;
    audit_case *prepare;
} cases[CASES];
static size_t case_count;

void audit_add(const char *name, audit_case *prepare)
{
    if (case_count == CASES)
        abort();
    cases[case_count].name = name;
    cases[case_count++].prepare = prepare;
}

/* The arena */

static uint8_t *arena, *before;
static size_t used;

void *out(size_t size)
{
    void *at = arena + used;
    used += (size + GAP - 1) / GAP * GAP + GAP;
    if (used > ARENA)
        cannot("the arena is full");
    return at;
}

void *in(const void *bytes, size_t size)
{
    return memcpy(out(size), bytes, size);
}

void *text(const char *string)
{
    return in(string, strlen(string) + 1);
}

uint32_t *length(uint32_t value)
{
    return in(&value, sizeof(value));
}

static bool read_arena(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    u64 start = (u64)arena;
    if (from.at < start || from.at > start + ARENA || size > start + ARENA - from.at)
        return false;
    memcpy(to, (void *)from.at, size);
    return true;
}

static const struct call_memory memory = {read_arena, NULL};

/* The call of the case that runs */

static long number = -1;
static u64 args[6];
static int wanted_error;

void call_is(long nr, const long values[6])
{
    number = nr;
    for (int i = 0; i < 6; i++)
        args[i] = (u64)values[i];
}

void fails_with(int error)
{
    wanted_error = error;
}

/* What a case's process has to say, for its parent to print. */

enum verdict { OK, SKIP, FAIL };

static int answer_to = 1;

static _Noreturn void answer(enum verdict verdict, const char *why)
{
    char line[256];
    int size = snprintf(line, sizeof line, "%s", why);
    if (write(answer_to, line, size < (int)sizeof line ? size : (int)sizeof line - 1) < 0)
        _exit(FAIL);
    _exit(verdict);
}

void cannot(const char *why)
{
    char line[200];
    snprintf(line, sizeof line, "cannot be tried: %s (%s)", why, strerror(errno));
    answer(SKIP, line);
}

/* Which bytes are accounted for */

static uint8_t *described;

static void describe(void *context, struct gaddr at, u64 size)
{
    (void)context;
    u64 start = (u64)arena, end = start + ARENA;
    for (u64 byte = at.at < start ? start : at.at; byte < at.at + size && byte < end; byte++)
        described[byte - start] = 1;
}

static long raw_call(void)
{
    register u64 r10 __asm__("r10") = args[3];
    register u64 r8 __asm__("r8") = args[4];
    register u64 r9 __asm__("r9") = args[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* The argument that is nearest below a place in the arena, to name it by. */
static int nearest_argument(u64 at)
{
    int best = -1;
    for (int i = 0; i < 6; i++) {
        if (args[i] >= (u64)arena && args[i] <= at && (best < 0 || args[i] > args[best]))
            best = i;
    }
    return best;
}

static void compare(long result)
{
    size_t changed = 0, missed = 0, first = 0;
    for (size_t i = 0; i < ARENA; i++) {
        if (arena[i] == before[i])
            continue;
        changed++;
        if (!described[i] && !missed++)
            first = i;
    }
    if (missed) {
        char line[200];
        int arg = nearest_argument((u64)arena + first);
        long offset = arg < 0 ? -1l : (long)((u64)arena + first - args[arg]);
        snprintf(line, sizeof line,
                 "%zu of %zu bytes written are not described, the first %ld after argument %d; "
                 "it answered %ld", missed, changed, offset, arg, result);
        answer(FAIL, line);
    }
}

static void try_pattern(audit_case *prepare, int pattern)
{
    memset(arena, pattern, ARENA);
    memset(described, 0, ARENA);
    used = GAP;
    number = -1;
    prepare();
    if (number < 0)
        cannot("no call was made");
    memcpy(before, arena, ARENA);
    struct call_made made;
    call_begin(&made, (u64)number, args, &memory);
    if (made.variant->unknown)
        call_reachable(&made, &memory, describe, NULL);
    made.result = raw_call();
    call_written(&made, &memory, describe, NULL);
    compare(made.result);
    int error = made.result < 0 && made.result >= -4095 ? (int)-made.result : 0;
    if (error != wanted_error) {
        char line[200];
        const char *said = error ? strerror(error) : "no error";
        snprintf(line, sizeof line, "the call answered %s here", said);
        answer(SKIP, line);
    }
}

static void *pages(void)
{
    void *at = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static _Noreturn void run_case(audit_case *prepare)
{
    alarm(SECONDS);
    arena = pages();
    before = pages();
    described = pages();
    if (!arena || !before || !described)
        cannot("no memory");
    try_pattern(prepare, 0x5a);
    try_pattern(prepare, 0xa5);
    answer(OK, "");
}

static int judge(const char *name, int status, const char *why)
{
    int verdict = WIFEXITED(status) ? WEXITSTATUS(status) : FAIL;
    if (WIFSIGNALED(status))
        printf("FAIL audit: %s: it died by signal %d\n", name, WTERMSIG(status));
    else if (verdict == OK)
        printf("ok audit: %s\n", name);
    else
        printf("%s audit: %s: %s\n", verdict == SKIP ? "skip" : "FAIL", name, why);
    fflush(stdout);
    return verdict == FAIL;
}

static int audit(const char *name, audit_case *prepare)
{
    int ends[2], status;
    char why[256] = "";
    if (pipe(ends))
        return judge(name, SKIP << 8, "no pipe");
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        answer_to = ends[1];
        run_case(prepare);
    }
    close(ends[1]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        status = SKIP << 8;
    /* Not to the end: what a case left behind may hold the pipe open. */
    bool spoke = WIFEXITED(status) && WEXITSTATUS(status) != OK;
    ssize_t size = spoke ? read(ends[0], why, sizeof why - 1) : 0;
    close(ends[0]);
    why[size > 0 ? size : 0] = '\0';
    return judge(name, status, why);
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], name))
            return true;
    }
    return argc < 2;
}

int main(int argc, char **argv)
{
    int failures = 0;
    for (size_t i = 0; i < case_count; i++) {
        if (is_wanted(cases[i].name, argc, argv))
            failures += audit(cases[i].name, cases[i].prepare);
    }
    return failures != 0;
}
