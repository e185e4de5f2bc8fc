/* Commands that are made of other commands: define, document, alias, if and while.
 *
 * Lines up to `end` come from the same input as the command. A user command, and each round of a
 * loop, is a separate input (struct dbg_input), from which nested blocks and `commands` read their
 * lines. As in gdb, the first command that fails ends all of them.
 *
 * `hook-NAME` is run before the command NAME, and `hookpost-NAME` after it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { SCRIPT_DEEP = 100, ARGUMENTS_MOST = 100 };

/* --- lines ------------------------------------------------------------------------------------ */

struct script_lines {
    char *const *at, *const *end;
    const struct list *arguments; /* char *: arguments of the user command; NULL: there are none */
};

/* Returns the value of `$argc`, `$arg*` or `$arg0`, which the caller frees, and the length of the
 * name; NULL: it is none of them. */
static char *script_argument(const struct list *arguments, const char *text, size_t *ret_length)
{
    char *const *all = arguments->items;
    char *end;
    if (strncmp(text, "$arg", 4) != 0)
        return NULL;
    if (text[4] == 'c' && !isalnum((u8)text[5]) && text[5] != '_') {
        *ret_length = 5;
        return xformat("%zu", arguments->count);
    }
    if (text[4] == '*') {
        char *joined = xformat("%s", "");
        for (size_t i = 0; i < arguments->count; i++) {
            char *more = xformat("%s%s%s", joined, i ? " " : "", all[i]);
            free(joined);
            joined = more;
        }
        *ret_length = 5;
        return joined;
    }
    if (!isdigit((u8)text[4]))
        return NULL;
    unsigned long n = strtoul(text + 4, &end, 10);
    if (isalpha((u8)*end) || *end == '_' || n >= arguments->count)
        return NULL;
    *ret_length = (size_t)(end - text);
    return xformat("%s", all[n]);
}

static char *script_next(struct dbg_input *in, const char *prompt)
{
    struct script_lines *lines = in->context;
    char *bytes = NULL, *argument;
    size_t size, length;
    (void)prompt;
    if (lines->at == lines->end)
        return NULL;
    FILE *out = open_memstream(&bytes, &size);
    for (const char *at = *lines->at++; *at;) {
        argument = lines->arguments ? script_argument(lines->arguments, at, &length) : NULL;
        if (argument) {
            fputs(argument, out);
            at += length;
        } else {
            fputc(*at++, out);
        }
        free(argument);
    }
    fclose(out);
    return bytes;
}

static struct error *script_run(struct dbg *d, char *const *first, char *const *end,
                                const struct list *arguments)
{
    struct script_lines lines = {first, end, arguments};
    struct dbg_input in = {.before = d->input, .next = script_next, .context = &lines};
    struct error *err = NULL;
    char *line;
    int deep = 0;
    for (const struct dbg_input *at = d->input; at; at = at->before)
        deep++;
    if (deep >= SCRIPT_DEEP)
        return error_coded(ERROR_MISUSED, "the commands call each other without end");
    d->input = &in;
    while (!err && !d->quit && d->leaves == LEAVES_NOTHING && (line = script_next(&in, ""))) {
        struct dbg_field_mark mark = dbg_fields_mark(d);
        err = dbg_run_line(d, line);
        dbg_fields_take_back(d, mark);
        free(line);
    }
    d->input = in.before;
    return err;
}

/* True if the line begins a block with its own `end`. */
static bool opens_block(const char *text)
{
    static const char *const words[] = {"if", "while", "commands", "define", "document"};
    for (size_t i = 0; i < countof(words); i++) {
        size_t length = strlen(words[i]);
        if (strncmp(text, words[i], length) == 0 && !isalnum((u8)text[length]) &&
            text[length] != '-' && text[length] != '_')
            return true;
    }
    return false;
}

struct error *dbg_read_block(struct dbg *d, struct list *ret, size_t *ret_else)
{
    unsigned deep = 0;
    char *line;
    if (!d->input)
        return error_coded(ERROR_MISUSED,
                           "this command reads the lines after it, up to 'end'; there are none");
    if (ret_else)
        *ret_else = ~(size_t)0;
    while ((line = d->input->next(d->input, "> "))) {
        const char *text = line + strspn(line, " \t");
        bool last = strcmp(text, "end") == 0 && !deep;
        bool is_else = ret_else && !deep && strcmp(text, "else") == 0;
        if (is_else)
            *ret_else = ret->count;
        deep += opens_block(text);
        deep -= strcmp(text, "end") == 0 && deep;
        if (!last && !is_else && *text)
            debug_strings_add(ret, text);
        free(line);
        if (last)
            return NULL;
    }
    return error_coded(ERROR_NOT_FOUND, "there is no 'end' of the lines that follow the command");
}

/* --- conditions ------------------------------------------------------------------------------- */

