/* A slow look at a whole run: every instruction of every thread, and the memory after each.
 *
 *   walk RECORDING START [ADDRESS+SIZE...] >STEPS
 *
 * From where START is first executed (0: from its first instruction) the recording is walked twice
 * by single instructions.  The first walk gathers which memory instructions touch; the second reads
 * it at each step: the pages that the instruction before it names, and all of them, with the ranges
 * named, after system calls, signals and changes of the thread, and at every 64th step.  A line is
 *
 *   S TICK PC THREAD RSP CALLS    a step; CALLS is 1 if its instruction is a system call
 *   T ADDRESS SIZE                its instruction writes there, by its operands
 *   D ADDRESS HEX                 its memory differs there from the step before: the bytes now
 *   M ADDRESS SIZE 0|1            memory can no longer be read there, or can be read
 *
 * Numbers are hexadecimal but for CALLS and THREAD.  Lines about a step follow it; before the first
 * all memory is zero and not there.
 */
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "engine/x86_64/touches.h"
#include "tests/plan/plan_request.h"

enum { PAGE = 4096, LINE = 64, PAGES_MOST = 4096, STEPS_MOST = 400000 };

/* What is read of a page: from the first line that is touched to the last. */
static struct page {
    u64 start, end;
    u8 now[PAGE];
    bool there, known;
} *pages[PAGES_MOST];
static size_t page_count;

static struct page *page_of(u64 address)
{
    for (size_t n = 0; n < page_count; n++)
        if (pages[n]->start / PAGE == address / PAGE)
            return pages[n];
    if (page_count == PAGES_MOST)
        check(error_coded(ERROR_MISUSED, "the program touches more memory than a slow look can read"));
    struct page *p = xalloc(sizeof *p);
    *p = (struct page){.start = address, .end = address};
    pages[page_count++] = p;
    return p;
}

static void read_from_now_on(u64 address, u64 size)
{
    u64 end = address + size;
    while (address < end) {
        struct page *p = page_of(address);
        u64 last = (address / PAGE + 1) * PAGE < end ? (address / PAGE + 1) * PAGE : end;
        if (address / LINE * LINE < p->start || p->start == p->end)
            p->start = address / LINE * LINE;
        if ((last + LINE - 1) / LINE * LINE > p->end)
            p->end = (last + LINE - 1) / LINE * LINE;
        address = last;
    }
}

struct instruction {
    struct control_registers registers;
    u32 thread;
    struct touches touches;
    bool calls;
};

static void look_at_instruction(struct replayer *r, struct instruction *ret)
{
    void *bytes;
    size_t size;
    u8 code[16];
    struct insn i;
    *ret = (struct instruction){.thread = r->stopped.thread};
    check(replayer_ask(r, CONTROL_REGISTERS, CONTROL_THREAD_ANY, &bytes, &size));
    memcpy(&ret->registers, bytes, sizeof ret->registers);
    free(bytes);
    check(replayer_read(r, replayer_at(r).pc, code, sizeof code, &size));
    if (!decode(code, sizeof code, &i) || touches_need_vectors(&i))
        return;
    struct touch_state state = {.reg = ret->registers.reg, .rip = replayer_at(r).pc,
                                .flags = ret->registers.flags,
                                .fs_base = ret->registers.fs_base,
                                .gs_base = ret->registers.gs_base,
                                .save_size = ret->registers.vector_size};
    touches_of(&i, code, &state, &ret->touches);
    ret->calls = i.kind == INSN_SYSCALL;
}

static void gather(struct replayer *r)
{
    struct instruction i;
    for (u64 n = 0; step(r, n); n++) {
        if (n == STEPS_MOST)
            check(error_coded(ERROR_MISUSED, "the run has more than %d steps", STEPS_MOST));
        look_at_instruction(r, &i);
        for (u32 k = 0; k < i.touches.count; k++)
            if (i.touches.touch[k].size <= 16 * PAGE)
                read_from_now_on(i.touches.touch[k].start, i.touches.touch[k].size);
    }
}

static void say_difference(const struct page *p, const u8 *now)
{
    size_t size = p->end - p->start;
    for (size_t n = 0, end; n < size; n = end) {
        end = n + 1;
        if (now[n] == p->now[n])
            continue;
        while (end < size && now[end] != p->now[end])
            end++;
        printf("D %lx ", (unsigned long)(p->start + n));
        for (size_t k = n; k < end; k++)
            printf("%02x", now[k]);
        printf("\n");
    }
}

static void look_at_page(struct replayer *r, struct page *p)
{
    u8 now[PAGE] = {0};
    size_t got = 0, size = p->end - p->start;
    check(replayer_read(r, p->start, now, size, &got));
    if ((got == size) != p->there || !p->known)
        printf("M %lx %lx %d\n", (unsigned long)p->start, (unsigned long)size, got == size);
    p->there = got == size;
    p->known = true;
    if (memcmp(now, p->now, size) == 0)
        return;
    say_difference(p, now);
    memcpy(p->now, now, size);
}

/* May memory have changed that the instruction before does not name? */
static bool is_open(const struct instruction *before, const struct instruction *now)
{
    u64 moved = now->registers.reg[RSP] - before->registers.reg[RSP] + 256;
    return before->calls || before->thread != now->thread || moved > 512;
}

static bool names(const struct instruction *i, const struct page *p)
{
    for (u32 n = 0; n < i->touches.count; n++)
        if (i->touches.touch[n].how & TOUCH_WRITE && i->touches.touch[n].start < p->end &&
            p->start < i->touches.touch[n].start + i->touches.touch[n].size)
            return true;
    return false;
}

static void look(struct replayer *r)
{
    struct instruction i, before = {0};
    for (u64 n = 0; step(r, n); n++, before = i) {
        look_at_instruction(r, &i);
        printf("S %lx %lx %u %lx %d\n", (unsigned long)replayer_at(r).tick,
               (unsigned long)replayer_at(r).pc, r->stopped.thread,
               (unsigned long)i.registers.reg[RSP], i.calls);
        for (u32 k = 0; k < i.touches.count; k++)
            if (i.touches.touch[k].how & TOUCH_WRITE)
                printf("T %lx %lx\n", (unsigned long)i.touches.touch[k].start,
                       (unsigned long)i.touches.touch[k].size);
        bool all = n % 64 == 0 || is_open(&before, &i);
        for (size_t k = 0; k < page_count; k++)
            if (all || names(&before, pages[k]))
                look_at_page(r, pages[k]);
    }
}

int main(int argc, char **argv)
{
    struct recording *rec;
    static struct replayer_family family;
    struct replayer *first, *second;
    if (argc < 3)
        return 2;
    check(recording_open(argv[1], &rec));
    check(replayer_family_init(&family, rec, 0, 0));
    check(replayer_start(&family, &first));
    if (strtoull(argv[2], NULL, 0)) {
        begin(PLAN_STOP, 1, 0);
        add_site(SITE_CODE, strtoull(argv[2], NULL, 0), 0, 0);
        run(first);
    }
    second = copy_of(first);
    for (int n = 3; n < argc; n++) {
        char *plus;
        u64 address = strtoull(argv[n], &plus, 0);
        if (*plus == '+')
            read_from_now_on(address, strtoull(plus + 1, NULL, 0));
    }
    gather(first);
    look(second);
    replayer_destroy(first);
    replayer_destroy(second);
    replayer_family_deinit(&family);
    return 0;
}
