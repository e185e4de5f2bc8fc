"""What is shown of movements that take a while: on opening, forward, backward, to a moment; and that they can be interrupted.

    debugger_progress.py EBB RECORDING      a run without hits of `never`, some seconds long
"""
import sys

from typed_terminal import Terminal

ebb, recording = sys.argv[1:3]
STEPS = [
    ("progress-opens", b"", b"% "),
    ("progress-prompt", b"", b"(ebb) "),
    ("progress-break", b"break never\r", b"Breakpoint 1"),
    ("progress-backward", b"bcontinue\r", b"ticks back to the start (Ctrl-C stops)"),
    ("progress-backward-ends", b"", b"At the start of the recording"),
    ("progress-forward", b"delete\rbreak never if sum == 1\rcontinue\r", b"ticks on to the end"),
    ("progress-forward-ends", b"", b"At the end of the recording"),
    ("progress-again", b"watch -location rarely\rbcontinue\r", b"ticks back to the start"),
    ("progress-interrupt", b"\x03", b"Interrupted."),
    ("progress-prompt-again", b"", b"(ebb) "),
]
terminal = Terminal(ebb, "replay", recording)
terminal.follow(STEPS)
terminal.type(b"\x03")
status = terminal.end()
print("ok progress-done" if status == 0 else f"FAIL progress-done: status {status}")
