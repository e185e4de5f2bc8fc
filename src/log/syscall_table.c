/* Interprets rows of the system-call table: finds the memory that the kernel has written.
 *
 * A plain argument is a range: the smaller of what the caller offered and what the kernel filled.
 * Other arguments have a shape, with a function here.
 *
 * No range is visited that begins at NULL, is empty, or wraps around the address space. Memory is
 * read only through the caller's function; unreadable memory is left out. Nothing here waits,
 * allocates or takes long: vectors have at most as many entries as the kernel accepts.
 */
#include "log/syscall_table.h"

#include "log/syscall_numbers.h"
#include "log/syscall_structs.h"
#include "log/syscall_table_internal.h"

enum {
    MOST_BYTES = 0x7ffff000, /* maximum of bytes that a call transfers */
    MOST_AFTER_ERROR = 65536,
    MOST_RANGES = 1024,      /* maximum of ranges in a vector, as UIO_MAXIOV */
    ERRORS = 4095,
    K_EINTR = 4,
    K_EFAULT = 14,
    PAGE = 4096,
};

/* Finding rows */

const struct syscall_row *syscall_row_of(u64 number)
{
    if (number >= SYSCALL_NUMBERS || !syscall_rows[number].name)
        return &syscall_unknown;
    return &syscall_rows[number];
}

bool syscall_row_is_quiet(const struct syscall_row *row)
{
    if (row->unknown || row->variants)
        return false;
    for (unsigned i = 0; i < SYSCALL_ARGS; i++) {
        if (row->args[i].way & ARG_OUT)
            return false;
    }
    return true;
}

const struct syscall_row *syscall_variant_of(const struct syscall_row *row, const u64 *args)
{
    const struct syscall_variants *variants = row->variants;
    if (!variants)
        return NULL;
    u64 key = variants->key(args);
    for (u32 i = 0; i < variants->count; i++) {
        if (variants->rows[i].key == key)
            return &variants->rows[i];
    }
    return NULL;
}

bool syscall_variant_has(u64 number, const u64 *args, u32 effects)
{
    const struct syscall_row *row = syscall_row_of(number);
    if (row->variants)
        row = syscall_variant_of(row, args);
    return row && (row->effects & effects);
}

/* True for groups of requests that encode everything that they write: input devices, joysticks,
 * HID, watchdogs, GPIO, pidfds. */
static bool ioctl_is_flat(u64 request)
{
    switch (request >> 8 & 0xff) {
    case 'E':
    case 'j':
    case 'H':
    case 'W':
    case 0xb4:
    case 0xff:
        return true;
    default:
        return false;
    }
}

static const struct syscall_row *syscall_table_describe(const struct syscall_row *row, u64 number,
                                                        const u64 *args)
{
    const struct syscall_row *variant = syscall_variant_of(row, args);
    if (!variant && number == CALL_ioctl && ioctl_is_flat(args[1]))
        variant = &syscall_ioctl_flat;
    return variant ? variant : row;
}

/* Sizes */

static bool syscall_table_read_memory(const struct call_memory *memory, u64 at, void *to,
                                      size_t size)
{
    return at && memory->read(memory->context, to, gaddr(at), size);
}

u64 call_clone_flags(u64 number, const u64 *args, const struct call_memory *memory)
{
    const struct syscall_row *row = syscall_row_of(number);
    u64 flags = 0;
    if (row->args[0].show == SHOW_CLONE)
        flags = args[0];
    else if (row->args[0].shape == SHAPE_CLONE3)
        syscall_table_read_memory(memory, args[0], &flags, sizeof(flags));
    return row->effects & EFFECT_LENDS ? CALL_FLAG_VFORK : flags;
}

static u32 length_at(const struct call_memory *memory, u64 at)
{
    u32 length = 0;
    return syscall_table_read_memory(memory, at, &length, sizeof(length)) ? length : 0;
}

static bool failed(i64 result)
{
    return (u64)result >= (u64)-ERRORS;
}

/* Bits 30 and 31 of a request are the direction, 16 to 29 the size. */
static u64 encoded_size(u64 request)
{
    return request & 1u << 31 ? request >> 16 & 0x3fff : 0;
}

