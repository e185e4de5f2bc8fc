/* Finds the word that a mistyped one was probably meant to be. */
#ifndef BASE_NEAREST_WORD_H
#define BASE_NEAREST_WORD_H

#include <stddef.h>

/* Keeps the best of the candidates, which are offered one by one. */
struct nearest_word {
    const char *typed;
    const char *best; /* NULL: none is near */
    size_t distance;
};

void nearest_word_begin(struct nearest_word *n, const char *typed);
void nearest_word_consider(struct nearest_word *n, const char *candidate);

#endif
