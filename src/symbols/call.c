/* Calls: `f(3)`, `object.method(2)`, `pointer(x)`, operators of classes.
 *
 * Of several functions with one name, the one whose parameters fit the arguments best is called.
 * Each argument is converted to the parameter's type as in the language. Arguments that are passed
 * by address but have none, such as a string literal, are first written to memory of the copy.
 */
#include "symbols/values_internal.h"

/* --- memory of the copy --------------------------------------------------------------------- */

struct error *value_in_copy(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    const struct values_request *q = &v->request;
    enum type_kind kind = type_plain(v, value->type)->kind;
    u64 address = 0;
    *ret = value;
    if (value->in_memory || (kind != TYPE_ARRAY && kind != TYPE_STRUCT))
        return NULL;
    struct error *err = v->only_types ? NULL : effects_allowed(v,
            "a value that is given to the program");
    if (!err && !v->only_types)
        err = value_load(value);
    if (!err && !v->only_types)
        err = q->actions->allocate(q->context, value->size + 1, &address);
    if (!err && !v->only_types)
        err = q->actions->write(q->context, address, value->bytes, value->size);
    if (!err)
        *ret = value_at(v, value->type, address, NULL);
    return err;
}

/* Returns the address of a value. If it has none, writes it to memory of the copy. */
static struct error *call_address_of(struct value *value, u64 *ret)
{
    struct evaluation *v = value->evaluation;
    const struct values_request *q = &v->request;
    struct value *there = value;
    struct error *err = value_in_copy(value, &there);
    if (!err && there->bit_size)
        err = error_new("a bit-field has no address");
    if (err)
        return err;
    if (!there->in_memory && !v->only_types) {
        err = value_load(value);
        if (!err)
            err = q->actions->allocate(q->context, value->size + 1, &there->address);
        if (!err)
            err = q->actions->write(q->context, there->address, value->bytes, value->size);
    }
    *ret = there->address;
    return err;
}

/* --- how well arguments fit ----------------------------------------------------------------- */

enum { FITS_NOT = 1000 };

static bool call_same_type(struct evaluation *v, struct type *a, struct type *b)
{
    a = type_plain(v, a);
    b = type_plain(v, b);
    if (a == b)
        return true;
    if (a->kind != b->kind || a->size != b->size)
        return false;
    if (a->kind == TYPE_POINTER || a->kind == TYPE_REFERENCE)
        return call_same_type(v, type_target(v, a), type_target(v, b));
    if (a->kind == TYPE_STRUCT || a->kind == TYPE_ENUM)
        return a->name && b->name && type_same_name(a->name, b->name);
    return a->is_unsigned == b->is_unsigned || a->kind == TYPE_VOID;
}

/* Returns the pointer type as which an array is passed. */
static struct type *call_decayed(struct evaluation *v, struct type *t)
{
    struct type *plain = type_plain(v, t);
    if (plain->kind == TYPE_ARRAY)
        return type_pointer(v, type_target(v, plain));
    return plain->kind == TYPE_FUNCTION ? type_pointer(v, plain) : plain;
}

static bool call_is_base(struct evaluation *v, struct type *class, struct type *wanted,
                         unsigned depth)
{
    size_t count;
    class = type_plain(v, class);
    const struct member *m = class->kind == TYPE_STRUCT ? type_members(v, class, &count) : NULL;
    if (!m || depth > SHOW_DEPTH)
        return false;
    for (size_t n = 0; n < count; n++)
        if (m[n].is_base && (call_same_type(v, m[n].type, wanted) || call_is_base(v, m[n].type,
                wanted, depth + 1)))
            return true;
    return false;
}

static bool call_is_null(struct value *value)
{
    struct number n;
    struct error *err = value->bytes && !value->in_memory ? value_number(value, &n)
        : error_new("no");
    error_destroy(err);
    return !err && !n.is_float && n.i == 0;
}

