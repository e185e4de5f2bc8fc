/* All tracks of a recording replayed, several at a time. */
#ifndef VERIFIER_ALL_H
#define VERIFIER_ALL_H

#include <stddef.h>

#include "base/types.h"
#include "log/recording.h"

/* Prints a line for each; the worst of their statuses. */
int replay_all(const struct recording *rec, const u32 *tracks, size_t count,
               const char *settings);

#endif
