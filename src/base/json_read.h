/* Reads JSON into a tree of values.
 *
 * The reader is strict (RFC 8259): no comments, no trailing commas, no numbers with leading zeros,
 * valid UTF-8 only. It also refuses nesting deeper than JSON_READ_DEEP, and strings that contain a
 * null character.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stddef.h>

#include "base/types.h"

enum { JSON_READ_DEEP = 64 };

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_kind kind;
    char *key;  /* in an object; otherwise NULL */
    bool truth; /* of a bool */
    double number;
    bool is_integer; /* the number is an integer, which is: */
    i64 integer;
    char *text;               /* of a string */
    size_t count;             /* elements or members: */
    struct json_value *first; /* NULL: none */
    struct json_value *next;  /* next in the array or object */
};

/* Returns NULL if the text is not one JSON value; *ret_why says what is wrong, *ret_at where. */
struct json_value *json_read(const char *text, size_t size, const char **ret_why, size_t *ret_at);
void json_destroy(struct json_value *v); /* accepts NULL */

/* Returns a member of an object; NULL: there is none, or `v` is NULL or not an object. Of several
 * with the same key, the last. */
const struct json_value *json_member(const struct json_value *v, const char *key);
/* The same for a certain kind; returns `other` if it is missing or of another kind. */
const char *json_member_text(const struct json_value *v, const char *key, const char *other);
i64 json_member_integer(const struct json_value *v, const char *key, i64 other);
bool json_member_truth(const struct json_value *v, const char *key, bool other);

#endif
