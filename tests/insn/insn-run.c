/* insn-run: executes the cases of a corpus and writes down what each has come to.
 *
 *   insn-run CORPUS OUT [FIRST COUNT]            run, write one hash per case
 *   insn-run CORPUS OUT FIRST COUNT dump|last    write the outcome of each case, or of the last
 *   insn-run --probe LOW HIGH                    can the two places be had?  exit status says
 *
 * The same program runs natively and on the engine, and the outputs are compared; it must
 * therefore hold nothing that may differ by itself.  So it has no libc: no thread-local
 * storage, no random canary, no address that the kernel chose in any register it hands to a
 * case.  fs and gs point into the data of the place.
 *
 * A case is entered by insn_enter, with every register loaded, and left by a jump to one of
 * the exits or by a signal.  After a signal the state is that of the signal frame; every other
 * case then returns through sigreturn, the rest just go on from the handler's stack.
 *
 * Output is written once per batch; from a run that died, the number of hashes tells in which
 * batch.  With COUNT given it is written after each case, which tells the case.
 */
#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/mman.h>

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "corpus.h"

/* --- the kernel --- */

static i64 call(i64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
    register u64 r10 __asm__("r10") = d;
    register u64 r8 __asm__("r8") = e;
    register u64 r9 __asm__("r9") = f;
    i64 ret;
    __asm__ volatile("syscall" : "=a"(ret)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}

static _Noreturn void leave(int status)
{
    for (;;)
        call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static size_t length_of(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

static _Noreturn void die(const char *why)
{
    call(SYS_write, 2, (u64)"insn-run: ", 10, 0, 0, 0);
    call(SYS_write, 2, (u64)why, length_of(why), 0, 0, 0);
    call(SYS_write, 2, (u64)"\n", 1, 0, 0, 0);
    leave(2);
}

static void copy(void *to, const void *from, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static void clear(void *to, size_t n)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
}

/* The compiler may make calls of copies and initialisers. */
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);

void *memcpy(void *to, const void *from, size_t n)
{
    copy(to, from, n);
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(byte) : "memory");
    return to;
}

/* --- into a case and out of it --- */

struct registers {
    u64 gpr[16];
    u64 flags;
    u64 target;
};

/* Named by the assembler text below, hence not static. */
extern struct registers insn_in;
extern struct outcome insn_out;
extern u8 insn_xin[XSAVE_MAX], insn_xout[XSAVE_MAX];
extern u64 insn_xmask, insn_home;

struct registers insn_in;
struct outcome insn_out;
u8 insn_xin[XSAVE_MAX] __attribute__((aligned(64)));
u8 insn_xout[XSAVE_MAX] __attribute__((aligned(64)));
u64 insn_xmask, insn_home;

void insn_enter(void);
void insn_resume(void);
void insn_restorer(void);
void insn_start(void);
extern char insn_exit0[], insn_exit1[], insn_exit2[], insn_exit3[];

#define LOAD(reg, n)  "mov insn_in+8*" #n ", %" #reg "\n"
#define STORE(reg, n) "mov %" #reg ", insn_out+8*" #n "\n"
#define EACH_BUT_RSP(DO) \
    DO(rax, 0) DO(rcx, 1) DO(rdx, 2) DO(rbx, 3) DO(rbp, 5) DO(rsi, 6) DO(rdi, 7) DO(r8, 8) \
    DO(r9, 9) DO(r10, 10) DO(r11, 11) DO(r12, 12) DO(r13, 13) DO(r14, 14) DO(r15, 15)

/* outcome: gpr 0..127, rip 128, rflags 136, exit 144 */
__asm__(
    ".text\n"
    ".globl insn_start, insn_enter, insn_resume, insn_restorer\n"
    "insn_start:\n"
    "    mov %rsp, %rdi\n"
    "    and $-16, %rsp\n"
    "    call insn_main\n"
    "    hlt\n"
    "insn_restorer:\n"
    "    mov $15, %eax\n"
    "    syscall\n"
    "insn_enter:\n"
    "    push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "    mov %rsp, insn_home\n"
    "    mov insn_xmask, %eax\n"
    "    xor %edx, %edx\n"
    "    test %eax, %eax\n"
    "    jz 1f\n"
    "    xrstor64 insn_xin\n"
    "    jmp 2f\n"
    "1:  fxrstor64 insn_xin\n"
    "2:  pushq insn_in+128\n"
    "    popfq\n"
    EACH_BUT_RSP(LOAD)
    "    mov insn_in+32, %rsp\n"
    "    jmp *insn_in+136\n"
    ".globl insn_exit0, insn_exit1, insn_exit2, insn_exit3\n"
    "insn_exit0: movq $1, insn_out+144\n jmp 3f\n"
    "insn_exit1: movq $2, insn_out+144\n jmp 3f\n"
    "insn_exit2: movq $3, insn_out+144\n jmp 3f\n"
    "insn_exit3: movq $4, insn_out+144\n"
    "3:\n"
    EACH_BUT_RSP(STORE)
    "    mov %rsp, insn_out+32\n"
    "    mov insn_home, %rsp\n"
    "    pushfq\n"
    "    popq insn_out+136\n"
    "    cld\n"
    "    mov insn_xmask, %eax\n"
    "    xor %edx, %edx\n"
    "    test %eax, %eax\n"
    "    jz 4f\n"
    "    xsave64 insn_xout\n"
    "    jmp insn_resume\n"
    "4:  fxsave64 insn_xout\n"
    "insn_resume:\n"  /* the flags may have anything in them, AC for one */
    "    pushq $2\n"
    "    popfq\n"
    "    pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
    "    ret\n");

/* --- the corpus --- */

static const struct corpus_header *corpus;
static const struct corpus_batch *batches;
static const struct corpus_case *cases;
static const struct corpus_fix *fixes;

static const struct corpus_case *current;
static u32 current_number;
static u64 place;  /* of the current batch */

static u64 data_at(void)
{
    return place + PLACE_DATA;
}

/* --- the state a case starts with --- */

#define POOL_SIZE 0x10000
static u64 pool[(POOL_SIZE + DATA_SIZE) / 8];

/* A single and a double with an ordinary value. The pool fills memory and vector registers of every
 * case; random bits alone are hardly ever a zero, an infinity or a denormal. */
static u32 draw_single(u64 *chance)
{
    static const u32 special[] = {
        0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
        0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x5f000000,
        0x3f000000,
    };
    u64 r = chance_next(chance);
    return r >> 62 == 0 ? special[r % countof(special)]
                        : (0x38000000 + (u32)(r >> 32) % 0x10000000) ^ ((u32)r & 0x80000000);
}

static u64 draw_double(u64 *chance)
{
    static const u64 special[] = {
        0, 1ul << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
        0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 1, 0x800fffffffffffff,
        0x0010000000000000, 0x7fefffffffffffff, 0x41e0000000000000, 0xc1e0000000000000,
        0x43e0000000000000, 0x3fe0000000000000,
    };
    u64 r = chance_next(chance);
    return r >> 62 == 0 ? special[r % countof(special)]
                        : (0x3f00000000000000 + (r >> 4) % 0x0200000000000000) ^ r << 63;
}

static u64 draw_word(u64 *chance, u32 kind)
{
    u64 r = chance_next(chance);
    switch (kind) {
    case 0: return draw_double(chance);
    case 1: return draw_single(chance) | (u64)draw_single(chance) << 32;
    case 2: return r & 0x000f000f000f000f;  /* small in every width down to 16 bits */
    case 3: return r & 1 ? 0 : ~0ul;
    case 4: return (r & 0x3fff3fff3fff3fff) | 0x3000300030003000;  /* halves */
    default: return r;
    }
}

static void pool_fill(u64 seed)
{
    u64 chance = seed, kind = 0;
    for (size_t i = 0; i < countof(pool); i++) {
        if (i % 8 == 0)
            kind = chance_next(&chance) % 8;
        pool[i] = draw_word(&chance, kind);
    }
}

static const u8 *pool_at(u64 *chance)
{
    return (const u8 *)pool + (chance_next(chance) % POOL_SIZE & ~7ul);
}

static u64 draw_gpr(u64 *chance)
{
    u64 r = chance_next(chance), s = chance_next(chance);
    switch (s % 9) {
    case 0: return (i64)(i8)r;
    case 1: return 0;
    case 2: return ~0ul;
    case 3: return (1ul << r % 64) - (r >> 63);
    case 4: return (u32)r;
    case 5: return (i64)(i32)r;
    case 6: return r % 70;
    default: return r;
    }
}

static void place_vector(u32 n, const u8 *from)
{
    const u32 *at = corpus->xoffset;
    u64 mask = corpus->xmask;
    if (n < 16) {
        copy(insn_xin + 160 + 16 * n, from, 16);
        if (mask & 4)
            copy(insn_xin + at[2] + 16 * n, from + 16, 16);
        if (mask & 0x40)
            copy(insn_xin + at[6] + 32 * n, from + 32, 32);
    } else if (mask & 0x80) {
        copy(insn_xin + at[7] + 64 * (n - 16), from, 64);
    }
}

/* x87 registers: mostly numbers that the unit would have made itself. */
static void place_x87(u64 *chance)
{
    for (int i = 0; i < 8; i++) {
        u64 r = chance_next(chance), mantissa = *(const u64 *)pool_at(chance);
        u16 exponent = r;
        if (r >> 61 > 1)
            mantissa |= 1ul << 63;
        if (r >> 61 > 3)
            exponent = (0x3fff - 40 + (r >> 16) % 80) | (r & 0x8000);
        if (r >> 61 == 7)
            mantissa = 0, exponent &= 0x8000;
        copy(insn_xin + 32 + 16 * i, &mantissa, 8);
        copy(insn_xin + 40 + 16 * i, &exponent, 2);
    }
    u64 r = chance_next(chance);
    u16 control = 0x7f | (r & 0xf00), status = (r >> 16) & 0x7f3f;
    if (r >> 60 < 2)
        control &= ~((r >> 32) & 0x3f);
    copy(insn_xin, &control, 2);
    copy(insn_xin + 2, &status, 2);
    insn_xin[4] = r & 1ul << 50 ? 0xff : r >> 40;
}

static void place_mxcsr(u64 *chance)
{
    u64 r = chance_next(chance);
    u32 mxcsr = 0x1f80 | (r & 0xe07f);
    if ((r >> 28 & 3) != 0)
        mxcsr &= 0x7fbf;  /* mostly neither FTZ nor DAZ */
    if (r >> 60 < 2)
        mxcsr &= ~((r >> 32) & 0x3f) << 7 | 0xe07f;
    copy(insn_xin + 24, &mxcsr, 4);
}

/* In the order of the file: everything from chance, then the fixes. */
static void state_draw(u64 *chance)
{
    for (int i = 0; i < 16; i++)
        insn_in.gpr[i] = draw_gpr(chance);
    insn_in.gpr[RSP] = data_at() + 0xe00 + (chance_next(chance) & 0x3f8);
    insn_in.flags = 0x202 | (chance_next(chance) & (FLAGS_ARITHMETIC | FLAGS_DF));
    clear(insn_xin, 576);
    copy(insn_xin + 512, &corpus->xmask, 8);
    for (u32 i = 0; i < (corpus->xmask & 0x80 ? 32 : 16); i++)
        place_vector(i, pool_at(chance));
    if (corpus->xmask & 0x20)
        copy(insn_xin + corpus->xoffset[5], pool_at(chance), 64);
    place_x87(chance);
    place_mxcsr(chance);
    copy((void *)data_at(), pool_at(chance), DATA_SIZE);
}

static void fix_index(const struct corpus_fix *fix, u64 *chance)
{
    u8 vector[64];
    clear(vector, sizeof vector);
    for (u32 i = 0; i < 64; i += fix->size) {
        i64 index = chance_next(chance) % 96 - (i64)(fix->value & 31);
        copy(vector + i, &index, fix->size);
    }
    place_vector(fix->reg, vector);
}

/* For xrstor and fxrstor: the state this case starts with, but turned around. */
static void fix_xsave(const struct corpus_fix *fix)
{
    u8 *to = (u8 *)data_at() + fix->off;
    u32 size = corpus->xmask & 0x80 ? corpus->xoffset[7] + 1024
               : corpus->xmask & 4 ? corpus->xoffset[2] + 256 : 512;
    if (fix->off + size > DATA_SIZE)
        return;
    copy(to, insn_xin, size);
    for (u32 i = 0; i < 256; i++)
        to[160 + i] ^= 0x55;
}

static void fix_masked(void)
{
    insn_xin[0] |= 0x3f;
    insn_xin[24] |= 0x80;
    insn_xin[25] |= 0x1f;
}

static void fix_apply(const struct corpus_fix *fix, u64 *chance)
{
    u8 *data = (u8 *)data_at() + fix->off;
    switch (fix->op) {
    case FIX_GPR: insn_in.gpr[fix->reg] = fix->value; break;
    case FIX_MEMORY: copy(data, &fix->value, fix->size); break;
    case FIX_AND: *(u64 *)data &= fix->value; break;
    case FIX_INDEX: fix_index(fix, chance); break;
    case FIX_XSAVE: fix_xsave(fix); break;
    case FIX_MASKED: fix_masked(); break;
    case FIX_OR_ZERO: break;
    default: die("the corpus has a fix that I do not know");
    }
}

/* --- the state it ends with --- */

/* Components in their initial state are zero, whatever the image has in their place, and the
 * addresses of the last x87 instruction and operand are no part of the comparison: they are
 * true only until the next context switch on some processors. */
static void take_xstate(const u8 *image)
{
    static const u32 size[8] = {0, 0, 256, 0, 0, 64, 512, 1024};
    u64 have;
    copy(&have, image + 512, 8);
    if (!corpus->xmask)
        have = 3;
    copy(insn_out.xstate, image, 416);
    clear(insn_out.xstate + 6, 18);
    clear(insn_out.xstate + 28, 4);
    if (!(have & 1)) {
        clear(insn_out.xstate, 24);
        clear(insn_out.xstate + 32, 128);
        insn_out.xstate[0] = 0x7f;
        insn_out.xstate[1] = 0x03;
    }
    if (!(have & 2))
        clear(insn_out.xstate + 160, 256);
    for (u32 i = 2; i < 8; i++)
        if (corpus->xmask & have & 1u << i)
            copy(insn_out.xstate + corpus->xoffset[i], image + corpus->xoffset[i], size[i]);
    for (int i = 0; i < 8; i++)
        clear(insn_out.xstate + 32 + 16 * i + 10, 6);
}

static void take_registers(const greg_t *from)
{
    static const u8 order[16] = {
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
        REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
    };
    for (int i = 0; i < 16; i++)
        insn_out.gpr[i] = from[order[i]];
    insn_out.rip = from[REG_RIP];
    u32 seen = insn_out.rip - place == current->fault_at ? current->fault_flags
                                                         : current->other_flags;
    insn_out.rflags = from[REG_EFL] & ~FLAGS_RF & (seen | ~FLAGS_ARITHMETIC);
}

/* Of a fetch that was not allowed, the kernel may or may not have had the page at hand. */
static u64 error_of(const greg_t *from)
{
    bool fetch = from[REG_TRAPNO] == 14 && (from[REG_ERR] & 16);
    return fetch ? from[REG_ERR] & ~1ul : (u64)from[REG_ERR];
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    greg_t *from = uc->uc_mcontext.gregs;
    insn_out.signal = signal;
    insn_out.exit = 0;
    if (current && !(current->flags & CASE_SIGNAL)) {
        take_registers(from);
        insn_out.code = info->si_code;
        insn_out.address = (u64)info->si_addr;
        insn_out.trap = from[REG_TRAPNO];
        insn_out.error = error_of(from);
        insn_out.cr2 = from[REG_TRAPNO] == 14 ? from[REG_CR2] : 0;
        take_xstate((const u8 *)uc->uc_mcontext.fpregs);
    }
    if (!current)
        die("a signal outside of any case");
    if (current_number & 1) {
        from[REG_RIP] = (u64)insn_resume;
        from[REG_RSP] = insn_home;
        from[REG_EFL] = 0x202;
        return;
    }
    __asm__ volatile("mov insn_home, %rsp\n jmp insn_resume");
    __builtin_unreachable();
}

static void catch_signals(void)
{
    static u8 stack[0x10000] __attribute__((aligned(64)));
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct {
        void (*handler)(int, siginfo_t *, void *);
        u64 flags;
        void (*restorer)(void);
        u64 mask;
    } action = {on_signal, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000, insn_restorer, 0};
    static const int signals[] = {SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGBUS};
    call(SYS_sigaltstack, (u64)&alternate, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < countof(signals); i++)
        if (call(SYS_rt_sigaction, signals[i], (u64)&action, 0, 8, 0, 0) < 0)
            die("cannot catch signals");
}

/* --- running --- */

static void map_at(u64 at, u64 size, int protection)
{
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (call(SYS_mmap, at, size, protection, how, -1, 0) != (i64)at)
        die("cannot map the place of a batch");
}

static bool place_take(u64 at)
{
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;
    return call(SYS_mmap, at, PLACE_SIZE, PROT_NONE, how, -1, 0) == (i64)at;
}

static void bases_set(void)
{
    call(SYS_arch_prctl, ARCH_SET_FS, data_at() + DATA_FS, 0, 0, 0, 0);
    call(SYS_arch_prctl, ARCH_SET_GS, data_at() + DATA_GS, 0, 0, 0, 0);
}

static void place_exits(u64 at)
{
    char *const exits[EXITS] = {insn_exit0, insn_exit1, insn_exit2, insn_exit3};
    for (int i = 0; i < EXITS; i++, at += EXIT_BYTES) {
        static const u8 jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};
        copy((void *)at, jump, 8);
        copy((void *)(at + 8), &exits[i], 8);
    }
}

