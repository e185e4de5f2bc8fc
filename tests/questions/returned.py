"""Prints a program with a function for each of about 200 types that functions return.

    returned.py c|c++ SEED

Each function f_N() returns a value of another type: integers, floating point, pointers, enums,
complex numbers, vectors, and structs and unions of one to six members of those, which the calling
convention puts into registers of either kind, into both, or into memory. In C++ also classes with
constructors, destructors, bases and virtual functions, and references.
"""
import random
import sys

SCALARS = [("char", "'k'"), ("signed char", "-3"), ("unsigned char", "200"), ("short", "-300"),
           ("unsigned short", "60000"), ("int", "-70000"), ("unsigned int", "4000000000u"),
           ("long", "-5000000000l"), ("unsigned long", "18000000000000000000ul"),
           ("long long", "77ll"), ("float", "1.5f"), ("double", "-2.25"), ("long double", "3.125l"),
           ("_Bool", "1"), ("enum colour", "GREEN"), ("char *", "text"), ("int *", "numbers + 1"),
           ("void *", "numbers"), ("point_fn", "0")]
HEAD = """
enum colour { RED, GREEN = 5, BLUE = -2 };
char text[] = "some text";
int numbers[4] = {10, 20, 30, 40};
typedef int (*point_fn)(int);
int sink;
"""


def member(rng, number, cplus):
    """(declaration, value) of a member."""
    kind = rng.random()
    type_, value = rng.choice(SCALARS)
    if cplus:
        type_ = type_.replace("_Bool", "bool")
        value = {"GREEN": "GREEN"}.get(value, value)
    if kind < 0.15 and type_ not in ("point_fn",):
        count = rng.randint(1, 3)
        return "%s m%d[%d]" % (type_, number, count), "{%s}" % ", ".join([value] * count)
    if kind < 0.22:
        return "int m%d : %d" % (number, rng.randint(3, 20)), "2"
    if kind < 0.30:
        return "struct { short a; float b; } m%d" % number, "{%d, 0.5f}" % number
    return "%s m%d" % (type_, number), value


def aggregate(rng, number, cplus):
    """(declaration of struct s_N, its initial value)."""
    parts = [member(rng, n, cplus) for n in range(rng.choice((1, 1, 2, 2, 2, 3, 3, 4, 6)))]
    body = " ".join("%s;" % declaration for declaration, _ in parts)
    values = ", ".join(value for _, value in parts)
    if rng.random() < 0.12 and not any(":" in declaration for declaration, _ in parts):
        return "union s_%d { %s };" % (number, body), "union s_%d" % number, "{%s}" % parts[0][1]
    return "struct s_%d { %s };" % (number, body), "struct s_%d" % number, "{%s}" % values


CLASSES = [
    ("struct %s { int a; ~%s() { sink++; } };", "{%d}"),
    ("struct %s { long a; %s(long x) : a(x) {} %s(const %s &o) : a(o.a) { sink++; } };", "(%d)"),
    ("struct %s { double a; virtual double get() const { return a; } %s(double x) : a(x) {} };", "(%d)"),
    ("struct Base%s { int base; }; struct %s : Base%s { int own; %s(int x) { base = x; own = -x; } };",
     "(%d)"),
    ("struct %s { int a; float b; %s(int x) : a(x), b(x / 2.0f) {} };", "(%d)"),
    ("struct Mv%s { }; struct %s : Mv%s { char c; %s(int x) : c((char)x) {} };", "(%d)"),
    ("struct %s { int *p; int n; %s(int x) : p(numbers), n(x) {} %s(%s &&o) : p(o.p), n(o.n) { o.p = 0; } };",
     "(%d)"),
]


def function(out, calls, number, type_, body):
    out.append("__attribute__((noinline)) %s f_%d(void)\n{\n    sink++;\n    %s\n}\n" % (type_, number, body))
    calls.append("    f_%d();" % number)


def main():
    language, seed = sys.argv[1:3]
    cplus = language == "c++"
    rng = random.Random("returned %s" % seed)
    out, calls = [HEAD], []
    number = 0
    for type_, value in SCALARS:
        number += 1
        function(out, calls, number, type_.replace("_Bool", "bool") if cplus else type_, "return %s;" % value)
    for type_, value in (("float _Complex", "1.5f + 2.0fi"), ("double _Complex", "-1.0 + 0.25i"),
                         ("long double _Complex", "1.0l + 2.0il"), ("__int128", "-7"),
                         ("unsigned __int128", "9"), ("int_v4", "(int_v4){1, 2, 3, 4}"),
                         ("float_v4", "(float_v4){1, 2, 3, 4}"), ("double_v2", "(double_v2){1, 2}")):
        if number == len(SCALARS):
            for name, base, bytes_ in (("int_v4", "int", 16), ("float_v4", "float", 16), ("double_v2", "double", 16)):
                out.append("typedef %s %s __attribute__((vector_size(%d)));\n" % (base, name, bytes_))
        number += 1
        function(out, calls, number, type_, "return %s;" % value)
    while number < (160 if cplus else 200):
        number += 1
        declaration, name, value = aggregate(rng, number, cplus)
        out.append(declaration + "\n")
        function(out, calls, number, name, "%s it = %s; return it;" % (name, value))
    while cplus and number < 200:
        number += 1
        text, value = CLASSES[number % len(CLASSES)]
        name = "Class%d" % number
        out.append(text.replace("%s", name) + "\n")
        if number % 9 == 0:
            function(out, calls, number, name + " &", "static %s it%s; return it;" % (name, value % number))
        else:
            function(out, calls, number, name, "%s it%s; return it;" % (name, value % number))
    print("\n".join(out))
    print("int main(void)\n{\n%s\n    return 0;\n}" % "\n".join(calls))


main()
