/* Finds a frame's caller by the call frame information of the files.
 *
 * frames.c makes lists of such steps. For code without such information, the caller is found from
 * the code itself (epilogue.c), or by the frame pointer if that looks valid. Otherwise the
 * backtrace ends there and says so.
 */
#include <dwarf.h>

#include "base/xalloc.h"
#include "symbols/expression.h"
#include "symbols/symbols_internal.h"

/* --- call frame information ------------------------------------------------------------------- */

static void load_frames(struct module *m)
{
    if (m->frames[0].cfi || m->frames[1].cfi)
        return;
    m->frames[0].cfi = dwfl_module_eh_cfi(m->mod, &m->frames[0].bias);
    m->frames[1].cfi = dwfl_module_dwarf_cfi(m->mod, &m->frames[1].bias);
}

/* The caller frees it; NULL: none. */
static Dwarf_Frame *frame_of(struct module *m, u64 pc, u64 *ret_bias)
{
    load_frames(m);
    for (size_t n = 0; n < countof(m->frames); n++) {
        Dwarf_Frame *frame = NULL;
        if (m->frames[n].cfi &&
            dwarf_cfi_addrframe(m->frames[n].cfi, pc - m->frames[n].bias, &frame) == 0) {
            *ret_bias = m->frames[n].bias;
            return frame;
        }
    }
    return NULL;
}

/* glibc's clone3 and clone end their information just before the call after which a new thread
 * continues in the same code, because it would be wrong for the new thread. For the old thread it
 * stays valid up to the return, a few instructions later. So if a function's information ended
 * shortly before the pc, the last known rule is used. */
static Dwarf_Frame *frame_before_gap(struct module *m, u64 pc, u64 *ret_bias)
{
    enum { GAP_MOST = 32 };
    struct function_symbol *f = module_function(m, pc);
    Dwarf_Frame *last = f ? frame_of(m, f->start, ret_bias) : NULL, *next = NULL;
    Dwarf_Addr start, end = 0;
    bool is_signal;
    while (last && dwarf_frame_info(last, &start, &end, &is_signal) >= 0 && end + *ret_bias <= pc &&
           (next = frame_of(m, end + *ret_bias, ret_bias))) {
        free(last);
        last = next;
    }
    if (last && (end + *ret_bias > pc || pc - (end + *ret_bias) >= GAP_MOST)) {
        free(last);
        last = NULL;
    }
    return last;
}

/* The caller frees it; NULL: none. *ret_gap: it is the information of the code before. */
static Dwarf_Frame *frame_at(struct symbols *s, u64 pc, u64 *ret_bias, bool *ret_gap)
{
    struct module *m = module_at(s, pc);
    Dwarf_Frame *frame = m ? frame_of(m, pc, ret_bias) : NULL;
    *ret_gap = m && !frame;
    return *ret_gap ? frame_before_gap(m, pc, ret_bias) : frame;
}

static bool register_and_offset(const Dwarf_Op *op, struct cfa_rule *ret)
{
    if (op->atom == DW_OP_bregx)
        *ret = (struct cfa_rule){.known = 1, .reg = (u8)op->number, .offset = (i32)op->number2};
    else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        *ret =
            (struct cfa_rule){.known = 1, .reg = op->atom - DW_OP_breg0, .offset = (i32)op->number};
    else
        return false;
    return ret->reg < FRAME_REGISTERS - 1;
}

/* Functions that align their stack keep the CFA in memory. */
static bool simple_cfa(Dwarf_Frame *frame, struct cfa_rule *ret)
{
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_cfa(frame, &ops, &count) || !count || !register_and_offset(&ops[0], ret))
        return false;
    if (count == 2 && ops[1].atom == DW_OP_deref)
        ret->known = 2;
    return count == 1 || ret->known == 2;
}

/* A rule holds for a range of addresses. */
static bool cfa_rule_of(struct symbols *s, u64 pc, struct cfa_rule *ret, u64 *ret_end)
{
    u64 bias;
    Dwarf_Addr start, end = 0;
    bool is_signal, gap;
    Dwarf_Frame *frame = frame_at(s, pc, &bias, &gap);
    *ret_end = pc + 1;
    *ret = (struct cfa_rule){0};
    if (!frame)
        return false;
    if (!gap && dwarf_frame_info(frame, &start, &end, &is_signal) >= 0 && end)
        *ret_end = end + bias;
    bool simple = simple_cfa(frame, ret);
    if (!simple)
        *ret = (struct cfa_rule){0};
    free(frame);
    return simple;
}

