int plugged(int n);

int plugged(int n)
{
    int twice = 2 * n;
    return twice + 1;
}
