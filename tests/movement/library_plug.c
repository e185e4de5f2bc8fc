/* What library.c opens. */
int plug_work(int n, int (*call_back)(int));

static int deeper(int n)
{
    int twice = n * 2;
    return twice;
}

int plug_work(int n, int (*call_back)(int))
{
    int sum = 0;
    while (n > 0) {
        sum += deeper(n);
        n = call_back(n);
    }
    return sum;
}
