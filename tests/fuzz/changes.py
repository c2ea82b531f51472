"""Ways to damage bytes, text and plain data."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSequence
from random import Random
from typing import Any

#: Values that programs often fail on.
STRANGE: tuple[Any, ...] = (
    *(0, 1, -1, 2, 7, 255, -128, 2**15, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63 - 1, 2**63, 2**64),
    *(60_000_000, 10**9, 10**18, 10**40, 0.5, -0.5, 1e-300, 1e300, 1e8, float("inf"), float("nan")),
    *(True, False, "", " ", "x", "1/0", "1/3", "-1", "1e999", "nan", "\x00", "\n", "../x"),
    *("é" * 40, "a" * 5000, "9" * 400, [], {}, [[]], [0] * 300, {"a": 1}, {"": ""}, None),
)


def damaged_bytes(random: Random, data: bytes) -> bytes:
    """Change, remove, duplicate or insert some bytes."""
    result = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 5, 30))):
        if not result:
            break
        at = random.randrange(len(result))
        span = random.choice((1, 1, 2, 8, 64, 1000))
        action = random.randrange(6)
        if action == 0:
            result[at] ^= 1 << random.randrange(8)
        elif action == 1:
            result[at] = random.randrange(256)
        elif action == 2:
            del result[at : at + span]
        elif action == 3:
            result[at:at] = random.randbytes(span)
        elif action == 4:
            result[at:at] = result[at : at + span]
        else:
            del result[at:]
    return bytes(result)


def damaged_text(random: Random, text: str) -> str:
    """Drop, duplicate or swap lines, replace words and numbers, or damage bytes."""
    action = random.randrange(5)
    lines = text.splitlines()
    if action == 0 or not lines:
        return damaged_bytes(random, text.encode()).decode("utf-8", "surrogateescape")
    at = random.randrange(len(lines))
    if action == 1:
        del lines[at]
    elif action == 2:
        lines.insert(at, random.choice(lines))
    elif action == 3:
        other = random.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        words = lines[at].split(" ")
        words[random.randrange(len(words))] = str(random.choice(STRANGE))
        lines[at] = " ".join(words)
    return "\n".join(lines) + "\n"


def damaged_data(random: Random, data: Any) -> Any:
    """Change plain data in place, in one to three places, and return it."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = list(_places(data))
        if not places:
            break
        holder, key = random.choice(places)
        _damage(random, holder, key, places)
    return data


def _places(data: Any) -> Any:
    """The (container, key) of each value, at any depth."""
    keys = data.keys() if isinstance(data, MutableMapping) else range(len(data))
    for key in list(keys):
        yield data, key
        if isinstance(data[key], MutableMapping | list):
            yield from _places(data[key])


def _damage(random: Random, holder: Any, key: Any, places: list[tuple[Any, Any]]) -> None:
    action = random.randrange(8)
    value = holder[key]
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, MutableMapping):
        holder[random.choice(("", "x", "é", "kind", "1", str(key) + "s"))] = value
    elif action == 1 and isinstance(holder, MutableSequence):
        holder.insert(key, value)
    elif action == 2:
        other, place = random.choice(places)
        if not _holds(other, holder):
            holder[key] = _copy(
                other.get(place) if isinstance(other, MutableMapping) else other[min(place, len(other) - 1)]
            )
    elif action == 3 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = value * random.choice((-1, 0, 2, 10, 1000, 1e9, 0.1)) + random.choice((0, 1))
    elif action == 4 and isinstance(value, str):
        holder[key] = value[: random.randrange(len(value) + 1)] + random.choice(("", "0", "/", "é"))
    elif action == 5:
        holder[key] = _nested(random)
    else:
        holder[key] = _copy(random.choice(STRANGE))


def _holds(whole: Any, part: Any) -> bool:
    return whole is part or any(one is part for one, _ in _places(whole))


def _copy(value: Any) -> Any:
    if isinstance(value, MutableMapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _nested(random: Random) -> Any:
    value: Any = random.choice(STRANGE)
    for _ in range(random.choice((1, 3, 30))):
        value = {"a": value} if random.random() < 0.5 else [value]
    return value
