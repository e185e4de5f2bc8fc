/* Writes JSON piece by piece: see the header.
 *
 * Strings of a recorded program need not be UTF-8. Each invalid byte becomes the replacement
 * character, so that the output is always valid JSON.
 */
#include "base/json_text.h"

static void json_begin_member(struct json *j, const char *key)
{
    if (j->some)
        fputc(',', j->out);
    if (key)
        fprintf(j->out, "\"%s\":", key);
    j->some = true;
}

void json_open(struct json *j, const char *key, char bracket)
{
    json_begin_member(j, key);
    fputc(bracket, j->out);
    j->some = false;
}

void json_close(struct json *j, char bracket)
{
    fputc(bracket, j->out);
    j->some = true;
}

/* Returns the length of the UTF-8 sequence at `at`, where `left` bytes are available; 0 if it is
 * invalid. */
static size_t sequence(const u8 *at, size_t left)
{
    u8 first = at[0];
    size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (length == 1)
        return 1;
    if (first < 0xc2 || first > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] > 0x9f) ||
        (first == 0xf0 && at[1] < 0x90) || (first == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

static void put_text(FILE *out, const u8 *at, size_t left)
{
    fputc('"', out);
    while (left > 0) {
        size_t length = sequence(at, left);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (*at == '\n')
            fputs("\\n", out);
        else if (*at < 32 || *at == 127)
            fprintf(out, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else
            fwrite(at, 1, length, out);
        at += length ? length : 1;
        left -= length ? length : 1;
    }
    fputc('"', out);
}

void json_string(struct json *j, const char *key, const char *value)
{
    json_begin_member(j, key);
    size_t length = 0;
    while (value && value[length])
        length++;
    if (value)
        put_text(j->out, (const u8 *)value, length);
    else
        fputs("null", j->out);
}

void json_bytes(struct json *j, const char *key, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const u8 *at = bytes;
    json_begin_member(j, key);
    fputc('"', j->out);
    for (size_t i = 0; i < size; i++) {
        putc_unlocked(digits[at[i] >> 4], j->out);
        putc_unlocked(digits[at[i] & 15], j->out);
    }
    fputc('"', j->out);
}

void json_unsigned(struct json *j, const char *key, u64 value)
{
    json_begin_member(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_signed(struct json *j, const char *key, i64 value)
{
    json_begin_member(j, key);
    fprintf(j->out, "%lld", (long long)value);
}

void json_hex(struct json *j, const char *key, u64 value)
{
    json_begin_member(j, key);
    fprintf(j->out, "\"0x%llx\"", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    json_begin_member(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_line(struct json *j)
{
    fputc('\n', j->out);
    j->some = false;
}
