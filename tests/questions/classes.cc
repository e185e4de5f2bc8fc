// Classes, templates, references, name spaces, the library's containers: questions are asked about them.
#include <complex>
#include <array>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace geo {
enum class Level : unsigned char { Low, Mid = 7, High };
enum Kind { Plain, Fancy = 4 };
struct Point { int x, y; Point operator+(const Point &o) const { return {x + o.x, y + o.y}; } };
namespace deep { int counter = 12; static long hidden = -5; struct Tag { char c; Level level; }; }
class Shape {
public:
    explicit Shape(const char *n) : name(n) { count++; }
    virtual ~Shape() { count--; }
    virtual double area() const { return 0; }
    virtual int sides() const { return 0; }
    static int count;
    std::string name;
protected:
    Level level = Level::Mid;
};
int Shape::count;
class Box : public Shape {
public:
    Box(double w, double h) : Shape("box"), w(w), h(h) {}
    double area() const override { double a = w * h; return a; }
    int sides() const override { return 4; }
private:
    double w, h;
    Kind kind = Fancy;
};
struct Base1 { int b1 = 1; virtual void f1() {} };
struct Base2 { int b2 = 2; virtual int f2() { return b2; } };
struct Both : Base1, Base2 { int own = 3; int f2() override { int r = own + b1; return r; } };
struct VBase { int v = 9; virtual ~VBase() {} };
struct Left : virtual VBase { int l = 1; };
struct Right : virtual VBase { int r = 2; };
struct Diamond : Left, Right { int d = 3; };
}

namespace alias = geo::deep;
using geo::Point;
typedef std::map<std::string, int> Counts;

template <class T, int N = 3> struct Stack {
    T items[N];
    int top = 0;
    bool push(const T &value) { if (top == N) return false; items[top++] = value; return true; }
    T peek() const { T t = items[top - 1]; return t; }
};

template <class T> T largest(const T &a, const T &b) { T r = a < b ? b : a; return r; }

struct Bits { unsigned a : 2; int b : 7; bool c : 1; geo::Level d : 4; };
struct Anonymous { int kind; union { long n; double d; struct { short lo, hi; } parts; }; };
struct Holder { const int fixed = 5; int &ref; int Point::*member; Point *points; Holder(int &r, Point *p) : ref(r), member(&Point::y), points(p) {} };
struct Empty {};
struct Derived : Empty, Point { Empty e; float f; };
union Word { unsigned u; float f; unsigned char bytes[4]; };

Point corners[2] = {{1, 2}, {-3, 4}};
geo::Level level = geo::Level::High;
geo::Kind kind = geo::Fancy;
thread_local int per_thread = 77;
static std::vector<int> numbers = {3, 1, 4, 1, 5};
const double ratio = 1.61803;
int *nowhere;
Word word = {0x40490fdb};
void (*callback)(int);
char16_t wide16[] = u"sixteen";
bool flag = true;
std::complex<float> phasor(1.5f, -2.5f);
Anonymous anonymous = {1, {42}};
Bits bits = {3, -7, true, geo::Level::Mid};

int add(int a, int b) { int sum = a + b; return sum; }
double add(double a, double b) { double sum = a + b; return sum; }
Point add(const Point &a, const Point &b) { Point sum = a + b; return sum; }
static int through(geo::Shape &shape, const Point &where, int &&moved)
{
    double a = shape.area();
    int n = shape.sides() + where.x + moved;
    return (int)a + n;
}
static int diamond(geo::Diamond *d, geo::Both &both)
{
    geo::VBase *base = d;
    geo::Base2 *second = &both;
    int r = base->v + second->f2() + d->l + d->r;
    return r;
}
static size_t containers()
{
    Counts counts = {{"one", 1}, {"two", 2}};
    std::set<int> set = {5, 3, 9};
    std::list<Point> list = {{1, 1}, {2, 2}};
    std::array<short, 4> array = {1, 2, 3, 4};
    std::pair<int, std::string> pair(7, "seven");
    std::tuple<char, double, Point> tuple('t', 0.5, {8, 9});
    std::optional<int> some = 5, none;
    std::variant<int, std::string> either = std::string("either");
    std::unique_ptr<Point> unique(new Point{5, 6});
    std::shared_ptr<geo::Shape> shared = std::make_shared<geo::Box>(2, 3);
    std::weak_ptr<geo::Shape> weak = shared;
    std::vector<std::string> names = {"a", "bb", "a string that is longer than fifteen"};
    std::vector<bool> mask = {true, false, true};
    std::string empty, text = "some \"text\"\n";
    std::function<int(int)> twice = [&](int n) { int r = n * 2 + (int)names.size(); return r; };
    int called = twice(4);
    return counts.size() + set.size() + list.size() + array.size() + pair.second.size() + names.size() + mask.size() +
           empty.size() + text.size() + (some ? *some : 0) + !none + either.index() + unique->x + shared->sides() +
           (size_t)std::get<1>(tuple) + called + weak.use_count();
}
static int catches(int n)
{
    try {
        if (n > 2) throw std::runtime_error("too many");
        return n;
    } catch (const std::exception &e) {
        std::string why = e.what();
        return (int)why.size();
    }
}
std::string spell(int n) { std::string s = "n" + std::to_string(n); return s; }
std::shared_ptr<Point> shared_point(int x) { auto p = std::make_shared<Point>(Point{x, x * 2}); return p; }
std::complex<double> turned(std::complex<double> c) { return c * std::complex<double>(0, 1); }
long double longer(long double v) { long double r = v * 2; return r; }
Derived derived(float f) { Derived d; d.x = 1; d.y = 2; d.f = f; return d; }
int by_value(Bits b, Word w, Derived d, std::string s, Stack<short, 2> st) { int r = b.a + (int)w.f + d.x + (int)s.size() + st.top; return r; }
int Stacked(Holder &h)
{
    Stack<int> ints;
    Stack<const char *, 2> words;
    ints.push(h.ref);
    ints.push(h.fixed);
    words.push("first");
    int r = ints.peek() + (int)*words.peek() + h.points->*h.member;
    return r;
}

// What is not made yet is 0 then, on each machine.
static __attribute__((noinline)) int clean_stack()
{
    volatile char room[65536];
    for (volatile char &byte : room) byte = 0;
    return room[9];
}

static __attribute__((noinline)) int run()
{
    geo::Box box(2.5, 4);
    geo::Both both;
    geo::Diamond d;
    int start = 3;
    Holder holder(start, corners);
    Stack<short, 2> shorts;
    shorts.push(9);
    long total = through(box, corners[1], add(1, 2)) + diamond(&d, both) + (long)containers() + catches(1) + catches(5);
    total += (long)add(1.5, 2.5) + add(corners[0], corners[1]).x + Stacked(holder) + alias::counter + geo::deep::hidden;
    total += by_value(bits, word, derived(2.5f), spell(42), shorts) + shared_point(4)->y + (int)turned({1, 2}).imag();
    total += (int)longer(1.25L) + largest(3, 4) + (int)largest(2.5, 1.5) + per_thread;
    printf("%ld %d\n", total, geo::Shape::count);
    return 0;
}

int main()
{
    return clean_stack() + run();
}
