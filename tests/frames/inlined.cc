/* Functions that are inlined, with those of the standard library inlined into them. */
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#define ALONE __attribute__((noinline))

static inline int weigh(const std::vector<int> &values, int wanted)
{
    auto it = std::find(values.begin(), values.end(), wanted);
    return it == values.end() ? -1 : (int)(it - values.begin());
}

static inline int twice(int z)
{
    return std::max(z, z + z);
}

ALONE int work(const std::vector<int> &values, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += weigh(values, i) + twice(i);
    return sum;
}

ALONE std::unique_ptr<int> make(int n)
{
    return std::make_unique<int>(n);
}

ALONE std::string text(int n)
{
    return std::string(n, 'a');
}

ALONE int lost(int a, int b)
{
    int gone = a * 1000003 + b;
    for (int i = 0; i < b; i++)
        a ^= i;
    return a + (gone & 0);
}

int main(int argc, char **)
{
    std::vector<int> values{3, 1, 4, 1, 5};
    auto p = make(argc + 1);
    printf("%d %d %s %d\n", work(values, argc + 6), *p, text(argc + 3).c_str(), lost(argc, 5));
    return 0;
}
