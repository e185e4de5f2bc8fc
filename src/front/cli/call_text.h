/* A system call in one line, as strace shows it. */
#ifndef FRONT_CALL_TEXT_H
#define FRONT_CALL_TEXT_H

#include <stdio.h>

#include "log/format.h"

/* `e` is a well-formed SYSCALL. */
void call_text_print(FILE *out, const struct event *e);

#endif
