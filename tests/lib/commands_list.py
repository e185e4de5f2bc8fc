"""Commands about the data of tests/debugger/tools.c, for commands_ask.py.

    commands_list.py SUBJECT [SEED COUNT]

Without a seed: every combination of the subject's tables.  With one: COUNT of them, drawn by SEED.
"""
import itertools
import random
import sys

SCALARS = ["small", "byte", "two", "utwo", "four", "ufour", "eight", "ueight", "huge", "single", "real", "wide", "yes",
           "letter", "colour", "mode", "pointer", "none", "anywhere", "call", "bits.c", "bits.e"]
GROUPS = ["text", "filled", "nulls", "letters", "numbers", "shorts", "reals", "singles", "raw", "grid", "bits", "holes",
          "packed", "nest", "first", "words", "nothing"]
PLACES = ["&small", "&two", "&four", "&eight", "&real", "&single", "&wide", "text", "filled", "letters", "numbers",
          "shorts", "reals", "singles", "raw", "grid", "&holes", "&nest", "&pointer", "words", "&call", "&huge",
          "look", "$sp", "$pc", "pointer", "anywhere", "&nest.p[1]", "raw+3", "four", "colour"]


def formats():
    for letter, what in itertools.product("xduotzacfs", SCALARS + GROUPS):
        yield "p/%s %s" % (letter, what)
    for what in SCALARS + GROUPS:
        yield "p/sr " + what  # r alone has the letter of the last print in gdb
    for what in ["numbers[0]@3", "*shorts@4", "text[2]@5", "first.next[0]@1", "reals[1]@2", "words[0]@2"]:
        for letter in ["", "/x", "/d", "/c"]:
            yield "p%s %s" % (letter, what)
    for letter in "xduotzacf":
        yield "output/%s four" % letter
    for what in SCALARS + GROUPS:
        yield "output " + what
        yield "p " + what


def memory():
    for letter, size, place in itertools.product("xduotzacfsi", ["", "b", "h", "w", "g"], PLACES):
        if letter == "f" and not size and ("real" in place or "single" in place):
            continue  # gdb takes the size of the last x, and shows a half of a double
        if letter == "i" and place not in ("text", "filled", "numbers"):
            continue  # bytes of an address may be an instruction that does not exist, which gdb writes in its own way
        # As text only what is text: gdb loses characters before bytes that are no UTF-8.
        if letter != "s" or (place in ("text", "filled", "pointer", "$rsi+1000000000", "four") and size in ("", "b")) or (
                place == "letters" and size == "w"):
            yield "x/3%s%s %s" % (letter, size, place)
    for place in PLACES:
        yield "x " + place
        yield "x/2 " + place
    for letter in "xdas":
        for count in ["-2", "-5"]:
            for place in ["&numbers[6]", "&shorts[3]", "text+12", "&reals[2]"]:
                yield "x/%s%s %s" % (count, letter, place)
                yield "x/%s%sb %s" % (count, letter, place)
    for place in ["$pc", "look", "main+40", "&add"]:
        for count in [1, 3, 7]:
            yield "x/%di %s" % (count, place)
            if place != "&add":
                yield "x/-%di %s" % (count, place)
    for after in ["x/2xw numbers", "x", "x/3", "p $_", "p $__", "x/s text", "x", "p $__", "x/dh shorts", "x", "x/2c text",
                  "x", "x/fg reals", "x", "x/i $pc", "x/2wx &four", "p $_", "p/x *(short*)$_", "whatis $_", "whatis $__",
                  "info line look", "x/i", "info symbol look", "p $_"]:
        yield after


def types():
    names = ["struct bits", "struct holes", "struct packed", "struct inner", "struct nest", "struct list", "point", "mixed",
             "number", "enum colour", "enum mode", "struct empty", "int", "unsigned long", "double", "char *"]
    for name in names + SCALARS + GROUPS + ["nest.in", "nest.p", "nest.h", "&nest", "*nest.next", "look", "add", "main",
                                             "first.next->next", "nest.in.deep", "first.value + 1L", "1.0f * 2", "'a'",
                                             "&numbers", "&numbers[1]", "numbers + 1", "\"abc\"", "$pc",
                                             "$sp", "$rax", "$_", "$nothing"]:
        for command in ["ptype", "ptype/o", "whatis"]:
            # gdb leaves the headings of columns out where the type has the name of a typedef.
            if not (command == "ptype/o" and name in ("point", "mixed")):
                yield "%s %s" % (command, name)


