"""Backtraces of ebb and of gdb, at the same moments of one recording.

    backtraces.py [--clobbered] EBB RECORDING FUNCTION...

ebb runs to each function, and says at which moment it stands and what the backtrace is there; gdb
is sent to that moment. Each frame must be the same function at the same line with the same
arguments. Of optimised code ebb may know more than gdb: a value that gdb has not, what an
argument was at the entry, the function around an inlined one that called by a jump. It may never
know less, but for this: gdb takes registers that a call need not preserve for preserved, and
clang has variables there (--clobbered). Prints each difference, then `N agree, M differ`.
"""
import re
import subprocess
import sys

LAST = ("main",)


def run_ebb(ebb, recording, functions):
    args = [ebb, "replay", recording, "-c", "set echo on", "-c", "set context 0"]
    for function in functions:
        for command in ("goto start", "tbreak %s" % function, "continue", "info moment", "bt",
                        "delete"):
            args += ["-c", command]
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=900)
    found = []
    for part in done.stdout.decode("utf-8", "replace").split("> goto start\n")[1:]:
        tick = re.search(r"^tick +(\d+) ", part, re.M)
        pc = re.search(r"^pc +(0x[0-9a-f]+)", part, re.M)
        hit = re.search(r"^Temporary breakpoint \d+, ", part, re.M)
        if tick and pc and hit:
            found.append(("%s:%s" % (tick.group(1), pc.group(1)), part.split("> bt\n")[1]))
    return found


def run_gdb(ebb, recording, moments):
    args = [ebb, "gdb", recording, "--", "-nx", "-batch"]
    for command in ("set pagination off", "set width 0", "set print frame-arguments scalars",
                    "set debuginfod enabled off", "set stack-cache off"):
        args += ["-ex", command]
    for moment in moments:
        for command in ("echo @@\\n", "monitor goto " + moment,
                        "maintenance flush register-cache", "bt"):
            args += ["-ex", command]
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=900)
    return done.stdout.decode("utf-8", "replace").split("@@\n")[1:]


FRAME = re.compile(r"^#\d+ +(?:0x[0-9a-f]+ in )?(.*?) ?\((.*)\)(?: at (\S+?):(\d+)| from .*)?$")


def arguments(text):
    """`n=n@entry=5, p=0x0` as a table of the values now and of those at the entry."""
    now, entry = {}, {}
    for part in re.split(r", (?=[\w@]+=)", text):
        name, _, value = part.partition("=")
        same = re.match(r"\w+@entry=(.*)", value, re.S)
        if name.endswith("@entry"):
            entry[name[:-6]] = value
        elif same:
            now[name] = entry[name] = same.group(1)
        elif name:
            now[name] = value
    return now, entry


def frames(text):
    found = []
    for line in text.split("\n"):
        short = re.sub(r" \((inlined|tail call)\)", "", line)
        match = FRAME.match(short)
        if match:
            function, args, path, number = match.groups()
            tail = line.endswith("(tail call)")
            function = re.sub(r"\[abi:\w+\]|\(.*", "", function)
            found.append((function, arguments(args), (path or "").split("/")[-1], number, tail))
            if function in LAST:
                break
    return found


def plain(value):
    value = re.sub(r"<(optimi[sz]ed out|synthetic pointer)>", "?", value)
    value = re.sub(r" <[^<>]*>", "", value)  # the names of statics are spelled otherwise
    if re.match(r"(std::|\{|\.\.\.|@0x)", value):
        return "..."
    return value


def same_arguments(ours, gdb, may_miss):
    for mine, theirs in zip(ours, gdb):
        for name, value in theirs.items():
            missed = may_miss and plain(mine.get(name, "?")) == "?"
            if plain(value) != "?" and plain(mine.get(name, "?")) != plain(value) and not missed:
                return False
    return set(gdb[0]) == set(ours[0])


def differ(ours, gdb, clobbered):
    """Why they differ; None: they do not."""
    at = 0
    while at < len(gdb) and ours and gdb[at][0] != ours[0][0]:
        at += 1  # ebb stands before what is inlined there
    for function, args, path, number, tail in ours:
        if at < len(gdb) and gdb[at][0] == function and gdb[at][2:4] == (path, number):
            if not same_arguments(args, gdb[at][1], clobbered and at):
                return "arguments of %s" % function
            at += 1
        elif not tail:
            return "%s at %s:%s" % (function, path, number)
    return None if at == len(gdb) else "gdb has also %s" % gdb[at][0]


def main():
    clobbered = sys.argv[1] == "--clobbered"
    ebb, recording = sys.argv[1 + clobbered:3 + clobbered]
    asked = run_ebb(ebb, recording, sys.argv[3 + clobbered:])
    answers = run_gdb(ebb, recording, [moment for moment, _ in asked])
    bad = 0
    for (moment, ours), gdb in zip(asked, answers):
        why = differ(frames(ours), frames(gdb), clobbered)
        if why:
            bad += 1
            print("at %s: %s\n%s\n   gdb:\n%s" % (moment, why, ours, gdb))
    bad += len(asked) != len(answers)
    print("%d agree, %d differ" % (len(asked) - bad, bad))


main()
