/* C++ virtual calls, member pointers, std::function, RTTI, static initialisation.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual long area() const = 0;
};

struct Square : Shape {
    long side;
    explicit Square(long s) : side(s) {}
    long area() const override { return side * side; }
};

struct Box : virtual Shape {
    long a, b;
    Box(long x, long y) : a(x), b(y) {}
    long area() const override { return a * b; }
};

struct Counter {
    long n = 0;
    void add(long x) { n += x; }
};

static std::map<std::string, int> words = {{"one", 1}, {"two", 2}, {"three", 3}};

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 1000; i++) {
        if (i % 3)
            shapes.emplace_back(new Square(i));
        else
            shapes.emplace_back(new Box(i, i + 1));
    }
    long sum = 0, boxes = 0;
    for (auto &shape : shapes) {
        sum += shape->area();
        boxes += dynamic_cast<Box *>(shape.get()) != nullptr;
    }
    Counter counter;
    void (Counter::*member)(long) = &Counter::add;
    std::vector<std::function<long(long)>> functions;
    for (int i = 0; i < 10; i++)
        functions.push_back([i](long x) { return x * i; });
    for (int i = 0; i < 5000; i++)
        (counter.*member)(functions[i % 10](i));
    std::ostringstream out;
    for (auto &[word, value] : words)
        out << word << '=' << value << ' ';
    std::vector<std::string> sorted;
    for (int i = 0; i < 500; i++)
        sorted.push_back(std::to_string(i * 7919 % 1000));
    std::sort(sorted.begin(), sorted.end());
    std::cout << sum << ' ' << boxes << ' ' << counter.n << ' ' << out.str() << sorted[250]
              << std::endl;
    return done();
}
