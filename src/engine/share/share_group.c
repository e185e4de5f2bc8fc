/* The group: see share_group.h.
 *
 * The baton is a word: the number of its holder as a member, or 0. A process that finds it taken
 * sleeps on it, for some milliseconds at most. So a lost wake-up, or the death of the holder, does
 * not leave all of them asleep. A holder that is stopped (by SIGSTOP, which cannot be caught) also
 * loses the baton, and takes it again when it next checks.
 *
 * Process ids mean different processes in different namespaces (sandboxes). Each member has a lock
 * on the byte of the group's file that has its number; the kernel drops the lock when the process
 * ends, and every namespace can see that.
 *
 * Ages are in one table. An object gets a range of it, in units of UNIT_PAGES. Each unit has the
 * age of its youngest page, so that a search for new pages skips old units quickly. Ranges are
 * never freed: the table is large enough for 32 GiB of shared memory, and only its used part takes
 * memory.
 */
#include "engine/share/share_group.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/own_file.h"
#include "engine/base/pool.h"
#include "engine/base/process_file.h"
#include "engine/base/text.h"
#include "engine/share/visits.h"

enum {
    OBJECTS_MOST = 16384,
    BUCKETS = 4096,
    UNIT_PAGES = 64,
    UNITS_MOST = 131072,
    SPINS = 100,
    WAIT_NS = 2000000,
    LOOK_EVERY = 8, /* waits without success before the holder is checked */
    OFFER_TRIES = 40,
    OFFER_NS = 50000,
    PLACES = 2048,
    LOCK_TRIES = 1000,
    PLACE_TRIES = 16, /* number of places tried for a process, beginning with that of its number */
    K_FUTEX_WAIT = 0,
    K_FUTEX_WAKE = 1,
    K_POLLIN = 1,
    K_MFD_CLOEXEC = 1,
    MEMBERS_KNOWN = 65536,
    MEMBER_LOCKED = 1,
    MEMBER_UNLOCKED = 2,
    FCNTL_ASK_LOCK = 5,
    FCNTL_SET_LOCK = 6,
};

struct member_lock { /* struct flock */
    i16 type, whence;
    i64 start, length;
    i32 pid;
};

struct share_member {
    u64 numbers; /* the namespace of its process id; 0: not known */
    u32 pid;
    u32 number;
};

struct share_group {
    u32 word;    /* the holder, 0: free */
    u32 waiting; /* number of sleepers */
    u32 last;    /* the member that had it last */
    u32 members; /* number of members ever */
    u64 turn;
    u64 takes; /* by any process */
    u64 started;
    u64 nameless;
    u32 objects;
    u32 units;
    u32 suspects;
    u32 places_locked;
    u64 numbers; /* the namespace of the process ids in it */
    struct share_suspect suspect[SHARE_SUSPECTS_MOST];
    struct share_place place[PLACES];
    struct share_member member[MEMBERS_KNOWN]; /* at their numbers modulo MEMBERS_KNOWN */
    u32 bucket[BUCKETS];
    struct share_object object[OBJECTS_MOST];
    u64 unit_age[UNITS_MOST];
    u64 age[(u64)UNITS_MOST * UNIT_PAGES];
};

struct share_group *share_group;
static struct {
    i32 descriptor;
    i32 locked; /* the descriptor by which the lock was taken; closing that drops it */
    u32 member;
    u64 numbers;
    struct share_place *place;
} self = {.descriptor = -1};

/* --- making it ------------------------------------------------------------------------------ */

static i64 share_group_make_file(void)
{
    struct own_file_limit limit;
    i64 fd = kernel_call(__NR_memfd_create, "ebb-group", 0), error = 0;
    own_file_begin(&limit);
    if (!kernel_failed(fd))
        error = kernel_call(__NR_ftruncate, fd, sizeof(struct share_group));
    own_file_end(&limit);
    if (error)
        kernel_call(__NR_close, fd);
    return error ? error : fd;
}

static bool map_file(i32 fd)
{
    void *place = pool_try_map(sizeof(struct share_group), PAGE_SIZE);
    if (!place)
        return false;
    i64 got = kernel_call(__NR_mmap, place, sizeof(struct share_group), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0);
    if (!kernel_failed(got))
        share_group = place;
    return !kernel_failed(got);
}

