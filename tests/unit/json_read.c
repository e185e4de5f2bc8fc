/* JSON, read: what is JSON and what is not, values, and random texts, which must not be read
 * beyond their end and must be freed whole.
 *
 * unit: src/base/json_read.c src/base/json_text.c src/base/xalloc.c src/base/complain.c -lm
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"

static int failures;

static void expect(bool good, const char *what, const char *text)
{
    if (!good) {
        printf("FAIL json_read: %s: %s\n", what, text);
        failures++;
    }
}

/* Reads from memory of exactly this size, so that a sanitizer detects a read beyond the end. */
static struct json_value *read_tight(const char *text, size_t size)
{
    const char *why;
    size_t at;
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    struct json_value *v = json_read(copy, size, &why, &at);
    expect((v != NULL) == (why == NULL), "a value or a reason", text);
    expect(at <= size, "the place", text);
    free(copy);
    return v;
}

static void write_again(struct json *j, const struct json_value *v)
{
    switch (v->kind) {
    case JSON_NULL: json_string(j, v->key, NULL); break;
    case JSON_BOOL: json_bool(j, v->key, v->truth); break;
    case JSON_NUMBER: json_signed(j, v->key, v->integer); break;
    case JSON_STRING: json_string(j, v->key, v->text); break;
    default:
        json_open(j, v->key, v->kind == JSON_ARRAY ? '[' : '{');
        for (const struct json_value *m = v->first; m; m = m->next)
            write_again(j, m);
        json_close(j, v->kind == JSON_ARRAY ? ']' : '}');
    }
}

static void check_same(const char *text, const char *same)
{
    char *out = NULL;
    size_t size;
    struct json_value *v = read_tight(text, strlen(text));
    expect(v, "is JSON", text);
    if (!v)
        return;
    struct json j = {.out = open_memstream(&out, &size)};
    write_again(&j, v);
    fclose(j.out);
    expect(strcmp(out, same) == 0, out, same);
    free(out);
    json_destroy(v);
}

static void check_not(const char *text)
{
    struct json_value *v = read_tight(text, strlen(text));
    expect(!v, "is not JSON", text);
    json_destroy(v);
}

static void check_members(void)
{
    const char *text = "{\"a\":1,\"b\":\"x\",\"c\":true,\"a\":2,\"d\":1.5,\"e\":1e3,\"f\":-0}";
    struct json_value *v = read_tight(text, strlen(text));
    expect(v && v->count == 7, "count", text);
    expect(json_member_integer(v, "a", 0) == 2, "the last one", text);
    expect(json_member_integer(v, "b", 9) == 9, "another kind", text);
    expect(json_member_integer(v, "d", 9) == 9, "no integer", text);
    expect(json_member_integer(v, "e", 9) == 1000, "1e3", text);
    expect(json_member_integer(v, "f", 9) == 0, "-0", text);
    expect(strcmp(json_member_text(v, "b", ""), "x") == 0, "text", text);
    expect(json_member_truth(v, "c", false), "truth", text);
    expect(!json_member(v, "z") && !json_member(NULL, "a"), "missing", text);
    json_destroy(v);
}

static void check_deep(void)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP);
    memset(text, '[', DEEP);
    json_destroy(read_tight(text, DEEP));
    memset(text + JSON_READ_DEEP, ']', JSON_READ_DEEP);
    struct json_value *v = read_tight(text, 2 * JSON_READ_DEEP);
    expect(v, "as deep as may be", "");
    json_destroy(v);
    free(text);
}

static u64 seed = 1;
static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % below;
}

/* Pieces of JSON in any order, and valid texts with bytes changed. */
static void check_random(void)
{
    static const char *const pieces[] = {"{", "}", "[", "]", ":", ",", "\"", "\\u", "d83d", "\\", "1",
                                         "-", "0", ".", "e", "true", "null", "false", " ", "\"a\"",
                                         "\xc3\xa9", "\xff", "\n", "99999999999999999999"};
    static const char good[] = "{\"seq\":12,\"type\":\"request\",\"command\":\"next\",\"arguments\":"
                               "{\"threadId\":1,\"x\":[1,2.5,-3e2,\"\\ud83d\\ude00\\n\"]}}";
    for (int n = 0; n < 200000; n++) {
        char text[512] = "";
        size_t size = 0;
        if (n % 2) {
            size = sizeof good - 1;
            memcpy(text, good, size);
            for (unsigned i = draw(4) + 1; i; i--)
                text[draw((unsigned)size)] = (char)draw(256);
            size -= draw(8) ? 0 : draw((unsigned)size);
        } else {
            for (unsigned i = draw(12); i; i--) {
                const char *piece = pieces[draw(sizeof pieces / sizeof *pieces)];
                memcpy(text + size, piece, strlen(piece));
                size += strlen(piece);
            }
        }
        json_destroy(read_tight(text, size));
    }
}

int main(void)
{
    check_same(" { } ", "{}");
    check_same("[1,-2,[],{\"a\":null}]", "[1,-2,[],{\"a\":null}]");
    check_same("\"\\u0041\\u00e9\\ud83d\\ude00\\/\"", "\"A\xc3\xa9\xf0\x9f\x98\x80/\"");
    check_same("[true,false,9007199254740993]", "[true,false,9007199254740993]");
    static const char *const wrong[] = {
        "", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "[1 2]", "01", "-", "1.", ".5", "1e",
        "+1", "nul", "tru", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\u0000\"", "\"\n\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "1 2", "{}}", "1e999",
        "// x", "'a'", "NaN", "{\"a\":1,}", "[1", "\"a\\",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_not(wrong[i]);
    check_members();
    check_deep();
    check_random();
    printf("%s json_read\n", failures ? "FAIL" : "ok");
    return failures != 0;
}
