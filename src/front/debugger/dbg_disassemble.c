/* disassemble, and the instructions that x/i shows.
 *
 * instruction_text() prints an instruction; this file adds the address, the function and offset,
 * and names for the targets of jumps and calls. `set disassembly-flavor` chooses the syntax.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"
#include "symbols/instruction_text.h"

enum { BYTES_WIDTH = 3 * 10 };

/* Prints "<main+12>", for addresses in a module. */
void dbg_say_symbol(struct dbg *d, u64 address)
{
    struct symbols *symbols;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err) {
        error_destroy(err);
        return;
    }
    char *text = symbols_describe(symbols, address);
    if (strncmp(text, "0x", 2) != 0)
        dbg_say(d, " <%s>", text);
    free(text);
}

u64 dbg_pc(struct dbg *d)
{
    const struct frame *f = debug_real_frame(d->debug);
    struct session_place place;
    session_place(d->debug->session, &place);
    return f ? f->pc : place.at.pc;
}

/* --- one instruction -------------------------------------------------------------------------- */

static void say_bytes(struct dbg *d, const u8 *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dbg_say(d, "%02x ", bytes[i]);
    dbg_say(d, "%*s", 3 * count < BYTES_WIDTH ? (int)(BYTES_WIDTH - 3 * count) : 0, "");
}

size_t dbg_say_instruction(struct dbg *d, u64 at, bool with_bytes)
{
    struct instruction_text insn;
    u8 bytes[INSTRUCTION_MOST];
    size_t got = 0;
    struct error *err = session_read(d->debug->session, at, bytes, sizeof bytes, &got);
    error_destroy(err);
    if (err || !got)
        return 0;
    bool good = instruction_text(at, bytes, got, d->settings.att, &insn);
    size_t length = good ? insn.length : 1;
    if (with_bytes)
        say_bytes(d, bytes, length);
    dbg_say(d, "%s", good ? insn.text : "(bad)");
    for (unsigned i = 0; i < insn.target_count; i++)
        dbg_say_symbol(d, insn.targets[i]);
    dbg_say(d, "\n");
    return length;
}

/* --- disassemble ------------------------------------------------------------------------------ */

struct disassembly {
    u64 start, end;
    const char *name; /* of the function; NULL: a range */
    bool with_bytes, with_source;
};

static struct error *place_named(struct dbg *d, const char *args, u64 *ret)
{
    struct symbols *symbols;
    struct code_place *places;
    size_t count;
    struct function_info info;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    err = symbols_locate(symbols, args, NULL, &places, &count);
    if (!err) {
        *ret = symbols_function(symbols, places[0].pc, &info) ? info.entry : places[0].pc;
        free(places);
        return NULL;
    }
    error_destroy(err);
    return debug_address_of(d->debug, args, ret);
}

/* START,END or START,+LENGTH */
static struct error *dbg_disassemble_read_range(struct dbg *d, const char *args, const char *comma,
                                                struct disassembly *ret)
{
    const char *to = comma + 1 + strspn(comma + 1, " \t");
    u64 number;
    char *from = xformat("%.*s", (int)(comma - args), args);
    struct error *err = place_named(d, from, &ret->start);
    free(from);
    if (!err)
        err =
            *to == '+' ? debug_address_of(d->debug, to + 1, &number) : place_named(d, to, &number);
    if (err)
        return err;
    ret->end = *to == '+' ? ret->start + number : number;
    return ret->end > ret->start ? NULL
                                 : error_coded(ERROR_MISUSED, "the range ends before it begins");
}

static struct error *read_function(struct dbg *d, const char *args, struct disassembly *ret)
{
    struct symbols *symbols;
    struct function_info info;
    u64 pc = dbg_pc(d);
    struct error *err = *args ? place_named(d, args, &pc) : NULL;
    if (!err)
        err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    if (!symbols_function(symbols, pc, &info) || info.end <= info.start)
        return error_coded(ERROR_NOT_FOUND,
                           "no function is known at 0x%llx; x/10i shows instructions",
                           (unsigned long long)pc);
    ret->start = info.start;
    ret->end = info.end;
    ret->name = info.name ? info.name : "??";
    return NULL;
}

/* Finds the comma between two places, which is not one of "f(int, char)". */
static const char *find_comma(const char *args)
{
    unsigned deep = 0;
    for (; *args && (deep || *args != ','); args++) {
        deep += *args == '(' || *args == '<';
        deep -= (*args == ')' || *args == '>') && deep;
    }
    return *args ? args : NULL;
}

/* Prints the source line where a new one begins. */
static void say_line(struct dbg *d, u64 at, struct line_place *last)
{
    struct symbols *symbols;
    struct line_place line;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (!err && symbols_line(symbols, at, &line) &&
        (line.line != last->line || line.file != last->file)) {
        const char *text = symbols_source_line(symbols, line.file, line.line);
        char *file = dbg_short_path(d, line.file);
        if (text)
            dbg_say(d, "%s:%u  %s\n", file, line.line, text);
        else
            dbg_say(d, "%s:%u\n", file, line.line);
        free(file);
        *last = line;
    }
    error_destroy(err);
}

static struct error *say_listing(struct dbg *d, const struct disassembly *l)
{
    u64 here = dbg_pc(d);
    struct line_place last = {0};
    if (l->name)
        dbg_say(d, "%s:\n", l->name);
    for (u64 at = l->start; at < l->end;) {
        if (l->with_source)
            say_line(d, at, &last);
        dbg_colour(d, at == here ? "1" : "");
        dbg_say(d, "%s 0x%llx", at == here ? "=>" : "  ", (unsigned long long)at);
        if (l->name)
            dbg_say(d, " <+%llu>", (unsigned long long)(at - l->start));
        else
            dbg_say_symbol(d, at);
        dbg_say(d, ":\t");
        size_t length = dbg_say_instruction(d, at, l->with_bytes);
        dbg_colour(d, "");
        if (!length) {
            dbg_say(d, "(no memory)\n");
            return NULL;
        }
        at += length;
    }
    return NULL;
}

/* disassemble [/rs] [FUNCTION | ADDRESS | START,END | START,+LENGTH] */
struct error *dbg_disassemble(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct disassembly l = {0};
    char options[8];
    (void)c;
    struct error *err = dbg_split_format(&args, options, sizeof options);
    if (err)
        return err;
    if (options[strspn(options, "rsm")])
        return error_coded(ERROR_MISUSED, "'/%s' is not for disassemble: /r shows bytes, /s source",
                           options);
    l.with_bytes = strchr(options, 'r');
    l.with_source = strpbrk(options, "sm");
    const char *comma = find_comma(args);
    err = comma ? dbg_disassemble_read_range(d, args, comma, &l) : read_function(d, args, &l);
    return err ? err : say_listing(d, &l);
}
