# Prints each signal that the program stops by: see siginfo.py.  $backward in gdb says in which
# direction to go.
import gdb

gdb.execute("source tests/gdb/siginfo.py")
backward = int(gdb.convenience_variable("backward") or 0)
gdb.execute("set confirm off")
last = 0
for signal in "SIGCHLD SIG35".split():
    gdb.execute("handle %s stop print pass" % signal, to_string=True)
while gdb.selected_inferior().pid:
    forward = "signal SIGTRAP" if last == 5 else "continue"  # gdb passes on all others
    gdb.execute("reverse-continue" if backward else forward, to_string=True)
    try:
        last = show()
    except gdb.error:  # the program or the recording has ended: no signal
        break
