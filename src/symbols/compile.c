/* Compiles expression trees to agent bytecode, for conditions that run inside the process.
 *
 * Each tree leaves one item on the stack: its value or its address. Items have 64 bits; a value is
 * sign- or zero-extended by its type, so a conversion is just a truncation. Floating-point numbers
 * are doubles on the stack.
 */
#include "symbols/compile_internal.h"
#include "symbols/rust_internal.h"

static struct error *compile_tree(struct compiler *c, const struct tree *t, struct operand *ret);

enum { TEXT_MOST = 128 };

static struct error *compile_value(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct error *err = compile_tree(c, t, ret);
    if (!err)
        err = code_load(c, ret);
    for (unsigned n = 0; n < SHOW_DEPTH && !err && rust_is_reference(type_plain(c->v, ret->type));
         n++) {
        *ret = (struct operand){.type = type_target(c->v, type_plain(c->v, ret->type)),
                                .is_address = true};
        err = code_load(c, ret);
    }
    return err;
}

static struct error *compile_truth(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct error *err = compile_value(c, t, ret);
    if (!err)
        code_truth(c, ret);
    return err;
}

/* --- operators -------------------------------------------------------------------------------- */

static u64 compile_step_of(struct compiler *c, struct type *pointer)
{
    struct type *to = type_plain(c->v, type_target(c->v, type_plain(c->v, pointer)));
    return to->size ? to->size : 1;
}

static void compile_compare(struct compiler *c, enum tree_op op, bool is_unsigned)
{
    bool swapped = op == OP_GT || op == OP_LE, inverted = op == OP_NE || op == OP_LE || op == OP_GE;
    if (swapped)
        code_byte(c, CODE_SWAP);
    code_byte(c, op == OP_EQ || op == OP_NE ? CODE_EQUAL
                 : is_unsigned              ? CODE_LESS_UNSIGNED
                                            : CODE_LESS_SIGNED);
    if (inverted)
        code_byte(c, CODE_LOG_NOT);
}

static struct error *calculate(struct compiler *c, enum tree_op op, bool is_unsigned)
{
    static const u8 codes[][2] = {
        [OP_ADD] = {CODE_ADD, CODE_ADD}, [OP_SUB] = {CODE_SUB, CODE_SUB},
        [OP_MUL] = {CODE_MUL, CODE_MUL},
        [OP_DIV] = {CODE_DIV_SIGNED, CODE_DIV_UNSIGNED},
        [OP_MOD] = {CODE_REM_SIGNED, CODE_REM_UNSIGNED},
        [OP_SHL] = {CODE_LSH, CODE_LSH}, [OP_SHR] = {CODE_RSH_SIGNED, CODE_RSH_UNSIGNED},
        [OP_BAND] = {CODE_AND, CODE_AND}, [OP_BOR] = {CODE_OR, CODE_OR},
        [OP_XOR] = {CODE_XOR, CODE_XOR},
    };
    if (op >= countof(codes) || !codes[op][0])
        return error_new("the operation cannot be compiled");
    code_byte(c, codes[op][is_unsigned]);
    return NULL;
}

static bool compile_is_comparison(enum tree_op op)
{
    return op >= OP_EQ && op <= OP_GE;
}

static void compile_scale(struct compiler *c, u64 by, enum code code)
{
    if (by == 1)
        return;
    code_constant(c, by);
    code_byte(c, code);
}

