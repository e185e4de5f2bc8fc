# Drives gdb through random commands on a recording: threads, forward and backward.
#
# Loaded by gdb (see tests/lib/gdb_driver.sh), with its orders in the environment:
#
#   DRIVER_SEED, DRIVER_COMMANDS   which commands, how many
#   DRIVER_STATES                  the file to which each state goes that gdb was led to, one JSON
#                                  object on a line: tests/gdb/driver_check.py holds it against
#                                  what ebb says of that moment
#
# What is judged here is the thread: after a step it is the one that was stepped, unless something
# of another thread's stopped it; with the others locked it is always that one; and a SIGTRAP that
# nothing explains is never a stop.  A line `wrong: ...` is a failure, as is the lack of the last
# line, `driven: N commands, N stops`.

import json
import os
import random
import re
import time

import gdb

FUNCTIONS = ("work", "note", "ping", "put", "take", "live", "handle", "spin", "multiply", "meet",
             "sem_wait", "sem_post", "pthread_mutex_lock", "pthread_cond_wait")
STEPS = ("step", "next", "stepi", "nexti")
REGISTERS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11",
             "r12", "r13", "r14", "r15", "rip")
LOCKS = ("off", "off", "replay", "step", "on")
NO_STOP = re.compile("not being run|outermost|not meaningful|no function|Cannot find bounds|"
                     "No line number|can't|Cannot|doesn't have|No symbol|not defined|No frame|"
                     "no debugging|Function|not available|Couldn't|is not", re.IGNORECASE)


