/* `$_siginfo`: what the kernel passes to the handler of the signal at this moment, with gdb's
 * names. */
#include "symbols/values_internal.h"

struct siginfo_field {
    const char *of;   /* the member of the union; NULL: of siginfo_t itself */
    const char *name, *type; /* "*": a pointer */
    u8 offset;        /* within the member */
};

enum { SIGINFO_FIELDS = 16, SIGINFO_PADS = 28 };

static const struct siginfo_field siginfo_fields[] = {
    {NULL, "si_signo", "int", 0}, {NULL, "si_errno", "int", 4}, {NULL, "si_code", "int", 8},
    {"_kill", "si_pid", "int", 0}, {"_kill", "si_uid", "unsigned int", 4},
    {"_timer", "si_tid", "int", 0}, {"_timer", "si_overrun", "int", 4},
    {"_timer", "si_sigval", "*", 8},
    {"_rt", "si_pid", "int", 0}, {"_rt", "si_uid", "unsigned int", 4}, {"_rt", "si_sigval", "*", 8},
    {"_sigchld", "si_pid", "int", 0}, {"_sigchld", "si_uid", "unsigned int", 4},
    {"_sigchld", "si_status", "int", 8}, {"_sigchld", "si_utime", "long", 16},
    {"_sigchld", "si_stime", "long", 24},
    {"_sigfault", "si_addr", "*", 0}, {"_sigfault", "_addr_lsb", "short", 8},
    {"_sigfault", "_lower", "*", 16}, {"_sigfault", "_upper", "*", 24},
    {"_sigpoll", "si_band", "long", 0}, {"_sigpoll", "si_fd", "int", 8},
    {"_sigsys", "_call_addr", "*", 0}, {"_sigsys", "_syscall", "int", 8},
    {"_sigsys", "_arch", "unsigned int", 12},
};

static struct type *siginfo_struct(struct evaluation *v, const char *keyword, const char *name,
                                   u64 size)
{
    struct type *t = type_new(v, TYPE_STRUCT, name, size);
    t->keyword = keyword;
    t->members_made = true;
    return t;
}

static void siginfo_add(struct type *t, const char *name, struct type *of, u64 offset)
{
    *(struct member *)list_add(&t->members) =
        (struct member){.name = name, .type = of, .offset = offset};
}

static struct type *siginfo_field_type(struct evaluation *v, const char *name)
{
    return *name == '*' ? type_pointer(v, type_builtin(v, "void")) : type_builtin(v, name);
}

static void siginfo_keep(struct evaluation *v, struct type *t)
{
    *(void **)list_add(&v->memory) = t->members.items;
}

static struct type *siginfo_type(struct evaluation *v)
{
    struct type *whole = siginfo_struct(v, "struct", "siginfo", SIGINFO_BYTES);
    struct type *parts = siginfo_struct(v, "union", NULL, SIGINFO_BYTES - SIGINFO_FIELDS),
                *part = NULL;
    siginfo_add(parts, "_pad", type_array(v, type_builtin(v, "int"), SIGINFO_PADS), 0);
    for (size_t n = 0; n < countof(siginfo_fields); n++) {
        const struct siginfo_field *f = &siginfo_fields[n];
        struct type *of = siginfo_field_type(v, f->type);
        if (!f->of) {
            siginfo_add(whole, f->name, of, f->offset);
            continue;
        }
        if (!part || strcmp(siginfo_fields[n - 1].of, f->of) != 0) {
            if (part)
                siginfo_keep(v, part);
            part = siginfo_struct(v, "struct", NULL, 0);
            siginfo_add(parts, f->of, part, 0);
        }
        siginfo_add(part, f->name, of, f->offset);
        part->size = f->offset + of->size > part->size ? f->offset + of->size : part->size;
    }
    siginfo_keep(v, part);
    siginfo_keep(v, parts);
    siginfo_add(whole, "_sifields", parts, SIGINFO_FIELDS);
    siginfo_keep(v, whole);
    return whole;
}

struct error *siginfo_value(struct evaluation *v, struct value **ret)
{
    if (!v->request.siginfo && !v->only_types)
        return error_new("no signal is taken at this moment, so there is no $_siginfo");
    static const u8 nothing[SIGINFO_BYTES];
    *ret = value_of_bytes(v, siginfo_type(v), v->request.siginfo ? v->request.siginfo : nothing,
                          SIGINFO_BYTES);
    return NULL;
}
