"""What names mean, to ebb and to gdb, in every frame of programs full of equal names.

    compare.py EBB FOLDER c|c++ SEED...

Makes the program of each seed (generate.py), stops it in its innermost function, and asks ebb's
prompt and gdb for all names in each frame. Answers that differ go to a third judge, the compiler:
the expression is compiled into the function of that frame, and what the program prints then is the
truth. So ebb must say what gdb says, or what the compiler says. What remains is what no compiler
accepts:

    several    no file that the frame's could refer to has the name, and several files have a private
               one. gdb takes one of them silently. ebb takes one of them, too, and must say so.
    more       gdb finds nothing; ebb finds something that has the name, qualified by more than was
               asked for.
    scope      an alias of a name space that is declared in another function; gdb sees it everywhere.
    whole      gdb shows something of another name space or class than was asked for.
    own        gdb shows what is private to another file, and the frame's file has the name.
    inside     `function::name`: gdb does not look into the function's inner blocks, and goes on with
               its file.
    elsewhere  `'file'::name`: the file has nothing of the name. gdb shows what is private to another
               file; ebb refuses.

Prints each difference, then `N agree, M differ`.
"""
import json
import os
import re
import subprocess
import sys

import generate

LIBRARIES = ("one", "two")


def run(args, folder=None, seconds=600):
    done = subprocess.run(args, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def compile_file(program, folder, file, version, out):
    compiler = "gcc" if program.language == "c" else "g++"
    return run([compiler, "-O0", "-g", "-gdwarf-%d" % version, "-w", "-c", "-o", out, file] +
               (["-fPIC"] if program.modules[file] else []), folder)


def link(program, folder, module, objects, out):
    compiler = "gcc" if program.language == "c" else "g++"
    if module:
        return run([compiler, "-shared", "-o", "%s/lib%s.so" % (out, module)] + objects, folder)
    paths = ["-L" + out, "-Wl,-rpath," + out, "-L.", "-Wl,-rpath," + os.path.abspath(folder)]
    return run([compiler, "-o", out + "/program"] + objects + paths + ["-lone", "-ltwo"], folder)


def objects_of(program, module):
    return [file + ".o" for file, own in program.modules.items() if own == module]


def build(program, folder, version):
    os.makedirs(folder, exist_ok=True)
    for name, text in program.files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for file in program.modules:
        code, said = compile_file(program, folder, file, version, file + ".o")
        if code:
            return said
    for module in LIBRARIES + ("",):
        code, said = link(program, folder, module, objects_of(program, module), os.path.abspath(folder))
        if code:
            return said
    return None


def build_asking(program, folder, version, file, text):
    """The program with another text of one file; None: it is no program."""
    out = os.path.abspath(folder) + "/truth"
    run(["rm", "-rf", out])
    os.makedirs(out)
    end = "." + file.split(".")[1]
    with open(os.path.join(folder, "asking" + end), "w") as f:
        f.write(text)
    module = program.modules[file]
    program.modules["asking" + end] = module
    code, _ = compile_file(program, folder, "asking" + end, version, "asking.o")
    del program.modules["asking" + end]
    for name in ([module] if module else []) + [""] if not code else []:
        objects = [o if o != file + ".o" else "asking.o" for o in objects_of(program, name)]
        code = code or link(program, folder, name, objects, out)[0]
    return None if code else out + "/program"


# --- the three who are asked ----------------------------------------------------------------------

GDB = """
import gdb, json
gdb.execute("set pagination off")
gdb.execute("set breakpoint pending on")
gdb.execute("break stop_here")
gdb.execute("run")
answers = []
frame = gdb.newest_frame()
number = 0
while frame is not None:
    gdb.execute("frame %d" % number, to_string=True)
    sal = frame.find_sal()
    here = {"function": frame.name(), "has_lines": bool(sal and sal.symtab), "answers": {}}
    for question in QUESTIONS:
        try:
            here["answers"][question] = gdb.execute("output " + question, to_string=True)
        except (gdb.error, RuntimeError) as error:
            here["answers"][question] = None
    answers.append(here)
    if frame.name() in ("main", "main()"):
        break
    frame = frame.older()
    number += 1
json.dump(answers, open(RESULT, "w"))
"""


def ask_gdb(folder, questions):
    script, result = os.path.join(folder, "ask.py"), os.path.join(folder, "gdb.json")
    with open(script, "w") as file:
        file.write("QUESTIONS = %r\nRESULT = %r\n" % (questions, os.path.abspath(result)) + GDB)
    code, said = run(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex",
                      "set startup-with-shell off", "-x", script, os.path.join(folder, "program")])
    try:
        with open(result) as file:
            return json.load(file)
    except (OSError, ValueError):
        raise SystemExit("gdb gave no answers: " + said[-600:])


