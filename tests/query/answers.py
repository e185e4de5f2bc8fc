"""Answers over time against a slow look: every instruction of a small program, with the expression printed at each.

    answers.py EBB RECORDING SEED ROUNDS KIND      KIND: plain (no optimisation) or optimised

The program (answers.c) is walked by `stepi` from main to its end; frames and values are taken at each moment.  Then history, first,
until, buntil and watch are asked at random moments in random frames, and every change, every "first", "does not change", "becomes true"
and "does not become true" has to be what the walk says.

What is in registers is compared by ebb where statements begin: so it is here, at the moments at which `step` stops.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

EBB, RECORDING, SEED, ROUNDS, KIND = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
OPTIMISED = KIND == "optimised"
rng = random.Random(SEED)
asked = 0

GLOBALS = ["total", "items[1].count", "items[1].middle", "items[1].low", "mine", "level", "flags[1]",
           "head->count", "head->next->middle", "items[2].next == 0 ? 1 : 2", "total + mine"]
LOCALS = {
    "walk": ["here", "sum", "n", "at", "at->count", "at->middle", "calls", "here + total"],
    "leaf": ["a", "twice"],
    "constant": ["fixed", "moving", "n"],
    "main": ["result"],
}
# At -O2 a pointer in a register is known at statements only, so what it points to between
# statements is not compared.
MIXED = {"at->count", "at->middle", "here + total"}
CONDITIONS = ["({}) > 2", "({}) == 0", "({}) != 3", "!({})", "({}) >= 1 && ({}) < 30"]


def fail(text):
    print("seed %d, %s: %s" % (SEED, KIND, text))
    sys.exit(1)


def converse(commands):
    """The answers as objects, one for each command."""
    with tempfile.NamedTemporaryFile("w", suffix=".commands", delete=False) as script:
        script.write("\n".join(commands) + "\n")
    try:
        said = subprocess.run([EBB, "replay", "--json", RECORDING, "-x", script.name], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=900).stdout
    finally:
        os.unlink(script.name)
    answers = [json.loads(line) for line in said.splitlines()]
    if len(answers) != len(commands) + 1:
        fail("%d answers to %d commands: %s" % (len(answers), len(commands), said[-500:]))
    return answers[1:]


def moment(answer):
    return answer["moment"]["tick"], int(answer["moment"]["pc"], 16)


def to_main():
    return ["goto start", "tbreak main", "continue"]


# --- the walk -------------------------------------------------------------------------------------

class Walk:
    """moments[i], and stacks[i]: the functions from main inward."""

    def __init__(self):
        self.length = 64
        while True:
            said = converse(to_main() + ["backtrace"] + ["stepi", "backtrace"] * self.length)[2:]
            self.moments = [moment(a) for a in said[0::2]]
            self.stacks = [self.functions(a) for a in said[1::2]]
            ends = [i for i, stack in enumerate(self.stacks) if not stack]
            if ends:
                break
            self.length *= 4
        self.moments, self.stacks = self.moments[:ends[0]], self.stacks[:ends[0]]
        self.places = {m: i for i, m in enumerate(self.moments)}
        steps = converse(to_main() + ["step"] * len(self.moments))[2:]
        self.points = {moment(a)[1] for a in steps if moment(a) in self.places}

    @staticmethod
    def functions(answer):
        names = [f["function"].split("(")[0].split(".")[0] if f["function"] else "?" for f in answer["frames"]]
        return names[names.index("main")::-1] if "main" in names else []

    def calls(self):
        """(function, depth, first, last) of each call: the moments at which it lives."""
        found = []
        for depth in range(1, 1 + max(len(s) for s in self.stacks)):
            start = None
            for i in range(len(self.stacks) + 1):
                lives = i < len(self.stacks) and len(self.stacks[i]) >= depth
                if start is not None and (not lives or self.is_new(i, depth)):
                    found.append((self.stacks[start][depth - 1], depth, start, i - 1))
                    start = None
                if lives and start is None:
                    start = i
        return found

    def is_new(self, i, depth):
        return len(self.stacks[i]) >= depth and len(self.stacks[i - 1]) == depth - 1


def number(text):
    """What is compared: C's own text, without the name of what is pointed to."""
    return None if text is None else re.sub(r" <.*", "", text)


def slow_look(walk, questions):
    """The values of each question at every moment of its call; None: there is none."""
    commands, takers = to_main(), []
    commands.append("info moment")
    for i, stack in enumerate(walk.stacks):
        if i:
            commands.append("stepi")
        for q in questions:
            if q["first"] <= i <= q["last"]:
                commands.append("frame %d" % (len(stack) - q["depth"]))
                takers.append((len(commands), q, i))
                commands.append("print " + q["expression"])
    said = converse(commands)
    for q in questions:
        q["values"] = {}
    for index, q, i in takers:
        answer = said[index]
        value = answer.get("value") if answer["ok"] else None
        q["values"][i] = None if value is None or "optimised out" in value else number(value)