static struct error *script_truth(struct dbg *d, const char *expression, bool *ret)
{
    struct evaluation *v;
    struct value *value;
    struct error *err = debug_evaluation(d->debug, &v);
    if (err)
        return err;
    err = values_evaluate(v, expression, &value);
    if (!err)
        err = value_truth(value, ret);
    values_close(v);
    return err;
}

struct error *dbg_if(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct list lines = LIST(char *);
    size_t other;
    bool holds = false;
    (void)c;
    struct error *err = dbg_read_block(d, &lines, &other);
    if (!err)
        err = *args ? script_truth(d, args, &holds)
                    : error_coded(ERROR_MISUSED, "say which condition: if EXPRESSION");
    char *const *all = lines.items;
    size_t middle = other < lines.count ? other : lines.count;
    if (!err && holds)
        err = script_run(d, all, all + middle, NULL);
    else if (!err)
        err = script_run(d, all + middle, all + lines.count, NULL);
    debug_strings_deinit(&lines);
    return err;
}

struct error *dbg_while(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct list lines = LIST(char *);
    bool holds = false;
    (void)c;
    struct error *err = dbg_read_block(d, &lines, NULL);
    if (!err)
        err = *args ? script_truth(d, args, &holds)
                    : error_coded(ERROR_MISUSED, "say which condition: while EXPRESSION");
    char *const *all = lines.items;
    d->loops++;
    while (!err && holds && !d->quit) {
        err = script_run(d, all, all + lines.count, NULL);
        bool leaves = d->leaves == LEAVES_LOOP;
        d->leaves = LEAVES_NOTHING;
        if (leaves)
            break;
        if (!err && debug_interrupted())
            err = error_coded(ERROR_INTERRUPTED, "interrupted");
        if (!err)
            err = script_truth(d, args, &holds);
    }
    d->loops--;
    debug_strings_deinit(&lines);
    return err;
}

struct error *dbg_leave(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct error *err = debug_no_arguments(args);
    if (!err && !d->loops)
        err = error_coded(ERROR_MISUSED, "this belongs to the lines after 'while'");
    if (!err)
        d->leaves = c->which;
    return err;
}

/* --- user commands ---------------------------------------------------------------------------- */

struct user_command {
    char *name;
    char *help;        /* NULL: none */
    char *stands_for;  /* the command of an alias; NULL: it has lines */
    struct list lines; /* char * */
};

static struct user_command *user_find(struct dbg *d, const char *name, size_t length)
{
    struct user_command *all = d->user_commands.items;
    for (size_t i = 0; i < d->user_commands.count; i++)
        if (strlen(all[i].name) == length && strncmp(all[i].name, name, length) == 0)
            return &all[i];
    return NULL;
}

static struct user_command *user_make(struct dbg *d, const char *name)
{
    struct user_command *u = user_find(d, name, strlen(name));
    if (u)
        return u;
    if (!d->user_commands.item)
        d->user_commands = LIST(struct user_command);
    u = list_add(&d->user_commands);
    *u = (struct user_command){.name = xformat("%s", name), .lines = LIST(char *)};
    return u;
}

void dbg_user_commands_deinit(struct dbg *d)
{
    struct user_command *all = d->user_commands.items;
    for (size_t i = 0; i < d->user_commands.count; i++) {
        free(all[i].name);
        free(all[i].help);
        free(all[i].stands_for);
        debug_strings_deinit(&all[i].lines);
    }
    list_deinit(&d->user_commands);
    list_deinit(&d->thread_names);
}

static struct error *check_name(const char *name)
{
    size_t length = 0;
    while (isalnum((u8)name[length]) || (length && name[length] == '-') || name[length] == '_')
        length++;
    if (!*name)
        return error_coded(ERROR_MISUSED, "say which name the command is to have");
    if (name[length] || isdigit((u8)*name))
        return error_coded(ERROR_MISUSED, "'%s' cannot be the name of a command", name);
    return NULL;
}

struct error *dbg_define(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct list lines = LIST(char *);
    (void)c;
    struct error *err = dbg_read_block(d, &lines, NULL);
    if (!err)
        err = check_name(args);
    if (err) {
        debug_strings_deinit(&lines);
        return err;
    }
    struct user_command *u = user_make(d, args);
    debug_strings_deinit(&u->lines);
    free(u->stands_for);
    u->stands_for = NULL;
    u->lines = lines;
    return NULL;
}

struct error *dbg_document(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct list lines = LIST(char *);
    (void)c;
    struct error *err = dbg_read_block(d, &lines, NULL);
    struct user_command *u = err ? NULL : user_find(d, args, strlen(args));
    if (!err && !u)
        err = error_coded(ERROR_NOT_FOUND,
                          "there is no user command '%s': 'define' makes one", args);
    char **all = lines.items, *text = NULL;
    for (size_t i = 0; i < lines.count && !err; i++) {
        char *more = xformat("%s%s\n", text ? text : "", all[i]);
        free(text);
        text = more;
    }
    if (!err) {
        free(u->help);
        u->help = text;
    }
    debug_strings_deinit(&lines);
    return err;
}

