"""Programs in which many things have the same name.

A program has several files and two libraries. Each file has variables, constants, types and
functions of a few names, at every place where C or C++ allows one: file scope, name spaces, classes
and their bases, functions, blocks. Each has a value of its own, so that the value tells which one
was found. One function of each file calls the next; in each of their frames all names mean something
else. `/*ASK f*/` marks the call in the function f, and `/*ASK a.c*/` the end of the file a.c: what is
written there is compiled in that scope.
"""
import random

NAMES = ["lock", "state", "count", "word", "buffer", "value"]
THREAD = "slot"  # thread-local wherever it is global


class Program:
    def __init__(self, seed, language):
        self.random = random.Random("%s %d" % (language, seed))
        self.language = language
        self.next_value = 1000
        self.files = {}       # name: text
        self.modules = {}     # of a file: "", "one", "two"
        self.functions = []   # of the chain: (expression of its address, file, name for questions)
        self.private = {}     # name: values that are private to a file
        self.shared = {}      # name: values that any file may refer to
        self.values = {}      # value: whole name
        self.where = {}       # value: file
        self.globals = {}     # (module, name): file
        self.kinds = {}       # (file, name): what the file has of the name
        self.tags = set()     # (file, name): `struct name`
        self.inner = set()    # (function, name): declared in a block of it

    def number(self, whole=None, file=None):
        self.next_value += 1
        if whole:
            self.values[self.next_value] = whole
            self.where[self.next_value] = file
        return self.next_value

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, *choices):
        """The first of a pair, by the weight that is the second."""
        at = self.random.random() * sum(c[1] for c in choices)
        for what, weight in choices:
            at -= weight
            if at < 0:
                return what
        return choices[-1][0]

    def has_not(self, file, name):
        """Could the file mean nothing by the name?"""
        if name.startswith("struct "):
            return (file, name[7:]) not in self.tags
        return self.kinds.get((file, name), "none") == "none" and name not in self.shared

    def some(self, most):
        return self.random.sample(NAMES, self.random.randint(0, most))


