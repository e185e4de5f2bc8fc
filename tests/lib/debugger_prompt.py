"""The prompt of `ebb replay`, in a terminal: completion, an empty line, the history, Ctrl-C, Ctrl-D.

    debugger_prompt.py EBB RECORDING HISTORY-FILE
"""
import os
import sys

from typed_terminal import Terminal

ebb, recording, history = sys.argv[1:4]
STEPS = [
    ("prompt-opens", b"", b"(ebb) "),
    ("prompt-command", b"bac\t", b"backtrace "),
    ("prompt-runs", b"2\r", b"#1  walk"),
    ("prompt-function", b"break spo\t", b"spoil"),
    ("prompt-break", b"\r", b"Breakpoint 1 at spoil"),
    ("prompt-member", b"print nodes[3].we\t", b"weight"),
    ("prompt-value", b"\r", b"1.5"),
    ("prompt-back", b"bcontinue\r", b"Breakpoint 1, spoil"),
    ("prompt-undo", b"undo\r", b"walk"),
    ("prompt-list", b"list 1,2\r", b"A list whose end"),
    ("prompt-empty-repeats", b"\r", b"enum colour"),
    ("prompt-history", b"\x1b[A\x1b[A\r", b"no movement that can be undone"),
    ("prompt-typed", b"nonsense", b"nonsense"),
    ("prompt-interrupt", b"\x03", b"(ebb) "),
    ("prompt-after-interrupt", b"print 40 + 2\r", b"42"),
    ("prompt-file", b"list list.c\t", b"list.c:"),
    ("prompt-file-line", b"20\r", b"n->colour"),
    ("prompt-plays", b"bplay 1/s\r", b"->   47"), # minutes to the start
    ("prompt-play-interrupt", b"\x03", b"Interrupted."),
    ("prompt-play-undo", b"undo\r", b"walk"),
    ("prompt-waits", b"echo that was\x20all\\n\r", b"that was all\n(ebb) "), # what is typed before it waits may be lost
]
terminal = Terminal(ebb, "replay", recording)
worked = terminal.follow(STEPS)
if not worked:
    terminal.type(b"\x03")
status = terminal.end()
print("ok prompt-ends" if status == 0 else f"FAIL prompt-ends: status {status}")
kept = open(history).read() if os.path.exists(history) else ""
print("ok prompt-history-kept" if "spoil" in kept else "FAIL prompt-history-kept: it has no 'spoil'")
