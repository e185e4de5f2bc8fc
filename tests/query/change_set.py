#!/usr/bin/env python3
"""What `changes` lists, against printing every variable at both moments.

change_set.py EBB RECORDING SOURCE SEED ROUNDS

The program is tests/debugger/changes.c, and moments are those of its statements.  Each function is called once by its
caller in one turn of main's loop, so that a call is known by the functions around it and main's `i`.
"""
import json
import random
import re
import subprocess
import sys

ebb, recording, source, seed, rounds = sys.argv[1:]
random.seed(int(seed))

GLOBALS = (["total", "steps", "colour", "both.i", "both.f", "both.b", "head", "mean", "word", "of_thread", "text", "tick::count"]
           + ["grid[%d][%d]" % (a, b) for a in range(3) for b in range(4)]
           + ["table[%d].%s" % (n, m) for n in range(4) for m in ("name", "flags.show", "flags.hide", "low", "high", "at")])
LOCALS = {
    "main": ["i", "local", "heap", "inner"],
    "sum": ["depth", "own", "parts[0]", "parts[1]"],
    "push": ["value", "n"],
    "touch": ["e", "n"],
    "twice": ["p"],
    "tick": [],
}
TYPES = {"value": "int", "weight": "double", "next": "struct node *"}
CELLS = ["heap[%d]" % n for n in range(8)]


def fail(text):
    print(text)
    sys.exit(1)


def converse(commands):
    args = [ebb, "replay", "--json", recording]
    for c in commands:
        args += ["-c", c]
    out = subprocess.run(args, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False).stdout.decode("utf-8", "replace")
    return [json.loads(line) for line in out.splitlines()][1:]


def moment(answer):
    return "%d:%s" % (answer["moment"]["tick"], answer["moment"]["pc"])


def statements():
    lines = open(source).read().splitlines()
    names = [n + 1 for n, line in enumerate(lines) if re.match(r"    +[a-z*][^{]*;$", line)]
    names = [n for n in names if n > lines.index("static int tick(void)")]
    asks = ["goto start"] + ["break changes.c:%d" % n for n in names] + ["continue", "backtrace"] * 300
    answers = converse(asks)
    return [(moment(a), frames_of(b)) for a, b in zip(answers, answers[1:]) if a.get("reason") == "breakpoint"]


def choose(moments, n):
    """Two moments. Every third time they are in different calls of the same functions, as far as
    the backtrace shows."""
    first = random.randrange(len(moments))
    later = moments[first + 1:] or moments[-1:]
    alike = [m for m in later[12:] if m[1] == moments[first][1] and len(m[1]) > 1]
    if n % 3 == 0 and not alike and first > len(moments) // 4:
        return choose(moments, n)
    if n % 3 == 0 and alike:
        return moments[first], random.choice(alike)
    far = random.choice([1, 2, 5, 20, len(moments)])
    return moments[first], later[min(random.randrange(far), len(later) - 1)]


def ask_values(frames):
    asks = ["print " + g for g in GLOBALS]
    for level, f in frames:
        asks += ["frame %d" % level] + ["print " + name for name in LOCALS[f]]
        if f == "main":
            asks += ["print " + c for c in CELLS] + ["print &" + c for c in CELLS]
    return asks


def frames_of(answer):
    return [(f["level"], f["function"]) for f in answer["frames"] if f["function"] in LOCALS]


def value(answer):
    return answer["value"] if answer["ok"] else None


class View:
    def __init__(self, frames, answers):
        answers = iter(answers)
        self.globals = {g: value(next(answers)) for g in GLOBALS}
        self.calls, self.cells, self.levels = {}, {}, {}
        names = [f for _, f in frames]
        found = {}
        for n, (_, f) in enumerate(frames):
            next(answers)
            found[n] = {name: value(next(answers)) for name in LOCALS[f]}
            if f == "main":
                texts = [value(next(answers)) for _ in CELLS]
                places = [value(next(answers)) for _ in CELLS]
                self.cells = {p: t for p, t in zip(places, texts) if p}
                self.turn = found[n]["i"]
        for n, (level, f) in enumerate(frames):
            key = (tuple(names[n:]), self.turn if f != "main" else "")
            self.calls[key] = found[n]
            self.levels[key] = level


