/* The walk: see walk.h.
 *
 * A trace of all steps gives moments and threads. Between two system calls or signals the engine's
 * kept states give the stack pointers. Zydis classifies the instruction at each address once.
 */
#include "walk.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/replayer_internal.h"

enum { TRACED_AT_ONCE = 200000, INSTRUCTION_MOST = 15, STRETCH_MOST = 20000 };

void must(struct error *err)
{
    if (!err)
        return;
    printf("%s\n", error_text(err));
    exit(1);
}

/* --- instructions ----------------------------------------------------------------------------- */

static u8 kind_of(const ZydisDecodedInstruction *insn)
{
    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        return INSN_CALL;
    case ZYDIS_CATEGORY_RET:
        return INSN_RETURN;
    case ZYDIS_CATEGORY_COND_BR:
        return INSN_BRANCH;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return insn->raw.imm[0].is_relative ? INSN_BRANCH : INSN_JUMP;
    case ZYDIS_CATEGORY_SYSCALL:
        return INSN_SYSCALL;
    default:
        return INSN_OTHER;
    }
}

struct code walk_decode(u64 pc, const u8 *bytes, size_t size)
{
    static ZydisDecoder decoder;
    static bool made;
    ZydisDecodedInstruction insn;
    if (!made)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    made = true;
    struct code c = {.pc = pc, .length = 1};
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, &insn)))
        return c;
    c.kind = kind_of(&insn);
    c.length = insn.length;
    if (c.kind == INSN_BRANCH)
        c.target = pc + insn.length + (u64)insn.raw.imm[0].value.s;
    return c;
}

/* Numbers of codes by pc: a table with free places, doubled when it is half full. */
static struct {
    u32 *number; /* of the code, plus 1 */
    size_t room;
} index_of_code;

static size_t place_in_index(const struct walk *w, u64 pc)
{
    const struct code *codes = w->codes.items;
    size_t at = (pc * 0x9e3779b97f4a7c15ull >> 20) % index_of_code.room;
    while (index_of_code.number[at] && codes[index_of_code.number[at] - 1].pc != pc)
        at = (at + 1) % index_of_code.room;
    return at;
}

static void widen_index(struct walk *w)
{
    const struct code *codes = w->codes.items;
    if (2 * w->codes.count < index_of_code.room)
        return;
    free(index_of_code.number);
    index_of_code.room = index_of_code.room ? 2 * index_of_code.room : 1 << 14;
    index_of_code.number = xalloc(index_of_code.room * sizeof(u32));
    memset(index_of_code.number, 0, index_of_code.room * sizeof(u32));
    for (size_t n = 0; n < w->codes.count; n++)
        index_of_code.number[place_in_index(w, codes[n].pc)] = (u32)n + 1;
}

static u32 code_at(struct walk *w, struct replayer *r, u64 pc)
{
    u8 bytes[INSTRUCTION_MOST] = {0};
    size_t got = 0;
    widen_index(w);
    size_t at = place_in_index(w, pc);
    if (!index_of_code.number[at]) {
        must(replayer_read(r, pc, bytes, sizeof bytes, &got));
        *(struct code *)list_add(&w->codes) = walk_decode(pc, bytes, got);
        index_of_code.number[at] = (u32)w->codes.count;
    }
    return index_of_code.number[at] - 1;
}

/* --- moments ---------------------------------------------------------------------------------- */

/* Where the walk must look at a process: before each system call and each signal. */
struct halt {
    struct moment at;
    u32 thread, signal; /* 0: none */
    size_t instant;     /* how many lie before it */
};

enum { TRACE_STEPS, TRACE_CALLS, TRACE_SIGNALS, TRACE_SITES };

static void take_hit(struct walk *w, struct list *halts, const struct plan_hit *h)
{
    struct moment at = {h->tick, h->pc};
    if (h->site == TRACE_STEPS) {
        *(struct instant *)list_add(&w->instants) = (struct instant){.at = at, .thread = h->thread};
        return;
    }
    *(struct halt *)list_add(halts) =
        (struct halt){at, h->thread, h->site == TRACE_SIGNALS ? (u32)h->address : 0, 0};
}

static int compare_halts(const void *a, const void *b)
{
    return moment_compare(((const struct halt *)a)->at, ((const struct halt *)b)->at);
}

static void trace(struct walk *w, struct replayer *r, struct list *halts)
{
    struct {
        struct plan plan;
        struct plan_site site[TRACE_SITES];
    } p = {.plan = {.version = CONTROL_VERSION, .mode = PLAN_TRACE, .flags = PLAN_FIRST,
                    .nth = TRACED_AT_ONCE, .sites = TRACE_SITES, .limit_tick = ~0ull}};
    static const u32 kinds[] = {SITE_STEP, SITE_CALL, SITE_SIGNAL};
    for (u32 n = 0; n < TRACE_SITES; n++)
        p.site[n] = (struct plan_site){.kind = kinds[n], .address = n ? ~0ull : 0, .thread = CONTROL_THREAD_ANY};
    do {
        must(replayer_run(r, &p.plan, sizeof p));
        for (size_t n = 0; n < r->trace_count; n++)
            take_hit(w, halts, &r->trace[n]);
        p.plan.flags |= PLAN_PAST_HERE;
    } while (r->stopped.reason == STOPPED_HIT);
    qsort(halts->items, halts->count, halts->item, compare_halts);
    for (size_t n = 0; n < halts->count; n++)
        ((struct halt *)halts->items)[n].instant = walk_find(w, ((struct halt *)halts->items)[n].at);
}

/* --- states ----------------------------------------------------------------------------------- */

