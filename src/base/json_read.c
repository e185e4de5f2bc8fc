/* Reads JSON: see the header.
 *
 * A recursive descent over the bytes, one function for each kind of value. The first error is
 * stored in `why`, with its place, and all callers return.
 */
#include "base/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct json_reader {
    const char *start, *at, *end;
    const char *why; /* NULL: nothing is wrong so far */
    unsigned depth;
};

static bool json_wrong(struct json_reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return false;
}

static void json_skip_blanks(struct json_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool json_take(struct json_reader *r, char c)
{
    json_skip_blanks(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool json_take_word(struct json_reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return json_wrong(r, "a value is expected");
    r->at += length;
    return true;
}

/* --- strings ---------------------------------------------------------------------------------- */

static bool json_read_hex(struct json_reader *r, u32 *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        if (r->at == r->end)
            return json_wrong(r, "a string does not end");
        char c = *r->at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return json_wrong(r, "\\u needs four hexadecimal digits");
        *ret = *ret << 4 | (u32)digit;
    }
    return true;
}

static size_t json_put_utf8(char *to, u32 c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const u8 marks[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(marks[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

/* After \u: reads a character, or a surrogate pair. */
static bool json_read_unicode(struct json_reader *r, char **to)
{
    u32 c, low;
    if (!json_read_hex(r, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
            return json_wrong(r, "half of a character");
        r->at += 2;
        if (!json_read_hex(r, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return json_wrong(r, "half of a character");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c >= 0xdc00 && c < 0xe000) {
        return json_wrong(r, "half of a character");
    }
    if (!c)
        return json_wrong(r, "a null character in a string");
    *to += json_put_utf8(*to, c);
    return true;
}

static bool json_read_escape(struct json_reader *r, char **to)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return json_wrong(r, "a string does not end");
    char c = *r->at++;
    if (c == 'u')
        return json_read_unicode(r, to);
    const char *found = c ? strchr(names, c) : NULL;
    if (!found)
        return json_wrong(r, "an unknown escape in a string");
    *(*to)++ = means[found - names];
    return true;
}

/* Copies one valid UTF-8 sequence. */
static bool json_read_plain(struct json_reader *r, char **to)
{
    u8 first = (u8)*r->at;
    size_t left = (size_t)(r->end - r->at);
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const u8 *at = (const u8 *)r->at;
    bool good = first < 0x80 || (first >= 0xc2 && first <= 0xf4 && length <= left);
    for (size_t i = 1; i < length && good; i++)
        good = (at[i] & 0xc0) == 0x80;
    if (good && length > 1)
        good = !((first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] > 0x9f) ||
                 (first == 0xf0 && at[1] < 0x90) || (first == 0xf4 && at[1] > 0x8f));
    if (!good)
        return json_wrong(r, "a string is not UTF-8");
    if (first < 0x20)
        return json_wrong(r, "a control character in a string");
    memcpy(*to, r->at, length);
    *to += length;
    r->at += length;
    return true;
}

/* Reads a string after its quote. An escape is never shorter than its result. */
static char *json_read_string(struct json_reader *r)
{
    const char *end = r->at;
    while (end < r->end && *end != '"')
        end += *end == '\\' && end + 1 < r->end ? 2 : 1;
    char *text = xalloc((size_t)(end - r->at) + 1), *to = text;
    while (r->at < r->end && *r->at != '"' && !r->why) {
        if (*r->at != '\\') {
            json_read_plain(r, &to);
            continue;
        }
        r->at++;
        json_read_escape(r, &to);
    }
    if (r->at == r->end)
        json_wrong(r, "a string does not end");
    if (r->why) {
        free(text);
        return NULL;
    }
    r->at++;
    *to = '\0';
    return text;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static size_t json_digits(struct json_reader *r)
{
    size_t count = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++, count++;
    return count;
}

static bool json_read_number(struct json_reader *r, struct json_value *v)
{
    enum { LONGEST = 400 };
    char room[LONGEST + 1];
    const char *start = r->at;
    bool is_whole = true;
    r->at += *r->at == '-';
    const char *first = r->at;
    size_t digits = json_digits(r);
    if (!digits || (digits > 1 && *first == '0'))
        return json_wrong(r, "not a number");
    if (r->at < r->end && *r->at == '.') {
        r->at++;
        is_whole = false;
        if (!json_digits(r))
            return json_wrong(r, "not a number");
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        is_whole = false;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        if (!json_digits(r))
            return json_wrong(r, "not a number");
    }
    size_t length = (size_t)(r->at - start);
    if (length > LONGEST)
        return json_wrong(r, "a number is too long");
    memcpy(room, start, length);
    room[length] = '\0';
    v->kind = JSON_NUMBER;
    v->number = strtod(room, NULL);
    errno = 0;
    v->integer = is_whole ? strtoll(room, NULL, 10) : 0;
    v->is_integer = is_whole && errno == 0;
    if (!is_whole && v->number == trunc(v->number) && fabs(v->number) < 0x1p53) { /* 1.0, 1e3 */
        v->is_integer = true;
        v->integer = (i64)v->number;
    }
    return isfinite(v->number) || json_wrong(r, "a number is too large");
}

/* --- values ----------------------------------------------------------------------------------- */

static struct json_value *json_read_value(struct json_reader *r);

/* Reads the items after the bracket. */
static void json_read_items(struct json_reader *r, struct json_value *v, char close)
{
    struct json_value **end = &v->first;
    if (json_take(r, close))
        return;
    do {
        char *key = NULL;
        if (v->kind == JSON_OBJECT) {
            if (!json_take(r, '"')) {
                json_wrong(r, "the name of a member is expected");
                return;
            }
            key = json_read_string(r);
            if (key && !json_take(r, ':'))
                json_wrong(r, "':' is expected");
        }
        struct json_value *item = r->why ? NULL : json_read_value(r);
        if (!item) {
            free(key);
            return;
        }
        item->key = key;
        *end = item;
        end = &item->next;
        v->count++;
    } while (json_take(r, ','));
    if (!json_take(r, close))
        json_wrong(r, close == '}' ? "',' or '}' is expected" : "',' or ']' is expected");
}

static void json_read_into(struct json_reader *r, struct json_value *v)
{
    json_skip_blanks(r);
    char c = r->at < r->end ? *r->at : '\0';
    if (c == '{' || c == '[') {
        if (++r->depth > JSON_READ_DEEP) {
            json_wrong(r, "nested too deeply");
            return;
        }
        r->at++;
        v->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        json_read_items(r, v, c == '{' ? '}' : ']');
        r->depth--;
    } else if (c == '"') {
        r->at++;
        v->kind = JSON_STRING;
        v->text = json_read_string(r);
    } else if (c == 't' || c == 'f') {
        v->kind = JSON_BOOL;
        v->truth = c == 't';
        json_take_word(r, c == 't' ? "true" : "false");
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        json_read_number(r, v);
    } else {
        json_take_word(r, "null");
    }
}

static struct json_value *json_read_value(struct json_reader *r)
{
    struct json_value *v = xalloc(sizeof *v);
    *v = (struct json_value){.kind = JSON_NULL};
    json_read_into(r, v);
    if (!r->why)
        return v;
    json_destroy(v);
    return NULL;
}

struct json_value *json_read(const char *text, size_t size, const char **ret_why, size_t *ret_at)
{
    struct json_reader r = {.start = text, .at = text, .end = text + size};
    struct json_value *v = json_read_value(&r);
    json_skip_blanks(&r);
    if (v && r.at != r.end) {
        json_wrong(&r, "something follows the value");
        json_destroy(v);
        v = NULL;
    }
    *ret_why = r.why;
    *ret_at = (size_t)(r.at - r.start);
    return v;
}

void json_destroy(struct json_value *v)
{
    while (v) {
        struct json_value *next = v->next;
        json_destroy(v->first);
        free(v->key);
        free(v->text);
        free(v);
        v = next;
    }
}

const struct json_value *json_member(const struct json_value *v, const char *key)
{
    const struct json_value *found = NULL;
    if (!v || v->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *m = v->first; m; m = m->next)
        if (strcmp(m->key, key) == 0)
            found = m;
    return found;
}

const char *json_member_text(const struct json_value *v, const char *key, const char *other)
{
    const struct json_value *m = json_member(v, key);
    return m && m->kind == JSON_STRING ? m->text : other;
}

i64 json_member_integer(const struct json_value *v, const char *key, i64 other)
{
    const struct json_value *m = json_member(v, key);
    return m && m->kind == JSON_NUMBER && m->is_integer ? m->integer : other;
}

bool json_member_truth(const struct json_value *v, const char *key, bool other)
{
    const struct json_value *m = json_member(v, key);
    return m && m->kind == JSON_BOOL ? m->truth : other;
}
