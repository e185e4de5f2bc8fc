/* Call sites: what the debug information of optimized code says about calls.
 *
 * Compilers describe each call in a function: its return address, the function called, whether it
 * is a tail call (a jump that ends the caller), and how the values of parameters can be computed in
 * the caller. DWARF 5 has its own tags for this; GNU's extensions of DWARF 4 have others.
 */
#include <dwarf.h>

#include "symbols/expression.h"
#include "symbols/values_internal.h"

enum { SITES_DEEP = 64 };

static bool site_address(Dwarf_Die *die, unsigned name, u64 *ret)
{
    Dwarf_Attribute a;
    return dwarf_attr(die, name, &a) && dwarf_formaddr(&a, ret) == 0;
}

static bool site_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    bool set;
    return dwarf_attr(die, name, &a) && dwarf_formflag(&a, &set) == 0 && set;
}

/* --- all of a function ------------------------------------------------------------------------ */

/* Returns false to end the walk. */
typedef bool site_visit(void *context, struct call_site *site);

static bool may_hold_calls(unsigned tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool read_site(struct module *m, Dwarf_Die *die, struct call_site *ret)
{
    bool is_new = dwarf_tag(die) == DW_TAG_call_site;
    u64 pc;
    if (!site_address(die, is_new ? DW_AT_call_return_pc : DW_AT_low_pc, &pc))
        return false;
    *ret = (struct call_site){.module = m, .die = *die, .return_pc = pc + m->dwarf_bias};
    ret->tail = site_flag(die, is_new ? DW_AT_call_tail_call : DW_AT_GNU_tail_call);
    return true;
}

static bool each_site(struct module *m, Dwarf_Die *die, unsigned depth, site_visit *visit,
                      void *context)
{
    Dwarf_Die child;
    struct call_site site;
    if (depth > SITES_DEEP || dwarf_child(die, &child) != 0)
        return true;
    do {
        unsigned tag = (unsigned)dwarf_tag(&child);
        bool is_call = tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
        if (is_call && read_site(m, &child, &site) && !visit(context, &site))
            return false;
        if (may_hold_calls(tag) && !each_site(m, &child, depth + 1, visit, context))
            return false;
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
}

/* --- one -------------------------------------------------------------------------------------- */

static bool is_wanted(void *context, struct call_site *site)
{
    struct call_site *wanted = context;
    if (site->return_pc != wanted->return_pc)
        return true;
    *wanted = *site;
    return false;
}

bool call_site_at(struct symbols *s, u64 return_pc, struct call_site *ret)
{
    Dwarf_Die function;
    struct module *m = module_at(s, return_pc - 1);
    *ret = (struct call_site){.return_pc = return_pc};
    return m && module_function_die(m, return_pc - 1, &function) &&
           !each_site(m, &function, 0, is_wanted, ret);
}

/* The caller's frame, for evaluating an expression. */
struct site_frame {
    struct symbols *s;
    const struct frame *frame;
};

static bool site_read(void *context, u64 address, void *to, size_t size)
{
    const struct symbols_host *host = &((struct site_frame *)context)->s->host;
    return host->read(host->context, address, to, size);
}

static bool site_register(void *context, unsigned number, u64 *ret)
{
    const struct frame *f = ((struct site_frame *)context)->frame;
    if (number >= FRAME_REGISTERS || !(f->known >> number & 1))
        return false;
    *ret = f->reg[number];
    return true;
}

static bool site_cfa(void *context, u64 *ret)
{
    *ret = ((struct site_frame *)context)->frame->cfa;
    return *ret;
}

static bool run_site(struct site_frame *f, Dwarf_Attribute *a, bool has_base, u64 *ret);

static bool site_frame_base(void *context, u64 *ret)
{
    struct site_frame *f = context;
    u64 at = f->frame->pc - f->frame->called;
    struct module *m = module_at(f->s, at);
    Dwarf_Die function;
    Dwarf_Attribute a;
    return m && module_function_die(m, at, &function) &&
           dwarf_attr_integrate(&function, DW_AT_frame_base, &a) &&
           run_site(f, &a, false, ret);
}

static bool run_site(struct site_frame *f, Dwarf_Attribute *a, bool has_base, u64 *ret)
{
    Dwarf_Op *ops;
    size_t count;
    struct location l;
    struct expression_host host = {.read = site_read, .reg = site_register, .cfa = site_cfa,
                                   .frame_base = has_base ? site_frame_base : NULL, .context = f};
    if (dwarf_getlocation(a, &ops, &count) || !expression_run(ops, count, a, &host, NULL, &l) ||
        l.count != 1)
        return false;
    *ret = l.pieces[0].value;
    if (l.pieces[0].kind == PIECE_IN_REGISTER)
        return site_register(f, (unsigned)l.pieces[0].value, ret);
    return l.pieces[0].kind == PIECE_IN_MEMORY || l.pieces[0].kind == PIECE_VALUE;
}

/* Another attribute describes targets in places that the call may have changed, such as registers
 * that are not preserved; it is not used here. */
static bool indirect_target(struct symbols *s, struct call_site *c, const struct frame *caller,
                            u64 *ret)
{
    Dwarf_Attribute a;
    return caller && (dwarf_attr(&c->die, DW_AT_call_target, &a) ||
                      dwarf_attr(&c->die, DW_AT_GNU_call_site_target, &a)) &&
           run_site(&(struct site_frame){s, caller}, &a, true, ret);
}

/* A function that is only declared in the unit is found by its name in the symbol tables. */
bool call_site_target(struct symbols *s, struct call_site *c, const struct frame *caller, u64 *ret)
{
    Dwarf_Attribute a;
    Dwarf_Die origin;
    bool is_code = false;
    if (!(dwarf_attr(&c->die, DW_AT_call_origin, &a) ||
          dwarf_attr(&c->die, DW_AT_abstract_origin, &a)) ||
        !dwarf_formref_die(&a, &origin))
        return indirect_target(s, c, caller, ret);
    if (die_entry(&origin, ret)) {
        *ret += c->module->dwarf_bias;
        return true;
    }
    const char *name = variables_link_name(&origin);
    return name && names_find_symbol(s, name, &is_code, ret) && is_code;
}

bool function_entry(struct symbols *s, u64 pc, u64 *ret)
{
    Dwarf_Die function;
    struct module *m = module_at(s, pc);
    if (!m || !module_function_die(m, pc, &function) || !die_entry(&function, ret))
        return false;
    *ret += m->dwarf_bias;
    return true;
}

static bool take_jump(void *context, struct call_site *site)
{
    if (site->tail)
        *(struct call_site *)list_add(context) = *site;
    return true;
}

void call_sites_by_jump(struct symbols *s, u64 entry, struct list *ret)
{
    Dwarf_Die function;
    struct module *m = module_at(s, entry);
    if (m && module_function_die(m, entry, &function))
        each_site(m, &function, 0, take_jump, ret);
}

/* --- parameters ------------------------------------------------------------------------------- */

/* Returns the DWARF number of the register that an operation names; -1: none. */
static i64 named_by(const Dwarf_Op *op)
{
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        return op->atom - DW_OP_reg0;
    bool named = op->atom == DW_OP_regx || op->atom == DW_OP_regval_type ||
                 op->atom == DW_OP_GNU_regval_type;
    return named ? (i64)op->number : -1;
}

/* Compares two locations. A stack location is relative to the stack pointer at the call, which is
 * the frame base of the callee. */
static bool is_same_place(const Dwarf_Op *ops, size_t count, const Dwarf_Op *wanted)
{
    if (count != 1)
        return false;
    if (wanted->atom == DW_OP_fbreg)
        return ops[0].atom == DW_OP_breg7 && ops[0].number == wanted->number;
    return named_by(wanted) >= 0 && named_by(wanted) == named_by(&ops[0]);
}

static bool call_value_of(Dwarf_Die *parameter, Dwarf_Attribute *ret)
{
    return dwarf_attr(parameter, DW_AT_call_value, ret) ||
           dwarf_attr(parameter, DW_AT_GNU_call_site_value, ret);
}

bool call_site_value(struct call_site *c, const Dwarf_Op *wanted, Dwarf_Attribute *ret)
{
    Dwarf_Die child;
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_child(&c->die, &child) != 0)
        return false;
    do {
        if (dwarf_attr(&child, DW_AT_location, &a) && dwarf_getlocation(&a, &ops, &count) == 0 &&
            is_same_place(ops, count, wanted))
            return call_value_of(&child, ret);
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool call_site_parameter(struct call_site *c, const Dwarf_Die *parameter, Dwarf_Attribute *ret)
{
    Dwarf_Die child, named;
    Dwarf_Attribute a;
    if (dwarf_child(&c->die, &child) != 0)
        return false;
    do {
        if ((dwarf_attr(&child, DW_AT_call_parameter, &a) ||
             dwarf_attr(&child, DW_AT_abstract_origin, &a)) &&
            dwarf_formref_die(&a, &named) && named.addr == parameter->addr)
            return call_value_of(&child, ret);
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}