static unsigned call_fit_pointer(struct evaluation *v, struct value *value, struct type *from,
                                 struct type *to)
{
    if (from->kind != TYPE_POINTER)
        return type_is_integral(from) ? (call_is_null(value) ? 3 : 20) : FITS_NOT;
    struct type *a = type_plain(v, type_target(v, from)), *b = type_plain(v, type_target(v, to));
    if (call_same_type(v, a, b))
        return 0;
    if (b->kind == TYPE_VOID)
        return 4;
    return call_is_base(v, a, b, 0) ? 2 : v->cplusplus ? 30 : 5;
}

static unsigned call_fit_number(struct evaluation *v, struct type *from, struct type *to)
{
    if (to->kind == TYPE_BOOL)
        return 6;
    if (!type_is_scalar(from) || from->kind == TYPE_POINTER)
        return from->kind == TYPE_POINTER && to->size == 8 ? 20 : FITS_NOT;
    bool promotes = call_same_type(v, promoted_type(v, from), to) ||
                    (from->kind == TYPE_FLOAT && to->kind == TYPE_FLOAT && to->size == 8 &&
                     from->size == 4);
    return promotes ? 1 : to->kind == TYPE_ENUM ? 20 : from->kind == to->kind ? 3 : 4;
}

/* How well an argument fits: 0 is exact; larger is worse. */
static unsigned call_fit(struct evaluation *v, struct value *value, struct type *parameter)
{
    struct type *to = type_plain(v, parameter), *target = to->kind == TYPE_REFERENCE
        ? type_target(v, to) : NULL;
    struct type *from = type_plain(v, value->type);
    if (target) {
        unsigned constant = target->kind == TYPE_CONST || to->is_rvalue;
        target = type_plain(v, target);
        if (call_same_type(v, from, target))
            return constant && value->in_memory;
        if (from->kind == TYPE_STRUCT && call_is_base(v, from, target, 0))
            return 2;
        return constant && type_is_scalar(target) ? 1 + call_fit(v, value, target) : FITS_NOT;
    }
    from = call_decayed(v, from);
    if (call_same_type(v, from, to))
        return 0;
    if (to->kind == TYPE_POINTER)
        return call_fit_pointer(v, value, from, to);
    if (type_is_scalar(to))
        return call_fit_number(v, from, to);
    if (to->kind == TYPE_STRUCT && from->kind == TYPE_STRUCT && call_is_base(v, from, to, 0))
        return 2;
    return to->kind == TYPE_COMPLEX && (from->kind == TYPE_FLOAT || type_is_integral(from)) ? 7
        : FITS_NOT;
}

static unsigned call_fit_all(struct evaluation *v, const struct callable *c,
                             struct value **arguments, size_t count)
{
    unsigned sum = 0;
    if (count < c->parameter_count || (count > c->parameter_count && !c->is_variadic &&
                                       !c->is_unprototyped))
        return FITS_NOT;
    for (size_t n = 0; n < c->parameter_count && sum < FITS_NOT; n++)
        sum += call_fit(v, arguments[n], c->parameters[n]);
    return sum;
}

static struct error *call_choose(struct evaluation *v, const struct callable *all, size_t count,
                                 struct value **arguments, size_t argument_count,
                                 const struct callable **ret)
{
    const struct callable *c = all;
    unsigned best = ~0u;
    for (size_t n = 0; n < count; n++) {
        unsigned fit = 2 * call_fit_all(v, &all[n], arguments, argument_count) + !all[n].address;
        if (fit < best) {
            best = fit;
            c = &all[n];
        }
    }
    if (best < 2 * FITS_NOT) {
        *ret = c;
        return NULL;
    }
    if (count > 1)
        return error_new("none of the %zu functions %s takes these arguments", count, c->name);
    if (argument_count < c->parameter_count || !c->is_variadic)
        if (argument_count != c->parameter_count)
            return error_new("%s takes %zu argument%s, not %zu", c->name, c->parameter_count,
                             c->parameter_count == 1 ? "" : "s", argument_count);
    for (size_t n = 0; n < c->parameter_count; n++)
        if (call_fit(v, arguments[n], c->parameters[n]) >= FITS_NOT) {
            char *wanted = type_text(v, c->parameters[n]);
            char *given = type_text(v, arguments[n]->type);
            struct error *err = error_new("argument %zu of %s is of type %s, and a value of type "
                                          "%s cannot be that", n + 1, c->name, wanted, given);
            free(wanted);
            free(given);
            return err;
        }
    return error_new("%s cannot be called with these arguments", c->name);
}

