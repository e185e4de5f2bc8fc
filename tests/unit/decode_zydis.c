/* Holds the decoder against Zydis.
 *
 * Every opcode of every map is decoded with every ModRM byte and drawn values of all other
 * fields (prefixes, REX, SIB, vvvv, W, L, mask ...), then come random bytes; what decode()
 * says is compared with what Zydis says, field by field.  Where the two may differ, a row
 * of `allowances` says why; even there the difference must be on the safe side.
 *
 * Usage: decode_zydis [COUNT [SEED]]      COUNT draws for each opcode and ModRM, and as many
 *                                         million random encodings; 2 unless given
 *        decode_zydis --speed [FILE]      decodes per second over the code of an ELF file
 *
 * unit: src/base/assert.c src/base/complain.c src/engine/x86_64/decode.c src/engine/x86_64/decode_table.c -lZydis
 */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/x86_64/decode.h"

#define M(name) ZYDIS_MNEMONIC_##name

enum { EVERY_FLAG = FLAGS_ARITHMETIC | FLAG_DF, BYTES = 48, FAILURES_SHOWN = 60 };

static ZydisDecoder decoder;
static u64 seed, random_state, compared, valid_count, failures;

static u64 draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}

static unsigned draw_below(unsigned limit)
{
    return (draw() >> 33) % limit;
}

