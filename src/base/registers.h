/* The registers of x86-64: their numbers, their names, and where they are stored.
 *
 * Four conventions number the general registers, each in its own order:
 *
 *   the instruction set   RAX ...        ModRM, SIB and REX; struct cpu; struct control_registers
 *   DWARF                 DWARF_RAX ...  debug information; the frames of symbols/
 *   gdb                   GDB_RAX ...    the remote protocol, which LLDB follows; bytecode
 *   Linux                 USER_RAX ...   struct user_regs_struct: ptrace and core files
 *
 * One row per register has all four numbers. Everything else about the order is derived from the
 * rows: the enums, the names, the conversions. No other file of src/ knows a register by a bare
 * number (tools/check-registers looks for that), and tests/unit/registers.c compares the rows with
 * the kernel's headers, with libdw and with the processor.
 *
 * Sources: Intel's manual, volume 1, 3.4.3 (flags), 10.5.1 (fxsave), 13.4 (xsave); the System V ABI
 * for AMD64, 3.2 (calls) and 3.6.2 (DWARF); gdb/features/i386/64bit-*.xml; <sys/user.h>.
 */
#ifndef BASE_REGISTERS_H
#define BASE_REGISTERS_H

#include "base/types.h"

/* --- general registers ---------------------------------------------------------------------- */

/* X(NAME, name, instruction set, DWARF, gdb, user_regs_struct) */
#define REGISTERS_GENERAL(X)          \
    X(RAX, rax,  0,  0,  0, 10)       \
    X(RCX, rcx,  1,  2,  2, 11)       \
    X(RDX, rdx,  2,  1,  3, 12)       \
    X(RBX, rbx,  3,  3,  1,  5)       \
    X(RSP, rsp,  4,  7,  7, 19)       \
    X(RBP, rbp,  5,  6,  6,  4)       \
    X(RSI, rsi,  6,  4,  4, 13)       \
    X(RDI, rdi,  7,  5,  5, 14)       \
    X(R8,  r8,   8,  8,  8,  9)       \
    X(R9,  r9,   9,  9,  9,  8)       \
    X(R10, r10, 10, 10, 10,  7)       \
    X(R11, r11, 11, 11, 11,  6)       \
    X(R12, r12, 12, 12, 12,  3)       \
    X(R13, r13, 13, 13, 13,  2)       \
    X(R14, r14, 14, 14, 14,  1)       \
    X(R15, r15, 15, 15, 15,  0)

enum {
#define X(NAME, name, isa, dwarf, gdb, user) NAME = isa,
    REGISTERS_GENERAL(X)
#undef X
    GENERAL_REGISTERS = 16
};

enum {
#define X(NAME, name, isa, dwarf, gdb, user) DWARF_##NAME = dwarf,
    REGISTERS_GENERAL(X)
#undef X
    DWARF_RIP = 16, /* the return address: in the innermost frame, rip itself */
    DWARF_XMM0 = 17,
    DWARF_ST0 = 33,
    DWARF_ST_END = 41
};

enum {
#define X(NAME, name, isa, dwarf, gdb, user) GDB_##NAME = gdb,
    REGISTERS_GENERAL(X)
#undef X
    GDB_RIP = 16, GDB_EFLAGS,
    GDB_CS, GDB_SS, GDB_DS, GDB_ES, GDB_FS, GDB_GS,
    GDB_ST0 = 24,
    GDB_FCTRL = 32, GDB_FSTAT, GDB_FTAG, GDB_FISEG, GDB_FIOFF, GDB_FOSEG, GDB_FOOFF, GDB_FOP,
    GDB_XMM0 = 40, GDB_MXCSR = 56,
    GDB_ORIG_RAX, GDB_FS_BASE, GDB_GS_BASE,
    GDB_YMM0H = 60,
    GDB_K0 = 76, GDB_ZMM0H = 84, GDB_XMM16 = 100, GDB_YMM16H = 116, GDB_ZMM16H = 132,
    GDB_REGISTERS = 148
};

