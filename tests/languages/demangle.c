/* Demangles each line of the standard input, as symbols/demangle.c does. A line that is not a
 * mangled name is printed as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symbols_internal.h"

int main(void)
{
    char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        bool is_rust;
        line[strcspn(line, "\n")] = 0;
        char *name = demangle(line, &is_rust);
        puts(name ? name : line);
        free(name);
    }
    return 0;
}
