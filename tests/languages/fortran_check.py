"""Compares what ebb and gdb say of a Fortran program, on one core file.

    fortran_check.py DRIVER EXECUTABLE CORE FRAME [--less] [--names=a,b] [--backward=a,b] [--seed=N] [--show]

The questions are made here: every variable of the frame and those of --names, printed, with its type; every element of
arrays; sections, substrings, bounds; components; expressions over all numbers. gdb's answer is the measure, except for
what RULES lists, each with its reason. Arrays of --backward have negative strides: of these gdb prints the whole, but
takes wrong elements, so only the whole is asked for. With --less, for optimised code, we may know less than gdb, but say nothing else.
Prints a line for each answer that differs, then `N agree, M differ`.
"""
import random
import re
import subprocess
import sys

ERRORS = re.compile(r"^(No symbol |There is no member|no such vector element|array subscript out of bounds|Wrong number of|"
                    r"A syntax error|Attempt to |Argument to |Cannot access |Invalid |Structure has no|Can't |"
                    r"Integer only|Bad |Division by|LBOUND|UBOUND|<error|Could not|Unable|can't|value requires|No frame|"
                    r"Cannot read|.*unable to compute|Location list|argument to|value has been optimized|ASSOCIATED|expected)")

# (what gdb says, what we say, why): both are patterns over the whole answer.
RULES = [
    (r"<incomplete type>", r"\(.*\)|<not allocated>", "only its descriptor tells what an array of texts is"),
    (r"struct \{.*", r"character.*", "and what type it has"),
    (r".*(PTR TO -> \( character\*\S+ \)\) )?0x[0-9a-f]+.*", r".*('|character\*\(\*\)).*", "text of deferred length is a pointer to gdb"),
    (r"<error reading variable.*|<error: .*", r"<its (last bound|length) is not known>", "the words for assumed size"),
    (r"value requires .*|<error reading variable.*", r".*", "gdb reads the bounds in the frame of the contained procedure"),
    (r".*:: \w+\([-:,0-9]+\).*", r".*:: \w+\([:,]+\).*", "a type's own components have no bounds, an object's have"),
    (r"A syntax error in expression.*|Attempt to use a type name.*|Type .*", r".*",
     "gdb takes a type of another file for the variable"),
    (r"PTR TO -> \( character\*\S+ \)", r"character\*\d+|PTR TO -> \( character\*\S+ \)", "the same, of its type"),
    (r"That operation is not available on integers of more than 8 bytes.*", r"(?!error).*", "we have it"),
    (r"<optimised out>|\(+<optimised out>.*|cannot subscript arrays that are not in memory|.*\(kind=\d+\) \([-0-9:,]+\)",
     r"error: only an array in memory has sections", "an array in registers"),
    (r"access outside bounds of object referenced via synthetic pointer", r"<optimised out>", "in pieces"),
    (r"cannot subscript arrays that are not in memory", r".*", "we can"),
    (r"value has been optimized out", r"\.(TRUE|FALSE)\.", ".and. does not need what is not known"),
    (r"\(PTR TO -> \( integer\(kind=1\) \)\) (0x\S+ <\S+>) '.*", r"\(PTR TO -> \( integer\(kind=1\) \)\) 0x\S+ <\S+>",
     "gdb takes small integers for characters"),
    (r".*Lower bound may not be .*", r".*\*\).*", "bounds that are optimised out"),
    (r"character \(\d+\)", r"character\*\(\*\)", "a length that gdb remembers"),
    (r"-nan.*", r"nan.*", "gdb subtracts from 0"),
    (r"Cannot perform exponentiation.*", r"0", "what is too small is 0"),
    (r"No symbol .*", r"(?!error).*", "gdb does not follow USE in a contained procedure"),
]


class Gdb:
    def __init__(self, executable, core, frame):
        self.head = ["gdb", "-nx", "-batch", executable]
        for command in ("set confirm off", "set width 0", "set height 0", "set debuginfod enabled off",
                        "set style enabled off", "core-file " + core, "frame %s" % frame):
            self.head += ["-ex", command]

    def ask(self, questions):
        answers = []
        for at in range(0, len(questions), 2000):
            args = list(self.head)
            for number, question in enumerate(questions[at:at + 2000]):
                args += ["-ex", "echo @@%d\\n" % number, "-ex", question]
            done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
            found = {}
            for part in done.stdout.decode("utf-8", "replace").split("@@")[1:]:
                number, _, answer = part.partition("\n")
                if number.isdigit():
                    found[int(number)] = answer.rstrip("\n")
            answers += [found.get(n, "(nothing)") for n in range(len(questions[at:at + 2000]))]
        return answers


def names_of(text):
    return [m.group(1) for m in (re.match(r"([a-z_]\w*) = ", line) for line in text.split("\n")) if m]


def normal(answer):
    answer = re.sub(r"^(\$\d+|type) = ", "", answer).replace("<optimized out>", "<optimised out>")
    answer = re.sub(r"<error: Cannot access memory at address (0x[0-9a-f]+)>", r"<there is no memory at \1>", answer)
    return re.sub(r"\n(?=character\*)", "\n    ", answer).replace("\n", "|")  # gdb forgets to indent these