/* Both operands are on the stack; one is a pointer. */
static struct error *compile_on_pointers(struct compiler *c, enum tree_op op, struct operand *a,
                                         struct operand *b, struct operand *ret)
{
    bool first = type_plain(c->v, a->type)->kind == TYPE_POINTER;
    bool second = type_plain(c->v, b->type)->kind == TYPE_POINTER;
    if (compile_is_comparison(op)) {
        compile_compare(c, op, true);
        *ret = (struct operand){.type = comparison_type(c->v)};
    } else if (op == OP_SUB && first && second) {
        code_byte(c, CODE_SUB);
        compile_scale(c, compile_step_of(c, a->type), CODE_DIV_SIGNED);
        *ret = (struct operand){.type = type_builtin(c->v, "long")};
    } else if ((op == OP_ADD && first != second) || (op == OP_SUB && first)) {
        struct operand *pointer = first ? a : b;
        if (second)
            code_byte(c, CODE_SWAP);
        compile_scale(c, compile_step_of(c, pointer->type), CODE_MUL);
        code_byte(c, op == OP_ADD ? CODE_ADD : CODE_SUB);
        *ret = (struct operand){.type = pointer->type};
    } else {
        *ret = (struct operand){.type = type_builtin(c->v, "long")};
        return calculate(c, op, true);
    }
    return NULL;
}

/* Truncates the top item and the one below it to the type. */
static void truncate_both(struct compiler *c, const struct type *t)
{
    code_truncate(c, t);
    if (t->size < 8) {
        code_byte(c, CODE_SWAP);
        code_truncate(c, t);
        code_byte(c, CODE_SWAP);
    }
}

/* Both operands are doubles. */
static struct error *on_doubles(struct compiler *c, enum tree_op op, struct type *type,
                                struct operand *ret)
{
    static const u8 codes[] = {
        [OP_ADD] = CODE_FLOAT_ADD, [OP_SUB] = CODE_FLOAT_SUB, [OP_MUL] = CODE_FLOAT_MUL,
        [OP_DIV] = CODE_FLOAT_DIV,
        [OP_EQ] = CODE_FLOAT_EQUAL, [OP_NE] = CODE_FLOAT_EQUAL, [OP_LT] = CODE_FLOAT_LESS,
        [OP_GT] = CODE_FLOAT_LESS,
        [OP_LE] = CODE_FLOAT_NOT_MORE, [OP_GE] = CODE_FLOAT_NOT_MORE,
    };
    if (op >= countof(codes) || !codes[op])
        return error_new("the operation does not apply to floating-point numbers");
    if (op == OP_GT || op == OP_GE)
        code_byte(c, CODE_SWAP);
    code_float(c, codes[op]);
    if (op == OP_NE)
        code_byte(c, CODE_LOG_NOT);
    *ret = (struct operand){.type = compile_is_comparison(op) ? comparison_type(c->v) : type};
    if (!compile_is_comparison(op))
        code_from_double(c, type);
    return NULL;
}

/* At least one operand is a floating-point number. */
static struct error *compile_on_floats(struct compiler *c, enum tree_op op, struct operand *a,
                                       struct operand *b, struct operand *ret)
{
    struct type *type = arithmetic_type(c->v, a->type, b->type);
    if (type->size > 8)
        return error_new("a long double cannot be looked at inside the process");
    code_to_double(c, type_plain(c->v, b->type));
    if (type_plain(c->v, a->type)->kind != TYPE_FLOAT) {
        code_byte(c, CODE_SWAP);
        code_to_double(c, type_plain(c->v, a->type));
        code_byte(c, CODE_SWAP);
    }
    return on_doubles(c, op, type, ret);
}

static bool compile_is_float(struct compiler *c, const struct operand *o)
{
    return type_plain(c->v, o->type)->kind == TYPE_FLOAT;
}

static struct error *compile_binary(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct operand a, b;
    struct error *err = compile_value(c, t->a, &a);
    if (!err)
        err = compile_value(c, t->b, &b);
    if (err)
        return err;
    if (type_plain(c->v, a.type)->kind == TYPE_POINTER ||
        type_plain(c->v, b.type)->kind == TYPE_POINTER)
        return compile_on_pointers(c, t->op, &a, &b, ret);
    if (compile_is_float(c, &a) || compile_is_float(c, &b))
        return compile_on_floats(c, t->op, &a, &b, ret);
    bool shift = t->op == OP_SHL || t->op == OP_SHR;
    struct type *type = shift ? promoted_type(c->v, a.type) : arithmetic_type(c->v, a.type, b.type);
    if (!shift)
        truncate_both(c, type);
    if (compile_is_comparison(t->op)) {
        compile_compare(c, t->op, type->is_unsigned);
        *ret = (struct operand){.type = comparison_type(c->v)};
        return NULL;
    }
    err = calculate(c, t->op, type->is_unsigned);
    code_truncate(c, type);
    *ret = (struct operand){.type = type};
    return err;
}

