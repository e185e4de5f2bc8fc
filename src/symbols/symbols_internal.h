/* Shared by the files of symbols: modules, functions, frames and their tables.
 *
 * symbols.h lists the files. struct symbols holds everything that is known of one address space; a
 * module is one ELF file in it, with its debug information. values_internal.h has types and values.
 */
#ifndef SYMBOLS_INTERNAL_H
#define SYMBOLS_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/list.h"
#include "symbols/symbols.h"

/* A function of the symbol table, at the addresses of the process. */
struct function_symbol {
    u64 start, end;
    const char *raw; /* as in the table; libdw's */
    char *name;      /* demangled, with parameters; made when first asked for */
    bool part;       /* the cold rest of another */
    bool is_rust;    /* known when it has a name */
    bool is_fortran; /* its name is of the debug information */
    bool stub;       /* of the procedure linkage table */
    bool detour;     /* see struct step_point */
    bool resolver;   /* one that is the resolver of an IFUNC */
    bool label;      /* of assembler code, for its own file */
};

/* A range of a compilation unit. */
struct unit_range {
    u64 start, end;
    Dwarf_Off unit; /* offset of its DIE */
    Dwarf *dwarf;
};

struct name_index;

/* The modules as the linker has them (link_order.c). */
struct link_order {
    struct list modules; /* struct module * */
    u32 version;         /* of the symbols; 0: not made */
    bool is_whole;       /* no module was missing from the linker's list */
};

struct module {
    struct symbols_module shown;
    struct symbols *owner;
    int fd;
    bool seen; /* in the present address space */
    enum { LINKER_UNKNOWN, LINKER_YES, LINKER_NO } linker;
    Dwfl *dwfl;
    Dwfl_Module *mod;
    Dwarf *dwarf; /* NULL: no debug information */
    Dwarf_Addr dwarf_bias;
    struct {
        Dwarf_CFI *cfi;
        Dwarf_Addr bias;
    } frames[2]; /* .eh_frame, .debug_frame */

    bool functions_made, units_made, points_made, rules_made;
    bool resolvers_made;
    struct list functions; /* struct function_symbol, by start */
    struct list resolvers; /* u64: entries of those that have step points and call others */
    struct list units;     /* struct unit_range, by start */
    struct list points;    /* struct step_point, by pc; with the rules for their frames if those
                            * are made */
    struct list unit_points; /* of the unit that was asked for last, while those of all are not
                              * made */
    Dwarf_Off points_unit;
    struct name_index *names; /* of values; NULL: not made yet */
};

/* A function that was inlined somewhere. */
struct scope {
    Dwarf *dwarf;
    Dwarf_Off offset; /* of its DIE */
    u32 parent;
};

struct source_text {
    char *path;
    char *text;   /* NULL: not to be had */
    char **lines; /* into it */
    unsigned count;
};

struct symbols {
    struct symbols_host host;
    struct link_order linked;
    u32 version;
    struct list modules; /* struct module * */
    struct list shown;   /* struct symbols_module, for callers that want all */
    struct list skipped; /* char * */
    struct list points;  /* of all modules */
    u32 points_version;
    bool points_made;
    u32 points_number;   /* another one when they were gathered anew */
    struct list scopes;  /* struct scope; [0] is none */
    struct list circles; /* struct tail_circle: functions that were asked about */
    struct list sources; /* struct source_text */
    struct list strings; /* char *, interned: a table of hashes */
};

/* The module that holds the address; NULL: none. */
struct module *module_at(struct symbols *s, u64 address);
/* Is it the program itself, and no library? */
bool module_is_program(struct module *m);
/* Is it glibc's dynamic linker?  (musl's is its C library, and binds nothing lazily.) */
bool module_is_linker(struct module *m);
/* Its debug information; false: it has none. */
bool module_load_dwarf(struct module *m);
/* The unit that holds the address, ready to be asked; false: none. */
bool module_unit(struct module *m, u64 address, Dwarf_Die *ret);
/* The chain of DIEs around the pc, the unit first, every inlined function among them; *ret to be
 * freed. */
size_t module_chain(struct module *m, u64 pc, Dwarf_Die **ret);
/* Where a function, or an instance of an inlined one, begins, in the file: with several ranges
 * at the start of the first. */
bool die_entry(Dwarf_Die *die, Dwarf_Addr *ret);
/* The innermost function around the pc that was compiled as one; false: none. */
bool module_function_die(struct module *m, u64 pc, Dwarf_Die *ret);

/* unwind.c: what call frame information says of an address, and the caller by it. */
struct frame_rules {
    Dwarf_Frame *frame; /* NULL: nothing */
    bool gap;           /* it is of the code before */
};
void frame_rules_find(struct symbols *s, u64 at, struct frame_rules *ret);
void frame_rules_deinit(struct frame_rules *rules);
/* A piece of the stack that was read at once. */
struct stack_window {
    u64 start;
    size_t size;
    u8 bytes[16384];
};
/* Fills what `from` has to say of itself (its CFA), and its caller. False: it is the last. */
bool frame_step_outward(struct symbols *s, struct frame *from, const struct frame_rules *rules,
                        struct stack_window *window, struct frame *ret, const char **ret_why);
