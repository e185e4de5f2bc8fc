/* Keys of a terminal: characters, and names for other keys. */
#ifndef FRONT_KEYS_H
#define FRONT_KEYS_H

#include "base/types.h"

enum key {
    KEY_NONE = 0x200000, /* an unknown key; above all characters */
    KEY_GONE,            /* the end of the input */
    KEY_UP, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_END, KEY_PAGE_UP, KEY_PAGE_DOWN,
    KEY_DELETE, KEY_ESCAPE,
    KEY_WORD_LEFT, KEY_WORD_RIGHT,
};

#define KEY_CONTROL(letter) ((u32)(letter) & 0x1f)
enum { KEY_TAB = 9, KEY_ENTER = 13, KEY_NEWLINE = 10, KEY_BACKSPACE = 127 };

/* Waits for the next key and returns it. */
u32 key_read(int fd);

#endif
