/* Which functions a user's name means.
 *
 * unit: src/symbols/signatures.c src/symbols/type_names.c src/base/xalloc.c src/base/complain.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/values_internal.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static const struct {
    const char *wanted, *name;
    bool fits;
} rows[] = {
    {"f", "f", true},
    {"f", "f(int)", true},
    {"f", "N::f(int)", true},
    {"f", "ff", false},
    {"f", "f::g()", false},
    {"N::f", "N::f(int)", true},
    {"N::f", "M::f(int)", false},
    {"N::f", "MN::f(int)", false},
    {"::f", "f(int)", true},
    {"::f", "N::f(int)", false},
    {"f(int)", "f(int)", true},
    {"f(int)", "f(double)", false},
    {"f(int)", "f(int, int)", false},
    {"f(int,char*)", "f(int, char*)", true},
    {"f()", "f()", true},
    {"f(void)", "f()", true},
    {"f()", "f(int)", false},
    {"f(const char *)", "f(char const*)", true},
    {"f(char const *)", "f(char const*)", true},
    {"f(const std::string &)", "f(" STRING " const&)", true},
    {"f(std::string)", "f(" STRING " const&)", false},
    {"C::get", "C::get() const", true},
    {"C::get()", "C::get() const", true},
    {"C::get() const", "C::get() const", true},
    {"C::get() const", "C::get()", false},
    {"g", "int g<char>(char)", true},
    {"g<char>", "int g<char>(char)", true},
    {"g<int>", "int g<char>(char)", false},
    {"g", "int g<int>(int)::{lambda(int)#1}::operator()(int) const", false},
    {"operator()", "int g<int>(int)::{lambda(int)#1}::operator()(int) const", true},
    {"push_back", "std::vector<int, std::allocator<int> >::push_back(int const&)", true},
    {"vector::push_back", "std::vector<int, std::allocator<int> >::push_back(int const&)", true},
    {"std::vector<int>::push_back", "std::vector<int, std::allocator<int> >::push_back(int const&)", true},
    {"std::vector<char>::push_back", "std::vector<int, std::allocator<int> >::push_back(int const&)", false},
    {"hidden", "(anonymous namespace)::hidden(int)", true},
    {"C::~C", "C::~C()", true},
    {"operator<", "N::operator<(C const&, C const&)", true},
    {"operator<<", "N::operator<(C const&, C const&)", false},
    {"operator new", "operator new(unsigned long)", true},
    {"text", "text[abi:cxx11]()", true},
};

static const struct {
    const char *name, *wanted;
} bare[] = {
    {"main", "main"},
    {"f(int)", "f"},
    {"char N::f<int>(int)", "N::f<int>"},
    {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
    {"C::operator()(int) const", "C::operator()"},
    {"operator<<(C&, int)", "operator<<"},
    {"std::map<int, char, std::less<int> >::size() const", "std::map<int, char, std::less<int> >::size"},
};

static const struct {
    const char *name, *wanted;
} shorter[] = {
    {"int", "int"},
    {STRING, "std::string"},
    {"std::vector<int, std::allocator<int> >", "std::vector<int>"},
    {"std::vector<int, my::pool<int> >", "std::vector<int, my::pool<int> >"},
    {"std::map<int, " STRING ", std::less<int>, std::allocator<std::pair<int const, " STRING " > > >",
     "std::map<int, std::string>"},
    {"std::unique_ptr<A, std::default_delete<A> >", "std::unique_ptr<A>"},
    {"std::unique_ptr<A, closer>", "std::unique_ptr<A, closer>"},
    {"my::vector<int, std::allocator<int> >", "my::vector<int, std::allocator<int> >"},
    {"f(" STRING " const&)", "f(std::string const&)"},
    {"std::vector<int", "std::vector<int"},
    {"std::operator< <int>", "std::operator< <int>"},
};

static unsigned failures;

static void check(const char *what, bool good, const char *name)
{
    failures += !good;
    printf(good ? "ok %s: %s\n" : "FAIL %s: %s\n", what, name);
}

int main(void)
{
    for (size_t n = 0; n < countof(rows); n++) {
        bool fits = signature_fits(rows[n].name, rows[n].wanted);
        if (fits != rows[n].fits)
            check("signature", false, rows[n].wanted);
    }
    for (size_t n = 0; n < countof(bare); n++) {
        char *name = symbols_bare_name(bare[n].name);
        if (strcmp(name, bare[n].wanted) != 0)
            check("bare", false, name);
        free(name);
    }
    for (size_t n = 0; n < countof(shorter); n++) {
        char *name = type_short_name(shorter[n].name);
        if (strcmp(name, shorter[n].wanted) != 0)
            check("shorter", false, name);
        free(name);
    }
    if (!failures)
        printf("ok signatures (%zu names)\n", countof(rows) + countof(bare) + countof(shorter));
    return failures != 0;
}
