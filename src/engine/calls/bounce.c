/* Bounce: see bounce.h.
 *
 * The table of system calls says which arguments the kernel writes and how large they are. Each
 * such range is redirected to engine memory, vectors and messages are rebuilt with the redirected
 * ranges, and the call is made with those. Afterwards the table tells what was written, and that is
 * copied to where the guest wanted it.
 *
 * A range that is fully described by the call's result (a buffer that was read into) is copied as
 * far as the result says. Any other range starts with the guest's content, and only the bytes that
 * the kernel has changed are copied back: another thread may have changed their neighbours
 * meanwhile.
 *
 *   a call that writes nothing          baton given away, made as it is
 *   redirected                          baton given away, made on our memory, copied back
 *   what it writes is not known, or     baton lent: others take it away only if the call waits
 *   cannot be written to, or is huge    (thread_lend)
 *
 * Invariants
 *   (1) A range is redirected only if the guest may write all of it: the engine does not imitate
 *       the kernel's partial results for unmapped memory.
 *   (2) Buffers are taken and released by a thread that has the baton; in between only it uses
 *       them.
 */
#include "engine/calls/bounce.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/threads/thread.h"
#include "log/syscall_table.h"
#include "log/syscall_vectors.h"

enum {
    SMALL_BYTES = 128 * 1024, /* kept for the next call; larger buffers are mapped */
    LARGE_MOST = 64 * 1024 * 1024,
    LARGE_FIRST = 256 * 1024,
    LARGE_COUNT = 8,
    RANGES_MOST = 4096,
    VECTOR_MOST = 1024,
    NAME_MOST = 128, /* bytes of a socket's address */
    SECTOR = 512,
};

struct redirected {
    u64 guest, ours, size;
    u8 *before; /* the content that was given to the kernel; NULL: copied as the result says */
};

struct bounce {
    struct call_made made;
    u64 used;
    u32 count, larges, last;
    struct {
        void *at;
        u64 size;
    } large[LARGE_COUNT];
    struct redirected ranges[RANGES_MOST];
    u8 small[SMALL_BYTES] __attribute__((aligned(16)));
};

static bool bounce_read_memory(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    return guest_read(to, from, size);
}

static const struct call_memory memory = {bounce_read_memory, NULL};

/* Buffers */

static struct bounce *bounce_of(struct thread *t)
{
    invariant(2, thread_holds(t));
    if (!t->bounce)
        t->bounce = pool_try_map(sizeof(struct bounce), 4096);
    return t->bounce;
}

/* Sizes are powers of two, so that the pool can reuse their addresses. */
static void *take_large(struct bounce *b, u64 size)
{
    u64 rounded = LARGE_FIRST;
    while (rounded < size)
        rounded *= 2;
    if (b->larges == LARGE_COUNT || rounded > LARGE_MOST)
        return NULL;
    void *at = pool_try_map(rounded, 4096);
    if (!at)
        return NULL;
    b->large[b->larges].at = at;
    b->large[b->larges++].size = rounded;
    return at;
}

static void *take_aligned(struct bounce *b, u64 size, u64 alignment)
{
    u64 start = (u64)b->small, at = (start + b->used + alignment - 1) & ~(alignment - 1);
    u64 end = at - start + ((size + 15) & ~15ul);
    if (size > LARGE_MOST)
        return NULL;
    if (end > SMALL_BYTES)
        return take_large(b, size);
    b->used = end;
    return (void *)at;
}

static void *bounce_take(struct bounce *b, u64 size)
{
    return take_aligned(b, size, 16);
}

/* For a file opened with O_DIRECT the kernel refuses buffers that are not aligned for the disk. So
 * the redirected buffer gets the guest's alignment. */
static u64 bounce_alignment_of(u64 guest, u64 size)
{
    u64 alignment = guest & -guest;
    if (alignment < SECTOR || size % SECTOR)
        return 16;
    return alignment < PAGE_SIZE ? alignment : PAGE_SIZE;
}

static void reset(struct bounce *b)
{
    invariant(2, thread_holds(thread_self()));
    b->used = 0;
    b->count = b->last = 0;
    while (b->larges) {
        b->larges--;
        pool_unmap(b->large[b->larges].at, b->large[b->larges].size);
    }
}

/* Redirecting */

