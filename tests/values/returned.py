"""Programs whose functions return values of many types, and what a debugger says of each of them.

    returned.py make c|cc SEED       the source of a program, on standard output
    returned.py ask EBB RECORDING SAID    finishes each function that the program printed of, prints what was returned
    returned.py compare SAID ASKED        what the program printed against what the debugger printed

A program calls each function once and prints what it got, spelled as a debugger spells it: what the caller
finds is the measure.  Types are scalars, structs, unions and arrays made at random, and those that calling
conventions have rules for, by hand.
"""
import random
import subprocess
import sys

RETURNED = "Value returned: "


class Scalar:
    """`values` are initialisers; `text` prints one that is at @."""

    def __init__(self, spelled, values, text):
        self.spelled, self.values, self.text = spelled, values, text

    def declare(self, name):
        return "%s %s" % (self.spelled, name)

    def start(self, rng):
        return rng.choice(self.values)

    def say(self, place):
        return self.text.replace("@", place)


def integer(spelled, form, values, cast=""):
    return Scalar(spelled, values, 'printf("%s", %s(@));' % (form, cast))


def floating(spelled, cast, form, suffix):
    values = ["%d.5%s" % (n, suffix) for n in (3, -7, 1000, 12345)]
    return Scalar(spelled, values, 'printf("%s", (%s)(@));' % (form, cast))


def scalars(cplus):
    small = [str(n) for n in (3, -7, 100, -100)]
    plain = [str(n) for n in (1, 77, 1000, 30000)]
    wide = [str(n) for n in (123456789, -987654321, 5, -6)]
    letter = ["'A'", "'z'", "'q'", "'%'"]
    say_char = 'printf("%d \'%c\'", @, @);'
    found = [
        Scalar("char", letter, say_char), Scalar("signed char", letter, say_char),
        Scalar("unsigned char", letter, say_char),
        Scalar("bool" if cplus else "_Bool", ["0", "1"], 'printf("%s", (@) ? "true" : "false");'),
        integer("short", "%d", small), integer("unsigned short", "%d", plain),
        integer("int", "%d", wide), integer("unsigned", "%u", plain),
        integer("long", "%ld", wide), integer("unsigned long", "%lu", plain),
        integer("long long", "%lld", wide, "(long long)"),
        Scalar("enum colour", ["RED", "GREEN", "BLUE"], 'say_colour(@);'),
        floating("float", "double", "%.9g", "f"), floating("double", "double", "%.17g", ""),
        floating("long double", "long double", "%.21Lg", "L"),
        Scalar("__int128", ["((__int128)77 << 70) + 5", "-((__int128)3 << 90)", "12"], 'say_wide(@, 0);'),
        Scalar("unsigned __int128", ["((unsigned __int128)200 << 120) + 9", "7"], 'say_wide((__int128)(@), 1);'),
        Scalar("int *", ["somewhere", "somewhere + 1"], 'say_pointer(@);'),
    ]
    for name, cast, form, suffix in (("float", "double", "%.9g", "f"), ("double", "double", "%.17g", ""),
                                     ("long double", "long double", "%.21Lg", "L")):
        say = 'printf("%s + %si", (%s)__real__(@), (%s)__imag__(@));' % (form, form, cast, cast)
        values = ["%d.25%s + %d.5%si" % (a, suffix, b, suffix) for a, b in ((1, 2), (40, 9))]
        found.append(Scalar("_Complex " + name, values, say))
    found.append(Scalar("_Complex int", ["3 + 4i", "500 + 6i"], 'printf("%d + %di", __real__(@), __imag__(@));'))
    found.append(Scalar("_Complex long", ["3L + 4Li", "500L + 6Li"], 'printf("%ld + %ldi", __real__(@), __imag__(@));'))
    found.append(Scalar("__float128", ["1.5", "-2.25", "1024"], 'printf("%.21Lg", (long double)(@));'))
    return found


class Array:
    def __init__(self, of, count):
        self.of, self.count = of, count

    def declare(self, name):
        return self.of.declare("%s[%d]" % (name, self.count))

    def start(self, rng):
        return "{%s}" % ", ".join(self.of.start(rng) for _ in range(self.count))

    def say(self, place):
        parts = [self.of.say("%s[%d]" % (place, n)) for n in range(self.count)]
        return 'printf("{");' + 'printf(", ");'.join(parts) + 'printf("}");'


class Text(Array):
    """An array of characters, which is shown as a string."""

    def __init__(self, count):
        self.count = count

    def declare(self, name):
        return "char %s[%d]" % (name, self.count)

    def start(self, rng):
        return '"%s"' % "".join(rng.choice("abcdefgh") for _ in range(self.count - 1))

    def say(self, place):
        return 'printf("\\"%%s\\"", %s);' % place


