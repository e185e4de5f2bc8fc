/* Brief conditions: see bytecode_brief.h.
 *
 * The bytecode is executed symbolically, with a stack of items that are either constants, on which
 * opcodes are executed at once, or the word, for which opcodes become steps.
 *
 * Invariant
 *   (1) The word is on the stack at most once: a step on it changes nothing else.
 */
#include "engine/plan/bytecode_brief.h"

#include "base/assert.h"
#include "engine/plan/bytecode_internal.h"

enum { ITEMS_MOST = 8 };

struct item {
    bool is_word;
    u64 constant;
};

struct reading {
    const u8 *at, *end;
    struct item item[ITEMS_MOST];
    u32 count;
    struct brief *brief;
};

static u64 brief_apply(u8 op, u64 a, u64 b)
{
    switch (op) {
    case OP_EXT:
    case OP_ZERO_EXT:
        return bytecode_extend(a, b, op == OP_EXT);
    case OP_LOG_NOT:
        return !a;
    case OP_BIT_NOT:
        return ~a;
    default:
        return bytecode_binary(op, a, b);
    }
}

u64 brief_value(const struct brief *b, u64 word)
{
    for (u32 n = 0; n < b->count; n++) {
        const struct brief_step *s = &b->step[n];
        word = s->constant_first ? brief_apply(s->op, s->constant, word)
                                 : brief_apply(s->op, word, s->constant);
    }
    return word;
}

/* A variable's value is extended when it is loaded, and again when it is converted to another
 * type. */
static bool is_repeated(const struct brief *b, u8 op, u64 constant)
{
    const struct brief_step *last = b->count ? &b->step[b->count - 1] : NULL;
    return last && (op == OP_EXT || op == OP_ZERO_EXT) && last->op == op &&
           last->constant == constant;
}

static bool add_step(struct reading *r, u8 op, u64 constant, bool constant_first)
{
    struct brief *b = r->brief;
    if (is_repeated(b, op, constant))
        return true;
    if (b->count == BRIEF_STEPS)
        return false;
    b->step[b->count++] = (struct brief_step){op, constant_first, constant};
    return true;
}

static bool push_constant(struct reading *r, u32 bytes)
{
    if (r->count == ITEMS_MOST || r->end - r->at < bytes)
        return false;
    r->item[r->count++] = (struct item){false, bytecode_number(r->at, bytes)};
    r->at += bytes;
    return true;
}

static bool brief_load(struct reading *r, u32 size)
{
    if (!r->count || r->item[r->count - 1].is_word || r->brief->size)
        return false;
    r->brief->address = r->item[r->count - 1].constant;
    r->brief->size = size;
    r->item[r->count - 1].is_word = true;
    return true;
}

static bool take_one(struct reading *r, u8 op, u64 operand)
{
    if (!r->count)
        return false;
    struct item *top = &r->item[r->count - 1];
    if (top->is_word)
        return add_step(r, op, operand, false);
    top->constant = brief_apply(op, top->constant, operand);
    return true;
}

static bool extend(struct reading *r, u8 op)
{
    return r->at < r->end && *r->at && take_one(r, op, *r->at++);
}

static bool take_two(struct reading *r, u8 op)
{
    if (r->count < 2)
        return false;
    struct item *a = &r->item[r->count - 2], *b = &r->item[r->count - 1];
    r->count--;
    invariant(1, !a->is_word || !b->is_word);
    if (!a->is_word && !b->is_word) {
        a->constant = brief_apply(op, a->constant, b->constant);
        return true;
    }
    bool constant_first = b->is_word;
    u64 constant = constant_first ? a->constant : b->constant;
    a->is_word = true;
    return add_step(r, op, constant, constant_first);
}

static bool brief_swap(struct reading *r)
{
    if (r->count < 2)
        return false;
    struct item top = r->item[r->count - 1];
    r->item[r->count - 1] = r->item[r->count - 2];
    r->item[r->count - 2] = top;
    return true;
}

static bool read_opcode(struct reading *r, u8 op)
{
    switch (op) {
    case OP_CONST8:   return push_constant(r, 1);
    case OP_CONST16:  return push_constant(r, 2);
    case OP_CONST32:  return push_constant(r, 4);
    case OP_CONST64:  return push_constant(r, 8);
    case OP_REF8:     return brief_load(r, 1);
    case OP_REF16:    return brief_load(r, 2);
    case OP_REF32:    return brief_load(r, 4);
    case OP_REF64:    return brief_load(r, 8);
    case OP_EXT:
    case OP_ZERO_EXT: return extend(r, op);
    case OP_LOG_NOT:
    case OP_BIT_NOT:  return take_one(r, op, 0);
    case OP_SWAP:     return brief_swap(r);
    default:          return bytecode_is_binary(op) && take_two(r, op);
    }
}

bool brief_read(const u8 *code, u32 size, struct brief *ret)
{
    struct reading r = {.at = code, .end = code + size, .brief = ret};
    ret->size = ret->count = 0;
    while (r.at < r.end) {
        u8 op = *r.at++;
        if (op == OP_END)
            return r.count && r.item[r.count - 1].is_word;
        if (!read_opcode(&r, op))
            return false;
    }
    return false;
}
