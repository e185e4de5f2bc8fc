/* Sharing: this process as one of those of a recording that share memory (share_group.h).
 *
 * While any of its threads runs guest code, a process that has memory in common with others holds
 * the group's baton. It gives the baton away when none of its threads can run, and at the end of a
 * slice if another process waits. When it takes the baton again, it logs what the others have
 * changed since (EVENT_SHARED). Its replay, which has that memory for itself, gets the same bytes
 * at the same moment.
 *
 * What is changed is known by write protection: shared pages cannot be written until the first
 * write in a turn has been noted.  Pages that are written in turn after turn are left writable, and
 * taken to be changed in each.
 *
 * Memory without a name cannot be met by others until this process forks, and costs nothing before
 * that.  All functions need the thread's baton, and do nothing in a process that is not recorded.
 */
#ifndef ENGINE_SHARE_H
#define ENGINE_SHARE_H

#include "base/types.h"

extern bool share_member; /* this process has memory in common with others, or may have */

/* The areas have changed: what is shared now?  A process that becomes a member has the baton
 * afterwards. */
void share_update(void);

/* Around every operation that may wait, if no other thread can run. `in_call`: a system call is
 * being made. */
void share_give(void);
void share_take(bool in_call);
/* At the end of a slice. */
void share_yield(void);
/* Does another process wait for the baton that we hold? */
bool share_wanted(void);

/* A call that is made with both batons, because it reads or writes a file and does not wait; and
 * what it changed. */
struct call;
bool share_call_begins(const struct call *call);
void share_call_ends(const struct call *call, i64 result);

/* May a call write shared memory?  Then it is not to do so while others run. */
bool share_reaches(const struct call *call);

/* A write fault: true if it was our protection. */
bool share_fault(u64 address);
/* The kernel is going to write there; what was protected is not any more. */
bool share_release(u64 start, u64 end);
/* The same for all memory that the arguments of a call lead to. */
bool share_release_arguments(const u64 args[6]);
/* The kernel has written there. */
void share_written(u64 at, u64 size);
/* Another watcher has made the range writable. */
void share_opened(u64 start, u64 end);

/* Has any process mapped the file shared? Then its modification time does not tell whether its
 * contents are the same. */
bool share_knows(u64 device, u64 inode);

/* Before a fork; and in its child. */
void share_fork_begins(void);
void share_forked(void);
/* The process ends, or becomes something else that has none of the memory. */
void share_leave(void);

#endif
