/* How much memory does an engine hold under a program that does nothing?  Says that it is
 * there, and waits for its input to end. */
#include <unistd.h>

int main(void)
{
    char byte;
    if (write(1, "ready\n", 6) != 6)
        return 1;
    while (read(0, &byte, 1) > 0)
        ;
    return 0;
}
