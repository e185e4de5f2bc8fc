/* Every form of instruction that writes memory, against looking at the memory before and after it.
 *
 *   forms_check RECORDING CORPUS      the recording of `insn-run CORPUS`; `insn-make ... stores`
 *                                     makes the corpus
 *
 * For each case the data is read, the instruction is executed alone, and the data is read again. A
 * pass over the translated code must find the changes: a watch on the first, the middle and the
 * last byte that has changed is hit, and one on a byte next to them is not. If Zydis says that the
 * instruction writes all of an operand, the same is checked for the bytes of the operand, even if
 * their values have not changed. Every other case is watched for loads as well, so that both kinds
 * of checks are translated.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "tests/insn/corpus.h"
#include "tests/plan/plan_request.h"

enum { SITES = 12, FAILURES_MOST = 20 };

static struct replayer *walker;
static ZydisDecoder decoder;
static u8 before[DATA_SIZE], after[DATA_SIZE];
static size_t checked, faulted, silent, failed;

/* --- a case ---------------------------------------------------------------------------------- */

struct trial {
    u64 data; /* address */
    struct moment at, behind, later;
    struct control_registers registers;
    u8 code[16];
    ZydisDecodedInstruction is;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    struct wanted {
        u64 address;
        u32 flags;
        bool hit;
    } wanted[SITES];
    u32 count;
};

static void read_data(struct replayer *r, u64 address, u8 *to)
{
    size_t got;
    memset(to, 0, DATA_SIZE);
    check(replayer_read(r, address, to, DATA_SIZE, &got));
}

static bool arrive(u64 entry)
{
    begin(PLAN_STOP, 1, PLAN_PAST_HERE);
    add_site(SITE_CODE, entry, 0, 0);
    run(walker);
    return walker->stopped.reason == STOPPED_HIT;
}

static void look(struct trial *t)
{
    void *bytes;
    size_t size;
    t->at = replayer_at(walker);
    check(replayer_ask(walker, CONTROL_REGISTERS, CONTROL_THREAD_ANY, &bytes, &size));
    memcpy(&t->registers, bytes, sizeof(t->registers));
    free(bytes);
    check(replayer_read(walker, t->at.pc, t->code, sizeof(t->code), &size));
    read_data(walker, t->data, before);
}

/* Executed alone; false: it has raised a signal.  A pass is to go on for a while after it, in code
 * that is translated. */
static bool execute(struct trial *t)
{
    enum { MORE = 12 };
    struct replayer *r = copy_of(walker);
    u64 end = t->at.pc + t->is.length;
    bool plain = t->is.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE;
    bool done = step(r, true);
    t->behind = replayer_at(r);
    done = done && (!plain || t->behind.pc == end);
    read_data(r, t->data, after);
    for (int n = 0; n < MORE && done; n++)
        done = step(r, true);
    t->later = replayer_at(r);
    replayer_destroy(r);
    return done;
}

/* --- what is to be found ------------------------------------------------------------------------
 */

static void want(struct trial *t, u64 address, u32 flags, bool hit)
{
    if (t->count < SITES)
        t->wanted[t->count++] = (struct wanted){address, flags, hit};
}

static bool has_changed(u64 offset)
{
    return offset < DATA_SIZE && before[offset] != after[offset];
}

/* First, middle and last of the bytes that have changed; and those beside. */
static void want_changed(struct trial *t)
{
    u64 first = 0, last = DATA_SIZE, count = 0, middle = 0;
    while (first < DATA_SIZE && !has_changed(first))
        first++;
    if (first == DATA_SIZE)
        return;
    while (!has_changed(last - 1))
        last--;
    last--;
    for (u64 n = first; n <= last; n++)
        count += has_changed(n);
    for (u64 n = first, seen = 0; n <= last && seen <= count / 2; n++)
        if (has_changed(n) && seen++ <= count / 2)
            middle = n;
    want(t, t->data + first, 0, true);
    want(t, t->data + middle, 0, true);
    want(t, t->data + last, 0, true);
    want(t, t->data + first - 1, 0, false);
    want(t, t->data + last + 1, 0, false);
}