/* alias [-a] [--] NAME = COMMAND [ARGUMENTS] */
struct error *dbg_alias(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    while (debug_take_word(&args, "-a") || debug_take_word(&args, "--")) {
    }
    const char *equals = strchr(args, '=');
    if (!equals)
        return error_coded(ERROR_MISUSED, "say what the name stands for: alias NAME = COMMAND");
    size_t length = (size_t)(equals - args);
    while (length && isspace((u8)args[length - 1]))
        length--;
    char *name = xformat("%.*s", (int)length, args);
    const char *text = equals + 1 + strspn(equals + 1, " \t");
    struct error *err = check_name(name);
    if (!err && !user_find(d, text, strcspn(text, " /")) && !dbg_command_of(text))
        err = error_coded(ERROR_NOT_FOUND, "there is no command '%s'", text);
    if (!err) {
        struct user_command *u = user_make(d, name);
        free(u->stands_for);
        u->stands_for = xformat("%s", text);
    }
    free(name);
    return err;
}

/* Blanks separate the arguments, except within quotes or parentheses. */
static void read_words(const char *text, struct list *ret)
{
    while (*text && ret->count < ARGUMENTS_MOST) {
        size_t length = 0;
        char quote = 0;
        for (; text[length] && (quote || !isspace((u8)text[length])); length++)
            if (quote ? text[length] == quote : text[length] == '"' || text[length] == '\'')
                quote = quote ? 0 : text[length];
        char *one = xformat("%.*s", (int)length, text);
        debug_strings_add(ret, one);
        free(one);
        text += length;
        text += strspn(text, " \t");
    }
}

bool dbg_user_run(struct dbg *d, const char *line, size_t length, struct error **ret)
{
    struct user_command *u = user_find(d, line, length);
    const char *rest = line + length;
    if (!u)
        return false;
    if (u->stands_for) {
        char *text = xformat("%s%s", u->stands_for, rest);
        bool itself = strcspn(text, " /") == length && strncmp(text, line, length) == 0;
        *ret = itself ? error_coded(ERROR_MISUSED, "the alias '%s' stands for itself", u->name)
                      : dbg_run_line(d, text);
        free(text);
        return true;
    }
    struct list arguments = LIST(char *), lines = LIST(char *);
    char *const *all = u->lines.items;
    for (size_t i = 0; i < u->lines.count; i++) /* it may redefine itself */
        debug_strings_add(&lines, all[i]);
    read_words(rest + strspn(rest, " \t"), &arguments);
    all = lines.items;
    *ret = script_run(d, all, all + lines.count, &arguments);
    d->leaves = LEAVES_NOTHING;
    debug_strings_deinit(&arguments);
    debug_strings_deinit(&lines);
    return true;
}

struct error *dbg_hook(struct dbg *d, const char *kind, const char *name)
{
    struct error *err = NULL;
    if (!d->user_commands.count || d->in_hook)
        return NULL;
    char *hook = xformat("%s-%s", kind, name);
    d->in_hook = true;
    dbg_user_run(d, hook, strlen(hook), &err);
    d->in_hook = false;
    free(hook);
    return err;
}

bool dbg_user_help(struct dbg *d, const char *name)
{
    const struct user_command *u = user_find(d, name, strlen(name));
    if (u && u->stands_for)
        dbg_say(d, "%s\n\nAn alias for '%s'.\n", name, u->stands_for);
    else if (u)
        dbg_say(d, "%s\n\n%s", name,
                u->help ? u->help : "A user command; 'show user' prints its definition.\n");
    return u;
}

/* show user [NAME] */
struct error *dbg_show_user(struct dbg *d, const char *args)
{
    const struct user_command *all = d->user_commands.items;
    size_t said = 0;
    for (size_t i = 0; i < d->user_commands.count; i++) {
        if (*args && strcmp(args, all[i].name) != 0)
            continue;
        said++;
        if (all[i].stands_for) {
            dbg_say(d, "alias %s = %s\n", all[i].name, all[i].stands_for);
            continue;
        }
        dbg_say(d, "define %s\n", all[i].name);
        for (size_t n = 0; n < all[i].lines.count; n++)
            dbg_say(d, "  %s\n", ((char **)all[i].lines.items)[n]);
        dbg_say(d, "end\n");
    }
    if (!said && *args)
        return error_coded(ERROR_NOT_FOUND, "there is no user command '%s'", args);
    if (!said)
        dbg_say(d, "There are no user commands.\n");
    return NULL;
}
