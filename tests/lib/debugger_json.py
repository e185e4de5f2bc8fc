"""Checks the answers of `ebb replay --json`: one object a line, each with the fields that
docs/json.md promises."""
import json
import sys



def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), ("a field is there twice", pairs)
    return dict(pairs)


answers = [json.loads(line, object_pairs_hook=once) for line in open(sys.argv[1], encoding="utf-8")]


def answer(command, nth=0):
    return [a for a in answers if a["cmd"] == command][nth]


for a in answers:
    for key in ("cmd", "ok", "moment", "file", "line", "function", "thread"):
        assert key in a, (key, a)
    assert isinstance(a["ok"], bool) and isinstance(a["thread"], int), a
    assert isinstance(a["moment"]["tick"], int) and a["moment"]["pc"].startswith("0x"), a
    assert a["ok"] != ("error" in a), a

assert answer("open")["reason"] == "open"
assert answer("open")["function"] == "walk"
assert [f["function"] for f in answer("bt")["frames"]][-1] == "main"
assert len(answer("bt full")["frames"]) == len(answer("bt")["frames"])
assert "thread 0" in answer("thread apply all bt 1")["text"]
stop = answer("rc")
assert stop["reason"] == "breakpoint" and stop["breakpoint"] == 1 and stop["function"] == "push", stop
assert stop["file"].endswith("list.c") and stop["line"] == 31, stop
assert answer("print value")["value"] == "3" and answer("print value")["type"] == "int"
assert not answer("print nosuch")["ok"] and "nosuch" in answer("print nosuch")["error"]
assert answer("print nosuch")["code"] == "not-found", answer("print nosuch")
assert not answer("nosuch")["ok"]
changed = answer("continue")
assert changed["reason"] == "watchpoint" and changed["old"] != changed["new"], changed
assert {v["name"] for v in answer("info locals")["locals"]} == {"n"}
assert answer("info args")["arguments"][0]["value"] == "3"
assert answer("info threads")["threads"][0]["runs"] is True
assert 0 <= answer("info moment")["percent"] <= 100
history = answer("history head")
assert len(history["changes"]) == 5 and history["more"] is False and history["interrupted"] is False, history
for newer, older in zip(history["changes"], history["changes"][1:]):
    assert newer["old"] == older["new"] and newer["tick"] >= older["tick"] and newer["function"] == "push", history
until = answer("buntil head")
assert until["reason"] == "until" and until["by"]["function"] == "push" and until["old"] != until["new"], until
assert answer("undo")["moment"] == stop["moment"]
assert answer("goto start")["reason"] == "goto"
assert answer("print 1")["value"] == "1" and answer("print 2")["value"] == "2"
