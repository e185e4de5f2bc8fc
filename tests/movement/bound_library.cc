/* The other side of bound.cc. */
static int helper(int level)
{
    int found = level;
    for (int i = 0; i < 3; i++)
        found += i;
    return found;
}
static int chosen_small(int a)
{
    int b = a * 2;
    return b;
}
static int chosen_large(int a)
{
    int b = a * 3;
    return b;
}
extern "C" {
typedef int choice(int);
static choice *resolve(void)
{
    int level = helper(1);
    if (level > 100)
        return chosen_large;
    return chosen_small;
}
int chosen(int a) __attribute__((ifunc("resolve")));
int plain(int a)
{
    int b = a + 2;
    return b;
}
__attribute__((noinline)) int last(int a)
{
    int b = a + 5;
    return b;
}
int tailed(int a)
{
    return last(a + 1);
}
int dynamic(int a)
{
    int b = plain(a);
    return b + 3;
}
}
struct first {
    virtual int one(int a);
    virtual ~first();
    int x = 1;
};
struct second {
    virtual int two(int a);
    virtual ~second();
    int y = 2;
};
struct both : first, second {
    int one(int a) override;
    int two(int a) override;
};
struct based : virtual second {
    int two(int a) override;
};
int first::one(int a)
{
    return a + x;
}
first::~first() {}
int second::two(int a)
{
    return a + y;
}
second::~second() {}
int both::one(int a)
{
    return a + x + 1;
}
int both::two(int a)
{
    int b = a + y + 1;
    return b;
}
int based::two(int a)
{
    int b = a + y + 2;
    return b;
}
static both one_both;
static based one_based;
second *make(int kind)
{
    if (kind)
        return &one_based;
    return &one_both;
}