static u64 source_value(const struct call_made *call, u8 source, const struct call_memory *memory)
{
    if (source >= FROM_a0 && source <= FROM_a5)
        return call->args[source - FROM_a0];
    if (source >= FROM_w0 && source <= FROM_w5)
        return (u32)call->args[source - FROM_w0];
    if (source >= FROM_at0 && source <= FROM_at5)
        return length_at(memory, call->args[source - FROM_at0]);
    if (source == FROM_ret)
        return failed(call->result) ? 0 : (u64)call->result;
    return source == FROM_one;
}

static u64 syscall_table_scale(const struct call_size *size, u64 value)
{
    switch (size->rounding) {
    case SIZE_ENCODED:
        return encoded_size(value);
    case SIZE_BITS:
        return value < MOST_BYTES ? (value + 63) / 64 * 8 : 0;
    case SIZE_PAGES:
        return value / PAGE + (value % PAGE != 0);
    default:
        return (value < MOST_BYTES ? value : MOST_BYTES) * size->unit + size->plus;
    }
}

static bool is_behind_pointer(u8 source)
{
    return source >= FROM_at0 && source <= FROM_at5;
}

u64 call_offered(const struct call_made *call, unsigned index, const struct call_memory *memory)
{
    const struct call_size *size = &call->variant->args[index].offered;
    if (is_behind_pointer(size->source))
        return syscall_table_scale(size, call->offered[index]);
    return syscall_table_scale(size, source_value(call, size->source, memory));
}

static u64 syscall_table_smaller(u64 a, u64 b)
{
    return a < b ? a : b;
}

/* Visiting */

struct visitor {
    const struct call_made *call;
    const struct call_memory *memory;
    call_visit *visit;
    void *context;
};

static void syscall_table_show(const struct visitor *v, u64 at, u64 size)
{
    if (at && size && at + size > at)
        v->visit(v->context, gaddr(at), size);
}

/* After an error sizes may have any value; after an interruption they are unchanged. */
static u64 most_bytes(i64 result)
{
    return failed(result) && result != -K_EINTR ? MOST_AFTER_ERROR : MOST_BYTES;
}

/* A call that fails with EFAULT may have written some of its output. */
static bool writes(const struct call_arg *arg, i64 result)
{
    if (!(arg->way & ARG_OUT))
        return false;
    if (result == -K_EFAULT || arg->on == ON_EVER || arg->on == ON_REST)
        return true;
    if (arg->on == ON_SUCCESS)
        return !failed(result);
    return arg->on == ON_POSITIVE ? result > 0 : result == -(i64)arg->on;
}

static u64 filled_size(const struct visitor *v, const struct call_arg *arg)
{
    const struct call_size *size = &arg->filled;
    bool unfinished = failed(v->call->result) && size->source == FROM_ret;
    if (size->source == FROM_none || unfinished)
        return most_bytes(v->call->result);
    return syscall_table_scale(size, source_value(v->call, size->source, v->memory));
}

static void show_plain(const struct visitor *v, unsigned index)
{
    const struct call_arg *arg = &v->call->variant->args[index];
    u64 size = syscall_table_smaller(call_offered(v->call, index, v->memory), filled_size(v, arg));
    syscall_table_show(v, v->call->args[index],
                       syscall_table_smaller(size, most_bytes(v->call->result)));
}

static void show_ranges(const struct visitor *v, u64 at, u64 count, u64 total)
{
    struct k_iovec range;
    count = syscall_table_smaller(count, MOST_RANGES);
    for (u64 i = 0; i < count && total; i++) {
        if (!syscall_table_read_memory(v->memory, at + i * sizeof(range), &range, sizeof(range)))
            return;
        u64 part = syscall_table_smaller(range.size, total);
        syscall_table_show(v, range.base, part);
        total -= part;
    }
}

static u64 transferred(const struct call_made *call)
{
    return failed(call->result) ? most_bytes(call->result) : (u64)call->result;
}

static void show_iovec(const struct visitor *v, unsigned index)
{
    const struct call_size *count = &v->call->variant->args[index].offered;
    u64 ranges = source_value(v->call, count->source, v->memory);
    show_ranges(v, v->call->args[index], ranges, transferred(v->call));
}

/* Visits the name, as far as there was room; the control data, whose length the kernel has set; and
 * the header itself, with both lengths and the flags. */
