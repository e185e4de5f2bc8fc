/* Signal frames, see frame.h.  From high addresses to low:
 *
 *   the guest's rsp and 128 bytes that belong to the interrupted function, or the top of the
 *   alternate stack
 *   the vector state as xsave writes it, aligned to 64, and a closing mark
 *   siginfo, ucontext, return address: struct signal_frame; rsp of the handler is 8 below a
 *   multiple of 16
 *
 * The vector state is built in the thread's block and copied from there, because storing it
 * directly to a bad stack would be a fault in the engine.
 */
#include "engine/x86_64/signal_frame.h"

#include "engine/base/text.h"
#include "engine/memory/guest_memory.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/vector.h"

enum {
    RED_ZONE = 128,
    UC_FP_XSTATE = 1,
    UC_SIGCONTEXT_SS = 2,
    UC_STRICT_RESTORE_SS = 4,
};

/* Flags that rt_sigreturn takes from the frame, without RF, which lasts for one instruction. */
enum { FLAGS_RETURNED = FLAGS_ARITHMETIC | FLAG_TF | FLAG_DF | FLAG_AC };

struct signal_frame {
    u64 restorer;
    struct k_ucontext context;
    struct k_siginfo info;
};

_Static_assert(sizeof(struct signal_frame) == 440, "the kernel's rt_sigframe");

/* What the kernel stores in bytes of the legacy area that the processor does not use. */
struct vector_note {
    u32 magic;
    u32 extended_size; /* with the closing mark */
    u64 features;
    u32 size;
    u32 padding[7];
};

enum { NOTE_MAGIC = 0x46505853, CLOSING_MARK = 0x46505845 };

_Static_assert(XSAVE_NOTE + sizeof(struct vector_note) == XSAVE_LEGACY_SIZE,
               "it ends the legacy area");

/* The addresses of the pieces. */
struct signal_frame_place {
    u64 frame;
    u64 vector;
};

static bool within(const struct k_stack *stack, u64 rsp)
{
    return rsp > stack->base && rsp - stack->base <= stack->size;
}

bool signal_frame_on_altstack(const struct k_stack *stack, u64 rsp)
{
    return !((u32)stack->flags & K_SS_AUTODISARM) && within(stack, rsp);
}

/* The vector state's bytes in a frame. */
static u64 vector_room(void)
{
    return vector_shape.size + (vector_shape.features ? sizeof(u32) : 0);
}

static bool choose_place(const struct thread *t, u64 flags, struct signal_frame_place *ret)
{
    const struct k_stack *stack = &t->altstack;
    u64 rsp = cpu->reg[RSP];
    bool on_it = signal_frame_on_altstack(stack, rsp);

    rsp -= RED_ZONE;
    if ((flags & K_SA_ONSTACK) && stack->size != 0 && !signal_frame_on_altstack(stack, rsp)) {
        rsp = stack->base + stack->size;
        on_it = true;
    }
    ret->vector = (rsp - vector_room()) & ~63ul;
    ret->frame = ((ret->vector - sizeof(struct signal_frame)) & ~15ul) - 8;
    return !on_it || within(stack, ret->frame); /* never beyond its end */
}

u64 signal_frame_at(const struct thread *t, u64 flags)
{
    struct signal_frame_place place;
    return choose_place(t, flags, &place) ? place.frame : 0;
}

static bool signal_frame_write_vector(struct thread *t, u64 at)
{
    u8 *image = t->vector; /* free while the thread has the baton: thread.h (2) */
    vector_save(image);
    if (vector_shape.features) {
        vector_settle(image);
        struct vector_note note = {
            .magic = NOTE_MAGIC,
            .extended_size = (u32)vector_room(),
            .features = vector_shape.features,
            .size = vector_shape.size,
        };
        memcpy(image + XSAVE_NOTE, &note, sizeof(note));
        u32 mark = CLOSING_MARK;
        memcpy(image + vector_shape.size, &mark, sizeof(mark));
        /* Programs older than xsave change these two without setting the header. */
        ((struct vector_header *)(image + XSAVE_HEADER))->present |= VECTOR_X87 | VECTOR_SSE;
    }
    return guest_write(gaddr(at), image, vector_room());
}

static void save_registers(const struct thread *t, bool fault, struct k_sigcontext *to)
{
    *to = (struct k_sigcontext){
#define X(NAME, name, ...) .name = cpu->reg[NAME],
        REGISTERS_GENERAL(X)
#undef X
        .rip = cpu->rip,
        /* Dead flags may have any value, depending on the translation. */
        .flags = (cpu->flags & ~(u64)block_flags_dead_at(cpu->rip)) | FLAGS_PLAIN |
                 (fault ? FLAG_RF : 0),
        .cs = SELECTOR_CS,
        .ss = SELECTOR_SS,
        .error = t->fault_error,
        .trap = t->fault_trap,
        .cr2 = t->fault_cr2,
    };
}

