"""Live sessions: live.py EBB SCRATCH SEED ROUNDS

Random movements in a program that runs, compared with the same movements in its recording
afterwards; Ctrl-C wherever the program is; leaving, and being killed. The terminal is a pty.
Nothing is timed: each step waits for what must appear.
"""
import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import time

EBB, SCRATCH, SEED, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
PATIENCE = int(os.environ.get("PATIENCE", 300))


def build(name):
    to = os.path.join(SCRATCH, name)
    subprocess.run(["gcc", "-g", "-O0", "-pthread", "-o", to, f"tests/live/{name}.c"], check=True)
    return to


class Failure(Exception):
    pass


def report(name, function, *args):
    try:
        function(*args)
        print("ok", name, flush=True)
    except Failure as failure:
        print(f"FAIL {name}: {str(failure)[:300]!r}", flush=True)


# --- the past of a live session -----------------------------------------------------------------


class Session:
    """ebb with --json: one answer for each line."""

    def __init__(self, *command):
        self.process = subprocess.Popen([EBB, *command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answer()

    def answer(self):
        for line in self.process.stdout:
            if line.startswith(b"{"):
                return json.loads(line)
        raise Failure("ebb has ended")

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.answer()
        if "moment" not in answer:
            raise Failure(f"{line}: {answer}")
        return answer

    def state(self):
        """What is compared: where it stands, all registers, a variable, the calls."""
        registers = self.say("info registers")
        total, calls = self.say("print total"), self.say("backtrace")
        return registers["moment"], registers["text"], total["text"], calls["text"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait(PATIENCE)


FORWARD = ["continue", "step", "next", "stepi 40", "finish", "step 3"]
BACKWARD = ["bcontinue", "bstep", "previous", "bstepi 25", "before", "bstep 3"]


def spelled(moment):
    return f"{moment['tick']}:{moment['pc']}"


def past(program, stops):
    place = os.path.join(SCRATCH, f"past-{SEED}-{len(stops)}")
    rng = random.Random(SEED)
    live = Session("debug", "--json", "-o", place, program)
    for stop in stops:
        live.say(stop)
    made, before = [], live.state()
    for n in range(ROUNDS):
        words = rng.choice(FORWARD * 2 + BACKWARD + ["goto end", "goto 40%"] if n else ["continue"])
        answer = live.say(words)
        after = live.state()
        made.append((before, words, answer.get("reason"), after))
        before = after
    live.close()
    again = Session("replay", "--json", "--start", place)
    for stop in stops:
        again.say(stop)
    for before, words, reason, after in made:
        again.say("goto " + spelled(before[0]))
        found = again.state()
        if found != before:
            raise Failure(f"seed {SEED}: at {before[0]} it was {before}, and is {found}")
        if words.startswith("goto") or reason == "end":
            continue
        answer = again.say(words)
        found = again.state()
        reasons = (reason, "end")  # the recording ends where the program was killed
        if answer.get("reason") not in reasons or found != after:
            raise Failure(f"seed {SEED}: {words} from {before[0]} led to {reason} {after[0]}, and "
                          f"leads to {answer.get('reason')} {found[0]}")
    again.close()
    if subprocess.run([EBB, "replay", "--verify", "--all", place],
                      stdout=subprocess.DEVNULL).returncode:
        raise Failure("the recording is not reproduced")


# --- at a terminal ------------------------------------------------------------------------------


class Terminal:
    def __init__(self, *command):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", NO_COLOR="1")
            os.execv(EBB, [EBB, *command])

    def until(self, wanted):
        end = time.time() + PATIENCE
        while wanted not in self.seen:
            if not select.select([self.fd], [], [], max(0, end - time.time()))[0]:
                raise Failure(f"no {wanted!r} after {self.seen[-200:]!r}")
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                raise Failure(f"ended without {wanted!r}: {self.seen[-200:]!r}")
            self.seen += more
        before, self.seen = self.seen.split(wanted, 1)
        return before

    def type(self, keys):
        os.write(self.fd, keys)

    def command(self, line):
        self.until(b"(ebb) ")
        self.type(line + b"\n")

    def end(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return status


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def recorded_process(terminal):
    """The program: the child of the recorder, which is the child of ebb."""
    end = time.time() + PATIENCE
    while time.time() < end:
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            if parent_of(parent_of(pid)) == terminal.pid:
                return pid
        time.sleep(0.05)
    raise Failure("the program does not run")


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def wait_until_gone(pid):
    end = time.time() + PATIENCE
    while not is_gone(pid):
        if time.time() > end:
            raise Failure("a process stays behind")
        time.sleep(0.02)


def computing_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def verified(place):
    """The recorder may still be writing."""
    end = time.time() + PATIENCE
    while subprocess.run([EBB, "replay", "--verify", place], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL).returncode:
        if time.time() > end:
            raise Failure("the recording is not reproduced")
        time.sleep(0.1)


def interrupted(program, how):
    place = os.path.join(SCRATCH, "interrupted-" + how)
    t = Terminal("debug", "-o", place, program, how)
    pid = recorded_process(t)
    for _ in range(3):
        t.command(b"continue")
        t.until(b"continue")
        time.sleep(0.1)  # it may be anywhere by then
        t.type(b"\x03")
        t.until(b"Interrupted.")
    t.command(b"bstepi")
    t.until(b"wait.c")
    t.command(b"quit")
    t.until(b"was killed")
    t.end()
    wait_until_gone(pid)
    verified(place)


def reads(program):
    place = os.path.join(SCRATCH, "reads")
    t = Terminal("debug", "-o", place, program)
    t.command(b"break main")
    t.command(b"run")
    t.until(b"Breakpoint 1, main")
    t.command(b"continue")
    t.until(b"continue")
    time.sleep(0.1)
    t.type(b"\x03")
    t.until(b"Interrupted.")
    t.command(b"print end")
    t.command(b"continue")
    t.until(b"continue")
    t.type(b"y\n")
    t.until(b"read 121")
    t.until(b"exited with status 7")
    t.command(b"bcontinue")
    t.until(b"Breakpoint 1, main")
    t.command(b"run")
    t.until(b"with --output there is room for one recording only")
    t.command(b"quit")
    t.until(b"the recording is")
    t.end()


def detaches(program):
    place = os.path.join(SCRATCH, "detaches")
    t = Terminal("debug", "-o", place, program)
    pid = recorded_process(t)
    t.command(b"tbreak add")
    t.command(b"continue")
    t.until(b"Temporary breakpoint")
    t.command(b"detach")
    t.until(b"runs on")
    t.command(b"quit")
    t.until(b"the recording is")
    t.end()
    wait_until_gone(pid)
    verified(place)


def killed(program):
    place = os.path.join(SCRATCH, "killed")
    t = Terminal("debug", "-o", place, program, "compute")
    pid = recorded_process(t)
    t.command(b"continue")
    t.until(b"continue")
    time.sleep(0.1)
    os.kill(t.pid, signal.SIGKILL)
    t.end()
    wait_until_gone(pid)
    verified(place)


def rests(program):
    """A program that is held uses no processor time."""
    place = os.path.join(SCRATCH, "rests")
    t = Terminal("debug", "-o", place, program, "compute")
    pid = recorded_process(t)
    t.command(b"continue")
    t.until(b"continue")
    time.sleep(0.1)
    t.type(b"\x03")
    t.until(b"Interrupted.")
    before = computing_time(pid)
    time.sleep(0.3)
    if computing_time(pid) != before:
        raise Failure("it computes while it stands")
    t.command(b"kill")
    t.until(b"was killed")
    wait_until_gone(pid)
    t.command(b"bstepi")
    t.until(b"wait.c")
    t.command(b"quit")
    t.until(b"the recording is")
    t.end()


def main():
    program, waits = build("past"), build("wait")
    report("past-breakpoint", past, program, ["break add"])
    report("past-condition", past, program, ["break add if total > 500", "watch total if n > 4"])
    for how in "compute", "sleep", "suspend", "read":
        report("interrupted-" + how, interrupted, waits, how)
    report("reads", reads, waits)
    report("rests", rests, waits)
    report("detaches", detaches, program)
    report("killed", killed, waits)


main()
