"""Watchpoints of `ebb replay` against looking at the values after each single instruction; and against gdb's.

    debugger_watch.py oracle EBB RECORDING SEED     prints what differs; nothing if all is well
    debugger_watch.py gdb EBB RECORDING PROGRAM     the same for gdb's hardware watchpoints on the program; status 77: they do not work here

The walk is from a call of change() in tests/debugger/values.c on.  Sets of watchpoints are drawn, some with a condition; going forward and
then backward has to stop exactly where one of the values changes.
"""
import json
import random
import re
import subprocess
import sys

STEPS = 500
EXPRESSIONS = ["total", "limit", "level", "bits.low", "bits.middle", "paint", "head->next->v", "nodes[2].v", "table[20]", "total + limit",
               "mine", "head", "*&total"]
CONDITIONS = [None, None, "total > 6", "total % 4 == 0", "bits.low != 3"]


def converse(ebb, recording, commands):
    """What each command has answered."""
    text = "".join(command + "\n" for command in commands)
    out = subprocess.run([ebb, "replay", "--json", recording], input=text, capture_output=True, text=True, timeout=400)
    answers = [json.loads(line) for line in out.stdout.splitlines()]
    return answers[1:]  # the first says where it was opened


def moment(answer):
    return answer["moment"]["tick"], int(answer["moment"]["pc"], 16)


START = ["goto start", "tbreak change if i == 1", "continue"]


class Walk:
    """The values at each of the moments."""

    def __init__(self, ebb, recording):
        wanted = EXPRESSIONS + [c for c in CONDITIONS if c]
        commands = list(START)
        for _ in range(STEPS):
            commands += ["print " + what for what in wanted] + ["stepi"]
        answers = converse(ebb, recording, commands)[len(START):]
        self.at, self.values = [], []
        for n in range(0, len(answers), len(wanted) + 1):
            self.at.append(moment(answers[n]))
            self.values.append({what: answers[n + k].get("value") for k, what in enumerate(wanted)})

    def changes(self, watches):
        """(step, its watches that are hit), of the steps that make a change."""
        for n in range(len(self.at) - 1):
            hit = {number: (self.values[n][what], self.values[n + 1][what])
                   for number, (what, condition) in watches.items()
                   if self.values[n][what] != self.values[n + 1][what] and
                   (not condition or self.values[n + 1][condition] not in ("0", "false"))}
            if hit:
                yield n, hit


def compare_set(ebb, recording, walk, watches):
    expected = list(walk.changes(watches))
    last = "%d:%#x" % walk.at[-1]
    make = ["watch " + what + (" if " + condition if condition else "") for what, condition in watches.values()]
    forward = ["continue"] * len(expected)
    backward = ["bcontinue"] * len(expected)
    answers = converse(ebb, recording, START + make + forward + ["goto " + last] + backward)[len(START) + len(make):]
    stops = answers[:len(expected)] + answers[len(expected) + 1:]
    wanted = [(n, hit, walk.at[n + 1]) for n, hit in expected] + [(n, hit, walk.at[n]) for n, hit in reversed(expected)]
    if len(stops) != len(wanted):
        return "%d answers, not %d" % (len(stops), len(wanted))
    for stop, (n, hit, at) in zip(stops, wanted):
        number = stop.get("watchpoint")
        if moment(stop) != at or number not in hit or (stop["old"], stop["new"]) != hit[number]:
            return "step %d: %s at %s, not %s at %s" % (n, stop.get("text"), moment(stop), hit, at)
        if (stop["by"]["tick"], int(stop["by"]["pc"], 16)) != walk.at[n]:
            return "step %d: it was not by %s" % (n, stop["by"])
    return None


def oracle(ebb, recording, seed):
    drawn = random.Random(int(seed))
    walk = Walk(ebb, recording)
    stops = 0
    for _ in range(8):
        some = drawn.sample(EXPRESSIONS, drawn.randint(1, 5))
        watches = {n + 2: (what, drawn.choice(CONDITIONS)) for n, what in enumerate(some)}  # 1 is START's
        stops += len(list(walk.changes(watches)))
        wrong = compare_set(ebb, recording, walk, watches)
        if wrong:
            print("seed %s, %s: %s" % (seed, watches, wrong))
            return 1
    return 0 if stops > 20 else 2


BY_GDB = ["total", "level", "paint", "nodes[2].v", "table[20]", "head", "mine"]


def gdb_changes(program, what):
    commands = ["set confirm off", "set can-use-hw-watchpoints 1", "break main", "run", "watch -l " + what] + ["continue"] * 20
    out = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"] + [a for c in commands for a in ("-ex", c)] +
                         [program], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200).stdout
    if "Hardware watchpoint 2" not in out:
        return None
    found = re.findall(r"Old value = (.*)\nNew value = (.*)\n(\w+)", out)
    return [(bare(old), bare(new), function) for old, new, function in found]


def bare(text):
    """Without addresses, which are others in the recording."""
    return re.sub(r"\([^()]*\) 0x[0-9a-f]+", "", text).strip()


def ebb_changes(ebb, recording, what, count):
    commands = ["goto start", "tbreak main", "continue", "watch -l " + what] + ["continue"] * count
    stops = converse(ebb, recording, commands)[4:]
    return [(bare(s["old"]), bare(s["new"]), s["by"]["function"]) for s in stops if "watchpoint" in s]


def against_gdb(ebb, recording, program):
    for what in BY_GDB:
        wanted = gdb_changes(program, what)
        if not wanted:
            return 77
        got = ebb_changes(ebb, recording, what, len(wanted) + 3)
        if got != wanted:
            print("%s: %s; gdb: %s" % (what, got, wanted))
            return 1
    return 0


sys.exit({"oracle": oracle, "gdb": against_gdb}[sys.argv[1]](*sys.argv[2:5]))
