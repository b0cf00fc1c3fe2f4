"""Turning valid inputs into bad ones, reproducibly."""

import random
import re
from collections.abc import Callable

from tests.fuzz.target import Target

NUMBERS = (
    "0", "-0.0", "-1", "1", "2", "nan", "-nan", "inf", "-inf", "1e-300", "-1e-300", "5e-324",
    "1e300", "-1e300", "1e308", "1e999", "1e9", "-1e9", "4294967296", "9223372036854775808",
    "-9223372036854775809", "0x7f", "1_0", "٣", "1e", "", "9" * 5000, "0." + "0" * 400 + "1",
)  # fmt: skip
"""What a number of a text becomes."""
WORDS = (
    "", " ", "\x00", "\ufeff", "\u202e", "é" * 3, "\U0001f916", "../../x", "/dev/zero", "a" * 5000,
    "\n", "\r", "\t", "'", '"', "\\", "#", "=", ",", ":", ";", "[", "]", "{", "}", "[[", "]]",
    "true", "false", "null", "None", "1979-05-27T07:32:00Z", "[" * 600, "{a=" * 600, "$", "-$x",
    "%s", "%n", "${x}", "__class__", "\ud7ff",
)  # fmt: skip
"""What is put into a text."""
VALUES = (
    "[" * 600 + "]" * 600, "{a=" * 600 + "1" + "}" * 600, "9" * 5000, "-" + "9" * 5000, "[]", "{}",
    "[[]]", "[1, 'a']", "''", '""', '"$x"', "true", "1979-05-27", "07:32:00", "nan", "-inf",
    "0xffffffffffffffffffff", "1e400", '"/dev/zero"', '"../../x"', '"a/b"', '"\\u0000"',
    '"' + "x" * 5000 + '"', "[" + "1," * 5000 + "]",
)  # fmt: skip
"""What stands behind a key in TOML or JSON."""
_VALUE = re.compile(r"(?<==)[^\n]+|(?<=: )[^,\n]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[^\W\d]\w*")

Mutation = Callable[[str, random.Random, Target], str]
ByteMutation = Callable[[bytes, random.Random], bytes]


def mutate(target: Target, chance: random.Random) -> bytes:
    """Return a bad variant of one of a target's samples; rarely the sample itself."""
    content = chance.choice(target.valid)
    times = chance.choice((1, 1, 1, 2, 3, 8))
    if target.is_text and chance.random() < 0.8:
        text = content.decode()
        for _ in range(times):
            text = chance.choice(_OF_TEXT)(text, chance, target)
        return text.encode(errors="surrogatepass")
    for _ in range(times):
        content = chance.choice(_OF_BYTES)(content, chance)
    return content


def _replace_match(pattern: re.Pattern[str], text: str, chance: random.Random, new: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text + new
    start, end = chance.choice(found).span()
    return text[:start] + new + text[end:]


def _change_number(text: str, chance: random.Random, target: Target) -> str:
    new = chance.choice(NUMBERS)
    if chance.random() < 0.4:
        new = repr(chance.choice((-1.0, 1.0)) * 10.0 ** chance.uniform(-12.0, 12.0))
    return _replace_match(_NUMBER, text, chance, new)


def _change_value(text: str, chance: random.Random, target: Target) -> str:
    return _replace_match(_VALUE, text, chance, chance.choice((*VALUES, *NUMBERS, *target.words)))


def _change_word(text: str, chance: random.Random, target: Target) -> str:
    return _replace_match(_WORD, text, chance, chance.choice((*WORDS, *target.words)))


def _swap_words(text: str, chance: random.Random, target: Target) -> str:
    words = [match[0] for match in _WORD.finditer(text)] or [""]
    return _replace_match(_WORD, text, chance, chance.choice(words))


def _insert(text: str, chance: random.Random, target: Target) -> str:
    place = chance.randint(0, len(text))
    return text[:place] + chance.choice((*WORDS, *NUMBERS, *target.words)) + text[place:]


def _delete(text: str, chance: random.Random, target: Target) -> str:
    start = chance.randint(0, len(text))
    return text[:start] + text[start + chance.choice((1, 2, 5, 30)) :]


def _cut(text: str, chance: random.Random, target: Target) -> str:
    return text[: chance.randint(0, len(text))]


def _change_lines(text: str, chance: random.Random, target: Target) -> str:
    lines = text.split("\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            lines[first], lines[second] = lines[second], lines[first]
        case 1:
            lines.insert(first, lines[second])
        case 2:
            del lines[first]
        case _:
            lines[first : first + 1] = [lines[first]] * chance.choice((2, 50))
    return "\n".join(lines)


def _splice(text: str, chance: random.Random, target: Target) -> str:
    other = chance.choice(target.valid).decode()
    return text[: chance.randint(0, len(text))] + other[chance.randint(0, len(other)) :]


_OF_TEXT: tuple[Mutation, ...] = (
    _change_number, _change_number, _change_number, _change_value, _change_value, _change_word,
    _swap_words, _insert, _delete, _cut, _change_lines, _change_lines, _splice,
)  # fmt: skip


def _flip_bit(content: bytes, chance: random.Random) -> bytes:
    if not content:
        return b"\x01"
    place = chance.randrange(len(content))
    changed = content[place] ^ (1 << chance.randrange(8))
    return content[:place] + bytes([changed]) + content[place + 1 :]


def _write_bytes(content: bytes, chance: random.Random) -> bytes:
    place = chance.randint(0, len(content))
    new = chance.choice(
        (
            b"\x00" * 8,
            b"\xff" * 8,
            b"\xff\xff\xff\x7f",
            b"\x7f" * 8,
            b"\xf0\x28\x8c\x28",
            b"\x00",
            chance.randbytes(4),
            chance.randbytes(64),
        )  # fmt: skip
    )
    return content[:place] + new + content[place + chance.choice((0, len(new))) :]


def _cut_bytes(content: bytes, chance: random.Random) -> bytes:
    start, end = sorted((chance.randint(0, len(content)), chance.randint(0, len(content))))
    return chance.choice((content[:start], content[end:], content[:start] + content[end:]))


def _repeat_bytes(content: bytes, chance: random.Random) -> bytes:
    start = chance.randint(0, len(content))
    return content[:start] + content[start : start + 64] * 2 + content[start + 64 :]


_OF_BYTES: tuple[ByteMutation, ...] = (
    _flip_bit, _flip_bit, _flip_bit, _write_bytes, _write_bytes, _cut_bytes, _repeat_bytes,
)  # fmt: skip
