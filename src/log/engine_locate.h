/* Finds the engine that belongs to this ebb. */
#ifndef LOG_ENGINE_LOCATE_H
#define LOG_ENGINE_LOCATE_H

#include "base/error.h"

/* Returns its path; the caller frees it. */
struct error *engine_locate(char **ret);

#endif
