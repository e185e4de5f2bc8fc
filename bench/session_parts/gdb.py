# The time that gdb takes for the same movements. bench/session sources this file in gdb on a
# recording (EBB_BENCH=ebb), and in gdb on the program itself with gdb's own means (EBB_BENCH=gdb).

import glob
import os
import time

import gdb


def seconds(*commands):
    began = time.monotonic()
    for command in commands:
        gdb.execute(command, to_string=True)
    return time.monotonic() - began


def row(what, figure, aim=""):
    print("| %s | %s | %s |" % (what, figure, aim), flush=True)


def processor_seconds(pid):
    return sum(int(open(path).read().split()[0]) for path in glob.glob("/proc/%d/task/*/schedstat" % pid)) / 1e9


def servers():
    """The process that started this gdb, and what else that process has started: one of them is the
    server, the other only waits."""
    parent = os.getppid()
    children = open("/proc/%d/task/%d/children" % (parent, parent)).read().split()
    return [parent] + [int(pid) for pid in children if int(pid) != os.getpid()]


def measured(command):
    """Seconds; and of the processor, for gdb and for ebb's server."""
    ebb = servers()
    before = processor_seconds(os.getpid()), sum(map(processor_seconds, ebb))
    took = seconds(command)
    return took, processor_seconds(os.getpid()) - before[0], sum(map(processor_seconds, ebb)) - before[1]


def small_steps_back():
    """As a user takes them, near the end.  The longest is one back over a call that calls itself, of which gdb makes two
    movements and eight questions for each call in it."""
    gdb.execute("break mark", to_string=True)
    gdb.execute("reverse-continue", to_string=True)
    gdb.execute("delete", to_string=True)
    steps = ["reverse-stepi", "reverse-step", "reverse-next", "reverse-nexti", "reverse-stepi 7"]
    took = sorted(measured(steps[n % len(steps)]) for n in range(60))
    row("gdb: small steps back, of all kinds: median, most", "%.3f s, %.3f s" % (took[30][0], took[-1][0]),
        "0.1 s, 0.3 s")
    row("the longest of these: processor time of gdb, of ebb", "%.3f s, %.3f s" % took[-1][1:])


def on_recording():
    small_steps_back()
    gdb.execute("ebb goto 50%", to_string=True)
    gdb.execute("break mark", to_string=True)
    without = min(seconds("continue") for _ in range(5))
    gdb.execute("break count if n == 12345", to_string=True)
    passed = 8192 * 177 / 1e6  # millions, from mark to mark; see spender.c
    took = min(seconds("continue") for _ in range(5))
    row("gdb: a million false conditions", "%.2f s, %.2f s more than without" %
        (took / passed, (took - without) / passed), "0.5 s")
    gdb.execute("delete", to_string=True)
    row("gdb: reverse-stepi 10000", "%.2f s" % seconds("reverse-stepi 10000"), "5 s")
    row("gdb: 1000 times reverse-stepi", "%.2f s" % seconds(*["reverse-stepi"] * 1000))
    gdb.execute("break mark", to_string=True)
    gdb.execute("reverse-continue", to_string=True)
    gdb.execute("delete", to_string=True)
    gdb.execute("up", to_string=True)
    row("gdb: reverse-next over a call", "%.3f s" % seconds("reverse-next"))
    gdb.execute("ebb goto end", to_string=True)
    gdb.execute("watch once", to_string=True)
    row("gdb: watch, reverse-continue to the last store, 1 s of native execution ago",
        "%.2f s" % seconds("reverse-continue"), "3 s")


# gdb's own recording holds a short part of the run only: it keeps 200,000 instructions, so that
# many are recorded.
def on_program():
    gdb.execute("break mark", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("delete", to_string=True)
    gdb.execute("record full", to_string=True)
    row("gdb's record full: going forward 20000 instructions", "%.2f s" % seconds("stepi 20000"))
    row("gdb's record full: reverse-stepi 10000", "%.2f s" % seconds("reverse-stepi 10000"))
    gdb.execute("record stop", to_string=True)
    calls = gdb.Breakpoint("count", internal=True)
    calls.ignore_count = 1000
    calls.condition = "n >= 0"
    row("gdb on a live process: a condition, each time it is passed", "%.0f ns" % (seconds("continue") / 1000 * 1e9))
    calls.condition = None
    calls.ignore_count = 0
    plain = calls_in(calls, 20)
    gdb.execute("set can-use-hw-watchpoints 0", to_string=True)
    gdb.execute("watch never", to_string=True)
    row("gdb's software watchpoint: 1000 calls of count(); without it", "%.2f s; %.2f s" %
        (50 * calls_in(calls, 20), 50 * plain))


def calls_in(breakpoint, count):
    breakpoint.ignore_count = count
    return seconds("continue")


gdb.execute("set pagination off")
gdb.execute("set confirm off")
on_recording() if os.environ.get("EBB_BENCH") == "ebb" else on_program()
