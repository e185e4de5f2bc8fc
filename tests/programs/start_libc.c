/* A stroll through libc: allocation, sorting, formatting, strings (many of them picked by
 * IFUNC and written with vectors).
 *
 * variants: static staticpie nopie musl muslstatic
 * settings: yes
 */
#include "check.h"
#include <ctype.h>
#include <wchar.h>

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

static void strings(void)
{
    char a[300], b[300];
    for (int len = 0; len < 256; len++) {
        for (int shift = 0; shift < 3; shift++) {
            memset(a, 0, sizeof a);
            memset(a + shift, 'a' + len % 26, len);
            CHECK(strlen(a + shift) == (size_t)len);
            memset(b, 1, sizeof b);
            memcpy(b + 7, a + shift, len + 1);
            CHECK(!strcmp(a + shift, b + 7) && !memcmp(a + shift, b + 7, len + 1));
            CHECK(strchr(b + 7, 0) == b + 7 + len);
            memmove(b + 8, b + 7, len + 1);
            CHECK(!strncmp(b + 8, a + shift, len));
        }
    }
    CHECK(strstr("the quick brown fox", "brown") && !strstr("the quick", "slow"));
    CHECK(strspn("abcabcx", "abc") == 6 && strcspn("hello", "lo") == 2);
    CHECK(wcslen(L"wide") == 4 && toupper('q') == 'Q');
}

int main(void)
{
    static unsigned v[20000];
    unsigned x = 12345;
    for (int i = 0; i < 20000; i++)
        v[i] = x = x * 1664525 + 1013904223;
    qsort(v, 20000, sizeof *v, by_value);
    for (int i = 1; i < 20000; i++)
        CHECK(v[i - 1] <= v[i]);
    printf("%u %u %u\n", v[0], v[9999], v[19999]);
    strings();
    char *kept[500] = {0};
    for (int i = 0; i < 20000; i++) {
        int slot = (x = x * 1664525 + 1013904223) >> 8, size = (slot >> 9) % 3000 + 1;
        slot %= 500;
        free(kept[slot]);
        kept[slot] = malloc(size);
        memset(kept[slot], slot, size);
    }
    printf("%08x|%-8s|%+d|%e|%a|%Lf|%lld\n", 0xbeefu, "left", 5, 12345.678, 0.1, 3.25L, -1LL);
    CHECK(strtod("2.5e3x", NULL) == 2500.0 && strtol("-0x1f", NULL, 0) == -31);
    return done();
}