/* --- texts ------------------------------------------------------------------------------------ */

struct failing {
    size_t jumps[TEXT_MOST + 4];
    size_t count;
};

/* The condition fails if the value on top is 0. */
static void must_hold(struct compiler *c, struct failing *f)
{
    code_byte(c, CODE_LOG_NOT);
    f->jumps[f->count++] = code_jump(c, CODE_IF_GOTO);
}

static void must_equal(struct compiler *c, u64 value, struct failing *f)
{
    code_constant(c, value);
    code_byte(c, CODE_EQUAL);
    must_hold(c, f);
}

/* Replaces the address of a std::string by that of its characters. The string must have this
 * length. */
static struct error *enter_string(struct compiler *c, struct operand *o, size_t length,
                                  struct failing *f)
{
    struct operand part, whole = *o;
    code_byte(c, CODE_DUP);
    struct error *err = place_member(c, &whole, "_M_string_length", &part);
    if (!err)
        err = code_load(c, &part);
    must_equal(c, length, f);
    if (!err)
        err = place_member(c, o, "_M_dataplus", &part);
    if (!err)
        err = place_member(c, &part, "_M_p", o);
    return err ? err : code_load(c, o);
}

/* Compares memory with the characters of the string. Text behind a pointer must also end there. */
static struct error *compile_compare_text(struct compiler *c, const struct tree *t,
                                          struct operand *ret)
{
    const struct tree *text = t->a->kind == TREE_STRING ? t->a : t->b;
    struct operand o;
    struct failing f = {.count = 0};
    struct error *err = compile_tree(c, text == t->a ? t->b : t->a, &o);
    if (err)
        return err;
    if (text->length > TEXT_MOST)
        return error_new("the string is too long to be looked for inside the process");
    bool string = std_is(type_plain(c->v, o.type), "basic_string");
    err = string ? enter_string(c, &o, text->length, &f) : code_load(c, &o);
    struct type *to = err ? NULL : type_target(c->v, type_plain(c->v, o.type));
    if (!err && (type_plain(c->v, o.type)->kind != TYPE_POINTER || type_character(c->v, to) != ' '))
        err = error_new("only text can be compared with a string");
    if (err)
        return err;
    code_byte(c, CODE_DUP);
    must_hold(c, &f);
    for (size_t n = 0; n < text->length + !string; n++) {
        code_byte(c, CODE_DUP);
        code_add(c, (i64)n);
        code_byte(c, CODE_REF8);
        must_equal(c, n < text->length ? (u8)text->text[n] : 0, &f);
    }
    code_byte(c, CODE_POP);
    code_constant(c, t->op == OP_EQ);
    size_t end = code_jump(c, CODE_GOTO);
    for (size_t n = 0; n < f.count; n++)
        code_land(c, f.jumps[n]);
    code_byte(c, CODE_POP);
    code_constant(c, t->op == OP_NE);
    code_land(c, end);
    *ret = (struct operand){.type = comparison_type(c->v)};
    return NULL;
}

/* --- what has one operand, or parts ----------------------------------------------------------- */

static struct error *compile_dereference(struct compiler *c, struct operand *o, struct operand *ret)
{
    struct error *err = code_load(c, o);
    if (err)
        return err;
    struct type *plain = type_plain(c->v, o->type);
    if (plain->kind != TYPE_POINTER)
        return error_new("* needs a pointer");
    *ret = (struct operand){.type = type_target(c->v, plain), .is_address = true};
    if (type_plain(c->v, ret->type)->kind == TYPE_VOID)
        return error_new("a void pointer has no target type; cast it");
    return code_refer(c, ret);
}