class Driver:
    def __init__(self):
        self.random = random.Random(int(os.environ["DRIVER_SEED"]))
        self.wanted = int(os.environ["DRIVER_COMMANDS"])
        self.states = open(os.environ["DRIVER_STATES"], "w")
        self.lock = "off"
        self.events = []
        self.stops = self.given = 0
        self.left_life = False  # the last movement has: what followed it is a jump
        self.said = []
        gdb.events.stop.connect(self.events.append)

    # --- what gdb says -----------------------------------------------------------------------

    def execute(self, command):
        """What it printed; None if gdb refused it."""
        self.given += 1
        self.said.append(command)
        began = time.monotonic()
        try:
            return gdb.execute(command, to_string=True)
        except gdb.error as error:
            text = str(error)
            if not NO_STOP.search(text):
                self.wrong("'%s' says: %s" % (command, text))
            return None
        finally:
            if os.environ.get("DRIVER_SHOW"):
                print("(%s: %.2f s)" % (command, time.monotonic() - began), flush=True)

    def wrong(self, what):
        print("wrong: %s; after: %s" % (what, " | ".join(self.said[-12:])), flush=True)

    # --- states ------------------------------------------------------------------------------

    def words(self, address):
        try:
            return bytes(gdb.selected_inferior().read_memory(address, 64)).hex()
        except gdb.error:
            return None

    def backtrace(self):
        """The addresses of the frames that the stack has: none that was inlined or tail-called.
        (What is in no function is a guess of gdb's, where code has no unwind information.)"""
        pcs, frame = [], gdb.newest_frame()
        try:
            while frame is not None and len(pcs) < 6 and (not pcs or frame.name()):
                if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                    pcs.append(frame.pc())
                frame = frame.older()
        except gdb.error:
            pass
        return pcs

    def place(self):
        where = gdb.execute("monitor where", to_string=True)
        found = re.search(r"thread (\d+), tick (\d+):(0x[0-9a-f]+)", where)
        return {"tick": int(found.group(2)), "pc": int(found.group(3), 16),
                "running": int(found.group(1)), "tid": gdb.selected_thread().ptid[1],
                "ends": bool(re.search(r"at the (start|end)", where))}

    def state(self):
        frame = gdb.newest_frame()
        registers = {name: int(frame.read_register(name)) & (2 ** 64 - 1) for name in REGISTERS}
        return {
            **self.place(), "registers": registers, "stack": self.words(registers["rsp"]),
            "total": self.total, "data": self.words(self.total),
            "backtrace": self.backtrace(), "after": self.said[-3:],
        }

    def note_state(self, before=None, command=None):
        """Where it has led, and from where: ebb has the same movement if nothing can stop it."""
        state = self.state()
        if command and before["running"] == before["tid"] and self.is_free():
            state["moved"] = {"command": command, "from": before}
        self.states.write(json.dumps(state) + "\n")
        return state

    # --- movements ---------------------------------------------------------------------------

    def is_step(self, command):
        return command.split()[0].replace("reverse-", "") in STEPS

    def is_of_another(self, event):
        return isinstance(event, (gdb.BreakpointEvent, gdb.SignalEvent))

    def is_free(self):
        return (not gdb.breakpoints() and not self.events_of_others() and
                "Forward" in gdb.execute("show exec-direction", to_string=True))

    def events_of_others(self):
        return any(self.is_of_another(event) for event in self.events)

    def judge(self, command, before):
        event = self.events[-1] if self.events else None
        thread = gdb.selected_thread()
        if thread is None:
            return self.wrong("no thread is selected after '%s'" % command)
        if isinstance(event, gdb.SignalEvent) and event.stop_signal == "SIGTRAP":
            self.wrong("'%s' ends with SIGTRAP" % command)
        ended = self.place()["ends"]
        moved = thread.ptid[1] != before
        stepped = self.is_step(command) or command.endswith("finish")
        # `finish` continues all threads unless scheduler-locking is on for every command (gdb's
        # manual, "All-Stop").
        locked = self.lock == "on" or (self.lock == "step" and self.is_step(command))
        if moved and locked:
            self.wrong("'%s' with locked threads went from %d to %d" % (command, before,
                                                                        thread.ptid[1]))
        if moved and stepped and not ended and not self.is_of_another(event):
            self.wrong("'%s' went from thread %d to %d" % (command, before, thread.ptid[1]))

    def move(self, command):
        before = self.place()
        self.left_life = False
        del self.events[:]
        if self.execute(command) is None:
            return
        self.stops += 1
        self.judge(command, before["tid"])
        state = self.note_state(before, command)
        self.left_life = not self.life[0] <= state["tick"] <= self.life[1]
        if self.left_life:
            self.jump()

    def with_place(self, name):
        return name if name == "until" else name + " " + self.random.choice(FUNCTIONS[:10])

    def move_turned_round(self, name):
        """Those without a twin go back by `set exec-direction`."""
        self.execute("set exec-direction reverse")
        self.move(self.with_place(name))
        self.execute("set exec-direction forward")

    def random_movement(self):
        r = self.random
        name = r.choice(STEPS * 3 + ("finish", "continue", "continue", "until", "advance"))
        if name in ("advance", "until"):
            if r.random() < 0.5:
                return self.move_turned_round(name)
            return self.move(self.with_place(name))
        back = "reverse-" if r.random() < 0.6 else ""
        count = "" if name == "finish" or r.random() < 0.7 else " %d" % r.randint(2, 6)
        return self.move(back + name + count)

    # --- all else ----------------------------------------------------------------------------

    def there_and_back(self):
        """An instruction forward and back is where one was, and the other way round."""
        before = self.state()
        if before["tid"] != before["running"]:
            return  # it may be in a call: a step forward ends that
        self.move("reverse-stepi")
        if self.left_life:
            return  # and is elsewhere now
        between = self.state()
        if between["tid"] != before["tid"] or self.events_of_others():
            return
        if (between["tick"], between["pc"]) == (before["tick"], before["pc"]):
            return
        self.move("stepi")
        if self.left_life or self.events_of_others():
            return
        after = self.state()
        if after["tid"] != before["tid"] or after["registers"] != before["registers"]:
            self.wrong("reverse-stepi and stepi lead elsewhere: %s" % [
                (name, hex(before["registers"][name]), hex(after["registers"][name]))
                for name in REGISTERS if before["registers"][name] != after["registers"][name]])

    def select_thread(self):
        threads = gdb.selected_inferior().threads()
        thread = self.random.choice(threads)
        if self.random.random() < 0.8:
            self.execute("thread %d" % thread.num)
        else:
            self.said.append("switch %d" % thread.num)
            thread.switch()
        if gdb.selected_thread().ptid != thread.ptid:
            self.wrong("thread %d cannot be selected" % thread.num)
        self.note_state()

    def look(self):
        self.execute(self.random.choice(("info threads", "thread apply all backtrace 2",
                                         "backtrace", "info registers", "frame", "up")))

    def set_breakpoint(self):
        r = self.random
        if len(gdb.breakpoints() or ()) >= 4:
            self.execute("delete")
        where = r.choice(FUNCTIONS)
        tail = ""
        if r.random() < 0.3:
            tail = " thread %d" % r.choice(gdb.selected_inferior().threads()).num
        elif r.random() < 0.2:
            tail = " if rounds % 2 == 0"
        self.execute(r.choice(("break ", "break ", "tbreak ")) + where + tail)

    def set_watchpoint(self):
        self.execute("delete")
        self.execute(self.random.choice(("watch total", "watch rounds", "rwatch rounds")))

    def set_lock(self):
        self.lock = self.random.choice(LOCKS)
        self.execute("set scheduler-locking " + self.lock)

    def jump(self):
        self.execute("ebb goto %d" % self.random.randint(*self.life))

    def find_life(self):
        """The ticks from main on: what comes before is the dynamic linker's, and long."""
        def tick():
            where = gdb.execute("monitor where", to_string=True)
            return int(re.search(r"tick (\d+)", where).group(1))
        end = tick()
        for command in ("ebb goto start", "tbreak main", "continue"):
            gdb.execute(command, to_string=True)
        self.total = int(gdb.parse_and_eval("(unsigned long) &total"))
        return tick(), end - 1

    def one(self):
        choices = ((self.random_movement, 60), (self.there_and_back, 6), (self.select_thread, 10),
                   (self.look, 6), (self.set_breakpoint, 7), (self.set_watchpoint, 2),
                   (self.set_lock, 2), (self.jump, 5), (lambda: self.execute("delete"), 2))
        action = self.random.choices([c[0] for c in choices], [c[1] for c in choices])[0]
        action()
        if self.lock == "on" and self.random.random() < 0.2:
            self.lock = "off"
            self.execute("set scheduler-locking off")

    def drive(self):
        for command in ("set confirm off", "set pagination off", "set width 0",
                        "set print thread-events off"):
            gdb.execute(command, to_string=True)
        self.life = self.find_life()
        while self.given < self.wanted:
            self.one()
        self.states.close()
        print("driven: %d commands, %d stops" % (self.given, self.stops), flush=True)


Driver().drive()
