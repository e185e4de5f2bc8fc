"""kill_anywhere.py EBB DIRECTORY ROUNDS SEED: recordings whose processes are killed at random moments.

In each round a program of several processes is recorded, and after a random time SIGKILL ends the
program's first process, the recorder, the process that ebb's caller waits for, or all of them at
once.  Then three things are checked:

- the program is not harmed by the death of ebb's processes: it prints all that it prints natively;
- the recording, if there is one, verifies: as a whole if the recorder lived, otherwise up to where it
  is cut, with a message that says so;
- `ebb info` can describe it.

Prints a line for each kind of target, `ok NAME` or `FAIL NAME: why` with seed and round.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

SCRIPT = 'i=0; while [ $i -lt 12 ]; do i=$((i+1)); echo $i; (echo sub $i; exit $i); done; echo done'
TARGETS = ['program', 'recorder', 'front', 'all']
LIMIT = 120


def children(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children', encoding='ascii') as f:
            return [int(word) for word in f.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def name_of(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            return f.read()
    except (FileNotFoundError, ProcessLookupError):
        return b''


def is_there(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as f:
            return f.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Round:
    def __init__(self, ebb, folder, target, delay):
        self.ebb, self.target, self.delay = ebb, target, delay
        self.recording = os.path.join(folder, 'recording')
        shutil.rmtree(self.recording, ignore_errors=True)

    def processes(self, front):
        """The recorder and the program's first process; 0 where there is none yet."""
        for recorder in children(front):
            for program in children(recorder):
                return recorder, program
        return 0, 0

    def run(self):
        command = [self.ebb, 'record', '-q', '-o', self.recording, '--', 'sh', '-c', SCRIPT]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, start_new_session=True) as ebb:
            time.sleep(self.delay)
            self.recorder, self.program = self.processes(ebb.pid)
            self.started = self.program and b'ebb-engine' in name_of(self.program)
            targets = {'program': [self.program], 'recorder': [self.recorder], 'front': [ebb.pid],
                       'all': [self.recorder, ebb.pid, self.program]}[self.target]
            for pid in targets:
                if pid:
                    kill(pid)
            out, err = ebb.communicate(timeout=LIMIT)
            self.out, self.err = out.decode(), err.decode()
            self.status = ebb.returncode
        end = time.monotonic() + LIMIT
        while self.recorder and is_there(self.recorder) and time.monotonic() < end:
            time.sleep(0.01)

    def wrong(self, native):
        """What is wrong, or None."""
        if self.target in ('recorder', 'front') and self.out not in (native, ''):
            return f'the program was harmed: it printed {self.out[-60:]!r}'
        if self.target in ('recorder', 'front') and self.started and not self.out:
            return 'the program was harmed: it printed nothing'
        if not native.startswith(self.out) and self.target not in ('program', 'all'):
            return f'it printed {self.out[-60:]!r}'
        if not os.path.exists(self.recording):
            return None
        if not os.path.exists(os.path.join(self.recording, 'meta')):
            return None # killed while it was made
        return self.wrong_recording()

    def wrong_recording(self):
        verify = self.ask('replay', '--verify', '--all', self.recording)
        text = (verify.stdout + verify.stderr).decode(errors='replace')
        whole = self.target in ('program', 'front') and self.recorder
        if verify.returncode != 0 and whole:
            return f'verify ended with {verify.returncode}: {text[-300:]!r}'
        if verify.returncode not in (0, 1):
            return f'verify ended with {verify.returncode}: {text[-300:]!r}'
        if verify.returncode == 1 and 'ebb: ' not in text:
            return f'verify does not say why: {text[-300:]!r}'
        for word in ('assertion', 'fault in the engine', 'differs', 'diverge'):
            if word in text:
                return f'verify: {text[-300:]!r}'
        info = self.ask('info', self.recording)
        return None if info.returncode in (0, 1) else f'info ended with {info.returncode}'

    def ask(self, *arguments):
        return subprocess.run([self.ebb, *arguments], capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=LIMIT)


def main():
    ebb, folder, rounds, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    draw = random.Random(seed)
    native = subprocess.run(['sh', '-c', SCRIPT], capture_output=True, check=True).stdout.decode()
    begun = time.monotonic()
    subprocess.run([ebb, 'record', '-q', '-o', os.path.join(folder, 'first'), '--', 'sh', '-c', SCRIPT],
                   capture_output=True, check=True)
    usual = time.monotonic() - begun
    for target in TARGETS:
        failed = None
        for number in range(rounds // len(TARGETS)):
            one = Round(ebb, folder, target, draw.random() * usual)
            one.run()
            failed = one.wrong(native)
            if failed:
                print(f'FAIL {target} killed: seed {seed}, round {number}: {failed}')
                break
        if not failed:
            print(f'ok {target} killed')
        sys.stdout.flush()


main()
