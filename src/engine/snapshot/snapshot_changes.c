/* Finds the pages that have changed since the last snapshot of a program that is recorded.
 *
 * There are three ways:
 *
 * KERNEL   userfaultfd with WP_ASYNC marks all pages as write-protected. At the first write to a
 *          page, by the program or by a system call, the kernel removes the mark and lets the write
 *          through. PAGEMAP_SCAN lists the pages that still have the mark. This needs Linux 6.7 and
 *          the permission to use userfaultfd.
 *
 * HASH     All pages are hashed, which is about ten times as fast as writing them.
 *
 * FULL     Every page counts as changed.
 *
 * KERNEL is exact. A mapping that is new since the last snapshot has no marks, so memory that was
 * unmapped, moved (mremap) or mapped again counts as changed. Pages that the program discarded
 * (MADV_DONTNEED) do not exist, or come back without a mark. Before Linux 6.13, pages that were
 * moved kept their marks but lost the protection, so all pages of a mapping that is new are
 * protected again. Mappings of files are not protected, because their marks stay when pages are
 * dropped, and because the kernel would map only one page per fault. The few pages of such mappings
 * that the program has written are hashed.
 *
 * HASH takes two different contents for equal with a probability of 2^-64. The four lanes of XXH64
 * are combined only at the end, and each step is a bijection of its lane and of the word. So two
 * contents that differ in one word differ in that lane, too.
 *
 * No thread writes to the program's memory while this code runs: this thread has the baton, and no
 * other thread is in a call that may write to it (snapshot_recorded_hindrance).
 */
#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/pool.h"
#include "engine/snapshot/snapshot.h"
#include "engine/snapshot/snapshot_internal.h"

enum {
    K_USER_MODE_ONLY = 1,        /* linux/userfaultfd.h */
    K_UFFD_API = 0xaa,
    K_WP_UNPOPULATED = 1 << 13,
    K_WP_ASYNC = 1 << 15,
    K_REGISTER_WP = 2,
    K_PROTECT = 1,
    K_O_NONBLOCK_FLAG = 04000,
    K_WPALLOWED = 1,             /* linux/fs.h: categories of PAGEMAP_SCAN */
    K_WRITTEN = 2,
    K_FILE = 4,
    K_PRESENT = 8,
    K_THERE = 8 | 16,            /* present or swapped */
    K_SCAN_PROTECT = 1,
    HASHES_MOST = 1 << 20,       /* pages; others count as changed */
};

#define K_UFFDIO_API 0xc018aa3ful
#define K_UFFDIO_REGISTER 0xc020aa00ul
#define K_UFFDIO_WRITEPROTECT 0xc018aa06ul
#define K_PAGEMAP_SCAN 0xc0606610ul

struct k_uffd_api {
    u64 api, features, ioctls;
};
struct k_uffd_register {
    u64 start, size, mode, ioctls;
};
struct k_uffd_protect {
    u64 start, size, mode;
};
struct k_scan {
    u64 size, flags, start, end, walk_end, vec, vec_size, most_pages;
    u64 inverted, all_of, any_of, returned;
};

struct snapshot_hash {
    u64 page;
    u64 half[2];
};

/* --- choosing ------------------------------------------------------------------------------- */

static bool open_faults(struct snapshot_changes *c)
{
    struct k_uffd_api api = {.api = K_UFFD_API, .features = K_WP_ASYNC | K_WP_UNPOPULATED};
    i64 fd = kernel_call(__NR_userfaultfd, O_CLOEXEC | K_O_NONBLOCK_FLAG | K_USER_MODE_ONLY);
    if (kernel_failed(fd))
        return false;
    if (kernel_failed(kernel_call(__NR_ioctl, fd, K_UFFDIO_API, &api)) ||
        kernel_failed(descriptors_keep((i32)fd, true, &c->fault_fd))) {
        kernel_call(__NR_close, fd);
        return false;
    }
    return true;
}

static bool make_hashes(struct snapshot_changes *c)
{
    u64 size = HASHES_MOST * sizeof(struct snapshot_hash);
    c->hashes = pool_try_map(size, PAGE_SIZE);
    c->new_hashes = c->hashes ? pool_try_map(size, PAGE_SIZE) : NULL;
    if (c->hashes && !c->new_hashes) {
        pool_unmap(c->hashes, size);
        c->hashes = NULL;
    }
    return c->hashes != NULL;
}

