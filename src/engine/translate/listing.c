/* A listing of translations next to the guest's code.
 *
 * It is written when a block was translated, since the cache may be emptied later, and the guest's
 * code may change. A program that calls execve continues in the same file.
 */
#include "engine/translate/listing.h"

#include "engine/base/kernel_abi.h"
#include "engine/base/lines.h"
#include "engine/base/settings.h"
#include "engine/base/ticks.h"
#include "engine/translate/fragment.h"
#include "engine/x86_64/block.h"

enum { BYTES_PER_LINE = 32 };

static struct lines file;

void listing_start(void)
{
    if (settings.blocks)
        lines_open(&file, settings.blocks, O_APPEND);
}

/* Adds lines NAME 0xADDRESS BYTES, as many as needed. */
static void listing_add_bytes(const char *name, u64 at, u64 end)
{
    while (at < end) {
        u64 part = end - at < BYTES_PER_LINE ? end - at : BYTES_PER_LINE;
        text_add(&file.text, name);
        text_add(&file.text, " 0x");
        text_add_hex(&file.text, at);
        text_add_char(&file.text, ' ');
        for (u64 n = 0; n < part; n++)
            text_add_hex_wide(&file.text, ((const u8 *)at)[n], 2);
        lines_end(&file);
        at += part;
    }
}

static void listing_add_mark(const struct fragment *f, const struct mark *m)
{
    text_add(&file.text, "mark 0x");
    text_add_hex(&file.text, f->start + m->offset);
    text_add(&file.text, " 0x");
    text_add_hex(&file.text, f->pc + (u64)(i64)m->pc_delta);
    text_add(&file.text, m->borrowed & MARK_STILL ? " still" : " moving");
    lines_end(&file);
}

void listing_write(const struct block *b, const struct fragment *f)
{
    if (b->single)
        return; /* single steps are not listed */
    lines_add_hex(&file, "block", f->pc);
    text_add(&file.text, "tick ");
    text_add_unsigned(&file.text, ticks_now());
    lines_end(&file);
    for (u32 n = 0; n < b->count; n++)
        listing_add_bytes("source", b->pc[n], b->pc[n] + b->insn[n].length);
    lines_add_hex(&file, "table", f->from_table);
    lines_add_hex(&file, "ticked", f->ticked);
    lines_add_hex(&file, "body", f->body);
    lines_add_hex(&file, "stubs", f->stubs);
    listing_add_bytes("code", f->start, f->end);
    listing_add_bytes("stub", f->stubs, f->stubs_end);
    for (u32 n = 0; n < f->mark_count; n++)
        listing_add_mark(f, (const struct mark *)(u64)f->marks + n);
    text_add(&file.text, "end");
    lines_end(&file);
    lines_flush(&file);
}
