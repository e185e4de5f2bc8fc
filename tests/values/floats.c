/* Floating-point numbers in registers, for the tests of conditions: stops in stop_here. */
__attribute__((noinline)) double stop_here(double x, float y, long n, unsigned char small)
{
    __asm__ volatile("nop" : : "x"(x), "x"(y), "r"(n), "r"(small) : "memory");
    return x * y + n + small;
}

int main(int argc, char **argv)
{
    return stop_here(2.5 * argc, 1.5f, argc + 7, argc + 200) == 1 || argv == 0;
}