void snapshot_changes_choose(struct snapshot_changes *c, u32 wanted)
{
    bool any = wanted == SNAPSHOT_WAY_ANY;
    if (c->way)
        return;
    if (wanted == SNAPSHOT_WAY_FULL || (!c->hashes && !make_hashes(c)))
        c->way = SNAPSHOT_WAY_FULL;
    else if ((any || wanted == SNAPSHOT_WAY_KERNEL) && open_faults(c))
        c->way = SNAPSHOT_WAY_KERNEL;
    else
        c->way = SNAPSHOT_WAY_HASH;
}

void snapshot_changes_forked(struct snapshot_changes *c)
{
    if (c->way == SNAPSHOT_WAY_KERNEL) {
        descriptors_drop(c->fault_fd);
        c->way = 0; /* the parent's memory is not ours */
    }
    c->number = 0;
}

/* --- what the kernel says ------------------------------------------------------------------- */

static bool kernel_notes(const struct snapshot_out *o, const struct snapshot_mapping *m)
{
    return o->changes->way == SNAPSHOT_WAY_KERNEL && m->source == SNAPSHOT_ANONYMOUS && !m->shared;
}

/* Finds the regions of these categories. Returns their number, which is at most `room`. */
static i64 scan_pages(struct snapshot_out *o, struct k_scan *s, u64 room)
{
    s->size = sizeof(*s);
    s->vec = room ? (u64)o->scan.region : 0;
    s->vec_size = room;
    s->returned |= K_WPALLOWED;
    return kernel_call(__NR_ioctl, o->pagemap.fd, K_PAGEMAP_SCAN, s);
}

/* Fills the buffer with the next regions. The kernel needs long to find out whether a page belongs
 * to a file. */
static void scan_there(struct snapshot_out *o, const struct snapshot_mapping *m)
{
    struct k_scan s = {.start = o->scan.until, .end = m->end, .any_of = K_THERE,
                       .returned = K_WRITTEN | K_THERE | (kernel_notes(o, m) ? 0 : K_FILE)};
    i64 got = scan_pages(o, &s, SNAPSHOT_REGIONS);
    o->scan.next = 0;
    o->scan.count = got > 0 ? (u64)got : 0;
    o->scan.until = got < 0 || s.walk_end <= s.start ? m->end : s.walk_end;
    if (got >= 0)
        return;
    snapshot_fail(o, "the kernel does not say which pages have changed");
    descriptors_drop(o->changes->fault_fd);
    o->changes->way = SNAPSHOT_WAY_HASH; /* for the next time */
}

bool snapshot_changes_next(struct snapshot_out *o, const struct snapshot_mapping *m,
                           struct snapshot_stretch *ret)
{
    struct snapshot_scan *s = &o->scan;
    while (s->next == s->count && s->until < m->end && !o->wrong)
        scan_there(o, m);
    if (s->next == s->count || o->wrong)
        return false;
    const struct snapshot_region *r = &s->region[s->next++];
    u64 there = r->categories & K_PRESENT ? PAGE_IN_MEMORY : PAGE_PRESENT & ~PAGE_IN_MEMORY;
    *ret = (struct snapshot_stretch){
        .start = r->start, .end = r->end,
        .entry = there | (r->categories & K_FILE ? PAGE_OF_FILE : 0),
        .same = o->since && kernel_notes(o, m) && (r->categories & K_PRESENT) &&
                (r->categories & (K_WPALLOWED | K_WRITTEN)) == K_WPALLOWED,
    };
    return true;
}

/* Returns the end of the range to protect. The changed pages after it were left out of a slice and
 * get no mark; unchanged ones keep their marks. */
static u64 protected_end(const struct snapshot_out *o, const struct snapshot_mapping *m)
{
    if (!o->left || o->cut >= m->end)
        return m->end;
    return o->cut > m->start ? o->cut : m->start;
}

/* Protects the pages of a mapping that is new since the last snapshot, or of the first snapshot.
 * Their marks may be old. */
static void protect_new(struct snapshot_out *o, const struct snapshot_mapping *m)
{
    u64 end = protected_end(o, m);
    struct k_uffd_protect rest = {end, m->end - end, 0};
    i32 faults = o->changes->fault_fd;
    struct k_uffd_register whole = {.start = m->start, .size = m->end - m->start,
                                    .mode = K_REGISTER_WP};
    if (kernel_failed(kernel_call(__NR_ioctl, faults, K_UFFDIO_REGISTER, &whole)))
        return; /* its pages stay without marks */
    if (end < m->end)
        kernel_call(__NR_ioctl, faults, K_UFFDIO_WRITEPROTECT, &rest);
    for (u64 from = m->start; from < end;) {
        struct k_scan s = {.start = from, .end = end, .any_of = K_THERE};
        i64 got = scan_pages(o, &s, SNAPSHOT_REGIONS);
        for (i64 n = 0; n < got; n++) {
            const struct snapshot_region *r = &o->scan.region[n];
            struct k_uffd_protect part = {r->start, r->end - r->start, K_PROTECT};
            kernel_call(__NR_ioctl, faults, K_UFFDIO_WRITEPROTECT, &part);
        }
        from = got < 0 || s.walk_end <= from ? end : s.walk_end;
    }
}

