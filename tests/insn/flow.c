/* Flow: jumps, calls, returns, and what else leaves the straight path.
 *
 * A translator rewrites all of these, so each has templates of its own.  Which way a case went
 * shows in the exit it took; what a call pushed shows in the data, where the stack is.  Flags
 * are whatever they were, and must be the same at the other end.
 *
 * Notation: the comment beside a template's bytes is what they do.
 */
#include "make.h"

#include <string.h>

/* --- small change --- */

/* A place in the code whose distance is filled in later. */
struct gap {
    u32 end;
    u8 size;
};

static struct gap emit_gap(struct maker *m, u8 size)
{
    EMIT(m, 0);
    for (int i = 1; i < size; i++)
        EMIT(m, 0);
    return (struct gap){m->cursor, size};
}

static void gap_to_here(struct maker *m, struct gap gap)
{
    i32 rel = m->cursor - gap.end;
    memcpy(m->code + gap.end - gap.size, &rel, gap.size);
}

static void gap_to(struct maker *m, struct gap gap, u32 target)
{
    i32 rel = target - gap.end;
    memcpy(m->code + gap.end - gap.size, &rel, gap.size);
}

/* Something that shows it was executed, and leaves the flags alone: lea rax, [rax+n]. */
static void emit_mark(struct maker *m)
{
    EMIT(m, 0x48, 0x8d, 0x40, 1 + draw(m, 100));
}

/* Something that sets flags: op r, r of some kind, between registers that hold no address. */
static void emit_flags(struct maker *m)
{
    static const u8 opcodes[] = {0x01, 0x29, 0x39, 0x85, 0x21, 0x31, 0x11, 0x19, 0x00, 0x38};
    if (one_in(m, 3))
        return;
    EMIT(m, one_in(m, 2) ? 0x48 : 0x40, opcodes[draw(m, countof(opcodes))], 0xd0);
}

/* Something that reads them: setcc dl, lahf, adc, cmovcc, or leave it to the exit. */
static void emit_reader(struct maker *m)
{
    switch (draw(m, 6)) {
    case 0: EMIT(m, 0x0f, 0x90 | draw(m, 16), 0xc2); break;
    case 1: EMIT(m, 0x9f); break;
    case 2: EMIT(m, 0x48, 0x11, 0xc2); break;
    case 3: EMIT(m, 0x48, 0x0f, 0x40 | draw(m, 16), 0xd0); break;
    case 4: EMIT(m, 0x9c, 0x5a); break;
    default: break;
    }
}

/* A prefix that branches may carry, or none. */
static void emit_branch_prefix(struct maker *m)
{
    static const u8 prefixes[] = {0x2e, 0x3e, 0xf2, 0x26};
    if (one_in(m, 8))
        EMIT(m, prefixes[draw(m, countof(prefixes))]);
}

static void emit_jump(struct maker *m, u32 target)
{
    EMIT(m, 0xe9);
    gap_to(m, emit_gap(m, 4), target);
}

/* --- direct jumps --- */

static void flow_condition(struct maker *m)
{
    emit_flags(m);
    emit_branch_prefix(m);
    u8 condition = draw(m, 16), size = one_in(m, 2) ? 1 : 4;
    if (size == 1)
        EMIT(m, 0x70 | condition);
    else
        EMIT(m, 0x0f, 0x80 | condition);
    struct gap taken = emit_gap(m, size);
    emit_reader(m);
    emit_exit(m, 0);
    gap_to_here(m, taken);
    emit_reader(m);
    emit_exit(m, 1);
}

/* The other side comes first: a jump backward. */
static void flow_condition_back(struct maker *m)
{
    EMIT(m, 0xeb);
    struct gap over = emit_gap(m, 1);
    u32 back = m->cursor;
    emit_reader(m);
    emit_exit(m, 2);
    gap_to_here(m, over);
    emit_flags(m);
    u8 condition = draw(m, 16), size = one_in(m, 2) ? 1 : 4;
    if (size == 1)
        EMIT(m, 0x70 | condition);
    else
        EMIT(m, 0x0f, 0x80 | condition);
    gap_to(m, emit_gap(m, size), back);
    emit_reader(m);
    emit_exit(m, 3);
}

