/* Single: one instruction, and out. */
#include "make.h"

static bool single_draw(struct maker *m, const struct form *form, struct insn *insn)
{
    for (int i = 0; i < 20; i++) {
        if (insn_draw(m, form, NULL, insn) && operands_settle(m, insn))
            return true;
        case_unfix(m);
    }
    return false;
}

void single_make(struct maker *m, const struct form *form)
{
    struct insn insn;
    case_begin(m);
    if (!single_draw(m, form, &insn))
        return;
    m->now.fault_at = m->cursor;
    m->now.fault_flags = FLAGS_ARITHMETIC & ~insn_flags_written(&insn);
    m->now.other_flags = m->now.fault_flags;
    emit(m, insn.bytes, insn.length);
    emit_exit(m, 0);
    case_end(m);
}
