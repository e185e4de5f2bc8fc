/* The nearest word, by the number of letters that have to be inserted, removed, replaced or swapped
 * with their neighbour (the restricted Damerau-Levenshtein distance). A word is near if at most a
 * third of its letters differ, or one of two. */
#include "base/nearest_word.h"

#include <string.h>

enum { NEAREST_LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t nearest_distance(const char *a, const char *b)
{
    size_t rows[3][NEAREST_LONGEST + 1], n = strlen(a), m = strlen(b);
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[m];
}

void nearest_word_begin(struct nearest_word *n, const char *typed)
{
    size_t third = strlen(typed) / 3;
    *n = (struct nearest_word){.typed = typed, .distance = (third ? third : 1) + 1};
}

void nearest_word_consider(struct nearest_word *n, const char *candidate)
{
    if (strlen(n->typed) > NEAREST_LONGEST || strlen(candidate) > NEAREST_LONGEST)
        return;
    size_t distance = nearest_distance(n->typed, candidate);
    if (distance < n->distance && distance < strlen(candidate)) {
        n->best = candidate;
        n->distance = distance;
    }
}
