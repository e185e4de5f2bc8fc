/* Symbols: the program as its author sees it: files, functions, lines, frames.
 *
 * This folder knows nothing of time. Its callers provide functions that read memory at the current
 * moment and that open files of the recording. It uses elfutils' libdw to read ELF and DWARF.
 * Malformed data there is treated as missing, never a crash.
 *
 *   modules.c     ELF files in the address space, their debug information wherever it is
 *   line_table.c  line tables and step points
 *   places.c      places that a user names
 *   functions.c   functions by address and by name, inlined ones too; symbols without debug
 *                 information
 *   stubs.c       the linker's stubs, as functions
 *   prologue.c    where a breakpoint on a function stops
 *   inlined.c     instances of functions that were inlined, by name
 *   signatures.c  which functions a name means
 *   frames.c      lists of frames, with inlined functions and tail calls
 *   unwind.c      a frame's caller, by CFI; through signal frames and code without such information
 *   tail_calls.c  functions that called another by a jump
 *   call_sites.c  what debug information says about calls
 *   epilogue.c    the caller of a function without such information
 *   scopes.c      functions that were inlined into others, and blocks
 *   instructions.c  where instructions begin, and which ones call
 *   sources.c     lines of source text
 *
 * types and values are in values.h.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "base/error.h"
#include "base/registers.h"
#include "base/types.h"

struct symbols;

struct symbols_host {
    /* Reads all of the bytes, or returns false. */
    bool (*read)(void *context, u64 address, void *to, size_t size);
    /* Like `read`, for memory that is not part of a value, such as the linker's lists. NULL: use
     * `read`. */
    bool (*peek)(void *context, u64 address, void *to, size_t size);
    /* Opens a file of the recording by its original path, for reading; -1: there is none. */
    int (*open)(void *context, const char *path);
    void *context;
};

/* A part of a file in the address space. */
struct symbols_area {
    u64 start, end, offset;
    const char *path;
    /* known to have no code; a file whose areas are all like this is data, whatever its content */
    bool no_code;
};

void symbols_create(const struct symbols_host *host, struct symbols **ret);
void symbols_destroy(struct symbols *s); /* accepts NULL */

/* Sets what is mapped now, ordered by address. Call it before anything else, and whenever mappings
 * may have changed; it is cheap if they have not. Pointers that were returned before stay valid
 * until their module is unmapped. */
void symbols_update(struct symbols *s, const struct symbols_area *areas, size_t count);
u32 symbols_version(const struct symbols *s); /* changes when modules were added or removed */

struct symbols_module {
    const char *path;
    u64 start, end, bias; /* address = bias + address in the file */
    bool has_debug;
};
const struct symbols_module *symbols_modules(const struct symbols *s, size_t *ret_count);

/* --- lines ---------------------------------------------------------------------------- */

struct line_place {
    const char *file;  /* absolute if the compiler recorded that; valid as long as its module */
    unsigned line, column;
    u64 start, end;    /* address range of the row */
    bool is_stmt;
};
bool symbols_line(struct symbols *s, u64 pc, struct line_place *ret);

/* How to find the canonical frame address at a pc: register (DWARF's number: 6 rbp, 7 rsp, ...)
 * plus offset. */
struct cfa_rule {
    /* 0: only by unwinding; 1: register plus offset; 2: the value in memory at that address */
    u8 known;
    u8 reg;
    i16 unused;
    i32 offset;
};

/* docs/movement.md defines step points. Sorted by pc; skipped ones are left out. */
struct step_point {
    u64 pc;
    const char *file;
    u32 line;
    bool entry;         /* the first point of its function, after the prologue */
    /* In code between a call and the function that is meant: the dynamic linker, the resolver of an
     * IFUNC, or a C++ thunk. */
    bool detour;
    struct cfa_rule cfa;
    /* address of the first instruction of the out-of-line function that contains it */
    u64 function;
};
const struct step_point *symbols_step_points(struct symbols *s, size_t *ret_count);
const struct step_point *symbols_step_point_at(struct symbols *s, u64 pc); /* NULL: none */
/* True if a point at this address would be a detour. */
bool symbols_is_detour(struct symbols *s, u64 pc);
/* symbols_is_resolver: true if the pc is in the resolver of an IFUNC. symbols_resolvers: the
 * entries of resolvers that have step points and call other functions; the caller frees *ret. */
bool symbols_is_resolver(struct symbols *s, u64 pc);
void symbols_resolvers(struct symbols *s, u64 **ret, size_t *ret_count);
/* Changes whenever the step points are not the same as before. */
u32 symbols_points_number(struct symbols *s);

/* `skip FILE|FUNC`: removes the step points of a file or function, or adds them again. */
struct error *symbols_skip(struct symbols *s, const char *what, bool skip);

/* Finds the addresses that a user names: FUNCTION, FILE:LINE, LINE (of `here`'s file),
 * FILE:FUNCTION, *ADDRESS, +N, -N, Class::method, f(int). A line without code means the next one
 * with code. The caller frees *ret. An error says what does not exist. */
struct code_place {
    u64 pc;
    u32 inside;       /* number of functions inlined there into the one that was named */
    const char *file; /* NULL: no line information */
    unsigned line;
    const char *function;
};
/* Finds the line of a place in the function that was named. If others are inlined there, it is the
 * line that calls them. */
bool symbols_place_line(struct symbols *s, const struct code_place *place, struct line_place *ret);
struct error *symbols_locate(struct symbols *s, const char *text, const struct line_place *here,
                             struct code_place **ret, size_t *ret_count);

/* --- functions -------------------------------------------------------------------------- */

