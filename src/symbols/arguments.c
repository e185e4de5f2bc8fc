/* Passes arguments to a function that is called, and prepares the place of its result: the
 * counterpart of returned.c, which has the classes of the calling convention.
 *
 * An argument is in registers if enough are left for all of it. Otherwise, or if its class is
 * memory, it is on the stack.
 */
#include "symbols/values_internal.h"

/* --- arguments -------------------------------------------------------------------------------- */

static void argument_to_stack(struct list *stack, const u8 *bytes, u64 size, u64 alignment)
{
    while (stack->count % alignment)
        *(u8 *)list_add(stack) = 0;
    for (u64 n = 0; n < (size + 7) / 8 * 8; n++)
        *(u8 *)list_add(stack) = n < size ? bytes[n] : 0;
}

/* Counts the registers that the argument needs; false: it is on the stack. */
static bool argument_registers(const struct returned *r, unsigned *integers, unsigned *vectors)
{
    *integers = *vectors = 0;
    for (u64 n = 0; n < (r->size + 7) / 8; n++) {
        if (r->words[n] == WORD_X87 || r->words[n] == WORD_X87_UP)
            return false;
        *integers += r->words[n] == WORD_INTEGER;
        *vectors += r->words[n] == WORD_SSE;
    }
    return true;
}

static void argument_to_registers(const struct returned *r, struct values_call *call,
                                  const u8 *bytes)
{
    for (u64 n = 0; n < (r->size + 7) / 8; n++)
        if (r->words[n] == WORD_INTEGER)
            memcpy(&call->integers[call->integer_count++], bytes + 8 * n, 8);
        else if (r->words[n] == WORD_SSE)
            memcpy(call->vectors[call->vector_count++], bytes + 8 * n, 8);
        else if (r->words[n] == WORD_SSE_UP)
            memcpy(call->vectors[call->vector_count - 1] + 8, bytes + 8 * n, 8);
}

/* Passes the address of the object itself, where the caller would pass that of a copy. */
static struct error *argument_by_address(struct evaluation *v, struct values_call *call,
                                         struct list *stack, struct value *value)
{
    struct value *there;
    struct error *err = value_in_copy(value, &there);
    if (err)
        return err;
    struct number at = {.i = there->address};
    return call_add_argument(v, call, stack,
                             value_of_number(v, type_builtin(v, "unsigned long"), at));
}

struct error *call_add_argument(struct evaluation *v, struct values_call *call, struct list *stack,
                                struct value *value)
{
    struct type *plain = type_plain(v, value->type);
    struct returned r = {.v = v, .size = plain->size};
    unsigned integers, vectors;
    bool wide;
    u8 bytes[16] = {0};
    if (returned_by_address(v, plain))
        return argument_by_address(v, call, stack, value);
    struct error *err = value_load(value);
    if (err)
        return err;
    if (value_is_missing(value, 0, value->size))
        return error_coded(ERROR_UNAVAILABLE, "an argument is optimised out");
    bool memory = returned_in_memory(&r, plain, &wide);
    if (wide)
        return error_new("a vector of more than 16 bytes cannot be passed");
    if (memory || !argument_registers(&r, &integers, &vectors) ||
        call->integer_count + integers > countof(call->integers) ||
        call->vector_count + vectors > countof(call->vectors)) {
        argument_to_stack(stack, value->bytes, value->size, type_alignment(v, plain) > 8 ? 16 : 8);
        return NULL;
    }
    memcpy(bytes, value->bytes, value->size < sizeof bytes ? value->size : sizeof bytes);
    argument_to_registers(&r, call, bytes);
    return NULL;
}

/* --- results ---------------------------------------------------------------------------------- */

bool call_register(const struct values_called *called, const char *name, u8 *bytes,
                   size_t *ret_size)
{
    unsigned number = (unsigned)(name[strlen(name) - 1] - '0');
    if (number > 1)
        return false;
    bool stack = strncmp(name, "st", 2) == 0;
    if (!stack && strncmp(name, "xmm", 3) != 0)
        return false;
    *ret_size = stack ? ST_SIZE : XMM_SIZE;
    memcpy(bytes, stack ? called->stack[number] : called->vectors[number], *ret_size);
    return true;
}

bool call_returns_in_memory(struct evaluation *v, struct type *t)
{
    struct type *plain = type_plain(v, t);
    struct returned r = {.v = v, .size = plain->size};
    bool wide;
    return plain->kind != TYPE_VOID && returned_in_memory(&r, t, &wide) &&
           !returned_on_x87_stack(plain);
}

struct error *call_result(struct evaluation *v, struct type *t, const struct values_called *called,
                          struct value **ret)
{
    struct type *plain = type_plain(v, t);
    struct returned r = {.v = v, .size = plain->size, .called = called};
    bool wide;
    if (!returned_in_memory(&r, t, &wide) || returned_on_x87_stack(plain))
        return returned_from_registers(&r, t, called->rax_rdx, ret);
    *ret = value_at(v, t, called->rax_rdx[0], NULL);
    return NULL;
}
