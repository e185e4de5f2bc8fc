/* Programs of filters: see filter_program.h.
 *
 * Invariant
 *   (1) A valid program runs only forward and ends with a return, so it always returns.
 */
#include "engine/threads/filter_program.h"

#include "base/assert.h"
#include "engine/base/text.h"

enum { /* the parts of an instruction's code */
    CLASS = 0x07, CLASS_LD = 0, CLASS_LDX, CLASS_ST, CLASS_STX, CLASS_ALU, CLASS_JMP, CLASS_RET,
    CLASS_MISC,
    MODE_IMM = 0x00, MODE_ABS = 0x20, MODE_MEM = 0x60, MODE_LEN = 0x80,
    SOURCE_X = 0x08,
    OPERATION = 0xf0,
    ALU_ADD = 0x00, ALU_SUB = 0x10, ALU_MUL = 0x20, ALU_DIV = 0x30, ALU_OR = 0x40, ALU_AND = 0x50,
    ALU_LSH = 0x60, ALU_RSH = 0x70, ALU_NEG = 0x80, ALU_XOR = 0xa0,
    JMP_ALWAYS = 0x00, JMP_EQ = 0x10, JMP_GT = 0x20, JMP_GE = 0x30, JMP_SET = 0x40,
    RET_A = CLASS_RET | 0x10,
    MISC_TAX = CLASS_MISC, MISC_TXA = CLASS_MISC | 0x80,
    WORDS = 16, /* of scratch memory */
    DATA_SIZE = sizeof(struct filter_data),
};

/* --- validity --------------------------------------------------------------------------------- */

static bool is_known(u16 code)
{
    static const u16 known[] = {
        CLASS_LD | MODE_ABS, CLASS_LD | MODE_LEN, CLASS_LD | MODE_IMM, CLASS_LD | MODE_MEM,
        CLASS_LDX | MODE_LEN, CLASS_LDX | MODE_IMM, CLASS_LDX | MODE_MEM, CLASS_ST, CLASS_STX,
        CLASS_ALU | ALU_NEG, CLASS_JMP | JMP_ALWAYS, CLASS_RET, RET_A, MISC_TAX, MISC_TXA,
    };
    static const u8 with_source[] = {
        CLASS_ALU | ALU_ADD, CLASS_ALU | ALU_SUB, CLASS_ALU | ALU_MUL, CLASS_ALU | ALU_DIV,
        CLASS_ALU | ALU_OR, CLASS_ALU | ALU_AND, CLASS_ALU | ALU_LSH, CLASS_ALU | ALU_RSH,
        CLASS_ALU | ALU_XOR, CLASS_JMP | JMP_EQ, CLASS_JMP | JMP_GT, CLASS_JMP | JMP_GE,
        CLASS_JMP | JMP_SET,
    };
    for (size_t n = 0; n < countof(known); n++)
        if (code == known[n])
            return true;
    for (size_t n = 0; n < countof(with_source); n++)
        if ((code & ~SOURCE_X) == with_source[n])
            return true;
    return false;
}

static bool is_operand_valid(const struct filter_step *s, u32 left)
{
    switch (s->code) {
    case CLASS_LD | MODE_ABS:
        return s->operand < DATA_SIZE && !(s->operand & 3);
    case CLASS_LD | MODE_MEM:
    case CLASS_LDX | MODE_MEM:
    case CLASS_ST:
    case CLASS_STX:
        return s->operand < WORDS;
    case CLASS_ALU | ALU_DIV:
        return s->operand != 0;
    case CLASS_ALU | ALU_LSH:
    case CLASS_ALU | ALU_RSH:
        return s->operand < 32;
    case CLASS_JMP | JMP_ALWAYS:
        return s->operand < left;
    default:
        return (s->code & CLASS) != CLASS_JMP || (s->yes < left && s->no < left);
    }
}

/* Every word of scratch memory that is read was written before, on each path to it. `written` has
 * a set of words for each step; a set of all ones means that no path to the step is known yet. */
static bool stores_before_loads(const struct filter_step *steps, u32 count)
{
    u16 reached[FILTER_LONGEST];
    u16 written = 0;
    memset(reached, 0xff, sizeof(reached));
    for (u32 n = 0; n < count; n++) {
        const struct filter_step *s = &steps[n];
        written &= reached[n];
        if (s->code == CLASS_ST || s->code == CLASS_STX) {
            written |= (u16)(1u << s->operand);
        } else if (s->code == (CLASS_LD | MODE_MEM) || s->code == (CLASS_LDX | MODE_MEM)) {
            if (!(written & 1u << s->operand))
                return false;
        } else if (s->code == (CLASS_JMP | JMP_ALWAYS)) {
            reached[n + 1 + s->operand] &= written;
            written = 0xffff;
        } else if ((s->code & CLASS) == CLASS_JMP) {
            reached[n + 1 + s->yes] &= written;
            reached[n + 1 + s->no] &= written;
            written = 0xffff;
        }
    }
    return true;
}

