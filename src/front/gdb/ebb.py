# ebb's own commands in gdb: 'ebb goto', 'ebb undo' and so on.  'ebb gdb' loads this file; with a
# server started by
# 'ebb serve' it can be loaded by hand: source /usr/local/share/ebb/ebb.py
#
# All of them are commands of the server ('monitor ...').  What is done here is to tell gdb that
# something has moved: it
# keeps registers, frames, memory and the values of watchpoints, and asks for none of them again
# unless it is made to.

import os
import re

import gdb

# What the server says last where a command has moved something.
HAS_MOVED = re.compile(r"^track \d+, thread \d+, tick .*$", re.MULTILINE)


LISTS_BREAKPOINTS = re.compile(r"\s*i(nfo?)?\s+b(r|re|rea|reak.*)?\s*$")


def quietly(command):
    """Runs a command of gdb, and returns what it printed."""
    return gdb.execute(command, to_string=True)


def try_quietly(*commands):
    """The first of them that this gdb knows."""
    for command in commands:
        try:
            return quietly(command)
        except gdb.error:
            pass
    return ""


def monitor(command):
    return quietly("monitor " + command)


def select_thread(tid):
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid:
            thread.switch()
            return


def select_frame_with_source():
    """The innermost frame with source, if there is one: a crash in abort() shows who called it."""
    try:
        frame = gdb.newest_frame()
        for _ in range(64):
            if frame is None:
                return
            if frame.find_sal().symtab is not None:
                frame.select()
                return
            frame = frame.older()
    except gdb.error:
        pass


def show_frame():
    try:
        gdb.execute("frame")
    except gdb.error as error:
        print(error)


def refresh_watchpoints():
    """A watchpoint remembers the value it saw last; that was at another moment."""
    for point in gdb.breakpoints() or ():
        if point.type in (gdb.BP_HARDWARE_WATCHPOINT, gdb.BP_WATCHPOINT,
                          gdb.BP_READ_WATCHPOINT, gdb.BP_ACCESS_WATCHPOINT) and point.enabled:
            try:
                point.enabled = False
                point.enabled = True
            except gdb.error:
                pass


def linker_has_list():
    """gdb would forget its libraries before the dynamic linker has made its list of them."""
    found = re.search(r"0x[0-9a-f]+", try_quietly("info address _r_debug"))
    if not found:
        return True
    try:
        pointer = gdb.selected_inferior().read_memory(int(found.group(), 16) + 8, 8)
        return any(byte != b"\0" for byte in pointer)
    except gdb.error:
        return False


def after_movement(said):
    try_quietly("maintenance flush register-cache", "flushregs")
    try_quietly("maintenance flush dcache")
    try_quietly("info threads")
    found = re.search(r"thread (\d+)", said)
    if found:
        select_thread(int(found.group(1)))
    if linker_has_list():
        try_quietly("sharedlibrary")
    refresh_watchpoints()
    show_frame()


def choose_sysroot():
    """Use files of this machine if they are those of the recording; otherwise the server's."""
    quietly("set sysroot " + ("target:" if files_changed() else "/"))


def files_changed():
    return monitor("files").startswith("changed")


class Silence:
    """What gdb says of its own accord when a program stops is not said inside of this."""

    def __enter__(self):
        try_quietly("set suppress-cli-notifications on")

    def __exit__(self, *_):
        try_quietly("set suppress-cli-notifications off")


def attach(said):
    pid = re.search(r"pid (\d+)", said).group(1)
    choose_sysroot()
    with Silence():
        quietly("file")
        quietly("attach " + pid)
    select_frame_with_source()
    show_frame()


def go_to_track(number):
    if not number:
        gdb.write(monitor("track"))
        return
    if not re.search(r"^. %s: " % re.escape(number), monitor("tracks"), re.MULTILINE):
        raise gdb.GdbError("there is no track %s; 'ebb tracks' lists them" % number)
    with Silence():
        try_quietly("detach")
    said = monitor("track " + number)
    failed = not said.startswith("track ")
    gdb.write("" if failed else said)
    attach(monitor("track") if failed else said)
    if failed:
        raise gdb.GdbError(said.replace("ebb: ", "", 1).strip())


def use_packed_sources(directory):
    """A packed recording brings its sources with it; they lie there by their whole names."""
    if os.path.isdir(directory):
        quietly("set substitute-path / " + directory)


def allow_large_watchpoints():
    """gdb reads no value larger than this, and silently ignores watchpoints on such values."""
    if gdb.parameter("max-value-size") == 65536:  # what it is unless the user has said otherwise
        quietly("set max-value-size 67108864")


