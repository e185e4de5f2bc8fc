"""What counts as the same answer.

A rule takes gdb's text to ebb's words, or says why a difference is right.  No rule may let another
value pass.
"""
import functools
import re
import subprocess


def words(text):
    """gdb's words as ebb's."""
    text = re.sub(r"^(\$\d+|type) = ", "", text)
    text = re.sub(r"<optimized out>", "<optimised out>", text)
    text = re.sub(r"\{<optimised out>(, <optimised out>)*\}", "<optimised out>", text)  # an array of which nothing is known
    before = None
    while before != text:  # bytes that are no UTF-8: gdb tells them from others at the end of a text
        before = text
        text = re.sub(r'", <incomplete sequence ((\\\d+)+)>', r'\1"', text)
        text = re.sub(r'([=,{(] ?)<incomplete sequence ((\\\d+)+)>', r'\1"\2"', text)
    return re.sub(r"<error: Cannot access memory at address (0x[0-9a-f]+)>", r"<there is no memory at \1>", text)


def unreadable(text):
    """A reference that was never written: gdb's words, and ebb's, which have its address, too."""
    text = re.sub(r"@0x[0-9a-f]+: (?=<there is no memory)", "", text)
    return re.sub(r"<error reading variable: Cannot access memory at address (0x[0-9a-f]+)>",
                  r"<there is no memory at \1>", text)


def cpp_words(gdb, ours):
    """Makes both answers use the same words: ebb leaves out default arguments of templates, and
    shows what a member refers to."""
    gdb, ours = [re.sub(r"(= @0x[0-9a-f]+): (<[^<>]*>|[^,{}\n]+)", r"\1", text) for text in (gdb, ours)]
    # A base that is not made yet: gdb shows it once, ebb in each class that has it.
    gdb, ours = [re.sub(r"<[\w:]+> = <(invalid address|there is no memory at 0x[0-9a-f]+)>, ", "", text) for text in (gdb, ours)]
    before = None
    while before != gdb:
        before = gdb
        gdb = re.sub(r", std::(allocator|char_traits|less|hash|equal_to|default_delete)<[^<>]*(<[^<>]*>)? ?>", "", gdb)
    gdb = re.sub(r" +>", ">", gdb).replace("std::__cxx11::basic_string<char>", "std::string")
    gdb = gdb.replace("std::string const", "const std::string")
    ours = ours.replace("std::string const", "const std::string")
    return gdb, re.sub(r" +>", ">", ours)


def members(text):
    """The data of a class, without methods, labels and blank lines."""
    lines = [line for line in text.split("\n") if line.strip() and "(" not in line.replace("(*", "") and
             not re.match(r" *(public|private|protected):$| *(typedef|using) ", line)]
    return "\n".join(re.sub(r"\b(public|private|protected|virtual) ", "", line) for line in lines)


def frames(text):
    """The frames of a backtrace: function, arguments, file and line of each."""
    found = []
    for line in text.split("\n"):
        match = re.match(r"#\d+ +(?:0x[0-9a-f]+ in )?(.*)$", line)
        if match:
            found.append(match.group(1))
            if re.match(r"main \(", match.group(1)):
                break
    return found


def one_frame(text):
    """Removes from a frame what only ebb prints, and keeps the file's name only. `_start` has no
    arguments in ebb."""
    text = re.sub(r" from \S+$", "", re.sub(r" \((inlined|tail call)\)$", "", unreadable(text)))
    text = re.sub(r"=Python Exception .*", "=...", text)  # of a text that is in registers in part
    text = re.sub(r"\[abi:\w+\](\([^()]*\))?(?= \()", "", text)
    text = re.sub(r"(\w=)@0x[0-9a-f]+: ", r"\1", text)  # references: their values are compared
    text = re.sub(r"( thunk to .*)\(\) \(\)", r"\1 ()", text)
    text = re.sub(r" at \S*/([^/]+:\d+)$", r" at \1", words(text))
    return cpp_words(text, "")[0]


