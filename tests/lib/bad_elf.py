"""Makes program files that are wrong, each in one way.

    bad_elf.py STATIC DYNAMIC DIRECTORY

STATIC and DYNAMIC are good executables of this machine, the second with an interpreter.  What is
written to DIRECTORY/refused can be run by no machine and must be refused with a sentence;
DIRECTORY/odd holds files with one field of a header changed to an awkward number, where the
kernel's own behaviour is the measure.  A file is called FIELD.WHAT, and executable.
"""
import os
import struct
import sys

# name: (offset, struct format)
EHDR = {
    "e_type": (16, "H"), "e_machine": (18, "H"), "e_version": (20, "I"),
    "e_phoff": (32, "Q"), "e_shoff": (40, "Q"), "e_flags": (48, "I"), "e_ehsize": (52, "H"),
    "e_phentsize": (54, "H"), "e_phnum": (56, "H"), "e_shentsize": (58, "H"),
    "e_shnum": (60, "H"), "e_shstrndx": (62, "H"),
}
PHDR = {
    "p_type": (0, "I"), "p_flags": (4, "I"), "p_offset": (8, "Q"), "p_vaddr": (16, "Q"),
    "p_paddr": (24, "Q"), "p_filesz": (32, "Q"), "p_memsz": (40, "Q"), "p_align": (48, "Q"),
}
PT_LOAD, PT_INTERP = 1, 3
AWKWARD = {
    "H": [0, 1, 3, 0xff, 0x7fff, 0xffff],
    "I": [0, 1, 2, 6, 7, 0x7fffffff, 0xffffffff],
    "Q": [0, 1, 0xfff, 0x1000, 0x7fffffff, 0xffffffff, 0x7ffffffff000, 0x800000000000,
          0x6f0000000000, 0x7fffffffffffffff, 0xfffffffffffff000, 0xffffffffffffffff],
}


def put(data, offset, form, value):
    out = bytearray(data)
    struct.pack_into("<" + form, out, offset, value)
    return bytes(out)


def put_ehdr(data, name, value):
    return put(data, *EHDR[name], value)


def put_phdr(data, index, name, value):
    offset, form = PHDR[name]
    return put(data, phdr_at(data, index) + offset, form, value)


def phdr_at(data, index):
    return struct.unpack_from("<Q", data, 32)[0] + index * 56


def phdrs(data):
    """(index, type, offset, filesz) of each program header."""
    count = struct.unpack_from("<H", data, 56)[0]
    for index in range(count):
        at = phdr_at(data, index)
        kind, = struct.unpack_from("<I", data, at)
        offset, = struct.unpack_from("<Q", data, at + 8)
        size, = struct.unpack_from("<Q", data, at + 32)
        yield index, kind, offset, size


def save(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(data)
    os.chmod(path, 0o755)


def truncated(data):
    """Cut short of what its segments need, at every kind of place."""
    count = struct.unpack_from("<H", data, 56)[0]
    headers = phdr_at(data, count)
    needed = max(offset + size for _, kind, offset, size in phdrs(data) if kind == PT_LOAD)
    lengths = set(range(1, headers, 7)) | {4, 16, 63, 64, 65, headers - 1}
    lengths |= {headers, headers + 1} | set(range(headers, needed, max(1, (needed - headers) // 20)))
    lengths |= {needed - 1}
    for length in sorted(n for n in lengths if n < needed):
        yield "truncated.%06d" % length, data[:length]


def refused_headers(data):
    yield "class.32-bit", put(put(data, 4, "B", 1), 18, "H", 3)
    yield "class.none", put(data, 4, "B", 0)
    yield "data.big-endian", put(data, 5, "B", 2)
    yield "magic.first", b"\x7e" + data[1:]
    yield "magic.last", data[:3] + b"G" + data[4:]
    for machine, name in ((3, "i386"), (8, "mips"), (40, "arm"), (183, "aarch64"), (243, "riscv")):
        yield "e_machine." + name, put_ehdr(data, "e_machine", machine)
    for kind, name in ((0, "none"), (1, "relocatable"), (4, "core")):
        yield "e_type." + name, put_ehdr(data, "e_type", kind)
    yield "e_phentsize.other", put_ehdr(data, "e_phentsize", 32)
    yield "e_phnum.zero", put_ehdr(data, "e_phnum", 0)
    yield "e_phoff.beyond", put_ehdr(data, "e_phoff", len(data) + 4096)
    yield "e_phoff.wrapping", put_ehdr(data, "e_phoff", 2 ** 64 - 8)


def refused_segments(data):
    for index, kind, _, _ in phdrs(data):
        if kind != PT_LOAD:
            continue
        name = "load%d." % index
        yield name + "filesz-over-memsz", put_phdr(data, index, "p_memsz", 1)
        yield name + "vaddr-in-kernel", put_phdr(data, index, "p_vaddr", 0xffff800000000000)
        yield name + "memsz-huge", put_phdr(data, index, "p_memsz", 2 ** 63)
        yield name + "memsz-wrapping", put_phdr(data, index, "p_memsz", 2 ** 64 - 1)
        yield name + "offset-misaligned", put_phdr(data, index, "p_offset", 1)


def with_interpreter(data, content, size=None):
    """The dynamic program with another interpreter, in the place of its own."""
    for index, kind, offset, room in phdrs(data):
        if kind == PT_INTERP:
            assert len(content) <= room
            out = data[:offset] + content.ljust(room, b"\0") + data[offset + room:]
            return put_phdr(out, index, "p_filesz", len(content) if size is None else size)
    raise SystemExit("bad_elf.py: the dynamic program has no interpreter")


def refused_interpreters(data, folder):
    os.makedirs(folder)
    save(folder, "t", b"not a program\n")
    save(folder, "e", b"")
    save(folder, "m", b"\x7fELF")
    os.mkdir(os.path.join(folder, "d"))
    here = b"./interpreters/"
    for letter, name in ((b"n", "missing"), (b"t", "text"), (b"e", "empty"), (b"m", "cut"),
                         (b"d", "directory")):
        yield "interpreter." + name, with_interpreter(data, here + letter + b"\0")
    yield "interpreter.unterminated", with_interpreter(data, here + b"t")
    yield "interpreter.without-name", with_interpreter(data, b"\0")
    yield "interpreter.size-zero", with_interpreter(data, b"x\0", 0)
    yield "interpreter.size-huge", with_interpreter(data, b"x\0", 2 ** 40)


def odd(data):
    for name, (_, form) in EHDR.items():
        for value in AWKWARD[form]:
            yield "%s.%x" % (name, value), put_ehdr(data, name, value)
    for index, _, _, _ in phdrs(data):
        for name, (_, form) in PHDR.items():
            for value in AWKWARD[form]:
                yield "%s-%d.%x" % (name, index, value), put_phdr(data, index, name, value)


def main():
    static, dynamic = (open(path, "rb").read() for path in sys.argv[1:3])
    top = sys.argv[3]
    refused, oddities = os.path.join(top, "refused"), os.path.join(top, "odd")
    os.makedirs(refused)
    os.makedirs(oddities)
    for source in (truncated(static), refused_headers(static), refused_segments(static),
                   refused_interpreters(dynamic, os.path.join(top, "interpreters"))):
        for name, data in source:
            save(refused, name, data)
    for name, data in odd(static):
        save(oddities, name, data)


main()
