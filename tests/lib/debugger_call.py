"""A function that does not return, called at the prompt of `ebb replay`: Ctrl-C ends the call, and the session goes on.

    debugger_call.py EBB RECORDING      of tests/debugger/calls.c
"""
import sys
import time

from typed_terminal import PATIENCE, Terminal

ebb, recording = sys.argv[1:3]
terminal = Terminal(ebb, "replay", recording)
terminal.follow([("call-prompt", b"", b"(ebb) "), ("call-begins", b"call forever()\r", b"forever()")])
# A Ctrl-C that arrives before the function runs reaches the prompt, which drops the typed line.
# Then the line is typed again.
end = time.monotonic() + PATIENCE
while b"interrupted: forever was at" not in terminal.plain() and time.monotonic() < end:
    terminal.type(b"\x03")
    for _ in range(5):
        terminal.more()
    if terminal.plain().endswith(b"(ebb) ") and b"interrupted: forever" not in terminal.plain():
        terminal.type(b"call forever()\r")
        for _ in range(5):
            terminal.more()
found = terminal.wait_for(b"interrupted: forever was at")
print("ok call-interrupted" if found else "FAIL call-interrupted: it says nothing of it")
terminal.follow([("call-after", b"\rprint add(40, 2)\r", b"42")])
status = terminal.end()
print("ok call-ends" if status == 0 else f"FAIL call-ends: status {status}")