/* --- arguments ------------------------------------------------------------------------------ */

/* Widens an argument whose parameter type is unknown, as C does. */
static struct error *call_widen(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    struct error *err = value_in_copy(value, &value);
    if (!err)
        err = value_decay(value, &value);
    *ret = value;
    if (err)
        return err;
    if (plain->kind == TYPE_FLOAT && plain->size == 4)
        return value_cast(value, type_builtin(v, "double"), ret);
    return type_is_integral(plain) ? value_cast(value, promoted_type(v, plain), ret) : NULL;
}

static struct error *call_to_complex(struct value *value, struct type *to, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    u64 half = to->size / 2;
    struct value *real;
    u8 *bytes = values_alloc(v, to->size);
    struct error *err = value_cast(value, type_builtin(v, half == 4 ? "float" : half == 8 ? "double"
                                                       : "long double"), &real);
    if (err)
        return err;
    memcpy(bytes, real->bytes, half < real->size ? half : real->size);
    *ret = value_of_bytes(v, to, bytes, to->size);
    return NULL;
}

static struct error *call_convert(struct value *value, struct type *parameter, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, parameter);
    u64 address;
    struct error *err = NULL;
    if (plain->kind == TYPE_REFERENCE) {
        struct type *to = type_plain(v, type_target(v, plain));
        if (!call_same_type(v, value->type, to) && type_is_scalar(to))
            err = value_cast(value, to, &value);
        else if (to->kind == TYPE_STRUCT) {
            err = value_in_copy(value, &value);
            if (!err)
                err = value_cast(value, to, &value);
        }
        if (!err)
            err = call_address_of(value, &address);
        if (!err)
            *ret = value_of_number(v, type_builtin(v, "unsigned long"),
                                   (struct number){.i = address});
        return err;
    }
    if (plain->kind == TYPE_STRUCT || plain->kind == TYPE_ARRAY) {
        err = call_same_type(v, value->type, plain) ? NULL : value_cast(value, parameter, &value);
        *ret = value;
        return err;
    }
    if (plain->kind == TYPE_COMPLEX && type_plain(v, value->type)->kind != TYPE_COMPLEX)
        return call_to_complex(value, plain, ret);
    if (plain->kind == TYPE_COMPLEX || plain->kind == TYPE_MEMBER_POINTER) {
        *ret = value;
        return NULL;
    }
    err = value_in_copy(value, &value);
    return err ? err : value_cast(value, parameter, ret);
}

/* --- the call ------------------------------------------------------------------------------- */

static struct error *call_virtual(struct evaluation *v, const struct callable *c, u64 object,
                                  u64 *ret)
{
    const struct symbols_host *host = &v->symbols->host;
    u64 table;
    if (!host->read(host->context, object, &table, 8) || !host->read(host->context,
                                                                     table + 8 * c->slot, ret, 8))
        return error_new("the object has no table of virtual functions, so which %s is meant is "
                         "not known", c->name);
    return NULL;
}

static struct error *call_resolve(struct evaluation *v, const struct callable *c, u64 *address)
{
    const struct values_request *q = &v->request;
    struct values_call call = {.function = *address, .name = c->name};
    struct values_called called;
    if (!callable_is_indirect(v, *address))
        return NULL;
    struct error *err = q->actions->call(q->context, &call, &called);
    if (!err)
        *address = called.rax_rdx[0];
    return err;
}

static struct error *call_no_code(const struct callable *c)
{
    return error_new("%s has no code of its own: it was inlined wherever it is used, or left out",
                     c->name);
}

/* Code that a compiler specialised for some calls expects other registers than a new call sets. */
static struct error *call_check_clone(struct evaluation *v, const struct callable *c, u64 address)
{
    struct module *m = module_at(v->symbols, address);
    const struct function_symbol *f = m ? module_function(m, address) : NULL;
    if (!f || f->start != address || !function_has_other_parameters(f))
        return NULL;
    return error_new("%s cannot be called: the compiler left only %s, which takes other parameters",
                     c->name, f->raw);
}

