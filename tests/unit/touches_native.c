/* Compares touches_of() with the processor: instructions are executed over a page of memory.
 *
 * Each form that the processor has is executed with random registers. Bytes that change must be
 * among those that touches_of() says are written. Then all memory that touches_of() does not name
 * is changed, and the instruction is executed again. Its results must be the same; otherwise it has
 * read memory that touches_of() does not name.
 *
 * Usage: touches_native [COUNT [SEED]]     COUNT tries for each opcode and ModRM; the default is 1
 *
 * unit: src/base/assert.c src/base/complain.c src/engine/x86_64/touches.c
 * unit: src/engine/x86_64/decode.c src/engine/x86_64/decode_table.c
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/x86_64/cpu.h"
#include "engine/x86_64/touches.h"

enum { FIELD = 8192, MIDDLE = 4096, BYTES = 48, GS_BASE = 512, FX = 512 };

/* Is placed after the code, which names it relative to rip. */
struct context {
    u8 fx[FX];       /* x87, xmm */
    u8 fx_after[FX];
    u64 reg[GENERAL_REGISTERS];
    u64 flags;
    u64 after[16];
    u64 flags_after;
    u64 host_rsp;
};

static u8 *code;
static struct context *c;
static u8 *field; /* below 2 GiB, so that 32-bit addresses reach it */
static sigjmp_buf out;
static bool has_masks; /* AVX-512 */
static u64 masks[3];
static u64 random_state, executed, wrote, failures;

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

/* --- running one ------------------------------------------------------------------- */

static void on_fault(int signal)
{
    siglongjmp(out, signal);
}

static u8 *put_bytes(u8 *at, const char *bytes, unsigned count)
{
    memcpy(at, bytes, count);
    return at + count;
}

/* Emits an instruction that ends with a displacement relative to rip. */
static u8 *put_named(u8 *at, const char *bytes, unsigned count, const void *what)
{
    at = put_bytes(at, bytes, count);
    i32 displacement = (i32)((const u8 *)what - (at + 4));
    memcpy(at, &displacement, 4);
    return at + 4;
}

static u8 *put_move(u8 *at, unsigned reg, const u64 *what, bool load)
{
    char bytes[3] = {(char)(0x48 | reg >> 3 << 2), (char)(load ? 0x8b : 0x89),
                     (char)(0x05 | (reg & 7) << 3)};
    return put_named(at, bytes, 3, what);
}

