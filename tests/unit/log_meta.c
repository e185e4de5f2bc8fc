/* The meta file: what is printed is read again, and damage is noticed.
 *
 * unit: src/log/meta.c src/log/crc32c.c src/base/error.c src/base/complain.c src/base/xalloc.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"
#include "log/meta.h"

static int failures;

static void report(const char *name, bool right, const char *why)
{
    if (right)
        printf("ok log_meta: %s\n", name);
    else
        printf("FAIL log_meta: %s: %s\n", name, why);
    failures += !right;
}

static bool parses(const char *text, struct recording_meta *ret)
{
    *ret = (struct recording_meta){0};
    struct error *err = meta_parse(text, ret);
    bool right = !err;
    error_destroy(err);
    return right;
}

static char *arguments[] = {"a", "", "two\nlines", "back\\slash", "\\x41", "b=c", "\xff\x01", NULL};

static const struct recording_meta original = {
    .id = {1, 2, 0xff}, .state = RECORDING_CUT, .why = "disk=full\n", .program = "/bin/x y",
    .arguments = arguments, .directory = "/", .started = 1700000000123456789u,
    .ended = ~0ul, .status = -1, .signal = 11, .core = true, .tracks = 4000000000u,
};

static bool same_lists(char **a, char **b)
{
    for (; *a && *b; a++, b++)
        if (strcmp(*a, *b) != 0)
            return false;
    return *a == *b;
}

static void check_round_trip(const char *text)
{
    struct recording_meta m;
    bool right = parses(text, &m) && memcmp(m.id, original.id, sizeof m.id) == 0 &&
                 m.state == original.state && strcmp(m.why, original.why) == 0 &&
                 strcmp(m.program, original.program) == 0 &&
                 same_lists(m.arguments, original.arguments) &&
                 m.started == original.started && m.ended == original.ended &&
                 m.status == original.status && m.signal == original.signal && m.core &&
                 m.tracks == original.tracks && !m.kernel;
    report("round trip", right, "something changed");
    meta_deinit(&m);
}

static void check_damage(const char *text)
{
    size_t size = strlen(text), bad = 0;
    char *copy = malloc(size + 1);
    struct recording_meta m;
    for (size_t cut = 0; cut < size; cut++) {
        memcpy(copy, text, cut);
        copy[cut] = '\0';
        bad += parses(copy, &m);
        meta_deinit(&m);
    }
    report("cut at every byte", bad == 0, "taken for whole");
    memcpy(copy, text, size + 1);
    bad = 0;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        copy[bit / 8] ^= 1 << bit % 8;
        bad += parses(copy, &m);
        meta_deinit(&m);
        copy[bit / 8] ^= 1 << bit % 8;
    }
    report("every bit turned over", bad == 0, "not noticed");
    free(copy);
}

int main(void)
{
    char *text = meta_print(&original);
    check_round_trip(text);
    check_damage(text);
    report("recognised", meta_recognise(text) && !meta_recognise("ebb") && !meta_recognise(""),
           "wrongly");
    free(text);
    return failures != 0;
}