static struct error *compile_unary(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct operand a;
    struct error *err = compile_tree(c, t->a, &a);
    if (err)
        return err;
    if (t->op == OP_ADDRESS) {
        if (!a.is_address || a.bit_size)
            return error_new("it has no address");
        *ret = (struct operand){.type = type_pointer(c->v, a.type)};
        return NULL;
    }
    if (t->op == OP_DEREF)
        return compile_dereference(c, &a, ret);
    if ((err = code_load(c, &a)))
        return err;
    if (t->op == OP_NOT && c->v->language == LANGUAGE_RUST &&
        type_plain(c->v, a.type)->kind != TYPE_BOOL)
        return error_new("! of a number cannot be compiled");
    if (t->op == OP_NOT) {
        code_truth(c, &a);
        code_byte(c, CODE_LOG_NOT);
        *ret = (struct operand){.type = comparison_type(c->v)};
        return NULL;
    }
    struct type *type = promoted_type(c->v, a.type);
    if (type->kind == TYPE_FLOAT) {
        *ret = (struct operand){.type = type};
        if (t->op == OP_NEG) {
            code_constant(c, 1ul << 63);
            code_byte(c, CODE_XOR);
        }
        return t->op == OP_INVERT ? error_new("~ does not apply to floating-point numbers") : NULL;
    }
    if (t->op == OP_NEG) {
        code_constant(c, 0);
        code_byte(c, CODE_SWAP);
        code_byte(c, CODE_SUB);
    } else if (t->op == OP_INVERT) {
        code_byte(c, CODE_NOT);
    }
    code_truncate(c, type);
    *ret = (struct operand){.type = type};
    return NULL;
}

/* Follows references. A member of anything other than a plain struct is not compiled here. */
static struct error *compile_rust_member(struct compiler *c, struct operand *a, const char *name,
                                         struct operand *ret)
{
    struct error *err = NULL;
    char numbered[32];
    for (unsigned n = 0; n < SHOW_DEPTH && !err && type_plain(c->v, a->type)->kind == TYPE_POINTER;
         n++)
        err = compile_dereference(c, a, a);
    if (!err && !rust_has_fields(type_plain(c->v, a->type)))
        err = error_new("fields of that type cannot be looked at inside the process");
    snprintf(numbered, sizeof numbered, "%s%.24s", *name >= '0' && *name <= '9' ? "__" : "", name);
    return err ? err : place_member(c, a, strlen(name) < 24 ? numbered : name, ret);
}

static struct error *compile_member(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct operand a;
    struct error *err = compile_tree(c, t->a, &a);
    if (err)
        return err;
    enum type_kind kind = type_plain(c->v, a.type)->kind;
    if (rust_is(type_plain(c->v, a.type)))
        return compile_rust_member(c, &a, t->text, ret);
    if (kind == TYPE_POINTER || kind == TYPE_ARRAY)
        err = compile_dereference(c, &a, &a);
    const char *colon = strrchr(t->text, ':');
    return err ? err : place_member(c, &a, colon ? colon + 1 : t->text, ret);
}

static struct error *compile_element(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct operand a, index;
    struct error *err = compile_value(c, t->a, &a);
    if (!err)
        err = compile_value(c, t->b, &index);
    if (err)
        return err;
    struct type *plain = type_plain(c->v, a.type);
    if (plain->kind != TYPE_POINTER)
        return error_new("it is neither an array nor a pointer, so it has no elements");
    struct type *to = type_target(c->v, plain);
    compile_scale(c, to->size, CODE_MUL);
    code_byte(c, CODE_ADD);
    *ret = (struct operand){.type = to, .is_address = true};
    return code_refer(c, ret);
}

