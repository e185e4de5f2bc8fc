"""Running and measuring a command, for bench/short and bench/large."""
import os
import resource
import shutil
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EBB = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build"))), "ebb")


def run(command, folder, environment):
    """The processor time of a command and all that it started; its status and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, (done.returncode, done.stdout)


def record(path, command):
    return [EBB, "record", "-q", "-o", path, "--"] + command


def recording(work):
    """A path for a recording, in a folder of its own: ext4 creates files slowly in a folder from
    which others were just removed, which a user does not do for each run."""
    return os.path.join(tempfile.mkdtemp(prefix="recording-", dir=work), "recording")


def remove(path):
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)