bool symbols_cfa_rule(struct symbols *s, u64 pc, struct cfa_rule *ret)
{
    u64 end;
    return cfa_rule_of(s, pc, ret, &end);
}

void symbols_fill_cfa(struct symbols *s, struct step_point *points, size_t count)
{
    struct cfa_rule rule = {0};
    u64 end = 0, start = 0;
    for (size_t n = 0; n < count; n++) {
        if (points[n].pc < start || points[n].pc >= end) {
            cfa_rule_of(s, points[n].pc, &rule, &end);
            start = points[n].pc;
        }
        points[n].cfa = rule;
    }
}

/* --- a step outward --------------------------------------------------------------------------- */

struct unwind_step {
    struct symbols *s;
    const struct frame *from;
    struct stack_window *window;
    u64 cfa;
};

/* Reads from the stack in large pieces, from the inside outward. */
static bool window_read(struct symbols *s, struct stack_window *w, u64 address, void *to,
                        size_t size)
{
    bool inside = address >= w->start && address - w->start < w->size &&
                  size <= w->size - (address - w->start);
    if (!inside && s->host.read(s->host.context, address & -(u64)16, w->bytes, sizeof w->bytes)) {
        w->start = address & -(u64)16;
        w->size = sizeof w->bytes;
        inside = size <= w->size - (address - w->start);
    }
    if (!inside)
        return s->host.read(s->host.context, address, to, size);
    memcpy(to, w->bytes + (address - w->start), size);
    return true;
}

static bool step_read(void *context, u64 address, void *to, size_t size)
{
    struct unwind_step *step = context;
    return window_read(step->s, step->window, address, to, size);
}

static bool step_register(void *context, unsigned number, u64 *ret)
{
    const struct frame *f = ((struct unwind_step *)context)->from;
    if (number >= FRAME_REGISTERS || !(f->known >> number & 1))
        return false;
    *ret = f->reg[number];
    return true;
}

static bool step_cfa(void *context, u64 *ret)
{
    *ret = ((struct unwind_step *)context)->cfa;
    return true;
}

static struct expression_host step_host(struct unwind_step *step)
{
    return (struct expression_host){.read = step_read, .reg = step_register, .cfa = step_cfa,
                                    .context = step};
}

static bool find_cfa(struct unwind_step *step, Dwarf_Frame *frame)
{
    Dwarf_Op *ops;
    size_t count;
    struct location location;
    struct expression_host host = step_host(step);
    host.cfa = NULL;
    if (dwarf_frame_cfa(frame, &ops, &count) || !count ||
        !expression_run(ops, count, NULL, &host, NULL, &location) || location.count != 1)
        return false;
    step->cfa = location.pieces[0].value;
    return location.pieces[0].kind == PIECE_IN_MEMORY || location.pieces[0].kind == PIECE_VALUE;
}

/* For a register without a rule, libdw says whether functions preserve it, but confuses rbx with
 * rax (elfutils 0.188). */
static bool is_preserved(int number, bool said)
{
    return number == DWARF_RBX || (said && number != DWARF_RAX);
}

/* Finds a register of the caller; false: not known. */
static bool find_register(struct unwind_step *step, Dwarf_Frame *frame, int number, u64 *ret)
{
    Dwarf_Op memory[3], *ops;
    size_t count;
    struct location location;
    struct expression_host host = step_host(step);
    if (dwarf_frame_register(frame, number, memory, &ops, &count))
        return false;
    if (!count) /* undefined, or the same value: libdw distinguishes them by the pointer */
        return is_preserved(number, ops != memory) && step_register(step, (unsigned)number, ret);
    if (!expression_run(ops, count, NULL, &host, NULL, &location) || location.count != 1)
        return false;
    const struct piece *p = &location.pieces[0];
    if (p->kind == PIECE_IN_REGISTER)
        return step_register(step, (unsigned)p->value, ret);
    if (p->kind == PIECE_IN_MEMORY)
        return step_read(step, p->value, ret, sizeof *ret);
    *ret = p->value;
    return p->kind == PIECE_VALUE;
}

void frame_set_register(struct frame *f, unsigned number, u64 value)
{
    f->reg[number] = value;
    f->known |= 1u << number;
}

void frame_go_on(struct frame *f, u64 rsp, u64 pc)
{
    frame_set_register(f, DWARF_RSP, rsp);
    frame_set_register(f, DWARF_RIP, pc);
    f->pc = pc;
    f->called = true;
}

/* Compilers know which registers a small function does not use, and keep variables of its callers
 * there. */
