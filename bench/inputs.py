"""What the programs of the benchmark work on, made the same on every machine.

Nothing is taken from the system: its headers and texts differ from one to the next.
"""
import os
import re


class Draw:
    """Numbers that look random and never change (a 64-bit xorshift)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        x = self.state
        x ^= x << 13 & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 7
        x ^= x << 17 & 0xFFFFFFFFFFFFFFFF
        self.state = x
        return (x >> 11) % limit


def text(size):
    """Words of unequal frequency with numbers between them: compresses as logs do."""
    draw, words, lines, length = Draw(88172645463325252), [], [], 0
    for _ in range(2000):
        words.append("".join("etaoinshrdlucmfwypvbgk"[draw.below(1 + draw.below(22))]
                             for _ in range(2 + draw.below(9))))
    while length < size:
        count = 4 + draw.below(12)
        line = " ".join(words[draw.below(1 + draw.below(len(words)))] for _ in range(count))
        line = "%08d %s %d\n" % (length, line, draw.below(100000))
        lines.append(line)
        length += len(line)
    return "".join(lines)


LUA = """local rounds = tonumber(arg[1]) or 1
local function tree(depth)
    if depth == 0 then return {} end
    return {tree(depth - 1), tree(depth - 1)}
end
local function count(t) return t[1] and 1 + count(t[1]) + count(t[2]) or 1 end
local sum = 0
for round = 1, rounds do
    sum = sum + count(tree(14))
    local words = {}
    for i = 1, 20000 do words[i] = string.format("%05d", i * 7919 % 20011) end
    table.sort(words)
    local text = table.concat(words, " ")
    for number in text:gmatch("%d+7") do sum = sum + tonumber(number) % 13 end
    for i = 1, 300000 do sum = (sum * 31 + i) % 1000003 end
end
print(sum)
"""

PYTHON = """import sys


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def moved(self, by):
        return Point(self.x + by, self.y - by)


def work(round):
    words = {}
    for i in range(30000):
        key = "k%d" % (i * 7919 % 5003)
        words[key] = words.get(key, 0) + i
    point = Point(0, 0)
    for i in range(20000):
        point = point.moved(i & 3)
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    total = sum(ord(c) for key, _ in ordered[:500] for c in key)
    return total + point.x + sum(i * i % 7 for i in range(30000)) + round


print(sum(work(i) for i in range(int(sys.argv[1]))))
"""

PERL = """use strict;
my ($rounds, $sum) = ($ARGV[0], 0);
for my $round (1 .. $rounds) {
    my %seen;
    $seen{$_ * 7919 % 5003} .= "x$_" for 1 .. 30000;
    for my $key (sort { $a <=> $b } keys %seen) {
        my @parts = split /x/, $seen{$key};
        $sum = ($sum * 31 + @parts + $key) % 1000003;
    }
    my $text = join ' ', map { "word$_ " . $_ * 3 } 1 .. 5000;
    $sum += length $1 while $text =~ /(\\w+7) /g;
    $sum = ($sum + $_ * $_) % 1000003 for 1 .. 100000;
}
print "$sum\\n";
"""

SQL = """create table item(id integer primary key, name text, weight integer);
with recursive n(x) as (select 1 union all select x + 1 from n where x < {rows})
insert into item select x, 'item ' || (x * 7919 % 10007), x * 31 % 977 from n;
create index by_name on item(name);
create index by_weight on item(weight, name);
select count(*), sum(weight) from item where name like 'item 1%';
select weight, count(*), max(name) from item group by weight order by 2 desc, 1 limit 5;
select count(*) from item a join item b on a.weight = b.weight and a.id < b.id
where a.id < {rows} / 20;
update item set weight = weight + 1 where id % 3 = 0;
select sum(length(name) * weight) from item;
"""


def c_function(number, draw):
    """A function with a loop, a switch, an array and calls of earlier functions."""
    a, b, c = 3 + draw.below(90), 1 + draw.below(30), draw.below(1000)
    callee = "f%d(y, x & 15)" % draw.below(number) if number else "y * 3"
    cases = "".join("        case %d: y = (y << %d) ^ table[(x + %d) & 63]; break;\n"
                    % (i, 1 + draw.below(7), draw.below(64)) for i in range(3 + draw.below(6)))
    return """int f%d(int x, int depth)
{
    static unsigned table[64];
    unsigned y = x * %du + %d;
    struct pair p = {x, y};
    for (int i = 0; i < %d; i++) {
        switch ((x ^ i) %% 11) {
%s        default: y += table[i & 63] * p.first; p.second ^= y; break;
        }
        if (y > %du && depth > 0)
            y -= %s;
        table[y & 63] = y + i * p.second;
    }
    return (int)(y ^ p.second) + (p.first > %d ? (int)table[%d] : -x);
}

