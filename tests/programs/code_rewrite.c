/* Code in writable and executable memory, rewritten and run a thousand times.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>

typedef int function(void);

static function *emit(unsigned char *at, int value)
{
    at[0] = 0xb8;                       /* mov $value, %eax; ret */
    memcpy(at + 1, &value, 4);
    at[5] = 0xc3;
    return (function *)at;
}

int main(void)
{
    unsigned char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    for (int i = 0; i < 1000; i++)
        CHECK(emit(page, i)() == i);
    for (int i = 0; i < 300; i++)                    /* elsewhere in the same page */
        CHECK(emit(page + i * 8, i)() == i);
    for (int i = 0; i < 100; i++)
        CHECK(((function *)(page + i * 8))() == i);
    for (int i = 0; i < 200; i++)                    /* across the page border */
        CHECK(emit(page + 4096 - i % 8, i)() == i);
    for (int i = 0; i < 300; i++) {                  /* only the immediate changes */
        page[1] = i;
        CHECK(((function *)page)() == (i & 255));
    }
    int (*add)(int) = (int (*)(int))(page + 512);
    memcpy(page + 512, "\x8d\x47\x07\xc3", 4);       /* lea 7(%rdi), %eax; ret */
    for (int i = 0; i < 1000; i++) {
        page[1024 + i % 512] = i;                    /* data beside code, code unchanged */
        CHECK(add(i) == i + 7);
    }
    return done();
}
