/* Loops and blocks, nested and side by side: what `out` gets out of. */
#include <stdio.h>

static int table[6][6];

static void fill(void)
{
    for (int row = 0; row < 6; row++) {
        int base = row * 3;
        for (int column = 0; column < 6; column++) {
            if ((row + column) % 4 == 0)
                continue;
            table[row][column] = base + column;
        }
        table[row][0] -= 1;
    }
}

static int search(int wanted)
{
    int row = 0;
    while (row < 6) {
        int column = 5;
        do {
            if (table[row][column] == wanted)
                return row * 10 + column;
            column--;
        } while (column >= 0);
        row++;
    }
    return -1;
}

static int count_down(int n)
{
    int steps = 0;
    for (;;) {
        steps++;
        if (n == 1)
            break;
        switch (n % 3) {
        case 0:
            n /= 3;
            break;
        case 1:
            n--;
            /* fall through */
        default:
            n--;
        }
        {
            int limit = n * 2;
            steps += limit > 40;
        }
        if (n < 1)
            n = 1;
    }
    for (int again = 0; again < 3; again++)
        steps += again;
    for (int last = 3; last; last--) steps -= last;
    return steps;
}

int main(void)
{
    fill();
    int sum = 0;
    for (int wanted = 4; wanted < 12; wanted++)
        sum += search(wanted);
    {
        int more = count_down(40);
        sum += more;
    }
    printf("%d\n", sum);
    return 0;
}