static void set_instant(struct walk *w, struct replayer *r, size_t n, u64 rsp)
{
    struct instant *i = (struct instant *)w->instants.items + n;
    i->rsp = rsp;
    i->code = code_at(w, r, i->at.pc);
}

/* Runs to the moment; the stack pointers of all instants on the way. */
static void take_stretch(struct walk *w, struct replayer *r, struct moment to)
{
    struct stat st;
    int fd;
    must(replayer_states(r, to, 2 * STRETCH_MOST, &fd));
    if (fstat(fd, &st))
        exit(1);
    u8 *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    const struct states *head = (const struct states *)file;
    const struct state *s = (const struct state *)(file + head->first_state);
    for (u64 k = 0; k < head->count; k++) {
        struct moment at = {s[k].tick, s[k].pc};
        size_t n = walk_find(w, at);
        if (n < w->instants.count && !moment_compare(walk_instant(w, n)->at, at))
            set_instant(w, r, n, s[k].registers.reg[RSP]);
    }
    munmap(file, (size_t)st.st_size);
}

/* States take much memory while they are made: not too many at once. */
static void take_states(struct walk *w, struct replayer *r, struct moment to)
{
    size_t end = walk_find(w, to);
    for (size_t n = walk_find(w, replayer_at(r)) + STRETCH_MOST; n < end; n += STRETCH_MOST)
        take_stretch(w, r, walk_instant(w, n)->at);
    take_stretch(w, r, to);
}

static void note_areas(struct walk *w, struct replayer *r, size_t from)
{
    void *bytes;
    size_t size;
    struct mapped *last = w->maps.count ? (struct mapped *)w->maps.items + w->maps.count - 1 : NULL;
    must(replayer_ask(r, CONTROL_AREAS, CONTROL_THREAD_ANY, &bytes, &size));
    size_t count = size / sizeof(struct control_area);
    if (last && last->count == count && !memcmp(last->areas, bytes, size))
        free(bytes);
    else
        *(struct mapped *)list_add(&w->maps) = (struct mapped){from, bytes, count};
}

/* The state of a process that has stopped. A call may change what is mapped; after such a call the
 * state is not available. */
static void take_halt(struct walk *w, struct replayer *r, const struct halt *h)
{
    void *bytes;
    size_t size;
    struct control_registers registers;
    note_areas(w, r, h->instant);
    must(replayer_ask(r, CONTROL_REGISTERS, h->thread, &bytes, &size));
    memcpy(&registers, bytes, sizeof registers);
    free(bytes);
    u64 rsp = registers.reg[RSP];
    bool is_instant = h->instant < w->instants.count && !moment_compare(walk_instant(w, h->instant)->at, h->at);
    if (is_instant)
        set_instant(w, r, h->instant, rsp);
    if (h->signal)
        *(struct delivery *)list_add(&w->deliveries) =
            (struct delivery){h->at, h->thread, h->signal, rsp, h->instant + is_instant};
}

static void check_complete(const struct walk *w)
{
    for (size_t n = 0; n < w->instants.count; n++)
        if (!walk_instant(w, n)->rsp)
            must(error_new("the state at %llu:%#llx, instruction %zu, is missing",
                           (unsigned long long)walk_instant(w, n)->at.tick,
                           (unsigned long long)walk_instant(w, n)->at.pc, n));
}

/* The end of the track is no instant, but a limit that lies after the last is enough. */
static void look(struct walk *w, struct replayer *r, const struct list *halts)
{
    const struct halt *all = halts->items;
    note_areas(w, r, 0);
    for (size_t n = 0; n < halts->count; n++) {
        if (n && !moment_compare(all[n].at, all[n - 1].at) && all[n].signal == all[n - 1].signal)
            continue;
        take_states(w, r, all[n].at);
        take_halt(w, r, &all[n]);
    }
    if (w->instants.count)
        take_states(w, r, walk_instant(w, w->instants.count - 1)->at);
}

void walk_all(const struct recording *rec, u32 track, struct walk *ret)
{
    static struct replayer_family family;
    struct replayer *first, *second;
    struct list halts = LIST(struct halt);
    *ret = (struct walk){LIST(struct instant), LIST(struct code), LIST(struct delivery), LIST(struct mapped)};
    must(replayer_family_init(&family, rec, track, 0));
    must(replayer_start(&family, &first));
    must(replayer_fork(first, &second));
    trace(ret, first, &halts);
    look(ret, second, &halts);
    check_complete(ret);
    replayer_destroy(first);
    replayer_destroy(second);
    replayer_family_deinit(&family);
    list_deinit(&halts);
    free(index_of_code.number);
    index_of_code.number = NULL;
    index_of_code.room = 0;
}

void walk_deinit(struct walk *w)
{
    for (size_t n = 0; n < w->maps.count; n++)
        free(((struct mapped *)w->maps.items)[n].areas);
    list_deinit(&w->instants);
    list_deinit(&w->codes);
    list_deinit(&w->deliveries);
    list_deinit(&w->maps);
}

/* --- asking it -------------------------------------------------------------------------------- */

size_t walk_find(const struct walk *w, struct moment at)
{
    size_t low = 0, high = w->instants.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (moment_compare(walk_instant(w, middle)->at, at) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct control_area *walk_area(const struct walk *w, size_t instant, u64 address)
{
    const struct mapped *maps = w->maps.items;
    size_t n = w->maps.count;
    while (n > 1 && maps[n - 1].from > instant)
        n--;
    for (size_t k = 0; n && k < maps[n - 1].count; k++)
        if (address - maps[n - 1].areas[k].start < maps[n - 1].areas[k].end - maps[n - 1].areas[k].start)
            return &maps[n - 1].areas[k];
    return NULL;
}
