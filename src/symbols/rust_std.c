/* Types of Rust's library in readable form: vectors and maps as their elements, shared pointers as
 * what they share.
 *
 * Types are recognized by their crate and name, and by their fields. A value with an unexpected
 * layout is shown as a plain struct. Layouts are those of Rust 1.63 up to 1.95.
 *
 *   HashMap   SwissTable: a byte for each bucket says whether it is used; the bytes begin at
 *             `ctrl`, the buckets end there
 *   BTreeMap  nodes of up to 11 keys; inner nodes have 12 edges after that
 */
#include "symbols/rust_internal.h"

/* --- fields ----------------------------------------------------------------------------------- */

struct value *rust_unwrapped(struct value *value)
{
    struct evaluation *v = value->evaluation;
    for (unsigned deep = 0; deep < SHOW_DEPTH; deep++) {
        size_t count;
        struct type *plain = type_plain(v, value->type);
        const struct member *m = plain->kind == TYPE_STRUCT ? type_members(v, plain, &count) : NULL,
                            *only = NULL;
        for (size_t n = 0; m && n < count; n++)
            if (!m[n].is_static && type_plain(v, m[n].type)->size) {
                if (only)
                    return value;
                only = &m[n];
            }
        if (!only)
            return value;
        value = value_member(value, only);
    }
    return value;
}

static bool rust_word(struct value *value, const char *path, u64 *ret)
{
    struct value *member = std_member(value, path);
    struct number n;
    struct error *err = member ? value_number(rust_unwrapped(member), &n) : error_new("none");
    if (!err)
        *ret = (u64)n.i;
    error_destroy(err);
    return !err;
}

/* Reads the word at whichever of the two paths exists. */
static bool rust_either_word(struct value *value, const char *a, const char *b, u64 *ret)
{
    return rust_word(value, a, ret) || rust_word(value, b, ret);
}

static u64 rust_limit(const struct evaluation *v, u64 count)
{
    return count < show_most(v) ? count : show_most(v);
}

/* --- elements in a row ------------------------------------------------------------------------ */

static bool rust_buffer(struct value *raw, u64 *ret_address, u64 *ret_capacity)
{
    return rust_either_word(raw, "inner.ptr", "ptr", ret_address) &&
           rust_either_word(raw, "inner.cap", "cap", ret_capacity);
}

static bool rust_shown_vec(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct type *of = std_argument(v, plain, 0);
    struct value *buffer = std_member(value, "buf");
    u64 first, capacity, count;
    if (!of || !buffer || !rust_buffer(buffer, &first, &capacity) ||
        !rust_word(value, "len", &count) || (of->size && count > capacity))
        return false;
    rust_row(v, ret, of, first, count);
    return true;
}

/* A ring: newer libraries have a first index and a length, older ones two indexes into 2^n
 * places. */
static bool rust_shown_deque(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct type *of = std_argument(v, plain, 0);
    struct value *buffer = std_member(value, "buf");
    u64 first, capacity, count, head, tail;
    if (!of || !buffer || !rust_buffer(buffer, &first, &capacity) ||
        !rust_word(value, "head", &head))
        return false;
    if (rust_word(value, "tail", &tail)) {
        if (!of->size || !capacity || capacity & (capacity - 1))
            return false;
        count = (head - tail) & (capacity - 1);
        head = tail;
    } else if (!rust_word(value, "len", &count) || (of->size && count > capacity)) {
        return false;
    }
    ret->style = SHOWN_ROW;
    std_room(v, ret, count);
    for (; ret->count < rust_limit(v, count); ret->count++) {
        u64 at = of->size ? (head + ret->count) % capacity : 0;
        ret->items[ret->count] = value_at(v, of, first + at * of->size, NULL);
    }
    return true;
}

/* String, PathBuf, OsString: bytes in a vector, inside of one or more wrappers. */
static bool rust_shown_string(struct value *value, struct type *plain, struct shown *ret)
{
    struct shown row = {0};
    (void)plain;
    struct value *inner = std_member(value, "vec");
    for (unsigned n = 0; n < 4 && (inner || n == 0); n++) {
        inner = inner ? inner : value;
        struct type *is = type_plain(value->evaluation, inner->type);
        if (std_is(is, "Vec")) {
            if (!rust_shown_vec(inner, is, &row) || row.of->size != 1)
                return false;
            rust_text(ret, row.of, row.address, row.length);
            return true;
        }
        inner = std_member(inner, "inner");
    }
    return false;
}

