"""Answers over time against a slow look at every instruction of every thread.

    ways.py EBB WALK PROGRAM RECORDING SEED ROUNDS KIND      KIND: plain (-O0) or optimised

WALK (walk.c) prints every step of the run of ways.c from main on, with what its memory is after
each.  From that the calls of functions and the values of expressions are known at every moment.
Then ebb is asked, at random moments, in random frames of random threads:

    history EXPR, history -l EXPR, -n N, from A to B     each change, its instruction and thread
    until EXPR, buntil EXPR, until COND, buntil COND     where it stops
    first COND                                           the first moment at which it held
    watch [-l] EXPR; continue, bcontinue                 the nearest change
    changes from A to B                                  what differs, and who changed it last

Locals are asked about in the plain program only: there they have one place in their frame.
"""
import bisect
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

EBB, WALK, PROGRAM, RECORDING, SEED, ROUNDS, KIND = sys.argv[1:8]
rng = random.Random(SEED)
PLAIN = KIND == "plain"
MAPPED = 0x10000000


def fail(text):
    print("seed %s, %s: %s" % (SEED, KIND, text))
    sys.exit(1)


class Unknown(Exception):
    """The walk has not looked there."""


# --- expressions ----------------------------------------------------------------------------------

class Value:
    """An expression: `at(memory, frame)` is its address, `form` what lies there as struct has it."""

    def __init__(self, text, at, form, bits=None):
        self.text, self.at, self.form, self.bits = text, at, form, bits

    def address(self, memory, frame):
        return self.at(memory, frame)

    def size(self):
        return struct.calcsize("<" + self.form)

    def read(self, memory, frame):
        """A tuple of numbers, or None: a pointer leads nowhere."""
        address = self.at(memory, frame)
        raw = None if address is None else memory.read(address, self.size())
        if raw is None:
            return None
        found = struct.unpack("<" + self.form, raw)
        return (found[0] >> self.bits[0] & ((1 << self.bits[1]) - 1),) if self.bits else found


def fixed(text, symbol, offset, form, bits=None):
    return Value(text, lambda memory, frame: SYMBOLS[symbol] + offset, form, bits)


def local(text, name, form, offset=0):
    v = Value(text, lambda memory, frame: frame.cfa + OFFSETS[frame.function, name] + offset, form)
    v.slots = [(name, offset, v.size())]
    return v


def through(text, pointer, offset, form, bits=None):
    def at(memory, frame):
        led = pointer.read(memory, frame)
        return None if led is None or led[0] == 0 else led[0] + offset
    v = Value(text, at, form, bits)
    v.slots = getattr(pointer, "slots", [])
    return v


def of_thread(text, name, form):
    return Value(text, lambda memory, frame: OWN[name], form)


