/* Calls that take a detour before they arrive: bound when first made, chosen by a resolver, by
 * adjustors of `this`, by dlsym. */
#include <dlfcn.h>
#include <stdio.h>

extern "C" int plain(int a);
extern "C" int chosen(int a);
extern "C" int tailed(int a);

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
second *make(int kind);

static int here(int a)
{
    return a + 1;
}

int main(int argc, char **argv)
{
    int n = argc;
    n += plain(n);
    n += plain(n);
    n += chosen(n);
    n += chosen(n);
    n += here(n) + chosen(n);
    n += tailed(n);
    second *s = make(0);
    n += s->two(n);
    s = make(1);
    n += s->two(n);
    int (*f)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "dynamic");
    n += f(n);
    n += argv[0] == 0;
    puts("bound");
    return n == 0;
}
