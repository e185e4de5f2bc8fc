# Holds what gdb has seen (tests/gdb/driver.py) against what ebb's own prompt says of the same
# moments, all of them in one session.
#
# driver_check.py EBB RECORDING STATES
#
# A line for each difference, ten of them at most; the last line is `same: N states`.

import json
import subprocess
import sys


class Prompt:
    def __init__(self, ebb, recording):
        self.process = subprocess.Popen([ebb, "replay", "--json", recording], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("ebb's prompt has ended")
        return json.loads(line)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def memory(prompt, address):
    words = []
    for line in prompt.ask("x/8gx 0x%x" % address).get("text", "").splitlines():
        words += [int(word, 16) for word in line.split(":")[1].split()]
    return b"".join(word.to_bytes(8, "little") for word in words).hex()


def select(prompt, tid):
    for thread in prompt.ask("info threads")["threads"]:
        if thread["tid"] == tid:
            prompt.ask("thread %d" % thread["thread"])
            prompt.ask("frame 0")
            return True
    return False


def seen_by_ebb(prompt, state):
    at = prompt.ask("goto %d:0x%x" % (state["tick"], state["pc"]))
    if not at["ok"] or at["moment"] != {"tick": state["tick"], "pc": "0x%x" % state["pc"]}:
        return {"moment": at.get("error", at.get("moment"))}
    if not select(prompt, state["tid"]):
        return {"thread": "is not there"}
    registers = prompt.ask("info registers")
    ret = {
        "registers": {name: int(registers.get(name, "-1"), 16) for name in state["registers"]},
        "data": memory(prompt, state["total"]),
        "backtrace": [int(f["pc"], 16) for f in prompt.ask("bt 40").get("frames", [])
                      if not f["inlined"] and not f["tail"]],
    }
    if state["stack"] is not None:
        ret["stack"] = memory(prompt, state["registers"]["rsp"])
    return ret


# What gdb makes of many small steps is one movement of ebb's.  By lines the two mean the same
# only between starts of lines.
TWINS = {"stepi": "stepi", "reverse-stepi": "bstepi"}


def moved_by_ebb(prompt, move):
    """Where ebb's own movement leads; None: it has none."""
    name, _, count = move["command"].partition(" ")
    if name not in TWINS:
        return None
    begin = move["from"]
    prompt.ask("goto %d:0x%x" % (begin["tick"], begin["pc"]))
    return prompt.ask((TWINS[name] + " " + count).strip())["moment"]


def movement_differs(prompt, state):
    if "moved" not in state or state["ends"]:
        return None
    got = moved_by_ebb(prompt, state["moved"])
    if got in (None, {"tick": state["tick"], "pc": "0x%x" % state["pc"]}):
        return None
    return "'%s' from %d:0x%x: ebb goes to %s" % (
        state["moved"]["command"], state["moved"]["from"]["tick"], state["moved"]["from"]["pc"],
        got)


def shown(value):
    if isinstance(value, dict):
        return {k: hex(v) if isinstance(v, int) else v for k, v in value.items()}
    return [hex(v) for v in value] if isinstance(value, list) else value


def difference(state, found):
    for what, value in found.items():
        wanted = state.get(what)
        if what == "backtrace":  # both may give up, and do so at other places
            length = min(len(wanted), len(value), 4)
            wanted, value = wanted[:length], value[:length]
        if what == "registers" and wanted != value:
            value = {k: v for k, v in value.items() if v != wanted[k]}
            wanted = {k: wanted[k] for k in value}
        if wanted != value:
            return "%s: ebb %s, gdb %s" % (what, shown(value), shown(wanted))
    return None


def main():
    ebb, recording, path = sys.argv[1:4]
    states = {}
    with open(path) as lines:
        for line in lines:
            state = json.loads(line)
            states.setdefault((state["tick"], state["pc"], state["tid"]), []).append(state)
    prompt = Prompt(ebb, recording)
    wrong = count = 0
    for key in sorted(states):
        found = seen_by_ebb(prompt, states[key][0])
        for state in states[key]:
            count += 1
            differs = difference(state, found) or movement_differs(prompt, state)
            if differs and wrong < 10:
                print("wrong at %d:0x%x, thread %d (%s): %s" % (
                    *key, " | ".join(state["after"]), differs))
            wrong += bool(differs)
    prompt.close()
    if not wrong:
        print("same: %d states" % count)


main()