static u64 register_of(const struct control_registers *r, ZydisRegister name)
{
    static const ZydisRegister order[] = {
        ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RBX,
        ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI,
        ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,  ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
        ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    for (u32 n = 0; n < sizeof order / sizeof order[0]; n++)
        if (order[n] == whole)
            return name == whole ? r->reg[n] : (u32)r->reg[n];
    return 0;
}

static u64 address_of(const struct trial *t, const ZydisDecodedOperand *op)
{
    const struct control_registers *r = &t->registers;
    const ZydisDecodedOperandMem *m = &op->mem;
    bool relative = m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_EIP;
    u64 base = relative ? t->at.pc + t->is.length : register_of(r, m->base);
    u64 address = base + register_of(r, m->index) * m->scale +
                  (m->disp.has_displacement ? (u64)m->disp.value : 0);
    if (t->is.address_width == 32)
        address = (u32)address;
    return address + (m->segment == ZYDIS_REGISTER_FS   ? r->fs_base
                      : m->segment == ZYDIS_REGISTER_GS ? r->gs_base
                                                        : 0);
}

/* An operand all of whose bytes are written, at an address that its registers tell. */
static bool is_written_whole(const struct trial *t, const ZydisDecodedOperand *op)
{
    const ZydisDecodedInstruction *is = &t->is;
    bool masked =
        is->avx.mask.reg > ZYDIS_REGISTER_K0 || is->mnemonic == ZYDIS_MNEMONIC_VMASKMOVPS ||
        is->mnemonic == ZYDIS_MNEMONIC_VMASKMOVPD || is->mnemonic == ZYDIS_MNEMONIC_VPMASKMOVD ||
        is->mnemonic == ZYDIS_MNEMONIC_VPMASKMOVQ;
    bool repeated =
        is->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    bool nothing = is->meta.isa_ext == ZYDIS_ISA_EXT_MPX; /* without MPX they do nothing */
    return !nothing && op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           op->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
           op->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
           op->actions & ZYDIS_OPERAND_ACTION_WRITE && op->size >= 8 && op->size <= 512 &&
           !masked && !repeated && is->meta.category != ZYDIS_CATEGORY_XSAVE &&
           is->meta.category != ZYDIS_CATEGORY_BITBYTE && is->mnemonic != ZYDIS_MNEMONIC_POP;
}

static void want_operands(struct trial *t)
{
    for (u32 n = 0; n < t->is.operand_count; n++) {
        const ZydisDecodedOperand *op = &t->op[n];
        if (!is_written_whole(t, op))
            continue;
        u64 address = address_of(t, op), size = op->size / 8;
        bool inside = address - t->data < DATA_SIZE - size;
        if (!inside)
            return;
        want(t, address, PLAN_ANY_STORE, true);
        want(t, address + size / 2, PLAN_ANY_STORE, true);
        want(t, address + size - 1, PLAN_ANY_STORE, true);
        want(t, address - 1, PLAN_ANY_STORE, false);
        want(t, address + size, PLAN_ANY_STORE, false);
        return;
    }
}

/* --- comparing ------------------------------------------------------------------------------ */

static void show(const struct trial *t, const char *what, u32 site)
{
    char text[128] = "?";
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterFormatInstruction(&formatter, &t->is, t->op, t->is.operand_count_visible, text,
                                    sizeof text, t->at.pc, NULL);
    printf("%s: %s; a watch on data + %#lx, flags %u, %s\n", text, what,
           (unsigned long)(t->wanted[site].address - t->data), t->wanted[site].flags,
           t->wanted[site].hit ? "is to be hit" : "is not to be hit");
}

static void compare(const struct trial *t, u32 number)
{
    bool hit[SITES] = {false}, good = true;
    struct replayer *r = copy_of(walker);
    begin(PLAN_TRACE, 1000, 0);
    request.plan.limit_tick = t->later.tick;
    request.plan.limit_pc = t->later.pc;
    for (u32 n = 0; n < t->count; n++)
        add_site(SITE_STORE, t->wanted[n].address, 1, t->wanted[n].flags);
    if (number % 2) /* elsewhere: loads are checked, too */
        add_site(SITE_LOAD, t->data - 0x100000, 8, 0);
    run(r);
    for (size_t n = 0; n < r->trace_count; n++) {
        const struct plan_hit *h = &r->trace[n];
        bool own = h->tick == t->at.tick && h->pc == t->at.pc && h->after_tick == t->behind.tick &&
                   h->after_pc == t->behind.pc;
        if (h->site < t->count && own)
            hit[h->site] = true;
    }
    for (u32 n = 0; n < t->count; n++)
        if (hit[n] != t->wanted[n].hit) {
            if (failed < FAILURES_MOST)
                show(t, hit[n] ? "hit" : "not hit", n);
            good = false;
        }
    failed += !good;
    checked++;
    replayer_destroy(r);
}

static void try(u64 entry, u64 data, u32 number)
{
    struct trial t = {.data = data};
    if (!arrive(entry)) {
        printf("case %u is not executed\n", number);
        exit(1);
    }
    look(&t);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, t.code, sizeof t.code, &t.is, t.op)) ||
        !execute(&t)) {
        faulted++;
        return;
    }
    want_changed(&t);
    want_operands(&t);
    if (t.count)
        compare(&t, number);
    else
        silent++;
}

static void try_all(const u8 *corpus)
{
    const struct corpus_header *h = (const void *)corpus;
    const struct corpus_batch *batch = (const void *)(corpus + h->batch_at);
    const struct corpus_case *cases = (const void *)(corpus + h->case_at);
    for (u32 b = 0; b < h->batches; b++)
        for (u32 n = batch[b].first; n < batch[b].first + batch[b].cases; n++)
            try(h->place[batch[b].place] + cases[n].entry, h->place[batch[b].place] + PLACE_DATA,
                n);
}

int main(int argc, char **argv)
{
    struct recording *rec;
    static struct replayer_family family;
    struct stat st;
    int fd = argc == 3 ? open(argv[2], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &st))
        return 2;
    const u8 *corpus = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (corpus == MAP_FAILED)
        return 2;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    check(recording_open(argv[1], &rec));
    check(replayer_family_init(&family, rec, 0, 0));
    check(replayer_start(&family, &walker));
    try_all(corpus);
    printf("%zu forms were watched, %zu raised a signal, %zu changed nothing; %zu failed\n",
           checked, faulted, silent, failed);
    replayer_destroy(walker);
    replayer_family_deinit(&family);
    return failed || checked < 100;
}
