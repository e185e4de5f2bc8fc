/* Symbols: the program as its author sees it.  Files, functions, lines, frames.
 *
 * Knows nothing of time: it is given functions that read memory at the current moment, and that
 * open files of the recording. Built on elfutils' libdw, which reads ELF and DWARF; what is
 * malformed there is "not available" here, never a crash.
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
 *   frames.c      lists of frames, with inlined functions and those that jumped to the next
 *   unwind.c      a frame's caller, by CFI; through signal frames and code without such information
 *   tail_calls.c  functions that called another by a jump
 *   call_sites.c  what debug information says of calls
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
    /* All of the bytes, or false. */
    bool (*read)(void *context, u64 address, void *to, size_t size);
    /* The same for what is no part of any value: the linker's lists.  NULL: `read` will do. */
    bool (*peek)(void *context, u64 address, void *to, size_t size);
    /* A file of the recording by its original path, open for reading; -1: there is none. */
    int (*open)(void *context, const char *path);
    void *context;
};

/* A piece of a file in the address space. */
struct symbols_area {
    u64 start, end, offset;
    const char *path;
    /* known to have no code: a file whose areas are all so is data, whatever its contents */
    bool no_code;
};

void symbols_create(const struct symbols_host *host, struct symbols **ret);
void symbols_destroy(struct symbols *s); /* accepts NULL */

/* What is mapped now, ordered by address: called before anything else, and when it may have
 * changed; cheap when it has not. Pointers that were returned before are valid until a module is
 * unmapped. */
void symbols_update(struct symbols *s, const struct symbols_area *areas, size_t count);
u32 symbols_version(const struct symbols *s); /* another number when modules came or went */

struct symbols_module {
    const char *path;
    u64 start, end, bias; /* address = bias + address in the file */
    bool has_debug;
};
const struct symbols_module *symbols_modules(const struct symbols *s, size_t *ret_count);

/* --- lines ---------------------------------------------------------------------------- */

struct line_place {
    const char *file;  /* absolute where the compiler said so much; valid as long as its module */
    unsigned line, column;
    u64 start, end;    /* of the row */
    bool is_stmt;
};
bool symbols_line(struct symbols *s, u64 pc, struct line_place *ret);

/* How to find the canonical frame address at a pc: register (DWARF's number: 6 rbp, 7 rsp, ...)
 * plus offset. */
struct cfa_rule {
    u8 known; /* 0: only by unwinding; 1: as said; 2: it is what lies in memory there */
    u8 reg;
    i16 unused;
    i32 offset;
};

/* docs/movement.md defines step points.  Sorted by pc; without those that are skipped. */
struct step_point {
    u64 pc;
    const char *file;
    u32 line;
    bool entry;         /* the first of its function, after the prologue */
    /* On the way from a call to the function that is meant: in the dynamic linker, in the resolver
     * of an IFUNC, or in a thunk of C++. */
    bool detour;
    struct cfa_rule cfa;
    /* address of the first instruction of the function (out-of-line) that it is in */
    u64 function;
};
const struct step_point *symbols_step_points(struct symbols *s, size_t *ret_count);
const struct step_point *symbols_step_point_at(struct symbols *s, u64 pc); /* NULL: none */
/* Would one at this address be a detour? */
bool symbols_is_detour(struct symbols *s, u64 pc);
/* Is it in the resolver of an IFUNC?  And the entries of those that have step points and call
 * others; *ret to be freed. */
bool symbols_is_resolver(struct symbols *s, u64 pc);
void symbols_resolvers(struct symbols *s, u64 **ret, size_t *ret_count);
/* Another number when others were gathered than the last time. */
u32 symbols_points_number(struct symbols *s);

/* `skip FILE|FUNC`: takes the step points of a file or a function away, or gives them back. */
struct error *symbols_skip(struct symbols *s, const char *what, bool skip);

/* Addresses that a user means: FUNCTION, FILE:LINE, LINE (of `here`'s file), FILE:FUNCTION,
 * *ADDRESS, +N, -N, Class::method, f(int). A line without code: the next one with it.  *ret to be
 * freed.  An error says what there is not. */
struct code_place {
    u64 pc;
    u32 inside;       /* functions that are inlined there into the one that was named */
    const char *file; /* NULL: no line information */
    unsigned line;
    const char *function;
};
/* The line of a place, in the function that was named: where others are inlined there, the line
 * that calls them. */
bool symbols_place_line(struct symbols *s, const struct code_place *place, struct line_place *ret);
struct error *symbols_locate(struct symbols *s, const char *text, const struct line_place *here,
                             struct code_place **ret, size_t *ret_count);

/* --- functions -------------------------------------------------------------------------- */