bool filter_program_valid(const struct filter_step *steps, u32 count)
{
    if (count == 0 || count > FILTER_LONGEST || (steps[count - 1].code & CLASS) != CLASS_RET)
        return false;
    for (u32 n = 0; n < count; n++)
        if (!is_known(steps[n].code) || !is_operand_valid(&steps[n], count - n - 1))
            return false;
    return stores_before_loads(steps, count);
}

static u32 jump_length(const struct filter_step *s)
{
    bool constant = !(s->code & SOURCE_X), inverts = (s->code & OPERATION) != JMP_SET;
    u32 loads = constant && (i32)s->operand < 0; /* of an operand that would be negative there */
    return loads + (s->no == 0 || (s->yes == 0 && inverts) ? 1 : 2);
}

/* As bpf_convert_filter() of Linux translates. */
u32 filter_program_length(const struct filter_step *steps, u32 count)
{
    u32 length = 3; /* clears both registers, and keeps the address of the data */
    for (const struct filter_step *s = steps; s < steps + count; s++) {
        if (s->code == (CLASS_ALU | ALU_DIV | SOURCE_X))
            length += 5;
        else if ((s->code & CLASS) == CLASS_JMP && s->code != (CLASS_JMP | JMP_ALWAYS))
            length += jump_length(s);
        else
            length += s->code == CLASS_RET ? 2 : 1;
    }
    return length;
}

/* --- running ---------------------------------------------------------------------------------- */

static u32 compute(u16 operation, u32 a, u32 b)
{
    switch (operation) {
    case ALU_ADD:
        return a + b;
    case ALU_SUB:
        return a - b;
    case ALU_MUL:
        return a * b;
    case ALU_DIV:
        return b ? a / b : 0; /* by X; the caller ends the program if X is 0 */
    case ALU_OR:
        return a | b;
    case ALU_AND:
        return a & b;
    case ALU_LSH:
        return a << (b & 31);
    case ALU_RSH:
        return a >> (b & 31);
    case ALU_XOR:
        return a ^ b;
    default:
        return -a;
    }
}

static bool test(u16 operation, u32 a, u32 b)
{
    switch (operation) {
    case JMP_EQ:
        return a == b;
    case JMP_GT:
        return a > b;
    case JMP_GE:
        return a >= b;
    default:
        return a & b;
    }
}

u32 filter_program_run(const struct filter_step *steps, const struct filter_data *data)
{
    u32 a = 0, x = 0, memory[WORDS] = {0};
    const u32 *words = (const u32 *)data;
    for (const struct filter_step *s = steps; s < steps + FILTER_LONGEST; s++) {
        u32 k = s->code & SOURCE_X ? x : s->operand;
        switch (s->code) {
        case CLASS_LD | MODE_ABS:
            a = words[s->operand / 4];
            break;
        case CLASS_LD | MODE_LEN:
            a = DATA_SIZE;
            break;
        case CLASS_LD | MODE_IMM:
            a = s->operand;
            break;
        case CLASS_LD | MODE_MEM:
            a = memory[s->operand];
            break;
        case CLASS_LDX | MODE_LEN:
            x = DATA_SIZE;
            break;
        case CLASS_LDX | MODE_IMM:
            x = s->operand;
            break;
        case CLASS_LDX | MODE_MEM:
            x = memory[s->operand];
            break;
        case CLASS_ST:
            memory[s->operand] = a;
            break;
        case CLASS_STX:
            memory[s->operand] = x;
            break;
        case MISC_TAX:
            x = a;
            break;
        case MISC_TXA:
            a = x;
            break;
        case CLASS_RET:
            return s->operand;
        case RET_A:
            return a;
        case CLASS_JMP | JMP_ALWAYS:
            s += s->operand;
            break;
        case CLASS_ALU | ALU_DIV | SOURCE_X:
            if (x == 0)
                return 0;
            a /= x;
            break;
        default:
            if ((s->code & CLASS) == CLASS_ALU)
                a = compute(s->code & OPERATION, a, k);
            else
                s += test(s->code & OPERATION, a, k) ? s->yes : s->no;
        }
    }
    invariant(1, false);
    return 0;
}

/* Follows the steps that nearly all filters consist of; whatever else they do is not constant. */
bool filter_program_constant(const struct filter_step *steps, u32 number, u32 machine, u32 *ret)
{
    u32 a = 0;
    for (const struct filter_step *s = steps; s < steps + FILTER_LONGEST; s++) {
        switch (s->code) {
        case CLASS_LD | MODE_ABS:
            if (s->operand > 4)
                return false;
            a = s->operand ? machine : number;
            break;
        case CLASS_RET:
            *ret = s->operand;
            return true;
        case CLASS_JMP | JMP_ALWAYS:
            s += s->operand;
            break;
        case CLASS_JMP | JMP_EQ:
        case CLASS_JMP | JMP_GT:
        case CLASS_JMP | JMP_GE:
        case CLASS_JMP | JMP_SET:
            s += test(s->code & OPERATION, a, s->operand) ? s->yes : s->no;
            break;
        case CLASS_ALU | ALU_AND:
            a &= s->operand;
            break;
        default:
            return false;
        }
    }
    return false;
}
