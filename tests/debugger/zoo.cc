// Classes, references, namespaces, overloads; the library is used for strings and vectors alone.
#include <string>
#include <vector>

namespace zoo {

struct Animal {
    std::string name;
    int legs;
    Animal(const char *n, int l) : name(n), legs(l) {}
    virtual ~Animal() = default;
    virtual int noise(int times) const { return times; }
};

struct Bird : Animal {
    bool flies = true;
    explicit Bird(const char *n) : Animal(n, 2) {}
    int noise(int times) const override
    {
        int loud = times * legs;
        return loud;
    }
};

static int count(const std::vector<int> &numbers)
{
    int total = 0;
    for (int n : numbers)
        total += n;
    return total;
}

static int twice(int n) { return 2 * n; }
static double twice(double n) { return 2 * n; }

} // namespace zoo

int main()
{
    std::vector<int> numbers{3, 1, 4};
    zoo::Bird bird("robin");
    zoo::Animal &animal = bird;
    int noise = animal.noise(21);
    int total = zoo::count(numbers);
    double sum = zoo::twice(1.5) + zoo::twice(2);
    return noise == 42 && total == 8 && sum == 7 ? 0 : 1;
}
