/* The signal numbers of gdb's protocol, which are the same on all machines: see
 * include/gdb/signals.def of gdb. */
#include "front/gdb/rsp_internal.h"

/* By the kernel's number on x86-64. */
static const struct { u8 gdb; const char *name; } signals[] = {
    [1] = {1, "SIGHUP"},    [2] = {2, "SIGINT"},   [3] = {3, "SIGQUIT"},   [4] = {4, "SIGILL"},
    [5] = {5, "SIGTRAP"},   [6] = {6, "SIGABRT"},  [7] = {10, "SIGBUS"},   [8] = {8, "SIGFPE"},
    [9] = {9, "SIGKILL"},   [10] = {30, "SIGUSR1"}, [11] = {11, "SIGSEGV"}, [12] = {31, "SIGUSR2"},
    [13] = {13, "SIGPIPE"}, [14] = {14, "SIGALRM"}, [15] = {15, "SIGTERM"},
    [16] = {143, "SIGSTKFLT"},
    [17] = {20, "SIGCHLD"}, [18] = {19, "SIGCONT"}, [19] = {17, "SIGSTOP"}, [20] = {18, "SIGTSTP"},
    [21] = {21, "SIGTTIN"}, [22] = {22, "SIGTTOU"}, [23] = {16, "SIGURG"}, [24] = {24, "SIGXCPU"},
    [25] = {25, "SIGXFSZ"}, [26] = {26, "SIGVTALRM"}, [27] = {27, "SIGPROF"},
    [28] = {28, "SIGWINCH"},
    [29] = {23, "SIGIO"},   [30] = {32, "SIGPWR"}, [31] = {12, "SIGSYS"},
};

enum { GDB_UNKNOWN = 143, GDB_REALTIME_32 = 77, GDB_REALTIME_33 = 45, GDB_REALTIME_64 = 78 };

u32 signal_number_to_gdb(u32 signal)
{
    if (signal < countof(signals))
        return signals[signal].gdb;
    if (signal == 32)
        return GDB_REALTIME_32;
    if (signal == 64)
        return GDB_REALTIME_64;
    return signal < 64 ? signal - 33 + GDB_REALTIME_33 : GDB_UNKNOWN;
}

u32 signal_number_of_gdb(u32 number)
{
    if (number == 0 || number == GDB_UNKNOWN)
        return 0;
    for (u32 signal = 1; signal < RSP_SIGNALS; signal++)
        if (signal_number_to_gdb(signal) == number)
            return signal;
    return 0;
}

const char *signal_number_name(u32 signal)
{
    return signal < countof(signals) && signals[signal].name ? signals[signal].name : "a signal";
}
