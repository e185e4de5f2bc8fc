/* Containers of libstdc++ made of nodes: trees, hash tables, lists, deques; and their iterators.
 *
 * Nodes are followed in the program's memory as the library itself follows them, so that elements
 * come in the order of an iteration.  A container that is damaged or not constructed yet is shown
 * as the struct that it is: each function returns false when a pointer leads nowhere.
 */
#include "symbols/values_internal.h"

static bool word_in(struct evaluation *v, u64 address, u64 *ret)
{
    return v->symbols->host.read(v->symbols->host.context, address, ret, 8);
}

/* Returns the offset of a node's element: after its header, aligned for its type. */
static u64 std_after_header(struct evaluation *v, u64 header, struct type *of)
{
    u64 align = type_alignment(v, of);
    return (header + align - 1) / align * align;
}

/* Returns "std::map" for "map<int, ...>", including name spaces inside of std. */
static char *template_name(const struct type *plain)
{
    Dwarf_Die die = plain->die;
    char *name = names_of_die(plain->module, plain->name, &die);
    if (name)
        name[strcspn(name, "<")] = 0;
    return name ? name : xformat("std::%.*s", (int)strcspn(plain->name, "<"), plain->name);
}

static void title_with_count(struct evaluation *v, const struct type *plain, u64 count,
                             struct shown *ret)
{
    char *name = template_name(plain);
    std_title(
        v, ret,
        xformat("%s with %llu element%s", name, (unsigned long long)count, count == 1 ? "" : "s"));
    free(name);
}

static bool is_map(const struct type *plain)
{
    return std_is(plain, "map") || std_is(plain, "multimap") || std_is(plain, "unordered_map") ||
           std_is(plain, "unordered_multimap");
}

/* Adds an element; for a map it is a pair. */
static bool add_element(struct value *element, bool map, struct shown *ret)
{
    if (map) {
        ret->keys[ret->count] = std_member(element, "first");
        element = std_member(element, "second");
        if (!ret->keys[ret->count])
            return false;
    }
    ret->items[ret->count++] = element;
    return element;
}

/* gdb shows half as many elements of a map, since it counts keys and values. */
static u64 prepare(struct evaluation *v, const struct type *plain, u64 count, struct shown *ret)
{
    bool map = is_map(plain);
    u64 most = map ? show_most(v) / 2 : show_most(v);
    std_room(v, ret, count);
    if (map)
        ret->keys = values_alloc(v, (most + 1) * sizeof *ret->keys);
    ret->numbered = !map;
    ret->more = count > most;
    return ret->more ? most : count;
}

/* --- trees ------------------------------------------------------------------------------------ */

/* The layout of a node: colour, parent, left, right, then the element. */
enum { NODE_PARENT = 8, NODE_LEFT = 16, NODE_RIGHT = 24, NODE_SIZE = 32, TREE_DEEP = 128 };

static bool next_node(struct evaluation *v, u64 *node)
{
    u64 at = *node, right, parent, steps = 0;
    if (!word_in(v, at + NODE_RIGHT, &right))
        return false;
    if (right) {
        for (at = right; steps < TREE_DEEP && word_in(v, at + NODE_LEFT, &right) && right; steps++)
            at = right;
        *node = at;
        return steps < TREE_DEEP;
    }
    for (; steps < TREE_DEEP; steps++) {
        if (!word_in(v, at + NODE_PARENT, &parent) || !word_in(v, parent + NODE_RIGHT, &right))
            return false;
        if (right != at) {
            *node = parent;
            return true;
        }
        at = parent;
    }
    return false;
}

bool std_show_tree(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *tree = std_member(value, "_M_t");
    struct type *of = tree ? std_argument(v, type_plain(v, tree->type), 1) : NULL;
    u64 count, node;
    if (!of || !std_word(tree, "_M_impl._M_node_count", &count) ||
        !std_word(tree, "_M_impl._M_header._M_left", &node))
        return false;
    u64 most = prepare(v, plain, count, ret);
    while (ret->count < most)
        if (!add_element(value_at(v, of, node + std_after_header(v, NODE_SIZE, of), NULL),
                         ret->keys, ret) ||
            (ret->count < most && !next_node(v, &node)))
            return false;
    title_with_count(v, plain, count, ret);
    return true;
}

/* --- chains: hash tables, lists --------------------------------------------------------------- */

/* Follows the chain of next pointers, which are the first words of nodes, up to `end`. */
static bool follow(struct evaluation *v, u64 node, u64 end, u64 header, struct type *of, u64 most,
                   struct shown *ret)
{
    while (ret->count < most && node != end) {
        if (!add_element(value_at(v, of, node + std_after_header(v, header, of), NULL), ret->keys,
                         ret) ||
            !word_in(v, node, &node))
            return false;
    }
    ret->more |= node != end;
    return true;
}