static bool rust_shown_c_string(struct value *value, struct type *plain, struct shown *ret)
{
    struct rust_fat fat;
    struct value *inner = std_member(value, "inner");
    (void)plain;
    if (!inner || !rust_fat_pointer(inner, &fat) || !fat.length)
        return false;
    rust_text(ret, fat.of, fat.address, fat.length - 1);
    return true;
}

static bool rust_shown_list(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *node = std_member(value, "head");
    const char *name;
    u64 count;
    (void)plain;
    if (!node || !rust_word(value, "len", &count))
        return false;
    ret->style = SHOWN_ROW;
    std_room(v, ret, count);
    while (ret->count < rust_limit(v, count)) {
        struct value *some = rust_variant(node, &name),
                     *pointer = some ? rust_unwrapped(some) : NULL;
        struct value *element = pointer ? std_member(pointer, "element") : NULL;
        if (!element || !(node = std_member(pointer, "next")))
            return false;
        ret->items[ret->count++] = element;
    }
    return true;
}

/* --- hash tables ------------------------------------------------------------------------------ */

static void rust_room_for_map(struct evaluation *v, struct shown *ret, bool map, u64 count)
{
    ret->style = map ? SHOWN_MAP : SHOWN_SET;
    std_room(v, ret, count);
    if (map)
        ret->keys = values_alloc(v, (show_most(v) + 1) * sizeof *ret->keys);
}

/* Adds a key with its value, which are a tuple; for a set, the key alone. */
static bool rust_add_pair(struct value *pair, bool map, struct shown *ret)
{
    struct value *key = std_member(pair, "__0"), *item = map ? std_member(pair, "__1") : key;
    if (!key || !item)
        return false;
    if (map)
        ret->keys[ret->count] = key;
    ret->items[ret->count++] = item;
    return true;
}

static bool rust_shown_table(struct value *table, bool map, struct shown *ret)
{
    enum { GROUP = 1024 };
    struct evaluation *v = table->evaluation;
    const struct symbols_host *host = &v->symbols->host;
    struct type *of = std_argument(v, type_plain(v, table->type), 0);
    u64 mask, controls, count;
    u8 bytes[GROUP];
    if (!of || !rust_word(table, "table.bucket_mask", &mask) ||
        !rust_word(table, "table.ctrl", &controls) || !rust_word(table, "table.items", &count) ||
        mask & (mask + 1) || count > mask + 1)
        return false;
    rust_room_for_map(v, ret, map, count);
    for (u64 n = 0; n <= mask && ret->count < rust_limit(v, count); n++) {
        u64 left = mask + 1 - n;
        if (n % GROUP == 0 &&
            !host->read(host->context, controls + n, bytes, left < GROUP ? left : GROUP))
            return false;
        if (!(bytes[n % GROUP] & 0x80) &&
            !rust_add_pair(value_at(v, of, controls - (n + 1) * of->size, NULL), map, ret))
            return false;
    }
    return ret->count == rust_limit(v, count);
}

/* Handles the standard library's map, which wraps hashbrown's map of the same name, and hashbrown's
 * own. */
static bool rust_shown_hash_map(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *base = std_member(value, "base"),
                 *table = std_member(base ? base : value, "table");
    (void)plain;
    return table && rust_shown_table(table, true, ret);
}

static bool rust_shown_hash_set(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *base = std_member(value, "base"), *map = std_member(base ? base : value, "map");
    struct value *inner = map ? std_member(map, "base") : NULL;
    struct value *table = map ? std_member(inner ? inner : map, "table") : NULL;
    (void)plain;
    return table && rust_shown_table(table, false, ret);
}

/* --- trees ------------------------------------------------------------------------------------ */

enum { NODE_KEYS = 11, TREE_HIGH = 24 };

struct tree_walk {
    struct evaluation *v;
    struct type *leaf, *inner; /* of nodes */
    bool map;
    u64 count;
    struct shown *ret;
};

/* T of Option<T>. */
static struct type *rust_some_type(struct evaluation *v, struct type *option)
{
    struct member tag;
    Dwarf_Die at, member;
    size_t count;
    if (!type_variants(v, option, &tag, &at))
        return NULL;
    do {
        struct type *of =
            dwarf_child(&at, &member) == 0 ? type_attribute(v, option->module, &member) : NULL;
        const struct member *m = of ? type_members(v, type_plain(v, of), &count) : NULL;
        if (m && count)
            return m[0].type;
    } while (dwarf_siblingof(&at, &at) == 0);
    return NULL;
}