# --- what the walk says ---------------------------------------------------------------------------

def is_looked_at(q):
    return OPTIMISED and q["local"]


def seen(walk, q, start, end):
    """Moments in [start, end] at which ebb may know the value."""
    if not is_looked_at(q):
        return list(range(start, end + 1))
    return [i for i in range(start, end + 1)
            if walk.moments[i][1] in walk.points and walk.stacks[i][-1] == q["function"]]


def changes(walk, q, start, end):
    """(moment at which it was done, moment after, old, new)"""
    found, last, last_at = [], None, None
    for i in seen(walk, q, start, end):
        value = q["values"][i]
        if value is None and is_looked_at(q):
            continue
        if last_at is not None and value != last:
            found.append((i if is_looked_at(q) else last_at, i, last, value))
        last, last_at = value, i
    return found


def at_moment(walk, row):
    return walk.places.get((row["tick"], int(row["pc"], 16)))


# --- questions ------------------------------------------------------------------------------------

def make_questions(walk, count):
    calls = [c for c in walk.calls() if c[0] in LOCALS and c[3] - c[2] > 4]
    questions = []
    for _ in range(count):
        function, depth, first, last = rng.choice(calls)
        local = rng.random() < 0.65
        if not local:
            function, depth, first, last = "main", 1, 0, len(walk.moments) - 1
        expression = rng.choice(LOCALS[function] if local else GLOBALS)
        if OPTIMISED and expression in MIXED:
            expression = "n" if function == "walk" else expression
        local = local and expression != "calls"
        inside = [i for i in range(first, last + 1) if len(walk.stacks[i]) >= depth]
        questions.append({"function": function, "depth": depth, "first": first, "last": last, "local": local,
                          "expression": expression, "at": rng.choice(inside),
                          "condition": rng.choice(CONDITIONS).replace("{}", expression)})
    return questions


def go_to(walk, q):
    tick, pc = walk.moments[q["at"]]
    return ["goto %d:%#x" % (tick, pc), "frame %d" % (len(walk.stacks[q["at"]]) - q["depth"])]


def check_history(walk, q, answer):
    what = "history %s in %s at step %d" % (q["expression"], q["function"], q["at"])
    start, end = q["first"], q["last"]
    if not answer["ok"]:
        # In optimised code there may be nothing to ask about, and it says so.
        if re.search("optimised out|never changes|has no value", answer["error"]) and not changes(walk, q, start, end):
            return
        fail("%s: %s" % (what, answer["error"]))
    if answer.get("text", "").find("a constant, which nothing writes") >= 0:
        values = {v for v in q["values"].values() if v is not None}
        if len(values) > 1:
            fail("%s: a constant, but it is %s" % (what, values))
        return
    first = answer.get("first")
    if first:
        written = at_moment(walk, first)
        if written is None or written < start:
            fail("%s: first written outside of the call" % what)
        start = written + 1
        if q["values"].get(start) != number(first["new"]):
            fail("%s: first written as %s, not %s" % (what, first["new"], q["values"].get(start)))
    expected = changes(walk, q, start, end)
    got = [r for r in reversed(answer["changes"]) if "optimised out" not in r["old"]]
    if not q["local"]:
        got = [r for r in got if at_moment(walk, r) is not None and start <= at_moment(walk, r) < end]
    else:
        got = [r for r in got if at_moment(walk, r) is None or at_moment(walk, r) < end]
    left = [(at_moment(walk, r), number(r["old"]), number(r["new"])) for r in got]
    right = [(c[0], c[2], c[3]) for c in expected]
    left = [(a, None if o.startswith("<") else o, None if n.startswith("<") else n) for a, o, n in left]
    if is_looked_at(q): # seen where a statement begins, or where its place was used for something else just before
        left = [(r[0] if l[0] == r[0] - 1 else l[0],) + l[1:] for l, r in zip(left, right)] + left[len(right):]
    if left != right:
        fail("%s: %s, but by the walk %s\n%s" % (what, left, right, answer.get("text")))


def written_from(answer, walk, q):
    """The first step at which a local has been written, by the history of it."""
    first = answer.get("first") if answer["ok"] else None
    return at_moment(walk, first) + 1 if first and at_moment(walk, first) is not None else q["first"]


def truth_of(said):
    return {"true": True, "false": False, "1": True, "0": False}.get(said)


