"""Expressions and debug information that are wrong on purpose: the driver must live.

    fuzz.py DRIVER EXECUTABLE CORE LIST SEED ROUNDS

Each round either changes expressions of the LIST, or bytes of the executable's debug sections.  Prints what killed the driver, and
`N rounds, M deaths`; a round is repeated by its seed, which is SEED + its number, and ROUNDS 1.
"""
import random
import struct
import subprocess
import sys

SECTIONS = (b".debug_info", b".debug_abbrev", b".debug_line", b".debug_loclists", b".debug_loc", b".debug_rnglists",
            b".debug_ranges", b".debug_str", b".debug_addr", b".eh_frame", b".debug_aranges", b".debug_types")
PIECES = ["*", "&", "(", ")", "[", "]", "->", ".", "@", "::", "+", "-", "/", "%", "<<", ">>", "==", "!", "~", "?", ":", ",", "$", "'",
          '"', "\\", "sizeof", "(struct node *)", "(char)", "0x", "1e", "99999999999", "-1", "array", "head", "list", "text", " ",
          "unsigned", "struct", "const", "<", ">", "\x7f", "\xff"]


def sections(data):
    """(name, offset, size) of each."""
    shoff, = struct.unpack_from("<Q", data, 40)
    entry, count, names = struct.unpack_from("<HHH", data, 58)
    strings, = struct.unpack_from("<Q", data, shoff + names * entry + 24)
    for n in range(count):
        name, = struct.unpack_from("<I", data, shoff + n * entry)
        offset, size = struct.unpack_from("<QQ", data, shoff + n * entry + 24)
        end = data.index(b"\0", strings + name)
        yield bytes(data[strings + name:end]), offset, size


def damage(data, rng):
    places = [(offset, size) for name, offset, size in sections(data) if name in SECTIONS and size]
    out = bytearray(data)
    for _ in range(rng.choice((1, 3, 10, 100))):
        offset, size = rng.choice(places)
        out[offset + rng.randrange(size)] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
    return bytes(out)


def change(line, rng):
    command, _, text = line.partition(" ")
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.randrange(1, 4):]
        elif kind == 2:
            text = text[:at] + text[:at] + text[at:]
        else:
            text = text[:at] + rng.choice(PIECES) * rng.choice((1, 2, 300))
    return command + " " + text.replace("\n", " ")


def main():
    driver, executable, core, listing, seed, rounds = sys.argv[1:7]
    with open(listing) as lines:
        rows = [line.rstrip("\n").partition("  => ")[0] for line in lines if line.strip() and line[0] != "#"]
    with open(executable, "rb") as source:
        data = source.read()
    deaths = 0
    for number in range(int(seed), int(seed) + int(rounds)):
        rng = random.Random(number)
        args = [driver, core, core + ".ask"]
        asked = rows
        if number % 2:
            with open(core + ".damaged", "wb") as out:
                out.write(damage(data, rng))
            args.append(core + ".damaged")
        else:
            asked = [change(rng.choice(rows), rng) for _ in range(300)]
        with open(core + ".ask", "w", encoding="latin-1") as out:
            out.write("".join("%d %s\n" % (rng.randrange(3), row) for row in asked))
        try:
            done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600)
            why = "ended with %d" % done.returncode if done.returncode else ""
            said = done.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            why, said = "did not end", ""
        if why:
            deaths += 1
            print("seed %d: %s: %s" % (number, why, " ".join(said.split("\n")[:40])[:1500]))
    print("%s rounds, %d deaths" % (rounds, deaths))


main()
