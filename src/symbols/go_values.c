/* Go values in readable form: strings, slices, maps, channels, interfaces and functions.
 *
 * Go's linker adds its own attributes to types: the kind, as numbered by package reflect, the types
 * of keys and elements, and the address of the runtime's description of the type. The kind is taken
 * from the attribute, never from the name: `type Names []string` is a slice too.
 *
 * The layouts are those of the runtime: strings and slices since Go 1, maps of buckets up to Go
 * 1.23, interfaces with the description of the dynamic type. A value with an unexpected layout is
 * shown as a plain struct.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/values_internal.h"

enum { AT_GO_KIND = 0x2900, AT_GO_KEY = 0x2901, AT_GO_ELEM = 0x2902, AT_GO_RUNTIME_TYPE = 0x2904 };

/* From package reflect. */
enum go_kind {
    GO_CHAN = 18, GO_FUNC = 19, GO_INTERFACE = 20, GO_MAP = 21, GO_SLICE = 23, GO_STRING = 24,
};

/* A slot of a bucket holds a key if its byte in `tophash` is at least FILLED. An evacuated byte
 * means that the bucket has moved to the new table. */
enum { BUCKET_SLOTS = 8, EVACUATED_FIRST = 2, EVACUATED_LAST = 4, FILLED = 5 };
enum { MAP_SAME_SIZE_GROW = 8, MAP_LARGEST = 40, CHAIN_LONGEST = 1 << 20 };

/* In struct _type of the runtime: the byte with the kind, and its bit for values stored in the
 * interface itself. */
enum { RUNTIME_TYPE_KIND = 23, DIRECT_IN_INTERFACE = 1 << 5 };

/* --- attributes ------------------------------------------------------------------------------- */

static bool go_number(struct type *t, unsigned attribute, u64 *ret)
{
    Dwarf_Attribute a;
    Dwarf_Word number;
    Dwarf_Addr address;
    if (!t->has_die || !dwarf_attr(&t->die, attribute, &a))
        return false;
    if (dwarf_formudata(&a, &number) == 0)
        *ret = number;
    else if (dwarf_formaddr(&a, &address) == 0)
        *ret = address;
    else
        return false;
    return true;
}

static struct type *go_type_attribute(struct evaluation *v, struct type *t, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Die die;
    if (!t->has_die || !dwarf_attr(&t->die, attribute, &a) || !dwarf_formref_die(&a, &die))
        return NULL;
    return type_of(v, t->module, &die);
}

/* Finds the type with the kind attribute: the type itself, or the one that it is another name for.
 * 0: none. */
static unsigned go_kind_of(struct evaluation *v, struct type *t, struct type **ret)
{
    u64 kind;
    while (t) {
        if (go_number(t, AT_GO_KIND, &kind)) {
            *ret = t;
            return (unsigned)kind;
        }
        t = t->kind == TYPE_TYPEDEF || t->kind == TYPE_CONST ? type_target(v, t) : NULL;
    }
    return 0;
}

static bool go_read(struct evaluation *v, u64 address, void *to, size_t size)
{
    return v->symbols->host.read(v->symbols->host.context, address, to, size);
}

static bool go_nil(struct shown *ret)
{
    ret->title = "nil";
    return ret->is_one = true;
}

const char *go_type_name(struct type *t)
{
    u64 kind;
    return go_number(t, AT_GO_KIND, &kind) ? t->name : NULL;
}

/* --- dynamic types ---------------------------------------------------------------------------- */

struct go_type_entry {
    u64 described; /* from runtime.types */
    Dwarf_Die die;
};

static int compare_described(const void *a, const void *b)
{
    const struct go_type_entry *x = a, *y = b;
    return x->described < y->described ? -1 : x->described > y->described;
}

static bool add_described(void *context, Dwarf_Die *unit)
{
    struct list *types = context;
    Dwarf_Die child;
    if (dwarf_child(unit, &child) != 0)
        return true;
    do {
        struct type t = {.has_die = true, .die = child};
        u64 described;
        if (go_number(&t, AT_GO_RUNTIME_TYPE, &described) && described)
            *(struct go_type_entry *)list_add(types) = (struct go_type_entry){described, child};
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
}

static struct list *described_types(struct module *m)
{
    struct name_index *names = module_names(m);
    if (!names->go_types_made) {
        names->go_types_made = true;
        names->go_types = LIST(struct go_type_entry);
        module_each_unit(m, add_described, &names->go_types);
        qsort(names->go_types.items, names->go_types.count, sizeof(struct go_type_entry),
              compare_described);
    }
    return &names->go_types;
}

/* Returns the type that the runtime describes at an address; NULL: not known. */
static struct type *type_described_at(struct evaluation *v, struct module *m, u64 address)
{
    u64 types;
    bool is_code;
    if (!names_find_symbol(v->symbols, "runtime.types", &is_code, &types) || address <= types)
        return NULL;
    struct list *all = described_types(m);
    struct go_type_entry wanted = {.described = address - types},
                         *found = all->count ? bsearch(&wanted, all->items, all->count,
                                                       sizeof wanted, compare_described)
                                             : NULL;
    return found ? type_of(v, m, &found->die) : NULL;
}

/* Follows a pointer; other values are returned unchanged. */
static struct value *go_pointed_to(struct value *value)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    u64 address;
    if (plain->kind != TYPE_POINTER)
        return value;
    struct error *err = value_pointer(value, &address);
    error_destroy(err);
    return err ? value : value_at(v, type_target(v, plain), address, NULL);
}