/* loop, loope, loopne and jrcxz, with 32 bits of rcx now and then. */
static void flow_count(struct maker *m)
{
    bool narrow = one_in(m, 3);
    u64 rcx = draw(m, 3) - one_in(m, 8);
    if (one_in(m, 4))
        rcx |= draw_bits(m) << 32;
    fix_gpr(m, RCX, rcx);
    emit_flags(m);
    emit_mark(m);
    if (narrow)
        EMIT(m, 0x67);
    EMIT(m, 0xe0 | draw(m, 4));
    struct gap taken = emit_gap(m, 1);
    emit_reader(m);
    emit_exit(m, 0);
    gap_to_here(m, taken);
    emit_reader(m);
    emit_exit(m, 1);
}

static void flow_loop(struct maker *m)
{
    fix_gpr(m, RCX, 1 + draw(m, 12));
    u32 top = m->cursor;
    if (one_in(m, 2))
        emit_flags(m);
    emit_mark(m);
    EMIT(m, 0x48, 0x11, 0xc2);  /* adc rdx, rax: the carry goes around */
    if (one_in(m, 3))
        EMIT(m, 0x67);
    EMIT(m, 0xe0 | draw(m, 3));
    gap_to(m, emit_gap(m, 1), top);
    emit_exit(m, 0);
}

static void flow_jump(struct maker *m)
{
    u8 size = one_in(m, 2) ? 1 : 4;
    emit_flags(m);
    emit_branch_prefix(m);
    EMIT(m, size == 1 ? 0xeb : 0xe9);
    struct gap over = emit_gap(m, size);
    u32 back = m->cursor;
    emit_mark(m);
    emit_reader(m);
    emit_exit(m, 1);
    gap_to_here(m, over);
    emit_mark(m);
    emit_jump(m, back);
}

/* An immediate that is code: first executed as part of a mov, then jumped into. */
static void flow_into_middle(struct maker *m)
{
    fix_gpr(m, RCX, 2);
    u32 top = m->cursor;
    EMIT(m, 0x48, 0xba);                    /* mov rdx, imm64 */
    u32 inside = m->cursor;
    EMIT(m, 0x48, 0x8d, 0x76, 0x05);        /* of which: lea rsi, [rsi+5] */
    EMIT(m, 0xd1, 0xc7, 0xeb, 0x00);        /*           rol edi, 1; jmp +0 */
    emit_reader(m);
    EMIT(m, 0x48, 0x8d, 0x49, 0xff);        /* lea rcx, [rcx-1] */
    EMIT(m, 0xe3);                          /* jrcxz out */
    struct gap over = emit_gap(m, 1);
    emit_jump(m, one_in(m, 8) ? top : inside);
    gap_to_here(m, over);
    emit_exit(m, 0);
}

/* --- calls and returns --- */

/* Back to where the caller wants us, one way or the other.  Flags stay as they are. */
static void emit_return(struct maker *m)
{
    switch (draw(m, 9)) {
    case 0: EMIT(m, 0xc2, draw(m, 64), 0); break;                  /* ret n */
    case 1: EMIT(m, 0xf3, 0xc3); break;                            /* rep ret */
    case 2: EMIT(m, 0xf2, 0xc3); break;                            /* bnd ret */
    case 3: EMIT(m, 0x5e, 0xff, 0xe6); break;                      /* pop rsi; jmp rsi */
    case 4: EMIT(m, 0xff, 0x24, 0x24); break;                      /* jmp [rsp] */
    case 5: EMIT(m, 0x48, 0x8d, 0x64, 0x24, 8, 0xff, 0x64, 0x24, 0xf8); break;
                                                       /* lea rsp, [rsp+8]; jmp [rsp-8] */
    case 6: EMIT(m, 0xc2, 0, 0); break;
    default: EMIT(m, 0xc3); break;
    }
}

