/* Code sites: see code_sites.h. */
#include "engine/translate/code_sites.h"

struct code_sites code_sites;
