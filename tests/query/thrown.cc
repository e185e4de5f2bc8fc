/* Calls that exceptions leave, and results that are in vector registers. */
#include <cstdio>
#include <stdexcept>

double total;

namespace N {
__attribute__((noinline)) int risky(int n)
{
    if (n % 2)
        throw std::runtime_error("odd");
    return n;
}
__attribute__((noinline)) int outer(int n)
{
    return risky(n) + 1;
}
}

__attribute__((noinline)) double half(int n)
{
    return n / 2.0;
}

int main()
{
    for (int i = 0; i < 4; i++) {
        total += half(i);
        try {
            N::outer(i);
        } catch (std::exception &e) {
            printf("caught %s\n", e.what());
        }
    }
    return 0;
}