/* If the result is returned in memory, the first argument is its address. */
static struct error *call_add_result_room(struct evaluation *v, struct type *result,
                                          struct values_call *call)
{
    const struct values_request *q = &v->request;
    if (!call_returns_in_memory(v, result))
        return NULL;
    u64 *room = &call->integers[call->integer_count++];
    return q->actions->allocate(q->context, type_plain(v, result)->size + 1, room);
}

static struct error *call_add_arguments(struct evaluation *v, const struct callable *c,
                                        struct value **arguments,
                                        size_t count, struct values_call *call, struct list *stack)
{
    struct error *err = NULL;
    for (size_t n = 0; n < count && !err; n++) {
        struct value *value = NULL;
        err = n < c->parameter_count ? call_convert(arguments[n], c->parameters[n], &value)
                                     : call_widen(arguments[n], &value);
        if (!err)
            err = call_add_argument(v, call, stack, value);
    }
    return err;
}

/* A result in registers is also written to memory, so that it has an address and a method can be
 * called for it. */
static struct error *call_take_result(struct evaluation *v, struct type *result,
                                      const struct values_called *called,
                                      struct value **ret)
{
    if (type_plain(v, result)->kind == TYPE_VOID) {
        *ret = value_of_bytes(v, result, "", 1);
        return NULL;
    }
    struct error *err = call_result(v, result, called, ret);
    return err ? err : value_in_copy(*ret, ret);
}

static struct error *call_make(struct evaluation *v, const struct callable *c, u64 address,
                               const u64 *object,
                               struct value **arguments, size_t count, struct type *result,
                                   struct value **ret)
{
    const struct values_request *q = &v->request;
    struct values_call call = {.function = address, .name = c->name};
    struct values_called called;
    struct list stack = LIST(u8);
    struct error *err = call_resolve(v, c, &call.function);
    if (!err)
        err = call_add_result_room(v, result, &call);
    if (object)
        call.integers[call.integer_count++] = *object;
    if (!err)
        err = call_add_arguments(v, c, arguments, count, &call, &stack);
    call.stack = stack.items;
    call.stack_size = stack.count;
    if (!err)
        err = q->actions->call(q->context, &call, &called);
    list_deinit(&stack);
    return err ? err : call_take_result(v, result, &called, ret);
}

/* Converts the object to the class that declares the method. */
static struct error *call_object(struct evaluation *v, const struct callable *c,
                                 struct value *object, u64 *ret)
{
    struct error *err = value_in_copy(object, &object);
    if (!err && !call_same_type(v, object->type, c->class))
        err = value_cast(object, c->class, &object);
    return err ? err : call_address_of(object, ret);
}

struct error *call_best(struct evaluation *v, const struct callable *all, size_t count,
                        struct value *object,
                        bool qualified, struct value **arguments, size_t argument_count,
                            struct type *as,
                        struct value **ret)
{
    const struct callable *c = NULL;
    u64 at = 0;
    struct error *err = call_choose(v, all, count, arguments, argument_count, &c);
    if (err)
        return err;
    struct type *result = c->result ? c->result : as;
    if (!result)
        return error_new(
            "the type that %s returns is not known: cast the call to that type, as in (int)%s(...)",
            c->name, c->name);
    if (v->only_types) {
        *ret = value_of_bytes(v, result, "", 0);
        return NULL;
    }
    u64 address = c->address;
    if (c->class) {
        if (!object)
            return error_coded(ERROR_MISUSED, "%s is a method, and needs an object", c->name);
        err = call_object(v, c, object, &at);
        if (!err && c->is_virtual && !qualified)
            err = call_virtual(v, c, at, &address);
    }
    if (!err && !address)
        err = call_no_code(c);
    if (!err)
        err = call_check_clone(v, c, address);
    return err ? err : call_make(v, c, address, c->class ? &at : NULL, arguments, argument_count,
                                 result, ret);
}