/* a && b: b is evaluated only if it matters. */
static struct error *compile_logical(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct operand o;
    struct error *err = compile_truth(c, t->a, &o);
    if (err)
        return err;
    if (t->kind == TREE_AND)
        code_byte(c, CODE_LOG_NOT);
    size_t out = code_jump(c, CODE_IF_GOTO);
    if ((err = compile_truth(c, t->b, &o)))
        return err;
    code_byte(c, CODE_LOG_NOT);
    code_byte(c, CODE_LOG_NOT);
    size_t end = code_jump(c, CODE_GOTO);
    code_land(c, out);
    code_constant(c, t->kind == TREE_OR);
    code_land(c, end);
    *ret = (struct operand){.type = comparison_type(c->v)};
    return NULL;
}

static struct error *compile_condition(struct compiler *c, const struct tree *t,
                                       struct operand *ret)
{
    struct operand o, yes, no;
    struct error *err = compile_truth(c, t->a, &o);
    if (err)
        return err;
    size_t chosen = code_jump(c, CODE_IF_GOTO);
    if ((err = compile_value(c, t->c, &no)))
        return err;
    size_t end = code_jump(c, CODE_GOTO);
    code_land(c, chosen);
    if ((err = compile_value(c, t->b, &yes)))
        return err;
    code_land(c, end);
    *ret = yes;
    if (compile_is_float(c, &yes) != compile_is_float(c, &no))
        return error_new(
            "of ?: either both or none can be floating-point numbers inside the process");
    if (type_is_integral(type_plain(c->v, yes.type)) &&
        type_is_integral(type_plain(c->v, no.type))) {
        ret->type = arithmetic_type(c->v, yes.type, no.type);
        code_truncate(c, type_plain(c->v, ret->type));
    }
    return NULL;
}

static struct error *compile_cast(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct operand o;
    struct type *plain = type_plain(c->v, t->type);
    struct error *err = compile_tree(c, t->a, &o);
    if (err)
        return err;
    if (cast_moves(c->v, o.type, plain->kind == TYPE_REFERENCE ? type_target(c->v, plain) : plain))
        return error_new("a cast to a class with another address cannot be compiled");
    if (plain->kind == TYPE_STRUCT || plain->kind == TYPE_REFERENCE || plain->kind == TYPE_ARRAY) {
        if (!o.is_address)
            return error_coded(ERROR_UNAVAILABLE, "it is not in memory");
        *ret = (struct operand){.is_address = true,
                                .type = plain->kind == TYPE_REFERENCE ? type_target(c->v, plain)
                                                                      : t->type};
        return NULL;
    }
    if ((err = code_load(c, &o)))
        return err;
    *ret = (struct operand){.type = t->type};
    if (!type_is_scalar(plain) || plain->size > 8)
        return error_new("a cast to that type cannot be compiled");
    if (plain->kind == TYPE_BOOL)
        code_truth(c, &o);
    if (plain->kind == TYPE_FLOAT)
        code_to_double(c, type_plain(c->v, o.type));
    if (plain->kind == TYPE_FLOAT || (compile_is_float(c, &o) && plain->kind != TYPE_BOOL))
        code_from_double(c, plain);
    else
        code_truncate(c, plain);
    return NULL;
}

/* Compiles the operand for its type and drops the code. */
static struct error *compile_size_of(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct operand o = {.type = t->type};
    size_t before = c->code.count;
    struct error *err = t->a ? compile_tree(c, t->a, &o) : NULL;
    c->code.count = before;
    if (!err)
        code_constant(c, o.type->size);
    *ret = (struct operand){.type = type_builtin(c->v, "unsigned long")};
    return err;
}

static struct error *compile_number(struct compiler *c, const struct tree *t, struct operand *ret)
{
    *ret = (struct operand){.type = t->type};
    if (t->number.is_float && t->type->size > 8)
        return error_new("a long double cannot be looked at inside the process");
    place_number(c, number_as(c->v, t->number, t->type));
    return NULL;
}