static void show_message(const struct visitor *v, u64 at, u64 name_room, u64 total)
{
    struct k_msghdr header;
    if (!syscall_table_read_memory(v->memory, at, &header, sizeof(header)))
        return;
    show_ranges(v, header.iov, header.iov_count, total);
    syscall_table_show(v, header.name,
                       syscall_table_smaller(syscall_table_smaller(header.name_size, name_room),
                                             K_SOCKADDR_MOST));
    syscall_table_show(v, header.control,
                       syscall_table_smaller(header.control_size, most_bytes(v->call->result)));
    syscall_table_show(v, at, sizeof(header));
}

static void show_msghdr(const struct visitor *v, unsigned index)
{
    show_message(v, v->call->args[index], v->call->offered[index], transferred(v->call));
}

/* The room that was offered for each name is no longer known; what follows a truncated name is
 * visited with it. */
static void show_mmsghdr(const struct visitor *v, unsigned index)
{
    struct k_mmsghdr message;
    u64 at = v->call->args[index];
    u64 count = syscall_table_smaller(transferred(v->call), (u32)v->call->args[2]);
    for (u64 i = 0; i < syscall_table_smaller(count, MOST_RANGES); i++, at += sizeof(message)) {
        if (!syscall_table_read_memory(v->memory, at, &message, sizeof(message)))
            return;
        show_message(v, at, K_SOCKADDR_MOST, message.size);
        syscall_table_show(v, at + sizeof(message.header), sizeof(message.size));
    }
}

enum {
    K_CLONE_PIDFD = 0x1000,
    K_CLONE_PARENT_SETTID = 0x100000,
    K_CLONE_CHILD_SETTID = 0x1000000,
};

static void show_clone_parent(const struct visitor *v, unsigned index)
{
    if (v->call->args[0] & (K_CLONE_PARENT_SETTID | K_CLONE_PIDFD))
        syscall_table_show(v, v->call->args[index], sizeof(u32));
}

static void show_clone_child(const struct visitor *v, unsigned index)
{
    if (v->call->args[0] & K_CLONE_CHILD_SETTID)
        syscall_table_show(v, v->call->args[index], sizeof(u32));
}

static void show_clone3(const struct visitor *v, unsigned index)
{
    struct k_clone3 args;
    if (!syscall_table_read_memory(v->memory, v->call->args[index], &args, sizeof(args)))
        return;
    if (args.flags & K_CLONE_PIDFD)
        syscall_table_show(v, args.pidfd, sizeof(u32));
    if (args.flags & K_CLONE_PARENT_SETTID)
        syscall_table_show(v, args.parent_tid, sizeof(u32));
    if (args.flags & K_CLONE_CHILD_SETTID)
        syscall_table_show(v, args.child_tid, sizeof(u32));
}

static void show_xattr_args(const struct visitor *v, unsigned index)
{
    struct k_xattr_args args;
    if (syscall_table_read_memory(v->memory, v->call->args[index], &args, sizeof(args)))
        syscall_table_show(v, args.value, syscall_table_smaller(args.size, transferred(v->call)));
}

static void show_ifconf(const struct visitor *v, unsigned index)
{
    struct k_ifconf list;
    if (!syscall_table_read_memory(v->memory, v->call->args[index], &list, sizeof(list)))
        return;
    syscall_table_show(v, list.buffer,
                       syscall_table_smaller((u32)list.size, v->call->offered[index]));
    syscall_table_show(v, v->call->args[index], sizeof(list.size));
}

static void show_fiemap(const struct visitor *v, unsigned index)
{
    struct k_fiemap map;
    if (!syscall_table_read_memory(v->memory, v->call->args[index], &map, sizeof(map)))
        return;
    u64 extents = syscall_table_smaller(map.mapped, v->call->offered[index]);
    syscall_table_show(v, v->call->args[index], sizeof(map) + extents * K_FIEMAP_EXTENT_SIZE);
}

/* Visits registers, in a range whose length the kernel sets. */
static void show_regset(const struct visitor *v, unsigned index)
{
    struct k_iovec range;
    if (!syscall_table_read_memory(v->memory, v->call->args[index], &range, sizeof(range)))
        return;
    syscall_table_show(v, range.base,
                       syscall_table_smaller(range.size, most_bytes(v->call->result)));
    syscall_table_show(v, v->call->args[index], sizeof(range));
}

