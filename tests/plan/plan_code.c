/* Code that is written, run and written again: next to other code, in itself, and in a mapping that
 * moves. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const unsigned char add[] = {0x8d, 0x47, 1, 0xc3};                         /* lea eax, [rdi + 1]; ret */
static const unsigned char own[] = {0xc6, 0x05, 1, 0, 0, 0, 7, 0xb0, 1, 0x0f, 0xb6, 0xc0, 0xc3};
/* mov byte [rip + 1], 7 (into the next); mov al, 1; movzx eax, al; ret */

int main(void)
{
    int sum = 0;
    unsigned char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 1;
    int (*f)(int) = (int (*)(int))page;
    for (int n = 0; n < 30; n++) {
        memcpy(page, add, sizeof(add));
        page[2] = (unsigned char)n;
        sum += f(n);
        sum += f(1);
    }
    for (int n = 0; n < 5; n++) {
        memcpy(page + 64, own, sizeof(own));
        sum += ((int (*)(void))(page + 64))();
    }
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    for (int n = 0; n < 20; n++)
        sum += f(n);
    munmap(page, 4096);
    printf("%d\n", sum);
    return 0;
}
