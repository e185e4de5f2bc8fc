/* The group: the common data of the processes of a recording that share memory.
 *
 * They share one baton, so that only one of them runs guest code at a time, and a table of the
 * objects that they have mapped shared (files, segments, memory without a name), with an age for
 * each page: the number of the turn in which it was last written. A process that takes the baton
 * finds there what the others have changed since its own last turn.
 *
 * It is in a memory file that the first process of the recording makes, its children inherit, and
 * an execve passes on. Except for the baton itself, only the holder of the baton uses it.
 *
 * A holder that is killed loses the baton: waiters check now and then whether it is alive.
 */
#ifndef ENGINE_SHARE_GROUP_H
#define ENGINE_SHARE_GROUP_H

#include "base/types.h"

enum { SHARE_SUSPECTS_MOST = 16, SHARE_RANGES_MOST = 62 };

struct share_object {
    u64 device, inode;
    u32 next;       /* next in its bucket, plus one; 0: the last */
    u32 outside;    /* a process that is not recorded may write it */
    u64 first;      /* index of its first page in the table of ages */
    u64 pages;
    u64 changed;    /* the last turn in which any page of it was written */
    u64 resized;    /* and in which its size changed, to: */
    u64 size;
};

/* A recorded process, for others that write into its memory (visits.h). */
enum share_place_state { PLACE_AWAY, PLACE_HERE, PLACE_VISITED };

struct share_range {
    u64 at, size;
};

struct share_place {
    u32 pid;     /* 0: free */
    u32 word;    /* enum share_place_state */
    u32 visitor; /* the process that visits it or wants to; 0: none */
    u32 count;   /* ranges that visitors wrote and the process has not logged yet: */
    struct share_range range[SHARE_RANGES_MOST];
};

/* NULL: this process is not recorded, or there is no group. */
struct share_group;
extern struct share_group *share_group;

/* Called once, at the start of a recorded image: `inherited` is the descriptor of the previous
 * image, or 0. */
void share_group_start(i32 inherited);
/* Returns its current number, for the next image. -1: none. */
i32 share_group_descriptor(void);

/* The baton. Taking it waits; true if another process had it since. Giving it wakes a waiter. */
bool share_group_take(void);
void share_group_give(void);
/* Gives it, and returns when another process has had it, or none waits. */
void share_group_offer(void);
bool share_group_wanted(void);
/* True if it was taken away from this process, which was stopped while it held it. */
bool share_group_lost(void);
/* A fork has made a process. Others may know its number before it calls share_group_forked(). */
void share_group_made(u32 pid);
/* In the child of a fork: another member, without the baton. */
void share_group_forked(void);

/* Returns the place of this process; the other function that of another process. NULL: it has
 * none. */
struct share_place *share_group_own_place(void);
struct share_place *share_group_place_of(u32 pid);
/* share_group_has_ended: true if a process has ended, even if its parent has not waited for it yet.
 * share_group_is_stopped: true if it is stopped. */
bool share_group_has_ended(u32 pid);
bool share_group_is_stopped(u32 pid);

/* The number of the turn: it grows whenever the baton goes to another process, and by
 * share_group_next_turn(). */
u64 share_group_turn(void);
void share_group_next_turn(void);

/* True if any process has ever mapped anything shared. May be called without the baton. */
bool share_group_in_use(void);
/* Returns the object, or NULL if no process has mapped it. Without the baton the caller may only
 * compare the result with NULL. */
struct share_object *share_group_find(u64 device, u64 inode);
/* The same, made if necessary, with room for this many pages; NULL: there is no room. */
struct share_object *share_group_object(u64 device, u64 inode, u64 pages);
/* Returns a new name for memory without a file. */
u64 share_group_nameless(void);
/* Nanoseconds since 1970 when the recording began. */
u64 share_group_started(void);

/* Pages [from, to) of an object are written in this turn. */
void share_group_written(struct share_object *o, u64 from, u64 to);
/* Returns the first page in [from, to) that was written after the turn; `to`: none. */
u64 share_group_next_written(const struct share_object *o, u64 from, u64 to, u64 turn);

/* Pages with locks that the kernel changes if their owner is killed, which leaves no trace. */
struct share_suspect {
    u64 device, inode, page;
};
void share_group_suspect(const struct share_suspect *page);
const struct share_suspect *share_group_suspects(u32 *ret_count);

#endif