class InC(Program):
    FILES = [("main.c", ""), ("a.c", ""), ("b.c", ""), ("l1.c", "one"), ("l2.c", "one"), ("m1.c", "two")]

    def __init__(self, seed):
        super().__init__(seed, "c")
        for file, module in self.FILES:
            self.modules[file] = module
            self.choose(file, module)
        for file, module in self.FILES:
            self.files[file] = self.file_text(file, module)
        self.questions = self.ask()

    def choose(self, file, module):
        for name in NAMES + [THREAD]:
            kind = self.pick(("none", 30), ("static", 22), ("global", 16), ("constant", 8), ("typedef", 5),
                             ("function", 4), ("thread", 4), ("extern", 11))
            if name == THREAD:
                kind = self.pick(("none", 20), ("global", 40), ("static", 20), ("extern", 20))
            if kind == "global" and (module, name) in self.globals:
                kind = "extern"
            if kind == "global":
                self.globals[module, name] = file
            self.kinds[file, name] = kind

    def is_there(self, module, name):
        """Is there a variable that a file of the module can refer to?"""
        if (module, name) in self.globals:
            return True
        return any((m, name) in self.globals for m in (["one", "two"] if not module else []))

    def file_scope(self, file, module):
        out = []
        for name in NAMES + [THREAD]:
            kind = self.kinds[file, name]
            value = self.number(name)
            thread = "__thread " if name == THREAD else ""
            if kind == "extern" and not self.is_there(module, name):
                kind = "none"
            if kind == "static":
                out.append("static %sint %s __attribute__((used)) = %d;" % (thread, name, value))
                self.private.setdefault(name, set()).add(value)
            elif kind == "global":
                out.append("%sint %s = %d;" % (thread, name, value))
                self.shared.setdefault(name, set()).update((value, value + 1000000))
                self.values[value + 1000000] = name
            elif kind == "constant":
                out.append("enum { %s = %d } of_%s;" % (name, value, name))
                self.private.setdefault(name, set()).add(value)
            elif kind == "typedef":
                out.append("typedef struct { char c[%d]; } %s; %s of_%s;" % (value, name, name, name))
            elif kind == "function":
                out.append("__attribute__((used)) static int %s(void) { return %d; }" % (name, value))
            elif kind == "thread":
                out.append("static __thread int %s __attribute__((used)) = %d;" % (name, value))
                self.private.setdefault(name, set()).add(value)
            elif kind == "extern":
                out.append("extern %sint %s;" % (thread, name))
            if kind == "extern":
                out.append("void *use_%s_%s(void) { return (void *)&%s; }" % (file[:-2], name, name))
            if kind != "constant" and self.chance(15):
                self.tags.add((file, name))
                out.append("struct %s { char d[%d]; }; struct %s tag_%s;" % (name, self.number(name), name, name))
            self.kinds[file, name] = kind
        return [line.replace(" of_", " of_%s_" % file[:-2]).replace(" tag_", " tag_%s_" % file[:-2]) for line in out]

    def declarations(self, names, file, module):
        """Of a block."""
        out = []
        for name in names:
            kind = self.pick(("local", 50), ("static", 25), ("constant", 10), ("typedef", 7), ("extern", 8))
            if kind == "extern" and self.kinds[file, name] not in ("static", "global", "extern", "none"):
                kind = "local"
            if kind == "extern" and (not self.is_there(module, name) or self.kinds[file, name] == "static"):
                kind = "local"
            value = self.number(name)
            if kind == "local":
                out.append("int %s = %d; (void)%s;" % (name, value, name))
            elif kind == "static":
                out.append("static int %s = %d; %s += 0;" % (name, value, name))
            elif kind == "constant":
                out.append("enum { %s = %d } e_%s = %s; (void)e_%s;" % (name, value, name, name, name))
            elif kind == "typedef":
                out.append("typedef struct { char c[%d]; } %s; %s t_%s; (void)&t_%s;" %
                           (value, name, name, name, name))
            else:
                out.append("extern int %s; (void)*(volatile int *)&%s;" % (name, name))
        return out

    def file_text(self, file, module):
        base = file[:-2]
        scope = self.file_scope(file, module)
        parameters = self.random.sample(NAMES, 2)
        rest = [name for name in NAMES if name not in parameters]
        outer = self.declarations(self.random.sample(rest, self.random.randint(0, 2)), file, module)
        names = self.some(2)
        self.inner.update(("fn_" + base, name) for name in names)
        inner = self.declarations(names, file, module)
        change = ["    %s += 1000000;" % name for name in NAMES + [THREAD] if self.kinds[file, name] == "global"]
        # Where a library has thread-local variables is known by the relocations of their uses.
        change += ["    %s += 0;" % name for name in NAMES + [THREAD]
                   if self.kinds[file, name] == "thread" or (name, self.kinds[file, name]) == (THREAD, "static")]
        through = file == "b.c"
        call = "next->call(next + 1, %d, %d);" % (self.number(), self.number())
        if through:
            call = "tramp_next = next; bsearch(next, next, 1, 1, tramp);"
        self.functions.append(("fn_" + base, file))
        lines = ['#include "chain.h"'] + scope
        if through:
            lines += ["static struct step *tramp_next;",
                      "static int tramp(const void *one, const void *other) {",
                      "    (void)one, (void)other;", "    /*ASK tramp*/",
                      "    tramp_next->call(tramp_next + 1, %d, %d);" % (self.number(), self.number()),
                      "    return 0;", "}"]
        lines += ["void change_%s(void) {" % base] + change + ["}"]
        lines += ["void fn_%s(struct step *next, int %s, int %s) {" % (base, parameters[0], parameters[1])]
        lines += ["    " + line for line in outer] + ["    {"] + ["        " + line for line in inner]
        lines += ["        /*ASK fn_%s*/" % base, "        " + call, "    }", "}", "/*ASK %s*/" % file]
        return "\n".join(lines) + "\n"

    def ask(self):
        names = NAMES + [THREAD]
        questions = list(names) + ["sizeof(%s)" % name for name in NAMES] + \
            ["sizeof(struct %s)" % name for name in NAMES]
        for file, _ in self.FILES:
            questions += ["'%s'::%s" % (file, name) for name in names]
            questions += ["fn_%s::%s" % (file[:-2], name) for name in NAMES]
        return questions