/* The type of inner nodes is found in the type of a node's parent:
 * Option<NonNull<InternalNode>>. */
static struct type *rust_inner_node(struct evaluation *v, struct type *leaf)
{
    struct value *parent = std_member(value_at(v, leaf, 0, NULL), "parent");
    struct type *some = parent ? rust_some_type(v, type_plain(v, parent->type)) : NULL;
    return some ? std_argument(v, type_plain(v, some), 0) : NULL;
}

/* Removes MaybeUninit and similar wrappers. */
static struct value *rust_initialised(struct value *value)
{
    for (struct value *inner = value; inner; inner = std_member(value, "value")) {
        value = inner;
        struct type *plain = type_plain(value->evaluation, value->type);
        if (!std_is(plain, "MaybeUninit") && !std_is(plain, "ManuallyDrop") &&
            !std_is(plain, "MaybeDangling"))
            return value;
        if (std_is(plain, "MaybeDangling"))
            return std_member(value, "__0") ? std_member(value, "__0") : value;
    }
    return value;
}

static bool rust_walk_node(struct tree_walk *w, u64 node, u64 height);

static bool rust_walk_edge(struct tree_walk *w, u64 node, u64 height, u64 edge)
{
    struct value *edges = std_member(value_at(w->v, w->inner, node, NULL), "edges");
    struct number n;
    if (!edges)
        return false;
    struct error *err = value_number(rust_unwrapped(value_element(edges, edge)), &n);
    error_destroy(err);
    return !err && rust_walk_node(w, (u64)n.i, height - 1);
}

/* Walks keys and edges alternately. */
static bool rust_walk_node(struct tree_walk *w, u64 node, u64 height)
{
    struct value *leaf = value_at(w->v, w->leaf, node, NULL);
    struct value *keys = std_member(leaf, "keys"), *values = std_member(leaf, "vals");
    u64 count;
    if (!keys || !values || !rust_word(leaf, "len", &count) || count > NODE_KEYS ||
        height > TREE_HIGH)
        return false;
    for (u64 n = 0; n <= count; n++) {
        if (w->ret->count == rust_limit(w->v, w->count))
            return true;
        if (height && !rust_walk_edge(w, node, height, n))
            return false;
        if (n == count || w->ret->count == rust_limit(w->v, w->count))
            break;
        struct value *key = rust_initialised(value_element(keys, n));
        if (w->map)
            w->ret->keys[w->ret->count] = key;
        w->ret->items[w->ret->count++] = w->map ? rust_initialised(value_element(values, n)) : key;
    }
    return true;
}

static bool rust_shown_tree(struct value *value, bool map, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct tree_walk w = {.v = v, .map = map, .ret = ret};
    struct value *root = std_member(value, "root"), *some, *node, *pointer;
    const char *name;
    u64 height;
    if (!root || !rust_word(value, "length", &w.count))
        return false;
    rust_room_for_map(v, ret, map, w.count);
    if (!w.count)
        return true;
    if (!(some = rust_variant(root, &name)) || !(node = std_member(some, "__0")) ||
        !rust_word(node, "height", &height) || !(pointer = std_member(node, "node")))
        return false;
    pointer = rust_unwrapped(pointer);
    struct type *plain = type_plain(v, pointer->type);
    struct number at;
    struct error *err =
        plain->kind == TYPE_POINTER ? value_number(pointer, &at) : error_new("none");
    error_destroy(err);
    if (err)
        return false;
    w.leaf = type_plain(v, type_target(v, plain));
    w.inner = height ? rust_inner_node(v, w.leaf) : NULL;
    return (!height || w.inner) && rust_walk_node(&w, (u64)at.i, height) &&
           ret->count == rust_limit(v, w.count);
}

static bool rust_shown_tree_map(struct value *value, struct type *plain, struct shown *ret)
{
    (void)plain;
    return rust_shown_tree(value, true, ret);
}

static bool rust_shown_tree_set(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *map = std_member(value, "map");
    (void)plain;
    return map && rust_shown_tree(map, false, ret);
}

/* --- shared pointers -------------------------------------------------------------------------- */

