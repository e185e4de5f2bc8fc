/* A line that is being typed: see the header. */
#include "front/debugger/typed_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "front/debugger/utf8.h"

void typed_line_init(struct typed_line *t)
{
    *t = (struct typed_line){.text = xformat("%s", "")};
}

void typed_line_deinit(struct typed_line *t)
{
    free(t->text);
}

void typed_line_set(struct typed_line *t, const char *text)
{
    char *copy = xformat("%s", text);
    free(t->text);
    t->text = copy;
    t->size = t->cursor = strlen(copy);
}

void typed_line_insert(struct typed_line *t, const char *text, size_t size)
{
    char *longer = xformat("%.*s%.*s%s", (int)t->cursor, t->text, (int)size, text,
                           t->text + t->cursor);
    free(t->text);
    t->text = longer;
    t->size = strlen(longer);
    t->cursor += size;
}

/* --- places in it ----------------------------------------------------------------------------- */

static bool is_middle(char c)
{
    return ((u8)c & 0xc0) == 0x80;
}

static size_t typed_line_before(const struct typed_line *t, size_t at)
{
    while (at > 0 && is_middle(t->text[--at])) {
        /* to the first byte of a character */
    }
    return at;
}

static size_t typed_line_after(const struct typed_line *t, size_t at)
{
    while (at < t->size && is_middle(t->text[++at])) {
        /* likewise */
    }
    return at;
}

static bool in_word(char c)
{
    return isalnum((u8)c) || c == '_' || (u8)c >= 0x80;
}

static size_t word_before(const struct typed_line *t)
{
    size_t at = t->cursor;
    while (at > 0 && !in_word(t->text[at - 1]))
        at--;
    while (at > 0 && in_word(t->text[at - 1]))
        at--;
    return at;
}

static size_t word_behind(const struct typed_line *t)
{
    size_t at = t->cursor;
    while (at < t->size && !in_word(t->text[at]))
        at++;
    while (at < t->size && in_word(t->text[at]))
        at++;
    return at;
}

/* --- keys ------------------------------------------------------------------------------------- */

static void cut(struct typed_line *t, size_t from, size_t to)
{
    memmove(t->text + from, t->text + to, t->size - to + 1);
    t->size -= to - from;
    t->cursor = from;
}

static bool typed_line_move(struct typed_line *t, u32 key)
{
    switch (key) {
    case KEY_LEFT: case KEY_CONTROL('B'): t->cursor = typed_line_before(t, t->cursor); return true;
    case KEY_RIGHT: case KEY_CONTROL('F'): t->cursor = typed_line_after(t, t->cursor); return true;
    case KEY_HOME: case KEY_CONTROL('A'): t->cursor = 0; return true;
    case KEY_END: case KEY_CONTROL('E'): t->cursor = t->size; return true;
    case KEY_WORD_LEFT: t->cursor = word_before(t); return true;
    case KEY_WORD_RIGHT: t->cursor = word_behind(t); return true;
    default: return false;
    }
}

static bool erase(struct typed_line *t, u32 key)
{
    switch (key) {
    case KEY_BACKSPACE: case KEY_CONTROL('H'):
        cut(t, typed_line_before(t, t->cursor), t->cursor);
        return true;
    case KEY_DELETE: case KEY_CONTROL('D'):
        cut(t, t->cursor, typed_line_after(t, t->cursor));
        return true;
    case KEY_CONTROL('U'): cut(t, 0, t->cursor); return true;
    case KEY_CONTROL('K'): cut(t, t->cursor, t->size); return true;
    case KEY_CONTROL('W'): cut(t, word_before(t), t->cursor); return true;
    default: return false;
    }
}

bool typed_line_key(struct typed_line *t, u32 key)
{
    char bytes[4];
    if (typed_line_move(t, key) || erase(t, key))
        return true;
    if (key < ' ' || key >= KEY_NONE)
        return false;
    typed_line_insert(t, bytes, utf8_encode(key, bytes));
    return true;
}
