/* Scopes: what debug information says about an address besides its line: the inlined functions
 * around it, and the innermost block or loop. The scopes are read with libdw from the files
 * themselves, not by way of src/symbols.
 */
#ifndef MOVEMENT_SCOPES_H
#define MOVEMENT_SCOPES_H

#include "base/types.h"
#include "symbols/symbols.h"

enum { INLINED_MOST = 16 };

/* Inlined functions around an address, outermost first: offsets of their entries. */
struct inlined {
    u64 function; /* the one that is compiled by itself; 0: not known */
    u32 count;
    u64 entry[INLINED_MOST];
};

/* Files that are mapped somewhere, in addition to those that were told before. */
void scopes_add(const struct symbols_module *modules, size_t count);
void scopes_close(void);

/* False: there is no debug information. */
bool scopes_inlined(u64 pc, struct inlined *ret);

/* Are these the first instructions of the program? The oracle does not judge another function that
 * a tail call has put in the place of this one. */
static inline bool inlined_begins(const struct inlined *all, const struct inlined *with)
{
    if (all->function != with->function)
        return true;
    for (u32 n = 0; n < with->count; n++)
        if (n >= all->count || all->entry[n] != with->entry[n])
            return false;
    return true;
}

/* The innermost block with declarations of its own in the innermost function around an address, or
 * the innermost loop: the code from the target of a backward branch to that branch. */
struct region {
    u64 size;      /* 0: there is none */
    u64 start, end; /* of a loop */
    u64 block;     /* else: offset of its entry */
    u64 bias;
    void *dwarf;
};
typedef bool scopes_read(void *context, u64 address, void *to, size_t size);
bool scopes_region(u64 pc, scopes_read *read, void *context, struct region *ret);
bool scopes_holds(const struct region *r, u64 pc);

#endif
