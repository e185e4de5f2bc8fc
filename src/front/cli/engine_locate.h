/* Where the engine that belongs to this ebb is. */
#ifndef FRONT_ENGINE_LOCATE_H
#define FRONT_ENGINE_LOCATE_H

/* 0 and its path in *ret, to be freed; or a status after a complaint. */
int engine_locate(char **ret);

#endif