/* A file that is mapped shared may end before its mapping does. */
static bool bounce_is_there(u64 at, u64 end)
{
    u8 byte;
    for (; at < end; at = page_down(at) + PAGE_SIZE)
        if (!guest_read(&byte, gaddr(at), 1))
            return false;
    return true;
}

static bool writable(u64 at, u64 size)
{
    u64 end = at + size;
    while (at < end) {
        const struct area *a = areas_find(at);
        if (!a || !(a->protection & PROT_WRITE))
            return false;
        if ((a->flags & AREA_SHARED) && !bounce_is_there(at, end < a->end ? end : a->end))
            return false;
        at = a->end;
    }
    return true;
}

/* Returns the address in engine memory; 0: not possible. `kept`: the guest's content is kept where
 * the kernel writes nothing. */
static u64 redirect(struct bounce *b, u64 guest, u64 size, bool kept)
{
    if (!guest || !size)
        return guest;
    if (b->count == RANGES_MOST || guest + size < guest || !writable(guest, size))
        return 0;
    invariant(1, areas_cover(guest, guest + size));
    u8 *ours = take_aligned(b, size, bounce_alignment_of(guest, size));
    u8 *before = kept ? bounce_take(b, size) : NULL;
    if (!ours || (kept && (!before || !guest_read(ours, gaddr(guest), size))))
        return 0;
    b->ranges[b->count++] = (struct redirected){guest, (u64)ours, size, before};
    return (u64)ours;
}

/* Copies an array of the guest that the kernel only reads. */
static void *copy_in(struct bounce *b, u64 guest, u64 size)
{
    void *ours = bounce_take(b, size);
    return ours && guest_read(ours, gaddr(guest), size) ? ours : NULL;
}

static bool redirect_vector(struct bounce *b, u64 *vector, u64 count)
{
    if (count == 0 || count > VECTOR_MOST)
        return count == 0;
    struct k_iovec *ranges = copy_in(b, *vector, count * sizeof(*ranges));
    if (!ranges)
        return false;
    for (u64 i = 0; i < count; i++) {
        if (!ranges[i].size)
            continue;
        ranges[i].base = redirect(b, ranges[i].base, ranges[i].size, false);
        if (!ranges[i].base)
            return false;
    }
    *vector = (u64)ranges;
    return true;
}

/* Redirects a pointer in a copied structure, to memory whose content is kept. */
static bool redirect_field(struct bounce *b, u64 *field, u64 size)
{
    if (!*field || !size)
        return true;
    *field = redirect(b, *field, size, true);
    return *field != 0;
}

static bool redirect_message(struct bounce *b, struct k_msghdr *header)
{
    u64 name_size = header->name_size < NAME_MOST ? header->name_size : NAME_MOST;
    return redirect_field(b, &header->name, name_size) &&
           redirect_field(b, &header->control, header->control_size) &&
           redirect_vector(b, &header->iov, header->iov_count);
}

static bool redirect_messages(struct bounce *b, u64 *arg, u64 count)
{
    if (count == 0 || count > VECTOR_MOST)
        return count == 0;
    struct k_mmsghdr *messages =
        (struct k_mmsghdr *)redirect(b, *arg, count * sizeof(*messages), true);
    if (!messages)
        return false;
    for (u64 i = 0; i < count; i++)
        if (!redirect_message(b, &messages[i].header))
            return false;
    *arg = (u64)messages;
    return true;
}

/* Redirects argument `index` of the guest's call, into `to`. */
static bool redirect_argument(struct bounce *b, const struct call_made *asked, unsigned index,
                              u64 *to)
{
    const struct call_arg *arg = &asked->variant->args[index];
    u64 size = call_offered(asked, index, &memory);
    switch (arg->shape) {
    case SHAPE_PLAIN:
        *to = redirect(b, *to, size, arg->filled.source != FROM_ret || (arg->way & ARG_IN));
        return *to != 0;
    case SHAPE_IOVEC:
        /* it may be given to a pipe (vmsplice), and read from there at any time */
        if (arg->way & ARG_IN)
            return false;
        return redirect_vector(b, to, size / sizeof(struct k_iovec));
    case SHAPE_MSGHDR:
        *to = redirect(b, *to, sizeof(struct k_msghdr), true);
        return *to && redirect_message(b, (struct k_msghdr *)*to);
    case SHAPE_MMSGHDR:
        return redirect_messages(b, to, (u32)asked->args[2]);
    default:
        return false;
    }
}