bool std_show_hash(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *table = std_member(value, "_M_h");
    struct type *of = table ? std_argument(v, type_plain(v, table->type), 1) : NULL;
    u64 count, node;
    if (!of || !std_word(table, "_M_element_count", &count) ||
        !std_word(table, "_M_before_begin._M_nxt", &node))
        return false;
    u64 most = prepare(v, plain, count, ret);
    title_with_count(v, plain, count, ret);
    return follow(v, node, 0, 8, of, most, ret);
}

static void title_of_list(struct evaluation *v, const struct type *plain, struct shown *ret)
{
    char *name = template_name(plain);
    std_title(v, ret, xformat("%s%s", ret->count ? "" : "empty ", name));
    free(name);
}

bool std_show_list(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *head = std_member(value, "_M_impl._M_node");
    struct type *of = std_argument(v, plain, 0);
    u64 node;
    if (!head || !head->in_memory || !of || !std_word(head, "_M_next", &node))
        return false;
    u64 most = prepare(v, plain, show_most(v), ret);
    bool good = follow(v, node, head->address, 16, of, most, ret);
    title_of_list(v, plain, ret);
    return good;
}

bool std_show_forward_list(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct type *of = std_argument(v, plain, 0);
    u64 node;
    if (!of || !std_word(value, "_M_impl._M_head._M_next", &node))
        return false;
    u64 most = prepare(v, plain, show_most(v), ret);
    bool good = follow(v, node, 0, 8, of, most, ret);
    title_of_list(v, plain, ret);
    return good;
}

/* --- deques: rows of a fixed length, and a row of pointers to them ---------------------------- */

struct deque_end {
    u64 at, first, last, row;
};

static bool std_read_end(struct value *value, const char *path, struct deque_end *ret)
{
    struct value *end = std_member(value, path);
    return end && std_word(end, "_M_cur", &ret->at) && std_word(end, "_M_first", &ret->first) &&
           std_word(end, "_M_last", &ret->last) && std_word(end, "_M_node", &ret->row);
}

bool std_show_deque(struct value *value, struct type *plain, struct shown *ret)
{
    enum { ROW_BYTES = 512 };
    struct evaluation *v = value->evaluation;
    struct type *of = std_argument(v, plain, 0);
    struct deque_end from, to;
    if (!of || !of->size || !std_read_end(value, "_M_impl._M_start", &from) ||
        !std_read_end(value, "_M_impl._M_finish", &to) || to.row < from.row)
        return false;
    u64 in_row = of->size < ROW_BYTES ? ROW_BYTES / of->size : 1;
    u64 before = (from.at - from.first) / of->size;
    u64 count = (to.row - from.row) / 8 * in_row + (to.at - to.first) / of->size - before;
    std_room(v, ret, count);
    for (u64 row = 0; ret->count < count && ret->count < show_most(v); ret->count++) {
        u64 n = before + ret->count;
        if ((!ret->count || n % in_row == 0) && !word_in(v, from.row + n / in_row * 8, &row))
            return false;
        ret->items[ret->count] = value_at(v, of, row + n % in_row * of->size, NULL);
    }
    title_with_count(v, plain, count, ret);
    return true;
}

/* --- iterators -------------------------------------------------------------------------------- */

/* An iterator is shown as the element that it refers to. */
bool std_show_iterator(struct value *value, struct type *plain, struct shown *ret)
{
    static const struct {
        const char *name, *pointer;
        unsigned header;
    } kinds[] = {
        {"__normal_iterator", "_M_current", 0}, {"_Deque_iterator", "_M_cur", 0},
        {"_Rb_tree_", "_M_node", NODE_SIZE},    {"_List_", "_M_node", 16},
        {"_Fwd_list_", "_M_node", 8},           {"_Node_", "_M_cur", 8},
    };
    struct evaluation *v = value->evaluation;
    struct type *of = std_argument(v, plain, 0);
    for (size_t n = 0; n < countof(kinds); n++) {
        u64 at;
        if (strncmp(plain->name, kinds[n].name, strlen(kinds[n].name)) != 0)
            continue;
        if (n == 0 && of) /* its argument is a pointer */
            of = type_target(v, type_plain(v, of));
        if (!of || !std_word(value, kinds[n].pointer, &at))
            return false;
        ret->is_one = ret->is_bare = true;
        ret->title = "an iterator to nothing";
        if (!at)
            return true;
        std_room(v, ret, 1);
        ret->target = ret->items[ret->count++] =
            value_at(v, of, at + std_after_header(v, kinds[n].header, of),
                     value_all_sources(value));
        return true;
    }
    return false;
}