CHAIN = fixed("chain", "chain", 0, "Q")
HEAP = fixed("heap", "heap", 0, "Q")
LENT = fixed("lent", "lent", 0, "Q")
PAGE = fixed("mapped", "mapped", 0, "Q")
GLOBALS = [
    fixed("total", "total", 0, "i"), fixed("signalled", "signalled", 0, "i"), fixed("rounds", "rounds", 0, "i"),
    fixed("wide[1]", "wide", 8, "q"), fixed("wide[3]", "wide", 24, "q"), fixed("wide[5]", "wide", 40, "q"),
    fixed("mean", "mean", 0, "d"), fixed("never", "never", 0, "i"), fixed("turn", "turn", 0, "i"),
    fixed("pool[1].value", "pool", 24, "i"), fixed("pool[1].high", "pool", 24 + 16, "H", (5, 9)),
    fixed("pool[2].low", "pool", 48 + 16, "B", (0, 5)), fixed("pool[0].value", "pool", 0, "i"),
    fixed("(unsigned char)text[6]", "text", 6, "B"), fixed("*(short *)(text + 4)", "text", 4, "h"),
    fixed("*(int (*)[3])(text + 3)", "text", 3, "iii"), CHAIN, HEAP, LENT,
    through("chain->value", CHAIN, 0, "i"), through("heap->value", HEAP, 0, "i"), through("heap->small", HEAP, 4, "h"),
    through("chain->next->value", through("chain->next", CHAIN, 8, "Q"), 0, "i"),
    through("*lent", LENT, 0, "i"), through("mapped[3]", PAGE, 12, "i"),
    Value("*(int *)%#x" % (MAPPED + 12), lambda memory, frame: MAPPED + 12, "i"),
]
LOCALS = {
    "descend": [local("mine", "mine", "i"), local("kept", "kept", "i"), local("unused", "unused", "i"),
                local("depth", "depth", "i"), local("at", "at", "Q"), through("at->value", local("at", "at", "Q"), 0, "i"),
                through("*above", local("above", "above", "Q"), 0, "i"),
                through("at->high", local("at", "at", "Q"), 16, "H", (5, 9))],
    "leaf": [local("a", "a", "i"), local("twice", "twice", "i"), through("*out", local("out", "out", "Q"), 0, "i")],
    "on_signal": [local("here", "here", "i"), local("number", "number", "i")],
    "interrupted": [local("seen", "seen", "i")],
    "strings": [local("(unsigned char)local[4]", "local", "B", 4)],
    "kernel": [local("pair.b", "pair", "i", 4), local("pair.a", "pair", "i"), local("(unsigned char)local[1]", "local", "B", 1),
               local("ends[1]", "ends", "i", 4)],
    "heaps": [local("i", "i", "i"), local("more", "more", "Q"), through("more[1].value", local("more", "more", "Q"), 24, "i")],
    "pages": [local("at", "at", "Q"), through("at[3]", local("at", "at", "Q"), 12, "i")],
    "thrown": [local("before", "before", "i"), local("depth", "depth", "i")],
    "work": [local("count", "count", "i"), local("theirs", "theirs", "Q"), through("*theirs", local("theirs", "theirs", "Q"), 0, "i")],
    "main": [local("shared", "shared", "i"), local("up", "up", "i")],
}
CONDITIONS = [("({}) > 2", lambda v: v > 2), ("({}) == 0", lambda v: v == 0), ("({}) != 3", lambda v: v != 3),
              ("!({})", lambda v: not v), ("({}) >= 1 && ({}) < 30", lambda v: 1 <= v < 30)]


# --- the walk -------------------------------------------------------------------------------------

