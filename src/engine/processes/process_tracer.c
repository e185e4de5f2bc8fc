/* Processes: finds whether this one is traced, and by which process.
 *
 * A debugger among the guests (gdb, strace) reads and changes its tracee's registers and code
 * through the kernel, and would see the engine there. So the program that a traced process executes
 * runs natively. This does not apply to a tracer that was there when the engine started: it debugs
 * the engine itself.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/text.h"
#include "engine/processes/process.h"

static u64 first_tracer;

/* Returns the pid of the tracer, from the kernel; 0 if there is none, or it is not visible. */
static u64 tracer(void)
{
    static const char word[] = "TracerPid:\t";
    char status[1024];
    i64 fd = kernel_call(__NR_open, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (kernel_failed(fd))
        return 0;
    i64 size = kernel_call(__NR_read, fd, status, sizeof(status) - 1);
    kernel_call(__NR_close, fd);
    status[size > 0 ? size : 0] = 0;

    u64 pid = 0;
    const char *rest;
    for (const char *line = status; line; line = text_find(line, '\n')) {
        line += *line == '\n';
        if (text_starts(line, word)) {
            text_parse(line + sizeof(word) - 1, &pid, &rest);
            break;
        }
    }
    return pid;
}

void process_note_tracer(void)
{
    first_tracer = tracer();
}

bool process_is_debugged(void)
{
    u64 now = tracer();
    return now && now != first_tracer;
}
