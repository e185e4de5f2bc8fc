/* What does straight arithmetic in nested loops cost?  The edit distance of two texts by
 * dynamic programming; the argument is their length. */
#include <stdio.h>
#include <stdlib.h>

static int least(int a, int b, int c)
{
    int small = a < b ? a : b;
    return small < c ? small : c;
}

static int distance(const char *a, const char *b, int length)
{
    int *row = malloc(sizeof *row * ((size_t)length + 1));
    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 1; i <= length; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            int above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    int result = row[length];
    free(row);
    return result;
}

int main(int argc, char **argv)
{
    int length = argc > 1 ? atoi(argv[1]) : 20000;
    char *a = malloc((size_t)length), *b = malloc((size_t)length);
    unsigned seed = 1;
    for (int i = 0; i < length; i++) {
        seed = seed * 1103515245 + 12345;
        a[i] = "acgt"[seed >> 16 & 3];
        b[i] = "acgt"[seed >> 20 & 3];
    }
    printf("%d\n", distance(a, b, length));
    free(a);
    free(b);
    return 0;
}