def script_directories():
    """Where gdb looks for scripts that belong to libraries, such as printers of libstdc++."""
    for directory in gdb.parameter("auto-load scripts-directory").split(":"):
        yield (directory.replace("$debugdir", gdb.parameter("debug-file-directory"))
               .replace("$datadir", gdb.PYTHONDIR[:-len("/python")]))


def load_scripts(objfile):
    """gdb itself does that only for files of this machine, not for those from the server."""
    name = objfile.filename or ""
    if not name.startswith("target:") or not gdb.parameter("auto-load python-scripts"):
        return
    for directory in script_directories():
        script = directory + name[len("target:"):] + "-gdb.py"
        if os.path.isfile(script):
            quietly("source " + script)
            return


def load_all_scripts():
    for objfile in gdb.objfiles():
        load_scripts(objfile)
    gdb.events.new_objfile.connect(lambda event: load_scripts(event.new_objfile))


FAULTS = "SIGILL SIGBUS SIGFPE SIGSEGV"  # SIGTRAP is gdb's own


def tell_faults():
    """At the end: the fault that a crash handler was called for.  Some runtimes use faults."""
    said = monitor("faults")
    found = re.search("^(.*) uses faults in normal operation", said, re.MULTILINE)
    if found:
        quietly("handle %s nostop noprint pass" % FAULTS)
        gdb.write("%s uses faults in normal operation: they do not stop; 'handle SIGSEGV stop' "
                  "changes that.\n" % found.group(1))
    elif said.startswith("The program handled") and "at the end" in monitor("where"):
        gdb.write(said)


def connect(where):
    """What 'ebb gdb' begins with."""
    quietly("set confirm off")
    quietly("set sysroot /")
    use_packed_sources(os.path.join(os.path.dirname(where), "sources"))
    allow_large_watchpoints()
    with Silence():
        quietly("target extended-remote " + where)
        if files_changed():
            quietly("disconnect")
            quietly("file")
            quietly("set sysroot target:")
            quietly("target extended-remote " + where)
    load_all_scripts()
    tell_stopped()
    gdb.write(monitor("where"))
    tell_faults()
    select_frame_with_source()
    show_frame()


def goes_back():
    return "everse" in quietly("show exec-direction")


def send(packet):
    gdb.selected_inferior().connection.send_packet(packet)


def tell_selected(_event):
    """Before threads are let go to step back: gdb's packets name the one that is meant only at
    times.  (Forward they do; and other packets of gdb's may be under way then.)"""
    try:
        if not goes_back():
            return
        pid, tid, _ = gdb.selected_thread().ptid
        send("qebb.selected:p%x.%x" % (pid, tid))
        ebb_lines.tell_back()
    except (AttributeError, gdb.error, TypeError):  # another target, or gdb before 12
        pass