/* A failure here leaves pages without marks, and these count as changed. Pages that do not exist
 * get no mark: a mark in the place of a page looks like a swapped page and costs another fault. */
static void protect_mapping(struct snapshot_out *o, const struct snapshot_mapping *m)
{
    struct k_scan without = {.start = m->start, .end = m->end, .most_pages = 1,
                             .inverted = K_WPALLOWED, .all_of = K_WPALLOWED};
    struct k_scan written = {.start = m->start, .end = protected_end(o, m), .flags = K_SCAN_PROTECT,
                             .all_of = K_WPALLOWED | K_WRITTEN, .any_of = K_THERE};
    if (!o->since || scan_pages(o, &without, 1) != 0)
        protect_new(o, m);
    else if (written.start < written.end)
        scan_pages(o, &written, 0);
}

/* --- hashes --------------------------------------------------------------------------------- */

static u64 hash_rotate(u64 value, u32 by)
{
    return value << by | value >> (64 - by);
}

static void hash_page(const u64 *words, u64 ret[2])
{
    const u64 first = 0x9e3779b185ebca87ul, second = 0xc2b2ae3d27d4eb4ful;
    u64 a = first + second, b = second, c = 0, d = -first;
    for (u32 n = 0; n < PAGE_SIZE / sizeof(u64); n += 4) {
        a = hash_rotate(a + words[n] * second, 31) * first;
        b = hash_rotate(b + words[n + 1] * second, 31) * first;
        c = hash_rotate(c + words[n + 2] * second, 31) * first;
        d = hash_rotate(d + words[n + 3] * second, 31) * first;
    }
    ret[0] = (a ^ hash_rotate(b, 23)) * first + hash_rotate(c, 41) * second + d;
    ret[1] = (b ^ hash_rotate(a, 17)) * second + hash_rotate(d, 37) * first + c;
}

/* Also keeps the hash for the next snapshot, unless the page has changed and is left out. */
static bool same_by_hash(struct snapshot_out *o, const struct snapshot_mapping *m, u64 page,
                         u64 entry)
{
    struct snapshot_changes *c = o->changes;
    if (!(entry & PAGE_IN_MEMORY) || !(m->protection & PROT_READ) ||
        c->new_hash_count == HASHES_MOST)
        return false;
    while (o->next_hash < c->hash_count && c->hashes[o->next_hash].page < page)
        o->next_hash++;
    const struct snapshot_hash *before = &c->hashes[o->next_hash];
    bool known = o->since && o->next_hash < c->hash_count && before->page == page;
    if (snapshot_slice_full(o) && !known)
        return false;
    struct snapshot_hash *h = &c->new_hashes[c->new_hash_count];
    h->page = page;
    hash_page((const u64 *)page, h->half);
    bool same = known && before->half[0] == h->half[0] && before->half[1] == h->half[1];
    c->new_hash_count += same || !snapshot_slice_full(o);
    return same;
}

/* --- the interface -------------------------------------------------------------------------- */

void snapshot_changes_look(struct snapshot_out *o, const struct snapshot_mapping *m)
{
    o->scan.until = m->start;
    o->scan.count = o->scan.next = 0;
}

bool snapshot_changes_same(struct snapshot_out *o, const struct snapshot_mapping *m, u64 page,
                           u64 entry)
{
    if (o->changes->way == SNAPSHOT_WAY_FULL)
        return false;
    return !kernel_notes(o, m) && same_by_hash(o, m, page, entry);
}

void snapshot_changes_begin(struct snapshot_out *o)
{
    struct snapshot_changes *c = o->changes;
    struct snapshot_hash *before = c->hashes;
    c->hashes = c->new_hashes;
    c->hash_count = c->new_hash_count;
    c->new_hashes = before;
    c->new_hash_count = 0;
    for (u64 at = 0; at < o->used;) {
        const struct snapshot_record *r = (const struct snapshot_record *)(o->state + at);
        const struct snapshot_mapping *m = (const struct snapshot_mapping *)r;
        if (r->kind == SNAPSHOT_MAPPING && kernel_notes(o, m))
            protect_mapping(o, m);
        at += r->size;
    }
}