static void build(const u8 *insn, unsigned length)
{
    u8 *at = code;
    at = put_bytes(at, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57", 10); /* push rbx rbp r12..r15 */
    at = put_move(at, RSP, &c->host_rsp, false);
    at = put_named(at, "\x48\x0f\xae\x0d", 4, c->fx); /* fxrstor64 */
    at = put_named(at, "\xff\x35", 2, &c->flags);     /* push */
    at = put_bytes(at, "\x9d", 1);                    /* popf */
    for (unsigned n = 0; n < 16; n++)
        at = put_move(at, n, &c->reg[n], true);
    at = put_bytes(at, (const char *)insn, length);
    for (unsigned n = 0; n < 16; n++)
        at = put_move(at, n, &c->after[n], false);
    at = put_move(at, RSP, &c->host_rsp, true);
    at = put_bytes(at, "\x9c", 1);                        /* pushf */
    at = put_named(at, "\x8f\x05", 2, &c->flags_after);   /* pop */
    at = put_named(at, "\x48\x0f\xae\x05", 4, c->fx_after); /* fxsave64 */
    put_bytes(at, "\xfc\xdb\xe3\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3",
              14); /* cld fninit pops ret */
}

static u64 insn_address(void)
{
    return (u64)code + 10 + 7 + 8 + 6 + 1 + 16 * 7;
}

static void settle_host(void)
{
    unsigned mxcsr = 0x1f80;
    __asm__ volatile("fninit; ldmxcsr %0; cld" : : "m"(mxcsr));
    if (__builtin_cpu_supports("avx")) /* upper halves are not in the context: always 0 */
        __asm__ volatile("vzeroall" : : : "memory");
}

/* Clears what the context does not contain and the host's library may have used. */
__attribute__((target("avx512f,avx512bw"))) static void load_masks(void)
{
    __asm__ volatile(
        "kmovq %0, %%k1; kmovq %1, %%k2; kmovq %2, %%k3; kxorq %%k4, %%k4, %%k4\n"
        "kxnorq %%k5, %%k5, %%k5; kmovq %0, %%k6; kmovq %1, %%k7; kxorq %%k0, %%k0, %%k0\n"
        "vpxord %%zmm16, %%zmm16, %%zmm16; vmovdqa64 %%zmm16, %%zmm17; vmovdqa64 %%zmm16, %%zmm18\n"
        "vmovdqa64 %%zmm16, %%zmm19; vmovdqa64 %%zmm16, %%zmm20; vmovdqa64 %%zmm16, %%zmm21\n"
        "vmovdqa64 %%zmm16, %%zmm22; vmovdqa64 %%zmm16, %%zmm23; vmovdqa64 %%zmm16, %%zmm24\n"
        "vmovdqa64 %%zmm16, %%zmm25; vmovdqa64 %%zmm16, %%zmm26; vmovdqa64 %%zmm16, %%zmm27\n"
        "vmovdqa64 %%zmm16, %%zmm28; vmovdqa64 %%zmm16, %%zmm29; vmovdqa64 %%zmm16, %%zmm30\n"
        "vmovdqa64 %%zmm16, %%zmm31\n"
        :
        : "r"(masks[0]), "r"(masks[1]), "r"(masks[2])
        : "memory");
}

/* False: it faulted. */
static bool execute(void)
{
    memset(c->after, 0, sizeof(c->after));
    int signal = sigsetjmp(out, 1);
    settle_host();
    if (!signal && has_masks)
        load_masks();
    if (!signal)
        ((void (*)(void))code)();
    settle_host();
    return !signal;
}

/* --- judging ------------------------------------------------------------------------- */

static bool touched(const struct touches *t, u64 at, u32 how)
{
    for (unsigned n = 0; n < t->count; n++)
        if (t->touch[n].how & how && at - t->touch[n].start < t->touch[n].size)
            return true;
    return false;
}

static void fail(const u8 *insn, unsigned length, const struct touches *t, const char *what, u64 at)
{
    if (++failures > 20)
        return;
    printf("FAIL touches:");
    for (unsigned n = 0; n < length; n++)
        printf(" %02x", insn[n]);
    printf(": %s 0x%llx;", what, (unsigned long long)at);
    for (unsigned n = 0; n < t->count; n++)
        printf(" %u at 0x%llx+%llu", t->touch[n].how, (unsigned long long)t->touch[n].start,
               (unsigned long long)t->touch[n].size);
    printf("\n");
}

struct outcome {
    u64 reg[17];
    u8 fx[FX];
    u8 field[FIELD];
};

static void note(struct outcome *o)
{
    memcpy(o->reg, c->after, sizeof(c->after));
    o->reg[16] = c->flags_after;
    memcpy(o->fx, c->fx_after, FX);
    memset(o->fx + 8, 0, 16); /* where the last x87 instruction was */
    memcpy(o->field, field, FIELD);
}

static void fill_field(u8 *to)
{
    for (unsigned n = 0; n < FIELD; n += 8) {
        u64 value = draw();
        memcpy(to + n, &value, 8);
    }
}

static void check_written(const u8 *insn, unsigned length, const struct touches *t,
                          const u8 *before)
{
    for (unsigned n = 0; n < FIELD; n++)
        if (field[n] != before[n] && !touched(t, (u64)field + n, TOUCH_WRITE)) {
            fail(insn, length, t, "wrote", (u64)field + n);
            return;
        }
}

/* Executes it again, with other bytes where it must not read. */
static void check_read(const u8 *insn, unsigned length, const struct touches *t, const u8 *before)
{
    static struct outcome first, second;
    static u8 other[FIELD];
    note(&first);
    fill_field(other);
    for (unsigned n = 0; n < FIELD; n++)
        if (touched(t, (u64)field + n, TOUCH_READ | TOUCH_WRITE))
            other[n] = before[n];
    memcpy(field, other, FIELD);
    bool ran = execute();
    note(&second);
    for (unsigned n = 0; n < FIELD; n++)
        if (!touched(t, (u64)field + n, TOUCH_WRITE))
            second.field[n] = first.field[n];
    if (!ran || memcmp(&first, &second, sizeof(first)))
        fail(insn, length, t, ran ? "read elsewhere" : "faults by what it reads elsewhere", 0);
}

/* --- drawing ----------------------------------------------------------------------------- */

static void draw_state(void)
{
    for (unsigned n = 0; n < 16; n++) {
        u64 pointer = (u64)field + MIDDLE + draw_below(128) - 64;
        c->reg[n] = draw_below(10) < 6 ? pointer
                    : draw_below(4)    ? draw_below(32)
                                       : -(u64)draw_below(32);
    }
    c->reg[RSP] = (u64)field + MIDDLE + draw_below(128) - 64;
    c->reg[RCX] = draw_below(3) ? draw_below(20) : c->reg[RCX];
    for (unsigned n = 0; n < countof(masks); n++)
        masks[n] = draw();
    c->flags = 0x202 | (draw() & (FLAGS_ARITHMETIC | FLAG_DF));
    for (unsigned n = 32; n < FX - 96; n++)
        c->fx[n] = (u8)draw();
    for (unsigned n = 0; n < 8; n++)
        memset(c->fx + 32 + n * 16 + 10, 0, 6);
}

/* Instructions that change more than registers and memory, that wait, or whose result differs each
 * time. */
static bool is_left_out(const struct insn *i, const u8 *bytes)
{
    if (i->kind != INSN_PLAIN || i->prefixes & PREFIX_FS)
        return true;
    if (i->registers_read & 1 << RSP && i->rip_relative)
        return true;
    if (i->map == MAP_0F && i->opcode == 0x01)
        return true; /* wrpkru, mwaitx, clzero of the wrong line ... */
    if (i->map == MAP_0F && i->opcode == 0xae)
        return (i->prefixes & PREFIX_F3) || (i->modrm >> 3 & 7) >= 4; /* wrfsbase, xrstor, umwait */
    if (i->map == MAP_0F && (i->opcode == 0xc7 || i->opcode == 0xa1 || i->opcode == 0xa9 ||
                             i->opcode == 0xb2 || i->opcode == 0xb4 || i->opcode == 0xb5))
        return i->opcode != 0xc7 || (i->modrm >> 3 & 7) != 1; /* segments; rdrand, xsavec */
    if (i->map == MAP_0F && (i->opcode == 0xa6 || i->opcode == 0xa7))
        return true; /* VIA's */
    if (i->map == MAP_ONE && i->opcode == 0xc8 && i->immediate >= 1024)
        return true; /* enter probes the end of the frame: a fault there makes it begin again half
                        done */
    return i->map == MAP_ONE && (i->opcode == 0x8e || i->opcode == 0x9b);
}

static void try_one(const u8 *bytes)
{
    static u8 before[FIELD];
    struct insn i;
    struct touches t;
    if (!decode(bytes, BYTES, &i) || is_left_out(&i, bytes) ||
        !(i.memory & (MEMORY_READ | MEMORY_WRITE)))
        return;
    draw_state();
    struct touch_state s = {
        .reg = c->reg, .rip = insn_address(), .flags = c->flags, .gs_base = GS_BASE};
    touches_of(&i, bytes, &s, &t); /* without vectors: all that a mask could choose */
    for (unsigned n = 0; n < t.count; n++)
        if (t.touch[n].size > FIELD / 4 || t.touch[n].start < (u64)field ||
            t.touch[n].start + t.touch[n].size > (u64)field + FIELD)
            return;
    build(bytes, i.length);
    fill_field(before);
    memcpy(field, before, FIELD);
    if (!execute())
        return;
    executed++;
    wrote += memcmp(field, before, FIELD) != 0;
    check_written(bytes, i.length, &t, before);
    check_read(bytes, i.length, &t, before);
}

static unsigned put_prefixes(u8 *to)
{
    static const u8 prefixes[] = {0x65, 0x66, 0x67, 0xf2, 0xf3, 0xf0};
    unsigned count = draw_below(3), at = 0;
    for (unsigned n = 0; n < count; n++)
        to[at++] = prefixes[draw_below(sizeof(prefixes))];
    if (draw_below(2))
        to[at++] = (u8)(0x40 | draw_below(16));
    return at;
}

/* map 0..3: legacy; 4..6 VEX; 7..9 EVEX */
static unsigned put_opcode(u8 *to, unsigned map, u8 opcode)
{
    unsigned at = 0;
    if (map < 4) {
        at = put_prefixes(to);
        if (map)
            to[at++] = 0x0f;
        if (map > 1)
            to[at++] = map == 2 ? 0x38 : 0x3a;
    } else if (map >= 7) {
        to[at++] = 0x62;
        to[at++] = (u8)((draw() & 0xf0) | (map - 6));
        to[at++] = (u8)((draw_below(2) ? draw() : draw() | 0x78) | 4);
        to[at++] = (u8)draw_below(2) ? draw() : (draw() & 0x77) | 8;
    } else {
        to[at++] = 0xc4;
        to[at++] = (u8)((draw() & 0xe0) | (map - 3));
        to[at++] = (u8)(draw_below(2) ? draw() : draw() | 0x78);
    }
    to[at++] = opcode;
    return at;
}

static void draw_operand(u8 *at, u8 modrm)
{
    at[0] = modrm;
    at[1] = (u8)(draw_below(2) ? draw() : draw_below(4));
    if (modrm >> 6 == 2) { /* small displacements reach the field */
        i32 displacement = (i32)draw_below(512) - 256;
        memcpy(at + ((modrm & 7) == 4 ? 2 : 1), &displacement, 4);
    }
}

static bool prepare(void)
{
    u8 *low = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    static u8 stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction act = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    if (low == MAP_FAILED || syscall(SYS_arch_prctl, 0x1001, GS_BASE))
        return false;
    code = low;
    c = (struct context *)(low + 4096);
    field = low + 16384 + 4096;
    mprotect(low + 16384, 4096, PROT_NONE);
    mprotect(field + FIELD, 4096, PROT_NONE);
    sigaltstack(&alternate, NULL);
    for (unsigned n = 0; n < countof(signals); n++)
        sigaction(signals[n], &act, NULL);
    has_masks = __builtin_cpu_supports("avx512bw");
    c->fx[0] = 0x7f;
    c->fx[1] = 0x03;
    c->fx[24] = 0x80;
    c->fx[25] = 0x1f;
    return true;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    random_state = seed * 0x9e3779b97f4a7c15ull + 1;
    if (!prepare()) {
        printf("skip touches on the processor: no memory that can be executed, below 4 GiB\n");
        return 0;
    }
    for (unsigned map = 0; map < 10; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned modrm = 0; modrm < 256; modrm++)
                for (unsigned n = 0; n < count; n++) {
                    u8 bytes[BYTES];
                    for (unsigned k = 0; k < BYTES; k += 8) {
                        u64 value = draw();
                        memcpy(bytes + k, &value, 8);
                    }
                    draw_operand(bytes + put_opcode(bytes, map, (u8)opcode), (u8)modrm);
                    try_one(bytes);
                }
    if (failures || executed < 10000 * count || wrote < executed / 10) {
        printf("FAIL touches: %llu of %llu executed are wrong, %llu changed memory, seed %llu\n",
               (unsigned long long)failures, (unsigned long long)executed,
               (unsigned long long)wrote, (unsigned long long)seed);
        return 1;
    }
    printf("ok touches as the processor (%llu instructions, %llu changed memory)\n",
           (unsigned long long)executed, (unsigned long long)wrote);
    return 0;
}