def printing():
    numbers = ["four", "ufour", "eight", "small", "letter", "colour", "yes", "1", "-1", "single", "real", "pointer", "numbers[3]"]
    for conversion in ["%d", "%i", "%u", "%x", "%X", "%o", "%5d", "%-8d|", "%05d", "%+d", "%#x", "%#o", "%ld", "%lu",
                       "%lx", "%lld", "%llu", "%hd", "%hhd", "%c", "|%5c", "%zd", "%zu", "%f", "%5.2f", "%e", "%g", "%G",
                       "%10.3e|", "%Lf", "%Lg", "%p", "%20p|", "%-20p|", "%a"]:
        for what in numbers:
            yield 'printf "%s\\n", %s' % (conversion, what)
    for what in ["text", "pointer", "words[1]", "&text[3]", "\"literal\"", "nulls", "none", "filled", "letters", "raw"]:
        for conversion in ["%s", "%20s|", "%-12s|", "%.3s", "%5.2s|"]:
            yield 'printf "%s\\n", %s' % (conversion, what)
    for line in ['printf "%ls\\n", letters', 'printf "%lc\\n", letters[0]', 'printf "a%%b\\n"', 'printf "no newline"',
                 'printf "tab\\tbell\\aquote\\"back\\\\slash\\101\\n"', 'printf "%d %d\\n", 1', 'printf "%d\\n", 1, 2',
                 'printf "%d"', 'printf %d, 4', 'printf "%d\\n" 4', 'printf "%s %d %c\\n", text, four, letter',
                 'printf "%q\\n", 4', 'printf', 'printf "x', 'printf "%d, %d\\n", add(1, "b"), 2', 'printf "%*d\\n", 5, 4',
                 'printf "%s\\n", 5', 'printf "%d\\n", holes', 'printf "%5%|\\n"', 'printf "%s\\n", first', 'printf "%c%c\\n", 65, 66',
                 'printf "%n", 4', 'printf "%Lf\\n", wide', 'printf "%f\\n", wide', 'printf "%5.1f|%-7d|%s\\n", real, two, words[2]',
                 'printf "%lu %p\\n", sizeof(nest), &nest', 'printf "%hhu %hu\\n", 300, 70000', 'printf "%c\\n", 0', 'printf "\\x41\\n"',
                 'printf "%s\\n", (char *)0', 'printf "%d\\n", $_', 'printf "%d\\n", $nothing', 'printf "%5s|%c\\n", "ab", 0x141',
                 'echo text\\n', 'echo a\\tb\\n', 'echo   spaced\\n', 'echo \\ spaced\\n', 'echo', 'echo \\"q\\"\\n', 'echo x\\', 'echo \\101\\n']:
        yield line


def searching():
    yield from ["find raw, +64, 'n', 'e'", "p $_", "p $numfound", "find raw, +sizeof(raw), \"needle\"", "p $numfound", "p $_",
                "find /1 raw, +sizeof(raw), {char[6]}\"needle\"", "p $numfound", "find /b raw, raw+63, 0x6e, 0x65",
                "find /w numbers, +sizeof(numbers), -2", "find /w2 numbers, +sizeof(numbers), 0", "p $numfound",
                "find /h shorts, +12, 500", "find /g &eight, +8, -5000000000", "find /1g reals, +32, 0x3fb999999999999a",
                "find reals, +32, 0.1", "find /2w numbers, +72, (int)0", "find text, +20, 't'", "find text, +20, \"text\"",
                "find text, +20, (char)116", "find &numbers, +72, 3", "find numbers, +72, numbers[3]", "find raw, +64, 1.5",
                "find singles, +12, 3e38f", "find singles, +12, singles[2]", "find raw, raw", "find", "find raw", "find raw, +0, 3  => the range is empty, or leaves the address space",
                "find raw, raw-1, 3", "find /z raw, +64, 3", "find 1, +64, 3  => There is no memory at 0x1: the search ends there.\\nPattern not found.", "find /b raw, +64, 256", "find /b numbers, +8, -1",
                "find words, +32, words[1]", "find &first, +sizeof(first), &second", "find raw, +64", "find /h raw, +64, 0x3011",
                "find raw, +64, 'q'", "p $numfound", "p $_", "find /3b filled, +40, 'a'", "find /b filled, +40, 'a', 'b'",
                "find text, +sizeof(text), \"with\"", "find &text[1000], +5, \"with\\001\""]


