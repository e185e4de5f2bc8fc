/* Limits of memory: see memory_limits.h.
 *
 * The guest's limits are kept here, and its calls are checked against the sizes of its areas before
 * the kernel is asked.
 */
#include "engine/memory/memory_limits.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"

enum {
    K_RLIMIT_DATA = 2,
    K_RLIMIT_MEMLOCK = 8,
    K_RLIMIT_AS = 9,
    K_CAP_IPC_LOCK = 14,
    K_CAP_SYS_RESOURCE = 24,
    K_CAPABILITY_VERSION_3 = 0x20080522,
    K_PR_GET_MDWE = 66,
    K_PR_MDWE_REFUSE_EXEC_GAIN = 1,
    K_PR_MDWE_NO_INHERIT = 2,
};

#define UNLIMITED (~0ul)

struct memory_limit {
    u32 resource;
    u64 now, most;
};

static struct {
    struct memory_limit space, data;
    u64 future;      /* MCL_* */
    u64 code_denied; /* K_PR_MDWE_* */
} memory_limits = {
    .space = {K_RLIMIT_AS, UNLIMITED, UNLIMITED},
    .data = {K_RLIMIT_DATA, UNLIMITED, UNLIMITED},
};

static void limit_start(struct memory_limit *l, const u64 told[2])
{
    u64 limit[2], none[2] = {UNLIMITED, UNLIMITED};
    if (kernel_call(__NR_prlimit64, 0, l->resource, NULL, limit))
        return;
    l->now = told[0] ? told[0] - 1 : limit[0];
    l->most = told[1] ? told[1] - 1 : limit[1];
    u64 highest[2] = {limit[1], limit[1]};
    if (limit[0] != UNLIMITED && kernel_call(__NR_prlimit64, 0, l->resource, none, NULL))
        kernel_call(__NR_prlimit64, 0, l->resource, highest, NULL);
}

void memory_limits_start(void)
{
    if (settings.replay)
        return;
    limit_start(&memory_limits.space, settings.limit_space);
    limit_start(&memory_limits.data, settings.limit_data);
    memory_limits.code_denied = settings.limit_code ? settings.limit_code - 1 : 0;
}

static struct memory_limit *limit_find(u32 resource)
{
    if (resource == K_RLIMIT_AS)
        return &memory_limits.space;
    return resource == K_RLIMIT_DATA ? &memory_limits.data : NULL;
}

bool memory_limits_has(u32 resource)
{
    return limit_find(resource);
}

void memory_limits_get(u32 resource, u64 ret[2])
{
    const struct memory_limit *l = limit_find(resource);
    ret[0] = l->now;
    ret[1] = l->most;
}

bool memory_limits_capable(u32 capability)
{
    u32 head[2] = {K_CAPABILITY_VERSION_3, 0}, sets[6] = {0};
    return !kernel_call(__NR_capget, head, sets) && (sets[0] >> capability & 1);
}

i64 memory_limits_set(u32 resource, const u64 limit[2])
{
    struct memory_limit *l = limit_find(resource);
    if (limit[0] > limit[1])
        return -EINVAL;
    if (limit[1] > l->most && !memory_limits_capable(K_CAP_SYS_RESOURCE))
        return -EPERM;
    l->now = limit[0];
    l->most = limit[1];
    return 0;
}

/* --- judging --------------------------------------------------------------------------------- */

u64 memory_limits_mapped(void)
{
    u64 sum = 0;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        sum += a->end - a->start;
    return sum;
}

/* Memory that counts as data: private, writable, not a stack. */
static u64 data_mapped(void)
{
    u64 sum = 0;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        if ((a->protection & PROT_WRITE) &&
            !(a->flags & (AREA_SHARED | AREA_STACK | AREA_GROWSDOWN)))
            sum += a->end - a->start;
    return sum;
}

static bool exceeds(const struct memory_limit *l, u64 mapped, u64 more)
{
    return l->now != UNLIMITED && page_down(l->now) < mapped + more;
}

bool memory_limits_allow_writing(u64 bytes)
{
    return !log_owner->live || memory_limits.data.now == UNLIMITED ||
           !exceeds(&memory_limits.data, data_mapped(), bytes);
}