static void flow_call(struct maker *m)
{
    emit_flags(m);
    if (one_in(m, 8))
        EMIT(m, 0x66, 0x66, 0x48);  /* as linkers pad a call of __tls_get_addr */
    else
        emit_branch_prefix(m);
    EMIT(m, 0xe8);
    struct gap call = emit_gap(m, 4);
    emit_reader(m);
    emit_exit(m, 0);
    gap_to_here(m, call);
    emit_mark(m);
    emit_reader(m);
    emit_return(m);
}

/* Subroutines before their caller, one calling the other. */
static void flow_nested_calls(struct maker *m)
{
    EMIT(m, 0xeb);
    struct gap over = emit_gap(m, 1);
    u32 inner = m->cursor;
    emit_mark(m);
    EMIT(m, 0xc3);
    u32 outer = m->cursor;
    EMIT(m, 0xe8);
    gap_to(m, emit_gap(m, 4), inner);
    emit_reader(m);
    emit_return(m);
    gap_to_here(m, over);
    emit_flags(m);
    EMIT(m, 0xe8);
    gap_to(m, emit_gap(m, 4), outer);
    emit_reader(m);
    emit_exit(m, 1);
}

/* The subroutine changes the address it returns to. */
static void flow_return_elsewhere(struct maker *m)
{
    EMIT(m, 0xe8);
    struct gap call = emit_gap(m, 4);
    u32 after = m->cursor;
    emit_exit(m, 0);
    u32 elsewhere = m->cursor;
    emit_reader(m);
    emit_exit(m, 1);
    gap_to_here(m, call);
    EMIT(m, 0x48, 0x83, 0x04, 0x24, elsewhere - after);  /* add qword [rsp], n */
    EMIT(m, 0xc3);
}

/* push target; ret: as retpolines and context switches do. */
static void flow_push_return(struct maker *m)
{
    EMIT(m, 0x48, 0x8d, 0x3d);  /* lea rdi, [rip+n] */
    struct gap target = emit_gap(m, 4);
    emit_flags(m);
    EMIT(m, 0x57);              /* push rdi */
    if (one_in(m, 2))
        EMIT(m, 0xc3);
    else
        EMIT(m, 0xc2, 16, 0);
    emit_exit(m, 3);
    gap_to_here(m, target);
    emit_reader(m);
    emit_exit(m, 1);
}

/* call +0; pop: how code asks where it is. */
static void flow_where_am_i(struct maker *m)
{
    EMIT(m, 0xe8, 0, 0, 0, 0);
    EMIT(m, 0x40, 0x58 | (one_in(m, 2) ? RBX : RDX));
    emit_exit(m, 0);
}

/* --- indirect --- */

/* The target is known only after the instruction has been emitted: two ways out follow it. */
static void indirect_targets(struct maker *m, u32 *target)
{
    emit_reader(m);
    emit_exit(m, 0);
    *target = m->cursor;
    emit_mark(m);
    emit_reader(m);
}

static void flow_indirect_register(struct maker *m)
{
    int reg;
    do
        reg = draw(m, 16);
    while (reg == RSP);
    bool call = one_in(m, 2);
    if (reg != RAX)
        emit_flags(m);
    u8 modrm = (call ? 0xd0 : 0xe0) | (reg & 7);
    if (one_in(m, 8))
        EMIT(m, 0x3e);  /* notrack */
    if (reg > 7 || one_in(m, 4))
        EMIT(m, 0x40 | reg >> 3 | (one_in(m, 4) ? 8 : 0), 0xff, modrm);
    else
        EMIT(m, 0xff, modrm);
    u32 target;
    indirect_targets(m, &target);
    if (call)
        emit_return(m);
    else
        emit_exit(m, 1);
    fix_gpr(m, reg, maker_base(m) + target);
}

/* call or jmp through memory, addressed in any manner that encode.c and operands.c can think
 * of.  Never through the page that can only be read: no target can be put there. */