/* The image has room for the exits at both of its ends. */
static void batch_place(const struct corpus_batch *batch)
{
    place = corpus->place[batch->place];
    u64 size = batch->code_size;
    map_at(place, PLACE_CODE_MAX, PROT_NONE);
    map_at(place, size, PROT_READ | PROT_WRITE);
    copy((void *)place, (const u8 *)corpus + batch->code, size);
    place_exits(place);
    place_exits(place + exits_at_end(size));
    if (call(SYS_mprotect, place, size, PROT_READ | PROT_EXEC, 0, 0, 0) < 0)
        die("cannot make code executable");
    map_at(data_at() - DATA_READ_ONLY, DATA_READ_ONLY, PROT_READ | PROT_WRITE);
    copy((void *)(data_at() - DATA_READ_ONLY), pool, DATA_READ_ONLY);
    call(SYS_mprotect, data_at() - DATA_READ_ONLY, DATA_READ_ONLY, PROT_READ, 0, 0, 0);
    map_at(data_at(), DATA_SIZE, PROT_READ | PROT_WRITE);
    bases_set();
}

static void bases_take(void)
{
    call(SYS_arch_prctl, ARCH_GET_FS, (u64)&insn_out.fs, 0, 0, 0, 0);
    call(SYS_arch_prctl, ARCH_GET_GS, (u64)&insn_out.gs, 0, 0, 0, 0);
    bases_set();
}