class Bits(Scalar):
    def __init__(self, width):
        super().__init__("int", [str(n) for n in (0, 1, -1)], 'printf("%d", @);')
        self.width = width

    def declare(self, name):
        return "signed int %s : %d" % (name, self.width)


class Struct:
    """A struct or a union."""

    def __init__(self, tag, members, keyword="struct", packed=False):
        self.tag, self.members, self.keyword, self.packed = tag, members, keyword, packed

    def define(self):
        body = " ".join("%s;" % kind.declare(name) for name, kind in self.members)
        return "%s %s { %s }%s;" % (self.keyword, self.tag, body, " __attribute__((packed))" if self.packed else "")

    def declare(self, name):
        return "%s %s %s" % (self.keyword, self.tag, name)

    def start(self, rng):
        some = self.members[:1] if self.keyword == "union" else self.members
        return "{%s}" % ", ".join(kind.start(rng) for _, kind in some)

    def say(self, place):
        parts = ['printf("%s = ");%s' % (name, kind.say("%s.%s" % (place, name))) for name, kind in self.members]
        return 'printf("{");' + 'printf(", ");'.join(parts) + 'printf("}");'


HEAD = r'''
#include <stdio.h>
enum colour { RED, GREEN, BLUE };
int somewhere[2];
static void say_colour(enum colour c) { printf("%s", c == RED ? "RED" : c == GREEN ? "GREEN" : "BLUE"); }
static void say_pointer(const int *p) { printf("%p <somewhere%s>", (void *)p, p == somewhere ? "" : "+4"); }
static void say_wide(__int128 i, int is_unsigned)
{
    char text[64]; int at = 63; unsigned __int128 u = (unsigned __int128)i;
    int negative = !is_unsigned && i < 0;
    if (negative) u = -u;
    text[at] = 0;
    do text[--at] = (char)('0' + (int)(u % 10)); while (u /= 10);
    printf("%s%s", negative ? "-" : "", text + at);
}
#define KEEP __asm__ volatile("");
#define NOINLINE __attribute__((noinline, noclone))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif
'''

# A vector is returned in one register. One of more than 16 bytes is in a register of AVX, or in
# memory if the code is compiled without AVX.
VECTORS = [("int", 2, "%d"), ("int", 4, "%d"), ("float", 2, "%g"), ("float", 4, "%g"), ("double", 2, "%g"),
           ("long", 2, "%ld"), ("short", 8, "%d"), ("double", 4, "%g"), ("int", 8, "%d"), ("float", 8, "%g")]

CLASSES = r'''
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
struct Empty {};
struct Empty2 : Empty {};
struct Base { int a; };
struct Based : Base { float b; };
struct BasedEmpty : Empty { double b; };
struct Floats : BasedEmpty { float c; };
struct Dtor { int a; ~Dtor() {} };
struct Copy { int a; Copy(int n) : a(n) {} Copy(const Copy &o) : a(o.a) {} };
struct Move { int a; Move(int n) : a(n) {} Move(Move &&o) : a(o.a) {} };
struct Ctor { int a; Ctor(int n) : a(n) {} };
struct Defaulted { int a; Defaulted(int n) : a(n) {} Defaulted(const Defaulted &) = default; ~Defaulted() = default; };
struct Outside { int a; Outside(int n) : a(n) {} Outside(const Outside &); };
Outside::Outside(const Outside &) = default;
struct Virtual { int a; Virtual(int n) : a(n) {} virtual int get() { return a; } };
struct Holds { Dtor d; short s; };
struct HoldsArray { Dtor d[2]; };
struct BasedDtor : Dtor { int b; };
struct VirtualBase : virtual Base { int b; };
template <class T> struct Box { T t; Box(T n) : t(n) {} Box(const Box &o) : t(o.t) {} };
template <class T> struct Plain { T t; T u; };
struct NoMove { int a; NoMove(int n) : a(n) {} NoMove(NoMove &&) = delete; };
struct Nested { Plain<float> p; Plain<char> q; };
struct Assigned { int a; Assigned &operator=(const Assigned &o) { a = o.a; return *this; } };
struct Method { int a; int get() const { return a; } static int count; };
int Method::count = 4;
enum class Level : unsigned char { Low, High };
union Choice { double d; long l; };
union ChoiceF { float f; float g[1]; };
struct Outer { struct In { float x, y; } in; float z; };
'''