static void keep_untouched(struct symbols *s, const struct frame *from, struct frame *ret)
{
    struct function_info f;
    if (from->called || !symbols_function(s, from->pc, &f))
        return;
    u32 kept = from->known & ~ret->known & ~code_written(s, f.start, f.end);
    for (unsigned n = 0; n < DWARF_RIP; n++)
        if (kept >> n & 1)
            frame_set_register(ret, n, from->reg[n]);
}

/* Go's fault handler makes the faulting code look as if it had called runtime.sigpanic: its pc is
 * the faulting instruction, with no call before it. */
static bool is_injected_call(struct symbols *s, const struct frame *from)
{
    struct module *m = module_at(s, from->pc);
    struct function_symbol *f = m ? module_function(m, from->pc) : NULL;
    return f && strcmp(f->raw, "runtime.sigpanic") == 0;
}

/* Sets the CFA of `from`, and its caller. False: it is the last frame. */
static bool step_by_cfi(struct symbols *s, struct frame *from, Dwarf_Frame *frame,
                        struct stack_window *window, struct frame *ret)
{
    struct unwind_step step = {.s = s, .from = from, .window = window};
    Dwarf_Addr start, end;
    bool is_signal = false;
    u64 value;
    if (!find_cfa(&step, frame))
        return false;
    from->cfa = step.cfa;
    int return_register = dwarf_frame_info(frame, &start, &end, &is_signal);
    from->signal = is_signal;
    for (int n = 0; n < DWARF_RIP; n++)
        if (find_register(&step, frame, n, &value))
            frame_set_register(ret, (unsigned)n, value);
    if (!(ret->known >> DWARF_RSP & 1))
        frame_set_register(ret, DWARF_RSP, step.cfa);
    if (return_register < 0 || !find_register(&step, frame, return_register, &value))
        return false;
    frame_set_register(ret, DWARF_RIP, value);
    ret->pc = value;
    ret->called = !is_signal && !is_injected_call(s, from);
    if (!is_signal)
        keep_untouched(s, from, ret);
    return true;
}

/* Uses rbp, if there is no information and the function's end cannot be found either. */
static bool step_by_pointer(struct symbols *s, struct frame *from, struct frame *ret)
{
    u64 pair[2], rsp = from->reg[DWARF_RSP], rbp = from->reg[DWARF_RBP];
    if (rbp <= rsp || rbp - rsp >= 1 << 24 || !s->host.read(s->host.context, rbp, pair, 16) ||
        !module_at(s, pair[1]))
        return false;
    from->cfa = rbp + 16;
    frame_set_register(ret, DWARF_RBP, pair[0]);
    frame_go_on(ret, from->cfa, pair[1]);
    return true;
}

/* At a function's first instruction the return address is on top of the stack. A jump to an invalid
 * address is treated as a call. */
static bool step_from_entry(struct symbols *s, struct frame *from, struct frame *ret)
{
    u64 back, rsp = from->reg[DWARF_RSP];
    struct module *m = module_at(s, from->pc);
    struct function_symbol *f = m ? module_function(m, from->pc) : NULL;
    bool at_entry = (f && f->start == from->pc) || !m;
    if (!at_entry || !s->host.read(s->host.context, rsp, &back, 8) || !module_at(s, back))
        return false;
    from->cfa = rsp + 8;
    frame_set_register(ret, DWARF_RBP, from->reg[DWARF_RBP]);
    frame_go_on(ret, from->cfa, back);
    return true;
}

/* In a gap the information may be wrong, so the return address must follow a call. */
static bool leads_behind_call(struct symbols *s, u64 pc)
{
    u64 calls[CALLS_BEFORE_MOST];
    return module_at(s, pc) && symbols_calls_before(s, pc, calls);
}

void frame_rules_find(struct symbols *s, u64 at, struct frame_rules *ret)
{
    u64 bias;
    ret->frame = frame_at(s, at, &bias, &ret->gap);
}

void frame_rules_deinit(struct frame_rules *rules)
{
    free(rules->frame);
}

bool frame_step_outward(struct symbols *s, struct frame *from, const struct frame_rules *rules,
                        struct stack_window *window, struct frame *ret, const char **ret_why)
{
    *ret = (struct frame){0};
    *ret_why = NULL;
    if (rules->frame) {
        bool found = step_by_cfi(s, from, rules->frame, window, ret);
        if (!rules->gap || (found && leads_behind_call(s, ret->pc)))
            return found;
        *ret = (struct frame){0};
    }
    if (step_from_entry(s, from, ret) || frame_read_on(s, from, ret, &from->cfa) ||
        step_by_pointer(s, from, ret))
        return true;
    *ret_why = "no unwind information";
    return false;
}
