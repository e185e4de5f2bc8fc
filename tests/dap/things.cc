// Containers, classes and an exception of C++.
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() {}
    int id = 7;
};
struct Square : Shape {
    double side = 2.5;
};

static int risky(int n)
{
    if (n == 3)
        throw std::runtime_error("three"); // mark throw
    return n * 2;
}

int main()
{
    std::vector<int> numbers;
    std::map<std::string, int> ages{{"ann", 31}, {"bob", 42}};
    std::string text = "hello";
    std::unique_ptr<Square> square(new Square);
    Square own;
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        numbers.push_back(i * i);
    for (int i = 0; i < 5; i++) {
        try {
            sum += risky(i); // mark risky
        } catch (const std::exception &e) {
            sum += 100; // mark caught
        }
    }
    std::printf("%d %zu\n", sum, numbers.size()); // mark end
    return sum == 0 || own.side < 0 || !square;
}
