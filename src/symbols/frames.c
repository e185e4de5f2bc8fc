/* Frames: the list of a thread's function calls, innermost first.
 *
 * The list is made only as far as it is requested, since a stack can have any number of frames.
 * Each step outward (unwind.c) gives a frame of the stack. Before it in the list are the functions
 * inlined there; after it are those that called it by a tail call and left nothing on the stack
 * (tail_calls.c).
 *
 * Facts about an address are looked up once, since recursion meets the same addresses again and
 * again.
 */
#include <dwarf.h>

#include "base/xalloc.h"
#include "symbols/fortran_internal.h"
#include "symbols/symbols_internal.h"

enum { PLACE_BUCKETS = 1024 };

/* A pc of a frame. */
struct unwind_place {
    u64 at;
    struct frame_rules rules;
    size_t first, count;     /* frames in the list that were named for this pc; count 0: none yet */
    u64 tail_caller;         /* the caller for which the tail calls are known: */
    struct list tails;       /* u64 */
    struct unwind_place *next;
};

struct unwinding {
    struct symbols *s;
    struct list frames;      /* struct frame */
    struct frame here;       /* the next frame of the stack, not in the list yet */
    struct frame inner;      /* the frame that it called; pc 0: none */
    bool ended;
    const char *why;
    /* Number of inlined functions of the innermost frame that count as not yet entered. */
    u32 not_entered;
    struct stack_window window;
    struct unwind_place *places[PLACE_BUCKETS];
};

static struct unwind_place *unwinding_place(struct unwinding *u, u64 at)
{
    struct unwind_place **bucket = &u->places[(at ^ at >> 10) % PLACE_BUCKETS];
    for (struct unwind_place *p = *bucket; p; p = p->next)
        if (p->at == at)
            return p;
    struct unwind_place *p = xalloc(sizeof *p);
    *p = (struct unwind_place){.at = at, .tails = LIST(u64), .next = *bucket};
    frame_rules_find(u->s, at, &p->rules);
    *bucket = p;
    return p;
}

/* --- what a frame is of ----------------------------------------------------------------------- */

static void name_frame(struct symbols *s, struct frame *f)
{
    u64 at = f->pc - f->called;
    struct module *m = module_at(s, at);
    struct function_symbol *symbol = m ? module_function(m, at) : NULL;
    f->module = m ? m->shown.path : NULL;
    f->function = symbol ? function_name(symbol) : NULL;
    if (!symbols_line(s, at, &f->place))
        f->place = (struct line_place){0};
}

/* Returns the name of a function as in the source. */
static const char *written_name(struct symbols *s, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    char *fortran = fortran_qualified(die);
    if (fortran) {
        const char *name = symbols_intern(s, fortran);
        free(fortran);
        return name;
    }
    const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name,
                                                                &attribute));
    if (linkage) {
        struct function_symbol symbol = {.raw = linkage};
        const char *name = symbols_intern(s, function_name(&symbol));
        free(symbol.name);
        return name;
    }
    const char *name = dwarf_diename(die);
    return name ? symbols_intern(s, name) : NULL;
}

static unsigned unwind_number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) ? 0 : (unsigned)value;
}

/* Returns the line where the inlined function was called. */
static struct line_place call_place(struct symbols *s, struct module *m, Dwarf_Die *die, u64 pc)
{
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    struct line_place place = {.line = unwind_number_of(die, DW_AT_call_line), .start = pc,
                               .end = pc + 1};
    unsigned file = unwind_number_of(die, DW_AT_call_file);
    if (!module_unit(m, pc, &unit) || dwarf_getsrcfiles(&unit, &files, &count) || file >= count ||
        !place.line) /* code without a source line */
        return place;
    const char *name = dwarf_filesrc(files, file, NULL, NULL);
    place.file = name ? unit_file(s, &unit, name) : NULL;
    return place;
}

/* Chooses among several names at one address the one in the source. The full names of static C++
 * functions are only in the symbol table. */
static void choose_name(struct symbols *s, Dwarf_Die *function, struct frame *f)
{
    Dwarf_Attribute attribute;
    struct module *m = module_at(s, f->pc - f->called);
    struct function_symbol *symbol = m ? module_function(m, f->pc - f->called) : NULL;
    bool mangled = symbol && strncmp(symbol->raw, "_Z", 2) == 0;
    const char *name = !mangled || dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute)
                           ? written_name(s, function) : NULL;
    f->function = name ? name : f->function;
}

