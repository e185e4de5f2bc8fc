// Virtual functions, exceptions, templates and a system call of its own.
#include <stdexcept>

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};

struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) {}
    int area() const override
    {
        return side * side;
    }
};

template <typename T> static T plus(T a, T b)
{
    return a + b;
}

static int risky(int n)
{
    if (n > 2)
        throw std::runtime_error("too much");
    return n;
}

static long call(long number)
{
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
    return result;
}

static volatile double ratio;

int main()
{
    int total = 0;
    Square square(3);
    const Shape &shape = square;
    total = plus(total, shape.area());
    for (int i = 0; i < 5; i++) {
        try {
            total += risky(i);
        } catch (const std::exception &) {
            total += 100;
        }
    }
    ratio = total / 2.0;
    long id = call(39);
    return id > 0 && total == 212 ? 0 : 1;
}
