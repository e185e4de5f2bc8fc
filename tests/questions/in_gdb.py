"""Runs inside gdb: makes up questions about the moments of a recording, and answers them.

    ebb gdb RECORDING -- -nx -batch -ex 'python IN=...; OUT=...' -x in_gdb.py

IN is a table in JSON: `seed`, `count` (questions about each frame), `stops`, each with its `moment`
and `frames` (level and function of each that ebb sees), `first` (the stop to begin with), `deadly`
(questions that gdb has died of).  OUT gets a line for each stop: a list of questions with the frame's
level, the command and gdb's answer.  OUT.last has the question that is being asked.

The questions are drawn from the types that gdb knows: a walk through members, elements and
pointers, then an operator, a cast, a format.  The generator for one frame depends on the seed, the
function and the number of the stop only.
"""
import json
import random
import re

import gdb

INTEGERS = ("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
            "long", "unsigned long", "long long", "unsigned long long")
FORMATS = "xduotcafz"
LETTERS = "xdut"        # of x
WIDE = "xdutocafz"      # the others show memory that was never written in many ways
REGISTERS = ("$cs", "$ss", "$fs_base", "$mxcsr", "$xmm0.uint128", "$xmm1.v4_float", "$xmm2.v2_double",
             "$xmm7.v16_int8", "$xmm15.v4_int32", "$st0", "$fctrl", "$ax", "$dl", "$esi", "$r9w", "$r10d",
             "/x $eflags", "/t $rdi", "/d $rsp", "/x $sp", "/a $pc")
SKIPPED = ("__PRETTY_FUNCTION__", "__FUNCTION__", "__func__", "this@entry")


DEADLY = set()
LANGUAGE = "c"


def ask(command):
    if LANGUAGE == "c++":  # as written, without methods and typedefs
        command = re.sub(r"^ptype ", "ptype/rmt ", command)
    if command in DEADLY:
        return "error: gdb dies of it"
    with open(OUT + ".last", "w") as out:
        out.write(command)
    try:
        said = gdb.execute(command, to_string=True).rstrip("\n")
        return re.sub(r"^(warning:.*\n)+|\n?warning: \(.*\)(?=\n|$)", "", said)
    except gdb.error as error:
        return "error: %s" % str(error).split("\n")[0]
    except (gdb.MemoryError, RuntimeError, UnicodeError) as error:
        return "error: %s" % error


def fields(type_):
    found = []
    for field in type_.fields():
        if field.is_base_class:
            base = field.type.strip_typedefs()
            found += fields(base)
        elif field.name and not field.artificial and not field.name.startswith("_vptr"):
            found.append((field.name, field.type, hasattr(field, "bitpos")))
        elif not field.name and field.type.strip_typedefs().code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            found += fields(field.type.strip_typedefs())
    return found


def vector(array):
    return "vector" in str(array)


