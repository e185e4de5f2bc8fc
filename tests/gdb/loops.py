# Steps over lines with and without the server's help (rsp_lines.c): both must come to the same
# moment, in the same thread, and gdb must say the same.  And until and advance of ebb's prompt
# come to where those of gdb do.
#
# Loaded by gdb, with LOOPS_SEED and LOOPS_PLACES in the environment: from so many random moments
# in main's functions, a random command. It prints `wrong: ...`, and `compared: N steps, N helped`
# at its end.

import os
import random
import re

import gdb

COMMANDS = ("next", "step", "reverse-next", "reverse-step")
FUNCTIONS = ("plain", "calling", "odd", "plus", "deep", "main", "beside", "leave", "compare")


def where():
    """Without the time, which a moment of the run has or not."""
    return re.match(r"track.*?event", gdb.execute("monitor where", to_string=True)).group()


def said_by(command):
    """What gdb prints for a stop goes to its output, so the frame is asked for as well."""
    try:
        text = gdb.execute(command, to_string=True)
    except gdb.error as error:
        text = str(error)
    thread = gdb.selected_thread()
    frame = gdb.execute("frame", to_string=True)
    return (text, thread.num if thread else 0, frame, where())


class Help:
    """Counts what the server is told, or keeps it from being told anything."""

    def __init__(self):
        self.on, self.told, self.tell = True, 0, ebb_lines.tell
        ebb_lines.tell = self

    def __call__(self, kind, ranges):
        self.told += self.on and kind > 0
        self.tell(kind if self.on else 0, ranges if self.on else ())


def is_ours():
    return gdb.newest_frame().name() in FUNCTIONS


def choose_moment(rng):
    while True:
        moment = try_moment(rng)
        if is_ours():
            return moment


def try_moment(rng):
    """Where one of the functions is entered, and a little later."""
    gdb.execute("ebb goto %d%%" % rng.randrange(101), to_string=True)
    point = gdb.Breakpoint(rng.choice(FUNCTIONS), temporary=True)
    try:
        gdb.execute(rng.choice(("continue", "reverse-continue")), to_string=True)
        for _ in range(rng.randrange(6)):
            gdb.execute(rng.choice(("next", "stepi", "nexti", "next")), to_string=True)
    except gdb.error:
        pass
    if point.is_valid():
        point.delete()
    return re.search(r"tick (\S+)", where()).group(1)


def compare(rng, helper):
    moment = choose_moment(rng)
    points = []
    if rng.random() < 0.3:
        points.append(gdb.Breakpoint(rng.choice(FUNCTIONS)))
        if rng.random() < 0.5:
            points[0].condition = "total % 3 == 1"
    lock = rng.choice(("replay", "replay", "on", "step"))
    command = rng.choice(COMMANDS)
    if rng.random() < 0.3:
        command += " %d" % rng.randrange(2, 5)
    answers, starts = [], []
    for helper.on in (True, False):
        gdb.execute("set scheduler-locking off", to_string=True)
        gdb.execute("ebb goto " + moment, to_string=True)
        gdb.execute("set scheduler-locking " + lock, to_string=True)
        starts.append(gdb.execute("frame", to_string=True))
        answers.append(said_by(command))
    helper.on = True
    gdb.execute("set scheduler-locking off", to_string=True)
    # gdb keeps how many functions that are inlined at a pc it shows as entered, also over a goto.
    if starts[0] == starts[1] and answers[0] != answers[1]:
        print("wrong: from %s, '%s' (lock %s, breakpoints %s) leads to %s, and without help to %s" %
              (moment, command, lock, [(p.location, p.condition) for p in points], *answers))
    for point in points:
        point.delete()


def compare_prompt(rng):
    """until and advance of gdb, and of ebb's prompt."""
    moment = choose_moment(rng)
    place = rng.choice(("plus", "deep", "compare", "loops.c:%d" % rng.randrange(42, 80)))
    command = rng.choice(("until", "advance " + place))
    answers = []
    for prefix in ("", "ebb "):
        gdb.execute("ebb goto " + moment, to_string=True)
        try:
            gdb.execute(prefix + command, to_string=True)
        except gdb.error as error:
            return "No line" in str(error) or print("wrong: %s says %s" % (command, error))
        answers.append((where(), gdb.newest_frame().name(), gdb.newest_frame().find_sal().line))
    if answers[0] != answers[1]:
        print("wrong: from %s, '%s' leads gdb to %s and ebb to %s" % (moment, command, *answers))


def main():
    rng = random.Random(int(os.environ["LOOPS_SEED"]))
    count = int(os.environ["LOOPS_PLACES"])
    helper = Help()
    gdb.execute("handle SIGUSR1 nostop noprint pass", to_string=True)
    gdb.execute("ebb handle SIGUSR1 nostop", to_string=True)
    for n in range(count):
        compare(rng, helper)
        if n % 2 == 0:
            compare_prompt(rng)
    print("compared: %d steps, %d helped" % (count, helper.told))


main()