def ask_ebb(ebb, folder, frames, questions):
    recording = os.path.join(folder, "recording")
    run(["rm", "-rf", recording])
    run([ebb, "record", "-q", "-o", recording, os.path.join(folder, "program")])
    args = [ebb, "replay", recording, "--json", "-c", "goto start", "-c", "break stop_here", "-c", "continue"]
    for frame in range(frames):
        args += ["-c", "frame %d" % frame]
        for question in questions:
            args += ["-c", "p " + question]
    _, said = run(args)
    answers, here = [], None
    for line in said.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        command = answer.get("cmd", "")
        if command.startswith("frame "):
            here = {}
            answers.append(here)
        elif command.startswith("p ") and here is not None:
            here[command[2:]] = (answer.get("value"), answer.get("note")) if answer.get("ok") else (None, None)
    if len(answers) != frames:
        raise SystemExit("ebb gave no answers: " + said[-600:])
    return answers


def ask_compiler(program, folder, version, mark, question):
    """The truth, or None if it is not valid there."""
    for name, text in program.files.items():
        if mark not in text:
            continue
        say = 'printf("TRUTH %%ld\\n", (long)(%s)); fflush(stdout);' % question
        if name in mark:
            say = "%svoid ask_truth(void) { %s }" % ('extern "C" ' if name.endswith(".cc") else "", say)
        asked = text.replace(mark, say)
        asking = build_asking(program, folder, version, name, asked)
        if not asking:
            return None
        _, said = run([asking])
        found = re.search(r"TRUTH (-?\d+)", said)
        return int(found.group(1)) if found else None
    return None


# --- the comparison -------------------------------------------------------------------------------

def is_address(value):
    """Of a function: it differs from run to run."""
    return (number_of(value) or 0) > 10000000


def number_of(value):
    return int(value) if value and re.fullmatch(r"-?\d+", value) else None


