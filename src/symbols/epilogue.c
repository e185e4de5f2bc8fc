/* Finds the caller of a function without call frame information, by reading its code up to where it
 * returns.
 *
 * Start-up code and hand-written stubs are short and end in a simple way: what they do to the stack
 * pointer from here to their `ret` tells where the return address is. Conditional branches are
 * assumed not to be taken; jumps are followed. The attempt fails if the stack pointer is set in any
 * other way, or if the return address found does not follow a call.
 */
#include <Zydis/Zydis.h>

#include "symbols/symbols_internal.h"

enum { INSTRUCTIONS_MOST = 128, WORD = 8 };

struct scan {
    struct symbols *s;
    const struct frame *from;
    u64 pc, rsp;
    u64 reg[FRAME_REGISTERS]; /* registers that are preserved for the caller, by DWARF's numbers */
    enum { SCAN_ON, SCAN_RETURNS, SCAN_LOST } state;
};

static bool is_stack_pointer(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           code_register_number(o->reg.value) == DWARF_RSP;
}

static bool epilogue_read_word(struct scan *c, u64 at, u64 *ret)
{
    return c->s->host.read(c->s->host.context, at, ret, WORD);
}

/* Pops a register from the top of the stack. If it is not there yet, the function is going to push
 * it and restore the same value. */
static void epilogue_take_back(struct scan *c, int number)
{
    if (c->rsp < c->from->reg[DWARF_RSP])
        c->reg[number] = c->from->reg[number];
    else if (!epilogue_read_word(c, c->rsp, &c->reg[number]))
        c->state = SCAN_LOST;
    c->rsp += WORD;
}

static void epilogue_pop(struct scan *c, const ZydisDecodedOperand *to)
{
    int number = to->type == ZYDIS_OPERAND_TYPE_REGISTER ? code_register_number(to->reg.value) : -1;
    if (number < 0 || number == DWARF_RSP)
        c->state = SCAN_LOST;
    else
        epilogue_take_back(c, number);
}

static void leave(struct scan *c)
{
    c->rsp = c->reg[DWARF_RBP];
    epilogue_take_back(c, DWARF_RBP);
}

/* Any other instruction is accepted unless it writes the stack pointer. */
static void do_other(struct scan *c, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
    bool adds = i->mnemonic == ZYDIS_MNEMONIC_ADD || i->mnemonic == ZYDIS_MNEMONIC_SUB;
    if (adds && is_stack_pointer(&o[0]) && o[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        c->rsp += i->mnemonic == ZYDIS_MNEMONIC_ADD ? o[1].imm.value.u : -o[1].imm.value.u;
        return;
    }
    if (i->mnemonic == ZYDIS_MNEMONIC_MOV && is_stack_pointer(&o[1]) &&
        o[0].type == ZYDIS_OPERAND_TYPE_REGISTER && o[0].reg.value == ZYDIS_REGISTER_RBP)
        c->reg[DWARF_RBP] = c->rsp;
    for (u32 n = 0; n < i->operand_count; n++)
        if (is_stack_pointer(&o[n]) && o[n].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            c->state = SCAN_LOST;
}

/* A jump to an address in a register: another function returns in its place, with the same
 * stack. */
static void epilogue_jump(struct scan *c, const ZydisDecodedInstruction *i,
                          const ZydisDecodedOperand *o)
{
    ZyanU64 target;
    if (o[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(i, &o[0], c->pc - i->length, &target)))
        c->pc = target;
    else
        c->state = SCAN_RETURNS;
}

static void do_instruction(struct scan *c, const ZydisDecodedInstruction *i,
                           const ZydisDecodedOperand *o)
{
    c->pc += i->length;
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_RET:
        c->state = SCAN_RETURNS;
        return;
    case ZYDIS_CATEGORY_UNCOND_BR:
        epilogue_jump(c, i, o);
        return;
    case ZYDIS_CATEGORY_CALL:
        return; /* it returns with the stack unchanged */
    default:
        break;
    }
    switch (i->mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
        c->rsp -= WORD;
        return;
    case ZYDIS_MNEMONIC_POP:
        epilogue_pop(c, &o[0]);
        return;
    case ZYDIS_MNEMONIC_LEAVE:
        leave(c);
        return;
    default:
        do_other(c, i, o);
    }
}

static bool scan(struct scan *c)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (u32 n = 0; n < INSTRUCTIONS_MOST && c->state == SCAN_ON; n++) {
        u8 bytes[INSTRUCTION_LONGEST];
        size_t size = code_read(c->s, c->pc, bytes);
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &i, operands)))
            return false;
        do_instruction(c, &i, operands);
    }
    return c->state == SCAN_RETURNS;
}

bool frame_read_on(struct symbols *s, const struct frame *from, struct frame *ret, u64 *ret_cfa)
{
    static const u8 kept[] = {DWARF_RBX, DWARF_RBP, DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15};
    struct scan c = {.s = s, .from = from, .pc = from->pc, .rsp = from->reg[DWARF_RSP]};
    u32 needed = 1u << DWARF_RSP | 1u << DWARF_RBP;
    u64 calls[CALLS_BEFORE_MOST], back;
    memcpy(c.reg, from->reg, sizeof c.reg);
    if ((from->known & needed) != needed || !scan(&c) || !epilogue_read_word(&c, c.rsp, &back) ||
        !symbols_calls_before(s, back, calls))
        return false;
    *ret_cfa = c.rsp + WORD;
    for (size_t n = 0; n < sizeof kept; n++)
        if (from->known >> kept[n] & 1)
            frame_set_register(ret, kept[n], c.reg[kept[n]]);
    frame_go_on(ret, *ret_cfa, back);
    return true;
}
