/* Arguments arrive as given: empty, long, odd bytes.
 *
 * variants: static muslstatic
 * args: a bb -- --stats -c | -h | --setting cache=1M
 */
#include "check.h"

int main(int argc, char **argv)
{
    CHECK(argv[argc] == NULL);
    printf("%d\n", argc);
    for (int i = 1; i < argc; i++)
        printf("[%s]\n", argv[i]);
    if (argc > 1 && !strcmp(argv[1], "again"))
        return done();
    char big[20000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    fflush(stdout);
    char *next[] = {argv[0], "again", "", " ", "two words", "\001\377\n", big, NULL};
    execv("/proc/self/exe", next);
    CHECK(!"execv");
}
