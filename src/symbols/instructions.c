/* Decodes instructions as far as movements need it: where they begin, and which ones call, return
 * or jump. */
#include <Zydis/Zydis.h>

#include "symbols/symbols_internal.h"

enum { SHORTEST_CALL = 2, LONGEST_CALL = 9, CODE_MOST = 1 << 20 };

int code_register_number(int zydis_register)
{
    ZydisRegister whole =
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, (ZydisRegister)zydis_register);
    int id = ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : -1;
    return id >= 0 && id < GENERAL_REGISTERS ? (int)register_to_dwarf((unsigned)id) : -1;
}

static enum instruction_kind kind_of(const ZydisDecodedInstruction *i)
{
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_CALL: return INSTRUCTION_CALL;
    case ZYDIS_CATEGORY_RET: return INSTRUCTION_RETURN;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR: return INSTRUCTION_JUMP;
    default: return INSTRUCTION_PLAIN;
    }
}

static bool instructions_decode(const u8 *bytes, size_t size, u64 pc, struct instruction *ret)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &i, operands)))
        return false;
    *ret = (struct instruction){.pc = pc, .length = i.length, .kind = kind_of(&i)};
    ZyanU64 target;
    if (ret->kind != INSTRUCTION_PLAIN && i.operand_count_visible > 0 &&
        operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative &&
        ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&i, &operands[0], pc, &target)))
        ret->target = target;
    return true;
}

/* Reads as many bytes as possible; code may end with its mapping. */
size_t code_read(struct symbols *s, u64 pc, u8 bytes[INSTRUCTION_LONGEST])
{
    size_t size = INSTRUCTION_LONGEST;
    while (size && !s->host.read(s->host.context, pc, bytes, size))
        size--;
    return size;
}

bool symbols_instruction(struct symbols *s, u64 pc, struct instruction *ret)
{
    u8 bytes[INSTRUCTION_LONGEST];
    return instructions_decode(bytes, code_read(s, pc, bytes), pc, ret);
}

/* Returns the registers that an instruction writes. A call may write any. */
static u32 written_by(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
    u32 written = 0;
    if (kind_of(i) == INSTRUCTION_CALL || i->meta.category == ZYDIS_CATEGORY_SYSCALL)
        return ~0u;
    for (u32 n = 0; n < i->operand_count; n++) {
        const ZydisDecodedOperand *o = &operands[n];
        int number =
            o->type == ZYDIS_OPERAND_TYPE_REGISTER ? code_register_number(o->reg.value) : -1;
        if (number >= 0 && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            written |= 1u << number;
    }
    return written;
}

u32 code_written(struct symbols *s, u64 start, u64 end)
{
    enum { LOOKED_AT_MOST = 4096 };
    u8 bytes[LOOKED_AT_MOST];
    u32 written = 0;
    ZydisDecoder decoder;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (end <= start || end - start > sizeof bytes ||
        !s->host.read(s->host.context, start, bytes, end - start))
        return ~0u;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (u64 at = start; at < end && written != ~0u; at += i.length) {
        if (!ZYAN_SUCCESS(
                ZydisDecoderDecodeFull(&decoder, bytes + (at - start), end - at, &i, operands)))
            return ~0u;
        written |= written_by(&i, operands);
    }
    return written;
}

bool code_uses_wide_vectors(struct symbols *s, u64 start, u64 end)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (u64 at = start; at < end; at += i.length) {
        u8 bytes[INSTRUCTION_LONGEST];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, code_read(s, at, bytes), &i, o)))
            return false;
        for (u32 n = 0; n < i.operand_count_visible; n++) {
            ZydisRegisterClass class = ZydisRegisterGetClass(o[n].reg.value);
            if (o[n].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                (class == ZYDIS_REGCLASS_YMM || class == ZYDIS_REGCLASS_ZMM))
                return true;
        }
    }
    return false;
}

size_t symbols_calls_before(struct symbols *s, u64 pc, u64 ret[CALLS_BEFORE_MOST])
{
    size_t count = 0;
    for (u64 length = SHORTEST_CALL; length <= LONGEST_CALL && count < CALLS_BEFORE_MOST;
         length++) {
        struct instruction i;
        u8 bytes[LONGEST_CALL];
        if (s->host.read(s->host.context, pc - length, bytes, length) &&
            instructions_decode(bytes, length, pc - length, &i) && i.kind == INSTRUCTION_CALL &&
            i.length == length)
            ret[count++] = i.pc;
    }
    return count;
}

void symbols_instructions(struct symbols *s, u64 start, u64 end, struct instruction **ret,
                          size_t *ret_count)
{
    struct list found = LIST(struct instruction);
    size_t size = start < end && end - start < CODE_MOST ? end - start : 0;
    u8 *bytes = xalloc(size + 1);
    struct instruction i;
    if (!s->host.read(s->host.context, start, bytes, size))
        size = 0;
    for (size_t at = 0; at < size && instructions_decode(bytes + at, size - at, start + at, &i);
         at += i.length)
        *(struct instruction *)list_add(&found) = i;
    free(bytes);
    *ret = found.items;
    *ret_count = found.count;
}