enum { COUNTS_SIZE = 16 }; /* strong and weak */

/* Returns the allocation: the counts and the shared value. */
static struct value *rust_allocation(struct value *pointer, struct rust_fat *ret_fat)
{
    struct evaluation *v = pointer->evaluation;
    pointer = rust_unwrapped(pointer);
    struct type *plain = type_plain(v, pointer->type);
    struct number n;
    *ret_fat = (struct rust_fat){0};
    if (rust_fat_pointer(pointer, ret_fat))
        return value_at(v, ret_fat->of, ret_fat->address, NULL);
    if (plain->kind != TYPE_POINTER)
        return NULL;
    struct error *err = value_number(pointer, &n);
    error_destroy(err);
    return err || n.i == 0 || n.i == UINT64_MAX
               ? NULL
               : value_at(v, type_target(v, plain), (u64)n.i, NULL);
}

static bool rust_shared(struct value *allocation, const struct rust_fat *fat, bool is_text,
                        struct shown *ret)
{
    struct evaluation *v = allocation->evaluation;
    if (fat->vtable)
        return rust_one(rust_object(v, fat, COUNTS_SIZE), ret);
    struct value *held = std_member(allocation, "value");
    held = held ? held : std_member(allocation, "data");
    if (!held || !held->in_memory)
        return false;
    if (!fat->of)
        return rust_one(held, ret);
    if (is_text)
        rust_text(ret, held->type, held->address, fat->length);
    else
        rust_row(v, ret, held->type, held->address, fat->length);
    return true;
}

static bool rust_shown_rc(struct value *value, struct type *plain, struct shown *ret)
{
    struct rust_fat fat;
    struct value *pointer = std_member(value, "ptr");
    struct value *allocation = pointer ? rust_allocation(pointer, &fat) : NULL;
    u64 strong, weak;
    if (!allocation || !rust_word(allocation, "strong", &strong) ||
        !rust_word(allocation, "weak", &weak) ||
        !rust_shared(allocation, &fat, strstr(plain->name, "<str"), ret))
        return false;
    ret->holder = allocation;
    char *note =
        xformat("%.*s(strong=%llu, weak=%llu) ", (int)strcspn(plain->name, "<"), plain->name,
                (unsigned long long)strong, (unsigned long long)(weak ? weak - 1 : 0));
    ret->note = values_copy(value->evaluation, note, strlen(note));
    free(note);
    return true;
}

/* The target may be gone, or may lead back here. It is not shown, but can be requested. */
static bool rust_shown_weak(struct value *value, struct type *plain, struct shown *ret)
{
    struct rust_fat fat;
    struct shown held = {0};
    struct value *pointer = std_member(value, "ptr");
    struct value *allocation = pointer ? rust_allocation(pointer, &fat) : NULL;
    u64 strong = 0, weak = 0;
    ret->style = SHOWN_WORDS;
    ret->title = "(Weak)";
    if (!pointer || !allocation || !rust_word(allocation, "strong", &strong) ||
        !rust_word(allocation, "weak", &weak))
        return pointer;
    ret->holder = allocation;
    if (strong && rust_shared(allocation, &fat, strstr(plain->name, "<str"), &held))
        ret->target = held.target;
    char *note = xformat("Weak(strong=%llu, weak=%llu) ", (unsigned long long)strong,
                         (unsigned long long)(strong && weak ? weak - 1 : weak));
    ret->note = values_copy(value->evaluation, note, strlen(note));
    free(note);
    return true;
}

/* --- cells, locks ----------------------------------------------------------------------------- */

static void rust_add_field(struct shown *ret, const char *label, struct value *item)
{
    ret->labels[ret->count] = label;
    ret->items[ret->count++] = item;
}

static void rust_room_for_fields(struct evaluation *v, struct shown *ret, const char *name)
{
    enum { FIELDS = 4 };
    ret->style = SHOWN_FIELDS;
    ret->title = name;
    std_room(v, ret, FIELDS);
    ret->labels = values_alloc(v, FIELDS * sizeof *ret->labels);
}

static bool rust_shown_cell(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *held = std_member(value, "value"), *borrow = std_member(value, "borrow");
    bool counted = std_is(plain, "RefCell");
    u64 count = 0;
    if (!held || (counted && (!borrow || !rust_word(value, "borrow", &count))))
        return false;
    rust_room_for_fields(value->evaluation, ret, counted ? "RefCell" : "Cell");
    rust_add_field(ret, "value", held);
    if (count) /* -1: borrowed for writing; otherwise the number of readers */
        rust_add_field(ret, "borrow", rust_unwrapped(borrow));
    return true;
}

