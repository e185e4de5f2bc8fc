"""Prints a program with much debug information.

    large.py unit          one unit, with classes, templates and the standard library's containers
    large.py main UNITS    a main that calls so many of them
"""
import sys

HEADERS = ["algorithm", "functional", "map", "memory", "string", "vector"]
CLASSES = 9

CLASS = """struct record{n} {{
    int key;
    double weight;
    std::string name;
    struct {{ short low, high; }} part;
    enum kind {{ A{n}, B{n}, C{n} }} which;
}};

template <typename T> struct holder{n} {{
    T first, *rest;
    template <int N> T times() const
    {{
        T sum = first;
        for (int i = 0; i < N; i++)
            sum = sum + first;
        return sum;
    }}
}};

static int work{n}(int count)
{{
    std::vector<record{n}> row;
    std::map<int, record{n}> table;
    for (int i = 0; i < count; i++) {{
        record{n} one{{i, i * 0.5, "name", {{1, 2}}, record{n}::A{n}}};
        row.push_back(one);
        table[i] = one;
    }}
    std::sort(row.begin(), row.end(), [](const record{n} &a, const record{n} &b) {{ return a.key > b.key; }});
    holder{n}<int> whole{{count, nullptr}};
    holder{n}<double> real{{1.0 * count, nullptr}};
    return row[0].key + (int)table.size() + whole.template times<3>() + (int)real.template times<4>();
}}
"""


def unit():
    lines = ["#include <%s>" % name for name in HEADERS] + ["namespace unit000 {"]
    lines += [CLASS.format(n=n) for n in range(CLASSES)]
    calls = " + ".join("unit000::work%d(n)" % n for n in range(CLASSES))
    return lines + ["}", "int unit000_all(int n)", "{", "    return %s;" % calls, "}"]


def main(units):
    lines = ["#include <cstdio>"] + ["int unit%03d_all(int);" % n for n in range(units)]
    lines += ["int main()", "{", "    int sum = 0;"] + ["    sum += unit%03d_all(3);" % n for n in range(units)]
    return lines + ['    std::printf("%d\\n", sum);', "    return 0;", "}"]


print("\n".join(unit() if sys.argv[1] == "unit" else main(int(sys.argv[2]))))
