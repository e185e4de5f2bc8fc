"""The help of each command of the debugger: its form, and that its examples are accepted.

    debugger_help.py EBB RECORDING PLACE

Help is the syntax, other names, an empty line, one sentence that begins with a capital letter and
ends with a full stop, details, and two different examples; one is enough where the command has
hardly any arguments.  Each example is typed at PLACE, with breakpoints, a displayed expression and
a bookmark.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

ebb, recording, place = sys.argv[1:]

NUMBERED = ("delete", "disable", "enable", "condition", "ignore", "commands", "quit", "undisplay")
MARK = "next example"

# What an example may be refused for: the program is not one in Go; there is no terminal here.
ALLOWED = {"clear": "no breakpoint at", "loop_break": "while", "loop_continue": "while", "goroutine": r"Go|goroutine", "layout": r"terminal|full screen"}


def ask(commands):
    """The answer to each command, as `ebb replay --json` gives it, without that of the opening."""
    done = subprocess.run([ebb, "replay", "--json", recording], input="\n".join(commands) + "\n",
                          capture_output=True, text=True, timeout=500)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return answers[1:]


def names():
    text = ask(["help all"])[0]["text"]
    return re.findall(r"^  ([\w-]+) +\S", text, re.M)


def parse(text):
    """(what is wrong, or None; the examples)"""
    lines = text.rstrip("\n").split("\n")
    heads = [n for n, line in enumerate(lines) if line in ("Example:", "Examples:")]
    if "" not in lines or not heads:
        return "no empty line or no examples", []
    empty, examples = lines.index(""), heads[0]
    sentence = lines[empty + 1]
    if empty not in (1, 2):
        return "it does not begin with its syntax", []
    if not re.fullmatch(r"[A-Z][^.]*\.", sentence):
        return "not one sentence: '%s'" % sentence, []
    if max(len(line) for line in lines[empty:]) > 100:
        return "a line is longer than 100 columns", []
    given = lines[examples + 1:]
    if len(given) not in (1, 2) or not all(re.match(r"    \S", line) for line in given):
        return "not one or two examples", []
    if len(given) != len(set(given)):
        return "the same example twice", []
    return None, [line.strip() for line in given]


def judge(name, why):
    print("FAIL help-%s: %s" % (name, why) if why else "ok help-%s" % name)


commands = names()
if len(commands) < 50:
    print("FAIL help: 'help all' lists only %d commands" % len(commands))
    sys.exit(1)
texts = dict(zip(commands, (a.get("text", "") for a in ask(["help " + n for n in commands]))))


ARRIVE = ["break " + place, "break insert", "goto start", "continue", "continue", "continue"]


def given(name, example, arrive):
    """What is done before an example, so that there is something for it to work on."""
    commands = arrive + ["display total", "bookmark bad"]
    if name in ("down", "down-silently"):
        commands += ["up", "up"]
    if name in ("undo", "redo"):
        commands += ["next", "next", "next"]
    if name == "redo":
        commands += ["undo 3"]
    if name == "skip" and "delete" in example:
        commands.append("skip list_check")
    return commands


def script(name, example, arrive):
    before = ["define " + example.split()[1], "end"] if name == "document" else []
    block = name in ("commands", "define", "document", "if", "while")
    return given(name, example, arrive) + before + [example] + (["silent" if name == "commands" else "echo a", "end"] if block else [])


def refused(name, example, answers):
    """Why the example is not accepted; None if it is."""
    answer = next((a for a in answers if a["cmd"] == example), None)
    if not answer:
        return None if name == "quit" else "no answer to the example '%s'" % example
    if not answer["ok"] and not re.search(ALLOWED.get(name, "$^"), answer["error"]):
        return "the example '%s' is refused: %s" % (example, answer["error"])
    return None


def alone(name, example):
    """The answers to an example and to what follows it, in a session of its own."""
    return ask(script(name, example, ARRIVE))[len(given(name, example, ARRIVE)):]


def together(pairs):
    """The same for each of (name, example) in one session, which goes to the place once and then
    returns to its bookmark."""
    again = ["break " + place, "break insert", "goto spot"]
    commands = ARRIVE + ["bookmark spot"]
    for name, example in pairs:
        commands += ["delete", "undisplay", "echo " + MARK] + script(name, example, again)
    parts = []
    for answer in ask(commands):
        if answer["cmd"] == "echo " + MARK:
            parts.append([])
        elif parts:
            parts[-1].append(answer)
    parts += [[]] * (len(pairs) - len(parts))
    return [part[len(given(name, example, again)):] for (name, example), part in zip(pairs, parts)]


# Breakpoint 1 is the first of its session, so that examples which name it have sessions of their
# own; the others share one.
problems, shared, answers = {}, [], {}
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for name in commands:
        problems[name], examples = parse(texts[name])
        for example in examples:
            if name in NUMBERED:
                answers[name, example] = pool.submit(alone, name, example)
            else:
                shared.append((name, example))
    for pair, part in zip(shared, pool.submit(together, shared).result()):
        problems[pair[0]] = problems[pair[0]] or refused(*pair, part)
    for pair, part in answers.items():
        problems[pair[0]] = problems[pair[0]] or refused(*pair, part.result())
for name in commands:
    judge(name, problems[name])
