/* Filters of system calls (seccomp(2)) that the guest has installed.
 *
 * The kernel does not know them: it would judge the engine's own calls, too. The engine runs them
 * on each call of the guest instead. A thread has a list of filters, the newest first; the list
 * never changes, so threads and forked children share it, and a new image gets a copy.
 *
 * A replay has no filters: the log says which calls were not made, and what was done instead.
 *
 * All functions need the baton.
 */
#ifndef ENGINE_FILTERS_H
#define ENGINE_FILTERS_H

#include "engine/threads/filter_program.h"

struct filter;
struct text;
struct thread;

enum { FILTER_MACHINE = 0xc000003e }; /* AUDIT_ARCH_X86_64 */

enum filters_mode { /* as the kernel numbers them */
    FILTERS_NONE = 0,
    FILTERS_STRICT = 1, /* read, write, exit and rt_sigreturn only */
    FILTERS_LIST = 2,
};

/* What a filter returns: an action in the upper half, data for it in the lower. The lowest one of
 * all filters, as a signed number, counts. */
enum {
    FILTER_KILL_PROCESS = 0x80000000u,
    FILTER_KILL_THREAD = 0,
    FILTER_TRAP = 0x00030000,
    FILTER_ERRNO = 0x00050000,
    FILTER_NOTIFY = 0x7fc00000,
    FILTER_TRACE = 0x7ff00000,
    FILTER_LOG = 0x7ffc0000,
    FILTER_ALLOW = 0x7fff0000,
    FILTER_ACTION = 0xffff0000u,
    FILTER_DATA = 0x0000ffff,
};

/* Returns what the thread's filters say about a call. */
u32 filters_judge(const struct thread *t, const struct filter_data *data);
/* True if they allow all calls with this number. */
bool filters_allow_all(const struct thread *t, u64 number);

/* Installs a valid program for the thread; `all`: also for the process's other threads, if none of
 * them has filters of its own. Returns 0, the id of a thread that has, or -ENOMEM. */
i64 filters_install(const struct filter_step *steps, u32 count, bool all);
/* The number of filters that the thread has. */
u32 filters_count(const struct thread *t);
void filters_set_strict(struct thread *t);

/* A new thread begins with its maker's. */
void filters_inherit(struct thread *t, const struct thread *from);

/* The next image gets them by a file: returns its descriptor, which is inherited; 0: there are
 * none; or -errno. */
i64 filters_hand_on(void);
void filters_describe(struct text *settings, i64 file);
void filters_start(void);

#endif