struct function_info {
    const char *name;   /* demangled, with its parameters' types for C++; valid as long as its
                         * module */
    u64 start, end;     /* of the range around the pc */
    u64 entry;          /* low address of the function */
    /* Where a breakpoint on it stops: its parameters can be read there. == entry without lines. */
    u64 body;
    bool has_lines;
    const char *file;   /* where it is declared; NULL: not known */
    unsigned line;
};
/* The out-of-line function that holds the pc; from the symbol table where there is no debug
 * information. */
bool symbols_function(struct symbols *s, u64 pc, struct function_info *ret);
/* "main+12", "puts@plt", "environ+4", "0x1234": to be freed. */
char *symbols_describe(struct symbols *s, u64 pc);
const char *symbols_section(struct symbols *s, u64 address); /* ".text"; NULL: not known */
/* "N::f<int>" of "char N::f<int>(int)": without what it returns and takes.  To be freed. */
char *symbols_bare_name(const char *name);
/* Names that begin so, for completion; *ret and its strings to be freed.  At most `most`. */
void symbols_complete(struct symbols *s, const char *beginning, size_t most, char ***ret,
                      size_t *ret_count);

/* --- parts of functions ------------------------------------------------------------------- */

/* Functions that were inlined into the one around the pc, and its blocks (`block`: of the scope
 * that they are in), each before what lies in it.  Scope 0 is the function itself, which comes
 * first; it may have parts elsewhere.  *ret to be freed. */
struct scope_range {
    u64 start, end;
    u64 die; /* ranges with the same are of one */
    u32 scope;
    bool block;
};
void symbols_scopes(struct symbols *s, u64 pc, struct scope_range **ret, size_t *ret_count);
u32 scope_at(const struct scope_range *ranges, size_t count, u64 pc);
u32 symbols_scope_parent(const struct symbols *s, u32 scope); /* a smaller number */
u32 symbols_scope_count(const struct symbols *s); /* numbers are below it */

enum instruction_kind { INSTRUCTION_PLAIN, INSTRUCTION_CALL, INSTRUCTION_RETURN, INSTRUCTION_JUMP };

struct instruction {
    u64 pc;
    u8 length;
    u8 kind;    /* enum instruction_kind */
    u64 target; /* of a direct jump or call; 0: another */
};
bool symbols_instruction(struct symbols *s, u64 pc, struct instruction *ret);
/* One after the other, as far as they can be read; *ret to be freed. */
void symbols_instructions(struct symbols *s, u64 start, u64 end, struct instruction **ret,
                          size_t *ret_count);
/* Where a call could be that returns to the pc. */
enum { CALLS_BEFORE_MOST = 8 };
size_t symbols_calls_before(struct symbols *s, u64 pc, u64 ret[CALLS_BEFORE_MOST]);

/* --- frames ----------------------------------------------------------------------------- */

/* general registers and the return address, by DWARF's numbers */
enum { FRAME_REGISTERS = DWARF_RIP + 1 };

struct frame {
    u64 pc;            /* where it goes on; look up pc - 1 if `called` */
    bool called;       /* pc is a return address */
    bool signal;       /* it is the kernel's signal trampoline */
    bool inlined;      /* a part of the next frame, without registers of its own */
    /* It called the frame before it by a jump: it is over, and has no return of its own. */
    bool tail;
    u64 cfa;
    u64 reg[FRAME_REGISTERS];
    u32 known;         /* bits of reg[] that could be recovered */
    const char *function; /* NULL: not known */
    const char *module;
    struct line_place place; /* file NULL: none */
};

/* From the registers of a thread, innermost first, at most `most`; *ret to be freed.  `ret_why`
 * (may be NULL) gets why it ended early, or NULL. */
struct error *symbols_unwind(struct symbols *s, const u64 reg[FRAME_REGISTERS], size_t most,
                             struct frame **ret, size_t *ret_count, const char **ret_why);
/* The same, made step by step. Frames are valid until the next call; there are at least `least` of
 * them unless the stack has fewer. */
struct unwinding;
struct unwinding *unwinding_create(struct symbols *s, const u64 reg[FRAME_REGISTERS]);
/* The same of a stack at rest, of which no more is known. */
struct unwinding *unwinding_create_parked(struct symbols *s, u64 pc, u64 sp, u64 bp);
/* So many inlined functions are not entered yet: the innermost frame is that of the function
 * that they are inlined into. */
void unwinding_stand_before(struct unwinding *u, u32 inlined);
struct frame *unwinding_frames(struct unwinding *u, size_t least, size_t *ret_count);
bool unwinding_ended(const struct unwinding *u, const char **ret_why); /* has it them all? */
void unwinding_destroy(struct unwinding *u); /* accepts NULL */
bool symbols_cfa_rule(struct symbols *s, u64 pc, struct cfa_rule *ret);

/* --- source text ------------------------------------------------------------------------ */

/* The line without its end, valid as long as s; NULL: the file is not to be had, or has fewer. */
const char *symbols_source_line(struct symbols *s, const char *file, unsigned line);
unsigned symbols_source_lines(struct symbols *s, const char *file); /* 0: not to be had */

#endif
