/* A library, and a reader who leaves although a book of hers is still out. The list of loans, which
 * is printed much later, crashes because of it. docs/tutorial.md walks from the crash to its cause:
 *
 *     gcc -g -O0 -o library library.c
 *     ebb record ./library
 *     ebb replay
 */
#include <stdio.h>

struct reader {
    const char *name; /* NULL: has left */
    int lent;         /* books that are out */
};

struct book {
    const char *title;
    struct reader *reader; /* NULL: it is on the shelf */
};

static struct reader readers[] = {{"Ada", 0}, {"Blaise", 0}, {"Carl", 0}};
static struct book books[] = {{"Elements", NULL}, {"Almagest", NULL}, {"Optics", NULL}, {"Conics", NULL}};

static void lend(struct book *book, struct reader *reader)
{
    book->reader = reader;
    reader->lent++;
}

static void give_back(struct book *book)
{
    book->reader->lent--;
    book->reader = NULL;
}

/* It comes back, and goes out again. */
static void renew(struct book *book)
{
    struct reader *reader = book->reader;
    give_back(book);
    book->reader = reader;
}

/* Only a reader without books may leave. */
static void leave(struct reader *reader)
{
    if (reader->lent == 0)
        reader->name = NULL;
}

static void year(void)
{
    lend(&books[0], &readers[0]);
    lend(&books[1], &readers[1]);
    lend(&books[2], &readers[1]);
    renew(&books[2]);
    give_back(&books[0]);
    give_back(&books[1]);
    lend(&books[3], &readers[2]);
    leave(&readers[1]);
    leave(&readers[2]);
}

static unsigned count_shelves(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 100000; i++)
        sum += i % 7;
    return sum;
}

static int length(const char *text)
{
    int n = 0;
    while (text[n])
        n++;
    return n;
}

static void list_loans(void)
{
    for (int i = 0; i < 4; i++) {
        struct reader *reader = books[i].reader;
        if (reader)
            printf("%s: %s (%d letters)\n", books[i].title, reader->name, length(reader->name));
    }
}

int main(void)
{
    year();
    unsigned books_seen = count_shelves();
    list_loans();
    return books_seen == 0;
}
