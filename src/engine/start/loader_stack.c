/* The first stack: arguments, environment, and the auxiliary vector.
 *
 *   layout.stack_end
 *     eight bytes of zero, the program's path,
 *     strings of the environment, strings of the arguments,
 *     name of the platform, sixteen random bytes,
 *     the auxiliary vector, pointers to the environment, to the arguments, their number
 *   rsp, a multiple of 16
 *
 * The kernel maps a little below that and grows the stack at faults, up to the limit at that time
 * (programs may raise it). The areas include all of it from the start.
 */
#include "engine/start/loader_internal.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/calls/clocks.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/image.h"
#include "engine/memory/mapping.h"
#include "log/channel.h"

enum {
    AUXV_MOST = 64, /* entries */
    RANDOM_SIZE = 16,
    BELOW = 128 * 1024, /* mapped from the start, as the kernel does */
    K_RLIMIT_STACK = 3,
    K_AT_RSEQ_FEATURE_SIZE = 27,
    K_AT_RSEQ_ALIGN = 28,
};

#define CLAIM_MOST (1ul << 30)

static const char platform[] = "x86_64";

struct auxv {
    u64 word[2 * AUXV_MOST];
    size_t length; /* words */
};

/* Where the strings are. */
struct strings {
    u64 path, environment, arguments, platform, random, lowest;
};

