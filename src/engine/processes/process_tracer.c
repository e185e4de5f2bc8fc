/* Processes: finds whether this one is traced, and by which process.
 *
 * A debugger among the guests (gdb, strace) reads and changes its tracee's registers and code
 * through the kernel, and would see the engine there. So the program that a traced process executes
 * runs natively. This does not apply to a tracer that was there when the engine started: it debugs
 * the engine itself.
 */
#include "engine/base/process_file.h"
#include "engine/processes/process.h"

static u64 first_tracer;

/* Returns the pid of the tracer, from the kernel; 0 if there is none, or it is not visible. */
static u64 tracer(void)
{
    char status[1024];
    process_file_read(0, "status", status, sizeof(status));
    return process_file_number(status, "TracerPid:\t");
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