@functools.lru_cache(None)
def symbols(path):
    """Where the symbols of a file are, by their names."""
    found = {}
    for option in ("-a", "-D"):
        done = subprocess.run(["nm", option, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        for line in done.stdout.decode("utf-8", "replace").split("\n"):
            parts = line.split()
            if len(parts) == 3:
                found[parts[2].split("@")[0]] = parts[0]
    return found


def aliases(gdb, ours):
    """Two symbols of one place, in code without debug information."""
    where = re.search(r" \(\) from (\S+)", ours)
    if not where or not re.search(r" \(\)( from \S+)?$", gdb):
        return False
    known = symbols(where.group(1))
    a, b = gdb.split(" ")[0], ours.split(" ")[0]
    return a in known and known[a] == known.get(b)


def same_frame(gdb, ours):
    """gdb does not tell whether a struct is known where it writes ..., `info args` does."""
    if aliases(gdb, ours):
        return True
    if re.search(r"\) from \S+( \(inlined\))?$", ours):
        gdb = re.sub(r" at \S+:\d+$", "", gdb)  # code of line 0, for which gdb shows the line before it
    gdb, ours = one_frame(gdb), one_frame(ours)
    if gdb == ours:
        return True
    a, b = re.split(r"(?<=[,(]) ?(?=\w+=)", gdb), re.split(r"(?<=[,(]) ?(?=\w+=)", ours)
    known = [x for x, y in zip(a, b) if x == y or re.sub(r"=\.\.\.", "=<optimised out>", x) == y or
             re.sub(r"^(\w+)=\1@entry=", r"\1=", x) == y]
    return len(a) == len(b) == len(known)


def clobbered(question, gdb, ours):
    """Variables of outer frames, of which ebb says that they are not known.  clang has them in registers that a
    call need not preserve, and gdb shows what inner frames have made of them."""
    if question in ("backtrace", "frame"):
        a, b = frames(gdb), frames(ours)
        without = [[re.sub(r"\w+=[^,()]*(, \w+@entry=[^,()]*)?(?=[,)])", "", one_frame(f)) for f in side] for side in (a, b)]
        inner = question == "frame" or a and b and same_frame(a[0], b[0])
        return inner and "<optimised out>" in ours and without[0] == without[1]
    if question in ("info args", "info locals"):
        return all(x == y or y[1] == "<optimised out>" for x, y in zip(named(words(gdb)), named(ours)))
    return "optimised out" in ours


def named(text):
    """What `info locals` says: a list of names and values."""
    found = []
    for line in text.split("\n"):
        match = re.match(r"([\w:~$]+) = (.*?)(?: \(hidden by an inner one\))?$", line)
        if match:
            found.append([match.group(1), match.group(2)])
        elif found:
            found[-1][1] += "\n" + line
    return found


def symbols_aside(text):
    """Addresses without those symbols that are the linker's or a library's own: several begin there, and gdb makes
    up some of its own, as for entries of the GOT."""
    return re.sub(r"\b(0x[0-9a-f]+) <_\w*(@[\w.]+)*(\+\d+)?>", r"\1", text)


def same_locals(gdb, ours):
    """gdb lists the constants of an enum that is declared in the function, which are no variables.
    gdb leaves out variables that are constants throughout; `print` asks about these, too.  It has them in another
    order if a function was inlined.  It lists those
    that have no place here twice for a function that was inlined, and those of blocks without code."""
    left = named(ours)
    for name, value in named(words(gdb)):
        if name == value or value == "<optimised out>" and [name, value] not in left:
            continue
        at = [n for n, mine in enumerate(left) if mine[0] == name and symbols_aside(mine[1]) == symbols_aside(value)]
        if at:
            del left[at[0]]
            continue
        if re.search(r"which is more than max-value-size|<error reading|Python Exception|length -\d|length \d{8}", value):
            continue  # an array or a container that is not made yet
        if [name, value] not in left:
            return False
        left.remove([name, value])
    return True


EMPTY = (("No locals.", "There are no locals."), ("No arguments.", "There are no arguments."))

# (when it applies: question, gdb's text, ebb's text; the reason why ebb's answer is right)
RULES = [
    (lambda q, g, e: re.match(r"print(/\w)? \$([re]?(ax|cx|dx|si|di)|[acd][lh]|[sd]il|r(8|9|10|11)[dwl]?|[xy]mm\d+\S*|st\d)$", q) and
     e == "<optimised out>",
     "a call need not preserve these registers: gdb shows in outer frames what the inner ones have made of them"),
    (lambda q, g, e: re.match(r"whatis sizeof", q) and (g, e) == ("int", "unsigned long"),
     "sizeof is a size_t, for elements of arrays too"),
    (lambda q, g, e: re.match(r"(whatis|ptype) ([-~]|\S+ (<<|>>))", q) and g in ("volatile " + e, "const " + e),
     "an operator makes a value, which is not volatile"),
    (lambda q, g, e: re.search(r"<\w+\[\w+\]>", g) and re.sub(r"<(\w+)\[(\w+)\]>", r"<\1.\2>", g) == e,
     "gdb takes the linker's name of a static local for a mangled one"),
    (lambda q, g, e: re.match(r"print/z .* [&|^] ", q) and int(g, 16) == int(e, 16) < 2,
     "an operator makes an integer of a boolean"),
    (lambda q, g, e: re.search(r"Python Exception|<error reading variable: |of length (-|\d{8})", g) and
     ("_M_" in e or "<there is no memory at" in e),
     "a container or a text that is not made yet: ebb shows its members, or where there is no memory"),
    (lambda q, g, e: re.search(r"<\w+\.\d+(\+\d+)?>", e) and re.sub(r"<(\w+)\.\d+((\+\d+)?>)", r"<\1\2", e) == g,
     "the linker's name of a static local; gdb leaves out its number"),
    (lambda q, g, e: re.search(r"<\w+\.\d+(\+\d+)?>", g) and re.sub(r"<(\w+)\.\d+((\+\d+)?>)", r"<\1\2", g) == e,
     "the same, where it is gdb that shows the number"),
    (lambda q, g, e: q.startswith("print") and symbols_aside(g) == symbols_aside(e),
     "symbols of the linker and of libraries"),
    (lambda q, g, e: re.match(r"print &\(\*", q) and re.sub(r" (__)?restrict(__)?(?=\))", "", g) == e,
     "the address of what a pointer points to is no variable, and has no qualifiers of its own"),
    (lambda q, g, e: "= <synthetic pointer>" in g and g.replace("<synthetic pointer>", "<optimised out>") == e,
     "a part of a struct that is optimised away"),
    (lambda q, g, e: re.match(r"print &", q) and re.sub(r"^\(std::\S+::pointer\)", "(int *)", g.replace(", std::allocator<int> >", ">")) == e,
     "the typedef is of the pointer, not of its address"),
    (lambda q, g, e: re.search(r" <error reading variable: Cannot access memory at address (0x[0-9a-f]+)>$", g) and
     re.sub(r"@(0x[0-9a-f]+): <there is no memory at \1>$", r"<error reading variable: Cannot access memory at address \1>", e) == g,
     "of a reference to nothing"),
    (lambda q, g, e: re.match(r"print(/\w)? \(geo::Diamond\)d", q) and "VBase" not in g and
     re.sub(r"<geo::VBase> = \{[^{}]*\}, ", "", e) == g,
     "gdb copies the object, and does not find its base then"),
    (lambda q, g, e: re.search(r" [&|^] ", q) and (g, e) in (("true", "1"), ("false", "0"), ("bool", "int"), ("_Bool", "int")),
     "an operator makes an integer of a boolean"),
    (lambda q, g, e: re.match(r"(whatis|ptype) ([-~]|\S+ (<<|>>))", q) and re.match(r"enum |geo::", g) and e in ("int", "unsigned int"),
     "an operator makes an integer of an enumerator"),
    (lambda q, g, e: re.match(r"print(/\w)? ([-~]|\S+ (<<|>>))", q) and re.match(r"\(?(\w+::)?([A-Z]\w*|unknown)", g) and re.match(r"-?[0-9]+$", e),
     "an operator makes an integer of an enumerator"),
    (lambda q, g, e: re.match(r"print(/\w)? -", q) and g == "0" and re.match(r"-0|10{63}|0?x?[18]0{7,20}", e),
     "the sign of a floating-point zero changes, too"),
    (lambda q, g, e: re.match(r"print/f ", q) and re.match(r"[\d.]+e-49\d\d$", g),
     "gdb takes integers of 16 bytes for long doubles"),
    (lambda q, g, e: q.startswith("print $r") and re.sub(r" <.*>", "", g) == re.sub(r" <.*>", "", e),
     "several symbols begin there"),
    (lambda q, g, e: re.search(r"<[^<>]*-\d+>", g) and re.sub(r" <.*>", "", g) == re.sub(r" <.*>", "", e),
     "the cold part of a function: gdb counts back from the function, ebb from where the part begins"),
    (lambda q, g, e: re.match(r"x/\d+a", q) and re.sub(r" <[^\t\n]*>", "", g) == re.sub(r" <[^\t\n]*>", "", e),
     "several symbols begin there, or the symbol is one of the linker's own"),
    (lambda q, g, e: re.search(r"<_\w+(\+\d+)?>", g) and re.sub(r"<_\w+", "<", g) == re.sub(r"<_\w+", "<", e),
     "several symbols of a library begin there"),
    (lambda q, g, e: g.endswith("...") and e.startswith(g[:-3]),
     "gdb counts repeated elements that it does not print, and leaves out what follows"),
    (lambda q, g, e: re.match(r"print/f ", q) and re.match(r"\S+ \+ \S+i$", e),
     "gdb takes the bytes of a complex number for one"),
    (lambda q, g, e: re.match(r"print/f ", q) and
     re.sub(r"\{a = [^{}]*?\}", "", g) == re.sub(r"\{a = [^{}]*?\}", "", e) and re.search(r"e-4\d|nan", g),
     "gdb takes a bit-field for a floating-point number of the size of its type"),
    (lambda q, g, e: re.match(r"print/[xduotz] ", q) and re.match(r"\S+ \+ \S+i$", e) and re.match(r"[0-9a-fx-]+$", g),
     "gdb takes the bytes of a complex number for one integer"),
    (lambda q, g, e: "__int128" in g and re.sub(r"__int128 unsigned|unsigned int __int128", "unsigned __int128", g) == e,
     "C spells it with unsigned first, as for the other integers"),
    (lambda q, g, e: re.match(r"print/\w ", q) and e == "<synthetic pointer>",
     "there is no pointer that has a value"),
    (lambda q, g, e: re.match(r"(whatis|ptype) .* \? ", q),
     "C converts both sides of a conditional expression to one type, gdb does not"),
    (lambda q, g, e: re.match(r"print/f ", q) and "sizeof" in q or re.match(r"print/z ", q) and "sizeof" in q,
     "gdb has sizeof as an int in some places"),
]

def rust_words(text):
    """Registers in ebb's form: arrays in braces, as in C, and pointers to functions with Rust's own
    name."""
    text = re.sub(r"^\(\*mut fn \(\)\)", "(fn())", text)
    return re.sub(r"^\[(.*)\]$", r"{\1}", text, flags=re.S)


def rvalue_address(gdb, ours):
    """An rvalue reference in a format."""
    match = re.match(r"\(\S.* &&\) @(0x[0-9a-f]+): ", ours)
    digits = re.sub(r"^0[xt]?|[lL]$", "", gdb)
    return bool(match) and any(re.fullmatch(r"[0-9a-f]+", digits) and plain(digits) == int(match.group(1), 16)
                               for plain in (lambda d: int(d, 16), lambda d: int(d) if d.isdigit() else 0,
                                             lambda d: int(d, 8) if re.fullmatch("[0-7]+", d) else 0,
                                             lambda d: int(d, 2) if re.fullmatch("[01]+", d) else 0))


RULES += [
    (lambda q, g, e: re.match(r"print/a ", q) and (g, e) == ("0x7fffffffffffffff", "0x8000000000000000"),
     "a floating-point number that fits no integer: ebb converts it as the processor does"),
    (lambda q, g, e: re.match(r"print/\w ", q) and rvalue_address(g, e),
     "gdb shows the address of what an rvalue reference refers to, ebb what is there, as for other references"),
    (lambda q, g, e: q.startswith("print") and "$" in q and rust_words(g) == e, "registers in a frame of Rust"),
]

# gdb has no answer: (question, gdb's error), and why ebb may have one.
UNKNOWN_TO_GDB = [
    (r"", r"That operation is not available on integers of more than 8 bytes",
     "gdb 13 does not compute with integers of 16 bytes"),
    (r"print/[ac] ", r"Value can't be converted to integer", "ebb shows the parts of complex numbers"),
    (r"whatis|ptype", r"value has been optimized out", "a type is known without the value"),
    (r"", r"Invalid operation on booleans", "C computes with booleans as with integers"),
    (r".* (\?|\|\||&&) ", r"No symbol", "ebb looks only at the side that counts"),
    (r"print sizeof", r"value has been optimized out", "a size is known without the value"),
    (r"info symbol", r"non-unique member `\w+' requires type instantiation", "gdb asks which of several; ebb takes the first"),
    (r"", r"Cannot access memory at address 0x(ffffffffffffffe8|10)$",
     "gdb follows the table of an object that is not made yet, though that is not needed"),
    (r"", r"Cannot access memory at address 0x0$", "of an object in registers, gdb does not find the virtual base"),
    (r"", r"Request for member '\w+' is ambiguous", "ebb takes the first of the bases"),
    (r"", r"virtual baseclass botch", "of an object that is not made yet, ebb has what does not need its bases"),
    (r"", r"Dwarf Error: Cannot find DIE at", "gdb 13 does not follow the reference, in split debug information"),
    (r"info symbol ", r"Attempt to use a type name as an expression", "Rust has a scope of the function's name, too"),
    (r"", r"gdb dies of it", "an internal error of gdb"),
    (r"", r"Invalid floating value found in program", "bytes that were never written; ebb takes them as the processor does"),
    (r"info symbol", r"Cannot reference virtual member function", "gdb asks for an object to call it for"),
]

# ebb refuses: (question, gdb's answer, ebb's error), and why.
REFUSED = [
    (r"info (symbol|address) (\w+::)*(\w+)::~?\3$", r"", r"", "C++ has no address of a constructor; `break` takes its name"),
    (r"", r"", r"a bit-field has no address", "so it is in C"),
    (r"^(print|whatis|ptype|x/).*&", r"", r"is not in memory, so it has no address", "so it is; gdb tells the type nevertheless"),
    (r"", r"^<optimised out>$", r"optimised out", "in an expression that is an error"),
    (r"info locals", r"std::|__default_lock_policy", r"this frame has no debug information",
     "gdb shows the globals of the file where code has no function, a thunk for one"),
    (r"info ", r"No symbol table info available", r"this frame has no debug information", "in other words"),
    (r"", r"", r"a (struct|union|class) is not a number", "C has no cast from a struct to a number; gdb reads its first bytes"),
]


class Program:
    """What binutils say about a program: the starts of its functions and inlined instances, and its
    lines."""

    def __init__(self, path, bias):
        self.path, self.bias = path, bias
        self.functions = {int(at, 16) for at in symbols(path).values()}

    def dump(self, *options):
        done = subprocess.run(["readelf", "-W", *options, self.path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
        return done.stdout.decode("utf-8", "replace").split("\n")

    @functools.cached_property
    def inlined(self):
        """Where inlined instances are entered, and the lines of the calls that they replace."""
        entries, calls, inside = set(), set(), False
        for line in self.dump("--debug-dump=info", "--debug-dump=follow-links"):
            if "Abbrev Number:" in line:
                inside = "(DW_TAG_inlined_subroutine)" in line
            elif inside and "DW_AT_entry_pc" in line:
                entries.add(int(line.split()[-1], 16))
            elif inside and "DW_AT_call_line" in line:
                calls.add(int(line.split()[-1], 0))
        return entries, calls

    @functools.cached_property
    def rows(self):
        """The line table, by address: the file's name and the line of each row."""
        found = {}
        for line in self.dump("--debug-dump=decodedline"):
            match = re.match(r"(\S+) +(\d+|-) +(0x[0-9a-f]+)", line)
            if match:
                found.setdefault(int(match.group(3), 16), []).append((match.group(1), match.group(2)))
        return found

    def says_line(self, pc, path, line):
        """readelf shortens names of files in front."""
        return any(str(line) == row[1] and path.endswith(row[0].split("/")[-1][-20:])
                   for row in self.rows.get(pc - self.bias, []))


def known_place(pc, program, clang):
    """Places that ebb has and gdb has not.  Where an inlined function is entered: gdb has the lowest address of its
    code.  The entry of a function that clang has optimised, where all its parameters are known: gdb goes on to the
    second line, which may lie in a branch."""
    at = pc - program.bias
    return at in program.inlined[0] or clang and at in program.functions


def same_places(gdb, ours, options):
    """The locations of a breakpoint.  gdb also finds functions of libraries that have the name of one of the
    program's, and for code of clang it looks for the line once more, and finds each part that was moved."""
    clang, program = bool(options.get("clobbered")), options["program"]
    mine = {(int(at["pc"], 16), (at.get("file") or "").split("/")[-1], at.get("line") or 0) for at in ours["locations"]}
    theirs = {(int(pc, 16), place.split(":")[0], int(place.split(":")[1]) if place else 0)
              for pc, place in re.findall(r"(0x[0-9a-f]+)(?: (\S+:\d+))?", gdb)}
    own, others = mine - theirs, theirs - mine
    files = {path for _, path, _ in mine}
    for pc, path, line in own:
        if [at for at in others if at[0] == pc] and line in program.inlined[1]:
            continue  # where a function is inlined that calls an inlined one first: the line of that call
        if not known_place(pc, program, clang):
            return False
        if not program.says_line(pc, path, line) and line not in program.inlined[1]:
            return False
    return clang or len([at for at in others if at[1] in files]) <= len(own)


def same_lines(gdb, ours, options):
    """`info line`: gdb ends a line with its row of the table, ebb where another line begins."""
    def read(text):
        found = re.findall(r'Line (\d+) of "([^"]*)" (?:starts at address|is at address) (0x[0-9a-f]+)', text)
        return {(int(start, 16), path.split("/")[-1], int(line)) for line, path, start in found}
    theirs, mine = read(gdb), read(ours)
    clang, program = bool(options.get("clobbered")), options["program"]
    return bool(mine) and all(known_place(at[0], program, clang) and program.says_line(*at) for at in mine - theirs)


def at_own_entry(name, gdb, ours):
    """gdb takes a function for the first place where it was inlined; ebb for its own code."""
    own = re.match(r'(?:Symbol ")?(?:[^"(]*::)?%s\b[^+]*( in section|" is a function)' % re.escape(name), symbol_name(ours))
    return bool(own) and bool(re.search(r" \+ \d+ in section|is a function at address", gdb))


def symbol_name(text):
    """Without the types of the parameters, and as the language writes it: gdb takes Go's names for mangled ones of
    Ada, and shows those of Fortran as the linker has them."""
    before = None
    text = re.sub(r"::h[0-9a-f]{16}\b", "", text)  # the hash of Rust's older mangling
    text = re.sub(r"(\.(isra|constprop|part)(\.\d+)?)+(?= in section)", "", text)  # gdb drops the last number
    text = re.sub(r"\b__(\w+?)_MOD_(\w+)", r"\1::\2", re.sub(r"\bmain\[(\w+)\]", r"main.\1", text))
    while before != text:
        before = text
        text = re.sub(r"\([^()]*\)( const)?|<[^<>]*>", "", text)
    return re.sub(r"\[abi:\w+\]", "", text)


def frame_places(text):
    """File and line of each frame, up to the first frame without them, for languages that print
    arguments differently."""
    found = []
    for line in text.split("\n"):
        place = re.search(r" at \S*?([^/\s]+:\d+)( \(inlined\))?$", line)
        if not re.match(r"#\d", line):
            continue
        if not place:
            break
        found.append(place.group(1))
        if re.match(r"#\d+ +(0x[0-9a-f]+ in )?main \(", line):
            break
    return found


def differ(question, level, gdb, ours, options):
    """Why the answers differ; None: they agree."""
    said = ours["text"].rstrip("\n") if ours["ok"] else ours["error"]
    if options.get("clobbered") and (level or question == "backtrace") and clobbered(question, gdb, said):
        return None
    if not ours["ok"] or gdb.startswith("error: "):
        if ours["ok"]:
            known = any(re.match(q, question) and re.search(e, gdb) for q, e, _ in UNKNOWN_TO_GDB)
            return None if known else "gdb says an error"
        if not gdb.startswith("error: "):
            known = any(re.match(q, question) and re.search(g, words(gdb)) and re.search(e, ours["error"]) for q, g, e, _ in REFUSED)
            return None if known else "ebb says an error"
        return None
    if question.startswith("break "):
        return None if same_places(gdb, ours, options) else "places"
    text = re.sub(r"\n\(\S+ is .* here; there (is|are) also .*\)$", "", ours["text"].rstrip("\n"))
    if question == "backtrace" and options.get("plain"):
        return None if frame_places(gdb) == frame_places(text) else "frames"
    if question in ("backtrace", "frame"):  # gdb's printer fails, and the frame goes on in the next line
        gdb = re.sub(r"=Python Exception <[^>]*>: [^\n]*\n *(?=, |\))", "=...", gdb)
    if question == "backtrace":
        a, b = frames(gdb), frames(text)
        return None if len(a) == len(b) and all(same_frame(x, y) for x, y in zip(a, b)) else "frames"
    if question.startswith("info line "):
        return None if same_lines(gdb, text, options) else "lines"
    if question.startswith("info address ") and gdb.endswith("is a typedef."):
        return None if "is a function at address" in text else "symbol"  # Rust: a scope has the name, too
    if re.match(r"info (symbol|address) ", question):
        name = question.split()[2].split("::")[-1]
        return None if symbol_name(gdb) == symbol_name(text) or at_own_entry(name, gdb, text) else "symbol"
    if options["language"] == "c++":
        gdb = gdb.replace("<main()", "<main")
    if question == "frame":
        a, b = frames(gdb), frames(text)
        return None if len(a) == len(b) == 1 and same_frame(a[0], b[0]) else "frame"
    if question == "finish":
        returned = re.search(r"Value returned: (.*)", text, re.S)
        return None if words(gdb) == (returned.group(1) if returned else "void") else "returned"
    text = re.sub(r"^type = ", "", text)
    if options["language"] == "c++":
        if question == "info args" and unreadable(gdb) == unreadable(text):
            return None
        gdb, text = cpp_words(gdb, text)
        if question.startswith("ptype "):
            gdb, text = members(words(gdb)), members(text)
    if question == "info locals" and same_locals(gdb, text):
        return None
    if words(gdb) == text or question.startswith("info ") and (gdb, text) in EMPTY:
        return None
    for applies, _ in RULES:
        if applies(question, words(gdb), text):
            return None
    return "text"