static size_t count_of(char **list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

static u64 loader_stack_bytes_of(char **list)
{
    u64 bytes = 0;
    for (size_t i = 0; list[i]; i++)
        bytes += strlen(list[i]) + 1;
    return bytes;
}

/* Mapping it */

u64 loader_stack_limit(void)
{
    u64 limit[2];
    if (kernel_call(__NR_prlimit64, 0, K_RLIMIT_STACK, 0, limit))
        return 8ul << 20;
    return limit[0];
}

static void map_stack(const struct stack_content *c, u64 needed)
{
    u64 size = page_up(needed) + BELOW, claim = page_down(c->stack_limit);
    struct mapping m = {
        .size = size,
        .protection = PROT_READ | PROT_WRITE | (c->executable ? PROT_EXEC : 0),
        .flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_STACK | MAP_NORESERVE,
        .fd = -1,
    };
    if (kernel_failed(address_map_new(&m, layout.stack_end - size)))
        engine_refuse(CHANNEL_EXIT_NOT_RUNNABLE, "stack", "not enough memory");
    if (claim > CLAIM_MOST)
        claim = CLAIM_MOST;
    struct area a = address_describe(&m, layout.stack_end - size);
    if (claim > size)
        a.start = layout.stack_end - claim;
    a.flags |= AREA_STACK;
    address_mapped(&a);
    guest_image.stack_start = a.start;
    guest_image.stack_end = a.end;
}

/* Filling it */

static u64 put_bytes(u64 end, const void *from, u64 size)
{
    memcpy((void *)(end - size), from, size);
    return end - size;
}

/* The last string has the highest address, so that they are in order upward. */
static u64 put_list(u64 end, char **list)
{
    for (size_t i = count_of(list); i > 0; i--)
        end = put_bytes(end, list[i - 1], strlen(list[i - 1]) + 1);
    return end;
}

static u64 auxv_value(const u64 *auxv, u64 type)
{
    for (; auxv[0] != AT_NULL; auxv += 2)
        if (auxv[0] == type)
            return auxv[1];
    return 0;
}

static void choose_random(const u64 *auxv, u64 ret[RANDOM_SIZE / 8])
{
    const void *given = (const void *)auxv_value(auxv, AT_RANDOM);
    if (given && !settings.random) {
        memcpy(ret, given, RANDOM_SIZE);
        return;
    }
    for (int i = 0; i < RANDOM_SIZE / 8; i++)
        if (!clocks_random(&ret[i]))
            ret[i] = 0;
}

static struct strings put_strings(const struct stack_content *c)
{
    struct strings s;
    u64 random[RANDOM_SIZE / 8];
    choose_random(c->auxv, random);
    s.path = put_bytes(layout.stack_end - 8, c->path, strlen(c->path) + 1);
    s.environment = put_list(s.path, c->envp);
    s.arguments = put_list(s.environment, c->argv);
    s.platform = put_bytes(s.arguments & ~15ul, platform, sizeof(platform));
    s.random = put_bytes(s.platform & ~15ul, random, RANDOM_SIZE);
    s.lowest = s.random;
    return s;
}

/* Returns the entry of the guest's vector for one of the kernel's; false: it is left out. */
static bool guest_value(const struct stack_content *c, const struct strings *s, u64 type,
                        u64 *value)
{
    switch (type) {
    case AT_SYSINFO_EHDR: *value = c->vdso; return c->vdso;
    case AT_PHDR:         *value = c->program->headers; return true;
    case AT_PHENT:        *value = sizeof(Elf64_Phdr); return true;
    case AT_PHNUM:        *value = c->program->header_count; return true;
    case AT_BASE:         *value = c->interpreter ? c->interpreter->bias : 0; return true;
    case AT_ENTRY:        *value = c->program->entry; return true;
    case AT_FLAGS:        *value = 0; return true;
    case AT_EXECFN:       *value = s->path; return true;
    case AT_PLATFORM:     *value = s->platform; return true;
    case AT_RANDOM:       *value = s->random; return true;
    case AT_HWCAP2:       *value = settings.cpu ? 0 : *value; return true;
    case AT_BASE_PLATFORM:
    case AT_EXECFD:
    case K_AT_RSEQ_FEATURE_SIZE:
    case K_AT_RSEQ_ALIGN: return false;
    default:              return true;
    }
}

static void loader_stack_make_auxv(const struct stack_content *c, const struct strings *s,
                                   struct auxv *ret)
{
    ret->length = 0;
    for (const u64 *from = c->auxv; from[0] != AT_NULL; from += 2) {
        u64 value = from[1];
        if (ret->length == 2 * (AUXV_MOST - 1) || !guest_value(c, s, from[0], &value))
            continue;
        ret->word[ret->length++] = from[0];
        ret->word[ret->length++] = value;
    }
    ret->word[ret->length++] = AT_NULL;
    ret->word[ret->length++] = 0;
}

/* Writes pointers to the strings from `string` on, and a final 0. */
static u64 *put_pointers(u64 *to, char **list, u64 string)
{
    for (size_t i = 0; list[i]; i++) {
        *to++ = string;
        string += strlen(list[i]) + 1;
    }
    *to++ = 0;
    return to;
}

static u64 put_tables(const struct stack_content *c, const struct strings *s)
{
    struct auxv auxv;
    loader_stack_make_auxv(c, s, &auxv);
    size_t words = 1 + count_of(c->argv) + 1 + count_of(c->envp) + 1 + auxv.length;
    u64 rsp = (s->lowest - words * 8) & ~15ul;
    u64 *to = (u64 *)rsp;
    *to++ = count_of(c->argv);
    to = put_pointers(to, c->argv, s->arguments);
    to = put_pointers(to, c->envp, s->environment);
    memcpy(to, auxv.word, auxv.length * 8);
    guest_image.auxv_at = (u64)to;
    guest_image.auxv_size = auxv.length * 8;
    return rsp;
}

u64 loader_make_stack(const struct stack_content *c)
{
    u64 pointers = (count_of(c->argv) + count_of(c->envp) + 4 + 2 * AUXV_MOST) * 8;
    u64 needed = loader_stack_bytes_of(c->argv) + loader_stack_bytes_of(c->envp) + strlen(c->path) +
                 pointers + 256;
    map_stack(c, needed);
    struct strings s = put_strings(c);
    u64 rsp = put_tables(c, &s);
    guest_image.argv_at = s.arguments;
    guest_image.argv_end = s.environment;
    guest_image.envp_at = s.environment;
    guest_image.envp_end = s.path;
    guest_image.start_stack = rsp;
    return rsp;
}
