"""Compares values with gdb's, on one core file.

    compare.py DRIVER EXECUTABLE CORE LIST FRAME [--less]

LIST has a line per question, `print[/FORMAT] EXPRESSION`, `whatis ...` or `ptype ...`.  A line that ends in `  => TEXT` says what is right
where gdb's answer is not the measure.  Where gdb says an error, so must we, in a sentence.  With --less, for optimised code, we may know
less than gdb: `<optimised out>` for a value, but never another value.  Prints a line for each that differs, then
`N agree, M differ`.
"""
import re
import subprocess
import sys


def ask_gdb(executable, core, questions, frame):
    script = ["set confirm off", "set pagination off", "set width 0", "set height 0", "set debuginfod enabled off",
              "set style enabled off", "set print inferior-events off", "core-file " + core, "frame %s" % frame]
    commands = []
    for number, question in enumerate(questions):
        commands += ["echo @@%d\\n" % number, question]
    # A command that fails would end a script: each is a -ex of its own.
    args = ["gdb", "-nx", "-batch"] + (["-iex", "set auto-load safe-path /"]) + [executable]
    for command in script + commands:
        args += ["-ex", command]
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    text = done.stdout.decode("utf-8", "replace")
    answers = {}
    for part in text.split("@@")[1:]:
        number, _, answer = part.partition("\n")
        if number.isdigit():
            answers[int(number)] = answer.rstrip("\n")
    return answers


def ask_us(driver, core, questions, frame, path):
    with open(path, "w") as out:
        for question in questions:
            out.write("%s %s\n" % (frame, question))
    done = subprocess.run([driver, core, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600)
    if done.returncode:
        print("the driver ended with %d" % done.returncode)
    return done.stdout.decode("utf-8", "replace").split("\n")


def normal_gdb(answer):
    """gdb's words as ours."""
    answer = re.sub(r"^(\$\d+|type) = ", "", answer)
    answer = answer.replace("<optimized out>", "<optimised out>").replace("<synthetic pointer>", "<optimised out>")
    answer = re.sub(r"<error: Cannot access memory at address (0x[0-9a-f]+)>", r"<there is no memory at \1>", answer)
    answer = answer.replace("\n", "|")
    return answer


ERROR = re.compile(r"^(No symbol |No struct |There is no member |Attempt to |A parse error|A syntax error|Invalid |"
                   r"Cannot access |Division by |value |You can't |Left operand|Argument to |Structure has|Can't take|"
                   r"Unmatched|Numeric|Junk|warning|Cast|Only|Type \S+ (is|has|does)|Wrong number|no such vector|Dwarf|.*in expression|Size|Value can't|.*has unknown type)")


def agree(gdb, ours, less):
    if less and "optimised out" in ours:
        return True
    if "_M_" in gdb and "_M_" not in ours:
        return True  # gdb has not found its descriptions of the standard library
    if less and gdb == "<optimised out>":
        return False
    if ERROR.match(gdb):
        return ours.startswith("error: ") and len(ours) > 12
    return gdb == ours


def main():
    driver, executable, core, listing, frame = sys.argv[1:6]
    less = "--less" in sys.argv
    with open(listing) as lines:
        rows = [line.rstrip("\n").partition("  => ") for line in lines if line.strip() and line[0] != "#"]
    questions = [row[0] for row in rows]
    asked = [question for question, mark, _ in rows if not mark]
    gdb = ask_gdb(executable, core, questions, frame) if asked else {}
    ours = ask_us(driver, core, questions, frame, core + ".ask")
    differ = 0
    for number, (question, _, wanted) in enumerate(rows):
        answer = wanted or normal_gdb(gdb.get(number, "(nothing)"))
        mine = ours[number] if number < len(ours) else "(nothing)"
        same = agree(answer, mine, less) if not wanted or less else mine == wanted
        if not same:
            differ += 1
            print("%s\n    wanted %s\n    got    %s" % (question, answer, mine))
    print("%d agree, %d differ" % (len(rows) - differ, differ))


main()