static void load_registers(const struct k_sigcontext *from)
{
#define X(NAME, name, ...) cpu->reg[NAME] = from->name;
    REGISTERS_GENERAL(X)
#undef X
    cpu->rip = from->rip;
    cpu->flags = (cpu->flags & ~(u64)FLAGS_RETURNED) | (from->flags & FLAGS_RETURNED);
}

static bool write_frame(const struct thread *t, const struct signal_frame_request *request,
                        const struct signal_frame_place *place)
{
    struct signal_frame frame = {
        .restorer = request->action->restorer,
        .context = {
            .flags = UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS |
                     (vector_shape.features ? UC_FP_XSTATE : 0),
            .stack = t->altstack,
            .mask = request->mask,
        },
        .info = *request->info,
    };
    save_registers(t, request->fault, &frame.context.registers);
    frame.context.registers.oldmask = request->mask;
    frame.context.registers.fpstate = place->vector;

    bool wants_info = request->action->flags & K_SA_SIGINFO;
    return guest_write(gaddr(place->frame), &frame,
                       wants_info ? sizeof(frame) : offsetof(struct signal_frame, info));
}

static void enter_handler(u64 handler, int signal, u64 frame)
{
    cpu->reg[RDI] = (u64)signal;
    cpu->reg[RSI] = frame + offsetof(struct signal_frame, info);
    cpu->reg[RDX] = frame + offsetof(struct signal_frame, context);
    cpu->reg[RAX] = 0;
    cpu->reg[RSP] = frame;
    cpu->rip = handler;
    cpu->flags &= ~(u64)(FLAG_DF | FLAG_TF | FLAG_RF);
    vector_reset();
}

bool signal_frame_build(struct thread *t, const struct signal_frame_request *request)
{
    const struct k_sigaction *action = request->action;
    struct signal_frame_place place;
    if (!(action->flags & K_SA_RESTORER) || !choose_place(t, action->flags, &place))
        return false;
    if (!signal_frame_write_vector(t, place.vector) || !write_frame(t, request, &place))
        return false;
    enter_handler(action->handler, request->info->signal, place.frame);
    return true;
}

/* True if the image in the frame has more than the legacy part; reads the rest of it then. */
static bool read_extended(u8 *image, u64 at, struct vector_note *ret)
{
    memcpy(ret, image + XSAVE_NOTE, sizeof(*ret));
    if (vector_shape.features == 0 || ret->magic != NOTE_MAGIC || ret->size < XSAVE_EXTENDED ||
        ret->size > vector_shape.size || ret->size > ret->extended_size)
        return false;
    u32 mark;
    return guest_read(&mark, gaddr(at + ret->size), sizeof(mark)) && mark == CLOSING_MARK &&
           guest_read(image + XSAVE_HEADER, gaddr(at + XSAVE_HEADER), ret->size - XSAVE_HEADER);
}

/* Without a note only x87 and SSE come from the frame; other features get their initial values,
 * except the protection keys, which stay. */
static bool load_vector(struct thread *t, u64 at)
{
    u8 *image = t->vector;
    struct vector_header *header = (struct vector_header *)(image + XSAVE_HEADER);
    struct vector_note note;
    if (!guest_read(image, gaddr(at), XSAVE_LEGACY_SIZE))
        return false;
    if (read_extended(image, at, &note)) {
        if (header->present & ~vector_shape.known)
            return false;
        header->present &= note.features;
    } else {
        memset(header, 0, sizeof(*header));
        header->present = note.features = VECTOR_X87 | VECTOR_SSE;
    }
    u64 wanted = ~(u64)VECTOR_PKRU | (note.features & VECTOR_PKRU);
    return vector_restore(image, vector_shape.features & wanted);
}

bool signal_frame_take_down(struct thread *t, u64 *ret_mask, struct k_stack *ret_stack)
{
    struct signal_frame frame;
    if (!guest_read(&frame, gaddr(cpu->reg[RSP] - sizeof(frame.restorer)),
                    offsetof(struct signal_frame, info)))
        return false;
    u64 vector = frame.context.registers.fpstate;
    if (vector == 0)
        vector_reset();
    else if (!load_vector(t, vector))
        return false;
    load_registers(&frame.context.registers);
    *ret_mask = frame.context.mask;
    *ret_stack = frame.context.stack;
    return true;
}
