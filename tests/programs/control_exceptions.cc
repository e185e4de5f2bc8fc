/* C++ exceptions: through many frames, with destructors, rethrown, nested, of several types.
 *
 * variants: static nopie
 * settings: yes
 */
#include "check.h"
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

static int destroyed;

struct Guard {
    int id;
    explicit Guard(int i) : id(i) {}
    ~Guard() { destroyed += id; }
};

static void deep(int n, int kind)
{
    Guard guard(n);
    if (n > 0) {
        deep(n - 1, kind);
        return;
    }
    switch (kind % 4) {
    case 0: throw std::runtime_error("runtime");
    case 1: throw 42;
    case 2: throw std::string("string");
    default: std::vector<int>().at(kind);
    }
}

static int around(int kind)
{
    try {
        try {
            deep(30, kind);
        } catch (const std::runtime_error &e) {
            CHECK(std::string(e.what()) == "runtime");
            throw;
        }
    } catch (int value) {
        return value;
    } catch (const std::out_of_range &) {
        return 2;
    } catch (const std::exception &) {
        return 1;
    } catch (...) {
        return 3;
    }
    return 0;
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 200; i++)
        sum = sum * 3 % 1000003 + around(i);
    printf("%ld %d\n", sum, destroyed);
    try {
        try {
            throw 1;
        } catch (int) {
            std::throw_with_nested(std::logic_error("outer"));
        }
    } catch (const std::logic_error &e) {
        try {
            std::rethrow_if_nested(e);
            CHECK(!"not nested");
        } catch (int i) {
            CHECK(i == 1);
        }
    }
    CHECK(!std::uncaught_exceptions());
    return done();
}
