/* Memory and instructions.
 *
 * The protocol sends memory in base64.  It asks for instructions by an address, an offset in
 * instructions that may be negative, and a count, and expects exactly that many rows.
 * Instructions of x86 can only be decoded forward, so those before an address are found from the
 * beginning of their function.  Where nothing can be decoded, rows say so.
 */
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"
#include "symbols/instruction_text.h"

enum { MEMORY_MOST = 16 << 20, INSTRUCTIONS_MOST = 100000 };

struct error *dap_address(struct dap *s, const char *text, u64 *ret)
{
    char *end;
    text += strspn(text, " \t");
    if (*text >= '0' && *text <= '9') {
        *ret = strtoull(text, &end, 0);
        if (!end[strspn(end, " \t")])
            return NULL;
    }
    return debug_address_of(s->debug, text, ret);
}

/* --- memory ----------------------------------------------------------------------------------- */

static char *base64(const u8 *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = xalloc((size + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; i < size; i += 3) {
        u32 n = (u32)bytes[i] << 16 | (i + 1 < size ? (u32)bytes[i + 1] << 8 : 0) |
                (i + 2 < size ? bytes[i + 2] : 0);
        *to++ = digits[n >> 18];
        *to++ = digits[n >> 12 & 63];
        *to++ = i + 1 < size ? digits[n >> 6 & 63] : '=';
        *to++ = i + 2 < size ? digits[n & 63] : '=';
    }
    *to = '\0';
    return text;
}

struct error *dap_read_memory(struct dap *s, const struct json_value *args)
{
    const char *reference;
    i64 count;
    u64 address;
    struct error *err = dap_text(args, "memoryReference", &reference);
    if (!err)
        err = dap_integer(args, "count", &count);
    if (!err)
        err = dap_address(s, reference, &address);
    if (!err && (count < 0 || count > MEMORY_MOST))
        err = error_coded(ERROR_MISUSED, "'count' is from 0 to %u", MEMORY_MOST);
    if (err)
        return err;
    address += (u64)json_member_integer(args, "offset", 0);
    size_t got = 0;
    u8 *bytes = xalloc((size_t)count + 1);
    err = session_read(s->debug->session, address, bytes, (size_t)count, &got);
    if (!err) {
        struct json *j = dap_body(s);
        json_hex(j, "address", address);
        if (got < (size_t)count)
            json_unsigned(j, "unreadableBytes", (u64)count - got);
        if (got) {
            char *text = base64(bytes, got);
            json_string(j, "data", text);
            free(text);
        }
    }
    free(bytes);
    return err;
}

/* --- instructions ----------------------------------------------------------------------------- */

struct dap_listing {
    struct dap *s;
    struct symbols *symbols;
    bool with_symbols;
    const char *file; /* file of the last line that was written */
    unsigned line;
};

static void write_bytes(struct json *j, const u8 *bytes, size_t size)
{
    char text[3 * INSTRUCTION_MOST + 1] = "";
    for (size_t i = 0; i < size; i++)
        snprintf(text + 3 * i, 4, "%02x%s", bytes[i], i + 1 < size ? " " : "");
    json_string(j, "instructionBytes", text);
}

/* Adds the source line where a new one begins. */
static void listing_line(struct dap_listing *l, struct json *j, u64 at)
{
    struct line_place line;
    if (!symbols_line(l->symbols, at, &line) || !line.file)
        return;
    if (line.line == l->line && line.file == l->file)
        return;
    dap_source_json(l->s, "location", j, line.file);
    json_signed(j, "line", (i64)line.line - 1 + l->s->first_line);
    l->file = line.file;
    l->line = line.line;
}

static char *text_with_targets(struct dap_listing *l, const struct instruction_text *t)
{
    char *text = xformat("%s", t->text);
    for (unsigned i = 0; i < t->target_count; i++) {
        char *name = symbols_describe(l->symbols, t->targets[i]);
        if (strncmp(name, "0x", 2) != 0) {
            char *longer = xformat("%s <%s>", text, name);
            free(text);
            text = longer;
        }
        free(name);
    }
    return text;
}

/* Returns its length, at least 1. */
static size_t write_instruction(struct dap_listing *l, struct json *j, u64 at)
{
    u8 bytes[INSTRUCTION_MOST];
    size_t got = 0;
    struct instruction_text t;
    error_destroy(session_read(l->s->debug->session, at, bytes, sizeof bytes, &got));
    bool good = got && instruction_text(at, bytes, got, false, &t);
    size_t length = good ? t.length : 1;
    json_open(j, NULL, '{');
    json_hex(j, "address", at);
    if (got)
        write_bytes(j, bytes, length);
    char *text = good ? text_with_targets(l, &t) : xformat(got ? "(bad)" : "(no memory)");
    json_string(j, "instruction", text);
    free(text);
    char *symbol = l->with_symbols ? symbols_describe(l->symbols, at) : NULL;
    if (symbol && strncmp(symbol, "0x", 2) != 0)
        json_string(j, "symbol", symbol);
    free(symbol);
    if (!good)
        json_string(j, "presentationHint", "invalid");
    listing_line(l, j, at);
    json_close(j, '}');
    return length;
}

/* Finds the instructions before an address, decoded from the beginning of a function. *ret_count
 * may be less than wanted; the first of them is at *ret. */
static u64 listing_before(struct symbols *symbols, u64 address, u64 wanted, u64 *ret_count)
{
    struct list found = LIST(u64);
    u64 at = address;
    while (found.count < wanted) {
        struct function_info info;
        struct instruction *list;
        size_t count;
        u64 end = at;
        if (!symbols_function(symbols, found.count ? at - 1 : at, &info) || info.start > at ||
            (info.start == at && found.count))
            break;
        if (info.start == at) { /* the function before it */
            if (!symbols_function(symbols, at - 1, &info) || info.start >= at)
                break;
        }
        symbols_instructions(symbols, info.start, end, &list, &count);
        for (size_t i = count; i > 0 && found.count < wanted; i--)
            *(u64 *)list_add(&found) = list[i - 1].pc;
        bool some = count;
        free(list);
        at = info.start;
        if (!some)
            break;
    }
    *ret_count = found.count;
    u64 first = found.count ? ((u64 *)found.items)[found.count - 1] : address;
    list_deinit(&found);
    return first;
}

struct error *dap_disassemble(struct dap *s, const struct json_value *args)
{
    const char *reference;
    i64 count, shift = json_member_integer(args, "instructionOffset", 0);
    u64 at;
    struct dap_listing l = {.s = s,
                            .with_symbols = json_member_truth(args, "resolveSymbols", true)};
    struct error *err = dap_text(args, "memoryReference", &reference);
    if (!err)
        err = dap_integer(args, "instructionCount", &count);
    if (!err && (count < 0 || count > INSTRUCTIONS_MOST || shift < -INSTRUCTIONS_MOST ||
                 shift > INSTRUCTIONS_MOST))
        err = error_coded(ERROR_MISUSED, "so many instructions are not disassembled at once");
    if (!err)
        err = dap_address(s, reference, &at);
    if (!err)
        err = debug_symbols(s->debug, &l.symbols);
    if (err)
        return err;
    at += (u64)json_member_integer(args, "offset", 0);
    u64 missing = 0;
    if (shift < 0) {
        u64 before;
        at = listing_before(l.symbols, at, (u64)-shift, &before);
        missing = (u64)-shift - before;
    }
    struct json *j = dap_body(s);
    json_open(j, "instructions", '[');
    for (u64 i = 0; i < missing && count > 0; i++, count--) {
        json_open(j, NULL, '{'); /* the protocol wants exactly the requested number of rows */
        json_hex(j, "address", at - (missing - i));
        json_string(j, "instruction", "(not known)");
        json_string(j, "presentationHint", "invalid");
        json_close(j, '}');
    }
    for (; shift > 0; shift--) {
        struct instruction insn;
        at += symbols_instruction(l.symbols, at, &insn) ? insn.length : 1;
    }
    for (; count > 0; count--)
        at += write_instruction(&l, j, at);
    json_close(j, ']');
    return NULL;
}
