/* stdio over files: buffering, ungetc, seeking, getline, tmpfile, scanf, popen.
 *
 * variants: static muslstatic
 */
#include "check.h"

int main(void)
{
    FILE *f = fopen("text", "w+");
    CHECK(f);
    for (int i = 0; i < 3000; i++)
        fprintf(f, "line %d of %s\n", i, "the file");
    CHECK(fseek(f, 0, SEEK_SET) == 0);
    char *line = NULL;
    size_t size = 0;
    int count = 0, number;
    while (getline(&line, &size, f) > 0) {
        CHECK(sscanf(line, "line %d of", &number) == 1 && number == count);
        count++;
    }
    CHECK(count == 3000 && feof(f));
    long end = ftell(f);
    CHECK(fseek(f, end / 2, SEEK_SET) == 0);
    int c = fgetc(f);
    CHECK(ungetc(c, f) == c && fgetc(f) == c && ftell(f) == end / 2 + 1);
    CHECK(fclose(f) == 0);
    f = tmpfile();
    CHECK(f && fwrite(line, 1, 5, f) == 5 && fclose(f) == 0);
    FILE *p = popen("echo from the shell; exit 3", "r");
    CHECK(p && getline(&line, &size, p) > 0 && !strcmp(line, "from the shell\n"));
    int status = pclose(p);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CHECK(fopen("/nowhere/at/all", "r") == NULL && errno == ENOENT);
    setvbuf(stdout, NULL, _IONBF, 0);
    fputs("to stdout\n", stdout);
    fputs("to stderr\n", stderr);
    return done();
}
