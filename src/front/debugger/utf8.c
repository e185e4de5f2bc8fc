/* UTF-8: see the header. */
#include "front/debugger/utf8.h"

/* How many bytes follow a first byte; -1: it is not a first byte. */
static int bytes_behind(u8 first)
{
    return first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2
         : first < 0xf5 ? 3 : -1;
}

u32 utf8_decode(const char **text)
{
    const u8 *at = (const u8 *)*text;
    int more = bytes_behind(at[0]);
    u32 c = more > 0 ? at[0] & (0x3fu >> more) : at[0];
    *text += 1;
    if (more < 0)
        return UTF8_REPLACEMENT;
    for (int i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return UTF8_REPLACEMENT;
        c = c << 6 | (at[i] & 0x3f);
    }
    *text += more;
    return c;
}

size_t utf8_encode(u32 c, char bytes[4])
{
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const u8 marks[] = {0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(marks[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        bytes[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
    return more + 1;
}
