# show() prints, on one line, the signal at which the program has stopped: its number, its code, and
# the field to which the code gives a meaning. Addresses are shown only where the program chose
# them.
import gdb


def field(path):
    return int(gdb.parse_and_eval("$_siginfo._sifields." + path))


def rest(number, code):
    if code == -2:
        return "timer value %d" % field("_timer.si_sigval.sival_int")
    if code == -1:
        return "value %d" % field("_rt.si_sigval.sival_int")
    if number == 17 and code > 0:
        return "status %d" % field("_sigchld.si_status")
    if code in (0, -6):
        return "from itself" if field("_kill.si_pid") == gdb.selected_inferior().pid else "from?"
    address = field("_sigfault.si_addr")
    if number in (4, 8) and address:
        here = int(gdb.parse_and_eval("(unsigned long)$pc"))
        return "at the instruction" if here == address else "elsewhere"
    return "%#x" % address if address < 0x100000 else "somewhere"


def show():
    number = int(gdb.parse_and_eval("$_siginfo.si_signo"))
    code = int(gdb.parse_and_eval("$_siginfo.si_code"))
    print("SIGNAL %d code %d %s" % (number, code, rest(number, code)))
    return number
