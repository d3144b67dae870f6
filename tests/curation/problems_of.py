r"""Word problems of our own for tests and benchmarks of screening and building: distinct, varied, with an exact gold each.

Each states its calculation openly, so that the scripted solver (`tests.scripted.curating`) can work it out. A stated share is
spoiled on purpose, for a screening to find. The situations are in `situations.yaml`. Same count and seed, same problems.
"""

import json
import random
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml

from tests.scripted.arithmetic import spelled, value_of

Spoiled = Literal["duplicate", "near_duplicate", "no_gold", "bad_gold"]
SHARES: dict[Spoiled, float] = {"duplicate": 0.02, "near_duplicate": 0.03, "no_gold": 0.01, "bad_gold": 0.01}
"""Of all rows. A duplicate has the very text of a sound row; a near-duplicate is one re-wrapped, with a word or two
put before or behind it; a bad gold is broken off or cannot be read."""
LICENCES = ("CC0-1.0", "CC-BY-4.0", "MIT", "Apache-2.0")
BAD_GOLDS = (r"\frac{3}{", r"\begin{cases} x", r"\sqrt{", "{5", r"2^{10", "7}", r"\text{about 5", r"\begin{pmatrix} 1 & 2")
WHO = (
    "Ada", "Bela", "Carla", "Dario", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Leo", "Mira", "Nils", "Olga", "Pavel",
    "Quirin", "Rosa", "Samir", "Tilda", "Ugo", "Vera", "Wim", "Xenia", "Yusuf", "Zoe", "Amara", "Bruno", "Chiara", "Dmitri",
    "Emeka", "Fiona", "Gustav", "Halima", "Igor", "Joana", "Kofi", "Lucia", "Malik", "Noor",
)  # fmt: skip
PLACES = (
    "Aldenmoor", "Brackwater", "Corvale", "Dunhollow", "Eastmere", "Fennick", "Garrowby", "Hollowell", "Inverlake", "Jarnsund",
    "Kestrel Bay", "Lindow", "Marrowfield", "Northam Quay", "Oakhurst", "Pellworth", "Quarrington", "Ravensholm", "Saltmarsh",
    "Thornbeck", "Upper Wick", "Vallerby", "Westonfold", "Yarrowdale", "Zellhof", "Brindle Cross", "Cold Ashby", "Dry Creek",
)  # fmt: skip
_TOLD = (
    "In figures: {}.", "That is {}.", "The calculation is {}.", "As one expression, {}.", "Written out: {}.", "In short: {}.",
    "One has to work out {}.", "What is to be computed is {}.", "This comes down to {}.", "A table in the margin says {}.",
    "With all numbers in place: {}.", "The sum to do is {}.", "{who} scribbles {}.", "{other} notes {} on a napkin.",
    "On the board stands {}.", "So the value of {} is wanted.",
)  # fmt: skip
_BEFORE = ("Please note:", "Question:", "Solve this one:", "A problem from a booklet:")
_BEHIND = ("Explain briefly.", "Show your work.", "Good luck!", "Give the answer only.")
_ALTERNATIVES = re.compile(r"<([^<>]*)>")
_RANGE = re.compile(r"\{([a-z]):(\d+)-(\d+)\}")
_SLOT = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Row:
    """A row of the file; `answer` None for a missing gold."""

    id: str
    question: str
    answer: str | None
    subject: str
    level: str
    licence: str
    spoiled: Spoiled | None = None
    """What was done to it; not written."""

    def line(self) -> str:
        fields = ("id", "question", "answer", "subject", "level", "licence")
        return json.dumps({name: getattr(self, name) for name in fields}, ensure_ascii=False)