def bounds(text):
    """[(lower, upper)] of a type that ends in (2,-1:3)."""
    m = re.search(r" \(([-0-9:,]+)\)$", text)
    if not m or text.startswith("character") or not re.search(r"[0-9]", m.group(1)):
        return []
    pairs = [part.split(":") for part in m.group(1).split(",")]
    return [(int(p[0]), int(p[1])) if len(p) > 1 else (1, int(p[0])) for p in pairs]


def elements(pairs, most):
    every = [[]]
    for low, high in pairs:
        every = [index + [n] for index in every for n in range(low, high + 1)]
        if len(every) > 5000:
            return []
    return every if len(every) <= most else random.sample(every, most)


def some_section(pairs):
    parts = []
    for low, high in pairs:
        kind = random.randrange(4)
        a, b = sorted((random.randint(low, high), random.randint(low, high)))
        parts.append([":", str(a), "%d:%d" % (a, b), "%d:%d:%d" % (a, b, random.choice((1, 2, 3)))][kind])
    return ",".join(parts)


def about(name, text, backward):
    """Questions about a variable whose type is known."""
    questions = []
    pairs = bounds(text) if name not in backward else []
    if pairs and all(high >= low for low, high in pairs):
        for index in elements(pairs, 40):
            questions.append("print %s(%s)" % (name, ",".join(map(str, index))))
        for _ in range(4 if len(pairs) < 6 else 0):
            section = some_section(pairs)
            questions += ["print %s(%s)" % (name, section), "ptype %s(%s)" % (name, section)]
        questions.append("print %s(%s)" % (name, ",".join(str(high + 1) for _, high in pairs)))
        if "%" not in name:  # gdb takes &a%b for (&a)%b
            questions.append("print &" + name)
        questions += ["print %s(%s)" % (what, name) for what in ("lbound", "ubound", "size", "shape", "rank")]
    if re.match(r"character\*\d+$", text) and text != "character*1":
        questions += ["print %s(1:2)" % name, "print %s(2:)" % name, "print %s(2)" % name]
    return questions


def expressions(names):
    questions = []
    ops = ("+", "-", "*", "/", "==", "/=", "<", ".ge.", ".lt.")
    for name in names:
        other = random.choice(names)
        questions += ["print %s %s %s" % (name, op, random.choice((other, "3", "2.5d0"))) for op in random.sample(ops, 4)]
        questions += ["print -%s" % name, "print 1.5d0 * %s" % name, "print 2 ** 5", "print %s" % name.upper(), "print/x %s" % name,
                      "print abs(%s)" % name, "print kind(%s)" % name, "print &%s" % name,
                      "print (%s + 1) * 2 > 7 .and. .not. %s == 0" % (name, other)]
    return questions


def components(name, text):
    """Of a derived type as ptype spells it out."""
    if not text.startswith("Type ") or not re.search(r"End Type \w+$", text):
        return []
    return ["%s%%%s" % (name, m) for m in re.findall(r":: (\w+)", text)]


def same(gdb, ours, less):
    if gdb == ours or (less and "optimised out" in ours):
        return True
    if ERRORS.match(gdb) and ours.startswith("error: ") and len(ours) > 12:
        return True
    return any(re.fullmatch(theirs, gdb) and re.fullmatch(mine, ours) for theirs, mine, _ in RULES)


def main():
    driver, executable, core, frame = sys.argv[1:5]
    options = dict(a[2:].partition("=")[::2] for a in sys.argv[5:])
    random.seed(int(options.get("seed", 1)))
    gdb = Gdb(executable, core, frame)
    backward = options.get("backward", "").split(",")
    found = gdb.ask(["info args", "info locals"])
    names = list(dict.fromkeys(names_of(found[0]) + names_of(found[1]) + [n for n in options.get("names", "").split(",") if n]))
    questions = []
    level = names
    for depth in range(3):  # variables, their components, and the components of those
        types = [normal(t) for t in gdb.ask(["ptype " + n for n in level])]
        whole = [normal(t) for t in gdb.ask(["whatis " + n for n in level])]
        deeper, numbers = [], []
        for name, text, short in zip(level, types, whole):
            questions += ["print " + name, "ptype " + name, "whatis " + name] + about(name, short, backward)
            if re.match(r"(integer|real)\(kind=\d+\)$", short):
                numbers.append(name)
            pairs = bounds(short)
            if text.startswith("Type ") and pairs and all(h >= l for l, h in pairs):
                index = ",".join(str(high) for _, high in pairs)
                deeper.append("%s(%s)" % (name, index))
            else:
                deeper += components(name, text)
        if numbers and depth == 0:
            questions += expressions(numbers)
        level = deeper
    theirs = [normal(a) for a in gdb.ask(questions)]
    with open(core + ".ask", "w") as out:
        out.writelines("%s %s\n" % (frame, q) for q in questions)
    done = subprocess.run([driver, core, core + ".ask"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600)
    ours = done.stdout.decode("utf-8", "replace").split("\n")
    differ = 0
    for question, wanted, got in zip(questions, theirs, ours):
        if not same(wanted, got, "less" in options):
            differ += 1
            print("%s\n    wanted %s\n    got    %s" % (question, wanted, got))
        elif "show" in options:
            print("%s => %s" % (question, got))
    if len(ours) < len(questions) or len(names) < 3:
        print("there are only %d answers to %d questions about %d names" % (len(ours), len(questions), len(names)))
        differ += 1
    print("%d agree, %d differ" % (len(questions) - differ, differ))


main()
