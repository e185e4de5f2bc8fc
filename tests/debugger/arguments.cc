// Containers as parameters: a backtrace shows what they are, without their elements, as gdb does.
#include <array>
#include <bitset>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

struct plain {
    int x;
};
static int calls;

static void first(const std::vector<int> &some, std::vector<int> none,
                  std::map<std::string, int> &map, std::shared_ptr<plain> shared,
                  std::unique_ptr<int> unique, std::optional<int> maybe, std::optional<int> nothing)
{
    calls++;
}

static void second(std::tuple<int, char> tuple, const std::set<int> &set,
                   std::variant<int, double> variant, std::deque<int> deque,
                   std::array<int, 2> array, std::unordered_map<int, int> unordered,
                   std::pair<int, int> pair, std::bitset<9> bits, std::list<int> list, plain object,
                   std::vector<int>::iterator iterator, std::vector<bool> flags,
                   std::weak_ptr<plain> weak, std::shared_ptr<plain> empty, std::string &text,
                   std::vector<int> *pointer)
{
    calls++;
}

int main()
{
    std::vector<int> some{1, 2, 3};
    std::map<std::string, int> map{{"a", 1}};
    auto shared = std::make_shared<plain>();
    std::string text = "text";
    first(some, {}, map, shared, std::make_unique<int>(4), 5, std::nullopt);
    second({1, 'c'}, {1, 2}, 2.5, {1}, {1, 2}, {{1, 2}}, {3, 4}, 5, {7}, {8}, some.begin(),
           {true, false}, shared, nullptr, text, &some);
    return calls != 2;
}
