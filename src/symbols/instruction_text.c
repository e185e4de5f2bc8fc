/* Disassembles instructions: see instruction_text.h. Zydis does the work. */
#include "symbols/instruction_text.h"

#include <Zydis/Zydis.h>

/* Prints numbers in ebb's usual form: lower case, without leading zeros. */
static const ZydisFormatter *formatter(bool att)
{
    static ZydisFormatter formatters[2];
    static bool made[2];
    ZydisFormatter *f = &formatters[att];
    if (!made[att]) {
        ZydisFormatterInit(f, att ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL);
        ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
        ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                                  ZYDIS_PADDING_DISABLED);
        ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
        ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
        made[att] = true;
    }
    return f;
}

static void find_targets(u64 at, const ZydisDecodedInstruction *info,
                         const ZydisDecodedOperand *operands, struct instruction_text *ret)
{
    ZyanU64 target;
    for (unsigned i = 0; i < info->operand_count_visible; i++) {
        const ZydisDecodedOperand *o = &operands[i];
        bool relative = (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.is_relative) ||
                        (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RIP);
        if (relative && ret->target_count < INSTRUCTION_TARGETS &&
            ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(info, o, at, &target)))
            ret->targets[ret->target_count++] = target;
    }
}

bool instruction_text(u64 at, const u8 *bytes, size_t size, bool att, struct instruction_text *ret)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction info;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    *ret = (struct instruction_text){0};
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &info, operands)) ||
        !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(formatter(att), &info, operands,
                                                      info.operand_count_visible, ret->text,
                                                      sizeof ret->text, at, ZYAN_NULL)))
        return false;
    ret->length = info.length;
    find_targets(at, &info, operands, ret);
    return true;
}
