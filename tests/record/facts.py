"""Holds two readers of a real log against one another, and looks for each fact that a log can tell.

    facts.py EBB READ-RECORDING RECORDING

Prints a line per case, as the suites do.
"""
import json
import subprocess
import sys

ebb, second, recording = sys.argv[1:4]


def say(name, right, why=""):
    print(f"ok {name}" if right else f"FAIL {name}: {why}")


def lines(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()[:200]


def tracks():
    info = subprocess.run([ebb, "info", "--json", recording], stdout=subprocess.PIPE, timeout=300)
    return range(len(json.loads(info.stdout)["tracks"]))


def without_text(event):
    return {name: value for name, value in event.items() if name != "text"}


events = []
for track in tracks():
    first, first_said = lines(ebb, "dump", "--json", f"--track={track}", recording)
    other, other_said = lines(second, f"{recording}/track-{track}.log")
    first = [without_text(event) for event in first]
    differs = next((n for n, pair in enumerate(zip(first, other)) if pair[0] != pair[1]), None)
    say(f"readers-agree-{track}", first and differs is None and len(first) == len(other),
        f"{len(first)} and {len(other)} events, the first that differs is {differs} {first_said}{other_said}")
    events += other


def seen(name, kind, test):
    say(name, any(event["kind"] == kind and test(event) for event in events), "in no event")


for number, name in ((1, "more"), (2, "compared"), (4, "waited"), (8, "interrupted"), (16, "refused")):
    if name != "more":
        seen(f"call-{name}", "syscall", lambda e, bit=number: e["flags"] & bit)
seen("call-more", "start", lambda e: e["flags"] & 1)
seen("start-faults", "start", lambda e: e["flags"] & 2)
for number, name in enumerate(("handled", "ignored", "died")):
    seen(f"signal-{name}", "signal", lambda e, fate=number: e["fate"] == fate)
seen("signal-synchronous", "signal", lambda e: e["flags"] & 1 and e["fate"] == 0)
seen("signal-fatal-fault", "signal", lambda e: e["flags"] & 1 and e["fate"] == 2 and e["signal"] == 11)
seen("signal-in-call", "signal", lambda e: e["flags"] & 2)
seen("signal-handler", "signal", lambda e: int(e["handler"], 16) and int(e["frame"], 16))
seen("entry", "entry", lambda e: e["entry"] == e["pc"] and int(e["stack"], 16))
seen("switch-waits", "switch", lambda e: e["reason"] == 0)
seen("switch-ends", "switch", lambda e: e["reason"] == 3)
seen("shared", "shared", lambda e: e["pieces"])
seen("vfork", "fork", lambda e: True)
seen("mapped", "map", lambda e: e["path"])
seen("end", "end", lambda e: e["signal"] == 11)

alone, more = False, False
for event in events:
    alone = alone or (event["kind"] == "data" and not more)
    more = event["kind"] in ("start", "syscall", "shared", "data") and event["flags"] & 1
say("data-alone", alone, "no DATA stands alone")
