"""The symbols that a shared library defines, by its ELF tables: all must be the C interface's."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
offset, = struct.unpack_from("<Q", data, 0x28)
size, count = struct.unpack_from("<HH", data, 0x3a)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
symbols = next(each for each in sections if each[1] == 11)  # SHT_DYNSYM
names = sections[symbols[6]]
shown = []
for at in range(symbols[4], symbols[4] + symbols[5], symbols[9]):
    name, info, _, section = struct.unpack_from("<IBBH", data, at)
    if section != 0 and info >> 4 != 0:  # defined, not local
        start = names[4] + name
        shown.append(data[start:data.index(b"\0", start)].decode())
assert "warpcc_open" in shown and all(name.startswith("warpcc_") for name in shown), shown
