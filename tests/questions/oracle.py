"""Asks ebb and gdb the same questions about one recording, at the same moments.

    oracle.py EBB RECORDING PROGRAM SEED [OPTION=VALUE]...

    stops=N     as many moments (20)
    count=N     as many questions about each frame (15)
    frames=N    as many frames of each moment (3)
    clobbered=1 gdb shows wrong values of outer frames (clang)
    language=L  c, c++, rust, go, fortran (c)
    only=finish only what the functions return; only=places: only where functions are
    plain=1     no values of variables: their language has a check of its own
    functions=N,N...  these functions; without it, those that gdb lists
    wide=1      more registers, and memory in all formats (0)
    places=N    where the breakpoints, lines and symbols of as many functions are (0)
    keep=DIR    leaves the questions and both answers there

ebb runs to functions of the program and to random places after them; in_gdb.py makes up the
questions there and asks gdb; then ebb is asked.  rules.py says what agrees.  Prints each
disagreement, and at the end `N agree, M differ`.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import rules

HERE = os.path.dirname(os.path.abspath(__file__))


def say(text):
    print(text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0"))


def talk(ebb, recording, commands, scratch):
    """What ebb answers to each command."""
    path = os.path.join(scratch, "commands")
    with open(path, "w") as out:
        out.write("\n".join(commands) + "\n")
    done = subprocess.run([ebb, "replay", "--json", recording, "-x", path], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1800)
    answers = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").split("\n") if line.startswith("{")]
    if len(answers) != len(commands) + 1:
        print("ebb answered %d of %d commands: %s" % (len(answers) - 1, len(commands), done.stderr.decode()[-600:]))
    return answers[1:]


def functions_of(program):
    """Names of the functions that have debug information."""
    done = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "info functions -n", program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    found = set()
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        match = re.match(r"\d+:\t(?:.*[ *&])?([A-Za-z_][\w:.]*)\(", line)
        if match and not re.match(r"std::|core::|alloc::|__|_start|decltype|bool$|delete|new$|operator|(runtime|internal|sync|syscall|unicode|reflect)[./]",
                                  match.group(1)):
            found.add(match.group(1))
    return sorted(found)


def choose_stops(ebb, recording, program, options, scratch):
    rng = random.Random("stops %s" % options["seed"])
    functions = options["functions"].split(",") if options["functions"] else functions_of(program)
    rng.shuffle(functions)
    options["functions"] = functions[:options["places"]]
    functions = functions[:options["stops"]]
    commands = ["set context 0", "info address main"]
    for function in functions:
        commands += ["goto start", "tbreak %s" % function, "continue", "backtrace 40"]
        for _ in range(options["after"]):
            commands += [rng.choice(("next", "next 2", "step", "stepi %d" % rng.randint(1, 30))), "backtrace 40"]
        commands.append("delete")
    answers = talk(ebb, recording, commands, scratch)
    start = rules.symbols(program).get("main") or rules.symbols(program).get("main.main")
    options["bias"] = int(answers[1].get("address", start), 16) - int(start, 16)
    stops, hit, seen = [], False, set()  # what is inlined where ebb stops before it is no frame there
    for answer in answers:
        command = answer["cmd"]
        if command == "continue":
            hit = answer.get("reason") == "breakpoint"
            fresh = True
        if command == "backtrace 40" and hit and answer["ok"]:
            moment = "%d:%s" % (answer["moment"]["tick"], answer["moment"]["pc"])
            if moment not in seen:
                seen.add(moment)
                stops.append({"moment": moment, "finish": fresh and len(answer["frames"]) > 1,
                              "places": not stops})
            fresh = False
    commands = []
    for stop in stops:
        commands += ["goto %s" % stop["moment"], "backtrace 40"]
    for stop, answer in zip(stops, talk(ebb, recording, commands, scratch)[1::2]):
        stop["frames"] = [(f["level"], f["function"] or "") for f in answer["frames"]]
        inlined = answer["frames"] and answer["frames"][0]["inlined"]
        stop["finish"] = stop["finish"] and not inlined
    return stops


def ask_gdb(ebb, recording, options, stops, scratch):
    """gdb's answers.  It dies of some questions ("internal problem"), and is then asked the others."""
    asked, answered = os.path.join(scratch, "table.json"), os.path.join(scratch, "gdb.json")
    args = [ebb, "gdb", recording, "--", "-nx", "-batch", "-ex", "python IN=%r; OUT=%r" % (asked, answered),
            "-x", os.path.join(HERE, "in_gdb.py")]
    answers, deadly, said = [], [], ""
    while len(answers) < len(stops):
        if len(deadly) > 20:
            sys.exit("gdb did not answer: %s" % said[-2000:])
        with open(asked, "w") as out:
            json.dump(dict(options, stops=stops, first=len(answers), deadly=deadly), out)
        open(answered, "w").close()
        done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
        said = done.stdout.decode("utf-8", "replace")
        with open(answered) as lines:
            answers += [json.loads(line) for line in lines]
        if len(answers) < len(stops):
            with open(answered + ".last") as last:
                deadly.append(last.read())
    return answers


def ask_ebb(ebb, recording, stops, answers, scratch):
    commands, places = ["set context 0"], []
    for number, stop in enumerate(stops):
        commands.append("goto %s" % stop["moment"])
        level = -1
        for at, (wanted, question, _) in enumerate(answers[number]):
            if wanted != level:
                commands.append("frame %d" % wanted)
                level = wanted
            places.append((len(commands), number, at))
            commands.append(question)
            if question.startswith("break "):
                commands.append("delete")
    said = talk(ebb, recording, commands, scratch)
    return {(number, at): said[place] for place, number, at in places if place < len(said)}


def main():
    ebb, recording, program, seed = sys.argv[1:5]
    options = {"seed": seed, "stops": 20, "count": 15, "frames": 3, "after": 1, "places": 0, "wide": 0, "only": "", "plain": 0, "functions": "", "language": "c", "keep": ""}
    for argument in sys.argv[5:]:
        name, _, value = argument.partition("=")
        options[name] = int(value) if value.isdigit() else value
    with tempfile.TemporaryDirectory() as made:
        scratch = options["keep"] or made
        stops = choose_stops(ebb, recording, program, options, scratch)
        answers = ask_gdb(ebb, recording, options, stops, scratch)
        ours = ask_ebb(ebb, recording, stops, answers, scratch)
    options["program"] = rules.Program(program, options["bias"])
    agree, differ = 0, 0
    for number, stop in enumerate(stops):
        for at, (level, question, gdb) in enumerate(answers[number]):
            mine = ours.get((number, at))
            why = rules.differ(question, level, gdb, mine, options) if mine else "no answer"
            if why:
                differ += 1
                said = mine and (mine["text"].rstrip("\n") if mine["ok"] else "error: " + mine["error"])
                say("goto %s, frame %d: %s  [%s]\n    gdb  %s\n    ebb  %s" % (
                    stop["moment"], level, question, why, gdb.replace("\n", "\n         "),
                    (said or "(nothing)").replace("\n", "\n         ")))
            else:
                agree += 1
    say("%d agree, %d differ" % (agree, differ))


main()