# (type, expression, statements that print `r`)
BY_HAND = [
    ("Empty", "Empty()", 'printf("{<No data fields>}");'),
    ("Empty2", "Empty2()", 'printf("{<Empty> = {<No data fields>}, <No data fields>}");'),
    ("Based", "{{5}, 2.5f}", 'printf("{<Base> = {a = %d}, b = %g}", r.a, r.b);'),
    ("BasedEmpty", "{{}, 2.5}", 'printf("{<Empty> = {<No data fields>}, b = %g}", r.b);'),
    ("Floats", "{{{}, 2.5}, 3.5f}",
     'printf("{<BasedEmpty> = {<Empty> = {<No data fields>}, b = %g}, c = %g}", r.b, r.c);'),
    ("Dtor", "{6}", 'printf("{a = %d}", r.a);'),
    ("Copy", "{7}", 'printf("{a = %d}", r.a);'),
    ("Move", "{8}", 'printf("{a = %d}", r.a);'),
    ("Ctor", "{9}", 'printf("{a = %d}", r.a);'),
    ("Defaulted", "{10}", 'printf("{a = %d}", r.a);'),
    ("Outside", "{11}", 'printf("{a = %d}", r.a);'),
    ("Virtual", "{12}", 'printf("{_vptr%cVirtual = %p <vtable for Virtual+16>, a = %d}", VPTR, *(void **)&r, r.a);'),
    ("Holds", "{{13}, 14}", 'printf("{d = {a = %d}, s = %d}", r.d.a, r.s);'),
    ("HoldsArray", "{{{13}, {15}}}", 'printf("{d = {{a = %d}, {a = %d}}}", r.d[0].a, r.d[1].a);'),
    ("BasedDtor", "{{13}, 14}", 'printf("{<Dtor> = {a = %d}, b = %d}", r.a, r.b);'),
    ("Box<int>", "{16}", 'printf("{t = %d}", r.t);'),
    ("Box<float>", "{1.5f}", 'printf("{t = %g}", r.t);'),
    ("Plain<int>", "{17, 18}", 'printf("{t = %d, u = %d}", r.t, r.u);'),
    ("Plain<double>", "{1.5, 18.25}", 'printf("{t = %g, u = %g}", r.t, r.u);'),
    ("Plain<long double>", "{1.5L, 18.25L}", 'printf("{t = %Lg, u = %Lg}", r.t, r.u);'),
    ("Nested", "{{1.5f, 2.5f}, {'a', 'b'}}",
     'printf("{p = {t = %g, u = %g}, q = {t = %d \'%c\', u = %d \'%c\'}}", r.p.t, r.p.u, r.q.t, r.q.t, r.q.u, r.q.u);'),
    ("Assigned", "{19}", 'printf("{a = %d}", r.a);'),
    ("Method", "{20}", 'printf("{a = %d, static count = 4}", r.a);'),
    ("Level", "Level::High", 'printf("Level::High");'),
    ("Choice", "{2.5}", 'printf("{d = %g, l = %ld}", r.d, r.l);'),
    ("ChoiceF", "{2.5f}", 'printf("{f = %.9g, g = {%.9g}}", r.f, r.g[0]);'),
    ("Outer", "{{1.5f, 2.5f}, 3.5f}", 'printf("{in = {x = %g, y = %g}, z = %g}", r.in.x, r.in.y, r.z);'),
    ("std::unique_ptr<int>", "std::make_unique<int>(21)", 'printf("std::unique_ptr<int> = {get() = %p}", (void *)r.get());'),
    ("std::shared_ptr<int>", "std::make_shared<int>(22)",
     'printf("std::shared_ptr<int> (use count 1, weak count 0) = {get() = %p}", (void *)r.get());'),
    ("std::string", '"some text"', 'printf("\\"%s\\"", r.c_str());'),
    ("std::vector<int>", "{1, 2, 3}", 'printf("std::vector of length 3, capacity 3 = {%d, %d, %d}", r[0], r[1], r[2]);'),
    ("std::pair<int, float>", "{1, 2.5f}", 'printf("{first = %d, second = %g}", r.first, r.second);'),
    ("std::pair<float, float>", "{1.5f, 2.5f}", 'printf("{first = %g, second = %g}", r.first, r.second);'),
    ("std::pair<std::string, int>", '{"key", 23}', 'printf("{first = \\"%s\\", second = %d}", r.first.c_str(), r.second);'),
    ("std::tuple<int, double>", "{1, 2.5}", 'printf("std::tuple containing = {[1] = 1, [2] = 2.5}"); (void)r;'),
    ("std::optional<int>", "24", 'printf("std::optional<int> = {[contained value] = %d}", *r);'),
    ("std::nullptr_t", "nullptr", 'printf("0"); (void)r;'),
    ("int Base::*", "&Base::a", 'printf("&Base::a"); (void)r;'),
]