/* Zydis's result for some bytes. */
struct answer {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* Where the decoder and Zydis may differ: too many flags may be read and too few certainly written,
 * too many registers may be read or written. */
enum field {
    FIELD_FLAGS = 1,
    FIELD_REGISTERS_READ = 2,
    FIELD_MEMORY = 4,
    FIELD_FLAGS_WRITTEN = 8, /* more than Zydis says */
    FIELD_REGISTERS_WRITTEN = 16,
};

static const struct allowance {
    ZydisMnemonic mnemonic;
    unsigned fields;
    const char *reason;
} allowances[] = {
    {M(FCOMI), FIELD_FLAGS, "processors clear OF SF AF, Zydis does not say so"},
    {M(FCOMIP), FIELD_FLAGS, "the same"},
    {M(FUCOMI), FIELD_FLAGS, "the same"},
    {M(FUCOMIP), FIELD_FLAGS, "the same"},
    {M(PUSHF), FIELD_FLAGS, "reads all flags"},
    {M(PUSHFD), FIELD_FLAGS, "the same"},
    {M(PUSHFQ), FIELD_FLAGS, "the same"},
    {M(BSF), FIELD_REGISTERS_READ, "the target keeps its value if the source is 0"},
    {M(BSR), FIELD_REGISTERS_READ, "the same"},
    {M(SLDT), FIELD_REGISTERS_READ, "how much is written depends on who emulates it"},
    {M(STR), FIELD_REGISTERS_READ, "the same"},
    {M(SMSW), FIELD_REGISTERS_READ, "the same"},
    {M(VPTEST), FIELD_FLAGS | FIELD_FLAGS_WRITTEN, "Zydis 4.0 leaves out what is cleared"},
    {M(VTESTPS), FIELD_FLAGS | FIELD_FLAGS_WRITTEN, "the same"},
    {M(VTESTPD), FIELD_FLAGS | FIELD_FLAGS_WRITTEN, "the same"},
    {M(CMPSB), FIELD_REGISTERS_WRITTEN, "Zydis 4.0 leaves out that the pointers move"},
    {M(CMPSW), FIELD_REGISTERS_WRITTEN, "the same"},
    {M(CMPSD), FIELD_REGISTERS_WRITTEN, "the same"},
    {M(CMPSQ), FIELD_REGISTERS_WRITTEN, "the same"},
    {M(SCASB), FIELD_REGISTERS_WRITTEN, "the same"},
    {M(SCASW), FIELD_REGISTERS_WRITTEN, "the same"},
    {M(SCASD), FIELD_REGISTERS_WRITTEN, "the same"},
    {M(SCASQ), FIELD_REGISTERS_WRITTEN, "the same"},
    {M(RDSSPD), FIELD_REGISTERS_READ, "a nop without CET"},
    {M(RDSSPQ), FIELD_REGISTERS_READ, "the same"},
    {M(XSAVE), FIELD_MEMORY, "as large as the components asked for"},
    {M(XSAVE64), FIELD_MEMORY, "the same"},
    {M(XSAVEC), FIELD_MEMORY, "the same"},
    {M(XSAVEC64), FIELD_MEMORY, "the same"},
    {M(XSAVEOPT), FIELD_MEMORY, "the same"},
    {M(XSAVEOPT64), FIELD_MEMORY, "the same"},
    {M(XSAVES), FIELD_MEMORY, "the same"},
    {M(XSAVES64), FIELD_MEMORY, "the same"},
    {M(XRSTOR), FIELD_MEMORY, "the same"},
    {M(XRSTOR64), FIELD_MEMORY, "the same"},
    {M(XRSTORS), FIELD_MEMORY, "the same"},
    {M(XRSTORS64), FIELD_MEMORY, "the same"},
    {M(ENTER), FIELD_MEMORY, "a nested frame copies frame pointers"},
    {M(ENQCMD), FIELD_MEMORY, "writes to where a register points, which Zydis does not list"},
    {M(NOP), FIELD_MEMORY, "names memory without access"},
    {M(CLDEMOTE), FIELD_MEMORY, "the same"},
    {M(PREFETCH), FIELD_MEMORY, "the same"},
    {M(PREFETCHW), FIELD_MEMORY, "the same"},
    {M(PREFETCHWT1), FIELD_MEMORY, "the same"},
    {M(PREFETCHNTA), FIELD_MEMORY, "the same"},
    {M(PREFETCHT0), FIELD_MEMORY, "the same"},
    {M(PREFETCHT1), FIELD_MEMORY, "the same"},
    {M(PREFETCHT2), FIELD_MEMORY, "the same"},
    {M(UD0), FIELD_MEMORY, "the same"},
    {M(UD1), FIELD_MEMORY, "the same"},
};

static unsigned allowed_fields(ZydisMnemonic mnemonic)
{
    unsigned fields = 0;
    for (size_t i = 0; i < countof(allowances); i++)
        if (allowances[i].mnemonic == mnemonic)
            fields |= allowances[i].fields;
    return fields;
}

/* The kinds, by mnemonic: everything not named is plain, privileged or a branch. */
static const struct {
    const char *names; /* separated and enclosed by spaces */
    u8 kind;
} kind_names[] = {
    {" cpuid ", INSN_CPUID},
    {" rdtsc rdtscp ", INSN_RDTSC},
    {" rdrand rdseed ", INSN_RDRAND},
    {" rdpid ", INSN_RDPID},
    {" xgetbv ", INSN_XGETBV},
    {" syscall ", INSN_SYSCALL},
    {" int3 ", INSN_INT3},
    {" int int1 ", INSN_INT},
    {" popf popfd popfq ", INSN_POPF},
    {" xbegin ", INSN_XBEGIN},
    {" loop loope loopne jrcxz jecxz ", INSN_COUNTED},
    {" iret iretd iretq sysenter sysexit sysret uiret ", INSN_FAR},
    {" ud0 ud1 ud2 ", INSN_INVALID},
    {" fxsave fxsave64 fnsave fnstenv xsave xsave64 xsavec xsavec64 xsaveopt xsaveopt64 ",
     INSN_XSTATE},
    {" cli sti in out insb insw insd outsb outsw outsd rdpmc rdpru clac stac monitor mwait lgdt "
     "getsec ", INSN_PRIVILEGED},
};

static u8 named_kind(const char *name)
{
    char word[40];
    snprintf(word, sizeof(word), " %s ", name);
    for (size_t i = 0; i < countof(kind_names); i++)
        if (strstr(kind_names[i].names, word))
            return kind_names[i].kind;
    return INSN_PLAIN;
}

static u8 expected_kind(const struct answer *a)
{
    static u8 cache[ZYDIS_MNEMONIC_MAX_VALUE + 1]; /* kind + 1 */
    bool relative = a->insn.raw.imm[0].size && a->insn.raw.imm[0].is_relative;
    if (a->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return INSN_FAR;
    if (a->insn.mnemonic == M(CALL))
        return relative ? INSN_CALL : INSN_CALL_INDIRECT;
    if (a->insn.mnemonic == M(JMP))
        return relative ? INSN_JUMP : INSN_JUMP_INDIRECT;
    if (a->insn.mnemonic == M(RET))
        return INSN_RETURN;
    u8 *known = &cache[a->insn.mnemonic];
    if (!*known)
        *known = named_kind(ZydisMnemonicGetString(a->insn.mnemonic)) + 1;
    if (*known - 1 != INSN_PLAIN)
        return *known - 1;
    if (a->insn.meta.category == ZYDIS_CATEGORY_COND_BR && relative)
        return INSN_BRANCH;
    bool privileged = a->insn.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ||
                      a->insn.meta.category == ZYDIS_CATEGORY_VTX ||
                      a->insn.meta.isa_ext == ZYDIS_ISA_EXT_SVM;
    return privileged ? INSN_PRIVILEGED : INSN_PLAIN;
}

/* Registers */

static u16 general_bit(ZydisRegister reg)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    if (class < ZYDIS_REGCLASS_GPR8 || class > ZYDIS_REGCLASS_GPR64)
        return 0;
    return 1u << ZydisRegisterGetId(
               ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg));
}