static struct error *compile_tree(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct error *err;
    if (c->code.count > CODE_MOST)
        return error_new("the condition is too long");
    bool fortran = c->v->language == LANGUAGE_FORTRAN;
    if (fortran && (t->op == OP_POWER || (t->kind == TREE_NUMBER && t->number.is_float)))
        return error_new("it cannot be looked at inside the process");
    switch (t->kind) {
    case TREE_NUMBER: return compile_number(c, t, ret);
    case TREE_NAME:
    case TREE_FILE_NAME: return place_name(c, t, ret);
    case TREE_REGISTER: return place_register(c, t->text, ret);
    case TREE_UNARY: return compile_unary(c, t, ret);
    case TREE_BINARY: return tree_compares_text(t) ? compile_compare_text(c, t, ret)
                                                   : compile_binary(c, t, ret);
    case TREE_AND:
    case TREE_OR: return compile_logical(c, t, ret);
    case TREE_CONDITION: return compile_condition(c, t, ret);
    case TREE_COMMA:
        err = compile_tree(c, t->a, ret);
        code_byte(c, CODE_POP);
        return err ? err : compile_tree(c, t->b, ret);
    case TREE_MEMBER:
    case TREE_ARROW: return compile_member(c, t, ret);
    case TREE_INDEX: return compile_element(c, t, ret);
    case TREE_CAST: return compile_cast(c, t, ret);
    case TREE_SIZEOF:
    case TREE_SIZEOF_TYPE: return compile_size_of(c, t, ret);
    case TREE_ENTRY: return error_new("a caller's value cannot be looked at inside the process");
    case TREE_STRING: return error_new("a string cannot be looked at inside the process");
    case TREE_SLICE: return error_new("an array cannot be a condition");
    case TREE_TO_MEMBER:
        return error_new("a pointer to a member cannot be followed inside the process");
    case TREE_CALL: return error_new("a function cannot be called inside the process");
    case TREE_ASSIGN:
    case TREE_COUNT: return error_new("an assignment would change the program: use == to compare");
    case TREE_AT_TYPE:
        return error_new("memory that has no name cannot be looked at inside the process");
    case TREE_TYPE: return error_new("that is a type, and has no value");
    case TREE_TEXT:
    case TREE_SUBSCRIPT:
    case TREE_RANGE:
    case TREE_COMPLEX:
    case TREE_INTRINSIC: return error_new("it cannot be looked at inside the process");
    }
    return error_coded(ERROR_MISUSED, "the condition is not understood");
}

static struct error *compile_whole(struct compiler *c, const char *expression)
{
    struct tree *t;
    struct operand o;
    struct error *err = parse_expression(c->v, expression, &t);
    if (!err)
        err = compile_truth(c, t, &o);
    code_byte(c, CODE_END);
    return err;
}

/* The caller owns the code. */
static struct error *compile_code(struct compiler *c, const char *expression, u8 **ret,
                                  size_t *ret_size)
{
    struct error *err = compile_whole(c, expression);
    if (!err && c->code.count > CODE_MOST)
        err = error_new("the condition is too long");
    if (err) {
        list_deinit(&c->code);
    } else {
        *ret = c->code.items;
        *ret_size = c->code.count;
    }
    return error_default(err, ERROR_UNAVAILABLE);
}

struct error *values_compile(struct evaluation *v, const char *expression, struct code_place place,
                             u8 **ret, size_t *ret_size)
{
    struct frame here = {.pc = place.pc};
    struct values_request request = {.frames = &here, .frame_count = 1,
                                     .not_entered = place.inside};
    struct compiler c = {.code = LIST(u8), .pc = place.pc};
    struct error *err = values_open(v->symbols, &request, &c.v);
    if (!err)
        err = compile_code(&c, expression, ret, ret_size);
    values_close(c.v);
    return err;
}

struct error *values_compile_fixed(struct evaluation *v, const char *expression, u8 **ret,
                                   size_t *ret_size)
{
    struct compiler c = {.v = v, .code = LIST(u8), .pc = v->view.pc, .fixed = true};
    return compile_code(&c, expression, ret, ret_size);
}
