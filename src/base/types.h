/* The integer names of the project, and the guest's addresses.
 *
 * A guest address is a struct, so that it cannot be mistaken for a pointer of the engine or for a
 * number: gaddr() makes one, .at is its number.
 */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

struct gaddr {
    u64 at;
};

static inline struct gaddr gaddr(u64 at)
{
    return (struct gaddr){at};
}

/* The guest lives in the engine's own process: its memory can be read directly, once the caller has
 * made sure that it is mapped. */
static inline void *gaddr_pointer(struct gaddr address)
{
    return (void *)address.at;
}

#define countof(array) (sizeof(array) / sizeof((array)[0]))

#endif
