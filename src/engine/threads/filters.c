/* Filters of system calls: see filters.h.
 *
 * Most calls are allowed whatever their arguments are. Each filter knows for which calls it and all
 * older ones say so: these are not judged, and the door in the code cache may make them. Filters
 * live as long as the process.
 */
#include "engine/threads/filters.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/threads/thread.h"
#include "log/syscall_table.h"

enum {
    STEPS_MOST = 32768, /* of all filters, as the kernel counts */
    STEPS_EACH = 4,     /* what a filter counts besides its own */
    GIVEN_WORDS = (SYSCALL_NUMBERS + 63) / 64,
};

struct filter {
    const struct filter *older;
    u32 count; /* of steps */
    u32 total; /* of the list from here on, as the kernel counts */
    u64 given[GIVEN_WORDS]; /* calls that the list from here on allows whatever their arguments */
    struct filter_step steps[];
};

static u32 stricter(u32 a, u32 b)
{
    return (i32)(b & FILTER_ACTION) < (i32)(a & FILTER_ACTION) ? b : a;
}

/* Strict mode ends the process by SIGKILL, which no filter can ask for; the caller looks at the
 * mode. */
static u32 judge_strictly(u64 number)
{
    return syscall_has(number, EFFECT_STRICT) ? FILTER_ALLOW : FILTER_KILL_THREAD;
}

static bool filters_give(const struct filter *f, u64 number)
{
    return number < SYSCALL_NUMBERS && (f->given[number / 64] >> number % 64 & 1);
}

bool filters_allow_all(const struct thread *t, u64 number)
{
    return t->filter_mode == FILTERS_NONE ||
           (t->filter_mode == FILTERS_LIST && filters_give(t->filters, number));
}

u32 filters_judge(const struct thread *t, const struct filter_data *data)
{
    u32 found = FILTER_ALLOW;
    if (t->filter_mode == FILTERS_STRICT)
        return judge_strictly(data->number);
    if (data->machine == FILTER_MACHINE && filters_give(t->filters, data->number))
        return FILTER_ALLOW;
    for (const struct filter *f = t->filters; f; f = f->older)
        found = stricter(found, filter_program_run(f->steps, data));
    return found;
}

static void find_given(struct filter *f)
{
    for (u32 n = 0; n < SYSCALL_NUMBERS; n++) {
        u32 answer;
        if ((!f->older || filters_give(f->older, n)) &&
            filter_program_constant(f->steps, n, FILTER_MACHINE, &answer) &&
            answer == FILTER_ALLOW)
            f->given[n / 64] |= 1ul << n % 64;
    }
}

/* Adds a filter to a list. Returns NULL if the list would be too long, or without memory. */
static const struct filter *lengthened(const struct filter *older, const struct filter_step *steps,
                                       u32 count)
{
    u32 total = filter_program_length(steps, count) + (older ? older->total + STEPS_EACH : 0);
    if (total > STEPS_MOST)
        return NULL;
    struct filter *f = pool_try_map(sizeof(*f) + count * sizeof(*steps), sizeof(u64));
    if (!f)
        return NULL;
    f->older = older;
    f->count = count;
    f->total = total;
    memcpy(f->steps, steps, count * sizeof(*steps));
    find_given(f);
    return f;
}

static bool is_part(const struct filter *part, const struct filter *list)
{
    while (list && list != part)
        list = list->older;
    return list == part;
}

/* Returns another thread of the process whose filters are not among this one's; NULL: none. */
static struct thread *other_filters(const struct thread *self)
{
    for (struct thread *t = NULL; (t = thread_next(t));)
        if (t != self && !t->apart &&
            (t->filter_mode == FILTERS_STRICT || !is_part(t->filters, self->filters)))
            return t;
    return NULL;
}

i64 filters_install(const struct filter_step *steps, u32 count, bool all)
{
    struct thread *self = thread_self();
    struct thread *other = all ? other_filters(self) : NULL;
    if (other)
        return thread_number(other);
    const struct filter *list = lengthened(self->filters, steps, count);
    if (!list)
        return -ENOMEM;
    self->filters = list;
    self->filter_mode = FILTERS_LIST;
    for (struct thread *t = NULL; all && (t = thread_next(t));)
        if (t != self && !t->apart) {
            filters_inherit(t, self);
            t->filters_given = true;
        }
    return 0;
}

u32 filters_count(const struct thread *t)
{
    u32 count = 0;
    for (const struct filter *f = t->filters; f; f = f->older)
        count++;
    return count;
}

void filters_set_strict(struct thread *t)
{
    t->filter_mode = FILTERS_STRICT;
}

void filters_inherit(struct thread *t, const struct thread *from)
{
    t->filters = from->filters;
    t->filter_mode = from->filter_mode;
}

/* --- over an execve --------------------------------------------------------------------------- */

/* In the file: the oldest first, each a count and its steps. */
static bool filters_write(i64 fd, const struct filter *f)
{
    if (!f)
        return true;
    u64 size = f->count * sizeof(*f->steps);
    return filters_write(fd, f->older) &&
           kernel_call(__NR_write, fd, &f->count, sizeof(f->count)) == sizeof(f->count) &&
           kernel_call(__NR_write, fd, f->steps, size) == (i64)size;
}

i64 filters_hand_on(void)
{
    const struct thread *t = thread_self();
    u64 limit[2];
    if (t->filter_mode != FILTERS_LIST)
        return 0;
    descriptors_widen(limit);
    i64 fd = kernel_call(__NR_memfd_create, "ebb-filters", 0);
    descriptors_narrow(limit);
    if (kernel_failed(fd))
        return fd;
    if (!filters_write(fd, t->filters)) {
        kernel_call(__NR_close, fd);
        return -ENOMEM;
    }
    return descriptors_keep((i32)fd, false, NULL);
}

void filters_describe(struct text *out, i64 file)
{
    if (file <= 0)
        return;
    text_add(out, out->length ? ",filters=" : "filters=");
    text_add_signed(out, file);
}

void filters_start(void)
{
    struct filter_step steps[FILTER_LONGEST];
    struct thread *t = thread_self();
    u32 count;
    i64 place = 0;
    if (!settings.filters)
        return;
    while (kernel_call(__NR_pread64, settings.filters, &count, sizeof(count), place) ==
           sizeof(count)) {
        u64 size = count * sizeof(*steps);
        if (count > FILTER_LONGEST ||
            kernel_call(__NR_pread64, settings.filters, steps, size, place + (i64)sizeof(count)) !=
                (i64)size)
            break;
        t->filters = lengthened(t->filters, steps, count);
        t->filter_mode = FILTERS_LIST;
        place += (i64)(sizeof(count) + size);
    }
    kernel_call(__NR_close, settings.filters);
}
