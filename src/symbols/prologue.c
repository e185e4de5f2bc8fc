/* Where a breakpoint on a function stops: at the earliest place where its parameters can be read.
 *
 * In unoptimized code parameters are in memory, where the prologue stores them. They are valid only
 * after it, at the function's first step point. Optimized code has location lists that tell where
 * each parameter is, from the first instruction on. So the breakpoint is at the first instruction:
 * later some parameters may be lost, and a branch may skip the place.
 *
 * Go functions begin with a check whether the stack is large enough. If not, the runtime enlarges
 * it and starts the function again. Only after the check is there exactly one stop per call.
 */
#include <dwarf.h>
#include <string.h>

#include "symbols/symbols_internal.h"

static u64 first_point(struct module *m, const struct function_symbol *f)
{
    size_t count;
    const struct step_point *p = module_points_around(m, f->start, &count);
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = (low + high) / 2;
        if (p[middle].pc < f->start)
            low = middle + 1;
        else if (p[middle].pc >= f->end)
            high = middle;
        else if (middle > low && p[middle - 1].pc >= f->start)
            high = middle;
        else
            return p[middle].pc;
    }
    return f->start;
}

/* gcc lists its options; the last one counts. */
static bool optimised_by_gcc(const char *producer)
{
    bool optimised = false;
    for (const char *at = producer; (at = strstr(at, " -O")); at += 3)
        optimised = at[3] != '0';
    return optimised;
}

/* clang describes the calls of a function only if it optimizes it. gcc marks functions without
 * calls in the same way. */
static bool is_optimised(Dwarf_Die *function)
{
    static const unsigned flags[] = {DW_AT_call_all_calls, DW_AT_call_all_source_calls,
                                     DW_AT_GNU_all_call_sites, DW_AT_GNU_all_source_call_sites};
    Dwarf_Attribute a;
    Dwarf_Die unit;
    const char *producer = NULL;
    if (dwarf_diecu(function, &unit, NULL, NULL) && dwarf_attr(&unit, DW_AT_producer, &a))
        producer = dwarf_formstring(&a);
    if (producer && strncmp(producer, "GNU ", 4) == 0 && strstr(producer, " -"))
        return optimised_by_gcc(producer);
    for (size_t n = 0; n < countof(flags); n++)
        if (dwarf_attr_integrate(function, flags[n], &a))
            return true;
    return false;
}

/* Arguments that the caller put on the stack or into a register are valid from the beginning; the
 * prologue has to write the others. */
static bool is_where_caller_left_it(const Dwarf_Op *ops, size_t count)
{
    static const u8 registers[] = {DW_OP_reg1, DW_OP_reg2, DW_OP_reg4, DW_OP_reg5, DW_OP_reg8,
                                   DW_OP_reg9};
    u8 atom = ops[0].atom;
    return count == 1 && ((atom == DW_OP_fbreg && (i64)ops[0].number >= 0) ||
                          memchr(registers, atom, sizeof registers) ||
                          (atom >= DW_OP_reg17 && atom <= DW_OP_reg24)); /* xmm0 to xmm7 */
}

/* A parameter without a location is no reason to stop later. */
static bool is_readable_at(Dwarf_Die *parameter, Dwarf_Addr entry, bool *has_list)
{
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    if (!dwarf_attr_integrate(parameter, DW_AT_location, &a))
        return true;
    bool is_list = a.form == DW_FORM_sec_offset || a.form == DW_FORM_loclistx ||
                   a.form == DW_FORM_data4 || a.form == DW_FORM_data8;
    *has_list |= is_list;
    if (dwarf_getlocation_addr(&a, entry, &ops, &count, 1) != 1 || !count)
        return !is_list;
    return is_list || is_where_caller_left_it(ops, count);
}

static bool has_parameters_at(Dwarf_Die *function, Dwarf_Addr entry)
{
    Dwarf_Die child;
    bool has_list = false;
    if (dwarf_child(function, &child) == 0)
        do
            if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
                !is_readable_at(&child, entry, &has_list))
                return false;
        while (dwarf_siblingof(&child, &child) == 0);
    return has_list || is_optimised(function);
}

static bool written_in_go(Dwarf_Die *function)
{
    Dwarf_Die unit;
    return dwarf_diecu(function, &unit, NULL, NULL) && dwarf_srclang(&unit) == DW_LANG_Go;
}

/* Skips Go's stack check: `cmp rsp, [r14 + 16]` or, for a large frame, the same with r12; then a
 * jump if not above. */
static u64 after_stack_check(struct symbols *s, const struct function_symbol *f)
{
    enum { LOOKED_AT = 24 };
    static const u8 compare[] = {0x3b, 0x66, 0x10};
    u8 code[LOOKED_AT];
    const struct symbols_host *host = &s->host;
    if (f->end - f->start < LOOKED_AT || !host->peek(host->context, f->start, code, sizeof code))
        return f->start;
    for (size_t n = 1; n + sizeof compare + 6 <= LOOKED_AT; n++) {
        const u8 *jump = code + n + sizeof compare;
        if (memcmp(code + n, compare, sizeof compare) != 0 || (code[n - 1] & 0xf8) != 0x48)
            continue;
        if (jump[0] == 0x76)
            return f->start + n + sizeof compare + 2;
        if (jump[0] == 0x0f && jump[1] == 0x86)
            return f->start + n + sizeof compare + 6;
    }
    return f->start;
}

u64 function_body(struct symbols *s, const struct function_symbol *f)
{
    Dwarf_Die function;
    struct module *m = module_at(s, f->start);
    Dwarf_Addr entry;
    if (module_function_die(m, f->start, &function) && die_entry(&function, &entry) &&
        entry + m->dwarf_bias == f->start && has_parameters_at(&function, entry))
        return written_in_go(&function) ? after_stack_check(s, f) : f->start;
    return first_point(m, f);
}
