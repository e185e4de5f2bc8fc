/* Has thread-local data, and like the C library an interpreter, so that it looks as if it were a program. */
int plugged(int n);

const char interpreter[] __attribute__((section(".interp"))) = "/lib64/ld-linux-x86-64.so.2";
static __thread int calls = 7, before[3];

int plugged(int n)
{
    int twice = 2 * n;
    before[1] += calls++;
    return twice + 1;
}