enum {
#define X(NAME, name, isa, dwarf, gdb, user) USER_##NAME = user,
    REGISTERS_GENERAL(X)
#undef X
    USER_ORIG_RAX = 15, USER_RIP = 16, USER_CS, USER_EFLAGS, USER_SS = 20,
    USER_FS_BASE, USER_GS_BASE, USER_DS, USER_ES, USER_FS, USER_GS,
    USER_REGISTERS
};

/* Conversions. All arguments are numbers of general registers: below GENERAL_REGISTERS. */

static inline unsigned register_of_dwarf(unsigned number)
{
#define X(NAME, name, isa, dwarf, gdb, user) [dwarf] = isa,
    static const u8 order[GENERAL_REGISTERS] = {REGISTERS_GENERAL(X)};
#undef X
    return order[number];
}

static inline unsigned register_to_dwarf(unsigned number)
{
#define X(NAME, name, isa, dwarf, gdb, user) [isa] = dwarf,
    static const u8 order[GENERAL_REGISTERS] = {REGISTERS_GENERAL(X)};
#undef X
    return order[number];
}

static inline unsigned register_of_gdb(unsigned number)
{
#define X(NAME, name, isa, dwarf, gdb, user) [gdb] = isa,
    static const u8 order[GENERAL_REGISTERS] = {REGISTERS_GENERAL(X)};
#undef X
    return order[number];
}

static inline unsigned register_to_gdb(unsigned number)
{
#define X(NAME, name, isa, dwarf, gdb, user) [isa] = gdb,
    static const u8 order[GENERAL_REGISTERS] = {REGISTERS_GENERAL(X)};
#undef X
    return order[number];
}

/* By the number in the instruction set. */
static inline const char *register_name(unsigned number)
{
#define X(NAME, name, isa, dwarf, gdb, user) [isa] = #name,
    static const char *const names[GENERAL_REGISTERS] = {REGISTERS_GENERAL(X)};
#undef X
    return names[number];
}

/* --- calls ---------------------------------------------------------------------------------- */

/* A system call: rax is its number and then its result; the instruction overwrites rcx and r11.
 * X(NUMBER, NAME), one per argument. */
#define REGISTERS_SYSCALL(X) X(0, RDI) X(1, RSI) X(2, RDX) X(3, R10) X(4, R8) X(5, R9)

enum { SYSCALL_ARGUMENTS = 6 };

static inline void register_syscall_arguments(const u64 reg[GENERAL_REGISTERS],
                                              u64 ret[SYSCALL_ARGUMENTS])
{
#define X(NUMBER, NAME) ret[NUMBER] = reg[NAME];
    REGISTERS_SYSCALL(X)
#undef X
}

static inline void register_set_syscall(u64 reg[GENERAL_REGISTERS], u64 number,
                                        const u64 args[SYSCALL_ARGUMENTS])
{
    reg[RAX] = number;
#define X(NUMBER, NAME) reg[NAME] = args[NUMBER];
    REGISTERS_SYSCALL(X)
#undef X
}

/* --- flags ---------------------------------------------------------------------------------- */

/* X(NAME, bit of eflags). IOPL, two bits from 12 on, is left out: it is 0 in every program. */
#define REGISTERS_FLAGS(X)                                                    \
    X(CF, 0) X(PF, 2) X(AF, 4) X(ZF, 6) X(SF, 7) X(TF, 8) X(IF, 9) X(DF, 10)  \
    X(OF, 11) X(NT, 14) X(RF, 16) X(VM, 17) X(AC, 18) X(VIF, 19) X(VIP, 20) X(ID, 21)

enum {
#define X(NAME, bit) FLAG_##NAME = 1 << bit,
    REGISTERS_FLAGS(X)
#undef X
    FLAG_FIXED = 1 << 1, /* always set */
    FLAGS_ARITHMETIC = FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF,
    /* In user mode interrupts are enabled: a program starts with these two flags, and cannot clear
     * them. */
    FLAGS_PLAIN = FLAG_FIXED | FLAG_IF
};

