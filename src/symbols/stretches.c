/* Stretches: where the compiler keeps a variable in each part of its function's code.
 *
 * A variable with a location list may be in memory in one part, in a register in another, a
 * constant in a third, and nowhere in a fourth. The evaluation notes such variables, for callers
 * that ask about other moments than the current one.
 */
#include <dwarf.h>

#include "symbols/values_internal.h"

/* False for a single expression, which holds for the whole code. */
bool stretches_differ(Dwarf_Attribute *location)
{
    Dwarf_Block block;
    return dwarf_formblock(location, &block) != 0;
}

void stretches_note(struct evaluation *v, const struct found_variable *f)
{
    const struct found_variable *all = v->moving.items;
    Dwarf_Die die = f->die, other;
    for (size_t n = 0; n < v->moving.count; n++) {
        other = all[n].die;
        if (dwarf_dieoffset(&other) == dwarf_dieoffset(&die) && all[n].module == f->module)
            return;
    }
    *(struct found_variable *)list_add(&v->moving) = *f;
}

const char *values_moving(const struct evaluation *v, size_t index)
{
    const struct found_variable *all = v->moving.items;
    if (index >= v->moving.count)
        return NULL;
    Dwarf_Die die = all[index].die;
    const char *name = dwarf_diename(&die);
    return name ? name : "?";
}

static bool is_literal(const Dwarf_Op *op)
{
    return (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) ||
           op->atom == DW_OP_implicit_value || op->atom == DW_OP_addr ||
           (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts);
}

static bool is_of_register(const Dwarf_Op *op)
{
    return (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_breg31) || op->atom == DW_OP_regx ||
           op->atom == DW_OP_bregx || op->atom == DW_OP_fbreg || op->atom == DW_OP_call_frame_cfa;
}

static bool is_of_caller(const Dwarf_Op *op)
{
    return op->atom == DW_OP_entry_value || op->atom == DW_OP_GNU_entry_value ||
           op->atom == DW_OP_GNU_parameter_ref;
}

static bool is_computed(const Dwarf_Op *op)
{
    return op->atom == DW_OP_stack_value || op->atom == DW_OP_regx || op->atom == DW_OP_piece ||
           op->atom == DW_OP_bit_piece || (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31);
}

/* Classifies an expression by its operations, without running it. */
static enum variable_keeping keeping_of(const Dwarf_Op *ops, size_t count)
{
    bool computed = false, of_register = false;
    if (!count)
        return KEPT_NOWHERE;
    for (size_t n = 0; n < count; n++) {
        if (is_of_caller(&ops[n]))
            return KEPT_BY_CALLER;
        computed |= is_computed(&ops[n]);
        of_register |= is_of_register(&ops[n]);
    }
    if (is_literal(&ops[0]) && !of_register && (computed || ops[0].atom == DW_OP_implicit_value))
        return KEPT_AS_CONSTANT;
    return computed ? KEPT_IN_REGISTERS : KEPT_IN_MEMORY;
}

enum variable_keeping values_kept(struct evaluation *v, size_t index, u64 pc)
{
    struct found_variable f = ((const struct found_variable *)v->moving.items)[index];
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    u64 at = pc - f.module->dwarf_bias;
    if (f.has_block && dwarf_haspc(&f.block, at) != 1)
        return KEPT_NOWHERE;
    if (dwarf_attr_integrate(&f.die, DW_AT_const_value, &a))
        return KEPT_AS_CONSTANT;
    if (!dwarf_attr_integrate(&f.die, DW_AT_location, &a) ||
        dwarf_getlocation_addr(&a, at, &ops, &count, 1) != 1)
        return KEPT_NOWHERE;
    return keeping_of(ops, count);
}
