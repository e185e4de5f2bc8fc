/* Does every system call of the kernel's header have a row, under its name?
 *
 *   names < LIST      lines "number name"
 */
#include <stdio.h>
#include <string.h>

#include "log/syscall_table.h"

int main(void)
{
    unsigned long number;
    char name[64];
    int seen = 0, failures = 0;
    while (scanf("%lu %63s", &number, name) == 2) {
        const struct syscall_row *row = syscall_row_of(number);
        const char *ours = row->name ? row->name : "(none)";
        seen++;
        if (strcmp(ours, name)) {
            printf("FAIL names: %s: the row of %lu is called %s\n", name, number, ours);
            failures++;
        }
    }
    if (seen < 300)
        printf("FAIL names: only %d are in the list\n", seen);
    else if (!failures)
        printf("ok names: all %d calls of the header have rows\n", seen);
    return failures || seen < 300;
}