class Comparison:
    def __init__(self, ebb, folder, language, seed):
        self.program = generate.program(seed, language)
        self.seed = seed
        self.version = 4 + seed % 2
        self.folder = os.path.join(folder, "%s%d" % (language.replace("+", "p"), seed))
        said = build(self.program, self.folder, self.version)
        if said:
            raise SystemExit("seed %d does not compile: %s" % (seed, said[:600]))
        # A constant is shown as its name; its number tells which one it is. Functions have
        # addresses, which differ.
        self.questions = ["sizeof(%s)" % q[7:-1] if q.startswith("sizeof") else "(long)(%s)" % q
                          for q in self.program.questions]
        self.gdb = ask_gdb(self.folder, self.questions)
        self.ebb = ask_ebb(ebb, self.folder, len(self.gdb), self.questions)
        self.agree, self.judged, self.differ, self.truths = 0, {}, [], {}

    def mark(self, function):
        """Where the function's frame is in the source."""
        parts = re.sub(r"[(<].*", "", function or "").split("::")
        return "/*ASK %s*/" % "::".join(parts[-2:] if parts[-1] in ("call", "direct") else parts[-1:])

    def truth(self, mark, question):
        if (mark, question) not in self.truths:
            self.truths[mark, question] = ask_compiler(self.program, self.folder, self.version, mark, question)
        return self.truths[mark, question]

    def file_of(self, function):
        return next((file for own, file in self.program.functions if own == function), None)

    def is_called(self, value, parts):
        """Is it the whole name of the value, or its end?"""
        parts = [part for part in parts if part]
        whole = self.program.values.get(value, "").split("::")
        return len(parts) > 1 and whole[-len(parts):] == parts

    def file_in(self, function):
        mark = self.mark(function)
        return next((name for name, text in self.program.files.items() if mark in text), None)

    def is_more(self, parts, value):
        whole = self.program.values.get(value, "").split("::")
        return value is not None and (whole[-1] == parts[-1] or parts[0].startswith("fn_"))

    def judge(self, frame, question, ours, note, theirs):
        """Why our answer is right although gdb has another; None: it is wrong."""
        program = self.program
        bare = re.sub(r"^(?:\(long\)|sizeof)\((.*)\)$", r"\1", question)
        mark = self.mark(frame["function"])
        parts = tuple(bare.split("::"))
        of_file = re.match(r"'(.*)'::(.*)$", bare)
        file = of_file.group(1) if of_file else self.file_of(parts[0] if len(parts) > 1 else frame["function"])
        if parts in program.inner and (ours is None or number_of(ours) in program.values or ours == parts[1]):
            return "inside"
        if len(parts) > 1 and ours is None and program.language == "c" and program.has_not(file, parts[-1]):
            return "elsewhere"
        if of_file:
            mark = "/*ASK %s*/" % file
            question = question.replace("'%s'::" % file, "")
        if theirs is None and self.is_more(parts, number_of(ours)):
            return "more"
        if mark and not bare.startswith("fn_"):
            truth = self.truth(mark, question)
            if truth is not None:
                return "compiler" if str(truth) == ours else None
            if parts[0] in getattr(program, "aliases", ()) and ours is None:
                return "scope"
        if program.language == "c++" and ours is None and (of_file or bare.startswith("fn_")):
            return "elsewhere"
        if program.language == "c++" and theirs is not None:
            parts = tuple(getattr(program, "aliases", {}).get(parts[0], parts[0]).split("::")) + parts[1:]
            if (ours is None or self.is_called(number_of(ours), parts)) and \
                    not self.is_called(number_of(theirs), parts) and len(parts) > 1:
                return "whole"
            own = self.file_in(frame["function"])
            if own and program.where.get(number_of(ours)) == own != program.where.get(number_of(theirs)):
                return "own"
        if note and program.has_not(file, bare) and ours is not None:
            return "several"
        return None

    def compare(self):
        for number, frame in enumerate(self.gdb):
            for question in self.questions:
                ours, note = self.ebb[number].get(question, (None, None))
                theirs = frame["answers"][question]
                if is_address(ours) and is_address(theirs):
                    continue
                if ours == theirs:
                    self.agree += 1
                    continue
                why = self.judge(frame, question, ours, note, theirs)
                if why:
                    self.judged[why] = self.judged.get(why, 0) + 1
                else:
                    self.differ.append("seed %d, frame %d (%s): %s is %s, gdb says %s%s" %
                                       (self.seed, number, frame["function"], question, ours, theirs,
                                        " (%s)" % note if note else ""))


def main():
    ebb, folder, language = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    agree, differ, judged = 0, 0, {}
    for seed in sys.argv[4:]:
        c = Comparison(ebb, folder, language, int(seed))
        c.compare()
        for line in c.differ:
            print(line)
        agree += c.agree
        differ += len(c.differ)
        for why, count in c.judged.items():
            judged[why] = judged.get(why, 0) + count
    for why, count in sorted(judged.items()):
        print("%d answers are right for another reason: %s" % (count, why))
    print("%d agree, %d differ" % (agree + sum(judged.values()), differ))


main()