def make(language, seed):
    rng = random.Random(seed)
    cplus = language == "cc"
    kinds = scalars(cplus)
    structs = []
    inner = [kind for kind in kinds if "Complex long double" not in kind.spelled]
    numbers = [kind for kind in inner if kind.spelled in ("int", "short", "unsigned long", "float", "double", "__int128")]
    for n in range(110 if cplus else 150):
        members = []
        for at in range(rng.randint(1, 4)):
            kind = rng.choice(inner if rng.random() < 0.6 else inner[:14])
            shape = rng.random()
            if shape < 0.12:
                of = kind.spelled.endswith("char") and rng.choice(inner[4:11]) or kind
                kind = Array(of, rng.randint(1, 3))
            elif shape < 0.2:
                kind = Bits(rng.choice((3, 7, 17, 31)))
            elif shape < 0.25:
                kind = Text(rng.randint(2, 8))
            elif shape < 0.4 and structs:
                kind = rng.choice(structs)
            members.append(("abcd"[at], kind))
        keyword = "struct"
        if rng.random() < 0.12: # whatever lies there is a number
            keyword, members = "union", [(name, rng.choice(numbers)) for name, _ in members]
        structs.append(Struct("s%d" % n, members, keyword, rng.random() < 0.12))
    print(HEAD)
    if cplus:
        print("#ifdef __clang__\n#define VPTR '$'\n#else\n#define VPTR '.'\n#endif")
        print(CLASSES)
    for s in structs:
        print(s.define())
    body = []
    for n, kind in enumerate(kinds + structs):
        print("%s = %s;" % (kind.declare("v%d" % n), kind.start(rng)))
        print("NOINLINE %s(void) { KEEP return v%d; }" % (kind.declare("f%d" % n), n))
        body.append('{ %s = f%d(); printf("f%d "); %s }' % (kind.declare("r"), n, n, kind.say("r")))
    for n, (of, count, form) in enumerate(VECTORS):
        for avx in ("", "_avx") if of and count * {"int": 4, "float": 4, "double": 8, "long": 8, "short": 2}[of] > 16 else ("",):
            name = "v_%s%d%s" % (of, count, avx)
            attribute = '__attribute__((target("avx"))) ' if avx else ""
            print("typedef %s type_%s __attribute__((vector_size(%d * sizeof(%s))));" % (of, name, count, of))
            print("type_%s %s = {%s};" % (name, name, ", ".join(str(5 * k + n) for k in range(count))))
            print("%sNOINLINE type_%s fn_%s(void) { KEEP return %s; }" % (attribute, name, name, name))
            parts = 'printf(", ");'.join('printf("%s", r[%d]);' % (form, k) for k in range(count))
            call = 'static %s void call_%s(void) { type_%s r = fn_%s(); printf("fn_%s {"); %s printf("}\\n"); }' % (
                attribute + "NOINLINE", name, name, name, name, parts)
            print(call)
            body.append(("if (__builtin_cpu_supports(\"avx\")) " if avx else "") + "call_%s();" % name)
    for n, (of, value, say) in enumerate(BY_HAND if cplus else []):
        if of.endswith("::*"):
            print("NOINLINE %sh%d() { KEEP return %s; }" % (of, n, value))
            declared = "auto r"
        else:
            print("NOINLINE %s h%d() { KEEP return %s; }" % (of, n, value))
            declared = "%s r" % of
        body.append('{ %s = h%d(); printf("h%d "); %s }' % (declared, n, n, say))
    print("int main(void) {")
    for line in body:
        print("    %s%s" % (line, "" if "call_" in line else ' printf("\\n");'))
    print("    return 0; }")


def names(said):
    with open(said) as lines:
        return [line.split(" ", 1)[0] for line in lines if line.strip()]


def ask(ebb, recording, said):
    commands = ["goto start"]
    for name in names(said):
        commands += ["tbreak %s" % name, "continue", "finish"]
    args = [ebb, "replay", recording, "-c", "set echo on"]
    with open(said + ".ask", "w") as out:
        out.write("\n".join(commands) + "\n")
    done = subprocess.run(args + ["-x", said + ".ask"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=900)
    name = ""
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith("> tbreak "):
            name = line[9:]
        if line.startswith(RETURNED):
            print("%s %s" % (name, line[len(RETURNED):]))


def table(path):
    found = {}
    with open(path) as lines:
        for line in lines:
            name, _, text = line.rstrip("\n").partition(" ")
            if name:
                found[name] = text
    return found


def without_casts(text):
    return text[text.index(") ") + 2:] if text.startswith("(") and ") " in text else text


def compare(said, asked):
    wanted, got = table(said), table(asked)
    differ = 0
    for name, text in wanted.items():
        mine = got.get(name, "(nothing)")
        if mine != text and without_casts(mine) != text:
            differ += 1
            print("%s\n    the program got %s\n    finish showed   %s" % (name, text, mine))
    print("%d agree, %d differ" % (len(wanted) - differ, differ))


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == "ask":
        ask(*sys.argv[2:5])
    else:
        compare(*sys.argv[2:4])


main()