/* The length up to and including a NUL, or as many of the first bytes as can be read. */
static u64 string_size(const struct call_memory *memory, u64 at, u64 most)
{
    char byte;
    for (u64 size = 0; size < most;) {
        if (!syscall_table_read_memory(memory, at + size, &byte, 1))
            return size;
        size++;
        if (!byte)
            return size;
    }
    return most;
}

static void syscall_table_show_string(const struct visitor *v, unsigned index)
{
    u64 at = v->call->args[index];
    syscall_table_show(v, at, string_size(v->memory, at, PAGE));
}

typedef void show_shape(const struct visitor *v, unsigned index);

static show_shape *const shapes[SHAPES] = {
    [SHAPE_PLAIN] = show_plain,
    [SHAPE_STRING] = syscall_table_show_string,
    [SHAPE_IOVEC] = show_iovec,
    [SHAPE_MSGHDR] = show_msghdr,
    [SHAPE_MMSGHDR] = show_mmsghdr,
    [SHAPE_CLONE_PARENT] = show_clone_parent,
    [SHAPE_CLONE_CHILD] = show_clone_child,
    [SHAPE_CLONE3] = show_clone3,
    [SHAPE_XATTR_ARGS] = show_xattr_args,
    [SHAPE_IFCONF] = show_ifconf,
    [SHAPE_FIEMAP] = show_fiemap,
    [SHAPE_REGSET] = show_regset,
};

void call_written(const struct call_made *call, const struct call_memory *memory,
                  call_visit *visit, void *context)
{
    struct visitor v = {call, memory, visit, context};
    const struct call_arg *args = call->variant->args;
    for (unsigned i = 0; i < SYSCALL_ARGS && args[i].name; i++) {
        if (writes(&args[i], call->result) && call->args[i])
            shapes[args[i].shape](&v, i);
    }
}

/* Before the call */

static u64 length_before(const struct call_arg *arg, const u64 *args, unsigned index,
                         const struct call_memory *memory)
{
    u64 at = args[index];
    switch (arg->shape) {
    case SHAPE_MSGHDR:
        return length_at(memory, at + offsetof(struct k_msghdr, name_size));
    case SHAPE_IFCONF:
        return length_at(memory, at);
    case SHAPE_FIEMAP:
        return length_at(memory, at + offsetof(struct k_fiemap, count));
    default:
        return length_at(memory, args[arg->offered.source - FROM_at0]);
    }
}

static bool has_length_before(const struct call_arg *arg)
{
    return is_behind_pointer(arg->offered.source) || arg->shape == SHAPE_MSGHDR ||
           arg->shape == SHAPE_IFCONF || arg->shape == SHAPE_FIEMAP;
}

void call_begin(struct call_made *call, u64 number, const u64 *args,
                const struct call_memory *memory)
{
    call->number = number;
    call->row = syscall_row_of(number);
    call->variant = call->row->variants ? syscall_table_describe(call->row, number, args)
                                        : call->row;
    call->result = 0;
    for (unsigned i = 0; i < SYSCALL_ARGS; i++)
        call->args[i] = args[i];
    for (unsigned i = 0; i < SYSCALL_ARGS && call->variant->args[i].name; i++) {
        const struct call_arg *arg = &call->variant->args[i];
        if (has_length_before(arg) && args[i])
            call->offered[i] = length_before(arg, args, i, memory);
    }
}

/* What a call may have written */

enum {
    REACH = PAGE,       /* bytes after a pointer of unknown meaning */
    REACH_WORDS = 64,   /* words there that are searched for more pointers */
    LOWEST_ADDRESS = 0x10000,
};
#define HIGHEST_ADDRESS 0x7fffffffffff

static bool looks_like_address(u64 value)
{
    return value >= LOWEST_ADDRESS && value <= HIGHEST_ADDRESS;
}

static u64 readable_size(const struct call_memory *memory, u64 at, u64 size)
{
    char byte;
    for (u64 done = 0; done < size;) {
        if (!syscall_table_read_memory(memory, at + done, &byte, 1))
            return done;
        done += PAGE - (at + done) % PAGE;
    }
    return size;
}

