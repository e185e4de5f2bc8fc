/* Standard input at its end, no terminal anywhere.
 *
 * variants: musl
 */
#include "check.h"
#include <sys/ioctl.h>
#include <termios.h>

int main(void)
{
    char byte;
    struct winsize size;
    struct termios terminal;
    CHECK(read(0, &byte, 1) == 0 && getchar() == EOF && feof(stdin));
    CHECK(!isatty(0) && !isatty(1) && errno == ENOTTY);
    CHECK(ioctl(1, TIOCGWINSZ, &size) < 0 && errno == ENOTTY);
    CHECK(tcgetattr(0, &terminal) < 0);
    CHECK(lseek(0, 0, SEEK_CUR) == 0);
    return done();
}
