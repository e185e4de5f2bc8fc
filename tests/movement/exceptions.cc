/* Exceptions: through frames with and without something to clean up, caught, thrown again. */
#include <cstdio>
#include <stdexcept>

static int alive, cleaned;

struct guard {
    int weight;
    explicit guard(int w) : weight(w)
    {
        alive++;
    }
    ~guard()
    {
        alive--;
        cleaned += weight;
    }
};

static int fall(int depth)
{
    guard g(depth);
    if (depth == 0)
        throw std::runtime_error("floor");
    int below = fall(depth - 1);
    return below + g.weight;
}

static int plain(int n)
{
    if (n == 2)
        throw n;
    return n + 1;
}

static int pass_on(int n)
{
    try {
        return fall(n);
    } catch (const std::exception &) {
        cleaned++;
        throw;
    }
}

static int attempt(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        try {
            sum += plain(i);
            sum += pass_on(i);
        } catch (int number) {
            sum += number * 10;
        } catch (...) {
            sum += 7;
        }
    }
    return sum;
}

int main()
{
    int sum = attempt(4);
    sum += attempt(1) + attempt(2);
    std::printf("%d %d %d\n", sum, alive, cleaned);
    return 0;
}
