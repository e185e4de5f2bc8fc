/* Writes lines in every way: whole, in parts, several at once, long ones, by two threads, with
 * writev, without a newline at the end.  What it writes to standard output is what `output` must
 * list; each line "at N T S" is what `trace` must print at note(). */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static long total;
static char name[40] = "first";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(int n)
{
    char line[100];
    total += n;
    int size = snprintf(line, sizeof line, "at %d %ld %s\n", n, total, name); /* traced */
    write(1, line, (size_t)size);
}

static void *writer(void *number)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        snprintf(name, sizeof name, "thread %ld, round %d", (long)number, i);
        note(i * (int)(long)number);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    static char longer[9000];
    pthread_t threads[2];
    struct iovec parts[3] = {{"one\ntw", 6}, {"o\nthr", 5}, {"ee\n\n", 4}};
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writer, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    write(1, "a line in ", 10);
    write(2, "an error\n", 9);
    write(1, "two parts\n", 10);
    writev(1, parts, 3);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\n';
    write(1, longer, sizeof longer);
    write(-1, "nowhere\n", 8);
    write(1, "tab\there\n", 9);
    write(1, "the end", 7);
    return 0;
}