/* What may be a value or zero, is made zero. */
static void outcome_mend(const struct corpus_case *c)
{
    for (u32 i = 0; i < c->fixes; i++) {
        const struct corpus_fix *fix = &fixes[c->fix + i];
        u64 found = 0, wanted = 0;
        if (fix->op != FIX_OR_ZERO)
            continue;
        copy(&found, insn_out.data + fix->off, fix->size);
        copy(&wanted, &fix->value, fix->size);
        if (found == wanted)
            clear(insn_out.data + fix->off, fix->size);
    }
}

static void case_run(u32 number)
{
    u64 chance = corpus->seed + number * 0x632be59bd9b4e019ul;
    const struct corpus_case *c = &cases[number];
    state_draw(&chance);
    for (u32 i = 0; i < c->fixes; i++)
        fix_apply(&fixes[c->fix + i], &chance);
    insn_in.target = place + c->entry;
    clear(&insn_out, offsetof(struct outcome, data));
    current_number = number;
    current = c;
    insn_enter();
    current = NULL;
    if (insn_out.exit)
        take_xstate(insn_xout);
    if (c->flags & CASE_BASES)
        bases_take();
    copy(insn_out.data, (void *)data_at(), DATA_SIZE);
    outcome_mend(c);
}

static u64 outcome_hash(void)
{
    const u64 *word = (const u64 *)&insn_out;
    u64 h[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < sizeof insn_out / 8; i += 4)
        for (int k = 0; k < 4 && i + k < sizeof insn_out / 8; k++)
            h[k] = (h[k] ^ word[i + k]) * 0x9fb21c651e98df25ul, h[k] ^= h[k] >> 29;
    return (h[0] * 3 + h[1]) * 0xff51afd7ed558ccdul ^ (h[2] * 5 + h[3]);
}

