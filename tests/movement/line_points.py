"""line_points.py PROGRAM: the step points of a program, by docs/movement.md's words and readelf's listing of its line table.

A row is a step point if it begins a statement, has a line other than 0, and a line other than the row before it in the
sequence.  The first row of a function is none, if it has another; its second one is.  Of the rows at one address that are,
the last tells the line.  Each is printed as movement_check --points does: its address, its line.
"""
import re
import subprocess
import sys

ROW = re.compile(r"^(\S.*?)\s+(\d+|-)\s+(0x[0-9a-f]+|0)(?:\s+(\d+))?(?:\s+(x))?(?:\s+END)?\s*$")
SYMBOL = re.compile(r"^\s*\d+: ([0-9a-f]+)\s+(0x[0-9a-f]+|\d+) FUNC\s+\S+\s+\S+\s+\d+ (\S+)")


def listing(*options):
    command = ["readelf", "-W", *options, sys.argv[1]]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def sequences():
    """Lists of rows: address, (file, line), is_stmt."""
    rows = []
    for line in listing("--debug-dump=decodedline"):
        found = ROW.match(line)
        if not found:
            continue
        name, number, address, _, statement = found.groups()
        if number == "-":
            yield rows
            rows = []
        else:
            rows.append((int(address, 16), (name, int(number)), statement == "x"))


def functions():
    """The starts and ends of functions. Parts that the compiler split off are not entered by a
    call."""
    found = {}
    for line in listing("-s"):
        symbol = SYMBOL.match(line)
        if symbol and not re.search(r"\.(cold|part)", symbol.group(3)):
            start = int(symbol.group(1), 16)
            found[start] = start + int(symbol.group(2), 0)
    return found


def points(rows, starts):
    found = {}
    for n, (address, place, statement) in enumerate(rows):
        before = rows[n - 1] if n else None
        begins = address in starts and (not before or before[0] != address)
        alone = n + 1 == len(rows) or rows[n + 1][0] >= starts.get(address, 0)
        second = n and before[0] in starts and (n < 2 or rows[n - 2][0] != before[0])
        if begins and not alone:
            continue
        if statement and place[1] and (second or not before or place != before[1] or (begins and alone)):
            found[address] = place[1]
    return found


def main():
    starts, found = functions(), {}
    for rows in sequences():
        found.update(points(rows, starts))
    for address in sorted(found):
        print(f"{address:#x} {found[address]}")


main()