class Memory:
    """What was read of it, page by page; a page that is not there is None."""

    def __init__(self):
        self.pages, self.there = {}, {}

    def put(self, address, raw):
        for n, byte in enumerate(raw):
            self.pages[address + n] = byte

    def set_there(self, address, size, there):
        self.there[address // 4096] = (address, address + size, there)

    def read(self, address, size):
        """None: there is no memory, and never is; what is not mapped now counts as zeros."""
        for a in {address // 4096, (address + size - 1) // 4096}:
            if a not in self.there:
                if address < 0x10000:
                    return None
                raise Unknown
            start, end, there = self.there[a]
            if address // 4096 == a and address < start or (address + size - 1) // 4096 == a and address + size > end:
                raise Unknown
            if not there:
                return bytes(size)
        return bytes(self.pages.get(address + n, 0) for n in range(size))


class Frame:
    def __init__(self, function, thread, cfa, begin, return_pc):
        self.function, self.thread, self.cfa, self.begin, self.return_pc = function, thread, cfa, begin, return_pc
        self.end = None    # the first step at which its stack is given up
        self.gone = None   # where its return address is executed or overwritten: where ebb says that it ends


class Walk:
    def __init__(self, lines):
        self.moments, self.threads, self.rsp, self.calls, self.writes, self.differences, self.maps = [], [], [], [], [], [], []
        for line in lines:
            kind, *rest = line.split()
            if kind == "S":
                self.moments.append((int(rest[0], 16), int(rest[1], 16)))
                self.threads.append(int(rest[2]))
                self.rsp.append(int(rest[3], 16))
                self.calls.append(rest[4] == "1")
                self.writes.append([])
                self.differences.append([])
                self.maps.append([])
            elif kind == "T":
                self.writes[-1].append((int(rest[0], 16), int(rest[1], 16)))
            elif kind == "D":
                self.differences[-1].append((int(rest[0], 16), bytes.fromhex(rest[1])))
            else:
                self.maps[-1].append((int(rest[0], 16), int(rest[1], 16), rest[2] == "1"))
        self.places = {m: i for i, m in enumerate(self.moments)}
        self.count = len(self.moments)

    def play(self):
        """Yields (step, memory at it, whether it has changed)."""
        memory = Memory()
        for i in range(self.count):
            for m in self.maps[i]:
                memory.set_there(*m)
            for d in self.differences[i]:
                memory.put(*d)
            yield i, memory, bool(self.maps[i] or self.differences[i])

    def find_frames(self, entries):
        self.frames, open_frames = [], []
        for i, memory, _ in self.play():
            for f in list(open_frames):
                if f.thread == self.threads[i] and self.rsp[i] >= f.cfa and not self.on_other_stack(f, i):
                    f.end = i
                    if self.moments[i][1] == f.return_pc:
                        f.gone = i
                    open_frames.remove(f)
            function = entries.get(self.moments[i][1])
            if function and not (self.frames and self.frames[-1].begin == i):
                raw = memory.read(self.rsp[i], 8)
                f = Frame(function, self.threads[i], self.rsp[i] + 8, i, struct.unpack("<Q", raw)[0])
                self.frames.append(f)
                open_frames.append(f)
        for f in self.frames:
            f.end = f.end or self.count
            if f.gone is None:
                f.gone = self.overwritten(f)

    def on_other_stack(self, f, i):
        return abs(self.rsp[i] - f.cfa) > 1 << 20

    def overwritten(self, f):
        """The step after the next store to the location of its return address; the end of the run
        if there is none."""
        for i in range(f.end, self.count):
            if self.threads[i] == f.thread and any(a < f.cfa and f.cfa - 8 < a + s for a, s in self.writes[i]):
                return i + 1
        return self.count - 1

    def alive(self, i, thread):
        """Frames of a thread, outermost first."""
        return [f for f in self.frames if f.thread == thread and f.begin <= i < f.end]

    def thread_at(self, i):
        return self.threads[i]

    def doers(self, i):
        """Steps that may have made what is seen at step i."""
        found = {i - 1}
        for k in range(i - 1, -1, -1):
            if self.threads[k] == self.threads[i]:
                if self.calls[k]:
                    found.add(k)
                break
        return found

    def is_doer(self, row, i):
        """Has the instruction of a row made what is seen at step i?  A signal is taken between steps."""
        at = self.places.get((row["tick"], int(row["pc"], 16)))
        if at is None:
            return self.moments[i - 1] < (row["tick"], int(row["pc"], 16)) < self.moments[i]
        return at in self.doers(i) and row["thread"] == self.threads[at]


def timelines(walk, subjects):
    """For each (value, frame): lists of steps and of what it is from there on."""
    found = {s: ([], []) for s in subjects}
    bad = set()
    for i, memory, changed in walk.play():
        for s in subjects:
            value, frame = s
            if s in bad or (frame and not frame.begin <= i <= min(frame.gone, walk.count - 1)):
                continue
            steps, values = found[s]
            if steps and not changed:
                continue
            try:
                now = value.read(memory, frame)
            except Unknown:
                bad.add(s)
                continue
            if not steps or now != values[-1]:
                steps.append(i)
                values.append(now)
    return {s: t for s, t in found.items() if s not in bad and t[0]}


def value_at(timeline, i):
    steps, values = timeline
    n = bisect.bisect_right(steps, i) - 1
    return values[n] if n >= 0 else None


# --- ebb ------------------------------------------------------------------------------------------

def converse(commands):
    commands = ["handle SIGUSR1 nostop noprint pass"] + commands
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
    return answers[2:]


def moment(answer):
    return answer["moment"]["tick"], int(answer["moment"]["pc"], 16)


def numbers(text):
    """The numbers of a value's text; None: it has none there."""
    if text is None or text.startswith("<"):
        return None
    text = re.sub(r"\([^()]*\*\)|<[^>]*>|'[^']*'|\"[^\"]*\"", " ", text)
    return tuple(float(n) if "." in n else int(n, 0) for n in re.findall(r"-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?)", text))


def place(walk, row):
    return walk.places.get((row["tick"], int(row["pc"], 16)))


# --- what the walk says ---------------------------------------------------------------------------

def first_write(walk, value, frame):
    """The step at which everything that the expression reads of its frame has been written, and the
    step after; None: never."""
    last = None
    for name, offset, size in getattr(value, "slots", []):
        start = frame.cfa + OFFSETS[frame.function, name] + offset
        for i in range(frame.begin, frame.gone):
            if any(a < start + size and start < a + s for a, s in walk.writes[i]) or any(
                    a < start + size and start < a + len(raw) for a, raw in walk.differences[i + 1]):
                last = i if last is None else max(last, i)
                break
        else:
            return None
    return last


def changes_of(timeline, start, end):
    """(step at which it is seen, old, new) in (start, end]."""
    steps, values = timeline
    return [(steps[n], values[n - 1], values[n]) for n in range(1, len(steps)) if start < steps[n] <= end]


class Question:
    """An expression at a step, in a frame of a thread."""

    def __init__(self, walk, value, frame, timeline, i):
        self.value, self.frame, self.timeline, self.i = value, frame, timeline, i
        self.thread = frame.thread if frame else walk.threads[i]
        self.start, self.end, self.written = 0, walk.count - 1, None
        if frame:
            self.end = min(frame.gone, walk.count - 1)
            self.written = first_write(walk, value, frame)
            self.start = frame.begin if self.written is None else self.written + 1

    def changes(self):
        if self.frame and self.written is None:
            return []
        return changes_of(self.timeline, self.start, self.end)

    def __str__(self):
        where = " in %s (from step %d)" % (self.frame.function, self.frame.begin) if self.frame else ""
        return "%s%s at step %d" % (self.value.text, where, self.i)


def go_to(walk, q, levels):
    tick, pc = walk.moments[q.i]
    commands = ["goto %d:%#x" % (tick, pc)]
    if q.thread != walk.threads[q.i]:
        commands.append("thread %d" % q.thread)
    else:
        commands.append("info moment")
    commands.append("frame %d" % levels if q.frame else "info moment")
    return commands


# --- checks ---------------------------------------------------------------------------------------

def check_rows(walk, what, rows, expected):
    """The rows (newest first) are the expected changes (oldest first)."""
    rows = list(reversed(rows))
    if len(rows) != len(expected):
        fail("%s: %d changes, not %d:\n  %s\n  %s" % (
            what, len(rows), len(expected), [(place(walk, r), r["old"], r["new"]) for r in rows], expected))
    for row, (seen, old, new) in zip(rows, expected):
        if not walk.is_doer(row, seen):
            fail("%s: %s -> %s at step %s, not %s" % (what, row["old"], row["new"], place(walk, row), seen - 1))
        if numbers(row["old"]) != old or numbers(row["new"]) != new:
            fail("%s: %s -> %s, not %s -> %s at step %d" % (what, row["old"], row["new"], old, new, seen))


def since_main(walk, rows):
    return [r for r in rows if (r["tick"], int(r["pc"], 16)) >= walk.moments[0]]


def has_none(answer):
    return not answer["ok"] and re.search("no value|leads nowhere|not mapped|cannot be read|has no memory", answer["error"])


def check_history(walk, q, answer, start=None, end=None, most=None):
    what = "history " + str(q)
    expected = q.changes()
    if start is not None:
        what += " from step %d to %d" % (start, end)
        expected = [c for c in expected if start < c[0] <= end]
    if not answer["ok"]:
        if has_none(answer) and not expected:
            return
        fail("%s: %s" % (what, answer["error"]))
    rows = since_main(walk, answer["changes"])
    if most:
        what += " -n %d" % most
        if answer["more"] != (len(expected) > most) and not (answer["more"] and not q.frame):
            fail("%s: more is %s, but there are %d" % (what, answer["more"], len(expected)))
        expected = expected[-most:]
    elif answer["more"] or answer["left_out"]:
        fail("%s: there are said to be more" % what)
    check_rows(walk, what, rows, expected)
    first = answer.get("first")
    if q.frame and q.written is not None and start is None and not most:
        if not first:
            fail("%s: no first write, but it is at step %d" % (what, q.written))
        if place(walk, first) not in walk.doers(q.written + 1):
            fail("%s: first written at step %s, not %d" % (what, place(walk, first), q.written))
        if numbers(first["new"]) != value_at(q.timeline, q.written + 1):
            fail("%s: first written as %s, not %s" % (what, first["new"], value_at(q.timeline, q.written + 1)))
    if first and q.frame and q.written is None:
        fail("%s: first written at step %s, but it is never written" % (what, place(walk, first)))


def check_stop(walk, what, answer, expected, direction, said):
    """`expected`: (step at which it is seen, new value) or None."""
    stopped = answer["ok"] and re.search(said, answer["reason"] + " " + answer["text"]) is not None
    at = walk.places.get(moment(answer)) if answer["ok"] else None
    if not answer["ok"]:
        if expected is None or has_none(answer):
            return
        fail("%s: %s" % (what, answer["error"]))
    if expected is None:
        if stopped and at is not None:
            fail("%s: stops at step %s, but there is nothing\n%s" % (what, at, answer["text"]))
        return
    seen, new = expected
    wanted = {seen} if direction == "forward" else walk.doers(seen)
    if not stopped or at not in wanted:
        fail("%s: at step %s, not %s\n%s" % (what, at, wanted, answer["text"]))
    if new is not None and answer.get("new") is not None and numbers(answer["new"]) != new:
        fail("%s: became %s, not %s" % (what, answer["new"], new))


def nearest_change(walk, q, direction):
    """The change of a value that until or buntil comes to; the first write of a local is one."""
    found = [(c[0], c[2]) for c in q.changes()]
    if q.frame and q.written is not None:
        found.insert(0, (q.written + 1, value_at(q.timeline, q.written + 1)))
    if direction == "forward":
        return next((c for c in found if c[0] > q.i), None)
    # what is done by the instruction at the moment itself lies ahead; a call under way, too
    before = [c for c in found if c[0] <= q.i]
    return before[-1] if before else None


def check_value(walk, q, direction, answer, said, word):
    what = "%s %s" % (word, q)
    expected = nearest_change(walk, q, direction)
    if q.frame and expected and q.written is not None and expected[0] == q.written + 1:
        # a first write of what others had left there is no change of the memory
        if value_at(q.timeline, q.written) == expected[1]:
            later = [c for c in q.changes() if c[0] > q.i]
            at = walk.places.get(moment(answer)) if answer["ok"] else None
            if at not in walk.doers(expected[0]) | {expected[0]}:
                expected = (later[0][0], later[0][2]) if later and direction == "forward" else None
    check_stop(walk, what, answer, expected, direction, said)


def truths(q, test):
    """(step, truth) from the start of its coverage on."""
    steps, values = q.timeline
    found = [(q.start, value_at(q.timeline, q.start))] + [
        (s, v) for s, v in zip(steps, values) if q.start < s <= q.end]
    return [(s, v is not None and bool(test(v[0]))) for s, v in found]


def became_true(q, test):
    found, before = [], not q.frame and truths(q, test)[0][1]
    for step, now in truths(q, test):
        if now and not before:
            found.append(step)
        before = now
    return found


def check_condition(walk, q, condition, direction, answer):
    text, test = condition
    what = "%s %s of %s" % ("until" if direction == "forward" else "buntil", text, q)
    if q.frame and q.written is None:
        return
    found = became_true(q, test)
    if direction == "forward":
        expected = next((s for s in found if s > q.i), None)
    else:
        expected = next((s for s in reversed(found) if s <= q.i), None)
    check_stop(walk, what, answer, expected and (expected, None), direction, "becomes true here|has become true")


def check_first(walk, q, condition, answer):
    text, test = condition
    what = "first %s of %s" % (text, q)
    holds = [] if q.frame and q.written is None else [s for s, now in truths(q, test) if now]
    if not holds:
        if answer["ok"]:
            fail("%s: it does not hold, but: %s" % (what, answer["text"]))
        return
    if not answer["ok"]:
        fail("%s: %s, but it holds at step %d" % (what, answer["error"], holds[0]))
    at = walk.places.get(moment(answer))
    if not q.frame and holds[0] == 0:
        if at is not None and at > 0:
            fail("%s: went to step %s, but it holds at the start" % (what, at))
    elif at != holds[0]:
        fail("%s: went to step %s, not %s\n%s" % (what, at, holds[0], answer["text"]))


def check_changes(walk, lines, a, b, answer):
    what = "changes from step %d to %d" % (a, b)
    if not answer["ok"]:
        if "is not there at the" in answer["error"]: # the thread
            return
        fail("%s: %s" % (what, answer["error"]))
    listed = {c["name"]: c for c in answer["changes"] if "level" not in c and not c["pointer"]}
    for (value, frame), timeline in lines.items():
        if frame or value.text == "mapped[3]" or not re.fullmatch(r"[a-z]+(\[\d\])?(\.[a-z]+)?", value.text):
            continue
        old, new = value_at(timeline, a), value_at(timeline, b)
        got = listed.get(value.text)
        if (got is not None) != (old != new):
            fail("%s: %s was %s, is %s, listed: %s" % (what, value.text, old, new, got))
        if got and (numbers(got["old"]), numbers(got["new"])) != (old, new):
            fail("%s: %s was %s, is %s, listed as %s -> %s" % (what, value.text, old, new, got["old"], got["new"]))
        if got:
            last = changes_of(timeline, a, b)[-1][0]
            if not walk.is_doer(got["by"], last):
                fail("%s: %s was changed at step %d, not %s" % (what, value.text, last - 1, place(walk, got["by"])))


# --- all of it ------------------------------------------------------------------------------------

def symbols_of(program):
    said = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return {w[2]: int(w[0], 16) for w in (line.split() for line in said.splitlines()) if len(w) == 3}


def find_offsets(walk):
    """Where the locals of a function are in its frame: ebb is asked once for each."""
    names = [(f, n) for f in LOCALS for n in sorted({s[0] for v in LOCALS[f] for s in v.slots})]
    commands, frames = [], {}
    for f, n in names:
        frames[f] = frames.get(f) or next((x for x in walk.frames if x.function == f), None) or fail("%s is not called" % f)
        inside = next(i for i in range(frames[f].begin + 8, frames[f].end) if walk.threads[i] == frames[f].thread)
        commands += ["goto %d:%#x" % walk.moments[inside], "frame function %s" % f, "print &%s" % n]
    for (f, n), a in zip(names, converse(commands)[2::3]):
        if not a["ok"]:
            fail("&%s in %s: %s" % (n, f, a["error"]))
        OFFSETS[f, n] = int(re.search("0x[0-9a-f]+", a["value"]).group(), 16) - frames[f].cfa


def choose(walk, lines):
    """A question about a random value, at a moment at which its frame lives."""
    subjects = sorted(lines, key=lambda s: (s[0].text, s[1].begin if s[1] else -1))
    with_frame, without = [s for s in subjects if s[1]], [s for s in subjects if not s[1]]
    value, frame = rng.choice(with_frame if with_frame and rng.random() < 0.6 else without)
    low, high = (frame.begin, frame.end - 1) if frame else (0, walk.count - 1)
    i = rng.randint(low, high)
    if rng.random() < 0.6: # near a change, or at it
        steps = [s for s in lines[value, frame][0] if low <= s <= high]
        if steps:
            i = min(max(rng.choice(steps) + rng.choice([-1, 0, 0, 1]), low), high)
    return Question(walk, value, frame, lines[value, frame], i)


def find_levels(walk, questions):
    """The level of each question's frame, by ebb's backtrace."""
    commands = []
    for q in questions:
        commands += go_to(walk, q, 0)[:2] + ["backtrace"]
    levels = []
    for q, a in zip(questions, converse(commands)[2::3]):
        if not q.frame:
            levels.append(0)
            continue
        alive = [f for f in walk.alive(q.i, q.thread)]
        shown = [f for f in a["frames"] if f["function"] in LOCALS]
        names = [f["function"] for f in reversed(shown)]
        if names != [f.function for f in alive]:
            if q.frame.function == "thrown": # in the middle of siglongjmp
                levels.append(None)
                continue
            fail("%s: the backtrace is %s, not %s" % (q, names, [f.function for f in alive]))
        levels.append(list(reversed(shown))[alive.index(q.frame)]["level"])
    return levels


def ask(walk, lines, count):
    questions = [choose(walk, lines) for _ in range(count)]
    levels = find_levels(walk, questions)
    commands, checks = [], []

    def add(q, level, command, check):
        commands.extend(go_to(walk, q, level) + [command])
        checks.append((len(commands) - 1, check))

    for q, level in zip(questions, levels):
        if level is None:
            continue
        text, condition = q.value.text, rng.choice(CONDITIONS)
        said = condition[0].replace("{}", text)
        most = rng.randint(1, 4)
        a, b = sorted([rng.randrange(walk.count), rng.randrange(walk.count)])
        stretch = "from %d:%#x to %d:%#x" % (walk.moments[a] + walk.moments[b])
        add(q, level, "history " + text, lambda r, q=q: check_history(walk, q, r))
        add(q, level, "history %s -n %d" % (text, most), lambda r, q=q, most=most: check_history(walk, q, r, most=most))
        add(q, level, "history %s %s" % (text, stretch), lambda r, q=q, a=a, b=b: check_history(walk, q, r, a, b))
        for word, direction in (("until", "forward"), ("buntil", "backward")):
            add(q, level, "%s %s" % (word, text), lambda r, q=q, w=word, d=direction: check_value(
                walk, q, d, r, "^until ", w))
            if single(q):
                add(q, level, "%s %s" % (word, said), lambda r, q=q, c=condition, d=direction: check_condition(walk, q, c, d, r))
        if single(q):
            add(q, level, "first " + said, lambda r, q=q, c=condition: check_first(walk, q, c, r))
        for word, direction in (("continue", "forward"), ("bcontinue", "backward")):
            add(q, level, "watch " + text, lambda r: None)
            commands.append(word)
            checks.append((len(commands) - 1, lambda r, q=q, w=word, d=direction, made=len(commands) - 2: answers[made]["ok"] and check_value(
                walk, q, d, r, "^watchpoint ", "watch, " + w)))
            commands.append("delete")
        where = location(walk, q)
        if where:
            add(q, level, "history -l " + text, lambda r, w=where: check_history(walk, w, r))
        add(q, level, "changes " + stretch, lambda r, a=a, b=b: check_changes(walk, lines, a, b, r))
    answers = converse(commands)
    for index, check in checks:
        check(answers[index])
    return len(checks)


def single(q):
    """Can the expression be used in a condition? Not if it follows a pointer to memory that is not
    mapped: there it is false, not 0."""
    return len(q.timeline[1][0] or (0,)) == 1 and q.value.text not in ("mapped[3]", "at[3]")


def location(walk, q):
    """The memory that the expression means at the moment, as a value of its own over the whole run;
    None: there is none."""
    if q.value.bits or q.value.text.startswith("("):
        return None
    for i, memory, _ in walk.play():
        if i == q.i:
            try:
                address = q.value.address(memory, q.frame)
                if address is None or memory.read(address, q.value.size()) is None or not memory.there[address // 4096][2]:
                    return None
            except Unknown:
                return None
            break
    value = Value("-l %s = %#x" % (q, address), lambda memory, frame: address, q.value.form)
    line = timelines(walk, [(value, None)]).get((value, None))
    return line and Question(walk, value, None, line, q.i)


def main():
    global SYMBOLS, OFFSETS, OWN
    SYMBOLS, OFFSETS, OWN = symbols_of(PROGRAM), {}, {}
    said = subprocess.run([WALK, RECORDING, hex(SYMBOLS["main"]), "%#x+64" % MAPPED], capture_output=True, text=True)
    if said.returncode:
        fail("the walk: " + said.stderr)
    walk = Walk(said.stdout.splitlines())
    if PLAIN:
        walk.find_frames({SYMBOLS[f]: f for f in LOCALS})
        find_offsets(walk)
    subjects = [(v, None) for v in GLOBALS]
    if PLAIN:
        subjects += [(v, f) for f in walk.frames for v in LOCALS[f.function]]
    lines = timelines(walk, subjects)
    missing = [v.text for v in GLOBALS if (v, None) not in lines]
    if missing:
        print("not looked at: %s" % ", ".join(missing))
    count = ask(walk, lines, int(ROUNDS))
    print("%d steps, %d subjects, %d questions" % (walk.count, len(lines), count))


main()