const char *symbols_inlined(struct symbols *s, u64 pc)
{
    Dwarf_Die *chain = NULL;
    struct module *m = module_at(s, pc);
    const char *name = NULL;
    for (size_t n = m ? module_chain(m, pc, &chain) : 0; n-- > 0 && !name;) {
        if (dwarf_tag(&chain[n]) == DW_TAG_subprogram)
            break;
        if (dwarf_tag(&chain[n]) == DW_TAG_inlined_subroutine)
            name = written_name(s, &chain[n]);
    }
    free(chain);
    return name;
}

const char *symbols_innermost(struct symbols *s, u64 pc)
{
    struct frame f = {.pc = pc};
    Dwarf_Die *chain = NULL;
    struct module *m = module_at(s, pc);
    const char *inlined = symbols_inlined(s, pc);
    if (inlined)
        return inlined;
    name_frame(s, &f);
    for (size_t n = m ? module_chain(m, pc, &chain) : 0; n-- > 0;)
        if (dwarf_tag(&chain[n]) == DW_TAG_subprogram) {
            choose_name(s, &chain[n], &f);
            break;
        }
    free(chain);
    return f.function;
}

bool symbols_place_line(struct symbols *s, const struct code_place *place, struct line_place *ret)
{
    struct module *m = module_at(s, place->pc);
    Dwarf_Die *chain = NULL;
    u32 left = place->inside;
    bool known = symbols_line(s, place->pc, ret);
    for (size_t n = left && m ? module_chain(m, place->pc, &chain) : 0; n-- > 0 && left;) {
        if (dwarf_tag(&chain[n]) != DW_TAG_inlined_subroutine)
            continue;
        struct line_place call = call_place(s, m, &chain[n], place->pc);
        left--;
        if (call.file)
            *ret = call;
        known |= call.file != NULL;
    }
    free(chain);
    return known;
}

/* Adds a frame for each inlined function before the frame that contains it. */
static void add_frames(struct unwinding *u, struct frame *real)
{
    Dwarf_Die *chain = NULL;
    u64 at = real->pc - real->called;
    struct module *m = module_at(u->s, at);
    size_t count = m ? module_chain(m, at, &chain) : 0;
    name_frame(u->s, real);
    struct frame inner = *real;
    for (size_t n = count; n-- > 0;) {
        if (dwarf_tag(&chain[n]) == DW_TAG_subprogram) {
            choose_name(u->s, &chain[n], real);
            break;
        }
        if (dwarf_tag(&chain[n]) != DW_TAG_inlined_subroutine)
            continue;
        inner.inlined = true;
        inner.function = written_name(u->s, &chain[n]);
        *(struct frame *)list_add(&u->frames) = inner;
        inner.place = call_place(u->s, m, &chain[n], at);
    }
    free(chain);
    inner.inlined = false;
    inner.function = real->function;
    *(struct frame *)list_add(&u->frames) = inner;
}

/* Adds the same frames as before for this pc, with other registers. */
static void repeat_frames(struct unwinding *u, const struct frame *real,
                          const struct unwind_place *p)
{
    for (size_t n = 0; n < p->count; n++) {
        struct frame *to = list_add(&u->frames);
        const struct frame *like = (const struct frame *)u->frames.items + p->first + n;
        *to = *real;
        to->inlined = like->inlined;
        to->function = like->function;
        to->module = like->module;
        to->place = like->place;
    }
}

static void add_group(struct unwinding *u, struct frame *real, struct unwind_place *p)
{
    size_t first = u->frames.count;
    if (p->count) {
        repeat_frames(u, real, p);
        return;
    }
    add_frames(u, real);
    p->first = first;
    p->count = u->frames.count - first;
}

/* --- the list --------------------------------------------------------------------------------- */

/* Adds the functions between the frame and the one that it returns to, each of which tail-called
 * the next. They had the caller's preserved registers, and the frame's place on the stack. */
