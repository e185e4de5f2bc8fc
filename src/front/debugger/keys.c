/* Keys: see the header. A key without a character is sent as an escape, a bracket or an O, perhaps
 * numbers, and a letter or a tilde (ECMA-48, 5.4). An escape that is followed by nothing is the
 * Escape key. */
#include "front/debugger/keys.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "front/debugger/utf8.h"

enum { ESCAPE = 27, BEHIND_ESCAPE = 50 /* milliseconds */, CONTROL_HELD = 5, PARAMETERS = 4 };

static int read_byte(int fd)
{
    u8 byte;
    ssize_t n;
    do
        n = read(fd, &byte, 1);
    while (n < 0 && errno == EINTR);
    return n == 1 ? byte : -1;
}

static bool comes_soon(int fd)
{
    struct pollfd in = {.fd = fd, .events = POLLIN};
    return poll(&in, 1, BEHIND_ESCAPE) > 0;
}

static u32 key_of_letter(char letter, int modifier)
{
    static const struct { char letter; u32 key; } rows[] = {
        {'A', KEY_UP}, {'B', KEY_DOWN}, {'C', KEY_RIGHT}, {'D', KEY_LEFT}, {'H', KEY_HOME},
        {'F', KEY_END},
    };
    bool control = modifier == CONTROL_HELD;
    if (control && (letter == 'C' || letter == 'D'))
        return letter == 'C' ? KEY_WORD_RIGHT : KEY_WORD_LEFT;
    for (size_t i = 0; i < countof(rows); i++)
        if (rows[i].letter == letter)
            return rows[i].key;
    return KEY_NONE;
}

static u32 key_of_number(int number)
{
    static const u32 keys[] = {
        [1] = KEY_HOME, [3] = KEY_DELETE, [4] = KEY_END, [5] = KEY_PAGE_UP, [6] = KEY_PAGE_DOWN,
        [7] = KEY_HOME, [8] = KEY_END,
    };
    return number > 0 && number < (int)countof(keys) && keys[number] ? keys[number] : KEY_NONE;
}

/* Reads the sequence after the bracket. */
static u32 read_sequence(int fd)
{
    int parameters[PARAMETERS] = {0}, count = 0;
    for (int left = 32; left > 0; left--) {
        int c = read_byte(fd);
        if (c < 0)
            return KEY_GONE;
        if (c >= '0' && c <= '9')
            parameters[count] = parameters[count] % 1000 * 10 + c - '0';
        else if (c == ';')
            count += count + 1 < PARAMETERS;
        else if (c == '~')
            return key_of_number(parameters[0]);
        else if (c >= '@')
            return key_of_letter((char)c, parameters[1]);
    }
    return KEY_NONE;
}

static u32 read_escape(int fd)
{
    if (!comes_soon(fd))
        return KEY_ESCAPE;
    int c = read_byte(fd);
    if (c == '[')
        return read_sequence(fd);
    if (c == 'O')
        return key_of_letter((char)read_byte(fd), 0);
    return c < 0 ? KEY_GONE : c == 'b' ? KEY_WORD_LEFT : c == 'f' ? KEY_WORD_RIGHT : KEY_NONE;
}

u32 key_read(int fd)
{
    int c = read_byte(fd), more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    char bytes[8] = {(char)c};
    const char *at = bytes;
    if (c == ESCAPE)
        return read_escape(fd);
    for (int i = 1; i <= more && c >= 0; i++) {
        c = read_byte(fd);
        bytes[i] = (char)c;
    }
    return c < 0 ? KEY_GONE : bytes[0] ? utf8_decode(&at) : 0;
}
