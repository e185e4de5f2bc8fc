/* Types of C++, for the tests of values: stops in stop_here. */
#include <map>
#include <set>
#include <string>
#include <vector>

namespace outer {
int x = 11;
namespace inner {
int x = 22;
struct thing { int a; double b; };
thing object = {1, 2.5};
}
enum class shade { DARK = 1, LIGHT };
shade tone = shade::LIGHT;
}
namespace { int unnamed = 33; }

struct base {
    int in_base = 5;
    static int shared;
    virtual ~base() {}
    virtual int get() const { return in_base; }
};
int base::shared = 77;

class derived : public base {
public:
    int own;
    std::string name;
    derived(int n) : own(n), name("derived") {}
    int get() const override { return own; }
    __attribute__((noinline)) int method(int argument);
};

struct left { int l = 1; };
struct right { int r = 2; };
struct both : left, right { int b = 3; };
struct top { int t = 12; virtual ~top() {} };
struct to_left : virtual top { int tl = 13; };
struct to_right : virtual top { int tr = 14; };
struct diamond : to_left, to_right { int d = 15; };
struct virtual_base { int v = 9; };
struct middle : virtual virtual_base { int m = 8; };
template <typename T> struct box { T content; };

std::string text = "some text";
std::string long_string = "a string that is too long for the space inside of the object";
std::string empty;
std::vector<int> numbers = {1, 2, 3, 4};
std::vector<std::string> words = {"one", "two"};
std::vector<int> no_numbers;
std::map<int, std::string> table = {{1, "one"}, {2, "two"}, {3, "three"}};
std::map<std::string, int> back = {{"a", 1}, {"b", 2}};
std::set<int> few = {3, 1, 2};
box<int> boxed = {4};
box<std::string> boxed_text = {"boxed"};
derived object(6);
base *as_base = &object;
both two;
right *right_of_two = &two;
right &right_in_two = two;
left *no_left = nullptr;
diamond gem;
to_left single;
top *top_of_gem = &gem, *top_of_single = &single;
middle mid;
int plain = 1;
int &reference = plain;
const std::string &text_reference = text;
int derived::*to_member = &derived::own;
bool truth = true;
char16_t wide[] = u"wide";
int overloaded(int n) { return n; }
int overloaded(double d) { return (int)d; }
auto lambda = [](int n) { return n + plain; };

extern "C" __attribute__((noinline)) void stop_here(int n)
{
    asm volatile("" : : "r"(n) : "memory");
}

__attribute__((noinline)) int derived::method(int argument)
{
    int local = argument + own;
    const derived &self = *this;
    std::string here = "local text";
    stop_here(local);
    return local + self.own + (int)here.size();
}

int main()
{
    return object.method(3) + unnamed + (int)few.size() + overloaded(2) + overloaded(2.0) + lambda(1) == 1;
}
