"""Links, paths and commands in the documents lead somewhere, and each page says who it is for.
The maps in ARCHITECTURE.md and tests/README.md name every folder.

    documents.py EBB        from the top of the tree; a line per page
"""
import glob
import os
import re
import subprocess
import sys

ebb = sys.argv[1]
PAGES = sorted(glob.glob("docs/*.md")) + ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
                                          "tests/README.md"]
PATH = re.compile(r"`((?:src|docs|tests|tools|examples|bench|packaging)/[\w./+-]*)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MAKE = re.compile(r"`make ((?:[a-z_][a-z_.-]*(?: |(?=`)))+)")
EBB = re.compile(r"(?:`|^\$ )ebb ([a-z]+)", re.M)
NO_COMMANDS = {"recording"}  # the first words of a meta file

# Commands of the shell, and those that ebb adds to gdb: any word of the files that make them.
commands = set(re.findall(r"^  ([a-z]+) ", subprocess.run([ebb, "help"], capture_output=True,
                                                          text=True).stdout, re.M)) | {"help"}
for source in ("src/front/gdb/ebb.py", "src/front/gdb/rsp_monitor.c"):
    with open(source, encoding="utf-8") as file:
        commands |= set(re.findall(r"[\"' ]([a-z]+)[\"' ,]", file.read()))
with open("Makefile", encoding="utf-8") as file:
    makefile = file.read()
targets = set(re.findall(r"^([\w.-]+):", makefile, re.M))
for line in re.findall(r"^\.PHONY:(.*)", makefile, re.M):
    targets |= set(line.split())


def first_paragraph(text):
    body = re.sub(r"\A#.*\n+", "", text)
    return body.split("\n\n")[0].replace("\n", " ")


def problems(page, text):
    if not re.search(r"([Tt]his page|It) is for ", first_paragraph(text)):
        yield "its first paragraph does not say who it is for"
    for link in LINK.findall(text):
        if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(page), link)):
            yield "the link to %s leads nowhere" % link
    for path in PATH.findall(text):
        if not re.search(r"[A-Z]{4}", os.path.basename(path).split(".")[0]) or path.endswith(".md"):
            if not glob.glob(path) and not glob.glob(path.rstrip(".") + ".*"):
                yield "there is no %s" % path
    for words in MAKE.findall(text):
        for word in words.split():
            if word not in targets:
                yield "there is no target 'make %s'" % word
    for command in EBB.findall(text):
        if command not in commands and command not in NO_COMMANDS:
            yield "there is no command 'ebb %s'" % command


def unmapped():
    """Folders that no map names. Rooms of the engine have a table of their own."""
    text = ""
    for page in ("ARCHITECTURE.md", "tests/README.md"):
        with open(page, encoding="utf-8") as file:
            text += file.read()
    for folder in sorted(glob.glob("*/") + glob.glob("src/*/") + glob.glob("src/front/*/")
                         + glob.glob("src/engine/*/") + glob.glob("tests/*/")):
        if folder in ("build/", "src/", "src/front/") or glob.glob(folder + "*") == []:
            continue
        room = re.match(r"src/engine/(\w+)/$", folder)
        if ("| `%s` |" % room.group(1) if room else "`%s`" % folder) not in text:
            yield folder


found = list(unmapped())
print("FAIL folders: no map names %s" % " ".join(found) if found else "ok folders")
for page in PAGES:
    with open(page, encoding="utf-8") as file:
        found = sorted(set(problems(page, file.read())))
    print("FAIL %s: %s" % (page, "; ".join(found)) if found else "ok %s" % page)