struct error *call_operator(struct evaluation *v, const char *name, struct value *a,
                            struct value *b,
                            struct value **ret)
{
    struct callable *all;
    size_t count;
    const struct callable *fits = NULL;
    struct value *arguments[2] = {a, b};
    size_t given = b ? 2 : 1;
    *ret = NULL;
    if (!v->request.actions)
        return NULL;
    if (type_plain(v, a->type)->kind == TYPE_STRUCT) {
        callables_of_class(v, a->type, name, &all, &count);
        struct error *err = count ? call_choose(v, all, count, arguments + 1, given - 1, &fits)
            : error_new("no");
        error_destroy(err);
        if (!err && (fits->address || fits->is_virtual))
            return call_best(v, all, count, a, false, arguments + 1, given - 1, NULL, ret);
    }
    callables_named(v, name, &all, &count);
    struct error *err = count ? call_choose(v, all, count, arguments, given, &fits)
        : error_new("no");
    error_destroy(err);
    return err ? NULL : call_best(v, all, count, NULL, false, arguments, given, NULL, ret);
}

/* --- what is called ------------------------------------------------------------------------- */

struct call_arguments {
    struct value **list;
    size_t count;
};

static struct error *call_evaluate_arguments(struct evaluation *v, const struct tree *t,
                                             struct call_arguments *ret)
{
    struct tree *const *trees = t->arguments.items;
    struct error *err = NULL;
    ret->count = t->arguments.count;
    ret->list = values_alloc(v, (ret->count + 1) * sizeof *ret->list);
    for (size_t n = 0; n < ret->count && !err; n++)
        err = evaluate_operand(v, trees[n], &ret->list[n]);
    return err;
}

/* Calls an object that has operator(): `object(3)`. */
static struct error *call_value(struct evaluation *v, struct value *callee, const char *name,
                                const struct call_arguments *a, struct type *as, struct value **ret)
{
    struct callable c, *all;
    size_t count;
    struct error *err = value_referred(callee, &callee);
    if (err)
        return err;
    if (type_plain(v, callee->type)->kind == TYPE_STRUCT) {
        callables_of_class(v, callee->type, "operator()", &all, &count);
        if (count)
            return call_best(v, all, count, callee, false, a->list, a->count, as, ret);
    }
    err = callable_of_value(callee, &c);
    if (!err && name)
        c.name = name;
    return err ? err : call_best(v, &c, 1, NULL, false, a->list, a->count, as, ret);
}

static struct error *call_method(struct evaluation *v, struct value *object, const char *name,
                                 const struct call_arguments *a, struct type *as, bool *ret_found,
                                 struct value **ret)
{
    struct callable *all;
    size_t count;
    const char *colon = strrchr(name, ':');
    if (colon) { /* object.Base::method() */
        struct value *base;
        char *class = values_copy(v, name, (size_t)(colon - 1 - name));
        struct error *err = value_find_member(object, class, &base);
        if (!err && base)
            object = base;
        error_destroy(err);
        name = colon + 1;
    }
    callables_of_class(v, object->type, name, &all, &count);
    *ret_found = count;
    return count ? call_best(v, all, count, object, colon, a->list, a->count, as, ret) : NULL;
}

/* The object of `a.f()` and `a->f()`. */
static struct error *call_find_object(struct evaluation *v, const struct tree *t,
                                      struct value **ret)
{
    enum { ARROWS_MOST = 8 };
    struct shown shown;
    struct error *err = evaluate_operand(v, t->a, ret);
    for (unsigned n = 0; !err && n < ARROWS_MOST; n++) {
        struct type *plain = type_plain(v, (*ret)->type);
        struct value *to = NULL;
        if (plain->kind == TYPE_POINTER || plain->kind == TYPE_ARRAY) {
            err = evaluate_dereference(*ret, ret);
            return err ? err : value_referred(*ret, ret);
        }
        if (t->kind != TREE_ARROW || plain->kind != TYPE_STRUCT)
            return NULL;
        if (show_standard(*ret, &shown) && shown.target)
            return evaluate_dereference(*ret, ret);
        err = call_operator(v, "operator->", *ret, NULL, &to);
        if (err || !to)
            return err;
        *ret = to;
    }
    return err;
}

