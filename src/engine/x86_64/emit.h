/* Emitting: writes machine code.
 *
 * Engine data is addressed relative to rip, one byte shorter than an absolute address.
 */
#ifndef ENGINE_EMIT_H
#define ENGINE_EMIT_H

#include "base/types.h"
#include "engine/x86_64/cpu.h"

struct emitter {
    u8 *at;
};

static inline void emit8(struct emitter *e, u8 byte)
{
    *e->at++ = byte;
}

static inline void emit16(struct emitter *e, u16 value)
{
    __builtin_memcpy(e->at, &value, 2);
    e->at += 2;
}

static inline void emit32(struct emitter *e, u32 value)
{
    __builtin_memcpy(e->at, &value, 4);
    e->at += 4;
}

static inline void emit64(struct emitter *e, u64 value)
{
    __builtin_memcpy(e->at, &value, 8);
    e->at += 8;
}

/* Writes the low `count` bytes of a value with a single store. Always writes eight bytes, of which
 * the rest does not count. */
static inline void emit_word(struct emitter *e, u64 value, unsigned count)
{
    __builtin_memcpy(e->at, &value, 8);
    e->at += count;
}

static inline u32 emit_here(const struct emitter *e)
{
    return (u32)(u64)e->at;
}

static inline bool fits_i8(i64 value)
{
    return value == (i8)value;
}

static inline bool fits_i32(i64 value)
{
    return value == (i32)value;
}

/* ModRM for [rip + ...] naming `address` (below 2 GiB); `tail` immediate bytes follow. */
static inline void emit_rip_operand(struct emitter *e, unsigned reg, u32 address, unsigned tail)
{
    emit8(e, 0x05 | (reg & 7) << 3);
    emit32(e, address - (emit_here(e) + 4 + tail));
}

/* An instruction with REX, an opcode of one byte, and [rip + ...]. */
static inline void emit_rex_rip(struct emitter *e, u8 rex, u8 opcode, unsigned reg, u32 address)
{
    u32 displacement = address - (emit_here(e) + 7);
    emit_word(e, rex | opcode << 8 | (0x05u | (reg & 7) << 3) << 16 | (u64)displacement << 24, 7);
}

static inline void emit_rex_w(struct emitter *e, unsigned reg, unsigned base)
{
    emit8(e, 0x48 | (reg >> 3) << 2 | base >> 3);
}

/* mov [address], reg and back: 64 bits. */
static inline void emit_store(struct emitter *e, unsigned reg, u32 address)
{
    emit_rex_rip(e, 0x48 | (reg >> 3) << 2, 0x89, reg, address);
}

static inline void emit_load(struct emitter *e, unsigned reg, u32 address)
{
    emit_rex_rip(e, 0x48 | (reg >> 3) << 2, 0x8b, reg, address);
}

/* mov reg, reg */
static inline void emit_move(struct emitter *e, unsigned to, unsigned from)
{
    emit_rex_w(e, from, to);
    emit8(e, 0x89);
    emit8(e, 0xc0 | (from & 7) << 3 | (to & 7));
}

/* mov reg, value: in the shortest form. */
static inline void emit_constant(struct emitter *e, unsigned reg, u64 value)
{
    if (value == (u32)value) {
        if (reg >= 8)
            emit8(e, 0x41);
        emit8(e, 0xb8 | (reg & 7));
        emit32(e, (u32)value);
        return;
    }
    emit_rex_w(e, 0, reg);
    emit8(e, 0xb8 | (reg & 7));
    emit64(e, value);
}

/* mov dword [address], value */
static inline void emit_store_constant32(struct emitter *e, u32 address, u32 value)
{
    emit_word(e, 0x05c7u | (u64)(address - (emit_here(e) + 10)) << 16, 6);
    emit32(e, value);
}

static inline void emit_store_constant(struct emitter *e, u32 address, u64 value)
{
    if (fits_i32((i64)value)) {
        emit8(e, 0x48);
        emit_store_constant32(e, address, (u32)value);
        return;
    }
    emit_store_constant32(e, address, (u32)value);
    emit_store_constant32(e, address + 4, (u32)(value >> 32));
}

/* jmp rel32; returns where the rel32 is. */
static inline u32 emit_jump(struct emitter *e, u32 target)
{
    emit_word(e, 0xe9u | (u64)(target - (emit_here(e) + 5)) << 8, 5);
    return emit_here(e) - 4;
}

static inline u32 emit_branch(struct emitter *e, unsigned condition, u32 target)
{
    emit_word(e, 0x800fu | condition << 8 | (u64)(target - (emit_here(e) + 6)) << 16, 6);
    return emit_here(e) - 4;
}

/* Sets the target of the jump whose rel32 is at `rel_at`. */
static inline void emit_aim(u32 rel_at, u32 target)
{
    u32 rel = target - (rel_at + 4);
    __builtin_memcpy((void *)(u64)rel_at, &rel, 4);
}

static inline u32 emit_slot(unsigned slot)
{
    return (u32)(u64)&cpu->slot[slot];
}

#define EMIT_CPU(field) ((u32)(u64)&cpu->field)

enum { CONDITION_Z = 4, CONDITION_NZ = 5 };

#endif
