/* Shared by the files of symbols: modules, functions, frames and their tables.
 *
 * symbols.h lists the files. struct symbols holds everything known about one address space; a
 * module is one ELF file in it, with its debug information. values_internal.h has types and values.
 */
#ifndef SYMBOLS_INTERNAL_H
#define SYMBOLS_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/list.h"
#include "symbols/symbols.h"

/* A function in the symbol table, at its address in the process. */
struct function_symbol {
    u64 start, end;
    const char *raw; /* as in the table; owned by libdw */
    char *name;      /* demangled, with parameters; made when first needed */
    bool part;       /* the cold part of another function */
    bool is_rust;    /* valid once `name` is set */
    bool is_fortran; /* its name is from debug information */
    bool stub;       /* in the procedure linkage table */
    bool detour;     /* see struct step_point */
    bool resolver;   /* it is the resolver of an IFUNC */
    bool label;      /* a label in assembler code, private to its file */
    bool local;      /* private to its file, or to its library */
};

/* A range of a compilation unit. */
struct unit_range {
    u64 start, end;
    Dwarf_Off unit; /* offset of its DIE */
    Dwarf *dwarf;
    size_t order; /* of the unit in the file */
};

struct name_index;

/* The modules in the linker's order (link_order.c). */
struct link_order {
    struct list modules; /* struct module * */
    u32 version;         /* version of the symbols when it was made; 0: not made */
    bool is_whole;       /* no module was missing from the linker's list */
};

struct module {
    struct symbols_module shown;
    struct symbols *owner;
    int fd;
    bool seen; /* it is in the current address space */
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
    struct list resolvers; /* u64: entries of resolvers that have step points and call others */
    struct list units;     /* struct unit_range, by start */
    /* struct step_point, by pc; with the rules for their frames once those are made */
    struct list points;
    /* points of the last unit asked for, while those of all units are not made */
    struct list unit_points;
    Dwarf_Off points_unit;
    struct name_index *names; /* the index of names; NULL: not made yet */
};

/* A function that was inlined somewhere. */
struct scope {
    Dwarf *dwarf;
    Dwarf_Off offset; /* of its DIE */
    u32 parent;
};

struct source_text {
    char *path;
    char *text;   /* NULL: not available */
    char **lines; /* into it */
    unsigned count;
};

struct symbols {
    struct symbols_host host;
    struct link_order linked;
    u32 version;
    struct list modules; /* struct module * */
    struct list shown;   /* struct symbols_module, for callers that want all of them */
    struct list skipped; /* char * */
    struct list points;  /* step points of all modules */
    u32 points_version;
    bool points_made;
    u32 points_number;   /* changes when the points were collected again */
    struct list scopes;  /* struct scope; [0] is none */
    struct list circles; /* struct tail_circle: cached answers about functions */
    struct list sources; /* struct source_text */
    struct list strings; /* char *, interned: a hash table */
};

/* Returns the module that contains the address; NULL: none. */
struct module *module_at(struct symbols *s, u64 address);
/* True if it is the program itself, not a library. */
bool module_is_program(struct module *m);
/* True for glibc's dynamic linker. (musl's is its C library, and binds nothing lazily.) */
bool module_is_linker(struct module *m);
/* Loads its debug information; false: it has none. */
bool module_load_dwarf(struct module *m);
/* Finds the unit that contains the address and prepares it; false: none. */
bool module_unit(struct module *m, u64 address, Dwarf_Die *ret);
/* Returns the chain of DIEs around the pc, the unit first, including every inlined function; the
 * caller frees *ret. */
size_t module_chain(struct module *m, u64 pc, Dwarf_Die **ret);
/* Finds the entry of a function, or of an instance of an inlined one, in the file. With several
 * ranges it is the start of the first. */
bool die_entry(Dwarf_Die *die, Dwarf_Addr *ret);
/* Finds the innermost out-of-line function around the pc; false: none. */
bool module_function_die(struct module *m, u64 pc, Dwarf_Die *ret);

/* unwind.c: the call frame information for an address, and the caller found by it. */
struct frame_rules {
    Dwarf_Frame *frame; /* NULL: nothing */
    bool gap;           /* the information is that of the code before */
};
void frame_rules_find(struct symbols *s, u64 at, struct frame_rules *ret);
void frame_rules_deinit(struct frame_rules *rules);
/* A piece of the stack that was read at once. */
struct stack_window {
    u64 start;
    size_t size;
    u8 bytes[16384];
};
/* Sets the CFA of `from`, and its caller. False: it is the last frame. */
bool frame_step_outward(struct symbols *s, struct frame *from, const struct frame_rules *rules,
                        struct stack_window *window, struct frame *ret, const char **ret_why);
/* call_sites.c: a call that debug information describes. */
struct call_site {
    struct module *module;
    Dwarf_Die die;
    u64 return_pc;
    bool tail; /* it is a tail call */
};
/* Finds the call that returns to the pc, or the tail call before it. */
bool call_site_at(struct symbols *s, u64 return_pc, struct call_site *ret);
/* Finds the entry of the function that is called; `caller` (may be NULL) is the caller's frame,
 * needed for calls through a register. */
bool call_site_target(struct symbols *s, struct call_site *c, const struct frame *caller, u64 *ret);
/* Lists the tail calls (struct call_site) of the function with this entry; none without debug
 * information. */