static struct error *call_member(struct evaluation *v, const struct tree *t,
                                 const struct call_arguments *a,
                                 struct type *as, struct value **ret)
{
    struct value *object, *member;
    bool found;
    struct error *err = call_find_object(v, t, &object);
    if (err)
        return err;
    struct type *plain = type_plain(v, object->type);
    if (plain->kind != TYPE_STRUCT)
        return error_new("%s has no members, so no %s", value_called(object), t->text);
    err = value_find_member(object, t->text, &member);
    if (!err && member)
        return call_value(v, member, t->text, a, as, ret);
    error_destroy(err);
    err = call_method(v, object, t->text, a, as, &found, ret);
    if (err || found)
        return err;
    return error_new("%s has no member %s", plain->name ? plain->name : plain->keyword, t->text);
}

/* Calls a function that is only in the symbol table. */
static struct error *call_symbol(struct evaluation *v, const char *name,
                                 const struct call_arguments *a,
                                 struct type *as, struct value **ret)
{
    struct callable c = {.name = name, .is_unprototyped = true};
    bool is_code;
    if (!names_find_symbol(v->symbols, name, &is_code, &c.address) || !is_code)
        return error_coded(ERROR_NOT_FOUND, "there is no function %s here", name);
    struct type *type = callable_type_at(v, c.address);
    if (library_call(v, name, &c))
        c.is_unprototyped = false;
    else if (type) /* debug information has the function by another name */
        return call_value(v, value_at(v, type, c.address, NULL), name, a, as, ret);
    return call_best(v, &c, 1, NULL, false, a->list, a->count, as, ret);
}

/* True if `int(3.5)` is a cast. */
static bool call_is_type(struct evaluation *v, const char *name, struct type **ret)
{
    *ret = type_named(v, NULL, name);
    return *ret;
}

static struct error *call_named(struct evaluation *v, const struct tree *t,
                                const struct call_arguments *a,
                                struct type *as, struct value **ret)
{
    const char *name = t->text;
    struct found_variable variable;
    struct name_meaning global;
    struct callable *all;
    struct type *type;
    size_t count;
    bool found = false;
    struct value *object = variables_find(v, name, &variable) ? NULL : variables_this(v), *callee;
    if (variables_find(v, name, &variable)) {
        struct error *err = evaluate(v, t, &callee);
        return err ? err : call_value(v, callee, name, a, as, ret);
    }
    if (object) {
        struct error *err = evaluate_dereference(object, &object);
        if (!err)
            err = call_method(v, object, name, a, as, &found, ret);
        if (err || found)
            return err;
    }
    callables_named(v, name, &all, &count);
    if (count)
        return call_best(v, all, count, NULL, false, a->list, a->count, as, ret);
    if (lookup_name(v, name, 1u << NAME_VARIABLE, &global)) {
        struct error *err = evaluate(v, t, &callee);
        return err ? err : call_value(v, callee, name, a, as, ret);
    }
    if (a->count == 1 && call_is_type(v, name, &type))
        return value_cast(a->list[0], type, ret);
    return call_symbol(v, name, a, as, ret);
}

struct error *evaluate_call(struct evaluation *v, const struct tree *t, struct type *as,
                            struct value **ret)
{
    struct call_arguments a;
    struct value *callee;
    struct error *err = v->only_types ? NULL : effects_allowed(v, "a call");
    if (!err)
        err = call_evaluate_arguments(v, t, &a);
    if (err)
        return err;
    if (t->a->kind == TREE_REGISTER && internal_function_is(t->a->text))
        return internal_function_call(v, t->a->text, a.list, a.count, ret);
    switch (t->a->kind) {
    case TREE_NAME: return call_named(v, t->a, &a, as, ret);
    case TREE_MEMBER:
    case TREE_ARROW: return call_member(v, t->a, &a, as, ret);
    default:
        err = evaluate(v, t->a, &callee);
        return err ? err : call_value(v, callee, NULL, &a, as, ret);
    }
}
