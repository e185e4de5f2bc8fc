"""Steps that take a detour before they arrive: bound_check.py EBB RECORDING.

The functions that `step` passes, one after the other, are those that the source calls; `bstep`
passes them in the other order; many steps at once lead to where as many single ones do.
"""
import json
import subprocess
import sys

# The calls of main() in bound.cc, with what each function calls in turn.
WANTED = """main plain main plain main chosen_small main chosen_small main here chosen_small main
            tailed last tailed main make main both::two main make main based::two main""".split()


def ask(commands):
    text = "\n".join(commands) + "\n"
    done = subprocess.run([sys.argv[1], "replay", "--json", sys.argv[2]], input=text,
                          stdout=subprocess.PIPE, text=True, timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()]


def without_repeats(names):
    return [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]


def name_of(answer):
    return (answer.get("function") or "?").split("(")[0]


def main():
    wrong = []
    start = ["goto start", "tbreak main", "continue"]
    steps = 60
    answers = ask(start + ["step"] * steps)[-steps - 1:]
    ends = [i for i, a in enumerate(answers) if a.get("line") == last_line()]
    if not ends:
        print("the last statement was not reached:", without_repeats(map(name_of, answers)))
        return 1
    end = ends[0]
    forward = without_repeats([name_of(a) for a in answers[:end + 1]])
    if forward != WANTED:
        wrong.append("step: wanted %s, got %s" % (WANTED, forward))

    there = start + ["step %d" % end]
    answers_back = ask(there + ["bstep"] * (end - 1))[-end:]
    if answers_back[0].get("moment") != answers[end].get("moment"):
        wrong.append("step %d leads to %s, as many steps to %s" %
                     (end, answers_back[0].get("moment"), answers[end].get("moment")))
    backward = [a.get("moment") for a in answers_back]
    if backward != [a.get("moment") for a in answers[end:0:-1]]:
        wrong.append("bstep: %s" % without_repeats([name_of(a) for a in answers_back]))
    for count in (1, end // 3, end // 2, end - 1):
        landed = ask(there + ["bstep %d" % count])[-1].get("moment")
        if landed != answers[end - count].get("moment"):
            wrong.append("bstep %d: wanted %s, got %s" %
                         (count, answers[end - count].get("moment"), landed))
    wrong += check_library(there)
    print("\n".join(wrong))
    return len(wrong) > 0


def last_line():
    with open("tests/movement/bound.cc") as source:
        return 1 + [i for i, line in enumerate(source) if "dlsym(" in line][0]


def frame(answer):
    return answer["frames"][0] if answer.get("frames") else {}


def check_library(there):
    """A function of the C library may have lines here, or not; its stub always has a name."""
    wrong = []
    line = ["next"] * 3
    inside = frame(ask(there + line + ["step", "bt 1"])[-1])
    if "ld-linux" in (inside.get("module") or "ld-linux"):
        wrong.append("step into puts: %s" % inside)
    names = [frame(a).get("function") for a in ask(there + line + ["stepi", "bt 1"] * 5)
             if "frames" in a]
    if "puts@plt" not in names:
        wrong.append("on the way to puts: %s" % names)
    return wrong


sys.exit(main())