def places():
    for line in range(96, 131):
        if line not in (121, 123):  # gdb joins rows of one line where the table has discriminators
            yield "info line %d" % line
    for name in ["look", "main", "add", "*$pc", "*(look+9)", "tools.c:120", "tools.c:look", "nosuch", "*main"]:
        yield "info line " + name
    yield "info line tools.c:9999  => line 9999 is after the last line with code in tools.c  # refused"
    for name in ["look", "main", "add", "main+3", "&four", "look+3", "$pc", "&nest.p[1]", "raw+4", "&hidden_total"]:
        yield "info symbol " + name
    for name in ["heard", "zheard", "aheard"]:  # one function with three names
        yield from ["info symbol " + name, "p " + name, "p &" + name, "x/2i " + name, "p/a %s+1" % name]
    for name in ["nest", "znest", "anest"]:
        yield from ["info symbol &" + name, "p/a &" + name, "x/2xw &" + name]
    yield "info symbol 1  => there is no symbol at 0x1  # refused"
    for name in ["look", "main", "add", "main+3", "&four", "four", "$pc", "0", "hidden_total", "numbers", "nosuch"]:
        yield "info address " + name
    # Of locals gdb shows how DWARF computes them.
    yield "info scope add  => Scope for add:\\nParameter int a, length 4\\nParameter const char *b, length 8"
    yield "info scope nosuch"


def listing():
    yield from ["list 10", "list", "list", "list -", "list 100,104", "list 5,", "list ,30", "list look", "list", "list add,main",
                "list tools.c:40", "list tools.c:60,62", "list main,", "list ,main", "list nosuch", "list 4000",
                "list tools.c:look", "list 1", "list -", "list 20,+3", "list look,+2", "set listsize 3", "list 50", "list",
                "set listsize 10", "list 60", "list -", "list -", "list tools.c:1,3", "list main", "list +"]


def settings():
    values = ["numbers", "grid", "nest", "first", "text", "filled", "nulls", "words", "bits", "pointer", "&four", "call", "&nest.p",
              "holes", "raw", "nest.m", "letters", "&text", "$pc", "*nest.next", "mode", "shorts", "singles"]
    for setting in ["pretty on", "elements 5", "elements 1", "elements unlimited", "elements 0", "array on", "array-indexes on", "address off", "symbol off",
                    "union off", "repeats 3", "repeats unlimited", "null-stop on", "max-depth 1", "max-depth 0"]:
        name = setting.split()[0]
        yield "set print " + setting
        yield "show print " + name
        for what in values:
            yield "p " + what
        yield "set print %s %s" % (name, {"elements": "200", "repeats": "10", "address": "on", "symbol": "on", "union": "on",
                                          "max-depth": "20"}.get(name, "off"))
    yield from ["set print pretty on", "set print array on", "set print array-indexes on"] + ["p " + what for what in values] + [
        "set print pretty off", "set print array off", "set print array-indexes off"]
    yield from ["p -elements 3 -- numbers", "p -elements 3 -array-indexes on -- numbers", "p -pretty on -- first", "p -pretty -- first",
                "p -elements unlimited -- numbers", "p -repeats 2 -- numbers", "p -array -- grid", "p -union off -- nest", "p -address off -- &four",
                "p -symbol off -- &four", "p -null-stop -- nulls", "p -elements 4 -- text", "p -elements 4 -- pointer", "p -5", "p -four",
                "p -elements x -- four", "p -nosuch on -- four", "p -e 3 -- numbers", "p -elements 3 numbers", "p -- four",
                "p -elements 3 -- /x numbers", "p -r -- first", "p numbers", "show print elements", "set print nosuch on", "set print elements x",
                "show print pretty", "set p pretty on", "p first", "set p pretty off"]
    yield from ["show print " + name for name in ["union", "address", "symbol", "null-stop", "repeats", "array", "array-indexes", "static-members",
                                                  "frame-arguments", "entry-values", "max-depth"]]