bool memory_limits_allow(u64 bytes, u64 protection, bool shared)
{
    if (!log_owner->live)
        return true;
    if (memory_limits.space.now != UNLIMITED &&
        exceeds(&memory_limits.space, memory_limits_mapped(), bytes))
        return false;
    return shared || !(protection & PROT_WRITE) || memory_limits_allow_writing(bytes);
}

bool memory_limits_allow_heap(u64 bytes)
{
    return !log_owner->live || memory_limits.data.now == UNLIMITED ||
           bytes <= memory_limits.data.now;
}

bool memory_limits_allow_locking(void)
{
    u64 limit[2];
    return kernel_call(__NR_prlimit64, 0, K_RLIMIT_MEMLOCK, NULL, limit) ||
           memory_limits_mapped() <= limit[0] || memory_limits_capable(K_CAP_IPC_LOCK);
}

void memory_limits_lock_future(u64 flags)
{
    memory_limits.future = flags & MCL_FUTURE ? flags : 0;
}

u64 memory_limits_future_locks(void)
{
    return log_owner->live ? memory_limits.future : 0;
}

/* The kernel only says whether it has the call. */
i64 memory_limits_deny_code(u64 bits)
{
    u64 known = K_PR_MDWE_REFUSE_EXEC_GAIN | K_PR_MDWE_NO_INHERIT;
    if (kernel_failed(kernel_call(__NR_prctl, K_PR_GET_MDWE, 0, 0, 0, 0)) || (bits & ~known) ||
        bits == K_PR_MDWE_NO_INHERIT)
        return -EINVAL;
    if (memory_limits.code_denied && memory_limits.code_denied != bits)
        return -EPERM;
    memory_limits.code_denied = bits;
    return 0;
}

u64 memory_limits_code_denied(void)
{
    return memory_limits.code_denied;
}

bool memory_limits_allow_code(u64 old, u64 new)
{
    if (!memory_limits.code_denied || !log_owner->live || !(new & PROT_EXEC))
        return true;
    return !(new & PROT_WRITE) && (old & PROT_EXEC);
}

void memory_limits_forked(void)
{
    memory_limits.future = 0;
    if (memory_limits.code_denied & K_PR_MDWE_NO_INHERIT)
        memory_limits.code_denied = 0;
}

void memory_limits_keep(struct memory_limits_kept *ret)
{
    memory_limits_get(K_RLIMIT_AS, ret->space);
    memory_limits_get(K_RLIMIT_DATA, ret->data);
}

void memory_limits_bring_back(const struct memory_limits_kept *kept)
{
    memory_limits.space = (struct memory_limit){K_RLIMIT_AS, kept->space[0], kept->space[1]};
    memory_limits.data = (struct memory_limit){K_RLIMIT_DATA, kept->data[0], kept->data[1]};
}

/* --- the next image -------------------------------------------------------------------------- */

static void describe(struct text *out, const char *name, u64 value)
{
    if (value == UNLIMITED)
        return;
    text_add(out, out->length ? "," : "");
    text_add(out, name);
    text_add_unsigned(out, value + 1); /* 0: not given */
}

void memory_limits_describe(struct text *out)
{
    describe(out, "limitspace=", memory_limits.space.now);
    describe(out, "limitspacemost=", memory_limits.space.most);
    describe(out, "limitdata=", memory_limits.data.now);
    describe(out, "limitdatamost=", memory_limits.data.most);
    if (memory_limits.code_denied == K_PR_MDWE_REFUSE_EXEC_GAIN)
        describe(out, "limitcode=", memory_limits.code_denied);
}

void memory_limits_apply(bool on)
{
    const struct memory_limit *all[] = {&memory_limits.space, &memory_limits.data};
    for (u32 n = 0; n < countof(all); n++) {
        u64 limit[2];
        if (kernel_call(__NR_prlimit64, 0, all[n]->resource, NULL, limit))
            continue;
        limit[0] = on && all[n]->now < limit[1] ? all[n]->now : limit[1];
        kernel_call(__NR_prlimit64, 0, all[n]->resource, limit, NULL);
    }
}
