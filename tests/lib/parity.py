#!/usr/bin/env python3
"""Has the prompt, JSON and gdb do each row of a table (tests/gdb/parity), and compares where they came to
and what they show.

    parity.py EBB RECORDING TABLE
"""
import json
import os
import re
import subprocess
import sys

EBB, RECORDING, TABLE = sys.argv[1:]
MARKS = os.path.join(RECORDING, "marks")


def fresh():
    """Bookmarks and undo of the row before are gone."""
    if os.path.exists(MARKS):
        os.remove(MARKS)


def rows():
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield [part.strip() for part in line.split("|")]


def commands(part):
    return [c.strip() for c in part.split(";")]


def at_prompt(part):
    """The moment at the end as TICK:PC, and what the last command said, if that is one line."""
    fresh()
    args = [EBB, "replay", RECORDING, "-c", "set echo on"]
    for command in commands(part) + ["info moment"]:
        args += ["-c", command]
    out = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300).stdout
    last = out.rsplit("> info moment\n", 1)
    tick = re.search(r"^tick +(\d+)", last[-1], re.M)
    pc = re.search(r"^pc +(0x[0-9a-f]+)", last[-1], re.M)
    said = [line for line in last[0].rstrip("\n").rsplit("> ", 1)[-1].split("\n")[1:]
            if not line.startswith("(This happened")]
    moment = "%s:%s" % (tick.group(1), pc.group(1)) if tick and pc else "error: " + out[-300:]
    return moment, said[0] if len(said) == 1 else None


def in_json(part):
    """The moment at the end as TICK:PC, and the last value."""
    fresh()
    args = [EBB, "replay", "--json", RECORDING]
    for command in commands(part):
        args += ["-c", command]
    out = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300).stdout
    answers = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    bad = [a for a in answers if not a["ok"]]
    if bad or not answers:
        return "error: %s" % (bad or out)[-1:], None
    last = answers[-1]
    return "%d:%s" % (last["moment"]["tick"], last["moment"]["pc"]), last.get("value")


def in_gdb(part):
    fresh()
    args = [EBB, "gdb", RECORDING, "--", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set width 0",
            "-iex", "set auto-load off"]
    for command in commands(part):
        args += ["-ex", "echo \\n> " + command + "\\n", "-ex", command]
    args += ["-ex", "echo \\n> where\\n", "-ex", "monitor where"]
    said = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300, env=dict(os.environ, TERM="dumb")).stdout
    last = said.rsplit("> where\n", 1)
    found = re.search(r"tick (\d+:0x[0-9a-f]+) of", last[-1]) if len(last) == 2 else None
    values = re.split(r"\n> ", last[0].rstrip("\n"))[-1].split("\n")[1:]
    return found.group(1) if found else "error: " + said[-300:], values[0] if len(values) == 1 else None


def main():
    for name, prompt, gdb in rows():
        case = "parity-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        wanted, value = in_json(prompt)
        typed, said = at_prompt(prompt)
        got, shown = in_gdb(gdb)
        if wanted != typed:
            print("FAIL %s: the prompt is at %s, JSON says %s" % (case, typed.replace("\n", " "), wanted))
        elif commands(prompt)[-1].startswith("print") and value != said:
            print("FAIL %s: the prompt shows %s, JSON %s" % (case, said, value))
        elif wanted != got or wanted.startswith("error"):
            print("FAIL %s: the prompt is at %s, gdb at %s" % (case, wanted, got.replace("\n", " ")))
        elif commands(prompt)[-1].startswith("print") and value != shown:
            print("FAIL %s: the prompt shows %s, gdb %s" % (case, value, shown))
        else:
            print("ok " + case)


main()