#define HASHES 0x4000
static u64 hashes[HASHES];
static u32 hashes_held;
static int out;

static void write_all(const void *from, size_t size)
{
    for (const u8 *at = from; size;) {
        i64 n = call(SYS_write, out, (u64)at, size, 0, 0, 0);
        if (n <= 0)
            die("cannot write the output");
        at += n;
        size -= n;
    }
}

static void hashes_flush(void)
{
    write_all(hashes, hashes_held * sizeof hashes[0]);
    hashes_held = 0;
}

struct span {
    u32 first, end;
    bool each, dump, last;
};

static void case_report(const struct span *span)
{
    if (span->dump) {
        if (!span->last || current_number + 1 == span->end)
            write_all(&insn_out, sizeof insn_out);
        return;
    }
    hashes[hashes_held++] = outcome_hash();
    if (hashes_held == HASHES || span->each)
        hashes_flush();
}

static void batch_run(const struct corpus_batch *batch, const struct span *span)
{
    u32 from = batch->first, to = batch->first + batch->cases;
    if (to <= span->first || from >= span->end)
        return;
    batch_place(batch);
    for (u32 n = from > span->first ? from : span->first; n < to && n < span->end; n++) {
        case_run(n);
        case_report(span);
    }
    hashes_flush();
}

static void corpus_load(const char *path)
{
    i64 fd = call(SYS_open, (u64)path, O_RDONLY, 0, 0, 0, 0);
    i64 size = fd < 0 ? -1 : call(SYS_lseek, fd, 0, 2, 0, 0, 0);
    if (size < (i64)sizeof(struct corpus_header))
        die("cannot read the corpus");
    i64 at = call(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at < 0 && at > -4096)
        die("cannot map the corpus");
    corpus = (const void *)at;
    if (corpus->magic != CORPUS_MAGIC)
        die("this is no corpus");
    batches = (const void *)(at + corpus->batch_at);
    cases = (const void *)(at + corpus->case_at);
    fixes = (const void *)(at + corpus->fix_at);
    insn_xmask = corpus->xmask;
}