class InCplusplus(Program):
    FILES = [("main.cc", ""), ("a.cc", ""), ("l1.cc", "one"), ("m1.cc", "two")]
    SPACES = ["", "Red", "Blue", "Red::Deep", "Red::Deep::Down"]

    def __init__(self, seed):
        super().__init__(seed, "c++")
        self.aliases = {}  # each has a name of its own, since gdb sees them everywhere; what it stands for
        self.choose()
        for file, module in self.FILES:
            self.modules[file] = module
            self.files[file] = self.file_text(file, module)
        self.questions = self.ask()

    def choose(self):
        """What any file may refer to. All of it is declared in one header, as is usual; the module of one
        or two files defines it."""
        self.extern = {}
        for space in self.SPACES:
            for name in NAMES:
                if self.chance(22):
                    whole = "%s::%s" % (space, name) if space else name
                    self.extern[whole] = [file for file, _ in self.random.sample(self.FILES, 2)]
                    modules = [self.FILES[[f for f, _ in self.FILES].index(f)][1] for f in self.extern[whole]]
                    if modules[0] == modules[1] or self.chance(50):
                        self.extern[whole].pop()
        lines = []
        for whole in self.extern:
            parts = whole.split("::")
            lines.append("".join("namespace %s { " % p for p in parts[:-1]) + "extern int %s;" % parts[-1] +
                         " }" * (len(parts) - 1))
        self.header = "\n".join(lines + ["namespace Red { namespace Deep { namespace Down { } } }", "namespace Blue { }"])

    def variables(self, file, module, space):
        """Declarations of a space; at most one of each name."""
        out, have, short = [], set(), file.split(".")[0]
        for name in NAMES:
            whole = "%s::%s" % (space, name) if space else name
            kind = self.pick(("none", 55), ("static", 18), ("constant", 10), ("anonymous", 8), ("thread", 5),
                             ("inline", 4 if space else 0))
            if whole in self.extern:
                have.add(name)
                kind = "global" if file in self.extern[whole] else "none"
            value = self.number(whole, file)
            if kind == "none":
                continue
            have.add(name)
            if kind == "static":
                out.append("static int %s __attribute__((used)) = %d;" % (name, value))
            elif kind == "global":
                out.append("int %s = %d; void touch_%s_%s() { %s += 0; }" % (name, value, short, name, name))
            elif kind == "constant":
                out.append("enum E_%s_%s { %s = %d }; static E_%s_%s of_%s_%s __attribute__((used)) = %s;" %
                           (short, name, name, value, short, name, short, name, name))
            elif kind == "anonymous":
                out.append("namespace { int %s __attribute__((used)) = %d; }" % (name, value))
            elif kind == "inline":
                out.append("inline namespace In_%s { static int %s __attribute__((used)) = %d; }" %
                           (short, name, value))
            else:
                out.append("static thread_local int %s __attribute__((used)) = %d; void touch_%s_%s() { %s += 0; }" %
                           (name, value, short, name, name))
        return out, have

    def classes(self, file, space):
        """A class with a base and a base of that; what they have is known by their names."""
        tag = file.split(".")[0].upper()
        spaced = space + "::" if space else ""
        out, members = [], {}
        for level, base in (("Root", ""), ("Mid", "Root"), ("Leaf", "Mid")):
            name = tag + level
            lines = ["struct %s%s {" % (name, " : " + tag + base if base else "")]
            after = []
            for member in self.some(3):
                kind = self.pick(("plain", 50), ("static", 30), ("constant", 20))
                value = self.number("%s%s::%s" % (spaced, name, member), file)
                if kind == "plain":
                    lines.append("    int %s = %d;" % (member, value))
                elif kind == "static":
                    lines.append("    static int %s;" % member)
                    after.append("int %s::%s = %d;" % (name, member, value))
                else:
                    lines.append("    enum Q%s { %s = %d }; Q%s q%s = %s;" %
                                 (member, member, value, member, member, member))
                members[member] = kind
            if level == "Leaf":
                lines.append("    void call(struct step *next, int one, int two);")
                lines.append("    static void direct(struct step *next, int one, int two);")
            lines.append("    int own_%s = %d;" % (name, self.number()))
            out += lines + ["};"] + after
        return out, tag + "Leaf"

    def imports(self, spaces, taken):
        """`using` and aliases, of what there is so far."""
        out = []
        known = [(space, name) for space in spaces for name in sorted(self.have.get(space, ()))
                 if taken is not None and name not in taken]
        if known and self.chance(50):
            space, name = self.random.choice(known)
            out.append("using ::%s::%s;" % (space, name))
            taken.add(name)
        for space in spaces:
            if self.chance(25):
                out.append("using namespace ::%s;" % space)
        if spaces and self.chance(40):
            space = self.random.choice(spaces)
            alias = "Al%d" % len(self.aliases)
            self.aliases[alias] = space
            out.append("namespace %s = ::%s;" % (alias, space))
        return out

    def locals(self, names):
        out = []
        for name in names:
            kind = self.pick(("local", 55), ("static", 25), ("constant", 20))
            value = self.number(name)
            if kind == "local":
                out.append("int %s = %d; (void)%s;" % (name, value, name))
            elif kind == "static":
                out.append("static int %s = %d; %s += 0;" % (name, value, name))
            else:
                out.append("enum L%s { %s = %d }; L%s l_%s = %s; (void)l_%s;" %
                           (name, name, value, name, name, name, name))
        return out

    def body(self, function, spaces, parameters):
        first, second = [name for name in self.some(1) if name not in parameters], self.some(2)
        self.inner.update((function, name) for name in second)
        lines = ["    " + line for line in self.locals(first)]
        if self.chance(40):
            lines += ["    " + line for line in self.imports(spaces, set(first) | set(parameters))]
        lines.append("    {")
        if self.chance(30):
            lines += ["        " + line for line in self.imports(spaces, set(second))]
        lines += ["        " + line for line in self.locals(second)]
        lines += ["        /*ASK %s*/" % function,
                  "        next->call(next + 1, %d, %d);" % (self.number(), self.number()), "    }"]
        return lines

    def file_text(self, file, module):
        short = file.split(".")[0]
        lines = ['#include "chain.h"']
        spaces, self.have = [], {}
        home = self.random.choice(self.SPACES)
        for space in self.SPACES:
            parts = space.split("::") if space else []
            variables, have = self.variables(file, module, space)
            self.have[space] = set(have)
            inside = list(variables)
            if space and self.chance(25):
                inside += self.imports([s for s in spaces if not s.startswith(space)], have)
            lines += ["namespace %s {" % part for part in parts] + inside
            if space == home:
                classes, leaf = self.classes(file, space)
                lines += classes
            lines += ["}"] * len(parts)
            if space:
                spaces.append(space)
        if self.chance(60):
            lines += self.imports(spaces, self.have[""])
        prefix = home + "::" if home else ""
        opened = ["namespace %s {" % part for part in home.split("::") if part]
        closed = ["}"] * len(opened)
        lines += opened
        parameters = self.random.sample(NAMES, 2)
        heading = "(struct step *next, int %s, int %s) {" % tuple(parameters)
        kinds = self.random.sample(["free", "method", "direct", "template"], 2)
        for kind in kinds:
            names = {"free": "fn_%s" % short, "method": "%s::call" % leaf, "direct": "%s::direct" % leaf,
                     "template": "tm_%s" % short}
            name = names[kind]
            if kind == "template":
                lines.append("template <class T>")
            lines += ["%svoid %s%s" % ("static " if kind == "template" else "", name, heading)]
            lines += self.body(name, spaces, parameters) + ["}"]
            if kind == "method":
                lines += ["static void me_%s(struct step *next, int one, int two) { %s o; /*ASK me_%s*/ o.call(next, one, two); }" %
                          (short, leaf, short)]
                name = "me_%s" % short
            self.functions.append((prefix + name, file))
        lines += closed
        lines += ['extern "C" step_call %s_%d() { return %s; }' %
                  (short, n, {"free": prefix + "fn_" + short, "method": prefix + "me_" + short,
                              "direct": prefix + leaf + "::direct",
                              "template": prefix + "tm_%s<int>" % short}[kind])
                  for n, kind in enumerate(kinds)]
        lines.append("/*ASK %s*/" % file)
        return "\n".join(lines) + "\n"

    def ask(self):
        questions = []
        for name in self.random.sample(NAMES, 4):
            questions += [name, "::" + name]
            for space in self.SPACES[1:] + ["Deep", "Deep::Down"] + list(self.aliases):
                questions.append("%s::%s" % (space, name))
            for file, _ in self.FILES:
                tag = file.split(".")[0].upper()
                for level in ("Root", "Mid", "Leaf"):
                    questions.append("%s%s::%s" % (tag, level, name))
                questions.append("'%s'::%s" % (file, name))
                questions.append("fn_%s::%s" % (file.split(".")[0], name))
            questions += ["this->%s" % name]
        return questions


