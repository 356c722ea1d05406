"""What buffers hold before a program runs: integers in [-3, 3] by buffer and index, as src/checker/machine/input.h has them."""

import numpy as np


def integers(buffer, count):
    with np.errstate(over="ignore"):
        x = np.arange(count, dtype=np.uint64) + np.uint64((buffer + 1) * 0x9E3779B97F4A7C15 & (2**64 - 1))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
        return ((((x >> np.uint64(32)) * np.uint64(7)) >> np.uint64(32)).astype(np.int64) - 3).astype(np.int32)


def encoded(buffer, count, element):
    """The integers as elements: bytes."""
    values = integers(buffer, count)
    if element == "f16":
        return values.astype(np.float16).tobytes()
    if element == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    if element in ("f32", "tf32"):
        return values.astype(np.float32).tobytes()
    if element == "f8e4m3":
        table = np.array([0xC4, 0xC0, 0xB8, 0x00, 0x38, 0x40, 0x44], dtype=np.uint8)  # -3 to 3
        return table[values + 3].tobytes()
    if element in ("s8", "u8"):
        return values.astype(np.int8).tobytes()
    return values.astype(np.int32).tobytes()