void call_sites_by_jump(struct symbols *s, u64 entry, struct list *ret);
/* Finds the value that a parameter had at the call: an expression over the caller's frame. `wanted`
 * is the register or stack place that it was in. */
bool call_site_value(struct call_site *c, const Dwarf_Op *wanted, Dwarf_Attribute *ret);
/* The same for a parameter that the optimiser removed: no register has it. */
bool call_site_parameter(struct call_site *c, const Dwarf_Die *parameter, Dwarf_Attribute *ret);
/* Finds the entry of the function around the pc. */
bool function_entry(struct symbols *s, u64 pc, u64 *ret);

struct tail_circle {
    u64 entry;
    bool closed;
};
/* True if a chain of tail calls can lead back to the function without a return. Then a frame may
 * belong to a later call. */
bool tail_calls_itself(struct symbols *s, u64 entry);
/* tail_calls.c: lists the return addresses (u64) of the tail calls that lead from the caller to the
 * function at `callee`, innermost first. */
void tail_calls_between(struct symbols *s, const struct frame *caller, u64 callee,
                        struct list *ret);

void frame_set_register(struct frame *f, unsigned number, u64 value);
/* Makes `f` a caller: its pc is after the call, its stack as after the return. */
void frame_go_on(struct frame *f, u64 rsp, u64 pc);
/* epilogue.c: finds the caller from the function's code between here and its return; false: not
 * possible. */
bool frame_read_on(struct symbols *s, const struct frame *from, struct frame *ret, u64 *ret_cfa);

/* instructions.c: the DWARF number of the general register that contains a Zydis register; -1:
 * none. */
int code_register_number(int zydis_register);
/* The general registers, as bits, that the instructions between the addresses may write; all if
 * that cannot be told. */
u32 code_written(struct symbols *s, u64 start, u64 end);
/* True if an instruction between the addresses uses an AVX register. */
bool code_uses_wide_vectors(struct symbols *s, u64 start, u64 end);
/* Reads as many bytes as possible; code may end with its mapping. */
enum { INSTRUCTION_LONGEST = 15 };
size_t code_read(struct symbols *s, u64 pc, u8 bytes[INSTRUCTION_LONGEST]);

/* Calls `visit` for each unit, until it returns false. */
void module_each_unit(struct module *m, bool (*visit)(void *context, Dwarf_Die *unit),
                      void *context);

struct function_symbol *module_functions(struct module *m, size_t *ret_count);
/* Returns the function around the address; NULL: none. */
struct function_symbol *module_function(struct module *m, u64 address);
/* The same symbol, or another at the same place that has the name in the source. */
struct function_symbol *module_function_written(struct module *m, struct function_symbol *f);
/* Where a breakpoint on the function stops (prologue.c). */
u64 function_body(struct symbols *s, const struct function_symbol *f);
/* True if the address is in a code section. */
bool module_in_code(struct module *m, u64 address);
const char *function_name(struct function_symbol *f);
/* The length of a symbol without the suffix of a compiler-made clone. */
size_t function_plain_length(const char *raw);
/* True if the compiler made it of the function `wanted`. */
bool function_is_clone(const struct function_symbol *f, const char *wanted);
/* True for a clone that takes other parameters than the function in the source. */
bool function_has_other_parameters(const struct function_symbol *f);
/* True if a name written by the user means the function. */
bool function_is_named(struct function_symbol *f, const char *wanted);
/* Demangles a symbol (demangle.c); NULL: it is not mangled. The caller frees it. */
char *demangle(const char *raw, bool *ret_rust);
void module_drop_functions(struct module *m);
/* Adds the linker's stubs to the module's functions (stubs.c). */
void module_add_stubs(struct module *m);

/* Adds the entries of an inlined function's instances (struct inlined_entry). */
struct inlined_entry {
    u64 pc;
    u32 inside; /* number of functions inlined into it at this place, each into the next */
};
/* The number of inlined functions around the pc, from the innermost to the DIE, or all if it is
 * NULL. */
u32 module_inlined_at(struct module *m, u64 pc, const Dwarf_Die *outermost);
void module_inlined(struct module *m, const char *name, struct list *ret);

/* signatures.c. signature_fits: true if a user's name means the function with this demangled name.
 * signature_may_fit: true if it could, by the name in the symbol table. */
bool signature_fits(const char *name, const char *wanted);
bool signature_may_fit(const char *raw, const char *wanted);

const struct step_point *module_points(struct module *m, size_t *ret_count);
/* Returns at least the points of the unit around the address. */
const struct step_point *module_points_around(struct module *m, u64 address, size_t *ret_count);
void module_drop_points(struct module *m);
void module_drop_names(struct module *m);

/* Fills in the CFA rules of points; a rule holds for a range of addresses. */
void symbols_fill_cfa(struct symbols *s, struct step_point *points, size_t count);

/* Returns the one copy of the text, valid as long as the symbols. */
const char *symbols_intern(struct symbols *s, const char *text);

/* The name of a file of the unit, absolute if that is known; that of a line's file. */
const char *unit_file(struct symbols *s, Dwarf_Die *unit, const char *name);
const char *line_file(struct symbols *s, Dwarf_Die *unit, Dwarf_Line *line);

#endif