def expected(a, b):
    want = {("", g): (a.globals[g], b.globals[g]) for g in GLOBALS if a.globals[g] != b.globals[g]}
    for key in a.calls.keys() & b.calls.keys():
        for name, old in a.calls[key].items():
            new = b.calls[key][name]
            if old is not None and new is not None and old != new:
                want[(b.levels[key], name)] = (old, new)
    return want


def check(where, a, b, answer):
    if not answer["ok"]:
        fail("%s: %s" % (where, answer["error"]))
    got = {}
    for c in answer["changes"]:
        if c["pointer"]:
            continue
        got[(c.get("level", ""), c["name"])] = (c["old"], c["new"])
    want = expected(a, b)
    for key in want.keys() | got.keys():
        if want.get(key) != got.get(key):
            fail("%s: %s: listed %s, printed %s" % (where, key, got.get(key), want.get(key)))
    spans = [(int(m["start"], 16), int(m["end"], 16)) for m in answer["memory"]]
    behind = {int(c["address"], 16) for c in answer["changes"] if c["pointer"]}
    for place, old in a.cells.items():
        at = int(re.search("0x[0-9a-f]+", place).group(), 16)
        if b.cells.get(place, old) != old and at not in behind and not any(s < at + 4 and at < e for s, e in spans):
            fail("%s: the memory at %#x changed, and is not listed" % (where, at))
    return len(want)


def behind_pointers(answer):
    """(address, type, old, new) of what was found behind pointers."""
    for c in answer["changes"]:
        if c["pointer"]:
            last = re.search(r"\w+$", c["name"]).group()
            yield c["address"], TYPES.get(last if "->" in c["name"] else "", "int"), c["old"], c["new"]


def main():
    moments = statements()
    if len(moments) < 100:
        fail("only %d moments" % len(moments))
    chosen = [choose(moments, n) for n in range(int(rounds))]
    pairs = [(a[0], b[0]) for a, b in chosen]
    shapes = [(a[1], b[1]) for a, b in chosen]
    asks = []
    for n, pair in enumerate(pairs):
        for at, f in zip(pair, shapes[n]):
            asks += ["goto " + at] + ask_values(f)
        asks += ["goto " + random.choice(moments)[0], "changes from %s to %s" % (pair if n % 4 else pair[::-1])]
    answers, at, listed, again = converse(asks), 0, 0, []
    for n, pair in enumerate(pairs):
        views = []
        for f in shapes[n]:
            count = len(ask_values(f))
            views.append(View(f, answers[at + 1:at + 1 + count]))
            at += count + 1
        if answers[at]["moment"] != answers[at + 1]["moment"]:
            fail("%s: it is at %s afterwards" % (pair, moment(answers[at + 1])))
        listed += check("from %s to %s" % pair, views[0], views[1], answers[at + 1])
        for address, kind, old, new in behind_pointers(answers[at + 1]):
            again += [(pair[0], address, kind, old), (pair[1], address, kind, new)]
        at += 2
    seen = converse([c for when, address, kind, _ in again for c in ("goto " + when, "print {%s}%s" % (kind, address))])
    for n, (when, address, kind, text) in enumerate(again):
        if value(seen[2 * n + 1]) != text:
            fail("at %s %s: listed %s, printed %s" % (when, address, text, value(seen[2 * n + 1])))
    if listed < int(rounds) or (int(rounds) > 20 and not again):
        fail("only %d changes, %d behind pointers" % (listed, len(again)))
    print("%d changes, %d values behind pointers" % (listed, len(again)))


main()
