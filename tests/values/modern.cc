/* The standard library's types, and what is rarer in C++, for the tests of values: stops in stop_here. */
#include <array>
#include <bitset>
#include <complex>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>
#include <atomic>
#include <chrono>

struct point { int x, y; };

std::pair<int, std::string> pair_of{7, "seven"};
std::tuple<int, double, std::string> tuple_of{1, 2.5, "three"};
std::tuple<> tuple_none;
std::array<int, 4> array_of{1, 2, 3, 4};
std::array<point, 2> array_points{{{1, 2}, {3, 4}}};
std::optional<int> optional_some{5};
std::optional<int> optional_none;
std::optional<std::string> optional_text{"maybe"};
std::unique_ptr<point> unique_some{new point{5, 6}};
std::unique_ptr<point> unique_none;
std::shared_ptr<point> shared_some{new point{7, 8}};
std::shared_ptr<point> shared_more = shared_some;
std::shared_ptr<point> shared_none;
std::weak_ptr<point> weak_some = shared_some;
std::deque<int> deque_of{1, 2, 3};
std::deque<std::string> deque_text{"a", "b"};
std::deque<int> deque_long(300, 9);
std::list<int> list_of{4, 5, 6};
std::list<std::string> list_none;
std::forward_list<int> forward_of{7, 8};
std::unordered_map<std::string, int> hash_map{{"only", 1}};
std::unordered_set<int> hash_set{42};
std::unordered_map<int, int> hash_none;
std::multimap<int, char> multi{{1, 'a'}, {1, 'b'}};
std::multiset<int> multi_set{1, 1, 2};
std::stack<int> stack_of;
std::queue<int> queue_of;
std::priority_queue<int> heap_of;
std::string_view view_of{"a view of text"};
std::wstring wide_text = L"wide";
std::u16string text16 = u"sixteen";
std::variant<int, double, std::string> variant_int{3}, variant_text{"held"};
std::vector<bool> bits{true, false, true};
std::vector<std::vector<int>> nested{{1, 2}, {3}};
std::vector<std::pair<int, int>> pairs{{1, 2}, {3, 4}};
std::vector<std::unique_ptr<int>> owned;
std::map<std::string, std::vector<int>> deep{{"a", {1, 2}}, {"b", {}}};
std::vector<int>::iterator vector_at;
std::map<int, int> numbers_map{{1, 10}, {2, 20}};
std::map<int, int>::iterator map_at;
std::bitset<10> bitset_of{5};
std::complex<double> complex_of{1.5, -2};
std::atomic<int> atomic_of{12};
std::function<int(int)> function_of = [](int n) { return n; };
std::initializer_list<int> initial;
std::chrono::seconds seconds{90};
std::string odd_text = "tab\there \"quoted\" \x01 end";
std::string long_text(500, 'x');
std::string empty_text;
std::string holds_zero("a\0b", 3);
std::vector<std::string> many_words{"a", "bb", "ccc"};

struct shape { virtual ~shape() {} virtual double area() const { return 0; } int id = 1; };
struct circle : shape { double radius = 2; double area() const override { return 3 * radius * radius; } };
struct top { int t = 1; virtual ~top() {} };
struct left_side : virtual top { int l = 2; };
struct right_side : virtual top { int r = 3; };
struct diamond : left_side, right_side { int d = 4; };
struct with_union {
    int tag = 1;
    union { int number; float real; };
    struct { short low, high; };
    unsigned narrow : 3, wider : 7;
    static const int limit = 10;
    static constexpr double ratio = 0.5;
    enum mode { OFF, ON } state = ON;
    enum class level : unsigned char { LOW = 1, HIGH = 200 } depth = level::HIGH;
    with_union() : number(77) { low = 1; high = 2; narrow = 5; wider = 99; }
};
template <typename T, int N> struct ring { T items[N]; int head = 1; static int made; T &at(int n) { return items[n % N]; } };
template <typename T, int N> int ring<T, N>::made = 6;
namespace geometry { namespace v1 { struct vec { double x, y, z; }; } using namespace v1; using alias = v1::vec; inline namespace v2 { struct mat { vec rows[2]; }; } }
geometry::alias direction{1, 2, 3};
geometry::mat matrix{{{1, 0, 0}, {0, 1, 0}}};
shape *as_shape = new circle;
circle disc;
shape &shape_reference = disc;
diamond gem;
top *gem_top = &gem;
right_side *gem_right = &gem;
with_union mixed;
ring<int, 3> ring_of{{1, 2, 3}};
ring<std::string, 2> ring_text{{"r0", "r1"}};
int point::*member_pointer = &point::y;
int point::*member_null = nullptr;
double (shape::*method_pointer)() const = &shape::area;
point (*function_pointer)(int) = nullptr;
point origin{0, 0};
point &&moved = point{8, 9};
const point fixed_point{1, 1};
const char *const names[] = {"zero", "one", nullptr};
decltype(nullptr) null_pointer = nullptr;
unsigned char byte_value = 200;
signed char small_value = -3;
char32_t letter = U'\u00e9';
char8_t *none8 = nullptr;
long double precise = 1.25L;
__int128 huge_number = ((__int128)1 << 100) + 7;
static int in_file = 19;
namespace { struct hidden { int secret = 3; } concealed; }

static int overloaded(int n) { return n; }
static int overloaded(const std::string &s) { return (int)s.size(); }
int (*chosen)(int) = overloaded;

extern "C" __attribute__((noinline)) void stop_here(int n)
{
    asm volatile("" : : "r"(n) : "memory");
}

template <typename T> __attribute__((noinline)) int generic(const T &value, T *pointer, T &&moved_in)
{
    T copy = value;
    static int calls = 2;
    auto adder = [&, calls = calls](int n) { stop_here(n + in_file); return n + calls; };
    auto &[a, b] = pair_of;
    for (auto &word : many_words) {
        adder((int)word.size());
        break;
    }
    return a + (int)b.size() + (int)sizeof copy + (pointer != &moved_in);
}

int main()
{
    for (int n = 1; n < 4; n++)
        stack_of.push(n), queue_of.push(n), heap_of.push(n);
    owned.push_back(std::make_unique<int>(31));
    vector_at = nested[0].begin();
    map_at = numbers_map.begin();
    std::string given = "given";
    return generic(given, &given, std::string("moved")) + overloaded(1) + overloaded(given) + concealed.secret == 0;
}