static struct share_place *share_group_place_number(u32 pid, u32 try)
{
    return &share_group->place[(pid + try) % PLACES];
}

struct share_place *share_group_place_of(u32 pid)
{
    for (u32 n = 0; share_group && pid && n < PLACE_TRIES; n++) {
        struct share_place *p = share_group_place_number(pid, n);
        if (__atomic_load_n(&p->pid, __ATOMIC_SEQ_CST) == pid)
            return p;
    }
    return NULL;
}

struct share_place *share_group_own_place(void)
{
    return self.place;
}

static void share_group_lock_places(void)
{
    for (u32 tries = 0; tries < LOCK_TRIES; tries++) {
        if (!__atomic_exchange_n(&share_group->places_locked, 1, __ATOMIC_SEQ_CST))
            return;
        kernel_call(__NR_sched_yield);
    }
    /* its holder was killed there */
}

/* A killed process leaves its place marked as taken. */
static struct share_place *share_group_free_place(u32 pid)
{
    for (u32 n = 0; n < PLACE_TRIES; n++) {
        struct share_place *p = share_group_place_number(pid, n);
        if (!p->pid || share_group_has_ended(p->pid))
            return p;
    }
    return NULL;
}

/* Returns the place of the previous image, or the one that the process's maker gave it, or a new
 * one. */