static bool writes(const ZydisDecodedOperand *o)
{
    return o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static bool reads(const ZydisDecodedOperand *o)
{
    return o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

static void expect_operand(const ZydisDecodedOperand *o, struct insn *e)
{
    if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
        e->registers_read |= general_bit(o->mem.base) | general_bit(o->mem.index);
    if (o->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return;
    u16 bit = general_bit(o->reg.value);
    bool partial = writes(o) && (o->size < 32 || !(o->actions & ZYDIS_OPERAND_ACTION_WRITE));
    if (reads(o) || partial)
        e->registers_read |= bit;
    if (writes(o))
        e->registers_written |= bit;
}

/* Memory: what Zydis lists, whichever operand it is. */
static void expect_memory(const ZydisDecodedOperand *o, struct insn *e)
{
    if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
        return;
    bool by_modrm = o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
    if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
        e->memory |= MEMORY_NO_ACCESS;
        return;
    }
    e->memory |= (reads(o) ? MEMORY_READ : 0) | (writes(o) ? MEMORY_WRITE : 0);
    e->memory |= o->mem.type == ZYDIS_MEMOP_TYPE_VSIB ? MEMORY_VSIB : 0;
    if (o->encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64)
        e->memory |= MEMORY_OFFSET;
    else if (!by_modrm && o->size == 512) /* movdir64b, clzero */
        e->memory |= MEMORY_STRING;
    else if (!by_modrm)
        e->memory |= general_bit(o->mem.base) & 0x30 ? MEMORY_STACK : MEMORY_STRING;
    if (by_modrm || !e->memory_size)
        e->memory_size = o->size / 8;
}

/* Flags */

static bool shows_state(u8 kind)
{
    return kind == INSN_SYSCALL || kind == INSN_INT || kind == INSN_INT3 || kind == INSN_FAR ||
           kind == INSN_PRIVILEGED || kind == INSN_INVALID;
}

/* Size in bits of the operand of a shift or rotate. */
static unsigned shifted_width(const struct answer *a)
{
    return a->operands[0].size;
}

/* The manual's rules for counts: 0 does nothing, CL may be 0, OF is defined only by 1, and a count
 * past a narrow operand defines nothing. */
static void expect_shift_flags(const struct answer *a, struct insn *e)
{
    const ZydisDecodedOperand *last = NULL;
    for (unsigned i = 0; i < a->insn.operand_count_visible; i++)
        last = &a->operands[i];
    u16 all = e->flags_may_write;
    if (last->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        e->flags_written = 0;
        return;
    }
    if (!a->insn.raw.imm[0].size)
        return;
    unsigned width = shifted_width(a);
    unsigned count = last->imm.value.u & (width == 64 ? 63 : 31);
    bool through_carry = a->insn.mnemonic == M(RCL) || a->insn.mnemonic == M(RCR);
    e->flags_undefined = count == 0 ? 0 : e->flags_undefined & ~FLAG_OF;
    if (count > 1)
        e->flags_undefined |= FLAG_OF;
    if (width < 32 && count >= 8)
        e->flags_undefined = all;
    e->flags_may_write = count ? all : 0;
    e->flags_written = through_carry ? 0 : e->flags_may_write & ~e->flags_undefined;
}

static bool is_shift(ZydisMnemonic m)
{
    return m == M(SHL) || m == M(SHR) || m == M(SAR) || m == M(ROL) || m == M(ROR) || m == M(RCL) ||
           m == M(RCR) || m == M(SHLD) || m == M(SHRD);
}

static void expect_flags(const struct answer *a, struct insn *e)
{
    const ZydisAccessedFlags *z = a->insn.cpu_flags;
    if (z) {
        e->flags_read = z->tested & EVERY_FLAG;
        e->flags_undefined = z->undefined & EVERY_FLAG;
        e->flags_written = (z->modified | z->set_0 | z->set_1) & EVERY_FLAG & ~e->flags_undefined;
        e->flags_may_write = e->flags_written | e->flags_undefined;
    }
    if (is_shift(a->insn.mnemonic))
        expect_shift_flags(a, e);
    if (e->rep)
        e->flags_written = 0;
    if (shows_state(e->kind)) {
        e->flags_read = e->flags_may_write = EVERY_FLAG;
        e->flags_written = e->flags_undefined = 0;
    }
}

/* The whole expectation */

/* Moves to and from control and debug registers have no memory operand, whatever mod is. */
static bool ignores_mod(const ZydisDecodedInstruction *z)
{
    return z->opcode_map == ZYDIS_OPCODE_MAP_0F && z->opcode >= 0x20 && z->opcode <= 0x23 &&
           z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

static void expect_places(const struct answer *a, struct insn *e)
{
    const ZydisDecodedInstruction *z = &a->insn;
    e->length = z->length;
    e->has_modrm = z->attributes & ZYDIS_ATTRIB_HAS_MODRM;
    if (e->has_modrm) {
        e->modrm_at = z->raw.modrm.offset;
        e->has_memory = z->raw.modrm.mod != 3 && !ignores_mod(z);
        e->rip_relative = e->has_memory && z->raw.modrm.mod == 0 && z->raw.modrm.rm == 5;
    }
    if (e->memory & MEMORY_OFFSET) {
        e->immediate_at = z->raw.disp.offset;
        e->immediate_size = z->raw.disp.size / 8;
        e->immediate = e->immediate_size == 4 ? (i64)(u32)z->raw.disp.value : z->raw.disp.value;
        return;
    }
    if (z->raw.disp.size) {
        e->displacement_at = z->raw.disp.offset;
        e->displacement_size = z->raw.disp.size / 8;
    }
    if (z->raw.imm[0].size) {
        e->immediate_at = z->raw.imm[0].offset;
        e->immediate_size = (z->raw.imm[0].size + z->raw.imm[1].size) / 8;
        e->immediate = z->raw.imm[0].value.s;
    }
}

static u8 expected_map(const ZydisDecodedInstruction *z)
{
    switch (z->opcode_map) {
    case ZYDIS_OPCODE_MAP_0F:
        return MAP_0F;
    case ZYDIS_OPCODE_MAP_0F38:
        return MAP_0F38;
    case ZYDIS_OPCODE_MAP_0F3A:
        return MAP_0F3A;
    case ZYDIS_OPCODE_MAP_MAP5:
        return MAP_5;
    case ZYDIS_OPCODE_MAP_MAP6:
        return MAP_6;
    case ZYDIS_OPCODE_MAP_0F0F:
        return MAP_3DNOW;
    case ZYDIS_OPCODE_MAP_XOP8:
        return MAP_XOP8;
    case ZYDIS_OPCODE_MAP_XOP9:
        return MAP_XOP9;
    case ZYDIS_OPCODE_MAP_XOPA:
        return MAP_XOPA;
    default:
        return MAP_ONE;
    }
}

static bool repeats(const struct answer *a)
{
    ZydisInstructionAttributes any =
        ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    return a->insn.attributes & any;
}

static bool tests_bit_by_register(const struct answer *a)
{
    ZydisMnemonic m = a->insn.mnemonic;
    return (m == M(BT) || m == M(BTS) || m == M(BTR) || m == M(BTC)) && !a->insn.raw.imm[0].size;
}

static void expect(const struct answer *a, struct insn *e)
{
    *e = (struct insn){.kind = expected_kind(a)};
    e->map = expected_map(&a->insn);
    e->opcode = a->insn.opcode;
    e->rep = repeats(a);
    for (unsigned i = 0; i < a->insn.operand_count; i++) {
        expect_operand(&a->operands[i], e);
        expect_memory(&a->operands[i], e);
        if (a->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            a->operands[i].encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
            e->displacement = a->operands[i].mem.disp.value;
    }
    if (e->rep)
        e->memory_size = 0;
    expect_places(a, e);
    if (e->kind == INSN_BRANCH)
        e->condition = e->opcode & 15;
    if (e->kind == INSN_COUNTED)
        e->condition = e->opcode & 3;
    expect_flags(a, e);
    if (shows_state(e->kind))
        e->registers_read = 0xffff;
    if (e->kind == INSN_SYSCALL || e->kind == INSN_INT)
        e->registers_written |= 1; /* the result */
    if (e->has_memory && tests_bit_by_register(a))
        e->memory |= MEMORY_BITS;
}

/* Comparison */

static void fail(const u8 *bytes, const struct answer *a, const char *what, u64 got, u64 wanted)
{
    static u8 shown[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    u8 *times = &shown[a ? a->insn.mnemonic : 0];
    if (++failures > FAILURES_SHOWN * 4 || (a && *times >= 3))
        return;
    ++*times;
    printf("FAIL decode sweep:");
    for (unsigned i = 0; i < 15; i++)
        printf(" %02x", bytes[i]);
    printf(" (%s): %s is %#llx, wanted %#llx\n",
           a ? ZydisMnemonicGetString(a->insn.mnemonic) : "invalid", what, (unsigned long long)got,
           (unsigned long long)wanted);
}

static const struct {
    const char *name;
    u8 at, size;
    u8 unless; /* FIELD_* that excuses */
} fields[] = {
#define FIELD(name, unless)                                                                        \
    {#name, offsetof(struct insn, name), sizeof(((struct insn *)0)->name), unless}
    FIELD(kind, 0),
    FIELD(length, 0),
    FIELD(map, 0),
    FIELD(opcode, 0),
    FIELD(condition, 0),
    FIELD(has_modrm, 0),
    FIELD(has_memory, 0),
    FIELD(rip_relative, 0),
    FIELD(rep, 0),
    FIELD(displacement_size, 0),
    FIELD(immediate_size, 0),
    FIELD(memory, FIELD_MEMORY),
    FIELD(memory_size, FIELD_MEMORY),
    FIELD(registers_read, FIELD_REGISTERS_READ),
    FIELD(registers_written, FIELD_REGISTERS_WRITTEN),
    FIELD(flags_read, FIELD_FLAGS),
    FIELD(flags_written, FIELD_FLAGS),
    FIELD(flags_undefined, FIELD_FLAGS),
    FIELD(flags_may_write, FIELD_FLAGS),
    FIELD(displacement, 0),
    FIELD(immediate, 0),
};

static u64 field_of(const struct insn *insn, size_t i)
{
    u64 value = 0;
    memcpy(&value, (const u8 *)insn + fields[i].at, fields[i].size);
    return value;
}

/* Differences that are allowed must still be on the safe side. */
static void compare_allowed(const u8 *bytes, const struct answer *a, const struct insn *got,
                            const struct insn *wanted)
{
    if (wanted->flags_read & ~got->flags_read)
        fail(bytes, a, "flags_read (too few)", got->flags_read, wanted->flags_read);
    bool more = allowed_fields(a->insn.mnemonic) & FIELD_FLAGS_WRITTEN;
    if (got->flags_written & ~wanted->flags_written && !more)
        fail(bytes, a, "flags_written (too many)", got->flags_written, wanted->flags_written);
    if (wanted->flags_may_write & ~got->flags_may_write)
        fail(bytes, a, "flags_may_write (too few)", got->flags_may_write, wanted->flags_may_write);
    if (wanted->registers_written & ~got->registers_written)
        fail(bytes, a, "registers_written (too few)", got->registers_written,
             wanted->registers_written);
    if (wanted->registers_read & ~got->registers_read)
        fail(bytes, a, "registers_read (too few)", got->registers_read, wanted->registers_read);
}

static void compare_insn(const u8 *bytes, const struct answer *a, const struct insn *got)
{
    struct insn wanted;
    expect(a, &wanted);
    unsigned allowed = allowed_fields(a->insn.mnemonic);
    for (size_t i = 0; i < countof(fields); i++)
        if (!(fields[i].unless & allowed) && field_of(got, i) != field_of(&wanted, i))
            fail(bytes, a, fields[i].name, field_of(got, i), field_of(&wanted, i));
    if (got->has_modrm && got->modrm_at != wanted.modrm_at)
        fail(bytes, a, "modrm_at", got->modrm_at, wanted.modrm_at);
    if (got->displacement_size && got->displacement_at != wanted.displacement_at)
        fail(bytes, a, "displacement_at", got->displacement_at, wanted.displacement_at);
    if (got->immediate_size && got->immediate_at != wanted.immediate_at)
        fail(bytes, a, "immediate_at", got->immediate_at, wanted.immediate_at);
    compare_allowed(bytes, a, got, &wanted);
    if ((got->flags_written | got->flags_undefined) & ~got->flags_may_write)
        fail(bytes, a, "flags_may_write", got->flags_may_write, got->flags_written);
}

/* Without its last byte the decoder must ask for more; with exactly all bytes it must not. */
static void compare_truncated(const u8 *bytes, const struct answer *a, const struct insn *whole)
{
    struct insn cut;
    memset(&cut, 0, sizeof(cut)); /* padding too: it is compared */
    unsigned short_by = 1 + draw_below(whole->length);
    if (short_by < whole->length && decode(bytes, whole->length - short_by, &cut))
        fail(bytes, a, "length when cut", cut.length, 0);
    if (decode(bytes, whole->length, &cut) != whole->length || memcmp(&cut, whole, sizeof(cut)))
        fail(bytes, a, "length when exact", cut.length, whole->length);
}

/* Zydis takes SIB.base 5 without displacement for r13d if REX.B and 67 are present; processors
 * ignore REX.B there. */
static bool is_misread(const struct answer *a, const u8 *bytes)
{
    return a->insn.attributes & ZYDIS_ATTRIB_HAS_SIB && a->insn.address_width == 32 &&
           a->insn.raw.modrm.mod == 0 && (bytes[a->insn.raw.modrm.offset + 1] & 7) == 5;
}

/* Instructions that exist on no other processor. */
static bool is_knights_corner(const struct answer *a)
{
    ZydisISAExt extension = a->insn.meta.isa_ext;
    return extension == ZYDIS_ISA_EXT_KNC || extension == ZYDIS_ISA_EXT_KNCE ||
           extension == ZYDIS_ISA_EXT_KNCV;
}

/* Instructions newer than Zydis 4.0; rows below check some of them. */
static bool is_younger(const struct insn *insn)
{
    static const u8 opcodes[] = {0x50, 0x51, 0x5c, 0x6c, 0x72, 0xb0, 0xb1, 0xb4, 0xb5,
                                 0xcb, 0xcc, 0xcd, 0xd2, 0xd3, 0xda};
    if (insn->encoding == ENCODING_LEGACY)
        return insn->map == MAP_0F38 && insn->opcode == 0xfc;
    if (insn->encoding != ENCODING_VEX3)
        return false;
    if (insn->map == MAP_0F3A)
        return insn->opcode == 0xde;
    return insn->map == MAP_0F38 &&
           (memchr(opcodes, insn->opcode, sizeof(opcodes)) || (insn->opcode & 0xf0) == 0xe0);
}

static void compare(const u8 *bytes)
{
    struct answer a;
    struct insn got;
    memset(&got, 0, sizeof(got));
    unsigned length = decode(bytes, BYTES, &got);
    ZyanStatus status =
        ZydisDecoderDecodeFull(&decoder, bytes, BYTES, &a.insn, a.operands);
    compared++;
    if (!ZYAN_SUCCESS(status) || is_knights_corner(&a)) {
        if (got.kind != INSN_INVALID && !is_younger(&got))
            fail(bytes, NULL, "kind", got.kind, INSN_INVALID);
        return;
    }
    valid_count++;
    if (length != got.length || !length || length > INSN_MAX)
        fail(bytes, &a, "returned length", length, got.length);
    if (!is_misread(&a, bytes))
        compare_insn(bytes, &a, &got);
    if (got.kind != INSN_INVALID && !(compared & 7))
        compare_truncated(bytes, &a, &got);
}

/* Encodings: a prefix part, an opcode, ModRM, and drawn bytes after. */

static void fill(u8 bytes[BYTES])
{
    for (unsigned i = 0; i < BYTES; i += 8) {
        u64 value = draw();
        memcpy(bytes + i, &value, 8);
    }
}

static unsigned put_legacy_prefixes(u8 *to)
{
    static const u8 prefixes[] = {0x66, 0xf2, 0xf3, 0x67, 0x64, 0x65, 0x2e, 0x3e, 0xf0};
    unsigned n = 0, drawn = draw_below(64);
    for (unsigned i = 0; i < 3; i++, drawn >>= 2)
        if (!(drawn & 3))
            to[n++] = prefixes[draw_below(i ? 3 : sizeof(prefixes))];
    if (draw_below(2))
        to[n++] = 0x40 | draw_below(16);
    if (!draw_below(64))
        to[n++] = 0x66; /* which makes the REX before it void */
    return n;
}

static void try_legacy(unsigned map, unsigned opcode, unsigned modrm)
{
    u8 bytes[BYTES];
    fill(bytes);
    unsigned n = put_legacy_prefixes(bytes);
    if (map > 0)
        bytes[n++] = 0x0f;
    if (map > 1)
        bytes[n++] = map == 2 ? 0x38 : 0x3a;
    bytes[n++] = opcode;
    bytes[n++] = modrm;
    compare(bytes);
}

/* Fields for which most encodings require one value are often drawn with it. */
static unsigned draw_vvvv(void)
{
    return draw_below(2) ? 15 : draw_below(16);
}

static unsigned draw_rxb(void)
{
    return (draw_below(2) ? 7 : draw_below(8)) << 5;
}

static unsigned put_junk_prefix(u8 *to)
{
    static const u8 prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x67, 0x64, 0x65};
    if (draw_below(32))
        return 0;
    to[0] = prefixes[draw_below(sizeof(prefixes))];
    return 1;
}

static void try_vex(unsigned map, unsigned opcode, unsigned modrm, unsigned pp)
{
    u8 bytes[BYTES];
    fill(bytes);
    unsigned n = put_junk_prefix(bytes);
    unsigned last = draw_vvvv() << 3 | draw_below(2) << 2 | pp;
    if (map == 1 && draw_below(2)) {
        bytes[n++] = 0xc5;
        bytes[n++] = draw_below(2) << 7 | last;
    } else {
        bytes[n++] = map >= 8 ? 0x8f : 0xc4;
        bytes[n++] = draw_rxb() | map;
        bytes[n++] = draw_below(2) << 7 | last;
    }
    bytes[n++] = opcode;
    bytes[n] = modrm;
    compare(bytes);
}

static void try_evex(unsigned map, unsigned opcode, unsigned modrm, unsigned pp)
{
    u8 bytes[BYTES];
    fill(bytes);
    unsigned n = put_junk_prefix(bytes);
    bytes[n++] = 0x62;
    bytes[n++] = draw_rxb() | (draw_below(4) ? 0x10 : 0) | (draw_below(64) ? 0 : 8) | map;
    bytes[n++] = draw_below(2) << 7 | draw_vvvv() << 3 | (draw_below(64) ? 4 : 0) | pp;
    bytes[n++] = !draw_below(4) << 7 | draw_below(4) << 5 | !draw_below(3) << 4 |
                 (draw_below(4) ? 8 : 0) | (draw_below(2) ? 0 : draw_below(8));
    bytes[n++] = opcode;
    bytes[n] = modrm;
    compare(bytes);
}

static void sweep_opcode(unsigned opcode, unsigned modrm, unsigned draws)
{
    for (unsigned map = 0; map < 4; map++)
        for (unsigned i = 0; i < 3 * draws; i++)
            try_legacy(map, opcode, modrm);
    for (unsigned pp = 0; pp < 4; pp++) {
        for (unsigned i = 0; i < draws; i++) {
            for (unsigned map = 1; map < 4; map++)
                try_vex(map, opcode, modrm, pp);
            for (unsigned map = 1; map < 7; map++)
                try_evex(map, opcode, modrm, pp);
        }
    }
    for (unsigned i = 0; i < draws; i++)
        for (unsigned map = 8; map < 11; map++)
            try_vex(map, opcode, modrm, draw_below(8) ? 0 : draw_below(4));
}

static void sweep(unsigned draws)
{
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (unsigned modrm = 0; modrm < 256; modrm++)
            sweep_opcode(opcode, modrm, draws);
}

static void try_random(u64 count)
{
    u8 bytes[BYTES];
    for (u64 i = 0; i < count; i++) {
        fill(bytes);
        compare(bytes);
    }
}

/* Rows: instructions that Zydis does not know or reads another way. */

enum { B_RAX = 1, B_RCX = 2, B_RDX = 4, B_RBX = 8, B_RSI = 64, B_RDI = 128 };
enum { B_R8 = 256, B_R9 = 512, B_R10 = 1024, B_R11 = 2048 };

static const struct row {
    const char *name;
    u8 length, bytes[INSN_MAX];
    u8 kind, memory;
    u16 memory_size, read, written, flags;
} rows[] = {
    {"vpmadd52huq", 5, {0xc4, 0xc2, 0xf1, 0xb5, 0xd1}, INSN_PLAIN, 0, 0, 0, 0, 0},
    {"vpdpbssd", 5, {0xc4, 0xe2, 0x73, 0x50, 0x11}, INSN_PLAIN, MEMORY_READ, 16, B_RCX, 0, 0},
    {"vpdpbsuds", 5, {0xc4, 0xe2, 0x76, 0x51, 0x16}, INSN_PLAIN, MEMORY_READ, 32, B_RSI, 0, 0},
    {"vcvtneebf162ps", 5, {0xc4, 0xe2, 0x7e, 0xb0, 0x27}, INSN_PLAIN, MEMORY_READ, 32, B_RDI, 0, 0},
    {"vcvtneebf162ps of a register", 5, {0xc4, 0xe2, 0x7e, 0xb0, 0xe7}, INSN_INVALID, 0, 0, 0, 0, 0},
    {"vcvtneoph2ps", 6, {0xc4, 0xe2, 0x78, 0xb0, 0x67, 0x08}, INSN_PLAIN, MEMORY_READ, 16, B_RDI, 0, 0},
    {"vbcstnebf162ps", 5, {0xc4, 0xe2, 0x7e, 0xb1, 0x22}, INSN_PLAIN, MEMORY_READ, 2, B_RDX, 0, 0},
    {"vcvtneps2bf16", 5, {0xc4, 0xe2, 0x7e, 0x72, 0x1b}, INSN_PLAIN, MEMORY_READ, 32, B_RBX, 0, 0},
    {"cmpbexadd", 5, {0xc4, 0xe2, 0x79, 0xe6, 0x0a}, INSN_PLAIN, MEMORY_READ | MEMORY_WRITE, 4,
     B_RAX | B_RCX | B_RDX, B_RCX, FLAGS_ARITHMETIC},
    {"cmpnlxadd", 7, {0xc4, 0x02, 0xb9, 0xed, 0x4c, 0x5a, 0x08}, INSN_PLAIN,
     MEMORY_READ | MEMORY_WRITE, 8, B_R8 | B_R9 | B_R10 | B_R11, B_R9, FLAGS_ARITHMETIC},
    {"aadd", 4, {0x0f, 0x38, 0xfc, 0x01}, INSN_PLAIN, MEMORY_READ | MEMORY_WRITE, 4, B_RAX | B_RCX, 0, 0},
    {"aand", 6, {0x66, 0x48, 0x0f, 0x38, 0xfc, 0x01}, INSN_PLAIN, MEMORY_READ | MEMORY_WRITE, 8,
     B_RAX | B_RCX, 0, 0},
    {"axor", 6, {0xf3, 0x4c, 0x0f, 0x38, 0xfc, 0x09}, INSN_PLAIN, MEMORY_READ | MEMORY_WRITE, 8,
     B_R9 | B_RCX, 0, 0},
    {"aadd to a register", 4, {0x0f, 0x38, 0xfc, 0xc1}, INSN_INVALID, 0, 0, 0, 0, 0},
    {"tdpfp16ps", 5, {0xc4, 0xe2, 0x73, 0x5c, 0xda}, INSN_PLAIN, 0, 0, 0, 0, 0},
    {"tdpfp16ps twice the same", 5, {0xc4, 0xe2, 0x63, 0x5c, 0xda}, INSN_INVALID, 0, 0, 0, 0, 0},
    {"cmpsb", 1, {0xa6}, INSN_PLAIN, MEMORY_READ | MEMORY_STRING, 1, B_RSI | B_RDI, B_RSI | B_RDI,
     FLAGS_ARITHMETIC},
    {"repne scasb", 2, {0xf2, 0xae}, INSN_PLAIN, MEMORY_READ | MEMORY_STRING, 0, B_RAX | B_RCX | B_RDI,
     B_RCX | B_RDI, 0},
    {"vptest", 5, {0xc4, 0xe2, 0x7d, 0x17, 0xfa}, INSN_PLAIN, 0, 0, 0, 0, FLAGS_ARITHMETIC},
    {"no base with REX.B and 67", 9, {0x67, 0x49, 0x8d, 0x04, 0x25, 0x10, 0, 0, 0}, INSN_PLAIN,
     MEMORY_NO_ACCESS, 0, 0, B_RAX, 0},
    {"pause with REX.B", 3, {0xf3, 0x41, 0x90}, INSN_PLAIN, 0, 0, 0, 0, 0},
    {"xchg with REX.B", 2, {0x41, 0x90}, INSN_PLAIN, 0, 0, B_RAX | B_R8, B_RAX | B_R8, 0},
    {"all prefixes", 15, {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
     0x66, 0x66, 0x66}, INSN_INVALID, 0, 0, 0, 0, 0},
};

static void check_row(const struct row *row)
{
    u8 bytes[BYTES] = {0};
    struct insn got;
    memcpy(bytes, row->bytes, INSN_MAX);
    unsigned length = decode(bytes, BYTES, &got);
    bool right = got.kind == row->kind && length == row->length;
    if (row->kind != INSN_INVALID)
        right &= got.memory == row->memory && got.memory_size == row->memory_size &&
                 got.registers_read == row->read && got.registers_written == row->written &&
                 got.flags_written == row->flags;
    if (right)
        return;
    failures++;
    printf("FAIL decode rows: %s: kind %u length %u memory %#x of %u read %#x written %#x "
           "flags %#x\n", row->name, got.kind, length, got.memory, got.memory_size, got.registers_read,
           got.registers_written, got.flags_written);
}

static void check_rows(void)
{
    for (size_t i = 0; i < countof(rows); i++)
        check_row(&rows[i]);
    if (!failures)
        printf("ok decode rows\n");
}

/* Speed */

struct code {
    u8 *bytes;
    size_t size;
};

/* Reads the executable segments of an ELF file, one after another, with room after them. */
static struct code read_code(const char *path)
{
    struct code code = {0};
    FILE *file = fopen(path, "rb");
    Elf64_Ehdr header;
    if (!file || fread(&header, sizeof(header), 1, file) != 1)
        return code;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        fseek(file, header.e_phoff + i * sizeof(segment), SEEK_SET);
        if (fread(&segment, sizeof(segment), 1, file) != 1 || segment.p_type != PT_LOAD ||
            !(segment.p_flags & PF_X))
            continue;
        code.bytes = realloc(code.bytes, code.size + segment.p_filesz + BYTES);
        fseek(file, segment.p_offset, SEEK_SET);
        code.size += fread(code.bytes + code.size, 1, segment.p_filesz, file);
        memset(code.bytes + code.size, 0, BYTES);
    }
    fclose(file);
    return code;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* not what others use */
    return now.tv_sec + now.tv_nsec / 1e9;
}

static int speed(const char *path)
{
    struct code code = read_code(path);
    if (!code.size) {
        printf("skip decode speed: cannot read %s\n", path);
        return 0;
    }
    struct insn insn;
    u64 decodes = 0, mix = 0;
    double start = seconds();
    while (seconds() - start < 1)
        for (size_t at = 0; at < code.size; at += insn.length, decodes++) {
            decode(code.bytes + at, BYTES, &insn);
            mix += insn.registers_read + insn.flags_read;
        }
    double spent = seconds() - start;
    printf("%.1f million decodes a second over %zu bytes of %s (check %llx)\n",
           decodes / spent / 1e6, code.size, path, (unsigned long long)mix);
    free(code.bytes);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--speed"))
        return speed(argc > 2 ? argv[2] : "/proc/self/exe");
    unsigned draws = argc > 1 ? strtoul(argv[1], NULL, 0) : 2;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    random_state = seed * 0x9e3779b97f4a7c15ull + 1;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);
    printf("# seed %llu\n", (unsigned long long)seed);
    check_rows();
    sweep(draws);
    try_random(draws * 1000000ull);
    if (failures) {
        printf("FAIL decode sweep: %llu differences in %llu encodings\n",
               (unsigned long long)failures, (unsigned long long)compared);
        return 1;
    }
    printf("ok decode sweep (%llu encodings, %llu valid)\n", (unsigned long long)compared,
           (unsigned long long)valid_count);
    return 0;
}
