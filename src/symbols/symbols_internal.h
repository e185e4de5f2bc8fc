/* What the files of symbols share. */
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
};

/* A range of a compilation unit. */
struct unit_range {
    u64 start, end;
    Dwarf_Off unit; /* offset of its DIE */
    Dwarf *dwarf;
};

struct name_index;

struct module {
    struct symbols_module shown;
    struct symbols *owner;
    int fd;
    bool seen; /* in the present address space */
    Dwfl *dwfl;
    Dwfl_Module *mod;
    Dwarf *dwarf; /* NULL: no debug information */
    Dwarf_Addr dwarf_bias;
    struct {
        Dwarf_CFI *cfi;
        Dwarf_Addr bias;
    } frames[2]; /* .eh_frame, .debug_frame */

    bool functions_made, units_made, points_made, rules_made;
    struct list functions; /* struct function_symbol, by start */
    struct list units;     /* struct unit_range, by start */
    struct list points;    /* struct step_point, by pc; with the rules for their frames if those are made */
    struct list unit_points; /* of the unit that was asked for last, while those of all are not made */
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
    u32 version;
    struct list modules; /* struct module * */
    struct list shown;   /* struct symbols_module, for those who ask for all */
    struct list skipped; /* char * */
    struct list points;  /* of all modules */
    u32 points_version;
    bool points_made;
    u32 points_number;   /* another one when they were gathered anew */
    struct list scopes;  /* struct scope; [0] is none */
    struct list sources; /* struct source_text */
    struct list strings; /* char *, interned: a table of hashes */
};

/* The module that holds the address; NULL: none. */
struct module *module_at(struct symbols *s, u64 address);
/* Is it the program itself, and no library? */
bool module_is_program(struct module *m);
/* Its debug information; false: it has none. */
bool module_load_dwarf(struct module *m);
/* The unit that holds the address, ready to be asked; false: none. */
bool module_unit(struct module *m, u64 address, Dwarf_Die *ret);
/* The chain of DIEs around the pc, the unit first, every inlined function among them; *ret to be freed. */
size_t module_chain(struct module *m, u64 pc, Dwarf_Die **ret);

/* unwind.c: */
void frame_set_register(struct frame *f, unsigned number, u64 value);
/* A caller: behind its call, with the stack as it is then. */
void frame_go_on(struct frame *f, u64 rsp, u64 pc);
/* epilogue.c: the caller, as the function's code from here to its return implies; false: it does not. */
bool frame_read_on(struct symbols *s, const struct frame *from, struct frame *ret, u64 *ret_cfa);

/* instructions.c: DWARF's number of the general register that one of Zydis is a part of; -1: none. */
int code_register_number(int zydis_register);
/* General registers that the instructions from one address to the other may write, as bits; all of them if it cannot be told. */
u32 code_written(struct symbols *s, u64 start, u64 end);
/* Is there an instruction between them that names a register of AVX? */
bool code_uses_wide_vectors(struct symbols *s, u64 start, u64 end);
/* As many bytes as can be read; code may end with its mapping. */
enum { INSTRUCTION_LONGEST = 15 };
size_t code_read(struct symbols *s, u64 pc, u8 bytes[INSTRUCTION_LONGEST]);

/* Each unit in turn; `visit` returns false to end. */
void module_each_unit(struct module *m, bool (*visit)(void *context, Dwarf_Die *unit), void *context);

struct function_symbol *module_functions(struct module *m, size_t *ret_count);
/* The function around the address; NULL: none. */
struct function_symbol *module_function(struct module *m, u64 address);
/* Is the address in a section of code? */
bool module_in_code(struct module *m, u64 address);
const char *function_name(struct function_symbol *f);
/* Does a name that a user has written mean the function? */
bool function_is_named(struct function_symbol *f, const char *wanted);
/* A symbol's name as its language writes it (demangle.c); NULL: it is as it is.  To be freed. */
char *demangle(const char *raw, bool *ret_rust);
void module_drop_functions(struct module *m);

/* Adds the addresses (u64) at which instances of an inlined function begin. */
void module_inlined(struct module *m, const char *name, struct list *ret);

/* Does a user's name mean the function, by its demangled name (signatures.c)?  And could it, by the name in the symbol table? */
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