static bool draw_indirect(struct maker *m, bool call, struct insn *insn)
{
    *insn = (struct insn){.bytes = {0xff, call ? 0x13 : 0x23}};
    insn_decode(insn, 2);
    struct form form = {.key = insn_key(insn), .encoding = FORM_LEGACY, .opcode = 0xff,
                        .reg = call ? 2 : 4, .memory = true, .has_modrm = true};
    for (int i = 0; i < 40; i++) {
        if (insn_draw(m, &form, NULL, insn) && operands_settle(m, insn) &&
            stack_is_sound(m) && maker_data(m) - m->target > DATA_READ_ONLY)
            return true;
        case_unfix(m);
    }
    return false;
}

static void flow_indirect_memory(struct maker *m)
{
    bool call = one_in(m, 2);
    struct insn insn;
    if (!draw_indirect(m, call, &insn)) {
        flow_jump(m);
        return;
    }
    emit(m, insn.bytes, insn.length);
    u32 target;
    indirect_targets(m, &target);
    if (call)
        emit_return(m);
    else
        emit_exit(m, 1);
    fix_memory(m, m->target, maker_base(m) + target, 8);
}

/* The stack pointer addresses the target of the call that moves it. */
static void flow_indirect_stack(struct maker *m)
{
    u64 rsp = fix_rsp(m);
    i8 off = draw(m, 16) * 8 - 64;
    bool call = one_in(m, 2);
    emit_flags(m);
    EMIT(m, 0xff, call ? 0x54 : 0x64, 0x24, off);
    u32 target;
    indirect_targets(m, &target);
    if (call)
        emit_return(m);
    else
        emit_exit(m, 1);
    fix_memory(m, rsp + off, maker_base(m) + target, 8);
}

/* A switch: the same jump several times, to different targets. */
static void flow_table(struct maker *m)
{
    fix_gpr(m, RCX, 3);
    fix_gpr(m, RDI, maker_data(m) + 0x400);
    u32 top = m->cursor;
    emit_flags(m);
    EMIT(m, 0xff, 0x24, 0xcf);          /* jmp [rdi + 8*rcx] */
    u32 target[4];
    for (int i = 3; i > 0; i--) {
        target[i] = m->cursor;
        emit_mark(m);
        emit_reader(m);
        EMIT(m, 0xb9, i - 1, 0, 0, 0);  /* mov ecx, i-1 */
        emit_jump(m, top);
    }
    target[0] = m->cursor;
    emit_exit(m, 2);
    for (int i = 0; i < 4; i++)
        fix_memory(m, maker_data(m) + 0x400 + 8 * i, maker_base(m) + target[i], 8);
}

/* --- the stack pointer as an operand --- */

static void flow_stack_pointer(struct maker *m)
{
    u64 rsp = fix_rsp(m);
    u8 off = draw(m, 8) * 8;
    switch (draw(m, 12)) {
    case 0: EMIT(m, 0x54); break;                          /* push rsp */
    case 1: EMIT(m, 0x5c); break;                          /* pop rsp */
    case 2: EMIT(m, 0x8f, 0x44, 0x24, off); break;         /* pop [rsp+n] */
    case 3: EMIT(m, 0xff, 0x74, 0x24, off); break;         /* push [rsp+n] */
    case 4: EMIT(m, 0x66, 0x54, 0x66, 0x58); break;        /* push sp; pop ax */
    case 5: EMIT(m, 0x48, 0x87, 0xe0 | one_in(m, 2) * 3); break;  /* xchg rsp, rax or rbx */
    case 6: fix_gpr(m, RBP, rsp + 64); EMIT(m, 0xc9); break;      /* leave */
    case 7: EMIT(m, 0x66, 0x8f, 0x04, 0x24); break;        /* pop word [rsp] */
    case 8: EMIT(m, 0x48, 0x89, 0xe0, 0x50, 0x5c); break;  /* mov rax, rsp; push rax; pop rsp */
    case 9: EMIT(m, 0x54, 0x5c, 0x9c, 0x8f, 0x04, 0x24); break;   /* pushf; pop [rsp] */
    case 10: EMIT(m, 0x48, 0x83, 0xec, 0x20, 0x9c, 0x9d); break;  /* sub rsp, 32; pushf; popf */
    default: EMIT(m, 0x66, 0x6a, off, 0x66, 0xff, 0x34, 0x24); break;
    }
    emit_exit(m, 0);  /* and no reader: rsp may be anything by now */
}