static u64 number_of(const char *s)
{
    u64 n = 0, base = 10;
    if (s[0] == '0' && s[1] == 'x')
        s += 2, base = 16;
    for (; *s; s++)
        n = n * base + (*s >= 'a' ? *s - 'a' + 10 : *s - '0');
    return n;
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

__attribute__((used)) static void insn_main(u64 *stack) __asm__("insn_main");

static void insn_main(u64 *stack)
{
    u64 argc = stack[0];
    char **argv = (char **)(stack + 1);
    if (argc == 4 && same(argv[1], "--probe"))
        leave(!(place_take(number_of(argv[2])) && place_take(number_of(argv[3]))));
    if (argc < 3)
        die("usage: insn-run CORPUS OUT [FIRST COUNT [dump|last]]");
    corpus_load(argv[1]);
    out = call(SYS_open, (u64)argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666, 0, 0, 0);
    if (out < 0)
        die("cannot open the output");
    struct span span = {0, corpus->cases, argc >= 5, argc >= 6,
                        argc >= 6 && same(argv[5], "last")};
    if (argc >= 5) {
        span.first = number_of(argv[3]);
        span.end = span.first + number_of(argv[4]);
    }
    if (!place_take(corpus->place[PLACE_LOW]) || !place_take(corpus->place[PLACE_HIGH]))
        die("the places are taken");
    pool_fill(corpus->seed);
    catch_signals();
    for (u32 i = 0; i < corpus->batches; i++)
        batch_run(&batches[i], &span);
    leave(0);
}
