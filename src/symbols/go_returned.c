/* Results of Go functions, where ABIInternal leaves them (Go 1.17 and later;
 * src/cmd/compile/abi-internal.md of Go).
 *
 * Results are assigned one after the other. Each scalar of a result takes the next register of its
 * kind: nine for integers and pointers, fifteen for floating-point numbers. An array is in
 * registers only if it has at most one element. A result that does not fit into the remaining
 * registers is on the stack, just above the return address, at the place given by debug
 * information.
 */
#include <dwarf.h>

#include "symbols/values_internal.h"

enum { GO_FLOATS = 15, GO_DEEP = 32 };

static const u8 go_integers[] = {RAX, RBX, RCX, RDI, RSI, R8, R9, R10, R11};

struct go_results {
    struct evaluation *v;
    struct module *module;
    unsigned integers, floats; /* registers used so far */
};

static bool take_integer(struct go_results *r, u64 size, u8 *to)
{
    const struct frame *f = r->v->registers;
    if (r->integers == countof(go_integers) || size > 8 || !f)
        return false;
    unsigned number = register_to_dwarf(go_integers[r->integers]);
    if (!(f->known >> number & 1))
        return false;
    r->integers++;
    memcpy(to, &f->reg[number], size);
    return true;
}

static bool take_float(struct go_results *r, u64 size, u8 *to)
{
    const struct values_request *q = &r->v->request;
    u8 bytes[64];
    size_t got = sizeof bytes;
    char name[8];
    if (r->floats == GO_FLOATS || size > 8 || !q->named_register)
        return false;
    snprintf(name, sizeof name, "xmm%u", r->floats);
    if (!q->named_register(q->context, name, bytes, &got) || got < size)
        return false;
    r->floats++;
    memcpy(to, bytes, size);
    return true;
}

static bool take_result(struct go_results *r, struct type *t, u8 *to, unsigned depth)
{
    struct type *plain = type_plain(r->v, t);
    size_t count;
    if (depth > GO_DEEP)
        return false;
    switch (plain->kind) {
    case TYPE_FLOAT: return take_float(r, plain->size, to);
    case TYPE_COMPLEX:
        return take_float(r, plain->size / 2, to) &&
               take_float(r, plain->size / 2, to + plain->size / 2);
    case TYPE_ARRAY:
        return plain->count < 2 &&
               (!plain->count || take_result(r, type_target(r->v, plain), to, depth + 1));
    case TYPE_STRUCT: {
        const struct member *m = type_members(r->v, plain, &count);
        for (size_t n = 0; n < count; n++)
            if (!take_result(r, m[n].type, to + m[n].offset, depth + 1))
                return false;
        return true;
    }
    case TYPE_POINTER: return take_integer(r, 8, to);
    default: return type_is_integral(plain) && take_integer(r, plain->size, to);
    }
}

/* The stack pointer is just above the return address now. */
static bool stack_place(struct go_results *r, Dwarf_Die *result, u64 *ret)
{
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    const struct frame *f = r->v->registers;
    if (!f || !(f->known >> DWARF_RSP & 1) || !dwarf_attr_integrate(result, DW_AT_location, &a) ||
        expression_of(&a, &ops, &count) || !count)
        return false;
    i64 offset = ops[0].atom == DW_OP_fbreg ? (i64)ops[0].number : 0;
    bool above = count == 1 ? ops[0].atom == DW_OP_call_frame_cfa || ops[0].atom == DW_OP_fbreg
                            : false;
    if (count == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst) {
        above = true;
        offset = (i64)ops[1].number;
    }
    *ret = f->reg[DWARF_RSP] + (u64)offset;
    return above && offset >= 0;
}

static struct error *one_result(struct go_results *r, Dwarf_Die *result, struct value **ret)
{
    struct type *t = type_attribute(r->v, r->module, result), *plain = type_plain(r->v, t);
    struct go_results before = *r;
    u64 address;
    u8 *bytes = values_alloc(r->v, plain->size + 1);
    if (plain->kind == TYPE_FUNCTION)
        return error_new("a function that is returned is not shown");
    if (take_result(r, t, bytes, 0)) {
        *ret = value_of_bytes(r->v, t, bytes, plain->size);
        return NULL;
    }
    *r = before;
    if (!stack_place(r, result, &address))
        return error_new("the debug information does not say where the result is");
    *ret = value_at(r->v, t, address, NULL);
    return NULL;
}

static bool is_result(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    bool set = false;
    return dwarf_tag(die) == DW_TAG_formal_parameter &&
           dwarf_formflag(dwarf_attr_integrate(die, DW_AT_variable_parameter, &a), &set) == 0 &&
           set;
}

/* Several results become a struct: {r0 = 3, ok = true}. */
static struct error *all_results(struct go_results *r, struct value **values, const char **names,
                                 size_t count, struct value **ret)
{
    struct type *t = type_new(r->v, TYPE_STRUCT, NULL, 0);
    t->keyword = "struct";
    for (size_t n = 0; n < count; n++) {
        struct type *of = values[n]->type;
        *(struct member *)list_add(&t->members) = (struct member){
            .name = names[n] + (names[n][0] == '~'), .type = of, .offset = t->size};
        t->size += (of->size + 7) / 8 * 8;
    }
    *(void **)list_add(&r->v->memory) = t->members.items;
    *ret = value_new(r->v, t);
    (*ret)->bytes = values_alloc(r->v, t->size + 1);
    (*ret)->room = t->size;
    const struct member *m = t->members.items;
    for (size_t n = 0; n < count; n++) {
        struct error *err = value_load(values[n]);
        if (err)
            return err;
        memcpy((*ret)->bytes + m[n].offset, values[n]->bytes, values[n]->size);
    }
    return NULL;
}

struct error *go_returned(struct evaluation *v, struct module *m, Dwarf_Die *function,
                          struct value **ret)
{
    enum { RESULTS_MOST = 64 };
    struct value *values[RESULTS_MOST];
    const char *names[RESULTS_MOST];
    struct go_results r = {.v = v, .module = m};
    Dwarf_Die child;
    size_t count = 0;
    *ret = NULL;
    if (dwarf_child(function, &child) != 0)
        return NULL;
    do {
        if (!is_result(&child) || count == RESULTS_MOST)
            continue;
        const char *name = dwarf_diename(&child);
        struct error *err = one_result(&r, &child, &values[count]);
        if (err)
            return err;
        names[count++] = name ? name : "_";
    } while (dwarf_siblingof(&child, &child) == 0);
    if (count == 1)
        *ret = values[0];
    return count > 1 ? all_results(&r, values, names, count, ret) : NULL;
}