/* --- into the kernel, and signals --- */

/* A system call that does not exist: rcx, r11 and the result are all it changes. */
static void flow_syscall(struct maker *m)
{
    fix_gpr(m, RAX, 1000000 + draw(m, 1000));
    emit_flags(m);
    fix_gpr(m, RDX, 0);
    EMIT(m, 0xb8, 0x40, 0x42, 0x0f, 0, 0x0f, 0x05);  /* mov eax, 1000000; syscall */
    emit_reader(m);
    emit_exit(m, 0);
}

static void flow_trap(struct maker *m)
{
    static const u8 vectors[] = {0, 4, 5, 13, 0x20, 0x2d, 0xff};
    emit_flags(m);
    emit_mark(m);
    m->now.fault_at = m->cursor;
    m->now.fault_flags = FLAGS_ARITHMETIC;
    m->now.other_flags = 0;
    switch (draw(m, 6)) {
    case 0: EMIT(m, 0xcc); m->now.fault_at++; break;
    case 1: EMIT(m, 0xf1); m->now.flags |= CASE_SIGNAL; break; /* not where: hypervisors differ */
    case 2: EMIT(m, 0x0f, 0x0b); break;
    case 3: EMIT(m, 0xf4); break;
    case 4: EMIT(m, 0xcd, vectors[draw(m, countof(vectors))]); break;
    default: EMIT(m, 0xcd, 3); m->now.fault_at += 2; break;
    }
    emit_exit(m, 0);  /* no reader: it would let some flags die before the trap */
}

/* Results that differ each time are discarded; everything else must be unchanged. */
static void flow_unpredictable(struct maker *m)
{
    static const struct {
        u8 code[4], length;
        bool cpuid;  /* answers in rbx and rcx too */
    } asks[] = {
        {{0x0f, 0x31}, 2, false},              /* rdtsc */
        {{0x0f, 0x01, 0xf9}, 3, true},         /* rdtscp */
        {{0x0f, 0xa2}, 2, true},               /* cpuid */
        {{0x0f, 0x01, 0xd0}, 3, false},        /* xgetbv */
        {{0x48, 0x0f, 0xc7, 0xf0}, 4, false},  /* rdrand rax */
        {{0x0f, 0xc7, 0xf2}, 3, false},        /* rdrand edx */
        {{0x66, 0x0f, 0xc7, 0xf0}, 4, false},  /* rdrand ax */
        {{0xf3, 0x0f, 0xc7, 0xf8}, 4, false},  /* rdpid rax */
    };
    u32 kind = draw(m, countof(asks));
    fix_gpr(m, RAX, draw(m, 8));
    fix_gpr(m, RCX, 0);
    m->now.other_flags = 0;
    emit(m, asks[kind].code, asks[kind].length);
    EMIT(m, 0xb8, 1, 0, 0, 0, 0xba, 2, 0, 0, 0);      /* mov eax, 1; mov edx, 2 */
    if (asks[kind].cpuid)
        EMIT(m, 0xbb, 3, 0, 0, 0, 0xb9, 4, 0, 0, 0);  /* mov ebx, 3; mov ecx, 4 */
    if (asks[kind].code[asks[kind].length - 2] == 0xc7)
        EMIT(m, 0xf9);                                /* stc: it may have failed */
    emit_exit(m, 0);
}

