"""What is kept between runs, in .attempts/: the exercise in hand, hints given, the stopwatch."""

import dataclasses
import json
import os
import re
import time
from dataclasses import dataclass, field

from grader.katas import ROOT

FOLDER = ROOT / ".attempts"
FILE = FOLDER / "record.json"


@dataclass
class KataRecord:
    """The record of one kata.

    Attributes:
        in_hand: the exercise that the last run pointed at
        result: what the last run found, as "3 of 5"
        hints: how many hints each exercise was given
        started: when the first run on untouched stubs was, in seconds since 1970, or 0
        times: how long each finished attempt took, in seconds
    """

    in_hand: str = ""
    result: str = "0 of 0"
    hints: dict[str, int] = field(default_factory=dict)
    started: float = 0.0
    times: list[float] = field(default_factory=list)

    def start_the_watch(self) -> None:
        """The first run on untouched stubs begins an attempt."""
        self.started = self.started or time.time()

    def stop_the_watch(self) -> str:
        """The end of an attempt, if one was under way: how long it took, in a sentence."""
        if not self.started:
            return ""
        self.times.append(max(time.time() - self.started, 0.0))
        self.started = 0.0
        *before, now = self.times
        if not before:
            return f"Done in {_duration(now)}."
        best, last = _duration(min(before)), _duration(before[-1])
        return f"Done in {_duration(now)}. Your best was {best}, your last {last}."


class Record:
    """All of it. A record that cannot be read is set aside and a new one begun.

    Attributes:
        notice: a sentence, if that was so
    """

    def __init__(self) -> None:
        self.notice = ""
        self._katas: dict[str, KataRecord] = {}
        try:
            raw = json.loads(FILE.read_text(encoding="utf-8"))
            self._katas = {name: _checked(KataRecord(**entry)) for name, entry in raw.items()}
        except FileNotFoundError:
            pass
        except (ValueError, TypeError, AttributeError):
            aside = free_name("record-unreadable", ".json")
            os.replace(FILE, aside)
            self.notice = f".attempts/record.json was unreadable; it is now {aside.name}."
        except OSError as error:
            self.notice = f"Nothing is remembered of earlier runs: {error}"

    def kata(self, name: str) -> KataRecord:
        """The record of a kata, empty at first."""
        return self._katas.setdefault(name, KataRecord())

    def save(self) -> None:
        """Write the record whole, or not at all."""
        entries = {name: dataclasses.asdict(entry) for name, entry in self._katas.items()}
        draft = FILE.with_suffix(f".{os.getpid()}")
        try:
            FOLDER.mkdir(exist_ok=True)
            draft.write_text(json.dumps(entries, indent=2), encoding="utf-8")
            os.replace(draft, FILE)
        except OSError as error:
            self.notice = f"Nothing of this run is remembered: {error}"


def free_name(stem: str, suffix: str):
    """A path in .attempts/ that is not taken."""
    FOLDER.mkdir(exist_ok=True)
    names = (f"{stem}{f'-{i}' if i else ''}{suffix}" for i in range(10_000))
    return next(path for path in map(FOLDER.joinpath, names) if not path.exists())


def _checked(entry: KataRecord) -> KataRecord:
    numbers = [entry.started, *entry.times, *entry.hints.values()]
    sensible = all(isinstance(n, (int, float)) and 0 <= n < 1e12 for n in numbers)
    counts = all(isinstance(n, int) for n in entry.hints.values())
    words = re.fullmatch(r"\w*", entry.in_hand) and re.fullmatch(r"\d+ of \d+", entry.result)
    if not (sensible and counts and words):
        raise ValueError("not what was written")
    return entry


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