def rows(count: int, seed: int = 0, *, spoil: bool = True) -> tuple[Row, ...]:
    """`count` rows in shuffled order, the spoiled ones among them; `spoil=False` makes sound ones only."""
    draw = random.Random(seed)
    spoiled = {kind: round(share * count) if spoil else 0 for kind, share in SHARES.items()}
    if spoil and count >= 20:
        spoiled = {kind: max(1, number) for kind, number in spoiled.items()}
    copied = spoiled["duplicate"] + spoiled["near_duplicate"]
    made = _sound(count - copied, draw)
    for at, kind in _places(spoiled, len(made), draw):
        gold = None if kind == "no_gold" else draw.choice(BAD_GOLDS)
        made[at] = _changed(made[at], answer=gold, spoiled=kind)
    sound = [row for row in made if row.spoiled is None]
    originals = draw.sample(sound, copied)
    for number, row in enumerate(originals):
        same = number < spoiled["duplicate"]
        text = row.question if same else _rewrapped(row.question, draw)
        made.append(_changed(row, question=text, spoiled="duplicate" if same else "near_duplicate"))
    draw.shuffle(made)
    return tuple(_changed(row, id=f"w{number:06d}") for number, row in enumerate(made))


def _places(spoiled: dict[Spoiled, int], among: int, draw: random.Random) -> list[tuple[int, Spoiled]]:
    kinds: list[Spoiled] = [kind for kind in ("no_gold", "bad_gold") for _ in range(spoiled[kind])]
    return list(zip(draw.sample(range(among), len(kinds)), kinds, strict=True))


def _changed(row: Row, **change: Any) -> Row:
    return Row(**{**vars(row), **change})


def _sound(count: int, draw: random.Random) -> list[Row]:
    """Different statements, subjects and situations in turn."""
    frames = [(topic, frame) for topic in _topics() for frame in topic["frames"]]
    draw.shuffle(frames)
    made: dict[str, Row] = {}
    turn = 0
    while len(made) < count:
        topic, frame = frames[turn % len(frames)]
        turn += 1
        text, gold = _told(topic, frame, draw)
        row = Row("", text, gold, topic["subject"], str(frame["level"]), draw.choice(LICENCES))
        made.setdefault(text, row)
    return list(made.values())


@lru_cache(maxsize=1)
def _topics() -> tuple[dict[str, Any], ...]:
    return tuple(yaml.safe_load(Path(__file__).with_name("situations.yaml").read_text(encoding="utf-8")))


def _told(topic: dict[str, Any], frame: dict[str, Any], draw: random.Random) -> tuple[str, str]:
    """Statement and gold of one problem."""
    who, other = draw.sample(WHO, 2)
    named = {"who": who, "other": other, "place": draw.choice(PLACES), "thing": draw.choice(topic["things"])}
    text = _worded(frame["text"], draw, named)
    for name, form in frame.get("let", {}).items():
        calculation = _worded(form, draw, named)
        named[name] = spelled(value_of(_SLOT.sub(lambda slot: named[slot[1]], calculation)))
    ask, calc = _worded(frame["ask"], draw, named), _worded(frame["calc"], draw, named)
    parts = [text, ask, _told_openly(draw)]
    if draw.random() < 0.4:
        parts[1], parts[2] = parts[2], parts[1]
    if draw.random() < 0.6:
        parts.insert(0, _worded(draw.choice(topic["contexts"]), draw, named))
    if draw.random() < 0.35:
        parts.insert(-2, _worded(draw.choice(topic["asides"]), draw, named))
    calc = _SLOT.sub(lambda slot: named[slot[1]], calc)
    whole = _SLOT.sub(lambda slot: named[slot[1]], " ".join(part for part in parts if part))
    return whole.replace("{}", calc), spelled(value_of(calc))


def _told_openly(draw: random.Random) -> str:
    return draw.choice(_TOLD)


def _worded(text: str, draw: random.Random, named: dict[str, str]) -> str:
    """One of each alternatives; numbers drawn where a range stands, known under their name from there on."""

    def drawn(slot: re.Match[str]) -> str:
        named[slot[1]] = str(draw.randint(int(slot[2]), int(slot[3])))
        return named[slot[1]]

    text = _ALTERNATIVES.sub(lambda found: draw.choice(found[1].split("|")), text)
    return _RANGE.sub(drawn, text)


def _rewrapped(text: str, draw: random.Random) -> str:
    """The same problem with other line ends and a few words more at one end."""
    words = text.split()
    wide = draw.randrange(6, 12)
    lines = [" ".join(words[at : at + wide]) for at in range(0, len(words), wide)]
    more = draw.choice(_BEFORE), "\n".join(lines), draw.choice(_BEHIND)
    return " ".join(more[:2] if draw.random() < 0.5 else more[1:])
