/* Where the engine that belongs to this ebb is. */
#ifndef LOG_ENGINE_LOCATE_H
#define LOG_ENGINE_LOCATE_H

#include "base/error.h"

/* Its path, to be freed. */
struct error *engine_locate(char **ret);

#endif