class Lines:
    """Tells the server which commands step by lines, and what gdb takes for a line: in a loop on
    one line, the server then takes many of gdb's steps at once (rsp_lines.c)."""

    NONE, INTO_CALLS, OVER_CALLS = 0, 1, 2
    COMMANDS = {"next": OVER_CALLS, "reverse-next": OVER_CALLS, "step": INTO_CALLS,
                "reverse-step": INTO_CALLS, "until": NONE, "advance": NONE}
    REACH = 16384  # bytes of code to each side
    MOST = 500     # ranges in one packet

    def __init__(self):
        self.kind = self.told = self.NONE
        self.cache = ()
        for command in self.COMMANDS:
            try:
                quietly("show user hook-" + command)  # the user has one; it stays
            except gdb.error:
                quietly("define hook-%s\npython ebb_lines.begin('%s')\nend" % (command, command))

    def begin(self, command):
        """The user has typed it.  What goes back is told later, when threads are let go."""
        self.kind = self.NONE if self.has_software_watchpoints() else self.COMMANDS[command]
        try:
            if not command.startswith("reverse-") and not goes_back():
                self.tell(self.kind, ())
                self.kind = self.NONE
        except (AttributeError, gdb.error, TypeError):
            pass

    def tell_back(self):
        kind, self.kind = self.kind, self.NONE
        self.tell(kind, self.ranges() if kind else ())

    def tell(self, kind, ranges):
        if kind or self.told:
            send("qebb.lines:%x%s" % (kind, "".join(";%x,%x" % line for line in ranges)))
        self.told = kind

    @staticmethod
    def has_software_watchpoints():
        """gdb looks at these after each instruction."""
        return any(point.type == gdb.BP_WATCHPOINT and point.enabled
                   for point in gdb.breakpoints() or ())

    def ranges(self):
        """Of the function that is executed, and of its caller, which a step may lead to."""
        frame = gdb.newest_frame()
        found = []
        for _ in range(2):
            while frame is not None and frame.type() == gdb.INLINE_FRAME:
                frame = frame.older()
            if frame is None:
                break
            found += self.ranges_around(frame)
            frame = frame.older()
        return found

    def ranges_around(self, frame):
        """What gdb's step takes for lines, near the frame's pc."""
        pc, block = frame.pc(), None
        inner = gdb.block_for_pc(pc)
        while inner is not None:  # the outermost one with a function is not inlined
            block = inner if inner.function is not None else block
            inner = inner.superblock
        if block is None or not block.start <= pc < block.end:
            return []
        key = (block.start, block.end, pc // 4096)
        for known, ranges in self.cache:
            if known == key:
                return ranges
        ranges = []
        at, end = max(block.start, pc - self.REACH), min(block.end, pc + self.REACH)
        while at < end and len(ranges) < self.MOST:
            line = gdb.find_pc_line(int(at))
            if not line.symtab or line.last is None or line.last < at:
                break
            ranges.append((line.pc, line.last + 1))
            at = line.last + 1
        self.cache = ((key, ranges),) + self.cache[:15]
        return ranges


def forget_locked_threads():
    """If only one thread is resumed, gdb keeps what it has read of the others.  But they move, too,
    because a recording has only one time."""
    if gdb.parameter("scheduler-locking") in ("on", "step"):
        try_quietly("maintenance flush register-cache", "flushregs")


def tell_stopped():
    """What the user has typed is over: 'ebb undo' takes it back as a whole."""
    try_quietly("maintenance packet qebb.stopped")


def after_stop(_event):
    tell_stopped()
    forget_locked_threads()


def tell_frame():
    """For the next command of ebb's: the frame that is selected."""
    try:
        try_quietly("maintenance packet qebb.frame:%x" % gdb.selected_frame().level())
    except (AttributeError, gdb.error):
        pass


class Listening:
    """Is told before threads are let go.  An `attach` of gdb 13 tells it where it has no thread
    yet, and that is the end of gdb: so nothing listens then."""

    def __init__(self):
        self.on = False
        try:
            quietly("show user hook-attach")  # the user has one; it stays
        except gdb.error:
            quietly("define hook-attach\npython listening.stop()\nend")
            gdb.events.stop.connect(self.start)
            self.start()

    def start(self, _event=None):
        if not self.on:
            gdb.events.cont.connect(tell_selected)
        self.on = True

    def stop(self):
        if self.on:
            gdb.events.cont.disconnect(tell_selected)
        self.on = False


class Ebb(gdb.Command):
    """Commands of ebb: moments, bookmarks, tracks, and all of ebb's own prompt: ebb history x,
    ebb until x > 5.  'ebb help' lists them."""

    def __init__(self):
        super().__init__("ebb", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        name, _, rest = argument.strip().partition(" ")
        if name == "connect":
            connect(rest.strip())
        elif name == "track":
            go_to_track(rest.strip())
        else:
            said = self.ask(argument.strip() or "help")
            failed = said.startswith("ebb: ")
            if failed:
                raise gdb.GdbError(said[5:].strip())
            gdb.write(said)
            if LISTS_BREAKPOINTS.match(argument):
                gdb.write("gdb's own, which stop gdb's movements:\n")
                gdb.execute("info breakpoints")
            if HAS_MOVED.search(said):
                after_movement(HAS_MOVED.search(said).group())

    def ask(self, command):
        """Ctrl-C in gdb's own waiting: it may have moved all the same."""
        tell_frame()
        try:
            return monitor(command).replace("monitor help", "ebb help")
        except KeyboardInterrupt:
            after_movement(monitor("where"))
            raise

    def complete(self, text, word):
        names = ("bcontinue", "before", "bookmark", "bookmarks", "bout", "break", "bstep", "buntil",
                 "catch", "changes", "checkpoints", "continue", "delete", "display", "faults",
                 "finish", "first", "goto", "help", "history", "info", "next", "out", "previous",
                 "print", "redo", "skip", "step", "track", "tracks", "undo", "until", "watch",
                 "where")
        return [n for n in names if n.startswith(word)] if " " not in text else []


gdb.events.stop.connect(after_stop)
ebb_lines = Lines()
listening = Listening()
Ebb()
