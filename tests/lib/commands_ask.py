"""Types commands at ebb's prompt and into gdb, on one recording at one moment, and compares the answers.

    commands_ask.py EBB RECORDING PLACE LIST [--all]

LIST has a command per line.  A line that ends in `  => TEXT` says what is right where gdb's answer is
not the measure, and `  # REASON` says why; `\\n` in TEXT is a new line.  `?` as TEXT: any answer.

What is made equal before answers are compared:
  - "$1 = " and "type = " before a value, and blanks at the end of lines
  - bytes that are no UTF-8, which gdb's Python cannot hand over: ebb must answer at all
  - errors: where gdb refuses, ebb must refuse too, in its own words
  - ebb's note that a call happened in a copy
  - lines of source: ebb marks where one is, and aligns their numbers
  - instructions: where each is, but not how it is written (binutils and Zydis differ in that)
  - gdb's and ebb's words for what is optimised out and for memory that is not there
Prints each difference, then `N agree, M differ`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

IN_GDB = r"""
import gdb, json
for line in open(%r):
    try:
        answer = {"ok": True, "text": gdb.execute(line.rstrip("\n"), to_string=True)}
    except (gdb.error, gdb.MemoryError) as e:
        answer = {"ok": False, "text": str(e)}
    except UnicodeDecodeError:
        answer = {"ok": True, "text": "(bytes)"}
    print("@@" + json.dumps(answer), flush=True)
"""

QUIET = ["-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set style enabled off",
         "-iex", "set width 0", "-iex", "set height 0", "-iex", "set auto-load off"]


def ask_gdb(ebb, recording, place, commands):
    with tempfile.TemporaryDirectory() as folder:
        listing, script = os.path.join(folder, "list"), os.path.join(folder, "ask.py")
        with open(listing, "w") as out:
            out.write("".join(command + "\n" for command in commands))
        with open(script, "w") as out:
            out.write(IN_GDB % listing)
        go = ["-ex", "break " + place, "-ex", "reverse-continue", "-ex", "delete"]
        done = subprocess.run([ebb, "gdb", recording, "--"] + QUIET + go + ["-ex", "source " + script],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=600, env=dict(os.environ, TERM="dumb"))
    text = done.stdout.decode("utf-8", "replace")
    found = [json.loads(line[2:]) for line in text.split("\n") if line.startswith("@@")]
    if len(found) != len(commands):
        print(text[-2000:])
    return found


def ask_ebb(ebb, recording, place, commands):
    go = ["break " + place, "bcontinue", "delete"]
    args = [word for command in go + commands for word in ("-c", command)]
    done = subprocess.run([ebb, "replay", "--json", recording] + args, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    answers = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").split("\n") if line]
    return [{"ok": a["ok"], "text": a.get("text", "") if a["ok"] else a["error"]}
            for a in answers[1 + len(go):]]


def normal(text):
    text = re.sub(r"^(\$\d+|type) = ", "", text, flags=re.M)
    text = text.replace("<optimized out>", "<optimised out>")
    text = re.sub(r"<error: Cannot access memory at address (0x[0-9a-f]+)>", r"<there is no memory at \1>", text)
    text = re.sub(r"^(?:->|  ) +(\d+)  ?", r"\1\t", text, flags=re.M)
    text = re.sub(r"^\(This happened in a copy.*\n?", "", text, flags=re.M)
    text = re.sub(r"^((?:=>|  ) 0x\w+(?: <[^>]*>)?:)\t.*$", r"\1", text, flags=re.M)
    return "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))


def shown(answer):
    return ("" if answer["ok"] else "error: ") + answer["text"].rstrip("\n").replace("\n", "\n           ")


def main():
    ebb, recording, place, listing = sys.argv[1:5]
    rows = []
    with open(listing) as lines:
        for line in lines:
            command, mark, rest = line.rstrip("\n").partition("  => ")
            if command and command[0] != "#":
                rows.append((command, rest.split("  # ")[0].replace("\\n", "\n") if mark else None))
    commands = [command for command, _ in rows]
    theirs, ours = ask_gdb(ebb, recording, place, commands), ask_ebb(ebb, recording, place, commands)
    if len(theirs) != len(rows) or len(ours) != len(rows):
        print("%d commands, of which gdb answered %d and ebb %d" % (len(rows), len(theirs), len(ours)))
        return
    differ = 0
    for (command, wanted), gdb, ebb in zip(rows, theirs, ours):
        if wanted is not None:
            same = wanted == "?" or normal(ebb["text"]) == normal(wanted)
            gdb = {"ok": True, "text": wanted}
        elif gdb["text"] == "(bytes)":
            same = ebb["ok"]
        elif gdb["ok"] != ebb["ok"]:
            same = False
        else:
            same = not gdb["ok"] or normal(gdb["text"]) == normal(ebb["text"])
        if not same:
            differ += 1
        if not same or "--all" in sys.argv:
            print("%s\n    wanted %s\n    got    %s" % (command, shown(gdb), shown(ebb)))
    print("%d agree, %d differ" % (len(rows) - differ, differ))


main()
