#define WHICH 1
#include "copies.h"

int from_other(int n);

int main()
{
    Box<int> box = {3};
    return (box.as(1.5) + Box<int>::make(2L) + both(which) + from_other(2)) < 0;
}