struct function_info {
    const char *name; /* demangled, with its parameter types for C++; valid as long as its module */
    u64 start, end;     /* the range around the pc */
    u64 entry;          /* lowest address of the function */
    /* Where a breakpoint on it stops: its parameters can be read there. Equal to `entry` without
     * line information. */
    u64 body;
    bool has_lines;
    const char *file;   /* where it is declared; NULL: not known */
    unsigned line;
};
/* Finds the out-of-line function that contains the pc, from the symbol table if there is no debug
 * information. */
bool symbols_function(struct symbols *s, u64 pc, struct function_info *ret);
/* Returns the name of the innermost function that was inlined at the pc; NULL: none. Owned by the
 * symbols. */
const char *symbols_inlined(struct symbols *s, u64 pc);
/* Returns the name of the innermost function at the pc, inlined or not, as a backtrace shows it;
 * NULL: not known. Owned by the symbols. */
const char *symbols_innermost(struct symbols *s, u64 pc);
/* Returns "main+12", "puts@plt", "environ+4", "0x1234"; the caller frees it. */
char *symbols_describe(struct symbols *s, u64 pc);
/* The same with the name that other modules see, where the source has another ("malloc" for
 * __libc_malloc). */
char *symbols_describe_linked(struct symbols *s, u64 pc);
const char *symbols_section(struct symbols *s, u64 address); /* ".text"; NULL: not known */
/* Returns "N::f<int>" for "char N::f<int>(int)": without return type and parameters. The caller
 * frees it. */
char *symbols_bare_name(const char *name);
/* Returns up to `most` names with this beginning, for completion; the caller frees *ret and its
 * strings. */
void symbols_complete(struct symbols *s, const char *beginning, size_t most, char ***ret,
                      size_t *ret_count);

/* --- parts of functions ------------------------------------------------------------------- */

/* The functions inlined into the one around the pc, and its blocks (`block`: in which scope), each
 * before those inside of it. Scope 0 is the function itself, which comes first; it may have parts
 * elsewhere. The caller frees *ret. */
struct scope_range {
    u64 start, end;
    u64 die; /* ranges of the same function or block have the same number */
    u32 scope;
    bool block;
};
void symbols_scopes(struct symbols *s, u64 pc, struct scope_range **ret, size_t *ret_count);
u32 scope_at(const struct scope_range *ranges, size_t count, u64 pc);
u32 symbols_scope_parent(const struct symbols *s, u32 scope); /* always a smaller number */
u32 symbols_scope_count(const struct symbols *s); /* all numbers are below it */

enum instruction_kind { INSTRUCTION_PLAIN, INSTRUCTION_CALL, INSTRUCTION_RETURN, INSTRUCTION_JUMP };

struct instruction {
    u64 pc;
    u8 length;
    u8 kind;    /* enum instruction_kind */
    u64 target; /* for a direct jump or call; 0: another kind */
};
bool symbols_instruction(struct symbols *s, u64 pc, struct instruction *ret);
/* Decodes instructions one after the other, as far as they can be read; the caller frees *ret. */
void symbols_instructions(struct symbols *s, u64 start, u64 end, struct instruction **ret,
                          size_t *ret_count);
/* Finds where a call that returns to the pc may be. */
enum { CALLS_BEFORE_MOST = 8 };
size_t symbols_calls_before(struct symbols *s, u64 pc, u64 ret[CALLS_BEFORE_MOST]);

/* --- frames ----------------------------------------------------------------------------- */

/* general registers and the return address, by DWARF's numbers */
enum { FRAME_REGISTERS = DWARF_RIP + 1 };

struct frame {
    u64 pc;            /* where it continues; look up pc - 1 if `called` */
    bool called;       /* pc is a return address */
    bool signal;       /* it is the kernel's signal trampoline */
    bool inlined;      /* a part of the next frame, with the same registers */
    /* It tail-called the frame before it: it has ended, and does not return itself. */
    bool tail;
    u64 cfa;
    u64 reg[FRAME_REGISTERS];
    u32 known;         /* bits: which of reg[] could be recovered */
    const char *function; /* NULL: not known */
    const char *module;
    struct line_place place; /* file NULL: none */
};

/* Returns up to `most` frames from the registers of a thread, innermost first; the caller frees
 * *ret. `ret_why` (may be NULL) gets the reason if the list ended early, or NULL. */
struct error *symbols_unwind(struct symbols *s, const u64 reg[FRAME_REGISTERS], size_t most,
                             struct frame **ret, size_t *ret_count, const char **ret_why);
/* The same, step by step. Frames are valid until the next call; at least `least` of them are found
 * unless the stack has fewer. */
struct unwinding;
struct unwinding *unwinding_create(struct symbols *s, const u64 reg[FRAME_REGISTERS]);
/* The same for a stack that does not run (a parked goroutine), of which only these registers are
 * known. */
struct unwinding *unwinding_create_parked(struct symbols *s, u64 pc, u64 sp, u64 bp);
/* Treats this many inlined functions as not yet entered: the innermost frame is that of the
 * function into which they are inlined. */
void unwinding_stand_before(struct unwinding *u, u32 inlined);
struct frame *unwinding_frames(struct unwinding *u, size_t least, size_t *ret_count);
/* true if all frames are found */
bool unwinding_ended(const struct unwinding *u, const char **ret_why);
void unwinding_destroy(struct unwinding *u); /* accepts NULL */
bool symbols_cfa_rule(struct symbols *s, u64 pc, struct cfa_rule *ret);

/* --- source text ------------------------------------------------------------------------ */

/* Returns the line without its newline, valid as long as s; NULL: the file is not available, or has
 * fewer lines. */
const char *symbols_source_line(struct symbols *s, const char *file, unsigned line);
unsigned symbols_source_lines(struct symbols *s, const char *file); /* 0: not available */

#endif