HEADER = """#include <stdio.h>
#include <stdlib.h>
struct step { void (*call)(struct step *, int, int); };
typedef void (*step_call)(struct step *, int, int);
"""

STOP = """#include "chain.h"
#ifdef __cplusplus
extern "C"
#endif
void ask_truth(void) __attribute__((weak));
void stop_here(struct step *next, int one, int two)
{
    (void)next, (void)one, (void)two;
    puts("stop");
    if (ask_truth)
        ask_truth();
}
"""


def start_of_c(program):
    order = [name for name, _ in program.functions]
    program.random.shuffle(order)
    files = [file[:-2] for file, _ in program.FILES]
    lines = ['#include "chain.h"', "void stop_here(struct step *, int, int);"]
    lines += ["void %s(struct step *, int, int);" % name for name in order]
    lines += ["void change_%s(void);" % file for file in files]
    lines += ["int main(void) {", "    struct step chain[] = {%s, {stop_here}};" %
              ", ".join("{%s}" % name for name in order)]
    lines += ["    change_%s();" % file for file in files]
    lines += ["    chain[0].call(chain + 1, 1, 2);", "    return 0;", "}"]
    return "\n".join(lines) + "\n"


def start_of_cplusplus(program):
    order = ["%s_%d" % (file.split(".")[0], n) for file, _ in program.FILES for n in range(2)]
    program.random.shuffle(order)
    lines = ['#include "chain.h"', "void stop_here(struct step *, int, int);"]
    lines += ['extern "C" step_call %s();' % name for name in order]
    lines += ["int main() {", "    struct step chain[] = {%s, {stop_here}};" %
              ", ".join("{%s()}" % name for name in order)]
    lines += ["    chain[0].call(chain + 1, 1, 2);", "    return 0;", "}"]
    return "\n".join(lines) + "\n"


def program(seed, language):
    made = InC(seed) if language == "c" else InCplusplus(seed)
    end = ".c" if language == "c" else ".cc"
    made.files["chain.h"] = HEADER + getattr(made, "header", "") + "\n"
    made.files["stop" + end] = STOP
    made.files["start" + end] = start_of_c(made) if language == "c" else start_of_cplusplus(made)
    made.modules["stop" + end] = made.modules["start" + end] = ""
    return made
