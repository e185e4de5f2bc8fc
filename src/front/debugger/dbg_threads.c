/* Names of threads that the user gives, and looking for a thread by its name. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

static struct dbg_thread_name *find_name(struct dbg *d, u32 thread)
{
    struct dbg_thread_name *all = d->thread_names.items;
    for (size_t i = 0; i < d->thread_names.count; i++)
        if (all[i].thread == thread && all[i].track == session_track(d->debug->session))
            return &all[i];
    return NULL;
}

/* The thread has the name that the user gave it, if there is one. */
void dbg_thread_named(struct dbg *d, struct control_thread *t)
{
    const struct dbg_thread_name *n = find_name(d, t->thread);
    _Static_assert(sizeof n->name == sizeof t->name, "as long as the kernel's");
    if (n)
        memcpy(t->name, n->name, sizeof t->name);
}

/* thread name [NAME]: without one, it has its own again. */
struct error *dbg_thread_name(struct dbg *d, const char *name)
{
    struct dbg_thread_name *n = find_name(d, d->debug->thread);
    struct dbg_thread_name *all = d->thread_names.items;
    if (!*name && n)
        *n = all[--d->thread_names.count];
    if (!*name)
        return NULL;
    if (!n) {
        if (!d->thread_names.item)
            d->thread_names = LIST(struct dbg_thread_name);
        n = list_add(&d->thread_names);
        n->track = session_track(d->debug->session);
        n->thread = d->debug->thread;
    }
    memset(n->name, 0, sizeof n->name);
    memcpy(n->name, name, strlen(name) < sizeof n->name ? strlen(name) : sizeof n->name);
    return NULL;
}

/* thread find REGEXP: by the name or the number that the kernel knows. */
struct error *dbg_thread_find(struct dbg *d, const char *text)
{
    struct control_thread *threads;
    regex_t expression;
    size_t count, found = 0;
    if (!*text || regcomp(&expression, text, REG_NOSUB) != 0)
        return error_coded(ERROR_MISUSED, "say thread find REGEXP");
    struct error *err = session_threads(d->debug->session, &threads, &count);
    for (size_t i = 0; i < count && !err; i++) {
        char name[sizeof threads->name + 1] = {0}, tid[24];
        dbg_thread_named(d, &threads[i]);
        memcpy(name, threads[i].name, sizeof threads->name);
        snprintf(tid, sizeof tid, "%u", threads[i].tid);
        bool by_name = regexec(&expression, name, 0, NULL, 0) == 0;
        bool by_tid = regexec(&expression, tid, 0, NULL, 0) == 0;
        if (by_name)
            dbg_say(d, "Thread %u has name '%s'\n", threads[i].thread, name);
        if (by_tid)
            dbg_say(d, "Thread %u has target id '%s'\n", threads[i].thread, tid);
        found += by_name || by_tid;
    }
    if (!err)
        free(threads);
    regfree(&expression);
    if (!err && !found)
        dbg_say(d, "No threads match '%s'\n", text);
    return err;
}

/* "1 3 5-7"; *ret has them, also after an error. */
struct error *dbg_read_numbers(const char *args, const char *what, struct list *ret)
{
    struct error *err = NULL;
    for (char *word; !err && (word = debug_next_word(&args)); free(word)) {
        char *dash = strchr(word, '-');
        u64 first, last;
        if (dash)
            *dash = '\0';
        err = debug_number(word, what, &first);
        last = first;
        if (!err && dash)
            err = debug_number(dash + 1, what, &last);
        if (!err && last - first > 100000)
            err = error_coded(ERROR_MISUSED, "%s-%s is not a range", word, dash ? dash + 1 : word);
        for (u64 n = first; !err && n <= last; n++)
            *(u64 *)list_add(ret) = n;
    }
    return err;
}

bool dbg_has_number(const struct list *numbers, u64 number)
{
    const u64 *all = numbers->items;
    for (size_t i = 0; i < numbers->count; i++)
        if (all[i] == number)
            return true;
    return false;
}
