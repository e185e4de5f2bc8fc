// Methods, overloads and operators, to be called by a debugger.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shapes {
struct Vector {
    double x, y;
    Vector(double x, double y) : x(x), y(y) {}
    Vector operator+(const Vector &o) const { return Vector(x + o.x, y + o.y); }
    Vector operator*(double by) const { return Vector(x * by, y * by); }
    Vector &operator+=(const Vector &o) { x += o.x; y += o.y; return *this; }
    bool operator==(const Vector &o) const { return x == o.x && y == o.y; }
    double &operator[](int i) { return i ? y : x; }
    double operator()(double t) const { return x + t * y; }
    Vector operator-() const { return Vector(-x, -y); }
    Vector &operator++() { x++; return *this; }
    double dot(const Vector &o) const { return x * o.x + y * o.y; }
};
Vector operator-(const Vector &a, const Vector &b) { return Vector(a.x - b.x, a.y - b.y); }

struct Named { // not trivially copied
    std::string name;
    int n;
    Named(const char *t, int n) : name(t), n(n) {}
    Named(const Named &o) : name(o.name), n(o.n) {}
    int size() const { return (int)name.size(); }
};

class Shape {
public:
    virtual ~Shape() {}
    virtual double area() const { return 0; }
    virtual const char *kind() const { return "shape"; }
    int sides() const { return count; }
    int sides(int more) const { return count + more; }
    static int made;
    static int twice(int n) { return 2 * n; }
protected:
    int count = 0;
};
int Shape::made = 3;

class Tagged {
public:
    virtual ~Tagged() {}
    virtual int tag(int by) { return 7 * by; }
    long t = 11;
};

class Square : public Shape, public Tagged {
public:
    explicit Square(double side) : side(side) { count = 4; }
    double area() const override { return side * side; }
    const char *kind() const override { return "square"; }
    int tag(int by) override { return (int)side * by; }
private:
    double side;
};
int pick(int n) { return n; }
double pick(double d) { return d / 2; }
int pick(const char *s) { return s[0]; }
int pick(const Shape &s) { return s.sides(); }
} // namespace shapes

template <class T> T largest(T a, T b) { return a > b ? a : b; }
template <class T> struct Box {
    T held;
    T get() const { return held; }
    void set(T t) { held = t; }
};

static int name_length(const std::string &s) { return (int)s.size(); }
static int by_value(shapes::Named n) { return n.size() + n.n; }
static shapes::Named rename(const shapes::Named &n) { shapes::Named r(n); r.name += "!"; return r; }
static std::string join(const std::string &a, const std::string &b) { return a + b; }
static int &counter() { static int n = 5; return n; }
static void thrower(int n) { if (n) throw n; }

int main()
{
    using namespace shapes;
    Vector a(1, 2), b(3, 4);
    Square square(3);
    Shape *shape = &square;
    Tagged *tagged = &square;
    Named named("long enough to be on the heap", 2);
    std::string text = "short", other = "a text that is longer than fifteen";
    std::vector<int> v = {3, 1, 2};
    std::map<std::string, int> m = {{"one", 1}, {"two", 2}};
    auto owner = std::make_unique<Square>(2);
    auto shared = std::make_shared<Square>(5);
    Box<int> box = {8};
    Box<double> wide = {2.5};
    int sum = (int)(a + b).x + (int)(a * 2).y + (int)(a - b).x + (a == b) + (int)a[1] + (int)a(1) + (int)(-a).x;
    a += b;
    ++a;
    sum += pick(1) + (int)pick(1.5) + pick("x") + pick(square) + name_length(text) + by_value(named) + largest(1, 2);
    sum += (int)largest(1.5, 2.5) + box.get() + (int)wide.get() + rename(named).size() + (int)join(text, other).size();
    sum += tagged->tag(2) + shape->sides() + shape->sides(1) + Shape::twice(3) + counter() + (int)a.dot(b);
    sum += (int)v.size() + (int)text.size() + (int)m.size() + v.at(0) + v.front() + v.back() + (int)m.count("one") + m.at("two");
    sum += (int)owner->area() + (int)shared->area() + (int)shape->area() + shape->kind()[0] + (int)text.find("o");
    box.set(3);
    thrower(0);
    std::printf("%d\n", sum); // stop
    return v.empty();
}
