/* A table of names, one of which is too long. It is written over the pointer after it, and the
 * program dies much later, at a place that has nothing to do with the mistake.
 *
 *     gcc -g -o overrun overrun.c
 *     ebb record ./overrun
 *     ebb replay
 *
 * The program jumped to an invalid address, which is in table[2].show. Which line stored it?
 *
 *     (ebb) watch table[2].show
 *     (ebb) bcontinue
 *
 * stops at that line. `make demo` shows this session.
 */
#include <stdio.h>
#include <string.h>

struct entry {
    char name[8];
    void (*show)(const struct entry *);
};

static void show_plainly(const struct entry *e)
{
    printf("%s\n", e->name);
}

static struct entry table[4];

static void rename_entry(struct entry *e, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i <= length; i++)
        e->name[i] = name[i]; /* nothing checks that it fits */
}

static void fill(void)
{
    static const char *const names[] = {"ann", "bob", "cleo", "dan"};
    for (int i = 0; i < 4; i++) {
        rename_entry(&table[i], names[i]);
        table[i].show = show_plainly;
    }
}

static unsigned work(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 100000; i++)
        sum += i % 7;
    return sum;
}

int main(void)
{
    fill();
    rename_entry(&table[2], "cleopatra vii");
    unsigned sum = work();
    for (int i = 0; i < 4; i++)
        table[i].show(&table[i]);
    return sum == 0;
}