/* An interface is nil, or one word for the dynamic type and one word that is the value or points to
 * it. */
static bool show_interface(struct value *value, struct type *named, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    u64 table = 0, type = 0, data;
    u8 kind;
    if ((!std_word(value, "tab", &table) && !std_word(value, "_type", &type)) ||
        !std_word(value, "data", &data) || (table && !go_read(v, table + 8, &type, 8)))
        return false;
    if (!type)
        return go_nil(ret);
    struct value *slot = std_member(value, "data");
    struct type *dynamic = type_described_at(v, named->module, type);
    if (!dynamic || !slot || !go_read(v, type + RUNTIME_TYPE_KIND, &kind, 1))
        return false;
    bool direct = kind & DIRECT_IN_INTERFACE;
    std_room(v, ret, 1);
    ret->items[ret->count++] =
        direct ? value_part(slot, dynamic, 0) : value_at(v, dynamic, data, NULL);
    ret->target = go_pointed_to(ret->items[0]);
    ret->is_one = ret->is_bare = true;
    return true;
}

/* --- strings, slices, channels, functions ----------------------------------------------------- */

static bool show_go_string(struct value *value, struct shown *ret)
{
    struct value *text = std_member(value, "str");
    if (!text || !std_word(value, "str", &ret->address) || !std_word(value, "len", &ret->length))
        return false;
    ret->of = type_target(value->evaluation, type_plain(value->evaluation, text->type));
    ret->width = 1;
    ret->prefix = ' ';
    return ret->is_text = true;
}

static bool show_slice(struct value *value, struct type *named, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct type *of = go_type_attribute(v, named, AT_GO_ELEM);
    u64 first, count, room;
    if (!of || !std_word(value, "array", &first) || !std_word(value, "len", &count) ||
        !std_word(value, "cap", &room) || count > room)
        return false;
    ret->of = of;
    ret->address = first;
    ret->length = count;
    std_room(v, ret, count);
    for (; ret->count < count && ret->count < show_most(v); ret->count++)
        ret->items[ret->count] = value_at(v, of, first + ret->count * of->size, NULL);
    std_title(v, ret,
              xformat("%s of length %llu, capacity %llu", named->name ? named->name : "slice",
                      (unsigned long long)count, (unsigned long long)room));
    return true;
}

/* A channel is a ring of elements; the next to be received comes first. */
static bool show_channel(struct value *value, struct type *named, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct type *of = go_type_attribute(v, named, AT_GO_ELEM);
    u64 count, room, ring, next, closed;
    if (!of || !std_word(value, "qcount", &count) || !std_word(value, "dataqsiz", &room) ||
        !std_word(value, "buf", &ring) || !std_word(value, "recvx", &next) ||
        !std_word(value, "closed", &closed) || count > room)
        return false;
    std_room(v, ret, count);
    for (; ret->count < count && ret->count < show_most(v); ret->count++)
        ret->items[ret->count] =
            value_at(v, of, ring + (next + ret->count) % room * of->size, NULL);
    std_title(v, ret,
              xformat("%s of length %llu, capacity %llu%s", named->name ? named->name : "chan",
                      (unsigned long long)count, (unsigned long long)room,
                      closed ? ", closed" : ""));
    return true;
}

/* A function value is a pointer to a closure, whose first word is the address of the code. DWARF
 * describes the variable as a function. */
static bool show_function_value(struct value *value, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    u64 closure, code;
    if (!value->in_memory || !go_read(v, value->address, &closure, 8))
        return false;
    if (!closure)
        return go_nil(ret);
    char *name = go_read(v, closure, &code, 8) ? names_of_address(v->symbols, code, true) : NULL;
    if (name)
        std_title(v, ret, name);
    return ret->is_words = name;
}

/* --- maps ------------------------------------------------------------------------------------- */

struct go_map {
    struct evaluation *v;
    struct type *bucket, *key, *element;
    u64 most;
    struct shown *ret;
};

