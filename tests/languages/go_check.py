"""Compares what ebb shows of a Go program with what the program says of itself.

    go_check.py EBB RECORDING OUTPUT

The program has printed each variable as JSON before it came to its breakpoint; ebb is asked for
the same expressions in the caller of main.stopHere.
"""
import json
import subprocess
import sys


def ask(ebb, recording, commands):
    arguments = [word for command in commands for word in ("-c", command)]
    done = subprocess.run([ebb, "replay", "--json", recording, *arguments], capture_output=True,
                          text=True, timeout=600, stdin=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines()][1:]


def plain(data, wanted):
    """ebb's form of a value as Go's package json has it."""
    if isinstance(wanted, dict) and isinstance(data, list):
        return {str(key): plain(value, wanted.get(str(key))) for key, value in data}
    if isinstance(wanted, dict) and isinstance(data, dict):
        return {key: plain(value, wanted.get(key)) for key, value in data.items()}
    if isinstance(wanted, list) and isinstance(data, list) and len(wanted) == len(data):
        return [plain(a, b) for a, b in zip(data, wanted)]
    if isinstance(wanted, int) and isinstance(data, str) and not isinstance(wanted, bool):
        return int(data)  # too large for a number of JavaScript
    return data


def main():
    ebb, recording, output = sys.argv[1:]
    wanted = [line.rstrip("\n").split(" ", 1) for line in open(output, encoding="utf-8")
              if " " in line]
    start = ["break main.stopHere", "goto start", "continue", "up"]
    answers = ask(ebb, recording, start + ["print " + name for name, _ in wanted])[len(start):]
    good = len(answers) == len(wanted)
    for (name, text), answer in zip(wanted, answers):
        value = json.loads(text)
        if not answer["ok"] or plain(answer["data"], value) != value:
            print(f"FAIL go value {name}: {answer.get('data', answer)!r:.200} is not {value!r:.200}")
            good = False
        else:
            print(f"ok go value {name}")
    if len(answers) != len(wanted):
        print(f"FAIL go values: {len(answers)} answers to {len(wanted)} questions")
    sys.exit(0 if good else 1)


main()
