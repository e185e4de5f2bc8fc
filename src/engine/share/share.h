/* Sharing: this process as a member of the group that shares memory (share_group.h).
 *
 * While any of its threads runs guest code, a process that has memory in common with others holds
 * the group's baton. It gives the baton away when none of its threads can run, and at the end of a
 * slice if another process waits. When it takes the baton again, it logs what the others have
 * changed since (EVENT_SHARED). Its replay, which has that memory for itself, gets the same bytes
 * at the same moment.
 *
 * Changes are detected by write protection: the first write to a shared page in a turn faults and
 * is noted. Pages that are written in turn after turn stay writable, and count as changed in each.
 *
 * Memory without a name is not visible to others until this process forks, and costs nothing
 * before. All functions need the thread's baton, and do nothing in a process that is not recorded.
 */
#ifndef ENGINE_SHARE_H
#define ENGINE_SHARE_H

#include "base/types.h"

extern bool share_member; /* this process shares memory with others, or may do so */

/* The areas have changed: updates what is shared. A process that becomes a member has the baton
 * afterwards. */
void share_update(void);

/* Called around every operation that may wait, if no other thread can run. `in_call`: a system call
 * is being made. */
void share_give(void);
void share_take(bool in_call);
/* At the end of a slice. */
void share_yield(void);
/* True if another process waits for the baton that this one holds. */
bool share_wanted(void);

/* A call that is made with both batons, because it reads or writes a file and does not wait; and
 * what it changed. */
struct call;
bool share_call_begins(const struct call *call);
void share_call_ends(const struct call *call, i64 result);

/* True if a call may write shared memory, and therefore must not run beside other processes. */
bool share_reaches(const struct call *call);

/* A write fault: true if it was caused by the protection here. */
bool share_fault(u64 address);
/* The kernel is about to write there: removes the protection. */
bool share_release(u64 start, u64 end);
/* The same for all memory that the arguments of a call lead to. */
bool share_release_arguments(const u64 args[6]);
/* The kernel has written there. */
void share_written(u64 at, u64 size);
/* Another watcher has made the range writable. */
void share_opened(u64 start, u64 end);

/* True if any process has mapped the file shared. Then its modification time does not tell whether
 * its contents have changed. */
bool share_knows(u64 device, u64 inode);

/* Called before a fork, and in its child. */
void share_fork_begins(void);
void share_forked(void);
/* The process ends, or executes a program, and no longer has the memory. */
void share_leave(void);

#endif
