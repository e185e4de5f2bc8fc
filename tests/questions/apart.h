/* Of a program in two files: apart.c does not see what a vault is, and both files have a variable
 * `which` and a function shared() of their own. */
typedef struct vault vault;

vault *vault_open(int start);
int vault_sum(vault *v, const int *restrict numbers, int count);

static int which = WHICH;

static int shared(int n)
{
    int twice = 2 * n;
    return twice + which;
}