/* --- segments ------------------------------------------------------------------------------- */

/* The selectors of a 64-bit program on Linux; ds, es, fs and gs are 0. */
enum { SELECTOR_CS = 0x33, SELECTOR_SS = 0x2b };

/* --- x87 and vector registers in memory -----------------------------------------------------
 *
 * Offsets in the area that xsave64 writes, in its standard form. fxsave64 writes the first 512
 * bytes of it, the legacy region. cpuid gives the offsets of the components from AVX on; AVX, the
 * first of them, follows the header on every processor. */

enum {
    XSAVE_FCW = 0,
    XSAVE_FSW = 2,
    XSAVE_FTW = 4,      /* one byte: a bit for each register that is not empty */
    XSAVE_FOP = 6,
    XSAVE_FIP = 8,      /* address of the last x87 instruction */
    XSAVE_FCS = 12,     /* upper half of it, or in the 32-bit form a selector */
    XSAVE_FDP = 16,     /* address of its operand */
    XSAVE_FDS = 20,
    XSAVE_MXCSR = 24,
    XSAVE_MXCSR_MASK = 28,
    XSAVE_ST = 32,      /* st0 to st7, each 10 bytes in 16 */
    XSAVE_ST_END = 160,
    XSAVE_XMM = 160,
    XSAVE_XMM_END = 416,
    XSAVE_NOTE = 464,   /* not used by the processor: the kernel's data in a signal frame */
    XSAVE_HEADER = 512, /* first word: a bit for each component not in its initial state */
    XSAVE_EXTENDED = 576,
    XSAVE_YMM = 576,    /* upper halves */
    XSAVE_YMM_END = 832,
    XSAVE_LEGACY_SIZE = XSAVE_HEADER
};

enum { ST_SIZE = 10, XMM_SIZE = 16, VECTOR_REGISTERS = 16, ST_REGISTERS = 8 };

static inline u32 xsave_st(u32 number)
{
    return XSAVE_ST + 16 * number;
}

static inline u32 xsave_xmm(u32 number)
{
    return XSAVE_XMM + XMM_SIZE * number;
}

static inline u32 xsave_ymm(u32 number)
{
    return XSAVE_YMM + XMM_SIZE * number;
}

/* gdb's names for the x87 control registers: X(NAME, name, offset, size there). gdb's ftag has two
 * bits for each register, the stored byte one. */
#define REGISTERS_X87_CONTROL(X)      \
    X(FCTRL, fctrl, XSAVE_FCW, 2)     \
    X(FSTAT, fstat, XSAVE_FSW, 2)     \
    X(FTAG,  ftag,  XSAVE_FTW, 1)     \
    X(FISEG, fiseg, XSAVE_FCS, 2)     \
    X(FIOFF, fioff, XSAVE_FIP, 4)     \
    X(FOSEG, foseg, XSAVE_FDS, 2)     \
    X(FOOFF, fooff, XSAVE_FDP, 4)     \
    X(FOP,   fop,   XSAVE_FOP, 2)

enum { FCW_INITIAL = 0x37f, MXCSR_INITIAL = 0x1f80 };

/* The components of the area: bits of XCR0, sub-leaves of cpuid's leaf 0xd. */
enum {
    XSAVE_X87 = 0,
    XSAVE_SSE = 1,
    XSAVE_AVX = 2, /* the first whose offset cpuid gives */
    XSAVE_BNDREGS = 3,
    XSAVE_BNDCSR = 4,
    XSAVE_OPMASK = 5,
    XSAVE_ZMM_HIGH = 6,  /* upper halves of zmm0 to zmm15 */
    XSAVE_ZMM_UPPER = 7, /* zmm16 to zmm31 */
    XSAVE_PKRU = 9,
    XSAVE_TILE_CONFIG = 17,
    XSAVE_TILE_DATA = 18,
    XSAVE_APX = 19,
    XSAVE_COMPONENTS = 32 /* larger than the number of components */
};

#define XSAVE_BIT(component) (1u << (component))

#endif
