"""A terminal of the tests' own in which a program runs: something is typed, and what must appear is waited for.

Nothing is timed: PATIENCE is how long something may take before it is taken for missing.
"""
import os
import pty
import re
import select
import signal
import time

PATIENCE = 300


class Terminal:
    def __init__(self, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(command[0], command)
        self.seen = b""

    def wait_for(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.plain():
            if time.monotonic() > end or not self.more():
                return False
        self.seen = self.plain().split(text, 1)[1]
        return True

    def plain(self):
        """Without what moves the cursor."""
        return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\r", b"", self.seen)

    def more(self):
        if select.select([self.fd], [], [], 0.2)[0]:
            try:
                got = os.read(self.fd, 65536)
            except OSError:
                return False
            self.seen += got
            return bool(got)
        return True

    def type(self, text):
        os.write(self.fd, text)

    def end(self):
        """Types Ctrl-D; the status, or None: it did not end.

        libedit shows its prompt a moment before it takes over the terminal, and a Ctrl-D in between is lost: so it is typed again.
        """
        limit = time.monotonic() + PATIENCE
        again = 0
        while time.monotonic() < limit:
            if time.monotonic() > again:
                self.type(b"\x04")
                again = time.monotonic() + 2
            self.more()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None

    def follow(self, steps):
        """Each step is a name, what is typed, and what must appear; False at the first that does not."""
        for name, typed, wanted in steps:
            self.type(typed)
            if not self.wait_for(wanted):
                print(f"FAIL {name}: no {wanted!r} in {self.seen[-200:]!r}")
                return False
            print("ok", name)
        return True