/* call_sites.c: a call that debug information describes. */
struct call_site {
    struct module *module;
    Dwarf_Die die;
    u64 return_pc;
    bool tail; /* it is made by a jump */
};
/* The call that returns to the pc, or would if it were none by a jump. */
bool call_site_at(struct symbols *s, u64 return_pc, struct call_site *ret);
/* The entry of the function that is called; `caller` (may be NULL) is its frame, for calls of
 * what is in a register. */
bool call_site_target(struct symbols *s, struct call_site *c, const struct frame *caller, u64 *ret);
/* The calls by jumps (struct call_site) of the function whose entry it is; one without debug
 * information makes none. */
void call_sites_by_jump(struct symbols *s, u64 entry, struct list *ret);
/* The value that a parameter had at the call: an expression over the caller's frame.  `wanted`
 * is the register, or the place on the stack, that it was in. */
bool call_site_value(struct call_site *c, const Dwarf_Op *wanted, Dwarf_Attribute *ret);
/* The entry of the function around the pc. */
bool function_entry(struct symbols *s, u64 pc, u64 *ret);

struct tail_circle {
    u64 entry;
    bool closed;
};
/* Can the function come to be called again by a chain of jumps, without a return?  Then its
 * frame may be another's. */
bool tail_calls_itself(struct symbols *s, u64 entry);
/* tail_calls.c: return addresses (u64) of the jumps that lead from the caller to the function at
 * `callee`, innermost first. */
void tail_calls_between(struct symbols *s, const struct frame *caller, u64 callee,
                        struct list *ret);

void frame_set_register(struct frame *f, unsigned number, u64 value);
/* A caller: its pc is after its call, and its stack as after the return. */
void frame_go_on(struct frame *f, u64 rsp, u64 pc);
/* epilogue.c: the caller, as the function's code from here to its return implies; false: it does
 * not. */
bool frame_read_on(struct symbols *s, const struct frame *from, struct frame *ret, u64 *ret_cfa);

/* instructions.c: DWARF's number of the general register that one of Zydis is a part of; -1:
 * none. */
int code_register_number(int zydis_register);
/* General registers that the instructions from one address to the other may write, as bits; all
 * of them if it cannot be told. */
u32 code_written(struct symbols *s, u64 start, u64 end);
/* Is there an instruction between them that names a register of AVX? */
bool code_uses_wide_vectors(struct symbols *s, u64 start, u64 end);
/* As many bytes as can be read; code may end with its mapping. */
enum { INSTRUCTION_LONGEST = 15 };
size_t code_read(struct symbols *s, u64 pc, u8 bytes[INSTRUCTION_LONGEST]);

/* Each unit in turn; `visit` returns false to end. */
void module_each_unit(struct module *m, bool (*visit)(void *context, Dwarf_Die *unit),
                      void *context);

struct function_symbol *module_functions(struct module *m, size_t *ret_count);
/* The function around the address; NULL: none. */
struct function_symbol *module_function(struct module *m, u64 address);
/* Where a breakpoint on the function stops (prologue.c). */
u64 function_body(struct symbols *s, const struct function_symbol *f);
/* Is the address in a section of code? */
bool module_in_code(struct module *m, u64 address);
const char *function_name(struct function_symbol *f);
/* Does a name that a user has written mean the function? */
bool function_is_named(struct function_symbol *f, const char *wanted);
/* A symbol's name as its language writes it (demangle.c); NULL: the name is not mangled. To be
 * freed. */
char *demangle(const char *raw, bool *ret_rust);
void module_drop_functions(struct module *m);
/* Adds the stubs of the linker to its functions (stubs.c). */
void module_add_stubs(struct module *m);

/* Adds where instances of an inlined function begin (struct inlined_entry). */
struct inlined_entry {
    u64 pc;
    u32 inside; /* so many functions are inlined into it at this place, each into the next */
};
/* The number of inlined functions around the pc, from the innermost to the DIE; without one:
 * all. */
u32 module_inlined_at(struct module *m, u64 pc, const Dwarf_Die *outermost);
void module_inlined(struct module *m, const char *name, struct list *ret);

/* Does a user's name mean the function, by its demangled name (signatures.c)?  And could it, by
 * the name in the symbol table? */
bool signature_fits(const char *name, const char *wanted);
bool signature_may_fit(const char *raw, const char *wanted);

const struct step_point *module_points(struct module *m, size_t *ret_count);
/* At least those of the unit around the address. */
const struct step_point *module_points_around(struct module *m, u64 address, size_t *ret_count);
void module_drop_points(struct module *m);
void module_drop_names(struct module *m);

/* Their rules, which hold for ranges of addresses. */
void symbols_fill_cfa(struct symbols *s, struct step_point *points, size_t count);

/* One copy of each, valid as long as the symbols. */
const char *symbols_intern(struct symbols *s, const char *text);

/* The absolute name of a line's file. */
const char *line_file(struct symbols *s, Dwarf_Die *unit, Dwarf_Line *line);

#endif