def check_condition(walk, q, start, direction, answer):
    """The step that it went to is the first or last at which the condition had become true."""
    known = [i for i in seen(walk, q, max(q["first"], start), q["last"])
             if truth_of(q["values"][i]) is not None or not is_looked_at(q)]
    became = []
    before = False if q["local"] and not is_looked_at(q) else None
    for i in known:
        now = bool(truth_of(q["values"][i])) # where a pointer leads nowhere it is false
        if now and before is False:
            became.append(i)
        before = now
    if direction == "until":
        expected = [i for i in became if i > q["at"]][:1]
    else:
        expected = [i for i in became if i <= q["at"]][-1:]
    what = "%s %s in %s at step %d" % (direction, q["condition"], q["function"], q["at"])
    if not answer["ok"]:
        if re.search("optimised out|never changes|no value", answer["error"]):
            return
        fail("%s: %s" % (what, answer["error"]))
    reached = re.search("becomes true here|has become true", answer["text"]) is not None
    place = walk.places.get(moment(answer))
    if not expected:
        inside = place is not None and max(q["first"], start) <= place <= q["last"]
        if reached and inside:
            fail("%s: went to step %s, but it does not become true\n%s" % (what, place, answer["text"]))
        return
    wanted = expected[0] if direction == "until" or is_looked_at(q) else expected[0] - 1
    if not reached or place != wanted:
        fail("%s: went to step %s, not %s\n%s" % (what, place, wanted, answer["text"]))


def check_first(walk, q, start, answer):
    """Checks that the session went to the first step at which the condition holds, or to the start
    of the run. At the start, globals have the values that they have when main begins."""
    if is_looked_at(q) or (not q["local"] and q["first"]): # of a static one, the walk has not looked at the whole run
        return
    what = "first %s in %s at step %d" % (q["condition"], q["function"], q["at"])
    holds = [i for i in range(max(q["first"], start), q["last"] + 1) if truth_of(q["values"][i])]
    if not holds:
        if answer["ok"] or not re.search("does not hold at any moment|never|no value|optimised out", answer["error"]):
            fail("%s: it does not hold, but: %s" % (what, answer.get("text", answer.get("error"))))
        return
    if not answer["ok"]:
        fail("%s: %s, but it holds at step %d" % (what, answer["error"], holds[0]))
    wanted = None if not q["local"] and holds[0] == 0 else holds[0]
    if walk.places.get(moment(answer)) != wanted:
        fail("%s: went to step %s, not %s\n%s" % (what, walk.places.get(moment(answer)), wanted, answer["text"]))


def check_watch(walk, q, start, direction, made, answer):
    """continue and bcontinue go to the nearest change of the watched value; the first write of a
    local is a change."""
    if is_looked_at(q) or not made["ok"]:
        return
    what = "watch %s in %s at step %d, %s" % (q["expression"], q["function"], q["at"], direction)
    found = changes(walk, q, max(q["first"], start), q["last"])
    if q["local"] and start > q["first"]:
        found.insert(0, (start - 1, start, None, q["values"][start]))
    if direction == "continue":
        expected = [c for c in found if c[1] > q["at"]][:1]
    else:
        expected = [c for c in found if c[0] < q["at"]][-1:]
    place = walk.places.get(moment(answer))
    if expected and expected[0][2] is None and q["local"] and place != expected[0][1 if direction == "continue" else 0]:
        # The first write may be of what others had left there: then nothing has changed.
        found.remove(expected[0])
        expected = [c for c in found if c[1] > q["at"]][:1] if direction == "continue" else []
    if not expected:
        if answer["reason"] == "watchpoint" and place is not None and q["first"] <= place <= q["last"]:
            fail("%s: stops at step %s, but nothing changes\n%s" % (what, place, answer["text"]))
        return
    wanted = expected[0][1 if direction == "continue" else 0]
    if answer["reason"] != "watchpoint" or place != wanted:
        fail("%s: %s at step %s, not %s\n%s" % (what, answer["reason"], place, wanted, answer["text"]))
    if expected[0][3] is not None and number(answer.get("new")) != expected[0][3]:
        fail("%s: became %s, not %s" % (what, answer.get("new"), expected[0][3]))


def main():
    walk = Walk()
    if len(walk.moments) < 200:
        fail("only %d moments" % len(walk.moments))
    questions = make_questions(walk, ROUNDS)
    slow_look(walk, questions)
    conditions = [dict(q, expression=q["condition"]) for q in questions]
    slow_look(walk, conditions)
    commands = []
    for q in questions:
        for ask in ("history " + q["expression"], "until " + q["condition"], "buntil " + q["condition"],
                    "first " + q["condition"]):
            commands += go_to(walk, q) + [ask]
        for ask in ("continue", "bcontinue"):
            commands += go_to(walk, q) + ["watch " + q["expression"], ask, "delete"]
    said = converse(commands)
    for n, (q, c) in enumerate(zip(questions, conditions)):
        answers = said[22 * n:22 * (n + 1)]
        check_history(walk, q, answers[2])
        start = written_from(answers[2], walk, q)
        check_condition(walk, c, start, "until", answers[5])
        check_condition(walk, c, start, "buntil", answers[8])
        check_first(walk, c, start, answers[11])
        check_watch(walk, q, start, "continue", answers[14], answers[15])
        check_watch(walk, q, start, "bcontinue", answers[19], answers[20])
    print("%d moments, %d questions" % (len(walk.moments), 6 * len(questions)))


main()
