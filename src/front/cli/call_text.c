/* A system call in one line: log/syscall_text.h prints it, with the pieces of the event as memory.
 *
 * What the call wrote takes precedence over what it read, since that is in memory afterwards. */
#include "front/cli/call_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "log/event.h"
#include "log/syscall_text.h"

static size_t count_pieces(const struct event *e)
{
    size_t count = 0;
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));)
        count++;
    return count;
}

static size_t add_pieces(struct syscall_piece *list, const struct event *e, u32 kind)
{
    size_t count = 0;
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));)
        if (p->kind == kind)
            list[count++] = (struct syscall_piece){gaddr(p->address), p->size, (const u8 *)(p + 1)};
    return count;
}

void call_text_print(FILE *out, const struct event *e)
{
    const struct event_syscall *event = (const struct event_syscall *)e->payload;
    struct syscall_piece *list = xalloc(count_pieces(e) * sizeof *list);
    struct syscall_pieces pieces = {.list = list};
    pieces.count = add_pieces(list, e, PIECE_MEMORY);
    pieces.count += add_pieces(list + pieces.count, e, PIECE_SHOWN);
    struct call_memory memory = syscall_pieces_memory(&pieces);

    struct call_made call;
    u64 args[SYSCALL_ARGS] = {0};
    memcpy(args, event_arguments(e), event->args * sizeof *args);
    call_begin(&call, event->number, args, &memory);
    call.result = event->result;
    char *text = syscall_text(&call, &memory);
    fputs(text, out);
    free(text);
    free(list);
}
