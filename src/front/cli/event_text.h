/* Events as text and as JSON. */
#ifndef FRONT_EVENT_TEXT_H
#define FRONT_EVENT_TEXT_H

#include <stdio.h>

#include "base/json_text.h"
#include "log/format.h"

/* Prints what happened in one line without a newline: "syscall getpid() = 7". The event is well
 * formed. */
void event_print(FILE *out, const struct event *e);

/* The same as fields of an open JSON object, with everything in the payload. */
void event_print_json(struct json *j, const struct event *e);

#endif
