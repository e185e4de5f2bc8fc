/* Compares backtraces with the frames of the walk: see compare.h.
 *
 * A backtrace is made from the contents of the stack and call frame information; the frames of the
 * walk follow from what calls and returns did to the stack.
 */
#include "compare.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES_MOST = 64 };

/* The number of inlined functions around the instruction of a frame; for a caller, around its call.
 * */
static u32 inlined_around(u64 pc)
{
    struct inlined found;
    scopes_inlined(pc, &found);
    return found.count;
}

static int complain(size_t at, const char *what, size_t number, u64 got, u64 wanted)
{
    print_place("at", walk_instant(&oracle.walk, at)->at);
    printf("  %s of frame %zu is %#llx, not %#llx\n", what, number, (unsigned long long)got, (unsigned long long)wanted);
    return 1;
}

/* Compares outward until one side has no more frames: a backtrace may end at the first function of
 * a thread or a stack. */
static int compare(size_t at, const struct frame *f, size_t count)
{
    u32 frame = oracle.frames.of[at];
    u64 pc = walk_instant(&oracle.walk, at)->at.pc;
    u32 inlined = 0;
    for (size_t n = 0; n < count; n++) {
        if (f[n].tail)
            continue; /* it is over: the walk has seen it end */
        if (f[n].inlined || f[n].signal) {
            inlined += f[n].inlined;
            continue;
        }
        const struct activation *a = frame_number(&oracle.frames, frame);
        if (a->hidden || a->caller == NEVER)
            return 0;
        if (f[n].cfa != a->cfa)
            return complain(at, "the address", n, f[n].cfa, a->cfa);
        if (inlined != inlined_around(pc))
            return complain(at, "the number of inlined functions", n, inlined, inlined_around(pc));
        inlined = 0;
        pc = a->call.pc;
        frame = a->parent;
        bool handler = a->by_signal && frame != FRAME_NONE && frame_number(&oracle.frames, frame)->hidden;
        frame = handler ? frame_number(&oracle.frames, frame)->parent : frame;
        if (frame == FRAME_NONE)
            return 0;
    }
    const struct activation *a = frame_number(&oracle.frames, frame);
    bool ends = a->hidden || a->caller == NEVER;
    return ends ? 0 : complain(at, "the end", count, 0, a->cfa);
}

int check_frames(size_t at)
{
    struct frame *f;
    size_t count;
    const char *why;
    stand_at(walk_instant(&oracle.walk, at)->at);
    must(source_frames(source, CONTROL_THREAD_ANY, FRAMES_MOST, &f, &count, &why));
    int bad = compare(at, f, count);
    free(f);
    return bad;
}