/* Selectors: a null one, which takes the base with it on some processors, or a wrong one. */
static void flow_segment(struct maker *m)
{
    u64 selector = one_in(m, 3) ? 0x7ff8 : 0, rsp = fix_rsp(m);
    m->now.flags |= CASE_BASES;
    emit_flags(m);
    fix_gpr(m, RDI, selector);
    fix_memory(m, rsp, selector, 8);
    switch (draw(m, 5)) {
    case 0: EMIT(m, 0x8e, 0xe7); break;  /* mov fs, edi */
    case 1: EMIT(m, 0x8e, 0xef); break;  /* mov gs, edi */
    case 2: EMIT(m, 0x0f, 0xa1); break;  /* pop fs */
    case 3: EMIT(m, 0x0f, 0xa9); break;  /* pop gs */
    default: EMIT(m, 0x8e, 0xc7, 0x8c, 0xe0, 0x8c, 0xea); break;
                                         /* mov es, edi; mov eax, fs; mov edx, gs */
    }
    emit_exit(m, 0);
}

/* The address of the last x87 instruction, where it is saved: it must not be one in the code
 * cache.  It may be 0, though, as its selector and its opcode may: some processors forget them at a
 * context switch, and so an engine may always do. */
static void flow_x87_address(struct maker *m)
{
    enum { ENVIRONMENT = 12, SELECTOR = 16, CODE_SELECTOR = 0x33, OPCODE = 18, OPCODE_FLD1 = 0x1e8 };
    static const struct {
        u8 code[4], length, field, size;  /* the address is size bytes at field */
    } savers[] = {
        {{0xd9, 0x37}, 2, ENVIRONMENT, 4},     /* fnstenv [rdi] */
        {{0xdd, 0x37}, 2, ENVIRONMENT, 4},     /* fnsave [rdi] */
        {{0x0f, 0xae, 0x07}, 3, 8, 4},         /* fxsave [rdi] */
        {{0x48, 0x0f, 0xae, 0x07}, 4, 8, 8},   /* fxsave64 [rdi] */
    };
    u32 off = 0x800, kind = draw(m, countof(savers));
    fix_gpr(m, RDI, maker_data(m) + off);
    fix_add(m, (struct corpus_fix){.op = FIX_MASKED});
    EMIT(m, 0xdb, 0xe3);  /* fninit */
    fix_add(m, (struct corpus_fix){.op = FIX_OR_ZERO, .size = savers[kind].size,
                                   .off = off + savers[kind].field, .value = maker_here(m)});
    if (savers[kind].field == ENVIRONMENT) {
        fix_add(m, (struct corpus_fix){.op = FIX_OR_ZERO, .size = 2, .off = off + SELECTOR,
                                       .value = CODE_SELECTOR});
        fix_add(m, (struct corpus_fix){.op = FIX_OR_ZERO, .size = 2, .off = off + OPCODE,
                                       .value = OPCODE_FLD1});
    }
    EMIT(m, 0xd9, 0xe8);  /* fld1 */
    emit(m, savers[kind].code, savers[kind].length);
    emit_exit(m, 0);
}

/* A call to an address that cannot be.  Some processors have written the return address by then,
 * some have not: it is there before. */
static void emit_impossible_call(struct maker *m)
{
    u64 rsp = fix_rsp(m);
    EMIT(m, 0xff, 0xd7);
    fix_memory(m, rsp - 8, maker_here(m), 8);
}

/* A jump, a call or a return to where nothing can be executed.  That the target faults and
 * not the jump is sure only for addresses that exist. */
static void flow_to_nowhere(struct maker *m)
{
    u64 target = maker_data(m) + draw(m, 0x800);
    bool exists = !one_in(m, 4);
    if (!exists)
        target = (draw_bits(m) | 1ul << 63) & ~(1ul << 62);
    else if (one_in(m, 2))
        target += DATA_SIZE;
    m->now.flags |= exists ? 0 : CASE_SIGNAL;
    m->now.other_flags = FLAGS_ARITHMETIC;
    fix_gpr(m, RDI, target);
    emit_flags(m);
    switch (draw(m, 3)) {
    case 0: EMIT(m, 0xff, 0xe7); break;
    case 1:
        if (exists)
            EMIT(m, 0xff, 0xd7);
        else
            emit_impossible_call(m);
        break;
    default: EMIT(m, 0x57, 0xc3); break;
    }
    emit_exit(m, 0);
}