static void add_tails(struct unwinding *u, const struct frame *inner, const struct frame *outer)
{
    struct unwind_place *p = unwinding_place(u, inner->pc - inner->called);
    if (p->tail_caller != outer->pc) {
        p->tail_caller = outer->pc;
        p->tails.count = 0;
        tail_calls_between(u->s, outer, inner->pc - inner->called, &p->tails);
    }
    for (size_t n = 0; n < p->tails.count; n++) {
        u64 pc = ((const u64 *)p->tails.items)[n];
        struct frame f = *outer;
        f.cfa = inner->cfa;
        frame_go_on(&f, inner->cfa - 8, pc);
        f.tail = true;
        add_group(u, &f, unwinding_place(u, pc - 1));
    }
}

/* Drops inlined functions that count as not yet entered. The pc then belongs to the function that
 * would call them. */
static void drop_not_entered(struct unwinding *u, struct unwind_place *p)
{
    struct frame *frames = u->frames.items;
    size_t dropped = 0;
    while (dropped < u->not_entered && frames[dropped].inlined)
        dropped++;
    u->frames.count -= dropped;
    memmove(frames, frames + dropped, u->frames.count * sizeof *frames);
    u->not_entered = 0;
    p->count = 0; /* named again if recursion meets it */
}

static void unwinding_step(struct unwinding *u)
{
    struct frame outer;
    struct unwind_place *p = unwinding_place(u, u->here.pc - u->here.called);
    bool more = frame_step_outward(u->s, &u->here, &p->rules, &u->window, &outer, &u->why);
    if (u->inner.pc && u->here.called)
        add_tails(u, &u->inner, &u->here);
    add_group(u, &u->here, p);
    if (u->not_entered)
        drop_not_entered(u, p);
    if (more && (outer.pc == 0 ||
                 (!u->here.signal && outer.reg[DWARF_RSP] < u->here.reg[DWARF_RSP])))
        more = false; /* the end of the stack; a signal stack may lie above or below */
    outer.called = outer.called && !u->here.signal;
    u->inner = u->here;
    u->here = outer;
    u->ended = !more;
}

static struct unwinding *unwind_from(struct symbols *s, const struct frame *here)
{
    struct unwinding *u = xalloc(sizeof *u);
    memset(u, 0, sizeof *u);
    u->s = s;
    u->frames = LIST(struct frame);
    u->here = *here;
    return u;
}

struct unwinding *unwinding_create(struct symbols *s, const u64 reg[FRAME_REGISTERS])
{
    struct frame here = {.pc = reg[DWARF_RIP], .known = (1u << FRAME_REGISTERS) - 1};
    memcpy(here.reg, reg, sizeof here.reg);
    return unwind_from(s, &here);
}

struct unwinding *unwinding_create_parked(struct symbols *s, u64 pc, u64 sp, u64 bp)
{
    struct frame here = {.pc = pc};
    frame_set_register(&here, DWARF_RIP, pc);
    frame_set_register(&here, DWARF_RSP, sp);
    frame_set_register(&here, DWARF_RBP, bp);
    return unwind_from(s, &here);
}

void unwinding_stand_before(struct unwinding *u, u32 inlined)
{
    u->not_entered = inlined;
}

struct frame *unwinding_frames(struct unwinding *u, size_t least, size_t *ret_count)
{
    u->window.size = 0; /* memory may have changed since then */
    while (!u->ended && u->frames.count < least)
        unwinding_step(u);
    *ret_count = u->frames.count;
    return u->frames.items;
}

bool unwinding_ended(const struct unwinding *u, const char **ret_why)
{
    *ret_why = u->ended ? u->why : NULL;
    return u->ended;
}

void unwinding_destroy(struct unwinding *u)
{
    if (!u)
        return;
    for (size_t n = 0; n < PLACE_BUCKETS; n++)
        for (struct unwind_place *p = u->places[n], *next; p; p = next) {
            next = p->next;
            frame_rules_deinit(&p->rules);
            list_deinit(&p->tails);
            free(p);
        }
    list_deinit(&u->frames);
    free(u);
}

struct error *symbols_unwind(struct symbols *s, const u64 reg[FRAME_REGISTERS], size_t most,
                             struct frame **ret, size_t *ret_count, const char **ret_why)
{
    const char *why;
    struct unwinding *u = unwinding_create(s, reg);
    unwinding_frames(u, most, ret_count);
    if (*ret_count > most)
        *ret_count = most;
    unwinding_ended(u, &why);
    if (ret_why)
        *ret_why = why;
    *ret = u->frames.items;
    u->frames = LIST(struct frame);
    unwinding_destroy(u);
    return NULL;
}