static void reach_further(const struct visitor *v, u64 at, u64 size)
{
    u64 word, last = 0;
    u64 words = syscall_table_smaller(size / sizeof(word), REACH_WORDS);
    for (u64 i = 0; i < words; i++) {
        if (!syscall_table_read_memory(v->memory, at + i * sizeof(word), &word, sizeof(word)))
            return;
        if (looks_like_address(word) && word != last)
            syscall_table_show(v, word, readable_size(v->memory, word, REACH));
        last = word;
    }
}

void call_reachable(const struct call_made *call, const struct call_memory *memory,
                    call_visit *visit, void *context)
{
    struct visitor v = {call, memory, visit, context};
    for (unsigned i = 0; i < SYSCALL_ARGS; i++) {
        u64 at = call->args[i];
        if (!looks_like_address(at))
            continue;
        u64 offered = call_offered(call, i, memory);
        u64 size = syscall_table_smaller(offered > REACH ? offered : REACH, MOST_AFTER_ERROR);
        size = readable_size(memory, at, size);
        syscall_table_show(&v, at, size);
        reach_further(&v, at, size);
    }
}

/* What is worth showing */

enum {
    SHOWN_PATH = 1024,
    SHOWN_BYTES = 32,
    SHOWN_STRUCTS = 256,
    SHOWN_STRINGS = 16,
    SHOWN_RANGES = 8,
};

static u64 shown_size(const struct call_arg *arg, u64 size)
{
    return syscall_table_smaller(size, arg->offered.unit > 1 ? SHOWN_STRUCTS : SHOWN_BYTES);
}

static void offer_strings(const struct visitor *v, u64 at)
{
    u64 string;
    for (unsigned i = 0; i < SHOWN_STRINGS; i++, at += sizeof(string)) {
        if (!syscall_table_read_memory(v->memory, at, &string, sizeof(string)))
            return;
        syscall_table_show(v, at, sizeof(string));
        if (!string)
            return;
        syscall_table_show(v, string, string_size(v->memory, string, SHOWN_BYTES + 1));
    }
}

/* Visits the ranges and, for those that the kernel has read, their first bytes. */
static void offer_ranges(const struct visitor *v, u64 at, u64 count, bool bytes)
{
    struct k_iovec range;
    for (u64 i = 0; i < syscall_table_smaller(count, SHOWN_RANGES); i++, at += sizeof(range)) {
        if (!syscall_table_read_memory(v->memory, at, &range, sizeof(range)))
            return;
        syscall_table_show(v, at, sizeof(range));
        if (bytes)
            syscall_table_show(v, range.base, syscall_table_smaller(range.size, SHOWN_BYTES));
    }
}

static void offer_message(const struct visitor *v, u64 at, bool bytes)
{
    struct k_msghdr header;
    if (!syscall_table_read_memory(v->memory, at, &header, sizeof(header)))
        return;
    offer_ranges(v, header.iov, header.iov_count, bytes);
    if (bytes) {
        syscall_table_show(v, header.name,
                           syscall_table_smaller(header.name_size, K_SOCKADDR_MOST));
        syscall_table_show(v, at, sizeof(header));
    }
}

static void syscall_table_offer(const struct visitor *v, unsigned index)
{
    const struct call_arg *arg = &v->call->variant->args[index];
    u64 at = v->call->args[index];
    switch (arg->shape) {
    case SHAPE_PLAIN:
        if (arg->way & ARG_IN)
            syscall_table_show(v, at, shown_size(arg, call_offered(v->call, index, v->memory)));
        break;
    case SHAPE_STRING:
        if (arg->way & ARG_IN)
            syscall_table_show(v, at, string_size(v->memory, at, SHOWN_PATH));
        break;
    case SHAPE_STRINGS:
        offer_strings(v, at);
        break;
    case SHAPE_IOVEC:
        offer_ranges(v, at, source_value(v->call, arg->offered.source, v->memory),
                     arg->way == ARG_IN);
        break;
    case SHAPE_MSGHDR:
        offer_message(v, at, arg->way == ARG_IN);
        break;
    default:
        break;
    }
}

void call_shown(const struct call_made *call, const struct call_memory *memory,
                call_visit *visit, void *context)
{
    struct visitor v = {call, memory, visit, context};
    const struct call_arg *args = call->variant->args;
    for (unsigned i = 0; i < SYSCALL_ARGS && args[i].name; i++) {
        if (args[i].show == SHOW_MEMORY && call->args[i])
            syscall_table_offer(&v, i);
    }
}