static struct share_place *share_group_take_place(u32 pid)
{
    share_group_lock_places();
    struct share_place *p = share_group_place_of(pid);
    if (!p && (p = share_group_free_place(pid))) {
        p->visitor = p->count = 0;
        p->word = PLACE_HERE;
        __atomic_store_n(&p->pid, pid, __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&share_group->places_locked, 0, __ATOMIC_SEQ_CST);
    return p;
}

/* 0: not known. */
static u64 share_group_numbers(void)
{
    struct k_stat st;
    return kernel_failed(kernel_call(__NR_stat, "/proc/self/ns/pid", &st)) ? 0 : st.inode;
}

void share_group_made(u32 pid)
{
    if (share_group && share_group_numbers() == share_group->numbers)
        share_group_take_place(pid);
}

static struct member_lock lock_of(u32 member)
{
    return (struct member_lock){.type = MEMBER_LOCKED, .start = (i64)member, .length = 1};
}

static void lock_own(void)
{
    struct member_lock lock = lock_of(self.member);
    kernel_call(__NR_fcntl, self.descriptor, FCNTL_SET_LOCK, &lock);
    self.locked = self.descriptor;
}

static void become_member(void)
{
    u32 pid = (u32)kernel_call(__NR_getpid);
    self.numbers = share_group_numbers();
    self.place = NULL;
    if (self.numbers == share_group->numbers)
        self.place = share_group_take_place(pid);
    visits_returns();
    if (self.place)
        self.place->count = 0; /* those ranges were in another image's memory */
    self.member = __atomic_add_fetch(&share_group->members, 1, __ATOMIC_SEQ_CST);
    share_group->member[self.member % MEMBERS_KNOWN] =
        (struct share_member){self.numbers, pid, self.member};
    lock_own();
}

void share_group_start(i32 inherited)
{
    i64 fd = inherited ? inherited : share_group_make_file();
    if (kernel_failed(fd) || kernel_failed(descriptors_keep((i32)fd, false, &self.descriptor)))
        return;
    if (!map_file(self.descriptor))
        return;
    if (!inherited)
        share_group->numbers = share_group_numbers();
    become_member();
    if (!inherited) {
        struct k_timespec now = {0};
        kernel_call(__NR_clock_gettime, 0, &now);
        share_group->started = (u64)now.seconds * 1000000000 + (u64)now.nanoseconds;
    }
}

i32 share_group_descriptor(void)
{
    return share_group ? self.descriptor : -1;
}

void share_group_forked(void)
{
    if (share_group)
        become_member();
}

/* --- the baton -------------------------------------------------------------------------------- */

static bool try_take(void)
{
    u32 free = 0;
    return __atomic_compare_exchange_n(&share_group->word, &free, self.member, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool share_group_has_ended(u32 id)
{
    struct {
        i32 fd;
        i16 wanted, got;
    } poll = {.wanted = K_POLLIN};
    i64 fd = kernel_call(__NR_pidfd_open, id, 0);
    if (kernel_failed(fd))
        return kernel_call(__NR_kill, id, 0) == -ESRCH;
    poll.fd = (i32)fd;
    bool ended = kernel_call(__NR_poll, &poll, 1, 0) > 0;
    kernel_call(__NR_close, fd);
    return ended;
}

/* Then perhaps only one of the waiters can continue it. */
bool share_group_is_stopped(u32 id)
{
    char line[512];
    u64 size = process_file_read(id, "stat", line, sizeof(line));
    /* the state is after the name, which may contain any bytes */
    for (i64 at = (i64)size - 3; at > 0; at--)
        if (line[at] == ')')
            return line[at + 2] == 'T';
    return false;
}

/* Returns the id that a member in another namespace has in this one; 0: none that is known; -1: the
 * member has ended. */
static i64 foreign_process(u32 number)
{
    struct member_lock lock = lock_of(number);
    if (kernel_failed(kernel_call(__NR_fcntl, self.descriptor, FCNTL_ASK_LOCK, &lock)))
        return 0;
    return lock.type == MEMBER_UNLOCKED ? -1 : lock.pid > 0 ? lock.pid : 0;
}

/* True if a member has ended or is stopped. */
static bool cannot_go_on(u32 number)
{
    const struct share_member *m = &share_group->member[number % MEMBERS_KNOWN];
    if (m->number == number && m->numbers && m->numbers == self.numbers)
        return share_group_has_ended(m->pid) || share_group_is_stopped(m->pid);
    i64 pid = foreign_process(number);
    return pid < 0 || (pid > 0 && share_group_is_stopped((u32)pid));
}

static void sleep_for_it(u32 tries)
{
    struct k_timespec limit = {0, WAIT_NS};
    u32 holder = __atomic_load_n(&share_group->word, __ATOMIC_SEQ_CST);
    if (!holder)
        return;
    if (tries % LOOK_EVERY == LOOK_EVERY - 1 && cannot_go_on(holder))
        __atomic_compare_exchange_n(&share_group->word, &holder, 0, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
    else
        kernel_call(__NR_futex, &share_group->word, K_FUTEX_WAIT, holder, &limit);
}

static void wait_and_take(void)
{
    for (int i = 0; i < SPINS; i++) {
        __builtin_ia32_pause();
        if (!__atomic_load_n(&share_group->word, __ATOMIC_RELAXED) && try_take())
            return;
    }
    visits_rests(); /* the holder may want to write into this process */
    __atomic_add_fetch(&share_group->waiting, 1, __ATOMIC_SEQ_CST);
    for (u32 tries = 0; !try_take(); tries++)
        sleep_for_it(tries);
    __atomic_sub_fetch(&share_group->waiting, 1, __ATOMIC_SEQ_CST);
    visits_returns();
}

bool share_group_take(void)
{
    if (self.locked != self.descriptor)
        lock_own();
    if (!try_take())
        wait_and_take();
    __atomic_add_fetch(&share_group->takes, 1, __ATOMIC_RELAXED);
    bool other = share_group->last != self.member;
    if (other)
        share_group->turn++;
    share_group->last = self.member;
    return other;
}

void share_group_give(void)
{
    u32 own = self.member;
    __atomic_compare_exchange_n(&share_group->word, &own, 0, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST); /* unless it was lost */
    if (__atomic_load_n(&share_group->waiting, __ATOMIC_SEQ_CST))
        kernel_call(__NR_futex, &share_group->word, K_FUTEX_WAKE, 1);
}

bool share_group_lost(void)
{
    return __atomic_load_n(&share_group->word, __ATOMIC_RELAXED) != self.member;
}

void share_group_offer(void)
{
    u64 takes = __atomic_load_n(&share_group->takes, __ATOMIC_RELAXED);
    struct k_timespec moment = {0, OFFER_NS};
    share_group_give();
    kernel_call(__NR_sched_yield);
    for (int i = 0; i < OFFER_TRIES && share_group_wanted() &&
                    __atomic_load_n(&share_group->takes, __ATOMIC_RELAXED) == takes; i++)
        kernel_call(__NR_nanosleep, &moment, NULL);
}

bool share_group_wanted(void)
{
    return __atomic_load_n(&share_group->waiting, __ATOMIC_RELAXED) != 0;
}

u64 share_group_turn(void)
{
    return share_group->turn;
}

void share_group_next_turn(void)
{
    share_group->turn++;
}

/* --- objects ---------------------------------------------------------------------------------- */

bool share_group_in_use(void)
{
    return __atomic_load_n(&share_group->objects, __ATOMIC_RELAXED) != 0;
}

static u32 *share_group_bucket_of(u64 device, u64 inode)
{
    u64 mixed = (device * 31 + inode) * 0x9e3779b97f4a7c15ul;
    return &share_group->bucket[mixed >> 52];
}
_Static_assert(BUCKETS == 1 << 12, "bucket_of takes as many bits");

struct share_object *share_group_find(u64 device, u64 inode)
{
    u32 number = __atomic_load_n(share_group_bucket_of(device, inode), __ATOMIC_ACQUIRE);
    while (number) {
        struct share_object *o = &share_group->object[number - 1];
        if (o->device == device && o->inode == inode)
            return o;
        number = o->next;
    }
    return NULL;
}

static bool give_room(struct share_object *o, u64 pages)
{
    u64 units = (pages + UNIT_PAGES - 1) / UNIT_PAGES;
    if (units > UNITS_MOST - share_group->units)
        return false;
    o->first = (u64)share_group->units * UNIT_PAGES;
    o->pages = units * UNIT_PAGES;
    share_group->units += (u32)units;
    return true;
}

/* An object that has grown gets another range; all its pages count as written now. */
static bool enlarge(struct share_object *o, u64 pages)
{
    u64 known = o->pages;
    if (!give_room(o, pages))
        return false;
    share_group_written(o, 0, known);
    return true;
}

struct share_object *share_group_object(u64 device, u64 inode, u64 pages)
{
    struct share_object *o = share_group_find(device, inode);
    if (o)
        return pages <= o->pages || enlarge(o, pages) ? o : NULL;
    if (share_group->objects == OBJECTS_MOST)
        return NULL;
    o = &share_group->object[share_group->objects];
    u32 *bucket = share_group_bucket_of(device, inode);
    *o = (struct share_object){.device = device, .inode = inode, .next = *bucket};
    if (!give_room(o, pages))
        return NULL;
    __atomic_store_n(bucket, ++share_group->objects, __ATOMIC_RELEASE);
    return o;
}

u64 share_group_nameless(void)
{
    return share_group ? __atomic_add_fetch(&share_group->nameless, 1, __ATOMIC_RELAXED) : 0;
}

u64 share_group_started(void)
{
    return share_group->started;
}

/* --- ages ------------------------------------------------------------------------------------- */

void share_group_written(struct share_object *o, u64 from, u64 to)
{
    u64 turn = share_group->turn;
    if (to > o->pages)
        to = o->pages;
    for (u64 page = from; page < to; page++) {
        share_group->age[o->first + page] = turn;
        share_group->unit_age[(o->first + page) / UNIT_PAGES] = turn;
    }
    o->changed = turn;
}

u64 share_group_next_written(const struct share_object *o, u64 from, u64 to, u64 turn)
{
    u64 end = to < o->pages ? to : o->pages;
    if (o->changed <= turn)
        return to;
    for (u64 page = from; page < end; page++) {
        u64 at = o->first + page;
        if (share_group->unit_age[at / UNIT_PAGES] <= turn)
            page |= UNIT_PAGES - 1;
        else if (share_group->age[at] > turn)
            return page;
    }
    return to;
}

/* --- suspects --------------------------------------------------------------------------------- */

void share_group_suspect(const struct share_suspect *page)
{
    u32 count;
    share_group_suspects(&count);
    for (u32 n = 0; n < count; n++) {
        const struct share_suspect *known = &share_group->suspect[n];
        if (known->page == page->page && known->inode == page->inode &&
            known->device == page->device)
            return;
    }
    /* the oldest goes */
    share_group->suspect[share_group->suspects++ % SHARE_SUSPECTS_MOST] = *page;
}

const struct share_suspect *share_group_suspects(u32 *ret_count)
{
    u32 count = share_group->suspects;
    *ret_count = count < SHARE_SUSPECTS_MOST ? count : SHARE_SUSPECTS_MOST;
    return share_group->suspect;
}