/* Large keys and elements are stored as pointers. */
static struct value *map_part(struct evaluation *v, struct value *bucket, const char *part,
                              struct type *wanted, u64 slot)
{
    struct value *all = std_member(bucket, part);
    struct value *one = all ? value_element(all, slot) : NULL;
    u64 address;
    if (!one || type_plain(v, one->type)->size == type_plain(v, wanted)->size)
        return one ? value_at(v, wanted, one->address, NULL) : NULL;
    struct error *err = value_pointer(one, &address);
    error_destroy(err);
    return err ? NULL : value_at(v, wanted, address, NULL);
}

/* Adds the filled slots of a bucket and of its overflow buckets. */
static bool add_bucket(struct go_map *m, u64 address)
{
    for (unsigned links = 0; address && links < CHAIN_LONGEST; links++) {
        struct value *bucket = value_at(m->v, m->bucket, address, NULL);
        u8 tops[BUCKET_SLOTS];
        if (!go_read(m->v, address, tops, sizeof tops))
            return false;
        for (unsigned slot = 0; slot < BUCKET_SLOTS && m->ret->count < m->most; slot++) {
            if (tops[slot] < FILLED)
                continue;
            struct value *key = map_part(m->v, bucket, "keys", m->key, slot);
            struct value *element = map_part(m->v, bucket, "values", m->element, slot);
            if (!key || !element)
                return false;
            m->ret->keys[m->ret->count] = key;
            m->ret->items[m->ret->count++] = element;
        }
        if (m->ret->count >= m->most || !std_word(bucket, "overflow", &address))
            return m->ret->count >= m->most;
    }
    return !address;
}

static bool is_evacuated(struct go_map *m, u64 bucket)
{
    u8 top;
    return go_read(m->v, bucket, &top, 1) && top >= EVACUATED_FIRST && top <= EVACUATED_LAST;
}

/* While a map grows, some of its entries are still in the old buckets. */
static bool add_buckets(struct go_map *m, struct value *map)
{
    u64 flags, shift, new, old;
    if (!std_word(map, "flags", &flags) || !std_word(map, "B", &shift) || shift > MAP_LARGEST ||
        !std_word(map, "buckets", &new) || !std_word(map, "oldbuckets", &old))
        return false;
    u64 old_count = flags & MAP_SAME_SIZE_GROW || !shift ? 1ul << shift : 1ul << (shift - 1);
    for (u64 n = 0; new && n < 1ul << shift && m->ret->count < m->most; n++)
        if (!add_bucket(m, new + n * m->bucket->size))
            return false;
    for (u64 n = 0; old && n < old_count && m->ret->count < m->most; n++)
        if (!is_evacuated(m, old + n * m->bucket->size) &&
            !add_bucket(m, old + n * m->bucket->size))
            return false;
    return true;
}

static bool show_map(struct value *value, struct type *named, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    u64 count;
    struct value *buckets = std_member(value, "buckets");
    struct go_map m = {.v = v, .ret = ret,
                       .key = go_type_attribute(v, named, AT_GO_KEY),
                       .element = go_type_attribute(v, named, AT_GO_ELEM),
                       .bucket = buckets ? type_target(v, type_plain(v, buckets->type)) : NULL};
    if (!m.key || !m.element || !m.bucket || !m.bucket->size || !std_word(value, "count", &count))
        return false;
    m.most = count < show_most(v) / 2 ? count : show_most(v) / 2;
    std_room(v, ret, m.most);
    ret->keys = values_alloc(v, (m.most + 1) * sizeof *ret->keys);
    ret->more = count > m.most;
    if (!add_buckets(&m, value))
        return false;
    std_title(v, ret, xformat("%s with %llu element%s", named->name ? named->name : "map",
                              (unsigned long long)count, count == 1 ? "" : "s"));
    return true;
}

/* --- all -------------------------------------------------------------------------------------- */

static bool is_nil(struct value *value, struct shown *ret)
{
    u64 address;
    struct error *err = value_pointer(value, &address);
    error_destroy(err);
    return !err && !address && go_nil(ret);
}

bool go_shown(struct value *value, struct shown *ret)
{
    struct type *named;
    *ret = (struct shown){0};
    switch (go_kind_of(value->evaluation, value->type, &named)) {
    case GO_STRING: return show_go_string(value, ret);
    case GO_SLICE: return show_slice(value, named, ret);
    case GO_INTERFACE: return show_interface(value, named, ret);
    case GO_FUNC: return show_function_value(value, ret);
    case GO_MAP: return is_nil(value, ret) || show_map(value, named, ret);
    case GO_CHAN: return is_nil(value, ret) || show_channel(value, named, ret);
    default: return false;
    }
}

struct value *go_looked_through(struct value *value)
{
    struct type *named;
    struct shown shown = {0};
    if (go_kind_of(value->evaluation, value->type, &named) != GO_INTERFACE ||
        !show_interface(value, named, &shown) || !shown.target)
        return value;
    return shown.target;
}

bool go_shown_handle(struct value *value, struct shown *ret)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    return (plain->kind == TYPE_POINTER || plain->kind == TYPE_FUNCTION) && go_shown(value, ret);
}
