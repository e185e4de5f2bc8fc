"""Compares values of Rust with what the program itself printed of them with {:?}.

    debug.py DRIVER CORE OUTPUT FRAME [--less]

OUTPUT has a line `NAME = VALUE` for each variable.  With --less, for optimised code, a variable may be optimised out, wholly or in
part, or be left out; it never has another value.  Prints a line for each that differs, then `N agree, M differ`.
"""
import re
import subprocess
import sys


def repeats(text):
    """[0, 0, ... 0] as we write it."""
    items = text[1:-1].split(", ")
    if text.startswith("[") and len(items) >= 10 and len(set(items)) == 1:
        return "[%s <repeats %d times>]" % (items[0], len(items))
    return text


def main():
    driver, core, output, frame = sys.argv[1:5]
    less = "--less" in sys.argv
    with open(output, encoding="utf-8", errors="replace") as lines:
        rows = [m.groups() for m in (re.match(r"(\w+) = (.*)$", line) for line in lines) if m]
    with open(core + ".ask", "w") as out:
        for name, _ in rows:
            out.write("%s variable %s\n" % (frame, name))
    done = subprocess.run([driver, core, core + ".ask"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600)
    answers = done.stdout.decode("utf-8", "replace").split("\n")
    differ = 0
    for (name, wanted), got in zip(rows, answers):
        unknown = less and ("optimised out" in got or got.startswith("error: there is no symbol"))
        if got != repeats(wanted) and not unknown:
            differ += 1
            print("%s\n    wanted %s\n    got    %s" % (name, wanted, got))
    print("%d agree, %d differ" % (len(rows) - differ, differ))


main()
