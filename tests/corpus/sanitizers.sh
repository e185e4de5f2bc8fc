# AddressSanitizer finds what it finds natively; ThreadSanitizer runs, or is refused clearly.
# share: check
# needs: gcc

prepare() {
    cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char *p = malloc(100 + argc);
    memset(p, 1, 100);
    long s = 0;
    for (int r = 0; r < 1000; r++)
        for (int i = 0; i < 100; i++)
            s += p[i] * r;
    printf("sum %ld\n", s);
    fflush(stdout);
    if (argc == 2)
        printf("%d\n", p[100 + argc]);
    free(p);
    if (argc == 3)
        printf("%d\n", p[5]);
    return 3;
}
END
    cat >t.c <<'END'
#include <pthread.h>
#include <stdio.h>
int shared, guarded;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *racy)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        guarded++;
        pthread_mutex_unlock(&lock);
        if (racy)
            shared++;
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    (void)argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, argc > 1 ? t : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("guarded %d\n", guarded);
    return 3;
}
END
    gcc -g -fsanitize=address,undefined -o a a.c && gcc -g -fsanitize=thread -o t t.c
}

run() {
    local words='heap-buffer-overflow|heap-use-after-free|data race'
    export ASAN_OPTIONS=detect_leaks=0
    for args in '' 'x' 'x y'; do
        "$PREPARED/a" $args 2>err; echo "status $?"; grep -oE "$words" err | head -n 1
    done
    for args in '' 'x'; do
        "$PREPARED/t" $args 2>err; echo "status $?"; grep -oE "$words" err | head -n 1
    done
}
