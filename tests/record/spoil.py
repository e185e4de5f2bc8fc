"""Makes a track file that is wrong in one way.

    spoil.py FILE OUT cut SIZE        only its first bytes
    spoil.py FILE OUT flip BYTE       one bit of that byte is another
    spoil.py FILE OUT zero BYTE       that byte is 0
    spoil.py FILE OUT version N       of the format; the checksum of the header is right
    spoil.py FILE OUT tamper HOW      an event is another, and every checksum is right again

HOW is a row of TAMPER below: the kind of event that is changed, and what happens to it (a change may return an
event that comes before it).  Or it is `older`: all events as older engines wrote them.  The one
in the middle of those that qualify is taken.  Needs the program `zstd`.
"""
import struct
import subprocess
import sys

HEADER, CHUNK, EVENT = 64, "<IIIIQQII", 40
START, SYSCALL, SIGNAL, CLOCK, CHECK, END, ENTRY = 1, 2, 4, 5, 8, 12, 14

CRC = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
    CRC.append(i)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def chunks(data):
    """The events of each chunk, and the last chunk's header."""
    at = HEADER
    while True:
        _, _, stored, flags = struct.unpack_from("<IIII", data, at)
        if flags == 2:
            return
        body = data[at + 40:at + 40 + stored]
        if flags == 1:
            body = subprocess.run(["zstd", "-dcq"], input=body, stdout=subprocess.PIPE,
                                  check=True).stdout
        yield body
        at += 40 + stored


def split(body):
    at = 0
    while at < len(body):
        size, = struct.unpack_from("<I", body, at)
        yield bytearray(body[at:at + size])
        at += size


def header(raw, stored, flags, first, tick, body):
    head = struct.pack("<IIIIQQI", 0x6B6E6863, raw, stored, flags, first, tick, crc32c(body))
    return head + struct.pack("<I", crc32c(head))


def join(start, groups):
    """A track of these events, stored as they are."""
    out, count = start, 0
    for events in groups:
        body = b"".join(events)
        tick, = struct.unpack_from("<Q", body, 8)
        out += header(len(body), len(body), 0, count, tick, body) + body
        count += len(events)
    return out + header(0, 0, 2, count, 0, b"")


def kind(event):
    return struct.unpack_from("<H", event, 4)[0]


def memory_piece(event):
    """Where the first bytes begin that a call wrote; None: there are none."""
    _, _, args, _ = struct.unpack_from("<IHHq", event, EVENT)
    at = EVENT + 16 + 8 * args
    while at < len(event):
        _, size, what = struct.unpack_from("<QII", event, at)
        if what == 0 and size >= 64:
            return at + 16
        at += 16 + (size + 7) // 8 * 8
    return None


def add(event, offset, form, amount):
    value, = struct.unpack_from(form, event, offset)
    struct.pack_into(form, event, offset, value + amount)


def change_memory(event):
    event[memory_piece(event) + 1] ^= 4


def start_piece(event, wanted, leaf=None):
    """Where the bytes of that piece of a START begin; None: there is none."""
    at = EVENT + 56
    while at < len(event):
        _, size, what = struct.unpack_from("<QII", event, at)
        if what == wanted and leaf in (None, struct.unpack_from("<I", event, at + 16)[0]):
            return at + 16
        at += 16 + (size + 7) // 8 * 8
    return None


def claim(event, piece, leaf, offset, bit):
    """The program was shown that bit of its processor."""
    place = start_piece(event, piece, leaf) + offset + bit // 8
    event[place] |= 1 << bit % 8


# How: which events, what is done; None: it is left out.
TAMPER = {
    "memory": (lambda e: kind(e) == SYSCALL and memory_piece(e), change_memory),
    "result": (lambda e: kind(e) == SYSCALL and memory_piece(e), lambda e: add(e, 48, "<q", -1)),
    "number": (lambda e: kind(e) == SYSCALL, lambda e: add(e, EVENT, "<I", 1)),
    "missing": (lambda e: kind(e) == SYSCALL, None),
    "registers": (lambda e: kind(e) == SYSCALL, lambda e: add(e, 24, "<Q", 1 - 2 * (e[24] == 255))),
    "clock": (lambda e: kind(e) == CLOCK and len(e) > EVENT + 16, lambda e: add(e, -16, "<Q", 1)),
    "signal-tick": (lambda e: kind(e) == SIGNAL, lambda e: add(e, 8, "<Q", 1)),
    "signal-pc": (lambda e: kind(e) == SIGNAL, lambda e: add(e, 16, "<Q", 1)),
    "signal-missing": (lambda e: kind(e) == SIGNAL, None),
    "check": (lambda e: kind(e) == CHECK, lambda e: add(e, EVENT, "<Q", 1 - 2 * (e[EVENT] == 255))),
    "status": (lambda e: kind(e) == END, lambda e: add(e, EVENT, "<I", 1)),
    "claim-3dnow": (lambda e: kind(e) == START and start_piece(e, 20, 0x80000001),
                    lambda e: claim(e, 20, 0x80000001, 20, 31)),
    "claim-state": (lambda e: kind(e) == START and start_piece(e, 25),
                    lambda e: claim(e, 25, None, 0, 12)),
    "unknown": (lambda e: kind(e) == SYSCALL, lambda e: struct.pack_into("<H", e, 4, 900)),
    "optional": (lambda e: kind(e) == SYSCALL,
                 lambda e: struct.pack("<IHH", 48, 0x8000 + 900, 0) + bytes(e[8:24]) + bytes(24)),
}


def older(events):
    """As an engine writes them that knows neither ENTRY nor faults."""
    for event in events:
        if kind(event) == START:
            event[EVENT] &= ~2
        if kind(event) == ENTRY or (kind(event) == SIGNAL and event[EVENT + 6] & 1):
            continue
        yield event


def tamper(data, how):
    groups = [list(split(body)) for body in chunks(data)]
    if how == "older":
        return join(data[:HEADER], [list(older(events)) for events in groups])
    fits, change = TAMPER[how]
    found = [(g, i) for g, events in enumerate(groups) for i, e in enumerate(events) if fits(e)]
    if not found:
        sys.exit("spoil.py: there is nothing to tamper with: " + how)
    group, index = found[len(found) // 2]
    if change:
        before = change(groups[group][index])
        if before:
            groups[group].insert(index, before)
    else:
        del groups[group][index]
    return join(data[:HEADER], groups)


def main():
    name, out, what, how = sys.argv[1:]
    data = open(name, "rb").read()
    if what == "cut":
        data = data[:int(how)]
    elif what == "flip":
        place = int(how) % len(data)
        data = data[:place] + bytes([data[place] ^ 1 << int(how) % 8]) + data[place + 1:]
    elif what == "zero":
        data = data[:int(how)] + bytes(1) + data[int(how) + 1:]
    elif what == "version":
        head = data[:8] + struct.pack("<I", int(how)) + data[12:HEADER - 4]
        data = head + struct.pack("<I", crc32c(head)) + data[HEADER:]
    else:
        data = tamper(data, how)
    with open(out, "wb") as file:
        file.write(data)


main()
