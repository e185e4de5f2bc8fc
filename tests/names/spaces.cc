/* The same names in name spaces, classes, their bases, and functions. */
int total = 11;
enum Plain { FIRST, SECOND };

namespace {
int hidden = 71;
}

namespace taxes {
int tax = 51;
}

namespace shop {
int total = 21;
enum class Kind { Fruit = 5, Bread };
enum Old { OLD = 9 };

namespace shelf {
int price = 41;
}

int sell(int more)
{
    static int sold = 60;
    return sold += more;
}

struct Root {
    int both;
};

struct Leaf : Root {
    int both;
    int look(int a);
};
}

void stop_here()
{
}

int shop::Leaf::look(int a)
{
    namespace near = shop::shelf;
    using shelf::price;
    using namespace taxes;
    {
        enum { INNER = 81 } which = INNER;
        stop_here();
        return a + which + near::price + price + tax;
    }
}

int main()
{
    shop::Root basket = {31};
    shop::Leaf leaf;
    Plain plain = SECOND;
    shop::Kind kind = shop::Kind::Fruit;
    shop::Old old = shop::OLD;
    leaf.Root::both = 31;
    leaf.both = 32;
    shop::sell(1);
    return leaf.look(0) + hidden + (int)plain + (int)kind + (int)old + basket.both == 0;
}
