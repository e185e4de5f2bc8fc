/* The library of traveller.c. */
#include <string.h>

const char *library_says(void);
unsigned library_mix(const void *bytes, unsigned size);

const char *library_says(void)
{
    return "the library was here";
}

unsigned library_mix(const void *bytes, unsigned size)
{
    const unsigned char *at = bytes;
    unsigned sum = 1;
    while (size--)
        sum = sum * 31 + *at++;
    return sum;
}
