/* The engine's vDSO and its functions: see own_vdso.h.
 *
 * Results are written as by the kernel's functions; all other registers and the flags are
 * unchanged. So the state after a call depends only on the answer, which is in the log.
 *
 * A bad pointer causes a fault inside the function if the kernel's vDSO would have written to it,
 * and EFAULT if it would have made a system call.
 */
#include "engine/calls/own_vdso.h"

#include <linux/time.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/calls/clock_log.h"
#include "engine/memory/address.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/signals/signals.h"
#include "engine/vdso/markers.h"
#include "engine/x86_64/cpu.h"

enum {
    OPCODE_INT = 0xcd,
    MARKER_SIZE = 2,
    SEGV_MAPERR = 1,
    SEGV_ACCERR = 2,
};

extern const u8 vdso_image[], vdso_image_end[]; /* vdso/vdso_image.S */

/* Mapping */

static struct {
    u64 at, size; /* the guest's vDSO; 0: none */
} mapped;

u64 own_vdso_map(void)
{
    u64 image_size = (u64)(vdso_image_end - vdso_image), size = page_up(image_size);
    u64 at = address_place_image(size, PAGE_SIZE); /* a low address, where code runs fastest */
    if (!at)
        return 0;
    u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    i64 got = kernel_call(__NR_mmap, at, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if ((u64)got != at)
        return 0;
    memcpy((void *)at, vdso_image, image_size);
    kernel_call(__NR_mprotect, at, size, PROT_READ);
    struct area area = {
        .start = at,
        .end = at + size,
        .protection = PROT_READ | PROT_EXEC,
        .flags = AREA_VDSO,
    };
    areas_set(&area);
    mapped.at = at;
    mapped.size = image_size;
    return at;
}

/* Applying answers */

/* Writes to an address that the guest chose. */
static bool own_vdso_put(u64 at, const void *value, size_t size, u64 *fault)
{
    *fault = at;
    return guest_write(gaddr(at), value, size);
}

/* Writes both at once, which is fast; one by one to find the address if that fails. */
static bool put_pair(u64 at, const u64 pair[2], u64 *fault)
{
    return guest_write(gaddr(at), pair, 16) ||
           (own_vdso_put(at, &pair[0], 8, fault) && own_vdso_put(at + 8, &pair[1], 8, fault));
}

/* Each writes its answer; if that fails, it returns false and the address. */

static bool apply_gettime(const u64 *args, const u64 *value, u64 *fault)
{
    return put_pair(args[1], &value[1], fault);
}

static bool apply_getres(const u64 *args, const u64 *value, u64 *fault)
{
    return !args[1] || put_pair(args[1], &value[1], fault);
}

static bool apply_gettimeofday(const u64 *args, const u64 *value, u64 *fault)
{
    u32 zone[2] = {(u32)value[2], (u32)value[3]};
    return (!args[0] || put_pair(args[0], value, fault)) &&
           (!args[1] || own_vdso_put(args[1], zone, sizeof(zone), fault));
}

static bool apply_time(const u64 *args, const u64 *value, u64 *fault)
{
    return !args[0] || own_vdso_put(args[0], value, 8, fault);
}

static bool apply_getcpu(const u64 *args, const u64 *value, u64 *fault)
{
    return (!args[0] || own_vdso_put(args[0], &value[0], 4, fault)) &&
           (!args[1] || own_vdso_put(args[1], &value[1], 4, fault));
}

struct function {
    enum event_clock_source source;
    u32 result; /* index of the result among the values */
    bool may_fail;
    bool (*apply)(const u64 *args, const u64 *value, u64 *fault);
};

enum { MARKER_FIRST = VDSO_CLOCK_GETTIME };

static const struct function functions[] = {
    [VDSO_CLOCK_GETTIME - MARKER_FIRST] = {CLOCK_GETTIME,      3, true,  apply_gettime},
    [VDSO_GETTIMEOFDAY - MARKER_FIRST]  = {CLOCK_GETTIMEOFDAY, 4, true,  apply_gettimeofday},
    [VDSO_TIME - MARKER_FIRST]          = {CLOCK_TIME,         0, false, apply_time},
    [VDSO_GETCPU - MARKER_FIRST]        = {CLOCK_GETCPU,       2, true,  apply_getcpu},
    [VDSO_CLOCK_GETRES - MARKER_FIRST]  = {CLOCK_GETRES,       3, true,  apply_getres},
};

/* True if the kernel's vDSO handles this clock itself, and does not make a system call. */
static bool in_vdso(i32 clock)
{
    const u32 known = 1u << CLOCK_REALTIME | 1u << CLOCK_MONOTONIC | 1u << CLOCK_MONOTONIC_RAW |
                      1u << CLOCK_REALTIME_COARSE | 1u << CLOCK_MONOTONIC_COARSE |
                      1u << CLOCK_BOOTTIME | 1u << CLOCK_TAI;
    return clock >= 0 && clock < 32 && (known >> clock & 1);
}

static bool by_call(const struct function *f, const u64 *args)
{
    return (f->source == CLOCK_GETTIME || f->source == CLOCK_GETRES) && !in_vdso((i32)args[0]);
}

/* False: the guest has a fault at *fault, and the function has not returned. */
static bool own_vdso_apply(const struct function *f, const u64 *args, const u64 *value, u64 *fault)
{
    u64 result = value[f->result];
    if (!(f->may_fail && result) && !f->apply(args, value, fault)) {
        if (!by_call(f, args))
            return false;
        result = (u64)-EFAULT;
    }
    cpu->reg[RAX] = result;
    return true;
}

/* Returns the function of the marker at the pc. */
static const struct function *own_vdso_function_of(u64 pc)
{
    const u8 *bytes = gaddr_pointer(gaddr(pc));
    unsigned number = (u8)(bytes[1] - MARKER_FIRST);
    return bytes[0] == OPCODE_INT && number < countof(functions) ? &functions[number] : NULL;
}

/* A guest may move its vDSO, as checkpointing tools do; the areas know where it is. */
static const struct function *function_at(u64 pc)
{
    if (pc - mapped.at < mapped.size)
        return own_vdso_function_of(pc);
    const struct area *area = areas_find(pc);
    bool inside = area && (area->flags & AREA_VDSO) && pc + MARKER_SIZE <= area->end;
    return mapped.at && inside ? own_vdso_function_of(pc) : NULL;
}

enum own_vdso_outcome own_vdso_call(void)
{
    const struct function *f = function_at(cpu->rip);
    if (!f)
        return OWN_VDSO_NOT_AT;
    u64 args[CLOCK_ARGS] = {cpu->reg[RDI], cpu->reg[RSI]}, fault = 0;
    struct clock_answer answer;
    logged_clock(f->source, args, &answer);
    if (own_vdso_apply(f, args, answer.value, &fault)) {
        cpu->rip += MARKER_SIZE;
        return OWN_VDSO_ANSWERED;
    }
    signals_raise(SIG_SEGV, areas_find(fault) ? SEGV_ACCERR : SEGV_MAPERR, fault);
    return OWN_VDSO_FAULTED;
}

/* The vsyscall page, which is older than vDSOs: three functions, which most kernels still have.
 * Other addresses there fault. */
#define VSYSCALL_PAGE 0xffffffffff600000ul

bool own_vdso_vsyscall(void)
{
    static const u8 markers[] = {VDSO_GETTIMEOFDAY, VDSO_TIME, VDSO_GETCPU};
    u64 offset = cpu->rip - VSYSCALL_PAGE, number = offset / 1024, caller, fault = 0;
    if (number >= countof(markers) || offset % 1024 ||
        !guest_read_u64(gaddr(cpu->reg[RSP]), &caller))
        return false;
    const struct function *f = &functions[markers[number] - MARKER_FIRST];
    u64 args[CLOCK_ARGS] = {cpu->reg[RDI], cpu->reg[RSI]};
    struct clock_answer answer;
    logged_clock(f->source, args, &answer);
    if (!own_vdso_apply(f, args, answer.value, &fault)) {
        signals_raise(SIG_SEGV, areas_find(fault) ? SEGV_ACCERR : SEGV_MAPERR, fault);
        return true;
    }
    cpu->rip = caller;
    cpu->reg[RSP] += sizeof(caller);
    ticks_add(1);
    return true;
}