static bool rust_shown_lock(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *data = std_member(value, "data");
    bool mutex = std_is(plain, "Mutex");
    u64 failed, word = 0;
    if (!data || !rust_word(value, "poison", &failed))
        return false;
    rust_room_for_fields(v, ret, mutex ? "Mutex" : "RwLock");
    rust_add_field(ret, "data", data);
    rust_add_field(ret, "poisoned", value_of_integer(v, "bool", (i64)failed));
    if (mutex && rust_word(value, "inner", &word) && word)
        rust_add_field(ret, "locked", value_of_integer(v, "bool", 1));
    ret->tail = "..";
    return true;
}

/* Ref, RefMut: shown as the cell's value. */
static bool rust_shown_ref(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *held = std_member(value, "value"), *seen;
    (void)plain;
    if (!held)
        return false;
    held = rust_unwrapped(held);
    struct type *is = type_plain(value->evaluation, held->type);
    u64 address;
    struct error *err =
        is->kind == TYPE_POINTER ? value_pointer(held, &address) : error_new("none");
    error_destroy(err);
    if (err)
        return rust_shown(held, ret);
    seen = value_at(value->evaluation, type_target(value->evaluation, is), address, NULL);
    return rust_one(seen, ret);
}

/* A guard of a lock: shown as what the lock protects. */
static bool rust_shown_guard(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *lock = std_member(value, "lock"), *data = lock ? std_member(lock, "data") : NULL;
    return data
               ? rust_one(data, ret)
               : std_member(value, "data") && rust_shown_ref(std_member(value, "data"), plain, ret);
}

static bool rust_shown_wrapper(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *held = rust_unwrapped(value);
    (void)plain;
    return held != value && rust_one(held, ret);
}

/* A byte that is 0 or 1. */
static bool rust_shown_atomic_bool(struct value *value, struct type *plain, struct shown *ret)
{
    u64 set;
    (void)plain;
    return rust_word(value, "v", &set) && set < 2 &&
           rust_one(value_of_integer(value->evaluation, "bool", (i64)set), ret);
}

/* Shows the whole field, not what is inside of it. */
static bool rust_shown_inner(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *held = std_member(value, "value");
    (void)plain;
    return rust_one(held ? held : std_member(value, "__0"), ret);
}

static bool rust_shown_heap(struct value *value, struct type *plain, struct shown *ret)
{
    (void)plain;
    return rust_one(std_member(value, "data"), ret);
}

static bool rust_shown_pin(struct value *value, struct type *plain, struct shown *ret)
{
    size_t count;
    const struct member *m = type_members(value->evaluation, plain, &count);
    return count == 1 && rust_one(value_member(value, &m[0]), ret);
}

/* --- small things ----------------------------------------------------------------------------- */

static bool rust_shown_words(struct value *value, struct shown *ret, char *text)
{
    ret->style = SHOWN_WORDS;
    std_title(value->evaluation, ret, text);
    return true;
}

static bool rust_shown_range(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *start = std_member(value, "start"), *end = std_member(value, "end");
    bool inclusive = std_is(plain, "RangeInclusive") || std_is(plain, "RangeToInclusive");
    char *from = start ? value_show(start, 0) : xformat("%s", ""),
         *to = end ? value_show(end, 0) : xformat("%s", "");
    char *text = xformat("%s..%s%s", from, inclusive ? "=" : "", to);
    free(from);
    free(to);
    return rust_shown_words(value, ret, text);
}

static bool rust_shown_phantom(struct value *value, struct type *plain, struct shown *ret)
{
    char *of = plain->name ? type_text(value->evaluation, plain) : xformat("PhantomData");
    const char *name = strstr(of, "PhantomData");
    char *text = xformat("%s", name ? name : of);
    free(of);
    return rust_shown_words(value, ret, text);
}