""" % (number, a, c, b, cases, draw.below(1 << 30), callee, c, draw.below(64))


def c_source(functions):
    draw = Draw(2463534242)
    parts = ["struct pair { int first; unsigned second; };\n\n"]
    parts += [c_function(i, draw) for i in range(functions)]
    parts.append("int main(void) { return f%d(1, 2) & 1; }\n" % (functions - 1))
    return "".join(parts)


# Objects, closures, strings and numbers, for a just-in-time compiler to chew on.
JAVASCRIPT = """
function Node(key) { this.key = key; this.left = this.right = null; }
function insert(root, key) {
    if (!root) return new Node(key);
    if (key < root.key) root.left = insert(root.left, key);
    else root.right = insert(root.right, key);
    return root;
}
function sum(root) { return root ? root.key + sum(root.left) + sum(root.right) : 0; }
let total = 0;
for (let round = 0; round < +process.argv[2]; round++) {
    let root = null, seed = round + 1;
    for (let i = 0; i < 20000; i++) {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        root = insert(root, seed);
    }
    total += sum(root) % 1000003;
    const words = {};
    for (let i = 0; i < 20000; i++) {
        const word = "w" + (i * 7919 % 1009).toString(36);
        words[word] = (words[word] || 0) + word.length;
    }
    total += Object.keys(words).sort().join("").length;
    total += [...Array(5000).keys()].map(x => x * x).filter(x => x % 3).reduce((a, b) => a + b, 0) % 997;
}
console.log(total);
"""

# A small C project: eight files, objects, a program.  It is built from nothing each time.
MAKEFILE = """
OBJECTS = $(patsubst %,part%.o,0 1 2 3 4 5 6 7)
all: clean
\t@$(MAKE) --no-print-directory -s program
program: $(OBJECTS)
\t$(CC) -o $@ $(OBJECTS)
%.o: %.c
\t$(CC) -O1 -c -o $@ $<
clean:
\trm -f program $(OBJECTS)
"""


def project_part(number):
    source = c_source(12).replace("int main(void)", "int main%d(void)" % number)
    source = re.sub(r"\bf(\d+)\b", r"part%d_f\1" % number, source)
    return "#include <stdio.h>\n#include <stdlib.h>\n" + (
        source if number else source + "int main(void) { puts(\"built\"); return 0; }\n")


def make_all(folder):
    os.makedirs(os.path.join(folder, "project"), exist_ok=True)
    made = {
        "work.js": lambda: JAVASCRIPT,
        "project/Makefile": lambda: MAKEFILE,
        **{"project/part%d.c" % n: (lambda n=n: project_part(n)) for n in range(8)},
        "text": lambda: text(12 << 20),
        "text.quick": lambda: text(2 << 20),
        "work.lua": lambda: LUA,
        "work.py": lambda: PYTHON,
        "work.pl": lambda: PERL,
        "work.sql": lambda: SQL.format(rows=200000),
        "work.quick.sql": lambda: SQL.format(rows=40000),
        "big.i": lambda: c_source(150),
        "medium.i": lambda: c_source(40),
        "small.i": lambda: c_source(1),
    }
    newest = os.path.getmtime(__file__)
    for name, make in made.items():
        path = os.path.join(folder, name)
        if not os.path.exists(path) or os.path.getmtime(path) < newest:
            with open(path, "w") as out:
                out.write(make())
