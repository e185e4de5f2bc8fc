/* Variables: finds which one a name means in a frame, and where it is.
 *
 * The blocks around the pc are searched from the inside. Inlined functions are blocks that use the
 * registers of the enclosing function. A location list says where a variable is at each pc. Values
 * at the entry of a function are found in its caller, if the compiler has described the call.
 */
#include <dwarf.h>
#include <gelf.h>

#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

enum { ENTRY_DEEP = 8, CHAIN_MOST = 4096 /* Rust has a block for each `let` */ };

/* --- memory of the evaluation ----------------------------------------------------------------- */

void *values_alloc(struct evaluation *v, size_t size)
{
    void *memory = memset(xalloc(size), 0, size);
    *(void **)list_add(&v->memory) = memory;
    return memory;
}

char *values_copy(struct evaluation *v, const char *text, size_t length)
{
    char *copy = values_alloc(v, length + 1);
    memcpy(copy, text, length);
    return copy;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static bool may_hold_code(unsigned tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Finds the child of `die` that contains the pc; children of name spaces count as children of the
 * unit. */
static bool child_with(Dwarf_Die *die, u64 pc, unsigned depth, Dwarf_Die *ret)
{
    Dwarf_Die child;
    if (depth > 8 || dwarf_child(die, &child) != 0)
        return false;
    do {
        unsigned tag = (unsigned)dwarf_tag(&child);
        if (may_hold_code(tag) && dwarf_haspc(&child, pc) == 1) {
            *ret = child;
            return true;
        }
        if (tag == DW_TAG_namespace && child_with(&child, pc, depth + 1, ret))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool may_hold_functions(unsigned tag)
{
    return may_hold_code(tag) || tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
           tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_module ||
           tag == DW_TAG_enumeration_type;
}

/* A method of a class inside of a function, such as a lambda, is a child of that class, wherever
 * its code is. */
static bool nested_function(Dwarf_Die *die, u64 pc, unsigned depth, Dwarf_Die *ret)
{
    Dwarf_Die child;
    if (depth > CHAIN_MOST || dwarf_child(die, &child) != 0)
        return false;
    do {
        unsigned tag = (unsigned)dwarf_tag(&child);
        if (tag == DW_TAG_subprogram && dwarf_haspc(&child, pc) == 1) {
            *ret = child;
            return true;
        }
        if (may_hold_functions(tag) && nested_function(&child, pc, depth + 1, ret))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

size_t module_chain(struct module *m, u64 pc, Dwarf_Die **ret)
{
    struct list chain = LIST(Dwarf_Die);
    Dwarf_Die at;
    *ret = NULL;
    if (!module_unit(m, pc, &at))
        return 0;
    while (chain.count < CHAIN_MOST) {
        *(Dwarf_Die *)list_add(&chain) = at;
        if (!child_with(&at, pc - m->dwarf_bias, 0, &at) &&
            !(chain.count == 1 && nested_function(&at, pc - m->dwarf_bias, 0, &at)))
            break;
    }
    *ret = chain.items;
    return chain.count;
}

static void view_frame(struct evaluation *v, size_t index, struct frame_view *ret)
{
    Dwarf_Die *chain;
    *ret = (struct frame_view){.v = v, .index = index};
    if (index >= v->request.frame_count)
        return;
    ret->frame = &v->request.frames[index];
    ret->pc = ret->frame->pc - (ret->frame->called ? 1 : 0);
    ret->module = module_at(v->symbols, ret->pc);
    if (!ret->module)
        return;
    size_t count = module_chain(ret->module, ret->pc, &chain);
    for (size_t n = 0; n < count; n++)
        if (dwarf_tag(&chain[n]) == DW_TAG_subprogram) {
            ret->function = chain[n];
            ret->has_function = true;
        }
    free(chain);
}

/* Returns the first frame at or after `index` that is not inlined into another. */
static size_t real_frame(const struct values_request *q, size_t index)
{
    while (index < q->frame_count && q->frames[index].inlined)
        index++;
    return index;
}

size_t values_inlined_before(const struct values_request *q)
{
    size_t n = q->selected;
    while (n > 0 && q->frames[n - 1].inlined)
        n--;
    return q->selected - n + (n ? 0 : q->not_entered);
}

static bool is_function(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

static void take_blocks(struct evaluation *v)
{
    Dwarf_Die *chain;
    const struct values_request *q = &v->request;
    size_t skip = q->names_pc ? q->names_inlined : values_inlined_before(q);
    size_t count = module_chain(v->view.module, q->names_pc ? q->names_pc : v->view.pc, &chain);
    v->has_unit = count;
    if (count)
        v->unit = chain[0];
    while (count > 1 && skip)
        skip -= dwarf_tag(&chain[--count]) == DW_TAG_inlined_subroutine;
    v->blocks = values_alloc(v, (count + 1) * sizeof *v->blocks);
    while (count > 1) {
        v->blocks[v->block_count++] = chain[--count];
        if (is_function(&chain[count]))
            break;
    }
    free(chain);
}

struct error *values_open(struct symbols *s, const struct values_request *request,
                          struct evaluation **ret)
{
    struct evaluation *v = xalloc(sizeof *v);
    *v = (struct evaluation){.symbols = s, .request = *request, .memory = LIST(void *),
                             .moving = LIST(struct found_variable)};
    if (request->selected < request->frame_count) {
        view_frame(v, real_frame(request, request->selected), &v->view);
        if (v->view.module)
            take_blocks(v);
    }
    v->view.v = v;
    size_t registers = real_frame(request, request->registers);
    v->registers = registers < request->frame_count ? &request->frames[registers] : NULL;
    v->language = v->has_unit ? language_of_unit(&v->unit) : LANGUAGE_C;
    v->cplusplus = v->language == LANGUAGE_CPLUSPLUS || v->language == LANGUAGE_RUST;
    *ret = v;
    return NULL;
}

void values_close(struct evaluation *v)
{
    if (!v)
        return;
    void **memory = v->memory.items;
    for (size_t n = 0; n < v->memory.count; n++)
        free(memory[n]);
    list_deinit(&v->memory);
    list_deinit(&v->moving);
    free(v);
}

/* --- thread-locals ---------------------------------------------------------------------------- */

static bool find_tls_segment(struct module *m, GElf_Phdr *ret)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    size_t count;
    if (!elf || elf_getphdrnum(elf, &count))
        return false;
    for (size_t n = 0; n < count; n++)
        if (gelf_getphdr(elf, (int)n, ret) && ret->p_type == PT_TLS)
            return true;
    return false;
}

/* The executable's TLS block ends where fs_base points, rounded by its alignment. */
static bool executable_tls(struct module *m, i64 *ret)
{
    GElf_Phdr t;
    if (!find_tls_segment(m, &t) || !module_is_program(m))
        return false;
    u64 align = t.p_align && !(t.p_align & (t.p_align - 1)) ? t.p_align : 1;
    u64 first = -(t.p_vaddr & (align - 1)) & (align - 1);
    *ret = -(i64)(((t.p_memsz - first + align - 1) & -align) + first);
    return true;
}

/* gcc 12 writes the address in the image, not the offset, into the address table of split debug
 * information. */
static bool mend_tls_offset(struct module *m, u64 *offset)
{
    GElf_Phdr t;
    if (!find_tls_segment(m, &t))
        return false;
    if (*offset >= t.p_memsz)
        *offset -= t.p_vaddr;
    return *offset < t.p_memsz;
}

struct tls_search {
    struct symbols *s;
    Elf *elf;
    u64 bias;
    bool has_number, has_offset;
    bool is_own; /* from a relocation without a name; one with a name may be for another module */
    u64 number;  /* of the module */
    i64 offset;  /* of its block */
};

/* The loader has written the module's number, or the offset of one variable, where a relocation
 * requested it. */
static void see_relocation(struct tls_search *t, const GElf_Rela *rela, Elf_Data *symbols)
{
    GElf_Sym symbol = {0};
    u64 slot;
    unsigned kind = (unsigned)GELF_R_TYPE(rela->r_info);
    if (kind != R_X86_64_DTPMOD64 && kind != R_X86_64_TPOFF64)
        return;
    size_t index = GELF_R_SYM(rela->r_info);
    if (index &&
        (!symbols || !gelf_getsym(symbols, (int)index, &symbol) || symbol.st_shndx == SHN_UNDEF))
        return;
    if ((index && t->is_own) ||
        !t->s->host.read(t->s->host.context, rela->r_offset + t->bias, &slot, 8))
        return;
    t->is_own = !index;
    if (kind == R_X86_64_DTPMOD64) {
        t->has_number = slot != 0;
        t->number = slot;
    } else {
        t->has_offset = true;
        t->offset = (i64)(slot - (symbol.st_value + (u64)rela->r_addend));
    }
}

static void search_relocations(struct tls_search *t)
{
    Elf_Scn *section = NULL;
    GElf_Shdr h;
    GElf_Rela rela;
    while ((section = elf_nextscn(t->elf, section))) {
        if (!gelf_getshdr(section, &h) || h.sh_type != SHT_RELA || !h.sh_entsize ||
            !(h.sh_flags & SHF_ALLOC))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        Elf_Scn *linked = elf_getscn(t->elf, h.sh_link);
        Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
        for (size_t n = 0; data && n < h.sh_size / h.sh_entsize; n++)
            if (gelf_getrela(data, (int)n, &rela))
                see_relocation(t, &rela, symbols);
    }
}

bool variables_tls_place(struct symbols *s, struct module *m, struct tls_place *ret)
{
    GElf_Addr bias = 0;
    struct tls_search t = {.s = s, .elf = dwfl_module_getelf(m->mod, &bias), .bias = bias};
    *ret = (struct tls_place){.is_fixed = true};
    if (executable_tls(m, &ret->offset))
        return true;
    if (!t.elf)
        return false;
    search_relocations(&t);
    *ret = (struct tls_place){.is_fixed = t.has_offset, .offset = t.offset, .number = t.number};
    return t.has_offset || (t.has_number && t.number <= 4096);
}

bool variables_tls(struct evaluation *v, struct module *m, u64 offset, u64 *ret)
{
    const struct symbols_host *host = &v->symbols->host;
    struct tls_place place;
    u64 vector, entry;
    if (!v->request.fs_base || !mend_tls_offset(m, &offset) ||
        !variables_tls_place(v->symbols, m, &place))
        return false;
    if (place.is_fixed) {
        *ret = v->request.fs_base + (u64)place.offset + offset;
        return true;
    }
    if (!host->read(host->context, v->request.fs_base + 8, &vector, 8) ||
        !host->read(host->context, vector + 16 * place.number, &entry, 8))
        return false;
    v->no_storage = entry == ~(u64)0 || !entry;
    *ret = entry + offset;
    return !v->no_storage;
}

/* --- expressions of a frame ------------------------------------------------------------------- */

static bool host_read(void *context, u64 address, void *to, size_t size)
{
    struct symbols *s = ((struct frame_view *)context)->v->symbols;
    return s->host.read(s->host.context, address, to, size);
}

static bool host_register(void *context, unsigned number, u64 *ret)
{
    struct frame_view *view = context;
    const struct frame *f = view->frame;
    view->v->uses |= VALUES_FRAME;
    if (!f || number >= FRAME_REGISTERS || !(f->known >> number & 1))
        return false;
    *ret = f->reg[number];
    return true;
}

static bool host_wide(void *context, unsigned number, u8 bytes[64])
{
    size_t size;
    return number >= FRAME_REGISTERS && value_register(context, number, bytes, &size) && size >= 10;
}

static bool host_cfa(void *context, u64 *ret)
{
    struct frame_view *view = context;
    const struct frame *f = view->frame;
    view->v->uses |= VALUES_FRAME;
    *ret = f ? f->cfa : 0;
    return f && f->cfa;
}

static bool host_address(void *context, u64 in_file, u64 *ret)
{
    struct frame_view *f = context;
    *ret = in_file + (f->module ? f->module->dwarf_bias : 0);
    return true;
}

static bool host_tls(void *context, u64 offset, u64 *ret)
{
    struct frame_view *f = context;
    bool found = f->module && variables_tls(f->v, f->module, offset, ret);
    f->v->no_place |= !found;
    return found;
}

static bool host_frame_base(void *context, u64 *ret);
static bool host_entry_value(void *context, const Dwarf_Op *op, Dwarf_Attribute *attribute,
                             u64 *ret);

int variables_location(struct frame_view *f, Dwarf_Attribute *a, Dwarf_Op **ret, size_t *ret_count)
{
    if (f->frame && f->module)
        return expression_at(a, f->pc - f->module->dwarf_bias, ret, ret_count);
    return expression_of(a, ret, ret_count);
}

static bool run_about(struct frame_view *f, Dwarf_Attribute *a, const u64 *object, const u64 *first,
                      struct location *ret)
{
    struct expression_host host = {
        .read = host_read, .reg = host_register, .wide = host_wide,
        .frame_base = host_frame_base, .cfa = host_cfa,
        .tls = host_tls, .entry_value = host_entry_value, .address = host_address,
        .object = object, .context = f};
    Dwarf_Op *ops;
    size_t count;
    return f->depth < ENTRY_DEEP && variables_location(f, a, &ops, &count) == 0 && count &&
           expression_run(ops, count, a, &host, first, ret);
}

static bool variables_run(struct frame_view *f, Dwarf_Attribute *a, struct location *ret)
{
    return run_about(f, a, NULL, NULL, ret);
}

static bool location_number(struct frame_view *f, const struct location *at, u64 *ret)
{
    const struct location l = *at;
    if (l.count != 1)
        return false;
    *ret = l.pieces[0].value;
    if (l.pieces[0].kind == PIECE_IN_REGISTER)
        return host_register(f, (unsigned)l.pieces[0].value, ret);
    if (l.pieces[0].kind == PIECE_COMPUTED) {
        memcpy(ret, l.pieces[0].computed, sizeof *ret);
        return l.pieces[0].value <= sizeof *ret;
    }
    return l.pieces[0].kind == PIECE_IN_MEMORY || l.pieces[0].kind == PIECE_VALUE;
}

static bool run_for_number(struct frame_view *f, Dwarf_Attribute *a, u64 *ret)
{
    struct location l;
    return variables_run(f, a, &l) && location_number(f, &l, ret);
}

static bool host_frame_base(void *context, u64 *ret)
{
    struct frame_view *f = context;
    Dwarf_Attribute a;
    f->depth++;
    bool known = f->has_function && dwarf_attr_integrate(&f->function, DW_AT_frame_base, &a) &&
                 run_for_number(f, &a, ret);
    f->depth--;
    return known;
}

/* --- values at the entry ---------------------------------------------------------------------- */

const char *variables_link_name(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));
    return name ? name : dwarf_diename(die);
}

/* Finds the call that made the frame, and the caller's frame. The call must be known to be of this
 * function. */
static bool find_call(struct frame_view *f, struct frame_view *caller, struct call_site *ret)
{
    struct symbols *s = f->v->symbols;
    u64 entry, target;
    if (f->depth >= ENTRY_DEEP || !f->frame)
        return false;
    view_frame(f->v, real_frame(&f->v->request, f->index + 1), caller);
    caller->depth = f->depth + 1;
    return caller->frame && caller->has_function && caller->frame->called &&
           function_entry(s, f->pc, &entry) && call_site_at(s, caller->frame->pc, ret) &&
           call_site_target(s, ret, caller->frame, &target) &&
           target == entry && !tail_calls_itself(s, entry);
}

static bool entry_value(struct frame_view *f, const Dwarf_Op *place, u64 *ret)
{
    struct frame_view caller;
    struct call_site call;
    Dwarf_Attribute value;
    return find_call(f, &caller, &call) && call_site_value(&call, place, &value) &&
           run_for_number(&caller, &value, ret);
}

/* Of a parameter that the optimiser removed, only the calls say what it would have been. */
static bool removed_parameter(struct frame_view *f, const Dwarf_Op *op, Dwarf_Attribute *attribute,
                              u64 *ret)
{
    struct frame_view caller;
    struct call_site call;
    Dwarf_Attribute value;
    Dwarf_Die parameter;
    return !dwarf_getlocation_die(attribute, op, &parameter) && find_call(f, &caller, &call) &&
           call_site_parameter(&call, &parameter, &value) && run_for_number(&caller, &value, ret);
}

static bool host_entry_value(void *context, const Dwarf_Op *op, Dwarf_Attribute *attribute,
                             u64 *ret)
{
    Dwarf_Attribute inner;
    Dwarf_Op *ops;
    size_t count;
    if (op->atom == DW_OP_GNU_parameter_ref)
        return removed_parameter(context, op, attribute, ret);
    return !dwarf_getlocation_attr(attribute, op, &inner) &&
           !dwarf_getlocation(&inner, &ops, &count) &&
           count == 1 && entry_value(context, &ops[0], ret);
}

/* --- variables -------------------------------------------------------------------------------- */

static bool is_variable(Dwarf_Die *die)
{
    unsigned tag = (unsigned)dwarf_tag(die);
    return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant;
}

/* A global does not depend on a frame of another module. */
static void view_for(struct evaluation *v, const struct found_variable *f, struct frame_view *ret)
{
    *ret = v->view;
    if (ret->module == f->module)
        return;
    *ret = (struct frame_view){.v = v, .module = f->module};
}

static struct value *constant(struct evaluation *v, struct type *t, Dwarf_Attribute *a)
{
    Dwarf_Block block;
    Dwarf_Sword s;
    Dwarf_Word u;
    const char *text;
    if (dwarf_formblock(a, &block) == 0)
        return value_of_bytes(v, t, block.data, block.length);
    if (a->form == DW_FORM_string || a->form == DW_FORM_strp || a->form == DW_FORM_strx)
        return (text = dwarf_formstring(a)) ? value_of_bytes(v, t, text, strlen(text) + 1) : NULL;
    if (dwarf_formsdata(a, &s) == 0)
        return value_of_bytes(v, t, &s, sizeof s);
    return dwarf_formudata(a, &u) == 0 ? value_of_bytes(v, t, &u, sizeof u) : NULL;
}

static bool is_global(Dwarf_Attribute *a)
{
    Dwarf_Op *ops;
    size_t count;
    return expression_of(a, &ops, &count) == 0 && count && ops[0].atom == DW_OP_addr;
}

/* True if debug information describes it, but the linker left it out because nothing refers to
 * it. */
static bool is_left_out(Dwarf_Attribute *a)
{
    Dwarf_Op *ops;
    size_t count;
    return dwarf_getlocation(a, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_addr &&
           !ops[0].number;
}

static struct value *linked_value(struct evaluation *v, struct type *t, const struct linked *l)
{
    u64 at = l->address;
    if (l->is_thread_local && !variables_tls(v, l->module, l->address, &at))
        return NULL;
    return value_at(v, t, at, NULL);
}

/* True if the frame is in the block that declares the variable. Outside, its memory may be used for
 * something else. */
static bool is_in_its_block(const struct evaluation *v, const struct found_variable *f)
{
    Dwarf_Die block = f->block;
    return !v->request.names_pc || !f->has_block ||
           dwarf_haspc(&block, v->view.pc - f->module->dwarf_bias) == 1;
}

/* Notes how the variable is kept, which the value alone does not tell. */
static void note_keeping(struct evaluation *v, const struct found_variable *found, bool moves,
                         const struct value *value)
{
    bool gone = value_is_gone(value);
    bool constant = !moves && !gone && !value->in_memory && !(v->uses & VALUES_FRAME);
    if (moves)
        v->uses |= VALUES_MOVES | VALUES_FRAME;
    if (gone)
        v->uses |= VALUES_GONE;
    if (constant)
        v->uses |= VALUES_CONSTANT;
    if (moves || constant)
        stretches_note(v, found);
}

static struct error *value_in_view(struct evaluation *v, const struct found_variable *found,
                                   struct value **ret)
{
    bool moves = false;
    Dwarf_Attribute a;
    Dwarf_Die die = found->die;
    struct frame_view view;
    struct location l;
    struct linked linked;
    u32 used_before = v->uses;
    struct type *t = type_attribute(v, found->module, &die);
    view_for(v, found, &view);
    v->uses &= ~(u32)VALUES_FRAME;
    v->no_storage = v->no_place = false;
    if (dwarf_tag(&die) == DW_TAG_subprogram) {
        Dwarf_Addr entry;
        t = type_of(v, found->module, &die);
        if (!die_entry(&die, &entry) || !entry) /* 0: the linker has left it out */
            return error_new("the function has no code of its own");
        *ret = value_at(v, t, entry + found->module->dwarf_bias, NULL);
        return NULL;
    }
    *ret = NULL;
    if (linked_datum(v, &(struct found_variable){.die = die, .module = found->module}, &linked))
        *ret = linked_value(v, t, &linked);
    else if (dwarf_attr_integrate(&die, DW_AT_const_value, &a))
        *ret = constant(v, t, &a);
    else if (dwarf_attr_integrate(&die, DW_AT_location, &a)) {
        if (is_global(&a))
            view.frame = NULL; /* independent of the pc */
        moves = found->has_block && stretches_differ(&a);
        if (!is_left_out(&a) && variables_run(&view, &a, &l))
            *ret = value_of_location(&view, t, &l);
    }
    if ((v->uses & VALUES_FRAME || moves) && !is_in_its_block(v, found)) {
        moves = true;
        *ret = NULL;
    }
    if (!*ret && v->no_storage)
        return error_new("this thread has not used it yet, and has no storage for it");
    if (!*ret && v->no_place)
        return error_coded(ERROR_UNAVAILABLE,
                           "the thread-local variables of its module were not found");
    if (!*ret)
        *ret = value_optimised_out(v, t);
    if (!(*ret)->in_memory && v->uses & VALUES_FRAME)
        v->uses |= VALUES_REGISTERS; /* computed from registers */
    if (dwarf_tag(&die) == DW_TAG_formal_parameter && dwarf_attr(&die, DW_AT_artificial, &a))
        fortran_count_from_one(*ret);
    note_keeping(v, found, moves, *ret);
    v->uses |= used_before;
    return NULL;
}

struct error *variables_value(struct evaluation *v, const struct found_variable *found,
                              struct value **ret)
{
    struct frame_view own = v->view;
    if (!found->has_frame)
        return value_in_view(v, found, ret);
    /* The bounds of its type are also variables of that frame. */
    view_frame(v, found->frame, &v->view);
    v->view.module = found->module;
    v->view.depth = own.depth;
    struct error *err = value_in_view(v, found, ret);
    if (!err)
        *ret = fortran_of_frame(*ret);
    v->view = own;
    v->uses |= VALUES_FRAME;
    return err;
}

static bool is_instance_of(Dwarf_Die *instance, Dwarf_Die *function)
{
    Dwarf_Attribute a;
    Dwarf_Die origin;
    return instance->addr == function->addr ||
           (dwarf_attr(instance, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, &origin) &&
            origin.addr == function->addr);
}

/* Finds the frame base of the enclosing function, by the debug information of the inner one. */
static bool static_link(struct frame_view *f, u64 *ret)
{
    Dwarf_Attribute a;
    return f->has_function && dwarf_attr_integrate(&f->function, DW_AT_static_link, &a) &&
           run_for_number(f, &a, ret);
}

/* Finds the next outer frame of the function; with a static link, the one that it points to. */
static bool outer_view(struct frame_view *inner, Dwarf_Die *function, struct frame_view *ret)
{
    u64 link, base;
    struct evaluation *v = inner->v;
    bool linked = static_link(inner, &link) && link; /* gfortran leaves it 0 in the main program */
    size_t first = inner->has_function && is_instance_of(&inner->function, function)
                       ? inner->index : inner->index + 1; /* it may be inlined into it */
    for (size_t n = first; n < v->request.frame_count; n++) {
        if (v->request.frames[n].inlined)
            continue;
        view_frame(v, n, ret);
        if (ret->has_function && is_instance_of(&ret->function, function) &&
            (!linked || n == inner->index || (host_frame_base(ret, &base) && base == link)))
            return true;
    }
    return false;
}

/* Finds the variable of the instance whose abstract form is the given one. */
static void take_instance(Dwarf_Die *function, Dwarf_Die *variable)
{
    Dwarf_Die child;
    if (dwarf_child(function, &child) != 0)
        return;
    do
        if (is_instance_of(&child, variable)) {
            *variable = child;
            return;
        }
    while (dwarf_siblingof(&child, &child) == 0);
}

/* Finds the function that contains the view's function. */
static bool function_around(struct frame_view *f, Dwarf_Die *ret)
{
    Dwarf_Attribute a;
    Dwarf_Die die = f->function, origin, *scopes = NULL;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, &origin))
        die = origin;
    int count = f->has_function ? dwarf_getscopes_die(&die, &scopes) : 0;
    bool found = count > 1 && dwarf_tag(&scopes[1]) == DW_TAG_subprogram;
    if (found)
        *ret = scopes[1];
    free(scopes);
    return found;
}

size_t variables_outer_frame(struct evaluation *v, unsigned levels, Dwarf_Die *function,
                             Dwarf_Die *variable)
{
    struct frame_view at = v->view, outer;
    for (unsigned n = 0; n < levels; n++) {
        Dwarf_Die wanted = *function;
        if (n + 1 < levels && !function_around(&at, &wanted))
            return SIZE_MAX;
        if (!at.frame || !outer_view(&at, &wanted, &outer))
            return SIZE_MAX;
        at = outer;
    }
    take_instance(&at.function, variable);
    return at.index;
}

/* Finds the register or stack place of a parameter at the entry of its function. */
static bool entry_place(struct frame_view *f, Dwarf_Die *die, Dwarf_Op *ret)
{
    Dwarf_Attribute a;
    Dwarf_Addr entry;
    Dwarf_Op *ops;
    size_t count;
    if (!f->has_function || !die_entry(&f->function, &entry) ||
        !dwarf_attr_integrate(die, DW_AT_location, &a) ||
        dwarf_getlocation_addr(&a, entry, &ops, &count, 1) != 1 || count != 1)
        return false;
    *ret = ops[0];
    return (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) || ops[0].atom == DW_OP_fbreg;
}

/* Parameters of an inlined function were never passed in a call. */
struct value *variables_at_entry(struct evaluation *v, const struct found_variable *found)
{
    Dwarf_Die die = found->die;
    Dwarf_Op place;
    u64 word;
    struct type *t = type_attribute(v, found->module, &die);
    if (dwarf_tag(&die) != DW_TAG_formal_parameter || !v->block_count ||
        dwarf_tag(&v->blocks[v->block_count - 1]) != DW_TAG_subprogram || !t->size ||
        t->size > sizeof word ||
        !entry_place(&v->view, &die, &place) || !entry_value(&v->view, &place, &word))
        return NULL;
    return value_of_bytes(v, t, &word, sizeof word);
}

bool variables_bound(struct evaluation *v, struct module *m, Dwarf_Attribute *a, const u64 *object,
                     const u64 *dimension, i64 *ret)
{
    struct location l;
    struct found_variable found = {.module = m};
    struct value *value;
    struct frame_view view;
    Dwarf_Word u;
    Dwarf_Sword s;
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_formref_die(a, &found.die)) {
        bool only_types = v->only_types;
        v->only_types = false; /* a bound of a type must be exact */
        struct error *err = variables_value(v, &found, &value);
        if (!err)
            err = value_integer(value, ret);
        v->only_types = only_types;
        error_destroy(err);
        return !err;
    }
    if (a->form == DW_FORM_sdata || a->form == DW_FORM_implicit_const) {
        *ret = 0;
        bool good = dwarf_formsdata(a, &s) == 0;
        *ret = good ? s : 0;
        return good;
    }
    if (dwarf_formudata(a, &u) == 0) {
        *ret = (i64)u;
        return true;
    }
    view_for(v, &found, &view);
    return expression_of(a, &ops, &count) == 0 && run_about(&view, a, object, dimension, &l) &&
           location_number(&view, &l, (u64 *)ret);
}

bool variables_number(struct evaluation *v, struct module *m, Dwarf_Attribute *a, i64 *ret)
{
    return variables_bound(v, m, a, NULL, NULL, ret);
}

/* Replaces a declaration by the definition elsewhere. */
static bool resolve_declaration(struct evaluation *v, struct found_variable *found,
                                const char *name)
{
    Dwarf_Attribute a;
    struct name_found global;
    if (!dwarf_attr_integrate(&found->die, DW_AT_declaration, &a) ||
        dwarf_attr_integrate(&found->die, DW_AT_location, &a) ||
        !names_find(v, name, variables_space(v), 1u << NAME_VARIABLE, &global) ||
        !names_is_by_scope(&global))
        return true;
    *found = (struct found_variable){.die = global.entry.die, .module = global.module};
    return true;
}

static bool find_in_block(struct evaluation *v, Dwarf_Die *block, const char *name,
                          struct found_variable *ret)
{
    Dwarf_Die child;
    if (dwarf_child(block, &child) != 0)
        return false;
    bool any = false;
    do {
        const char *own = is_variable(&child) ? dwarf_diename(&child) : NULL;
        if (own && strcmp(own, name) == 0) {
            *ret = (struct found_variable){
                .die = child, .module = v->view.module, .has_block = true, .block = *block};
            any = true; /* of two with the same name the later hides the earlier */
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return any;
}

/* What the compiler left out of this instance is in the abstract form of the function. */
static bool find_in_origin(struct evaluation *v, Dwarf_Die *block, const char *name,
                           struct found_variable *ret)
{
    Dwarf_Attribute a;
    Dwarf_Die origin;
    if (!dwarf_attr(block, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &origin) ||
        !find_in_block(v, &origin, name, ret))
        return false;
    ret->block = *block; /* the abstract form has no code */
    return true;
}

static bool has_code(Dwarf_Die *block)
{
    return dwarf_hasattr(block, DW_AT_low_pc) || dwarf_hasattr(block, DW_AT_ranges) ||
           dwarf_hasattr(block, DW_AT_entry_pc);
}

/* True if this instance of a function has the block of the abstract form. */
static bool has_instance(Dwarf_Die *instance, Dwarf_Die *abstract)
{
    Dwarf_Attribute a;
    Dwarf_Die child, origin;
    if (dwarf_child(instance, &child) == 0)
        do
            if (dwarf_attr(&child, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, &origin) &&
                origin.addr == abstract->addr)
                return true;
        while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Finds variables of blocks that have no code left. They are known in the enclosing block, without
 * a value. `instance` is NULL, or has the blocks that the abstract form `in` describes. */
static bool find_without_code(struct evaluation *v, Dwarf_Die *in, Dwarf_Die *instance,
                              const char *name, unsigned depth, struct found_variable *ret)
{
    Dwarf_Die child;
    if (depth > 8 || dwarf_child(in, &child) != 0)
        return false;
    do
        if (dwarf_tag(&child) == DW_TAG_lexical_block && !has_code(&child) &&
            !(instance && has_instance(instance, &child)) &&
            (find_in_block(v, &child, name, ret) ||
             find_without_code(v, &child, NULL, name, depth + 1, ret)))
            return true;
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool find_left_out(struct evaluation *v, Dwarf_Die *block, const char *name,
                          struct found_variable *ret)
{
    Dwarf_Attribute a;
    Dwarf_Die origin;
    if (!find_without_code(v, block, NULL, name, 0, ret) &&
        !(dwarf_attr(block, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, &origin) &&
          find_without_code(v, &origin, block, name, 0, ret)))
        return false;
    ret->block = *block;
    return true;
}

bool variables_find_in_block(struct evaluation *v, size_t block, const char *name,
                             struct found_variable *ret)
{
    Dwarf_Die *in = &v->blocks[block];
    return (find_in_block(v, in, name, ret) || find_in_origin(v, in, name, ret) ||
            find_left_out(v, in, name, ret)) &&
           resolve_declaration(v, ret, name);
}

bool variables_find(struct evaluation *v, const char *name, struct found_variable *ret)
{
    for (size_t n = 0; n < v->block_count; n++)
        if (variables_find_in_block(v, n, name, ret))
            return true;
    return fortran_find(v, name, ret);
}

bool variables_is_fixed(Dwarf_Attribute *location)
{
    Dwarf_Op *ops;
    size_t count;
    if (expression_of(location, &ops, &count) != 0)
        return false;
    for (size_t n = 0; n < count; n++) {
        unsigned atom = ops[n].atom;
        if (atom == DW_OP_addr || atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index ||
            atom == DW_OP_form_tls_address || atom == DW_OP_GNU_push_tls_address)
            return true;
    }
    return false;
}

/* The evaluation's own pointers to frames move with them. */
bool variables_more_frames(struct evaluation *v)
{
    struct values_request *q = &v->request;
    struct frame *frames;
    size_t had = q->frame_count;
    if (!q->all_frames || !q->all_frames(q->context, &frames, &q->frame_count))
        return false;
    *(void **)list_add(&v->memory) = frames;
    q->all_frames = NULL;
    q->frames = frames;
    if (v->registers)
        v->registers = &frames[q->registers];
    if (v->view.frame)
        v->view.frame = &frames[v->view.index];
    return q->frame_count > had;
}

bool variables_frame_of(struct evaluation *v, const Dwarf_Die *function, const struct module *m,
                        size_t *ret)
{
    for (size_t n = v->request.selected; n < v->request.frame_count || variables_more_frames(v);
         n++) {
        struct frame_view view;
        if (v->request.frames[n].inlined)
            continue;
        view_frame(v, n, &view);
        if (view.module == m && view.has_function && view.function.addr == function->addr) {
            *ret = n;
            return true;
        }
    }
    return false;
}

struct error *variables_value_in_frame(struct evaluation *v, size_t frame,
                                       const struct found_variable *f, struct value **ret)
{
    struct frame_view own = v->view;
    Dwarf_Die block = f->block;
    view_frame(v, frame, &v->view);
    bool is_there = dwarf_haspc(&block, v->view.pc - f->module->dwarf_bias) == 1;
    struct error *err =
        is_there ? variables_value(v, f, ret) : error_new("its block is not active in that call");
    v->view = own;
    return err;
}

/* Returns the name without the part after the last `::`; NULL: it has only one part. */
static const char *space_of(struct evaluation *v, const char *name)
{
    const char *last = names_last_part(name);
    return last == name ? NULL : values_copy(v, name, (size_t)(last - name - 2));
}

/* For a function without a linkage name, the name space is that of its declaration, or its own. */
static const char *space_of_declaration(struct evaluation *v)
{
    Dwarf_Attribute a;
    Dwarf_Die function = v->blocks[v->block_count - 1];
    for (unsigned n = 0; n < 4 && (dwarf_attr(&function, DW_AT_abstract_origin, &a) ||
                                   dwarf_attr(&function, DW_AT_specification, &a)); n++)
        if (!dwarf_formref_die(&a, &function))
            return NULL;
    const char *own = dwarf_diename(&function);
    char *name = own ? names_of_die(v->view.module, own, &function) : NULL;
    const char *space = name ? space_of(v, name) : NULL;
    free(name);
    return space;
}

const char *variables_space(struct evaluation *v)
{
    Dwarf_Attribute a;
    if (!v->block_count || !v->cplusplus)
        return NULL;
    if (v->language == LANGUAGE_RUST)
        return rust_space(v);
    const char *raw = dwarf_formstring(dwarf_attr_integrate(&v->blocks[v->block_count - 1],
                                                            DW_AT_linkage_name, &a));
    struct function_symbol symbol = {.raw = raw};
    if (!raw)
        return space_of_declaration(v);
    char *name = symbols_bare_name(function_name(&symbol));
    free(symbol.name);
    char *open = strchr(name, '(');
    while (open && strncmp(open, "(anonymous namespace)", 21) == 0)
        open = strchr(open + 1, '(');
    if (open)
        *open = 0;
    const char *space = space_of(v, name);
    free(name);
    return space;
}

struct value *variables_this(struct evaluation *v)
{
    struct found_variable found;
    struct value *value = NULL;
    if (!v->cplusplus || !variables_find(v, "this", &found))
        return NULL;
    error_destroy(variables_value(v, &found, &value));
    return value;
}

/* --- registers -------------------------------------------------------------------------------- */

bool frame_register_named(const char *name, unsigned *ret)
{
    static const struct { const char *name; u8 number; } others[] = {
        {"rip", DWARF_RIP}, {"pc", DWARF_RIP}, {"sp", DWARF_RSP}, {"fp", DWARF_RBP},
    };
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        if (strcmp(name, register_name(n)) == 0) {
            *ret = register_to_dwarf(n);
            return true;
        }
    for (size_t n = 0; n < countof(others); n++)
        if (strcmp(name, others[n].name) == 0) {
            *ret = others[n].number;
            return true;
        }
    return false;
}

const char *frame_register_name(struct evaluation *v, u64 number)
{
    char name[16];
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        if (register_to_dwarf(n) == number)
            return register_name(n);
    if (number < DWARF_XMM0 || number >= DWARF_ST0)
        return NULL;
    snprintf(name, sizeof name, "xmm%u", (unsigned)(number - DWARF_XMM0));
    return values_copy(v, name, strlen(name));
}

/* Parses eax, ax, al and so on: the register, and which of its bytes. */
static bool narrow_register(const char *name, unsigned *number, unsigned *size, unsigned *from)
{
    static const char *const low[R8] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
    static const char *const high[RBX + 1] = {"ah", "ch", "dh", "bh"};
    *from = 0;
    for (unsigned n = 0; n < R8; n++) {
        *number = register_to_dwarf(n);
        const char *word = register_name(n) + 1; /* ax of rax */
        *size = name[0] == 'e' && strcmp(name + 1, word) == 0 ? 4
                : strcmp(name, word) == 0                     ? 2
                                                              : strcmp(name, low[n]) == 0;
        if (!*size && n <= RBX && strcmp(name, high[n]) == 0)
            *size = *from = 1;
        if (*size)
            return true;
    }
    size_t length = strlen(name);
    char wide[8];
    for (unsigned n = R8; n <= R15 && length >= 3 && length <= 4; n++) {
        snprintf(wide, sizeof wide, "r%u", n);
        if (strncmp(name, wide, length - 1) == 0 && strlen(wide) == length - 1) {
            char last = name[length - 1];
            *number = register_to_dwarf(n);
            *size = last == 'd' ? 4 : last == 'w' ? 2 : last == 'l';
            return *size;
        }
    }
    return false;
}

static struct type *register_type(struct evaluation *v, unsigned number)
{
    struct type *t = type_builtin(v, "int64_t");
    if (number == DWARF_RIP) {
        t = type_new(v, TYPE_FUNCTION, NULL, 1);
        t->target = type_builtin(v, "void");
        return type_pointer(v, t);
    }
    return number == DWARF_RBP || number == DWARF_RSP ? type_pointer(v, type_builtin(v, "void"))
                                                      : t;
}

static struct value *frame_register_value(struct evaluation *v, struct type *t, unsigned number,
                                          unsigned from)
{
    const struct frame *f = v->registers;
    v->uses |= VALUES_FRAME | VALUES_REGISTERS;
    u64 whole = number == DWARF_RIP && f ? f->pc : f ? f->reg[number] : 0;
    if (!f || (number != DWARF_RIP && !(f->known >> number & 1)))
        return value_optimised_out(v, t);
    whole >>= 8 * from;
    struct value *value = value_of_bytes(v, t, &whole, sizeof whole);
    value->home_register = number == DWARF_RIP ? "rip" : frame_register_name(v, number);
    value->home_offset = from;
    return value;
}

static bool other_register(struct evaluation *v, const char *name, struct value **ret)
{
    u8 bytes[64] = {0};
    size_t size = sizeof bytes;
    const struct values_request *q = &v->request;
    struct type *t;
    v->uses |= VALUES_FRAME | VALUES_REGISTERS;
    if (!q->named_register || !q->named_register(q->context, name, bytes, &size) || !size ||
        size > sizeof bytes)
        return false;
    if (strncmp(name, "xmm", 3) == 0 && size >= 16)
        t = type_vector(v, 16);
    else if (strncmp(name, "ymm", 3) == 0 && size == 32)
        t = type_vector(v, 32);
    else if (strncmp(name, "st", 2) == 0 && size >= 10)
        t = type_builtin(v, "long double");
    else if (strcmp(name, "eflags") == 0)
        t = type_flags(v, "i386_eflags");
    else if (strcmp(name, "mxcsr") == 0)
        t = type_flags(v, "i386_mxcsr");
    else if (size > 16)
        t = type_array(v, type_builtin(v, "long"), size / 8);
    else
        t = type_builtin(v, size > 8   ? "uint128_t"
                            : size > 4 ? "long"
                            : size > 2 ? (name[1] == 's' && !name[2] ? "int32_t" : "int")
                            : size > 1 ? "short"
                                       : "int8_t");
    *ret = value_of_bytes(v, t, bytes, size);
    (*ret)->home_register = values_copy(v, name, strlen(name));
    return true;
}

bool variables_register(struct evaluation *v, const char *name, struct value **ret)
{
    static const char *const types[] = {[1] = "int8_t", [2] = "int16_t", [4] = "int32_t"};
    unsigned number, size, from;
    if (frame_register_named(name, &number)) {
        *ret = frame_register_value(v, register_type(v, number), number, 0);
        return true;
    }
    if (narrow_register(name, &number, &size, &from)) {
        *ret = frame_register_value(v, type_builtin(v, types[size]), number, from);
        return true;
    }
    if (strcmp(name, "fs_base") == 0 && v->request.fs_base) {
        *ret = value_of_integer(v, "long", (i64)v->request.fs_base);
        return true;
    }
    return other_register(v, name, ret);
}

/* --- all of a frame --------------------------------------------------------------------------- */

static unsigned line_of(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Word line;
    return dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &a), &line) ? 0
                                                                                  : (unsigned)line;
}

static bool variables_is_listed(const struct list *l, const char *name)
{
    const struct variable *all = l->items;
    for (size_t n = 0; n < l->count; n++)
        if (strcmp(all[n].name, name) == 0)
            return true;
    return false;
}

static void variables_add_variable(struct evaluation *v, struct list *l, Dwarf_Die *die)
{
    struct found_variable found = {.die = *die, .module = v->view.module};
    struct variable r = {.name = dwarf_diename(die), .line = line_of(die)};
    if (!r.name)
        return;
    r.hidden = variables_is_listed(l, r.name);
    resolve_declaration(v, &found, r.name);
    struct error *err = variables_value(v, &found, &r.value);
    if (err || (value_is_gone(r.value) && !r.value->implied)) {
        r.value = NULL;
        r.missing =
            err ? values_copy(v, error_text(err), strlen(error_text(err))) : "optimised out";
    }
    error_destroy(err);
    r.entry = variables_at_entry(v, &found);
    *(struct variable *)list_add(l) = r;
}

/* Go describes the results of a function as variable parameters. They are set by the function, so
 * they are listed with its local variables, if they have a name. */
static bool is_variable_of_kind(Dwarf_Die *die, bool parameters)
{
    Dwarf_Attribute a;
    bool is_result = false;
    const char *name = dwarf_diename(die);
    int tag = dwarf_tag(die);
    if (tag == DW_TAG_variable || tag == DW_TAG_constant)
        return !parameters;
    if (tag != DW_TAG_formal_parameter)
        return false;
    dwarf_formflag(dwarf_attr(die, DW_AT_variable_parameter, &a), &is_result);
    return is_result ? !parameters && name && name[0] != '~' : parameters;
}

static void add_block(struct evaluation *v, struct list *l, Dwarf_Die *block, bool parameters)
{
    Dwarf_Die child;
    if (dwarf_child(block, &child) == 0)
        do
            if (is_variable_of_kind(&child, parameters))
                variables_add_variable(v, l, &child);
        while (dwarf_siblingof(&child, &child) == 0);
}

/* Adds variables of the abstract form that this instance does not have. */
static void add_left_out(struct evaluation *v, struct list *l, Dwarf_Die *block, bool parameters)
{
    Dwarf_Attribute a;
    Dwarf_Die origin, child;
    if (!dwarf_attr(block, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &origin) ||
        dwarf_child(&origin, &child) != 0)
        return;
    do {
        const char *name = is_variable_of_kind(&child, parameters) ? dwarf_diename(&child) : NULL;
        if (name && !variables_is_listed(l, name))
            variables_add_variable(v, l, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

struct error *values_variables(struct evaluation *v, bool parameters, struct variable **ret,
                               size_t *ret_count)
{
    struct list l = LIST(struct variable);
    if (!v->block_count)
        return error_new("this frame has no debug information");
    for (size_t n = 0; n < v->block_count; n++) {
        add_block(v, &l, &v->blocks[n], parameters);
        add_left_out(v, &l, &v->blocks[n], parameters);
    }
    *(void **)list_add(&v->memory) = l.items;
    *ret = l.items;
    *ret_count = l.count;
    return NULL;
}

struct error *values_scope(struct evaluation *v, struct scope_variable **ret, size_t *ret_count)
{
    struct list l = LIST(struct scope_variable);
    if (!v->block_count)
        return error_new("there is no debug information for that code");
    for (size_t n = 0; n < v->block_count; n++) {
        Dwarf_Die child;
        if (dwarf_child(&v->blocks[n], &child) != 0)
            continue;
        do {
            const char *name = dwarf_diename(&child);
            if (!is_variable(&child) || !name)
                continue;
            struct type *t = type_attribute(v, v->view.module, &child);
            char *text = type_declaration(v, t, name);
            *(struct scope_variable *)list_add(&l) = (struct scope_variable){
                .name = name, .declaration = values_copy(v, text, strlen(text)),
                .size = type_plain(v, t)->size,
                .is_parameter = dwarf_tag(&child) == DW_TAG_formal_parameter};
            free(text);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    *(void **)list_add(&v->memory) = l.items;
    *ret = l.items;
    *ret_count = l.count;
    return NULL;
}