/* On success b->made is the call on engine memory. */
static bool redirect_call(struct bounce *b, const struct call_made *asked)
{
    u64 args[SYSCALL_ARGS];
    memcpy(args, asked->args, sizeof(args));
    for (unsigned i = 0; i < SYSCALL_ARGS && asked->variant->args[i].name; i++)
        if ((asked->variant->args[i].way & ARG_OUT) && args[i] &&
            !redirect_argument(b, asked, i, &args[i]))
            return false;
    for (u32 n = 0; n < b->count; n++) {
        const struct redirected *r = &b->ranges[n];
        if (r->before)
            memcpy(r->before, (const void *)r->ours, r->size);
    }
    call_begin(&b->made, asked->number, args, &memory);
    return true;
}

/* Copying back */

/* Finds a range. They are looked up nearly in the order in which they were made. */
static const struct redirected *bounce_find(struct bounce *b, u64 ours, u64 size)
{
    for (u32 n = 0; n < b->count; n++) {
        u32 at = (b->last + n) % b->count;
        const struct redirected *r = &b->ranges[at];
        if (ours >= r->ours && ours + size <= r->ours + r->size) {
            b->last = at;
            return r;
        }
    }
    return NULL;
}

/* Copies the bytes that have changed. */
static bool write_changed(u64 guest, const u8 *ours, const u8 *before, u64 size)
{
    for (u64 at = 0; at < size;) {
        u64 end = at;
        while (end < size && ours[end] != before[end])
            end++;
        if (end > at && !guest_write(gaddr(guest + at), ours + at, end - at))
            return false;
        at = end + 1;
    }
    return true;
}

struct copying {
    struct bounce *bounce;
    bool faulted;
};

static void bounce_copy_out(void *context, struct gaddr at, u64 size)
{
    struct copying *c = context;
    const struct redirected *r = bounce_find(c->bounce, at.at, size);
    if (!r)
        return;
    u64 offset = at.at - r->ours;
    if (r->before)
        c->faulted |=
            !write_changed(r->guest + offset, (const u8 *)at.at, r->before + offset, size);
    else if (!kernel_failed(c->bounce->made.result))
        c->faulted |= !guest_write(gaddr(r->guest + offset), (const void *)at.at, size);
}

/* Another thread may have unmapped the memory meanwhile. */
static i64 copy_back(struct bounce *b, i64 result)
{
    struct copying c = {b, false};
    b->made.result = result;
    call_written(&b->made, &memory, bounce_copy_out, &c);
    return c.faulted ? -EFAULT : result;
}

/* Making the call */

static i64 bounce_make_call(u64 number, const u64 *args)
{
    return engine_make_call(number, args, &thread_self()->signal_waiting);
}

static i64 make_away(u64 number, const u64 *args)
{
    thread_give_baton();
    i64 result = bounce_make_call(number, args);
    thread_take_baton();
    return result;
}

static i64 make_lent(u64 number, const u64 *args)
{
    thread_lend_baton();
    i64 result = bounce_make_call(number, args);
    thread_end_loan();
    return result;
}

static i64 make_redirected(struct bounce *b)
{
    i64 result = make_away(b->made.number, b->made.args);
    return result == ENGINE_CALL_NOT_MADE ? result : copy_back(b, result);
}

static bool writes_nothing(const struct call_made *asked)
{
    const struct syscall_row *row = asked->variant;
    for (unsigned i = 0; i < SYSCALL_ARGS && row->args[i].name; i++)
        if ((row->args[i].way & ARG_OUT) && asked->args[i])
            return false;
    return !row->unknown;
}

i64 bounce_pass(const struct call *call)
{
    struct call_made asked;
    call_begin(&asked, call->number, call->args, &memory);
    if (writes_nothing(&asked) || (asked.row->effects & EFFECT_IN_PLACE))
        return make_away(call->number, call->args);
    struct bounce *b = asked.variant->unknown ? NULL : bounce_of(thread_self());
    if (b && b->count)
        reset(b); /* left by a thread that a fork cut off in a call, whose block this was */
    bool redirected = b && redirect_call(b, &asked);
    i64 result = redirected ? make_redirected(b) : make_lent(call->number, call->args);
    if (b)
        reset(b);
    return result;
}
