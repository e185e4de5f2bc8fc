/* The guest's image: see image.h. */
#include "engine/memory/image.h"

struct guest_image guest_image = {.fd = -1};
