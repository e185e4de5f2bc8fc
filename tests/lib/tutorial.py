"""Follows a page of docs: does what its transcripts show, and replaces the answers by those of ebb.

    tutorial.py EBB PAGE RESULT      run where the program is; RESULT becomes the page as it must be

In a block between fences, a line after "$ " is a command of the shell, and one after "(ebb) " one of
the debugger that `ebb replay` opened.  Everything else in a block that has such lines is an answer.
"""
import os
import pty
import select
import shlex
import subprocess
import sys
import time

ebb, tutorial, result = sys.argv[1:4]
SECONDS = 120


def blocks(lines):
    """(first, last) of what is between fences, if there is something to be done in it."""
    fences = [n for n, line in enumerate(lines) if line.startswith("```")]
    for first, last in zip(fences[::2], fences[1::2]):
        if any(line.startswith(("$ ", "(ebb) ")) for line in lines[first + 1:last]):
            yield first + 1, last


def run(command, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS, check=False, **more)
    return done.stdout.decode("utf-8", "replace")


def run_in_terminal(command):
    """The same with a terminal as output, as a reader has it: a program that crashes has written
    its complete lines."""
    terminal, side = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=side, stderr=side) as started:
        os.close(side)
        said = b""
        until = time.monotonic() + SECONDS
        while select.select([terminal], [], [], max(0, until - time.monotonic()))[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # EIO: all who had it open have ended
                break
            said += piece
        else:
            started.kill()
        os.close(terminal)
    return said.decode("utf-8", "replace").replace("\r\n", "\n")


def answers_of(opening, commands):
    """What a session says at first, and of each command."""
    given = [word for command in commands for word in ("-c", command)]
    said = run([ebb, *shlex.split(opening)[1:], "-c", "set echo on", *given]).splitlines()
    answers, waiting = [[]], list(commands)
    for line in said:
        if waiting and line == "> " + waiting[0]:
            answers.append([])
            waiting.pop(0)
        else:
            answers[-1].append(line)
    return answers


def follow(steps):
    """The answer to each step, in order."""
    answers = []
    for n, step in enumerate(steps):
        if step.startswith("$ ebb replay"):
            session = []
            for later in steps[n + 1:]:
                if not later.startswith("(ebb) "):
                    break
                session.append(later[len("(ebb) "):])
            answers += answers_of(step[2:], session)
        elif step.startswith("$ "):
            os.environ["PATH"] = os.path.dirname(ebb) + ":" + os.environ["PATH"]
            answers.append(run_in_terminal(["bash", "-c", step[2:]]).splitlines())
    return answers


lines = open(tutorial, encoding="utf-8").read().split("\n")
steps = [line for first, last in blocks(lines) for line in lines[first:last]
         if line.startswith(("$ ", "(ebb) "))]
answers = iter(follow(steps))
written, done = [], 0
for first, last in blocks(lines):
    written += lines[done:first]
    for line in lines[first:last]:
        if line.startswith(("$ ", "(ebb) ")):
            written += [line, *next(answers, ["(it was not heard)"])]
    done = last
written += lines[done:]
open(result, "w", encoding="utf-8").write("\n".join(written))
