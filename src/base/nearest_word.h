/* The word that a mistyped one was probably meant to be. */
#ifndef BASE_NEAREST_WORD_H
#define BASE_NEAREST_WORD_H

#include <stddef.h>

/* Keeps the best of the candidates it is shown, one after another. */
struct nearest_word {
    const char *typed;
    const char *best; /* NULL: none is near */
    size_t distance;
};

void nearest_word_begin(struct nearest_word *n, const char *typed);
void nearest_word_consider(struct nearest_word *n, const char *candidate);

#endif