class Maker:
    """Draws expressions about the variables of one frame."""

    def __init__(self, rng, variables, language, letters):
        self.rng, self.variables, self.language, self.letters = rng, variables, language, letters

    def castable(self):
        """A part that C can cast: no vector, no complex number, no struct without a name."""
        for _ in range(20):
            text, type_ = self.part()
            plain = type_.strip_typedefs()
            named = plain.name or plain.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY)
            if named and plain.code != gdb.TYPE_CODE_COMPLEX and not vector(plain):
                return text, type_
        return "1", gdb.lookup_type("int")

    def whole(self, text):
        return text if all(c.isalnum() or c in "_.$:" for c in text) else "(%s)" % text

    def walk(self, text, type_, steps):
        """A part of the value: (text, type)."""
        rng = self.rng
        for _ in range(steps):
            plain = type_.strip_typedefs()
            if plain.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                plain = plain.target().strip_typedefs()
                type_ = plain
            code = plain.code
            if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
                parts = fields(plain)
                if not parts:
                    break
                name, type_, _ = rng.choice(parts)
                text = "%s.%s" % (self.whole(text) if text[:1] in "*&(-" else text, name)
            elif code == gdb.TYPE_CODE_ARRAY:
                low, high = plain.range()
                type_ = plain.target()
                text = "%s[%d]" % (self.whole(text) if text[:1] in "*&(" else text,
                                   rng.randint(low, max(low, high)) if high - low < 1000 else rng.randint(0, 20))
            elif code == gdb.TYPE_CODE_PTR:
                target = plain.target().strip_typedefs()
                if target.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and fields(target) and rng.random() < 0.7:
                    name, type_, _ = rng.choice(fields(target))
                    text = "%s->%s" % (self.whole(text) if text[:1] in "*&(" else text, name)
                elif target.code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_VOID):
                    break
                elif rng.random() < 0.5:
                    type_, text = plain.target(), "*%s" % self.whole(text)
                else:
                    type_ = plain.target()
                    text = "%s[%d]" % (self.whole(text) if text[:1] in "*&(" else text, rng.choice((0, 0, 1, 2)))
            else:
                break
        return text, type_

    def part(self):
        name, type_ = self.rng.choice(self.variables)
        return self.walk(name, type_, self.rng.choice((0, 0, 1, 1, 2, 3, 4)))

    def number(self):
        """Some part that is a number, if one is soon found."""
        for _ in range(12):
            text, type_ = self.part()
            plain = type_.strip_typedefs()
            if plain.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                plain = plain.target().strip_typedefs()
            if plain.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL):
                return text
        return None

    def constant(self):
        return self.rng.choice(("0", "1", "2", "3", "7", "10", "255", "0x7f", "1000", "65536", "0x7fffffff", "'a'", "1.5",
                                "2147483648", "0xffffffff", "-1", "3u", "5ll", "2ul", "0.25f"))

    def cast(self, text, plain):
        """A type that C lets the value be cast to, with a result that C defines."""
        kind, scalars = plain.code, INTEGERS + ("float", "double")
        if kind == gdb.TYPE_CODE_PTR or kind == gdb.TYPE_CODE_ARRAY and not vector(plain):
            return self.rng.choice(("long", "unsigned long", "void *", "char *", "unsigned char *", "int *"))
        if kind == gdb.TYPE_CODE_FLT:
            try:
                small = 0 <= float(gdb.parse_and_eval(text)) < 127
            except (gdb.error, RuntimeError):
                small = True
            return self.rng.choice(scalars if small else ("float", "double"))
        if kind in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL):
            return self.rng.choice(scalars + ("void *", "char *"))
        return self.rng.choice(scalars) if self.rng.random() < 0.1 else str(plain)

    def expression(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.45:
            return self.part()[0]
        if kind < 0.60:
            a = self.number()
            b = self.number() if rng.random() < 0.5 else self.constant()
            if a is None or b is None:
                return self.part()[0]
            op = rng.choice(("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=", "&&", "||"))
            if op in ("<<", ">>"):
                b = str(rng.randint(0, 20))
            if op in ("/", "%"):
                b = self.constant()
            return "%s %s %s" % (a, op, b)
        if kind < 0.66:
            text = self.number()
            return self.part()[0] if text is None else "%s%s" % (rng.choice("-~!"), self.whole(text))
        if kind < 0.72:
            return "&%s" % self.whole(self.part()[0])
        if kind < 0.77:
            return "sizeof(%s)" % self.part()[0]
        if kind < 0.84:
            text, type_ = self.castable()
            return "(%s)%s" % (self.cast(text, type_.strip_typedefs()), self.whole(text))
        if kind < 0.88:
            a, b, c = self.number(), self.constant(), self.number()
            return "%s ? %s : %s" % (a, b, c) if a and c else self.part()[0]
        text, type_ = self.part()
        plain = type_.strip_typedefs()
        if self.language == "c++" and plain.code == gdb.TYPE_CODE_PTR and plain.target().strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            return text  # what lies beside an object is no object
        if plain.code == gdb.TYPE_CODE_PTR and plain.target().strip_typedefs().code not in (
                gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_VOID):
            return rng.choice(("*%s@2", "%s + 1", "%s - 1", "!%s", "%s == 0", "*%s", "%s[0]@3")) % self.whole(text)
        if plain.code == gdb.TYPE_CODE_ARRAY and not vector(plain):
            return rng.choice(("*%s@2", "%s[0]@2", "&%s[1]", "*%s", "%s + 1", "sizeof %s")) % self.whole(text)
        return text

    def question(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.5:
            return "print %s" % self.expression()
        if kind < 0.68:
            return "print/%s %s" % (rng.choice(FORMATS), self.expression())
        if kind < 0.76:
            return "whatis %s" % self.expression()
        if kind < 0.82:
            return "ptype %s" % self.part()[0]
        if kind < 0.92:
            return "x/%d%s%s &%s" % (rng.randint(1, 6), rng.choice(self.letters), rng.choice("bhwg"), self.whole(self.part()[0]))
        if kind < 0.96:
            return "print sizeof(%s)" % self.part()[0]
        text, type_ = self.part()
        if type_.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            return "x/%dxb %s" % (rng.randint(1, 8), text)
        return "print %s" % text


def variables_of(frame):
    """(name, type) of each that the frame sees, innermost first, then some of its file."""
    found, names = [], set()
    try:
        block = frame.block()
    except RuntimeError:
        return []
    while block:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.name not in names and symbol.name not in SKIPPED:
                names.add(symbol.name)
                if block.is_global or block.is_static:
                    if symbol.is_constant or not symbol.name.replace("_", "").isalnum():
                        continue
                if symbol.type and symbol.type.sizeof:
                    found.append((symbol.name, symbol.type))
        block = block.superblock
    return found


def match(ours, frames):
    """Pairs (level of ebb, frame of gdb)."""
    pairs, at = [], 0
    for level, function in ours:
        for here in range(at, len(frames)):
            name = frames[here].name() or ""
            if name.split("(")[0] == function.split("(")[0]:
                pairs.append((level, frames[here]))
                at = here + 1
                break
    return pairs


def frames_here(limit):
    found, frame = [], gdb.newest_frame()
    while frame and len(found) < limit:
        found.append(frame)
        if frame.name() == "main":
            break
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


def finish():
    """The value that the innermost function returns. gdb keeps it as its last value, and prints it
    where Python cannot read it."""
    gdb.newest_frame().select()
    ask("print 20271113")
    said = ask("finish")
    if said.startswith("error: "):
        return said
    value = ask("print $")
    return "void" if value.endswith(" = 20271113") else value


def spaced(register):
    return register if register.startswith("/") else " " + register


def locations(function):
    """Where a breakpoint on the function lies: address and line of each place."""
    try:
        made = gdb.Breakpoint(function)
        if made.pending:
            said = "error: no such function"
        else:
            said = " ".join(sorted("%#x %s:%d" % (at.address, at.source[0].split("/")[-1], at.source[1])
                                   if at.source else "%#x" % at.address for at in made.locations))
        made.delete()
        return said
    except (gdb.error, RuntimeError) as error:
        return "error: %s" % error


def about_places(functions):
    answers = []
    for function in functions:
        answers.append((0, "break %s" % function, locations(function)))
        for question in ("info line %s", "info symbol %s", "info address %s"):
            answers.append((0, question % function, ask(question % function)))
    return answers


def about_machine(rng, level, wide):
    """Registers, and memory in all formats."""
    answers = []
    for register in rng.sample(("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r12", "r15", "rip", "eflags"), 3):
        answers.append((level, "print $%s" % register, ask("print $%s" % register)))
    if not wide:
        return answers
    for register in rng.sample(REGISTERS, 2):
        answers.append((level, "print%s" % spaced(register), ask("print%s" % spaced(register))))
    for _ in range(2):
        question = "x/%d%s%s $sp" % (rng.randint(1, 5), rng.choice(WIDE), rng.choice("bhwg"))
        answers.append((level, question, ask(question)))
    return answers


def about_stop(number, stop, table):
    answers = []
    gdb.execute("ebb goto %s" % stop["moment"], to_string=True)
    if stop.get("places"):
        answers += about_places(table["functions"])
    if table["only"] == "places":
        return answers
    if table["only"] == "finish":
        return [(0, "finish", finish())] if stop.get("finish") else []
    answers.append((0, "backtrace", ask("backtrace")))
    for level, frame in match(stop["frames"], frames_here(40))[:table["frames"]]:
        rng = random.Random("%s %s %d %d" % (table["seed"], frame.name(), number, level))
        frame.select()
        if table["plain"]:
            answers += about_machine(rng, level, table["wide"])
            continue
        answers.append((level, "frame", ask("frame")))
        answers.append((level, "info locals", ask("info locals")))
        answers.append((level, "info args", ask("info args")))
        answers += about_machine(rng, level, table["wide"])
        maker = Maker(rng, variables_of(frame), table["language"], WIDE if table["wide"] else LETTERS)
        if not maker.variables:
            continue
        asked = set()
        for name, _ in maker.variables[:12]:
            asked.add("print %s" % name)
        while len(asked) < table["count"] + min(12, len(maker.variables)):
            asked.add(maker.question())
        for question in sorted(asked):
            answers.append((level, question, ask(question)))
    if stop.get("finish") and table["language"] not in ("go", "rust", "fortran"):
        answers.append((0, "finish", finish()))
    return answers


def main():
    for command in ("set pagination off", "set width 0", "set height 0", "set confirm off",
                    "set debuginfod enabled off", "set style enabled off", "set print asm-demangle on", "set print frame-arguments scalars", "set backtrace past-main on"):
        gdb.execute(command)
    with open(IN) as source:
        table = json.load(source)
    global LANGUAGE
    LANGUAGE = table["language"]
    DEADLY.update(table["deadly"])
    for number, stop in enumerate(table["stops"]):
        if number < table["first"]:
            continue
        try:
            found = about_stop(number, stop, table)
        except (gdb.error, RuntimeError) as error:
            found = [(0, "broken", str(error))]
        with open(OUT, "a") as out:
            out.write(json.dumps(found) + "\n")


main()