/* "1.5s", "20ms": in the largest unit in which it is at least 1. */
static bool rust_shown_duration(struct value *value, struct type *plain, struct shown *ret)
{
    static const struct {
        const char *name;
        u64 per;
    } units[] = {{"ms", 1000000}, {"µs", 1000}, {"ns", 1}};
    u64 seconds, nanos;
    (void)plain;
    if (!rust_word(value, "secs", &seconds) || !rust_word(value, "nanos", &nanos) ||
        nanos >= 1000000000)
        return false;
    const char *unit = "s";
    u64 whole = seconds, rest = nanos, per = 1000000000;
    for (size_t n = 0; n < countof(units) && !seconds && !whole; n++) {
        unit = units[n].name;
        per = units[n].per;
        whole = nanos / per;
        rest = nanos % per;
    }
    char fraction[24] = "";
    if (rest) {
        int digits = per == 1000000000 ? 9 : per == 1000000 ? 6 : 3;
        snprintf(fraction, sizeof fraction, ".%0*llu", digits, (unsigned long long)rest);
        for (size_t end = strlen(fraction); fraction[end - 1] == '0';)
            fraction[--end] = 0;
    }
    return rust_shown_words(value, ret,
                            xformat("%llu%s%s", (unsigned long long)whole, fraction, unit));
}

/* --- all -------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*show)(struct value *value, struct type *plain, struct shown *ret);
} rust_types[] = {
    {"Vec", rust_shown_vec},                {"VecDeque", rust_shown_deque},
    {"String", rust_shown_string},          {"PathBuf", rust_shown_string},
    {"OsString", rust_shown_string},        {"CString", rust_shown_c_string},
    {"LinkedList", rust_shown_list},        {"BinaryHeap", rust_shown_heap},
    {"HashMap", rust_shown_hash_map},       {"HashSet", rust_shown_hash_set},
    {"BTreeMap", rust_shown_tree_map},      {"BTreeSet", rust_shown_tree_set},
    {"Rc", rust_shown_rc},                  {"Arc", rust_shown_rc},
    {"Weak", rust_shown_weak},              {"Cell", rust_shown_cell},
    {"RefCell", rust_shown_cell},           {"Ref", rust_shown_ref},
    {"RefMut", rust_shown_ref},             {"Mutex", rust_shown_lock},
    {"RwLock", rust_shown_lock},            {"MutexGuard", rust_shown_guard},
    {"RwLockReadGuard", rust_shown_guard},  {"RwLockWriteGuard", rust_shown_guard},
    {"UnsafeCell", rust_shown_inner},       {"ManuallyDrop", rust_shown_inner},
    {"MaybeUninit", rust_shown_inner},      {"MaybeDangling", rust_shown_inner},
    {"AtomicBool", rust_shown_atomic_bool}, {"NonNull", rust_shown_wrapper},
    {"Unique", rust_shown_wrapper},         {"Pin", rust_shown_pin},
    {"Range", rust_shown_range},            {"RangeInclusive", rust_shown_range},
    {"RangeFrom", rust_shown_range},        {"RangeTo", rust_shown_range},
    {"RangeToInclusive", rust_shown_range}, {"RangeFull", rust_shown_range},
    {"PhantomData", rust_shown_phantom},    {"Duration", rust_shown_duration},
    {"Wrapping", rust_shown_inner},         {"Saturating", rust_shown_inner},
};

/* A type of the same name in another crate does not count. */
bool rust_is_of_library(struct type *plain, bool *ret_number)
{
    static const char *const crates[] = {"alloc::", "core::", "std::", "hashbrown::"};
    char *name = plain->has_die ? names_of_die(plain->module, plain->name, &plain->die) : NULL;
    bool is = false;
    for (size_t n = 0; name && n < countof(crates); n++)
        is |= strncmp(name, crates[n], strlen(crates[n])) == 0;
    *ret_number =
        is && (strstr(name, "::niche_types::") || strncmp(plain->name, "NonZero", 7) == 0 ||
               (strstr(name, "::atomic::Atomic") && strcmp(plain->name, "AtomicBool") != 0));
    free(name);
    return is;
}

bool rust_std_shown(struct value *value, struct type *plain, struct shown *ret)
{
    bool number;
    if (!plain->name || !rust_is_of_library(plain, &number))
        return false;
    if (number)
        return rust_shown_wrapper(value, plain, ret);
    for (size_t n = 0; n < countof(rust_types); n++)
        if (std_is(plain, rust_types[n].name) || strcmp(plain->name, rust_types[n].name) == 0) {
            *ret = (struct shown){0};
            if (rust_types[n].show(value, plain, ret))
                return true;
            *ret = (struct shown){0};
            return false;
        }
    return false;
}
