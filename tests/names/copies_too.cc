#define WHICH 2
#include "copies.h"

int from_other(int n)
{
    return both(n) + which;
}
