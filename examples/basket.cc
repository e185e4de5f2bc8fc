/* A basket whose total is wrong: three coffees are ordered and one is charged.
 *
 * Nothing crashes, and the line that orders three coffees is right. docs/tutorial-cplusplus.md goes
 * from the total back to the cause. Build it with `g++ -g -O0 -o basket basket.cc`.
 */
#include <cstdio>
#include <string>
#include <vector>

struct item {
    std::string name;
    int cents;
    int quantity;
};

class basket {
public:
    item &add(const std::string &name, int cents)
    {
        items.push_back({name, cents, 1});
        return items.back();
    }

    int total() const
    {
        int sum = 0;
        for (const item &i : items)
            sum += i.cents * i.quantity;
        return sum;
    }

private:
    std::vector<item> items;
};

int main()
{
    basket mine;
    item &coffee = mine.add("coffee", 450);
    mine.add("bread", 320);
    mine.add("milk", 120);
    coffee.quantity = 3;
    int total = mine.total();
    std::printf("%d cents\n", total);
    return total != 3 * 450 + 320 + 120;
}