/* Prefixes up to the longest instruction there is, and one byte beyond. */
static void flow_long(struct maker *m)
{
    static const u8 fill[] = {0x2e, 0x66, 0x36, 0x3e, 0x26};
    int length = 10 + draw(m, 7);
    emit_mark(m);
    for (int i = 0; i < length - 2; i++)
        EMIT(m, fill[one_in(m, 2) ? 0 : draw(m, countof(fill))]);
    m->now.other_flags = 0;
    EMIT(m, 0x01, 0xc3);  /* add ebx, eax */
    emit_exit(m, 0);
}

/* Operations on masks. Some mask registers have one bit more than the operation uses, which AMD's
 * processors ignore. */
static bool is_of_masks(const u8 *bytes)
{
    bool two = bytes[0] == 0xc5, three = bytes[0] == 0xc4 && (bytes[1] & 0x1f) == 1;
    u8 opcode = two ? bytes[2] : bytes[3];
    return (two || three) && ((opcode >= 0x41 && opcode <= 0x4b) || (opcode & 0xf0) == 0x90);
}

/* Bytes that Zydis knows no instruction for.  The processor decides. */
static void flow_undefined(struct maker *m)
{
    static const u8 first[] = {0x0f, 0xc4, 0xc5, 0x62, 0xd9, 0xdb, 0xdd, 0xdf, 0xff, 0xfe, 0x8f};
    struct insn insn;
    for (int tries = 0; tries < 1000; tries++) {
        u64 r = draw_bits(m);
        memcpy(insn.bytes, &r, 8);
        insn.bytes[0] = first[draw(m, countof(first))];
        if (insn.bytes[0] == 0x0f && one_in(m, 2))
            insn.bytes[1] = one_in(m, 2) ? 0x38 : 0x3a;
        memset(insn.bytes + 6, 0xcc, 9);  /* should the processor know it: no further than here */
        if (insn_decode(&insn, 15) || is_of_masks(insn.bytes))
            continue;
        emit_mark(m);
        m->now.other_flags = 0;
        emit(m, insn.bytes, 15);
        break;
    }
    emit_exit(m, 0);
}

/* The last bytes of the code: an instruction that goes on where no page is.  It ends the
 * code's last page, so there is one such case to a batch. */
static bool flow_edge(struct maker *m)
{
    static const u8 insn[] = {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8};
    if (m->edge_used)
        return false;
    m->edge_used = true;
    u32 cut = 1 + draw(m, sizeof insn - 1);
    memcpy(m->code + BATCH_CODE - cut, insn, cut);
    emit_flags(m);
    emit_jump(m, BATCH_CODE - cut);
    m->now.other_flags = FLAGS_ARITHMETIC;
    return true;
}

static void flow_edge_or_jump(struct maker *m)
{
    if (!flow_edge(m))
        flow_jump(m);
}

static void (*const templates[])(struct maker *) = {
    flow_condition, flow_condition, flow_condition, flow_condition, flow_condition_back,
    flow_condition_back, flow_count, flow_count, flow_loop, flow_jump, flow_into_middle,
    flow_call, flow_call, flow_nested_calls, flow_return_elsewhere, flow_push_return,
    flow_where_am_i, flow_indirect_register, flow_indirect_register, flow_indirect_memory,
    flow_indirect_memory, flow_indirect_stack, flow_table, flow_stack_pointer,
    flow_stack_pointer, flow_syscall, flow_trap, flow_x87_address, flow_unpredictable,
    flow_segment, flow_to_nowhere, flow_long, flow_undefined,
    flow_edge_or_jump,
};

void flow_make(struct maker *m)
{
    case_begin(m);
    templates[draw(m, countof(templates))](m);
    case_end(m);
}