def registers():
    for name in ["rax", "rbx", "rsp", "rbp", "rip", "eflags", "r12", "cs", "ss", "ds", "es", "fs", "gs", "fs_base", "gs_base",
                 "st0", "st1", "xmm0", "xmm5", "fctrl", "fstat", "ftag", "fop", "fiseg", "fioff", "foseg", "fooff", "mxcsr", "al", "ax",
                 "eax", "r8d", "sp", "pc", "nosuch", "$rax", "rax rbx", "eflags rip"]:
        yield "info registers " + name
    # gdb has names of its own for the types of vector registers.
    typed = ["rax", "rsp", "rip", "fctrl", "al", "ax", "eax", "ah", "cs", "nosuch"]
    for name in typed + ["eflags", "mxcsr", "st0", "xmm0", "xmm0.v4_int32", "xmm1.uint128", "xmm0.v2_double", "_siginfo"]:
        for letter in ["", "/x", "/t"]:
            yield "p%s $%s" % (letter, name)
        if name in typed:
            yield "whatis $" + name
            yield "ptype $" + name


def frames():
    for choice in ["function main", "function look", "level 2", "1", "level 0"]:
        yield "frame %s  => ?  # gdb's Python does not see what this prints" % choice
        yield from ["p $pc", "p $sp", "info frame  => ?", "p depth", "p argc"]
    yield from ["frame function nosuch", "frame level 99", "frame function", "frame level", "frame address 0"]


def names():
    yield from ["info functions ^look$", "info functions -n ^look$", "info variables hidden_total", "info functions nosuch_x",
                r"info variables ^numbers$\|^shorts$\|^words$", "info types ^colour", "info types ^nest$",
                r"info types ^point$\|^mixed$\|^number$", "info types ^holes", "info types nosuch_x", r"info functions ^_start$\|^_init$"]


def facts():
    texts = ["words[0]", "words[1]", "room", '"with"', "(char *)words[2]", "&words[1][1]"]
    for a in texts:
        yield "p $_strlen(%s)" % a
        for b in texts:
            yield "p $_streq(%s, %s)" % (a, b)
        yield from ['p $_regex(%s, "%s")' % (a, b) for b in ["t", "te*", "x", ".*", "[a-z]+$", "e"]]
    yield from ["p $_memeq(text, text, 5)", "p $_memeq(numbers, shorts, 0)", "p $_memeq(numbers, shorts, 8)",
                "p $_memeq(&first, &first, sizeof(first))", "p $_memeq(raw, raw+1, 4)", "p $_strlen()", "p $_streq(words[1])",
                "p $_isvoid($nothing)", "p $_isvoid(four)", "p $_strlen(words[1]) + 1", "p $_strlen(1)", "p !$_streq(words[1], words[1])",
                "whatis $_strlen(words[1])", "p $_memeq(text, text)", "p $_memeq(1, text, 3)"]
    yield from ["p $_as_string(%s)" % what for what in ["colour", "four", "mode", "letter", "real", "(enum colour)1", "four > 2"]]
    for function in ["_caller_is", "_any_caller_is", "_caller_matches", "_any_caller_matches"]:
        for name in ["main", "look", "loo", "ma.*", "nosuch"]:
            yield 'p $%s("%s")' % (function, name)
            yield from ['p $%s("%s", %d)' % (function, name, count) for count in [0, 1, 3, 4, 50]]
        yield from ["p $%s()" % function, 'p $%s("main", -1)' % function, 'p $%s("main", 1, 2)' % function, "p $%s(4)" % function]
    yield from ["info locals", "info locals local", "info locals ^l", "info locals -q nosuch", "info locals -t int", "info locals -q -t char",
                "info args", "info args depth", "info args -q nosuch", "info args -t int", "info args -t struct", "info locals -t int ^l",
                "info locals [", "info args -- depth"]
    yield from ["info proc", "info proc cmdline", "info proc cwd", "info proc exe", "info proc nosuch"]


SUBJECTS = {"facts": facts, "formats": formats, "memory": memory, "types": types, "printing": printing, "searching": searching, "places": places,
            "listing": listing, "settings": settings, "registers": registers, "frames": frames, "names": names}


def main():
    rows = list(SUBJECTS[sys.argv[1]]())
    if len(sys.argv) > 3:
        random.seed(int(sys.argv[2]))
        chosen = sorted(random.sample(range(len(rows)), min(int(sys.argv[3]), len(rows))))
        rows = [rows[n] for n in chosen]  # in order: what is not said of a format is what it was before
    print("\n".join(rows))


main()
