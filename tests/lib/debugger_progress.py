"""What is shown of movements that take a while: on opening, forward, backward, to a moment; and that they can be interrupted.

    debugger_progress.py EBB RECORDING      a run without hits of `never`, some seconds long
"""
import shutil
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
# Ctrl-C while the recording opens: the session stops at the moment that it has reached, and moves
# both ways from there.
OPENED = [
    ("opening-interrupt", b"", b"Interrupted on the way to the end: this is tick "),
    ("opening-how-on", b"", b"'goto end' goes on."),
    ("opening-prompt", b"", b"(ebb) "),
    ("opening-looks", b"bookmark early\rprint sum > 0\r", b"1\n"),
    ("opening-back", b"goto start\r", b"At the start of the recording"),
    ("opening-again", b"goto early\r", b"(ebb) "),
    ("opening-on", b"goto end\r", b"At the end of the recording: exited with status 0"),
    ("opening-early", b"goto early\rprint sum > 0\r", b"1\n"),
]
OPENED_GDB = [
    ("opening-gdb-interrupt", b"", b"interrupted on the way to the end: this is "),
    ("opening-gdb-how-on", b"", b"'ebb goto end' goes on"),
    ("opening-gdb-prompt", b"", b"(gdb) "),
    ("opening-gdb-looks", b"print sum > 0\r", b"= 1"),
    ("opening-gdb-on", b"ebb goto end\r", b"_exit"),
]


def end(name, terminal):
    terminal.type(b"\x03")
    status = terminal.end()
    print(f"ok {name}-done" if status == 0 else f"FAIL {name}-done: status {status}")


def interrupt_opening(command, shown, prompt):
    """On a busy machine the end may be reached before the Ctrl-C is typed: then it is tried again."""
    for _ in range(20):
        terminal = Terminal(ebb, command, recording)
        while shown not in terminal.plain() and prompt not in terminal.plain() and terminal.more():
            pass
        terminal.type(b"\x03")
        while prompt not in terminal.plain() and terminal.more():
            pass
        if b"nterrupted on the way to the end" in terminal.plain():
            break
        terminal.type(b"\x03")
        terminal.end()
    return terminal


terminal = Terminal(ebb, "replay", recording)
terminal.follow(STEPS)
end("progress", terminal)
terminal = interrupt_opening("replay", b"(Ctrl-C stops)", b"(ebb) ")
terminal.follow(OPENED)
end("opening", terminal)
if shutil.which("gdb"):
    terminal = interrupt_opening("gdb", b"going to the end", b"(gdb) ")
    terminal.follow(OPENED_GDB)
    end("opening-gdb", terminal)
else:
    print("skip opening-gdb: there is no gdb")
