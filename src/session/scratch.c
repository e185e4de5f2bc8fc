/* A disposable copy of the process that may be written to: for calling functions and trying values.
 *
 * The copy leaves the recording with the first write. It never becomes a checkpoint, and nothing it
 * does affects the session's own process.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/syscall_numbers.h"
#include "session/session_internal.h"

bool session_scratch(const struct session *s)
{
    return s->scratch != NULL;
}

void session_scratch_drop(struct session *s)
{
    replayer_destroy(s->scratch);
    s->scratch = NULL;
    s->scratch_room = (struct scratch_room){0};
}

struct error *scratch_make(struct session *s)
{
    struct replayer *r;
    if (s->scratch)
        return NULL;
    scratch_pass_output(s);
    struct error *err = session_present(s, &r);
    return err ? err : replayer_fork(r, &s->scratch);
}

/* --- what it prints ------------------------------------------------------------------------
 *
 * A copy's standard output and error go to the file that collects the messages of all engines. */

static off_t scratch_printed(const struct session *s)
{
    struct stat st;
    return fstat(s->family.errors, &st) == 0 ? st.st_size : 0;
}

void scratch_pass_output(struct session *s)
{
    s->scratch_shown = scratch_printed(s);
}

char *session_scratch_output(struct session *s, size_t *ret_size)
{
    off_t from = s->scratch_shown, end = scratch_printed(s);
    size_t size = end > from ? (size_t)(end - from) : 0;
    char *text = xalloc(size + 1);
    ssize_t got = pread(s->family.errors, text, size, from);
    *ret_size = got > 0 ? (size_t)got : 0;
    text[*ret_size] = '\0';
    s->scratch_shown = end;
    return text;
}

/* --- memory of its own --------------------------------------------------------------------- */

struct error *session_entry(struct session *s, u64 *ret)
{
    u64 *pairs, entry = 0;
    size_t size;
    struct error *err = session_auxv(s, (u8 **)&pairs, &size);
    if (err)
        return err;
    for (size_t i = 0; i + 1 < size / sizeof *pairs; i += 2)
        if (pairs[i] == AT_ENTRY)
            entry = pairs[i + 1];
    free(pairs);
    if (!entry)
        return error_coded(ERROR_UNAVAILABLE, "the program's first instruction is not known");
    *ret = entry;
    return NULL;
}

/* Makes the copy execute a system call in place of the program's first instruction. */
static struct error *scratch_system_call(struct session *s, struct control_registers regs, u64 call,
                                         const u64 args[SYSCALL_ARGUMENTS])
{
    static const u8 instruction[] = {0x0f, 0x05};
    u8 covered[sizeof instruction];
    struct session_stop stop;
    size_t got = 0;
    u64 at;
    u32 signal;
    struct error *err = session_entry(s, &at);
    if (!err)
        err = session_read(s, at, covered, sizeof covered, &got);
    if (!err && got < sizeof covered)
        err = error_coded(ERROR_UNAVAILABLE, "the program's first instruction is not there");
    if (err)
        return err;
    regs.rip = at;
    register_set_syscall(regs.reg, call, args);
    err = session_write(s, at, instruction, sizeof instruction);
    if (!err)
        err = session_set_registers(s, CONTROL_THREAD_ANY, &regs, NULL);
    if (!err)
        err = session_scratch_run(s, 1, &stop, &signal);
    return err ? err : session_write(s, at, covered, sizeof covered);
}

struct error *session_scratch_map(struct session *s, u64 address, u64 size)
{
    const u64 args[SYSCALL_ARGUMENTS] = {
        address, size, PROT_READ | PROT_WRITE | PROT_EXEC,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, ~0ull, 0,
    };
    struct control_registers regs;
    const u8 *vector;
    struct error *err = session_registers(s, CONTROL_THREAD_ANY, &regs, &vector);
    regs.vector_size = 0; /* the call changes no vector register */
    if (!err)
        err = scratch_system_call(s, regs, CALL_mmap, args);
    return err ? err : session_set_registers(s, CONTROL_THREAD_ANY, &regs, NULL);
}

/* --- running it ---------------------------------------------------------------------------- */

struct error *session_write(struct session *s, u64 address, const void *from, size_t size)
{
    struct error *err = scratch_make(s);
    return err ? err : replayer_write(s->scratch, address, from, size);
}

struct error *session_set_registers(struct session *s, u32 thread,
                                    const struct control_registers *to,
                                    const u8 *vector)
{
    struct error *err = scratch_make(s);
    return err ? err : replayer_set_registers(s->scratch, thread, to, vector);
}

/* Makes a plan with code breakpoints only. Other breakpoints are about recorded events. */
static void plan_scratch(struct session *s, u64 steps, struct pass_plan *ret)
{
    struct plan_site step = {.kind = SITE_STEP, .thread = CONTROL_THREAD_ANY};
    breakpoints_plan(&s->breakpoints, CHOOSE_ALL, &step, steps ? 1 : 0, ret);
    struct plan_site *sites = (struct plan_site *)(ret->plan + 1);
    const u8 *bytecode = (const u8 *)(sites + ret->plan->sites);
    u32 kept = 0;
    for (u32 i = 0; i < ret->plan->sites; i++) {
        bool stays = sites[i].kind == SITE_CODE || sites[i].kind == SITE_STEP;
        if (stays) {
            sites[kept] = sites[i];
            ret->numbers[kept++] = ret->numbers[i];
        }
    }
    memmove(sites + kept, bytecode, ret->plan->bytecode_size);
    ret->plan->sites = kept;
    ret->size = sizeof *ret->plan + kept * sizeof *sites + ret->plan->bytecode_size;
    ret->plan->flags = PLAN_PAST_HERE;
}

struct error *session_scratch_run(struct session *s, u64 steps, struct session_stop *ret,
                                  u32 *ret_signal)
{
    struct pass_plan plan;
    struct error *err = scratch_make(s);
    if (err)
        return err;
    replayer_family_calm(&s->family);
    plan_scratch(s, steps, &plan);
    *ret = (struct session_stop){.why = WHY_END};
    *ret_signal = 0;
    struct control_stopped *stopped = &s->scratch->stopped;
    for (u64 left = steps ? steps : 1; !err && left > 0; left--) {
        err = replayer_run(s->scratch, plan.plan, plan.size);
        if (!err && (stopped->reason != STOPPED_HIT || plan.numbers[stopped->hits[0].site]))
            break;
    }
    if (!err && stopped->reason == STOPPED_HIT) {
        ret->hit = stopped->hits[0];
        ret->breakpoint = plan.numbers[ret->hit.site];
        ret->why = ret->breakpoint ? WHY_BREAKPOINT : WHY_STEPPED;
        ret->breakpoints[0] = ret->breakpoint;
        ret->breakpoint_count = ret->breakpoint != 0;
    } else if (!err && stopped->reason == STOPPED_INTERRUPTED) {
        ret->why = WHY_INTERRUPTED;
    } else if (!err) {
        *ret_signal = stopped->end_signal;
    }
    pass_plan_deinit(&plan);
    return err;
}
